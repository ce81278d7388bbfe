//! Identifiers inside longer text: a note that says "her number is 943 476 5919".

use outward_places::Depth;

use super::{is_email, is_national_insurance, is_nhs_number, is_uk_phone, postcode};
use crate::kind::Kind;

/// The identifiers that stand somewhere in this text, each kind once, in a fixed order.
///
/// ```
/// use outward_profile::{Kind, recognise::scan_text};
/// let found: Vec<Kind> = scan_text("Rang 07700 900123, NHS no 943 476 5919.").collect();
/// assert_eq!(found, [Kind::NhsNumber, Kind::UkPhone]);
/// ```
pub fn scan_text(text: &str) -> impl Iterator<Item = Kind> + use<> {
    let words = words(text);
    let mut found = [false; FOUND.len()];
    let telling = |word: &str| word.bytes().any(|byte| byte.is_ascii_digit() || byte == b'@');
    for start in 0..words.len() {
        // Only the two letters of an insurance number stand before its digits as a word of their own.
        let first = &text[words[start].0..words[start].1];
        if first.len() > 2 && !telling(first) {
            continue;
        }
        // An identifier with gaps spans at most five words: `AB 12 34 56 C`, `+44 (0)20 7946 0018`.
        for end in start..words.len().min(start + 5) {
            let phrase = &text[words[start].0..words[end].1];
            if phrase.len() > 64 {
                break;
            }
            if telling(phrase) {
                note(phrase, &mut found);
            }
        }
    }
    FOUND.into_iter().zip(found).filter_map(|(kind, found)| found.then_some(kind))
}

/// The kinds that are looked for, in the order they are told.
pub(crate) const FOUND: [Kind; 5] =
    [Kind::NhsNumber, Kind::NationalInsurance, Kind::Email, Kind::UkPhone, Kind::Postcode];

fn note(phrase: &str, found: &mut [bool; FOUND.len()]) {
    let nhs = is_nhs_number(phrase);
    found[0] |= nhs;
    found[1] |= is_national_insurance(phrase);
    found[2] |= is_email(phrase);
    found[3] |= !nhs && is_uk_phone(phrase);
    // In running text only a code in capitals counts, with an inward half: `b12 3rd` is no address.
    found[4] |= phrase.len() >= 5
        && !phrase.bytes().any(|byte| byte.is_ascii_lowercase())
        && postcode(phrase).is_some_and(|code| code.depth() == Depth::Unit);
}

/// Where each word starts and ends, without the punctuation around it; a bracket before a dialling code stays.
fn words(text: &str) -> Vec<(usize, usize)> {
    let mut words = Vec::new();
    let mut start = 0;
    for (end, c) in text.char_indices().chain([(text.len(), ' ')]) {
        if c.is_whitespace() || ",;:<>\"|".contains(c) {
            let word = text[start..end].trim_end_matches(|c: char| !(c.is_alphanumeric() || c == ')'));
            let core = word.trim_start_matches(|c: char| !(c.is_alphanumeric() || c == '+' || c == '('));
            if !core.is_empty() {
                words.push((start + word.len() - core.len(), start + word.len()));
            }
            start = end + c.len_utf8();
        }
        if words.len() == LONGEST {
            break;
        }
    }
    words
}

/// The words of a text that are looked at; a note longer than this is a document.
const LONGEST: usize = 2_000;

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<Kind> {
        scan_text(text).collect()
    }

    #[test]
    fn each_identifier_is_found_in_a_sentence() {
        assert_eq!(found("Her number is 943 476 5919, I think."), [Kind::NhsNumber]);
        assert_eq!(found("NHS:9434765919; seen today"), [Kind::NhsNumber]);
        assert_eq!(found("write to <mary@example.org>."), [Kind::Email]);
        assert_eq!(found("ring (0117) 496 0123 after six"), [Kind::UkPhone]);
        assert_eq!(found("moved to 4 Mill Lane, LS6 1AA last year"), [Kind::Postcode]);
        assert_eq!(found("NI AB 12 34 56 C on file"), [Kind::NationalInsurance]);
    }

    #[test]
    fn ordinary_notes_hold_none() {
        for text in [
            "BP 120/80, pulse 72, weight 81.5 kg on 21/03/2024 at 10:15.",
            "ref 1234567890 closed",
            "see page 12 3rd paragraph",
            "meet @ 5 pm",
            "",
        ] {
            assert_eq!(found(text), [], "{text}");
        }
    }

    #[test]
    fn several_kinds_are_told_once_each() {
        assert_eq!(found("a@b.uk c@d.uk 07700900123"), [Kind::Email, Kind::UkPhone]);
    }
}
