//! Whole releases: records and a spec in, a bundle out, and the bundle judged by other code than made it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "protect/case.rs"]
mod case;
#[path = "protect/holds.rs"]
mod holds;
#[path = "protect/people.rs"]
mod people;
#[path = "protect/plans.rs"]
mod plans;
#[path = "protect/repeats.rs"]
mod repeats;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use outward_engine::Embedded;
use outward_release::verify::Options;
use outward_release::{Existing, Protect, Protected, Verification, protect, verify};
use outward_spec::{Result, Spec};

/// A folder with a spec and the files it names.
struct Desk {
    folder: tempfile::TempDir,
    text: String,
}

impl Desk {
    fn new(text: String, files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for (name, content) in files {
            std::fs::write(folder.path().join(name), content).unwrap();
        }
        std::fs::write(folder.path().join("outward.toml"), &text).unwrap();
        Self { folder, text }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Makes a release on so many threads, with the seed of the spec or another.
    fn protect(&self, bundle: &str, threads: usize, seed: Option<u64>) -> Result<Protected> {
        let file = self.path("outward.toml");
        let mut spec = Spec::load(&file)?;
        spec.seed = seed.unwrap_or(spec.seed);
        let target = self.path(bundle);
        let wanted = Protect {
            spec: &spec,
            file: &file,
            text: &self.text,
            target: &target,
            existing: Existing::Refuse,
            threads,
        };
        runtime().block_on(protect(&Embedded::new(threads), &wanted))
    }

    fn verify(&self, bundle: &str, options: &Options) -> Verification {
        runtime().block_on(verify(&self.path(bundle), options)).unwrap()
    }

    /// Names of everything in the folder.
    fn listing(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.folder.path()).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap()
}

/// A CSV file without quotes: its records, each with its values by column.
struct Table {
    header: Vec<String>,
    records: Vec<Vec<String>>,
}

impl Table {
    fn read(path: &Path) -> Self {
        let text = std::fs::read_to_string(path).unwrap();
        assert!(!text.contains('"'), "the values of these tests need no quotes");
        let mut lines = text.lines().map(|line| line.split(',').map(str::to_owned).collect::<Vec<String>>());
        Self { header: lines.next().unwrap(), records: lines.collect() }
    }

    fn column(&self, name: &str) -> Vec<&str> {
        let at = self.header.iter().position(|column| column == name).unwrap();
        self.records.iter().map(|record| record[at].as_str()).collect()
    }

    /// Whether a column of numbers never falls.
    fn in_order(&self, name: &str) -> bool {
        let numbers = self.column(name).into_iter().map(|number| number.parse::<u64>().unwrap());
        numbers.is_sorted()
    }

    /// How often each combination of some columns occurs.
    fn margin(&self, names: &[&str]) -> BTreeMap<Vec<String>, u64> {
        let columns: Vec<Vec<&str>> = names.iter().map(|name| self.column(name)).collect();
        let mut counts = BTreeMap::new();
        for row in 0..self.records.len() {
            *counts.entry(columns.iter().map(|column| column[row].to_owned()).collect()).or_default() += 1;
        }
        counts
    }
}
