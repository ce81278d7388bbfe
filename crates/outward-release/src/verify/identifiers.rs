//! Checks that no value of any column contains an identifier, by content.
//!
//! Some kinds are certain from one value: an e-mail address, a telephone number within a sentence, an NHS number in its
//! groups of 3, 3 and 4. Others are digits with a check digit, which one number in ten passes by chance. In text a
//! single number that passes is an identifier, unless there are many of its shape and few of them pass. In a column of
//! numbers, more must pass than chance explains, or the number must be alone among far shorter ones.

mod numbers;
mod text;

use outward_profile::Kind;
use outward_profile::recognise::plain;

use super::Check;
use super::release::Release;
use crate::manifest::ColumnRecord;

pub(super) fn check(release: &Release<'_>) -> Check {
    let (mut says, mut places) = (Vec::new(), Vec::new());
    for column in &release.records.columns {
        let excused = release.manifest.column(&column.name).is_some_and(ColumnRecord::is_excused);
        for (kind, values) in scan(&column.name, &column.values) {
            // The spec may give a reason why a code of this shape is published.
            if excused && matches!(kind, Kind::SocialSecurity | Kind::NumberPlate | Kind::MachineKey) {
                continue;
            }
            let mut hit = vec![false; column.values.len() + 1];
            values.iter().for_each(|value| hit[value + 1] = true);
            let rows = (0..column.codes.len()).filter(|row| hit[column.codes[*row] as usize]);
            let rows: Vec<usize> = rows.collect();
            let (records, hold) = if rows.len() == 1 { ("record", "holds") } else { ("records", "hold") };
            says.push(format!("{} {records} of `{}` {hold} {kind}", rows.len(), column.name));
            places.extend(
                rows.into_iter().take(super::check::MAX_PLACES_NAMED).map(|row| release.cell(row, &column.name)),
            );
        }
    }
    match says.is_empty() {
        true => Check::holds("identifiers", "no column as a whole identifies people"),
        false => Check::fails("identifiers", says.join("; ")).at(places),
    }
}

/// The kinds of identifiers among the different values of a column, each with the values that contain one.
pub(super) fn scan(name: &str, values: &[String]) -> Vec<(Kind, Vec<usize>)> {
    let values: Vec<String> = values.iter().map(|value| plain(value).into_owned()).collect();
    match values.iter().all(|value| is_number(value)) {
        true => numbers::scan(name, &values),
        false => text::scan(name, &values),
    }
}

fn is_number(value: &str) -> bool {
    let value = value.trim().trim_start_matches(['-', '+']);
    let digit = |byte: u8| byte.is_ascii_digit() || matches!(byte, b'.' | b'e' | b'E' | b'-' | b'+');
    value.starts_with(|c: char| c.is_ascii_digit() || c == '.')
        && value.bytes().all(digit)
        && value.parse::<f64>().is_ok()
}

/// A bound on the chance that `passed` or more of `shaped` values pass, if each passes with chance `p` (Chernoff 1952).
fn by_chance(passed: usize, shaped: usize, p: f64) -> f64 {
    if shaped == 0 || passed as f64 <= p * shaped as f64 {
        return 1.0;
    }
    let q = passed as f64 / shaped as f64;
    let rest = if q < 1.0 { (1.0 - q) * ((1.0 - q) / (1.0 - p)).ln() } else { 0.0 };
    (-(shaped as f64) * (q * (q / p).ln() + rest)).exp()
}

