//! Compares dates of birth that are known with what their years of birth and sexes predict.
//!
//! The paper's Figures 4 and 5. The prediction knows only how many people of each sex and year of birth a place has.

use std::collections::{BTreeMap, HashMap};

use outward_error::{Error, Result};
use schemars::JsonSchema;
use serde::Serialize;

use super::calendar::BirthDate;
use super::distribution::variance_of_unique;
use super::locality::{KnownDetails, PlaceSharing};
use super::slots::Slots;

/// Groups told apart: alone, in pairs, threes and fours, as in the paper's Figure 5.
const GROUPS: usize = 4;
/// If a place is this many standard errors below its prediction, birthdays cluster there or its dates are wrong.
const STANDARD_ERRORS_BELOW: f64 = 3.0;

/// People of one place, sex and date of birth.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DatedCell<'a> {
    /// The place.
    pub place: &'a str,
    /// The sex.
    pub sex: &'a str,
    /// The date of birth.
    pub born: BirthDate,
    /// People.
    pub people: u64,
}

/// One place: what is and what was predicted.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct PlacePrediction {
    /// What is.
    pub actual: PlaceSharing,
    /// What was predicted.
    pub predicted: PlaceSharing,
    /// Standard error of the share alone, under the prediction.
    pub standard_error: f64,
}

/// The prediction against the fact, over places.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Prediction {
    /// The places, in the order in which they first occur.
    pub places: Vec<PlacePrediction>,
    /// All people, each within their place.
    pub overall: PlacePrediction,
    /// Mean over places of the difference between actual and predicted share alone, without its sign.
    pub mean_absolute_difference: f64,
    /// Correlation over places of the actual and the predicted share; absent if it does not exist.
    pub correlation: Option<f64>,
    /// Places with fewer unique people than predicted.
    pub below: u64,
    /// Those more than three standard errors below.
    pub far_below: Vec<String>,
}

/// Compares the people of a file with the prediction from their years of birth and sexes.
pub fn compare(cells: &[DatedCell<'_>], known: &KnownDetails) -> Result<Prediction> {
    let mut names = NumberedNames::default();
    let counts = IdentifierCounts::from_cells(cells, known, &mut names);
    predict(&counts, &names, known)
}

pub(super) fn predict(counts: &IdentifierCounts, names: &NumberedNames, known: &KnownDetails) -> Result<Prediction> {
    let mut year = YearOfBirth::new(known.calendar.slots(known.resolution)?);
    let mut sums = vec![PredictionSums::default(); names.places.len()];
    for (key, people) in &counts.cells {
        let at = &mut sums[key.place];
        at.people += people;
        if let Some(group) = at.actual.get_mut((*people as usize).saturating_sub(1)) {
            *group += *people as f64;
        }
    }
    for ((place, _, _), people) in &counts.margins {
        let at = &mut sums[*place];
        let shares = year.shares(*people).iter().map(|share| share * *people as f64);
        at.predicted.iter_mut().zip(shares).for_each(|(sum, expected)| *sum += expected);
        at.variance += variance_of_unique(*people as f64, year.effective);
    }
    let mut all = PredictionSums::default();
    sums.iter().for_each(|place| all.add(place));
    if all.people == 0 {
        return Err(Error::input("there are no people to compare the prediction with").into());
    }
    let places: Vec<PlacePrediction> = sums
        .iter()
        .zip(&names.places)
        .filter(|(at, _)| at.people > 0)
        .map(|(at, name)| at.prediction_for(name))
        .collect();
    Ok(Prediction::new(places, all.prediction_for("all places")))
}

impl Prediction {
    fn new(places: Vec<PlacePrediction>, overall: PlacePrediction) -> Self {
        let shares: Vec<(f64, f64)> = places.iter().map(|at| (at.actual.unique, at.predicted.unique)).collect();
        let differences = shares.iter().map(|(actual, predicted)| (actual - predicted).abs());
        let far =
            |at: &&PlacePrediction| at.actual.unique < at.predicted.unique - STANDARD_ERRORS_BELOW * at.standard_error;
        Self {
            mean_absolute_difference: differences.sum::<f64>() / places.len() as f64,
            correlation: correlation(&shares),
            below: shares.iter().filter(|(actual, predicted)| actual < predicted).count() as u64,
            far_below: places.iter().filter(far).map(|at| at.actual.place.clone()).collect(),
            places,
            overall,
        }
    }
}

/// Pearson's correlation; `None` if one side does not vary.
fn correlation(pairs: &[(f64, f64)]) -> Option<f64> {
    let many = pairs.len() as f64;
    let (x, y) = pairs.iter().fold((0.0, 0.0), |(x, y), pair| (x + pair.0 / many, y + pair.1 / many));
    let (mut xx, mut yy, mut xy) = (0.0, 0.0, 0.0);
    for (a, b) in pairs {
        xx += (a - x).powi(2);
        yy += (b - y).powi(2);
        xy += (a - x) * (b - y);
    }
    (pairs.len() > 1 && xx > 1e-24 && yy > 1e-24).then(|| xy / (xx * yy).sqrt())
}

/// Shares of the people of one year of birth, each size worked out once.
pub(super) struct YearOfBirth {
    slots: Slots,
    effective: f64,
    worked_out: HashMap<u64, Vec<f64>>,
}

impl YearOfBirth {
    pub(super) fn new(slots: Slots) -> Self {
        Self { effective: slots.effective(), slots, worked_out: HashMap::new() }
    }

    pub(super) fn shares(&mut self, people: u64) -> &[f64] {
        self.worked_out.entry(people).or_insert_with(|| self.slots.shares(people, GROUPS))
    }
}

#[derive(Debug, Clone, Default)]
struct PredictionSums {
    people: u64,
    actual: [f64; GROUPS],
    predicted: [f64; GROUPS],
    variance: f64,
}

impl PredictionSums {
    fn add(&mut self, other: &Self) {
        self.people += other.people;
        self.variance += other.variance;
        self.actual.iter_mut().zip(other.actual).for_each(|(sum, more)| *sum += more);
        self.predicted.iter_mut().zip(other.predicted).for_each(|(sum, more)| *sum += more);
    }

    fn prediction_for(&self, name: &str) -> PlacePrediction {
        let people = self.people as f64;
        PlacePrediction {
            actual: PlaceSharing::new(name.to_owned(), people, self.actual.to_vec()),
            predicted: PlaceSharing::new(name.to_owned(), people, self.predicted.to_vec()),
            standard_error: self.variance.sqrt() / people,
        }
    }
}

/// Places and sexes by number, in the order in which they first occur.
#[derive(Debug, Default)]
pub(super) struct NumberedNames {
    pub(super) places: Vec<String>,
    place_at: HashMap<String, usize>,
    sex_at: HashMap<String, usize>,
}

impl NumberedNames {
    fn place(&mut self, name: &str) -> usize {
        if let Some(at) = self.place_at.get(name) {
            return *at;
        }
        self.places.push(name.to_owned());
        self.place_at.insert(name.to_owned(), self.places.len() - 1);
        self.places.len() - 1
    }

    fn sex(&mut self, name: &str) -> usize {
        let next = self.sex_at.len();
        *self.sex_at.entry(name.to_owned()).or_insert(next)
    }
}

/// An identifier: place, sex, year and the part of the year that is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Identifier {
    pub(super) place: usize,
    pub(super) sex: usize,
    pub(super) year: i32,
    pub(super) slot: usize,
}

