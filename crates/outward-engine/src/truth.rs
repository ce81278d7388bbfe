//! What a condition says of values alone. A reader of tables knows the text of the condition and no record (K3).

use std::collections::BTreeSet;
use std::sync::Arc;

use arrow_array::{Array, ArrayRef, BooleanArray, RecordBatch, StringArray, new_null_array};
use arrow_cast::{CastOptions, cast_with_options};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use datafusion_common::tree_node::TreeNode;
use datafusion_expr::{Expr, Operator};
use datafusion_sql::sqlparser::dialect::GenericDialect;
use datafusion_sql::sqlparser::tokenizer::{Token, Tokenizer};
use outward_cells::{Columns, Holds, Truth};
use outward_spec::{Result, Type};

use crate::condition::{parse_condition, predicate};
use crate::unseen::{near_literals, of_type};

/// The most combinations of values that are tried.
pub(crate) const MAX_COMBINATIONS: usize = 100_000;

/// Functions that give an answer for a missing argument. A condition that calls one cannot be left open for columns
/// that are not known.
const ANSWER_NULL: [&str; 9] =
    ["coalesce", "concat", "concat_ws", "greatest", "least", "nanvl", "nullif", "nvl", "nvl2"];

/// What a condition says of the values of the coded columns it reads, also of those that no record has. Where it reads other columns too, these are taken as unknown, and the
/// three-valued logic of SQL says what is then still open. Nothing is said where there are too many combinations, or that logic does not apply.
pub(crate) fn truth(schema: &Schema, condition: &str, coded: &[String], columns: &Columns) -> Result<Truth> {
    let parsed = parse_condition(schema, condition)?;
    let names: Vec<String> = parsed.column_refs().iter().map(|column| column.name.clone()).collect();
    let shown: Vec<usize> = (0..coded.len()).filter(|at| names.contains(&coded[*at])).collect();
    let other = names.iter().any(|name| !coded.contains(name));
    let values = |at: &usize| -> Vec<Option<&str>> {
        let unseen = columns.unseen.get(*at).into_iter().flatten().map(String::as_str);
        std::iter::once(None).chain(columns.coded[*at].dictionary.values().chain(unseen).map(Some)).collect()
    };
    let values: Vec<Vec<Option<&str>>> = shown.iter().map(values).collect();
    let sizes: Vec<usize> = values.iter().map(Vec::len).collect();
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
                let after: usize = sizes[place + 1..].iter().product();
                let text = StringArray::from_iter((0..count).map(|at| values[place][at / after % sizes[place]]));
                let options = CastOptions { safe: false, ..CastOptions::default() };
                let Ok(typed) = cast_with_options(&text, field.data_type(), &options) else { return Ok(unsaid) };
                typed
            }
        };
        fields.push(Field::new(name, field.data_type().clone(), true));
        arrays.push(array);
    }
    let Ok(batch) = RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays) else { return Ok(unsaid) };
    // Values that no record has may not go together with the types that a condition compares.
    let Ok(answers) = predicate(batch.schema_ref(), condition)?.evaluate(&batch) else { return Ok(unsaid) };
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
    let (schema, parsed) = parsed_with(condition, known)?;
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

/// A condition with a schema that has the columns which are known, and others by the words of the condition.
fn parsed_with(condition: &str, known: &[KnownColumn]) -> Option<(SchemaRef, Expr)> {
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
    Some((schema, parsed))
}

