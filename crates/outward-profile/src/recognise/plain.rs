//! Values in plain writing: other scripts' digits, wide characters, odd blanks and dashes, digits one by one, an `(at)`
//! for an `@`. The recognisers of identifiers read this form, both in the profile and in a verification.

use std::borrow::Cow;

/// The value as it would be typed without disguise. It is for recognising only; nothing is published in this form.
///
/// ```
/// use outward_profile::recognise::plain;
/// assert_eq!(plain("٩٤٣ ٤٧٦ ٥٩١٩"), "943 476 5919");
/// assert_eq!(plain("9 4 3 4 7 6 5 9 1 9"), "9434765919");
/// assert_eq!(plain("mary [at] example dot org"), "mary@example.org");
/// ```
pub fn plain(value: &str) -> Cow<'_, str> {
    let mut text = Cow::Borrowed(value);
    if !value.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        text = Cow::Owned(value.chars().filter_map(plain_character).collect());
    }
    for change in [from_powers_of_ten, without_zero_decimals, without_thousands, join_single_characters, with_signs] {
        if let Some(changed) = change(&text) {
            text = Cow::Owned(changed);
        }
    }
    text
}

/// The character in plain writing; nothing for characters of no width.
pub(crate) fn plain_character(c: char) -> Option<char> {
    match c {
        ' '..='~' => Some(c),
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(c) - 0xfee0),
        '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2064}' | '\u{feff}' | '\u{ad}' => None,
        '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{fe58}' | '\u{fe63}' => Some('-'),
        '·' | '•' | '․' | '。' | '٫' => Some('.'),
        '⁄' | '∕' => Some('/'),
        '،' | '、' => Some(','),
        c if c.is_whitespace() => Some(' '),
        c => Some(digit(c).unwrap_or(c)),
    }
}

/// The digit 0 of each script that counts in tens (Unicode category Nd), in order.
const ZEROS: [u32; 43] = [
    0x660, 0x6f0, 0x7c0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66, 0xbe6, 0xc66, 0xce6, 0xd66, 0xde6, 0xe50, 0xed0, 0xf20,
    0x1040, 0x1090, 0x17e0, 0x1810, 0x1946, 0x19d0, 0x1a80, 0x1a90, 0x1b50, 0x1bb0, 0x1c40, 0x1c50, 0x2080, 0xa620,
    0xa8d0, 0xa900, 0xa9d0, 0xa9f0, 0xaa50, 0xabf0, 0x104a0, 0x11066, 0x1d7ce, 0x1d7d8, 0x1d7e2, 0x1d7ec, 0x1d7f6,
];

/// The plain digit that a character of another script or style stands for.
fn digit(c: char) -> Option<char> {
    let code = u32::from(c);
    let value = match c {
        '⁰' => 0,
        '¹' => 1,
        '²' => 2,
        '³' => 3,
        '⁴'..='⁹' => code - 0x2070,
        '①'..='⑨' => code - 0x245f,
        '⓪' => 0,
        _ => {
            let at = ZEROS.partition_point(|zero| *zero <= code).checked_sub(1)?;
            code - ZEROS[at]
        }
    };
    char::from_digit(value, 10).filter(|_| value < 10)
}

/// A number of four digits or more without the zeros that a program put behind its point.
fn without_zero_decimals(text: &str) -> Option<String> {
    if !text.contains(".0") && !text.contains(",0") {
        return None;
    }
    let bytes = text.as_bytes();
    let is_digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let ends = |from: usize| {
        let zeros = bytes[from + 1..].iter().take_while(|byte| **byte == b'0').count();
        let after = bytes.get(from + 1 + zeros);
        let stops = after.is_none_or(|byte| !byte.is_ascii_alphanumeric())
            && !(after.is_some_and(|byte| matches!(byte, b'.' | b',')) && is_digit(from + 2 + zeros));
        (zeros > 0 && stops).then_some(from + 1 + zeros)
    };
    let mut plain = String::with_capacity(text.len());
    let (mut from, mut digits) = (0, 0);
    for at in 0..bytes.len() {
        let cut = if digits >= 4 && matches!(bytes[at], b'.' | b',') { ends(at) } else { None };
        if let Some(end) = cut {
            plain.push_str(&text[from..at]);
            from = end;
        }
        digits = if bytes[at].is_ascii_digit() { digits + 1 } else { 0 };
    }
    plain.push_str(&text[from..]);
    (plain.len() < text.len()).then_some(plain)
}

/// A whole number of nine digits or more that a spreadsheet wrote as `9.434765919E+09`.
fn from_powers_of_ten(text: &str) -> Option<String> {
    let (number, power) = text.trim().split_once(['e', 'E'])?;
    let power: usize = power.trim_start_matches('+').parse().ok().filter(|power| (8..=18).contains(power))?;
    let (whole, decimals) = number.split_once('.').unwrap_or((number, ""));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let fits = whole.len() == 1 && digits(whole) && digits(decimals) && decimals.len() <= power;
    fits.then(|| format!("{whole}{decimals:0<power$}"))
}

