//! No count is shown that the policy calls unsafe.

use outward_spec::{CaseRating, Method, TableRules};
use outward_tables::{Figure, Kind, Published};

use super::super::{Check, Place};
use crate::tables::{JSON, TableManifest};

pub(super) fn check(manifest: &TableManifest, tables: &[Published]) -> Check {
    let Some(rules) = &manifest.rules.tables else {
        return Check::cannot_tell("unsafe counts", "the policy has no rules for tables");
    };
    if matches!(manifest.protection.method, Method::Round | Method::CellKey) {
        return Check::holds("unsafe counts", "counts are published rounded or perturbed, not as they are");
    }
    let mut shown = 0;
    for published in
        tables.iter().filter(|published| published.table.magnitudes.is_none() && published.table.weighted.is_none())
    {
        let Some(limits) = Limits::of(published, rules) else {
            let what = format!("the policy has no rule for table `{}`", published.table.name);
            return Check::fails("unsafe counts", what).at([Place::file(JSON)]);
        };
        shown += (0..published.figures.len()).filter(|cell| limits.is_unsafe(published, *cell)).count();
    }
    match shown {
        0 => Check::holds("unsafe counts", "no count is shown that the policy calls unsafe"),
        _ => Check::fails("unsafe counts", format!("{shown} counts are shown that the policy calls unsafe"))
            .at([Place::file(JSON)]),
    }
}

/// The largest unsafe count inside the table and in totals, for values rated high and for others.
struct Limits {
    high: (i64, i64),
    other: (i64, i64),
}

impl Limits {
    fn of(published: &Published, rules: &TableRules) -> Option<Self> {
        let table = &published.table;
        let plain = |name: &str| name.to_lowercase().replace([' ', '-', '_'], "");
        let facts = table.dimensions.iter().filter(|dimension| dimension.kind == Kind::Fact).count();
        let geography = table.geography.as_ref().or(rules.geographies.first());
        let limit = |name: &str| {
            let category = rules.categories.iter().find(|category| category.name == name)?;
            Some((category.cells as i64, category.margins as i64))
        };
        let always = rules.always.iter().find(|case| {
            let names = || case.variables.iter().map(|name| plain(name));
            let shown = |dimension: &outward_tables::Dimension| {
                names().any(|name| name == plain(&dimension.variable) || name == plain(&dimension.label))
            };
            table.dimensions.iter().any(shown)
        });
        if let Some(case) = always {
            let limit = limit(&case.category)?;
            return Some(Self { high: limit, other: limit });
        }
        let of = |rating: CaseRating| {
            let case = rules.cases.iter().find(|case| {
                case.geography.as_ref().is_none_or(|level| Some(level) == geography)
                    && case.facts.is_none_or(|most| facts <= most)
                    && case.rating.is_none_or(|wanted| wanted == rating)
            })?;
            if case.check { limit(&case.category) } else { Some((0, 0)) }
        };
        Some(Self { high: of(CaseRating::High)?, other: of(CaseRating::Other)? })
    }

    fn is_unsafe(&self, published: &Published, cell: usize) -> bool {
        let Figure::Shown(value) = published.figures[cell] else { return false };
        let table = &published.table;
        let nodes = table.nodes(cell);
        let at = || table.dimensions.iter().zip(&nodes);
        let high = at().any(|(dimension, node)| dimension.kind == Kind::Rated && dimension.nodes[*node].high);
        let inner = at().all(|(dimension, node)| dimension.nodes[*node].finest);
        let (cells, margins) = if high { self.high } else { self.other };
        (1..=if inner { cells } else { margins }).contains(&value)
    }
}
