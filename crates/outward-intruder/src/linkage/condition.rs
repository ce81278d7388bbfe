//! A condition on two records, made ready for codes: what depends on one record alone is computed once for every distinct value.

use std::sync::Arc;

use hashbrown::HashMap;
use outward_cells::{Dictionary, MISSING};

use super::records::{Joint, Operand};
use super::similarity::Measure;
use super::sql::{Expression, Operator, Side, SqlFault};
use super::value::{self, Function, Prepared, Value};

/// What conditions may be made of, for messages.
pub(crate) const SUPPORTED: &str = "supported are =, <>, <, <=, >, >=, IS NULL, AND, OR, NOT, IN, LIKE, BETWEEN, CASE, CAST and arithmetic; \
     jaro_winkler_similarity, jaro_similarity, levenshtein, damerau_levenshtein and jaccard between the two records; date_diff, abs, \
     greatest, least and the functions of a circle; and lower, upper, trim, length, substr, left, right, replace, concat, nullif, coalesce, \
     regexp_extract, regexp_replace, try_strptime, epoch, year, month, day of one record";

/// Where the codes of a pair come from.
pub(crate) trait PairCodes {
    fn code(&self, operand: Operand) -> u32;
}

/// The codes of two records.
pub(crate) struct Rows<'a> {
    pub(crate) joint: &'a Joint,
    pub(crate) left: usize,
    pub(crate) right: usize,
}

impl PairCodes for Rows<'_> {
    fn code(&self, operand: Operand) -> u32 {
        let row = if operand.side == Side::Left { self.left } else { self.right };
        self.joint.columns[operand.column].codes[row]
    }
}

/// Two codes of one column.
pub(crate) struct TwoCodes(pub(crate) u32, pub(crate) u32);

impl PairCodes for TwoCodes {
    fn code(&self, operand: Operand) -> u32 {
        if operand.side == Side::Left { self.0 } else { self.1 }
    }
}

/// For each code of a column another one; the code itself where absent.
type Recoding = Option<Vec<u32>>;

/// For each code of a column a text.
#[derive(Debug)]
enum Texts {
    Own(Arc<Dictionary>),
    Computed(Vec<Option<Box<str>>>),
}

impl Texts {
    fn text(&self, code: u32) -> Option<&str> {
        match self {
            Self::Own(dictionary) => dictionary.value(code),
            Self::Computed(texts) => texts.get(code as usize)?.as_deref(),
        }
    }
}

/// A condition on a pair.
#[derive(Debug)]
pub(crate) enum Condition {
    Constant(Option<bool>),
    /// Depends on one value.
    OfOne(Operand, Vec<Option<bool>>),
    /// Two values are the same.
    Same {
        left: Operand,
        right: Operand,
        left_codes: Recoding,
        right_codes: Recoding,
    },
    /// Two numbers stand so to each other.
    Numbers(Operator, Number, Number),
    Not(Box<Self>),
    Both(Box<Self>, Box<Self>),
    Either(Box<Self>, Box<Self>),
}

/// A number that depends on a pair.
#[derive(Debug)]
pub(crate) enum Number {
    Constant(Option<f64>),
    /// Depends on one value; what is no number is null.
    OfOne(Operand, Vec<Option<f64>>),
    Negative(Box<Self>),
    Binary(Operator, Box<Self>, Box<Self>),
    Function(Function, Vec<Self>),
    Case(Vec<(Condition, Self)>, Option<Box<Self>>),
    /// How alike two texts are.
    Alike(Arc<Alike>),
    /// Boundaries of a unit of time between two times.
    Between(String, Box<Self>, Box<Self>),
}

/// How alike two texts are, and the slot where it is remembered.
#[derive(Debug)]
pub(crate) struct Alike {
    measure: Measure,
    left: (Operand, Texts),
    right: (Operand, Texts),
    slot: usize,
}

/// Makes conditions ready for the codes of the records.
pub(crate) struct Compiler<'a> {
    joint: &'a Joint,
    /// The similarities met so far: each is remembered in a place of its own.
    slots: Vec<(Measure, Expression, Expression, Arc<Alike>)>,
}

impl<'a> Compiler<'a> {
    pub(crate) fn new(joint: &'a Joint) -> Self {
        Self { joint, slots: Vec::new() }
    }

    /// How many similarities there are to remember.
    pub(crate) fn slots(&self) -> usize {
        self.slots.len()
    }

