//! Steps that keep some records and leave others out: rare categories, uniques, samples.

use arrow_array::{RecordBatch, UInt32Array};
use arrow_select::take::take_record_batch;
use outward_report::format::count;
use outward_spec::{Error, Result, Sampling, Step};

use super::columns::{all_coded, coded, kept, position, slices};
use super::{Changed, WholeStep};
use crate::rare::{RareRequest, RareRule, drop_rare};
use crate::sample::{SampleDesign, SampleRequest, SampleSize, draw_sample};
use crate::swap::groups::RecordGroups;

/// Leaves out rare categories, or records alone on some keys. What one such step leaves out may make a category too small
/// that an earlier one had found large enough. So the earlier ones apply again until all hold together.
pub(super) fn remove(step: &WholeStep, records: &RecordBatch) -> Result<Changed> {
    let earlier = step.setting.spec.steps[..step.at].iter();
    let rules: Vec<RareRuleStep> = earlier.chain([&step.step]).filter_map(RareRuleStep::from_step).collect();
    let mut asked = Vec::new();
    for rule in &rules {
        // A variable that has been dropped since takes its rule with it.
        if rule.variables.iter().all(|name| position(records, name).is_ok()) {
            asked.push((rule, all_coded(records, &rule.variables)?));
        }
    }
    let columns: Vec<Vec<&[u32]>> = asked.iter().map(|(_, columns)| slices(columns)).collect();
    let least = asked.iter().map(|(rule, _)| rule.least);
    let request: Vec<RareRule<'_>> = columns.iter().zip(least).map(|(keys, least)| RareRule { keys, least }).collect();
    let request = RareRequest { records: records.num_rows(), region: None, rules: &request, repeat: true };
    let rare = drop_rare(&request)?;
    let notes = asked
        .iter()
        .zip(&rare.removed)
        .filter(|(_, removed)| **removed > 0)
        .map(|((rule, _), removed)| format!("{} records were left out: {}", count(*removed), rule.says))
        .collect();
    Ok(Changed::rows(kept(records, rare.keep)?, notes))
}

/// Combinations of these variables with fewer records than this are left out.
struct RareRuleStep {
    variables: Vec<String>,
    least: u64,
    says: String,
}

impl RareRuleStep {
    fn from_step(step: &Step) -> Option<Self> {
        let place = |within: &[String]| match within {
            [] => String::new(),
            within => format!(" in their {}", within.join(" and ")),
        };
        match step {
            Step::RemoveRare { variable, within, least } => Some(Self {
                variables: within.iter().chain([variable]).cloned().collect(),
                least: *least,
                says: format!("categories of `{variable}` with fewer than {} records{}", count(*least), place(within)),
            }),
            Step::RemoveUniques { keys, within, k } => Some(Self {
                variables: within.iter().chain(keys.iter().filter(|key| !within.contains(key))).cloned().collect(),
                least: *k,
                says: match k {
                    2 => format!("alone on {}{}", listed(keys), place(within)),
                    k => format!("fewer than {} with the same {}{}", count(*k), listed(keys), place(within)),
                },
            }),
            _ => None,
        }
    }
}

pub(super) fn sample(
    step: &WholeStep,
    records: &RecordBatch,
    method: Sampling,
    (fraction, size): (Option<f64>, Option<u64>),
    by: &[String],
    households: bool,
) -> Result<Changed> {
    let household = match (households, step.setting.spec.household()) {
        (true, Some(variable)) => Some(coded(records, &variable.name)?.codes),
        (true, None) => return Err(Error::input("no variable has the role `household`").into()),
        (false, _) => None,
    };
    let size = match (fraction, size) {
        (Some(share), None) => SampleSize::Fraction(share),
        (None, Some(units)) => SampleSize::Units(units),
        _ => return Err(Error::input("a sample needs its share or its size").into()),
    };
    let groups = joined(records, by)?;
    let design = match (method, groups.as_deref()) {
        (Sampling::Simple, _) => SampleDesign::Simple,
        (Sampling::Stratified, Some(strata)) => SampleDesign::Stratified { strata, at_least_one: false },
        (Sampling::Stratified, None) => return Err(Error::input("the strata are not said").into()),
        (Sampling::Systematic, sort_by) => SampleDesign::Systematic { sort_by },
    };
    let request =
        SampleRequest { records: records.num_rows(), household: household.as_deref(), size, design, seed: step.seed() };
    let drawn = draw_sample(&request)?;
    let mut keep = vec![false; records.num_rows()];
    drawn.rows.iter().for_each(|row| keep[*row as usize] = true);
    let units = if households { "households" } else { "records" };
    let note = format!("{} of {} {units} were drawn", count(drawn.drawn), count(drawn.units));
    Ok(Changed::rows(kept(records, keep)?, vec![note]))
}

/// Puts the records into a random order.
pub(super) fn shuffle(step: &WholeStep, records: &RecordBatch) -> Result<Changed> {
    Ok(Changed::rows(shuffled(step, records)?, vec!["the records are in a random order".to_owned()]))
}

/// The records in a random order. Two releases of the same data have different orders, even by one seed, unless their
/// steps and variables are the same: otherwise their rows would belong together.
pub(super) fn shuffled(step: &WholeStep, records: &RecordBatch) -> Result<RecordBatch> {
    let mut order: Vec<u32> = (0..records.num_rows() as u32).collect();
    step.random(&format!("order of {}", step.setting.release())).shuffle(&mut order);
    take_record_batch(records, &UInt32Array::from(order)).map_err(Error::bug)
}

/// One code for each combination of several variables, in the order of their values; none if no variable is named.
pub(super) fn joined(records: &RecordBatch, variables: &[String]) -> Result<Option<Vec<u32>>> {
    let columns = all_coded(records, variables)?;
    let slices = slices(&columns);
    match slices.as_slice() {
        [] => Ok(None),
        [one] => Ok(Some(one.to_vec())),
        several => {
            let groups = RecordGroups::of_columns(several, records.num_rows());
            // Groups are numbered as they are met; codes follow the order of the values.
            let mut firsts: Vec<Option<usize>> = vec![None; groups.count];
            for (row, group) in groups.of.iter().enumerate() {
                firsts[*group as usize].get_or_insert(row);
            }
            let mut order: Vec<(usize, usize)> = firsts.into_iter().flatten().enumerate().collect();
            order.sort_by_key(|(_, row)| several.iter().map(|codes| codes[*row]).collect::<Vec<u32>>());
            let mut code = vec![0; groups.count];
            order.iter().zip(1..).for_each(|((group, _), number)| code[*group] = number);
            Ok(Some(groups.of.iter().map(|group| code[*group as usize]).collect()))
        }
    }
}

/// Names in a row: `` `a`, `b` and `c` ``.
pub(super) fn listed(names: &[String]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    match quoted.as_slice() {
        [] => String::new(),
        [one] => one.clone(),
        [others @ .., last] => format!("{} and {last}", others.join(", ")),
    }
}
