//! Findings that follow from what the spec says of the variables.

use outward_cells::Cells;
use outward_report::format::count;
use outward_spec::{Finding, FindingKind, Result, Role, Rules, Severity, Spec, Step, Type, Variable, kinds};

/// What the roles, types and hierarchies of the variables give rise to.
pub(super) fn findings(spec: &Spec, rules: &Rules, cells: &Cells, show_values: bool) -> Result<Vec<Finding>> {
    let mut findings = Vec::new();
    for variable in &spec.variables {
        findings.extend(of_role(spec, rules, variable));
        findings.extend(of_gaps(spec, variable, cells, show_values)?);
    }
    Ok(findings)
}

/// What a variable of this role is, unless a step drops it: then it is only good to know.
fn of_role(spec: &Spec, rules: &Rules, variable: &Variable) -> Option<Finding> {
    let dropped = spec.steps.iter().any(|step| match step {
        Step::Drop { variables } => variables.contains(&variable.name),
        _ => false,
    });
    let named = |kind: &'static FindingKind, what: &str| {
        let (message, severity) = match dropped {
            true => (format!("`{}` {what}; a step drops it", variable.name), Severity::Info),
            false => (format!("`{}` {what}", variable.name), kind.severity),
        };
        Some(Finding::new(kind, message).severity(severity).variables([&variable.name]))
    };
    match variable.role {
        Role::Identifier => named(&kinds::DIRECT_IDENTIFIER, "identifies people by itself"),
        Role::FreeText => named(&kinds::FREE_TEXT, "is free text"),
        Role::DateOfBirth if variable.data_type == Some(Type::Date) && !recoded(spec, variable) => {
            named(&kinds::BIRTH_TO_THE_DAY, "is exact to the day")
        }
        role if rules.forbid.contains(&role) => {
            named(&kinds::FORBIDDEN_ROLE, &format!("is of role {role}, which the policy does not allow in a release"))
        }
        _ => None,
    }
}

fn recoded(spec: &Spec, variable: &Variable) -> bool {
    spec.steps
        .iter()
        .any(|step| matches!(step, Step::Recode { variable: name, level } if *name == variable.name && *level > 0))
}

/// Values of a key that its hierarchy does not know.
fn of_gaps(spec: &Spec, variable: &Variable, cells: &Cells, show_values: bool) -> Result<Option<Finding>> {
    let (Some(key), Some(hierarchy)) = (cells.key(&variable.name), spec.hierarchy(variable)?) else { return Ok(None) };
    let margin = cells.margin(&[key]);
    let missed: Vec<usize> =
        (0..margin.len()).filter(|cell| margin.value(*cell, 0).is_some_and(|value| !hierarchy.covers(value))).collect();
    let Some(first) = missed.iter().map(|cell| margin.first_rows()[*cell]).min() else { return Ok(None) };
    let records: u64 = missed.iter().map(|cell| margin.counts()[*cell]).sum();
    let mut message = format!(
        "the hierarchy of {} misses {} of its values in {} records, the first in row {first}",
        variable.name,
        count(missed.len() as u64),
        count(records),
    );
    if show_values {
        let values: Vec<&str> = missed.iter().filter_map(|cell| margin.value(*cell, 0)).collect();
        message += &format!(": {}", values.join(", "));
    }
    Ok(Some(Finding::new(&kinds::HIERARCHY_GAPS, message).variables([&variable.name]).records(records)))
}
