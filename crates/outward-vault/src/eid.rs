//! The identifiers that a research application gets: EIDs.
//!
//! Every participant has a running number inside the vault that never leaves it. An application's EIDs are a keyed
//! permutation of these numbers (FF1), or tokens by a keyed hash. The key is derived for the application and the set of
//! identifiers. So two applications share nothing, and two sets of one application share nothing. A participant who
//! joins later does not change the identifiers of the others.

use aes::Aes256;
use outward_error::{Error, Result};
use serde::{Deserialize, Serialize};

use crate::ff1::Ff1;
use crate::keys::{MasterSecret, Purpose, keyed_hash};
use crate::secret::Secret;

/// How the EIDs of an application look.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EidForm {
    /// Decimal numbers of a fixed width, from 6 to 9 digits: fewer than the ten of an NHS number or of a telephone number.
    Digits(u8),
    /// Opaque tokens of 28 letters and digits.
    Token,
}

impl EidForm {
    /// Seven digits, if nobody asks for anything else.
    pub const DEFAULT: Self = Self::Digits(7);

    pub(crate) fn usual() -> Self {
        Self::DEFAULT
    }

    /// Refuses what cannot be kept secret or passes for an NHS number.
    ///
    /// # Errors
    /// If the width is below 6 or above 9.
    pub fn check(self) -> Result<()> {
        let what = match self {
            Self::Digits(0..6) => "identifiers of fewer than 6 digits are too few to be kept secret",
            Self::Digits(10..) => "identifiers of 10 digits or more can pass for NHS or telephone numbers",
            _ => return Ok(()),
        };
        Err(Error::input(what).help("ask for 6 to 9 digits, or for tokens").into())
    }
}

/// A set of identifiers of an application. No two sets share anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EidSet {
    /// That of an application whose data come all at once.
    Main,
    /// That of the first phase, which gives places alone.
    PhaseOne,
    /// That of the second phase, which gives everything else.
    PhaseTwo,
}

impl EidSet {
    /// All sets.
    pub const ALL: [Self; 3] = [Self::Main, Self::PhaseOne, Self::PhaseTwo];

    /// How contexts of keys and the log write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Main => "main",
            Self::PhaseOne => "phase-one",
            Self::PhaseTwo => "phase-two",
        }
    }
}

/// Makes the EIDs of one application, in one set.
pub(crate) struct EidMaker(Maker);

enum Maker {
    Digits { ff1: Box<Ff1<Aes256>>, width: usize },
    Token { key: Secret<32> },
}

impl EidMaker {
    /// The maker of an application's EIDs in a set.
    pub(crate) fn new(master: &MasterSecret, application: &str, set: EidSet, form: EidForm) -> Result<Self> {
        form.check()?;
        let set = set.name();
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

    /// The EIDs of the first so many participants, by running number. Results do not depend on the number of threads.
    pub(crate) fn eids(&self, count: u64, threads: usize) -> Result<Vec<String>> {
        let share = count.div_ceil(threads.max(1) as u64).max(1);
        let starts: Vec<u64> = (0..count).step_by(share as usize).collect();
        let parts = std::thread::scope(|scope| {
            let part = |start: u64| (start..count.min(start + share)).map(|number| self.eid(number)).collect();
            let running: Vec<_> = starts.iter().map(|start| scope.spawn(move || part(*start))).collect();
            let joined = running
                .into_iter()
                .map(|thread| thread.join().map_err(|_| Error::bug("making identifiers panicked"))?);
            joined.collect::<Result<Vec<Vec<String>>>>()
        })?;
        Ok(parts.concat())
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

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    fn master() -> MasterSecret {
        MasterSecret::draw([5; 16]).unwrap()
    }

    fn eids(master: &MasterSecret, application: &str, set: EidSet, form: EidForm, count: u64) -> Vec<String> {
        let maker = EidMaker::new(master, application, set, form).unwrap();
        (0..count).map(|number| maker.eid(number).unwrap()).collect()
    }

    #[test]
    fn identifiers_of_an_application_never_collide_and_keep_their_width() {
        let master = master();
        for form in [EidForm::Digits(6), EidForm::Digits(7), EidForm::Digits(9), EidForm::Token] {
            let all = eids(&master, "air-quality", EidSet::Main, form, 50_000);
            assert_eq!(all.iter().collect::<HashSet<_>>().len(), all.len(), "{form:?}");
            assert!(all.iter().all(|eid| eid.len() == all[0].len()), "{form:?}");
        }
    }

    #[test]
    fn the_number_of_threads_changes_no_identifier() {
        let maker = EidMaker::new(&master(), "a", EidSet::Main, EidForm::DEFAULT).unwrap();
        let one = maker.eids(1_001, 1).unwrap();
        assert!((2..6).all(|threads| maker.eids(1_001, threads).unwrap() == one));
        assert_eq!(maker.eids(0, 4).unwrap(), Vec::<String>::new());
    }

    /// Two applications, and two sets of one. A χ² test on the pairs of their leading digits (100 classes, 81 degrees
    /// of freedom) asks what one identifier says of the other. By chance it is above 157 once in a million times.
    #[test]
    fn two_sets_of_identifiers_share_nothing_beyond_chance() {
        let master = master();
        let count = 100_000;
        let one = eids(&master, "a", EidSet::PhaseOne, EidForm::Digits(7), count);
        for (application, set) in [("b", EidSet::PhaseOne), ("a", EidSet::PhaseTwo)] {
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
            assert!(chi < 157.0, "{application} {set:?}: {chi}");
        }
    }

    #[test]
    fn identifiers_never_pass_for_nhs_numbers() {
        for digits in 6..=9 {
            assert!(EidForm::Digits(digits).check().is_ok());
            let made = eids(&master(), "a", EidSet::Main, EidForm::Digits(digits), 1_000);
            assert!(made.iter().all(|eid| !crate::nhs::is_nhs_number(eid)));
        }
        for digits in [0, 5, 10, 11, 18] {
            assert!(EidForm::Digits(digits).check().is_err());
        }
        let tokens = eids(&master(), "a", EidSet::Main, EidForm::Token, 1_000);
        assert!(tokens.iter().all(|token| token.len() == 28 && !crate::nhs::is_nhs_number(token)));
    }

    #[test]
    fn a_mistyped_token_is_found() {
        // ISO/IEC 7064 gives this example for MOD 37,36.
        assert_eq!(check_character("A12425GABC1234002"), 'M');
        let token = &eids(&master(), "a", EidSet::Main, EidForm::Token, 1)[0];
        assert!(is_token(token));
        for place in 0..27 {
            let mut typed: Vec<u8> = token.bytes().collect();
            typed[place] = if typed[place] == b'7' { b'8' } else { b'7' };
            assert!(!is_token(std::str::from_utf8(&typed).unwrap()), "character {place}");
        }
        assert!(!is_token("é") && !is_token(""));
    }
}
