//! All tables on one HTML page that needs nothing else, in the look of the reports.

use outward_report::{Block, Column, Report, Section, Table, Tone, Value, Verdict, render_html};
use outward_spec::Result;

use crate::table::Published;
use crate::words::{Statement, contents, one_line, sentence};

use super::wide::{Entry, Wide};
use super::{Publication, grouped, places};

/// More cells of one table than this are left to its CSV file: browsers take long over them, and nobody reads them.
const MOST_CELLS: usize = 50_000;

/// The tables as one HTML page.
///
/// # Errors
/// Where there are no tables, or figures are not those of a table's cells.
pub fn write_html(publication: &Publication<'_>) -> Result<String> {
    publication.check()?;
    let statement = Statement::of(publication);
    let mut sections: Vec<Section> =
        publication.tables.iter().enumerate().map(|(number, published)| section(number, published)).collect();
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

fn section(number: usize, published: &Published) -> Section {
    let table = &published.table;
    let (name, title) = (one_line(&table.name), one_line(&table.title));
    let heading = if title == name || title.is_empty() { name } else { format!("{name}: {title}") };
    let mut section = Section::new(format!("table-{}", number + 1), heading);
    section.intro = format!("{}\n\n{}", contents(published), sentence(&published.protection));
    section.blocks.push(Block::Table(wide(published)));
    section
}

fn wide(published: &Published) -> Table {
    let wide = Wide::new(published);
    let places = places(published);
    let column = |(position, heading): (usize, String)| match position < wide.labels() {
        true => Column::left(heading),
        false => Column::right(heading),
    };
    let caption = if published.table.title.is_empty() { &published.table.name } else { &published.table.title };
    let mut table = Table::new(caption, wide.headings().into_iter().enumerate().map(column));
    let shown = wide.rows().min((MOST_CELLS / wide.columns().max(1)).max(1));
    for row in 0..shown {
        let labels = wide.row_labels(row).into_iter().map(Value::from);
        let entries = wide.row(row).into_iter().map(|entry| match entry {
            Entry::Figure(figure) => Value::Text(grouped(figure, published.scale, places)),
            Entry::Percentage(percentage) => Value::Number(percentage, 1),
            Entry::Mark(mark) => mark.into(),
        });
        table.rows.push(labels.chain(entries).collect());
    }
    let left = wide.rows() - shown;
    table.more = (left > 0).then(|| format!("{left} more rows are in the CSV file of this table."));
    table
}

/// What the symbols mean, and the notes, where there are any.
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
