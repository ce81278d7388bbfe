//! Term frequencies: agreeing on a rare value is more evidence than agreeing on a common one (Winkler 1988).
//!
//! At a level with an adjustment, weight · log2(u / tf) is added, where u is that of the exact match and tf the larger of the shares that
//! the two values have among all values of the column. A minimum keeps misspellings from counting as rare names.

use std::collections::BTreeMap;

use outward_cells::MISSING;
use outward_error::{Error, Result};

use super::model::{Comparison, Model};
use super::records::Joint;
use super::sql::{Expression, Operator};

/// The adjustments of every level.
#[derive(Debug)]
pub(crate) struct Frequencies<'a> {
    joint: &'a Joint,
    /// The share of each code, by column.
    shares: BTreeMap<usize, Vec<f64>>,
    /// By comparison and level.
    adjustments: Vec<Vec<Option<Adjustment>>>,
}

#[derive(Debug, Clone, Copy)]
struct Adjustment {
    column: usize,
    /// u of the exact match.
    u: f64,
    weight: f64,
    minimum: f64,
}

impl<'a> Frequencies<'a> {
    pub(crate) fn new(model: &Model, joint: &'a Joint) -> Result<Self> {
        let mut shares = BTreeMap::new();
        let mut adjustments = Vec::new();
        for comparison in &model.comparisons {
            let mut of_levels = Vec::new();
            for (at, level) in comparison.levels.iter().enumerate() {
                let last = at + 1 == comparison.levels.len();
                let weight = level.frequency_weight.unwrap_or(1.0);
                let Some(name) = level.frequency_column.as_ref().filter(|_| !level.is_null && !last && weight > 0.0)
                else {
                    of_levels.push(None);
                    continue;
                };
                let column = joint.position(name)?;
                shares.entry(column).or_insert_with(|| shares_of(joint, column));
                let u = exact_u(comparison, name)?;
                let minimum = level.frequency_minimum.unwrap_or(0.0);
                of_levels.push(u.map(|u| Adjustment { column, u, weight, minimum }));
            }
            adjustments.push(of_levels);
        }
        Ok(Self { joint, shares, adjustments })
    }

    /// What rarity adds to the weight of a pair at a level.
    pub(crate) fn adjustment(&self, comparison: usize, level: u8, left: usize, right: usize) -> f64 {
        let Some(adjustment) = self.adjustments[comparison][level as usize] else { return 0.0 };
        let codes = &self.joint.columns[adjustment.column].codes;
        let shares = &self.shares[&adjustment.column];
        let share = shares[codes[left] as usize].max(shares[codes[right] as usize]).max(adjustment.minimum);
        if share > 0.0 { adjustment.weight * (adjustment.u / share).log2() } else { 0.0 }
    }
}

/// The share of each value among the records that have one; 0 for missing.
fn shares_of(joint: &Joint, column: usize) -> Vec<f64> {
    let column = &joint.columns[column];
    let mut counts = vec![0u64; column.dictionary.len() + 1];
    column.codes.iter().for_each(|code| counts[*code as usize] += 1);
    counts[MISSING as usize] = 0;
    let all: u64 = counts.iter().sum();
    counts.into_iter().map(|count| count as f64 / all.max(1) as f64).collect()
}

/// The u of the level of a comparison that says that the column is the same.
fn exact_u(comparison: &Comparison, column: &str) -> Result<Option<f64>> {
    let conditions = comparison.conditions()?;
    let exact = conditions.iter().position(|condition| match condition {
        Expression::Binary(Operator::Equal, a, b) => match (&**a, &**b) {
            (Expression::Column(side_a, a), Expression::Column(side_b, b)) => a == b && a == column && side_a != side_b,
            _ => false,
        },
        _ => false,
    });
    let exact = exact.ok_or_else(|| {
        Error::input(format!(
            "comparison `{}`: the frequency of `{column}` needs a level of its exact match",
            comparison.name
        ))
        .help(format!(
            "add a level whose sql_condition is \"{column}_l\" = \"{column}_r\", or take tf_adjustment_column out"
        ))
    })?;
    Ok(comparison.levels[exact].u)
}
