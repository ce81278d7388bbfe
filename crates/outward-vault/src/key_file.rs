//! Key files: a root key, or a share of one, under a passphrase.
//!
//! The passphrase becomes a key by Argon2id (RFC 9106) with a random salt, and that key seals the root key by AES-SIV.
//! One share of a root key is a random text as long as the key. The other is the key combined with it by exclusive or.
//! Each share alone is uniformly random and says nothing about the key.

use argon2::{Algorithm, Argon2, Params, Version};
use outward_error::{Error, Result};
use serde::{Deserialize, Serialize};

use crate::keys::{RootKey, from_hexadecimal, to_hexadecimal};
use crate::seal::Sealer;
use crate::secret::{Secret, fill_at_random};

/// What the first field of a key file says.
const FORM: &str = "outward-vault-key/1";
/// What Argon2id costs: 64 MiB, three passes, one lane. The second choice that RFC 9106 recommends, for machines without 2 GiB to spare.
const COST: Cost = Cost { memory_kib: 64 * 1024, passes: 3, lanes: 1 };
/// The shortest passphrase that a new key file may have.
const SHORTEST: usize = 12;

/// A key file as it is written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct KeyFile {
    form: String,
    /// 0 for a whole key; 1 or 2 for a share.
    share: u8,
    argon2id: Cost,
    salt: String,
    sealed: String,
}

/// What a passphrase costs to try.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Cost {
    memory_kib: u32,
    passes: u32,
    lanes: u32,
}

/// What a key file holds.
#[derive(Debug, Clone)]
pub enum KeyPart {
    /// A whole root key.
    Whole(RootKey),
    /// The first or the second share of one.
    Share(u8, Secret<32>),
}

impl KeyPart {
    /// Puts a root key together from one key file or from two.
    ///
    /// # Errors
    /// If a share is missing, or given twice.
    pub fn join(parts: Vec<Self>) -> Result<RootKey> {
        let wrong =
            |what: &str| Err(Error::input(what).help("name one whole key file, or both shares of a key").into());
        match <[Self; 1]>::try_from(parts) {
            Ok([Self::Whole(root)]) => Ok(root),
            Ok([Self::Share(..)]) => wrong("this file has one share of the root key, and the other is missing"),
            Err(parts) => match &parts[..] {
                [Self::Share(one, first), Self::Share(other, second)] if one != other => {
                    Ok(RootKey::new(combined(first, second)))
                }
                [Self::Share(..), Self::Share(..)] => wrong("both files have the same share of the root key"),
                _ => wrong("these files are not two shares of a root key"),
            },
        }
    }
}

/// Divides a root key into two shares; neither alone says anything about it.
///
/// # Errors
/// If the operating system gives no random numbers.
pub fn split(root: &RootKey) -> Result<[KeyPart; 2]> {
    let first = Secret::draw()?;
    let second = combined(&first, root.bytes());
    Ok([KeyPart::Share(1, first), KeyPart::Share(2, second)])
}

fn combined(one: &Secret<32>, other: &Secret<32>) -> Secret<32> {
    let mut both = one.clone();
    both.expose_mut().iter_mut().zip(other.expose()).for_each(|(byte, other)| *byte ^= other);
    both
}

/// The text of a key file.
///
/// # Errors
/// If the passphrase is too short, or there are no random numbers.
pub fn write_key_file(part: &KeyPart, passphrase: &str) -> Result<String> {
    if passphrase.chars().count() < SHORTEST {
        return Err(Error::input("the passphrase is shorter than 12 characters")
            .help("take four words or more")
            .into());
    }
    let mut salt = [0; 16];
    fill_at_random(&mut salt)?;
    let (share, secret) = match part {
        KeyPart::Whole(root) => (0, root.bytes()),
        KeyPart::Share(number, share) => (*number, share),
    };
    let sealed = sealer(passphrase, &salt, COST)?.seal(&place_of(share), secret.expose())?;
    let file = KeyFile {
        form: FORM.to_owned(),
        share,
        argon2id: COST,
        salt: to_hexadecimal(&salt),
        sealed: to_hexadecimal(&sealed),
    };
    toml::to_string(&file).map_err(|_| Error::bug("a key file could not be written"))
}

