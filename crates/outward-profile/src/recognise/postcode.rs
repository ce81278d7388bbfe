//! British postcodes: the whole code, and the outward half alone.
//!
//! The shapes are those of the Royal Mail's programmers' guide; the area letters must be ones that exist, which is
//! what keeps product codes out.

/// The areas in use, sorted; an area's place here is its number in [`Postcode::area`].
const AREAS: [&str; 124] = [
    "AB", "AL", "B", "BA", "BB", "BD", "BH", "BL", "BN", "BR", "BS", "BT", "CA", "CB", "CF", "CH", "CM", "CO", "CR",
    "CT", "CV", "CW", "DA", "DD", "DE", "DG", "DH", "DL", "DN", "DT", "DY", "E", "EC", "EH", "EN", "EX", "FK", "FY",
    "G", "GL", "GU", "GY", "HA", "HD", "HG", "HP", "HR", "HS", "HU", "HX", "IG", "IM", "IP", "IV", "JE", "KA", "KT",
    "KW", "KY", "L", "LA", "LD", "LE", "LL", "LN", "LS", "LU", "M", "ME", "MK", "ML", "N", "NE", "NG", "NN", "NP",
    "NR", "NW", "OL", "OX", "PA", "PE", "PH", "PL", "PO", "PR", "RG", "RH", "RM", "S", "SA", "SE", "SG", "SK", "SL",
    "SM", "SN", "SO", "SP", "SR", "SS", "ST", "SW", "SY", "TA", "TD", "TF", "TN", "TQ", "TR", "TS", "TW", "UB", "W",
    "WA", "WC", "WD", "WF", "WN", "WR", "WS", "WV", "YO", "ZE",
];

/// What a postcode says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Postcode {
    /// Whether the inward half is there too, which narrows it to some fifteen addresses.
    pub whole: bool,
    /// Which of the 124 postcode areas it is in.
    pub area: u8,
}

/// Reads a postcode (`SW1A 1AA`, `sw1a1aa`) or its outward half alone (`SW1A`), also with the sector (`SW1A 1`).
pub fn postcode(value: &str) -> Option<Postcode> {
    let mut code = [0; 7];
    let (length, gap) = squeeze(value.trim(), &mut code)?;
    let code = &code[..length];
    if let Some(outward) = code.len().checked_sub(3)
        && (gap.is_none() || gap == Some(outward))
        && is_inward(&code[outward..])
        && let Some(area) = outward_area(&code[..outward])
    {
        return Some(Postcode { whole: true, area });
    }
    let outward = match gap {
        None => code,
        Some(at) if at + 1 == code.len() && code[at].is_ascii_digit() => &code[..at],
        Some(_) => return None,
    };
    outward_area(outward).map(|area| Postcode { whole: false, area })
}

/// The letters and digits in capitals, how many, and where the single gap stood.
fn squeeze(value: &str, code: &mut [u8; 7]) -> Option<(usize, Option<usize>)> {
    let (mut length, mut gap) = (0, None);
    for byte in value.bytes() {
        if byte == b' ' {
            if gap.is_some_and(|at| at != length) {
                return None;
            }
            gap = Some(length);
        } else {
            *code.get_mut(length)? = byte.is_ascii_alphanumeric().then(|| byte.to_ascii_uppercase())?;
            length += 1;
        }
    }
    (length >= 2).then_some((length, gap))
}

fn is_inward(code: &[u8]) -> bool {
    let unit = |letter: &u8| letter.is_ascii_uppercase() && !b"CIKMOV".contains(letter);
    matches!(code, [b'0'..=b'9', a, b] if unit(a) && unit(b))
}

fn outward_area(code: &[u8]) -> Option<u8> {
    let letters = code.iter().take_while(|byte| byte.is_ascii_uppercase()).count();
    let district = match code.get(letters..)? {
        [b'0'..=b'9'] | [b'1'..=b'9', b'0'..=b'9'] => true,
        [b'1'..=b'9', letter] => letter.is_ascii_uppercase() && !b"IOQZ".contains(letter),
        _ => false,
    };
    let area = std::str::from_utf8(&code[..letters]).ok()?;
    let place = AREAS.binary_search(&area).ok()?;
    if district { u8::try_from(place).ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_of_areas_is_sorted() {
        assert!(AREAS.is_sorted());
    }

    #[test]
    fn whole_codes_are_found_with_and_without_the_gap() {
        for value in ["SW1A 1AA", "sw1a1aa", "M1 1AE", "LS2 9JT", "B33 8TH", "EH99 1SP", "W1T  4JF", " BT7 1NN "] {
            assert!(postcode(value).is_some_and(|code| code.whole), "{value}");
        }
    }

    #[test]
    fn outward_halves_and_sectors_are_told_apart_from_whole_codes() {
        for value in ["SW1A", "M1", "LS6", "EH99", "LS6 1"] {
            assert!(postcode(value).is_some_and(|code| !code.whole), "{value}");
        }
    }

    #[test]
    fn look_alikes_are_not_postcodes() {
        for value in
            ["QX1 1AA", "AB12 3CX", "AA1 1AA", "M1 1A", "SW1A 1A1", "A4", "ABC123", "M", "12345", "XK120", "LS2 9 JT"]
        {
            assert!(postcode(value).is_none(), "{value}");
        }
    }
}
