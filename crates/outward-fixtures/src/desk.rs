//! A custodian's desk: records, a spec, and the release made of them.

use std::path::PathBuf;

use outward_engine::Embedded;
use outward_release::verify::Options;
use outward_release::{Existing, Protect, Protected, Verification, protect, verify};
use outward_spec::{Result, Spec};
use tempfile::TempDir;

use crate::runtime;

/// A folder with `outward.toml` and the records it is about.
pub struct Desk {
    folder: TempDir,
    /// The text of the spec.
    pub text: String,
}

impl Desk {
    /// The spec says all but where the records are.
    pub fn new(spec: &str, records: &str) -> Self {
        Self::with_files(format!("data = {{ path = \"people.csv\" }}\n{spec}"), &[("people.csv", records)])
    }

    /// A whole spec and the files it names.
    pub fn with_files(text: String, files: &[(&str, &str)]) -> Self {
        let folder = TempDir::new().unwrap();
        for (name, content) in files {
            std::fs::write(folder.path().join(name), content).unwrap();
        }
        std::fs::write(folder.path().join("outward.toml"), &text).unwrap();
        Self { folder, text }
    }

    /// The spec as it is read.
    pub fn spec(&self) -> Spec {
        Spec::load(self.path("outward.toml")).unwrap()
    }

    /// Where the bundle is.
    pub fn bundle(&self) -> PathBuf {
        self.path("bundle")
    }

    /// A place in the folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Names of everything in the folder.
    pub fn listing(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.folder.path()).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    /// Makes the release.
    pub fn protect(&self) -> Result<Protected> {
        self.protect_with(&Embedded::new(1))
    }

    /// Makes the release by another engine.
    pub fn protect_with(&self, engine: &Embedded) -> Result<Protected> {
        self.make(engine, &self.spec(), "bundle", 1)
    }

    /// Makes a release on so many threads, with the seed of the spec or another.
    pub fn protect_as(&self, bundle: &str, threads: usize, seed: Option<u64>) -> Result<Protected> {
        let mut spec = Spec::load(self.path("outward.toml"))?;
        spec.seed = seed.unwrap_or(spec.seed);
        self.make(&Embedded::new(threads), &spec, bundle, threads)
    }

    fn make(&self, engine: &Embedded, spec: &Spec, bundle: &str, threads: usize) -> Result<Protected> {
        let (file, target) = (self.path("outward.toml"), self.path(bundle));
        let (text, existing) = (self.text.as_str(), Existing::Refuse);
        let wanted = Protect { spec, file: &file, text, target: &target, existing, threads };
        runtime().block_on(protect(engine, &wanted))
    }

    /// What `verify` says of the release.
    pub fn verify(&self) -> Verification {
        self.verify_as("bundle", &Options::default())
    }

    /// What `verify` says of a bundle.
    pub fn verify_as(&self, bundle: &str, options: &Options) -> Verification {
        runtime().block_on(verify(&self.path(bundle), options)).unwrap()
    }

    /// The text of a published file.
    pub fn published(&self, file: &str) -> String {
        std::fs::read_to_string(self.bundle().join("public").join(file)).unwrap()
    }
}
