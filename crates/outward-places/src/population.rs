//! How many people live behind each code: the table that pooling decides on.
//!
//! A [`Population`] is checked once, when it is made; everything after may rely on it. Its order is that of the codes,
//! so nothing that follows depends on the order of the rows.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use outward_spec::{Error, Result};
use sha2::{Digest, Sha256};

/// Published instead of a code where there is no location to publish.
///
/// Not an empty field: an empty field may also mean that a location was never recorded.
pub const NO_LOCATION: &str = "*";

/// A place in the plane: metres of a national grid, or any plane coordinates.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    /// Towards the east.
    pub easting: f64,
    /// Towards the north.
    pub northing: f64,
}

impl Point {
    /// The straight distance to another point.
    pub fn distance(self, other: Self) -> f64 {
        (self.easting - other.easting).hypot(self.northing - other.northing)
    }

    /// The mean of points weighted by people; where nobody lives at any of them, the plain mean.
    pub(crate) fn mean(points: impl Iterator<Item = (Self, u64)> + Clone) -> Option<Self> {
        let nobody = points.clone().all(|(_, people)| people == 0);
        let mut sum = (0.0, 0.0, 0.0);
        for (point, people) in points {
            let weight = if nobody { 1.0 } else { people as f64 };
            sum = (sum.0 + weight * point.easting, sum.1 + weight * point.northing, sum.2 + weight);
        }
        (sum.2 > 0.0).then(|| Self { easting: sum.0 / sum.2, northing: sum.1 / sum.2 })
    }
}

/// One code of a population table.
#[derive(Debug, Clone, PartialEq)]
pub struct Place {
    /// The code, normalised by the caller: `SM7`, `036`.
    pub code: String,
    /// The area it belongs to: `SM`, `US`.
    pub area: String,
    /// The people who live there.
    pub population: u64,
    /// The nation, where known.
    pub nation: Option<String>,
    /// Where it is, where known.
    pub at: Option<Point>,
    /// The row of the table, for errors.
    pub row: u64,
}

/// A checked population table: every code once, in the order of the codes.
#[derive(Debug, Clone, PartialEq)]
pub struct Population {
    places: Vec<Place>,
    people: u64,
}

impl Population {
    /// A table with one row for each code.
    pub fn new(mut places: Vec<Place>) -> Result<Self> {
        places.iter().try_for_each(check)?;
        places.sort_by(|a, b| a.code.cmp(&b.code).then(a.row.cmp(&b.row)));
        if let Some(pair) = places.windows(2).find(|pair| pair[0].code == pair[1].code) {
            let what = format!("the code was already given in row {}", pair[0].row);
            let help = "give each code once, or let the rows be added up if they are parts of a code";
            return Err(Error::input(what).row(pair[1].row).help(help).into());
        }
        if places.is_empty() {
            let help = "check the condition that selects the rows, and the column of the population";
            return Err(Error::input("the population table has no codes").help(help).into());
        }
        let people = total(&places)?;
        Ok(Self { places, people })
    }

    /// A table whose rows are parts of a code, such as the postcodes of an outward code. Parts of a code are added up.
    ///
    /// A code lies at the mean of the points its parts have, weighted by people, and in the nation where most of its
    /// people live.
    pub fn add_up(mut parts: Vec<Place>) -> Result<Self> {
        parts.iter().try_for_each(check)?;
        let key = |place: &Place| place.at.map(|at| (at.easting.to_bits(), at.northing.to_bits()));
        // Sums of fractions depend on their order, so the order must not be that of the rows.
        parts.sort_by(|a, b| {
            a.code.cmp(&b.code).then_with(|| (key(a), a.population, a.row).cmp(&(key(b), b.population, b.row)))
        });
        Self::new(parts.chunk_by(|a, b| a.code == b.code).map(one_code).collect::<Result<_>>()?)
    }

    /// The codes, in order.
    pub fn places(&self) -> &[Place] {
        &self.places
    }

    /// The place of a code.
    pub fn place(&self, code: &str) -> Option<&Place> {
        self.places.binary_search_by(|place| place.code.as_str().cmp(code)).ok().map(|at| &self.places[at])
    }

    /// How many codes there are.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Whether there are no codes; never so, as a table without codes is refused.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// How many people there are.
    pub fn people(&self) -> u64 {
        self.people
    }

