//! Small bundles made by hand, and ways to tamper with them.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use outward_release::verify::Options;
use outward_release::{
    Check, ColumnRecord, Existing, InputRecord, Manifest, Measures, ModelVerdict, Outcome, StepRecord, Verification,
    read, verify, write,
};
use outward_spec::{Missing, Spec, Step, Type};
use sha2::{Digest, Sha256};
use tempfile::TempDir;

use crate::csv::CsvFile;
use crate::runtime;

/// What a bundle is made from.
pub struct Case {
    /// The spec, without its data.
    pub spec: String,
    /// The published records, as CSV without quotes.
    pub data: String,
    /// Columns that are not text.
    pub types: Vec<(&'static str, Type)>,
    /// Other files of the spec, by name.
    pub files: Vec<(&'static str, &'static str)>,
    /// What is changed in the manifest before it is written.
    pub change: fn(&mut Manifest),
}

/// A bundle in a folder that goes away with it.
pub struct WrittenBundle {
    /// The folder, which has the spec and its files too.
    pub folder: TempDir,
    /// Where the bundle is.
    pub bundle: PathBuf,
    /// Its manifest, as it was written.
    pub manifest: Manifest,
}

impl Case {
    /// A bundle of these records, all of them text.
    pub fn new(spec: &str, data: &str) -> Self {
        Self { spec: spec.to_owned(), data: data.to_owned(), types: Vec::new(), files: Vec::new(), change: |_| {} }
    }

    /// Writes the bundle.
    pub fn make(&self) -> WrittenBundle {
        let folder = TempDir::new().unwrap();
        let text = format!("data = {{ path = \"in.csv\" }}\n{}", self.spec);
        fs::write(folder.path().join("in.csv"), "a\n1\n").unwrap();
        for (name, content) in &self.files {
            fs::write(folder.path().join(name), content).unwrap();
        }
        let file = folder.path().join("outward.toml");
        fs::write(&file, &text).unwrap();
        let spec = Spec::load(&file).unwrap();
        let bundle = folder.path().join("bundle");
        let manifest = write(&bundle, Existing::Refuse, |staging| {
            staging.put("public/data.csv", self.data.as_bytes())?;
            staging.add_spec(&spec, &text, &spec.steps)?;
            let mut manifest = self.manifest(&spec);
            manifest.inputs = InputRecord::of_spec(&spec, &file, &text)?;
            (self.change)(&mut manifest);
            Ok(manifest)
        });
        WrittenBundle { manifest: manifest.unwrap(), folder, bundle }
    }

    fn manifest(&self, spec: &Spec) -> Manifest {
        let table = CsvFile::parse(&self.data);
        let of = |name: &String| self.types.iter().find(|(other, _)| other == name).map_or(Type::Text, |(_, of)| *of);
        let columns = table.names.iter().map(|name| ColumnRecord::new(spec, name, of(name))).collect();
        let mut manifest = Manifest::new(spec, spec.rules().unwrap(), columns);
        let records = table.rows.len() as u64;
        let step = |(at, step): (usize, &Step)| StepRecord::new(at + 1, step.clone(), step.name(), records, records);
        manifest.steps = spec.steps.iter().enumerate().map(step).collect();
        (manifest.records_in, manifest.records_out) = (records, records);
        manifest.data = "public/data.csv".to_owned();
        manifest.after = table.measures(&manifest);
        manifest.before = manifest.after.clone();
        manifest.verdicts = vec![ModelVerdict { says: "k".into(), holds: true, worst: "none".into() }];
        manifest
    }
}

impl WrittenBundle {
    /// A place in the bundle.
    pub fn path(&self, path: &str) -> PathBuf {
        self.bundle.join(path)
    }

    /// Rewrites a file of the bundle.
    pub fn edit(&self, path: &str, change: impl Fn(String) -> String) {
        let text = fs::read_to_string(self.path(path)).unwrap();
        let changed = change(text.clone());
        assert_ne!(text, changed, "the fault was not planted");
        fs::write(self.path(path), changed).unwrap();
    }

    /// Rewrites a file of the bundle and its hash, as someone who knows how bundles are made would.
    pub fn forge(&self, path: &str, change: impl Fn(String) -> String) {
        self.edit(path, change);
        let bytes = fs::read(self.path(path)).unwrap();
        let hash: String = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
        let mut manifest = read(&self.bundle).unwrap();
        let file = manifest.files.iter_mut().find(|file| file.path == path).unwrap();
        (file.bytes, file.sha256) = (bytes.len() as u64, hash);
        fs::write(self.path("manifest.json"), serde_json::to_string(&manifest).unwrap()).unwrap();
    }

    /// Sets a cell of the data, row from 1, and repairs the hash.
    pub fn forge_cell(&self, row: usize, column: &str, value: &str) {
        self.forge("public/data.csv", |text| {
            let mut table = CsvFile::parse(&text);
            let at = table.names.iter().position(|name| name == column).unwrap();
            table.rows[row - 1][at] = value.to_owned();
            table.to_csv()
        });
    }

