//! Makes a release: counts, carries out the steps, counts again, judges, and writes the bundle if the policy holds.
//!
//! The judgement here is the maker's own, on the file as written. [`verify`](crate::verify()) judges again by other code.

mod declared;
mod gather;
mod measures;
mod records;
mod texts;

use std::path::Path;

use outward_engine::{CountRequest, CountRequests, Data, Engine, Plan, Rewritten, Target};
use outward_microdata::evidence::MAX_CONDITIONS;
use outward_microdata::judge::{CellTable, ModelJudgement, judge};
use outward_microdata::models::Model;
use outward_microdata::steps::Setting;
use outward_microdata::suppress_records::suppress_records;
use outward_places::Mapping;
use outward_profile::{Basis, ColumnProfile};
use outward_report::format::count;
use outward_spec::{Error, Format, Result, Role, Rules, Source, Spec, Step, Variable};

use crate::bundle::{Existing, Staging, data_file};
use crate::inputs::{InputKind, InputRecord, refuse_changed};
use crate::manifest::{ColumnRecord, Manifest, Measures, ModelVerdict};
use crate::verify::{Check, Options, Outcome, verify_release};

pub use gather::{EvidenceRequest, count_population, gather};
use gather::{sampling_fraction, weight_needed};
use measures::{OtherSubsets, PopulationOfRecords};

/// The input of [`protect`].
#[derive(Debug, Clone, Copy)]
pub struct Protect<'a> {
    /// The spec.
    pub spec: &'a Spec,
    /// Its file.
    pub file: &'a Path,
    /// Its text.
    pub text: &'a str,
    /// The bundle to write.
    pub target: &'a Path,
    /// What to do if it exists already.
    pub existing: Existing,
    /// Threads; they change no result.
    pub threads: usize,
}

/// A release that was made, or would have been.
#[derive(Debug)]
pub struct Protected {
    /// Its manifest.
    pub manifest: Manifest,
    /// Whether it was written. It is not if a model of the policy does not hold.
    pub written: bool,
    /// If it was not written: advice on what would make the models hold.
    pub advice: Option<String>,
    /// If it was written: checks of its verification that cannot be decided from the bundle. None fails.
    pub unsettled: Vec<Check>,
}

/// Carries out the steps of a spec and writes the bundle if the policy holds afterwards. The bundle is verified before
/// it gets its name.
pub async fn protect(engine: &dyn Engine, wanted: &Protect<'_>) -> Result<Protected> {
    let spec = wanted.spec;
    let rules = spec.rules()?;
    refuse_forbidden(spec, &rules)?;
    refuse_small_places(spec, &rules)?;
    let data = Data::of_spec(spec);
    declared::refuse_undeclared(spec, &engine.describe(&data).await?.schema)?;
    let staging = Staging::begin(wanted.target, wanted.existing)?;
    let Prepared { inputs, keys, setting, before } = prepare(engine, wanted).await?;
    let plan = Plan::of_spec(setting.clone())?;
    let ending = ending(spec);
    let path = staging.data_path(ending);
    let written = engine.rewrite(&data, &plan, &Target { path: path.clone(), format: None }).await?;
    refuse_changed(&inputs, spec, wanted.file, wanted.text)?;

    if written.rows == 0 {
        return Err(nothing_left(spec, &written));
    }
    let mut manifest = Manifest::new(spec, rules.clone(), ColumnRecord::of_schema(spec, &written.schema));
    refuse_kinds(engine, &path, &rules, &manifest.columns).await?;
    texts::refuse_identifiers(&manifest)?;
    let made = Data { source: Source::file(&path), columns: records::types(&manifest.columns) };
    manifest.sampling_fraction = records::sampling_fraction(setting.sampling_fraction, spec, &written);
    let judged = judge_release(engine, &made, &setting, &keys, &manifest).await?;
    manifest.inputs = inputs;
    manifest.records_in = before.records;
    manifest.records_out = written.rows;
    manifest.data = data_file(ending);
    manifest.steps = records::steps(spec, &written);
    manifest.utility = records::utility(&manifest.columns, &before, &judged.measures, &written);
    manifest.before = before;
    manifest.after = judged.measures;
    manifest.after.missing = written.missing;
    manifest.verdicts = judged.verdicts;
    let advice = judged.advice;
    if manifest.failing().next().is_some() {
        return Ok(Protected { manifest, written: false, advice, unsettled: Vec::new() });
    }
    staging.add_spec(spec, wanted.text, &spec.steps)?;
    let manifest = staging.complete(manifest)?;
    let population = Data::of_population(spec).map(|population| population.source);
    let verification = verify_release(staging.root(), &Options { population, threads: wanted.threads }).await?;
    staging.move_in_verified(&verification)?;
    let unsettled = verification.with(Outcome::CannotTell).cloned().collect();
    Ok(Protected { manifest, written: true, advice, unsettled })
}

