//! Makes a release: counts, carries out the steps, counts again, judges, and writes the bundle where the policy holds.
//!
//! The judgement here is the maker's own, on the file as written. [`verify`](crate::verify()) judges again by other code.

mod gather;
mod measures;
mod records;

use std::path::Path;

use outward_engine::{CountRequest, Data, Engine, Plan, Target};
use outward_microdata::judge::{Verdict, judge};
use outward_microdata::steps::Setting;
use outward_spec::{Error, Format, Result, Rules, Source, Spec, Step, Variable};

use crate::bundle::{Existing, Staging, data_file};
use crate::inputs::InputRecord;
use crate::manifest::{ColumnRecord, Manifest, ModelVerdict};
use crate::words;

pub use gather::gather;

/// What to make a release of.
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
    /// What to do where it is there already.
    pub existing: Existing,
    /// Threads; they change no result.
    pub threads: usize,
}

/// A release that was made, or would have been.
#[derive(Debug)]
pub struct Protected {
    /// Everything there is to say of it.
    pub manifest: Manifest,
    /// Whether it was written: not where a model of the policy does not hold.
    pub written: bool,
}

/// Carries out the steps of a spec and writes the bundle, where the policy then holds.
pub async fn protect(engine: &dyn Engine, wanted: &Protect<'_>) -> Result<Protected> {
    let spec = wanted.spec;
    let rules = spec.rules()?;
    refuse_forbidden(spec, &rules)?;
    let staging = Staging::begin(wanted.target, wanted.existing)?;
    let data = Data::of_spec(spec);
    let keys: Vec<String> = spec.keys().iter().map(|key| key.name.clone()).collect();
    let before = measures::count(engine, &data, spec, &rules, &keys, wanted.threads).await?;
    let mut setting = Setting::new(spec.clone(), wanted.threads)?;
    setting.population = population(engine, spec, keys.clone()).await?;
    let plan = Plan::of_spec(setting.clone())?;
    let ending = ending(spec);
    let path = staging.data_path(ending);
    let written = engine.rewrite(&data, &plan, &Target { path: path.clone(), format: None }).await?;

    let mut manifest = Manifest::new(spec, rules.clone(), ColumnRecord::of_schema(spec, &written.schema));
    let made = Data { source: Source::file(&path), columns: records::types(&manifest.columns) };
    let published: Vec<String> = keys.into_iter().filter(|key| manifest.column(key).is_some()).collect();
    let after = measures::count(engine, &made, spec, &rules, &published, wanted.threads).await?;
    manifest.inputs = InputRecord::of_spec(spec, wanted.file, wanted.text)?;
    manifest.records_in = before.records;
    manifest.records_out = written.rows;
    manifest.data = data_file(ending);
    manifest.sampling_fraction = records::sampling_fraction(spec, &written);
    manifest.steps = records::steps(spec, &written);
    manifest.utility = records::utility(&manifest.columns, &before, &after, &written);
    manifest.before = before;
    manifest.after = after;
    manifest.after.missing = written.missing;
    if !published.is_empty() {
        let mut evidence = gather(engine, &made, &setting, &published, spec.steps.len()).await?;
        evidence.sampling_fraction = manifest.sampling_fraction;
        let verdicts = judge(&evidence.models(spec, &rules, None)?, &evidence.table()?)?;
        manifest.verdicts = verdicts
            .into_iter()
            .map(|verdict| ModelVerdict { worst: worst(&verdict), says: verdict.model, holds: verdict.holds })
            .collect();
    }
    if manifest.failing().next().is_some() {
        return Ok(Protected { manifest, written: false });
    }
    staging.add_spec(spec, wanted.text, &spec.steps)?;
    Ok(Protected { manifest: staging.finish(manifest)?, written: true })
}

/// The worst figure where a model holds; what fails, by how much and what would hold where it does not.
fn worst(verdict: &Verdict) -> String {
    match (&verdict.limit, verdict.worst) {
        (Some(limit), Some(worst)) if verdict.holds && worst.fract() == 0.0 => format!("{}: {worst}", limit.figure),
        (Some(limit), Some(worst)) if verdict.holds => format!("{}: {worst:.4}", limit.figure),
        _ if verdict.holds => String::new(),
        _ => verdict.words(),
    }
}

/// A variable of a forbidden role must be dropped.
fn refuse_forbidden(spec: &Spec, rules: &Rules) -> Result<()> {
    let steps: Vec<&Step> = spec.steps.iter().collect();
    let open = |variable: &&Variable| {
        rules.forbid.contains(&variable.role) && words::is_published(spec, &steps, &variable.name)
    };
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

/// The population on all keys, where there is one.
async fn population(engine: &dyn Engine, spec: &Spec, keys: Vec<String>) -> Result<Option<outward_cells::Cells>> {
    let Some(population) = Data::of_population(spec).filter(|_| !keys.is_empty()) else { return Ok(None) };
    let request = CountRequest { keys, ..CountRequest::default() };
    Ok(engine.count_cells(&population, &[request]).await?.into_iter().next())
}

/// The ending of the published file: as the first output says, or else as the data are.
fn ending(spec: &Spec) -> &'static str {
    let of_output = spec.outputs.first().map(|output| (output.format, output.path.extension()));
    let of_data = (spec.data.format, spec.data.path.as_ref().and_then(|path| path.extension()));
    let (format, ending) = of_output.unwrap_or(of_data);
    let is = |name: &str| ending.is_some_and(|ending| ending.eq_ignore_ascii_case(name));
    match format {
        Some(Format::Parquet) => "parquet",
        Some(Format::Excel) if spec.outputs.first().is_some() => "xlsx",
        None if is("parquet") => "parquet",
        None if is("xlsx") && spec.outputs.first().is_some() => "xlsx",
        _ => "csv",
    }
}
