//! A custodian's desk: records, a spec, and the release made of them.

use std::path::PathBuf;

use outward_engine::Embedded;
use outward_release::verify::Options;
use outward_release::{Existing, Protect, Protected, Verification, protect, verify};
use outward_spec::{Result, Spec};
use tempfile::TempDir;

/// A folder with `outward.toml` and the records it is about.
pub(crate) struct Desk {
    folder: TempDir,
    text: String,
}

impl Desk {
    /// The spec says all but where the records are.
    pub(crate) fn new(spec: &str, records: &str) -> Self {
        let folder = TempDir::new().unwrap();
        let text = format!("data = {{ path = \"people.csv\" }}\n{spec}");
        std::fs::write(folder.path().join("people.csv"), records).unwrap();
        std::fs::write(folder.path().join("outward.toml"), &text).unwrap();
        Self { folder, text }
    }

    pub(crate) fn spec(&self) -> Spec {
        Spec::load(self.folder.path().join("outward.toml")).unwrap()
    }

    pub(crate) fn bundle(&self) -> PathBuf {
        self.path("bundle")
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn protect(&self) -> Result<Protected> {
        self.protect_with(&Embedded::new(1))
    }

    pub(crate) fn protect_with(&self, engine: &Embedded) -> Result<Protected> {
        let wanted = Protect {
            spec: &self.spec(),
            file: &self.folder.path().join("outward.toml"),
            text: &self.text,
            target: &self.bundle(),
            existing: Existing::Refuse,
            threads: 1,
        };
        tokio::runtime::Runtime::new().unwrap().block_on(protect(engine, &wanted))
    }

    pub(crate) fn verify(&self) -> Verification {
        tokio::runtime::Runtime::new().unwrap().block_on(verify(&self.bundle(), &Options::default())).unwrap()
    }

    /// The text of a published file.
    pub(crate) fn published(&self, file: &str) -> String {
        std::fs::read_to_string(self.bundle().join("public").join(file)).unwrap()
    }
}
