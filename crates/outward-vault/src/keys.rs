//! The key hierarchy: one master secret, and a key of its own for every purpose.
//!
//! Keys are derived by HKDF with SHA-256 (RFC 5869): the master secret is the input, the vault's number the salt, and a purpose the context. A context
//! names product and version, so that a key never crosses purposes. The master secret is random and stands in the vault, sealed by the *root key*, which does
//! not. So the root key can be changed (rotation) without a new identifier for anybody.

use hkdf::Hkdf;
use hmac::{Hmac, KeyInit, Mac};
use outward_error::{Error, Result};
use sha2::Sha256;

use crate::seal::Sealer;
use crate::secret::Secret;

/// What contexts of this version of the key hierarchy begin with.
const CONTEXT: &str = "outward-vault/1";

/// The key that opens a vault. It is kept outside: in a key file, an environment variable or a key service.
#[derive(Debug, Clone)]
pub struct RootKey(Secret<32>);

impl RootKey {
    /// Draws a new root key.
    ///
    /// # Errors
    /// If the operating system gives no random numbers.
    pub fn draw() -> Result<Self> {
        Secret::draw().map(Self)
    }

    /// Takes the 32 bytes of a root key.
    pub fn new(bytes: Secret<32>) -> Self {
        Self(bytes)
    }

    /// Reads a root key as an environment variable or a command gives it: 64 hexadecimal digits.
    ///
    /// # Errors
    /// If the text is something else. The error does not show it.
    pub fn from_hexadecimal(text: &str) -> Result<Self> {
        let mut secret = Secret::new([0; 32]);
        if !from_hexadecimal(text.trim(), secret.expose_mut()) {
            return Err(Error::input("the root key is not one of 64 hexadecimal digits")
                .help("make one by `outward vault init`, or by `openssl rand -hex 32`")
                .into());
        }
        Ok(Self(secret))
    }

    /// The key as an environment variable or a command gives it, to be handed to whatever keeps it.
    pub fn for_keeping(&self) -> zeroize::Zeroizing<String> {
        zeroize::Zeroizing::new(to_hexadecimal(self.0.expose()))
    }

    pub(crate) fn bytes(&self) -> &Secret<32> {
        &self.0
    }

    /// Seals the master secret of a vault.
    pub(crate) fn wrap(&self, vault: &[u8; 16], master: &MasterSecret) -> Result<Vec<u8>> {
        self.sealer(vault).seal(&WRAPPED, master.0.expose())
    }

    /// Opens the master secret of a vault.
    pub(crate) fn unwrap(&self, vault: &[u8; 16], wrapped: &[u8]) -> Result<MasterSecret> {
        let wrong = || {
            Error::input("this root key does not open the vault")
                .help("name the key of this vault; after a rotation, the new one")
        };
        let bytes = self.sealer(vault).open(&WRAPPED, wrapped).map_err(|_| wrong())?;
        let bytes: [u8; 32] = bytes.as_slice().try_into().map_err(|_| wrong())?;
        Ok(MasterSecret(Secret::new(bytes), *vault))
    }

    fn sealer(&self, vault: &[u8; 16]) -> Sealer {
        Sealer::new(&derive(self.0.expose(), vault, &Purpose::of_vault("wrap")))
    }
}

/// What a sealed master secret is bound to.
const WRAPPED: [&str; 2] = ["master-secret", "1"];

/// The secret from which all keys of a vault are derived.
#[derive(Debug, Clone)]
pub(crate) struct MasterSecret(Secret<32>, [u8; 16]);

impl MasterSecret {
    /// Draws the secret of a new vault, with the vault's number.
    pub(crate) fn draw(vault: [u8; 16]) -> Result<Self> {
        Ok(Self(Secret::draw()?, vault))
    }

    /// The key of a purpose.
    pub(crate) fn key<const N: usize>(&self, purpose: &Purpose<'_>) -> Secret<N> {
        derive(self.0.expose(), &self.1, purpose)
    }
}

/// What a key is for. Each part comes with its length, so that no two purposes have the same context.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Purpose<'a> {
    /// The research application; empty for keys of the vault itself.
    pub application: &'a str,
    /// What the key is used for: `eid`, `seal`, `index`…
    pub namespace: &'a str,
    /// The kind of identifier: `decimal`, `token`, `nhs-number`…
    pub identifier: &'a str,
    /// The version of the key, from 1.
    pub version: u32,
}

impl<'a> Purpose<'a> {
    /// A key of the vault itself.
    pub fn of_vault(namespace: &'a str) -> Self {
        Self { application: "", namespace, identifier: "", version: 1 }
    }

    fn context(&self) -> Vec<u8> {
        let mut context = Vec::new();
        for part in [CONTEXT, self.application, self.namespace, self.identifier] {
            context.extend((part.len() as u64).to_be_bytes());
            context.extend(part.as_bytes());
        }
        context.extend(self.version.to_be_bytes());
        context
    }
}

