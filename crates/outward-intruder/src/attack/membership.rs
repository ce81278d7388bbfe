//! The chance that a person whom n records fit is in the release at all, for an intruder without response knowledge.
//!
//! A claim on one of n records is right with probability P(n) = Σ I(f = n) / Σ F I(f = n), over the classes of the
//! population with f of F people in the release. The number of people outside is estimated by removing records: a
//! record removed from a class of n + 1 leaves a class of n and a person outside. With sₙ classes of size n and the
//! sampling fraction π this gives
//!
//! P(n) = π sₙ / (π n sₙ + (1 − π)(n + 1) sₙ₊₁),
//!
//! which for n = 1 is the measure DIS of Skinner and Elliot (2002). The person is in the release with chance n P(n). If
//! there are too few classes of a size for the estimate, the chance is π.

use super::join::{Cells, Keys};
use super::people::Released;

/// Fewest classes of a size to estimate from.
const FEWEST_CLASSES: u64 = 20;

/// The chance of being in a release, by the number of records that fit.
#[derive(Debug, Clone)]
pub(super) struct Membership {
    fraction: f64,
    /// How many classes there are of each size, from 0. Empty if only the fraction is used.
    classes: Vec<u64>,
}

impl Membership {
    /// Everyone looked for is in the release.
    pub(super) fn certain() -> Self {
        Self { fraction: 1.0, classes: Vec::new() }
    }

    /// People are in the release with this chance, however many records fit them.
    pub(super) fn by_fraction(fraction: f64) -> Self {
        Self { fraction, classes: Vec::new() }
    }

    /// People are in the release with a chance that follows from its classes on some variables.
    pub(super) fn from_classes(release: &Released, variables: &[&str], fraction: f64) -> Self {
        let columns = variables.iter().filter_map(|name| release.column(name)).map(|column| column.codes.as_slice());
        let keys = Keys { columns: columns.collect(), rows: release.present.len() };
        let mut classes = Vec::new();
        for count in Cells::new(&keys, |row| release.present[row]).counts {
            let size = usize::try_from(count).unwrap_or(usize::MAX);
            // Large classes are too few for the estimate.
            if size < 10_000 {
                classes.resize(classes.len().max(size + 1), 0);
                classes[size] += 1;
            }
        }
        Self { fraction, classes }
    }

    /// The chance that a person whom so many records fit is in the release.
    pub(super) fn chance(&self, fitting: u64) -> f64 {
        let of_size =
            |size: u64| usize::try_from(size).ok().and_then(|size| self.classes.get(size)).copied().unwrap_or(0);
        let (own, next) = (of_size(fitting), of_size(fitting + 1));
        if self.fraction >= 1.0 || own < FEWEST_CLASSES {
            return self.fraction;
        }
        let inside = self.fraction * (fitting * own) as f64;
        inside / (inside + (1.0 - self.fraction) * ((fitting + 1) * next) as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixtures::column;
    use super::*;

    fn release(sizes: &[usize]) -> Released {
        let values = sizes.iter().enumerate().flat_map(|(class, size)| vec![class.to_string(); *size]);
        let columns = vec![column("key", values)];
        let rows: usize = sizes.iter().sum();
        Released { name: "r".to_owned(), order: (0..rows as u32).collect(), present: vec![true; rows], columns }
    }

    #[test]
    fn a_unique_match_is_right_with_the_chance_of_skinner_and_elliot() {
        // 60 uniques and 20 pairs in a sample of a tenth: 0.1 · 60 / (0.1 · 60 + 0.9 · 2 · 20) = 6/42.
        let sizes = [vec![1; 60], vec![2; 20], vec![7; 3]].concat();
        let membership = Membership::from_classes(&release(&sizes), &["key"], 0.1);
        assert!((membership.chance(1) - 6.0 / 42.0).abs() < 1e-12);
        // 20 pairs and no class of three: no person outside is estimated. Three classes of seven are too few.
        assert_eq!((membership.chance(2), membership.chance(7), membership.chance(9)), (1.0, 0.1, 0.1));
    }

    #[test]
    fn in_a_release_of_everybody_each_is_in_it() {
        assert_eq!(Membership::from_classes(&release(&[1; 40]), &["key"], 1.0).chance(1), 1.0);
        assert_eq!((Membership::certain().chance(1), Membership::by_fraction(0.25).chance(4)), (1.0, 0.25));
    }
}
