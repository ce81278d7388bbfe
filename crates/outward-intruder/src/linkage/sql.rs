//! The SQL that Splink models are written in: expressions over two records, and nothing else.
//!
//! A level of a comparison names columns `"name_l"` and `name_r`; a blocking rule names `l.name` and `r."name"`. Both become the same
//! [`Expression`]. What this parser does not know is an error, never a guess.

mod parse;
mod token;

pub(crate) use parse::{Names, parse};

use std::collections::BTreeSet;
use std::fmt;

/// Which record of a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Side {
    /// The first, `_l`.
    Left,
    /// The second, `_r`.
    Right,
}

/// An operator between two expressions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Operator {
    Add,
    Subtract,
    Multiply,
    Divide,
    Concatenate,
    Equal,
    Unequal,
    Less,
    AtMost,
    Greater,
    AtLeast,
    And,
    Or,
    Like,
}

impl Operator {
    /// Whether it compares two values.
    pub(crate) fn compares(self) -> bool {
        use Operator as O;
        matches!(self, O::Equal | O::Unequal | O::Less | O::AtMost | O::Greater | O::AtLeast)
    }

    /// Whether two ordered values stand so.
    pub(crate) fn holds(self, order: std::cmp::Ordering) -> bool {
        match self {
            Self::Equal => order.is_eq(),
            Self::Unequal => order.is_ne(),
            Self::Less => order.is_lt(),
            Self::AtMost => order.is_le(),
            Self::Greater => order.is_gt(),
            Self::AtLeast => order.is_ge(),
            _ => false,
        }
    }
}

/// An expression over two records.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Expression {
    /// The catch-all of the last level.
    Otherwise,
    Null,
    Truth(bool),
    Number(f64),
    Text(String),
    /// A column of one of the records.
    Column(Side, String),
    Not(Box<Self>),
    Negative(Box<Self>),
    IsNull(Box<Self>),
    Binary(Operator, Box<Self>, Box<Self>),
    /// A function by its name in lower case.
    Call(String, Vec<Self>),
    /// A value as another type, by its name in lower case; values that cannot be are null where `quiet`.
    Cast {
        value: Box<Self>,
        data_type: String,
        quiet: bool,
    },
    /// The value of the first condition that is true, or the last one.
    Case(Vec<(Self, Self)>, Option<Box<Self>>),
    /// Whether a value is one of several.
    In(Box<Self>, Vec<Self>),
}

impl Expression {
    /// The columns it reads.
    pub(crate) fn columns(&self) -> BTreeSet<(Side, String)> {
        let mut found = BTreeSet::new();
        self.visit(&mut |part| {
            if let Self::Column(side, name) = part {
                found.insert((*side, name.clone()));
            }
        });
        found
    }

    /// The column it reads, where it reads one column of one record.
    pub(crate) fn only_column(&self) -> Option<(Side, String)> {
        let mut columns = self.columns();
        (columns.len() == 1).then(|| columns.pop_first()).flatten()
    }

    /// Whether it says itself that values may be of another form: `try_strptime`, `TRY_CAST`, what is cut out of a text.
    pub(crate) fn expects_nulls(&self) -> bool {
        let mut expects = false;
        self.visit(&mut |part| {
            expects |= match part {
                Self::Call(name, _) => name.starts_with("try_") || name == "nullif",
                Self::Cast { quiet, .. } => *quiet,
                _ => false,
            };
        });
        expects
    }

    fn visit(&self, see: &mut impl FnMut(&Self)) {
        see(self);
        match self {
            Self::Otherwise | Self::Null | Self::Truth(_) | Self::Number(_) | Self::Text(_) | Self::Column(..) => {}
            Self::Not(a) | Self::Negative(a) | Self::IsNull(a) | Self::Cast { value: a, .. } => a.visit(see),
            Self::Binary(_, a, b) => {
                a.visit(see);
                b.visit(see);
            }
            Self::Call(_, all) => all.iter().for_each(|part| part.visit(see)),
            Self::In(a, all) => {
                a.visit(see);
                all.iter().for_each(|part| part.visit(see));
            }
            Self::Case(cases, otherwise) => {
                for (condition, value) in cases {
                    condition.visit(see);
                    value.visit(see);
                }
                if let Some(value) = otherwise {
                    value.visit(see);
                }
            }
        }
    }
}

/// What is wrong with a piece of SQL, in a few words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SqlFault(pub(crate) String);

impl fmt::Display for SqlFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The parts of a condition that must all hold.
pub(crate) fn conjuncts(condition: Expression) -> Vec<Expression> {
    match condition {
        Expression::Binary(Operator::And, a, b) => {
            let mut all = conjuncts(*a);
            all.append(&mut conjuncts(*b));
            all
        }
        other => vec![other],
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn level(text: &str) -> Expression {
        parse(text, Names::Suffixed).unwrap()
    }

    #[test]
    fn a_level_names_the_columns_of_both_records() {
        let columns = level(r#"jaro_winkler_similarity("first_name_l", first_name_r) >= 0.9"#).columns();
        let expected = [(Side::Left, "first_name".to_owned()), (Side::Right, "first_name".to_owned())];
        assert_eq!(columns, BTreeSet::from(expected));
    }

    #[test]
    fn and_binds_tighter_than_or_and_not_tighter_than_and() {
        let plain = level("a_l = a_r OR NOT b_l = b_r AND c_l = c_r");
        let bracketed = level("(a_l = a_r) OR ((NOT (b_l = b_r)) AND (c_l = c_r))");
        assert_eq!(plain, bracketed);
    }

    #[test]
    fn multiplication_binds_tighter_than_addition_and_both_than_comparison() {
        assert_eq!(level("x_l - x_r * 2 < 3 + 1"), level("(x_l - (x_r * 2)) < (3 + 1)"));
    }

    #[test]
    fn a_quote_within_a_text_is_written_twice() {
        assert_eq!(level("a_l = 'it''s'"), level("(a_l) = ('it''s')"));
        assert!(matches!(level("'it''s'"), Expression::Text(text) if text == "it's"));
    }

    #[test]
    fn casts_are_written_in_two_ways() {
        assert_eq!(level("a_l::date = a_r"), level("CAST(a_l AS DATE) = a_r"));
    }

    #[test]
    fn a_percentage_difference_of_splink_is_read() {
        let text = r#"(ABS("x_l" - "x_r") / (CASE WHEN "x_r" > "x_l" THEN "x_r" ELSE "x_l" END)) < 0.1"#;
        assert!(matches!(level(text), Expression::Binary(Operator::Less, ..)));
    }

    #[test]
    fn what_is_no_expression_says_what_stands_in_the_way() {
        for (text, says) in [
            ("a_l = ", "ends"),
            ("a_l = a_r)", "`)`"),
            ("select 1", "`select`"),
            ("surname = surname", "_l"),
            ("'open", "quote"),
            ("a_l ? a_r", "`?`"),
        ] {
            let fault = parse(text, Names::Suffixed).unwrap_err().to_string();
            assert!(fault.contains(says), "{text}: {fault}");
        }
        let deep = format!("{}a_l = a_r{}", "(".repeat(500), ")".repeat(500));
        assert!(parse(&deep, Names::Suffixed).unwrap_err().to_string().contains("deep"));
    }

    #[test]
    fn a_rule_names_its_columns_by_l_and_r() {
        let rule = parse(r#"(l."first_name" = r."first_name") AND (l."dob" = r."dob")"#, Names::Qualified).unwrap();
        assert_eq!(conjuncts(rule).len(), 2);
        assert!(parse("first_name_l = first_name_r", Names::Qualified).is_err());
    }
}
