//! The answer of an intruder for one person, in every kind of attack.

use outward_random::Random;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::join::{Joined, Lists, NONE};
use super::people::Truth;

/// An intruder's answer for a person: which record is theirs, or why there is no claim.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Answer {
    /// These rows of the releases, one in each, are the person.
    Claim {
        /// The rows, from 0.
        rows: Vec<u32>,
        /// The probability that the claim is right according to the intruder, if the person is in the release.
        confidence: f64,
        /// How many records it was chosen from.
        candidates: u64,
    },
    /// No record fits.
    NoRecord,
    /// Too many combinations fit.
    TooMany,
}

/// A claim: this record is this person. It has numbers of rows and no values.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Claim {
    /// The row of the person in the intruder's file, from 1. If the file was made, it is the row of the population or of
    /// the data that it was made from.
    pub person: u64,
    /// For each release the row of its published file, from 1.
    pub records: Vec<u64>,
    /// The intruder's confidence, from 0 to 1.
    pub confidence: f64,
    /// How many records it was chosen from.
    pub candidates: u64,
    /// Whether it is right, where that can be verified.
    pub correct: Option<bool>,
}

/// The row of a person in the source; `None` if they are not in it.
pub(super) fn own_row(truth: Truth) -> Option<u32> {
    match truth {
        Truth::Row(row) => Some(row),
        Truth::Elsewhere | Truth::Again(_) | Truth::Unknown => None,
    }
}

/// The random numbers of a person. Each person has their own.
pub(super) fn draws_of(random: &Random, person: u32) -> Random {
    /// How many numbers each person may draw.
    const DRAWS: u64 = 16;
    let mut own = random.clone();
    own.seek(u64::from(person) * DRAWS);
    own
}

/// The records that fit a person, one of which may be held out.
pub(super) struct Fitting<'a> {
    /// The cells of records that fit, and the rows of each.
    cells: &'a [u32],
    rows: &'a Lists,
    held_out: Option<u32>,
    pub(super) count: u64,
}

impl<'a> Fitting<'a> {
    /// The records that fit the cell of a person.
    pub(super) fn new(joined: &'a Joined, rows: &'a Lists, person: u32, held_out: Option<u32>) -> Self {
        let cell = joined.people.of_row[person as usize];
        let cells = if cell == NONE { &[] } else { joined.fits.get(cell) };
        let held_out = held_out.filter(|row| cell != NONE && joined.fits(cell, *row));
        let all: usize = cells.iter().map(|cell| rows.get(*cell).len()).sum();
        Self { cells, rows, held_out, count: all as u64 - u64::from(held_out.is_some()) }
    }

    fn lists(&self) -> impl Iterator<Item = &'a [u32]> {
        self.cells.iter().map(|cell| self.rows.get(*cell))
    }

    /// All of them.
    pub(super) fn rows(&self) -> impl Iterator<Item = u32> {
        let held_out = self.held_out;
        self.lists().flatten().copied().filter(move |row| Some(*row) != held_out)
    }

    /// The one at a position.
    pub(super) fn at(&self, position: u64) -> Option<u32> {
        let mut left = position as usize;
        for list in self.lists() {
            let own = self.held_out.and_then(|row| list.binary_search(&row).ok());
            let length = list.len() - usize::from(own.is_some());
            if left < length {
                return Some(list[left + usize::from(own.is_some_and(|own| left >= own))]);
            }
            left -= length;
        }
        None
    }
}
