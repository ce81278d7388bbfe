//! Values that expressions have, and the value of an expression that reads one column of one record.
//!
//! Nulls follow SQL: what is computed from a null is null, and a condition on one is neither true nor false.

use std::cmp::Ordering;

use regex::Regex;

use super::sql::{Expression, Operator, SqlFault};
use super::time;

/// A value.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Value {
    Null,
    Truth(bool),
    Number(f64),
    /// Seconds since 1970-01-01.
    Time(f64),
    Text(String),
}

impl Value {
    /// As a number; a time is its seconds. Text is a number where it reads as one.
    pub(crate) fn number(&self) -> Option<f64> {
        match self {
            Self::Number(number) | Self::Time(number) => Some(*number),
            Self::Text(text) => text.trim().parse().ok().filter(|number: &f64| number.is_finite()),
            Self::Truth(truth) => Some(f64::from(u8::from(*truth))),
            Self::Null => None,
        }
    }

    /// As a point in time; text is read as ISO 8601.
    pub(crate) fn time(&self) -> Option<f64> {
        match self {
            Self::Time(seconds) => Some(*seconds),
            Self::Text(text) => time::from_iso(text),
            _ => None,
        }
    }

    /// As text.
    pub(crate) fn text(&self) -> Option<String> {
        match self {
            Self::Text(text) => Some(text.clone()),
            Self::Number(number) => Some(number.to_string()),
            Self::Truth(truth) => Some(truth.to_string()),
            Self::Time(seconds) => Some(time::to_iso(*seconds)),
            Self::Null => None,
        }
    }

    fn truth(&self) -> Option<bool> {
        match self {
            Self::Truth(truth) => Some(*truth),
            _ => None,
        }
    }
}

/// How two values stand to each other: as numbers or times where one of them is one, as text otherwise.
pub(crate) fn compare(a: &Value, b: &Value) -> Option<Ordering> {
    match (a, b) {
        (Value::Null, _) | (_, Value::Null) => None,
        (Value::Time(_), _) | (_, Value::Time(_)) => a.time()?.partial_cmp(&b.time()?),
        (Value::Number(_), _) | (_, Value::Number(_)) => a.number()?.partial_cmp(&b.number()?),
        _ => Some(a.text()?.cmp(&b.text()?)),
    }
}

/// The functions of one value that [`evaluate`] knows, for messages.
pub(crate) const FUNCTIONS: &str = "lower, upper, trim, ltrim, rtrim, length, substr, left, right, replace, concat, reverse, nullif, \
     coalesce, regexp_extract, regexp_replace, regexp_matches, strptime, try_strptime, epoch, year, month, day, abs, round, floor, sqrt, sin, cos, acos, radians, \
     power, greatest, least";

/// A function of numbers.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Function {
    Abs,
    Sqrt,
    Sin,
    Cos,
    Acos,
    Radians,
    Power,
    Greatest,
    Least,
    Same,
}

impl Function {
    pub(crate) fn from_name(name: &str, arguments: usize) -> Option<Self> {
        let (function, expected) = match name {
            "abs" => (Self::Abs, 1..=1),
            "sqrt" => (Self::Sqrt, 1..=1),
            "sin" => (Self::Sin, 1..=1),
            "cos" => (Self::Cos, 1..=1),
            "acos" => (Self::Acos, 1..=1),
            "radians" => (Self::Radians, 1..=1),
            "epoch" => (Self::Same, 1..=1),
            "pow" | "power" => (Self::Power, 2..=2),
            "greatest" => (Self::Greatest, 1..=usize::MAX),
            "least" => (Self::Least, 1..=usize::MAX),
            _ => return None,
        };
        expected.contains(&arguments).then_some(function)
    }

    pub(crate) fn apply(self, values: &[f64]) -> f64 {
        match self {
            Self::Abs => values[0].abs(),
            Self::Sqrt => values[0].sqrt(),
            Self::Sin => values[0].sin(),
            Self::Cos => values[0].cos(),
            Self::Acos => values[0].acos(),
            Self::Radians => values[0].to_radians(),
            Self::Power => values[0].powf(values[1]),
            Self::Greatest => values.iter().copied().fold(f64::NEG_INFINITY, f64::max),
            Self::Least => values.iter().copied().fold(f64::INFINITY, f64::min),
            Self::Same => values[0],
        }
    }
}

/// An expression with its patterns compiled, ready for many values of its one column.
pub(crate) struct Prepared<'a> {
    expression: &'a Expression,
    patterns: Vec<(String, Regex)>,
}

