//! Small CSV files that people read: fields are quoted only where they must be.

/// One line of fields.
pub(crate) fn line<S: AsRef<str>>(fields: impl IntoIterator<Item = S>) -> String {
    let fields: Vec<String> = fields.into_iter().map(|text| field(text.as_ref())).collect();
    fields.join(",") + "\n"
}

fn field(text: &str) -> String {
    match text.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_with_a_comma_or_a_quote_is_quoted() {
        assert_eq!(line(["a", "b, c", "say \"x\""]), "a,\"b, c\",\"say \"\"x\"\"\"\n");
    }
}
