//! Noise for magnitudes: a share of the largest contributions that grows for small cells.
//!
//! The noise of a sum is `Σ_j x_j ε_j m(x_j) v_j` over its largest contributions. `m` is the flex function: about
//! `large` for large contributions and rising towards `small` as they fall to the point `f` (Enderle, Giessing and
//! Tent 2020).

use super::{CellKey, PTable};

/// How the share of a contribution that is noise depends on its size.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Flex {
    /// The share at the point where small contributions begin.
    pub small: f64,
    /// The share of large contributions.
    pub large: f64,
    /// The point where small contributions begin, above 0.
    pub point: f64,
    /// How fast the share falls; above 1.
    pub power: f64,
}

impl Flex {
    /// `m(x) = l (1 + ((s x − l f) / (l f)) (2 f / (f + x))^q)` for `x` above `f`, and the share `s` below it.
    pub fn share(&self, contribution: f64) -> f64 {
        let size = contribution.abs();
        if size <= self.point {
            return self.small;
        }
        let (scale, point) = (self.large * self.point, self.point);
        self.large * (1.0 + ((self.small * size - scale) / scale) * (2.0 * point / (point + size)).powf(self.power))
    }
}

impl PTable {
    /// The noise that is added to a sum. Each of its largest contributions, the largest first, is multiplied by three
    /// factors. They are the weight of its rank, its share by size, and a noise of the last row. The cell key draws the
    /// noise and is rotated once more for each contribution.
    pub fn magnitude(&self, largest: &[f64], weights: &[f64], flex: &Flex, key: CellKey) -> f64 {
        let Some(row) = self.rows().last() else { return 0.0 };
        let terms = largest.iter().zip(weights).zip(0u32..).map(|((contribution, weight), place)| {
            contribution.abs() * weight * flex.share(*contribution) * row.draw(key.turned(place)) as f64
        });
        terms.sum()
    }
}
