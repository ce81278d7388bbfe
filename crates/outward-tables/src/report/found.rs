//! The findings of a table: each rule once, with what was done about it, then the cells that break it.

use outward_report::{Block, Column, Finding as Shown, Table as Grid, Tone, Value};
use outward_spec::{FindingKind, Severity};

use super::{ROWS, Remedies};
use crate::judge::{KINDS, Note, NoteKind, Unsafe, Verdict, kind_of, kind_of_note, who};
use crate::table::Table;
use crate::words::capital;

/// The findings of a table, the worst first, each with its cells or lines.
pub(super) fn blocks(table: &Table, verdict: &Verdict, remedies: &Remedies) -> Vec<Block> {
    let mut all: Vec<(Shown, Grid)> = Vec::new();
    for kind in KINDS {
        let cells: Vec<&Unsafe> =
            verdict.unsafe_cells.iter().filter(|found| kind_of(found.rule).code == kind.code).collect();
        if !cells.is_empty() {
            let broken = Broken::new(kind, cells, remedies);
            all.push((broken.finding(), broken.grid(table)));
        }
        for what in [NoteKind::DominatedByZeros, NoteKind::LargeGroup] {
            let is_it = |note: &&Note| note.kind == what && kind_of_note(what).code == kind.code;
            let lines: Vec<&Note> = verdict.notes.iter().filter(is_it).collect();
            if !lines.is_empty() {
                all.push((looked_at(kind, what, lines.len()), lines_of(kind, &lines)));
            }
        }
    }
    all.sort_by_key(|(finding, _)| {
        [Tone::Bad, Tone::Caution, Tone::Neutral].iter().position(|tone| *tone == finding.tone)
    });
    all.into_iter().flat_map(|(finding, grid)| [Block::Findings(vec![finding]), Block::Table(grid)]).collect()
}

/// The cells that break the rules of one kind.
struct Broken<'a> {
    kind: &'static FindingKind,
    found: Vec<&'a Unsafe>,
    /// How many cells there are. A cell that breaks several rules counts once.
    cells: usize,
    /// How many of them nothing was done about, or not enough.
    open: usize,
    remedies: &'a Remedies,
}

impl<'a> Broken<'a> {
    fn new(kind: &'static FindingKind, found: Vec<&'a Unsafe>, remedies: &'a Remedies) -> Self {
        let mut cells: Vec<usize> = found.iter().map(|found| found.cell).collect();
        cells.sort_unstable();
        cells.dedup();
        let open = cells.iter().filter(|cell| remedies.word(**cell).is_none()).count();
        Self { kind, found, cells: cells.len(), open, remedies }
    }

    /// The rule, if all these cells break the same.
    fn rule(&self) -> Option<String> {
        let words = |found: &Unsafe| format!("{} (risk category {})", found.because, found.category);
        let first = words(self.found.first()?);
        self.found.iter().all(|found| words(found) == first).then_some(first)
    }

    fn finding(&self) -> Shown {
        let mut detail = format!("{}, named below.", number(self.cells, "cell"));
        if let Some(rule) = self.rule() {
            detail = format!("{}: {detail}", capital(&rule));
        }
        if let Some(found) = self.found.first() {
            detail += &format!(" {} could make use of it.", capital(&who(&found.intruders)));
        }
        let how = self.found.iter().find_map(|found| self.remedies.word(found.cell)).unwrap_or_default();
        let (headline, tone) = match self.open {
            0 => (format!("{} (dealt with: {how})", self.kind.title), Tone::Neutral),
            open if open < self.cells => {
                detail += &format!(" {open} can still be worked out.");
                (self.kind.title.to_owned(), tone(self.kind.severity))
            }
            _ => (self.kind.title.to_owned(), tone(self.kind.severity)),
        };
        let advice = if self.open == 0 { String::new() } else { self.kind.what_to_do.to_owned() };
        Shown { code: self.kind.code.to_owned(), tone, headline, detail, advice }
    }

    /// The cells, with a column for each variable. If the reason or the remedy differs, it has a column too. Cells that
    /// are still open come first.
    fn grid(&self, table: &Table) -> Grid {
        let why = self.rule().is_none();
        let done = (1..self.cells).contains(&self.open);
        let mut columns: Vec<Column> = table.dimensions.iter().map(|of| Column::left(&of.label)).collect();
        columns.extend(why.then(|| Column::left("Why")));
        columns.extend(done.then(|| Column::left("Done")));
        let mut grid = Grid::new(format!("{}: {}", self.kind.code, number(self.cells, "cell")), columns);
        let mut found = self.found.clone();
        found.sort_by_key(|found| self.remedies.word(found.cell).is_some());
        for found in found.iter().take(ROWS) {
            let nodes = table.dimensions.iter().zip(table.nodes(found.cell));
            let mut row: Vec<Value> = nodes.map(|(of, node)| of.nodes[node].label.as_str().into()).collect();
            row.extend(why.then(|| Value::Text(format!("{} (risk category {})", found.because, found.category))));
            let word = self.remedies.word(found.cell).unwrap_or("can still be worked out");
            row.extend(done.then(|| Value::from(word)));
            grid.rows.push(row);
        }
        let more = found.len().saturating_sub(ROWS);
        grid.more = (more > 0).then(|| format!("{more} more."));
        grid
    }
}

/// Lines that a person should look at, although nothing must be hidden.
fn looked_at(kind: &FindingKind, what: NoteKind, lines: usize) -> Shown {
    let (headline, detail) = match what {
        NoteKind::DominatedByZeros => (kind.title, "Most cells of the line are zero"),
        NoteKind::LargeGroup => (
            "A large group is nearly all in one category",
            "This is more likely a fact about the category than about its people; nothing is hidden for it",
        ),
    };
    Shown {
        code: kind.code.to_owned(),
        tone: Tone::Caution,
        headline: headline.to_owned(),
        detail: format!("{detail}: {}, named below.", number(lines, "line")),
        advice: "Look at these lines and ask what one would learn of someone in them.".to_owned(),
    }
}

fn lines_of(kind: &FindingKind, lines: &[&Note]) -> Grid {
    let mut grid = Grid::new(format!("{}: {}", kind.code, number(lines.len(), "line")), [Column::left("Line")]);
    grid.rows = lines.iter().take(ROWS).map(|note| vec![note.line.as_str().into()]).collect();
    let more = lines.len().saturating_sub(ROWS);
    grid.more = (more > 0).then(|| format!("{more} more."));
    grid
}

fn tone(severity: Severity) -> Tone {
    match severity {
        Severity::High => Tone::Bad,
        Severity::Medium | Severity::Low => Tone::Caution,
        Severity::Info => Tone::Neutral,
    }
}

fn number(count: usize, of: &str) -> String {
    format!("{} {of}{}", outward_report::format::count(count as u64), if count == 1 { "" } else { "s" })
}
