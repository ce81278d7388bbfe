//! Steps that change numbers: groups, noise, ranks, extremes.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{RecordBatch, StringArray};
use arrow_cast::cast;
use arrow_schema::DataType;
use outward_report::format::{count, share};
use outward_spec::{Centre, Error, Extreme, NoiseKind, Result, Step};

use super::columns::{from_numbers, numbers, position, replaced};
use super::{Changed, WholeStep};
use crate::limits::{Bound, Limit, Limits, Replacement, code_extremes};
use crate::microaggregate;
use crate::noise::{Noise, add_noise};
use crate::rank_swap::{RankSwap, swap_ranks};
use crate::utility::{measure_moments, measure_utility};

/// Numbers of several variables.
struct NumberColumns {
    at: Vec<usize>,
    before: Vec<Vec<f64>>,
}

impl NumberColumns {
    fn read(records: &RecordBatch, variables: &[String]) -> Result<Self> {
        let at: Vec<usize> = variables.iter().map(|name| position(records, name)).collect::<Result<_>>()?;
        let before = at.iter().zip(variables).map(|(at, name)| numbers(name, records.column(*at)));
        Ok(Self { before: before.collect::<Result<_>>()?, at })
    }

    fn slices(&self) -> Vec<&[f64]> {
        self.before.iter().map(Vec::as_slice).collect()
    }

    /// The records with other numbers, and what became of means and standard deviations.
    fn replaced(&self, records: &RecordBatch, after: &[Vec<f64>], mut notes: Vec<String>) -> Result<Changed> {
        let mut changed = BTreeMap::new();
        let mut figures = BTreeMap::new();
        let mut columns = Vec::new();
        for ((at, before), after) in self.at.iter().zip(&self.before).zip(after) {
            let name = records.schema_ref().field(*at).name();
            let moved =
                before.iter().zip(after).filter(|(was, is)| was != is && !(was.is_nan() && is.is_nan())).count();
            changed.insert(name.clone(), moved as u64);
            figures.extend(moments(name, "before", before));
            figures.extend(moments(name, "after", after));
            columns.push((*at, from_numbers(after, records.column(*at).data_type())));
        }
        if self.before.len() > 1 {
            let change = measure_utility(&self.before, after)?.correlations;
            figures.insert("correlation_change".to_owned(), change);
            notes.push(format!("correlations between these variables changed by {change:.3} at most"));
        }
        Ok(Changed { records: replaced(records, columns)?, changed, figures, notes })
    }
}

/// Mean and standard deviation under names such as `mean_before.income`.
fn moments(name: &str, when: &str, values: &[f64]) -> [(String, f64); 2] {
    let moments = measure_moments(values);
    [(format!("mean_{when}.{name}"), moments.mean), (format!("sd_{when}.{name}"), moments.sd)]
}

pub(super) fn microaggregate(
    _: &WholeStep,
    records: &RecordBatch,
    variables: &[String],
    k: u64,
    publish: Centre,
) -> Result<Changed> {
    let columns = NumberColumns::read(records, variables)?;
    let centre = match publish {
        Centre::Mean => microaggregate::Centre::Mean,
        Centre::Median => microaggregate::Centre::Median,
    };
    let grouped = microaggregate::microaggregate(&columns.slices(), None, k as usize, centre)?;
    let lost = if grouped.sst > 0.0 { grouped.sse / grouped.sst } else { 0.0 };
    let mut notes = vec![format!(
        "{} groups of {} or more records; {} of the variation is lost",
        count(grouped.sizes.len() as u64),
        count(k),
        share(lost)
    )];
    if grouped.change.suppressed > 0 {
        notes.push(format!(
            "{} values were left out, since too few records have values of the same variables",
            count(grouped.change.suppressed)
        ));
    }
    let mut changed = columns.replaced(records, &grouped.columns, notes)?;
    changed.figures.insert("lost_variation".to_owned(), lost);
    Ok(changed)
}

pub(super) fn noise(
    step: &WholeStep,
    records: &RecordBatch,
    variables: &[String],
    amount: f64,
    kind: NoiseKind,
) -> Result<Changed> {
    let columns = NumberColumns::read(records, variables)?;
    let noise = match kind {
        NoiseKind::Additive => Noise::Additive,
        NoiseKind::Correlated => Noise::Correlated,
        NoiseKind::Preserving => Noise::Preserving,
    };
    let mut noisy = add_noise(&columns.slices(), noise, amount, &mut step.random("noise"))?;
    // No more decimals than the values had: the others would only tell that noise was added.
    for (before, after) in columns.before.iter().zip(&mut noisy.columns) {
        *after = rounded(std::mem::take(after), decimals(before));
    }
    let note = format!("noise of {amount} times the standard deviation was added");
    columns.replaced(records, &noisy.columns, vec![note])
}