impl<'a> Prepared<'a> {
    /// Compiles the patterns of an expression and refuses functions that are not known.
    pub(crate) fn new(expression: &'a Expression) -> Result<Self, SqlFault> {
        let mut prepared = Self { expression, patterns: Vec::new() };
        prepared.check(expression)?;
        Ok(prepared)
    }

    /// The value where the column has `value`.
    pub(crate) fn value(&self, value: &Value) -> Value {
        self.evaluate(self.expression, value)
    }

    fn check(&mut self, expression: &Expression) -> Result<(), SqlFault> {
        match expression {
            Expression::Call(name, arguments) => {
                self.check_call(name, arguments)?;
                arguments.iter().try_for_each(|argument| self.check(argument))
            }
            Expression::Cast { value, data_type, .. } => {
                if cast(&Value::Null, data_type).is_none() {
                    return Err(SqlFault(format!("the type `{data_type}` is not supported")));
                }
                self.check(value)
            }
            Expression::Not(a) | Expression::Negative(a) | Expression::IsNull(a) => self.check(a),
            Expression::Binary(_, a, b) => self.check(a).and_then(|()| self.check(b)),
            Expression::In(a, all) => {
                self.check(a)?;
                all.iter().try_for_each(|one| self.check(one))
            }
            Expression::Case(cases, otherwise) => {
                for (condition, value) in cases {
                    self.check(condition)?;
                    self.check(value)?;
                }
                otherwise.as_ref().map_or(Ok(()), |value| self.check(value))
            }
            _ => Ok(()),
        }
    }

    fn check_call(&mut self, name: &str, arguments: &[Expression]) -> Result<(), SqlFault> {
        let expected = match name {
            "lower" | "lcase" | "upper" | "ucase" | "trim" | "ltrim" | "rtrim" | "length" | "len" | "char_length"
            | "reverse" | "epoch" | "year" | "month" | "day" | "floor" => 1..=1,
            "left" | "right" | "nullif" | "strptime" | "try_strptime" | "regexp_matches" => 2..=2,
            "substr" | "substring" | "regexp_extract" => 2..=3,
            "replace" => 3..=3,
            "regexp_replace" => 3..=4,
            "round" => 1..=2,
            "concat" | "coalesce" => 1..=usize::MAX,
            _ if Function::from_name(name, arguments.len()).is_some() => return Ok(()),
            _ => {
                return Err(SqlFault(format!(
                    "the function `{name}` is not supported here; supported are {FUNCTIONS}"
                )));
            }
        };
        if !expected.contains(&arguments.len()) {
            return Err(SqlFault(format!("`{name}` is given {} arguments", arguments.len())));
        }
        if name.starts_with("regexp_") {
            let Expression::Text(pattern) = &arguments[1] else {
                return Err(SqlFault(format!("the pattern of `{name}` must be a text")));
            };
            let compiled = Regex::new(pattern);
            let compiled = compiled.map_err(|_| SqlFault(format!("'{pattern}' is not a regular expression")))?;
            self.patterns.push((pattern.clone(), compiled));
        }
        if name.ends_with("strptime") {
            let Expression::Text(format) = &arguments[1] else {
                return Err(SqlFault(format!("the format of `{name}` must be a text")));
            };
            time::check_format(format).map_err(SqlFault)?;
        }
        Ok(())
    }

    fn evaluate(&self, expression: &Expression, column: &Value) -> Value {
        let of = |part: &Expression| self.evaluate(part, column);
        match expression {
            Expression::Otherwise => Value::Truth(true),
            Expression::Null => Value::Null,
            Expression::Truth(truth) => Value::Truth(*truth),
            Expression::Number(number) => Value::Number(*number),
            Expression::Text(text) => Value::Text(text.clone()),
            Expression::Column(..) => column.clone(),
            Expression::Not(a) => of(a).truth().map_or(Value::Null, |truth| Value::Truth(!truth)),
            Expression::Negative(a) => of(a).number().map_or(Value::Null, |number| Value::Number(-number)),
            Expression::IsNull(a) => Value::Truth(of(a) == Value::Null),
            Expression::Binary(operator, a, b) => binary(*operator, &of(a), || of(b)),
            Expression::Cast { value, data_type, .. } => cast(&of(value), data_type).unwrap_or(Value::Null),
            Expression::In(a, all) => {
                let value = of(a);
                let answers = all.iter().map(|one| compare(&value, &of(one)).map(Ordering::is_eq));
                any(answers).map_or(Value::Null, Value::Truth)
            }
            Expression::Case(cases, otherwise) => {
                let first = cases.iter().find(|(condition, _)| of(condition) == Value::Truth(true));
                match (first, otherwise) {
                    (Some((_, value)), _) => of(value),
                    (None, Some(value)) => of(value),
                    (None, None) => Value::Null,
                }
            }
            Expression::Call(name, arguments) => {
                let values: Vec<Value> = arguments.iter().map(of).collect();
                self.call(name, &values).unwrap_or(Value::Null)
            }
        }
    }

