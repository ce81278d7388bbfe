//! Evidence in a bundle: score cards of intruder tests, each bound to the bundle it was made on.
//!
//! A test comes after the bundle, so its file is not in the manifest. Instead it names the hash of the manifest, which
//! has the hashes of all other files. So evidence of one bundle is not valid in another. A register freezes both
//! together.

use std::fs;
use std::io::Write;
use std::path::Path;

use outward_intruder::attack::ScoreCard;
use outward_spec::{Error, Result, Scenario};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::bundle::{Found, MANIFEST, path_of, read_ordinary, walk};
use crate::hash;

/// The folder of a bundle that evidence is kept in.
pub const EVIDENCE: &str = "evidence";

/// The form of evidence that this version writes and reads.
pub(crate) const EVIDENCE_FORMAT: u32 = 1;

/// An intruder test, as a bundle keeps it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct IntruderTest {
    /// The form of this file.
    pub format: u32,
    /// The tool and its version.
    pub tool: String,
    /// The SHA-256 of the manifest of the bundle that was attacked.
    pub bundle: String,
    /// Who authorised the attack. To search for people without authority is an offence in some countries.
    pub authorised_by: String,
    /// The scenario: who the intruder was and what they knew.
    pub scenario: Scenario,
    /// The score card.
    pub card: ScoreCard,
}

impl IntruderTest {
    /// A test of a bundle.
    ///
    /// # Errors
    /// If there is no bundle.
    pub fn of_bundle(bundle: &Path, authorised_by: &str, scenario: Scenario, card: ScoreCard) -> Result<Self> {
        Ok(Self {
            format: EVIDENCE_FORMAT,
            tool: concat!("outward ", env!("CARGO_PKG_VERSION")).to_owned(),
            bundle: manifest_hash(bundle)?,
            authorised_by: authorised_by.to_owned(),
            scenario,
            card,
        })
    }

    /// Writes it into the bundle and replaces an earlier test with the same scenario. Returns its path in the bundle.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn add_to(&self, bundle: &Path) -> Result<String> {
        let path = format!("{EVIDENCE}/{}", file_of_scenario(&self.scenario.name));
        let folder = bundle.join(EVIDENCE);
        fs::create_dir_all(&folder).map_err(|error| Error::io("create", &folder, error))?;
        let target = bundle.join(&path);
        let failed = |error| Error::io("write", &target, error);
        let text = serde_json::to_string_pretty(self).map_err(Error::bug)?;
        // The file is first written outside the folder of evidence, so that a killed run leaves no file or a whole one.
        let beside = bundle.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let mut file = tempfile::Builder::new().prefix(".outward-evidence-").tempfile_in(beside).map_err(failed)?;
        file.write_all(text.as_bytes()).and_then(|()| file.write_all(b"\n")).map_err(failed)?;
        file.as_file().sync_all().map_err(failed)?;
        file.persist(&target).map_err(|error| failed(error.error))?;
        Ok(path)
    }
}

/// The SHA-256 of the manifest of a bundle, by which evidence is bound to it.
///
/// # Errors
/// If there is no bundle.
pub(crate) fn manifest_hash(bundle: &Path) -> Result<String> {
    let path = bundle.join(MANIFEST);
    let text = read_ordinary(&path).map_err(|error| Error::io("read", &path, error))?;
    Ok(hash::of_bytes(text.as_bytes()))
}

/// The evidence of a bundle, by path, in the order of the paths.
pub(crate) fn evidence_files(bundle: &Path) -> Result<Vec<String>> {
    let found = walk(bundle)?;
    Ok(found.iter().filter(|found| is_evidence(found)).map(|found| path_of(found).to_owned()).collect())
}

/// Whether this is a file of evidence: `evidence/NAME.json`.
pub(crate) fn is_evidence(found: &Found) -> bool {
    let Found::File(path) = found else { return false };
    let name = path.strip_prefix(EVIDENCE).and_then(|rest| rest.strip_prefix('/'));
    name.is_some_and(|name| name.ends_with(".json") && !name.contains('/'))
}

/// The file of a scenario: its name if that is plain. Otherwise the name has a part of its hash, so that no two
/// scenarios share a file.
fn file_of_scenario(name: &str) -> String {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    match !name.is_empty() && name.len() <= 60 && name.chars().all(plain) {
        true => format!("intruder-{name}.json"),
        false => {
            let short: String = name.chars().map(|c| if plain(c) { c } else { '-' }).take(40).collect();
            format!("intruder-{short}.{}.json", &hash::of_bytes(name.as_bytes())[..8])
        }
    }
}
