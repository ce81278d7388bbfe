//! What a value is that consists of one word. Codes of the same shape may be anything, so a column of them is judged as a whole.

use super::{Sighting, Standing};
use crate::kind::Kind;
use crate::recognise::{is_ip_address, is_national_insurance, is_nhs_number, is_number_plate, is_uk_phone, postcode};

/// The longest internet address, with eight groups of four.
const LONGEST: usize = 45;

/// Looks at a value without gaps.
pub(super) fn look_at_value(value: &str, found: &mut Vec<Sighting>) {
    let word = value.trim();
    if word.is_empty() || word.len() > LONGEST || word.contains(char::is_whitespace) {
        return;
    }
    let start = value.len() - value.trim_start().len();
    let mut see = |kind, standing| found.push(Sighting { kind, start, end: start + word.len(), standing });
    if is_ip_address(word) {
        see(Kind::IpAddress, Standing::Certain);
    }
    if let Some((kind, passes)) = code(word) {
        see(kind, if passes { Standing::ByChance } else { Standing::Missed });
    }
}

/// The kind whose shape the word has, and whether it passes as one.
fn code(word: &str) -> Option<(Kind, bool)> {
    let bytes = word.as_bytes();
    let letters = |range: &[u8]| range.iter().all(u8::is_ascii_alphabetic);
    let digits = |range: &[u8]| range.iter().all(u8::is_ascii_digit);
    if bytes.len() == 9 && letters(&bytes[..2]) && digits(&bytes[2..8]) && letters(&bytes[8..]) {
        return Some((Kind::NationalInsurance, is_national_insurance(word)));
    }
    if bytes.len() == 7 && letters(&bytes[..2]) && digits(&bytes[2..4]) && letters(&bytes[4..]) {
        return Some((Kind::NumberPlate, is_number_plate(word)));
    }
    if matches!(bytes.len(), 10 | 11) && digits(bytes) && bytes[0] == b'0' && !is_nhs_number(word) {
        return Some((Kind::UkPhone, is_uk_phone(word)));
    }
    let ends = bytes.len().checked_sub(3).map(|at| digits(&bytes[at..=at]) && letters(&bytes[at + 1..]));
    if (5..=7).contains(&bytes.len()) && letters(&bytes[..1]) && ends == Some(true) {
        return Some((Kind::Postcode, postcode(word).is_some_and(|code| code.unit().is_some())));
    }
    None
}