    fn call(&self, name: &str, values: &[Value]) -> Option<Value> {
        let text = |at: usize| values.get(at).and_then(Value::text);
        let number = |at: usize| values.get(at).and_then(Value::number);
        let pattern = || {
            let text = text(1)?;
            self.patterns.iter().find(|(known, _)| *known == text).map(|(_, compiled)| compiled)
        };
        Some(match name {
            "lower" | "lcase" => Value::Text(text(0)?.to_lowercase()),
            "upper" | "ucase" => Value::Text(text(0)?.to_uppercase()),
            "trim" => Value::Text(text(0)?.trim().to_owned()),
            "ltrim" => Value::Text(text(0)?.trim_start().to_owned()),
            "rtrim" => Value::Text(text(0)?.trim_end().to_owned()),
            "reverse" => Value::Text(text(0)?.chars().rev().collect()),
            "length" | "len" | "char_length" => Value::Number(text(0)?.chars().count() as f64),
            "left" => Value::Text(ends(&text(0)?, number(1)?, false)),
            "right" => Value::Text(ends(&text(0)?, number(1)?, true)),
            "substr" | "substring" => {
                let length = if values.len() == 3 { Some(number(2)?) } else { None };
                Value::Text(substring(&text(0)?, number(1)?, length))
            }
            "replace" => Value::Text(text(0)?.replace(&text(1)?, &text(2)?)),
            "concat" => Value::Text((0..values.len()).filter_map(text).collect()),
            "coalesce" => values.iter().find(|value| **value != Value::Null)?.clone(),
            "nullif" if compare(&values[0], &values[1]).is_some_and(Ordering::is_eq) => Value::Null,
            "nullif" => values[0].clone(),
            "regexp_extract" => {
                let group = if values.len() == 3 { number(2)? as usize } else { 0 };
                let source = text(0)?;
                let found = pattern()?.captures(&source).and_then(|groups| groups.get(group));
                Value::Text(found.map_or(String::new(), |found| found.as_str().to_owned()))
            }
            "regexp_replace" => {
                let (source, with) = (text(0)?, text(2)?);
                let everywhere = values.get(3).and_then(Value::text).is_some_and(|options| options.contains('g'));
                let with = with.replace('$', "$$");
                let limit = usize::from(!everywhere);
                Value::Text(pattern()?.replacen(&source, limit, with.as_str()).into_owned())
            }
            "regexp_matches" => Value::Truth(pattern()?.is_match(&text(0)?)),
            "strptime" | "try_strptime" => Value::Time(time::parse(&text(0)?, &text(1)?)?),
            "epoch" => Value::Number(values[0].time()?),
            "year" => Value::Number(time::civil(values[0].time()?).0 as f64),
            "month" => Value::Number(f64::from(time::civil(values[0].time()?).1)),
            "day" => Value::Number(f64::from(time::civil(values[0].time()?).2)),
            "floor" => Value::Number(number(0)?.floor()),
            "round" => {
                let scale = 10f64.powf(if values.len() == 2 { number(1)? } else { 0.0 });
                Value::Number((number(0)? * scale).round() / scale)
            }
            _ => {
                let numbers = (0..values.len()).map(number).collect::<Option<Vec<f64>>>()?;
                let result = Function::from_name(name, numbers.len())?.apply(&numbers);
                return result.is_finite().then_some(Value::Number(result));
            }
        })
    }
}

