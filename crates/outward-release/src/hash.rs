//! SHA-256 of files and texts, in hexadecimal.

use std::fmt::Write;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use outward_spec::{Error, Result};
use sha2::{Digest, Sha256};

/// The SHA-256 of some bytes.
pub(crate) fn of_bytes(bytes: &[u8]) -> String {
    hexadecimal(&Sha256::digest(bytes))
}

/// The size and the SHA-256 of a file.
pub(crate) fn of_file(path: &Path) -> Result<(u64, String)> {
    let failed = |error| Error::io("read", path, error);
    let mut file = File::open(path).map_err(failed)?;
    let (mut hash, mut buffer, mut bytes) = (Sha256::new(), vec![0; 1 << 16], 0u64);
    loop {
        match file.read(&mut buffer).map_err(failed)? {
            0 => return Ok((bytes, hexadecimal(&hash.finalize()))),
            read => {
                hash.update(&buffer[..read]);
                bytes += read as u64;
            }
        }
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(2 * bytes.len()), |mut text, byte| {
        // Writing to a string does not fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_of_nothing_is_the_one_of_the_standard() {
        assert_eq!(of_bytes(b""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    }
}
