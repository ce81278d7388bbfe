//! What came of tables, as a report for the custodian.

use outward_report::{
    Block, Column, Figure as Number, Finding as Shown, Report, Section, Table as Grid, Tone, Value, Verdict as Headline,
};
use outward_spec::{Finding, Method, Rules, Severity, Spec};

use crate::judge::{Verdict, findings};
use crate::make::Made;
use crate::protect::Protected;
use crate::redesign::Redesign;
use crate::table::Table;

/// Rows of a table that are shown.
const ROWS: usize = 40;

/// The report on tables.
pub fn report(
    spec: &Spec,
    rules: &Rules,
    made: &[Made],
    verdicts: &[Verdict],
    redesigns: &[Vec<Redesign>],
    protected: &Protected,
) -> Report {
    let mut sections = vec![overview(made, verdicts, protected)];
    for (((made, verdict), redesigns), outcome) in made.iter().zip(verdicts).zip(redesigns).zip(&protected.outcomes) {
        sections.extend(of_table(&made.table, verdict, redesigns, &outcome.notes));
    }
    Report {
        title: spec.title.clone().unwrap_or_else(|| "Tables".to_owned()),
        subtitle: format!("Tables judged by the policy {} (version {})", rules.policy, rules.version),
        verdict: headline(spec, protected),
        sections,
        footer: vec![format!("Made by {}.", concat!("outward ", env!("CARGO_PKG_VERSION")))],
    }
}

fn headline(spec: &Spec, protected: &Protected) -> Headline {
    let sum = |of: fn(&crate::protect::Outcome) -> usize| protected.outcomes.iter().map(of).sum::<usize>() as u64;
    let (primary, open) = (sum(|outcome| outcome.primary), sum(|outcome| outcome.recoverable + outcome.too_tight));
    let (tone, headline, detail) = match (primary, open) {
        (0, 0) => (Tone::Good, "No cell is unsafe", "The tables may be published as they are."),
        (_, 0) => (
            Tone::Good,
            "The unsafe cells are protected",
            "An attacker who has all these tables, and solves for what is missing, cannot work out an unsafe cell.",
        ),
        _ if spec.protection.method == Method::None => (
            Tone::Bad,
            "There are unsafe cells, and nothing protects them",
            "Redesign the tables first: join categories, or show fewer variables. Round or hide what is still unsafe.",
        ),
        _ => (Tone::Bad, "Unsafe cells can still be worked out", "The tables are not written."),
    };
    Headline {
        tone,
        headline: headline.to_owned(),
        detail: detail.to_owned(),
        figures: vec![
            Number::new(protected.outcomes.len() as u64, "tables"),
            Number::new(sum(|outcome| outcome.published_cells), "cells"),
            Number::new(primary, "unsafe"),
            Number::new(sum(|outcome| outcome.secondary), "hidden besides"),
            Number::new(open, "can be worked out"),
        ],
    }
}

fn overview(made: &[Made], verdicts: &[Verdict], protected: &Protected) -> Section {
    let columns = [
        Column::left("Table"),
        Column::left("Risk"),
        Column::right("Cells"),
        Column::right("Unsafe"),
        Column::right("Hidden besides"),
        Column::right("Can be worked out"),
    ];
    let mut grid = Grid::new("All tables", columns);
    for ((made, verdict), outcome) in made.iter().zip(verdicts).zip(&protected.outcomes) {
        grid.rows.push(vec![
            made.table.name.as_str().into(),
            verdict.category.as_str().into(),
            (outcome.published_cells as u64).into(),
            (outcome.primary as u64).into(),
            (outcome.secondary as u64).into(),
            (outcome.recoverable as u64).into(),
        ]);
    }
    Section { blocks: vec![Block::Table(grid)], ..Section::new("tables", "The tables") }
}

