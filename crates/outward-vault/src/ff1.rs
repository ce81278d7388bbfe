//! FF1: a keyed permutation of the numbers of a fixed width.
//!
//! The method is FF1 of NIST SP 800-38G (2016), algorithms 7 and 8, with AES. The second public draft of revision 1 (2025) requires at least a million numbers,
//! and so does this file. The crate `fpe` holds its digits in vectors of big numbers and takes 8 µs an identifier; here a half fits a `u128`. Tests hold the two
//! against each other, and both against NIST's samples.

use aes::cipher::{Block, BlockCipherEncrypt, KeyInit};
use outward_error::{Error, Result};

/// The least number of texts that may be permuted.
pub const LEAST_DOMAIN: u128 = 1_000_000;
/// The widest text: each half has up to 18 digits.
const WIDEST: u32 = 36;
const ROUNDS: u8 = 10;

/// FF1 with a key, for numbers of a width in a radix. A number stands for its digits, with zeros in front.
pub struct Ff1<C> {
    cipher: C,
    radix: u32,
    width: u32,
}

impl<C: BlockCipherEncrypt + KeyInit> Ff1<C> {
    /// The permutation of all texts of `width` digits in `radix`.
    ///
    /// # Errors
    /// If there are fewer than a million, or too many for this implementation, or the key has another length.
    pub fn new(key: &[u8], radix: u32, width: u32) -> Result<Self> {
        let domain = u128::from(radix).checked_pow(width);
        if !(2..=1 << 16).contains(&radix) || width < 2 || domain.is_some_and(|domain| domain < LEAST_DOMAIN) {
            return Err(Error::input("identifiers of this width are too few to be kept secret")
                .help("ask for 6 decimal digits or more: a million identifiers are the least (NIST SP 800-38G)")
                .into());
        }
        let Some(_) = domain.filter(|_| width <= WIDEST) else {
            return Err(Error::input("identifiers of this width are too wide")
                .help("ask for 18 digits or fewer")
                .into());
        };
        let cipher = C::new_from_slice(key).map_err(|_| Error::bug("a key of the wrong length for FF1"))?;
        Ok(Self { cipher, radix, width })
    }

    /// How many texts there are.
    pub fn domain(&self) -> u128 {
        u128::from(self.radix).pow(self.width)
    }

    /// The image of `text` under the permutation.
    pub fn encrypt(&self, tweak: &[u8], text: u128) -> u128 {
        let (left, right) = self.halves();
        let (mut a, mut b) = (text / right, text % right);
        let prefix = self.prefix(tweak);
        for round in 0..ROUNDS {
            let modulus = if round % 2 == 0 { left } else { right };
            let next = (a + self.number(&prefix, tweak, round, b) % modulus) % modulus;
            (a, b) = (b, next);
        }
        a * right + b
    }

    /// The text whose image is `text`.
    pub fn decrypt(&self, tweak: &[u8], text: u128) -> u128 {
        let (left, right) = self.halves();
        let (mut a, mut b) = (text / right, text % right);
        let prefix = self.prefix(tweak);
        for round in (0..ROUNDS).rev() {
            let modulus = if round % 2 == 0 { left } else { right };
            let before = (b + modulus - self.number(&prefix, tweak, round, a) % modulus) % modulus;
            (a, b) = (before, a);
        }
        a * right + b
    }

    /// How many values the left and the right half have: `radix` to the power of ⌊n/2⌋ and of ⌈n/2⌉.
    fn halves(&self) -> (u128, u128) {
        let power = |digits: u32| u128::from(self.radix).pow(digits);
        (power(self.width / 2), power(self.width.div_ceil(2)))
    }

    /// The bytes that the largest right half takes.
    fn bytes(&self) -> usize {
        let largest = self.halves().1 - 1;
        (128 - largest.leading_zeros()).div_ceil(8) as usize
    }

    /// The cipher of the first block, which is the same in every round.
    fn prefix(&self, tweak: &[u8]) -> Block<C> {
        let mut block = Block::<C>::default();
        let radix = self.radix.to_be_bytes();
        block[..8].copy_from_slice(&[1, 2, 1, radix[1], radix[2], radix[3], ROUNDS, (self.width / 2) as u8]);
        block[8..12].copy_from_slice(&self.width.to_be_bytes());
        block[12..16].copy_from_slice(&(tweak.len() as u32).to_be_bytes());
        self.cipher.encrypt_block(&mut block);
        block
    }

