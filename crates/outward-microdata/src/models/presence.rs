//! δ-presence: nobody can be nearly certain from a person's keys whether the person is in the file. Nergiz, Atzori and
//! Clifton 2007, "Hiding the presence of individuals from shared databases". For every class the records over the
//! people of the population with the same keys lie between δmin and δmax.
//!
//! A population contains its sample. So if the population file has fewer people than the class has records, the records
//! are taken. A class of the population without a record has the share 0: everybody with its keys is known not to be in
//! the file. With a δmin above 0 such a class fails the model, and no suppression of records can change that.

use super::limit::decimal;
use super::{Class, Limit, Model};

/// In every class the share of its population that is in the file lies between the two.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Presence {
    /// The least share.
    pub least: f64,
    /// The most.
    pub most: f64,
}

impl Model for Presence {
    fn says(&self) -> String {
        format!("δ-presence from {} to {}", decimal(self.least), decimal(self.most))
    }

    fn reads_population(&self) -> bool {
        true
    }

    fn class_holds(&self, class: &Class<'_>) -> bool {
        self.class_figure(class).is_none_or(|share| (self.least..=self.most).contains(&share))
    }

    fn class_figure(&self, class: &Class<'_>) -> Option<f64> {
        let people = class.population.map_or(class.records, |people| people.max(class.records));
        match (class.population, people) {
            (None, _) => Some(f64::INFINITY),
            (Some(_), 0) => None,
            (Some(_), people) => Some(class.records as f64 / people as f64),
        }
    }

    /// The share of a mixture lies between those of its parts.
    fn is_monotone(&self) -> bool {
        true
    }

    fn limit(&self) -> Option<Limit> {
        let figure = "share of a class's population that is in the file";
        Some(Limit { most: Some(self.most), ..Limit::at_least(figure, "δ-presence", self.least) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn class(records: u64, population: Option<u64>) -> Class<'static> {
        Class { records, population, sensitive: &[] }
    }

    #[test]
    fn two_of_four_people_in_the_file_is_a_half() {
        let model = Presence { least: 0.25, most: 0.5 };
        assert!(model.class_holds(&class(2, Some(4))) && model.class_holds(&class(1, Some(4))));
        assert!(!model.class_holds(&class(3, Some(4))) && !model.class_holds(&class(1, Some(5))));
    }

    #[test]
    fn a_combination_that_only_the_population_has_is_surely_absent() {
        assert!(!Presence { least: 0.1, most: 0.5 }.class_holds(&class(0, Some(4))));
        assert!(Presence { least: 0.0, most: 0.5 }.class_holds(&class(0, Some(4))));
    }

    #[test]
    fn without_a_population_nothing_can_be_said_and_it_does_not_hold() {
        assert!(!Presence { least: 0.0, most: 1.0 }.class_holds(&class(3, None)));
    }
}
