//! Findings that follow from what the spec says of the variables.

use outward_cells::Cells;
use outward_places::Mapping;
use outward_report::format::{count, share};
use outward_spec::{Finding, FindingKind, Result, Role, Rules, Severity, Spec, Step, Type, Variable, kinds};

/// A geography is fine if a file has fewer records than this for each place, on average.
const FINE_BELOW: u64 = 50;
/// From this share of missing values on, the meaning of "missing" matters.
const MANY_MISSING_FROM: f64 = 0.2;

/// The findings that follow from the roles, types and hierarchies of the variables.
pub(super) fn findings(spec: &Spec, rules: &Rules, cells: &Cells, show_values: bool) -> Result<Vec<Finding>> {
    let identifies = |variable: &&Variable| variable.role == Role::Identifier;
    let is_text = |variable: &&Variable| variable.role == Role::FreeText;
    let to_the_day = |variable: &&Variable| {
        variable.role == Role::DateOfBirth && variable.data_type.is_none_or(|data_type| data_type == Type::Date)
    };
    let mut findings = Vec::new();
    findings.extend(of_role(spec, &kinds::DIRECT_IDENTIFIER, identifies, ["identifies a person", "identify a person"]));
    findings.extend(of_role(spec, &kinds::FREE_TEXT, is_text, ["is free text", "are free text"]));
    findings.extend(of_role(
        spec,
        &kinds::BIRTH_TO_THE_DAY,
        to_the_day,
        ["is exact to the day", "are exact to the day"],
    ));
    // The roles that have a finding of their own are not reported a second time.
    let ruled_out = |variable: &&Variable| {
        rules.forbid.contains(&variable.role) && !matches!(variable.role, Role::Identifier | Role::FreeText)
    };
    let may_not = ["has a role the policy does not allow", "have a role the policy does not allow"];
    findings.extend(of_role(spec, &kinds::FORBIDDEN_ROLE, ruled_out, may_not));
    if let Some(residents) = rules.place_population {
        findings.extend(of_residents(spec, residents)?);
    }
    for variable in &spec.variables {
        let Some(key) = cells.key(&variable.name) else { continue };
        let margin = cells.margin(&[key]);
        findings.extend(of_places(spec, variable, &margin));
        findings.extend(of_missing(variable, &margin));
        findings.extend(of_gaps(spec, variable, &margin, show_values)?);
    }
    Ok(findings)
}

/// One finding about all variables of a kind that would be published unchanged. A second one, for information, about
/// those that a step takes care of.
fn of_role(
    spec: &Spec,
    kind: &FindingKind,
    concerns: impl Fn(&&Variable) -> bool,
    [one, many]: [&str; 2],
) -> Vec<Finding> {
    let (handled, open): (Vec<&Variable>, Vec<&Variable>) =
        spec.variables.iter().filter(concerns).partition(|variable| has_step(spec, variable));
    let finding = |variables: Vec<&Variable>, then: &str, severity| {
        let names: Vec<String> = variables.iter().map(|variable| format!("`{}`", variable.name)).collect();
        let message = format!("{} {}{then}", names.join(", "), if names.len() == 1 { one } else { many });
        let finding = Finding::new(kind, message).severity(severity);
        (!names.is_empty()).then(|| finding.variables(variables.iter().map(|variable| &variable.name)))
    };
    let open = finding(open, "", kind.severity);
    let handled = finding(handled, "; a step of the spec drops or recodes that before a release", Severity::Info);
    open.into_iter().chain(handled).collect()
}

fn has_step(spec: &Spec, variable: &Variable) -> bool {
    spec.steps.iter().any(|step| match step {
        Step::Drop { variables } => variables.contains(&variable.name),
        Step::Recode { variable: name, level } => *name == variable.name && *level > 0,
        Step::Place { variable: name, .. } => *name == variable.name,
        Step::Grid { variables, .. } => variables.contains(&variable.name),
        Step::Limit { variable: name, .. } => *name == variable.name,
        Step::Microaggregate { variables, .. } | Step::Noise { variables, .. } => variables.contains(&variable.name),
        Step::RecodeLocally { .. } => variable.is_key(),
        _ => false,
    })
}