/// What is known before the first step, including the source of random numbers.
pub(crate) struct Prepared {
    /// The files the release is made from.
    pub(crate) inputs: Vec<InputRecord>,
    /// The published keys.
    pub(crate) keys: Vec<String>,
    /// The setting of the steps. The same setting makes the same release.
    pub(crate) setting: Setting,
    /// The measures of the records as given.
    pub(crate) before: Measures,
}

/// Reads what the steps need to know about the data: their risk, the population, and the hash that random numbers start
/// from.
pub(crate) async fn prepare(engine: &dyn Engine, wanted: &Protect<'_>) -> Result<Prepared> {
    let spec = wanted.spec;
    let rules = spec.rules()?;
    let inputs = InputRecord::of_spec(spec, wanted.file, wanted.text)?;
    // Keys that a step drops are no keys of the release, and are left out of the comparison.
    let keys: Vec<String> = spec.published_keys().into_iter().map(|key| key.name.clone()).collect();
    if keys.is_empty() && (rules.k > 1 || !spec.scenarios_with_k(&rules).is_empty()) {
        let what = format!("the policy asks for k = {}, and no published variable is a key", rules.k);
        let help = "say which variables are keys: `role = \"key\"`; `outward init` suggests them";
        return Err(Error::input(what).help(help).into());
    }
    let mut setting = Setting::new(spec.clone(), wanted.threads)?;
    setting.population = count_population(engine, spec, &keys, None).await?;
    let before = measure_data(engine, &Data::of_spec(spec), &mut setting, &keys).await?;
    if setting.conditions().len() > MAX_CONDITIONS {
        return Err(gather::too_many(&setting.conditions()));
    }
    let hashes = inputs.iter().filter(|input| input.kind == InputKind::Data).filter_map(|input| input.sha256.clone());
    setting.salt = hashes.collect::<Vec<_>>().join(" ");
    Ok(Prepared { inputs, keys, setting, before })
}

/// Counts the data once, before any step: their risk, and the share of the population that they are.
async fn measure_data(engine: &dyn Engine, data: &Data, setting: &mut Setting, keys: &[String]) -> Result<Measures> {
    let weight = weight_needed(&setting.spec);
    let request = CountRequest { keys: keys.to_vec(), weight: weight.clone(), condition: None };
    let counted = engine.count_cells(data, &[request]).await?;
    let cells = counted.first().ok_or_else(|| Error::bug("no cells were counted"))?;
    setting.sampling_fraction = sampling_fraction(&setting.spec, weight.map(|_| cells));
    let behind =
        PopulationOfRecords { population: setting.population.clone(), sampling_fraction: setting.sampling_fraction };
    Ok(measures::measure(cells, setting, &behind))
}

/// A release that was counted and judged.
struct JudgedRelease {
    measures: Measures,
    verdicts: Vec<ModelVerdict>,
    /// If a model does not hold: advice on what would make it hold.
    advice: Option<String>,
}

