//! Whether a field of the second phase tells the places that the first phase gave, whatever it is called.
//!
//! Researchers have the places under one set of identifiers and the field under another. The field joins them where it can be told from a place. Three things
//! show that it can:
//!
//! - half of its values are recognised as places, and its profile calls it one: postcodes, addresses, codes of areas, points on the map;
//! - two people with the same value are too often at the same place. With s the probability that somebody with the same value as a person is at their place,
//!   and s₀ that of anybody else, a field tells the place if s > (1 + s₀) / 2: it gives more than half of what is not known without it. A value of one person
//!   says nothing to somebody who does not know whose it is;
//! - it is a number that rises or falls with one of the numbers of the place: the rank correlation (Spearman) is above 0.9 or below −0.9. So positions are
//!   found that were moved, scaled, rounded or computed from others.

use std::collections::{BTreeMap, HashMap, HashSet};

use arrow_array::cast::AsArray;
use arrow_array::types::Float64Type;
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_cast::cast;
use arrow_schema::DataType;
use outward_error::{Error, Result};
use outward_profile::{Kind, Profiler};
use outward_spec::Role;

use crate::phased::BETWEEN;

/// What recognised values are places.
const PLACES: [Kind; 6] =
    [Kind::Postcode, Kind::PartialPostcode, Kind::Address, Kind::Coordinates, Kind::AreaCode, Kind::ZipCode];
/// The share of values that are recognised as places, from which a field is one.
const RECOGNISED: f64 = 0.5;
/// The rank correlation with a number of the place, from which a number is a place.
const CORRELATED: f64 = 0.9;

/// Why a field tells places.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TellsPlaces {
    /// Its values are places.
    Content(Kind),
    /// Its values stand for places.
    Value,
    /// It rises or falls with a number of the place.
    Order,
}

/// Whose the records are, and at what places the first phase gave them.
pub(crate) struct Visited<'a> {
    /// The running numbers of the people.
    pub(crate) people: &'a [u32],
    /// Their places.
    pub(crate) places: &'a [Option<&'a str>],
    /// How many people share a code that is not rare.
    pub(crate) least: u64,
}

impl Visited<'_> {
    /// Of fewer people nothing is told: they may be alike by chance.
    fn fewest(&self) -> u64 {
        4 * self.least.max(5)
    }
}

/// Refuses a field of these records that tells the places.
pub(crate) fn refuse_what_tells_places(records: &RecordBatch, visited: &Visited<'_>) -> Result<()> {
    let mut profiler = Profiler::new(&records.schema());
    profiler.observe(0, records);
    let profile = profiler.finish();
    for ((column, field), seen) in records.columns().iter().zip(records.schema().fields()).zip(&profile.columns) {
        // Codes of diagnoses look like halves of postcodes; the profile of the column knows better.
        let is_place = |kind: &Kind| seen.suggestion.role == Role::Geography && seen.share(*kind) >= RECOGNISED;
        let recognised = PLACES.into_iter().find(is_place).map(TellsPlaces::Content);
        let told = match recognised {
            Some(recognised) => Some(recognised),
            None => tells_places(column, visited)?,
        };
        let why = match told {
            None => continue,
            Some(TellsPlaces::Content(kind)) => format!("it holds {kind}"),
            Some(TellsPlaces::Value) => "people with the same value are mostly at the same place".to_owned(),
            Some(TellsPlaces::Order) => "it rises or falls with the position of the place".to_owned(),
        };
        return Err(Error::input(format!("the second phase gives no place, and this field tells it: {why}"))
            .variable(field.name())
            .help("it would join what the first phase gave: leave the field out with --fields, or take it out of the application")
            .into());
    }
    Ok(())
}

fn tells_places(column: &ArrayRef, visited: &Visited<'_>) -> Result<Option<TellsPlaces>> {
    let texts = cast(column, &DataType::Utf8).map_err(Error::bug)?;
    let texts = texts.as_string::<i32>();
    let values: Vec<Option<&str>> = texts.iter().collect();
    if has_places_in_common(&values, visited) {
        return Ok(Some(TellsPlaces::Value));
    }
    let is_number = column.data_type().is_numeric();
    let numbers: Vec<Option<f64>> = match is_number {
        true => cast(column, &DataType::Float64).map_err(Error::bug)?.as_primitive::<Float64Type>().iter().collect(),
        false => values.iter().map(|value| value.and_then(number)).collect(),
    };
    let parts = visited.places.iter().flatten().map(|place| place.split(BETWEEN).count()).max().unwrap_or(0);
    let in_order = (0..parts).any(|part| {
        let positions = visited.places.iter().map(|place| number(place.as_ref()?.split(BETWEEN).nth(part)?));
        let pairs: Vec<(f64, f64)> =
            numbers.iter().zip(positions).filter_map(|(value, position)| Some(((*value)?, position?))).collect();
        pairs.len() as u64 >= visited.fewest() && rank_correlation(&pairs).abs() > CORRELATED
    });
    Ok(in_order.then_some(TellsPlaces::Order))
}