    /// People per code.
    pub fn mean(&self) -> f64 {
        self.people as f64 / self.places.len() as f64
    }

    /// The median of the people per code; of an even number of codes the mean of the middle two.
    pub fn median(&self) -> f64 {
        let mut sizes: Vec<_> = self.places.iter().map(|place| place.population).collect();
        sizes.sort_unstable();
        let half = sizes.len() / 2;
        let upper = sizes[half] as f64;
        if sizes.len() % 2 == 1 { upper } else { (sizes[half - 1] as f64 + upper) / 2.0 }
    }

    /// The people of the largest code.
    pub fn largest(&self) -> u64 {
        self.places.iter().map(|place| place.population).max().unwrap_or(0)
    }

    /// The codes under a threshold: under the US rule, the restricted ones.
    pub fn below(&self, threshold: u64) -> impl Iterator<Item = &Place> {
        self.places.iter().filter(move |place| place.population < threshold)
    }

    /// Codes and people of each nation, by name; those without one come under `None`.
    pub fn by_nation(&self) -> BTreeMap<Option<&str>, (usize, u64)> {
        let mut nations = BTreeMap::new();
        for place in &self.places {
            let (codes, people) = nations.entry(place.nation.as_deref()).or_insert((0, 0));
            *codes += 1;
            *people += place.population;
        }
        nations
    }

    /// SHA-256, in hexadecimal, of the lines `CODE,POPULATION` in the byte order of the codes, each ended by a newline.
    ///
    /// The order of the rows does not matter. From a file of such lines without a header: `LC_ALL=C sort -t, -k1,1 FILE
    /// | sha256sum`.
    pub fn hash(&self) -> String {
        let mut lines = Sha256::new();
        for place in &self.places {
            lines.update(format!("{},{}\n", place.code, place.population));
        }
        lines.finalize().iter().fold(String::with_capacity(64), |mut hex, byte| {
            // Writing to a String cannot fail.
            let _ = write!(hex, "{byte:02x}");
            hex
        })
    }
}

/// Whether a code or an area can stand in a mapping file and be opened in a spreadsheet without harm.
pub(crate) fn is_plain(code: &str) -> bool {
    code == NO_LOCATION
        || code.starts_with(char::is_alphanumeric)
            && code.trim_end() == code
            && !code.contains(|c: char| c == ',' || c == '"' || c.is_control())
}

fn check(place: &Place) -> Result<()> {
    for (name, text) in [("code", &place.code), ("area", &place.area)] {
        if text.is_empty() {
            let help = format!("give every row its {name}, or leave the row out");
            return Err(Error::input(format!("the {name} is missing")).row(place.row).help(help).into());
        }
        if !is_plain(text) {
            let help = "it has to begin with a letter or a digit and hold no comma, quote or control character";
            return Err(Error::input(format!("the {name} is not a plain word")).row(place.row).help(help).into());
        }
    }
    if place.at.is_some_and(|at| !at.easting.is_finite() || !at.northing.is_finite()) {
        let help = "give finite coordinates, or none";
        return Err(Error::input("the coordinates are not numbers").row(place.row).help(help).into());
    }
    Ok(())
}

fn total(places: &[Place]) -> Result<u64> {
    let mut people = 0u64;
    for place in places {
        people = people.checked_add(place.population).ok_or_else(|| {
            Error::input("the populations add up to more than can be counted")
                .row(place.row)
                .help("check the column of the population")
        })?;
    }
    Ok(people)
}

