//! What a condition says of values alone. A reader of tables knows the text of the condition and no record (K3).

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, BooleanArray, RecordBatch, StringArray, new_null_array};
use arrow_cast::{CastOptions, cast_with_options};
use arrow_schema::{DataType, Field, Schema};
use datafusion_common::tree_node::TreeNode;
use datafusion_expr::{Expr, Operator};
use datafusion_sql::sqlparser::dialect::GenericDialect;
use datafusion_sql::sqlparser::tokenizer::{Token, Tokenizer};
use outward_cells::{Columns, Holds, Truth};
use outward_spec::{Result, Type};

use crate::condition::{parse_condition, predicate};
use crate::failure::while_reading;

/// The most combinations of values that are tried.
const MAX_COMBINATIONS: usize = 100_000;

/// Functions that give an answer for a missing argument. A condition that calls one cannot be left open for columns
/// that are not known.
const ANSWER_NULL: [&str; 9] =
    ["coalesce", "concat", "concat_ws", "greatest", "least", "nanvl", "nullif", "nvl", "nvl2"];

/// What a condition says of the values of the coded columns it reads. Where it reads other columns too, these are taken as unknown, and the
/// three-valued logic of SQL says what is then still open. Nothing is said where there are too many combinations, or that logic does not apply.
pub(crate) fn truth(schema: &Schema, condition: &str, coded: &[String], columns: &Columns) -> Result<Truth> {
    let parsed = parse_condition(schema, condition)?;
    let names: Vec<String> = parsed.column_refs().iter().map(|column| column.name.clone()).collect();
    let shown: Vec<usize> = (0..coded.len()).filter(|at| names.contains(&coded[*at])).collect();
    let other = names.iter().any(|name| !coded.contains(name));
    let sizes: Vec<usize> = shown.iter().map(|at| columns.coded[*at].dictionary.len() + 1).collect();
    let count = sizes
        .iter()
        .try_fold(1usize, |count, size| count.checked_mul(*size))
        .filter(|count| *count <= MAX_COMBINATIONS);
    let unsaid = Truth { columns: shown.clone(), holds: None };
    let Some(count) = count.filter(|_| !shown.is_empty() && (!other || passes_unknown_on(&parsed))) else {
        return Ok(unsaid);
    };
    let (mut fields, mut arrays): (Vec<Field>, Vec<ArrayRef>) = (Vec::new(), Vec::new());
    for name in &names {
        let Ok(field) = schema.field_with_name(name) else { return Ok(unsaid) };
        let array = match shown.iter().position(|at| coded[*at] == *name) {
            None => new_null_array(field.data_type(), count),
            Some(place) => {
                let dictionary = &columns.coded[shown[place]].dictionary;
                let values: Vec<Option<&str>> = std::iter::once(None).chain(dictionary.values().map(Some)).collect();
                let after: usize = sizes[place + 1..].iter().product();
                let text = StringArray::from_iter((0..count).map(|at| values[at / after % sizes[place]]));
                let options = CastOptions { safe: false, ..CastOptions::default() };
                let Ok(typed) = cast_with_options(&text, field.data_type(), &options) else { return Ok(unsaid) };
                typed
            }
        };
        fields.push(Field::new(name, field.data_type().clone(), true));
        arrays.push(array);
    }
    let Ok(batch) = RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays) else { return Ok(unsaid) };
    let answers = predicate(batch.schema_ref(), condition)?.evaluate(&batch).map_err(while_reading)?;
    let mut holds = Holds::new();
    for (at, said) in (0..count).filter_map(|at| Some((at, said(&answers, at, other)?))) {
        let code = |place: usize| (at / sizes[place + 1..].iter().product::<usize>() % sizes[place]) as u32;
        holds.insert((0..sizes.len()).map(code).collect(), said);
    }
    Ok(Truth { columns: shown, holds: Some(holds) })
}

/// A column of which some values are known, as text; none for a missing one.
#[derive(Debug, Clone)]
pub struct KnownColumn {
    /// What it is called.
    pub name: String,
    /// What a condition takes its values for.
    pub data_type: Type,
    /// The values.
    pub values: Vec<Option<String>>,
}

