//! A file that is written beside its place and moved there when it is whole.

use std::fs::File;
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use outward_spec::{Error, Result};
use tempfile::TempPath;

use crate::unfinished::Unfinished;

/// The place where a file is made, and the place where it belongs.
pub(super) struct StagingPlace {
    temporary: TempPath,
    unfinished: Unfinished,
    target: PathBuf,
    file: File,
    refusal: FirstWriteError,
}

/// The first error of the operating system. Libraries reword it, so it is kept here.
#[derive(Clone, Default)]
struct FirstWriteError(Arc<Mutex<Option<std::io::Error>>>);

impl FirstWriteError {
    fn note(&self, e: &std::io::Error) {
        if let Ok(mut first) = self.0.lock() {
            first.get_or_insert_with(|| {
                e.raw_os_error().map_or_else(|| e.kind().into(), std::io::Error::from_raw_os_error)
            });
        }
    }

    fn take(&self) -> Option<std::io::Error> {
        self.0.lock().ok()?.take()
    }
}

/// The file as libraries write it.
pub(super) struct StagedFile {
    file: File,
    refusal: FirstWriteError,
}

impl StagingPlace {
    /// Makes a hidden file in the folder of `target`, with the permissions that the user's umask leaves.
    pub(super) fn create(target: &Path) -> Result<(Self, StagedFile)> {
        if target.is_dir() {
            return Err(Error::io("write", target, std::io::ErrorKind::IsADirectory.into()));
        }
        // The error is reported without the temporary name, which would mean nothing to the user.
        let refused = |e: std::io::Error| Error::io("create", target, e.kind().into());
        let mut builder = tempfile::Builder::new();
        builder.prefix(".outward-");
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        let (file, temporary) = builder.tempfile_in(folder(target)).map_err(refused)?.into_parts();
        let (refusal, unfinished) = (FirstWriteError::default(), Unfinished::at(&temporary));
        let staged = StagedFile { file: file.try_clone().map_err(refused)?, refusal: refusal.clone() };
        Ok((Self { temporary, unfinished, target: target.to_owned(), file, refusal }, staged))
    }

    /// The error behind a library's: that of the operating system if there was one, otherwise ours.
    pub(super) fn refused(&self, e: impl std::fmt::Display) -> Error {
        match self.refusal.take() {
            Some(source) => Error::io("write", &self.target, source),
            None => Error::bug(e),
        }
    }

    /// The folder the file belongs to.
    pub(super) fn folder(&self) -> &Path {
        folder(&self.target)
    }

    /// Where the file belongs.
    pub(super) fn target(&self) -> &Path {
        &self.target
    }

    /// Makes sure the file is on the disk, moves it to its place, and says how large it is.
    pub(super) fn publish(self) -> Result<u64> {
        let refused = |e| Error::io("write", &self.target, e);
        self.file.sync_all().map_err(refused)?;
        let bytes = self.file.metadata().map_err(refused)?.len();
        let placed = self.unfinished.finish(|| self.temporary.persist(&self.target));
        placed.map_err(|e| refused(e.error))?;
        Ok(bytes)
    }
}

fn folder(target: &Path) -> &Path {
    match target.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    }
}

impl StagedFile {
    fn noting<T>(&self, result: std::io::Result<T>) -> std::io::Result<T> {
        result.inspect_err(|e| {
            if e.kind() != std::io::ErrorKind::Interrupted {
                self.refusal.note(e);
            }
        })
    }
}

impl Write for StagedFile {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let written = self.file.write(bytes);
        self.noting(written)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        let flushed = self.file.flush();
        self.noting(flushed)
    }
}

impl Seek for StagedFile {
    fn seek(&mut self, to: SeekFrom) -> std::io::Result<u64> {
        let sought = self.file.seek(to);
        self.noting(sought)
    }
}

#[cfg(test)]
pub(super) mod full {
    //! A disk with no room left, for the tests of the sinks.
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use super::*;

    /// A stage whose file is always full, if the system has such a device.
    pub(in super::super) fn stage(folder: &Path) -> Option<(StagingPlace, StagedFile)> {
        let full = File::options().write(true).open("/dev/full").ok()?;
        let (stage, mut staged) = StagingPlace::create(&folder.join("out")).unwrap();
        staged.file = full;
        Some((stage, staged))
    }

    /// Whether this says that the disk is full, and where.
    pub(in super::super) fn assert_full(error: &Error, folder: &Path) {
        assert!(
            matches!(error, Error::Io { source, .. } if source.kind() == std::io::ErrorKind::StorageFull),
            "{error}"
        );
        assert!(error.help().unwrap().contains("free some space"));
        assert!(!folder.join("out").exists());
    }
}
