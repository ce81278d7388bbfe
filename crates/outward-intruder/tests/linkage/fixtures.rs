//! Records and models for the tests.

use outward_cells::{Coded, Dictionary};
use outward_intruder::linkage::{BlockingRule, Comparison, Level, LinkType, Model, Records};
use outward_random::Random;

/// A column from texts; an empty one is missing.
pub(crate) fn coded<T: AsRef<str>>(values: &[T]) -> Coded {
    let present = values.iter().map(AsRef::as_ref).filter(|value: &&str| !value.is_empty()).map(Box::from).collect();
    let dictionary = Dictionary::new(present, false);
    let codes = values.iter().map(|value| dictionary.code(value.as_ref()).unwrap_or(0)).collect();
    Coded { codes, dictionary }
}

/// Records from columns of texts.
pub(crate) fn records<T: AsRef<str>>(columns: &[(&str, Vec<T>)]) -> Records {
    Records::new(columns.iter().map(|(name, values)| ((*name).to_owned(), coded(values))))
}

/// A comparison of one column with itself: the same or not.
pub(crate) fn exact(column: &str) -> Comparison {
    Comparison::new(column, vec![Level::null(column), Level::exact(column), Level::otherwise()])
}

/// A model by its comparisons and rules, without parameters.
pub(crate) fn model(link_type: LinkType, comparisons: Vec<Comparison>, rules: &[&str]) -> Model {
    Model {
        link_type,
        prior: 1e-3,
        blocking_rules: rules.iter().copied().map(BlockingRule::new).collect(),
        comparisons,
        convergence: 1e-6,
        max_iterations: 500,
        other: serde_json::Map::new(),
    }
}

/// Two files of people: the first `common` of both are the same. Every column has so many values, all as probable as each other, and the
/// second file has another one in a record with the probability given.
pub(crate) fn two_files(rows: usize, common: usize, columns: &[(&str, u64, f64)], seed: u64) -> (Records, Records) {
    let mut random = Random::new(seed, "two files");
    let (mut left, mut right) = (Vec::new(), Vec::new());
    for (name, values, wrong) in columns {
        let draw = |random: &mut Random| format!("{name}{}", random.below(*values));
        let first: Vec<String> = (0..rows).map(|_| draw(&mut random)).collect();
        let second: Vec<String> = (0..rows)
            .map(|row| if row < common && random.unit() >= *wrong { first[row].clone() } else { draw(&mut random) })
            .collect();
        left.push((*name, first));
        right.push((*name, second));
    }
    let person: Vec<String> = (0..rows).map(|row| row.to_string()).collect();
    let other = (0..rows).map(|row| if row < common { row.to_string() } else { format!("other {row}") }).collect();
    left.push(("person", person));
    right.push(("person", other));
    (records(&left), records(&right))
}
