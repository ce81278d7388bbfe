//! A small bundle of tables, and forgeries of it whose hashes are made to fit.

use std::fs;
use std::path::PathBuf;

use outward_engine::Embedded;
use outward_release::verify::Options;
use outward_release::{Check, Existing, Outcome, TableRelease, Verification, make_tables, verify, write_tables};
use outward_spec::{Spec, Table as Wanted};
use outward_tables::judge::judge_family;
use outward_tables::protect::{Protected, protect};
use outward_tables::read::read_json;
use outward_tables::report::report;
use outward_tables::words::statement;
use outward_tables::write::{Publication, write_csv, write_excel, write_html, write_json};
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::runtime;

/// The file of all tables.
const TABLES: &str = "public/tables.json";

/// A bundle in a folder that goes away with it.
pub struct Bundle {
    _folder: tempfile::TempDir,
    root: PathBuf,
    /// What is in the cells of each table.
    truth: Vec<Vec<i64>>,
}

impl Bundle {
    /// The tables of a spec, protected as it says and written.
    pub fn from_spec(text: &str, files: &[(&str, &str)]) -> Self {
        Self::attempt(text, files).expect("these tables can be protected")
    }

    /// The same, or none if they cannot be protected.
    pub fn attempt(text: &str, files: &[(&str, &str)]) -> Option<Self> {
        Self::attempt_after(text, files, |_, _| {}).map(|made| made.expect("what is written is verified"))
    }

    /// The same, where something happens to the folder or to the protected tables before they are written.
    pub fn attempt_after(
        text: &str,
        files: &[(&str, &str)],
        happens: impl FnOnce(&std::path::Path, &mut Protected),
    ) -> Option<outward_spec::Result<Self>> {
        let folder = tempfile::tempdir().unwrap();
        for (name, content) in files {
            fs::write(folder.path().join(name), content).unwrap();
        }
        let (file, root) = (folder.path().join("outward.toml"), folder.path().join("bundle"));
        fs::write(&file, text).unwrap();
        let spec = Spec::load(&file).unwrap();
        let rules = spec.rules().unwrap();
        let asked = rules.tables.clone().unwrap();
        let wanted: Vec<&Wanted> = spec.tables.iter().collect();
        let inputs = outward_release::InputRecord::of_spec(&spec, &file, text).unwrap();
        let counted = runtime().block_on(make_tables(&Embedded::new(1), &spec, &wanted, &asked)).unwrap();
        let made = &counted.tables;
        let tables: Vec<outward_tables::Table> = made.iter().map(|made| made.table.clone()).collect();
        let verdicts = judge_family(&tables, &asked).unwrap();
        let mut protected = protect(&counted, &verdicts, &spec.protection, &asked, &spec.base).ok()?;
        if !protected.holds() {
            return None;
        }
        let none: Vec<_> = made.iter().map(|_| Vec::new()).collect();
        let report = report(&spec, &rules, made, &verdicts, &none, &protected);
        happens(folder.path(), &mut protected);
        let (rules, protected, report, inputs) = (&rules, &protected, &report, &inputs);
        let release = TableRelease {
            spec: &spec,
            protection: &spec.protection,
            file: &file,
            text,
            rules,
            protected,
            report,
            inputs,
            asked_register: false,
        };
        if let Err(error) = write_tables(&root, Existing::Refuse, &release) {
            assert!(!root.exists(), "an unverified bundle has no name");
            return Some(Err(error));
        }
        let truth = |table: &outward_tables::Table| match &table.magnitudes {
            Some(magnitudes) => magnitudes.sums.clone(),
            None => table.counts.iter().map(|count| *count as i64).collect(),
        };
        Some(Ok(Self { _folder: folder, root, truth: tables.iter().map(truth).collect() }))
    }

