//! ZIP codes of the United States: five digits, nine with the delivery route, and the first three, which are what a
//! release may carry.
//!
//! A ZIP code is a text, not a number: `01234` is in Massachusetts. Programs that read it as a number drop its leading
//! zeros. What is left (`1234`, or `601` for `00601`) could be repaired only by a guess, so it is refused with a
//! message that says so. For the same reason three digits are a prefix only if the caller says so: [`Zip3`].

use std::fmt;

/// A ZIP code of five digits (`35004`), or nine (`35004-1234`).
///
/// Nine digits may also be written with a space or nothing in between; the normal form has the hyphen. The prefix
/// `000`, which is where releases put the places with too few people, is no place and is refused.
///
/// ```
/// use outward_places::Zip;
/// let zip = Zip::parse("01234 5678")?;
/// assert_eq!((zip.as_str(), zip.zip3().as_str()), ("01234-5678", "012"));
/// # Ok::<(), outward_places::NotAZip>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Zip {
    /// The normal form, then zeros.
    text: [u8; 10],
    length: u8,
}

/// The first three digits of a ZIP code: a sectional centre, or a large city's post office.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Zip3([u8; 3]);

impl Zip {
    /// Reads a ZIP code, with or without spaces around it.
    pub fn parse(text: &str) -> Result<Self, NotAZip> {
        let (code, blanks) = trim(text);
        let digits = leading_digits(code);
        let refuse = |place: usize, expected| Err(NotAZip { position: blanks + place + 1, expected });
        let route = match (digits, &code[digits..]) {
            (5, []) => &[],
            (9, []) => &code[5..],
            (5, [b'-' | b' ', route @ ..]) => match leading_digits(route) {
                4 if route.len() == 4 => route,
                more @ 0..4 => return refuse(6 + more, ExpectedInZip::Digit),
                _ => return refuse(10, ExpectedInZip::End),
            },
            (0..5, []) if digits > 0 => return refuse(digits, ExpectedInZip::LeadingZeros),
            (6..9, []) => return refuse(digits, ExpectedInZip::NineDigits),
            (0..5, _) => return refuse(digits, ExpectedInZip::Digit),
            (5, _) => return refuse(5, ExpectedInZip::RouteOrEnd),
            (6..9, _) => return refuse(digits, ExpectedInZip::Digit),
            _ => return refuse(9, ExpectedInZip::End),
        };
        if code.starts_with(b"000") {
            return refuse(2, ExpectedInZip::Place);
        }
        let mut zip = Self { text: [0; 10], length: 5 };
        zip.text[..5].copy_from_slice(&code[..5]);
        if !route.is_empty() {
            zip.text[5] = b'-';
            zip.text[6..].copy_from_slice(route);
            zip.length = 10;
        }
        Ok(zip)
    }

    /// The normal form.
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.text[..usize::from(self.length)]).unwrap_or_default()
    }

    /// The first three digits.
    pub fn zip3(&self) -> Zip3 {
        Zip3([self.text[0], self.text[1], self.text[2]])
    }
}

impl Zip3 {
    /// Reads a prefix of three digits, from a column that is known to hold prefixes.
    pub fn parse(text: &str) -> Result<Self, NotAZip> {
        let (code, blanks) = trim(text);
        let digits = leading_digits(code);
        let (place, expected) = match *code {
            [b'0', b'0', b'0'] => (2, ExpectedInZip::Place),
            [a, b, c] if digits == 3 => return Ok(Self([a, b, c])),
            [_] | [_, _] if digits == code.len() => (digits, ExpectedInZip::LeadingZeros),
            _ if digits < 3 => (digits, ExpectedInZip::Digit),
            _ => (3, ExpectedInZip::End),
        };
        Err(NotAZip { position: blanks + place + 1, expected })
    }

    /// The three digits.
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.0).unwrap_or_default()
    }
}

fn trim(text: &str) -> (&[u8], usize) {
    let code = text.trim_start_matches(' ');
    (code.trim_end_matches(' ').as_bytes(), text.len() - code.len())
}

fn leading_digits(code: &[u8]) -> usize {
    code.iter().take_while(|byte| byte.is_ascii_digit()).count()
}

/// Why a text is not a ZIP code: where it goes wrong and what could have stood there, never what does stand there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotAZip {
    /// The character, counted from 1 in the text as it was given; one more than there are means that it stops too soon.
    pub position: usize,
    /// What could have stood there.
    pub expected: ExpectedInZip,
}

