//! A small bundle of tables, and someone who tampers with it and mends the hashes.

use std::fs;
use std::path::PathBuf;

use outward_engine::Embedded;
use outward_release::verify::Options;
use outward_release::{Check, Existing, Outcome, TableRelease, Verification, make_tables, verify, write_tables};
use outward_spec::{Spec, Table as Wanted};
use outward_tables::judge::judge_family;
use outward_tables::protect::protect;
use outward_tables::read::read_json;
use outward_tables::report::report;
use outward_tables::words::statement;
use outward_tables::write::{Publication, write_csv, write_excel, write_html, write_json};
use serde_json::Value;
use sha2::{Digest, Sha256};

/// The file of all tables.
const TABLES: &str = "public/tables.json";

/// A bundle in a folder that goes away with it.
pub(crate) struct Bundle {
    _folder: tempfile::TempDir,
    root: PathBuf,
}

impl Bundle {
    /// The tables of a spec, all of one family, protected as it says and written.
    pub(crate) fn of(text: &str, files: &[(&str, &str)]) -> Self {
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
        let made = runtime().block_on(make_tables(&Embedded::new(1), &spec, &wanted, &asked)).unwrap();
        let tables: Vec<outward_tables::Table> = made.iter().map(|made| made.table.clone()).collect();
        let verdicts = judge_family(&tables, &asked).unwrap();
        let protected = protect(&made, &verdicts, &spec.protection, &asked, &spec.base).unwrap();
        let none: Vec<_> = made.iter().map(|_| Vec::new()).collect();
        let report = report(&spec, &rules, &made, &verdicts, &none, &protected);
        let release =
            TableRelease { spec: &spec, file: &file, text, rules: &rules, protected: &protected, report: &report };
        write_tables(&root, Existing::Refuse, &release).unwrap();
        Self { _folder: folder, root }
    }

    pub(crate) fn text(&self, path: &str) -> String {
        fs::read_to_string(self.root.join(path)).unwrap()
    }

    pub(crate) fn json(&self, path: &str) -> Value {
        serde_json::from_str(&self.text(path)).unwrap()
    }

    /// Puts other content in the place of a file, or a file where none was, and makes the manifest say so.
    pub(crate) fn forge(&self, path: &str, content: &[u8]) {
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

    pub(crate) fn forge_manifest(&self, manifest: &Value) {
        fs::write(self.root.join("manifest.json"), manifest.to_string()).unwrap();
    }

    /// Changes a file of JSON.
    pub(crate) fn forge_json(&self, path: &str, change: impl FnOnce(&mut Value)) {
        let mut value = self.json(path);
        change(&mut value);
        self.forge(path, value.to_string().as_bytes());
    }

    /// Changes the lines of the certificate about hidden cells.
    pub(crate) fn forge_certificate(&self, change: impl FnOnce(&mut Vec<Value>)) {
        self.forge_json("certificate.json", |certificates| {
            change(certificates[0]["certificate"]["cells"].as_array_mut().unwrap());
        });
    }

    /// Changes the tables in all their forms, as the program would have written them.
    pub(crate) fn forge_tables(&self, change: impl FnOnce(&mut [Value])) {
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

    /// Shows a figure in all forms of its table.
    pub(crate) fn show(&self, table: &str, labels: &[&str], figure: i64) {
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
    pub(crate) fn show_in_csv(&self, table: &str, labels: &[&str], figure: i64) {
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

    pub(crate) fn verify(&self) -> Verification {
        runtime().block_on(verify(&self.root, &Options::default())).unwrap()
    }

    /// The check of this name, which must fail.
    pub(crate) fn failing(&self, name: &str) -> Check {
        let verification = self.verify();
        let found = verification.checks.iter().find(|check| check.name == name && check.outcome == Outcome::Fails);
        found.unwrap_or_else(|| panic!("{name} does not fail: {verification:#?}")).clone()
    }
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Runtime::new().unwrap()
}