fn number(text: &str) -> Option<f64> {
    text.parse().ok().filter(|number: &f64| number.is_finite())
}

/// Whether two people with the same value are too often at the same place.
fn has_places_in_common(values: &[Option<&str>], visited: &Visited<'_>) -> bool {
    let mut known: HashSet<(u32, &str)> = HashSet::new();
    // In order, so that shares are added up in the same order every time.
    let mut by_value: BTreeMap<&str, HashMap<&str, u64>> = BTreeMap::new();
    let mut of_place: HashMap<&str, u64> = HashMap::new();
    for ((value, place), person) in values.iter().zip(visited.places).zip(visited.people) {
        // Several records of one person are one: they would be at the same place in any case.
        if let (Some(value), Some(place)) = (value, place)
            && known.insert((*person, value))
        {
            *by_value.entry(value).or_default().entry(place).or_default() += 1;
            *of_place.entry(place).or_default() += 1;
        }
    }
    by_value.retain(|_, places| places.values().sum::<u64>() > 1);
    let people = by_value.values().flat_map(HashMap::values).sum::<u64>();
    let with = by_value.values().map(met_at_own_place).sum::<f64>() / people.max(1) as f64;
    let without = met_at_own_place(&of_place) / of_place.values().sum::<u64>().max(1) as f64;
    people >= visited.fewest() && with > f64::midpoint(1.0, without)
}

/// The sum over people of the probability that another of them is at their place.
fn met_at_own_place(places: &HashMap<&str, u64>) -> f64 {
    let others = places.values().sum::<u64>().saturating_sub(1).max(1) as f64;
    // In whole numbers until the end, so that the order of the places makes no difference.
    places.values().map(|count| count * (count - 1)).sum::<u64>() as f64 / others
}

/// Spearman's correlation: that of the ranks, of which equal values share the mean.
fn rank_correlation(pairs: &[(f64, f64)]) -> f64 {
    let first = ranks(pairs.iter().map(|(value, _)| *value));
    let second = ranks(pairs.iter().map(|(_, value)| *value));
    let mean = (pairs.len() as f64 + 1.0) / 2.0;
    let products = |one: &[f64], other: &[f64]| -> f64 {
        one.iter().zip(other).map(|(one, other)| (one - mean) * (other - mean)).sum()
    };
    let spread = (products(&first, &first) * products(&second, &second)).sqrt();
    if spread > 0.0 { products(&first, &second) / spread } else { 0.0 }
}

