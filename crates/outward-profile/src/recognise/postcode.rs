//! British postcodes: the whole code, and the outward half alone.

use outward_places::{Depth, Postcode};

/// Reads a postcode (`SW1A 1AA`, `sw1a1aa`) or its outward half alone (`SW1A`), also with the sector (`SW1A 1`).
///
/// Two rules keep product codes out. The area must be one in use. A sector must have its space, since a letter and
/// three digits (`S100`) are more often a code of something else.
pub fn postcode(value: &str) -> Option<Postcode> {
    let value = value.trim();
    let code = Postcode::parse(value).ok()?;
    let known = code.area_number().is_some() && (code.depth() != Depth::Sector || value.contains(' '));
    known.then_some(code)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn depth(value: &str) -> Option<Depth> {
        postcode(value).map(|code| code.depth())
    }

    #[test]
    fn whole_codes_are_found_with_and_without_the_gap() {
        for value in
            ["SW1A 1AA", "sw1a1aa", "M1 1AE", "LS2 9JT", "B33 8TH", "EH99 1SP", "W1T  4JF", " BT7 1NN ", "BFPO 801"]
        {
            assert_eq!(depth(value), Some(Depth::Unit), "{value}");
        }
    }

    #[test]
    fn outward_halves_and_sectors_are_told_apart_from_whole_codes() {
        for value in ["SW1A", "M1", "LS6", "EH99"] {
            assert_eq!(depth(value), Some(Depth::Outward), "{value}");
        }
        assert_eq!(depth("LS6 1"), Some(Depth::Sector));
    }

    #[test]
    fn look_alikes_are_not_postcodes() {
        for value in [
            "QX1 1AA", "AB12 3CX", "AA1 1AA", "M1 1A", "SW1A 1A1", "A4", "ABC123", "M", "12345", "XK120", "LS2 9 JT",
            "S100", "BA101", "SM00",
        ] {
            assert_eq!(postcode(value), None, "{value}");
        }
    }
}