/// What a ZIP code could have had at a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExpectedInZip {
    /// A digit.
    Digit,
    /// More digits: there are too few, as in a code that was read as a number.
    LeadingZeros,
    /// After five digits, the delivery route or nothing.
    RouteOrEnd,
    /// Digits up to nine: there are six to eight.
    NineDigits,
    /// A prefix that is a place.
    Place,
    /// Nothing more.
    End,
}

impl fmt::Display for ExpectedInZip {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Digit => "a digit",
            Self::LeadingZeros => "more digits (leading zeros are lost when a code is read as a number)",
            Self::RouteOrEnd => "a hyphen and four digits, or nothing more",
            Self::NineDigits => "five or nine digits (leading zeros are lost when a code is read as a number)",
            Self::Place => "a prefix other than that of pooled places",
            Self::End => "nothing more",
        })
    }
}

impl fmt::Display for NotAZip {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "not a ZIP code: expected {} at character {}", self.expected, self.position)
    }
}

impl std::error::Error for NotAZip {}

impl AsRef<str> for Zip {
    fn as_ref(&self) -> &str {
        self.as_str()
    }
}

impl fmt::Display for Zip {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl fmt::Debug for Zip {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Zip").field(&self.as_str()).finish()
    }
}

impl AsRef<str> for Zip3 {
    fn as_ref(&self) -> &str {
        self.as_str()
    }
}

impl fmt::Display for Zip3 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl fmt::Debug for Zip3 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Zip3").field(&self.as_str()).finish()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use ExpectedInZip::{Digit, End, LeadingZeros, NineDigits, Place, RouteOrEnd};
    use proptest::prelude::*;

    use super::*;

    fn refused(text: &str) -> (usize, ExpectedInZip) {
        let refusal = Zip::parse(text).unwrap_err();
        (refusal.position, refusal.expected)
    }

    #[test]
    fn five_and_nine_digits_keep_their_leading_zeros() {
        for (text, normal) in [
            ("35004", "35004"),
            (" 00501 ", "00501"),
            ("35004-1234", "35004-1234"),
            ("350041234", "35004-1234"),
            ("01234 0678", "01234-0678"),
        ] {
            let zip = Zip::parse(text).unwrap();
            assert_eq!(zip.as_str(), normal);
            assert_eq!(zip.zip3().as_str(), &normal[..3]);
        }
    }

    #[test]
    fn a_code_that_lost_its_leading_zeros_is_refused_in_words_that_say_so() {
        assert_eq!(refused("1234"), (5, LeadingZeros));
        assert_eq!(refused("601"), (4, LeadingZeros));
        assert_eq!(refused("12345678"), (9, NineDigits));
        assert!(Zip::parse("1234").unwrap_err().to_string().contains("leading zeros are lost"));
    }

    #[test]
    fn refusals_name_the_place() {
        assert_eq!(refused(""), (1, Digit));
        assert_eq!(refused(" 35o04"), (4, Digit));
        assert_eq!(refused("35004.0"), (6, RouteOrEnd));
        assert_eq!(refused("35004-"), (7, Digit));
        assert_eq!(refused("35004-12x4"), (9, Digit));
        assert_eq!(refused("35004-12345"), (11, End));
        assert_eq!(refused("35004é"), (6, RouteOrEnd));
        assert_eq!(refused("3500412345"), (10, End));
        assert_eq!(refused("00012"), (3, Place));
    }

    #[test]
    fn three_digits_are_a_prefix_only_where_they_are_said_to_be() {
        assert_eq!(Zip3::parse("036").unwrap().to_string(), "036");
        assert_eq!(Zip3::parse("36").unwrap_err(), NotAZip { position: 3, expected: LeadingZeros });
        assert_eq!(Zip3::parse("0360").unwrap_err(), NotAZip { position: 4, expected: End });
        assert_eq!(Zip3::parse("000").unwrap_err(), NotAZip { position: 3, expected: Place });
        assert!(Zip::parse("036").is_err());
    }

    proptest! {
        #[test]
        fn any_text_is_a_code_or_refused_at_a_place_within_it(text in prop_oneof![any::<String>(), "[0-9 -]{0,12}"]) {
            let within = 1..=text.chars().count() + 1;
            match Zip::parse(&text) {
                Ok(zip) => prop_assert_eq!(Zip::parse(zip.as_str()), Ok(zip)),
                Err(refusal) => prop_assert!(within.contains(&refusal.position)),
            }
            match Zip3::parse(&text) {
                Ok(prefix) => prop_assert_eq!(Zip3::parse(prefix.as_str()), Ok(prefix)),
                Err(refusal) => prop_assert!(within.contains(&refusal.position)),
            }
        }
    }
}
