//! Which files a Parquet source has, and what their metadata say.

use std::fs::File;
use std::path::{Path, PathBuf};

use ::parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions};
use ::parquet::file::metadata::ParquetMetaData;
use outward_spec::{Error, Result};

use super::super::damage::{damaged, guarded};
use super::super::regular_file;

/// The file itself, or every `*.parquet` below a folder, sorted by path. Hidden files are left out: another program may
/// still be writing them.
pub(super) fn find(path: &Path) -> Result<Vec<PathBuf>> {
    if !std::fs::metadata(path).map_err(|e| Error::io("read", path, e))?.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let mut found = Vec::new();
    let mut folders = vec![path.to_owned()];
    while let Some(folder) = folders.pop() {
        let refused = |e| Error::io("read", &folder, e);
        for entry in std::fs::read_dir(&folder).map_err(refused)? {
            let entry = entry.map_err(refused)?;
            let name = entry.file_name().to_string_lossy().into_owned();
            if name.starts_with(['.', '_']) {
                continue;
            }
            // A folder reached through a link is left out: it could lead back here.
            if entry.file_type().map_err(refused)?.is_dir() {
                folders.push(entry.path());
            } else if name.to_lowercase().ends_with(".parquet") {
                found.push(entry.path());
            }
        }
    }
    found.sort();
    if found.is_empty() {
        return Err(Error::input("there is no .parquet file in this folder").file(path).help("check the path").into());
    }
    Ok(found)
}

/// The metadata of a file, checked for consistency.
pub(super) fn load(path: &Path) -> Result<ArrowReaderMetadata> {
    let length = regular_file(path)?;
    let file = File::open(path).map_err(|e| Error::io("read", path, e))?;
    if length == 0 {
        return Err(Error::input("the file is empty").file(path).help("write it anew").into());
    }
    let load = || ArrowReaderMetadata::load(&file, ArrowReaderOptions::new()).map_err(|_| damaged(path, "Parquet"));
    let metadata = guarded(path, "Parquet", load)?;
    if is_sound(metadata.metadata(), length) { Ok(metadata) } else { Err(damaged(path, "Parquet")) }
}

/// Whether every column chunk lies inside the file and every row group has all columns.
fn is_sound(metadata: &ParquetMetaData, length: u64) -> bool {
    let leaves = metadata.file_metadata().schema_descr().num_columns();
    let inside = |start: i64, size: i64| {
        let end = start.checked_add(size).and_then(|end| u64::try_from(end).ok());
        start >= 0 && size >= 0 && end.is_some_and(|end| end <= length)
    };
    metadata.row_groups().iter().all(|group| {
        group.num_rows() >= 0
            && group.columns().len() == leaves
            && group.columns().iter().all(|chunk| {
                let start = chunk.dictionary_page_offset().unwrap_or(chunk.data_page_offset());
                chunk.num_values() >= 0 && inside(start, chunk.compressed_size())
            })
    })
}
