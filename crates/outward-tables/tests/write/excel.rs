//! The workbook, read back cell by cell.

use std::io::Cursor;

use calamine::{Data, Range, Reader, Xlsx};
use outward_tables::write::{Publication, write_excel};
use outward_tables::{Figure, Node};

use crate::case::{counts, publication, severity, tables, total};
use crate::hidden::unzipped;

fn open(bytes: &[u8]) -> Xlsx<Cursor<Vec<u8>>> {
    Xlsx::new(Cursor::new(bytes.to_vec())).unwrap()
}

fn row(sheet: &Range<Data>, row: u32) -> Vec<Data> {
    (0..=sheet.end().unwrap().1).map(|column| sheet.get_value((row, column)).cloned().unwrap_or_default()).collect()
}

fn text(words: &str) -> Data {
    Data::String(words.to_owned())
}

fn texts(words: &[&str]) -> Vec<Data> {
    words.iter().map(|words| text(words)).collect()
}

#[test]
fn a_workbook_has_a_cover_notes_and_a_sheet_for_each_table() {
    let (tables, notes) = (tables(), ["Mind the gap.".to_owned()]);
    let book = open(&write_excel(&publication(&tables, &notes)).unwrap());
    assert_eq!(book.sheet_names(), ["Cover", "Notes", "RAS1", "ras1 (2)", "Money -in-out-"]);
}

#[test]
fn a_sheet_holds_the_table_with_its_last_variable_across() {
    let tables = tables();
    let mut book = open(&write_excel(&publication(&tables, &[])).unwrap());
    let sheet = book.worksheet_range("RAS1").unwrap();
    assert_eq!(sheet.get_value((0, 0)), Some(&text("RAS1: Collisions by place & severity")));
    let across = ["Fatal", "=SUM(A1:A9)", "\"Slight\", <b>or</b> & none", "Total"];
    let across = across.map(|label| format!("Severity, as reported: {label}"));
    let percent = across.each_ref().map(|heading| format!("{heading}, per cent"));
    let mut headings = vec!["Place"];
    headings.extend(across.iter().chain(&percent).map(String::as_str));
    assert_eq!(row(&sheet, 4), texts(&headings));
    let leeds = [text("@Leeds"), text("[c]"), text("[low]"), Data::Float(1200.0), Data::Float(3600.0)];
    let shares = [text("[c]"), text("[low]"), Data::Float(33.3333), Data::Float(100.0)];
    assert_eq!(row(&sheet, 5), [leeds.as_slice(), &shares].concat());
    let york = [text("-York\nouter"), Data::Float(0.0), Data::Float(7.0), Data::Float(8.0), text("[c]")];
    assert_eq!(row(&sheet, 6), [york.as_slice(), &texts(&["[c]"; 4])].concat());
    assert_eq!(sheet.end(), Some((6, 8)));
}

#[test]
fn numbers_excel_would_round_are_written_as_text() {
    let tables = tables();
    let mut book = open(&write_excel(&publication(&tables, &[])).unwrap());
    let sheet = book.worksheet_range("Money -in-out-").unwrap();
    assert_eq!(sheet.get_value((5, 1)), Some(&Data::Float(-0.05)));
    assert_eq!(sheet.get_value((6, 1)), Some(&text("12345678901234567.89")));
    let estimates = book.worksheet_range("ras1 (2)").unwrap();
    assert_eq!(row(&estimates, 4), texts(&["Severity, as reported", "Estimate"]));
    assert_eq!(estimates.get_value((7, 1)), Some(&Data::Float(1234.56)));
}

#[test]
fn labels_that_look_like_formulas_are_text() {
    let tables = tables();
    let mut book = open(&write_excel(&publication(&tables, &[])).unwrap());
    for name in book.sheet_names() {
        let formulas = book.worksheet_formula(&name).unwrap();
        assert!(formulas.used_cells().all(|(_, _, formula)| formula.is_empty()), "{name}");
    }
}

