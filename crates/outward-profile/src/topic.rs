//! What a column's name says it is about. A name supports what the content shows. By itself it never makes a column
//! certain to be an identifier. A name that says nothing hides nothing.

mod headings;
mod table;

use outward_spec::{Rating, Role};

pub(crate) use table::Topic;

/// What a topic means for disclosure.
pub(crate) struct Meaning {
    pub(crate) role: Role,
    pub(crate) visibility: Option<Rating>,
    pub(crate) sensitivity: Option<Rating>,
    /// Why, as a sentence.
    pub(crate) reason: &'static str,
}

/// The topics of a column, by its name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Topics(Vec<Topic>);

impl Topics {
    pub(crate) fn from_heading(name: &str) -> Self {
        let words = words(name);
        let joined = words.concat();
        let spoken = table::TOPICS.iter().filter(|(_, marks)| speaks_of(&words, &joined, marks));
        let mut topics: Vec<Topic> = spoken.map(|(topic, _)| *topic).collect();
        if ends_in_number(&words) && !topics.contains(&Topic::Id) {
            topics.push(Topic::Id);
        }
        // A `sales_id` numbers sales and measures none.
        if topics.contains(&Topic::Id) && (ends_in_number(&words) || ends_in_id(&words)) {
            topics.retain(|topic| *topic != Topic::Measure);
        }
        Self(topics)
    }

    pub(crate) fn has(&self, topic: Topic) -> bool {
        self.0.contains(&topic)
    }

    /// The first topic that has a meaning of its own for disclosure.
    pub(crate) fn meaning(&self) -> Option<Meaning> {
        self.0.iter().find_map(|topic| topic.meaning())
    }
}

/// Whether a name ends as those of numbers that are given out do: `record_number`, `case no`. A `number of rooms` is counted.
fn ends_in_number(words: &[String]) -> bool {
    let last = words.last().map(String::as_str);
    words.len() > 1 && matches!(last, Some("no" | "nr" | "num" | "nbr" | "number" | "numbers"))
}

/// Whether the last of several words speaks of a number or code that is given out.
fn ends_in_id(words: &[String]) -> bool {
    words.len() > 1 && matches!(words.last().map(String::as_str), Some("id" | "ids" | "ref" | "reference"))
}

/// Whether one of the marks is there. A mark is a word, or words joined by spaces, all of which must be there. A mark
/// of seven letters or more may also be anywhere in a name written without gaps.
fn speaks_of(words: &[String], joined: &str, marks: &[&str]) -> bool {
    marks.iter().any(|mark| {
        let together: String = mark.split(' ').collect();
        mark.split(' ').all(|part| words.iter().any(|word| word == part))
            || (together.len() >= 7 && joined.contains(&together))
    })
}

/// The words of a name in small letters: `dateOfBirth`, `date_of_birth` and `DATE OF BIRTH` are the same three.
fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut last = ' ';
    for c in name.chars() {
        let starts = !last.is_alphanumeric()
            || (last.is_lowercase() && c.is_uppercase())
            || (last.is_alphabetic() && c.is_ascii_digit())
            || (last.is_ascii_digit() && c.is_alphabetic());
        if c.is_alphanumeric() {
            if starts || words.is_empty() {
                words.push(String::new());
            }
            if let Some(word) = words.last_mut() {
                word.extend(c.to_lowercase());
            }
        }
        last = c;
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_read_alike_in_every_spelling() {
        for name in ["date_of_birth", "dateOfBirth", "DATE OF BIRTH", "dateofbirth", "DOB", "pat_dob"] {
            assert!(Topics::from_heading(name).has(Topic::Birth), "{name}");
        }
    }

    #[test]
    fn words_inside_other_words_say_nothing() {
        for name in ["language", "stage", "passenger", "c7", "average", "unisex", "essex"] {
            assert_eq!(Topics::from_heading(name), Topics::default(), "{name}");
        }
    }

    #[test]
    fn the_usual_variables_have_the_usual_roles() {
        for (name, role) in [
            ("ethnic_group", Role::Key),
            ("Marital_Status", Role::Key),
            ("religion", Role::Sensitive),
            ("Country_Of_Birth", Role::Key),
            ("income", Role::Sensitive),
            ("local_authority_district", Role::Geography),
            ("occupation", Role::Key),
            ("health", Role::Sensitive),
            ("native-country", Role::Key),
        ] {
            assert_eq!(Topics::from_heading(name).meaning().map(|meaning| meaning.role), Some(role), "{name}");
        }
    }

    #[test]
    fn numbers_that_are_given_out_are_told_from_numbers_that_are_counted() {
        for name in ["Record_Number", "case_no", "rec_id", "collision_index", "SerialNumber"] {
            assert!(Topics::from_heading(name).has(Topic::Id), "{name}");
        }
        for name in ["sales_id", "score_id", "salary_number", "balance_ref", "costs_no"] {
            assert!(
                Topics::from_heading(name).has(Topic::Id) && !Topics::from_heading(name).has(Topic::Measure),
                "{name}"
            );
        }
        for name in ["price_index", "reference_price", "id_score"] {
            assert!(Topics::from_heading(name).has(Topic::Measure), "{name}");
        }
        for name in ["number_of_children", "no_of_rooms", "number"] {
            assert!(!Topics::from_heading(name).has(Topic::Id), "{name}");
        }
        for name in ["passport", "PatientID", "nhs", "SSN", "phone_number", "driving_licence", "medical_record_number"]
        {
            assert!(Topics::from_heading(name).has(Topic::PersonNumber), "{name}");
        }
    }
}
