//! The log held against the register: what the entries say was done to each release must be what the register says of it.
//!
//! The chain of hashes shows that nobody touched the log. It does not show that nobody changed a release beside the log. So the moves, decisions and
//! exceptions are carried out again from the log, and compared.

use std::collections::BTreeMap;

use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::log::{Break, Entry, hash_of_text};
use crate::register::File;
use crate::state::State;

/// The hash of what a release publishes, as it is entered: its manifest and its files.
pub(crate) fn hash_of_content(manifest: &str, files: &[(String, String)]) -> String {
    let mut files: Vec<&(String, String)> = files.iter().collect();
    files.sort();
    let mut hash = Sha256::new();
    let parts = files.into_iter().flat_map(|(path, content)| [path.as_str(), content.as_str()]);
    for part in std::iter::once(manifest).chain(parts) {
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part.as_bytes());
    }
    hash_of_text(&format!("{:x?}", hash.finalize()))
}

/// What the log says of one release.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Replayed {
    /// The last entry about it.
    last: i64,
    state: String,
    bundle: String,
    /// The hash of its content; empty where an earlier version of Outward entered it.
    content: String,
    /// Who decided what, and why.
    decisions: Vec<[String; 3]>,
    /// Rule, scope, reason, approver and last day.
    exceptions: Vec<[String; 5]>,
}

/// The releases as the log leaves them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Replay {
    releases: BTreeMap<i64, Replayed>,
}

impl Replay {
    /// Carries an entry out.
    pub(crate) fn take(&mut self, entry: &Entry) {
        let Some(id) = entry.subject.strip_prefix("release ").and_then(|id| id.parse().ok()) else { return };
        if !["submit", "draft", "review", "approve", "return", "refuse", "recall", "release", "withdraw", "except"]
            .contains(&entry.action.as_str())
        {
            return;
        }
        let details: Value = serde_json::from_str(&entry.details).unwrap_or_default();
        let said = |key: &str| details[key].as_str().unwrap_or_default().to_owned();
        let release = self.releases.entry(id).or_default();
        release.last = entry.number;
        match entry.action.as_str() {
            "except" => {
                let [rule, scope, approver, expires] = ["rule", "scope", "approver", "expires"].map(said);
                release.exceptions.push([rule, scope, entry.reason.clone(), approver, expires]);
                return;
            }
            "approve" | "return" | "refuse" | "recall" | "withdraw" => {
                release.decisions.push([entry.action.clone(), entry.actor.clone(), entry.reason.clone()]);
            }
            _ => {}
        }
        release.bundle = said("bundle");
        match said("to") {
            to if !to.is_empty() => release.state = to,
            // A bundle is entered.
            _ => {
                let state = if entry.action == "draft" { State::Draft } else { State::Submitted };
                release.state = state.name().to_owned();
                release.content = said("content");
            }
        }
    }

    /// Holds a release against the log. Where no entry is about it, the number of the break is 0.
    pub(crate) fn compare(&mut self, file: &File, content: &str) -> Result<(), Break> {
        let id = file.release.id;
        let Some(log) = self.releases.remove(&id) else {
            return Err(Break { number: 0, what: format!("is missing: the log does not know release {id}") });
        };
        let decisions: Vec<[String; 3]> =
            file.decisions.iter().map(|of| [of.kind.clone(), of.actor.clone(), of.reason.clone()]).collect();
        let exceptions: Vec<[String; 5]> = file
            .exceptions
            .iter()
            .map(|of| [&of.rule, &of.scope, &of.reason, &of.approver, &of.expires].map(String::clone))
            .collect();
        let differs = [
            ("its state", log.state != file.release.state.name()),
            ("its bundle", log.bundle != file.release.bundle_hash),
            ("what it publishes", !log.content.is_empty() && log.content != content),
            ("its decisions", log.decisions != decisions),
            ("its exceptions", log.exceptions != exceptions),
        ];
        match differs.iter().find(|(_, differs)| *differs) {
            None => Ok(()),
            Some((what, _)) => Err(Break {
                number: log.last,
                what: format!("is not what the register says of release {id}: {what} was changed beside the log"),
            }),
        }
    }

    /// The register must have every release that the log knows.
    pub(crate) fn finish(self) -> Result<(), Break> {
        match self.releases.into_iter().next() {
            None => Ok(()),
            Some((id, log)) => {
                Err(Break { number: log.last, what: format!("is about release {id}, which the register has lost") })
            }
        }
    }
}
