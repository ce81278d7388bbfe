//! Text made safe to stand in HTML, as content and inside quoted attributes.

use crate::text::clean;

/// A text in which nothing can be taken for markup. Characters that cannot be seen are replaced.
pub(crate) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars().map(clean) {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            other => escaped.push(other),
        }
    }
    escaped
}

/// Prose, with names between backticks set as names. A backtick without a partner stays as it is.
pub(super) fn prose(text: &str) -> String {
    let parts: Vec<_> = text.split('`').collect();
    if parts.len().is_multiple_of(2) {
        return escape(text);
    }
    let set = |(index, part): (usize, &&str)| match index % 2 {
        0 => escape(part),
        _ => format!("<code>{}</code>", escape(part)),
    };
    parts.iter().enumerate().map(set).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_text_is_taken_for_markup() {
        assert_eq!(escape(r#"<b a="1" b='2'>&"#), "&lt;b a=&quot;1&quot; b=&#39;2&#39;&gt;&amp;");
        assert_eq!(escape("a\u{0}b\u{1b}c\u{202e}d"), "a\u{fffd}b\u{fffd}c\u{fffd}d");
    }

    #[test]
    fn names_between_backticks_are_set_as_names_and_escaped() {
        assert_eq!(prose("recode `age<5` first"), "recode <code>age&lt;5</code> first");
        assert_eq!(prose("a ` alone"), "a ` alone");
    }
}
