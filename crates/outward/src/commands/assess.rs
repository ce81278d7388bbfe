//! `outward assess`: who can be singled out, by what, and how many.

mod models;
mod of_spec;

use std::path::Path;

use outward_cells::Cells;
use outward_engine::{CountRequest, CountRequests, Data};
use outward_release::count_population;
use outward_risk::riskiest::reveal_values;
use outward_risk::{AssessedCells, Assessment, Question, Sample, SudaLimit, assess, report};
use outward_spec::{Error, Missing, Result, Role, Scenario, Source, Spec, Variable};

use crate::cli::{AssessArgs, ReadingArgs};
use crate::commands::show;
use crate::output::Outcome;
use crate::session::Session;
use models::OtherModels;

pub(crate) fn run(session: &Session, args: &AssessArgs) -> Result<Outcome> {
    let spec = wanted(args)?;
    let sample = Sample {
        fraction: args.sampling_fraction.or(spec.sampling_fraction),
        log_linear: args.log_linear,
        special_uniques: args.suda.then(|| SudaLimit { max_size: args.suda_max_size.map(usize::from) }),
    };
    let assessment = assess_spec(session, &spec, args.condition.as_deref(), sample, args.show_values)
        .map_err(|error| if is_spec(args) { spec.placed(&args.input, error) } else { error })?;
    if spec.household().is_some() && assessment.individual_risk.is_none() {
        session.remark("Household risk is not measured: it needs a weight or a sampling fraction.");
    }
    if !spec.steps.is_empty() {
        session.remark("The data are assessed as they are: the steps of the spec are not carried out.");
    }
    let document = report(&assessment);
    let files = spec.files();
    let inputs: Vec<&Path> = files.iter().map(AsRef::as_ref).chain([args.input.as_path()]).collect();
    show(session, &assessment, &document, args.report.as_deref(), &inputs)?;
    Ok(Outcome::from_severity(assessment.severity()))
}

/// Measures a spec's data. `condition` narrows it to some records.
pub(crate) fn assess_spec(
    session: &Session,
    spec: &Spec,
    condition: Option<&str>,
    sample: Sample,
    show_values: bool,
) -> Result<Assessment> {
    let rules = spec.rules()?;
    let keys: Vec<&Variable> = spec.keys();
    if keys.is_empty() {
        return Err(no_keys(spec));
    }
    let names = |variables: &[&Variable]| -> Vec<String> { variables.iter().map(|v| v.name.clone()).collect() };
    let key_names = names(&keys);
    let sensitive = spec.sensitive();
    let weight = spec.weight().map(|variable| variable.name.clone());
    let of_all = |keys: Vec<String>, weight: Option<String>| CountRequest {
        keys,
        weight,
        condition: condition.map(str::to_owned),
    };
    let with = |variable: &Variable| of_all(key_names.iter().chain([&variable.name]).cloned().collect(), None);
    let mut requests = CountRequests::default();
    let all = requests.add(of_all(key_names.clone(), weight.clone()));
    let of_sensitive: Vec<usize> = sensitive.iter().map(|variable| requests.add(with(variable))).collect();
    let of_scenarios: Vec<(Scenario, usize)> = spec
        .scenarios_with_k(&rules)
        .into_iter()
        .map(|scenario| {
            let condition = both(condition, scenario.condition.as_deref());
            let place = requests.add(CountRequest { keys: scenario.keys.clone(), weight: None, condition });
            (scenario, place)
        })
        .collect();
    // Household risk is computed from individual risk, so it needs the same.
    let household = spec.household().filter(|_| weight.is_some() || sample.fraction.is_some());
    let of_households = household.map(|household| requests.add(with(household)));
    let (engine, runtime, data) = (session.engine(), session.runtime()?, Data::of_spec(spec));
    // Models are judged on whole files; a part of one is only measured.
    let models = match condition {
        None => {
            let schema = runtime.block_on(engine.describe(&data))?.schema;
            OtherModels::add(&mut requests, spec, &rules, &key_names, &schema, session.threads)?
        }
        Some(_) => None,
    };
    let counted = runtime.block_on(requests.count(&*engine, &data))?;
    let mut population = runtime.block_on(count_population(&*engine, spec, &key_names, condition))?;
    let of_models = models.map(|models| models.findings(&counted, &mut population)).transpose()?;
    let measured = AssessedCells {
        cells: &counted[all],
        sensitive: of_sensitive.iter().map(|place| &counted[*place]).collect(),
        population: population.as_ref(),
        scenarios: of_scenarios
            .into_iter()
            .map(|(scenario, place)| with_missing(spec, scenario, &counted[place]))
            .collect(),
        households: of_households.map(|place| &counted[place]),
    };
    let question = Question {
        source: data_name(&spec.data),
        condition: condition.map(str::to_owned),
        rules,
        missing: keys.iter().map(|variable| spec.missing_of(variable)).collect(),
        sample,
        threads: session.threads,
    };
    let mut assessment = assess(&question, &measured)?;
    assessment.add_findings(of_spec::findings(spec, &question.rules, measured.cells, show_values)?);
    assessment.add_findings(of_models.unwrap_or_default());
    if show_values {
        reveal_values(measured.cells, &mut assessment.riskiest);
        if let Some(special) = &mut assessment.suda {
            special.reveal_levels(measured.cells);
        }
    }
    Ok(assessment)
}

