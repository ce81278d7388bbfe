//! Identifiers in a column of numbers.

use outward_profile::Kind;
use outward_profile::recognise::{is_card_number, is_mobile_without_zero, is_nhs_number, is_uk_phone};

use super::{by_chance, names_nhs};

/// Chances below this are negligible.
const NEGLIGIBLE_CHANCE: f64 = 1e-3;
/// Fewest different values from which a column is judged by shares.
const MIN_DISTINCT_VALUES: usize = 20;
/// A number of ten digits or more is suspicious among numbers of at most this many digits.
const FAR_SHORTER: usize = 7;

pub(super) fn scan(name: &str, values: &[String]) -> Vec<(Kind, Vec<usize>)> {
    let nhs = ShapedValues::count(values, |value| value.len() == 10, is_nhs_number);
    let card = ShapedValues::count(values, |value| (14..=16).contains(&value.len()), is_card_number);
    // Three in ten numbers of this shape begin like a telephone number.
    let phone =
        ShapedValues::count(values, |value| value.starts_with('0') && matches!(value.len(), 10 | 11), is_uk_phone);
    let mobile = ShapedValues::count(values, |_| true, is_mobile_without_zero);
    let mobiles = mobile.values.len() >= MIN_DISTINCT_VALUES && mobile.values.len() * 20 >= values.len() * 19;
    let judged = [
        (Kind::NhsNumber, nhs.beats(1.0 / 11.0) || nhs.stands_alone(values) || names_nhs(name), nhs),
        (Kind::CardNumber, card.beats(0.1) || card.stands_alone(values), card),
        (Kind::UkPhone, phone.beats(0.3) || phone.stands_alone(values), phone),
        (Kind::UkPhone, mobiles, mobile),
    ];
    judged
        .into_iter()
        .filter(|(_, alarm, passed)| *alarm && !passed.values.is_empty())
        .map(|(kind, _, passed)| (kind, passed.values))
        .collect()
}

/// How many values have the shape of a kind, and which of them pass its test.
struct ShapedValues {
    shaped: usize,
    values: Vec<usize>,
}

impl ShapedValues {
    fn count(values: &[String], shape: impl Fn(&str) -> bool, test: impl Fn(&str) -> bool) -> Self {
        let digits = |value: &str| value.bytes().all(|byte| byte.is_ascii_digit());
        let shaped: Vec<usize> =
            (0..values.len()).filter(|at| digits(values[*at].trim()) && shape(values[*at].trim())).collect();
        Self { shaped: shaped.len(), values: shaped.into_iter().filter(|at| test(&values[*at])).collect() }
    }

    /// Whether more pass than chance explains, if each passes with chance `p`.
    fn beats(&self, p: f64) -> bool {
        by_chance(self.values.len(), self.shaped, p) < NEGLIGIBLE_CHANCE
    }

    /// Whether one or two pass and everything else is far shorter.
    fn stands_alone(&self, values: &[String]) -> bool {
        let whole =
            |value: &String| value.trim_start_matches(['-', '+']).bytes().take_while(u8::is_ascii_digit).count();
        let short = values.iter().filter(|value| whole(value) <= FAR_SHORTER).count();
        self.values.len() == self.shaped
            && self.shaped <= 2
            && short >= MIN_DISTINCT_VALUES
            && short + self.shaped == values.len()
    }
}
