//! Counts what is needed to judge records by a policy.

use arrow_schema::Schema;
use outward_cells::Cells;
use outward_engine::{CountRequest, CountRequests, Data, Engine};
use outward_microdata::evidence::{CountedPart, Evidence, MAX_CONDITIONS, population_for};
use outward_microdata::steps::Setting;
use outward_spec::{Error, Result, Spec, Variable};

/// Requests for everything that the policy of a setting asks about records on some keys: sensitive values, subsets of
/// records.
#[derive(Debug)]
pub struct EvidenceRequest {
    keys: Vec<String>,
    conditions: Vec<String>,
    parts: Vec<RequestedPart>,
}

/// The records that meet some conditions and none of the others, with the positions of their requests.
#[derive(Debug)]
struct RequestedPart {
    pattern: u64,
    cells: usize,
    sensitive: Vec<usize>,
}

impl EvidenceRequest {
    /// Adds what is needed to the requests of a pass over records of this schema.
    ///
    /// # Errors
    /// If the policy has too many conditions.
    pub fn add(requests: &mut CountRequests, setting: &Setting, keys: &[String], schema: &Schema) -> Result<Self> {
        let (spec, rules) = (&setting.spec, &setting.rules);
        let there = |name: &String| schema.index_of(name).is_ok();
        let sensitive: Vec<String> = match rules.l.is_some_and(|l| l > 1) || rules.t.is_some_and(|t| t < 1.0) {
            true => spec.sensitive().iter().map(|variable| variable.name.clone()).filter(there).collect(),
            false => Vec::new(),
        };
        let conditions = setting.conditions();
        if conditions.len() > MAX_CONDITIONS {
            return Err(too_many(&conditions));
        }
        let mut part = |pattern: u64| {
            let condition = condition(&conditions, pattern);
            let mut add = |keys| requests.add(CountRequest { keys, weight: None, condition: condition.clone() });
            let cells = add(keys.to_vec());
            let with = sensitive.iter().map(|name| add(keys.iter().chain([name]).cloned().collect()));
            RequestedPart { pattern, cells, sensitive: with.collect() }
        };
        let parts = (0..1 << conditions.len()).map(&mut part).collect();
        Ok(Self { keys: keys.to_vec(), conditions, parts })
    }

    /// The evidence from the answers to all requests of the pass. The population is that before step `at`.
    ///
    /// # Errors
    /// If the population cannot be compared with the records and the policy asks about it.
    pub fn evidence(&self, setting: &Setting, counted: &[Cells], at: usize) -> Result<Evidence> {
        let spec = &setting.spec;
        let parts: Vec<CountedPart<'_>> = self
            .parts
            .iter()
            .map(|part| CountedPart {
                pattern: part.pattern,
                cells: &counted[part.cells],
                sensitive: part.sensitive.iter().map(|place| &counted[*place]).collect(),
            })
            .collect();
        let variables: Vec<&Variable> = self.keys.iter().filter_map(|name| spec.variable(name)).collect();
        let population = population_for(setting, &variables, at)?;
        let mut evidence = Evidence::of_parts(spec, &parts, self.conditions.clone(), population.as_ref())?;
        evidence.sampling_fraction = setting.fraction_at(at);
        Ok(evidence)
    }

    /// A failure to count, with the conditions that may be the cause.
    pub fn explain_failure(&self, error: Error) -> Error {
        let (Error::Input(fault), [first, ..]) = (&error, &self.conditions[..]) else { return error };
        let what = format!("the condition `{first}` of the policy cannot be judged on these records: {}", fault.what);
        let help = "a condition is about the records as they are published: name published variables, and labels where they are \
                    recoded, such as age IN ('65-74', '75 or over')";
        Error::input(what).help(help).into()
    }
}

/// Counts the data of a spec, unchanged, on some keys, for a search of recodings. Also counts the population, and the
/// share of it that is in the data.
pub async fn gather(engine: &dyn Engine, spec: &Spec, keys: &[String], threads: usize) -> Result<(Setting, Evidence)> {
    let data = Data::of_spec(spec);
    let mut setting = Setting::new(spec.clone(), threads)?;
    setting.population = count_population(engine, spec, keys, None).await?;
    let mut requests = CountRequests::default();
    let weighted = |weight| CountRequest { weight: Some(weight), ..CountRequest::default() };
    let all = weight_needed(spec).map(|weight| requests.add(weighted(weight)));
    let asked = EvidenceRequest::add(&mut requests, &setting, keys, &engine.describe(&data).await?.schema)?;
    let counted = requests.count(engine, &data).await.map_err(|error| asked.explain_failure(error))?;
    setting.sampling_fraction = sampling_fraction(spec, all.map(|place| &counted[place]));
    let evidence = asked.evidence(&setting, &counted, 0)?;
    Ok((setting, evidence))
}

/// The population file of a spec on some keys, if it has one.
pub async fn count_population(
    engine: &dyn Engine,
    spec: &Spec,
    keys: &[String],
    condition: Option<&str>,
) -> Result<Option<Cells>> {
    let Some(population) = Data::of_population(spec).filter(|_| !keys.is_empty()) else { return Ok(None) };
    let request = CountRequest { keys: keys.to_vec(), weight: None, condition: condition.map(str::to_owned) };
    Ok(engine.count_cells(&population, &[request]).await?.into_iter().next())
}

/// The weight from which the sampling fraction is computed, if the spec does not give the fraction.
pub(super) fn weight_needed(spec: &Spec) -> Option<String> {
    spec.weight().filter(|_| spec.sampling_fraction.is_none()).map(|weight| weight.name.clone())
}

/// The share of the population in the data: from the spec, or from the weights of all records.
pub(super) fn sampling_fraction(spec: &Spec, weighted: Option<&Cells>) -> Option<f64> {
    let from_weights = |all: &Cells| Some(all.records() as f64 / all.total_weight());
    let from_weights = || weighted.and_then(from_weights).filter(|share| *share > 0.0 && *share <= 1.0);
    spec.sampling_fraction.or_else(from_weights)
}

pub(super) fn too_many(conditions: &[String]) -> Error {
    let what = format!("the policy has {} conditions on records, and {MAX_CONDITIONS} are the most", conditions.len());
    Error::input(what).help("ask the same k of several subsets in one condition").into()
}

/// The condition that exactly these conditions hold; `None` if there are no conditions.
fn condition(conditions: &[String], pattern: u64) -> Option<String> {
    let each = conditions.iter().enumerate().map(|(at, condition)| match pattern >> at & 1 {
        1 => format!("({condition}) IS TRUE"),
        _ => format!("({condition}) IS NOT TRUE"),
    });
    let each: Vec<String> = each.collect();
    (!each.is_empty()).then(|| each.join(" AND "))
}