/// A whole number of nine digits or more without the commas between its thousands.
fn without_thousands(text: &str) -> Option<String> {
    let number = text.trim();
    let mut groups = number.split(',');
    let first = groups.next()?;
    let three = groups.all(|group| group.len() == 3 && group.bytes().all(|byte| byte.is_ascii_digit()));
    let begins = (1..=3).contains(&first.len()) && first.bytes().all(|byte| byte.is_ascii_digit());
    (begins && three && number.len() >= 11).then(|| number.replace(',', ""))
}

/// What may stand between the parts of a number.
pub(super) fn is_separator(c: char) -> bool {
    matches!(c, ' ' | '-' | '.' | '/' | '_' | ',' | ':')
}

/// The fewest characters written one by one that are joined.
const SINGLES: usize = 7;

/// Text in which digits that stand one by one (`9 4 3 4 …`, `9-4-3-4-…`) are one run; letters among them go along.
fn join_single_characters(text: &str) -> Option<String> {
    let characters: Vec<char> = text.chars().collect();
    if characters.len() < 2 * SINGLES - 1 {
        return None;
    }
    let mut plain = String::with_capacity(text.len());
    let (mut at, mut joined) = (0, false);
    while at < characters.len() {
        let before = at.checked_sub(1).map(|at| characters[at]);
        if before.is_none_or(|c| !c.is_alphanumeric())
            && let Some((code, end)) = singles(&characters, at)
        {
            plain.push_str(&code);
            (at, joined) = (end, true);
        } else {
            plain.push(characters[at]);
            at += 1;
        }
    }
    joined.then_some(plain)
}

/// The code written one character at a time from here, and where it ends.
fn singles(characters: &[char], from: usize) -> Option<(String, usize)> {
    let single = |at: usize| {
        let c = *characters.get(at).filter(|c| c.is_ascii_alphanumeric())?;
        characters.get(at + 1).is_none_or(|next| !next.is_alphanumeric()).then_some(c)
    };
    let (mut code, mut at) = (String::from(single(from)?), from + 1);
    loop {
        let gap = characters[at..].iter().take_while(|c| is_separator(**c)).count();
        let blanks = characters[at..at + gap].iter().all(|c| *c == ' ');
        let Some(next) = single(at + gap).filter(|_| gap == 1 || (gap == 2 && blanks)) else { break };
        code.push(next);
        at += gap + 1;
    }
    let digits = code.bytes().filter(u8::is_ascii_digit).count();
    // A scale that is counted up, and a letter that begins a sentence, are no part of a number.
    let counts_up = code.as_bytes().windows(2).all(|pair| pair[1] == pair[0] + 1);
    let starts = code.bytes().next().is_some_and(|first| first.is_ascii_digit()) || digits < SINGLES;
    (code.len() >= SINGLES && digits + 3 >= code.len() && digits >= 6 && !counts_up && starts).then_some((code, at))
}

/// Text with the `@` and `.` of an e-mail address that were spelt out.
fn with_signs(text: &str) -> Option<String> {
    let lower = text.to_ascii_lowercase();
    if !["at", "@", "%40", "&#64;"].iter().any(|sign| lower.contains(sign)) || !text.is_ascii() {
        return None;
    }
    let mut plain = text.replace("%40", "@").replace("&#64;", "@");
    if lower.contains("_at_") && lower.contains("_dot_") {
        plain = plain.to_ascii_lowercase().replace("_at_", "@").replace("_dot_", ".");
    }
    for (word, sign) in [("at", '@'), ("@", '@'), ("dot", '.'), (".", '.')] {
        plain = without_brackets(&plain, word, sign);
    }
    plain = with_words(&plain);
    (plain != text).then_some(plain)
}

/// Text with the sign in place of its word in brackets and the blanks around: `mary (at) example` is `mary@example`.
fn without_brackets(text: &str, word: &str, sign: char) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(open) = rest.find(['(', '[', '{', '<']) {
        let inner = rest[open + 1..].trim_start();
        let after =
            inner.get(..word.len()).filter(|start| start.eq_ignore_ascii_case(word)).map(|_| &inner[word.len()..]);
        let closed = after.map(str::trim_start).and_then(|after| after.strip_prefix([')', ']', '}', '>']));
        if let Some(behind) = closed {
            plain.push_str(rest[..open].trim_end());
            plain.push(sign);
            rest = behind.trim_start();
        } else {
            plain.push_str(&rest[..=open]);
            rest = &rest[open + 1..];
        }
    }
    plain + rest
}

