//! A table in HTML, with its caption and with headings that screen readers announce.

use super::escape::{escape, prose};
use crate::model::{Align, Table, Value};

/// A table of no more rows than this is kept on one page of paper.
const ROWS_ON_ONE_PAGE: usize = 18;

/// The table with its caption.
pub(super) fn table(table: &Table) -> String {
    let caption = escape(&table.caption);
    let mut html = String::new();
    if table.rows.is_empty() {
        html += &format!("<p class=\"caption\">{caption}</p>\n<p class=\"more\">There is nothing to list.</p>\n");
    } else {
        let short = if table.rows.len() <= ROWS_ON_ONE_PAGE { " class=\"short\"" } else { "" };
        // A wide table scrolls within its own frame, which the keyboard can reach.
        let name = if caption.is_empty() { "Table" } else { &caption };
        html +=
            &format!("<div class=\"scroll\" role=\"region\" aria-label=\"{name}\" tabindex=\"0\">\n<table{short}>\n");
        if !caption.is_empty() {
            html += &format!("<caption>{caption}</caption>\n");
        }
        html += &head(table);
        html += "<tbody>\n";
        for row in &table.rows {
            html += &body_row(table, row);
        }
        html += "</tbody>\n</table>\n</div>\n";
    }
    if let Some(more) = &table.more {
        html += &format!("<p class=\"more\">{}</p>\n", prose(more));
    }
    html
}

fn head(table: &Table) -> String {
    let cells: String = (0..table.width())
        .map(|i| format!("<th scope=\"col\"{}>{}</th>", class(table, i), escape(table.heading(i))))
        .collect();
    format!("<thead>\n<tr>{cells}</tr>\n</thead>\n")
}

/// A row; its first cell names it where that cell holds words.
fn body_row(table: &Table, row: &[Value]) -> String {
    let cells: String = (0..table.width())
        .map(|i| {
            let value = row.get(i).unwrap_or(&Value::Missing);
            let (class, text) = (class(table, i), escape(&value.to_string()));
            match (i, value) {
                (0, Value::Text(_)) => format!("<th scope=\"row\"{class}>{text}</th>"),
                _ => format!("<td{class}>{text}</td>"),
            }
        })
        .collect();
    format!("<tr>{cells}</tr>\n")
}

fn class(table: &Table, column: usize) -> &'static str {
    match table.align(column) {
        Align::Left => "",
        Align::Right => " class=\"n\"",
    }
}