    pub(crate) fn condition(&mut self, expression: &Expression) -> Result<Condition, SqlFault> {
        use Expression as E;
        if let Some(known) = self.of_one(expression)? {
            let truth = |value: &Value| match value {
                Value::Truth(truth) => Some(*truth),
                _ => None,
            };
            return Ok(Condition::OfOne(known.0, known.1.iter().map(truth).collect()));
        }
        match expression {
            E::Otherwise => Ok(Condition::Constant(Some(true))),
            E::Not(a) => Ok(Condition::Not(Box::new(self.condition(a)?))),
            E::Binary(operator @ (Operator::And | Operator::Or), a, b) => {
                let (a, b) = (Box::new(self.condition(a)?), Box::new(self.condition(b)?));
                Ok(if *operator == Operator::And { Condition::Both(a, b) } else { Condition::Either(a, b) })
            }
            E::Binary(operator @ (Operator::Equal | Operator::Unequal), a, b) => {
                let same = self.same(a, b)?;
                let same = match same {
                    Some(same) => same,
                    None => Condition::Numbers(Operator::Equal, self.number(a)?, self.number(b)?),
                };
                Ok(if *operator == Operator::Equal { same } else { Condition::Not(Box::new(same)) })
            }
            E::Binary(operator, a, b) if operator.compares() => {
                Ok(Condition::Numbers(*operator, self.number(a)?, self.number(b)?))
            }
            _ if expression.columns().is_empty() => {
                let value = Prepared::new(expression)?.value(&Value::Null);
                Ok(Condition::Constant(if let Value::Truth(truth) = value { Some(truth) } else { None }))
            }
            E::Call(name, _) => Err(SqlFault(format!("`{name}` does not make a condition on two records"))),
            _ => Err(SqlFault("this is no condition on two records".to_owned())),
        }
    }

    /// The values of an expression that reads one column of one record, for every code.
    fn of_one(&self, expression: &Expression) -> Result<Option<(Operand, Vec<Value>)>, SqlFault> {
        let Some((side, name)) = expression.only_column() else { return Ok(None) };
        let column = self.joint.position(&name).map_err(|error| SqlFault(error.to_string()))?;
        let prepared = Prepared::new(expression)?;
        let dictionary = &self.joint.columns[column].dictionary;
        let values = dictionary.values().map(|value| prepared.value(&Value::Text(value.to_owned())));
        let values = std::iter::once(prepared.value(&Value::Null)).chain(values).collect();
        Ok(Some((Operand { column, side }, values)))
    }

    /// The codes of two expressions, each of one record, in one numbering: equal codes are equal values.
    pub(crate) fn same(&self, a: &Expression, b: &Expression) -> Result<Option<Condition>, SqlFault> {
        let (Some((side_a, _)), Some((side_b, _))) = (a.only_column(), b.only_column()) else { return Ok(None) };
        if side_a == side_b {
            return Ok(None);
        }
        let (a, b) = if side_a == Side::Left { (a, b) } else { (b, a) };
        if let (Expression::Column(_, left), Expression::Column(_, right)) = (a, b)
            && left == right
        {
            let column = self.joint.position(left).map_err(|error| SqlFault(error.to_string()))?;
            let operand = |side| Operand { column, side };
            let (left, right) = (operand(Side::Left), operand(Side::Right));
            return Ok(Some(Condition::Same { left, right, left_codes: None, right_codes: None }));
        }
        let (Some((left, left_values)), Some((right, right_values))) = (self.of_one(a)?, self.of_one(b)?) else {
            return Ok(None);
        };
        let kind = common_kind(left_values.iter().chain(&right_values));
        let mut numbering = HashMap::new();
        let mut recode = |values: &[Value]| -> Vec<u32> {
            let mut code = |value: &Value| {
                let Some(key) = key(value, kind) else { return MISSING };
                let next = numbering.len() as u32 + 1;
                *numbering.entry(key).or_insert(next)
            };
            values.iter().map(&mut code).collect()
        };
        let left_codes = Some(recode(&left_values));
        let right_codes = Some(recode(&right_values));
        Ok(Some(Condition::Same { left, right, left_codes, right_codes }))
    }

