//! Tokens to an expression, by precedence: or, and, not, comparisons, sums, products, signs, casts.

use super::token::{Token, tokens};
use super::{Expression, Operator, Side, SqlFault};

/// How the columns of the two records are named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Names {
    /// `name_l` and `name_r`, in levels of comparisons.
    Suffixed,
    /// `l.name` and `r.name`, in blocking rules.
    Qualified,
}

/// How deeply brackets may nest.
const MAX_DEPTH: usize = 100;

/// Reads one expression.
pub(crate) fn parse(text: &str, names: Names) -> Result<Expression, SqlFault> {
    if text.trim().eq_ignore_ascii_case("else") {
        return Ok(Expression::Otherwise);
    }
    let mut parser = Parser { tokens: tokens(text)?, at: 0, names, depth: 0 };
    let expression = parser.disjunction()?;
    match parser.tokens.get(parser.at) {
        None => Ok(expression),
        Some(token) => Err(SqlFault(format!("{} is not expected here", shown(token)))),
    }
}

struct Parser {
    tokens: Vec<Token>,
    at: usize,
    names: Names,
    depth: usize,
}

impl Parser {
    fn disjunction(&mut self) -> Result<Expression, SqlFault> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(SqlFault("it nests too deeply".to_owned()));
        }
        let mut left = self.conjunction()?;
        while self.take_word("or") {
            left = binary(Operator::Or, left, self.conjunction()?);
        }
        self.depth -= 1;
        Ok(left)
    }

    fn conjunction(&mut self) -> Result<Expression, SqlFault> {
        let mut left = self.negation()?;
        while self.take_word("and") {
            left = binary(Operator::And, left, self.negation()?);
        }
        Ok(left)
    }

    fn negation(&mut self) -> Result<Expression, SqlFault> {
        let mut negated = false;
        while self.take_word("not") {
            negated = !negated;
        }
        let inner = self.comparison()?;
        Ok(if negated { Expression::Not(Box::new(inner)) } else { inner })
    }

    fn comparison(&mut self) -> Result<Expression, SqlFault> {
        let left = self.sum()?;
        if self.take_word("is") {
            let negated = self.take_word("not");
            self.expect_word("null")?;
            return Ok(negate_if(negated, Expression::IsNull(Box::new(left))));
        }
        let negated = self.take_word("not");
        if self.take_word("between") {
            let low = self.sum()?;
            self.expect_word("and")?;
            let high = self.sum()?;
            let within = binary(
                Operator::And,
                binary(Operator::AtLeast, left.clone(), low),
                binary(Operator::AtMost, left, high),
            );
            return Ok(negate_if(negated, within));
        }
        if self.take_word("in") {
            self.expect_sign("(")?;
            let of = self.arguments()?;
            return Ok(negate_if(negated, Expression::In(Box::new(left), of)));
        }
        if self.take_word("like") {
            let pattern = self.sum()?;
            return Ok(negate_if(negated, binary(Operator::Like, left, pattern)));
        }
        if negated {
            return Err(SqlFault("after NOT stands BETWEEN, IN or LIKE".to_owned()));
        }
        let operator = match self.tokens.get(self.at) {
            Some(Token::Sign("=" | "==")) => Operator::Equal,
            Some(Token::Sign("<>" | "!=")) => Operator::Unequal,
            Some(Token::Sign("<")) => Operator::Less,
            Some(Token::Sign("<=")) => Operator::AtMost,
            Some(Token::Sign(">")) => Operator::Greater,
            Some(Token::Sign(">=")) => Operator::AtLeast,
            _ => return Ok(left),
        };
        self.at += 1;
        Ok(binary(operator, left, self.sum()?))
    }

    fn sum(&mut self) -> Result<Expression, SqlFault> {
        let mut left = self.product()?;
        loop {
            let operator = match self.tokens.get(self.at) {
                Some(Token::Sign("+")) => Operator::Add,
                Some(Token::Sign("-")) => Operator::Subtract,
                Some(Token::Sign("||")) => Operator::Concatenate,
                _ => return Ok(left),
            };
            self.at += 1;
            left = binary(operator, left, self.product()?);
        }
    }

    fn product(&mut self) -> Result<Expression, SqlFault> {
        let mut left = self.signed()?;
        loop {
            let operator = match self.tokens.get(self.at) {
                Some(Token::Sign("*")) => Operator::Multiply,
                Some(Token::Sign("/")) => Operator::Divide,
                _ => return Ok(left),
            };
            self.at += 1;
            left = binary(operator, left, self.signed()?);
        }
    }

    fn signed(&mut self) -> Result<Expression, SqlFault> {
        let mut negative = false;
        while let Some(Token::Sign(sign @ ("-" | "+"))) = self.tokens.get(self.at) {
            negative ^= *sign == "-";
            self.at += 1;
        }
        let mut inner = self.primary()?;
        while self.take_sign("::") {
            let data_type = self.data_type()?;
            inner = Expression::Cast { value: Box::new(inner), data_type, quiet: false };
        }
        Ok(if negative { Expression::Negative(Box::new(inner)) } else { inner })
    }

    fn primary(&mut self) -> Result<Expression, SqlFault> {
        let token = self.tokens.get(self.at).cloned().ok_or_else(|| SqlFault("it ends too early".to_owned()))?;
        self.at += 1;
        match token {
            Token::Number(number) => Ok(Expression::Number(number)),
            Token::Text(text) => Ok(Expression::Text(text)),
            Token::Sign("(") => {
                let inner = self.disjunction()?;
                self.expect_sign(")")?;
                Ok(inner)
            }
            Token::Name(name) => self.column(name),
            Token::Word(word) => self.word(word),
            other => Err(SqlFault(format!("{} is not expected here", shown(&other)))),
        }
    }

    fn word(&mut self, word: String) -> Result<Expression, SqlFault> {
        let lower = word.to_lowercase();
        match lower.as_str() {
            "null" => return Ok(Expression::Null),
            "true" => return Ok(Expression::Truth(true)),
            "false" => return Ok(Expression::Truth(false)),
            "case" => return self.case(),
            _ => {}
        }
        if !self.take_sign("(") {
            return self.column(word);
        }
        if matches!(lower.as_str(), "cast" | "try_cast") {
            let value = Box::new(self.disjunction()?);
            self.expect_word("as")?;
            let data_type = self.data_type()?;
            self.expect_sign(")")?;
            return Ok(Expression::Cast { value, data_type, quiet: lower == "try_cast" });
        }
        Ok(Expression::Call(lower, self.arguments()?))
    }

    /// `CASE WHEN … THEN … ELSE … END`; a case of values is not used by models.
    fn case(&mut self) -> Result<Expression, SqlFault> {
        let mut cases = Vec::new();
        while self.take_word("when") {
            let condition = self.disjunction()?;
            self.expect_word("then")?;
            cases.push((condition, self.disjunction()?));
        }
        if cases.is_empty() {
            return Err(SqlFault("CASE has no WHEN".to_owned()));
        }
        let otherwise = if self.take_word("else") { Some(Box::new(self.disjunction()?)) } else { None };
        self.expect_word("end")?;
        Ok(Expression::Case(cases, otherwise))
    }

    /// What stands up to the closing bracket, which is taken too.
    fn arguments(&mut self) -> Result<Vec<Expression>, SqlFault> {
        let mut arguments = Vec::new();
        if self.take_sign(")") {
            return Ok(arguments);
        }
        loop {
            arguments.push(self.disjunction()?);
            if self.take_sign(")") {
                return Ok(arguments);
            }
            self.expect_sign(",")?;
        }
    }

    fn data_type(&mut self) -> Result<String, SqlFault> {
        let Some(Token::Word(word)) = self.tokens.get(self.at).cloned() else {
            return Err(SqlFault("a type is missing".to_owned()));
        };
        self.at += 1;
        if self.take_sign("(") {
            self.arguments()?;
        }
        Ok(word.to_lowercase())
    }

    /// A column of one of the records, by the way names are written here.
    fn column(&mut self, name: String) -> Result<Expression, SqlFault> {
        let expected = match self.names {
            Names::Suffixed => {
                if let Some(name) = name.strip_suffix("_l") {
                    return Ok(Expression::Column(Side::Left, name.to_owned()));
                }
                if let Some(name) = name.strip_suffix("_r") {
                    return Ok(Expression::Column(Side::Right, name.to_owned()));
                }
                "a column ends with _l or _r here"
            }
            Names::Qualified => {
                let side = match name.as_str() {
                    "l" | "L" => Some(Side::Left),
                    "r" | "R" => Some(Side::Right),
                    _ => None,
                };
                if let Some(side) = side.filter(|_| self.take_sign(".")) {
                    let token = self.tokens.get(self.at).cloned();
                    self.at += 1;
                    if let Some(Token::Name(name) | Token::Word(name)) = token {
                        return Ok(Expression::Column(side, name));
                    }
                }
                "a column is written l.name or r.name here"
            }
        };
        Err(SqlFault(format!("`{name}` is no column: {expected}")))
    }

    fn take_word(&mut self, word: &str) -> bool {
        let here = matches!(self.tokens.get(self.at), Some(Token::Word(found)) if found.eq_ignore_ascii_case(word));
        self.at += usize::from(here);
        here
    }

    fn take_sign(&mut self, sign: &str) -> bool {
        let here = matches!(self.tokens.get(self.at), Some(Token::Sign(found)) if *found == sign);
        self.at += usize::from(here);
        here
    }

    fn expect_word(&mut self, word: &str) -> Result<(), SqlFault> {
        if self.take_word(word) { Ok(()) } else { Err(self.missing(&word.to_uppercase())) }
    }

    fn expect_sign(&mut self, sign: &str) -> Result<(), SqlFault> {
        if self.take_sign(sign) { Ok(()) } else { Err(self.missing(sign)) }
    }

    fn missing(&self, what: &str) -> SqlFault {
        match self.tokens.get(self.at) {
            None => SqlFault(format!("it ends where `{what}` is expected")),
            Some(token) => SqlFault(format!("`{what}` is expected before {}", shown(token))),
        }
    }
}

fn binary(operator: Operator, left: Expression, right: Expression) -> Expression {
    Expression::Binary(operator, Box::new(left), Box::new(right))
}

fn negate_if(negated: bool, inner: Expression) -> Expression {
    if negated { Expression::Not(Box::new(inner)) } else { inner }
}

fn shown(token: &Token) -> String {
    match token {
        Token::Word(text) | Token::Name(text) => format!("`{text}`"),
        Token::Text(text) => format!("'{text}'"),
        Token::Number(number) => format!("`{number}`"),
        Token::Sign(sign) => format!("`{sign}`"),
    }
}
