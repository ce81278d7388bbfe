//! Direct identifiers of a person: first name and surname, NHS number, e-mail, phone.
//!
//! E-mail addresses use the domains reserved for examples (RFC 2606). Phone numbers use the ranges that Ofcom keeps
//! free for drama. So no message or call can reach anybody.

mod names;

use crate::dates::REFERENCE;
use crate::draw::Draw;
use crate::places::{LONDON, WALES, push_number, push_padded};

pub(crate) use names::Origin;

/// A family's surname.
pub(crate) fn surname(draw: &mut Draw, origin: Origin) -> &'static str {
    draw.pick(origin.names().surnames)
}

/// A first name that fits origin, sex and, for British names, the year of birth.
pub(crate) fn first_name(draw: &mut Draw, origin: Origin, female: bool, age: i32) -> &'static str {
    let (women, men) = if origin == Origin::British {
        let born = REFERENCE.year - age;
        names::GENERATIONS[usize::from(born >= 1950) + usize::from(born >= 1980)]
    } else {
        (origin.names().women, origin.names().men)
    };
    draw.pick(if female { women } else { men })
}

/// Numbers that the scheme below can give without a repeat.
const NHS_NUMBERS: u64 = 180_000_000;
/// From one to the next; prime to their count.
const NHS_STEP: u64 = 150_094_637;

/// Writes the NHS number of the person at this place in the file: ten digits, the last a check digit.
///
/// A number has eight leading digits, a ninth digit and a check digit. The first digit is 5 or 9. To our knowledge
/// these are outside the ranges issued today; only 999 is formally set aside for tests. For at most one of ten ninth
/// digits there is no check digit, so every eight digits have nine numbers. Going through all of them with a step prime
/// to their count gives nobody a number twice.
pub(crate) fn write_nhs_number(seed: u64, index: u64, out: &mut String) {
    let at = nhs_place(seed, index, NHS_NUMBERS);
    let (stem, choice) = (at / 9, at % 9);
    let lead = [5, 9][(stem / 10_000_000) as usize];
    write_nhs_digits(lead * 10_000_000 + stem % 10_000_000, choice, out);
}

/// Numbers that begin with 999, nine for each of the 100,000 eight digits.
const TEST_NUMBERS: u64 = 900_000;
/// Numbers that begin with 5.
const NUMBERS_FROM_5: u64 = NHS_NUMBERS / 2;

/// Writes the NHS number of the person at this place in the file, from the range that the NHS sets aside for tests, 999. It
/// has 900,000 numbers of the scheme above; people after these get numbers that begin with 5.
pub(crate) fn write_test_nhs_number(seed: u64, index: u64, out: &mut String) {
    if index < TEST_NUMBERS {
        let at = nhs_place(seed, index, TEST_NUMBERS);
        write_nhs_digits(99_900_000 + at / 9, at % 9, out);
    } else {
        let at = nhs_place(seed, index - TEST_NUMBERS, NUMBERS_FROM_5);
        write_nhs_digits(50_000_000 + at / 9, at % 9, out);
    }
}

/// Which of `numbers` the person at this place gets.
fn nhs_place(seed: u64, index: u64, numbers: u64) -> u64 {
    let shift = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
    ((index % numbers) * NHS_STEP + shift) % numbers
}

/// Writes eight digits, a ninth by its choice among those that have a check digit, and the check digit.
fn write_nhs_digits(stem: u64, choice: u64, out: &mut String) {
    let partial: u64 = (0..8u32).map(|i| (10 - u64::from(i)) * (stem / 10u64.pow(7 - i) % 10)).sum();
    let checked = (0..10).filter_map(|ninth| nhs_check(partial + 2 * ninth).map(|check| (ninth, check)));
    if let Some((ninth, check)) = checked.take(9).nth(choice as usize) {
        push_padded(out, stem, 8);
        push_padded(out, ninth, 1);
        push_padded(out, check, 1);
    }
}

/// The check digit for a weighted sum of the first nine digits (weights 10 to 2), where there is one.
fn nhs_check(sum: u64) -> Option<u64> {
    match 11 - sum % 11 {
        11 => Some(0),
        10 => None,
        check => Some(check),
    }
}

