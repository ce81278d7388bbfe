//! Identifiers inside longer text: a note that says "the number is 943 476 5919".

use outward_places::Depth;

use super::{
    is_card_number, is_email, is_foreign_phone, is_iban, is_ip_address, is_machine_key, is_national_insurance,
    is_nhs_number, is_number_plate, is_social_security, is_uk_phone, plain, postcode,
};
use crate::kind::Kind;

/// The words that an identifier with gaps may span: `GB82 WEST 1234 5698 7654 32`, the eight parts of an internet address.
const WORDS: usize = 8;

/// The identifiers that stand somewhere in this text, each kind once, in a fixed order. The whole text is searched, however
/// long, and in plain writing.
///
/// ```
/// use outward_profile::{Kind, recognise::scan_text};
/// let found: Vec<Kind> = scan_text("Rang 07700 900123, NHS no 943 476 5919.").collect();
/// assert_eq!(found, [Kind::NhsNumber, Kind::UkPhone]);
/// ```
pub fn scan_text(text: &str) -> impl Iterator<Item = Kind> + use<> {
    let text = plain(text);
    let words = words(&text);
    let mut found = [false; SEARCHED_KINDS.len()];
    let telling = |word: &str| word.bytes().any(|byte| byte.is_ascii_digit() || byte == b'@');
    for start in 0..words.len() {
        // Only the two letters of an insurance number, or the three of a plate, stand before its digits as a word.
        let first = &text[words[start].0..words[start].1];
        if first.len() > 3 && !telling(first) && !is_hexadecimal(first) {
            continue;
        }
        for end in start..words.len().min(start + WORDS) {
            let phrase = &text[words[start].0..words[end].1];
            if phrase.len() > 64 {
                // One long word may still be an address or a key.
                if end == start {
                    note(phrase, &mut found);
                }
                break;
            }
            if telling(phrase) {
                note(phrase, &mut found);
            }
        }
    }
    SEARCHED_KINDS.into_iter().zip(found).filter_map(|(kind, found)| found.then_some(kind))
}

