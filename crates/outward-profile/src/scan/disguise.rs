//! Whether a text holds anything that [`plain`] writing changes, found without making it, and where in the text a place of the plain
//! writing is.

use std::borrow::Cow;

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

/// Bytes at which plain writing may begin to differ, or that identifiers have and words do not.
static NOTABLE: [bool; 256] = {
    let mut notable = [false; 256];
    let mut at = 0x80;
    while at < 256 {
        notable[at] = true;
        at += 1;
    }
    let of = b"0123456789@%&([{<_.,dD\t\n\x0b\x0c\r";
    at = 0;
    while at < of.len() {
        notable[of[at] as usize] = true;
        at += 1;
    }
    notable
};

/// The fewest digits written one by one that are suspicious.
const SINGLES: usize = 4;
/// A longer text is no number as a spreadsheet writes it.
const LONGEST_NUMBER: usize = 40;
/// A longer text is no e-mail address in three words.
const LONGEST_ADDRESS: usize = 400;

/// Looks for digits, and for what is disguised.
pub(super) fn look_for_signs(text: &str) -> Signs {
    let bytes = text.as_bytes();
    let mut signs = Signs { telling: false, disguised: is_written_otherwise(text), other_blanks: false };
    let mut at = 0;
    while let Some(next) = bytes[at..].iter().position(|byte| NOTABLE[usize::from(*byte)]) {
        at += next;
        let rest = &bytes[at..];
        match rest[0] {
            b'0'..=b'9' => {
                signs.telling = true;
                signs.disguised |= stands_alone(bytes, at) && singles(bytes, at) >= SINGLES;
            }
            b'@' => {
                signs.telling = true;
                signs.disguised |= !has_host(bytes, at);
            }
            b'\t' | b'\n' | 0x0b | 0x0c | b'\r' => signs.other_blanks = true,
            b'%' => signs.disguised |= rest.starts_with(b"%40"),
            b'&' => signs.disguised |= rest.starts_with(b"&#64;"),
            b'_' => signs.disguised |= rest.get(..4).is_some_and(|word| word.eq_ignore_ascii_case(b"_at_")),
            b'(' | b'[' | b'{' | b'<' => signs.disguised |= opens_at_sign(&rest[1..]),
            b'.' | b',' => {
                let digits = bytes[..at].iter().rev().take(4).take_while(|byte| byte.is_ascii_digit()).count();
                signs.disguised |= digits == 4 && rest.get(1) == Some(&b'0');
            }
            b'd' | b'D' => {
                let word = rest.get(..3).is_some_and(|word| word.eq_ignore_ascii_case(b"dot"));
                let begins = at.checked_sub(1).is_some_and(|before| bytes[before].is_ascii_whitespace());
                signs.disguised |= word && begins && rest.get(3).is_some_and(u8::is_ascii_whitespace);
            }
            _ => {
                let Some(c) = text.get(at..).and_then(|rest| rest.chars().next()) else { break };
                let plain = plain_character(c);
                signs.disguised |= plain != Some(c);
                at += c.len_utf8() - 1;
            }
        }
        at += 1;
        if signs.telling && signs.disguised {
            break;
        }
    }
    // What is disguised may become a digit or an `@`.
    signs.telling |= signs.disguised;
    signs
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
        let mut words = text.splitn(4, |c: char| c.is_ascii_whitespace());
        let middle = (words.next(), words.next(), words.next(), words.next());
        matches!(middle, (Some(_), Some(at), Some(_), None) if at.eq_ignore_ascii_case("at"))
    };
    number || (bytes.len() <= LONGEST_ADDRESS && address())
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
