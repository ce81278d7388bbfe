//! Writes all tables on one self-contained HTML page, in the style of the reports.

use outward_report::{Block, Column, Report, Section, Table, Tone, Value, Verdict, render_html};
use outward_spec::Result;

use crate::table::Published;
use crate::words::{Statement, contents, one_line, sentence};

use super::wide::{Entry, Wide};
use super::{Publication, grouped, indented, places};

/// Most cells of a table that the page shows. Larger tables are in their CSV files only, as browsers are slow with
/// them.
const MAX_CELLS_SHOWN: usize = 50_000;

/// The tables as one HTML page.
///
/// # Errors
/// If there are no tables, or figures are not those of a table's cells.
pub fn write_html(publication: &Publication<'_>) -> Result<String> {
    publication.check()?;
    let statement = Statement::new(publication);
    // A sentence that is the same for all tables is given once, above them.
    let alike = publication.tables.iter().all(|published| published.protection == publication.tables[0].protection);
    let tables = publication.tables.iter().enumerate();
    let mut sections: Vec<Section> = tables.map(|(number, published)| section(number, published, alike)).collect();
    sections.extend(notes(publication, &statement));
    let subtitle: Vec<&str> =
        [publication.about].into_iter().filter(|about| !about.is_empty()).chain(publication.date).collect();
    let detail: Vec<String> = [statement.opening].into_iter().chain(statement.done).chain(statement.reading).collect();
    let report = Report {
        title: publication.title.to_owned(),
        subtitle: subtitle.join(" · "),
        verdict: Verdict {
            tone: Tone::Neutral,
            headline: "How people are protected in these tables".to_owned(),
            detail: detail.join("\n\n"),
            figures: Vec::new(),
        },
        sections,
        footer: publication.source.map(|source| format!("Source: {}", sentence(source))).into_iter().collect(),
    };
    Ok(render_html(&report))
}

fn section(number: usize, published: &Published, alike: bool) -> Section {
    let table = &published.table;
    let (name, title) = (one_line(&table.name), one_line(&table.title));
    let heading = if title == name || title.is_empty() { name } else { format!("{name}: {title}") };
    let mut section = Section::new(format!("table-{}", number + 1), heading);
    section.intro = contents(published);
    if !alike {
        section.intro += &format!("\n\n{}", sentence(&published.protection));
    }
    section.blocks = grids(published).into_iter().map(Block::Table).collect();
    section
}

/// The figures as a table, and the percentages as another if there are any.
fn grids(published: &Published) -> Vec<Table> {
    let wide = Wide::new(published);
    let places = places(published);
    let title = if published.table.title.is_empty() { &published.table.name } else { &published.table.title };
    let across = wide.across().map_or_else(String::new, |across| format!(" (across: {})", across.label));
    let column = |(position, heading): (usize, String)| match position < wide.labels() {
        true => Column::left(heading),
        false => Column::right(heading),
    };
    let headings = wide.headings(|_, node, depth| of_which(&node.label, depth)).into_iter();
    let columns: Vec<Column> = headings.take(wide.labels() + wide.width()).enumerate().map(column).collect();
    let mut grids = vec![Table::new(format!("{title}{across}"), columns.clone())];
    if wide.columns() > columns.len() {
        grids.push(Table::new(format!("{title}, per cent{across}"), columns));
    }
    let shown = wide.rows().min((MAX_CELLS_SHOWN / wide.columns().max(1)).max(1));
    for row in 0..shown {
        let labels: Vec<Value> =
            wide.row_labels(row).into_iter().map(|label| Value::Text(indented(label.text, label.depth))).collect();
        let entries: Vec<Value> =
            wide.row(row).into_iter().map(|entry| value(entry, published.scale, places)).collect();
        for (grid, entries) in grids.iter_mut().zip(entries.chunks(wide.width().max(1))) {
            grid.rows.push([labels.as_slice(), entries].concat());
        }
    }
    let left = wide.rows() - shown;
    for grid in grids.iter_mut().filter(|_| left > 0) {
        grid.more = Some(format!("{left} more rows are in the CSV file of this table."));
    }
    grids
}

fn value(entry: Entry, scale: i64, places: usize) -> Value {
    match entry {
        Entry::Figure(figure) => Value::Text(grouped(figure, scale, places)),
        Entry::Percentage(percentage) => Value::Number(percentage, 1),
        Entry::Mark(mark) => mark.into(),
    }
}

/// The heading of a column that is part of the subtotal before it.
fn of_which(label: &str, depth: usize) -> String {
    if depth == 0 { label.to_owned() } else { format!("of which {label}") }
}

/// What the symbols mean, and the notes; `None` if there are neither.
fn notes(publication: &Publication<'_>, statement: &Statement) -> Option<Section> {
    let mut section = Section::new("notes", "Notes");
    if !statement.symbols.is_empty() {
        let mut table = Table::new("Symbols in these tables", [Column::left("Symbol"), Column::left("Meaning")]);
        table.rows =
            statement.symbols.iter().map(|(symbol, meaning)| vec![(*symbol).into(), (*meaning).into()]).collect();
        section.blocks.push(Block::Table(table));
    }
    section.blocks.extend(publication.notes.iter().map(|note| Block::Text(note.clone())));
    (!section.blocks.is_empty()).then_some(section)
}
