//! The scanner against the plainest way to search: put the whole text into plain writing, and ask every recogniser about every phrase.

use outward_places::Depth;
use proptest::prelude::*;

use crate::kind::Kind;
use crate::recognise::*;
use crate::scan::{SEARCHED_KINDS, scan_text};

/// Every kind that any phrase of up to eight words is.
fn by_every_phrase(text: &str) -> Vec<Kind> {
    let text = plain(text);
    let words = words(&text);
    let mut found = [false; SEARCHED_KINDS.len()];
    let telling = |word: &str| word.bytes().any(|byte| byte.is_ascii_digit() || byte == b'@');
    let hexadecimal = |word: &str| word.bytes().all(|byte| byte.is_ascii_hexdigit());
    for start in 0..words.len() {
        let first = &text[words[start].0..words[start].1];
        if first.len() > 3 && !telling(first) && !hexadecimal(first) {
            continue;
        }
        for end in start..words.len().min(start + 8) {
            let phrase = &text[words[start].0..words[end].1];
            if telling(phrase) && (phrase.len() <= 64 || start == end) {
                note(phrase, start == end, &mut found);
            }
        }
    }
    SEARCHED_KINDS.into_iter().zip(found).filter_map(|(kind, found)| found.then_some(kind)).collect()
}

fn note(phrase: &str, one_word: bool, found: &mut [bool; SEARCHED_KINDS.len()]) {
    let phrase = phrase.strip_prefix('(').and_then(|inner| inner.strip_suffix(')')).unwrap_or(phrase);
    let phrase = if phrase.contains('(') { phrase } else { phrase.trim_end_matches(')') };
    let nhs = is_nhs_number(phrase);
    let in_capitals = !phrase.bytes().any(|byte| byte.is_ascii_lowercase());
    let digits = phrase.bytes().filter(u8::is_ascii_digit).count();
    found[0] |= nhs;
    found[1] |= is_national_insurance(phrase);
    found[2] |= is_email(phrase);
    found[3] |= !nhs && (is_uk_phone(phrase) || is_foreign_phone(phrase));
    found[4] |= phrase.len() >= 5 && in_capitals && postcode(phrase).is_some_and(|code| code.depth() == Depth::Unit);
    found[5] |= digits != phrase.len() && is_card_number(phrase);
    found[6] |= digits >= 10 && (in_capitals || one_word) && is_iban(phrase);
    found[7] |= (digits >= 7 || phrase.contains(':')) && is_ip_address(phrase);
    found[8] |= is_social_security(phrase);
    found[9] |= in_capitals && phrase.contains(' ') && is_number_plate(phrase);
    found[10] |= phrase.len() >= 17 && is_machine_key(phrase);
}

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

/// Identifiers, ordinary words and near misses with the marks that may stand between them.
fn pieces() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "943 476 5919",
        "9434765919",
        "943/476/5919",
        "943-476-5918",
        "9 4 3 4 7 6 5 9 1 9",
        "٩٤٣٤٧٦٥٩١٩",
        "9434765919.00",
        "07700 900123",
        "(0117) 496 0123",
        "+33 1 42 68 53 00",
        "0117/496/0123",
        "LS6 1AA",
        "ls6 1aa",
        "SW1A1AA",
        "AB 12 34 56 C",
        "AB123456C",
        "mary@example.org",
        "mary.jones at example dot org",
        "mary (at) example.org",
        "mary @ example.org",
        "4111 1111 1111 1111",
        "4111111111111111",
        "GB82 WEST 1234 5698 7654 32",
        "GB82-WEST-1234-5698-7654-32",
        "192.168.20.17",
        "fe80::1:2",
        "123-45-6789",
        "AB12 CDE",
        "ABC 123D",
        "123e4567-e89b-12d3-a456-426614174000",
        "00:1A:2B:3C:4D:5E",
        "BP 120/80",
        "on 21/03/2024 at 10:15",
        "the",
        "a",
        "bed",
        "in",
        "seen at home",
        "12",
        "3rd",
        "café",
        "£5.00",
        "1,234,567",
        "NHS",
        "dot",
        "at",
        "A",
        "0",
    ]);
    let gap =
        prop::sample::select(vec![" ", "  ", ", ", ". ", "; ", ": ", "\n", "(", ")", "_", "#", "-", "", "\u{a0}"]);
    prop::collection::vec((piece, gap), 1..9)
        .prop_map(|pieces| pieces.into_iter().flat_map(|(piece, gap)| [piece, gap]).collect())
}

fn texts() -> impl Strategy<Value = String> {
    prop_oneof![pieces(), "[0-9A-Fa-fG@ .,/:+()'é-]{0,60}", "[0-9 ./-]{0,40}", any::<String>()]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4_000, ..ProptestConfig::default() })]

    #[test]
    fn no_kind_is_lost_that_a_search_of_every_phrase_finds(text in texts()) {
        let found: Vec<Kind> = scan_text(&text).collect();
        for kind in by_every_phrase(&text) {
            prop_assert!(found.contains(&kind), "{kind} in {text:?}, found {found:?}");
        }
    }

    #[test]
    fn nothing_is_found_that_a_search_of_every_phrase_does_not_find(text in texts()) {
        // Letters beside a number of ten digits, and stops at the end of an address, are read more widely.
        let found: Vec<Kind> = scan_text(&text).filter(|kind| !matches!(kind, Kind::NhsNumber | Kind::Email)).collect();
        let all = by_every_phrase(&text);
        for kind in found {
            prop_assert!(all.contains(&kind), "{kind} in {text:?}, of {all:?}");
        }
    }
}
