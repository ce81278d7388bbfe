//! The report on tables, for the custodian.

mod found;
mod noise;
mod proposals;
mod remedy;

use outward_report::{
    Block, Column, Figure as Number, Report, Section, Table as Grid, Tone, Value, Verdict as Headline,
};
use outward_spec::{CaseRating, ProtectionMethod, Rules, Spec};

use crate::judge::{Applied, Verdict};
use crate::make::CountedTable;
use crate::protect::{Outcome, Protected};
use crate::redesign::Redesign;
use crate::table::Table;

pub use remedy::Remedies;

/// Most rows of a table that are shown.
const ROWS: usize = 40;

/// The report on tables.
pub fn report(
    spec: &Spec,
    rules: &Rules,
    made: &[CountedTable],
    verdicts: &[Verdict],
    redesigns: &[Vec<Redesign>],
    protected: &Protected,
) -> Report {
    let mut sections = vec![overview(made, verdicts, protected)];
    for (at, ((made, verdict), redesigns)) in made.iter().zip(verdicts).zip(redesigns).enumerate() {
        let remedies = Remedies::new(spec.protection.method, protected, at);
        let judged = Judged { made, verdict, redesigns, outcome: &protected.outcomes[at], remedies };
        sections.extend(judged.section(spec));
    }
    sections.extend(noise::section(&protected.noise));
    Report {
        title: spec.title.clone().unwrap_or_else(|| "Tables".to_owned()),
        subtitle: format!("Tables judged by the policy {} (version {})", rules.policy, rules.version),
        verdict: headline(spec, protected),
        sections,
        footer: vec![format!("Made by {}.", concat!("outward ", env!("CARGO_PKG_VERSION")))],
    }
}

fn headline(spec: &Spec, protected: &Protected) -> Headline {
    let sum = |of: fn(&Outcome) -> usize| protected.outcomes.iter().map(of).sum::<usize>() as u64;
    let (primary, open) = (sum(|outcome| outcome.primary), sum(|outcome| outcome.recoverable + outcome.too_tight));
    let (tone, headline, detail) = match (primary, open, spec.protection.method) {
        (0, 0, _) => (Tone::Good, "No cell is unsafe", "The tables may be published as they are."),
        (_, 0, ProtectionMethod::CellKey) => (
            Tone::Good,
            "The unsafe cells are protected",
            "The cell key method may have changed any count, so no published count can be taken for the true one. The end of the \
             report says how large the changes are.",
        ),
        (_, 0, _) if !protected.too_large.is_empty() && protected.accepted.is_none() => (
            Tone::Bad,
            "Some tables are too large to be checked together",
            "No table was written. Leave one of them out, join them into one, or show fewer values.",
        ),
        (_, 0, _) if !protected.too_large.is_empty() => (
            Tone::Caution,
            "The unsafe cells are protected as far as could be checked",
            "Some tables are too large to be checked together. The spec accepts that.",
        ),
        (_, 0, _) => (
            Tone::Good,
            "The unsafe cells are protected",
            "Even an attacker who has all these tables and solves for what they do not show cannot work out an unsafe cell.",
        ),
        (_, _, ProtectionMethod::None) => (
            Tone::Bad,
            "There are unsafe cells, and nothing protects them",
            "Redesign the tables first: join categories, or show fewer variables. Round or hide what is still unsafe.",
        ),
        _ => (Tone::Bad, "Unsafe cells can still be worked out", "No table was written."),
    };
    Headline {
        tone,
        headline: headline.to_owned(),
        detail: detail.to_owned(),
        figures: vec![
            Number::new(protected.outcomes.len() as u64, "tables"),
            Number::new(sum(|outcome| outcome.published_cells), "cells"),
            Number::new(primary, "unsafe"),
            Number::new(sum(|outcome| outcome.secondary), "secondary suppressions"),
            Number::new(open, "can be worked out"),
        ],
    }
}

fn overview(made: &[CountedTable], verdicts: &[Verdict], protected: &Protected) -> Section {
    let level = |(made, verdict): (&CountedTable, &Verdict)| match &verdict.assumed {
        Some(level) => Some(format!("{level}*")),
        None => made.table.geography.clone(),
    };
    let levels: Vec<Option<String>> = made.iter().zip(verdicts).map(level).collect();
    let by_geography = levels.iter().any(Option::is_some);
    let mut columns = vec![Column::left("Table"), Column::left("Risk")];
    columns.extend(by_geography.then(|| Column::left("Judged as")));
    columns.extend(["Cells", "Unsafe", "Secondary", "Can be worked out"].map(Column::right));
    let mut grid = Grid::new("All tables", columns);
    for (((made, verdict), level), outcome) in made.iter().zip(verdicts).zip(levels).zip(&protected.outcomes) {
        let mut row: Vec<Value> = vec![made.table.name.as_str().into(), verdict.category.as_str().into()];
        row.extend(by_geography.then(|| level.into()));
        let counts = [outcome.published_cells, outcome.primary, outcome.secondary, outcome.recoverable];
        row.extend(counts.map(|count| Value::Count(count as u64)));
        grid.rows.push(row);
    }
    let assumed = verdicts.iter().find_map(Verdict::assumption);
    grid.more = assumed.map(|words| {
        let words = crate::words::capital(&words);
        format!("* {words}. Where a table is of a smaller area, say so with `geography` in its `[[tables]]`.")
    });
    Section { blocks: vec![Block::Table(grid)], ..Section::new("tables", "The tables") }
}

/// Everything that the report says about a table.
struct Judged<'a> {
    made: &'a CountedTable,
    verdict: &'a Verdict,
    redesigns: &'a [Redesign],
    outcome: &'a Outcome,
    remedies: Remedies,
}

impl Judged<'_> {
    /// The section of a table; `None` if there is nothing to report.
    fn section(&self, spec: &Spec) -> Option<Section> {
        let table = &self.made.table;
        let (mut blocks, notes) = (found::blocks(table, self.verdict, &self.remedies), &self.outcome.notes);
        if blocks.is_empty() && notes.is_empty() {
            return None;
        }
        blocks.extend(proposals::blocks(spec, self.made, self.redesigns));
        let several = self.verdict.cases.len() > 1;
        let cases = self.verdict.cases.iter().map(|case| in_words(case, several));
        let assumption = self.verdict.assumption().map(|words| format!("{}.", crate::words::capital(&words)));
        let done = notes.iter().map(|note| format!("{}.", crate::words::capital(note)));
        let intro: Vec<String> = cases.chain(assumption).chain(done).collect();
        Some(Section { intro: intro.join("\n\n"), blocks, ..Section::new(slug(&table.name), heading(table)) })
    }
}

fn heading(table: &Table) -> String {
    match table.title == table.name {
        true => table.name.clone(),
        false => format!("{}: {}", table.name, table.title),
    }
}

/// What a case of the policy says, and for which rows if there are several cases.
fn in_words(case: &Applied, several: bool) -> String {
    let by = match case.scenario.as_str() {
        "" => "By the policy".to_owned(),
        scenario => format!("Scenario {scenario} of the policy"),
    };
    let rows = match case.rating.filter(|_| several) {
        Some(CaseRating::High) => ", for what is rated high",
        Some(CaseRating::Other) => ", for the rest",
        None => "",
    };
    let protection = if case.protection.is_empty() { String::new() } else { format!(" {}.", case.protection) };
    format!("{by}{rows}: {} risk. {}.{protection}", case.category, case.action)
}

fn slug(name: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
    format!("table-{}", name.chars().map(plain).collect::<String>())
}
