//! One record of CSV text: where its fields begin and end.
//!
//! The grammar is RFC 4180 with three allowances. The delimiter may be a semicolon or a tab. A record may end in LF, CR LF
//! or CR. A quote inside a field that does not open with one is an ordinary character.

/// Where a field's text is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct FieldSpan {
    pub(super) start: usize,
    pub(super) end: usize,
    /// Quotes in it are doubled.
    pub(super) doubled: bool,
}

/// What was found at a place where a record should begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RecordScan {
    /// A record of so many fields on so many lines; the next one begins at `next`.
    Record { fields: usize, lines: u64, next: usize },
    /// A line with nothing on it.
    Blank { next: usize },
    /// The record goes on beyond the text at hand.
    More,
    /// A quote was opened so many lines into the record, and the text ended.
    Unclosed { lines: u64 },
    /// Something follows a closing quote, so many lines into the record.
    AfterQuote { lines: u64 },
}

/// How to tell fields apart.
pub(super) struct Delimiters {
    /// Bytes at which a field without quotes ends.
    ends: [bool; 256],
    delimiter: u8,
}

impl Delimiters {
    pub(super) fn new(delimiter: u8) -> Self {
        let mut ends = [false; 256];
        for byte in [delimiter, b'\n', b'\r'] {
            ends[usize::from(byte)] = true;
        }
        Self { ends, delimiter }
    }

    /// Finds the record at `at`, telling `field` each field's number and place. `ended` says no text follows.
    #[inline]
    pub(super) fn record(
        &self,
        text: &[u8],
        mut at: usize,
        ended: bool,
        mut field: impl FnMut(usize, FieldSpan),
    ) -> RecordScan {
        let first = at;
        let mut fields = 0;
        let mut lines = 0;
        loop {
            if text.get(at) == Some(&b'"') {
                match quoted(text, at + 1, ended) {
                    QuotedField::Closed { span, after, newlines } => {
                        field(fields, span);
                        lines += newlines;
                        at = after;
                    }
                    QuotedField::More => return RecordScan::More,
                    QuotedField::Unclosed => return RecordScan::Unclosed { lines },
                }
                if at < text.len() && !self.ends[usize::from(text[at])] {
                    return RecordScan::AfterQuote { lines };
                }
            } else {
                let length = text[at..].iter().position(|byte| self.ends[usize::from(*byte)]);
                let end = length.map_or(text.len(), |length| at + length);
                field(fields, FieldSpan { start: at, end, doubled: false });
                at = end;
            }
            fields += 1;
            match text.get(at) {
                Some(byte) if *byte == self.delimiter => at += 1,
                Some(byte) => {
                    let next = match (byte, text.get(at + 1)) {
                        (b'\r', Some(b'\n')) => at + 2,
                        (b'\r', None) if !ended => return RecordScan::More,
                        _ => at + 1,
                    };
                    return if at == first {
                        RecordScan::Blank { next }
                    } else {
                        RecordScan::Record { fields, lines: lines + 1, next }
                    };
                }
                None if ended => return RecordScan::Record { fields, lines: lines + 1, next: at },
                None => return RecordScan::More,
            }
        }
    }
}

enum QuotedField {
    Closed { span: FieldSpan, after: usize, newlines: u64 },
    More,
    Unclosed,
}

/// The field whose opening quote is just before `start`.
fn quoted(text: &[u8], start: usize, ended: bool) -> QuotedField {
    let mut at = start;
    let mut doubled = false;
    loop {
        let Some(length) = text[at..].iter().position(|byte| *byte == b'"') else {
            return if ended { QuotedField::Unclosed } else { QuotedField::More };
        };
        let quote = at + length;
        match text.get(quote + 1) {
            Some(b'"') => {
                doubled = true;
                at = quote + 2;
            }
            None if !ended => return QuotedField::More,
            _ => {
                let newlines = text[start..quote].iter().filter(|byte| **byte == b'\n').count() as u64;
                return QuotedField::Closed {
                    span: FieldSpan { start, end: quote, doubled },
                    after: quote + 1,
                    newlines,
                };
            }
        }
    }
}

/// The delimiter of a header: the candidate that occurs most often outside quotes, and of two equals the first.
pub(super) fn guess_delimiter(text: &[u8]) -> u8 {
    const CANDIDATES: [u8; 3] = [b',', b';', b'\t'];
    let mut counts = [0_usize; 3];
    let mut inside = false;
    for byte in text {
        match byte {
            b'"' => inside = !inside,
            b'\n' | b'\r' if !inside => break,
            _ if !inside => {
                if let Some(which) = CANDIDATES.iter().position(|candidate| candidate == byte) {
                    counts[which] += 1;
                }
            }
            _ => {}
        }
    }
    let most = counts.iter().max().copied().unwrap_or(0);
    counts.iter().position(|count| *count == most).map_or(b',', |which| CANDIDATES[which])
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use super::*;

    fn fields(text: &str, ended: bool) -> (RecordScan, Vec<String>) {
        let mut out = Vec::new();
        let found = Delimiters::new(b',').record(text.as_bytes(), 0, ended, |_, span| {
            out.push(text[span.start..span.end].to_owned());
        });
        (found, out)
    }

    #[test]
    fn a_quoted_field_may_hold_delimiters_quotes_and_newlines() {
        let (found, out) = fields("a,\"b,\"\"c\"\"\nd\",e\r\nnext", false);
        assert_eq!(out, ["a", "b,\"\"c\"\"\nd", "e"]);
        assert_eq!(found, RecordScan::Record { fields: 3, lines: 2, next: 17 });
    }

    #[test]
    fn a_quote_inside_an_unquoted_field_is_text() {
        assert_eq!(fields("5\" pipe,x\n", false).1, ["5\" pipe", "x"]);
    }

    #[test]
    fn text_that_may_go_on_is_not_a_record_yet() {
        for text in ["a,b", "a,\"b", "a,\"b\"", "a,b\r", "", "a,"] {
            assert_eq!(fields(text, false).0, RecordScan::More, "{text:?}");
        }
        assert!(matches!(fields("a,", true).0, RecordScan::Record { fields: 2, .. }));
        assert_eq!(fields("a,\"b", true).0, RecordScan::Unclosed { lines: 0 });
        assert_eq!(fields("a,\"b\"c,d\n", true).0, RecordScan::AfterQuote { lines: 0 });
    }

    #[test]
    fn the_delimiter_is_the_most_frequent_outside_quotes() {
        assert_eq!(guess_delimiter(b"a;b;c\n1,2,3,4"), b';');
        assert_eq!(guess_delimiter(b"\"a,b,c\"\td\te\n"), b'\t');
        assert_eq!(guess_delimiter(b"single\n"), b',');
        assert_eq!(guess_delimiter(b"a,b;c\n"), b',');
    }
}
