//! Compares the log with the register: the entries on each release must lead to what the register has.
//!
//! The chain of hashes shows that nobody changed the log. It does not show that nobody changed a release without an
//! entry. So the moves, decisions and exceptions are carried out again from the log, and the result is compared.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use serde_json::Value;

use crate::register::{File, Release, TableEntry};
use crate::state::State;
use outward_ledger::chain::{Break, Entry, hash_of_text};

/// The part of a release that does not change once it is entered: what it publishes, from which data, for whom, under
/// which policy.
pub(crate) struct Content<'a> {
    pub(crate) release: &'a Release,
    pub(crate) tables: &'a [TableEntry],
    pub(crate) data_sha256: &'a str,
    pub(crate) manifest: &'a str,
    pub(crate) files: &'a [(String, String)],
}

impl Content<'_> {
    /// Its hash. Each part is written with its length, so that parts cannot be confused.
    pub(crate) fn hash(&self) -> String {
        let Release { dataset, version, title, kind, author, requester, purpose, .. } = self.release;
        let Release { policy, policy_version, tier, approvals, submitted, .. } = self.release;
        let mut parts: Vec<String> = vec![self.data_sha256.to_owned(), self.manifest.to_owned()];
        let said = [dataset, title, kind, author, requester, purpose, policy, policy_version, tier, submitted];
        parts.extend(said.map(String::clone));
        parts.extend([version, approvals].map(i64::to_string));
        for TableEntry { name, unit, measure, condition, geography, method, cells, hidden, sources } in self.tables {
            parts.extend([name, unit, measure, condition, geography, method].map(String::clone));
            parts.extend([cells, hidden].map(i64::to_string));
            let sources: BTreeSet<&String> = sources.iter().collect();
            parts.push(sources.len().to_string());
            parts.extend(sources.into_iter().cloned());
        }
        let files: BTreeSet<&(String, String)> = self.files.iter().collect();
        parts.extend(files.into_iter().flat_map(|(path, content)| [path.clone(), content.clone()]));
        let mut whole = String::new();
        for part in &parts {
            // Writing to a string does not fail.
            let _ = write!(whole, "{}:{part}", part.len());
        }
        hash_of_text(&whole)
    }
}

/// One release according to the log.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Replayed {
    /// The last entry about it.
    last: i64,
    state: String,
    /// When it became public; empty if it did not.
    released: String,
    bundle: String,
    /// The hash of its content; empty if an earlier version of Outward entered it.
    content: String,
    /// Who decided what, and why.
    decisions: Vec<[String; 3]>,
    /// Rule, scope, reason, approver and last day.
    exceptions: Vec<[String; 5]>,
}

/// The releases according to the log.
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
        if entry.action == "release" {
            release.released.clone_from(&entry.at);
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

    /// Compares a release with the log. If the log has no entry on it, the number of the break is 0.
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
            ("when it became public", log.released != file.release.released),
            ("its state", log.state != file.release.state.name()),
            ("its bundle", log.bundle != file.release.bundle_hash),
            ("what was entered", !log.content.is_empty() && log.content != content),
            ("its decisions", log.decisions != decisions),
            ("its exceptions", log.exceptions != exceptions),
        ];
        match differs.iter().find(|(_, differs)| *differs) {
            None => Ok(()),
            Some((what, _)) => Err(Break {
                number: log.last,
                what: format!(
                    "is not what the register has on release {id}: somebody changed {what} without an entry in the log"
                ),
            }),
        }
    }

    /// Checks that the register has every release of the log.
    pub(crate) fn finish(self) -> Result<(), Break> {
        match self.releases.into_iter().next() {
            None => Ok(()),
            Some((id, log)) => {
                Err(Break { number: log.last, what: format!("is about release {id}, which the register has lost") })
            }
        }
    }
}
