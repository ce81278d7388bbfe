//! The input of an attack: releases, the people of the intruder's file, and which record each of them has.

use outward_cells::{Coded, MISSING};
use outward_error::{Error, Result, suggest};

/// One column of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedColumn {
    /// Its name.
    pub name: String,
    /// Its values.
    pub values: Coded,
}

/// A release. Its records are at the rows of the source they were made from, and `order` has where they are published.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Released {
    /// Its name in results.
    pub name: String,
    /// The published file: for each of its rows, from 0, the row of the source that its record was made from, from 0.
    pub order: Vec<u32>,
    /// For each row of the source, whether its record is among those the intruder searches.
    pub present: Vec<bool>,
    /// The published columns. Values in rows that are not in the release do not matter.
    pub columns: Vec<NamedColumn>,
}

impl Released {
    /// How many records the intruder searches.
    #[must_use]
    pub fn records(&self) -> usize {
        self.present.iter().filter(|present| **present).count()
    }

    /// The column with this name.
    #[must_use]
    pub fn column(&self, name: &str) -> Option<&Coded> {
        column(&self.columns, name)
    }

    /// For each row of the source the row of the published file, both from 0.
    pub(super) fn published_rows(&self) -> Vec<Option<u32>> {
        let mut rows = vec![None; self.present.len()];
        for (published, source) in (0..).zip(&self.order) {
            rows[*source as usize] = Some(published);
        }
        rows
    }
}

/// Which row of the source a person of the intruder's file is, as the custodian knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Truth {
    /// This row of the source, from 0.
    Row(u32),
    /// The person is not in the source.
    Elsewhere,
    /// The same person as in this earlier row of the intruder's file, from 0.
    Again(u32),
    /// It is not known. Claims about this person cannot be verified.
    Unknown,
}

/// The people of the intruder's file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct People {
    /// What is known about them or, if the file is made from the population or the data, the truth.
    pub columns: Vec<NamedColumn>,
    /// Who they are.
    pub truth: Vec<Truth>,
}

impl People {
    /// The people of the source itself. Each person is their row.
    #[must_use]
    pub fn of_source(columns: Vec<NamedColumn>, rows: usize) -> Self {
        Self { columns, truth: (0..rows as u32).map(Truth::Row).collect() }
    }

    /// The column with this name.
    #[must_use]
    pub fn column(&self, name: &str) -> Option<&Coded> {
        column(&self.columns, name)
    }

    /// How many rows there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.truth.len()
    }

    /// Whether there are no people.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.truth.is_empty()
    }
}

fn column<'a>(columns: &'a [NamedColumn], name: &str) -> Option<&'a Coded> {
    columns.iter().find(|column| column.name == name).map(|column| &column.values)
}

/// The column of true values with this name, or an error that lists the columns.
pub(super) fn need_column<'a>(source: &'a [NamedColumn], name: &str) -> Result<&'a NamedColumn> {
    source.iter().find(|column| column.name == name).ok_or_else(|| {
        let help = suggest(name, source.iter().map(|column| column.name.as_str()), "columns");
        Error::input(format!("the data have no column `{name}`")).help(help).into()
    })
}

/// Finds the row of each person by a column that both files have: the row of the source with the same value. Rows of
/// the intruder's file with the same value are one person.
///
/// # Errors If two rows of the source have the same value, as it then does not identify people.
pub fn truth_by_column(name: &str, people: &Coded, source: &Coded) -> Result<Vec<Truth>> {
    // Code 0, a missing value, identifies nobody.
    let mut rows = vec![None; source.dictionary.len() + 1];
    for (row, code) in (0..).zip(&source.codes) {
        if *code != MISSING && rows[*code as usize].replace(row).is_some() {
            let what = "two records share a value of this column, so it does not identify people";
            let help = "name as `truth` a column with a different value for each person";
            return Err(Error::input(what).variable(name).row(u64::from(row) + 1).help(help).into());
        }
    }
    let same = people.dictionary.codes_of_same(&source.dictionary);
    let mut first: Vec<Option<u32>> = vec![None; people.dictionary.len() + 1];
    let of_person = |(row, code): (u32, &u32)| match *code {
        MISSING => Truth::Unknown,
        code => match first[code as usize] {
            Some(first) => Truth::Again(first),
            None => {
                first[code as usize] = Some(row);
                rows[same[code as usize] as usize].map_or(Truth::Elsewhere, Truth::Row)
            }
        },
    };
    Ok((0..).zip(&people.codes).map(of_person).collect())
}
