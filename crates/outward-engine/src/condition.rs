//! SQL conditions on one record: parsed by DataFusion, refused where they look beyond the record or could take any amount of memory.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use arrow_schema::{DataType, Schema};
use datafusion_common::plan_datafusion_err;
use datafusion_common::tree_node::TreeNode;
use datafusion_expr::expr::ScalarFunction;
use datafusion_expr::{Expr, ExprSchemable, Volatility};
use datafusion_sql::sqlparser::ast::{
    Expr as Parsed, Function, Ident, ObjectNamePart, VisitMut, VisitorMut, visit_expressions,
};
use outward_cells::Condition;
use outward_spec::{Error, Result};

use crate::failure::{in_condition, on_these_columns};
use crate::nesting::nesting_depth;
use crate::records::ROW_NUMBER;
use crate::sql::{self, Predicate};

/// Bytes of a condition.
const MAX_CONDITION_BYTES: usize = 10_000;

/// Levels of a condition. Between 2,000 and 3,000 levels take more than the eight megabytes of stack that a command has.
const MAX_DEPTH: usize = 1_000;

/// The functions a condition may call. The result of each is about as long as what it is given, so that no condition takes much
/// more memory than the records. `lpad`, `rpad`, `repeat`, `overlay` and `regexp_replace` make texts of any length and are not among them.
const FUNCTIONS: [&str; 82] = [
    "abs",
    "acos",
    "ascii",
    "asin",
    "atan",
    "atan2",
    "bit_length",
    "btrim",
    "cbrt",
    "ceil",
    "character_length",
    "chr",
    "coalesce",
    "concat",
    "concat_ws",
    "contains",
    "cos",
    "date_bin",
    "date_part",
    "date_trunc",
    "degrees",
    "ends_with",
    "exp",
    "find_in_set",
    "floor",
    "from_unixtime",
    "gcd",
    "greatest",
    "initcap",
    "isnan",
    "iszero",
    "lcm",
    "least",
    "left",
    "levenshtein",
    "ln",
    "log",
    "log10",
    "log2",
    "lower",
    "ltrim",
    "make_date",
    "make_time",
    "nanvl",
    "nullif",
    "nvl",
    "nvl2",
    "octet_length",
    "pi",
    "power",
    "radians",
    "regexp_count",
    "regexp_instr",
    "regexp_like",
    "replace",
    "reverse",
    "right",
    "round",
    "rtrim",
    "signum",
    "sin",
    "split_part",
    "sqrt",
    "starts_with",
    "strpos",
    "substr",
    "substr_index",
    "tan",
    "to_char",
    "to_date",
    "to_hex",
    "to_local_time",
    "to_time",
    "to_timestamp",
    "to_timestamp_micros",
    "to_timestamp_millis",
    "to_timestamp_nanos",
    "to_timestamp_seconds",
    "to_unixtime",
    "translate",
    "trunc",
    "upper",
];

const NOT_OF_ONE_RECORD: &str = "looks beyond the record, or gives another answer each time";

/// Functions of many records in DataFusion's SQL, which the planner here does not know.
const AGGREGATE_FUNCTIONS: [&str; 46] = [
    "any_value",
    "approx_distinct",
    "approx_median",
    "approx_percentile_cont",
    "approx_percentile_cont_with_weight",
    "array_agg",
    "avg",
    "bit_and",
    "bit_or",
    "bit_xor",
    "bool_and",
    "bool_or",
    "corr",
    "count",
    "covar",
    "covar_pop",
    "covar_samp",
    "first_value",
    "grouping",
    "last_value",
    "max",
    "mean",
    "median",
    "min",
    "nth_value",
    "percentile_cont",
    "quantile_cont",
    "regr_avgx",
    "regr_avgy",
    "regr_count",
    "regr_intercept",
    "regr_r2",
    "regr_slope",
    "regr_sxx",
    "regr_sxy",
    "regr_syy",
    "stddev",
    "stddev_pop",
    "stddev_samp",
    "string_agg",
    "sum",
    "var",
    "var_pop",
    "var_population",
    "var_samp",
    "var_sample",
];

