//! A table in columns. Words are broken to fit the page; a number is never cut. Where even that is too wide, each
//! row becomes a list of its values.

use super::wrap::wrap;
use super::{Ink, Style, one_line, pad_end, pad_start};
use crate::model::{Align, Table, Value};

const COLUMN_GAP: usize = 2;

/// The table with its caption.
pub(super) fn table(table: &Table, style: Style) -> Vec<String> {
    let faint = |text: &str| -> Vec<String> {
        wrap(text, style.columns()).iter().map(|line| style.paint(Ink::Faint, line)).collect()
    };
    let mut lines = Vec::new();
    if !table.caption.is_empty() {
        lines.extend(wrap(&table.caption, style.columns()).iter().map(|line| style.paint(Ink::Strong, line)));
    }
    if table.rows.is_empty() {
        lines.push("There is nothing to list.".to_owned());
    } else {
        match widths(table, style.columns()) {
            Some(widths) => lines.extend(in_columns(table, &widths, style)),
            None => lines.extend(as_lists(table, style)),
        }
    }
    if let Some(more) = &table.more {
        lines.extend(faint(more));
    }
    lines
}

fn cell(row: &[Value], column: usize) -> String {
    one_line(&row.get(column).unwrap_or(&Value::Missing).to_string())
}

/// Words up to this length are not broken, if the page has room for them.
const LONGEST_WORD: usize = 24;

/// The width of every column, narrowed to the page; nothing if it cannot be. Words are broken only if they must.
fn widths(table: &Table, page: usize) -> Option<Vec<usize>> {
    narrowed(table, page, LONGEST_WORD).or_else(|| narrowed(table, page, 0))
}

/// The width of every column, narrowed to the page without breaking words of up to `longest_word` characters.
fn narrowed(table: &Table, page: usize, longest_word: usize) -> Option<Vec<usize>> {
    let length = |text: &str| text.chars().count();
    let mut widths = Vec::new();
    let mut least = Vec::new();
    for column in 0..table.width() {
        let heading = one_line(table.heading(column));
        let natural = table.rows.iter().map(|row| length(&cell(row, column))).fold(length(&heading), usize::max);
        let widest_number = table
            .rows
            .iter()
            .filter(|row| !matches!(row.get(column), Some(Value::Text(_))))
            .map(|row| length(&cell(row, column)))
            .max();
        let cells = table.rows.iter().map(|row| cell(row, column)).chain([heading]);
        let words = cells.flat_map(|text| text.split(' ').map(length).collect::<Vec<_>>());
        let word = words.max().unwrap_or(0).min(longest_word);
        widths.push(natural);
        least.push(widest_number.unwrap_or(0).max(word).max(natural.min(8)));
    }
    let room = page.checked_sub(COLUMN_GAP * table.width().saturating_sub(1))?;
    while widths.iter().sum::<usize>() > room {
        // The widest column that can still give a character gives it.
        let giver = (0..widths.len()).filter(|i| widths[*i] > least[*i]).max_by_key(|i| (widths[*i], *i))?;
        widths[giver] -= 1;
    }
    Some(widths)
}

fn in_columns(table: &Table, widths: &[usize], style: Style) -> Vec<String> {
    let headings: Vec<_> = (0..widths.len()).map(|column| one_line(table.heading(column))).collect();
    let mut lines = Vec::new();
    if headings.iter().any(|heading| !heading.is_empty()) {
        lines.extend(row_lines(table, &headings, widths).iter().map(|line| style.paint(Ink::Faint, line)));
        let rule: Vec<_> = widths.iter().map(|width| "─".repeat(*width)).collect();
        lines.push(style.paint(Ink::Faint, &rule.join(&" ".repeat(COLUMN_GAP))));
    }
    for row in &table.rows {
        let cells: Vec<_> = (0..widths.len()).map(|column| cell(row, column)).collect();
        lines.extend(row_lines(table, &cells, widths));
    }
    lines
}

/// One row, on as many lines as its longest cell needs.
fn row_lines(table: &Table, cells: &[String], widths: &[usize]) -> Vec<String> {
    let broken: Vec<_> = cells
        .iter()
        .zip(widths)
        .map(|(text, width)| if text.chars().count() <= *width { vec![text.clone()] } else { wrap(text, *width) })
        .collect();
    let height = broken.iter().map(Vec::len).max().unwrap_or(0);
    (0..height)
        .map(|line| {
            let parts: Vec<_> = broken
                .iter()
                .enumerate()
                .map(|(column, cell)| {
                    let text = cell.get(line).map_or("", String::as_str);
                    match table.align(column) {
                        Align::Left => pad_end(text, widths[column]),
                        Align::Right => pad_start(text, widths[column]),
                    }
                })
                .collect();
            parts.join(&" ".repeat(COLUMN_GAP)).trim_end().to_owned()
        })
        .collect()
}

fn as_lists(table: &Table, style: Style) -> Vec<String> {
    let mut lines = Vec::new();
    for row in &table.rows {
        if !lines.is_empty() {
            lines.push(String::new());
        }
        for column in 0..table.width() {
            let entry = format!("{}: {}", one_line(table.heading(column)), cell(row, column));
            lines.extend(wrap(entry.trim_start_matches(": "), style.columns()));
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Column;

    fn narrow() -> Style {
        Style { colour: false, width: 40 }
    }

    #[test]
    fn words_are_broken_and_numbers_never_cut() {
        let mut data = Table::new("", [Column::left("Combination of variables"), Column::right("Records")]);
        data.rows.push(vec!["region by occupation by age in single years".into(), 18_446_744_073_709u64.into()]);
        let lines = table(&data, narrow());
        assert!(lines.iter().all(|line| line.chars().count() <= 40), "{lines:#?}");
        assert!(lines.iter().any(|line| line.ends_with("18,446,744,073,709")), "{lines:#?}");
    }

    #[test]
    fn a_long_word_is_not_broken_while_the_page_has_room() {
        let mut data = Table::new("", [Column::left("Variable"), Column::left("Why")]);
        data.rows.push(vec!["economic_activity_1".into(), "hardly anyone knows this about many others".into()]);
        let lines = table(&data, narrow());
        assert!(lines.iter().any(|line| line.starts_with("economic_activity_1  ")), "{lines:#?}");
        assert!(lines.iter().all(|line| line.chars().count() <= 40), "{lines:#?}");
    }

    #[test]
    fn a_table_too_wide_for_the_page_becomes_lists() {
        let mut data = Table::new("", (0..6).map(|i| Column::right(format!("c{i}"))));
        data.rows.push(vec![Value::Count(u64::MAX / 1000); 6]);
        let lines = table(&data, narrow());
        assert_eq!(lines[0], "c0: 18,446,744,073,709,551");
        assert_eq!(lines.len(), 6);
    }
}
