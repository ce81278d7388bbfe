//! Writes all tables as one Excel workbook: a cover, notes, then one sheet for each table.
//!
//! The workbook follows the rules of the Government Statistical Service for accessible spreadsheets. There is one table
//! on a sheet, marked as a table, under a heading in the first cell. It has one heading row, in which every heading can
//! be read alone. No cell is merged or empty, and symbols are explained. Totals and subtotals are bold, and parts of a
//! subtotal are indented. Text stays text, so that no label becomes a formula.

mod names;

use outward_spec::{Error, Result};
use rust_xlsxwriter::{
    DocProperties, ExcelDateTime, Format, FormatAlign, Table, TableColumn, TableStyle, Url, Workbook, Worksheet,
    XlsxError,
};

use crate::table::Published;
use crate::words::{Statement, contents, one_line, sentence};

use super::wide::{Entry, RowLabel, Wide};
use super::{Publication, distinct, places, plain};

use names::sheet_names;

/// Most rows and columns of a sheet.
const MAX_ROWS: usize = 1_048_576;
const MAX_COLUMNS: usize = 16_384;

/// Largest number written as a number. Excel keeps 15 digits; a longer number is written as text.
const LARGEST_EXACT: u64 = 999_999_999_999_999;

/// The longest heading of a column of a table, in UTF-16 units. Some are reserved for a number that distinguishes it
/// from others.
const LONGEST_HEADING: usize = 255;

/// The row of the headings of a table, from 0: the same in every sheet.
const HEADINGS: u32 = 4;

/// The deepest that Excel indents.
const MAX_INDENT: usize = 15;

/// The widths of columns of prose, of labels and of figures, in characters.
const PROSE: f64 = 90.0;
const LABELS: f64 = 30.0;
const FIGURES: f64 = 14.0;

/// The tables as one Excel workbook.
///
/// # Errors
/// If there are no tables, a table is larger than a sheet, or a text is too long for a cell.
pub fn write_excel(publication: &Publication<'_>) -> Result<Vec<u8>> {
    publication.check()?;
    publication.tables.iter().try_for_each(fits)?;
    workbook(publication).map_err(|error| match error {
        XlsxError::MaxStringLengthExceeded => Error::input("a text is longer than an Excel cell holds")
            .help("shorten titles, labels and notes, or write CSV")
            .into(),
        error => Error::bug(error),
    })
}

fn fits(published: &Published) -> Result<()> {
    let wide = Wide::new(published);
    if wide.rows() < MAX_ROWS - HEADINGS as usize && wide.columns() <= MAX_COLUMNS {
        return Ok(());
    }
    Err(Error::input(format!("table `{}` is larger than an Excel sheet holds", published.table.name))
        .help("write CSV, or put a variable with fewer values last")
        .into())
}

fn workbook(publication: &Publication<'_>) -> Result<Vec<u8>, XlsxError> {
    let mut book = Workbook::new();
    // A release has no dates from the clock, so that it is the same every time.
    let dawn = ExcelDateTime::from_ymd(2000, 1, 1)?;
    book.set_properties(&DocProperties::new().set_title(one_line(publication.title)).set_creation_datetime(&dawn));
    let statement = Statement::new(publication);
    let names = sheet_names(publication.tables.iter().map(|published| published.table.name.as_str()));
    cover(book.add_worksheet(), publication, &statement, &names)?;
    notes(book.add_worksheet(), publication, &statement)?;
    for (number, (published, name)) in publication.tables.iter().zip(&names).enumerate() {
        sheet(book.add_worksheet().set_name(name)?, published, number + 1)?;
    }
    book.save_to_buffer()
}