fn binary(operator: Operator, a: &Value, b: impl Fn() -> Value) -> Value {
    use Operator as O;
    let truth = |answer: Option<bool>| answer.map_or(Value::Null, Value::Truth);
    let b = b();
    match operator {
        O::And => truth(both(a.truth(), b.truth())),
        O::Or => truth(any([a.truth(), b.truth()].into_iter())),
        O::Like => match (a.text(), b.text()) {
            (Some(text), Some(pattern)) => Value::Truth(like(&text, &pattern)),
            _ => Value::Null,
        },
        O::Concatenate => match (a.text(), b.text()) {
            (Some(a), Some(b)) => Value::Text(a + &b),
            _ => Value::Null,
        },
        _ if operator.compares() => truth(compare(a, &b).map(|order| operator.holds(order))),
        _ => match (a.number(), b.number()) {
            (Some(a), Some(b)) => arithmetic(operator, a, b).map_or(Value::Null, Value::Number),
            _ => Value::Null,
        },
    }
}

/// A sum, a product and so on; null where it is not a finite number.
pub(crate) fn arithmetic(operator: Operator, a: f64, b: f64) -> Option<f64> {
    let result = match operator {
        Operator::Add => a + b,
        Operator::Subtract => a - b,
        Operator::Multiply => a * b,
        Operator::Divide => a / b,
        _ => return None,
    };
    result.is_finite().then_some(result)
}

/// Whether both are true: false is enough to tell that they are not.
pub(crate) fn both(a: Option<bool>, b: Option<bool>) -> Option<bool> {
    match (a, b) {
        (Some(false), _) | (_, Some(false)) => Some(false),
        (Some(true), Some(true)) => Some(true),
        _ => None,
    }
}

/// Whether any is true: a true one is enough to tell.
pub(crate) fn any(answers: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    let mut open = false;
    for answer in answers {
        match answer {
            Some(true) => return Some(true),
            Some(false) => {}
            None => open = true,
        }
    }
    (!open).then_some(false)
}

/// A value as another type, null where it cannot be; `None` where the type is not known.
fn cast(value: &Value, data_type: &str) -> Option<Value> {
    Some(match data_type {
        "text" | "varchar" | "string" | "char" => value.text().map_or(Value::Null, Value::Text),
        "int" | "integer" | "bigint" | "smallint" | "long" => {
            value.number().map_or(Value::Null, |number| Value::Number(number.round()))
        }
        "float" | "float4" | "float8" | "double" | "real" | "decimal" | "numeric" => {
            value.number().map_or(Value::Null, Value::Number)
        }
        "date" => value.time().map_or(Value::Null, |seconds| Value::Time((seconds / 86_400.0).floor() * 86_400.0)),
        "timestamp" => value.time().map_or(Value::Null, Value::Time),
        _ => return None,
    })
}

/// `substr`: from the character at `start`, counted from 1, or from the end where it is negative.
fn substring(text: &str, start: f64, length: Option<f64>) -> String {
    let count = text.chars().count() as f64;
    let from = if start < 0.0 { count + start } else { start - 1.0 };
    let to = length.map_or(count, |length| from + length);
    text.chars().enumerate().filter(|(at, _)| (*at as f64) >= from && (*at as f64) < to).map(|(_, c)| c).collect()
}

/// `left` and `right`: so many characters, or all but so many where the number is negative.
fn ends(text: &str, number: f64, from_the_end: bool) -> String {
    let count = text.chars().count();
    let wanted = if number < 0.0 { (count as f64 + number).max(0.0) } else { number } as usize;
    if from_the_end {
        text.chars().skip(count.saturating_sub(wanted)).collect()
    } else {
        text.chars().take(wanted).collect()
    }
}