fn ranks(values: impl Iterator<Item = f64>) -> Vec<f64> {
    let values: Vec<f64> = values.collect();
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_unstable_by(|one, other| values[*one].total_cmp(&values[*other]));
    let mut ranks = vec![0.0; values.len()];
    let mut from = 0;
    for same in order.chunk_by(|one, other| values[*one] == values[*other]) {
        let rank = from as f64 + (same.len() as f64 + 1.0) / 2.0;
        same.iter().for_each(|at| ranks[*at] = rank);
        from += same.len();
    }
    ranks
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::sync::Arc;

    use arrow_array::{Float64Array, Int64Array, StringArray};

    use super::*;

    const PEOPLE: i64 = 600;

    /// 60 places on a grid, ten people in each.
    fn places() -> Vec<String> {
        let place = |at: i64| format!("{}{BETWEEN}{}", 400_000 + 1_000 * (at % 10), 300_000 + 1_000 * (at % 60 / 10));
        (0..PEOPLE).map(place).collect()
    }

    fn why(column: ArrayRef) -> Option<TellsPlaces> {
        let places = places();
        let places: Vec<Option<&str>> = places.iter().map(|place| Some(place.as_str())).collect();
        let people: Vec<u32> = (0..PEOPLE as u32).collect();
        tells_places(&column, &Visited { people: &people, places: &places, least: 5 }).ok().flatten()
    }

    fn text(value: impl Fn(i64) -> String) -> ArrayRef {
        Arc::new((0..PEOPLE).map(|at| Some(value(at))).collect::<StringArray>())
    }

    fn whole(value: impl Fn(i64) -> i64) -> ArrayRef {
        Arc::new((0..PEOPLE).map(|at| Some(value(at))).collect::<Int64Array>())
    }

    #[test]
    fn what_stands_for_a_place_is_found_whatever_it_is_called() {
        // A code of each place, in no order; a number of a house in it; a position that was moved, and one in metres as a text.
        assert_eq!(why(text(|at| format!("c{}", at % 60 * 37 % 61))), Some(TellsPlaces::Value));
        assert_eq!(why(whole(|at| at % 60 * 37 % 61)), Some(TellsPlaces::Value));
        assert_eq!(why(whole(|at| 7_000_000 - 3 * (400_000 + 1_000 * (at % 10) + at % 997))), Some(TellsPlaces::Order));
        assert_eq!(why(text(|at| (1_000 * (at % 60 / 10) + at % 613).to_string())), Some(TellsPlaces::Order));
        let squared: Float64Array = (0..PEOPLE).map(|at| Some(((at % 10) as f64 + at as f64 / 1e4).powi(2))).collect();
        assert_eq!(why(Arc::new(squared)), Some(TellsPlaces::Order));
    }

    #[test]
    fn postcodes_are_places_and_codes_of_diagnoses_are_not() {
        let mixed = |at: i64| at.wrapping_mul(0x5851_f42d_4c95_7f2d).rotate_left(29).unsigned_abs();
        let refused = |value: &dyn Fn(i64) -> String| {
            let places = places();
            let places: Vec<Option<&str>> = places.iter().map(|place| Some(place.as_str())).collect();
            let people: Vec<u32> = (0..PEOPLE as u32).collect();
            let records = RecordBatch::try_from_iter([("c7", text(value))]).unwrap();
            let visited = Visited { people: &people, places: &places, least: 5 };
            refuse_what_tells_places(&records, &visited).map_err(|error| error.to_string())
        };
        let letter = |number: u64| char::from(b"ABDEHLNPQRSTUWXYZ"[(number % 17) as usize]);
        let postcode = |at: i64| {
            format!("LS{} {}{}{}", mixed(at) % 9 + 1, at % 9 + 1, letter(mixed(at) / 9), letter(mixed(at) / 153))
        };
        let said = refused(&postcode).unwrap_err();
        assert!(said.contains("it holds whole postcodes") && !said.contains("LS"), "{said}");
        let diagnosis =
            |at: i64| format!("{}{}", ["E1", "N1", "M5", "S7", "B2", "W0"][(mixed(at) % 6) as usize], at % 10);
        assert_eq!(refused(&diagnosis), Ok(()));
    }

    #[test]
    fn what_does_not_follow_from_the_place_is_left() {
        let mixed = |at: i64| at.wrapping_mul(0x5851_f42d_4c95_7f2d).rotate_left(29).unsigned_abs();
        assert_eq!(why(text(|at| ["Female", "Male"][(at % 2) as usize].to_owned())), None);
        assert_eq!(why(whole(|at| (mixed(at) % 1_000) as i64)), None);
        // Six districts of ten places each: they leave nine of ten in doubt.
        assert_eq!(why(text(|at| format!("d{}", [3, 0, 5, 1, 4, 2][(at % 60 / 10) as usize]))), None);
        // A value of one person alone, and nothing at all.
        assert_eq!(why(text(|at| format!("v{}", mixed(at)))), None);
        assert_eq!(why(Arc::new(Int64Array::from(vec![None; PEOPLE as usize]))), None);
    }

    #[test]
    fn half_of_what_is_not_known_without_a_field_is_too_much() {
        // 100 people at places of 40, 20, 20 and 20: s₀ = (40 · 39 + 3 · 20 · 19) / (100 · 99) = 0.273, and the bound is 0.636.
        let places: Vec<Option<&str>> = (0..100).map(|at| Some(["a", "a", "b", "c", "d"][at % 5])).collect();
        let told = |value: &dyn Fn(usize) -> &'static str, people: &[u32]| {
            let values: Vec<Option<&str>> = (0..100).map(|at| Some(value(at))).collect();
            has_places_in_common(&values, &Visited { people, places: &places, least: 5 })
        };
        let people: Vec<u32> = (0..100).collect();
        // The place of 40 and the others: 0.4 + 0.6 · 19 / 59 = 0.593. That, one more place and the others: 0.6 + 0.4 · 19 / 39 = 0.795.
        assert!(!told(&|at| ["yes", "yes", "no", "no", "no"][at % 5], &people));
        assert!(told(&|at| ["yes", "yes", "b", "no", "no"][at % 5], &people));
        assert!(!told(&|_| "all", &people));
        // The same of five people with twenty records each is one value of each of them.
        let five: Vec<u32> = (0..100).map(|at| at % 5).collect();
        assert!(!told(&|at| ["yes", "yes", "b", "no", "no"][at % 5], &five));
    }

    #[test]
    fn the_correlation_of_ranks_is_that_of_the_book() {
        // 1 - 6 * (0 + 1 + 1 + 0 + 0) / (5 * 24) = 0.9, and of equal ranks 1.5, 1.5, 3 with 1, 2, 3: 1.5 / sqrt(1.5 * 2).
        let five = [(1.0, 10.0), (2.0, 30.0), (3.0, 20.0), (4.0, 40.0), (5.0, 50.0)];
        assert!((rank_correlation(&five) - 0.9).abs() < 1e-12);
        let equal = [(7.0, 1.0), (7.0, 2.0), (9.0, 3.0)];
        assert!((rank_correlation(&equal) - 1.5 / 3.0_f64.sqrt()).abs() < 1e-12);
    }
}
