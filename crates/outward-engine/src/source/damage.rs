//! Files whose bytes make no sense to the library that reads them.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use outward_spec::{Error, Result};

/// The error for a file that cannot be made sense of; `kind` is its format.
pub(super) fn damaged(path: &Path, kind: &str) -> Error {
    Error::input(format!("the {kind} file is damaged or cut off"))
        .file(path)
        .help("copy it again from where it came from, or write it anew")
        .into()
}

/// Does work of a library on the bytes of a file, and takes a panic in it for damage.
///
/// The Parquet reader checks what it decodes by assertion: a flipped byte in a page header or in the embedded schema
/// ends in a panic. What it was working on is never used again, so nothing is left half-changed.
pub(super) fn guarded<T>(path: &Path, kind: &str, work: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| Err(damaged(path, kind)))
}