#[test]
fn the_cover_says_how_people_are_protected_and_lists_the_tables() {
    let (tables, notes) = (tables(), ["Mind the gap.".to_owned()]);
    let mut book = open(&write_excel(&publication(&tables, &notes)).unwrap());
    let words =
        |range: Range<Data>| -> Vec<String> { range.used_cells().map(|(_, _, cell)| cell.to_string()).collect() };
    let cover = words(book.worksheet_range("Cover").unwrap());
    assert_eq!(cover[0], "Road <casualties>");
    for wanted in ["Published: 1 September 2012", "Some figures are hidden.", "RAS1", "ras1 (2)", "Turnover"] {
        assert!(cover.iter().any(|cell| cell == wanted), "{wanted}");
    }
    assert!(cover.iter().any(|cell| cell.starts_with("[c] confidential")));
    assert!(cover.iter().any(|cell| cell.contains("by the policy `gss-tables`")));
    let notes = words(book.worksheet_range("Notes").unwrap());
    for wanted in ["[c]", "[low]", "Mind the gap.", "the police."] {
        assert!(notes.iter().any(|cell| cell == wanted), "{wanted}");
    }
    assert!(notes.iter().any(|cell| cell.starts_with("Number of collisions, where year is 2011.")));
}

#[test]
fn no_row_of_a_sheet_is_blank() {
    let tables = tables();
    let mut book = open(&write_excel(&publication(&tables, &[])).unwrap());
    for name in book.sheet_names() {
        let sheet = book.worksheet_range(&name).unwrap();
        assert!(sheet.rows().all(|row| row.iter().any(|cell| *cell != Data::Empty)), "{name}");
    }
}

#[test]
fn headings_that_are_alike_are_told_apart() {
    let mut table = counts();
    table.table.dimensions[1].nodes[0].label = "Total".to_owned();
    table.table.dimensions[1].nodes[1].label = " ".to_owned();
    let mut book = open(&write_excel(&Publication { tables: &[table], ..Publication::default() }).unwrap());
    let headings = row(&book.worksheet_range("RAS1").unwrap(), 4);
    let wanted = ["Severity, as reported: Total", "Severity, as reported:", "Severity, as reported: Total (2)"];
    assert_eq!([&headings[1], &headings[2], &headings[4]], [&text(wanted[0]), &text(wanted[1]), &text(wanted[2])]);
}

/// The files within a workbook as text, one after the other.
fn parts(bytes: &[u8]) -> String {
    String::from_utf8_lossy(&unzipped(bytes)).into_owned()
}

#[test]
fn totals_are_bold_and_parts_of_subtotals_are_indented() {
    let mut table = counts();
    let group = Node { label: "Harm".to_owned(), values: vec![1, 2], total: false, ..total(&[1, 2]) };
    table.table.dimensions = vec![severity()];
    table.table.dimensions[0].nodes.insert(0, group);
    table.table.percent_of = Vec::new();
    table.figures = vec![Figure::Shown(4); 5];
    table.percentages = None;
    let text = parts(&write_excel(&Publication { tables: &[table], ..Publication::default() }).unwrap());
    assert!(text.contains("indent=\"1\""), "nothing is indented");
    // The style of the figure in each row: bold for the subtotal and the total, plain for the values between.
    let style = |row: u32| {
        // The sheet of the table is the last.
        let at = text.rfind(&format!("<c r=\"B{row}\" s=\"")).unwrap();
        text[at..].split('"').nth(3).unwrap().to_owned()
    };
    assert_eq!(style(6), style(10));
    assert_eq!([style(7), style(8)], [style(8), style(9)]);
    assert_ne!(style(6), style(7));
}

#[test]
fn a_table_too_wide_for_a_sheet_is_refused_by_name() {
    let mut table = counts();
    let node = table.table.dimensions[1].nodes[0].clone();
    table.table.dimensions[1].nodes = vec![node; 16_384];
    table.figures = vec![Figure::Shown(1); 2 * 16_384];
    table.percentages = None;
    let error = write_excel(&Publication { tables: &[table], ..Publication::default() }).unwrap_err();
    assert_eq!(error.to_string(), "table `RAS1` is larger than an Excel sheet holds");
}
