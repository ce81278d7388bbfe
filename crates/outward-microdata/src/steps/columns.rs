//! Columns of records as codes and as numbers, and back; steps on one number at a time.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Float64Type;
use arrow_array::{ArrayRef, BooleanArray, Float64Array, Int64Array, RecordBatch, StringArray, UInt32Array};
use arrow_cast::cast;
use arrow_schema::{DataType, Field, Schema};
use arrow_select::filter::filter_record_batch;
use arrow_select::take::take;
use outward_cells::Coded;
use outward_spec::{Error, Extreme, Result, Step, suggest};

use super::Setting;
use crate::limits::{FoundLimit, ReachedLimits};
use crate::round::{Base, Rounding, RoundingMethod, round};

/// The position of a variable in the records.
pub(super) fn position(records: &RecordBatch, variable: &str) -> Result<usize> {
    records.schema_ref().index_of(variable).map_err(|_| {
        let names = records.schema_ref().fields().iter().map(|field| field.name().as_str());
        let known = names.filter(|name| !name.starts_with("__"));
        Error::input(format!("there is no column `{variable}`")).help(suggest(variable, known, "columns")).into()
    })
}

/// A variable as codes.
pub(super) fn coded(records: &RecordBatch, variable: &str) -> Result<Coded> {
    let column = records.column(position(records, variable)?);
    Coded::from_column(column).map_err(|error| error.with_fault(|fault| fault.variable(variable)))
}

/// Several variables as codes.
pub(super) fn all_coded(records: &RecordBatch, variables: &[String]) -> Result<Vec<Coded>> {
    variables.iter().map(|variable| coded(records, variable)).collect()
}

/// The code columns of several variables.
pub(super) fn slices(coded: &[Coded]) -> Vec<&[u32]> {
    coded.iter().map(|coded| coded.codes.as_slice()).collect()
}

/// A column as numbers; NaN where it is missing.
pub(super) fn numbers(variable: &str, column: &ArrayRef) -> Result<Vec<f64>> {
    if !column.data_type().is_numeric() {
        return Err(not_a_number(variable));
    }
    let numbers = cast(column, &DataType::Float64).map_err(|_| not_a_number(variable))?;
    Ok(numbers.as_primitive::<Float64Type>().iter().map(|number| number.unwrap_or(f64::NAN)).collect())
}

/// Numbers as a column: whole numbers where the variable was whole and all of them still are.
pub(super) fn from_numbers(numbers: &[f64], was: &DataType) -> ArrayRef {
    let known = |number: &f64| (!number.is_nan()).then_some(*number);
    let whole = was.is_integer() && numbers.iter().all(|number| number.is_nan() || number.fract() == 0.0);
    match whole {
        true => Arc::new(Int64Array::from_iter(numbers.iter().map(|number| known(number).map(|number| number as i64)))),
        false => Arc::new(Float64Array::from_iter(numbers.iter().map(known))),
    }
}

/// The records with some columns replaced; types may change.
pub(super) fn replaced(records: &RecordBatch, columns: Vec<(usize, ArrayRef)>) -> Result<RecordBatch> {
    let mut arrays = records.columns().to_vec();
    let mut fields: Vec<_> = records.schema_ref().fields().iter().cloned().collect();
    for (at, column) in columns {
        let field = Field::new(fields[at].name(), column.data_type().clone(), true);
        fields[at] = Arc::new(field.with_metadata(fields[at].metadata().clone()));
        arrays[at] = column;
    }
    let schema = Schema::new_with_metadata(fields, records.schema_ref().metadata().clone());
    RecordBatch::try_new(Arc::new(schema), arrays).map_err(Error::bug)
}

/// The records that a mask keeps.
pub(super) fn kept(records: &RecordBatch, keep: Vec<bool>) -> Result<RecordBatch> {
    filter_record_batch(records, &BooleanArray::from(keep)).map_err(Error::bug)
}

/// A column with each value taken from the row given; missing where none is.
pub(super) fn taken(column: &ArrayRef, from: impl IntoIterator<Item = Option<u32>>) -> Result<ArrayRef> {
    take(column, &UInt32Array::from_iter(from), None).map_err(Error::bug)
}

/// A step on one number at a time: rounding, or limits that are known beforehand.
#[derive(Debug)]
pub struct ColumnStep {
    change: NumberChange,
}

/// A column after a step on its numbers.
#[derive(Debug)]
pub struct Reshaped {
    /// The column.
    pub column: ArrayRef,
    /// Values that changed.
    pub changed: u64,
    /// Values that are not missing.
    pub known: u64,
    /// Their sums before and after.
    pub sums: [f64; 2],
}

#[derive(Debug)]
enum NumberChange {
    Round { rounding: Rounding, seed: u64, purpose: String },
    Limit(ReachedLimits),
}