fn one_code(parts: &[Place]) -> Result<Place> {
    let first = &parts[0];
    if let Some(other) = parts.iter().find(|part| part.area != first.area) {
        let what = format!("the code is given in another area than in row {}", first.row);
        return Err(Error::input(what).row(other.row).help("a code lies in one area").into());
    }
    let mut nations: BTreeMap<&str, u64> = BTreeMap::new();
    let population = total(parts)?;
    for part in parts {
        if let Some(nation) = &part.nation {
            *nations.entry(nation).or_default() += part.population;
        }
    }
    let most = nations.iter().max_by(|a, b| a.1.cmp(b.1).then(b.0.cmp(a.0)));
    Ok(Place {
        population,
        nation: most.map(|(nation, _)| (*nation).to_owned()),
        at: Point::mean(parts.iter().filter_map(|part| part.at.map(|at| (at, part.population)))),
        row: parts.iter().map(|part| part.row).min().unwrap_or(first.row),
        ..first.clone()
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn place(code: &str, population: u64, row: u64) -> Place {
        Place { code: code.into(), area: "SM".into(), population, nation: None, at: None, row }
    }

    #[test]
    fn a_code_given_twice_is_refused_with_both_rows() {
        let error = Population::new(vec![place("SM2", 5, 9), place("SM1", 1, 2), place("SM2", 7, 4)]).unwrap_err();
        assert_eq!(error.to_string(), "row 9: the code was already given in row 4");
    }

    #[test]
    fn tables_without_codes_and_codes_that_would_break_a_file_are_refused() {
        assert!(Population::new(Vec::new()).is_err());
        for bad in ["", "SM1,SM2", "=1+1", "SM1 ", "SM\n1", "S\"M"] {
            let error = Population::new(vec![place(bad, 1, 3)]).unwrap_err().to_string();
            assert!(error.starts_with("row 3: the code is "), "{error}");
        }
        let nowhere = Place { at: Some(Point { easting: f64::NAN, northing: 0.0 }), ..place("SM1", 1, 8) };
        assert_eq!(Population::new(vec![nowhere]).unwrap_err().to_string(), "row 8: the coordinates are not numbers");
    }

    #[test]
    fn more_people_than_can_be_counted_are_an_error_not_a_wrap() {
        assert!(Population::new(vec![place("SM1", u64::MAX, 1), place("SM2", 1, 2)]).is_err());
        assert!(Population::add_up(vec![place("SM1", u64::MAX, 1), place("SM1", 1, 2)]).is_err());
    }

    #[test]
    fn headcounts_of_full_postcodes_add_up_to_their_outward_code() {
        let part = |people, easting, nation: &str, row| Place {
            at: Some(Point { easting, northing: 10.0 }),
            nation: Some(nation.into()),
            ..place("SM1", people, row)
        };
        let parts = vec![part(30, 100.0, "England", 1), part(10, 300.0, "Wales", 2), place("SM2", 4, 3)];
        let added = Population::add_up(parts.clone()).unwrap();
        let sm1 = added.place("SM1").unwrap();
        assert_eq!((sm1.population, sm1.nation.as_deref()), (40, Some("England")));
        assert_eq!(sm1.at, Some(Point { easting: 150.0, northing: 10.0 }));
        assert_eq!((added.len(), added.people(), added.mean(), added.median()), (2, 44, 22.0, 22.0));
        let turned = Population::add_up(parts.into_iter().rev().collect()).unwrap();
        assert_eq!(turned, added);
    }

    #[test]
    fn parts_of_a_code_in_two_areas_are_refused() {
        let other = Place { area: "CR".into(), ..place("SM1", 1, 7) };
        let error = Population::add_up(vec![place("SM1", 1, 2), other]).unwrap_err();
        assert_eq!(error.to_string(), "row 7: the code is given in another area than in row 2");
    }

    // printf 'SM1,5\nSM10,7\nSM2,6\n' | sha256sum
    #[test]
    fn the_hash_can_be_had_with_sha256sum_whatever_the_row_order() {
        let known = "b166348b35fb18c1f2673e2b9bae28ecfeb4501b49db5a4565962e975b88b11a";
        let rows = vec![place("SM2", 6, 1), place("SM10", 7, 2), place("SM1", 5, 3)];
        assert_eq!(Population::new(rows.clone()).unwrap().hash(), known);
        assert_eq!(Population::new(rows.into_iter().rev().collect()).unwrap().hash(), known);
    }

    #[test]
    fn nations_are_counted_and_so_are_codes_without_one() {
        let wales = Place { nation: Some("Wales".into()), ..place("SM3", 9, 3) };
        let population = Population::new(vec![place("SM1", 5, 1), place("SM2", 6, 2), wales]).unwrap();
        assert_eq!(population.by_nation(), BTreeMap::from([(None, (2, 11)), (Some("Wales"), (1, 9))]));
        assert_eq!((population.median(), population.largest(), population.below(6).count()), (6.0, 9, 1));
    }
}