/// Extremes at either end that share their mean when ranks are swapped.
const EXTREMES: usize = 5;

/// Numbers with so many decimals.
fn rounded(mut values: Vec<f64>, decimals: i32) -> Vec<f64> {
    let places = 10f64.powi(decimals);
    values.iter_mut().for_each(|value| *value = (*value * places).round() / places);
    values
}

/// The most decimals any of some numbers is written with, up to nine.
fn decimals(values: &[f64]) -> i32 {
    let written = |value: &f64| {
        let text = value.to_string();
        text.split_once('.').map_or(0, |(_, places)| places.len().min(9) as i32)
    };
    values.iter().filter(|value| value.is_finite()).map(written).max().unwrap_or(0)
}

pub(super) fn rank_swap(
    step: &WholeStep,
    records: &RecordBatch,
    variables: &[String],
    distance: f64,
) -> Result<Changed> {
    let columns = NumberColumns::read(records, variables)?;
    let after = columns.before.iter().zip(variables).map(|(column, name)| {
        // The largest and the smallest would be published as they are, if on another record: five share their mean.
        let known = column.iter().filter(|value| !value.is_nan()).count();
        let extremes = if known >= 10 * EXTREMES { EXTREMES as f64 / known as f64 } else { 0.0 };
        let settings = RankSwap { reach: distance, top: extremes, bottom: extremes };
        let swapped = swap_ranks(column, &settings, &mut step.random(name))?;
        // The means have no more decimals than the values, which would mark them.
        Ok(rounded(swapped.values, decimals(column)))
    });
    let after: Vec<Vec<f64>> = after.collect::<Result<_>>()?;
    let note = format!("values changed places with others at most {} of the ranks away", share(distance));
    columns.replaced(records, &after, vec![note])
}

/// Limits extremes where that needs the whole file: by a share of the records, or published as their mean.
pub(super) fn limit(step: &WholeStep, records: &RecordBatch) -> Result<Changed> {
    let Step::Limit { variable, bottom, top, bottom_share, top_share, publish } = &step.step else {
        return Err(Error::bug("limits were asked of another step"));
    };
    let replacement = match publish {
        Extreme::Limit => Replacement::Limit,
        Extreme::Mean => Replacement::Mean,
        Extreme::Label => Replacement::Label(None),
    };
    // What is published of extremes is made from at least as many records as a class of the policy has, and at least
    // three.
    let least = step.setting.rules.k.max(3);
    let side = |value: &Option<outward_spec::Number>, share: &Option<f64>| {
        let bound = value.map(|value| Bound::Value(value.0)).or(share.map(Bound::Share));
        bound.map(|bound| Limit { bound, replacement: replacement.clone(), least })
    };
    let limits = Limits { bottom: side(bottom, bottom_share), top: side(top, top_share) };
    let columns = NumberColumns::read(records, std::slice::from_ref(variable))?;
    let limited = code_extremes(&columns.before[0], &limits)?;
    let sides = [("lowest", &limited.limits.bottom), ("highest", &limited.limits.top)];
    let notes = sides.iter().filter_map(|(which, reached)| reached.as_ref().map(|reached| (which, reached)));
    let notes = notes.map(|(which, reached)| format!("the {which} {} records share one value", count(reached.records)));
    let mut changed = columns.replaced(records, &[limited.values], notes.collect())?;
    for (name, reached) in [("bottom", &limited.limits.bottom), ("top", &limited.limits.top)] {
        changed.figures.extend(reached.as_ref().map(|reached| (name.to_owned(), reached.number)));
    }
    if *publish == Extreme::Label {
        let at = columns.at[0];
        let text = cast(records.column(at), &DataType::Utf8).map_err(Error::bug)?;
        let label = |value: f64| limited.limits.label(value);
        let labelled: StringArray = (columns.before[0].iter().zip(text.as_string::<i32>()))
            .map(|(value, text)| text.map(|text| label(*value).unwrap_or(text)))
            .collect();
        changed.records = replaced(records, vec![(at, Arc::new(labelled))])?;
    }
    Ok(changed)
}
