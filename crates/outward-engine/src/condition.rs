//! SQL conditions on one record: parsed by DataFusion, refused where they look beyond the record or could take any amount of memory.

use datafusion::common::tree_node::TreeNode;
use datafusion::dataframe::DataFrame;
use datafusion::logical_expr::expr::ScalarFunction;
use datafusion::logical_expr::{Expr, Volatility};
use outward_spec::{Error, Result};

use crate::failure::in_condition;
use crate::table::ROW;

/// Conditions beyond this nest too deeply to be parsed on an ordinary stack.
const LONGEST_CONDITION: usize = 10_000;

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

/// An SQL condition on one record: deterministic, and about nothing but the record.
pub(crate) fn parse_condition(records: &DataFrame, condition: &str) -> Result<Expr> {
    let refuse = |why: &str| -> Error {
        let start: String = condition.chars().take(60).collect();
        let help = "a condition compares the variables of one record, such as region = 'Wales' AND age >= 16; docs/spec.md lists the functions";
        Error::input(format!("the condition `{start}` {why}")).help(help).into()
    };
    if condition.len() > LONGEST_CONDITION {
        return Err(refuse(&format!("… is longer than {LONGEST_CONDITION} bytes")));
    }
    let parsed = records.parse_sql_expr(condition).map_err(|error| in_condition(condition, &error))?;
    if parsed.exists(|part| Ok(looks_elsewhere(part))).unwrap_or(true) {
        return Err(refuse("looks beyond the record, or gives another answer each time"));
    }
    let mut grows = None;
    let looked = parsed.exists(|part| {
        grows = could_grow(part);
        Ok(grows.is_some())
    });
    if looked.is_err() || grows.is_some() {
        return Err(refuse(&grows.unwrap_or_default()));
    }
    if parsed.column_refs().iter().any(|column| column.name == ROW) {
        return Err(refuse("names the number of the row"));
    }
    // Filtering says whether it is true or false of a record, which a projection would not.
    records.clone().filter(parsed.clone()).map_err(|error| in_condition(condition, &error))?;
    Ok(parsed)
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

/// Why a part may give far more than it is given; none where it does not.
fn could_grow(part: &Expr) -> Option<String> {
    let Expr::ScalarFunction(called) = part else { return None };
    match called.func.name() {
        "replace" if !replaces_by_no_more(called) => {
            Some("calls `replace` with a text that may be longer than the one it replaces".to_owned())
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
