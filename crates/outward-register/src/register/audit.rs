//! The log of the register: it is written with every change, and checked by `audit`.

use outward_spec::{Error, Result};

use super::{Actor, BETWEEN, File, Note, Register};
use crate::log::{Break, Chain, Entry, refuse_control_characters};
use crate::replay::{Content, Replay};
use crate::store::{number, text, values};

impl Register {
    /// Writes to the log that somebody viewed, checked or exported something.
    ///
    /// # Errors
    /// Where the register cannot be written.
    pub async fn tell(&mut self, by: Actor<'_>, action: &str, subject: &str, details: serde_json::Value) -> Result<()> {
        self.store.begin().await?;
        let note = Note { action, subject: subject.to_owned(), reason: "", details };
        let done = self.note(by, note).await;
        self.end(done).await
    }

    /// Checks the log from its first entry and compares it with the releases. Returns the number of entries and the
    /// hash of the last, or the first entry that does not fit.
    ///
    /// # Errors
    /// Where the register cannot be read.
    pub async fn audit(&mut self) -> Result<std::result::Result<(i64, String), Break>> {
        const AT_ONCE: i64 = 10_000;
        let (mut chain, mut replay) = (Chain::default(), Replay::default());
        let mut after = 0;
        loop {
            let entries = self.entries(after, AT_ONCE).await?;
            for entry in &entries {
                if let Err(broken) = chain.take(entry) {
                    return Ok(Err(broken));
                }
                replay.take(entry);
            }
            match entries.last() {
                Some(last) => after = last.number,
                None => break,
            }
        }
        let head = self.head().await?;
        let held = match chain.finish(head.0, &head.1) {
            Ok(held) => held,
            Err(broken) => return Ok(Err(broken)),
        };
        for release in self.releases().await? {
            let file = self.file_of(release).await?;
            let content = self.content_of(&file).await?;
            if let Err(broken) = replay.compare(&file, &content) {
                return Ok(Err(Break {
                    number: if broken.number == 0 { held.0 + 1 } else { broken.number },
                    ..broken
                }));
            }
        }
        Ok(replay.finish().map(|()| held))
    }

    /// The hash of everything that a release was entered with.
    pub(super) async fn content_of(&mut self, file: &File) -> Result<String> {
        let id = file.release.id;
        let (data, manifest) = (self.data_of(&file.release).await?, self.manifest(id).await?);
        let files = self.files(id).await?;
        let (release, tables) = (&file.release, &file.tables[..]);
        Ok(Content { release, tables, data_sha256: &data, manifest: &manifest, files: &files }.hash())
    }

    /// Entries of the log after the one of a number.
    ///
    /// # Errors
    /// Where the register cannot be read.
    pub async fn entries(&mut self, after: i64, most: i64) -> Result<Vec<Entry>> {
        // One text for each entry: transferring nine columns takes longer than checking them.
        let statement = "select number, at || $3 || actor || $3 || action || $3 || subject || $3 || reason || $3 || details || $3 || \
                         before || $3 || hash as entry from log where number > $1 order by number limit $2";
        let rows = self.store.rows(statement, values![after, most, BETWEEN]).await?;
        let entry = |row: &sqlx::any::AnyRow| {
            let whole = text(row, "entry")?;
            // If somebody changed a part so that the text splits differently, the hash does not fit either.
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

    pub(super) async fn head(&mut self) -> Result<(i64, String)> {
        let row = self.store.row("select entries, hash from head where id = 1", &[]).await?;
        let row = row.ok_or_else(|| {
            Error::input("the register has lost the head of its log").help("restore it from a copy that was kept")
        })?;
        Ok((number(&row, "entries")?, text(&row, "hash")?))
    }

    pub(super) async fn note(&mut self, by: Actor<'_>, note: Note<'_>) -> Result<()> {
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
        self.store.run(statement, row).await?;
        self.store.run("update head set entries = $1, hash = $2 where id = 1", values![number, &hash]).await
    }
}
