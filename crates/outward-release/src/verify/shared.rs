//! Checks k-anonymity: on all keys, on subsets of keys and records, and on every combination of a few keys.

use outward_spec::{Error, Result};

use super::Check;
use super::groups::KeyGroups;
use super::read::matching;
use super::release::{PublishedClasses, Release};

/// k-anonymity on all published keys.
pub(super) fn check_k(release: &Release<'_>) -> Check {
    let k = release.manifest.rules.k;
    if release.keys().is_empty() {
        return Check::holds("k", "no keys are published");
    }
    let PublishedClasses { groups, sizes } = release.classes();
    verdict(release, "k", "all keys", groups, sizes, k)
}

/// The k of each subset of keys and records.
pub(super) async fn check_subsets(release: &Release<'_>, threads: usize) -> Result<Vec<Check>> {
    let mut checks = Vec::new();
    for subset in &release.manifest.subsets {
        let name = format!("weak k ({})", subset.name);
        let counted = match &subset.condition {
            None => None,
            Some(condition) => match matching(release, condition, threads).await {
                Ok(counted) => Some(counted),
                Err(error @ (Error::Bug(_) | Error::Stopped)) => return Err(error),
                Err(_) => {
                    let says = "its condition cannot be worked out on the published columns";
                    checks.push(Check::cannot_tell(name, says));
                    continue;
                }
            },
        };
        let groups = release.grouped(&subset.keys, counted.as_deref());
        checks.push(verdict(release, &name, &subset.keys.join(", "), &groups, &groups.sizes(), subset.k));
    }
    Ok(checks)
}

/// Checks k on every combination of up to so many keys. If missing is a value, combinations of fewer keys are shared by
/// at least as many records. If missing matches everything, this does not hold: a record with two of three keys may
/// lack the one that is counted.
pub(super) fn check_combinations(release: &Release<'_>) -> Option<Check> {
    let asked = release.manifest.rules.all_combinations?;
    let keys = release.keys();
    let size = asked.keys.min(keys.len());
    let groups = &release.classes().groups;
    let mut smallest = vec![u64::MAX; groups.len()];
    let wild = keys.iter().any(|key| release.is_wild(key));
    let sizes = if wild { 1..=size } else { size..=size };
    for chosen in sizes.flat_map(|size| combinations(keys.len(), size)) {
        for (smallest, size) in smallest.iter_mut().zip(groups.sizes_on(&chosen)) {
            *smallest = size.min(*smallest);
        }
    }
    Some(verdict(release, "all combinations", &format!("any {size} keys"), groups, &smallest, asked.k))
}

fn verdict(release: &Release<'_>, name: &str, keys: &str, groups: &KeyGroups, sizes: &[u64], k: u64) -> Check {
    let smallest = sizes.iter().copied().min();
    let (records, rows) = groups.rows_where(|group| sizes[group] < k);
    match (records, smallest) {
        (0, None) => Check::holds(name, "there are no such records"),
        (0, Some(least)) => Check::holds(
            name,
            format!("every combination of {keys} is shared by {k} records or more: {least} at least"),
        ),
        (_, least) => {
            let least = least.unwrap_or_default();
            let says = format!(
                "classes of {keys} must have {k} records or more; records in smaller ones: {records}, smallest class: {least}"
            );
            Check::fails(name, says).at(rows.map(|row| release.row(row)))
        }
    }
}

/// Every choice of `size` of the numbers below `all`, in order.
fn combinations(all: usize, size: usize) -> Vec<Vec<usize>> {
    let mut chosen = vec![Vec::new()];
    for _ in 0..size {
        chosen = chosen
            .into_iter()
            .flat_map(|some: Vec<usize>| {
                let next = some.last().map_or(0, |last| last + 1);
                (next..all).map(move |more| [&some[..], &[more]].concat())
            })
            .collect();
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::combinations;

    #[test]
    fn every_choice_of_keys_is_there_once() {
        assert_eq!(combinations(4, 2), [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]]);
        assert_eq!(combinations(3, 3), [[0, 1, 2]]);
        assert_eq!(combinations(12, 3).len(), 220);
    }
}
