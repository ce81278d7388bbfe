//! What conditions say of values alone: a reader of tables knows their words, and no record (K3).

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, BooleanArray, RecordBatch, StringArray, new_null_array};
use arrow_cast::{CastOptions, cast_with_options};
use arrow_schema::{Field, Schema};
use datafusion::common::tree_node::TreeNode;
use datafusion::dataframe::DataFrame;
use datafusion::logical_expr::{Expr, Operator};
use outward_cells::{Columns, Holds, Truth};
use outward_spec::Result;

use crate::condition::parse_condition;
use crate::embedded::session_as_written;
use crate::failure::while_reading;

/// More combinations of values than this are not tried.
const MOST: usize = 100_000;

/// Functions that give an answer where they are given nothing. A condition that calls one cannot be left open for columns that are not known.
const ANSWER_NULL: [&str; 9] =
    ["coalesce", "concat", "concat_ws", "greatest", "least", "nanvl", "nullif", "nvl", "nvl2"];

/// What a condition says of the values of the coded columns it reads. Where it reads other columns too, these are taken as unknown, and the
/// three-valued logic of SQL says what is then still open. Nothing is said where there are too many combinations, or that logic does not apply.
pub(crate) async fn truth(records: &DataFrame, condition: &str, coded: &[String], columns: &Columns) -> Result<Truth> {
    let parsed = parse_condition(records, condition)?;
    let names: Vec<String> = parsed.column_refs().iter().map(|column| column.name.clone()).collect();
    let shown: Vec<usize> = (0..coded.len()).filter(|at| names.contains(&coded[*at])).collect();
    let other = names.iter().any(|name| !coded.contains(name));
    let sizes: Vec<usize> = shown.iter().map(|at| columns.coded[*at].dictionary.len() + 1).collect();
    let count = sizes.iter().try_fold(1usize, |count, size| count.checked_mul(*size)).filter(|count| *count <= MOST);
    let unsaid = Truth { columns: shown.clone(), holds: None };
    let Some(count) = count.filter(|_| !shown.is_empty() && (!other || passes_unknown_on(&parsed))) else {
        return Ok(unsaid);
    };
    let (mut fields, mut arrays): (Vec<Field>, Vec<ArrayRef>) = (Vec::new(), Vec::new());
    for name in &names {
        let Ok(field) = records.schema().as_arrow().field_with_name(name) else { return Ok(unsaid) };
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
    let tried = session_as_written().read_batch(batch).map_err(while_reading)?;
    let again = parse_condition(&tried, condition)?;
    let answers = tried.select(vec![again]).map_err(while_reading)?.collect().await.map_err(while_reading)?;
    let (mut holds, mut first) = (Holds::new(), 0);
    for batch in &answers {
        let Some(answer) = batch.column(0).as_boolean_opt() else { return Ok(unsaid) };
        for (at, said) in (0..answer.len()).filter_map(|at| Some((first + at, said(answer, at, other)?))) {
            let code = |place: usize| (at / sizes[place + 1..].iter().product::<usize>() % sizes[place]) as u32;
            holds.insert((0..sizes.len()).map(code).collect(), said);
        }
        first += answer.len();
    }
    Ok(Truth { columns: shown, holds: Some(holds) })
}

/// A condition that is unknown of a record does not keep it; where something is not known of the record, it may.
fn said(answer: &BooleanArray, at: usize, other: bool) -> Option<bool> {
    match answer.is_null(at) {
        true => (!other).then_some(false),
        false => Some(answer.value(at)),
    }
}

/// Whether an expression is unknown wherever that depends on what is unknown.
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