/// Writes an e-mail address made of the name.
pub(crate) fn write_email(draw: &mut Draw, first: &str, last: &str, out: &mut String) {
    const HOSTS: [&str; 4] = ["example.com", "example.org", "example.net", "mail.example"];
    let push_letters = |out: &mut String, name: &str| {
        for letter in name.bytes().filter(u8::is_ascii_alphabetic) {
            out.push(letter.to_ascii_lowercase() as char);
        }
    };
    match draw.below(3) {
        0 => {
            push_letters(out, first);
            out.push('.');
            push_letters(out, last);
        }
        1 => {
            push_letters(out, &first[..1]);
            push_letters(out, last);
        }
        _ => {
            push_letters(out, first);
            out.push('_');
            push_letters(out, last);
        }
    }
    push_number(out, u64::from(draw.below(10_000)));
    out.push('@');
    out.push_str(draw.pick(&HOSTS));
}

/// Writes a mobile number, or a landline of the region.
pub(crate) fn write_phone(draw: &mut Draw, region: usize, out: &mut String) {
    // Ofcom, "Telephone numbers for use in TV and radio drama programmes": one range of a thousand each.
    const LANDLINES: [&str; 10] = [
        "0191 498 0",
        "0161 496 0",
        "0113 496 0",
        "0116 496 0",
        "0121 496 0",
        "01632 960",
        "020 7946 0",
        "0118 496 0",
        "0117 496 0",
        "029 2018 0",
    ];
    debug_assert!(LANDLINES[LONDON].starts_with("020") && LANDLINES[WALES].starts_with("029"));
    if draw.chance(720) {
        out.push_str("07700 900");
    } else {
        out.push_str(LANDLINES[region]);
    }
    push_padded(out, u64::from(draw.below(1_000)), 3);
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

    use std::collections::HashSet;

    use super::*;

    #[test]
    fn the_usual_example_of_a_check_digit_holds() {
        // 943 476 5919 is the number that forms and guides show as an example.
        let sum = "943476591".bytes().zip([10u64, 9, 8, 7, 6, 5, 4, 3, 2]).map(|(d, w)| w * u64::from(d - b'0')).sum();
        assert_eq!(nhs_check(sum), Some(9));
    }

    #[test]
    fn nhs_numbers_check_and_do_not_repeat() {
        let mut seen = HashSet::new();
        for index in 0..50_000 {
            let mut number = String::new();
            write_nhs_number(7, index, &mut number);
            let digits: Vec<u64> = number.bytes().map(|b| u64::from(b - b'0')).collect();
            assert_eq!(digits.len(), 10, "{number}");
            let sum: u64 = digits[..9].iter().zip((2..=10u64).rev()).map(|(d, w)| d * w).sum();
            assert_eq!(nhs_check(sum), Some(digits[9]), "{number}");
            assert!(seen.insert(number));
        }
    }

    #[test]
    fn the_step_through_nhs_numbers_visits_all_of_them() {
        for numbers in [NHS_NUMBERS, TEST_NUMBERS, NUMBERS_FROM_5] {
            let (mut divisor, mut rest) = (numbers, NHS_STEP);
            while rest != 0 {
                (divisor, rest) = (rest, divisor % rest);
            }
            assert_eq!(divisor, 1);
        }
    }

    #[test]
    fn numbers_for_tests_begin_with_999_and_none_repeats_in_a_million() {
        let mut seen = HashSet::new();
        for index in 0..1_000_000 {
            let mut number = String::new();
            write_test_nhs_number(3, index, &mut number);
            assert_eq!(number.len(), 10);
            assert!(number.starts_with(if index < 900_000 { "999" } else { "5" }), "{number}");
            assert!(seen.insert(number));
        }
    }

    #[test]
    fn mail_goes_to_example_domains_only() {
        let mut draw = Draw::new(0, 1, 1);
        for _ in 0..100 {
            let mut mail = String::new();
            write_email(&mut draw, "Orla", "O'Neill", &mut mail);
            let host = mail.split('@').nth(1).unwrap();
            assert!(host.starts_with("example.") || host.ends_with(".example"), "{mail}");
            assert!(!mail.contains('\''));
        }
    }
}