/// Counts the records as written, once, and judges them by the policy.
async fn judge_release(
    engine: &dyn Engine,
    made: &Data,
    setting: &Setting,
    keys: &[String],
    manifest: &Manifest,
) -> Result<JudgedRelease> {
    let mut requests = CountRequests::default();
    let all = requests.add(CountRequest { keys: keys.to_vec(), ..CountRequest::default() });
    let others = OtherSubsets::add(&mut requests, &manifest.subsets, keys);
    let asked = match keys.is_empty() {
        true => None,
        false => {
            let schema = engine.describe(made).await?.schema;
            Some(EvidenceRequest::add(&mut requests, setting, keys, &schema)?)
        }
    };
    let counted = requests.count(engine, made).await;
    let counted = counted.map_err(|error| match &asked {
        Some(asked) => asked.explain_failure(error),
        None => error,
    })?;
    let behind = PopulationOfRecords {
        population: recoded_population(setting, keys),
        sampling_fraction: manifest.sampling_fraction,
    };
    let measures = measures::measure(&counted[all], setting, &behind);
    let (mut verdicts, mut advice) = (Vec::new(), None);
    if let Some(asked) = asked {
        let mut evidence = asked.evidence(setting, &counted, setting.spec.steps.len())?;
        evidence.sampling_fraction = manifest.sampling_fraction;
        let (models, table) = (evidence.models(&setting.spec, &manifest.rules, None)?, evidence.table()?);
        let judged = judge(&models, &table)?;
        if judged.iter().any(|verdict| !verdict.holds) {
            advice = Some(advise(&models, &table)?);
        }
        let verdict = |verdict: ModelJudgement| ModelVerdict {
            worst: worst(&verdict),
            says: verdict.model,
            holds: verdict.holds,
        };
        verdicts.extend(judged.into_iter().map(verdict));
    }
    verdicts.extend(others.judge(&counted, &setting.spec, setting.threads));
    Ok(JudgedRelease { measures, verdicts, advice })
}

/// If a model holds, its worst figure. If not, what fails, by how much, and what would make it hold.
fn worst(verdict: &ModelJudgement) -> String {
    match (&verdict.limit, verdict.worst) {
        (Some(limit), Some(worst)) if verdict.holds && worst.fract() == 0.0 => format!("{}: {worst}", limit.figure),
        (Some(limit), Some(worst)) if verdict.holds => format!("{}: {worst:.4}", limit.figure),
        _ if verdict.holds => String::new(),
        _ => verdict.words(),
    }
}

/// A column that is certainly of a kind that the policy forbids is not written, even if the spec gives it another role.
async fn refuse_kinds(engine: &dyn Engine, path: &Path, rules: &Rules, columns: &[ColumnRecord]) -> Result<()> {
    let profile = engine.profile(&Data { source: Source::file(path), columns: Vec::new() }).await?;
    let excused = |name: &str| columns.iter().any(|column| column.name == name && column.is_excused());
    let refused = |column: &ColumnProfile| {
        let (role, because) = column.forbidden_role(&rules.forbid, excused(&column.name))?;
        let what = format!("this variable looks like the role `{role}`, which the policy forbids: {because}");
        let by_shape = column.identifies.as_ref().is_some_and(|identifies| identifies.by == Basis::Shape);
        let excuse =
            "; if it identifies nobody, say why in its `[[variables]]` section, in place of `plain`: `allow = \"...\"`";
        let help = format!(
            "drop it: `do = \"drop\"`, `variables = [\"{}\"]`{}",
            column.name,
            if by_shape { excuse } else { "; `outward init` shows what was found in it" }
        );
        Some(Error::input(what).variable(&column.name).help(help))
    };
    profile.columns.iter().find_map(refused).map_or(Ok(()), |fault| Err(fault.into()))
}

/// What would make the models hold.
fn advise(models: &[Box<dyn Model>], table: &CellTable) -> Result<String> {
    let chosen = suppress_records(models, table)?;
    let (all, left) = (table.records(), table.records() - chosen.records);
    let plan = "`outward plan` searches for the recoding that meets the policy and loses least";
    let still = judge(models, &table.without(&chosen.removed)?)?.iter().any(|verdict| !verdict.holds);
    if left == 0 || still || chosen.records == 0 {
        return Ok(plan.to_owned());
    }
    let limit = (chosen.records as f64 / all.max(1) as f64 * 1000.0).ceil() / 1000.0;
    Ok(format!(
        "a last step `do = \"suppress-records\"` with `limit = {limit}` would leave out {} records; {plan}",
        count(chosen.records)
    ))
}

