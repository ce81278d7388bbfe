//! The chance that exactly so many people share a birthday: equation (1).
//!
//! p_q(N) = C(N−1, q−1) (1/D)^(q−1) (1 − 1/D)^(N−q), for days of unequal chances averaged over the person's own day.
//! The binomial is Loader's form ("Fast and accurate computation of binomial probabilities", 2000): Stirling's series
//! and deviances instead of factorials, so nothing overflows or cancels at any N.

use outward_error::{Error, Result};

use super::calendar::{Calendar, Resolution};

/// The chance that a person among `people` shares their birthday with exactly `sharing` − 1 of the others.
///
/// ```
/// use outward_risk::birthdays::{Calendar, sharing_probability};
/// let alone = sharing_probability(250, 1, &Calendar::default())?;
/// assert!((alone - 0.505).abs() < 0.001);
/// # Ok::<(), outward_risk::Error>(())
/// ```
pub fn sharing_probability(people: u64, sharing: u64, calendar: &Calendar) -> Result<f64> {
    if people == 0 {
        return Err(Error::input("a group needs at least one person").help("give a number of people from 1 up").into());
    }
    if sharing == 0 || sharing > people {
        return Err(Error::input("the number who share a birthday must be between 1 and the number of people")
            .help("1 asks for people alone on their birthday, 2 for pairs")
            .into());
    }
    let slots = calendar.slots(Resolution::Day)?;
    Ok(slots.mean(|chance| binomial(sharing - 1, people - 1, chance)))
}

/// Chance of `k` successes in `n` trials.
fn binomial(k: u64, n: u64, p: f64) -> f64 {
    let (successes, trials, failures) = (k as f64, n as f64, (n - k) as f64);
    if p >= 1.0 {
        return f64::from(u8::from(k == n));
    }
    if k == 0 {
        return (trials * (-p).ln_1p()).exp();
    }
    if k == n {
        return (trials * p.ln()).exp();
    }
    let exponent = stirling_rest(n)
        - stirling_rest(k)
        - stirling_rest(n - k)
        - deviance(successes, trials * p)
        - deviance(failures, trials * (1.0 - p));
    exponent.exp() * (trials / (std::f64::consts::TAU * successes * failures)).sqrt()
}

/// ln n! less Stirling's n ln n − n + ½ ln 2πn.
fn stirling_rest(n: u64) -> f64 {
    let x = n as f64;
    if n < 16 {
        let factorial: u64 = (1..=n).product();
        return (factorial as f64).ln() - x * x.ln() + x - 0.5 * (std::f64::consts::TAU * x).ln();
    }
    let square = x * x;
    (1.0 / 12.0 - (1.0 / 360.0 - (1.0 / 1260.0 - 1.0 / 1680.0 / square) / square) / square) / x
}

/// x ln(x/m) + m − x, without cancellation where x is near m.
fn deviance(x: f64, m: f64) -> f64 {
    let e = (x - m) / m;
    if e.abs() > 0.1 {
        return x * (x / m).ln() + m - x;
    }
    // (1 + e) ln(1 + e) − e = Σ_{i ≥ 2} (−e)^i / (i (i − 1)).
    let (mut sum, mut power) = (0.0, e * e);
    for i in 2..20 {
        sum += power / f64::from(i * (i - 1));
        power *= -e;
    }
    m * sum
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use proptest::prelude::*;

    fn day(people: u64, sharing: u64) -> f64 {
        sharing_probability(people, sharing, &Calendar::default()).unwrap()
    }

    #[test]
    fn half_of_250_people_and_one_in_a_thousand_of_2500_are_alone_on_their_birthday() {
        assert!((day(250, 1) - (364.0_f64 / 365.0).powi(249)).abs() < 1e-14);
        assert!((day(250, 1) - 0.5).abs() < 0.01);
        assert!((day(2_500, 1) - 0.001).abs() < 0.0001);
    }

    #[test]
    fn cells_of_20_and_1100_are_the_papers_95_and_5_per_cent() {
        assert!((day(20, 1) - 0.95).abs() < 0.002);
        assert!((day(1_100, 1) - 0.05).abs() < 0.002);
    }

    #[test]
    fn the_chance_is_right_for_millions_of_people() {
        // C(999999, 2739) (1/365)^2739 (364/365)^997260 in decimals of sixty digits.
        assert!((day(1_000_000, 2_740) / 0.007_632_289_545_370_087 - 1.0).abs() < 1e-11);
        assert!(day(1_000_000_000_000, 1) == 0.0);
        assert!((0.0..=1.0).contains(&day(1_000_000_000_000, 2_739_726_028)));
    }

    #[test]
    fn a_group_shares_at_least_with_one_and_at_most_with_all() {
        let calendar = Calendar::default();
        assert!(sharing_probability(0, 1, &calendar).is_err());
        assert!(sharing_probability(5, 0, &calendar).is_err());
        assert!(sharing_probability(5, 6, &calendar).is_err());
        assert_eq!(day(1, 1), 1.0);
        assert_eq!(sharing_probability(4, 4, &Calendar::even(1).unwrap()).unwrap(), 1.0);
    }

    proptest! {
        #[test]
        fn somebody_shares_with_some_number_of_people(people in 1_u64..400, days in 1_u32..500) {
            let calendar = Calendar::even(days).unwrap();
            let sum: f64 = (1..=people).map(|q| sharing_probability(people, q, &calendar).unwrap()).sum();
            prop_assert!((sum - 1.0).abs() < 1e-11);
        }
    }
}
