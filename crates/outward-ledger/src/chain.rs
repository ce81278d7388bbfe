//! The audit log. Entries are only added, each with the hash of the one before it.
//!
//! If somebody changes, removes or inserts an entry, the chain is broken from there on. If they rewrite the whole
//! chain, its head changes. A head that was printed and kept elsewhere shows it.

use std::fmt::Write;

use outward_error::{Error, Result};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// The hash before the first entry.
pub const BEGINNING: &str = "0000000000000000000000000000000000000000000000000000000000000000";

/// What happened, who did it, when and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// Its place in the log, from 1.
    pub number: i64,
    /// When it happened: UTC, as ISO 8601 writes it.
    pub at: String,
    /// Who did it.
    pub actor: String,
    /// What was done: `submit`, `approve`, `check`, `show`…
    pub action: String,
    /// What it was done to: `release 3`, `register`.
    pub subject: String,
    /// Why, where that was said.
    pub reason: String,
    /// Further details, as JSON.
    pub details: String,
    /// The hash of the entry before it.
    pub before: String,
    /// The hash of this entry.
    pub hash: String,
}

impl Entry {
    /// The hash of an entry and of all before it. Each part comes with its length, so that none can run into the next.
    pub fn expected_hash(&self) -> String {
        let mut hash = Sha256::new();
        hash.update(self.number.to_be_bytes());
        for part in [&self.before, &self.at, &self.actor, &self.action, &self.subject, &self.reason, &self.details] {
            hash.update((part.len() as u64).to_be_bytes());
            hash.update(part.as_bytes());
        }
        hexadecimal(&hash.finalize())
    }

    /// The entry with its hash.
    #[must_use]
    pub fn sealed(mut self) -> Self {
        self.hash = self.expected_hash();
        self
    }
}

/// SHA-256 of a text, in hexadecimal.
pub fn hash_of_text(text: &str) -> String {
    hexadecimal(&Sha256::digest(text.as_bytes()))
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(2 * bytes.len()), |mut text, byte| {
        // Writing to a string does not fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// Refuses a text that a log does not take: its entries are one line each.
///
/// # Errors
/// Where it has a control character.
pub fn refuse_control_characters(text: &str) -> Result<()> {
    match text.contains(char::is_control) {
        false => Ok(()),
        true => Err(Error::input("a name or a reason has a control character, such as a line break")
            .help("write it on one line")
            .into()),
    }
}

/// Where a chain is broken.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Break {
    /// The first entry that does not fit.
    pub number: i64,
    /// What is wrong with it.
    pub what: String,
}

/// A chain as it is checked, entry by entry.
#[derive(Debug, Clone)]
pub struct Chain {
    entries: i64,
    head: String,
}

impl Default for Chain {
    fn default() -> Self {
        Self { entries: 0, head: BEGINNING.to_owned() }
    }
}

impl Chain {
    /// Takes the next entry, if it fits.
    pub fn take(&mut self, entry: &Entry) -> std::result::Result<(), Break> {
        let number = self.entries + 1;
        let broken = |what: &str| Err(Break { number, what: what.to_owned() });
        if entry.number != number {
            return broken("is missing, or out of order");
        }
        if entry.before != self.head {
            return broken("does not follow from the entry before it");
        }
        if entry.hash != entry.expected_hash() {
            return broken("was changed");
        }
        self.entries = number;
        self.head.clone_from(&entry.hash);
        Ok(())
    }

    /// Compares the end of the chain with the head that the ledger keeps: entries may be missing at the end.
    pub fn finish(self, entries: i64, head: &str) -> std::result::Result<(i64, String), Break> {
        match self.entries == entries && self.head == head {
            true => Ok((self.entries, self.head)),
            false => Err(Break {
                number: self.entries.min(entries) + 1,
                what: "is missing, or the log goes on after the head that is kept".to_owned(),
            }),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn entries(count: i64) -> Vec<Entry> {
        let mut before = BEGINNING.to_owned();
        let entry = |number| {
            let text = |what: &str| format!("{what} {number}");
            let entry = Entry {
                number,
                at: "2026-11-18T12:00:00Z".to_owned(),
                actor: "ann".to_owned(),
                action: "show".to_owned(),
                subject: text("release"),
                reason: String::new(),
                details: "{}".to_owned(),
                before: before.clone(),
                hash: String::new(),
            };
            let entry = entry.sealed();
            before.clone_from(&entry.hash);
            entry
        };
        (1..=count).map(entry).collect()
    }

    fn checked(entries: &[Entry], count: i64, head: &str) -> std::result::Result<(i64, String), Break> {
        let mut chain = Chain::default();
        entries.iter().try_for_each(|entry| chain.take(entry))?;
        chain.finish(count, head)
    }

    #[test]
    fn a_chain_that_nobody_touched_holds() {
        let all = entries(5);
        assert_eq!(checked(&all, 5, &all[4].hash), Ok((5, all[4].hash.clone())));
    }

    #[test]
    fn the_first_entry_that_was_changed_removed_or_swapped_is_named() {
        let all = entries(6);
        let head = all[5].hash.clone();
        let number = |entries: &[Entry]| checked(entries, 6, &head).unwrap_err().number;
        let mut changed = all.clone();
        changed[2].actor = "eve".to_owned();
        assert_eq!(number(&changed), 3);
        changed[2] = changed[2].clone().sealed();
        assert_eq!(number(&changed), 4, "the entry after one that was hashed again does not follow from it");
        let mut removed = all.clone();
        removed.remove(3);
        assert_eq!(number(&removed), 4);
        let mut swapped = all.clone();
        swapped.swap(1, 2);
        assert_eq!(number(&swapped), 2);
        assert_eq!(number(&all[..4]), 5, "entries are missing at the end");
    }

    #[test]
    fn parts_of_an_entry_do_not_run_into_each_other() {
        let mut one = entries(1)[0].clone();
        let mut other = one.clone();
        (one.actor, one.action) = ("ann".to_owned(), "show".to_owned());
        (other.actor, other.action) = ("anns".to_owned(), "how".to_owned());
        assert_ne!(one.expected_hash(), other.expected_hash());
    }
}
