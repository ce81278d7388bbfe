//! Makes the intruder's file from the truth: mistakes first, then coarser values.
//!
//! Each kind of mistake of each variable has its own random numbers, and each person has a position among them. So what
//! happens to one person does not depend on who else is in the file.

use outward_cells::{Coded, Dictionary, MISSING};
use outward_random::Random;
use outward_spec::{KnownError, MistakeKind};

use super::known::KnownVariable;

/// The values of a variable that the intruder knows, given the true ones.
#[must_use]
pub fn as_known(truth: &Coded, known: &KnownVariable, seed: u64) -> Coded {
    let mut values = truth.clone();
    for error in &known.errors {
        values = with_mistakes(&values, truth, error, &known.form.name, seed);
    }
    match (known.level, known.form.hierarchies.first()) {
        (0, _) | (_, None) => values,
        (level, Some(hierarchy)) => {
            relabel(&values, |value| hierarchy.recode(value, level).map(std::borrow::Cow::into_owned))
        }
    }
}

/// A column with other labels. A value without a label becomes missing.
fn relabel(values: &Coded, label: impl Fn(&str) -> Option<String>) -> Coded {
    let labels: Vec<Option<String>> = values.dictionary.values().map(label).collect();
    let numeric = labels.iter().flatten().all(|label| label.parse::<i64>().is_ok());
    let dictionary = Dictionary::new(labels.iter().flatten().map(|label| label.as_str().into()).collect(), numeric);
    let codes: Vec<u32> =
        labels.iter().map(|label| label.as_ref().and_then(|label| dictionary.code(label)).unwrap_or(MISSING)).collect();
    let of_row = |code: &u32| (*code as usize).checked_sub(1).map_or(MISSING, |at| codes[at]);
    Coded { codes: values.codes.iter().map(of_row).collect(), dictionary }
}

fn with_mistakes(values: &Coded, truth: &Coded, error: &KnownError, name: &str, seed: u64) -> Coded {
    let purpose = |what: &str| Random::new(seed, &format!("intruder {what} {name}"));
    match error.kind {
        MistakeKind::Unknown => recode_some(values, error.rate, purpose("unknown"), |_, _| MISSING),
        MistakeKind::Adjacent => {
            let last = values.dictionary.len() as u32;
            recode_some(values, error.rate, purpose("adjacent"), |code, random| match random.below(2) {
                _ if last < 2 => code,
                0 if code > 1 => code - 1,
                1 if code == last => code - 1,
                _ => code + 1,
            })
        }
        MistakeKind::Stale => {
            // The value of another person, so that values have their frequencies in the file. A person with the same
            // value does not count.
            let others = truth.codes.iter().filter(|code| **code != MISSING).count() as u64;
            let known: Vec<u32> = truth.codes.iter().copied().filter(|code| *code != MISSING).collect();
            let owned = |code: u32| truth.dictionary.value(code).and_then(|value| values.dictionary.code(value));
            recode_some(values, error.rate, purpose("stale"), |code, random| {
                const TRIES: usize = 64;
                let drawn = (0..TRIES.min(known.len())).map(|_| known[random.below(others) as usize]);
                drawn.filter_map(owned).find(|drawn| *drawn != code).unwrap_or(code)
            })
        }
        MistakeKind::Typo => with_typos(values, error.rate, &purpose("typo")),
    }
}

/// How many numbers each person may draw.
const DRAWS: u64 = 256;

fn recode_some(values: &Coded, rate: f64, random: Random, recode: impl Fn(u32, &mut Random) -> u32) -> Coded {
    let mut random = random;
    let mut codes = values.codes.clone();
    for (person, code) in (0u64..).zip(&mut codes) {
        if *code != MISSING {
            random.seek(person * DRAWS);
            if random.unit() < rate {
                *code = recode(*code, &mut random);
            }
        }
    }
    Coded { codes, dictionary: values.dictionary.clone() }
}

