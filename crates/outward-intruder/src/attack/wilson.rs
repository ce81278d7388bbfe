//! Wilson's interval for a share (Wilson 1927): centre (s + z²/2)/(n + z²), half width z/(n + z²) · √(s(n − s)/n + z²/4).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The normal quantile of a two-sided 95 % interval.
const Z: f64 = 1.959_963_984_540_054;

/// A share with its 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Interval {
    /// The share; 0 without trials.
    pub value: f64,
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl Interval {
    /// The share of `successes` among `trials`. Without trials the interval is from 0 to 1.
    #[must_use]
    pub fn of_share(successes: u64, trials: u64) -> Self {
        if trials == 0 {
            return Self { value: 0.0, low: 0.0, high: 1.0 };
        }
        let (s, n, square) = (successes as f64, trials as f64, Z * Z);
        let centre = (s + square / 2.0) / (n + square);
        let half = Z / (n + square) * (s * (n - s) / n + square / 4.0).sqrt();
        // Here the ends are exactly 0 and 1, without rounding errors.
        let low = if successes == 0 { 0.0 } else { centre - half };
        let high = if successes == trials { 1.0 } else { centre + half };
        Self { value: s / n, low, high }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(interval: Interval, low: f64, high: f64) {
        assert!((interval.low - low).abs() < 5e-5 && (interval.high - high).abs() < 5e-5, "{interval:?}");
    }

    #[test]
    fn intervals_are_those_of_newcombe() {
        // Newcombe 1998, table I, method 3 (Wilson's score without a correction for continuity).
        near(Interval::of_share(81, 263), 0.2553, 0.3662);
        near(Interval::of_share(15, 148), 0.0624, 0.1605);
        near(Interval::of_share(0, 20), 0.0, 0.1611);
        near(Interval::of_share(1, 29), 0.0061, 0.1718);
    }

    #[test]
    fn of_no_claims_nothing_is_known() {
        assert_eq!(Interval::of_share(0, 0), Interval { value: 0.0, low: 0.0, high: 1.0 });
        assert_eq!(Interval::of_share(7, 7).high, 1.0);
    }
}
