//! Excel workbooks.

use outward_spec::{Source, Type};
use rust_xlsxwriter::{ExcelDateTime, Format, Workbook};
use std::path::Path;

use super::{column, fault_of, file, read};

fn workbook(path: &Path) {
    let mut book = Workbook::new();
    let sheet = book.add_worksheet().set_name("Notes").unwrap();
    sheet.write_string(0, 0, "about").unwrap();
    let sheet = book.add_worksheet().set_name("People").unwrap();
    for (column, name) in (0_u16..).zip(["code", "age", "income", "born", "member"]) {
        sheet.write_string(0, column, name).unwrap();
    }
    sheet.write_string(1, 0, "007").unwrap();
    sheet.write_number(1, 1, 41).unwrap();
    sheet.write_number(1, 2, 1234.5).unwrap();
    let date = Format::new().set_num_format("dd/mm/yyyy");
    sheet.write_datetime_with_format(1, 3, ExcelDateTime::from_ymd(1984, 2, 29).unwrap(), &date).unwrap();
    sheet.write_boolean(1, 4, true).unwrap();
    sheet.write_string(2, 0, "-9").unwrap();
    sheet.write_number(2, 1, -9).unwrap();
    book.save(path).unwrap();
}

#[test]
fn cells_come_out_as_text_with_codes_whole_and_dates_iso() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("people.xlsx");
    workbook(&path);
    let source = Source { sheet: Some("People".to_owned()), ..Source::file(&path) };
    let table = read(&source, &[]).unwrap();
    assert_eq!(table.names, ["code", "age", "income", "born", "member"]);
    let first: Vec<_> = table.rows[0].iter().map(|cell| cell.as_deref().unwrap()).collect();
    assert_eq!(first, ["007", "41", "1234.5", "1984-02-29", "TRUE"]);
    assert_eq!(table.column("income"), [Some("1234.5"), None]);
}

#[test]
fn the_spec_types_cells_and_names_missing_ones() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("people.xlsx");
    workbook(&path);
    let source = Source { sheet: Some("People".to_owned()), missing: vec!["-9".to_owned()], ..Source::file(&path) };
    let columns = [column("age", Type::Integer), column("born", Type::Date), column("income", Type::Number)];
    let table = read(&source, &columns).unwrap();
    assert_eq!(table.column("age"), [Some("41"), None]);
    assert_eq!(table.column("code"), [Some("007"), None]);
    assert_eq!(table.column("born"), [Some("1984-02-29"), None]);
    let error = fault_of(&path, read(&source, &[column("income", Type::Integer)]));
    assert!(error.to_string().contains("column `income`, row 1: this is not a whole number"), "{error}");
}

#[test]
fn the_first_sheet_is_read_unless_another_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("people.xlsx");
    workbook(&path);
    assert_eq!(read(&Source::file(&path), &[]).unwrap().names, ["about"]);
    let source = Source { sheet: Some("Poeple".to_owned()), ..Source::file(&path) };
    let error = fault_of(&path, read(&source, &[]));
    assert!(error.to_string().contains("no sheet `Poeple`"), "{error}");
    assert_eq!(error.help().unwrap(), "did you mean `People`?");
}

#[test]
fn damaged_workbooks_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("people.xlsx");
    workbook(&path);
    let whole = std::fs::read(&path).unwrap();
    for length in (0..whole.len()).step_by(97) {
        std::fs::write(&path, &whole[..length]).unwrap();
        fault_of(&path, read(&Source::file(&path), &[]));
    }
    let (_folder, path) = file("people.xls", "this is no workbook");
    assert!(fault_of(&path, read(&Source::file(&path), &[])).to_string().contains("Excel file is damaged"));
}

#[test]
fn an_empty_sheet_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("empty.xlsx");
    let mut book = Workbook::new();
    book.add_worksheet();
    book.save(&path).unwrap();
    assert!(fault_of(&path, read(&Source::file(&path), &[])).to_string().contains("sheet is empty"));
}