/// People per identifier and per place, sex and year of birth.
#[derive(Debug)]
pub(super) struct IdentifierCounts {
    pub(super) cells: BTreeMap<Identifier, u64>,
    pub(super) margins: BTreeMap<(usize, usize, i32), u64>,
}

impl IdentifierCounts {
    pub(super) fn from_cells(cells: &[DatedCell<'_>], known: &KnownDetails, names: &mut NumberedNames) -> Self {
        let mut counts = Self { cells: BTreeMap::new(), margins: BTreeMap::new() };
        for cell in cells.iter().filter(|cell| cell.people > 0) {
            let sex = if known.sex_known { names.sex(cell.sex) } else { 0 };
            let (place, year) = (names.place(cell.place), cell.born.year());
            let identifier = Identifier { place, sex, year, slot: cell.born.slot(known.resolution) };
            *counts.cells.entry(identifier).or_default() += cell.people;
            *counts.margins.entry((place, sex, year)).or_default() += cell.people;
        }
        counts
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::birthdays::Resolution;

    fn cell(place: &'static str, sex: &'static str, born: (i32, u8, u8), people: u64) -> DatedCell<'static> {
        DatedCell { place, sex, born: BirthDate::new(born.0, born.1, born.2).unwrap(), people }
    }

    #[test]
    fn four_people_counted_by_hand() {
        let cells = [cell("a", "f", (1980, 1, 1), 1), cell("a", "f", (1980, 1, 2), 2), cell("a", "m", (1980, 1, 2), 1)];
        let found = compare(&cells, &KnownDetails::default()).unwrap().overall;
        assert_eq!((found.actual.people, found.actual.unique_people), (4.0, 2.0));
        assert_eq!(found.actual.shared_by, [0.5, 0.5, 0.0, 0.0]);
        let expected = (3.0 * (364.0_f64 / 365.0).powi(2) + 1.0) / 4.0;
        assert!((found.predicted.unique - expected).abs() < 1e-14);
        let known = KnownDetails { sex_known: false, ..KnownDetails::default() };
        assert_eq!(compare(&cells, &known).unwrap().overall.actual.shared_by, [0.25, 0.0, 0.75, 0.0]);
        let month = compare(&cells, &KnownDetails::default().at(Resolution::Month)).unwrap().overall;
        assert_eq!(month.actual.shared_by, [0.25, 0.0, 0.75, 0.0]);
    }

    #[test]
    fn twins_in_every_cradle_are_far_below_the_prediction() {
        let twins: Vec<DatedCell<'static>> = (1..=28).map(|day| cell("a", "f", (1980, 5, day), 2)).collect();
        let found = compare(&twins, &KnownDetails::default()).unwrap();
        assert_eq!((found.below, found.far_below), (1, vec!["a".to_owned()]));
        assert_eq!(found.correlation, None);
    }

    #[test]
    fn nobody_to_compare_is_refused() {
        assert!(compare(&[], &KnownDetails::default()).is_err());
        assert!(compare(&[cell("a", "f", (1980, 1, 1), 0)], &KnownDetails::default()).is_err());
    }
}
