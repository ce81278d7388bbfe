//! Values that no record has and that conditions distinguish from those that occur. Somebody who knows the words of a condition and no record cannot
//! tell that nobody has them: that nobody is under 11 does not follow from `age < 11` (K3, M4 of `docs/methods/attacker.md`).
//!
//! These are the literals of the conditions that read a column and, as comparisons change there, what is just below and just above each. A text that no
//! condition names stands for all others. For values that a hierarchy lists the request says which they are.

use std::collections::BTreeSet;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Date32Type;
use arrow_array::{ArrayRef, Date32Array, RecordBatch, StringArray, new_null_array};
use arrow_cast::cast;
use arrow_schema::{DataType, Field, Schema};
use datafusion_common::ScalarValue;
use datafusion_common::tree_node::TreeNode;
use datafusion_expr::Expr;
use outward_cells::{ColumnRequest, Columns};
use outward_spec::{Error, Result};

use crate::condition::{parse_condition, predicate};
use crate::truth::MAX_COMBINATIONS;

/// A text, a number, a date and an answer that stand for all that no condition names.
const OTHERS: [&str; 4] = ["another value", "0", "2000-01-01", "true"];

/// For each coded column the values that no record has and that conditions may distinguish. None where a condition on the column would then have too many
/// combinations of values.
pub(crate) fn unseen_values(
    schema: &Schema,
    conditions: &[String],
    request: &ColumnRequest,
    columns: &Columns,
) -> Result<Vec<Vec<String>>> {
    let place = |name: &str| request.coded.iter().position(|known| known == name);
    let mut named: Vec<BTreeSet<String>> = vec![BTreeSet::new(); request.coded.len()];
    let mut read: Vec<Vec<usize>> = Vec::new();
    for condition in conditions {
        let parsed = parse_condition(schema, condition)?;
        let own: Vec<usize> = parsed.column_refs().iter().filter_map(|column| place(&column.name)).collect();
        let texts = near_literals(&parsed)?;
        own.iter().for_each(|at| named[*at].extend(texts.iter().cloned()));
        read.push(own);
    }
    for at in read.iter().flatten() {
        named[*at].extend(request.listed.get(&request.coded[*at]).into_iter().flatten().cloned());
    }
    let mut unseen: Vec<Vec<String>> = Vec::new();
    for (at, texts) in named.into_iter().enumerate() {
        let Ok(field) = schema.field_with_name(&request.coded[at]) else {
            unseen.push(Vec::new());
            continue;
        };
        let seen: BTreeSet<&str> = columns.coded[at].dictionary.values().collect();
        let mut own: Vec<String> = of_type(texts, field.data_type())?.into_iter().collect();
        own.retain(|text| !seen.contains(text.as_str()));
        for (condition, _) in conditions.iter().zip(&read).filter(|(_, read)| read.contains(&at)) {
            own = evaluated(schema, condition, &request.coded[at], own)?;
        }
        unseen.push(own);
    }
    for own in &read {
        let size = |at: &usize| columns.coded[*at].dictionary.len() + 1 + unseen[*at].len();
        let count = own.iter().try_fold(1usize, |count, at| count.checked_mul(size(at)));
        if count.is_none_or(|count| count > MAX_COMBINATIONS) {
            own.iter().for_each(|at| unseen[*at].clear());
        }
    }
    Ok(unseen)
}

