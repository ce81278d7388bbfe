//! Linkage at source: a site sends records under a hash of the NHS number in place of the number.
//!
//! New sites use a keyed hash, HMAC with SHA-256, whose key is shared with the vault alone. Some sites use SHA-256 of
//! the number and then a salt, as OpenPseudonymiser does. That is **legacy**: there are under 2³⁰ NHS numbers, so
//! anybody with the salt can try them all in seconds.

use hmac::{Hmac, KeyInit, Mac};
use outward_error::{Error, Result};
use sha2::{Digest, Sha256};
use zeroize::Zeroizing;

use crate::keys::to_hexadecimal;

/// How a site makes the hash that it sends.
pub enum Linkage {
    /// HMAC with SHA-256 under a shared key.
    Keyed(Zeroizing<Vec<u8>>),
    /// Legacy: SHA-256 of the number, then the salt.
    Salted(Zeroizing<String>),
}

impl std::fmt::Debug for Linkage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(if self.is_legacy() { "Salted" } else { "Keyed" })
    }
}

impl Linkage {
    /// A keyed hash; the key has 16 bytes at least.
    ///
    /// # Errors
    /// Where the key is shorter.
    pub fn keyed(key: &[u8]) -> Result<Self> {
        match key.len() {
            0..16 => Err(Error::input("the key for linked records is shorter than 16 bytes")
                .help("agree a longer one with the site, such as `openssl rand -hex 32` makes")
                .into()),
            _ => Ok(Self::Keyed(Zeroizing::new(key.to_vec()))),
        }
    }

    /// Whether it is the legacy form.
    pub fn is_legacy(&self) -> bool {
        matches!(self, Self::Salted(_))
    }

    /// What a site sends in place of an NHS number, in hexadecimal.
    pub fn digest(&self, number: &str) -> String {
        match self {
            Self::Keyed(key) => {
                // HMAC takes keys of any length.
                let mac = <Hmac<Sha256> as KeyInit>::new_from_slice(key);
                mac.map(|mac| to_hexadecimal(&mac.chain_update(number).finalize().into_bytes())).unwrap_or_default()
            }
            Self::Salted(salt) => {
                to_hexadecimal(&Sha256::new().chain_update(number).chain_update(salt.as_bytes()).finalize())
            }
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn the_salted_hash_is_that_of_openpseudonymiser() {
        let salted = |salt: &str| Linkage::Salted(Zeroizing::new(salt.to_owned())).digest("123456789");
        assert_eq!(salted(""), "15e2b0d3c33891ebb0f1ef609ec419420c20e320ce94c65fbc8c3312448eb225");
        assert_eq!(salted("hello"), "a4455e6581b78d69e569895c2b615dfa90a6cd56938e40ca91edd26e44deedfe");
    }

    #[test]
    fn the_keyed_hash_is_hmac_as_rfc_4231_gives_it() {
        // Case 1: a key of twenty bytes.
        let keyed = Linkage::keyed(&[0x0b; 20]).unwrap();
        assert_eq!(keyed.digest("Hi There"), "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
        assert!(Linkage::keyed(b"short").is_err());
    }

    #[test]
    fn neither_shows_its_secret() {
        let planted =
            [Linkage::keyed(b"planted-secret-key").unwrap(), Linkage::Salted(Zeroizing::new("planted".to_owned()))];
        assert!(planted.iter().all(|linkage| !format!("{linkage:?}").contains("planted")));
        assert!(planted[1].is_legacy() && !planted[0].is_legacy());
    }
}