/// What is known of a condition without its records: the columns it reads, and its form.
///
/// # Errors
/// If it is too long, or is not SQL.
pub fn parse_condition_text(text: &str) -> Result<Condition> {
    refuse_large(text)?;
    let mut parsed = sql::parse(text).map_err(|error| in_condition(text, &error))?.expr;
    let mut form = Form::default();
    // The visitor never breaks off.
    let _ = parsed.visit(&mut form);
    Ok(Condition { text: text.to_owned(), parsed: parsed.to_string(), columns: form.columns.into_iter().collect() })
}

/// Brings a parsed condition into one form: names in quotes, each part in brackets of its own, functions in small letters.
#[derive(Default)]
struct Form {
    columns: BTreeSet<String>,
}

impl VisitorMut for Form {
    type Break = ();

    fn post_visit_expr(&mut self, part: &mut Parsed) -> ControlFlow<()> {
        match part {
            Parsed::Identifier(name) => {
                self.columns.insert(name.value.clone());
                name.quote_style = Some('"');
                return ControlFlow::Continue(());
            }
            Parsed::CompoundIdentifier(names) => {
                self.columns.extend(names.last().map(|name| name.value.clone()));
                names.iter_mut().for_each(|name| name.quote_style = Some('"'));
                return ControlFlow::Continue(());
            }
            Parsed::Value(_) => return ControlFlow::Continue(()),
            Parsed::Function(called) => {
                let names = called.name.0.iter_mut().filter_map(|part| match part {
                    ObjectNamePart::Identifier(name) => Some(name),
                    ObjectNamePart::Function(_) => None,
                });
                names.for_each(|name| *name = Ident::new(name.value.to_lowercase()));
            }
            _ => {}
        }
        let whole = std::mem::replace(part, Parsed::Identifier(Ident::new("")));
        *part = match whole {
            // A part has brackets already, unless it is a name or a value.
            Parsed::Nested(inside) => *inside,
            whole => Parsed::Nested(Box::new(whole)),
        };
        ControlFlow::Continue(())
    }
}

fn refuse(condition: &str, why: &str) -> Error {
    let start: String = condition.chars().take(60).collect();
    let help = "a condition compares the variables of one record, such as region = 'Wales' AND age >= 16; docs/spec.md lists the functions";
    Error::input(format!("the condition `{start}` {why}")).help(help).condition(condition).into()
}

/// Refuses what would take more stack or memory than there is, before it is parsed.
fn refuse_large(condition: &str) -> Result<()> {
    if condition.len() > MAX_CONDITION_BYTES {
        return Err(refuse(condition, &format!("… is longer than {MAX_CONDITION_BYTES} bytes")));
    }
    if nesting_depth(condition) > MAX_DEPTH {
        let why = format!(
            "… nests more than {MAX_DEPTH} operators in each other; write a list of values as `variable IN (1, 2, 3)`"
        );
        return Err(refuse(condition, &why));
    }
    Ok(())
}

/// An SQL condition on one record. It is deterministic and reads that record only.
pub(crate) fn parse_condition(schema: &Schema, condition: &str) -> Result<Expr> {
    let refuse = |why: &str| refuse(condition, why);
    refuse_large(condition)?;
    let unusable = |error| in_condition(condition, &error);
    let columns = sql::columns_of(schema).map_err(unusable)?;
    let written = sql::parse(condition).map_err(unusable)?;
    let is_aggregate = |part: &Parsed| match part {
        Parsed::Function(called) if is_aggregate(called) => ControlFlow::Break(()),
        _ => ControlFlow::Continue(()),
    };
    if visit_expressions(&written.expr, is_aggregate).is_break() {
        return Err(refuse(NOT_OF_ONE_RECORD));
    }
    let parsed = sql::plan(written, &columns).map_err(unusable)?;
    if parsed.exists(|part| Ok(looks_elsewhere(part))).unwrap_or(true) {
        return Err(refuse(NOT_OF_ONE_RECORD));
    }
    let mut grows = None;
    let looked = parsed.exists(|part| {
        grows = could_grow(part);
        Ok(grows.is_some())
    });
    if looked.is_err() || grows.is_some() {
        return Err(refuse(&grows.unwrap_or_default()));
    }
    if parsed.column_refs().iter().any(|column| column.name == ROW_NUMBER) {
        return Err(refuse("names the number of the row"));
    }
    match parsed.get_type(&columns) {
        Ok(DataType::Boolean | DataType::Null) | Err(_) => Ok(parsed),
        Ok(other) => Err(unusable(plan_datafusion_err!(
            "Cannot create filter with non-boolean predicate '{parsed}' returning {other}"
        ))),
    }
}

