//! Expected shares of people alone with their date of birth and sex in a place, or sharing them: equation (3).
//!
//! In a cell of n people of one age and sex the expected share alone is Σ_k q_k (1 − q_k)^(n−1) over the slots of the
//! year. Over cells and places, shares are averaged over people (METHODS III). The expected number of people in a cell
//! may not be whole. 20.4, say, is taken as 20 in three places of five and as 21 in two, so that shares remain shares.

use std::collections::HashMap;

use outward_error::{Error, Result};
use schemars::JsonSchema;
use serde::Serialize;

use super::age_curve::Profile;
use super::age_sex::{AgeSexPlace, AgeSexTable};
use super::calendar::{Calendar, Resolution};
use super::slots::Slots;

/// What is known of a person besides the place and the year of birth.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct KnownDetails {
    /// How likely each birthday is.
    pub calendar: Calendar,
    /// How much of the date of birth is known.
    pub resolution: Resolution,
    /// Whether the sex is known.
    pub sex_known: bool,
}

impl Default for KnownDetails {
    /// Date of birth and sex, on 365 equally likely days.
    fn default() -> Self {
        Self { calendar: Calendar::default(), resolution: Resolution::Day, sex_known: true }
    }
}

impl KnownDetails {
    /// The same at another resolution.
    #[must_use]
    pub fn at(&self, resolution: Resolution) -> Self {
        Self { resolution, ..self.clone() }
    }
}

/// How the people of one place, or of all, share their identifiers.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct PlaceSharing {
    /// The place.
    pub place: String,
    /// People in it.
    pub people: f64,
    /// Expected number of people alone with their identifier.
    pub unique_people: f64,
    /// Expected share of people alone with it.
    pub unique: f64,
    /// Expected shares of people who are alone, in pairs, in threes …
    pub shared_by: Vec<f64>,
    /// Expected share of people in groups larger than those.
    pub shared_by_more: f64,
}

/// The answer for every place and for all people.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct LocalitySharing {
    /// How much of the date of birth is known.
    pub resolution: Resolution,
    /// Whether the sex is known.
    pub sex_known: bool,
    /// All people, each within their place.
    pub overall: PlaceSharing,
    /// The places, in the order of the table.
    pub places: Vec<PlaceSharing>,
}

/// Expected shares per place and overall, with groups up to `largest_group` told apart.
///
/// ```
/// use outward_risk::birthdays::{AgeCurve, KnownDetails, Profile, locality};
/// let place = Profile::generic(AgeCurve::Even).place(4_000)?;
/// let sharing = locality(&place, &KnownDetails::default(), 3)?;
/// assert!((sharing.overall.unique - 0.95).abs() < 0.005);
/// # Ok::<(), outward_risk::Error>(())
/// ```
pub fn locality(table: &AgeSexTable, known: &KnownDetails, largest_group: usize) -> Result<LocalitySharing> {
    if !(1..=1_000).contains(&largest_group) {
        return Err(Error::input("the largest group counted separately must be between 1 and 1000").into());
    }
    let mut expected = Expected::new(table, known, |slots, people| slots.shares(people, largest_group))?;
    let mut overall = vec![0.0; largest_group];
    let mut places = Vec::with_capacity(table.place_cells().len());
    for place in table.place_cells() {
        let totals = expected.of_place(place, largest_group)?;
        overall.iter_mut().zip(&totals).for_each(|(sum, total)| *sum += total);
        places.push(PlaceSharing::new(place.name.clone(), place.people(), totals));
    }
    Ok(LocalitySharing {
        resolution: known.resolution,
        sex_known: known.sex_known,
        overall: PlaceSharing::new("all places".to_owned(), table.people(), overall),
        places,
    })
}

/// Expected shares for places of several sizes and one shape: the predicted lines of the paper's Figures 4 and 5.
pub fn size_curve(
    profile: &Profile,
    sizes: &[u64],
    known: &KnownDetails,
    largest_group: usize,
) -> Result<Vec<PlaceSharing>> {
    sizes.iter().map(|people| Ok(locality(&profile.place(*people)?, known, largest_group)?.overall)).collect()
}

impl PlaceSharing {
    /// From the expected numbers of people in groups of one, two, three …
    pub(super) fn new(place: String, people: f64, totals: Vec<f64>) -> Self {
        let shared_by: Vec<f64> = totals.iter().map(|total| total / people).collect();
        let unique_people = totals.first().copied().unwrap_or(0.0);
        let shared_by_more = (1.0 - shared_by.iter().sum::<f64>()).max(0.0);
        Self { place, people, unique_people, unique: unique_people / people, shared_by, shared_by_more }
    }
}

/// Sums figures of a cell over the cells of places. Cells of one size and band recur, so each is worked out once.
pub(super) struct Expected<F> {
    slots: Vec<Slots>,
    sex_known: bool,
    of_cell: F,
    worked_out: HashMap<(usize, u64), Vec<f64>>,
}