/// Title, statement, symbols, and a list of the tables with links to them.
fn cover(
    sheet: &mut Worksheet,
    publication: &Publication<'_>,
    statement: &Statement,
    names: &[String],
) -> Result<(), XlsxError> {
    sheet.set_name("Cover")?.set_column_width(0, PROSE)?.set_column_width(1, PROSE)?;
    let mut lines = Lines { sheet, row: 0 };
    lines.heading(publication.title)?;
    lines.prose(publication.about)?;
    lines.prose(&publication.date.map(|date| format!("Published: {date}")).unwrap_or_default())?;
    lines.prose(&publication.source.map(|source| format!("Source: {}", sentence(source))).unwrap_or_default())?;
    lines.subheading("How people are protected")?;
    lines.prose(&statement.opening)?;
    statement.done.iter().try_for_each(|text| lines.prose(text))?;
    statement.reading.iter().try_for_each(|text| lines.prose(text))?;
    if !statement.symbols.is_empty() {
        lines.subheading("Shorthand")?;
        statement.symbols.iter().try_for_each(|(symbol, meaning)| lines.prose(&format!("{symbol} {meaning}")))?;
    }
    lines.subheading("Tables")?;
    let first = lines.row;
    let rows = first + 1..;
    for ((row, published), name) in rows.zip(publication.tables).zip(names) {
        let link = Url::new(format!("internal:'{}'!A1", name.replace('\'', "''")));
        sheet.write_url_with_text(row, 0, link, name.as_str())?;
        sheet.write_string_with_format(row, 1, one_line(&published.table.title), &wrapped())?;
    }
    let last = first + publication.tables.len() as u32;
    table(sheet, (first, last), vec!["Sheet".to_owned(), "Title".to_owned()], "contents")
}

/// Writes the notes, one in each row.
fn notes(sheet: &mut Worksheet, publication: &Publication<'_>, statement: &Statement) -> Result<(), XlsxError> {
    sheet.set_name("Notes")?.set_column_width(0, LABELS)?.set_column_width(1, PROSE)?;
    let mut notes: Vec<(String, String)> = Vec::new();
    for (symbol, meaning) in &statement.symbols {
        notes.push(((*symbol).to_owned(), (*meaning).to_owned()));
    }
    for published in publication.tables {
        let words = format!("{} {}", contents(published), sentence(&published.protection));
        notes.push((one_line(&published.table.name), words.trim_end().to_owned()));
    }
    notes.extend(publication.source.map(|source| ("Source".to_owned(), sentence(source))));
    notes.extend((1..).zip(publication.notes).map(|(number, note)| (format!("Note {number}"), note.clone())));
    let mut lines = Lines { sheet, row: 0 };
    lines.heading("Notes")?;
    lines.prose("This sheet has one table: what the shorthand and the tables mean.")?;
    let first = lines.row;
    for (row, (subject, note)) in (first + 1..).zip(&notes) {
        sheet.write_string_with_format(row, 0, subject, &wrapped())?;
        sheet.write_string_with_format(row, 1, note, &wrapped())?;
    }
    table(sheet, (first, first + notes.len() as u32), vec!["Subject".to_owned(), "Note".to_owned()], "notes")
}

/// Writes one table under its heading.
fn sheet(sheet: &mut Worksheet, published: &Published, number: usize) -> Result<(), XlsxError> {
    let title = one_line(&published.table.title);
    let name = one_line(&published.table.name);
    let mut lines = Lines { sheet, row: 0 };
    lines.heading(&if title.is_empty() || title == name { name } else { format!("{name}: {title}") })?;
    lines.plain(&contents(published))?;
    lines.plain(&sentence(&published.protection))?;
    let wide = Wide::new(published);
    lines.plain(&format!(
        "This sheet has one table{}. Totals and subtotals are bold. Shorthand in square brackets is explained in the sheet Notes.",
        wide.across().map_or_else(String::new, |across| format!(", with {} across", one_line(&across.label)))
    ))?;
    let places = places(published);
    let (light, bold) = (Formats::new(places, Format::new()), Formats::new(places, Format::new().set_bold()));
    for (row, line) in (0..wide.rows()).zip(HEADINGS + 1..) {
        let labels = wide.row_labels(row);
        let margin = labels.iter().any(|label| label.margin);
        for (column, label) in (0..).zip(labels) {
            sheet.write_string_with_format(line, column, label.text, &label_format(label))?;
        }
        for (at, entry) in wide.row(row).into_iter().enumerate() {
            let formats = if margin || wide.is_margin(at) { &bold } else { &light };
            formats.write(sheet, (line, (wide.labels() + at) as u16), entry, published.scale)?;
        }
    }
    for column in 0..wide.columns() {
        sheet.set_column_width(column as u16, if column < wide.labels() { LABELS } else { FIGURES })?;
    }
    let last = HEADINGS + wide.rows() as u32;
    let headings = wide.headings(|across, node, _| match across.label.trim() {
        "" => node.label.clone(),
        label => format!("{label}: {}", node.label),
    });
    table(sheet, (HEADINGS, last), headings, &format!("table_{number}"))
}

