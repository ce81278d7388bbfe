//! What a scanner saw in a column, added up over its values.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{Sighting, Standing, is_beyond_chance};
use crate::kind::Kind;

/// Where an identifier stands in a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Place {
    /// The number of the record, from 1.
    pub row: u64,
    /// Its first character in the value, from 1.
    pub character: u64,
    /// How many characters it has.
    pub length: u64,
}

/// Identifiers of one kind in a column.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FoundInColumn {
    /// What they are.
    pub kind: Kind,
    /// How many there are.
    pub found: u64,
    /// How many records hold one or more.
    pub records: u64,
    /// The first of them.
    pub places: Vec<Place>,
}

/// Everything that was seen in a column, of any standing.
#[derive(Debug, Clone, Default)]
pub struct ColumnSightings {
    kinds: BTreeMap<Kind, KindSightings>,
    /// The most places that are kept of each kind and standing.
    most_places: usize,
}

#[derive(Debug, Clone, Default)]
struct KindSightings {
    certain: Places,
    by_chance: Places,
    /// Values with something of the shape that may pass by chance or fails.
    shaped: u64,
    /// Records with something certain or something that passes by chance.
    either: u64,
}

#[derive(Debug, Clone, Default)]
struct Places {
    found: u64,
    records: u64,
    first: Vec<Place>,
}

impl ColumnSightings {
    /// Nothing yet; so many places will be kept of each kind.
    pub fn new(most_places: usize) -> Self {
        Self { kinds: BTreeMap::new(), most_places }
    }

    /// Adds what was seen in the value of a record.
    pub fn add(&mut self, row: u64, value: &str, seen: &[Sighting]) {
        let mut from = 0;
        while from < seen.len() {
            // Sightings are in the order of their places; those of one kind are taken together.
            let kind = seen[from].kind;
            if seen[..from].iter().all(|earlier| earlier.kind != kind) {
                self.add_kind(row, value, kind, seen[from..].iter().filter(|sighting| sighting.kind == kind));
            }
            from += 1;
        }
    }

    fn add_kind<'a>(&mut self, row: u64, value: &str, kind: Kind, seen: impl Iterator<Item = &'a Sighting>) {
        let most = self.most_places;
        let of_kind = self.kinds.entry(kind).or_default();
        let (mut certain, mut by_chance, mut shaped) = (0, 0, false);
        for sighting in seen {
            let (places, count) = match sighting.standing {
                Standing::Certain => (&mut of_kind.certain, &mut certain),
                Standing::ByChance => (&mut of_kind.by_chance, &mut by_chance),
                Standing::Missed => {
                    shaped = true;
                    continue;
                }
            };
            *count += 1;
            if most > 0 {
                let characters = |text: &str| text.chars().count() as u64;
                let character = characters(&value[..sighting.start]) + 1;
                let length = characters(&value[sighting.start..sighting.end]);
                places.keep(Place { row, character, length }, most);
            }
        }
        of_kind.certain.count(certain);
        of_kind.by_chance.count(by_chance);
        of_kind.shaped += u64::from(shaped || by_chance > 0);
        of_kind.either += u64::from(certain + by_chance > 0);
    }

    /// Joins what was seen in other records of the same column.
    pub fn merge(&mut self, other: Self) {
        for (kind, of_other) in other.kinds {
            let own = self.kinds.entry(kind).or_default();
            own.certain.merge(of_other.certain, self.most_places);
            own.by_chance.merge(of_other.by_chance, self.most_places);
            own.shaped += of_other.shaped;
            own.either += of_other.either;
        }
    }

    /// What identifies people: what is certain, and codes that pass by more than chance. Under a heading that speaks of NHS numbers
    /// none passes by chance.
    pub fn finish(self, heading: &str) -> Vec<FoundInColumn> {
        let nhs = heading.to_ascii_lowercase().contains("nhs");
        let judged = self.kinds.into_iter().filter_map(|(kind, seen)| {
            let meant = (nhs && kind == Kind::NhsNumber)
                || is_beyond_chance(kind, seen.by_chance.records as usize, seen.shaped as usize);
            let records = if meant { seen.either } else { seen.certain.records };
            let mut places = seen.certain;
            if meant {
                places.merge(seen.by_chance, self.most_places);
            }
            places.shorten(self.most_places);
            (places.found > 0).then_some(FoundInColumn { kind, found: places.found, records, places: places.first })
        });
        judged.collect()
    }
}

impl Places {
    fn count(&mut self, found: u64) {
        self.found += found;
        self.records += u64::from(found > 0);
    }

    fn keep(&mut self, place: Place, most: usize) {
        self.first.push(place);
        if self.first.len() >= 2 * most + 16 {
            self.shorten(most);
        }
    }

    fn merge(&mut self, other: Self, most: usize) {
        self.found += other.found;
        self.records += other.records;
        self.first.extend(other.first);
        self.shorten(most);
    }

    fn shorten(&mut self, most: usize) {
        self.first.sort_unstable();
        self.first.truncate(most);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::scan::Scanner;

    fn judged(heading: &str, values: &[String]) -> Vec<FoundInColumn> {
        let (scanner, mut sightings) = (Scanner::new(), ColumnSightings::new(3));
        let (left, right) = values.split_at(values.len() / 2);
        let mut later = ColumnSightings::new(3);
        for (row, value) in (left.len() as u64 + 1..).zip(right) {
            later.add(row, value, &scanner.scan(value));
        }
        for (row, value) in (1..).zip(left) {
            sightings.add(row, value, &scanner.scan(value));
        }
        later.merge(sightings);
        later.finish(heading)
    }

    #[test]
    fn records_and_places_are_counted_and_only_the_first_are_kept() {
        let values: Vec<String> = (0..10).map(|n| format!("n\u{e9} {n}: 07700 900123 or a@b.uk, c@d.uk")).collect();
        let found = judged("notes", &values);
        let kinds: Vec<(Kind, u64, u64)> = found.iter().map(|one| (one.kind, one.found, one.records)).collect();
        assert_eq!(kinds, [(Kind::Email, 20, 10), (Kind::UkPhone, 10, 10)]);
        assert_eq!(found[1].places[0], Place { row: 1, character: 7, length: 12 });
        assert_eq!(found[0].places.iter().map(|place| place.row).collect::<Vec<_>>(), [1, 1, 2]);
    }

    #[test]
    fn a_column_of_order_numbers_of_ten_digits_is_left_alone_and_one_of_nhs_numbers_is_not() {
        let orders: Vec<String> = (0..500u64).map(|n| format!("order {}", 4_000_000_000 + n * 7_919)).collect();
        assert_eq!(judged("notes", &orders), []);
        assert!(judged("nhs_no", &orders)[0].found > 20, "the heading says what they are");
        let numbers = vec!["9434765919".to_owned(); 30];
        assert_eq!(judged("c7", &numbers)[0].records, 30);
        let lone: Vec<String> = ["seen", "ref 9434765919"].map(str::to_owned).into();
        assert_eq!(judged("notes", &lone)[0].found, 1, "among few there is no chance");
    }
}
