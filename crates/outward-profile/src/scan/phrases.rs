//! What a few words in a row are: each recogniser is asked only if the numbers of digits and letters allow its kind.

use outward_places::Depth;

use super::words::{Counts, Word, follows_long_word, goes_on_in_small_letters, next_word, previous_word, word_around};
use super::{Sighting, Standing};
use crate::kind::Kind;
use crate::recognise::{
    is_card_number, is_email, is_foreign_phone, is_iban, is_ip_address, is_machine_key, is_national_insurance,
    is_nhs_number, is_number_plate, is_social_security, is_uk_phone, postcode,
};

/// The words that an identifier with gaps may span: `GB82 WEST 1234 5698 7654 32`, the eight parts of an internet address.
const WORDS: usize = 8;
/// The bytes that such words may span.
const LONGEST: usize = 64;
/// The letters and digits of everything but accounts, keys and internet addresses: the five letters of `SW1A 1AA` and the
/// sixteen digits of a card.
const MAX_LETTERS: usize = 5;
const MAX_DIGITS: usize = 16;
/// How far from a number the letters `NHS` say what it is.
const SAID_BEFORE: usize = 60;
const SAID_AFTER: usize = 30;

/// Looks at the word around a digit or an `@`, and at the phrases that it is in and that do not begin before `floor`. Gives where
/// the word ends.
pub(super) fn look_around(text: &str, at: usize, floor: usize, found: &mut Vec<Sighting>) -> usize {
    let word = word_around(text, at, floor).filter(|word| word.end > at);
    let end = word.map_or(at + 1, |word| word.raw_end);
    if text.as_bytes()[at] == b'@' || word.is_some_and(|word| word.counts.ats() > 0) {
        for sign in (at..end).filter(|place| text.as_bytes()[*place] == b'@') {
            look_at_address(text, sign, found);
        }
    }
    let Some(word) = word else { return end };
    look_at_runs(text, &word, found);
    look_from(text, &word, found);
    let mut to = word.start;
    for _ in 1..WORDS {
        if follows_long_word(text, to, floor) {
            break;
        }
        match previous_word(text, to, floor).filter(Word::may_begin) {
            Some(earlier) => {
                look_from(text, &earlier, found);
                to = earlier.start;
            }
            None => break,
        }
    }
    end
}

/// Looks at the phrases that begin with this word.
fn look_from(text: &str, first: &Word, found: &mut Vec<Sighting>) {
    let mut counts = first.counts;
    let mut last = *first;
    let bytes = &text.as_bytes()[first.start..first.end];
    // Only keys and internet addresses have letters behind a digit they begin with.
    let max_letters = if bytes[0].is_ascii_alphabetic() { MAX_LETTERS } else { 0 };
    let account = begins_account(bytes);
    for words in 1..=WORDS {
        if counts.telling() {
            note(text, first.start, last.end, counts, words, found);
        }
        let within = counts.letters() <= max_letters && counts.digits() <= MAX_DIGITS;
        if first.len() > LONGEST || !(within || account || counts.is_hexadecimal()) {
            break;
        }
        // Nothing begins with a digit and goes on in such letters.
        if max_letters == 0 && goes_on_in_small_letters(text, last.raw_end) {
            break;
        }
        match next_word(text, last.raw_end, first.start + LONGEST + 1) {
            Some(word) if word.end - first.start <= LONGEST => last = word,
            _ => break,
        }
        // Groups of an account have four characters; a longer word of letters is a word.
        if account && !within && last.counts.digits() == 0 && last.counts.letters() > 4 {
            break;
        }
        counts = counts.with(last.counts);
    }
}

/// Whether an account number in groups may begin with this word: two capitals, and digits if anything follows.
fn begins_account(word: &[u8]) -> bool {
    matches!(word, [a, b, rest @ ..] if a.is_ascii_uppercase() && b.is_ascii_uppercase()
        && rest.iter().take(2).all(u8::is_ascii_digit))
}