    /// The same bundle in another place, to be tampered with.
    pub fn copy(&self) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("bundle");
        copy_folder(&self.root, &root);
        Self { _folder: folder, root, truth: self.truth.clone() }
    }

    /// Where it is.
    pub fn root(&self) -> &std::path::Path {
        &self.root
    }

    /// The text of a file.
    pub fn text(&self, path: &str) -> String {
        fs::read_to_string(self.root.join(path)).unwrap()
    }

    /// A file of JSON.
    pub fn json(&self, path: &str) -> Value {
        serde_json::from_str(&self.text(path)).unwrap()
    }

    /// Puts other content in the place of a file, or a file where none was, and makes the manifest say so.
    pub fn forge(&self, path: &str, content: &[u8]) {
        fs::write(self.root.join(path), content).unwrap();
        let mut manifest = self.json("manifest.json");
        let files = manifest["files"].as_array_mut().unwrap();
        let at = files.iter().position(|file| file["path"] == path).unwrap_or_else(|| {
            files.push(serde_json::json!({ "path": path }));
            files.len() - 1
        });
        files[at]["bytes"] = content.len().into();
        files[at]["sha256"] =
            Sha256::digest(content).iter().map(|byte| format!("{byte:02x}")).collect::<String>().into();
        self.forge_manifest(&manifest);
    }

    /// Puts another manifest in the place of the true one.
    pub fn forge_manifest(&self, manifest: &Value) {
        fs::write(self.root.join("manifest.json"), manifest.to_string()).unwrap();
    }

    /// Changes a file of JSON.
    pub fn forge_json(&self, path: &str, change: impl FnOnce(&mut Value)) {
        let mut value = self.json(path);
        change(&mut value);
        self.forge(path, value.to_string().as_bytes());
    }

    /// Changes the lines of the certificate about hidden cells.
    pub fn forge_certificate(&self, change: impl FnOnce(&mut Vec<Value>)) {
        self.forge_json("certificate.json", |certificates| {
            change(certificates[0]["certificate"]["cells"].as_array_mut().unwrap());
        });
    }

    /// Changes the tables in all their forms, as the program would have written them.
    pub fn forge_tables(&self, change: impl FnOnce(&mut [Value])) {
        let mut file = self.json(TABLES);
        change(file["tables"].as_array_mut().unwrap());
        let tables = read_json(&file.to_string()).unwrap();
        let (title, policy) = (file["title"].as_str().unwrap(), file["policy"].as_str().unwrap());
        let publication = Publication { title, policy, tables: &tables, ..Publication::default() };
        self.forge(TABLES, write_json(&publication).unwrap().as_bytes());
        self.forge("public/tables.html", write_html(&publication).unwrap().as_bytes());
        self.forge("public/tables.xlsx", &write_excel(&publication).unwrap());
        self.forge("public/statement.md", statement(&publication).as_bytes());
        for table in &tables {
            self.forge(&format!("public/{}.csv", table.table.name), write_csv(table).unwrap().as_bytes());
        }
    }

    /// The certificates' lines about hidden cells: family and name, and whether the cell is unsafe.
    pub fn lines(&self) -> Vec<(String, bool)> {
        let certificates = self.json("certificate.json");
        let families = certificates.as_array().unwrap().iter();
        let lines = families.flat_map(|family| family["certificate"]["cells"].as_array().unwrap());
        lines.map(|line| (line["name"].as_str().unwrap().to_owned(), line["verdict"] != "not-asked")).collect()
    }

    /// Shows the count of a cell that a certificate names, in all tables that have the cell and in all their forms.
    /// Takes the cell out of the certificate and of the counts of the manifest.
    pub fn show_again(&self, name: &str) {
        let tables = read_json(&self.text(TABLES)).unwrap();
        let (start, rest) = name.split_once('[').unwrap();
        let position: usize = rest.split_once(']').unwrap().0.parse().unwrap();
        let at = tables.iter().position(|of| of.table.name == start).unwrap();
        let wanted = place(&tables[at], position);
        let mut manifest = self.json("manifest.json");
        let mut shown = Vec::new();
        for (number, published) in tables.iter().enumerate() {
            for cell in (0..published.figures.len()).filter(|cell| place(published, *cell) == wanted) {
                shown.push((number, cell));
                let hidden = manifest["tables"][number]["secondary"].as_u64().unwrap();
                manifest["tables"][number]["secondary"] = hidden.saturating_sub(1).into();
            }
        }
        self.forge_manifest(&manifest);
        self.forge_tables(|tables| {
            for (number, cell) in &shown {
                tables[*number]["figures"][*cell] = self.truth[*number][*cell].into();
            }
        });
        self.forge_json("certificate.json", |certificates| {
            for family in certificates.as_array_mut().unwrap() {
                family["certificate"]["cells"].as_array_mut().unwrap().retain(|line| line["name"] != name);
            }
        });
    }

    /// Every cell that is hidden for the sake of others is needed: shown again, the audit finds what it gives away.
    pub fn needs_every_hidden_cell(&self) {
        let others: Vec<String> =
            self.lines().into_iter().filter(|(_, unsafe_)| !unsafe_).map(|(name, _)| name).collect();
        assert!(!others.is_empty(), "nothing is hidden for the sake of others");
        for name in others {
            let forged = self.copy();
            forged.show_again(&name);
            let says = forged.failing("audit").says;
            assert!(["worked out", "work out", "more tightly"].iter().any(|how| says.contains(how)), "{name}: {says}");
        }
    }

    /// Shows a figure in all forms of its table.
    pub fn show(&self, table: &str, labels: &[&str], figure: i64) {
        self.forge_tables(|tables| {
            let found = tables.iter_mut().find(|other| other["name"] == table).unwrap();
            let mut cell = 0;
            for (dimension, label) in found["dimensions"].as_array().unwrap().iter().zip(labels) {
                let nodes = dimension["nodes"].as_array().unwrap();
                cell = cell * nodes.len() + nodes.iter().position(|node| node["label"] == *label).unwrap();
            }
            found["figures"][cell] = figure.into();
        });
    }

    /// Shows a figure in the file of its own table alone.
    pub fn show_in_csv(&self, table: &str, labels: &[&str], figure: i64) {
        let (path, start) = (format!("public/{table}.csv"), format!("{},", labels.join(",")));
        let mut found = 0;
        let line = |line: &str| match line.starts_with(&start) {
            true => {
                found += 1;
                format!("{start}{figure}\n")
            }
            false => format!("{line}\n"),
        };
        let changed: String = self.text(&path).lines().map(line).collect();
        assert_eq!(found, 1, "the fault was not planted");
        self.forge(&path, changed.as_bytes());
    }

    /// What `verify` says of it.
    pub fn verify(&self) -> Verification {
        runtime().block_on(verify(&self.root, &Options::default())).unwrap()
    }

    /// The check of this name, which must fail.
    pub fn failing(&self, name: &str) -> Check {
        let verification = self.verify();
        let found = verification.checks.iter().find(|check| check.name == name && check.outcome == Outcome::Fails);
        found.unwrap_or_else(|| panic!("{name} does not fail: {verification:#?}")).clone()
    }
}

/// What is counted, of which kinds of records, and for each variable its values.
type Standing = (String, Vec<u32>, Vec<(outward_tables::ValueSource, Vec<u32>)>);

/// What a cell stands for.
fn place(published: &outward_tables::Published, cell: usize) -> Standing {
    let table = &published.table;
    let at = table.dimensions.iter().zip(table.nodes(cell));
    let kept = at.filter(|(of, node)| of.several || of.nodes[*node].values.len() < of.size);
    let mut values: Vec<_> = kept.map(|(of, node)| (of.source.clone(), of.nodes[node].values.clone())).collect();
    values.sort_unstable();
    let measure = table.magnitudes.as_ref().map(|of| format!("{} {}", of.of, of.mean)).unwrap_or_default();
    (format!("{} {measure}", table.unit), table.records.clone(), values)
}

fn copy_folder(from: &std::path::Path, to: &std::path::Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        match entry.file_type().unwrap().is_dir() {
            true => copy_folder(&entry.path(), &target),
            false => _ = fs::copy(entry.path(), target).unwrap(),
        }
    }
}
