//! ℓ-diversity: enough different sensitive values in every class (Machanavajjhala et al. 2007). A missing value does
//! not count, and a class without values is skipped.

use std::collections::BTreeMap;

use outward_spec::{Diversity, Role, Rules};

use super::Check;
use super::release::Release;

/// One check for each sensitive variable that is published.
pub(super) fn check(release: &Release<'_>) -> Vec<Check> {
    let rules = &release.manifest.rules;
    let Some(l) = rules.l.filter(|l| *l > 1) else { return Vec::new() };
    let groups = &release.classes().groups;
    let sensitive = release.columns().filter(|(column, _)| column.role == Role::Sensitive);
    sensitive
        .map(|(column, values)| {
            let classes = groups.distributions(&values.codes);
            let (records, rows) = groups.rows_where(|group| !is_diverse(&classes[group], l, rules));
            let (name, kind) = (format!("l ({})", column.name), word(rules.l_measure));
            match records {
                0 => Check::holds(name, format!("every class has at least {l} values, {kind}")),
                _ => Check::fails(name, format!("records in classes with fewer than {l} values, {kind}: {records}"))
                    .at(rows.map(|row| release.row(row))),
            }
        })
        .collect()
}

fn word(measure: Diversity) -> &'static str {
    match measure {
        Diversity::Distinct => "different ones counted",
        Diversity::Entropy => "by entropy",
        Diversity::Recursive => "recursively",
    }
}

/// Whether a class with these counts of values is diverse.
pub(super) fn is_diverse(class: &BTreeMap<u32, u64>, l: u64, rules: &Rules) -> bool {
    if class.is_empty() {
        return true;
    }
    let total: u64 = class.values().sum();
    match rules.l_measure {
        Diversity::Distinct => class.len() as u64 >= l,
        Diversity::Entropy => {
            let share = |count: &u64| *count as f64 / total as f64;
            let entropy: f64 = class.values().map(share).map(|share| -share * share.ln()).sum();
            entropy >= (l as f64).ln() - 1e-9
        }
        Diversity::Recursive => {
            let mut counts: Vec<u64> = class.values().copied().collect();
            counts.sort_unstable_by(|a, b| b.cmp(a));
            let rest: u64 = counts.iter().skip(usize::try_from(l.saturating_sub(1)).unwrap_or(usize::MAX)).sum();
            (counts[0] as f64) < rules.l_factor * rest as f64
        }
    }
}