/// HKDF-SHA-256: a key of `N` bytes for a purpose.
fn derive<const N: usize>(secret: &[u8; 32], salt: &[u8], purpose: &Purpose<'_>) -> Secret<N> {
    let mut key = Secret::new([0; N]);
    // HKDF refuses only keys above 8,160 bytes.
    let _ = Hkdf::<Sha256>::new(Some(salt), secret).expand(&purpose.context(), key.expose_mut());
    key
}

/// A keyed hash of a text: HMAC-SHA-256.
pub(crate) fn keyed_hash(key: &Secret<32>, text: &[u8]) -> [u8; 32] {
    // HMAC takes keys of any length.
    let mac = <Hmac<Sha256> as KeyInit>::new_from_slice(key.expose());
    mac.map(|mac| mac.chain_update(text).finalize().into_bytes().into()).unwrap_or_default()
}

/// Hexadecimal digits, in lower case.
pub(crate) fn to_hexadecimal(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digit = |value: u8| char::from(DIGITS[usize::from(value)]);
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

/// Reads hexadecimal digits into bytes; false where they are not exactly that.
pub(crate) fn from_hexadecimal(text: &str, bytes: &mut [u8]) -> bool {
    let value = |digit: u8| char::from(digit).to_digit(16).map(|value| value as u8);
    let pairs = text.as_bytes().chunks(2);
    if text.len() != 2 * bytes.len() {
        return false;
    }
    for (byte, pair) in bytes.iter_mut().zip(pairs) {
        match pair {
            [high, low] => match (value(*high), value(*low)) {
                (Some(high), Some(low)) => *byte = high << 4 | low,
                _ => return false,
            },
            _ => return false,
        }
    }
    true
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn bytes<const N: usize>(text: &str) -> [u8; N] {
        let mut bytes = [0; N];
        assert!(from_hexadecimal(text, &mut bytes), "{text}");
        bytes
    }

    #[test]
    fn hkdf_gives_the_keys_of_rfc_5869() {
        // Appendix A.1.
        let hkdf = Hkdf::<Sha256>::new(Some(&bytes::<13>("000102030405060708090a0b0c")), &[0x0b; 22]);
        let mut key = [0; 42];
        hkdf.expand(&bytes::<10>("f0f1f2f3f4f5f6f7f8f9"), &mut key).unwrap();
        assert_eq!(
            to_hexadecimal(&key),
            "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865"
        );
    }

    #[test]
    fn hmac_gives_the_hash_of_rfc_4231() {
        // Case 2 has a key of four bytes; a shorter key is the same as one filled with zeros.
        let mut key = [0; 32];
        key[..4].copy_from_slice(b"Jefe");
        assert_eq!(
            to_hexadecimal(&keyed_hash(&Secret::new(key), b"what do ya want for nothing?")),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        );
    }

    #[test]
    fn every_purpose_has_a_key_of_its_own() {
        let master = MasterSecret::draw([1; 16]).unwrap();
        let base = Purpose { application: "a1", namespace: "eid", identifier: "decimal", version: 1 };
        let others = [
            Purpose { application: "a2", ..base },
            Purpose { namespace: "seal", ..base },
            Purpose { identifier: "token", ..base },
            Purpose { version: 2, ..base },
            // Parts that run into each other are told apart by their lengths.
            Purpose { application: "a1e", namespace: "id", ..base },
        ];
        let key: Secret<32> = master.key(&base);
        for other in others {
            assert_ne!(key.expose(), master.key::<32>(&other).expose(), "{other:?}");
        }
        let elsewhere = MasterSecret(master.0.clone(), [2; 16]);
        assert_ne!(key.expose(), elsewhere.key::<32>(&base).expose(), "another vault");
        assert_eq!(key.expose(), master.key::<32>(&base).expose());
    }

    #[test]
    fn a_wrapped_secret_is_opened_by_its_root_key_and_vault_alone() {
        let (root, other) = (RootKey::draw().unwrap(), RootKey::draw().unwrap());
        let master = MasterSecret::draw([7; 16]).unwrap();
        let wrapped = root.wrap(&[7; 16], &master).unwrap();
        assert_eq!(root.unwrap(&[7; 16], &wrapped).unwrap().0.expose(), master.0.expose());
        assert!(other.unwrap(&[7; 16], &wrapped).is_err());
        assert!(root.unwrap(&[8; 16], &wrapped).is_err());
        let mut cut = wrapped;
        cut.pop();
        assert!(root.unwrap(&[7; 16], &cut).is_err());
    }

    #[test]
    fn a_root_key_is_64_hexadecimal_digits_and_an_error_does_not_show_it() {
        assert!(RootKey::from_hexadecimal(&format!(" {}\n", "0f".repeat(32))).is_ok());
        for wrong in ["planted-key".repeat(6), "0".repeat(63), "é".repeat(32), String::new()] {
            let error = RootKey::from_hexadecimal(&wrong).unwrap_err().to_string();
            assert!(!error.contains("planted"), "{error}");
        }
    }
}