/// The error if no record is left; it names the step.
fn nothing_left(spec: &Spec, written: &Rewritten) -> Error {
    let step = written.steps.iter().position(|step| step.records_after == 0 && step.records_before > 0);
    let what = match step.and_then(|at| Some((at, spec.steps.get(at)?))) {
        Some((at, step)) => format!("step {} (`{}`) leaves no record", at + 1, step.name()),
        None => "there are no records to release".to_owned(),
    };
    Error::input(what).help("ask for less in this step; nothing was written").into()
}

/// If the policy asks for a number of residents of places, every published geography must come from a mapping made for
/// that number.
fn refuse_small_places(spec: &Spec, rules: &Rules) -> Result<()> {
    let Some(residents) = rules.place_population else { return Ok(()) };
    for variable in spec.with_role(Role::Geography).filter(|place| spec.is_published(&place.name)) {
        let mapping = spec.steps.iter().rev().find_map(|step| match step {
            Step::Place { variable: name, mapping, .. } if *name == variable.name => Some(mapping),
            _ => None,
        });
        let what = match mapping {
            None => {
                format!("the policy asks for places of {} residents, and no step makes sure of it", count(residents))
            }
            Some(mapping) => match Mapping::load(spec.resolve(mapping))?.threshold {
                threshold if threshold >= residents => continue,
                threshold => format!(
                    "the policy asks for places of {} residents, and the mapping was made for {}",
                    count(residents),
                    count(threshold)
                ),
            },
        };
        let help =
            "make a mapping with `outward places pool` and apply it with a step `do = \"place\"`, or drop the variable";
        return Err(Error::input(what).variable(&variable.name).help(help).into());
    }
    Ok(())
}

/// Refuses a published variable with a forbidden role: it must be dropped.
fn refuse_forbidden(spec: &Spec, rules: &Rules) -> Result<()> {
    let open = |variable: &&Variable| rules.forbid.contains(&variable.role) && spec.is_published(&variable.name);
    let open: Vec<&Variable> = spec.variables.iter().filter(open).collect();
    let Some(first) = open.first() else { return Ok(()) };
    let names: Vec<String> = open.iter().map(|variable| format!("\"{}\"", variable.name)).collect();
    let what = match open.len() {
        1 => format!("the policy does not allow a variable with the role `{}` in a release", first.role),
        several => format!("the policy does not allow the roles of {several} variables that no step drops"),
    };
    let help = format!("add a step: `do = \"drop\"`, `variables = [{}]`", names.join(", "));
    Err(Error::input(what).variable(&first.name).help(help).into())
}

/// The population with its keys recoded as the published ones; `None` if a step changed keys in another way.
fn recoded_population(setting: &Setting, keys: &[String]) -> Option<outward_cells::Cells> {
    let keys: Vec<&Variable> = keys.iter().filter_map(|name| setting.spec.variable(name)).collect();
    setting.population(&keys, setting.spec.steps.len()).ok().flatten()
}

/// The ending of the published file: that of the first output, or else that of the data.
fn ending(spec: &Spec) -> &'static str {
    let of_output = spec.outputs.first().map(|output| (output.format, output.path.extension()));
    let of_data = (spec.data.format, spec.data.path.as_ref().and_then(|path| path.extension()));
    let (format, ending) = of_output.unwrap_or(of_data);
    let is = |name: &str| ending.is_some_and(|ending| ending.eq_ignore_ascii_case(name));
    match format {
        Some(Format::Parquet) => "parquet",
        Some(Format::Excel) if !spec.outputs.is_empty() => "xlsx",
        None if is("parquet") => "parquet",
        None if is("xlsx") && !spec.outputs.is_empty() => "xlsx",
        _ => "csv",
    }
}
