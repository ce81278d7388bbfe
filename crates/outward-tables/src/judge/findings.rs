//! Makes findings with codes from a verdict.

use outward_spec::{Finding, FindingKind, Intruder, Severity, kinds};

use super::{Note, NoteKind, Rule, Unsafe, Verdict};
use crate::table::Table;

/// The kinds of findings about a table, in the order in which they are reported.
pub(crate) const KINDS: [&FindingKind; 6] = [
    &kinds::UNSAFE_CELL,
    &kinds::UNSAFE_TOTAL,
    &kinds::DOMINATED_BY_ZEROS,
    &kinds::GROUP_DISCLOSURE,
    &kinds::DIFFERENCING,
    &kinds::DOMINATED_SUM,
];

/// The findings of a table. Each names a cell or a line, the rule, and who could make use of it, but never a count.
pub fn findings(table: &Table, verdict: &Verdict) -> Vec<Finding> {
    findings_after(table, verdict, |_| None)
}

/// The findings of a protected table. If `dealt_with` has a word for a cell (`hidden`, `rounded`), its finding says so
/// and is for information only. Every cell has a finding of its own, however many there are.
pub fn findings_after(
    table: &Table,
    verdict: &Verdict,
    dealt_with: impl Fn(usize) -> Option<&'static str>,
) -> Vec<Finding> {
    let mut all = Vec::new();
    for kind in KINDS {
        let cells = verdict.unsafe_cells.iter().filter(|found| kind_of(found.rule).code == kind.code);
        let lines = verdict.notes.iter().filter(|note| kind_of_note(note.kind).code == kind.code);
        all.extend(cells.map(|found| unsafe_cell(table, kind, found, dealt_with(found.cell))));
        all.extend(lines.map(|note| noted(table, kind, note)));
    }
    all
}

pub(crate) fn kind_of(rule: Rule) -> &'static FindingKind {
    match rule {
        Rule::Cell => &kinds::UNSAFE_CELL,
        Rule::Margin => &kinds::UNSAFE_TOTAL,
        Rule::Group => &kinds::GROUP_DISCLOSURE,
        Rule::Differencing => &kinds::DIFFERENCING,
        Rule::Threshold | Rule::Dominance | Rule::PPercent => &kinds::DOMINATED_SUM,
    }
}

pub(crate) fn kind_of_note(kind: NoteKind) -> &'static FindingKind {
    match kind {
        NoteKind::DominatedByZeros => &kinds::DOMINATED_BY_ZEROS,
        NoteKind::LargeGroup => &kinds::GROUP_DISCLOSURE,
    }
}

fn about(finding: Finding, table: &Table) -> Finding {
    finding.about(&table.name).variables(table.dimensions.iter().map(|dimension| &dimension.variable))
}

fn unsafe_cell(table: &Table, kind: &FindingKind, found: &Unsafe, dealt_with: Option<&str>) -> Finding {
    let message = format!(
        "table `{}`, {}: {} (risk category {}); {} could make use of it",
        table.name,
        table.describe(found.cell),
        found.because,
        found.category,
        who(&found.intruders)
    );
    let done = dealt_with.map_or_else(String::new, |how| format!("; dealt with: {how}"));
    about(Finding::new(kind, message + &done).severity(severity(kind, dealt_with)), table)
}

/// The severity of a finding: information, if the cell was dealt with.
fn severity(kind: &FindingKind, dealt_with: Option<&str>) -> Severity {
    if dealt_with.is_some() { Severity::Info } else { kind.severity }
}

fn noted(table: &Table, kind: &FindingKind, note: &Note) -> Finding {
    let what = match note.kind {
        NoteKind::DominatedByZeros => "most of its cells are zero",
        NoteKind::LargeGroup => "a large group is nearly all in one category; hide it if that is not known anyway",
    };
    let finding = Finding::new(kind, format!("table `{}`, {}: {what}", table.name, note.line));
    about(finding.severity(Severity::Low), table)
}

/// Who could make use of a cell, in words.
pub(crate) fn who(intruders: &[Intruder]) -> String {
    let name = |intruder: &Intruder| match intruder {
        Intruder::Motivated => "a motivated intruder",
        Intruder::Oneself => "a person who looks for their own record",
        Intruder::Neighbour => "a neighbour",
    };
    let names: Vec<&str> = intruders.iter().map(name).collect();
    match names.split_last() {
        Some((last, [])) => (*last).to_owned(),
        Some((last, first)) => format!("{} or {last}", first.join(", ")),
        None => "nobody".to_owned(),
    }
}
