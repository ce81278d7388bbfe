//! What contributors know beyond what is published: their own amounts (K7 and M8 of `docs/methods/attacker.md`).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// A cell that a contributor shares with others. They know that it is at least their own amount.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Inside {
    /// The cell.
    pub cell: u32,
    /// The contributor: their place among the lists of singletons.
    pub person: u32,
    /// What others have in the cell. It cannot fall by more than this.
    pub rest: i64,
    /// The upper protection level against them, at most.
    pub up: i64,
    /// The lower protection level against them, at most.
    pub down: i64,
}

/// The protection levels of an unsafe cell against contributors who are not in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Outside {
    /// The cell.
    pub cell: u32,
    /// The upper protection level against them, at most.
    pub up: i64,
    /// The lower protection level against them, at most.
    pub down: i64,
}

/// Protection levels that set no limit, up or down.
pub const UNLIMITED: (i64, i64) = (i64::MAX, i64::MAX);

/// How far a cell can fall and rise, given what a contributor knows.
#[derive(Debug, Clone, Copy)]
pub struct Allowance {
    /// The contributor, from 1.
    pub person: u32,
    /// The cell.
    pub cell: u32,
    /// How far it can fall.
    pub fall: i64,
    /// How far it can rise.
    pub rise: i64,
}

/// Contributors and the cells they are in.
#[derive(Debug, Default)]
pub struct Contributors {
    /// The contributors to each cell.
    by_cell: BTreeMap<u32, Vec<Allowance>>,
    /// The cells of each contributor, in order.
    by_person: Vec<Vec<Allowance>>,
    /// Protection levels against contributors who are in a cell, and against those who are not.
    inside: BTreeMap<(u32, u32), (i64, i64)>,
    outside: BTreeMap<u32, (i64, i64)>,
}

impl Contributors {
    /// Builds the index. One list of `alone` holds the singletons of one contributor, who knows them: they need no
    /// protection from that contributor.
    pub fn new(alone: &[Vec<u32>], inside: &[Inside], outside: &[Outside]) -> Self {
        let people = inside.iter().map(|inside| inside.person as usize + 1).max().unwrap_or(0).max(alone.len());
        let mut found = Self { by_person: vec![Vec::new(); people], ..Self::default() };
        let known = (1..).zip(alone).flat_map(|(person, own)| own.iter().map(move |cell| (person, *cell)));
        for (person, cell) in known {
            found.by_person[person as usize - 1].push(Allowance { person, cell, fall: 0, rise: 0 });
            found.inside.insert((cell, person), (0, 0));
        }
        for Inside { cell, person, rest, up, down } in inside {
            let person = person + 1;
            found.inside.entry((*cell, person)).or_insert((*up, *down));
            found.by_person[person as usize - 1].push(Allowance { person, cell: *cell, fall: *rest, rise: i64::MAX });
        }
        for own in &mut found.by_person {
            own.sort_by_key(|known| (known.cell, known.fall, known.rise));
            own.dedup_by_key(|known| known.cell);
            own.iter().for_each(|known| found.by_cell.entry(known.cell).or_default().push(*known));
        }
        found.outside = outside.iter().map(|outside| (outside.cell, (outside.up, outside.down))).collect();
        found
    }

    /// Whether there are no contributors.
    pub fn is_empty(&self) -> bool {
        self.by_cell.is_empty()
    }

    /// All contributors, by number.
    pub fn people(&self) -> impl Iterator<Item = u32> + use<> {
        1..=self.by_person.len() as u32
    }

    /// The cells a contributor is in.
    pub fn cells(&self, person: u32) -> &[Allowance] {
        self.by_person.get((person as usize).wrapping_sub(1)).map_or(&[], Vec::as_slice)
    }

    /// The contributors to a cell.
    pub fn contributors(&self, cell: u32) -> &[Allowance] {
        self.by_cell.get(&cell).map_or(&[], Vec::as_slice)
    }

    /// How far a cell can fall and rise, given what a contributor knows. Contributor 0 is nobody.
    pub fn allowance(&self, person: u32, cell: u32) -> (i64, i64) {
        let cells = self.cells(person);
        cells.binary_search_by_key(&cell, |known| known.cell).map_or(UNLIMITED, |at| (cells[at].fall, cells[at].rise))
    }

    /// The upper and lower protection level of a cell against a contributor, at most.
    pub fn asked(&self, cell: u32, person: u32) -> (i64, i64) {
        let inside = self.inside.get(&(cell, person));
        inside.or_else(|| self.outside.get(&cell)).copied().unwrap_or(UNLIMITED)
    }
}
