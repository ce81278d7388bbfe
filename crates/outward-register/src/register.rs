//! The register: the operations on releases, each with its entry in the log.

mod ask;
mod audit;
mod enter;
mod moves;
mod read;
mod related;

pub use outward_ledger::Actor;
use outward_ledger::{Ledger, Note};
use outward_spec::{Error, Result};
use serde::{Deserialize, Serialize};

use crate::form::FORM;
use crate::state::{State, is_same_person};

/// A bundle when it is entered.
#[derive(Debug, Clone, PartialEq)]
pub struct Submission {
    /// The name of the data.
    pub dataset: String,
    /// The hash of the data.
    pub data_sha256: String,
    /// The title of the release.
    pub title: String,
    /// `tables` or `records`.
    pub kind: String,
    /// Who asked for it.
    pub requester: String,
    /// The purpose.
    pub purpose: String,
    /// The policy, its version and its tier.
    pub policy: [String; 3],
    /// How many people other than the author must approve.
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

/// What the register keeps of a published table.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableEntry {
    /// Its name.
    pub name: String,
    /// Its unit: what one record is.
    pub unit: String,
    /// What it counts or adds up.
    pub measure: String,
    /// The condition on the records counted, as the spec has it; empty if all are counted.
    pub condition: String,
    /// The level of geography, if one is given.
    pub geography: String,
    /// How it was protected.
    pub method: String,
    /// How many cells it has.
    pub cells: i64,
    /// How many cells are hidden.
    pub hidden: i64,
    /// The columns that its variables and its condition read. They decide which other tables it is compared with.
    pub sources: Vec<String>,
}

/// A release in the list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Release {
    /// Its number.
    pub id: i64,
    /// The name of the data.
    pub dataset: String,
    /// The version of the data, from 1.
    pub version: i64,
    /// Its title.
    pub title: String,
    /// `tables` or `records`.
    pub kind: String,
    /// Its state.
    pub state: State,
    /// Who entered it.
    pub author: String,
    /// Who asked for it.
    pub requester: String,
    /// The purpose.
    pub purpose: String,
    /// The policy.
    pub policy: String,
    /// Its version.
    pub policy_version: String,
    /// Its tier, if it has tiers.
    pub tier: String,
    /// How many people other than the author must approve.
    pub approvals: i64,
    /// The hash of the bundle.
    pub bundle_hash: String,
    /// When it was submitted.
    pub submitted: String,
    /// When it became public; empty if it is not public.
    pub released: String,
}

/// A decision on a bundle.
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
    /// Its scope.
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

/// Everything that the register has on a release.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct File {
    /// The release.
    pub release: Release,
    /// Its tables.
    pub tables: Vec<TableEntry>,
    /// What was decided, in order.
    pub decisions: Vec<Decision>,
    /// Its exceptions.
    pub exceptions: Vec<Exception>,
}

impl File {
    /// The people who approved this bundle, each once.
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
    store: Ledger,
}

impl Register {
    /// Opens a register. If there is none, `create` makes one.
    ///
    /// # Errors If the URL is not that of a register, the database cannot be reached, or a newer version of Outward
    /// wrote it.
    pub async fn open(url: &str, create: bool) -> Result<Self> {
        Ok(Self { store: Ledger::open(url, &FORM, create).await? })
    }

    /// Whether there was no register at this address before.
    pub fn is_new(&self) -> bool {
        self.store.is_new()
    }

    /// Commits a change if it succeeded, and rolls it back if not.
    async fn end<T>(&mut self, done: Result<T>) -> Result<T> {
        self.store.end(done).await
    }
}

/// A request that was checked before anything was made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Request {
    /// The name of the data.
    pub dataset: String,
    /// Who asked for it.
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
