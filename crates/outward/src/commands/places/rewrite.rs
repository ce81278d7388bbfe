//! `outward places map` and `outward places grid`: a file written again with coarser places.

use std::path::Path;

use outward_engine::{Data, Plan, Rewritten, Target};
use outward_microdata::steps::Setting;
use outward_places::Mapping;
use outward_release::data_hash;
use outward_report::format::count;
use outward_spec::{Error, GridForm, Result, Spec, Unknown};
use serde::Serialize;

use crate::cli::{GivenAs, GridArgs, MapArgs, OnUnknown, OutputFormat};
use crate::commands::assess::source;
use crate::output::{Outcome, print, print_json, refuse_inputs};
use crate::session::Session;

/// What was written, for programs.
#[derive(Serialize)]
struct Answer<'a> {
    out: &'a Path,
    records: u64,
    bytes: u64,
    /// Records that lost their value, because it was not a place.
    not_a_place: u64,
    /// Records that lost their value, because the mapping does not know it.
    not_in_mapping: u64,
    /// Records that lost their value, because the mapping withholds it.
    withheld: u64,
}

/// Replaces the codes of a file by those a mapping publishes, or carries out the steps of a spec.
pub(super) fn map(session: &Session, args: &MapArgs) -> Result<Outcome> {
    let is_spec = args.data.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("toml"));
    match (&args.variable, &args.mapping) {
        (Some(variable), Some(path)) if !is_spec => {
            let plan = Plan::of_mapping(variable, &Mapping::load(path)?, unknown(args.unknown));
            let data = Data { source: source(&args.data, &args.reading)?, columns: Vec::new() };
            write(session, &data, &plan, &args.out, &[&args.data, path])
        }
        (None, None) if is_spec => {
            let spec = Spec::load(&args.data)?;
            let files = spec.files();
            let inputs: Vec<&Path> = files.iter().map(AsRef::as_ref).chain([args.data.as_path()]).collect();
            let salt = data_hash(&spec)?.unwrap_or_default();
            let plan = Plan::of_spec(Setting { salt, ..Setting::new(spec.clone(), session.threads)? })?;
            write(session, &Data::of_spec(&spec), &plan, &args.out, &inputs)
        }
        _ => Err(Error::input("it is not clear what to do to the records")
            .help("give data with --variable and --mapping, or a spec file whose steps say it")
            .into()),
    }
}

/// Moves the points of a file to the corners of their cells.
pub(super) fn grid(session: &Session, args: &GridArgs) -> Result<Outcome> {
    let given = match args.given {
        Some(GivenAs::Metres) => GridForm::Metres,
        Some(GivenAs::Degrees) => GridForm::Degrees,
        Some(GivenAs::Reference) => GridForm::Reference,
        None => GridForm::usual(args.variables.len()),
    };
    let plan = Plan::of_grid(&args.variables, given, args.cell, unknown(args.unknown))?;
    if let (GridForm::Degrees, [latitude, longitude]) = (given, &args.variables[..]) {
        session.remark(&format!("{latitude} holds the northing in metres now, and {longitude} the easting"));
    }
    let data = Data { source: source(&args.data, &args.reading)?, columns: Vec::new() };
    write(session, &data, &plan, &args.out, &[&args.data])
}

fn unknown(unknown: OnUnknown) -> Unknown {
    match unknown {
        OnUnknown::Refuse => Unknown::Refuse,
        OnUnknown::Blank => Unknown::Blank,
    }
}

fn write(session: &Session, data: &Data, plan: &Plan, out: &Path, inputs: &[&Path]) -> Result<Outcome> {
    refuse_inputs(out, inputs)?;
    let target = Target { path: out.to_owned(), format: None };
    let written = session.runtime()?.block_on(session.engine().rewrite(data, plan, &target))?;
    let Rewritten { rows, bytes, blanked, .. } = written;
    let answer = Answer {
        out,
        records: rows,
        bytes,
        not_a_place: blanked.iter().map(|step| step.not_a_place).sum(),
        not_in_mapping: blanked.iter().map(|step| step.not_in_mapping).sum(),
        withheld: blanked.iter().map(|step| step.withheld).sum(),
    };
    match session.format {
        OutputFormat::Json => print_json(&answer)?,
        OutputFormat::Text => {
            let mut text = format!("{} records are in {}\n", count(rows), out.display());
            for step in &blanked {
                text += &format!("{step}: left empty; the first is in row {}\n", count(step.first_row));
            }
            print(&text)?;
        }
    }
    Ok(if blanked.is_empty() { Outcome::Clean } else { Outcome::Findings })
}
