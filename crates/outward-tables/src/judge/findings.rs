//! What judging found, as findings with codes.

use outward_spec::{Finding, FindingKind, Intruder, Severity, kinds};

use super::{Note, NoteKind, Rule, Unsafe, Verdict};
use crate::table::Table;

/// So many cells of a table are named one by one for each kind of finding; how many more there are is said in one.
const MOST_NAMED: usize = 100;

const KINDS: [&FindingKind; 6] = [
    &kinds::UNSAFE_CELL,
    &kinds::UNSAFE_TOTAL,
    &kinds::DOMINATED_BY_ZEROS,
    &kinds::GROUP_DISCLOSURE,
    &kinds::DIFFERENCING,
    &kinds::DOMINATED_SUM,
];

/// The findings of a table: each names a cell or a line, the rule and who could make use of it. No count is told.
pub fn findings(table: &Table, verdict: &Verdict) -> Vec<Finding> {
    let mut all = Vec::new();
    for kind in KINDS {
        let cells = verdict.unsafe_cells.iter().filter(|found| kind_of(found.rule).code == kind.code);
        let lines = verdict.notes.iter().filter(|note| kind_of_note(note.kind).code == kind.code);
        let more = (cells.clone().count() + lines.clone().count()).saturating_sub(MOST_NAMED);
        let said =
            (cells.map(|found| unsafe_cell(table, kind, found))).chain(lines.map(|note| noted(table, kind, note)));
        all.extend(said.take(MOST_NAMED));
        if more > 0 {
            let message = format!("table `{}`: the same is true of {more} more", table.name);
            all.push(about(Finding::new(kind, message), table));
        }
    }
    all
}

fn kind_of(rule: Rule) -> &'static FindingKind {
    match rule {
        Rule::Cell => &kinds::UNSAFE_CELL,
        Rule::Margin => &kinds::UNSAFE_TOTAL,
        Rule::Group => &kinds::GROUP_DISCLOSURE,
        Rule::Differencing => &kinds::DIFFERENCING,
        Rule::Threshold | Rule::Dominance | Rule::PPercent => &kinds::DOMINATED_SUM,
    }
}

fn kind_of_note(kind: NoteKind) -> &'static FindingKind {
    match kind {
        NoteKind::DominatedByZeros => &kinds::DOMINATED_BY_ZEROS,
        NoteKind::LargeGroup => &kinds::GROUP_DISCLOSURE,
    }
}

fn about(finding: Finding, table: &Table) -> Finding {
    finding.about(&table.name).variables(table.dimensions.iter().map(|dimension| &dimension.variable))
}

fn unsafe_cell(table: &Table, kind: &FindingKind, found: &Unsafe) -> Finding {
    let message = format!(
        "table `{}`, {}: {} (risk category {}); {} could make use of it",
        table.name,
        table.describe(found.cell),
        found.because,
        found.category,
        who(&found.intruders)
    );
    about(Finding::new(kind, message), table)
}

fn noted(table: &Table, kind: &FindingKind, note: &Note) -> Finding {
    let what = match note.kind {
        NoteKind::DominatedByZeros => "most of its cells are zero",
        NoteKind::LargeGroup => "a large group is nearly all in one category; hide it if that is not known anyway",
    };
    let finding = Finding::new(kind, format!("table `{}`, {}: {what}", table.name, note.line));
    about(finding.severity(Severity::Low), table)
}

fn who(intruders: &[Intruder]) -> String {
    let name = |intruder: &Intruder| match intruder {
        Intruder::Motivated => "a motivated intruder",
        Intruder::Oneself => "someone who looks for herself",
        Intruder::Neighbour => "a neighbour",
    };
    let names: Vec<&str> = intruders.iter().map(name).collect();
    match names.split_last() {
        Some((last, [])) => (*last).to_owned(),
        Some((last, first)) => format!("{} or {last}", first.join(", ")),
        None => "nobody".to_owned(),
    }
}