    fn number(&mut self, expression: &Expression) -> Result<Number, SqlFault> {
        use Expression as E;
        if let Some((operand, values)) = self.of_one(expression)? {
            let numbers: Vec<Option<f64>> = values.iter().map(Value::number).collect();
            // Where nothing is a number, a date may have been meant.
            let times = || values.iter().map(Value::time).collect::<Vec<_>>();
            let numbers = if numbers.iter().any(Option::is_some) { numbers } else { times() };
            if numbers.iter().all(Option::is_none) && !expression.expects_nulls() {
                let name = &self.joint.columns[operand.column].name;
                return Err(SqlFault(format!(
                    "no value of column `{name}` is a number or a date of the form that is asked for"
                )));
            }
            return Ok(Number::OfOne(operand, numbers));
        }
        match expression {
            E::Negative(a) => Ok(Number::Negative(Box::new(self.number(a)?))),
            E::Binary(
                operator @ (Operator::Add | Operator::Subtract | Operator::Multiply | Operator::Divide),
                a,
                b,
            ) => Ok(Number::Binary(*operator, Box::new(self.number(a)?), Box::new(self.number(b)?))),
            E::Case(cases, otherwise) => {
                let case = |(condition, value): &(Expression, Expression)| {
                    Ok((self.condition(condition)?, self.number(value)?))
                };
                let cases = cases.iter().map(case).collect::<Result<_, SqlFault>>()?;
                let otherwise = otherwise.as_ref().map(|value| self.number(value)).transpose()?.map(Box::new);
                Ok(Number::Case(cases, otherwise))
            }
            E::Cast { value, .. } => self.number(value),
            _ if expression.columns().is_empty() => {
                Ok(Number::Constant(Prepared::new(expression)?.value(&Value::Null).number()))
            }
            E::Call(name, arguments) => self.call(name, arguments),
            _ => Err(SqlFault("a number is expected here".to_owned())),
        }
    }

    fn call(&mut self, name: &str, arguments: &[Expression]) -> Result<Number, SqlFault> {
        if let (Some(measure), [a, b]) = (Measure::from_function(name), arguments) {
            return self.alike(measure, a, b);
        }
        if matches!(name, "date_diff" | "datediff")
            && let [Expression::Text(unit), a, b] = arguments
        {
            let unit = unit.to_lowercase();
            if super::time::boundaries(&unit, 0.0, 0.0).is_none() {
                return Err(SqlFault(format!(
                    "`{unit}` is no unit of time; use second, minute, hour, day, month or year"
                )));
            }
            return Ok(Number::Between(unit, Box::new(self.number(a)?), Box::new(self.number(b)?)));
        }
        match Function::from_name(name, arguments.len()) {
            Some(function) => {
                let arguments = arguments.iter().map(|argument| self.number(argument)).collect::<Result<_, _>>()?;
                Ok(Number::Function(function, arguments))
            }
            None => Err(SqlFault(format!("the function `{name}` between two records is not supported"))),
        }
    }

    fn alike(&mut self, measure: Measure, a: &Expression, b: &Expression) -> Result<Number, SqlFault> {
        let fault = || {
            SqlFault(format!("each text of a similarity must come from one column of one record ({})", Measure::NAMES))
        };
        let (Some((side_a, _)), Some((side_b, _))) = (a.only_column(), b.only_column()) else { return Err(fault()) };
        if side_a == side_b {
            return Err(fault());
        }
        let (a, b) = if side_a == Side::Left { (a, b) } else { (b, a) };
        if let Some(known) = self.slots.iter().find(|known| known.0 == measure && known.1 == *a && known.2 == *b) {
            return Ok(Number::Alike(Arc::clone(&known.3)));
        }
        let alike = Arc::new(Alike { measure, left: self.texts(a)?, right: self.texts(b)?, slot: self.slots.len() });
        self.slots.push((measure, a.clone(), b.clone(), Arc::clone(&alike)));
        Ok(Number::Alike(alike))
    }

    fn texts(&self, expression: &Expression) -> Result<(Operand, Texts), SqlFault> {
        let (operand, values) =
            self.of_one(expression)?.ok_or_else(|| SqlFault("a column is expected here".to_owned()))?;
        if matches!(expression, Expression::Column(..)) {
            return Ok((operand, Texts::Own(Arc::clone(&self.joint.columns[operand.column].dictionary))));
        }
        Ok((operand, Texts::Computed(values.iter().map(|value| value.text().map(Box::from)).collect())))
    }
}

/// As what the values of both sides of an equation are compared.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Text,
    Number,
    Time,
}

fn common_kind<'v>(values: impl Iterator<Item = &'v Value>) -> Kind {
    values.fold(Kind::Text, |kind, value| match value {
        Value::Time(_) => Kind::Time,
        Value::Number(_) if kind == Kind::Text => Kind::Number,
        _ => kind,
    })
}