/// The values of a column on which a condition can be evaluated. Text that is compared with numbers must be a number.
fn evaluated(schema: &Schema, condition: &str, column: &str, texts: Vec<String>) -> Result<Vec<String>> {
    let columns = parse_condition(schema, condition)?;
    let fields = columns.column_refs().into_iter().map(|column| schema.field_with_name(&column.name).cloned());
    let fields = Arc::new(Schema::new(fields.collect::<std::result::Result<Vec<_>, _>>().map_err(Error::bug)?));
    let predicate = predicate(&fields, condition)?;
    let can_be = |texts: &[String]| {
        let array = |field: &Arc<Field>| -> Option<ArrayRef> {
            if field.name() != column {
                return Some(new_null_array(field.data_type(), texts.len()));
            }
            let own: ArrayRef = Arc::new(StringArray::from_iter_values(texts));
            cast(&own, field.data_type()).ok()
        };
        let arrays = fields.fields().iter().map(array).collect::<Option<Vec<_>>>();
        let batch = arrays.and_then(|arrays| RecordBatch::try_new(fields.clone(), arrays).ok());
        batch.is_some_and(|batch| predicate.evaluate(&batch).is_ok())
    };
    if can_be(&texts) {
        return Ok(texts);
    }
    Ok(texts.into_iter().filter(|text| can_be(std::slice::from_ref(text))).collect())
}

/// The literals of a condition as text, and what is just below and just above each.
pub(crate) fn near_literals(condition: &Expr) -> Result<BTreeSet<String>> {
    let mut texts = BTreeSet::from(OTHERS.map(str::to_owned));
    let looked = condition.exists(|part| {
        if let Expr::Literal(value, _) = part
            && !value.is_null()
        {
            texts.extend(near(&text_of(value)));
        }
        Ok(false)
    });
    looked.map_err(Error::bug)?;
    Ok(texts)
}

fn text_of(value: &ScalarValue) -> String {
    match value.try_as_str() {
        Some(Some(text)) => text.to_owned(),
        _ => value.to_string(),
    }
}

/// A value, and the values next to it: of a number, a date or a text.
fn near(text: &str) -> Vec<String> {
    let mut all = vec![text.to_owned()];
    if let Ok(number) = text.parse::<i64>() {
        all.extend([number.checked_sub(1), number.checked_add(1)].into_iter().flatten().map(|next| next.to_string()));
    } else if let Ok(number) = text.parse::<f64>() {
        all.extend([number.next_down(), number.next_up()].map(|next| next.to_string()));
    } else if let Some(next) = days_beside(text) {
        all.extend(next);
    } else if let Some(last) = text.chars().last() {
        let before = text.strip_suffix(last).unwrap_or_default();
        let smaller = u32::from(last).checked_sub(1).and_then(char::from_u32);
        all.extend(smaller.map(|smaller| format!("{before}{smaller}")));
        all.push(format!("{text}0"));
    }
    all
}

/// The days before and after a date.
fn days_beside(text: &str) -> Option<Vec<String>> {
    let date: ArrayRef = Arc::new(StringArray::from(vec![text]));
    let day = cast(&date, &DataType::Date32).ok()?.as_primitive::<Date32Type>().iter().next()??;
    let beside: ArrayRef = Arc::new(Date32Array::from(vec![day.checked_sub(1)?, day.checked_add(1)?]));
    let texts = cast(&beside, &DataType::Utf8).ok()?;
    Some(texts.as_string::<i32>().iter().flatten().map(str::to_owned).collect())
}

/// The texts that are values of a type, as the type writes them. Blank text is missing.
pub(crate) fn of_type(texts: BTreeSet<String>, data_type: &DataType) -> Result<BTreeSet<String>> {
    let all: ArrayRef = Arc::new(StringArray::from_iter_values(texts));
    let Ok(typed) = cast(&all, data_type) else { return Ok(BTreeSet::new()) };
    let texts = cast(&typed, &DataType::Utf8).map_err(Error::bug)?;
    let texts = texts.as_string::<i32>().iter().flatten();
    Ok(texts.filter(|text| !text.trim().is_empty()).map(str::to_owned).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beside_a_literal_are_the_values_just_below_and_just_above() {
        assert_eq!(near("11"), ["11", "10", "12"]);
        assert_eq!(near("2020-03-01"), ["2020-03-01", "2020-02-29", "2020-03-02"]);
        assert_eq!(near("M"), ["M", "L", "M0"]);
        let texts = ["11", "12.5", "another value"].map(str::to_owned);
        assert_eq!(of_type(texts.into(), &DataType::Int64).ok(), Some(BTreeSet::from(["11".to_owned()])));
    }
}
