//! CSV files without quotes.

use std::collections::BTreeMap;
use std::path::Path;

/// The names and rows of a file.
pub struct CsvFile {
    /// The names of the columns.
    pub names: Vec<String>,
    /// The values of each record, in the order of the names.
    pub rows: Vec<Vec<String>>,
}

impl CsvFile {
    /// Reads a text.
    pub fn parse(text: &str) -> Self {
        let mut lines = text.lines().map(|line| line.split(',').map(str::to_owned).collect::<Vec<_>>());
        Self { names: lines.next().unwrap(), rows: lines.collect() }
    }

    /// Reads a file.
    pub fn read(path: &Path) -> Self {
        let text = std::fs::read_to_string(path).unwrap();
        assert!(!text.contains('"'), "the values of tests need no quotes");
        Self::parse(&text)
    }

    /// The file as a text.
    pub fn to_csv(&self) -> String {
        [&self.names].into_iter().chain(&self.rows).map(|row| row.join(",") + "\n").collect()
    }

    /// The values of a column.
    pub fn column(&self, name: &str) -> Vec<&str> {
        let at = self.names.iter().position(|column| column == name).unwrap();
        self.rows.iter().map(|row| row[at].as_str()).collect()
    }

    /// Whether a column of numbers never falls.
    pub fn in_order(&self, name: &str) -> bool {
        self.column(name).into_iter().map(|number| number.parse::<u64>().unwrap()).is_sorted()
    }

    /// How often each combination of some columns occurs.
    pub fn margin(&self, names: &[&str]) -> BTreeMap<Vec<String>, u64> {
        let columns: Vec<Vec<&str>> = names.iter().map(|name| self.column(name)).collect();
        let mut counts = BTreeMap::new();
        for row in 0..self.rows.len() {
            *counts.entry(columns.iter().map(|column| column[row].to_owned()).collect()).or_default() += 1;
        }
        counts
    }
}

/// The text of a file with these columns and records.
pub fn csv_text<R: AsRef<[S]>, S: AsRef<str>>(names: &[&str], records: impl IntoIterator<Item = R>) -> String {
    let line = |record: R| record.as_ref().iter().map(AsRef::as_ref).collect::<Vec<&str>>().join(",") + "\n";
    names.join(",") + "\n" + &records.into_iter().map(line).collect::<String>()
}
