//! Sealed fields: AES-SIV (RFC 5297) with 256-bit keys.
//!
//! Each field is sealed separately and bound to its person and its name, so that nobody can move a sealed value to
//! another person. The same text of the same person gives the same bytes; two people with the same address do not.

use aes_siv::KeyInit;
use aes_siv::siv::Aes256Siv;
use outward_error::{Error, Result};
use zeroize::Zeroizing;

use crate::secret::Secret;

/// Seals and opens fields with one key.
pub(crate) struct Sealer(Secret<64>);

impl Sealer {
    pub(crate) fn new(key: &Secret<64>) -> Self {
        Self(key.clone())
    }

    /// Seals a text that stands in a place.
    pub(crate) fn seal(&self, place: &[&str], text: &[u8]) -> Result<Vec<u8>> {
        self.cipher().encrypt(place, text).map_err(|_| Error::bug("a field could not be sealed"))
    }

    /// Opens what was sealed in this place.
    pub(crate) fn open(&self, place: &[&str], sealed: &[u8]) -> Result<Zeroizing<Vec<u8>>> {
        self.cipher().decrypt(place, sealed).map(Zeroizing::new).map_err(|_| {
            Error::input("a sealed field cannot be opened")
                .help("the store was changed, or it is not the store of this vault: restore it from a copy")
                .into()
        })
    }

    fn cipher(&self) -> Aes256Siv {
        Aes256Siv::new(self.0.expose().into())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use aes_siv::siv::Aes128Siv;

    use super::*;
    use crate::keys::{from_hexadecimal, to_hexadecimal};

    #[test]
    fn siv_gives_the_bytes_of_rfc_5297() {
        // Appendix A.1.
        let mut key = [0; 32];
        assert!(from_hexadecimal("fffefdfcfbfaf9f8f7f6f5f4f3f2f1f0f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff", &mut key));
        let (mut associated, mut text) = ([0; 24], [0; 14]);
        assert!(from_hexadecimal("101112131415161718191a1b1c1d1e1f2021222324252627", &mut associated));
        assert!(from_hexadecimal("112233445566778899aabbccddee", &mut text));
        let sealed = Aes128Siv::new(&key.into()).encrypt([associated], &text).unwrap();
        assert_eq!(to_hexadecimal(&sealed), "85632d07c6e8f37f950acd320a2ecc9340c02b9690c4dc04daef7f6afe5c");
    }

    #[test]
    fn a_field_opens_only_where_it_was_sealed() {
        let sealer = Sealer::new(&Secret::draw().unwrap());
        let sealed = sealer.seal(&["17", "address"], "1 High Street".as_bytes()).unwrap();
        assert_eq!(sealer.open(&["17", "address"], &sealed).unwrap().as_slice(), b"1 High Street");
        assert!(sealer.open(&["18", "address"], &sealed).is_err(), "another person");
        assert!(sealer.open(&["17", "name"], &sealed).is_err(), "another field");
        assert!(Sealer::new(&Secret::draw().unwrap()).open(&["17", "address"], &sealed).is_err(), "another key");
        for place in 0..sealed.len() {
            let mut changed = sealed.clone();
            changed[place] ^= 1;
            assert!(sealer.open(&["17", "address"], &changed).is_err(), "byte {place} was changed");
        }
    }

    #[test]
    fn people_with_the_same_address_have_other_bytes() {
        let sealer = Sealer::new(&Secret::draw().unwrap());
        let seal = |person: &str| sealer.seal(&[person, "address"], b"1 High Street").unwrap();
        assert_ne!(seal("17"), seal("18"));
        assert_eq!(seal("17"), seal("17"));
    }
}
