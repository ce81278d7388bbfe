//! The post areas in use, numbered.

use super::special::WORDS;

/// The areas of the six shapes, sorted: the 121 of the United Kingdom, the three crown dependencies, the British Forces
/// (`BF`) and Gibraltar (`GX`).
const AREAS: [&str; 126] = [
    "AB", "AL", "B", "BA", "BB", "BD", "BF", "BH", "BL", "BN", "BR", "BS", "BT", "CA", "CB", "CF", "CH", "CM", "CO",
    "CR", "CT", "CV", "CW", "DA", "DD", "DE", "DG", "DH", "DL", "DN", "DT", "DY", "E", "EC", "EH", "EN", "EX", "FK",
    "FY", "G", "GL", "GU", "GX", "GY", "HA", "HD", "HG", "HP", "HR", "HS", "HU", "HX", "IG", "IM", "IP", "IV", "JE",
    "KA", "KT", "KW", "KY", "L", "LA", "LD", "LE", "LL", "LN", "LS", "LU", "M", "ME", "MK", "ML", "N", "NE", "NG",
    "NN", "NP", "NR", "NW", "OL", "OX", "PA", "PE", "PH", "PL", "PO", "PR", "RG", "RH", "RM", "S", "SA", "SE", "SG",
    "SK", "SL", "SM", "SN", "SO", "SP", "SR", "SS", "ST", "SW", "SY", "TA", "TD", "TF", "TN", "TQ", "TR", "TS", "TW",
    "UB", "W", "WA", "WC", "WD", "WF", "WN", "WR", "WS", "WV", "YO", "ZE",
];

/// The number of an area: its place in the list, or after the list for a code outside the six shapes.
pub(super) fn number(area: &str) -> Option<u8> {
    let place = match AREAS.binary_search(&area) {
        Ok(place) => place,
        Err(_) => AREAS.len() + WORDS.iter().position(|(word, _)| *word == area)?,
    };
    u8::try_from(place).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_area_has_a_number_of_its_own() {
        assert!(AREAS.is_sorted_by(|a, b| a < b));
        let areas = AREAS.into_iter().chain(WORDS.map(|(word, _)| word));
        assert!(areas.enumerate().all(|(place, area)| number(area).map(usize::from) == Some(place)));
        assert_eq!(number("AA"), None);
    }
}
