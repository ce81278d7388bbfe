//! The identifiers that a research application gets: EIDs.
//!
//! Every participant has a running number inside the vault that never leaves it. An application's EIDs are a keyed permutation of these numbers (FF1), or
//! tokens by a keyed hash. The key is derived for the application and the set of identifiers. So two applications share nothing, two sets of one application
//! share nothing, and a participant who joins later does not change the identifiers of the others.

use aes::Aes256;
use outward_error::{Error, Result};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::ff1::Ff1;
use crate::keys::{MasterSecret, Purpose, keyed_hash, to_hexadecimal};
use crate::secret::Secret;

/// How the EIDs of an application look.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EidForm {
    /// Decimal numbers of a fixed width, from 6 to 18 digits; never 10, which is the width of an NHS number.
    Digits(u8),
    /// Opaque tokens of 28 letters and digits.
    Token,
}

impl EidForm {
    /// Seven digits, if nobody asks for anything else.
    pub const DEFAULT: Self = Self::Digits(7);

    /// Refuses what cannot be kept secret or passes for an NHS number.
    ///
    /// # Errors
    /// Where the width is below 6 or above 18, or 10.
    pub fn check(self) -> Result<()> {
        let Self::Digits(digits) = self else { return Ok(()) };
        let what = match digits {
            0..6 => "identifiers of fewer than 6 digits are too few to be kept secret",
            10 => "identifiers of 10 digits can pass for NHS numbers",
            19.. => "identifiers of more than 18 digits do not fit a number",
            _ => return Ok(()),
        };
        Err(Error::input(what).help("ask for 7 to 9 digits, or for 11 to 18, or for tokens").into())
    }
}

/// Makes the EIDs of one application, in one set.
pub(crate) struct EidMaker(Maker);

enum Maker {
    Digits { ff1: Box<Ff1<Aes256>>, width: usize },
    Token { key: Secret<32> },
}

impl EidMaker {
    /// The maker of an application's EIDs in a set: `main`, or `A` and `B` of a phased release.
    pub(crate) fn new(master: &MasterSecret, application: &str, set: &str, form: EidForm) -> Result<Self> {
        form.check()?;
        let identifier = match form {
            EidForm::Digits(digits) => format!("digits-{digits}/{set}"),
            EidForm::Token => format!("token/{set}"),
        };
        let key = master.key(&Purpose { application, namespace: "eid", identifier: &identifier, version: 1 });
        Ok(Self(match form {
            EidForm::Digits(digits) => {
                let ff1 = Ff1::new(key.expose(), 10, u32::from(digits))?;
                Maker::Digits { ff1: Box::new(ff1), width: usize::from(digits) }
            }
            EidForm::Token => Maker::Token { key },
        }))
    }

    /// The EID of the participant with this running number.
    ///
    /// # Errors
    /// Where there are more participants than identifiers.
    pub(crate) fn eid(&self, number: u64) -> Result<String> {
        match &self.0 {
            Maker::Digits { ff1, width } if u128::from(number) < ff1.domain() => {
                Ok(format!("{:0width$}", ff1.encrypt(&[], u128::from(number))))
            }
            Maker::Digits { .. } => Err(Error::input("there are more participants than identifiers of this width")
                .help("ask for identifiers with more digits")
                .into()),
            Maker::Token { key } => Ok(token(&keyed_hash(key, &number.to_be_bytes()))),
        }
    }

    /// The running number behind an EID, where there is a shorter way than to try everyone.
    pub(crate) fn number(&self, eid: &str) -> Option<Option<u64>> {
        let Maker::Digits { ff1, width } = &self.0 else { return None };
        let is_eid = eid.len() == *width && eid.bytes().all(|digit| digit.is_ascii_digit());
        let number = eid.parse::<u128>().ok().filter(|_| is_eid).map(|eid| ff1.decrypt(&[], eid));
        Some(number.and_then(|number| u64::try_from(number).ok()))
    }
}

/// The letters of a token: digits and capitals but I, L, O and U, which are misread (Crockford's base 32).
const LETTERS: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/// A token: the version of its key, 128 bits in 26 letters, and a check character.
fn token(hash: &[u8; 32]) -> String {
    let bits = hash[..16].iter().fold(0u128, |bits, byte| bits << 8 | u128::from(*byte));
    let letter = |place: u32| char::from(LETTERS[(bits >> (5 * place) & 31) as usize]);
    let mut token: String = std::iter::once('1').chain((0..26).rev().map(letter)).collect();
    token.push(check_character(&token));
    token
}

/// The check character of ISO/IEC 7064, MOD 37,36: it finds every single mistyped character and nearly every two that changed places.
fn check_character(text: &str) -> char {
    let sum = text.chars().fold(36, |sum, letter| {
        let sum = (sum + letter.to_digit(36).unwrap_or_default()) % 36;
        2 * (if sum == 0 { 36 } else { sum }) % 37
    });
    char::from_digit((37 - sum) % 36, 36).unwrap_or('0').to_ascii_uppercase()
}

