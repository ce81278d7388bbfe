//! The log of the register: it is written with every change, and checked by `audit`.

use outward_ledger::chain::{Break, Entry};
use outward_spec::{Error, Result};

use super::{Actor, File, Note, Register};
use crate::replay::{Content, Replay};

impl Register {
    /// Writes to the log that somebody viewed, checked or exported something.
    ///
    /// # Errors
    /// Where the register cannot be written.
    pub async fn tell(&mut self, by: Actor<'_>, action: &str, subject: &str, details: serde_json::Value) -> Result<()> {
        self.store.note_alone(by, Note { action, subject: subject.to_owned(), reason: "", details }).await
    }

    /// Checks the log from its first entry and compares it with the releases. Returns the number of entries and the
    /// hash of the last, or the first entry that does not fit.
    ///
    /// # Errors
    /// Where the register cannot be read.
    pub async fn audit(&mut self) -> Result<std::result::Result<(i64, String), Break>> {
        let mut replay = Replay::default();
        let held = match self.store.check_chain(|entry| replay.take(entry)).await? {
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

    /// Refuses a register whose log is broken, or whose releases are not those of the log.
    ///
    /// # Errors
    /// Where it is, or the register cannot be read.
    pub async fn refuse_broken(&mut self) -> Result<()> {
        refuse(self.audit().await?.err())
    }

    /// Refuses a register whose log is broken. The releases are not compared with it, which takes longer.
    ///
    /// # Errors
    /// Where it is, or the register cannot be read.
    pub async fn refuse_broken_log(&mut self) -> Result<()> {
        refuse(self.store.check_chain(|_| ()).await?.err())
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
        self.store.entries(after, most).await
    }

    pub(super) async fn note(&mut self, by: Actor<'_>, note: Note<'_>) -> Result<()> {
        self.store.note(by, note).await
    }
}

fn refuse(broken: Option<Break>) -> Result<()> {
    let Some(Break { number, what }) = broken else { return Ok(()) };
    Err(Error::input(format!("the register cannot be relied on: entry {number} of its log {what}"))
        .help("restore it from a copy; `outward register audit` says whether a copy is whole")
        .into())
}
