//! t-closeness: the values of a sensitive variable are distributed in every class nearly as in the whole. Li, Li and
//! Venkatasubramanian 2007, "t-Closeness: Privacy beyond k-anonymity and ℓ-diversity"; formulas in METHODS I.6.
//!
//! Distances are sums of whole numbers with one division at the end, so that a class exactly at the limit holds.

mod equal;
mod hierarchical;
mod ordered;

use std::sync::Arc;

use outward_spec::Result;

use super::values::{ValueCounts, WholeShares, measure};
use super::{Class, Limit, Model};
use hierarchical::ValueTree;
use ordered::CumulatedShares;

/// How far apart two values are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Distance {
    /// Any two values are 1 apart.
    Equal,
    /// By their difference in rank among the values of the whole: the first and the last are 1 apart. Codes must be in
    /// the order of the values.
    Ordered,
    /// By how high in a hierarchy they meet. For each level above the values, finest first, the label of every code (the
    /// entry of code 0, missing, is not read). Labels are any numbers; values that differ at the last level are 1 apart.
    Hierarchical(Vec<Vec<u32>>),
}

/// Every class is at most `t` from the whole in one sensitive variable.
#[derive(Debug, Clone)]
pub struct Closeness {
    variable: usize,
    name: String,
    t: f64,
    ground: DistanceReference,
    whole: WholeShares,
}

/// A distance, prepared for comparing classes with the whole.
#[derive(Debug, Clone)]
enum DistanceReference {
    Equal,
    Ordered(CumulatedShares),
    Hierarchical(Arc<ValueTree>, Vec<Vec<u64>>),
}

impl Closeness {
    /// At most `t` from `whole`, codes with their numbers of records, in the sensitive variable at this position.
    pub fn new(variable: usize, name: &str, distance: &Distance, t: f64, whole: &[(u32, u64)]) -> Result<Self> {
        let whole = WholeShares::from_codes(whole);
        let ground = match distance {
            Distance::Equal => DistanceReference::Equal,
            Distance::Ordered => DistanceReference::Ordered(CumulatedShares::from_whole(&whole)),
            Distance::Hierarchical(levels) => {
                let tree =
                    ValueTree::new(levels, &whole).map_err(|error| error.with_fault(|fault| fault.variable(name)))?;
                let weights = tree.weights(&whole);
                DistanceReference::Hierarchical(Arc::new(tree), weights)
            }
        };
        Ok(Self { variable, name: name.to_owned(), t, ground, whole })
    }

    fn distance(&self, values: ValueCounts<'_>) -> f64 {
        match &self.ground {
            DistanceReference::Equal => equal::distance(&values, &self.whole),
            DistanceReference::Ordered(cumulated) => cumulated.distance(&values, &self.whole),
            DistanceReference::Hierarchical(tree, weights) => tree.distance(weights, &values, &self.whole),
        }
    }
}

impl Model for Closeness {
    fn says(&self) -> String {
        let how = match self.ground {
            DistanceReference::Equal => "equal",
            DistanceReference::Ordered(_) => "ordered",
            DistanceReference::Hierarchical(..) => "hierarchical",
        };
        format!("t-closeness of `{}` with t = {} ({how} distance)", self.name, self.t)
    }

    fn reads_sensitive(&self) -> bool {
        true
    }

    fn class_holds(&self, class: &Class<'_>) -> bool {
        self.class_figure(class).is_none_or(|distance| distance <= self.t)
    }

    fn class_figure(&self, class: &Class<'_>) -> Option<f64> {
        measure(class, self.variable, f64::INFINITY, |values| self.distance(values))
    }

    /// The distance of a mixture from the whole is at most that of the farthest of its parts.
    fn is_monotone(&self) -> bool {
        true
    }

    fn fitted(&self, whole: &[Vec<(u32, u64)>]) -> Option<Box<dyn Model>> {
        let whole = WholeShares::from_codes(whole.get(self.variable)?);
        let ground = match &self.ground {
            DistanceReference::Equal => DistanceReference::Equal,
            DistanceReference::Ordered(_) => DistanceReference::Ordered(CumulatedShares::from_whole(&whole)),
            DistanceReference::Hierarchical(tree, _) => {
                DistanceReference::Hierarchical(tree.clone(), tree.weights(&whole))
            }
        };
        Some(Box::new(Self { ground, whole, ..self.clone() }))
    }

    fn limit(&self) -> Option<Limit> {
        Some(Limit::at_most(format!("distance of `{}` in a class from the whole", self.name), "t", self.t))
    }
}

/// A sum of whole numbers over its denominator. It is 1 at most, unless the class has values that the whole lacks.
fn ratio(sum: u128, denominator: u128) -> f64 {
    if denominator == 0 { f64::INFINITY } else { sum as f64 / denominator as f64 }
}