/// Opens a key file.
///
/// # Errors
/// If the text is not a key file, or the passphrase is wrong.
pub fn read_key_file(text: &str, passphrase: &str) -> Result<KeyPart> {
    let no_key_file = || {
        Error::input("this is not a key file of a vault")
            .help("name the file that `outward vault init --key-file` wrote, or restore it from a copy")
    };
    let file: KeyFile = toml::from_str(text).map_err(|_| no_key_file())?;
    let (mut salt, mut sealed) = ([0; 16], [0; 48]);
    let is_read = from_hexadecimal(&file.salt, &mut salt) && from_hexadecimal(&file.sealed, &mut sealed);
    if file.form != FORM || file.share > 2 || !is_read {
        return Err(no_key_file().into());
    }
    // A file that was tampered with must not take all memory.
    let Cost { memory_kib, passes, lanes } = file.argon2id;
    if memory_kib > 1 << 21 || passes > 64 || lanes > 16 {
        return Err(no_key_file().into());
    }
    let opened = sealer(passphrase, &salt, file.argon2id)?.open(&place_of(file.share), &sealed);
    let bytes = opened.map_err(|_| Error::input("the passphrase does not open this key file").help("try again"))?;
    let bytes: [u8; 32] = bytes.as_slice().try_into().map_err(|_| no_key_file())?;
    let secret = Secret::new(bytes);
    Ok(if file.share == 0 { KeyPart::Whole(RootKey::new(secret)) } else { KeyPart::Share(file.share, secret) })
}

/// What a sealed key is bound to, so that a share cannot be passed off as a whole key.
fn place_of(share: u8) -> [&'static str; 2] {
    [FORM, ["whole", "share 1", "share 2"][usize::from(share.min(2))]]
}

fn sealer(passphrase: &str, salt: &[u8; 16], cost: Cost) -> Result<Sealer> {
    let refused =
        |_| Error::input("this key file asks for a cost of Argon2id that there is not").help("restore it from a copy");
    let params = Params::new(cost.memory_kib, cost.passes, cost.lanes, Some(64)).map_err(refused)?;
    let mut key = Secret::new([0; 64]);
    let argon2 = Argon2::new(Algorithm::Argon2id, Version::V0x13, params);
    argon2.hash_password_into(passphrase.as_bytes(), salt, key.expose_mut()).map_err(refused)?;
    Ok(Sealer::new(&key))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use argon2::ParamsBuilder;

    use super::*;

    const PASSPHRASE: &str = "correct horse battery staple";

    #[test]
    fn argon2id_gives_the_tag_of_rfc_9106() {
        // Section 5.3: 32 KiB, three passes, four lanes, with a secret and associated data.
        let params = ParamsBuilder::new()
            .m_cost(32)
            .t_cost(3)
            .p_cost(4)
            .data(argon2::AssociatedData::new(&[4; 12]).unwrap())
            .output_len(32)
            .build()
            .unwrap();
        let argon2 = Argon2::new_with_secret(&[3; 8], Algorithm::Argon2id, Version::V0x13, params).unwrap();
        let mut tag = [0; 32];
        argon2.hash_password_into(&[1; 32], &[2; 16], &mut tag).unwrap();
        assert_eq!(to_hexadecimal(&tag), "0d640df58d78766c08c037a34a8b53c9d01ef0452d75b65eb52520e96b01e659");
    }

    #[test]
    fn a_key_file_opens_by_its_passphrase_alone() {
        let root = RootKey::draw().unwrap();
        let text = write_key_file(&KeyPart::Whole(root.clone()), PASSPHRASE).unwrap();
        assert!(!text.contains(&to_hexadecimal(root.bytes().expose())));
        let opened = KeyPart::join(vec![read_key_file(&text, PASSPHRASE).unwrap()]).unwrap();
        assert_eq!(opened.bytes().expose(), root.bytes().expose());
        let error = read_key_file(&text, "correct horse battery stable").unwrap_err().to_string();
        assert_eq!(error, "the passphrase does not open this key file");
    }

    #[test]
    fn a_share_is_not_the_key_and_both_together_are() {
        let root = RootKey::draw().unwrap();
        let [first, second] = split(&root).unwrap();
        for share in [&first, &second] {
            assert!(KeyPart::join(vec![share.clone()]).is_err());
            assert!(KeyPart::join(vec![share.clone(), share.clone()]).is_err());
        }
        let read = |part: &KeyPart, passphrase: &str| {
            read_key_file(&write_key_file(part, passphrase).unwrap(), passphrase).unwrap()
        };
        let parts = vec![read(&second, "one of two custodians"), read(&first, "the other custodian")];
        assert_eq!(KeyPart::join(parts).unwrap().bytes().expose(), root.bytes().expose());
    }

    #[test]
    fn a_share_cannot_be_passed_off_as_a_whole_key() {
        let [first, _] = split(&RootKey::draw().unwrap()).unwrap();
        let text = write_key_file(&first, PASSPHRASE).unwrap();
        assert!(read_key_file(&text.replace("share = 1", "share = 0"), PASSPHRASE).is_err());
    }

    #[test]
    fn damaged_key_files_and_short_passphrases_are_refused() {
        let text = write_key_file(&KeyPart::Whole(RootKey::draw().unwrap()), PASSPHRASE).unwrap();
        for damaged in ["", "form = 1", &text[..text.len() / 2], &text.replace("65536", "4294967295")] {
            assert!(read_key_file(damaged, PASSPHRASE).is_err());
        }
        assert!(write_key_file(&KeyPart::Whole(RootKey::draw().unwrap()), "too short").is_err());
    }
}
