//! Review (V8): compares a release with the rules of a newer policy, from what the register has of it.

use outward_release::Manifest;
use outward_spec::{Result, Rules};
use outward_tables::{Figure, Published};

use crate::gate::Obstacle;

/// The obstacles of published tables under rules: no unsafe count may be shown.
pub fn review_tables(tables: &[Published], rules: &Rules) -> Vec<Obstacle> {
    let asked = rules.tables.clone().unwrap_or_default();
    let mut findings = Vec::new();
    for published in tables {
        let category = asked.categories.iter().find(|category| category.name == published.category);
        let Some(limit) = category.map(|category| category.cells as i64) else { continue };
        if published.table.magnitudes.is_some() || published.table.weighted.is_some() || published.scale != 1 {
            continue;
        }
        let small = |figure: &Figure| matches!(figure, Figure::Shown(count) if (1..=limit).contains(count));
        let count = published.figures.iter().filter(|figure| small(figure)).count();
        if count > 0 {
            findings.push(finding(format!("table `{}` shows {count} counts from 1 to {limit}", published.table.name)));
        }
    }
    findings
}

/// The obstacles of a release of records under rules, by the measures in its manifest.
///
/// # Errors
/// Where the manifest cannot be read.
pub fn review_records(manifest: &str, rules: &Rules) -> Result<Vec<Obstacle>> {
    // The register has no seed.
    let mut form: serde_json::Value = serde_json::from_str(manifest).map_err(outward_spec::Error::bug)?;
    form.as_object_mut().into_iter().for_each(|form| _ = form.entry("seed").or_insert(0.into()));
    let Manifest { after, rules: then, columns, .. } =
        serde_json::from_value(form).map_err(outward_spec::Error::bug)?;
    let mut findings = Vec::new();
    if after.records > 0 && after.smallest_class < rules.k {
        findings.push(finding(format!(
            "the smallest class has {} records, and version {} of `{}` asks for {}",
            after.smallest_class, rules.version, rules.policy, rules.k
        )));
    }
    if rules.highest_risk.is_some_and(|most| after.highest_risk > most) {
        findings.push(finding("the highest risk of a record is above what the policy allows now".to_owned()));
    }
    if rules.average_risk.is_some_and(|most| after.average_risk > most) {
        findings.push(finding("the average risk of a record is above what the policy allows now".to_owned()));
    }
    let unique = after.uniques as f64 / after.records.max(1) as f64;
    if rules.max_unique_share.is_some_and(|most| unique > most) {
        findings.push(finding("more records are unique on the keys than the policy allows now".to_owned()));
    }
    for column in columns.iter().filter(|column| rules.forbid.contains(&column.role)) {
        let name = &column.name;
        findings.push(finding(format!("column `{name}` has a role that the policy forbids now")));
    }
    // For the other rules the manifest has no measure to compare.
    let rest =
        |of: &Rules| (of.weak_k.clone(), of.l, of.t, of.all_combinations, of.k_map, of.presence, of.place_population);
    if rest(rules) != rest(&then) {
        findings.push(finding(
            "the policy now has another weak k, diversity, closeness or place size, which the register cannot compare"
                .to_owned(),
        ));
    }
    Ok(findings)
}

fn finding(says: String) -> Obstacle {
    Obstacle {
        rule: "policy",
        says,
        lines: Vec::new(),
        help: "see whether the release is to be withdrawn, and protect the next one by the new version".to_owned(),
    }
}