impl ColumnStep {
    /// The variables and the change of a step at a position of the spec, from 0; none if the step is of another kind.
    pub fn from_step(step: &Step, at: usize, setting: &Setting) -> Result<Option<(Vec<String>, Self)>> {
        Ok(match step {
            Step::Round { variables, base, unbiased } => {
                let method = if *unbiased { RoundingMethod::Random } else { RoundingMethod::Nearest };
                let rounding = Rounding { base: Base::new(base.0)?, method, bottom: None, top: None };
                Some((
                    variables.clone(),
                    Self {
                        change: NumberChange::Round {
                            rounding,
                            seed: setting.spec.seed,
                            purpose: format!("{} {}", setting.salt, at + 1),
                        },
                    },
                ))
            }
            Step::Limit { variable, bottom, top, publish, .. } if step.is_record_wise() => {
                let reached = |limit: f64, label: String| FoundLimit {
                    limit,
                    records: 0,
                    number: limit,
                    label: (*publish == Extreme::Label).then_some(label),
                };
                let limits = ReachedLimits {
                    bottom: bottom.map(|bottom| reached(bottom.0, format!("{} or under", bottom.0))),
                    top: top.map(|top| reached(top.0, format!("{} or over", top.0))),
                };
                Some((vec![variable.clone()], Self { change: NumberChange::Limit(limits) }))
            }
            _ => None,
        })
    }

    /// The type of the variable after the step.
    pub fn data_type(&self, variable: &str, from: &DataType) -> Result<DataType> {
        if !from.is_numeric() {
            return Err(not_a_number(variable));
        }
        Ok(match &self.change {
            NumberChange::Limit(limits) if has_labels(limits) => DataType::Utf8,
            NumberChange::Round { rounding, .. } if rounding.base.is_whole() => DataType::Int64,
            NumberChange::Limit(limits) if from.is_integer() && has_whole_limits(limits) => DataType::Int64,
            _ => DataType::Float64,
        })
    }

    /// The variable after the step, and what became of its values; `rows` are the numbers of the records, from 1.
    pub fn apply(&self, variable: &str, column: &ArrayRef, rows: &[u64]) -> Result<Reshaped> {
        let before = numbers(variable, column)?;
        let reshaped = |column: ArrayRef, after: &[f64], changed: u64| {
            let sum = |values: &[f64]| values.iter().filter(|value| !value.is_nan()).sum();
            let known = before.iter().filter(|value| !value.is_nan()).count() as u64;
            Reshaped { column, changed, known, sums: [sum(&before), sum(after)] }
        };
        match &self.change {
            NumberChange::Round { rounding, seed, purpose } => {
                let purpose = format!("{purpose} {variable}");
                let rounded = round(&before, rows, rounding, *seed, &purpose);
                let rounded = rounded.map_err(|error| error.with_fault(|fault| fault.variable(variable)))?;
                let to = self.data_type(variable, column.data_type())?;
                let column = cast(&from_numbers(&rounded.values, &DataType::Float64), &to).map_err(Error::bug)?;
                Ok(reshaped(column, &rounded.values, rounded.change.all_cells()))
            }
            NumberChange::Limit(limits) if has_labels(limits) => {
                let text = cast(column, &DataType::Utf8).map_err(Error::bug)?;
                let text = text.as_string::<i32>();
                let labels: Vec<Option<&str>> = before.iter().map(|value| limits.label(*value)).collect();
                let changed = labels.iter().flatten().count() as u64;
                let column: StringArray = labels
                    .iter()
                    .zip(text.iter())
                    .map(|(label, text)| text.map(|text| label.unwrap_or(text)))
                    .collect();
                // Labels have no mean: the numbers are taken as they were.
                Ok(reshaped(Arc::new(column), &before, changed))
            }
            NumberChange::Limit(limits) => {
                let after: Vec<f64> = before.iter().map(|value| limits.number(*value)).collect();
                let changed = before.iter().zip(&after).filter(|(was, is)| was != is && !was.is_nan()).count() as u64;
                let to = self.data_type(variable, column.data_type())?;
                let column = cast(&from_numbers(&after, &DataType::Float64), &to).map_err(Error::bug)?;
                Ok(reshaped(column, &after, changed))
            }
        }
    }
}

fn has_labels(limits: &ReachedLimits) -> bool {
    [&limits.bottom, &limits.top].into_iter().flatten().any(|reached| reached.label.is_some())
}

fn has_whole_limits(limits: &ReachedLimits) -> bool {
    [&limits.bottom, &limits.top].into_iter().flatten().all(|reached| reached.number.fract() == 0.0)
}

fn not_a_number(variable: &str) -> Error {
    Error::input("this variable is not a number")
        .variable(variable)
        .help("say `type = \"number\"` or `type = \"integer\"` of the variable, or leave it out of the step")
        .into()
}