fn key(value: &Value, kind: Kind) -> Option<String> {
    match kind {
        Kind::Text => value.text(),
        Kind::Number => value.number().map(|number| number.to_string()),
        Kind::Time => value.time().map(|seconds| seconds.to_string()),
    }
}

impl Condition {
    /// Whether it is true of a pair; `None` where a null keeps it open.
    pub(crate) fn truth(&self, codes: &impl PairCodes, memory: &mut Memory) -> Option<bool> {
        match self {
            Self::Constant(truth) => *truth,
            Self::OfOne(operand, truth) => truth[codes.code(*operand) as usize],
            Self::Same { left, right, left_codes, right_codes } => {
                let (left, right) = (recoded(left_codes, codes.code(*left)), recoded(right_codes, codes.code(*right)));
                (left != MISSING && right != MISSING).then_some(left == right)
            }
            Self::Numbers(operator, a, b) => {
                let order = a.value(codes, memory)?.partial_cmp(&b.value(codes, memory)?)?;
                Some(operator.holds(order))
            }
            Self::Not(a) => a.truth(codes, memory).map(|truth| !truth),
            Self::Both(a, b) => match a.truth(codes, memory) {
                Some(false) => Some(false),
                first => value::both(first, b.truth(codes, memory)),
            },
            Self::Either(a, b) => match a.truth(codes, memory) {
                Some(true) => Some(true),
                first => value::any([first, b.truth(codes, memory)].into_iter()),
            },
        }
    }
}

/// A code after a recoding.
pub(crate) fn recoded(recoding: &Recoding, code: u32) -> u32 {
    recoding.as_ref().map_or(code, |codes| codes[code as usize])
}

impl Number {
    fn value(&self, codes: &impl PairCodes, memory: &mut Memory) -> Option<f64> {
        match self {
            Self::Constant(number) => *number,
            Self::OfOne(operand, numbers) => numbers[codes.code(*operand) as usize],
            Self::Negative(a) => Some(-a.value(codes, memory)?),
            Self::Binary(operator, a, b) => {
                value::arithmetic(*operator, a.value(codes, memory)?, b.value(codes, memory)?)
            }
            Self::Function(function, arguments) => {
                let mut values = [0.0; 4];
                let mut more = Vec::new();
                let few = arguments.len() <= values.len();
                for (at, argument) in arguments.iter().enumerate() {
                    let value = argument.value(codes, memory)?;
                    if few { values[at] = value } else { more.push(value) }
                }
                let result = function.apply(if few { &values[..arguments.len()] } else { &more });
                result.is_finite().then_some(result)
            }
            Self::Case(cases, otherwise) => {
                for (condition, value) in cases {
                    if condition.truth(codes, memory) == Some(true) {
                        return value.value(codes, memory);
                    }
                }
                otherwise.as_ref()?.value(codes, memory)
            }
            Self::Alike(alike) => {
                let (left, right) = (codes.code(alike.left.0), codes.code(alike.right.0));
                let (a, b) = (alike.left.1.text(left)?, alike.right.1.text(right)?);
                Some(memory.similarity(alike.slot, left, right, || alike.measure.between(a, b)))
            }
            Self::Between(unit, a, b) => {
                super::time::boundaries(unit, a.value(codes, memory)?, b.value(codes, memory)?)
            }
        }
    }
}

/// Similarities of pairs of values that were met lately. One for each thread; what is forgotten is computed again.
#[derive(Debug)]
pub(crate) struct Memory {
    places: Vec<Vec<(u64, f64)>>,
}

/// How many pairs of values are remembered for each similarity.
const REMEMBERED: usize = 1 << 14;

impl Memory {
    pub(crate) fn new(slots: usize) -> Self {
        Self { places: vec![vec![(0, 0.0); REMEMBERED]; slots] }
    }

    fn similarity(&mut self, slot: usize, left: u32, right: u32, compute: impl FnOnce() -> f64) -> f64 {
        let key = u64::from(left) << 32 | u64::from(right);
        let place = &mut self.places[slot][scattered(key) as usize % REMEMBERED];
        if place.0 != key {
            *place = (key, compute());
        }
        place.1
    }
}

/// Bits of a key spread evenly (the finaliser of SplitMix64; Steele, Lea and Flood 2014).
pub(crate) fn scattered(key: u64) -> u64 {
    let mixed = (key ^ (key >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}
