//! The shape of a population by age and sex, without its size, for places without a table of their own.

use outward_error::{Error, Result};
use schemars::JsonSchema;
use serde::Serialize;

use super::age_sex::{AgeSexCell, AgeSexTable};

/// A generic population.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AgeCurve {
    /// As many people in each of a hundred years of age and two sexes: cells of half a per cent. The figures of the
    /// paper's conclusion follow from it: 20, 1,100 and 2,500 in a cell are 4,000, 220,000 and 500,000 in a place.
    #[default]
    Even,
    /// A growing population that ages and dies. Births grow by 1 % a year. Mortality follows Gompertz's law with a modal
    /// age at death of 85 and a slope of 0.1 a year. Its largest cell is just under the paper's 1 %.
    Ageing,
}

impl AgeCurve {
    /// The share of all people in each year of age, both sexes together.
    fn ages(self) -> Vec<f64> {
        const GROWTH: f64 = 0.01;
        const SLOPE: f64 = 0.1;
        const MODE: f64 = 85.0;
        match self {
            Self::Even => vec![0.01; 100],
            Self::Ageing => {
                // Lotka's stable population, c(x) ∝ e^(−rx) l(x), with l(x) = exp(−e^(−bM) (e^(bx) − 1)), at mid-year.
                let survivors = |age: f64| (-(-SLOPE * MODE).exp() * ((SLOPE * age).exp() - 1.0)).exp();
                let sizes: Vec<f64> = (0..=110)
                    .map(|year| f64::from(year) + 0.5)
                    .map(|age| (-GROWTH * age).exp() * survivors(age))
                    .collect();
                let total: f64 = sizes.iter().sum();
                sizes.iter().map(|size| size / total).collect()
            }
        }
    }
}

/// The shares of a population in its cells of age and sex.
#[derive(Debug, Clone, PartialEq)]
pub struct Profile {
    /// One place of one person in all.
    shares: AgeSexTable,
}

impl Profile {
    /// A generic population, half of it of either sex.
    pub fn generic(curve: AgeCurve) -> Self {
        let cells = (0..2).flat_map(|sex| {
            (0..).zip(curve.ages()).map(move |(age, share)| AgeSexCell { sex, age, spread: 0, people: share / 2.0 })
        });
        Self { shares: AgeSexTable::single_years("generic", cells.collect()) }
    }

    /// The population of a table, all its places together.
    pub fn from_table(table: &AgeSexTable) -> Self {
        let people = table.people();
        let cells = table.together().into_iter().map(|cell| AgeSexCell { people: cell.people / people, ..cell });
        Self { shares: AgeSexTable::of_cells("all places".to_owned(), cells.collect(), table) }
    }

    /// A place of so many people with this shape. A cell then has an expected number of people, which need not be whole.
    pub fn place(&self, people: u64) -> Result<AgeSexTable> {
        if people == 0 {
            return Err(Error::input("a place needs at least one person")
                .help("give a number of people from 1 up")
                .into());
        }
        let cells = self.shares.together().into_iter();
        let cells = cells.map(|cell| AgeSexCell { people: cell.people * people as f64, ..cell }).collect();
        Ok(AgeSexTable::of_cells(format!("{people} people"), cells, &self.shares))
    }

    /// The largest share of the people in one cell.
    pub fn largest_cell_share(&self) -> f64 {
        self.shares.largest_cell_share()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn no_generic_cell_holds_more_than_one_per_cent() {
        assert!((Profile::generic(AgeCurve::Even).largest_cell_share() - 0.005).abs() < 1e-12);
        let ageing = Profile::generic(AgeCurve::Ageing).largest_cell_share();
        assert!((0.009..0.01).contains(&ageing), "{ageing}");
    }

    #[test]
    fn a_place_has_all_the_people_asked_for() {
        for curve in [AgeCurve::Even, AgeCurve::Ageing] {
            assert!((Profile::generic(curve).place(4_000).unwrap().people() - 4_000.0).abs() < 1e-6);
            assert!(Profile::generic(curve).place(0).is_err());
        }
    }
}
