//! Whether a text holds anything that [`plain`] writing changes, found without making it, and where in the text a place of the plain
//! writing is.

use std::borrow::Cow;

use super::eight::next_digit;
use crate::recognise::{plain, plain_character};

/// What one look at the bytes of a text says.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Signs {
    /// There is a digit or an `@`.
    pub(super) telling: bool,
    /// Plain writing may differ by more than blanks.
    pub(super) disguised: bool,
    /// There are blanks other than the space, such as the ends of lines.
    pub(super) other_blanks: bool,
}

impl Signs {
    /// The text as identifiers are looked for in it.
    pub(super) fn plain<'a>(&self, text: &'a str) -> Cow<'a, str> {
        match (self.disguised, self.other_blanks) {
            (true, _) => plain(text),
            (false, true) => Cow::Owned(text.replace(|c: char| c.is_ascii() && c.is_whitespace(), " ")),
            (false, false) => Cow::Borrowed(text),
        }
    }
}

/// What a byte may be a sign of, as bits.
const DIGIT: u8 = 1;
const AT_SIGN: u8 = 2;
const OTHER_BLANK: u8 = 4;
/// Plain writing may begin to differ here.
const DISGUISE: u8 = 8;

/// What each byte is a sign of.
static SIGNS: [u8; 256] = {
    let mut signs = [0; 256];
    let mut at = 0;
    while at < 256 {
        signs[at] = match at as u8 {
            b'0'..=b'9' => DIGIT,
            b'@' => AT_SIGN | DISGUISE,
            b'\t'..=b'\r' => OTHER_BLANK,
            b'%' | b'&' | b'(' | b'[' | b'{' | b'<' | b'_' | 0x80.. => DISGUISE,
            _ => 0,
        };
        at += 1;
    }
    signs
};

/// The signs of all bytes together. Four sums, none of which waits for another.
fn signs_of(bytes: &[u8]) -> u8 {
    let sign = |byte: &u8| SIGNS[usize::from(*byte)];
    let (fours, rest) = bytes.as_chunks::<4>();
    let mut signs = [0; 4];
    for four in fours {
        signs.iter_mut().zip(four).for_each(|(signs, byte)| *signs |= sign(byte));
    }
    signs.iter().fold(0, |all, signs| all | signs) | rest.iter().fold(0, |all, byte| all | sign(byte))
}

/// The fewest digits written one by one that are suspicious.
const SINGLES: usize = 4;
/// A longer text is no number as a spreadsheet writes it.
const LONGEST_NUMBER: usize = 40;
/// A longer text is no e-mail address in three words.
const LONGEST_ADDRESS: usize = 400;

/// Looks for digits, and for what is disguised.
pub(super) fn look_for_signs(text: &str) -> Signs {
    let bytes = text.as_bytes();
    let signs = signs_of(bytes);
    let disguised = (signs & DISGUISE != 0 && has_disguise(text))
        || (signs & DIGIT != 0 && has_disguised_number(bytes))
        || has_dot(bytes)
        || is_written_otherwise(text);
    // What is disguised may become a digit or an `@`.
    let telling = disguised || signs & (DIGIT | AT_SIGN) != 0;
    Signs { telling, disguised, other_blanks: signs & OTHER_BLANK != 0 }
}

/// Whether a character is one of another script or style, or part of an `@` that is spelt out.
fn has_disguise(text: &str) -> bool {
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(next) = bytes[at..].iter().position(|byte| SIGNS[usize::from(*byte)] & DISGUISE != 0) {
        at += next;
        let rest = &bytes[at..];
        let disguised = match rest[0] {
            b'@' => !has_host(bytes, at),
            b'%' => rest.starts_with(b"%40"),
            b'&' => rest.starts_with(b"&#64;"),
            b'_' => rest.get(..4).is_some_and(|word| word.eq_ignore_ascii_case(b"_at_")),
            b'(' | b'[' | b'{' | b'<' => opens_at_sign(&rest[1..]),
            _ => {
                let Some(c) = text.get(at..).and_then(|rest| rest.chars().next()) else { return true };
                at += c.len_utf8() - 1;
                plain_character(c) != Some(c)
            }
        };
        if disguised {
            return true;
        }
        at += 1;
    }
    false
}

/// Whether digits stand one by one, or a long number has decimals that are zero.
fn has_disguised_number(bytes: &[u8]) -> bool {
    let mut at = 0;
    while let Some(next) = next_digit(bytes, at) {
        at = next;
        let end = at + bytes[at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        let single = end == at + 1 && stands_alone(bytes, at) && singles(bytes, at) >= SINGLES;
        let decimals =
            end >= at + 4 && matches!(bytes.get(end), Some(b'.' | b',')) && bytes.get(end + 1) == Some(&b'0');
        if single || decimals {
            return true;
        }
        at = end;
    }
    false
}

/// Whether `dot` stands between blanks, whatever its case.
fn has_dot(bytes: &[u8]) -> bool {
    let [Some(second), Some(third)] = [bytes.get(1..), bytes.get(2..)] else { return false };
    let small = |byte: u8| byte | 0x20;
    // No way out of the loop, so that it goes through many bytes at once.
    let is_dot =
        |d: u8, o: u8, t: u8| u8::from(small(d) == b'd') & u8::from(small(o) == b'o') & u8::from(small(t) == b't');
    let found = bytes.iter().zip(second).zip(third).fold(0, |found, ((d, o), t)| found | is_dot(*d, *o, *t));
    let blank = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_whitespace);
    found != 0
        && (bytes.windows(3).enumerate()).any(|(at, word)| {
            word.eq_ignore_ascii_case(b"dot") && at > 0 && blank(bytes.get(at - 1)) && blank(bytes.get(at + 3))
        })
}