/// Notes every kind that the phrase is.
fn note(text: &str, start: usize, end: usize, counts: Counts, words: usize, found: &mut Vec<Sighting>) {
    let (digits, letters, ats) = (counts.digits(), counts.letters(), counts.ats());
    let phrase = &text[start..end];
    // Nothing without a letter has so few digits, but for an internet address in groups and a long key.
    if letters + ats == 0 && digits < 7 && phrase.len() < 17 && (words == 1 || !phrase.contains(':')) {
        return;
    }
    // `(943 476 5919)`: the brackets are not part of it, as those of a dialling code are.
    let phrase = match phrase.strip_prefix('(').and_then(|inner| inner.strip_suffix(')')) {
        Some(inner) => inner,
        None if phrase.contains('(') => phrase,
        None => phrase.trim_end_matches(')'),
    };
    let start = start + usize::from(text.as_bytes()[start] == b'(' && !phrase.starts_with('('));
    let end = start + phrase.len();
    let mut see = |kind, standing| found.push(Sighting { kind, start, end, standing });
    if ats > 0 {
        if words == 1 && is_email(phrase) {
            see(Kind::Email, Standing::Certain);
        }
        return;
    }
    if letters == 0 {
        let nhs = digits == 10 && phrase.len() > 10 && is_nhs_number(phrase);
        if nhs {
            see(Kind::NhsNumber, Standing::Certain);
        }
        // A run of ten digits is looked at by itself.
        let passes = digits == 10 && phrase.len() == 10 && is_nhs_number(phrase);
        if (8..=15).contains(&digits) && !nhs && !passes && is_phone(phrase, digits) {
            let run = phrase.len() == digits && (digits == 10 || phrase.len() == text.len());
            see(Kind::UkPhone, if run { Standing::ByChance } else { Standing::Certain });
        }
        if (14..=16).contains(&digits) && !phrase.contains(['(', ')', '+']) {
            see(Kind::CardNumber, if is_card_number(phrase) { Standing::ByChance } else { Standing::Missed });
        }
        if digits == 9 && is_social_security(phrase) {
            see(Kind::SocialSecurity, Standing::Certain);
        }
    }
    let whole = |standing| if phrase.len() == text.len() && words == 1 { Standing::ByChance } else { standing };
    if digits == 6 && letters == 3 && is_national_insurance(phrase) {
        see(Kind::NationalInsurance, whole(Standing::Certain));
    }
    // In running text only a code in capitals counts, with an inward half: `b12 3rd` is no address.
    if !counts.has_small()
        && (1..=4).contains(&digits)
        && (3..=MAX_LETTERS).contains(&letters)
        && phrase.len() >= 5
        && postcode(phrase).is_some_and(|code| code.depth() == Depth::Unit)
    {
        see(Kind::Postcode, whole(Standing::Certain));
    }
    if !counts.has_small() && (2..=3).contains(&digits) && phrase.contains(' ') && is_number_plate(phrase) {
        see(Kind::NumberPlate, Standing::Certain);
    }
    // In several words only capitals count: `on 21/03/2009 at 10:15` may have the right remainder.
    let capitals = words == 1 || !counts.has_small();
    if capitals && letters >= 2 && digits >= 10 && (15..=34).contains(&(letters + digits)) {
        if is_iban(phrase) {
            see(Kind::Iban, Standing::ByChance);
        } else if begins_account(phrase.as_bytes()) {
            see(Kind::Iban, Standing::Missed);
        }
    }
    if counts.is_hexadecimal() {
        // Four short numbers with stops are a version more often than an address.
        if (digits >= 7 || phrase.contains(':')) && is_ip_address(phrase) {
            see(Kind::IpAddress, Standing::Certain);
        }
        if phrase.len() >= 17 && is_machine_key(phrase) {
            see(Kind::MachineKey, Standing::Certain);
        }
    }
}

/// Whether the phrase is a telephone number. What it begins with leaves out most that are none.
fn is_phone(phrase: &str, digits: usize) -> bool {
    match phrase.as_bytes()[0] {
        b'0' => is_uk_phone(phrase),
        b'+' | b'(' => is_uk_phone(phrase) || is_foreign_phone(phrase),
        _ => matches!(digits, 10 | 11) && is_foreign_phone(phrase),
    }
}

/// Looks at the stretch around an `@`: the characters of an address before it, and those of a host behind it. Marks that part words, such as the stroke of
/// `and/or@example.org`, are taken along only if there is no address without them.
fn look_at_address(text: &str, at: usize, found: &mut Vec<Sighting>) {
    let usual = |c: char| c.is_alphanumeric() || "._%+-'".contains(c);
    let allowed = |c: char| usual(c) || "!#$&*/=?^`{|}~".contains(c);
    let host = |c: char| c.is_alphanumeric() || ".-".contains(c);
    let after = &text[at + 1..];
    let length = after.len() - after.trim_start_matches(host).len();
    let end = at + 1 + after[..length].trim_end_matches(['.', '-']).len();
    let begins = |before: &str| at - before.trim_start_matches(|c: char| !c.is_alphanumeric()).len();
    let starts = [
        begins(&text[text[..at].trim_end_matches(usual).len()..at]),
        begins(&text[text[..at].trim_end_matches(allowed).len()..at]),
    ];
    if let Some(start) = starts.into_iter().find(|start| is_email(&text[*start..end])) {
        found.push(Sighting { kind: Kind::Email, start, end, standing: Standing::Certain });
    }
}

/// Looks for runs of ten digits, of which one in eleven passes as an NHS number by chance. Letters beside one are allowed where the text
/// speaks of NHS numbers, decimals are not.
fn look_at_runs(text: &str, word: &Word, found: &mut Vec<Sighting>) {
    if word.counts.digits() < 10 {
        return;
    }
    let bytes = text.as_bytes();
    let mut at = word.start;
    while at < word.end {
        let length = bytes[at..word.end].iter().take_while(|byte| byte.is_ascii_digit()).count();
        if length == 10 {
            let (start, end) = (at, at + 10);
            let said = says_nhs(bytes, start, end);
            let beside = |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte >= 0x80);
            let before = start.checked_sub(1).map(|at| &bytes[at]);
            let joined = beside(before) || beside(bytes.get(end));
            let digit = |at: Option<usize>| at.and_then(|at| bytes.get(at)).is_some_and(u8::is_ascii_digit);
            let decimal = (bytes.get(end) == Some(&b'.') && digit(Some(end + 1)))
                || (before == Some(&b'.') && digit(start.checked_sub(2)));
            if !decimal && (said || !joined) {
                let standing = match (is_nhs_number(&text[start..end]), said) {
                    (true, true) => Standing::Certain,
                    (true, false) => Standing::ByChance,
                    (false, _) => Standing::Missed,
                };
                found.push(Sighting { kind: Kind::NhsNumber, start, end, standing });
            }
        }
        at += length.max(1);
    }
}

/// Whether the letters `NHS` stand near.
fn says_nhs(bytes: &[u8], start: usize, end: usize) -> bool {
    let near = &bytes[start.saturating_sub(SAID_BEFORE)..(end + SAID_AFTER).min(bytes.len())];
    near.windows(3).any(|three| three.eq_ignore_ascii_case(b"nhs"))
}