/// SQL's `LIKE`: `%` is any text, `_` any character.
fn like(text: &str, pattern: &str) -> bool {
    let (text, pattern): (Vec<char>, Vec<char>) = (text.chars().collect(), pattern.chars().collect());
    let mut reached = vec![false; text.len() + 1];
    reached[0] = true;
    for sign in pattern {
        let mut next = vec![false; text.len() + 1];
        for at in 0..=text.len() {
            next[at] = match sign {
                '%' => reached[at] || (at > 0 && next[at - 1]),
                '_' => at > 0 && reached[at - 1],
                other => at > 0 && reached[at - 1] && text[at - 1] == other,
            };
        }
        reached = next;
    }
    reached[text.len()]
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::super::sql::{Names, parse};
    use super::*;

    fn computed(sql: &str, value: &str) -> Value {
        let expression = parse(sql, Names::Suffixed).unwrap();
        Prepared::new(&expression).unwrap().value(&Value::Text(value.to_owned()))
    }

    fn text(text: &str) -> Value {
        Value::Text(text.to_owned())
    }

    #[test]
    fn the_parts_of_a_postcode_are_what_splink_cuts_out() {
        let part =
            |pattern: &str| computed(&format!("NULLIF(regexp_extract(\"p_l\", '{pattern}', 0), '')"), "SW1A 2AA");
        assert_eq!(part("^[A-Za-z]{1,2}[0-9][A-Za-z0-9]? [0-9]"), text("SW1A 2"));
        assert_eq!(part("^[A-Za-z]{1,2}[0-9][A-Za-z0-9]?"), text("SW1A"));
        assert_eq!(part("^[A-Za-z]{1,2}"), text("SW"));
        assert_eq!(part("^[0-9]"), Value::Null);
    }

    #[test]
    fn characters_are_counted_from_one_and_accents_are_one_character() {
        assert_eq!(computed("substr(x_l, 1, 2)", "Émile"), text("Ém"));
        assert_eq!(computed("substring(x_l, 2)", "Émile"), text("mile"));
        assert_eq!(computed("substr(x_l, -2, 2)", "Émile"), text("le"));
        assert_eq!(computed("left(x_l, 3)", "Émile"), text("Émi"));
        assert_eq!(computed("right(x_l, 3)", "Émile"), text("ile"));
        assert_eq!(computed("length(x_l)", "Émile"), Value::Number(5.0));
    }

    #[test]
    fn texts_are_changed_as_sql_says() {
        assert_eq!(computed("lower(trim(x_l)) || '!'", " ANN "), text("ann!"));
        assert_eq!(computed("upper(replace(x_l, 'n', 'm'))", "ann"), text("AMM"));
        assert_eq!(computed("regexp_replace(x_l, '[aeiou]', '', 'g')", "banana"), text("bnn"));
        assert_eq!(computed("regexp_replace(x_l, '[aeiou]', '$')", "banana"), text("b$nana"));
        assert_eq!(computed("concat(x_l, '-', NULL, 'b')", "a"), text("a-b"));
        assert_eq!(computed("coalesce(NULLIF(x_l, ''), 'none')", ""), text("none"));
        assert_eq!(computed("CASE WHEN x_l LIKE 'Mc%' THEN 'Scots' ELSE 'other' END", "McKay"), text("Scots"));
        assert_eq!(computed("x_l LIKE 'M_K%y'", "McKay"), Value::Truth(true));
        assert_eq!(computed("x_l IN ('a', 'b')", "b"), Value::Truth(true));
    }

    #[test]
    fn a_null_makes_a_condition_unknown_unless_the_rest_decides() {
        assert_eq!(computed("NULL = x_l", "a"), Value::Null);
        assert_eq!(computed("NULL = x_l OR x_l = 'a'", "a"), Value::Truth(true));
        assert_eq!(computed("NULL = x_l AND x_l = 'b'", "a"), Value::Truth(false));
        assert_eq!(computed("NOT (NULL = x_l)", "a"), Value::Null);
        assert_eq!(computed("x_l IN ('b', NULL)", "a"), Value::Null);
    }

    #[test]
    fn numbers_are_compared_as_numbers_where_one_side_is_one() {
        assert_eq!(computed("x_l < 10", "9"), Value::Truth(true));
        assert_eq!(computed("x_l < '10'", "9"), Value::Truth(false));
        assert_eq!(computed("CAST(x_l AS INTEGER) + 1", "41"), Value::Number(42.0));
        assert_eq!(computed("x_l / 0", "41"), Value::Null);
    }

    #[test]
    fn dates_become_seconds() {
        assert_eq!(computed("epoch(try_strptime(x_l, '%Y-%m-%d'))", "1970-01-02"), Value::Number(86_400.0));
        assert_eq!(computed("try_strptime(x_l, '%Y-%m-%d')", "1970-13-02"), Value::Null);
        assert_eq!(computed("year(CAST(x_l AS DATE))", "1985-03-02"), Value::Number(1985.0));
    }

    #[test]
    fn what_is_not_supported_is_named() {
        for (sql, says) in [
            ("soundex(x_l)", "`soundex`"),
            ("CAST(x_l AS BLOB)", "`blob`"),
            ("regexp_extract(x_l, '[')", "'['"),
            ("try_strptime(x_l, '%Q')", "%Q"),
            ("substr(x_l)", "`substr`"),
        ] {
            let expression = parse(sql, Names::Suffixed).unwrap();
            let fault = Prepared::new(&expression).err().unwrap().to_string();
            assert!(fault.contains(says), "{fault}");
        }
    }
}