/// Whether a token was typed as it was written.
pub fn is_token(text: &str) -> bool {
    text.len() == 28
        && text.is_char_boundary(27)
        && text.bytes().all(|byte| byte.is_ascii_digit() || byte.is_ascii_uppercase())
        && text.ends_with(check_character(&text[..27]))
}

/// The salted hash that some sites exchange in place of an NHS number: SHA-256 of the identifier and then the salt, in hexadecimal.
///
/// **Legacy**: there are under 2³⁰ NHS numbers, so whoever has the salt tries them all in seconds. For new links use a keyed hash.
pub fn legacy_hash(identifier: &str, salt: &str) -> String {
    to_hexadecimal(&Sha256::new().chain_update(identifier).chain_update(salt).finalize())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    fn master() -> MasterSecret {
        MasterSecret::draw([5; 16]).unwrap()
    }

    fn eids(master: &MasterSecret, application: &str, set: &str, form: EidForm, count: u64) -> Vec<String> {
        let maker = EidMaker::new(master, application, set, form).unwrap();
        (0..count).map(|number| maker.eid(number).unwrap()).collect()
    }

    #[test]
    fn identifiers_of_an_application_never_collide_and_keep_their_width() {
        let master = master();
        for form in [EidForm::Digits(6), EidForm::Digits(7), EidForm::Digits(18), EidForm::Token] {
            let all = eids(&master, "air-quality", "main", form, 50_000);
            assert_eq!(all.iter().collect::<HashSet<_>>().len(), all.len(), "{form:?}");
            assert!(all.iter().all(|eid| eid.len() == all[0].len()), "{form:?}");
        }
    }

    #[test]
    fn a_number_is_found_again_by_its_own_application_alone() {
        let master = master();
        let maker = EidMaker::new(&master, "a", "main", EidForm::DEFAULT).unwrap();
        let other = EidMaker::new(&master, "b", "main", EidForm::DEFAULT).unwrap();
        let found =
            (0..1_000).filter(|number| other.number(&maker.eid(*number).unwrap()) == Some(Some(*number))).count();
        assert!(found <= 2, "{found} of 1,000 by chance");
        assert!((0..1_000).all(|number| maker.number(&maker.eid(number).unwrap()) == Some(Some(number))));
        assert_eq!(maker.number("123"), Some(None));
        assert_eq!(maker.number("+123456"), Some(None));
    }

    /// Two applications, and two sets of one: what one identifier says of the other is tested by χ² on the pairs of their leading digits, 100 classes and 81
    /// degrees of freedom. By chance it is above 157 once in a million times.
    #[test]
    fn two_sets_of_identifiers_share_nothing_beyond_chance() {
        let master = master();
        let count = 100_000;
        let one = eids(&master, "a", "A", EidForm::Digits(7), count);
        for (application, set) in [("b", "A"), ("a", "B")] {
            let other = eids(&master, application, set, EidForm::Digits(7), count);
            let same = one.iter().zip(&other).filter(|(one, other)| one == other).count();
            assert!(same <= 3, "{same} of 100,000 alike, 0.01 expected");
            let mut pairs = [[0f64; 10]; 10];
            let digit = |eid: &str| usize::from(eid.as_bytes()[0] - b'0');
            for (one, other) in one.iter().zip(&other) {
                pairs[digit(one)][digit(other)] += 1.0;
            }
            let row = |row: usize| pairs[row].iter().sum::<f64>();
            let column = |column: usize| pairs.iter().map(|row| row[column]).sum::<f64>();
            let square = |r: usize, c: usize| {
                let expected = row(r) * column(c) / count as f64;
                (pairs[r][c] - expected).powi(2) / expected
            };
            let chi: f64 = (0..100).map(|at| square(at / 10, at % 10)).sum();
            assert!(chi < 157.0, "{application} {set}: {chi}");
        }
    }

    #[test]
    fn identifiers_never_pass_for_nhs_numbers() {
        assert!(EidForm::Digits(10).check().is_err());
        for digits in [6, 7, 8, 9, 11, 18] {
            assert!(EidForm::Digits(digits).check().is_ok());
        }
        assert!(EidForm::Digits(5).check().is_err() && EidForm::Digits(19).check().is_err());
    }

    #[test]
    fn a_mistyped_token_is_found() {
        // ISO/IEC 7064 gives this example for MOD 37,36.
        assert_eq!(check_character("A12425GABC1234002"), 'M');
        let token = &eids(&master(), "a", "main", EidForm::Token, 1)[0];
        assert!(is_token(token));
        for place in 0..27 {
            let mut typed: Vec<u8> = token.bytes().collect();
            typed[place] = if typed[place] == b'7' { b'8' } else { b'7' };
            assert!(!is_token(std::str::from_utf8(&typed).unwrap()), "character {place}");
        }
        assert!(!is_token("é") && !is_token(""));
    }

    #[test]
    fn the_legacy_hash_is_that_of_openpseudonymiser() {
        assert_eq!(legacy_hash("123456789", ""), "15e2b0d3c33891ebb0f1ef609ec419420c20e320ce94c65fbc8c3312448eb225");
        assert_eq!(
            legacy_hash("123456789", "hello"),
            "a4455e6581b78d69e569895c2b615dfa90a6cd56938e40ca91edd26e44deedfe"
        );
    }
}
