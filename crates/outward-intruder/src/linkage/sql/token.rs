//! Text cut into words, names, numbers, texts and signs.

use super::SqlFault;

/// One piece of SQL.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Token {
    /// A word without quotes: a keyword, a function or a column.
    Word(String),
    /// A name in double quotes, or in backquotes as Spark writes it.
    Name(String),
    Number(f64),
    Text(String),
    Sign(&'static str),
}

/// The longer signs first, so that `<=` is not read as `<`.
const SIGNS: [&str; 18] =
    ["<=", ">=", "<>", "!=", "==", "||", "::", "=", "<", ">", "+", "-", "*", "/", "(", ")", ",", "."];

pub(super) fn tokens(text: &str) -> Result<Vec<Token>, SqlFault> {
    let mut found = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let (token, length) = match first {
            '"' | '`' => quoted(rest, first).map(|(name, length)| (Token::Name(name), length))?,
            '\'' => quoted(rest, first).map(|(text, length)| (Token::Text(text), length))?,
            _ if first.is_ascii_digit() => number(rest)?,
            _ if first.is_alphabetic() || first == '_' => {
                let length = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
                (Token::Word(rest[..length].to_owned()), length)
            }
            _ => {
                let sign = SIGNS.into_iter().find(|sign| rest.starts_with(sign));
                let sign = sign.ok_or_else(|| SqlFault(format!("`{first}` is not understood")))?;
                (Token::Sign(sign), sign.len())
            }
        };
        found.push(token);
        rest = rest[length..].trim_start();
    }
    Ok(found)
}

/// What stands between quotes; a quote within is written twice.
fn quoted(rest: &str, quote: char) -> Result<(String, usize), SqlFault> {
    let mut content = String::new();
    let mut characters = rest.char_indices().skip(1).peekable();
    while let Some((_, character)) = characters.next() {
        if character != quote {
            content.push(character);
        } else if characters.next_if(|(_, next)| *next == quote).is_some() {
            content.push(quote);
        } else {
            let end = characters.peek().map_or(rest.len(), |(at, _)| *at);
            return Ok((content, end));
        }
    }
    Err(SqlFault(format!("a quote {quote} is never closed")))
}

fn number(rest: &str) -> Result<(Token, usize), SqlFault> {
    let mut length = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
    let exponent = rest[length..].strip_prefix(['e', 'E']).map(|after| {
        let digits = after.strip_prefix(['+', '-']).unwrap_or(after);
        let count = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
        (count, 1 + after.len() - digits.len() + count)
    });
    if let Some((1.., whole)) = exponent {
        length += whole;
    }
    let number = rest[..length].parse().map_err(|_| SqlFault(format!("`{}` is not a number", &rest[..length])))?;
    Ok((Token::Number(number), length))
}