/// The format of a row's label: bold for a total or a subtotal, indented for a part of one.
fn label_format(label: RowLabel<'_>) -> Format {
    let format = match label.depth {
        0 => wrapped(),
        depth => wrapped().set_align(FormatAlign::Left).set_indent(depth.min(MAX_INDENT) as u8),
    };
    if label.margin { format.set_bold() } else { format }
}

/// Marks rows as a table, under headings that Excel accepts: all different, none empty, none too long.
fn table(sheet: &mut Worksheet, rows: (u32, u32), headings: Vec<String>, name: &str) -> Result<(), XlsxError> {
    let (first, last) = rows;
    let bold = Format::new().set_bold().set_text_wrap().set_align(FormatAlign::Top);
    let named = |heading: &String| match names::shortened(heading, LONGEST_HEADING - 8) {
        heading if heading.is_empty() => "No name".to_owned(),
        heading => heading,
    };
    let headings = distinct(headings.iter().map(named).collect());
    if last == first {
        for (column, heading) in (0..).zip(&headings) {
            sheet.write_string_with_format(first, column, heading, &bold)?;
        }
        return Ok(());
    }
    let column = |heading: &String| TableColumn::new().set_header(heading).set_header_format(&bold);
    let columns: Vec<TableColumn> = headings.iter().map(column).collect();
    let table = Table::new().set_columns(&columns).set_name(name).set_autofilter(false).set_style(TableStyle::Light1);
    let table = table.set_banded_rows(false);
    sheet.add_table(first, 0, last, headings.len().saturating_sub(1) as u16, &table)?;
    Ok(())
}

fn wrapped() -> Format {
    Format::new().set_text_wrap().set_align(FormatAlign::Top)
}

/// Writes text into the first column, line by line.
struct Lines<'a> {
    sheet: &'a mut Worksheet,
    row: u32,
}

impl Lines<'_> {
    fn heading(&mut self, text: &str) -> Result<(), XlsxError> {
        self.line(text, &Format::new().set_bold().set_font_size(16))
    }

    fn subheading(&mut self, text: &str) -> Result<(), XlsxError> {
        self.line(text, &Format::new().set_bold().set_font_size(13))
    }

    /// A line in a wide column, unless the text is empty.
    fn prose(&mut self, text: &str) -> Result<(), XlsxError> {
        if text.trim().is_empty() { Ok(()) } else { self.line(text, &wrapped()) }
    }

    /// A line that is written even if it is empty, so that the table begins in the same row everywhere.
    fn plain(&mut self, text: &str) -> Result<(), XlsxError> {
        self.line(text, &Format::new())
    }

    fn line(&mut self, text: &str, format: &Format) -> Result<(), XlsxError> {
        self.sheet.write_string_with_format(self.row, 0, one_line(text), format)?;
        self.row += 1;
        Ok(())
    }
}

/// The number formats of a table.
struct Formats {
    places: usize,
    figure: Format,
    percentage: Format,
    mark: Format,
}

impl Formats {
    fn new(places: usize, font: Format) -> Self {
        let figure = if places == 0 { "#,##0".to_owned() } else { format!("#,##0.{}", "0".repeat(places)) };
        let format = || font.clone().set_align(FormatAlign::Top).set_align(FormatAlign::Right);
        Self {
            places,
            figure: format().set_num_format(figure),
            percentage: format().set_num_format("0.0"),
            mark: format(),
        }
    }

    fn write(&self, sheet: &mut Worksheet, at: (u32, u16), entry: Entry, scale: i64) -> Result<(), XlsxError> {
        let (row, column) = at;
        match entry {
            Entry::Figure(value) if value.unsigned_abs() <= LARGEST_EXACT => {
                sheet.write_number_with_format(row, column, value as f64 / scale as f64, &self.figure)?
            }
            Entry::Figure(value) => {
                sheet.write_string_with_format(row, column, plain(value, scale, self.places), &self.mark)?
            }
            Entry::Percentage(percentage) => {
                sheet.write_number_with_format(row, column, percentage, &self.percentage)?
            }
            Entry::Mark(mark) => sheet.write_string_with_format(row, column, mark, &self.mark)?,
        };
        Ok(())
    }
}
