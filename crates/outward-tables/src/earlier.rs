//! Tables of earlier releases. They are more tables of the one model (`docs/methods/attacker.md`). Their cells are
//! already public or hidden, and this cannot change.

use outward_spec::{Error, Protection, ProtectionMethod, Result};
use serde::{Deserialize, Serialize};

use crate::family::value_of;
use crate::make::CountedTable;
use crate::protect::{possible, shown};
use crate::table::{Figure, Published};

/// What an earlier release shows of the cells of a table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Earlier {
    /// The release.
    pub release: String,
    /// What it shows of each cell.
    pub told: Vec<EarlierFigure>,
}

/// What a published figure shows of the true value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EarlierFigure {
    /// The value itself.
    Shown,
    /// Nothing: the cell is hidden.
    Hidden,
    /// An interval that contains the value, both ends included: the cell is rounded or perturbed.
    Between(i64, i64),
}

/// Most multiples by which a controlled rounding may go beyond its neighbours. Beyond this the release is of other
/// data.
const MAX_ROUNDING_STEPS: u32 = 10;

/// Largest noise that is accepted. Beyond this the release is of other data.
const MAX_NOISE: u64 = 1_000;

impl Earlier {
    /// Compares the figures of an earlier release with the same table counted again from the data at hand.
    ///
    /// # Errors
    /// If the two do not agree: the data have changed since, or it is another table.
    pub fn compare(release: &str, made: &CountedTable, published: &Published, protection: &Protection) -> Result<Self> {
        let table = &made.table;
        let differs = |what: &str| {
            Error::input(format!("table `{}` {what}", table.name)).help(
                "the data, a hierarchy or the table has changed since: give the data of that release, or leave the release out of `earlier` \
                 if it counts other records",
            )
        };
        let labels = |table: &crate::table::Table| -> Vec<Vec<String>> {
            let of =
                |dimension: &crate::table::Dimension| dimension.nodes.iter().map(|node| node.label.clone()).collect();
            table.dimensions.iter().map(of).collect()
        };
        if labels(table) != labels(&published.table) {
            return Err(differs("has other rows or columns now than in the earlier release").into());
        }
        let changed = || differs("has other figures now than in the earlier release");
        let told = match protection.method {
            ProtectionMethod::None | ProtectionMethod::Suppress => {
                let now = shown(table);
                let told = |(now, then): (&Figure, &Figure)| match then {
                    Figure::Hidden => Some(EarlierFigure::Hidden),
                    then => (now == then).then_some(EarlierFigure::Shown),
                };
                now.iter().zip(&published.figures).map(told).collect::<Option<Vec<_>>>().ok_or_else(changed)?
            }
            ProtectionMethod::Round => {
                let within = |steps: u32| {
                    let told = |(cell, figure): (usize, &Figure)| {
                        let (least, most) = possible(*figure, protection, steps);
                        (least..=most).contains(&value_of(table, cell)).then_some(EarlierFigure::Between(least, most))
                    };
                    published.figures.iter().enumerate().map(told).collect::<Option<Vec<_>>>()
                };
                (0..=MAX_ROUNDING_STEPS).find_map(within).ok_or_else(changed)?
            }
            ProtectionMethod::CellKey => {
                let apart = |(cell, figure): (usize, &Figure)| match figure {
                    Figure::Shown(value) => value.abs_diff(value_of(table, cell)),
                    _ => 0,
                };
                // A p-table of the user's own is not in the bundle. The largest noise seen is then taken as the bound.
                // An attacker who knows this bound knows more, so this is strict.
                let largest = published.figures.iter().enumerate().map(apart).max().unwrap_or_default();
                let noise = if protection.p_table.is_some() { largest.min(MAX_NOISE) } else { protection.noise.into() };
                let told = |(cell, figure): (usize, &Figure)| {
                    let Figure::Shown(value) = figure else { return None };
                    let (least, most) = perturbed(*value, noise as i64);
                    (least..=most).contains(&value_of(table, cell)).then_some(EarlierFigure::Between(least, most))
                };
                published.figures.iter().enumerate().map(told).collect::<Option<Vec<_>>>().ok_or_else(changed)?
            }
        };
        Ok(Self { release: release.to_owned(), told })
    }

    /// Whether this follows from the figures of an earlier release and its method of protection. The gate uses this, as
    /// it does not have the data.
    pub fn follows_from(&self, published: &Published, protection: &Protection) -> bool {
        let all = |of: &dyn Fn(Figure) -> EarlierFigure| {
            let figures = published.figures.iter().zip(&self.told);
            self.told.len() == published.figures.len() && { figures }.all(|(figure, told)| of(*figure) == *told)
        };
        let interval = |(least, most)| EarlierFigure::Between(least, most);
        match protection.method {
            ProtectionMethod::None | ProtectionMethod::Suppress => {
                all(&|figure| if figure == Figure::Hidden { EarlierFigure::Hidden } else { EarlierFigure::Shown })
            }
            ProtectionMethod::Round => {
                (0..=MAX_ROUNDING_STEPS).any(|steps| all(&|figure| interval(possible(figure, protection, steps))))
            }
            ProtectionMethod::CellKey => {
                let by_noise = |noise: u64| {
                    all(&|figure| match figure {
                        Figure::Shown(value) => interval(perturbed(value, noise as i64)),
                        _ => EarlierFigure::Hidden,
                    })
                };
                match protection.p_table {
                    None => by_noise(protection.noise.into()),
                    Some(_) => (0..=MAX_NOISE).any(by_noise),
                }
            }
        }
    }
}

/// The true counts that a perturbed count can have: the noise is at most as large as the release says, and an empty
/// cell stays empty.
fn perturbed(value: i64, noise: i64) -> (i64, i64) {
    (value.saturating_sub(noise).max(i64::from(value > 0)), value.saturating_add(noise))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_perturbed_count_is_within_its_noise_and_above_zero_where_it_shows_anyone() {
        assert_eq!(perturbed(10, 3), (7, 13));
        assert_eq!(perturbed(2, 3), (1, 5));
        assert_eq!(perturbed(0, 3), (0, 3));
    }
}