/// Text with `mary at example dot org` and `mary @ example.org` as addresses.
fn with_words(text: &str) -> String {
    let words: Vec<&str> = text.split(' ').collect();
    let is = |at: usize, word: &str| words.get(at).is_some_and(|own| own.eq_ignore_ascii_case(word));
    let ends_in_letters =
        |word: &str| word.rsplit_once('.').is_some_and(|(_, ending)| ending.starts_with(|c: char| c.is_alphabetic()));
    let mut plain: Vec<String> = Vec::with_capacity(words.len());
    let mut at = 0;
    while at < words.len() {
        let host = words.get(at + 1).copied().unwrap_or_default();
        let alone = words.len() == 3 && ends_in_letters(host);
        let spelt = is(at, "at") && (is(at + 2, "dot") || alone);
        let spaced = is(at, "@") && (ends_in_letters(host) || is(at + 2, "dot"));
        match plain.last_mut() {
            Some(last) if spelt || spaced => {
                last.push('@');
                last.push_str(host);
                at += 2;
            }
            Some(last) if is(at, "dot") && last.contains('@') && at + 1 < words.len() => {
                last.push('.');
                last.push_str(host);
                at += 2;
            }
            Some(last) if words[at].starts_with('@') && ends_in_letters(words[at]) && !last.is_empty() => {
                last.push_str(words[at]);
                at += 1;
            }
            Some(last) if last.ends_with('@') && ends_in_letters(words[at]) => {
                last.push_str(words[at]);
                at += 1;
            }
            _ => {
                plain.push(words[at].to_owned());
                at += 1;
            }
        }
    }
    plain.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_zeros_are_in_order() {
        assert!(ZEROS.is_sorted());
    }

    #[test]
    fn digits_of_other_scripts_and_styles_are_plain_digits() {
        for value in
            ["٩٤٣٤٧٦٥٩١٩", "۹۴۳۴۷۶۵۹۱۹", "९४३४७६५९१९", "９４３４７６５９１９", "𝟗𝟒𝟑𝟒𝟕𝟔𝟓𝟗𝟏𝟗", "⁹⁴³⁴⁷⁶⁵⁹¹⁹", "৯৪৩৪৭৬৫৯১৯"]
        {
            assert_eq!(plain(value), "9434765919", "{value}");
        }
    }

    #[test]
    fn blanks_dashes_and_decimals_of_zero_are_undressed() {
        for value in ["9.434765919E+09", "9.434765919e9", "9434765919.000"] {
            assert_eq!(plain(value), "9434765919", "{value}");
        }
        for value in ["1.5E+3", "1.5E-09", "9.4347659190001E+09", "E+09"] {
            assert_eq!(plain(value), value);
        }
        assert_eq!(plain("943\u{2013}476\u{2013}5919"), "943-476-5919");
        assert_eq!(plain("943\u{a0}476\u{200b}\u{a0}5919"), "943 476 5919");
        for value in ["9434765919.0", "9434765919.00", "9434765919,00", "9,434,765,919"] {
            assert_eq!(plain(value), "9434765919", "{value}");
        }
        assert_eq!(plain("no 9434765919.00, closed"), "no 9434765919, closed");
        for value in ["12.00", "1234.05", "1234.001", "1,000,000", "2024.01.15", "10.0.0.1"] {
            assert_eq!(plain(value), value, "{value}");
        }
    }

    #[test]
    fn characters_one_by_one_are_joined() {
        assert_eq!(plain("9 4 3 4 7 6 5 9 1 9, I think"), "9434765919, I think");
        assert_eq!(plain("no 9-4-3-4-7-6-5-9-1-9"), "no 9434765919");
        assert_eq!(plain("9 4 3  4 7 6  5 9 1 9"), "9434765919");
        assert_eq!(plain("A B 1 2 3 4 5 6 C"), "AB123456C");
        for value in ["1 2 3 4 5 6 7 8 9", "1 2 3 4", "1, 2, 4, 5, 7, 8, 9, 3", "12 13 14 15 16 17 18"] {
            assert_eq!(plain(value), value, "{value}");
        }
    }

    #[test]
    fn signs_that_were_spelt_out_are_signs() {
        for value in [
            "mary(at)example.org",
            "mary [at] example [dot] org",
            "mary [at] example dot org",
            "mary at example dot org",
            "mary AT example DOT org",
            "mary @ example.org",
            "mary_at_example_dot_org",
            "mary%40example.org",
            "mary <at> example.org",
            "mary @example.org",
            "mary at example.org",
        ] {
            assert_eq!(plain(value), "mary@example.org", "{value}");
        }
        assert_eq!(plain("write to mary at example dot co dot uk today"), "write to mary@example.co.uk today");
        for value in ["seen at home (at night)", "5 @ 3.50", "look at example.org please", "at the dot", "meet @ noon"]
        {
            assert_eq!(plain(value), value, "{value}");
        }
    }
}
