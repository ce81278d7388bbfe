//! `outward suppress`: single values left out of a file until every combination of the keys is shared.

use std::collections::BTreeMap;
use std::path::Path;

use outward_engine::{Data, Plan, Target};
use outward_microdata::steps::Setting;
use outward_report::format::count;
use outward_spec::{Error, Missing, Result, Spec, Step, nearest};
use serde::Serialize;

use crate::cli::{OutputFormat, SuppressArgs};
use crate::commands::assess::{set_keys, source};
use crate::output::{Outcome, print, print_json, refuse_inputs};
use crate::session::Session;

/// What was left out, for programs.
#[derive(Serialize)]
struct Answer<'a> {
    out: &'a Path,
    records: u64,
    k: u64,
    suppressed_cells: u64,
    per_key: BTreeMap<&'a str, u64>,
    /// What the suppressed cells cost; their number if no importance is given.
    cost: f64,
    /// A lower bound on the cost, if a record loses either nothing or what makes it safe by itself.
    lower_bound: f64,
    /// Records that were rare.
    rare_records: u64,
    /// Of those, the ones that stayed whole: values left out of others make those match them.
    rare_records_left_whole: u64,
}

pub(crate) fn run(session: &Session, args: &SuppressArgs) -> Result<Outcome> {
    refuse_inputs(&args.out, &[&args.data])?;
    let mut spec = Spec { data: source(&args.data, &args.reading)?, ..Spec::default() };
    set_keys(&mut spec, &args.keys)?;
    spec.missing = if args.category { Missing::Category } else { Missing::Wildcard };
    let importance = args.importance.iter().map(|said| cost(said, &args.keys)).collect::<Result<_>>()?;
    spec.steps = vec![Step::SuppressCells { keys: args.keys.clone(), k: Some(args.k), importance, own: args.own }];
    let plan = Plan::of_spec(Setting::new(spec.clone(), session.threads)?)?;
    let target = Target { path: args.out.clone(), format: None };
    let written = session.runtime()?.block_on(session.engine().rewrite(&Data::of_spec(&spec), &plan, &target))?;
    let step = written.steps.first().ok_or_else(|| Error::bug("a step left no count"))?;
    let figure = |name: &str| step.figures.get(name).copied().unwrap_or_default();
    let per_key = args.keys.iter().map(|key| (key.as_str(), step.changed.get(key).copied().unwrap_or_default()));
    let answer = Answer {
        out: &args.out,
        records: written.rows,
        k: args.k,
        suppressed_cells: step.changed.values().sum(),
        per_key: per_key.collect(),
        cost: figure("cost"),
        lower_bound: figure("lower_bound"),
        rare_records: figure("rare_records") as u64,
        rare_records_left_whole: figure("rare_records_left_whole") as u64,
    };
    match session.format {
        OutputFormat::Json => print_json(&answer)?,
        OutputFormat::Text => print(&said(&answer, &args.keys))?,
    }
    Ok(Outcome::Clean)
}

fn said(answer: &Answer<'_>, keys: &[String]) -> String {
    let mut text = format!(
        "{} values of {} records were left out, so that every combination of the keys is shared by {} or more\n",
        count(answer.suppressed_cells),
        count(answer.records),
        count(answer.k),
    );
    for key in keys {
        text += &format!("  {key:<24} {:>12}\n", count(answer.per_key[key.as_str()]));
    }
    // With an importance of keys the bound is a cost, and not a number of values.
    if answer.cost == answer.suppressed_cells as f64 {
        text += &format!(
            "No pattern under the same rule suppresses fewer than {} values\n",
            count(answer.lower_bound.ceil() as u64)
        );
    }
    if answer.rare_records_left_whole > 0 {
        text += &format!(
            "{} of {} rare records kept all their values: records with suppressed values match them. With --own each rare record loses values itself\n",
            count(answer.rare_records_left_whole),
            count(answer.rare_records)
        );
    }
    text + &format!("The records are in {}\n", answer.out.display())
}

/// A key and what it costs, from `age=2`.
fn cost(said: &str, keys: &[String]) -> Result<(String, f64)> {
    let fault = |what: String, help: String| -> Error { Error::input(what).help(help).into() };
    let Some((key, cost)) = said.split_once('=') else {
        return Err(fault(format!("`{said}` is not a key and its cost"), "write it as age=2".to_owned()));
    };
    if !keys.iter().any(|known| known == key) {
        let help = match nearest(key, keys.iter().map(String::as_str)) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "name one of the keys".to_owned(),
        };
        return Err(fault(format!("`{key}` is not one of the keys"), help));
    }
    match cost.parse::<f64>() {
        Ok(cost) if cost.is_finite() && cost > 0.0 => Ok((key.to_owned(), cost)),
        _ => Err(fault(format!("`{cost}` is not a cost"), "write a number above 0".to_owned())),
    }
}
