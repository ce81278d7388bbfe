//! Findings that follow from the measures.

use outward_report::format::{count, number, share};
use outward_spec::{Finding, Severity, kinds};

use crate::assessment::{Assessment, TableRisk};

/// A variable drives the risk if it alone accounts for at least this share of the uniques.
const DRIVES_FROM: f64 = 0.5;
/// A key is nearly unique if its number of values is at least this share of the number of records.
const NEAR_UNIQUE_FROM: f64 = 0.5;

/// The findings that follow from the measures.
pub(crate) fn of_measures(assessment: &Assessment) -> Vec<Finding> {
    let mut findings = Vec::new();
    classes(assessment, &mut findings);
    tables(assessment, &mut findings);
    population(assessment, &mut findings);
    scenarios(assessment, &mut findings);
    sensitive(assessment, &mut findings);
    drivers(assessment, &mut findings);
    findings
}

/// Most severe first, then by code; findings of one kind stay in their order.
pub(crate) fn sort(findings: &mut [Finding]) {
    findings.sort_by(|a, b| b.severity.cmp(&a.severity).then_with(|| a.code.cmp(&b.code)));
}

/// Whether a grave finding says that the policy, or a scenario of the spec, is not met. Other grave findings are risks
/// that the policy does not name.
pub(crate) fn breaks_policy(finding: &Finding) -> bool {
    let asked = [
        &kinds::SMALLEST_CLASS,
        &kinds::RECORDS_BELOW_K,
        &kinds::WEAK_K,
        &kinds::HOMOGENEOUS_CLASS,
        &kinds::DISTANT_DISTRIBUTION,
        &kinds::FORBIDDEN_ROLE,
        &kinds::SMALL_PLACES,
        &kinds::MODEL_NOT_MET,
    ];
    finding.severity == Severity::High && asked.iter().any(|kind| kind.code == finding.code)
}

fn of_records(part: u64, assessment: &Assessment) -> String {
    format!(
        "{} of {} records ({})",
        count(part),
        count(assessment.records),
        share(part as f64 / assessment.records as f64)
    )
}

/// `one key`, `3 keys`.
pub(crate) fn keys(number: usize) -> String {
    if number == 1 { "one key".to_owned() } else { format!("{number} keys") }
}

fn by(names: &[String]) -> String {
    names.join(" × ")
}

fn classes(assessment: &Assessment, findings: &mut Vec<Finding>) {
    let rules = &assessment.rules;
    if let (Some(condition), 0) = (&assessment.condition, assessment.records) {
        let message = format!("no record meets the condition {condition}, so nothing was measured");
        findings.push(Finding::new(&kinds::WEAK_K, message).severity(Severity::Medium));
    }
    if assessment.uniques > 0 {
        let unique_share = assessment.uniques as f64 / assessment.records as f64;
        let message =
            format!("{} are alone on the {}", of_records(assessment.uniques, assessment), keys(assessment.keys.len()));
        let mut finding = Finding::new(&kinds::SAMPLE_UNIQUES, message).records(assessment.uniques);
        match rules.max_unique_share {
            Some(most) if unique_share > most => finding.message += &format!("; the policy allows {}", share(most)),
            _ if rules.k < 2 => finding = finding.severity(Severity::Low),
            _ => {}
        }
        findings.push(finding);
    }
    if assessment.records > 0 && assessment.k < rules.k {
        let records = if assessment.k == 1 { "record" } else { "records" };
        let message = format!(
            "the smallest class has {} {records}, and the policy asks for {}",
            count(assessment.k),
            count(rules.k)
        );
        findings.push(Finding::new(&kinds::SMALLEST_CLASS, message));
    }
    if assessment.below_k > 0 {
        let message =
            format!("{} are in classes of fewer than {}", of_records(assessment.below_k, assessment), count(rules.k));
        findings.push(Finding::new(&kinds::RECORDS_BELOW_K, message).records(assessment.below_k));
    }
}

/// One finding about all tables of a few keys that single someone out. The smallest of them decide how severe it is.
fn tables(assessment: &Assessment, findings: &mut Vec<Finding>) {
    let mut said = Vec::new();
    let mut first: Option<(Severity, &TableRisk)> = None;
    // The table of all keys is what OUT001 is about.
    for (size, severity) in SIZES.into_iter().filter(|(size, _)| *size < assessment.keys.len()) {
        let of_size: Vec<&TableRisk> = assessment.tables.iter().filter(|table| table.keys.len() == size).collect();
        let alone: Vec<&TableRisk> = of_size.iter().copied().filter(|table| table.uniques > 0).collect();
        // Ties go to the first table in the order of the keys.
        let Some(worst) = alone.iter().rev().max_by_key(|table| table.uniques) else { continue };
        said.push(format!(
            "{} of the {} tables of {size} keys (most in {}: {})",
            count(alone.len() as u64),
            count(of_size.len() as u64),
            by(&worst.keys),
            count(worst.uniques),
        ));
        first.get_or_insert((severity, worst));
    }
    let Some((severity, worst)) = first else { return };
    // A tier that asks for no k tolerates uniques; they are still worth knowing.
    let severity = if assessment.rules.k < 2 { Severity::Low } else { severity };
    let message = match said.split_last() {
        Some((last, first)) if !first.is_empty() => {
            format!("records are alone in a cell of {}, and of {last}", first.join(", of "))
        }
        _ => format!("records are alone in a cell of {}", said.concat()),
    };
    let finding = Finding::new(&kinds::TABLE_UNIQUES, message).severity(severity);
    findings.push(finding.variables(worst.keys.clone()).records(worst.uniques));
}