/// Whether the name of a column mentions NHS numbers.
fn names_nhs(name: &str) -> bool {
    name.to_ascii_lowercase().contains("nhs")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use super::*;

    /// Pseudo-random numbers, the same each time.
    fn scattered(count: u64, below: u64) -> impl Iterator<Item = u64> {
        (1..=count).map(move |n| n.wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(23).wrapping_mul(n | 1) % below)
    }

    fn kinds(values: impl IntoIterator<Item = impl ToString>) -> Vec<Kind> {
        let values: Vec<String> = values.into_iter().map(|value| value.to_string()).collect();
        scan("c7", &values).into_iter().map(|(kind, _)| kind).collect()
    }

    #[test]
    fn ordinary_numbers_raise_no_alarm() {
        assert_eq!(kinds(scattered(5_000, 100)), []);
        assert_eq!(kinds(scattered(5_000, 9_000_000_000).map(|n| n + 1_000_000_000)), [], "ten digits");
        assert_eq!(kinds((0..5_000).map(|n| 1_700_000_000 + 61 * n)), [], "seconds since 1970");
        assert_eq!(kinds(scattered(5_000, 9_000_000_000_000_000).map(|n| n + 1_000_000_000_000_000)), [], "16 digits");
        assert_eq!(kinds(scattered(500, 100_000).map(|n| format!("{}.{:02}", n, n % 100))), [], "amounts");
        assert_eq!(kinds(scattered(200, 3_000_000_000)), [], "turnovers up to ten digits");
        assert_eq!(kinds(scattered(300, 100_000_000_000).map(|n| format!("{n:011}"))), [], "codes with zeros in front");
    }

    #[test]
    fn ordinary_text_raises_no_alarm() {
        assert_eq!(kinds(["White British", "Irish", "Any other", "16-24", "85 or over", "*", "2011-Q3", "SM00"]), []);
        let letter = |n: u64| char::from(b'A' + (n % 26) as u8);
        let codes =
            scattered(400, 1_000_000).map(|n| format!("{}{}{n:06}{}", letter(n), letter(n / 26), letter(n / 676)));
        assert_eq!(kinds(codes), [], "codes like insurance numbers");
        assert_eq!(kinds(scattered(400, 9_000_000_000).map(|n| format!("ref {} closed", n + 1_000_000_000))), []);
        assert_eq!(kinds(["BP 120/80 on 21/03/2024 at 10:15", "LS6", "SW1A", "E01000001"]), []);
        assert_eq!(kinds((0..60).map(|n| format!("A{n}BC{n}"))), []);
    }

    #[test]
    fn columns_of_identifiers_are_found_by_what_they_hold() {
        let nhs = scattered(3_000, 900_000_000).map(|n| n + 400_000_000).filter_map(|nine| {
            let sum: u64 = (0..9).map(|place| nine / 10u64.pow(8 - place) % 10 * (10 - u64::from(place))).sum();
            let check = (11 - sum % 11) % 11;
            (check < 10).then(|| format!("{nine:09}{check}"))
        });
        assert_eq!(kinds(nhs), [Kind::NhsNumber]);
        assert_eq!(kinds((0..50).map(|n| format!("077009001{n:02}"))), [Kind::UkPhone]);
        assert_eq!(kinds((0..50).map(|n| format!("77009001{n:02}"))), [Kind::UkPhone]);
        assert_eq!(kinds((10..50).map(|n| format!("AB1234{n}C"))), [Kind::NationalInsurance]);
        assert_eq!(kinds(["LS61AA", "LS61AB", "M11AE"]), [Kind::Postcode]);
        assert_eq!(kinds((1..50).map(|n| format!("{n} Mill Lane, Leeds"))), [Kind::Address]);
    }

    #[test]
    fn one_identifier_among_ordinary_values_is_found() {
        let notes = (0..500).map(|n| format!("seen on day {n} and sent home"));
        for (hidden, kind) in [
            ("her number is 943 476 5919, I think", Kind::NhsNumber),
            ("NHS:9434765919; seen today", Kind::NhsNumber),
            ("ref#9434765919", Kind::NhsNumber),
            ("nhs9434765919", Kind::NhsNumber),
            ("write to <mary@example.org>.", Kind::Email),
            ("ring (0117) 496 0123 after six", Kind::UkPhone),
            ("moved to LS6 1AA last year", Kind::Postcode),
            ("NI AB 12 34 56 C on file", Kind::NationalInsurance),
            ("paid by 4111 1111 1111 1111 in May", Kind::CardNumber),
            ("paid by 4111111111111111", Kind::CardNumber),
            ("from GB82 WEST 1234 5698 7654 32", Kind::Iban),
            ("192.0.2.17", Kind::IpAddress),
        ] {
            let values: Vec<String> = notes.clone().chain([hidden.to_owned()]).collect();
            assert_eq!(scan("c7", &values), [(kind, vec![500])], "{hidden}");
        }
        let ages: Vec<String> = (0..90).map(|age| age.to_string()).chain(["9434765919".to_owned()]).collect();
        assert_eq!(scan("c7", &ages), [(Kind::NhsNumber, vec![90])]);
    }

    #[test]
    fn three_of_three_passing_are_no_chance_and_one_of_one_may_be() {
        assert!(by_chance(3, 3, 1.0 / 11.0) < 1e-3);
        assert!(by_chance(1, 1, 1.0 / 11.0) > 0.05);
        assert_eq!(by_chance(9, 100, 1.0 / 11.0), 1.0);
    }
}