fn with_missing<'a>(spec: &Spec, scenario: Scenario, cells: &'a Cells) -> (Scenario, &'a Cells, Vec<Missing>) {
    let missing = |name: &String| spec.variable(name).map_or(spec.missing, |variable| spec.missing_of(variable));
    let missing = scenario.keys.iter().map(missing).collect();
    (scenario, cells, missing)
}

fn both(a: Option<&str>, b: Option<&str>) -> Option<String> {
    match (a, b) {
        (Some(a), Some(b)) => Some(format!("({a}) AND ({b})")),
        (a, b) => a.or(b).map(str::to_owned),
    }
}

/// The name of the file without its folders: a report does not show where on whose machine the data are.
pub(crate) fn data_name(source: &Source) -> String {
    let file = source.path.as_deref().and_then(Path::file_name).map(|name| name.to_string_lossy().into_owned());
    file.or_else(|| source.table.clone()).unwrap_or_else(|| "the data".to_owned())
}

fn no_keys(spec: &Spec) -> Error {
    let path = spec.data.path.clone().unwrap_or_default();
    Error::input("no variable is a key, so there is nothing to search with")
        .help(format!("name them with --keys a,b,c, or let `outward init {}` suggest them in a spec", path.display()))
        .into()
}

fn is_spec(args: &AssessArgs) -> bool {
    args.input.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("toml"))
}

/// The spec the arguments ask for: the file's own, or one made up for a data file, with the arguments over it.
fn wanted(args: &AssessArgs) -> Result<Spec> {
    let mut spec = if is_spec(args) {
        Spec::load(&args.input)?
    } else {
        Spec { data: source(&args.input, &args.reading)?, ..Spec::default() }
    };
    if !args.keys.is_empty() {
        set_keys(&mut spec, &args.keys)?;
    }
    if let Some(name) = args.sensitive.iter().find(|name| args.keys.contains(name)) {
        return Err(Error::input(format!("variable `{name}` cannot be both a key and sensitive"))
            .help("a key is what an intruder knows, a sensitive variable what they want to learn: choose one")
            .into());
    }
    if !args.sensitive.is_empty() {
        let sensitive = spec.variables.iter_mut().filter(|variable| variable.role == Role::Sensitive);
        sensitive.for_each(|variable| variable.role = Role::Plain);
        args.sensitive.iter().try_for_each(|name| give_role(&mut spec, name, Role::Sensitive))?;
    }
    if let Some(weight) = &args.weight {
        let weights = spec.variables.iter_mut().filter(|variable| variable.role == Role::Weight);
        weights.for_each(|variable| variable.role = Role::Plain);
        give_role(&mut spec, weight, Role::Weight)?;
    }
    if let Some(population) = &args.population {
        // Named on the command line, so relative to where the command runs and not to the spec.
        let path = std::path::absolute(population).map_err(|error| Error::io("find", population, error))?;
        spec.population = Some(source(&path, &args.reading)?);
    }
    if args.wildcard {
        spec.missing = Missing::Wildcard;
        spec.variables.iter_mut().for_each(|variable| variable.missing = None);
    }
    if let Some(policy) = &args.policy {
        spec.policy = outward_spec::PolicyChoice { name: Some(policy.clone()), ..Default::default() };
    }
    if let Some(tier) = &args.tier {
        spec.policy.tier = Some(tier.clone());
    }
    spec.policy.thresholds.k = args.k.or(spec.policy.thresholds.k);
    Ok(spec)
}

/// Makes these variables, in this order, the only keys.
pub(crate) fn set_keys(spec: &mut Spec, keys: &[String]) -> Result<()> {
    spec.variables.iter_mut().filter(|variable| variable.is_key()).for_each(|variable| variable.role = Role::Plain);
    keys.iter().try_for_each(|name| give_role(spec, name, Role::Key))?;
    let asked = |variable: &Variable| keys.iter().position(|name| *name == variable.name);
    spec.variables.sort_by_key(|variable| asked(variable).unwrap_or(usize::MAX));
    Ok(())
}

/// A data file named on the command line.
pub(crate) fn source(path: &Path, reading: &ReadingArgs) -> Result<Source> {
    fn named<T: serde::de::DeserializeOwned>(what: &str, text: &str, known: &[&str]) -> Result<T> {
        serde_json::from_value(serde_json::Value::String(text.to_owned())).map_err(|_| {
            let help = format!("say one of {}", known.join(", "));
            Error::input(format!("there is no {what} `{text}`")).help(help).into()
        })
    }
    Ok(Source {
        encoding: reading
            .encoding
            .as_deref()
            .map(|text| named("encoding", text, &["utf-8", "windows-1252"]))
            .transpose()?,
        delimiter: reading
            .delimiter
            .as_deref()
            .map(|text| named("delimiter", text, &["comma", "semicolon", "tab"]))
            .transpose()?,
        sheet: reading.sheet.clone(),
        missing: reading.missing_values.clone(),
        ..Source::file(path)
    })
}

fn give_role(spec: &mut Spec, name: &str, role: Role) -> Result<()> {
    if spec.variables.iter().any(|variable| variable.name == name && variable.role == role) {
        return Err(Error::input(format!("variable `{name}` is named twice")).help("name each variable once").into());
    }
    match spec.variables.iter_mut().find(|variable| variable.name == name) {
        Some(variable) => variable.role = role,
        None => spec.variables.push(Variable { role, ..Variable::named(name) }),
    }
    Ok(())
}
