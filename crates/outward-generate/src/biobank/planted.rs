//! Texts that are put together from ordinary words and identifiers, and where each identifier stands.

use crate::columns::TableBuilder;

/// Kinds of identifiers in texts, by the names that `outward scan` has for them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PlantedKind {
    NhsNumber,
    Email,
    Phone,
    Postcode,
    DateOfBirth,
    Name,
}

pub(super) const PLANTED_KIND: [&str; 6] =
    ["nhs-number", "email", "uk-phone", "postcode", "date-of-birth", "person-name"];

/// The tables that have texts.
pub(super) const PLANTED_TABLE: [&str; 2] = ["assessments", "admissions"];
pub(super) const PLANTED_COLUMN: [&str; 2] = ["remarks", "letter"];

/// A text under construction.
#[derive(Default)]
pub(super) struct PlantedText {
    text: String,
    /// The kind of each identifier, where it starts, and how long it is, in characters from 1.
    planted: Vec<(PlantedKind, usize, usize)>,
}

impl PlantedText {
    pub(super) fn clear(&mut self) {
        self.text.clear();
        self.planted.clear();
    }

    /// Adds words that identify nobody.
    pub(super) fn say(&mut self, words: &str) {
        self.text.push_str(words);
    }

    /// Adds an identifier.
    pub(super) fn plant(&mut self, kind: PlantedKind, identifier: &str) {
        self.planted.push((kind, self.text.chars().count() + 1, identifier.chars().count()));
        self.text.push_str(identifier);
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Writes a row of the truth for each identifier. `table` counts in [`PLANTED_TABLE`]; `entry` is the number of the visit or the stay.
    pub(super) fn write_truth(&self, table: usize, participant: i64, entry: i64, rows: &mut TableBuilder) {
        for (kind, start, length) in &self.planted {
            rows.code(table);
            rows.integer(participant);
            rows.integer(entry);
            rows.code(table);
            rows.code(*kind as usize);
            rows.integer(*start as i64);
            rows.integer(*length as i64);
        }
    }
}