/// A table that has something to be said of it.
fn of_table(table: &Table, verdict: &Verdict, redesigns: &[Redesign], notes: &[String]) -> Option<Section> {
    let found = findings(table, verdict);
    if found.is_empty() && notes.is_empty() {
        return None;
    }
    let words = verdict.cases.iter().map(|case| {
        let protection = if case.protection.is_empty() { String::new() } else { format!(" {}.", case.protection) };
        format!("{}: {} risk. {}.{protection}", scenario(&case.scenario), case.category, case.action)
    });
    let intro: Vec<String> = words.chain(notes.iter().map(|note| format!("Done: {note}."))).collect();
    let mut blocks = vec![Block::Findings(by_kind(&found))];
    if !found.is_empty() {
        blocks.push(Block::Table(places(table, &found)));
    }
    if !redesigns.is_empty() {
        blocks.push(Block::Table(proposals(redesigns)));
        let best = redesigns.iter().filter(|redesign| redesign.unsafe_left == 0).take(1);
        blocks.extend(best.map(|redesign| Block::Table(preview(redesign))));
    }
    let heading = match table.title == table.name {
        true => table.name.clone(),
        false => format!("{}: {}", table.name, table.title),
    };
    Some(Section { intro: intro.join("\n\n"), blocks, ..Section::new(slug(&table.name), heading) })
}

fn scenario(scenario: &str) -> String {
    if scenario.is_empty() { "By the policy".to_owned() } else { format!("Scenario {scenario} of the policy") }
}

/// One finding of each kind, with how often it was made.
fn by_kind(found: &[Finding]) -> Vec<Shown> {
    let mut shown: Vec<Shown> = Vec::new();
    for finding in found {
        if shown.iter().any(|known| known.code == finding.code) {
            continue;
        }
        let same: Vec<&Finding> = found.iter().filter(|other| other.code == finding.code).collect();
        let kind = outward_spec::explain(&finding.code).ok();
        shown.push(Shown {
            code: finding.code.clone(),
            tone: match same.iter().map(|finding| finding.severity).max().unwrap_or(Severity::Info) {
                Severity::High => Tone::Bad,
                Severity::Medium | Severity::Low => Tone::Caution,
                Severity::Info => Tone::Neutral,
            },
            headline: kind.map_or_else(String::new, |kind| kind.title.to_owned()),
            detail: match same.len() {
                1 => "At one place, below.".to_owned(),
                places => format!("At {places} places, below."),
            },
            advice: kind.map_or_else(String::new, |kind| kind.what_to_do.to_owned()),
        });
    }
    shown
}

/// Where each finding was made, by which rule, and who could make use of it.
fn places(table: &Table, found: &[Finding]) -> Grid {
    let mut grid = Grid::new("Where", [Column::left("Code"), Column::left("Cell, rule and intruder")]);
    let prefix = format!("table `{}`, ", table.name);
    for finding in found.iter().take(ROWS) {
        let message = finding.message.strip_prefix(&prefix).unwrap_or(&finding.message);
        grid.rows.push(vec![finding.code.as_str().into(), message.into()]);
    }
    let more = found.len().saturating_sub(ROWS);
    grid.more = (more > 0).then(|| format!("{more} more"));
    grid
}

fn proposals(redesigns: &[Redesign]) -> Grid {
    let columns = [Column::left("Redesign"), Column::right("Information lost"), Column::right("Unsafe cells left")];
    let mut grid = Grid::new("Redesigns", columns);
    for redesign in redesigns {
        grid.rows.push(vec![
            redesign.changes().join("; ").into(),
            Value::Share(redesign.lost),
            (redesign.unsafe_left as u64).into(),
        ]);
    }
    grid
}

/// The best redesign as a table; its cells are safe, so that its counts may be seen.
fn preview(redesign: &Redesign) -> Grid {
    let table = &redesign.table;
    let Some((last, rows)) = table.dimensions.split_last() else { return Grid::default() };
    let mut columns: Vec<Column> = rows.iter().map(|dimension| Column::left(&dimension.label)).collect();
    columns.extend(last.nodes.iter().map(|node| Column::right(&node.label)));
    let mut grid = Grid::new(format!("{}, redesigned: {}", table.name, redesign.changes().join("; ")), columns);
    let width = last.nodes.len();
    for line in (0..table.len() / width.max(1)).take(ROWS) {
        let nodes = table.nodes(line * width);
        let mut row: Vec<Value> =
            rows.iter().zip(&nodes).map(|(dimension, node)| dimension.nodes[*node].label.as_str().into()).collect();
        row.extend((0..width).map(|at| Value::Count(table.counts[line * width + at])));
        grid.rows.push(row);
    }
    let more = (table.len() / width.max(1)).saturating_sub(ROWS);
    grid.more = (more > 0).then(|| format!("{more} more rows"));
    grid
}

fn slug(name: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
    format!("table-{}", name.chars().map(plain).collect::<String>())
}
