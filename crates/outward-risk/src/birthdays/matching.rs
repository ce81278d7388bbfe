//! Matching two files on place, sex and date of birth, and what the years of birth alone would have predicted.

use std::collections::BTreeMap;

use outward_error::{Error, Result};
use schemars::JsonSchema;
use serde::Serialize;

use super::locality::KnownDetails;
use super::prediction::{DatedCell, IdentifierCounts, NumberedNames, Prediction, YearOfBirth, predict};

/// What became of the second file's people in one place, or in all.
#[derive(Debug, Clone, PartialEq, Default, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct PlaceMatch {
    /// The place.
    pub place: String,
    /// People in the first file, the master.
    pub first: u64,
    /// People in the second.
    pub second: u64,
    /// People of the second file alone with their identifier in both.
    pub unique_matches: u64,
    /// How many of those the years of birth and sexes of the master predict.
    pub predicted_unique_matches: f64,
    /// People of the second file whose identifier fits several people of either file, and who are discarded.
    pub ambiguous: u64,
    /// People of the second file whose identifier is not in the first.
    pub unmatched: u64,
    /// People alone in the second file who are not alone in the master.
    pub falsely_alone: u64,
}

/// Two files matched.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct MatchReport {
    /// The master file against its own prediction.
    pub master: Prediction,
    /// The places of either file, in the order in which they first occur.
    pub places: Vec<PlaceMatch>,
    /// All places.
    pub overall: PlaceMatch,
}

/// Matches the people of `second` to those of `first`, the master.
pub fn match_files(first: &[DatedCell<'_>], second: &[DatedCell<'_>], known: &KnownDetails) -> Result<MatchReport> {
    let mut names = NumberedNames::default();
    let master = IdentifierCounts::from_cells(first, known, &mut names);
    let prediction = predict(&master, &names, known)?;
    let wanted = IdentifierCounts::from_cells(second, known, &mut names);
    if wanted.cells.is_empty() {
        return Err(Error::input("the second file has no people").into());
    }
    let mut places: Vec<PlaceMatch> =
        names.places.iter().map(|place| PlaceMatch { place: place.clone(), ..PlaceMatch::default() }).collect();
    for ((place, _, _), people) in &master.margins {
        places[*place].first += people;
    }
    for (identifier, people) in &wanted.cells {
        places[identifier.place].count(*people, master.cells.get(identifier).copied().unwrap_or(0));
    }
    predict_matches(&mut places, &master.margins, &wanted.margins, known)?;
    let overall = places.iter().fold(PlaceMatch { place: "all places".to_owned(), ..PlaceMatch::default() }, add);
    Ok(MatchReport { master: prediction, places, overall })
}

type Margins = BTreeMap<(usize, usize, i32), u64>;

/// A person of the second file is alone in the master with the chance of their year of birth and sex there.
fn predict_matches(places: &mut [PlaceMatch], master: &Margins, wanted: &Margins, known: &KnownDetails) -> Result<()> {
    let mut year = YearOfBirth::new(known.calendar.slots(known.resolution)?);
    for (margin, people) in wanted {
        if let Some(all) = master.get(margin) {
            let alone = year.shares(*all).first().copied().unwrap_or(0.0);
            places[margin.0].predicted_unique_matches += alone * *people as f64;
        }
    }
    Ok(())
}

fn add(sum: PlaceMatch, place: &PlaceMatch) -> PlaceMatch {
    PlaceMatch {
        place: sum.place,
        first: sum.first + place.first,
        second: sum.second + place.second,
        unique_matches: sum.unique_matches + place.unique_matches,
        predicted_unique_matches: sum.predicted_unique_matches + place.predicted_unique_matches,
        ambiguous: sum.ambiguous + place.ambiguous,
        unmatched: sum.unmatched + place.unmatched,
        falsely_alone: sum.falsely_alone + place.falsely_alone,
    }
}

impl PlaceMatch {
    /// Counts the people of one identifier: so many in the second file, so many in the master.
    fn count(&mut self, second: u64, master: u64) {
        self.second += second;
        match (second, master) {
            (_, 0) => self.unmatched += second,
            (1, 1) => self.unique_matches += 1,
            _ => self.ambiguous += second,
        }
        if second == 1 && master > 1 {
            self.falsely_alone += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::birthdays::BirthDate;

    #[test]
    fn five_people_matched_by_hand() {
        let cell =
            |place, day, people| DatedCell { place, sex: "f", born: BirthDate::new(1980, 1, day).unwrap(), people };
        let first = [cell("a", 1, 1), cell("a", 2, 2), cell("a", 3, 3), cell("b", 1, 1)];
        let second = [cell("a", 1, 1), cell("a", 2, 1), cell("a", 3, 2), cell("b", 9, 1), cell("c", 1, 1)];
        let report = match_files(&first, &second, &KnownDetails::default()).unwrap();
        let a = &report.places[0];
        assert_eq!((a.unique_matches, a.ambiguous, a.unmatched, a.falsely_alone), (1, 3, 0, 1));
        assert_eq!(report.places.iter().map(|at| at.unmatched).collect::<Vec<_>>(), [0, 1, 1]);
        let expected = 4.0 * (364.0_f64 / 365.0).powi(5) + 1.0;
        assert!((report.overall.predicted_unique_matches - expected).abs() < 1e-12);
        assert_eq!((report.overall.first, report.overall.second, report.master.places.len()), (7, 6, 2));
    }

    #[test]
    fn an_empty_file_is_refused() {
        let cell = DatedCell { place: "a", sex: "f", born: BirthDate::new(1980, 1, 1).unwrap(), people: 1 };
        assert!(match_files(&[], &[cell], &KnownDetails::default()).is_err());
        assert!(match_files(&[cell], &[], &KnownDetails::default()).is_err());
    }
}
