//! No count is shown that the policy calls unsafe.

use outward_spec::{AlwaysCase, CaseRating, ProtectionMethod, TableRules};
use outward_tables::{Dimension, Figure, Kind, Node, Published, Table};

use super::super::{Check, Place};
use super::conditions::condition_of;
use crate::tables::{JSON, TableManifest};

pub(super) fn check(manifest: &TableManifest, tables: &[Published]) -> Check {
    let Some(rules) = &manifest.rules.tables else {
        return Check::cannot_tell("unsafe counts", "the policy has no rules for tables");
    };
    if matches!(manifest.protection.method, ProtectionMethod::Round | ProtectionMethod::CellKey) {
        return Check::holds("unsafe counts", "counts are published rounded or perturbed, not as they are");
    }
    let mut shown = 0;
    for published in
        tables.iter().filter(|published| published.table.magnitudes.is_none() && published.table.weighted.is_none())
    {
        let Some(limits) = Limits::new(&published.table, rules) else {
            let what = format!("the policy has no rule for table `{}`", published.table.name);
            return Check::fails("unsafe counts", what).at([Place::file(JSON)]);
        };
        shown += (0..published.figures.len()).filter(|cell| limits.is_unsafe(published, *cell)).count();
    }
    match shown {
        0 => Check::holds("unsafe counts", "no count is shown that the policy calls unsafe"),
        1 => Check::fails("unsafe counts", "1 count is shown that the policy calls unsafe").at([Place::file(JSON)]),
        _ => Check::fails("unsafe counts", format!("{shown} counts are shown that the policy calls unsafe"))
            .at([Place::file(JSON)]),
    }
}

/// What the policy asks of cells: whether anything, and the category by its place. The larger is the stricter.
type Asked = (bool, usize);

/// What is asked of cells with a part that is rated high, and of those with a part that is not.
pub(super) struct Limits<'a> {
    rules: &'a TableRules,
    high: Option<Asked>,
    other: Option<Asked>,
}

impl<'a> Limits<'a> {
    /// None where the policy has no rule for a rating that the table has.
    pub(super) fn new(table: &Table, rules: &'a TableRules) -> Option<Self> {
        let place = |name: &str| rules.categories.iter().position(|category| category.name == name);
        let always = rules.always.iter().filter(|case| decides(case, table)).map(|case| place(&case.category));
        let always: Option<Vec<usize>> = always.collect();
        if let Some(strictest) = always?.into_iter().max() {
            let asked = Some((true, strictest));
            return Some(Self { rules, high: asked, other: asked });
        }
        let facts = table.dimensions.iter().filter(|dimension| dimension.kind == Kind::Fact).count();
        let geography = table.geography.as_ref().or(rules.geographies.first());
        let of = |rating: CaseRating| {
            let case = rules.cases.iter().find(|case| {
                case.geography.as_ref().is_none_or(|level| Some(level) == geography)
                    && case.facts.is_none_or(|most| facts <= most)
                    && case.rating.is_none_or(|wanted| wanted == rating)
            })?;
            Some((case.check, place(&case.category)?))
        };
        let limits = Self { rules, high: of(CaseRating::High), other: of(CaseRating::Other) };
        let cells = || (0..table.len()).map(|cell| ratings(table, cell));
        let known = !cells().any(|(high, other)| high && limits.high.is_none() || other && limits.other.is_none());
        known.then_some(limits)
    }

    fn is_unsafe(&self, published: &Published, cell: usize) -> bool {
        matches!(published.figures[cell], Figure::Shown(value) if self.forbids(&published.table, cell, value))
    }

    /// Whether a count in a cell would be unsafe.
    pub(super) fn forbids(&self, table: &Table, cell: usize, value: i64) -> bool {
        let (high, other) = ratings(table, cell);
        // A total over rows of several categories takes the strictest of them.
        let asked = self.high.filter(|_| high).max(self.other.filter(|_| other));
        let Some((true, category)) = asked.or(self.high.max(self.other)) else { return false };
        let at = table.dimensions.iter().zip(table.nodes(cell));
        let margin = at.into_iter().any(|(of, node)| of.nodes[node].total || !of.nodes[node].finest);
        let category = &self.rules.categories[category];
        u64::try_from(value)
            .is_ok_and(|value| (1..=if margin { category.margins } else { category.cells }).contains(&value))
    }
}

/// Whether a case that some variables decide alone is that of a table: it shows one of them, or counts records by one.
fn decides(case: &AlwaysCase, table: &Table) -> bool {
    let shown = table.dimensions.iter().flat_map(|of| [plain(&of.variable), plain(&of.label)]);
    let read = condition_of(table).map(|condition| condition.columns).unwrap_or_default();
    let names: Vec<String> = shown.chain(read.iter().map(|column| plain(column))).collect();
    case.variables.iter().any(|name| names.contains(&plain(name)))
}

/// A name as policies compare it.
fn plain(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Whether a cell has a part that is rated high, and whether it has one that is not. A part is rated high by any of its variables.
fn ratings(table: &Table, cell: usize) -> (bool, bool) {
    let each = table.dimensions.iter().zip(table.nodes(cell)).map(|(of, node)| ratings_of(of, &of.nodes[node]));
    each.fold((false, true), |(high, other), (one_high, one_other)| (high || one_high, other && one_other))
}

fn ratings_of(dimension: &Dimension, node: &Node) -> (bool, bool) {
    if dimension.kind != Kind::Rated {
        return (false, true);
    }
    let inside = |part: &&Node| {
        part.finest && !node.finest && part.values.iter().all(|value| node.values.binary_search(value).is_ok())
    };
    let parts: Vec<bool> = dimension.nodes.iter().filter(inside).map(|part| part.high).collect();
    match parts.is_empty() {
        true => (node.high, !node.high),
        false => (parts.contains(&true), parts.contains(&false)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_condition_is_about_the_columns_it_reads_and_about_no_other_words() {
        let decided = |condition: &str, name: &str| {
            let table = Table { condition: Some(condition.to_owned()), ..Table::default() };
            decides(&AlwaysCase { variables: vec![name.to_owned()], ..AlwaysCase::default() }, &table)
        };
        assert!(decided("\"Breath test\" = 'Positive'", "breath-test"));
        assert!(decided("year = 2011 AND breath_test = 1", "Breath test"));
        assert!(decided("breathtest > 0", "breath test"));
        assert!(!decided("breath = 1 OR test = 2", "breath test"));
        assert!(!decided("postage > 4", "age"));
        assert!(!decided("age_group = '16-24'", "age"));
        assert!(!decided("note = 'no breath test'", "breath test"));
    }
}
