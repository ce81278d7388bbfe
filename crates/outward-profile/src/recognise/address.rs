//! Postal addresses and street names.

/// What of an address a value holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Street {
    /// A building and its street: `12 Mill Lane`, `Flat 3, 7 Park Road, Leeds`.
    Building,
    /// A street without a building: `Mill Lane`.
    Name,
}

/// The words that end the name of a street, sorted.
const STREETS: [&str; 40] = [
    "approach",
    "av",
    "ave",
    "avenue",
    "boulevard",
    "circuit",
    "close",
    "court",
    "cres",
    "crescent",
    "crt",
    "drive",
    "drv",
    "gardens",
    "gdns",
    "grove",
    "highway",
    "hill",
    "lane",
    "ln",
    "mews",
    "parade",
    "park",
    "pl",
    "place",
    "rd",
    "rise",
    "road",
    "row",
    "sq",
    "square",
    "st",
    "street",
    "tce",
    "terrace",
    "view",
    "walk",
    "way",
    "wharf",
    "yard",
];

/// Reads a street, with or without a building number.
pub fn street(value: &str) -> Option<Street> {
    let value = value.trim();
    if !(6..=160).contains(&value.len()) {
        return None;
    }
    let mut building = false;
    // A building number counts only before the street's name: `Ward 4` or `Area 12 Park` are no addresses.
    for part in value.split([',', '\n']) {
        let words: Vec<&str> = part.split_whitespace().collect();
        building |= words.first().is_some_and(|word| is_building(word));
        let ends = words.last().is_some_and(|word| is_street_word(word));
        let named = words.iter().rev().skip(1).take_while(|word| !is_building(word)).take(4);
        let named: Vec<&&str> = named.collect();
        let name = named.iter().all(|word| word.chars().all(|c| c.is_alphabetic() || "'-.".contains(c)));
        if ends && name && (1..=3).contains(&named.len()) {
            return Some(if building { Street::Building } else { Street::Name });
        }
    }
    None
}

fn is_building(word: &str) -> bool {
    let digits = word.bytes().take_while(u8::is_ascii_digit).count();
    let flat = ["flat", "unit", "apartment"].iter().any(|kind| kind.eq_ignore_ascii_case(word));
    flat || ((1..=4).contains(&digits)
        && word.len() <= digits + 1
        && word[digits..].bytes().all(|b| b.is_ascii_alphabetic()))
}

fn is_street_word(word: &str) -> bool {
    let word = word.trim_end_matches('.');
    word.len() <= 9 && STREETS.binary_search(&word.to_ascii_lowercase().as_str()).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_street_words_are_sorted() {
        assert!(STREETS.is_sorted());
    }

    #[test]
    fn buildings_and_streets_are_found() {
        for value in [
            "12 Mill Lane",
            "Flat 3, 7 Park Road, Leeds",
            "221b Baker Street",
            "4 ST JOHN'S RD.",
            "9 Old Church Way, York",
        ] {
            assert_eq!(street(value), Some(Street::Building), "{value}");
        }
        for value in ["Mill Lane", "wallaby place", "King Edward Street"] {
            assert_eq!(street(value), Some(Street::Name), "{value}");
        }
    }

    #[test]
    fn labels_are_not_addresses() {
        for value in [
            "Street",
            "12",
            "Black Caribbean",
            "Park",
            "Ward 4",
            "no way to say which of them it is by the road",
            "5 mg per day",
            "é",
        ] {
            assert_eq!(street(value), None, "{value}");
        }
    }
}
