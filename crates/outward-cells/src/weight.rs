//! Exact sums of weights.
//!
//! Weights are summed as fixed-point integers with 64 bits behind the point. Addition of integers is associative;
//! addition of `f64` is not. So a sum does not depend on the order in which threads read the records. A weight of 2⁻¹¹
//! or more is held without any rounding.

/// Bits behind the point.
const FRACTION: i32 = 64;

/// The largest weight a record may have, 2³⁰. With 64 bits behind the point, 2³³ records of such a weight fit 127 bits.
pub(crate) const LARGEST_WEIGHT: f64 = 1_073_741_824.0;

/// A weight or a sum of weights.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct WeightSum(i128);

impl WeightSum {
    /// A record's weight; `None` if it is not a number above 0 and at most [`LARGEST_WEIGHT`].
    pub(crate) fn from_weight(weight: f64) -> Option<Self> {
        (weight > 0.0 && weight <= LARGEST_WEIGHT).then(|| Self((weight * 2f64.powi(FRACTION)) as i128))
    }

    /// Adds a weight. Sums saturate beyond what a real file can reach.
    pub(crate) fn add(&mut self, other: Self) {
        self.0 = self.0.saturating_add(other.0);
    }

    /// The sum as a number, correctly rounded.
    pub(crate) fn value(self) -> f64 {
        self.0 as f64 * 2f64.powi(-FRACTION)
    }
}
