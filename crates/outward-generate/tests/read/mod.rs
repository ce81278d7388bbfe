//! Columns of a batch as plain values, for the tests.

#![allow(dead_code, clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs, unreachable_pub)]

use arrow_array::RecordBatch;
use arrow_array::cast::AsArray;
use arrow_array::types::{Date32Type, Float64Type, Int32Type, Int64Type};
use arrow_schema::DataType;

pub fn integers(batch: &RecordBatch, column: &str) -> Vec<Option<i64>> {
    batch[column].as_primitive::<Int64Type>().iter().collect()
}

pub fn reals(batch: &RecordBatch, column: &str) -> Vec<Option<f64>> {
    batch[column].as_primitive::<Float64Type>().iter().collect()
}

pub fn dates(batch: &RecordBatch, column: &str) -> Vec<Option<i32>> {
    batch[column].as_primitive::<Date32Type>().iter().collect()
}

pub fn texts<'a>(batch: &'a RecordBatch, column: &str) -> Vec<Option<&'a str>> {
    batch[column].as_string::<i32>().iter().collect()
}

/// The labels of a categorical column; missing values are empty.
pub fn labels<'a>(batch: &'a RecordBatch, column: &str) -> Vec<&'a str> {
    let codes = batch[column].as_dictionary::<Int32Type>();
    let values = codes.values().as_string::<i32>();
    codes.keys().iter().map(|code| code.map_or("", |code| values.value(code as usize))).collect()
}

/// Every value of a batch, column after column, in a form that does not depend on how Arrow keeps it.
pub fn values(batch: &RecordBatch) -> String {
    let mut out = String::new();
    for field in batch.schema().fields() {
        let name = field.name();
        out.push_str(&match field.data_type() {
            DataType::Int64 => format!("{name} {:?}\n", integers(batch, name)),
            DataType::Float64 => format!("{name} {:?}\n", reals(batch, name)),
            DataType::Date32 => format!("{name} {:?}\n", dates(batch, name)),
            DataType::Utf8 => format!("{name} {:?}\n", texts(batch, name)),
            _ => format!("{name} {:?}\n", labels(batch, name)),
        });
    }
    out
}
