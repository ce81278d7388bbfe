//! Damaged files, which the library that reads them cannot read.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use outward_spec::{Error, Result};

/// The error for a file that cannot be read; `kind` is its format.
pub(super) fn damaged(path: &Path, kind: &str) -> Error {
    Error::input(format!("the {kind} file is damaged or cut off"))
        .file(path)
        .help("copy it again from its source, or write it again")
        .into()
}

/// Runs a library on the bytes of a file, and reports a panic in it as damage.
///
/// The Parquet reader checks what it decodes by assertion: a flipped byte in a page header or in the embedded schema
/// ends in a panic. Its state is never used again, so nothing half-changed remains.
pub(super) fn guarded<T>(path: &Path, kind: &str, work: impl FnOnce() -> Result<T>) -> Result<T> {
    quietly(work).unwrap_or_else(|| Err(damaged(path, kind)))
}

/// Runs a library that panics where it should give an error; none if it panicked.
pub(crate) fn quietly<T>(work: impl FnOnce() -> T) -> Option<T> {
    let before = GUARDED.replace(true);
    let result = catch_unwind(AssertUnwindSafe(work));
    GUARDED.set(before);
    result.ok()
}

thread_local! {
    static GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// Whether a panic on this thread would be taken for a damaged file. A program's panic hook asks this, so that such a
/// panic is reported as damage and not as a bug.
pub fn panic_means_damage() -> bool {
    GUARDED.get()
}