/// A condition that can be asked of records with these columns, evaluated as it is written.
pub(crate) fn predicate(schema: &Schema, condition: &str) -> Result<Predicate> {
    let parsed = parse_condition(schema, condition)?;
    let made = sql::columns_of(schema).and_then(|columns| Predicate::new(parsed, &columns));
    made.map_err(|_| on_these_columns(condition))
}

/// The same, simplified: for counting, where every record of a large file is asked.
pub(crate) fn simplified_predicate(schema: &Schema, condition: &str) -> Result<Predicate> {
    let parsed = parse_condition(schema, condition)?;
    let made = sql::columns_of(schema).and_then(|columns| Predicate::simplified(parsed, &columns));
    made.map_err(|_| on_these_columns(condition))
}

/// Whether a call is about many records: a window, or one of the functions that sum them up.
fn is_aggregate(called: &Function) -> bool {
    let name = match called.name.0.last() {
        Some(ObjectNamePart::Identifier(name)) => name.value.to_lowercase(),
        _ => return false,
    };
    called.over.is_some() || AGGREGATE_FUNCTIONS.contains(&name.as_str())
}

/// Whether a part is about more than one record. A function that only stays the same within one run, such as now(), is as bad as
/// one that never does.
fn looks_elsewhere(part: &Expr) -> bool {
    match part {
        Expr::WindowFunction(_) | Expr::AggregateFunction(_) => true,
        Expr::ScalarSubquery(_) | Expr::Exists(_) | Expr::InSubquery(_) => true,
        Expr::ScalarVariable(..) | Expr::Placeholder(_) => true,
        Expr::ScalarFunction(called) => called.func.signature().volatility != Volatility::Immutable,
        _ => false,
    }
}

/// Why the result of a part may be much longer than its arguments; none if it is not.
fn could_grow(part: &Expr) -> Option<String> {
    let Expr::ScalarFunction(called) = part else { return None };
    match called.func.name() {
        "replace" if !replaces_by_no_more(called) => {
            Some("calls `replace` with a text that may be longer than the one it replaces".to_owned())
        }
        // The separator is put between all other arguments. If it is the result of another call, lengths multiply.
        "concat_ws" if called.args.first().is_none_or(|separator| separator.as_literal().is_none()) => {
            Some("calls `concat_ws` with a separator that is not a text of its own".to_owned())
        }
        name if FUNCTIONS.contains(&name) => None,
        name => Some(format!("calls `{name}`, which is not one of the functions that conditions may call")),
    }
}