/// Which of some conditions a record can meet together, by their words alone, if their columns have these types. There
/// are none if the conditions do not go with the types. `None` if that cannot be told: they do more than compare columns
/// with values, or have too many combinations of values.
pub fn conditions_met_together(conditions: &[&str], columns: &[(String, Type)]) -> Option<BTreeSet<Vec<bool>>> {
    let named = |(name, data_type): &(String, Type)| KnownColumn {
        name: name.clone(),
        data_type: *data_type,
        values: Vec::new(),
    };
    let mut known: Vec<KnownColumn> = columns.iter().map(named).collect();
    let mut texts: Vec<BTreeSet<String>> = vec![BTreeSet::new(); known.len()];
    for condition in conditions {
        let (_, parsed) = parsed_with(condition, &known)?;
        let near = near_literals(&parsed).ok().filter(|_| only_compares(&parsed))?;
        for name in parsed.column_refs() {
            texts[columns.iter().position(|(known, _)| *known == name.name)?].extend(near.iter().cloned());
        }
    }
    for (column, texts) in known.iter_mut().zip(texts) {
        let texts = of_type(texts, &data_type(column.data_type)).ok()?;
        column.values = texts.into_iter().map(Some).chain([None]).collect();
    }
    let sizes: Vec<usize> = known.iter().map(|column| column.values.len()).collect();
    let count = sizes.iter().try_fold(1usize, |count, size| count.checked_mul(*size));
    let count = count.filter(|count| *count <= MAX_COMBINATIONS)?;
    let said = conditions.iter().map(|text| condition_on_values(text, &known));
    let Some(said) = said.collect::<Option<Vec<_>>>() else { return Some(BTreeSet::new()) };
    let met = |at: usize| -> Option<Vec<bool>> {
        let of = |(reads, said): &(Vec<usize>, Vec<Option<bool>>)| {
            let place = |read: &usize| at / sizes[read + 1..].iter().product::<usize>() % sizes[*read];
            said[reads.iter().fold(0, |at, read| at * sizes[*read] + place(read))]
        };
        said.iter().map(of).collect()
    };
    (0..count).map(met).collect()
}

/// Whether a condition only compares columns with values, so that what is beside its literals decides it.
fn only_compares(condition: &Expr) -> bool {
    let compares = |one: &Expr, other: &Expr| {
        matches!((one, other), (Expr::Column(_), Expr::Literal(..)) | (Expr::Literal(..), Expr::Column(_)))
    };
    let is_literal = |part: &Expr| matches!(part, Expr::Literal(..));
    let is_column = |part: &Expr| matches!(part, Expr::Column(_));
    match condition {
        Expr::BinaryExpr(of) if matches!(of.op, Operator::And | Operator::Or) => {
            only_compares(&of.left) && only_compares(&of.right)
        }
        Expr::BinaryExpr(of) => {
            use Operator::{Eq, Gt, GtEq, Lt, LtEq, NotEq};
            matches!(of.op, Eq | NotEq | Lt | LtEq | Gt | GtEq) && compares(&of.left, &of.right)
        }
        Expr::Not(inner) => only_compares(inner),
        Expr::InList(of) => is_column(&of.expr) && of.list.iter().all(is_literal),
        Expr::Between(of) => is_column(&of.expr) && is_literal(&of.low) && is_literal(&of.high),
        Expr::IsNull(inner) | Expr::IsNotNull(inner) => is_column(inner),
        _ => false,
    }
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

    #[test]
    fn two_conditions_are_met_together_if_some_values_meet_both() {
        let sex = [("sex".to_owned(), Type::Text)];
        let met = conditions_met_together(&["sex = 'F'", "sex = 'M'"], &sex).unwrap();
        assert_eq!(met, BTreeSet::from([vec![false, false], vec![false, true], vec![true, false]]));
        let age = [("age".to_owned(), Type::Integer)];
        let met = conditions_met_together(&["age < 30", "age BETWEEN 20 AND 40"], &age).unwrap();
        assert_eq!(met.len(), 4);
        let met = conditions_met_together(&["age < 30", "NOT age < 30", "age IS NULL"], &age).unwrap();
        let [t, f] = [true, false];
        assert_eq!(met, BTreeSet::from([vec![t, f, f], vec![f, t, f], vec![f, f, t]]));
        assert_eq!(conditions_met_together(&["age IS NOT NULL"], &age).map(|met| met.len()), Some(2));
        assert_eq!(conditions_met_together(&["age % 2 = 1"], &age), None);
    }
}
