//! Two files, the second a part of the first: the matches to discard because they are not certain.
//!
//! Each person of the first file, the master, is in the second with chance φ, independently of the others. A person of
//! the second is matched with certainty only if they are alone with their identifier in the master. "Discarded" can be
//! counted in two ways. The paper does not say which it means, so both are given. With U the share alone in the master
//! and V = Σ_k q_k (1 − φ q_k)^(n−1) the share of the second file's people alone in the second file:
//!
//! - people of the second file who are not alone in the master: 1 − U, for any φ;
//! - records of the master that are candidates without being certain, per person of the second file. These are groups
//!   of s ≥ 2 with anybody in the second: Σ_s p_s (1 − (1 − φ)^s)/φ = (1 − (1 − φ) V)/φ − U.

use outward_error::Result;
use schemars::JsonSchema;
use serde::Serialize;

use super::age_sex::AgeSexTable;
use super::check_share;
use super::locality::{Expected, KnownDetails};

/// The outcome of matching in one place, or in all.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Overlap {
    /// The place.
    pub place: String,
    /// People in the master file.
    pub people: f64,
    /// Expected people in the second file.
    pub second: f64,
    /// Share of the second file's people who are matched with certainty.
    pub certain: f64,
    /// Share of the second file's people who are not alone in the master and are discarded.
    pub discarded: f64,
    /// Uncertain candidates in the master, per person of the second file.
    pub uncertain_candidates: f64,
    /// Share of the second file's people who are alone in it.
    pub alone_in_second: f64,
    /// Share of the second file's people who are alone in it but not in the master: in the second file alone they look
    /// unique.
    pub falsely_alone: f64,
}

/// The overlap for every place and for all people.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct OverlapReport {
    /// Share of the population that is in the second file.
    pub share_in_second: f64,
    /// All people, each within their place.
    pub overall: Overlap,
    /// The places, in the order of the table.
    pub places: Vec<Overlap>,
}

/// The outcome of matching a second file that holds a share of the population with one that holds all of it.
pub fn overlap(table: &AgeSexTable, share_in_second: f64, known: &KnownDetails) -> Result<OverlapReport> {
    check_share(share_in_second, "the share of the population in the second file")?;
    let mut expected =
        Expected::new(table, known, |slots, people| vec![slots.unique(people), slots.apart(people, share_in_second)])?;
    let mut overall = [0.0; 2];
    let mut places = Vec::with_capacity(table.place_cells().len());
    for place in table.place_cells() {
        let totals = expected.of_place(place, 2)?;
        overall.iter_mut().zip(&totals).for_each(|(sum, total)| *sum += total);
        places.push(Overlap::new(place.name.clone(), place.people(), share_in_second, &totals));
    }
    let overall = Overlap::new("all places".to_owned(), table.people(), share_in_second, &overall);
    Ok(OverlapReport { share_in_second, overall, places })
}

impl Overlap {
    fn new(place: String, people: f64, in_second: f64, alone: &[f64]) -> Self {
        let (certain, alone_in_second) = (alone[0] / people, alone[1] / people);
        Self {
            place,
            people,
            second: people * in_second,
            certain,
            discarded: 1.0 - certain,
            uncertain_candidates: ((1.0 - (1.0 - in_second) * alone_in_second) / in_second - certain).max(0.0),
            alone_in_second,
            falsely_alone: (alone_in_second - certain).max(0.0),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::birthdays::{AgeCurve, AgeSexRow, AgeSexTable, Band, Calendar, OpenBand, Profile};

    #[test]
    fn three_people_on_two_days_by_hand() {
        // Of 8 ways, 2 put all on one day and 6 leave one alone: a share of 6/8 · 1/3 = 1/4 is alone. Half in the
        // second: a person is alone there if each other is elsewhere or absent, (3/4)² = 9/16.
        let row = AgeSexRow { place: "a", sex: "f", age: 1, band: Band::Years(1), people: 3.0 };
        let table = AgeSexTable::from_rows([row], OpenBand::OneYear).unwrap();
        let known = KnownDetails { calendar: Calendar::even(2).unwrap(), ..KnownDetails::default() };
        let found = overlap(&table, 0.5, &known).unwrap().overall;
        assert!((found.certain - 0.25).abs() < 1e-14);
        assert!((found.alone_in_second - 0.5625).abs() < 1e-14);
        // Pairs (share 1/2) come up 3/4 of the time, threes (share 1/4) 7/8: (3/8 + 7/32) / 0.5 = 1.1875.
        assert!((found.uncertain_candidates - 1.1875).abs() < 1e-14);
    }

    #[test]
    fn with_everybody_in_both_files_the_two_ways_of_counting_agree() {
        let place = Profile::generic(AgeCurve::Ageing).place(9_000).unwrap();
        let found = overlap(&place, 1.0, &KnownDetails::default()).unwrap().overall;
        assert!((found.discarded - found.uncertain_candidates).abs() < 1e-12);
        assert!(found.falsely_alone < 1e-12);
    }

    #[test]
    fn a_share_outside_nought_to_one_is_refused() {
        let place = Profile::generic(AgeCurve::Even).place(9_000).unwrap();
        for share in [0.0, -0.5, 1.01, f64::NAN] {
            assert!(overlap(&place, share, &KnownDetails::default()).is_err());
        }
    }
}
