//! Reads the figures of a table's CSV file and compares them with the table.

use outward_spec::{Error, Result};

use crate::table::{Figure, Published};
use crate::write::{HIDDEN, LOW, NOT_APPLICABLE, decimals_of, guarded, percentages};

/// The figures of the CSV file of a table. Its rows must be the cells of the table, in order. Percentages, if it has
/// them, must be those of the figures.
///
/// # Errors
/// If the file is not that of the table, or a figure cannot be read.
pub fn read_csv(text: &str, published: &Published) -> Result<Vec<Figure>> {
    let table = &published.table;
    let rows = rows(text)?;
    let labels = table.dimensions.len();
    let columns = labels + 1 + usize::from(published.percentages.is_some());
    let wrong = |row: usize, what: &str| {
        let fault = Error::input(format!("table `{}`: {what}", table.name));
        let fault = if row > 0 { fault.row(row as u64) } else { fault };
        Err(fault.help("give the CSV file that was written with the table, as it was written").into())
    };
    if rows.len() != table.len() + 1 {
        return wrong(0, "there is not one row for each cell");
    }
    if let Some(row) = rows.iter().position(|row| row.len() != columns) {
        return wrong(row, "there are not as many columns as the table has");
    }
    let mut figures = Vec::with_capacity(table.len());
    for (cell, row) in rows[1..].iter().enumerate() {
        let here = table.dimensions.iter().zip(table.nodes(cell)).map(|(dimension, node)| &dimension.nodes[node].label);
        if !here.zip(row).all(|(label, field)| guarded(label) == *field) {
            return wrong(cell + 1, "the labels are not those of this cell");
        }
        match figure(&row[labels], published.scale) {
            Some(figure) => figures.push(figure),
            None => return wrong(cell + 1, "the figure is neither a number nor shorthand"),
        }
    }
    if published.percentages.is_some() {
        let due = percentages(table, &figures).unwrap_or_default();
        let given = rows[1..].iter().map(|row| percentage(&row[labels + 1]));
        if let Some(cell) = given.zip(due).position(|(given, due)| given != Some(due)) {
            return wrong(cell + 1, "the percentage is not that of the figures");
        }
    }
    Ok(figures)
}

fn figure(field: &str, scale: i64) -> Option<Figure> {
    match field {
        HIDDEN => Some(Figure::Hidden),
        LOW => Some(Figure::Low),
        NOT_APPLICABLE => Some(Figure::NotApplicable),
        number => units(number, scale).map(Figure::Shown),
    }
}

fn percentage(field: &str) -> Option<Option<f64>> {
    match field {
        HIDDEN | NOT_APPLICABLE => Some(None),
        LOW => Some(Some(0.0)),
        number => number.parse().ok().filter(|number: &f64| number.is_finite()).map(Some),
    }
}

/// A decimal number in units of one over `scale`, if it is a whole number of these.
fn units(number: &str, scale: i64) -> Option<i64> {
    let (sign, digits) = number.strip_prefix('-').map_or(("", number), |digits| ("-", digits));
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let all_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let decimals = decimals_of(scale)?;
    if whole.is_empty() || fraction.len() > decimals || !all_digits(whole) || !all_digits(fraction) {
        return None;
    }
    format!("{sign}{whole}{fraction:0<decimals$}").parse().ok()
}

/// The rows of a CSV text.
fn rows(text: &str) -> Result<Vec<Vec<String>>> {
    let mut rows = Vec::new();
    let (mut row, mut field, mut quoted) = (Vec::new(), String::new(), false);
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '"' if quoted && characters.next_if_eq(&'"').is_some() => field.push('"'),
            '"' => quoted = !quoted,
            ',' if !quoted => row.push(std::mem::take(&mut field)),
            '\n' if !quoted => {
                row.push(std::mem::take(&mut field));
                rows.push(std::mem::take(&mut row));
            }
            other => field.push(other),
        }
    }
    if quoted || !field.is_empty() || !row.is_empty() {
        let what =
            if quoted { "a quote is opened and never closed" } else { "the last row does not end in a line end" };
        return Err(Error::input(what).help("give the CSV file as it was written").into());
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_are_read_as_whole_units_and_finer_ones_are_not() {
        assert_eq!(units("-0.05", 100), Some(-5));
        assert_eq!(units("12.5", 1000), Some(12_500));
        assert_eq!(units("-9223372036854775808", 1), Some(i64::MIN));
        assert_eq!(["0.001", "", "-", "1e3", "+1", " 1", "1,000", "."].map(|text| units(text, 100)), [None; 8]);
        assert_eq!(units("92233720368547758070", 1), None);
    }
}
