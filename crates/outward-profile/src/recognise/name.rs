//! Names of persons: by lists of common names and by shape.

use std::borrow::Cow;

use super::name_lists::{GIVEN, SURNAMES};

/// What a value has of a person's name.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct NameReading {
    /// The whole value is a person's name: `Mary Ann Jones`, `Dr J. Patel`, `SMITH, John`, with a part we know.
    pub full: bool,
    /// One word, and a given name we know.
    pub given: bool,
    /// One word, and a surname we know.
    pub surname: bool,
    /// One to four words of letters only, each a capital or all in one case, as names are written.
    pub shaped: bool,
    /// One word only.
    pub one_word: bool,
}

/// Words that make a value the name of something else than a person, sorted.
const NOT_A_PERSON: [&str; 60] = [
    "academy",
    "african",
    "and",
    "asian",
    "association",
    "bank",
    "black",
    "borough",
    "british",
    "care",
    "caribbean",
    "catholic",
    "centre",
    "church",
    "city",
    "clinic",
    "club",
    "co",
    "college",
    "company",
    "consulting",
    "council",
    "county",
    "district",
    "east",
    "english",
    "foundation",
    "group",
    "holdings",
    "hospital",
    "house",
    "inc",
    "industries",
    "international",
    "irish",
    "limited",
    "llp",
    "ltd",
    "mixed",
    "north",
    "not",
    "of",
    "officer",
    "other",
    "partners",
    "plc",
    "practice",
    "road",
    "school",
    "services",
    "solutions",
    "sons",
    "south",
    "street",
    "surgery",
    "systems",
    "the",
    "trust",
    "university",
    "white",
];

/// Titles before a name, sorted.
const TITLES: [&str; 14] =
    ["captain", "dame", "dr", "fr", "lady", "lord", "miss", "mr", "mrs", "ms", "mx", "prof", "rev", "sir"];

/// Reads a value as the name of a person.
pub fn person_name(value: &str) -> NameReading {
    let value = &*with_blanks(value.trim().trim_matches(['"', '\'']));
    let plain = |c: char| c.is_alphabetic() || matches!(c, ' ' | '\'' | '’' | '-' | '.' | ',');
    if !(2..=60).contains(&value.len()) || !value.chars().all(plain) {
        return NameReading::default();
    }
    let (surname_first, mut words) = split(value);
    let titled = words.first().is_some_and(|word| listed(&TITLES, word));
    if titled {
        words.remove(0);
    }
    let shaped = (1..=4).contains(&words.len()) && words.iter().all(|word| is_shaped(word));
    if !shaped || words.iter().any(|word| listed(&NOT_A_PERSON, word)) {
        return NameReading::default();
    }
    match &words[..] {
        [word] => {
            let surname = listed(&SURNAMES, word);
            NameReading { full: titled && surname, given: listed(&GIVEN, word), surname, shaped, one_word: true }
        }
        [first, .., last] => {
            let known_given = listed(&GIVEN, first) || (surname_first && listed(&GIVEN, last));
            let initial = first.trim_end_matches('.').chars().count() == 1;
            let full = known_given
                || ((titled || initial) && listed(&SURNAMES, last))
                || (surname_first && listed(&SURNAMES, first));
            NameReading { full, shaped, ..NameReading::default() }
        }
        [] => NameReading::default(),
    }
}

/// The value with blanks where programs put other signs: `mary.jones`, `MARY_JONES`, `JONES^MARY` (surname first, as in HL7).
fn with_blanks(value: &str) -> Cow<'_, str> {
    const SIGNS: [char; 6] = ['_', '.', '/', '+', '|', '^'];
    match value.contains([' ', ',']) || !value.contains(SIGNS) {
        true => Cow::Borrowed(value),
        false => Cow::Owned(value.replace('^', ", ").replace(SIGNS, " ")),
    }
}

/// The words, and whether a comma after the first says that it is the surname.
fn split(value: &str) -> (bool, Vec<&str>) {
    let commas = value.matches(',').count();
    let surname_first =
        commas == 1 && value.split_once(',').is_some_and(|(before, _)| before.split_whitespace().count() == 1);
    let words = if commas == 0 || surname_first {
        value.split([' ', ',']).filter(|word| !word.is_empty()).take(6).collect()
    } else {
        Vec::new()
    };
    (surname_first, words)
}

fn is_shaped(word: &str) -> bool {
    let mut letters = word.chars().filter(|c| c.is_alphabetic());
    let Some(first) = letters.next() else { return false };
    if word.trim_end_matches('.').contains('.') || word.starts_with(['-', '.', '\'']) {
        return false;
    }
    first.is_uppercase() || letters.all(char::is_lowercase)
}

/// Whether the word, without regard to case, apostrophes and a final stop, is in a sorted list.
fn listed<const N: usize>(list: &[&str; N], word: &str) -> bool {
    let mut small = [0u8; 16];
    let mut length = 0;
    for byte in word.bytes() {
        if matches!(byte, b'\'' | b'.') {
            continue;
        }
        let Some(slot) = small.get_mut(length) else { return false };
        *slot = byte.to_ascii_lowercase();
        length += 1;
    }
    list.binary_search_by(|entry| entry.as_bytes().cmp(&small[..length])).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lists_are_sorted() {
        assert!(GIVEN.is_sorted() && SURNAMES.is_sorted() && NOT_A_PERSON.is_sorted() && TITLES.is_sorted());
    }

    #[test]
    fn whole_names_are_found_as_they_are_written() {
        for value in [
            "Mary Jones",
            "SMITH, John",
            "Dr J. Patel",
            "mrs o'neill",
            "Aisha Begum Khan",
            "J Murphy",
            "Kowalski, Piotr",
            "Gareth Llewellyn-Pugh",
            "Michael_Robinson",
            "sarah.green",
            "HALL^KAREN",
            "\"Peter Davis\"",
        ] {
            assert!(person_name(value).full, "{value}");
        }
    }

    #[test]
    fn single_names_say_which_they_are() {
        assert!(person_name("mitchell").given && person_name("Patel").surname && person_name("O'Connor").surname);
    }

    #[test]
    fn labels_places_firms_and_work_are_not_persons() {
        for value in [
            "White British",
            "Black African",
            "Church of England",
            "Roman Catholic",
            "Never married",
            "Kingston upon Thames",
            "Johnson Controls Ltd",
            "Taylor Wimpey plc",
            "Adm-clerical",
            "Exec-managerial",
            "United-States",
            "Sri Lanka",
            "Smith and Sons",
            "Thomas Group",
            "Police officer",
            "Care assistant",
            "Tower Hamlets",
            "James Street",
            "north_west",
            "full.time",
            "x1",
        ] {
            let read = person_name(value);
            assert!(!read.full && !read.given && !read.surname, "{value}");
        }
    }
}
