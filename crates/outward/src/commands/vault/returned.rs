//! `outward vault return`: what researchers worked out from places comes back.

use std::path::Path;

use outward_engine::source::ReadOptions;
use outward_release::{Outcome as CheckOutcome, verify};
use outward_report::format::count;
use outward_spec::{Error, Result, Source};
use outward_vault::{BETWEEN, EID, Places, Results, ReturnAccount};

use super::extract::manifest_hash;
use super::{Open, answer, in_file, read};
use crate::cli::ReturnArgs;
use crate::output::Outcome;
use crate::session::Session;

pub(super) fn run(session: &Session, args: &ReturnArgs) -> Result<Outcome> {
    let mut open = Open::new(session, &args.within)?;
    let bundle = manifest_hash(&args.phase_one)?;
    // The bundle has what the researchers have only if nobody changed it since.
    let verification = open.runtime.block_on(verify(
        &args.phase_one,
        &outward_release::verify::Options { population: None, threads: session.threads },
    ))?;
    if let Some(check) = verification.with(CheckOutcome::Fails).next() {
        return Err(Error::input(format!("the bundle of the first phase fails its check `{}`", check.name))
            .file(&args.phase_one)
            .help("name the bundle as it went out")
            .into());
    }
    let data = outward_release::read(&args.phase_one)?.data;
    let places = places(session, &open, &args.phase_one.join(data))?;
    let results = results(session, &open, &args.results)?;
    let application = open.runtime.block_on(open.vault.known_application(&args.application))?;
    let taken = open.vault.take_return(
        &args.application,
        (&places, &bundle),
        &results,
        application.least_holders,
        open.speaker.actor(),
        &args.reason,
    );
    let account = open.runtime.block_on(taken).map_err(|error| in_file(error, &args.results))?;
    answer(session, &account, &words(&account))?;
    Ok(Outcome::Clean)
}

fn words(account: &ReturnAccount) -> String {
    let mut lines = format!(
        "{} people have results, in {} groups; {} have none.\n",
        count(account.people),
        count(account.groups),
        count(account.without)
    );
    for column in &account.columns {
        lines += &format!(
            "{}: {} values came back, {} are kept; {:.1} % of the variance is lost.\n",
            column.name,
            count(column.values),
            count(column.kept),
            100.0 * column.lost
        );
    }
    lines
}

/// The columns of a file.
fn columns(session: &Session, open: &Open, file: &Path) -> Result<Vec<String>> {
    let options = ReadOptions { stop: session.stop.clone(), ..ReadOptions::default() };
    let source = open.runtime.block_on(outward_engine::source::open(&Source::file(file), None, &options))?;
    let columns: Vec<String> = source.schema().fields().iter().map(|field| field.name().clone()).collect();
    match columns.iter().any(|column| column == EID) {
        true => Ok(columns),
        false => Err(Error::input(format!("there is no column `{EID}`"))
            .file(file)
            .help("have the results returned by the identifiers that were given")
            .into()),
    }
}

/// The place of each identifier, as it was given.
fn places(session: &Session, open: &Open, file: &Path) -> Result<Places> {
    let columns = columns(session, open, file)?;
    let eid = columns.iter().position(|column| column == EID).unwrap_or_default();
    let mut places = Places::new();
    read::texts(session, &open.runtime, &Source::file(file), &columns, &mut |row| {
        let parts = row.iter().enumerate().filter(|(at, _)| *at != eid).map(|(_, value)| value.unwrap_or_default());
        places.push((row[eid].unwrap_or_default().to_owned(), parts.collect::<Vec<_>>().join(&BETWEEN.to_string())));
        Ok(())
    })?;
    Ok(places)
}

fn results(session: &Session, open: &Open, file: &Path) -> Result<Results> {
    let mut columns = columns(session, open, file)?;
    columns.retain(|column| column != EID);
    if columns.is_empty() {
        return Err(Error::input("the results have no column besides the identifiers")
            .file(file)
            .help("there is nothing to take in")
            .into());
    }
    let wanted: Vec<String> = std::iter::once(EID.to_owned()).chain(columns.iter().cloned()).collect();
    let mut results = Results { columns: columns.clone(), rows: Vec::new() };
    let mut number = 0;
    read::texts(session, &open.runtime, &Source::file(file), &wanted, &mut |row| {
        number += 1;
        let value = |(text, column): (&Option<&str>, &String)| match text {
            None => Ok(None),
            Some(text) => match text.parse::<f64>() {
                Ok(value) => Ok(Some(value)),
                Err(_) => Err(Error::from(
                    Error::input("this result is not a number")
                        .file(file)
                        .row(number)
                        .variable(column)
                        .help("results of places are numbers; leave the field empty where there is none"),
                )),
            },
        };
        let values = row[1..].iter().zip(&columns).map(value).collect::<Result<Vec<_>>>()?;
        results.rows.push((row[0].unwrap_or_default().to_owned(), values));
        Ok(())
    })?;
    Ok(results)
}
