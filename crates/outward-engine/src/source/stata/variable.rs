//! A Stata variable as an Arrow column.
//!
//! Stata counts time from 1960 in a unit that only the display format tells: `%td` days become dates, `%tc`
//! milliseconds become ISO text, and weeks to half-years become text as Stata shows them (`2020m3`).

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::ArrayRef;
use arrow_array::builder::{Date32Builder, Float64Builder, Int64Builder, StringBuilder, StringDictionaryBuilder};
use arrow_array::temporal_conversions::timestamp_ms_to_datetime;
use arrow_array::types::Int32Type;
use arrow_schema::{DataType, Field};
use dta::stata::dta::value::Value;
use dta::stata::dta::value_label_table::ValueLabelTable;
use dta::stata::dta::variable::Variable;
use dta::stata::dta::variable_type::VariableType;
use dta::stata::temporal::TemporalKind;
use dta::stata::temporal::conversion::{
    tc_millis_to_unix_millis, td_days_to_unix_days, th_halves_to_year_half, tm_months_to_year_month,
    tq_quarters_to_year_quarter, tw_weeks_to_year_week,
};

/// The long strings of a file, by variable and observation.
pub(super) type LongStrings = HashMap<(u32, u64), String>;

/// What a variable's values become.
enum StataType {
    Integer,
    Number,
    Text,
    Date,
    /// Text that stands for a moment or a period.
    Moment(TemporalKind),
    /// The labels by code.
    Labelled(HashMap<i32, String>),
}

/// A variable of a file.
pub(super) struct StataVariable {
    name: String,
    label: String,
    kind: StataType,
}

impl StataVariable {
    pub(super) fn new(variable: &Variable, labels: &ValueLabelTable) -> Self {
        let set = Some(variable.value_label_name()).filter(|name| !name.is_empty()).and_then(|name| labels.get(name));
        let kind = match (variable.variable_type(), set, TemporalKind::from_format(variable.format())) {
            (VariableType::FixedString(_) | VariableType::LongString, ..) => StataType::Text,
            (_, Some(set), _) => {
                let mut by_code = HashMap::new();
                for entry in set.entries() {
                    by_code.entry(entry.value()).or_insert_with(|| entry.label().to_owned());
                }
                StataType::Labelled(by_code)
            }
            (_, None, Some(TemporalKind::Date)) => StataType::Date,
            (_, None, Some(time)) if time != TemporalKind::Year => StataType::Moment(time),
            (VariableType::Float | VariableType::Double, ..) => StataType::Number,
            _ => StataType::Integer,
        };
        Self { name: variable.name().to_owned(), label: variable.label().to_owned(), kind }
    }

    pub(super) fn field(&self) -> Field {
        let kind = match self.kind {
            StataType::Integer => DataType::Int64,
            StataType::Number => DataType::Float64,
            StataType::Date => DataType::Date32,
            StataType::Text | StataType::Moment(_) => DataType::Utf8,
            StataType::Labelled(_) => DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8)),
        };
        let label = Some(("label".to_owned(), self.label.clone())).filter(|(_, label)| !label.is_empty());
        Field::new(&self.name, kind, true).with_metadata(label.into_iter().collect())
    }

    /// An empty column for its values.
    pub(super) fn filling(&self) -> ColumnBuilder {
        match self.kind {
            StataType::Integer => ColumnBuilder::Integer(Int64Builder::new()),
            StataType::Number => ColumnBuilder::Number(Float64Builder::new()),
            StataType::Date => ColumnBuilder::Date(Date32Builder::new()),
            StataType::Text | StataType::Moment(_) => ColumnBuilder::Text(StringBuilder::new()),
            StataType::Labelled(_) => ColumnBuilder::Labelled(StringDictionaryBuilder::new()),
        }
    }
}

/// A column being filled.
pub(super) enum ColumnBuilder {
    Integer(Int64Builder),
    Number(Float64Builder),
    Date(Date32Builder),
    Text(StringBuilder),
    Labelled(StringDictionaryBuilder<Int32Type>),
}

impl ColumnBuilder {
    /// Adds a value; Stata's missing codes and the empty string become null.
    pub(super) fn push(&mut self, variable: &StataVariable, value: &Value<'_>, long_strings: &LongStrings) {
        match self {
            Self::Integer(out) => out.append_option(number(value).map(|v| v as i64)),
            Self::Number(out) => out.append_option(number(value)),
            Self::Date(out) => out.append_option(number(value).and_then(whole).and_then(td_days_to_unix_days)),
            Self::Labelled(out) => match (number(value), &variable.kind) {
                (Some(code), StataType::Labelled(labels)) => match whole(code).and_then(|code| labels.get(&code)) {
                    Some(label) => out.append_value(label),
                    None => out.append_value(code.to_string()),
                },
                _ => out.append_null(),
            },
            Self::Text(out) => match (value, &variable.kind) {
                (Value::String(text), _) => out.append_option(Some(text.as_ref()).filter(|text| !text.is_empty())),
                (Value::LongStringRef(reference), _) => {
                    let text = long_strings.get(&(reference.variable(), reference.observation()));
                    out.append_option(text.filter(|text| !text.is_empty()));
                }
                (value, StataType::Moment(time)) => out.append_option(number(value).and_then(|v| moment(*time, v))),
                _ => out.append_null(),
            },
        }
    }

    pub(super) fn finish(&mut self) -> ArrayRef {
        match self {
            Self::Integer(out) => Arc::new(out.finish()),
            Self::Number(out) => Arc::new(out.finish()),
            Self::Date(out) => Arc::new(out.finish()),
            Self::Text(out) => Arc::new(out.finish()),
            Self::Labelled(out) => Arc::new(out.finish()),
        }
    }
}

/// The number, unless it is missing. Every Stata integer is exact in 64-bit floating point.
fn number(value: &Value<'_>) -> Option<f64> {
    match value {
        Value::Byte(v) => v.present().map(f64::from),
        Value::Int(v) => v.present().map(f64::from),
        Value::Long(v) => v.present().map(f64::from),
        Value::Float(v) => v.present().map(f64::from),
        Value::Double(v) => v.present(),
        Value::String(_) | Value::LongStringRef(_) => None,
    }
}

fn whole(value: f64) -> Option<i32> {
    let floor = value.floor();
    (f64::from(i32::MIN)..=f64::from(i32::MAX)).contains(&floor).then_some(floor as i32)
}

fn moment(time: TemporalKind, value: f64) -> Option<String> {
    let period = |letter: char, split: fn(i32) -> (i32, u8)| {
        let (year, part) = split(whole(value)?);
        Some(format!("{year}{letter}{part}"))
    };
    match time {
        TemporalKind::Week => period('w', tw_weeks_to_year_week),
        TemporalKind::Month => period('m', tm_months_to_year_month),
        TemporalKind::Quarter => period('q', tq_quarters_to_year_quarter),
        TemporalKind::HalfYear => period('h', th_halves_to_year_half),
        TemporalKind::DateTime => {
            let moment = timestamp_ms_to_datetime(tc_millis_to_unix_millis(value)?)?;
            Some(moment.format("%Y-%m-%dT%H:%M:%S%.f").to_string())
        }
        _ => Some(value.to_string()),
    }
}