/// Geographies without a check that each place has as many residents as the policy requires.
fn of_residents(spec: &Spec, residents: u64) -> Result<Vec<Finding>> {
    let mut findings = Vec::new();
    for variable in spec.with_role(Role::Geography) {
        let name = &variable.name;
        let mut message =
            Some(format!("no step makes sure that each place of `{name}` has {} residents", count(residents)));
        for step in &spec.steps {
            match step {
                Step::Drop { variables } if variables.contains(name) => message = None,
                Step::Place { variable, mapping, .. } if variable == name => {
                    let made_with = Mapping::load(spec.resolve(mapping))?.threshold;
                    message = (made_with < residents).then(|| {
                        let (made_with, residents) = (count(made_with), count(residents));
                        format!("the mapping of `{name}` was made with {made_with} residents, and the policy asks for {residents}")
                    });
                }
                _ => {}
            }
        }
        findings.extend(message.map(|message| Finding::new(&kinds::SMALL_PLACES, message).variables([name])));
    }
    Ok(findings)
}

/// Places with few records each.
fn of_places(spec: &Spec, variable: &Variable, margin: &Cells) -> Option<Finding> {
    let places = margin.len() as u64;
    if variable.role != Role::Geography || places < 2 || margin.records() >= FINE_BELOW * places {
        return None;
    }
    let message = format!(
        "`{}` has {} places for {} records, fewer than {FINE_BELOW} records each",
        variable.name,
        count(places),
        count(margin.records())
    );
    let finding = Finding::new(&kinds::FINE_GEOGRAPHY, message).variables([&variable.name]);
    Some(match has_step(spec, variable) {
        true => {
            let message = format!("{}; a step of the spec takes care of that before a release", finding.message);
            Finding { message, ..finding }.severity(Severity::Info)
        }
        false => finding,
    })
}

fn of_missing(variable: &Variable, margin: &Cells) -> Option<Finding> {
    let missing: u64 =
        (0..margin.len()).filter(|cell| margin.value(*cell, 0).is_none()).map(|cell| margin.counts()[cell]).sum();
    let missing_share = missing as f64 / margin.records().max(1) as f64;
    (missing_share >= MANY_MISSING_FROM).then(|| {
        let message = format!("`{}` is missing in {} of the records", variable.name, share(missing_share));
        Finding::new(&kinds::MANY_MISSING, message).variables([&variable.name]).records(missing)
    })
}

/// Values of a key that its hierarchy does not know.
fn of_gaps(spec: &Spec, variable: &Variable, margin: &Cells, show_values: bool) -> Result<Option<Finding>> {
    let Some(hierarchy) = spec.hierarchy(variable)? else { return Ok(None) };
    let missed: Vec<usize> =
        (0..margin.len()).filter(|cell| margin.value(*cell, 0).is_some_and(|value| !hierarchy.covers(value))).collect();
    let Some(first) = missed.iter().map(|cell| margin.first_rows()[*cell]).min() else { return Ok(None) };
    let records: u64 = missed.iter().map(|cell| margin.counts()[*cell]).sum();
    let name = &variable.name;
    let mut message = match (missed.len(), records) {
        (1, 1) => format!("the hierarchy of `{name}` misses 1 of its values, in row {}", count(first)),
        (values, records) => {
            let (values, records) = (count(values as u64), count(records));
            format!(
                "the hierarchy of `{name}` misses {values} of its values in {records} records, the first in row {}",
                count(first)
            )
        }
    };
    if show_values {
        let values: Vec<&str> = missed.iter().filter_map(|cell| margin.value(*cell, 0)).collect();
        message += &format!(": {}", values.join(", "));
    }
    Ok(Some(Finding::new(&kinds::HIERARCHY_GAPS, message).variables([&variable.name]).records(records)))
}