/// One character becomes another of its kind: a digit becomes a digit, a letter a letter.
fn with_typos(values: &Coded, rate: f64, random: &Random) -> Coded {
    let mut random = random.clone();
    let mut wrong: Vec<(usize, String)> = Vec::new();
    for (person, code) in values.codes.iter().enumerate() {
        let Some(value) = values.dictionary.value(*code) else { continue };
        random.seek(person as u64 * DRAWS);
        if random.unit() < rate {
            wrong.push((person, typo(value, &mut random)));
        }
    }
    let all = values.dictionary.values().map(Box::from);
    let all: Vec<Box<str>> = all.chain(wrong.iter().map(|(_, value)| value.as_str().into())).collect();
    let numeric = values.dictionary.is_numeric() && wrong.iter().all(|(_, value)| value.parse::<i64>().is_ok());
    let dictionary = Dictionary::new(all, numeric);
    let moved: Vec<u32> = values.dictionary.values().map(|value| dictionary.code(value).unwrap_or(MISSING)).collect();
    let of_row = |code: &u32| (*code as usize).checked_sub(1).map_or(MISSING, |at| moved[at]);
    let mut codes: Vec<u32> = values.codes.iter().map(of_row).collect();
    for (person, value) in wrong {
        codes[person] = dictionary.code(&value).unwrap_or(MISSING);
    }
    Coded { codes, dictionary }
}

fn typo(value: &str, random: &mut Random) -> String {
    let places: Vec<usize> = (0..value.len()).filter(|at| value.as_bytes()[*at].is_ascii_alphanumeric()).collect();
    let Some(at) = places.get(random.below(places.len() as u64) as usize) else { return value.to_owned() };
    let old = value.as_bytes()[*at];
    let (first, many) = match old {
        b'0'..=b'9' => (b'0', 10),
        b'a'..=b'z' => (b'a', 26),
        _ => (b'A', 26),
    };
    let new = first + ((u64::from(old - first) + 1 + random.below(many - 1)) % many) as u8;
    let mut typed = value.to_owned();
    typed.replace_range(*at..=*at, char::from(new).encode_utf8(&mut [0; 4]));
    typed
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::super::fixtures::coded;
    use super::*;
    use crate::attack::known::Form;

    fn known(kind: MistakeKind, rate: f64) -> KnownVariable {
        KnownVariable { form: Form::text("age"), level: 0, errors: vec![KnownError { kind, rate }] }
    }

    fn ages() -> Coded {
        coded((0..4000).map(|i| Some((20 + i % 50).to_string())))
    }

    fn wrong(kind: MistakeKind, rate: f64) -> (f64, Vec<(String, Option<String>)>) {
        let (truth, value) =
            (ages(), |coded: &Coded, i: usize| coded.dictionary.value(coded.codes[i]).map(str::to_owned));
        let file = as_known(&truth, &known(kind, rate), 7);
        let pairs = (0..4000).map(|i| (value(&truth, i).unwrap(), value(&file, i)));
        let wrong: Vec<_> = pairs.filter(|(truth, known)| known.as_ref() != Some(truth)).collect();
        (wrong.len() as f64 / 4000.0, wrong)
    }

    #[test]
    fn mistakes_are_as_frequent_as_their_rate_says() {
        for kind in [MistakeKind::Adjacent, MistakeKind::Typo, MistakeKind::Stale, MistakeKind::Unknown] {
            let (share, _) = wrong(kind, 0.1);
            assert!((share - 0.1).abs() < 0.02, "{kind:?}: {share}");
            assert!(wrong(kind, 0.0).1.is_empty() && wrong(kind, 1.0).0 > 0.999, "{kind:?}");
        }
    }

    #[test]
    fn an_age_is_wrong_by_one_and_a_typo_by_a_character() {
        let apart = |(truth, known): &(String, Option<String>)| {
            (truth.parse::<i64>().unwrap() - known.as_ref().unwrap().parse::<i64>().unwrap()).abs()
        };
        assert!(wrong(MistakeKind::Adjacent, 0.2).1.iter().all(|pair| apart(pair) == 1));
        let same_length = |(truth, known): &(String, Option<String>)| truth.len() == known.as_ref().unwrap().len();
        assert!(wrong(MistakeKind::Typo, 0.2).1.iter().all(same_length));
        assert!(wrong(MistakeKind::Unknown, 0.2).1.iter().all(|(_, known)| known.is_none()));
    }

    #[test]
    fn a_stale_value_is_one_of_the_file() {
        let ages = ages();
        let (_, wrong) = wrong(MistakeKind::Stale, 0.5);
        assert!(wrong.iter().all(|(_, known)| ages.dictionary.code(known.as_ref().unwrap()).is_some()));
    }
}
