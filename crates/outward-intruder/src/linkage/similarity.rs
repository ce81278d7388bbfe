//! How alike two texts are.
//!
//! - Jaro (1989): (c/|a| + c/|b| + (c − t)/c)/3, with c common characters within half the longer text, and t half the number of those that
//!   are out of order.
//! - Jaro–Winkler (Winkler 1990): J + 0.1·p·(1 − J), with p common characters at the start, at most 4, where J > 0.7.
//! - Levenshtein (1966): the fewest insertions, deletions and substitutions; Damerau's (1964) also exchanges neighbours.
//! - Jaccard (1901): the characters both have, over those that either has.
//!
//! Characters are Unicode scalar values. (DuckDB counts bytes: the two agree on ASCII.)

use rapidfuzz::distance::{damerau_levenshtein, jaro, jaro_winkler, levenshtein};

/// A measure of similarity or distance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Measure {
    Jaro,
    JaroWinkler,
    Levenshtein,
    DamerauLevenshtein,
    Jaccard,
}

impl Measure {
    /// The names of all, for messages.
    pub(crate) const NAMES: &str =
        "jaro_winkler_similarity, jaro_similarity, levenshtein, damerau_levenshtein and jaccard";

    /// The measure of an SQL function.
    pub(crate) fn from_function(name: &str) -> Option<Self> {
        Some(match name {
            "jaro_similarity" | "jaro" | "jaro_sim" => Self::Jaro,
            "jaro_winkler_similarity" | "jaro_winkler" => Self::JaroWinkler,
            "levenshtein" | "editdist3" => Self::Levenshtein,
            "damerau_levenshtein" => Self::DamerauLevenshtein,
            "jaccard" | "jaccard_sim" => Self::Jaccard,
            _ => return None,
        })
    }

    /// The measure of two texts.
    pub(crate) fn between(self, a: &str, b: &str) -> f64 {
        if a.is_ascii() && b.is_ascii() {
            match self {
                Self::Jaro => jaro::similarity(a.bytes(), b.bytes()),
                Self::JaroWinkler => jaro_winkler::similarity(a.bytes(), b.bytes()),
                Self::Levenshtein => levenshtein::distance(a.bytes(), b.bytes()) as f64,
                Self::DamerauLevenshtein => damerau_levenshtein::distance(a.bytes(), b.bytes()) as f64,
                Self::Jaccard => jaccard(a, b),
            }
        } else {
            match self {
                Self::Jaro => jaro::similarity(a.chars(), b.chars()),
                Self::JaroWinkler => jaro_winkler::similarity(a.chars(), b.chars()),
                Self::Levenshtein => levenshtein::distance(a.chars(), b.chars()) as f64,
                Self::DamerauLevenshtein => damerau_levenshtein::distance(a.chars(), b.chars()) as f64,
                Self::Jaccard => jaccard(a, b),
            }
        }
    }
}

fn jaccard(a: &str, b: &str) -> f64 {
    let characters = |text: &str| {
        let mut all: Vec<char> = text.chars().collect();
        all.sort_unstable();
        all.dedup();
        all
    };
    let (a, b) = (characters(a), characters(b));
    let common = a.iter().filter(|character| b.binary_search(character).is_ok()).count();
    let either = a.len() + b.len() - common;
    if either == 0 { 0.0 } else { common as f64 / either as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn winklers_own_examples_have_his_figures() {
        // Winkler (1990), table of names: Jaro and Jaro–Winkler to three places.
        for (a, b, jaro, winkler) in [
            ("SHACKLEFORD", "SHACKELFORD", 0.970, 0.982),
            ("DUNNINGHAM", "CUNNIGHAM", 0.896, 0.896),
            ("NICHLESON", "NICHULSON", 0.926, 0.956),
            ("MASSEY", "MASSIE", 0.889, 0.933),
            ("ABROMS", "ABRAMS", 0.889, 0.922),
            ("MARHTA", "MARTHA", 0.944, 0.961),
        ] {
            assert!((Measure::Jaro.between(a, b) - jaro).abs() < 5.1e-4, "{a} {b}");
            assert!((Measure::JaroWinkler.between(a, b) - winkler).abs() < 5.1e-4, "{a} {b}");
        }
    }

    #[test]
    fn neighbours_exchanged_are_one_step_for_damerau_and_two_for_levenshtein() {
        assert_eq!(Measure::Levenshtein.between("martha", "marhta"), 2.0);
        assert_eq!(Measure::DamerauLevenshtein.between("martha", "marhta"), 1.0);
        // With room between the exchanged letters: ca → abc is 2 (exchange, insert), where optimal string alignment says 3.
        assert_eq!(Measure::DamerauLevenshtein.between("ca", "abc"), 2.0);
    }

    #[test]
    fn jaccard_counts_characters_once() {
        assert_eq!(Measure::Jaccard.between("aab", "abc"), 2.0 / 3.0);
        assert_eq!(Measure::Jaccard.between("", ""), 0.0);
    }

    proptest! {
        #[test]
        fn measures_are_what_another_library_says(a in "[a-eé]{0,12}", b in "[a-eé]{0,12}") {
            let near = |ours: f64, theirs: f64| (ours - theirs).abs() < 1e-12;
            prop_assert!(near(Measure::Jaro.between(&a, &b), strsim::jaro(&a, &b)));
            prop_assert!(near(Measure::Levenshtein.between(&a, &b), strsim::levenshtein(&a, &b) as f64));
            prop_assert!(near(Measure::DamerauLevenshtein.between(&a, &b), strsim::damerau_levenshtein(&a, &b) as f64));
            prop_assert!(near(Measure::JaroWinkler.between(&a, &b), strsim::jaro_winkler(&a, &b)));
        }
    }
}
