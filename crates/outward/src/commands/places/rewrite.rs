//! `outward places map` and `outward places grid`: a file written anew with coarser places.

use std::path::Path;

use outward_engine::{Data, Plan, Rewritten, Target};
use outward_places::Mapping;
use outward_spec::{Error, GridForm, Result, Unknown};
use serde::Serialize;

use crate::cli::{GivenAs, GridArgs, MapArgs, OnUnknown, OutputFormat, ReadingArgs};
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
}

/// Replaces the codes of a file by those a mapping publishes.
pub(super) fn map(session: &Session, args: &MapArgs) -> Result<Outcome> {
    let mapping = Mapping::load(&args.mapping)?;
    let plan = Plan::of_mapping(&args.variable, &mapping, unknown(args.unknown));
    write(session, &args.data, &args.reading, &plan, &args.out, &[&args.data, &args.mapping])
}

/// Moves the points of a file to the corners of their cells.
pub(super) fn grid(session: &Session, args: &GridArgs) -> Result<Outcome> {
    let one = args.variables.len() == 1;
    let given = match args.given {
        Some(GivenAs::Metres) => GridForm::Metres,
        Some(GivenAs::Degrees) => GridForm::Degrees,
        Some(GivenAs::Reference) => GridForm::Reference,
        None if one => GridForm::Reference,
        None => GridForm::Metres,
    };
    if one != (given == GridForm::Reference) || args.variables.len() > 2 {
        return Err(Error::input("the columns do not fit the way they say where")
            .help("name two columns for metres or degrees, one for a grid reference")
            .into());
    }
    let plan = Plan::of_grid(&args.variables, given, args.cell, unknown(args.unknown))?;
    write(session, &args.data, &args.reading, &plan, &args.out, &[&args.data])
}

fn unknown(unknown: OnUnknown) -> Unknown {
    match unknown {
        OnUnknown::Refuse => Unknown::Refuse,
        OnUnknown::Blank => Unknown::Blank,
    }
}

fn write(
    session: &Session,
    data: &Path,
    reading: &ReadingArgs,
    plan: &Plan,
    out: &Path,
    inputs: &[&Path],
) -> Result<Outcome> {
    refuse_inputs(out, inputs)?;
    let data = Data { source: source(data, reading)?, columns: Vec::new() };
    let target = Target { path: out.to_owned(), format: None };
    let Rewritten { rows, bytes, blanked } =
        session.runtime()?.block_on(session.engine().rewrite(&data, plan, &target))?;
    let answer = Answer {
        out,
        records: rows,
        bytes,
        not_a_place: blanked.iter().map(|step| step.not_a_place).sum(),
        not_in_mapping: blanked.iter().map(|step| step.not_in_mapping).sum(),
    };
    match session.format {
        OutputFormat::Json => print_json(&answer)?,
        OutputFormat::Text => {
            let mut text = format!("{rows} records are in {}\n", out.display());
            for step in &blanked {
                text += &format!("{step}: left empty; the first is in row {}\n", step.first_row);
            }
            print(&text)?;
        }
    }
    Ok(if blanked.is_empty() { Outcome::Clean } else { Outcome::Findings })
}
