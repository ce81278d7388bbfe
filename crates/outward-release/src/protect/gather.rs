//! Counts what a policy must be judged by.

use outward_engine::{CountRequest, Data, Engine};
use outward_microdata::evidence::{Evidence, MOST_CONDITIONS, Part, population_for};
use outward_microdata::steps::Setting;
use outward_spec::{Error, Result, Variable};

/// Counts records on some keys, with all that the policy of a setting asks about: sensitive values, subsets of records, the
/// population as it is before step `at`.
pub async fn gather(
    engine: &dyn Engine,
    data: &Data,
    setting: &Setting,
    keys: &[String],
    at: usize,
) -> Result<Evidence> {
    let (spec, rules) = (&setting.spec, &setting.rules);
    let description = engine.describe(data).await?;
    let there = |name: &String| description.schema.index_of(name).is_ok();
    let sensitive: Vec<String> = match rules.l.is_some_and(|l| l > 1) || rules.t.is_some_and(|t| t < 1.0) {
        true => spec.sensitive().iter().map(|variable| variable.name.clone()).filter(there).collect(),
        false => Vec::new(),
    };
    let conditions = setting.conditions();
    if conditions.len() > MOST_CONDITIONS {
        return Err(too_many(&conditions));
    }
    let patterns: Vec<u64> = (0..1 << conditions.len()).collect();
    let mut requests = Vec::new();
    for pattern in &patterns {
        let condition = condition(&conditions, *pattern);
        let keys_alone = std::iter::once(keys.to_vec());
        let with = sensitive.iter().map(|name| keys.iter().chain([name]).cloned().collect());
        requests.extend(keys_alone.chain(with).map(|keys| CountRequest {
            keys,
            weight: None,
            condition: condition.clone(),
        }));
    }
    let counted = engine.count_cells(data, &requests).await.map_err(|error| on_conditions(error, &conditions))?;
    let mut counted = counted.into_iter();
    let mut parts = Vec::new();
    for pattern in patterns {
        let cells = counted.next().ok_or_else(|| Error::bug("cells were not counted"))?;
        parts.push(Part { pattern, cells, sensitive: counted.by_ref().take(sensitive.len()).collect() });
    }
    let variables: Vec<&Variable> = keys.iter().filter_map(|name| spec.variable(name)).collect();
    let population = population_for(setting, &variables, at)?;
    let mut evidence = Evidence::of_parts(spec, &parts, conditions, population.as_ref())?;
    evidence.sampling_fraction = setting.fraction_at(at);
    Ok(evidence)
}

pub(super) fn too_many(conditions: &[String]) -> Error {
    let what = format!("the policy has {} conditions on records, and {MOST_CONDITIONS} are the most", conditions.len());
    Error::input(what).help("ask the same k of several subsets in one condition").into()
}

/// A failure to count, told with the conditions that may be to blame.
fn on_conditions(error: Error, conditions: &[String]) -> Error {
    let (Error::Input(fault), [first, ..]) = (&error, conditions) else { return error };
    let what = format!("the condition `{first}` of the policy cannot be judged on these records: {}", fault.what);
    let help = "a condition is about the records as they are published: name published variables, and labels where they are \
                recoded, such as age IN ('65-74', '75 or over')";
    Error::input(what).help(help).into()
}

/// The condition that exactly these conditions hold; none where there are no conditions.
fn condition(conditions: &[String], pattern: u64) -> Option<String> {
    let each = conditions.iter().enumerate().map(|(at, condition)| match pattern >> at & 1 {
        1 => format!("({condition}) IS TRUE"),
        _ => format!("({condition}) IS NOT TRUE"),
    });
    let each: Vec<String> = each.collect();
    (!each.is_empty()).then(|| each.join(" AND "))
}
