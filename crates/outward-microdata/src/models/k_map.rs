//! k-map: every record's keys are those of at least k people of the population. Sweeney 2001, "Computational disclosure
//! control". A population contains its sample. So if its file has fewer people than a class has records, the records
//! are taken.

use super::{Class, Limit, Model};

/// Every class that occurs has at least `k` people in the population.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KMap {
    /// The least number of people.
    pub k: u64,
}

impl Model for KMap {
    fn says(&self) -> String {
        format!("k-map with k = {}", self.k)
    }

    fn reads_population(&self) -> bool {
        true
    }

    fn class_holds(&self, class: &Class<'_>) -> bool {
        self.class_figure(class).is_none_or(|people| people >= self.k as f64)
    }

    fn class_figure(&self, class: &Class<'_>) -> Option<f64> {
        (class.records > 0).then(|| class.population.map_or(0.0, |people| people.max(class.records) as f64))
    }

    fn is_monotone(&self) -> bool {
        true
    }

    fn parts_fail_too(&self) -> bool {
        true
    }

    fn limit(&self) -> Option<Limit> {
        Some(Limit::at_least("people of the population that share all keys", "k", self.k as f64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_record_may_hide_among_five_people() {
        let model = KMap { k: 5 };
        let holds = |records, population| model.class_holds(&Class { records, population, sensitive: &[] });
        assert!(holds(1, Some(5)) && !holds(1, Some(4)) && !holds(9, None));
        assert!(holds(6, Some(3)), "six records are six people");
        assert!(holds(0, Some(1)), "nobody in the file to be found");
    }
}