/// Whether a call of `replace` names two texts, the second no longer than the first.
fn replaces_by_no_more(called: &ScalarFunction) -> bool {
    let text = |at: usize| called.args.get(at)?.as_literal()?.try_as_str()?.map(str::len);
    matches!((text(1), text(2)), (Some(from), Some(to)) if from > 0 && to <= from)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use arrow_schema::Field;

    use super::*;

    fn parsed(text: &str) -> Condition {
        parse_condition_text(text).unwrap()
    }

    #[test]
    fn two_ways_to_write_a_condition_are_one() {
        let plain = parsed("age >= 16 AND sex <> 'F'");
        for other in ["age>=16 and sex!='F'", "(\"age\" >= 16) AND (sex <> 'F')", "((age >= 16 AND (\"sex\" <> 'F')))"]
        {
            assert_eq!(parsed(other), plain, "{other}");
        }
        assert_eq!(parsed("UPPER(sex) = 'F'"), parsed("upper(\"sex\")='F'"));
    }

    #[test]
    fn what_is_not_the_same_is_another_condition() {
        let different = [
            ("a = 'x y'", "a = 'xy'"),
            ("(a = 1 OR b = 1) AND c = 1", "a = 1 OR b = 1 AND c = 1"),
            ("a = '1'", "a = 1"),
            ("\"A\" = 1", "a = 1"),
            ("NOT (a = 1 AND b = 1)", "NOT a = 1 AND b = 1"),
        ];
        for (one, other) in different {
            assert_ne!(parsed(one), parsed(other), "{one}, {other}");
        }
    }

    #[test]
    fn a_condition_reads_columns_and_neither_functions_nor_values() {
        let columns = |text: &str| parsed(text).columns;
        assert_eq!(columns("left(name, 1) = 'age' AND \"Age, years\" IN (1, 2)"), ["Age, years", "name"]);
        assert_eq!(columns("\"a/b\" IS NOT NULL AND date_part('year', born) > 1990"), ["a/b", "born"]);
        assert_eq!(columns("CASE WHEN a = 1 THEN b ELSE c END = 'x' OR a BETWEEN d AND 3"), ["a", "b", "c", "d"]);
    }

    #[test]
    fn a_condition_that_is_no_sql_is_refused_with_its_words() {
        let error = parse_condition_text("age >=").unwrap_err();
        assert!(error.to_string().contains("the condition `age >=` cannot be used"), "{error}");
        assert_eq!(error.fault().and_then(|fault| fault.place.condition.as_deref()), Some("age >="));
        let long = (0..3000).map(|at| format!("a = {at}")).collect::<Vec<_>>().join(" OR ");
        assert!(parse_condition_text(&long).unwrap_err().to_string().contains("is longer than"));
        let longest = (0..900).map(|at| format!("a = {at}")).collect::<Vec<_>>().join(" OR ");
        assert_eq!(parsed(&longest).columns, ["a"]);
    }

    #[test]
    fn a_condition_that_nests_thousands_deep_is_refused_before_it_is_parsed() {
        for deep in
            [format!("1{} > age", "+1".repeat(4900)), format!("{}age > 1{}", "(".repeat(4900), ")".repeat(4900))]
        {
            assert!(refused(&deep).contains("nests more than 1000 operators"));
            assert!(parse_condition_text(&deep).is_err());
        }
        // With the stack that commands have.
        let deepest = std::thread::Builder::new().stack_size(8 << 20).spawn(|| {
            let schema = Schema::new(vec![Field::new("age", DataType::Int64, true)]);
            simplified_predicate(&schema, &format!("age{} > 1", "+1".repeat(990))).err().map(|error| error.to_string())
        });
        assert_eq!(deepest.unwrap().join().unwrap(), None);
        assert!(
            refused(&format!("{}age > 1{}", "(".repeat(100), ")".repeat(100)))
                .contains("brackets and calls nest too deeply")
        );
    }

    fn refused(condition: &str) -> String {
        let fields = vec![Field::new("sex", DataType::Utf8, true), Field::new("age", DataType::Int64, true)];
        parse_condition(&Schema::new(fields), condition).unwrap_err().to_string()
    }

    #[test]
    fn functions_of_many_records_are_refused() {
        for condition in ["sum(age) > 3", "COUNT(*) > 1", "max(age) = age", "row_number() OVER () < 3"] {
            assert!(refused(condition).contains("looks beyond the record"), "{condition}");
        }
        for condition in ["random() < 0.5", "now() > '2020-01-01'", "sex = (select 'F')", "age > $1"] {
            assert!(refused(condition).contains("looks beyond the record"), "{condition}");
        }
        assert!(refused("age > (select agee from people)").contains("table 'people' not found"));
    }

    #[test]
    fn every_function_of_the_list_is_there_and_no_other_may_be_called() {
        for name in FUNCTIONS {
            assert!(!refused(&format!("{name}(nobody)")).contains("Invalid function"), "{name}");
        }
        assert!(refused("lpad(sex, 9) = 'F'").contains("calls `lpad`"));
        assert!(refused("nothing(sex) = 'F'").contains("Invalid function 'nothing'"));
        assert!(refused("lower(sex)").contains("non-boolean"));
        assert!(refused("agee = 3").contains("there is no column `agee`"));
    }
}