/// Whether the whole text may be a number with a power of ten or with thousands, or an address in three words.
fn is_written_otherwise(text: &str) -> bool {
    let text = text.trim();
    let bytes = text.as_bytes();
    let number = bytes.len() <= LONGEST_NUMBER
        && bytes.first().is_some_and(u8::is_ascii_digit)
        && bytes.last().is_some_and(u8::is_ascii_digit)
        && bytes.iter().any(|byte| matches!(byte, b'e' | b'E' | b','));
    let address = || {
        let blank = |byte: &u8| byte.is_ascii_whitespace();
        let middle = &bytes[bytes.iter().position(blank)?..];
        let at = middle.get(1..3)?.eq_ignore_ascii_case(b"at") && blank(middle.get(3)?);
        (at && !middle[4..].iter().any(blank)).then_some(())
    };
    number || (bytes.len() <= LONGEST_ADDRESS && address().is_some())
}

fn is_word(byte: Option<&u8>) -> bool {
    byte.is_some_and(u8::is_ascii_alphanumeric)
}

/// Whether neither letter nor digit is beside this one.
fn stands_alone(bytes: &[u8], at: usize) -> bool {
    !is_word(bytes.get(at + 1)) && !is_word(at.checked_sub(1).map(|before| &bytes[before]))
}

/// How many characters stand one by one from here, up to [`SINGLES`].
fn singles(bytes: &[u8], from: usize) -> usize {
    let (mut count, mut at) = (1, from);
    while count < SINGLES {
        let gap = bytes[at + 1..].iter().take(3).take_while(|byte| !byte.is_ascii_alphanumeric()).count();
        at += gap + 1;
        if !matches!(gap, 1 | 2) || !is_word(bytes.get(at)) || !stands_alone(bytes, at) {
            break;
        }
        count += 1;
    }
    count
}

/// Whether the `@` here has something before it and a name with a stop behind it.
fn has_host(bytes: &[u8], at: usize) -> bool {
    let before = at.checked_sub(1).is_some_and(|before| bytes[before].is_ascii_graphic() || bytes[before] >= 0x80);
    let bracket = at.checked_sub(1).is_some_and(|before| b"([{<".contains(&bytes[before]));
    let part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'-' || *byte >= 0x80;
    let label = bytes[at + 1..].iter().take_while(|byte| part(byte)).count();
    let after = &bytes[at + 1 + label..];
    before && !bracket && label > 0 && after.first() == Some(&b'.') && after.get(1).is_some_and(part)
}

/// Whether a bracket here opens `at`, `@`, `dot` or `.`.
fn opens_at_sign(inner: &[u8]) -> bool {
    let inner = inner.trim_ascii_start();
    let word = |word: &[u8]| inner.get(..word.len()).is_some_and(|own| own.eq_ignore_ascii_case(word));
    word(b"at") || word(b"dot") || word(b"@") || word(b".")
}

/// For each byte of the plain writing, and its end, the byte of the text that it comes from. Plain writing leaves out and replaces
/// characters and keeps their order, so each is the next one that is the same.
pub(super) fn places_in(text: &str, plain: &str) -> Vec<usize> {
    let mut places = Vec::with_capacity(plain.len() + 1);
    let mut written = text.char_indices().filter_map(|(at, c)| Some((at, plain_character(c)?))).peekable();
    let mut end = 0;
    for c in plain.chars() {
        let same = |own: char| own.eq_ignore_ascii_case(&c);
        let place = if same('@') || same('.') {
            // The sign may have been spelt out: then it is not there.
            written.peek().map_or(text.len(), |(at, own)| if same(*own) { *at } else { end })
        } else {
            while written.peek().is_some_and(|(_, own)| !same(*own)) {
                written.next();
            }
            written.peek().map_or(text.len(), |(at, _)| *at)
        };
        if written.peek().is_some_and(|(at, own)| *at == place && same(*own)) {
            written.next();
            end = place + text[place..].chars().next().map_or(0, char::len_utf8);
        }
        places.extend(std::iter::repeat_n(place.min(text.len()), c.len_utf8()));
    }
    places.push(end.max(places.last().copied().unwrap_or(0)));
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordinary_notes_are_not_disguised() {
        for text in [
            "BP 120/80, pulse 72, weight 81.5 kg on 21/03/2024 at 10:15.",
            "seen at home (see letter) & sent to mary.jones@example.org, café",
            "scored 1 to 5",
            "07700 900123",
            "Done. Did not do it",
        ] {
            assert!(!look_for_signs(text).disguised, "{text}");
        }
    }

    #[test]
    fn a_place_in_plain_writing_is_found_in_the_text() {
        for (text, part, stands) in [
            ("no \u{ff19}\u{ff14}\u{ff13} x", "943", "\u{ff19}\u{ff14}\u{ff13}"),
            ("is 9 4 3 4 7 6 5 9 1 9, yes", "9434765919", "9 4 3 4 7 6 5 9 1 9"),
            ("to mary (at) example.org now", "mary@example.org", "mary (at) example.org"),
            ("to mary at example dot org now", "mary@example.org", "mary at example dot org"),
        ] {
            let plain = plain(text);
            assert!(look_for_signs(text).disguised, "{text}");
            let places = places_in(text, &plain);
            let at = plain.find(part).unwrap_or_default();
            let last = places[at + part.len() - 1];
            let end = last + text[last..].chars().next().map_or(0, char::len_utf8);
            assert_eq!(&text[places[at]..end], stands);
        }
    }
}