/// What a condition says of values alone, for readers without records. It has the columns that the condition reads, by
/// their place among those that are known. For each combination of their values, those of the last column fastest, it
/// says whether the condition holds. This is open if it also depends on a column that is not known. None if nothing can
/// be told.
pub fn condition_on_values(condition: &str, known: &[KnownColumn]) -> Option<(Vec<usize>, Vec<Option<bool>>)> {
    let tokens = Tokenizer::new(&GenericDialect {}, condition).tokenize().ok()?;
    let mut fields: Vec<Field> =
        known.iter().map(|column| Field::new(&column.name, data_type(column.data_type), true)).collect();
    for token in tokens {
        // A word may name a column. Its type does not matter, as nothing about it is known.
        if let Token::Word(word) = token
            && !fields.iter().any(|field| *field.name() == word.value)
        {
            fields.push(Field::new(word.value, DataType::Utf8, true));
        }
    }
    let schema = Arc::new(Schema::new(fields));
    let parsed = parse_condition(&schema, condition).ok()?;
    let names: Vec<String> = parsed.column_refs().iter().map(|column| column.name.clone()).collect();
    let reads: Vec<usize> = (0..known.len()).filter(|at| names.contains(&known[*at].name)).collect();
    let other = names.len() > reads.len();
    let sizes: Vec<usize> = reads.iter().map(|at| known[*at].values.len()).collect();
    let count = sizes
        .iter()
        .try_fold(1usize, |count, size| count.checked_mul(*size))
        .filter(|count| *count <= MAX_COMBINATIONS)?;
    if reads.is_empty() || other && !passes_unknown_on(&parsed) {
        return None;
    }
    let mut arrays: Vec<ArrayRef> = Vec::new();
    for (at, field) in schema.fields().iter().enumerate() {
        arrays.push(match reads.iter().position(|read| *read == at) {
            None => new_null_array(field.data_type(), count),
            Some(place) => {
                let after: usize = sizes[place + 1..].iter().product();
                let values = &known[at].values;
                let text = StringArray::from_iter((0..count).map(|at| values[at / after % sizes[place]].as_deref()));
                let options = CastOptions { safe: false, ..CastOptions::default() };
                cast_with_options(&text, field.data_type(), &options).ok()?
            }
        });
    }
    let batch = RecordBatch::try_new(schema, arrays).ok()?;
    let answers = predicate(batch.schema_ref(), condition).ok()?.evaluate(&batch).ok()?;
    Some((reads, (0..count).map(|at| said(&answers, at, other)).collect()))
}

fn data_type(of: Type) -> DataType {
    match of {
        Type::Text => DataType::Utf8,
        Type::Integer => DataType::Int64,
        Type::Number => DataType::Float64,
        Type::Date => DataType::Date32,
    }
}

/// A condition that is unknown for a record does not keep it. If something about the record is not known, it may.
fn said(answer: &BooleanArray, at: usize, other: bool) -> Option<bool> {
    match answer.is_null(at) {
        true => (!other).then_some(false),
        false => Some(answer.value(at)),
    }
}

/// Whether an expression is always unknown if its value depends on something unknown.
fn passes_unknown_on(expression: &Expr) -> bool {
    let answers_null = |part: &Expr| match part {
        Expr::IsNull(_) | Expr::IsNotNull(_) | Expr::IsTrue(_) | Expr::IsNotTrue(_) => true,
        Expr::IsFalse(_) | Expr::IsNotFalse(_) | Expr::IsUnknown(_) | Expr::IsNotUnknown(_) | Expr::Case(_) => true,
        Expr::BinaryExpr(binary) => matches!(binary.op, Operator::IsDistinctFrom | Operator::IsNotDistinctFrom),
        Expr::ScalarFunction(called) => ANSWER_NULL.contains(&called.func.name()),
        _ => false,
    };
    !expression.exists(|part| Ok(answers_null(part))).unwrap_or(true)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn column(name: &str, data_type: Type, values: &[&str]) -> KnownColumn {
        let values = values.iter().map(|value| Some((*value).to_owned()).filter(|value| !value.is_empty())).collect();
        KnownColumn { name: name.to_owned(), data_type, values }
    }

    #[test]
    fn a_condition_on_known_columns_is_decided_for_every_combination() {
        let columns = [
            column("region", Type::Text, &["Wales", "England", ""]),
            column("sex", Type::Text, &["F"]),
            column("age", Type::Integer, &["9", "20"]),
        ];
        let (reads, holds) = condition_on_values("region = 'Wales' AND age < 10", &columns).unwrap();
        assert_eq!(reads, [0, 2]);
        assert_eq!(holds, [Some(true), Some(false), Some(false), Some(false), Some(false), Some(false)]);
    }

    #[test]
    fn what_depends_on_a_column_that_is_not_known_is_open() {
        let columns = [column("Age, years", Type::Integer, &["9", "20"])];
        let (_, holds) = condition_on_values("\"Age, years\" > 10 AND trade = 'iron'", &columns).unwrap();
        assert_eq!(holds, [Some(false), None]);
        let (_, holds) = condition_on_values("\"Age, years\" > 10 OR trade = 'iron'", &columns).unwrap();
        assert_eq!(holds, [None, Some(true)]);
        assert_eq!(condition_on_values("\"Age, years\" > 10 AND trade IS NULL", &columns), None);
        assert_eq!(condition_on_values("trade = 'iron'", &columns), None);
        assert_eq!(condition_on_values("\"Age, years\" >", &columns), None);
    }
}
