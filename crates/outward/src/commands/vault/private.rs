//! Files for the custodian's eyes alone.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

use arrow_array::RecordBatch;
use outward_engine::Unfinished;
use outward_release::bundle::STAGING_PREFIX;
use outward_spec::{Error, Result};
use outward_vault::write_parquet;
use tempfile::TempDir;

/// Writes a small file, whole or not at all, that only its owner may read.
pub(crate) fn write_private(path: &Path, content: &[u8]) -> Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let fail = |error: std::io::Error| Error::io("write", path, error.kind().into());
    let mut file = tempfile::Builder::new().prefix(".outward-").tempfile_in(folder).map_err(fail)?;
    let unfinished = Unfinished::at(file.path());
    file.write_all(content).map_err(fail)?;
    file.as_file().sync_all().map_err(fail)?;
    unfinished.finish(|| file.persist(path)).map_err(|error| Error::io("write", path, error.error))?;
    Ok(())
}

/// A folder beside a bundle that only its owner may read, for the files a bundle is made of. It is removed when it is
/// dropped. The next bundle removes what a killed run leaves.
///
/// Records themselves have no name on Linux: their file is gone the moment the process ends, however it ends.
pub(super) struct PrivateFolder {
    folder: TempDir,
    _unfinished: Unfinished,
    /// Files without a name, which are there as long as they are open.
    open: Vec<File>,
}

impl PrivateFolder {
    /// Makes the folder beside a target.
    pub(super) fn beside(target: &Path) -> Result<Self> {
        let parent = target.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        std::fs::create_dir_all(parent).map_err(|error| Error::io("create", parent, error))?;
        let prefix = format!("{STAGING_PREFIX}{}-", std::process::id());
        let folder = tempfile::Builder::new().prefix(&prefix).tempdir_in(parent);
        let folder = folder.map_err(|error| Error::io("write in", parent, error))?;
        let unfinished = Unfinished::at(folder.path());
        Ok(Self { folder, _unfinished: unfinished, open: Vec::new() })
    }

    /// Writes a small file.
    pub(super) fn put(&self, name: &str, text: &str) -> Result<PathBuf> {
        let path = self.folder.path().join(name);
        std::fs::write(&path, text).map_err(|error| Error::io("write", &path, error))?;
        Ok(path)
    }

    /// Writes records as Parquet.
    pub(super) fn put_records(&mut self, name: &str, records: &RecordBatch) -> Result<PathBuf> {
        let path = self.folder.path().join(name);
        let fail = |error| Error::io("write", &path, error);
        #[cfg(target_os = "linux")]
        {
            let file = tempfile::tempfile_in(self.folder.path()).map_err(fail)?;
            write_parquet(records, file.try_clone().map_err(fail)?)?;
            let number = std::os::fd::AsRawFd::as_raw_fd(&file);
            let here = format!("/proc/{}/fd/{number}", std::process::id());
            std::os::unix::fs::symlink(here, &path).map_err(fail)?;
            self.open.push(file);
        }
        #[cfg(not(target_os = "linux"))]
        {
            let file = File::create_new(&path).map_err(fail)?;
            write_parquet(records, file.try_clone().map_err(fail)?)?;
            self.open.push(file);
        }
        Ok(path)
    }
}