    /// The number of a round: a keyed hash of tweak, round and one half.
    fn number(&self, prefix: &Block<C>, tweak: &[u8], round: u8, half: u128) -> u128 {
        let bytes = self.bytes();
        // The tweak, zeros up to a whole block, the round, and the half.
        let zeros = (16 - (tweak.len() + bytes + 1) % 16) % 16;
        let half = half.to_be_bytes();
        let tail = std::iter::repeat_n(0, zeros).chain([round]).chain(half[16 - bytes..].iter().copied());
        let mut block = prefix.clone();
        let mut at = 0;
        for byte in tweak.iter().copied().chain(tail) {
            block[at] ^= byte;
            at += 1;
            if at == 16 {
                self.cipher.encrypt_block(&mut block);
                at = 0;
            }
        }
        // d = 4⌈b/4⌉ + 4 bytes of the hash. Halves of up to 18 decimal digits take 8 bytes, so one block has enough.
        let take = (4 * bytes.div_ceil(4) + 4).min(16);
        block[..take].iter().fold(0, |number, byte| number << 8 | u128::from(*byte))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use aes::{Aes128, Aes192, Aes256};
    use fpe::ff1::{FF1, FlexibleNumeralString};
    use proptest::prelude::*;

    use super::*;
    use crate::keys::from_hexadecimal;

    fn number(text: &str, radix: u32) -> u128 {
        text.chars().fold(0, |number, digit| number * u128::from(radix) + u128::from(digit.to_digit(36).unwrap()))
    }

    fn hold<C: BlockCipherEncrypt + KeyInit>(key: &str, tweak: &str, radix: u32, text: &str, expected: &str) {
        let (mut key_bytes, mut tweak_bytes) = (vec![0; key.len() / 2], vec![0; tweak.len() / 2]);
        assert!(from_hexadecimal(key, &mut key_bytes) && from_hexadecimal(tweak, &mut tweak_bytes));
        let ff1 = Ff1::<C>::new(&key_bytes, radix, text.len() as u32).unwrap();
        let (from, to) = (number(text, radix), number(expected, radix));
        assert_eq!(ff1.encrypt(&tweak_bytes, from), to, "{text}");
        assert_eq!(ff1.decrypt(&tweak_bytes, to), from, "{text}");
    }

    #[test]
    fn the_nine_samples_of_nist_are_met() {
        let keys = ["2B7E151628AED2A6ABF7158809CF4F3C", "EF4359D8D580AA4F", "7F036D6F04FC6A94"];
        let key = |parts: usize| keys[..parts].concat();
        let (tweak, letters) = ("39383736353433323130", "3737373770717273373737");
        let (digits, text) = ("0123456789", "0123456789abcdefghi");
        hold::<Aes128>(&key(1), "", 10, digits, "2433477484");
        hold::<Aes128>(&key(1), tweak, 10, digits, "6124200773");
        hold::<Aes128>(&key(1), letters, 36, text, "a9tv40mll9kdu509eum");
        hold::<Aes192>(&key(2), "", 10, digits, "2830668132");
        hold::<Aes192>(&key(2), tweak, 10, digits, "2496655549");
        hold::<Aes192>(&key(2), letters, 36, text, "xbj3kv35jrawxv32ysr");
        hold::<Aes256>(&key(3), "", 10, digits, "6657667009");
        hold::<Aes256>(&key(3), tweak, 10, digits, "1001623463");
        hold::<Aes256>(&key(3), letters, 36, text, "xs8a0azh2avyalyzuwd");
    }

    #[test]
    fn fewer_than_a_million_identifiers_are_refused() {
        assert!(Ff1::<Aes256>::new(&[0; 32], 10, 5).is_err());
        assert!(Ff1::<Aes256>::new(&[0; 32], 10, 6).is_ok());
        assert!(Ff1::<Aes256>::new(&[0; 32], 2, 19).is_err());
        assert!(Ff1::<Aes256>::new(&[0; 32], 10, 37).is_err());
        assert!(Ff1::<Aes256>::new(&[0; 16], 10, 7).is_err(), "a key of another length");
    }

    #[test]
    fn all_texts_of_six_digits_are_permuted() {
        let ff1 = Ff1::<Aes256>::new(&[3; 32], 10, 6).unwrap();
        let mut met = vec![false; 1_000_000];
        for text in 0..1_000_000 {
            let put = ff1.encrypt(b"application", text) as usize;
            assert!(!met[put], "two texts have the same identifier");
            met[put] = true;
        }
        assert!(met.iter().all(|met| *met));
    }

    proptest! {
        #[test]
        fn another_implementation_gives_the_same(key: [u8; 32], tweak: Vec<u8>, width in 6u32..=18, text: u64) {
            let ff1 = Ff1::<Aes256>::new(&key, 10, width).unwrap();
            let text = u128::from(text) % ff1.domain();
            let put = ff1.encrypt(&tweak, text);
            prop_assert_eq!(ff1.decrypt(&tweak, put), text);
            let digits: Vec<u16> = (0..width).rev().map(|place| (text / 10u128.pow(place) % 10) as u16).collect();
            let other = FF1::<Aes256>::new(&key, 10).unwrap();
            let other: Vec<u16> = other.encrypt(&tweak, &FlexibleNumeralString::from(digits)).unwrap().into();
            prop_assert_eq!(other.into_iter().fold(0, |number, digit| 10 * number + u128::from(digit)), put);
        }
    }
}
