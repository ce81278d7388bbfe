//! Simple conditions in words, for readers of published tables: `year >= 2011 AND sex = 'F'` is "year is at least 2011 and
//! sex is F". A condition that is not simple stays as it is written.

/// A condition as readers see it.
pub(super) fn in_words(condition: &str) -> String {
    let words = tokens(condition).and_then(|tokens| comparisons(&tokens));
    words.unwrap_or_else(|| super::one_line(condition))
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Token {
    /// A name or a word of SQL, not in quotes.
    Word(String),
    /// A name in double quotes.
    Name(String),
    /// A text in single quotes, or a number.
    Value(String),
    /// An operator, a comma or a parenthesis.
    Sign(String),
}

/// The tokens of a condition; `None` if it has anything else.
fn tokens(condition: &str) -> Option<Vec<Token>> {
    let mut rest = condition.trim_start();
    let mut tokens = Vec::new();
    while let Some(first) = rest.chars().next() {
        let (token, length) = match first {
            '\'' | '"' => {
                let (text, length) = quoted(rest, first)?;
                (if first == '"' { Token::Name(text) } else { Token::Value(text) }, length)
            }
            '<' | '>' | '=' | '!' => {
                let length = rest.find(|c| !"<>=!".contains(c)).unwrap_or(rest.len());
                (Token::Sign(rest[..length].to_owned()), length)
            }
            '(' | ')' | ',' => (Token::Sign(first.to_string()), 1),
            _ if first.is_alphanumeric() || first == '_' || first == '-' => {
                let length = rest.find(|c: char| !c.is_alphanumeric() && !"_.-".contains(c)).unwrap_or(rest.len());
                let word = rest[..length].to_owned();
                (if word.parse::<f64>().is_ok() { Token::Value(word) } else { Token::Word(word) }, length)
            }
            _ => return None,
        };
        tokens.push(token);
        rest = rest[length..].trim_start();
    }
    Some(tokens)
}

/// The text in quotes at the start, and the length with its quotes. A doubled quote is one of the text.
fn quoted(rest: &str, quote: char) -> Option<(String, usize)> {
    let mut text = String::new();
    let mut characters = rest.char_indices().skip(1).peekable();
    while let Some((at, character)) = characters.next() {
        if character != quote {
            text.push(character);
        } else if characters.next_if(|(_, next)| *next == quote).is_some() {
            text.push(quote);
        } else {
            return Some((text, at + quote.len_utf8()));
        }
    }
    None
}

/// Comparisons joined by `AND` alone or by `OR` alone.
fn comparisons(tokens: &[Token]) -> Option<String> {
    let mut said: Vec<String> = Vec::new();
    let mut joined_by: Option<&str> = None;
    let mut rest = tokens;
    loop {
        let (words, left) = comparison(rest)?;
        said.push(words);
        let Some((joint, left)) = left.split_first() else { break };
        let joint = if is_word(joint, "AND") { " and " } else { is_word(joint, "OR").then_some(" or ")? };
        if joined_by.is_some_and(|before| before != joint) {
            return None;
        }
        joined_by = Some(joint);
        rest = left;
    }
    Some(said.join(joined_by.unwrap_or_default()))
}

/// The comparison at the start in words, and the tokens after it.
fn comparison(tokens: &[Token]) -> Option<(String, &[Token])> {
    let (Token::Word(name) | Token::Name(name), rest) = tokens.split_first()? else { return None };
    match rest {
        [Token::Sign(sign), Token::Value(value), rest @ ..] => {
            let is = match sign.as_str() {
                "=" => "is",
                "<>" | "!=" => "is not",
                ">=" => "is at least",
                "<=" => "is at most",
                ">" => "is above",
                "<" => "is below",
                _ => return None,
            };
            Some((format!("{name} {is} {value}"), rest))
        }
        [is, not, null, rest @ ..] if is_word(is, "IS") && is_word(not, "NOT") && is_word(null, "NULL") => {
            Some((format!("{name} is known"), rest))
        }
        [is, null, rest @ ..] if is_word(is, "IS") && is_word(null, "NULL") => {
            Some((format!("{name} is missing"), rest))
        }
        [between, Token::Value(least), and, Token::Value(most), rest @ ..]
            if is_word(between, "BETWEEN") && is_word(and, "AND") =>
        {
            Some((format!("{name} is from {least} to {most}"), rest))
        }
        [word, Token::Sign(open), rest @ ..] if is_word(word, "IN") && open == "(" => {
            let (values, rest) = list(rest)?;
            Some((format!("{name} is {values}"), rest))
        }
        _ => None,
    }
}

/// The values of a list up to its closing parenthesis, as `a, b or c`.
fn list(tokens: &[Token]) -> Option<(String, &[Token])> {
    let mut values: Vec<&str> = Vec::new();
    let mut rest = tokens;
    loop {
        let [Token::Value(value), Token::Sign(sign), left @ ..] = rest else { return None };
        values.push(value);
        rest = left;
        match sign.as_str() {
            "," => {}
            ")" => break,
            _ => return None,
        }
    }
    let (last, first) = values.split_last()?;
    Some((if first.is_empty() { (*last).to_owned() } else { format!("{} or {last}", first.join(", ")) }, rest))
}

fn is_word(token: &Token, word: &str) -> bool {
    matches!(token, Token::Word(written) if written.eq_ignore_ascii_case(word))
}

#[cfg(test)]
mod tests {
    use super::in_words;

    #[test]
    fn simple_conditions_are_words() {
        for (condition, words) in [
            ("year = 2011", "year is 2011"),
            ("age >= 16 and sex = 'F'", "age is at least 16 and sex is F"),
            ("\"road type\" <> 'A road'", "road type is not A road"),
            ("severity IN ('Fatal', 'Serious', 'Slight')", "severity is Fatal, Serious or Slight"),
            ("severity in ('Fatal')", "severity is Fatal"),
            ("age BETWEEN 16 AND 24 AND job IS NOT NULL", "age is from 16 to 24 and job is known"),
            ("place = 'St Mary''s' OR place IS NULL", "place is St Mary's or place is missing"),
            ("change < -1.5", "change is below -1.5"),
        ] {
            assert_eq!(in_words(condition), words);
        }
    }

    #[test]
    fn other_conditions_stay_as_they_are_written() {
        for condition in [
            "a = 1 AND b = 2 OR c = 3",
            "(a = 1)",
            "NOT a = 1",
            "lower(job) = 'cook'",
            "a = b",
            "name LIKE 'x%'",
            "a = 'open",
            "a + 1 = 2",
            "a IN ()",
            "",
        ] {
            assert_eq!(in_words(condition), condition);
        }
        assert_eq!(in_words("a =\n 1 + 2"), "a = 1 + 2");
    }
}
