//! Writes a table as CSV in long form: one row for each cell, with its labels first and then its figures.

use outward_spec::Result;

use crate::table::Published;

use super::wide::{Entry, figure, percentage, wholes};
use super::{check, distinct, measure, places, plain};

/// A table as CSV. The columns are the variables by name, `count`, `estimate`, `sum` or `mean`, and `percentage` if the
/// table has percentages. A label that a spreadsheet would read as a formula begins with an apostrophe.
///
/// # Errors
/// If the figures are not those of the table's cells, which would be a bug.
pub fn write_csv(published: &Published) -> Result<String> {
    check(published)?;
    let (table, places, wholes) = (&published.table, places(published), wholes(published));
    let names = table.dimensions.iter().map(|dimension| dimension.variable.clone());
    let percent = wholes.as_ref().map(|_| "percentage".to_owned());
    let headings = distinct(names.chain([measure(table).to_owned()]).chain(percent).collect());
    let headings: Vec<String> = headings.iter().map(|heading| guarded(heading)).collect();
    let mut text = line(&headings);
    // Every label is guarded and quoted once, not once for each cell.
    let labels: Vec<Vec<String>> = (table.dimensions.iter())
        .map(|dimension| dimension.nodes.iter().map(|node| field(&guarded(&node.label))).collect())
        .collect();
    for cell in 0..table.len() {
        for (labels, node) in labels.iter().zip(table.nodes(cell)) {
            text += &labels[node];
            text.push(',');
        }
        text += &written(figure(published, cell), published.scale, places);
        if let Some(wholes) = &wholes {
            text.push(',');
            text += &written(percentage(published, wholes, cell), 1, 0);
        }
        text.push('\n');
    }
    Ok(text)
}

fn written(entry: Entry, scale: i64, places: usize) -> String {
    match entry {
        Entry::Figure(value) => plain(value, scale, places),
        Entry::Percentage(percentage) => percentage.to_string(),
        Entry::Mark(mark) => mark.to_owned(),
    }
}

/// A label, with an apostrophe before it if a spreadsheet would read it as a formula. A label that begins with an
/// apostrophe gets another, so that no two labels become one.
pub(crate) fn guarded(label: &str) -> String {
    match label.starts_with(['=', '+', '-', '@', '\t', '\r', '\'']) && !label.parse::<f64>().is_ok_and(f64::is_finite) {
        true => format!("'{label}"),
        false => label.to_owned(),
    }
}

/// One line of fields.
pub(crate) fn line<S: AsRef<str>>(fields: &[S]) -> String {
    let fields: Vec<String> = fields.iter().map(|text| field(text.as_ref())).collect();
    fields.join(",") + "\n"
}

fn field(text: &str) -> String {
    match text.contains([',', ';', '\t', '"', '\n', '\r']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_that_look_like_formulas_are_guarded_and_numbers_are_not() {
        assert_eq!(guarded("=1+1"), "'=1+1");
        assert_eq!(guarded("-2+3+cmd|' /C calc'!A0"), "'-2+3+cmd|' /C calc'!A0");
        assert_eq!(guarded("'=1+1"), "''=1+1");
        assert_eq!(["-5", "+1.5", "Fatal", ""].map(guarded), ["-5", "+1.5", "Fatal", ""]);
    }

    #[test]
    fn fields_are_quoted_where_they_must_be() {
        assert_eq!(line(&["a", "b, c", "d;e", "say \"x\"", "f\ng"]), "a,\"b, c\",\"d;e\",\"say \"\"x\"\"\",\"f\ng\"\n");
    }
}