/// How severe it is if a table of so many keys singles someone out.
const SIZES: [(usize, Severity); 3] = [(2, Severity::High), (3, Severity::Medium), (4, Severity::Low)];

fn population(assessment: &Assessment, findings: &mut Vec<Finding>) {
    estimated(assessment, findings);
    let Some(population) = assessment.population.as_ref().and_then(|population| population.file) else { return };
    let misfits = population.not_found + population.too_many;
    if misfits > 0 {
        let message = format!(
            "{} have a combination of the keys that the population lacks, or has less often",
            of_records(misfits, assessment)
        );
        findings.push(Finding::new(&kinds::POPULATION_MISMATCH, message).records(misfits));
    }
    if population.sample_uniques_unique > 0 {
        let message = format!(
            "{} are alone in the population of {} too",
            of_records(population.sample_uniques_unique, assessment),
            count(population.records),
        );
        findings.push(Finding::new(&kinds::POPULATION_UNIQUES, message).records(population.sample_uniques_unique));
    }
}

/// What the models say of the population. If there is a population file, nothing is estimated.
fn estimated(assessment: &Assessment, findings: &mut Vec<Finding>) {
    let population = assessment.population.as_ref().filter(|population| !population.is_counted());
    let models = population.and_then(|population| population.models.as_ref());
    let Some(models) = models.filter(|models| models.details.sample_uniques > 0) else { return };
    let (Some(of_people), Some(uniques)) = (models.chosen.share(), models.details.uniques) else { return };
    let mut message = format!(
        "about {} people, {} of the population, are estimated to be alone on these keys in it",
        number(uniques, 0),
        share(of_people)
    );
    if let Some(expected) = assessment.expected_reidentifications {
        message += &format!("; {} of the records are expected to be found", number(expected, 1));
    }
    findings.push(Finding::new(&kinds::ESTIMATED_UNIQUES, message));
}

fn scenarios(assessment: &Assessment, findings: &mut Vec<Finding>) {
    for scenario in assessment.scenarios.iter().filter(|scenario| scenario.measure.records == 0) {
        let message = format!("no record meets the condition of `{}`, so nothing was measured", scenario.name);
        findings.push(Finding::new(&kinds::WEAK_K, message).severity(Severity::Medium).about(&scenario.name));
    }
    for scenario in assessment.scenarios.iter().filter(|scenario| scenario.measure.below_k > 0) {
        let message = format!(
            "in `{}`, {} of {} records are in classes of fewer than {} on {}",
            scenario.name,
            count(scenario.measure.below_k),
            count(scenario.measure.records),
            count(scenario.wanted_k),
            by(&scenario.keys),
        );
        let finding = Finding::new(&kinds::WEAK_K, message).about(&scenario.name);
        findings.push(finding.variables(scenario.keys.clone()).records(scenario.measure.below_k));
    }
}

fn sensitive(assessment: &Assessment, findings: &mut Vec<Finding>) {
    for risk in &assessment.sensitive {
        let named = |kind, message: String| Finding::new(kind, message).variables([&risk.variable]);
        if let (Some(l), true) = (assessment.rules.l, risk.below_l > 0) {
            let message = format!(
                "{} are in classes with fewer than {} values of {}",
                of_records(risk.below_l, assessment),
                count(l),
                risk.variable
            );
            findings.push(named(&kinds::HOMOGENEOUS_CLASS, message).records(risk.below_l));
        } else if risk.homogeneous_classes > 0 {
            let message = format!(
                "in {} classes of two or more ({} records) everyone has the same {}",
                count(risk.homogeneous_classes),
                count(risk.homogeneous_records),
                risk.variable
            );
            let finding = named(&kinds::HOMOGENEOUS_CLASS, message).severity(Severity::Low);
            findings.push(finding.records(risk.homogeneous_records));
        }
        if let (Some(t), true) = (assessment.rules.t, risk.above_t > 0) {
            let message = format!(
                "{} are in classes where the distribution of {} is more than {} away from that of the whole file",
                of_records(risk.above_t, assessment),
                risk.variable,
                number(t, 2)
            );
            findings.push(named(&kinds::DISTANT_DISTRIBUTION, message).severity(Severity::High).records(risk.above_t));
        }
    }
}

fn drivers(assessment: &Assessment, findings: &mut Vec<Finding>) {
    if assessment.uniques == 0 {
        return;
    }
    if let Some(driver) = assessment.drivers.first().filter(|driver| driver.share_of_uniques >= DRIVES_FROM) {
        let message = format!(
            "without {}, {} of the {} records alone on the keys are no longer alone",
            driver.variable,
            share(driver.share_of_uniques),
            count(assessment.uniques)
        );
        findings.push(Finding::new(&kinds::DRIVING_VARIABLE, message).variables([&driver.variable]));
    }
}

/// Keys with a different value in nearly every record; the cells know how many values each key has.
pub(crate) fn near_unique_keys(values: &[(String, u64)], records: u64) -> Vec<Finding> {
    let near = |values: u64| records >= 100 && values as f64 >= NEAR_UNIQUE_FROM * records as f64;
    values
        .iter()
        .filter(|(_, values)| near(*values))
        .map(|(name, values)| {
            let message = format!("key `{name}` has {} values in {} records", count(*values), count(records));
            Finding::new(&kinds::NEAR_UNIQUE_KEY, message).variables([name])
        })
        .collect()
}