fn is_hexadecimal(word: &str) -> bool {
    word.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// The kinds that are looked for, in the order in which they are reported.
pub(crate) const SEARCHED_KINDS: [Kind; 11] = [
    Kind::NhsNumber,
    Kind::NationalInsurance,
    Kind::Email,
    Kind::UkPhone,
    Kind::Postcode,
    Kind::CardNumber,
    Kind::Iban,
    Kind::IpAddress,
    Kind::SocialSecurity,
    Kind::NumberPlate,
    Kind::MachineKey,
];

fn note(phrase: &str, found: &mut [bool; SEARCHED_KINDS.len()]) {
    // `(943 476 5919)`: the brackets are not part of it, as those of a dialling code are.
    let phrase = phrase.strip_prefix('(').and_then(|inner| inner.strip_suffix(')')).unwrap_or(phrase);
    let phrase = if phrase.contains('(') { phrase } else { phrase.trim_end_matches(')') };
    let nhs = is_nhs_number(phrase);
    let in_capitals = !phrase.bytes().any(|byte| byte.is_ascii_lowercase());
    let digits = phrase.bytes().filter(u8::is_ascii_digit).count();
    found[0] |= nhs;
    found[1] |= is_national_insurance(phrase);
    found[2] |= is_email(phrase);
    found[3] |= !nhs && (is_uk_phone(phrase) || is_foreign_phone(phrase));
    // In running text only a code in capitals counts, with an inward half: `b12 3rd` is no address.
    found[4] |= phrase.len() >= 5 && in_capitals && postcode(phrase).is_some_and(|code| code.depth() == Depth::Unit);
    // Sixteen digits in one run pass by chance one time in ten; in groups they are meant.
    found[5] |= digits != phrase.len() && is_card_number(phrase);
    found[6] |= digits >= 10 && is_iban(phrase);
    // Four short numbers with stops are a version more often than an address.
    found[7] |= (digits >= 7 || phrase.contains(':')) && is_ip_address(phrase);
    found[8] |= is_social_security(phrase);
    found[9] |= in_capitals && phrase.contains(' ') && is_number_plate(phrase);
    found[10] |= phrase.len() >= 17 && is_machine_key(phrase);
}

/// Where each word starts and ends, without the punctuation around it; a bracket before a dialling code stays.
fn words(text: &str) -> Vec<(usize, usize)> {
    let mut words = Vec::new();
    let mut start = 0;
    for (end, c) in text.char_indices().chain([(text.len(), ' ')]) {
        if c.is_whitespace() || ",;:<>\"|/#=_".contains(c) {
            let word = text[start..end].trim_end_matches(|c: char| !(c.is_alphanumeric() || c == ')'));
            let core = word.trim_start_matches(|c: char| !(c.is_alphanumeric() || c == '+' || c == '('));
            if !core.is_empty() {
                words.push((start + word.len() - core.len(), start + word.len()));
            }
            start = end + c.len_utf8();
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<Kind> {
        scan_text(text).collect()
    }

    #[test]
    fn each_identifier_is_found_in_a_sentence() {
        for (text, kind) in [
            ("Her number is 943 476 5919, I think.", Kind::NhsNumber),
            ("NHS:9434765919; seen today", Kind::NhsNumber),
            ("her number (943/476/5919) was wrong", Kind::NhsNumber),
            ("number 9 4 3 4 7 6 5 9 1 9 on file", Kind::NhsNumber),
            ("no=943_476_5919", Kind::NhsNumber),
            ("رقم ٩٤٣ ٤٧٦ ٥٩١٩ هنا", Kind::NhsNumber),
            ("write to <mary@example.org>.", Kind::Email),
            ("write to mary (at) example.org please", Kind::Email),
            ("write to mary.jones at example dot org", Kind::Email),
            ("ring (0117) 496 0123 after six", Kind::UkPhone),
            ("ring 0117/496/0123 after six", Kind::UkPhone),
            ("her mother in France: +33 1 42 68 53 00", Kind::UkPhone),
            ("moved to 4 Mill Lane, LS6 1AA last year", Kind::Postcode),
            ("NI AB 12 34 56 C on file", Kind::NationalInsurance),
            ("paid by 4111 1111 1111 1111 in May", Kind::CardNumber),
            ("from GB82 WEST 1234 5698 7654 32", Kind::Iban),
            ("logged in from 192.168.20.17 twice", Kind::IpAddress),
            ("her SSN is 123-45-6789", Kind::SocialSecurity),
            ("drove off in AB12 CDE towards town", Kind::NumberPlate),
            ("key 123e4567-e89b-12d3-a456-426614174000.", Kind::MachineKey),
        ] {
            assert_eq!(found(text), [kind], "{text}");
        }
    }

    #[test]
    fn a_number_at_the_end_of_a_long_text_is_found() {
        let long = format!("{}943 476 5919", "and so on ".repeat(20_000));
        assert_eq!(found(&long), [Kind::NhsNumber]);
    }

    #[test]
    fn ordinary_notes_hold_none() {
        for text in [
            "BP 120/80, pulse 72, weight 81.5 kg on 21/03/2024 at 10:15.",
            "ref 1234567890 closed",
            "see page 12 3rd paragraph",
            "meet @ 5 pm",
            "",
            "version 1.2.3.4 of the form",
            "scored 1 2 3 4 5 6 7 8 9 10",
            "07/12/2024 9:30 to 10:45",
            "1,234,567,890 records in 2011-2021",
            "NO2 and PM10 AND O3",
            "from 01/12/2003 10:00 to 02/12/2003 11:30:15",
        ] {
            assert_eq!(found(text), [], "{text}");
        }
    }

    #[test]
    fn several_kinds_are_told_once_each() {
        assert_eq!(found("a@b.uk c@d.uk 07700900123"), [Kind::Email, Kind::UkPhone]);
    }
}
