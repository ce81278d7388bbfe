//! How deeply a condition nests, before it is parsed. The parser, the planner and the evaluation of an expression call
//! themselves once for each level. A chain such as `1 + 1 + 1 + …` is as deep as it is long.

use datafusion_sql::sqlparser::dialect::GenericDialect;
use datafusion_sql::sqlparser::keywords::Keyword;
use datafusion_sql::sqlparser::tokenizer::{Token, Tokenizer};

/// What is between two brackets, as far as it has been read.
#[derive(Default)]
struct NestingLevel {
    /// AND, OR and what binds as loosely: each is one level deeper.
    connectives: usize,
    /// Operators since the last connective, and the most between two of them.
    operators: usize,
    most_operators: usize,
    /// The depth of the deepest brackets inside.
    inside: usize,
}

impl NestingLevel {
    fn depth(&self) -> usize {
        1 + self.connectives + self.most_operators.max(self.operators) + self.inside
    }
}

/// A bound on the depth of the expression that a condition becomes. 0 if it is not SQL, which the parser then says.
pub(crate) fn nesting_depth(condition: &str) -> usize {
    let Ok(tokens) = Tokenizer::new(&GenericDialect {}, condition).tokenize() else { return 0 };
    let (mut outer, mut level): (Vec<NestingLevel>, NestingLevel) = (Vec::new(), NestingLevel::default());
    for token in &tokens {
        match token {
            Token::LParen | Token::LBracket | Token::LBrace => outer.push(std::mem::take(&mut level)),
            Token::RParen | Token::RBracket | Token::RBrace => close(&mut outer, &mut level),
            token if is_connective(token) => {
                level.connectives += 1;
                level.most_operators = level.most_operators.max(std::mem::take(&mut level.operators));
            }
            // What stands in a list is side by side.
            Token::Comma => level.most_operators = level.most_operators.max(std::mem::take(&mut level.operators)),
            token if is_operator(token) => level.operators += 1,
            _ => {}
        }
    }
    while !outer.is_empty() {
        close(&mut outer, &mut level);
    }
    level.depth()
}

fn close(outer: &mut Vec<NestingLevel>, level: &mut NestingLevel) {
    if let Some(around) = outer.pop() {
        let inside = std::mem::replace(level, around);
        level.inside = level.inside.max(inside.depth());
        // What was in brackets may itself be followed by brackets: `a[1][2]`.
        level.operators += 1;
    }
}

fn is_connective(token: &Token) -> bool {
    match token {
        Token::Word(word) if word.quote_style.is_none() => {
            matches!(word.keyword, Keyword::AND | Keyword::OR | Keyword::XOR | Keyword::NOT | Keyword::CASE)
        }
        _ => false,
    }
}

/// Whether a token may join or change expressions: a sign, or a word of SQL such as IS or LIKE.
fn is_operator(token: &Token) -> bool {
    match token {
        Token::Word(word) => word.quote_style.is_none() && word.keyword != Keyword::NoKeyword,
        Token::Whitespace(_) | Token::EOF | Token::Period | Token::SemiColon => false,
        Token::Number(..) | Token::Char(_) | Token::SingleQuotedString(_) | Token::DoubleQuotedString(_) => false,
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::nesting_depth;

    #[test]
    fn a_chain_is_as_deep_as_it_is_long() {
        assert_eq!(nesting_depth(&format!("1{} > age", " + 1".repeat(500))), 502);
        assert_eq!(nesting_depth(&vec!["age = 1"; 500].join(" OR ")), 501);
        assert_eq!(nesting_depth(&format!("age{} > 1", "::int".repeat(300))), 602);
    }

    #[test]
    fn brackets_add_to_the_depth_and_lists_do_not() {
        assert!(nesting_depth(&format!("{}age > 1{}", "(".repeat(300), ")".repeat(300))) > 300);
        let ages: Vec<String> = (0..2000).map(|age| age.to_string()).collect();
        assert!(nesting_depth(&format!("age IN ({}) AND sex = 'F'", ages.join(", "))) < 10);
        assert!(nesting_depth("left(name, 1) = 'a' AND (\"Age, years\" + 1 > 16 OR region LIKE 'W%')") < 10);
    }

    #[test]
    fn operators_within_texts_and_names_do_not_count() {
        assert_eq!(nesting_depth(&format!("town = '{}'", "+ (".repeat(500))), 2);
        assert_eq!(nesting_depth(&format!("\"{}\" = 1", "+ (".repeat(500))), 2);
    }
}