impl<F: Fn(&Slots, u64) -> Vec<f64>> Expected<F> {
    /// `of_cell` gives shares of the people of a cell, from its slots and its size.
    pub(super) fn new(table: &AgeSexTable, known: &KnownDetails, of_cell: F) -> Result<Self> {
        let year = known.calendar.slots(known.resolution)?;
        let slots = table.spreads().iter().map(|years| year.over(years)).collect();
        Ok(Self { slots, sex_known: known.sex_known, of_cell, worked_out: HashMap::new() })
    }

    /// Expected numbers of people in a place, for each of `figures` shares.
    pub(super) fn of_place(&mut self, place: &AgeSexPlace, figures: usize) -> Result<Vec<f64>> {
        let mut totals = vec![0.0; figures];
        for cell in place.told_apart(self.sex_known)? {
            let (whole, part) = (cell.people.floor(), cell.people.fract());
            for (size, weight) in [(whole, 1.0 - part), (whole + 1.0, part)] {
                if size > 0.0 && weight > 0.0 {
                    let shares = self.of_size(cell.spread, size as u64);
                    totals.iter_mut().zip(shares).for_each(|(total, share)| *total += weight * size * share);
                }
            }
        }
        Ok(totals)
    }

    fn of_size(&mut self, spread: usize, people: u64) -> &[f64] {
        let (slots, of_cell) = (&self.slots[spread], &self.of_cell);
        self.worked_out.entry((spread, people)).or_insert_with(|| of_cell(slots, people))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::birthdays::{AgeCurve, AgeSexRow, Band, OpenBand};

    fn table(rows: &[(&str, &str, u32, Band, f64)], open: OpenBand) -> AgeSexTable {
        let rows = rows.iter().map(|(place, sex, age, band, people)| AgeSexRow {
            place,
            sex,
            age: *age,
            band: *band,
            people: *people,
        });
        AgeSexTable::from_rows(rows, open).unwrap()
    }

    fn unique(table: &AgeSexTable, known: &KnownDetails) -> f64 {
        locality(table, known, 1).unwrap().overall.unique
    }

    #[test]
    fn two_places_are_averaged_over_their_people() {
        let year = Band::Years(1);
        let table = table(&[("a", "f", 30, year, 2.0), ("b", "f", 30, year, 100.0)], OpenBand::OneYear);
        let sharing = locality(&table, &KnownDetails::default(), 4).unwrap();
        let (a, b) = (364.0 / 365.0, (364.0_f64 / 365.0).powi(99));
        assert!((sharing.places[0].unique - a).abs() < 1e-14 && (sharing.places[1].unique - b).abs() < 1e-14);
        assert!((sharing.overall.unique_people - (2.0 * a + 100.0 * b)).abs() < 1e-10);
        assert!((sharing.places[0].shared_by[1] - 1.0 / 365.0).abs() < 1e-14);
    }

    #[test]
    fn shares_of_a_place_sum_to_one() {
        let place = Profile::generic(AgeCurve::Ageing).place(30_000).unwrap();
        for resolution in Resolution::ALL {
            let sharing = locality(&place, &KnownDetails::default().at(resolution), 1_000).unwrap().overall;
            assert!((sharing.shared_by.iter().sum::<f64>() - 1.0).abs() < 1e-9, "{resolution:?}");
        }
    }

    #[test]
    fn a_coarser_date_and_an_unknown_sex_hide_people() {
        let place = Profile::generic(AgeCurve::Even).place(4_000).unwrap();
        let shares: Vec<f64> =
            Resolution::ALL.iter().map(|resolution| unique(&place, &KnownDetails::default().at(*resolution))).collect();
        assert!(shares.windows(2).all(|pair| pair[0] > pair[1]), "{shares:?}");
        assert_eq!(shares[4], 0.0);
        let no_sex = KnownDetails { sex_known: false, ..KnownDetails::default() };
        assert!((unique(&place, &no_sex) - (364.0_f64 / 365.0).powi(39)).abs() < 1e-9);
    }

    #[test]
    fn a_five_year_band_has_five_times_the_days() {
        let table = table(&[("a", "f", 30, Band::Years(5), 100.0)], OpenBand::OneYear);
        assert!((unique(&table, &KnownDetails::default()) - (1824.0_f64 / 1825.0).powi(99)).abs() < 1e-12);
    }

    #[test]
    fn the_open_band_matters() {
        let rows = [("a", "f", 90, Band::Open, 60.0)];
        let of = |open| unique(&table(&rows, open), &KnownDetails::default());
        let (one, falling, even) = (of(OpenBand::OneYear), of(OpenBand::default()), of(OpenBand::Even { years: 20 }));
        assert!((one - 0.8506).abs() < 1e-4 && (falling - 0.9774).abs() < 1e-3 && (even - 0.9919).abs() < 1e-3);
    }

    #[test]
    fn sexes_in_different_bands_cannot_be_pooled() {
        let rows = [("a", "f", 30, Band::Years(5), 9.0), ("a", "m", 30, Band::Years(1), 9.0)];
        let known = KnownDetails { sex_known: false, ..KnownDetails::default() };
        assert!(locality(&table(&rows, OpenBand::OneYear), &known, 1).is_err());
    }

    #[test]
    fn groups_of_nought_are_refused() {
        let place = Profile::generic(AgeCurve::Even).place(10).unwrap();
        assert!(locality(&place, &KnownDetails::default(), 0).is_err());
    }
}
