//! The register: what is done to releases, each step with its entry in the log.

mod ask;
mod audit;
mod enter;
mod moves;
mod read;
mod related;

use outward_spec::{Error, Result};
use serde::{Deserialize, Serialize};

use crate::state::{State, is_same_person};
use crate::store::Store;

/// Who does something, and when. Both come from outside.
#[derive(Debug, Clone, Copy)]
pub struct Actor<'a> {
    /// Who.
    pub name: &'a str,
    /// When: UTC, as ISO 8601 writes it.
    pub at: &'a str,
}

/// A bundle, as it is entered.
#[derive(Debug, Clone, PartialEq)]
pub struct Submission {
    /// What the data are called.
    pub dataset: String,
    /// The hash of the data.
    pub data_sha256: String,
    /// What the release is called.
    pub title: String,
    /// `tables` or `records`.
    pub kind: String,
    /// Who asked for it.
    pub requester: String,
    /// What for.
    pub purpose: String,
    /// The policy, its version and its tier.
    pub policy: [String; 3],
    /// How many people besides the author have to approve.
    pub approvals: i64,
    /// The hash of the bundle.
    pub bundle_hash: String,
    /// The manifest, without seeds.
    pub manifest: String,
    /// The files that say what is public: the spec without its seed, hierarchies, the tables.
    pub files: Vec<(String, String)>,
    /// The tables.
    pub tables: Vec<TableEntry>,
}

/// A published table, as the register finds it again.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableEntry {
    /// Its name.
    pub name: String,
    /// What one record is.
    pub unit: String,
    /// What it counts or adds up.
    pub measure: String,
    /// The records counted, as the spec says it; all where empty.
    pub condition: String,
    /// The level of geography, where one is said.
    pub geography: String,
    /// How it was protected.
    pub method: String,
    /// Cells.
    pub cells: i64,
    /// Hidden cells.
    pub hidden: i64,
    /// What it can be compared with others by: the columns that its variables and its condition read.
    pub sources: Vec<String>,
}

/// A release, as it is listed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Release {
    /// Its number.
    pub id: i64,
    /// What the data are called.
    pub dataset: String,
    /// The version of the data, from 1.
    pub version: i64,
    /// What it is called.
    pub title: String,
    /// `tables` or `records`.
    pub kind: String,
    /// Where it stands.
    pub state: State,
    /// Who entered it.
    pub author: String,
    /// Who asked for it.
    pub requester: String,
    /// What for.
    pub purpose: String,
    /// The policy.
    pub policy: String,
    /// Its version.
    pub policy_version: String,
    /// Its tier, where it has tiers.
    pub tier: String,
    /// How many people besides the author have to approve.
    pub approvals: i64,
    /// The hash of the bundle.
    pub bundle_hash: String,
    /// When it was submitted.
    pub submitted: String,
    /// When it became public; empty where it is not.
    pub released: String,
}

/// What somebody decided on a bundle.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Decision {
    /// `approve`, `return` or `refuse`.
    pub kind: String,
    /// Who.
    pub actor: String,
    /// When.
    pub at: String,
    /// Why.
    pub reason: String,
    /// The bundle that was decided on.
    pub bundle_hash: String,
}

/// A rule that a release need not meet (V6).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Exception {
    /// The rule: a check of `verify` or a condition of the gate.
    pub rule: String,
    /// What it holds for.
    pub scope: String,
    /// Why.
    pub reason: String,
    /// Who approved it.
    pub approver: String,
    /// The last day on which it holds, as `2027-03-31`.
    pub expires: String,
    /// When it was entered.
    pub at: String,
    /// The bundle that it was given for; the register fills it in.
    pub bundle_hash: String,
}

impl Exception {
    /// Whether it still holds at a time.
    pub fn holds_at(&self, at: &str) -> bool {
        at.get(..10).is_some_and(|day| day <= self.expires.as_str())
    }
}

/// All that the register holds of a release.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct File {
    /// The release.
    pub release: Release,
    /// Its tables.
    pub tables: Vec<TableEntry>,
    /// What was decided, in order.
    pub decisions: Vec<Decision>,
    /// What it need not meet.
    pub exceptions: Vec<Exception>,
}

impl File {
    /// Those who approved the bundle as it is, each once.
    pub fn approved_by(&self) -> Vec<&str> {
        let own = |decision: &&Decision| decision.bundle_hash == self.release.bundle_hash;
        let mut people: Vec<&str> = Vec::new();
        for decision in self.decisions.iter().filter(own) {
            match decision.kind.as_str() {
                "approve" if !people.iter().any(|other| is_same_person(other, &decision.actor)) => {
                    people.push(&decision.actor);
                }
                "return" | "refuse" | "recall" => people.clear(),
                _ => {}
            }
        }
        people
    }
}

/// An open register.
#[derive(Debug)]
pub struct Register {
    store: Store,
}

/// What parts of an entry are read with between them: a control character, which no part may have.
const BETWEEN: &str = "\u{1f}";

/// What goes into the log.
struct Note<'a> {
    action: &'a str,
    subject: String,
    reason: &'a str,
    details: serde_json::Value,
}

impl Register {
    /// Opens a register; with `create` makes one where there is none.
    ///
    /// # Errors
    /// Where the URL is none of a register, the database cannot be reached, or a newer version of Outward wrote it.
    pub async fn open(url: &str, create: bool) -> Result<Self> {
        Ok(Self { store: Store::open(url, create).await? })
    }

    /// Whether there was no register at this address before.
    pub fn is_new(&self) -> bool {
        self.store.is_new
    }

    /// Keeps a change that was made, or takes it back.
    async fn end<T>(&mut self, done: Result<T>) -> Result<T> {
        match done {
            Ok(done) => self.store.commit().await.map(|()| done),
            Err(error) => {
                self.store.roll_back().await;
                Err(error)
            }
        }
    }
}

/// What somebody asked for, before anything was made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Request {
    /// What the data are called.
    pub dataset: String,
    /// Who asked.
    pub requester: String,
    /// The hash of the spec.
    pub spec_sha256: String,
    /// The tables, by name.
    pub tables: Vec<String>,
    /// When.
    pub at: String,
}

fn subject(id: i64) -> String {
    format!("release {id}")
}

fn refuse_blank(name: &str) -> Result<()> {
    match name.trim().is_empty() {
        false => Ok(()),
        true => Err(Error::input("no name was given for who does this").help("say who with --actor NAME").into()),
    }
}
