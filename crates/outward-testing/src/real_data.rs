//! Public data that is not in the repository.
//!
//! A test that reads it lives in a module called `real_data`. Where the folder is absent, `scripts/test` leaves these tests out and the
//! runner counts them as skipped. Run by other means they fail: no test passes without the data it is about.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// The folder of the data: what `OUTWARD_REAL_DATA` names, or `shared/data` beside the clone.
pub fn folder() -> PathBuf {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    std::env::var_os("OUTWARD_REAL_DATA").map_or_else(beside, PathBuf::from)
}

/// The path of a file.
///
/// # Panics
/// Where the file is absent.
#[track_caller]
pub fn path(name: &str) -> PathBuf {
    let path = folder().join(name);
    path.canonicalize().unwrap_or_else(|_| {
        panic!(
            "{} is not there. Put the public data there, name their folder in OUTWARD_REAL_DATA, or leave these tests out: \
             scripts/test does, and `cargo test -- --skip real_data`",
            path.display()
        )
    })
}

/// The bytes of a gzip file, unpacked.
///
/// # Panics
/// Where the file is absent.
#[track_caller]
pub fn bytes(name: &str) -> Vec<u8> {
    let file = File::open(path(name)).expect("a file that may be read");
    let mut bytes = Vec::new();
    flate2::read::GzDecoder::new(file).read_to_end(&mut bytes).expect("a gzip file");
    bytes
}

/// The text of a gzip file, unpacked.
///
/// # Panics
/// Where the file is absent.
#[track_caller]
pub fn text(name: &str) -> String {
    String::from_utf8(bytes(name)).expect("a file of text")
}
