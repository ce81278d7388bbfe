//! The log of a ledger: written with every change, and read back.

use outward_error::{Error, Result};

use crate::chain::{Break, Chain, Entry, refuse_control_characters};
use crate::store::{Ledger, number, text};
use crate::values;

/// Who does something, and when. Both come from outside.
#[derive(Debug, Clone, Copy)]
pub struct Actor<'a> {
    /// Who.
    pub name: &'a str,
    /// When: UTC, as ISO 8601 writes it.
    pub at: &'a str,
}

/// What goes into the log.
#[derive(Debug)]
pub struct Note<'a> {
    /// What was done.
    pub action: &'a str,
    /// What it was done to.
    pub subject: String,
    /// Why, where that was said.
    pub reason: &'a str,
    /// What else there is to say.
    pub details: serde_json::Value,
}

/// The separator of the parts of an entry as they are read: a control character, which no part may have.
const BETWEEN: &str = "\u{1f}";
/// How many entries are read at once.
const AT_ONCE: i64 = 10_000;

impl Ledger {
    /// Adds an entry to the log, within a change.
    ///
    /// # Errors
    /// If a part has a control character, or the database refuses.
    pub async fn note(&mut self, by: Actor<'_>, note: Note<'_>) -> Result<()> {
        for part in [by.name, by.at, note.action, &note.subject, note.reason] {
            refuse_control_characters(part)?;
        }
        let (entries, before) = self.head().await?;
        let entry = Entry {
            number: entries + 1,
            at: by.at.to_owned(),
            actor: by.name.to_owned(),
            action: note.action.to_owned(),
            subject: note.subject,
            reason: note.reason.to_owned(),
            details: note.details.to_string(),
            before,
            hash: String::new(),
        };
        let Entry { number, at, actor, action, subject, reason, details, before, hash } = entry.sealed();
        let statement = "insert into log (number, at, actor, action, subject, reason, details, before, hash) \
                         values ($1, $2, $3, $4, $5, $6, $7, $8, $9)";
        let row = values![number, &at, &actor, &action, &subject, &reason, &details, &before, &hash];
        self.run(statement, row).await?;
        self.run("update head set entries = $1, hash = $2 where id = 1", values![number, &hash]).await
    }

    /// Adds an entry to the log as a change of its own.
    ///
    /// # Errors
    /// As [`Self::note`].
    pub async fn note_alone(&mut self, by: Actor<'_>, note: Note<'_>) -> Result<()> {
        self.begin().await?;
        let done = self.note(by, note).await;
        self.end(done).await
    }

    /// Entries of the log after the one of a number.
    ///
    /// # Errors
    /// Where the ledger cannot be read.
    pub async fn entries(&mut self, after: i64, most: i64) -> Result<Vec<Entry>> {
        // One text for each entry: the transfer of a row of nine columns takes longer than its check.
        let statement = "select number, at || $3 || actor || $3 || action || $3 || subject || $3 || reason || $3 || details || $3 || \
                         before || $3 || hash as entry from log where number > $1 order by number limit $2";
        let rows = self.rows(statement, values![after, most, BETWEEN]).await?;
        let entry = |row: &sqlx::any::AnyRow| {
            let whole = text(row, "entry")?;
            // If somebody changed a part so that it splits elsewhere, the hash does not match either.
            let mut parts = whole.split(BETWEEN).map(str::to_owned);
            let mut next = || parts.next().unwrap_or_default();
            Ok(Entry {
                number: number(row, "number")?,
                at: next(),
                actor: next(),
                action: next(),
                subject: next(),
                reason: next(),
                details: next(),
                before: next(),
                hash: next(),
            })
        };
        rows.iter().map(entry).collect()
    }

    /// Checks the chain from its first entry to its head, and shows each entry. The answer is how many entries there are and the hash of the last, or the
    /// first entry that does not fit.
    ///
    /// # Errors
    /// Where the ledger cannot be read.
    pub async fn check_chain(&mut self, mut show: impl FnMut(&Entry)) -> Result<Result<(i64, String), Break>> {
        let mut chain = Chain::default();
        let mut after = 0;
        loop {
            let entries = self.entries(after, AT_ONCE).await?;
            for entry in &entries {
                if let Err(broken) = chain.take(entry) {
                    return Ok(Err(broken));
                }
                show(entry);
            }
            match entries.last() {
                Some(last) => after = last.number,
                None => break,
            }
        }
        let head = self.head().await?;
        Ok(chain.finish(head.0, &head.1))
    }

    /// How many entries the log has, and the hash of the last.
    ///
    /// # Errors
    /// Where the ledger cannot be read.
    pub async fn head(&mut self) -> Result<(i64, String)> {
        let row = self.row("select entries, hash from head where id = 1", &[]).await?;
        let row = row.ok_or_else(|| {
            Error::input(format!("the {} has lost the head of its log", self.form().name))
                .help("restore it from a copy that was kept")
        })?;
        Ok((number(&row, "entries")?, text(&row, "hash")?))
    }
}