    /// What `verify` says of it.
    pub fn verify(&self) -> Verification {
        self.verify_with(&Options::default())
    }

    /// The same, with options.
    pub fn verify_with(&self, options: &Options) -> Verification {
        runtime().block_on(verify(&self.bundle, options)).unwrap()
    }

    /// The check of this name, whatever came of it.
    pub fn check(&self, name: &str) -> Check {
        named(&self.verify(), name)
    }

    /// The check of this name, which must fail.
    pub fn failing(&self, name: &str) -> Check {
        let check = self.check(name);
        assert_eq!(check.outcome, Outcome::Fails, "{check:?}");
        check
    }
}

/// The check of this name.
pub fn named(verification: &Verification, name: &str) -> Check {
    let check = verification.checks.iter().find(|check| check.name == name);
    check.unwrap_or_else(|| panic!("no check `{name}` in {verification:#?}")).clone()
}

/// Where the first place of a check is.
pub fn place(check: &Check) -> String {
    check.places.first().map(ToString::to_string).unwrap_or_default()
}

impl CsvFile {
    /// Whether record `b` supports record `a`. They agree where both have a value. Both have most keys, or `b` has all
    /// that `a` has.
    pub fn supports(&self, a: usize, b: usize, keys: &[(usize, Missing)]) -> bool {
        let has = |row: usize, (key, missing): &(usize, Missing)| {
            *missing == Missing::Category || !self.rows[row][*key].is_empty()
        };
        let most = |row: usize| keys.iter().filter(|key| has(row, key)).count() * 2 > keys.len();
        let agree = |key: &(usize, Missing)| !has(a, key) || !has(b, key) || self.rows[a][key.0] == self.rows[b][key.0];
        let has_all = || keys.iter().all(|key| !has(a, key) || has(b, key));
        keys.iter().all(agree) && (most(a) && most(b) || has_all())
    }

    /// The records that count for each record.
    pub fn classes(&self, keys: &[(usize, Missing)]) -> Vec<Vec<usize>> {
        let all = 0..self.rows.len();
        all.clone().map(|a| all.clone().filter(|b| self.supports(a, *b, keys)).collect()).collect()
    }

    /// The columns of the keys, and what missing values of each mean.
    pub fn keys(&self, manifest: &Manifest) -> Vec<(usize, Missing)> {
        let columns = manifest.columns.iter().enumerate();
        columns.filter(|(_, column)| column.is_key).map(|(at, column)| (at, column.missing)).collect()
    }

    fn measures(&self, manifest: &Manifest) -> Measures {
        let keys = self.keys(manifest);
        let missing: BTreeMap<String, u64> = (self.names.iter().enumerate())
            .map(|(at, name)| (name.clone(), self.rows.iter().filter(|row| row[at].is_empty()).count() as u64))
            .collect();
        if keys.is_empty() {
            return Measures { records: self.rows.len() as u64, missing, ..Measures::default() };
        }
        let sizes: Vec<u64> = self.classes(&keys).iter().map(|class| class.len() as u64).collect();
        let records = sizes.len() as u64;
        let of_size = |wanted: &dyn Fn(u64) -> bool| sizes.iter().filter(|size| wanted(**size)).count() as u64;
        let smallest_class = sizes.iter().copied().min().unwrap_or(0);
        let combination = |row: &Vec<String>| keys.iter().map(|(at, _)| row[*at].clone()).collect::<Vec<_>>();
        let mut equal: BTreeMap<_, u64> = BTreeMap::new();
        self.rows.iter().for_each(|row| *equal.entry(combination(row)).or_default() += 1);
        let wild = keys.iter().any(|(_, missing)| *missing == Missing::Wildcard);
        let exactly = |wanted: &dyn Fn(u64) -> bool| equal.values().filter(|records| wanted(**records)).sum::<u64>();
        Measures {
            records,
            classes: equal.len() as u64,
            alone_exactly: wild.then(|| exactly(&|records| records == 1)),
            smallest_exactly: wild.then(|| equal.values().copied().min().unwrap_or(0)),
            below_k_exactly: wild.then(|| exactly(&|records| records < manifest.rules.k)),
            uniques: of_size(&|size| size == 1),
            pairs: of_size(&|size| size == 2),
            smallest_class,
            below_k: of_size(&|size| size < manifest.rules.k),
            average_risk: sizes.iter().map(|size| 1.0 / *size as f64).sum::<f64>() / records.max(1) as f64,
            highest_risk: if smallest_class == 0 { 0.0 } else { 1.0 / smallest_class as f64 },
            missing,
            ..Measures::default()
        }
    }
}

/// The whole of a folder, one path to a line.
pub fn layout(folder: &Path) -> String {
    let mut paths = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => folders.push(path),
                false => paths.push(path.strip_prefix(folder).unwrap().to_string_lossy().into_owned()),
            }
        }
    }
    paths.sort();
    paths.join("\n")
}
