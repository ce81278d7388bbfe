//! Verification: checks a bundle from its files alone, by code that had no part in making it.
//!
//! This module has its own code to count classes, read distributions and scan text. It shares little with the rest of
//! Outward: the readers of files, SQL conditions, the hierarchies of the spec, and the estimators of population
//! uniques. It also shares the profile of columns and the recognisers of identifiers. `docs/methods/verification.md`
//! says what each check asks.

mod check;
mod closeness;
mod columns;
mod counts;
mod decimal;
mod diversity;
mod domains;
mod files;
mod groups;
mod identifiers;
mod intruder_test;
mod mappings;
mod numbers;
mod places;
mod population;
mod read;
mod release;
mod removed;
mod risk;
mod schema;
mod shared;
mod spec;
mod steps;
mod tables;
mod texts;

use std::path::Path;

use outward_spec::{Error, Result, Source};

use crate::bundle;
pub use intruder_test::{BY_PEOPLE, NAME as INTRUDER_TEST};
use release::Release;
pub(crate) use tables::verify as verify_tables;

pub use check::{Check, Outcome, Place, Verification};

/// What a verification may use in addition to the bundle.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// The population, for models that compare with it. Its columns have the names and codes of the data before
    /// protection.
    pub population: Option<Source>,
    /// How many threads may read; the answer does not depend on it.
    pub threads: usize,
}

/// Checks a bundle. The result lists every check that was made. An error means that none could be made.
pub async fn verify(bundle: &Path, options: &Options) -> Result<Verification> {
    if bundle::is_of_tables(bundle) {
        return tables::verify(bundle);
    }
    let mut verification = verify_release(bundle, options).await?;
    verification.checks.extend(intruder_test::check(bundle, &bundle::read(bundle)?, options.threads).await?);
    Ok(verification)
}

/// Checks a bundle of records apart from its intruder test, which can only be made once there is a bundle.
pub(crate) async fn verify_release(bundle: &Path, options: &Options) -> Result<Verification> {
    let manifest = bundle::read(bundle)?;
    let mut checks = vec![files::check(bundle, &manifest)?];
    let (spec_checks, spec) = spec::check(bundle, &manifest);
    checks.extend(spec_checks);
    let (records, profile) = match read::bundled(bundle, &manifest.data, options.threads).await {
        Ok(read) => read,
        Err(error @ (Error::Input(_) | Error::Io { .. })) => {
            checks.push(unreadable(&manifest.data, &error));
            return Ok(checks.into());
        }
        Err(error) => return Err(error),
    };
    let release = Release::new(bundle, &manifest, spec.as_ref(), &records);
    checks.push(schema::check(&release));
    checks.extend(counts::check(&release));
    checks.push(identifiers::check(&release));
    checks.push(columns::check(&release, &profile));
    checks.push(texts::check(&release));
    checks.push(mappings::check(&release));
    checks.push(shared::check_k(&release));
    checks.extend(shared::check_subsets(&release, options.threads).await?);
    checks.extend(shared::check_combinations(&release));
    checks.extend(diversity::check(&release));
    checks.extend(closeness::check(&release));
    checks.extend(risk::check(&release));
    checks.extend(population::check(&release, options).await?);
    checks.extend(places::check(&release));
    checks.extend(domains::check(&release));
    checks.extend(numbers::check(&release));
    checks.extend(removed::check(&release));
    Ok(Verification { checks, alone: risk::alone(&release) })
}

fn unreadable(data: &str, error: &Error) -> Check {
    let fault = error.fault();
    let what = fault.map_or_else(|| "the file cannot be opened".to_owned(), |fault| fault.what.clone());
    let row = fault.and_then(|fault| fault.place.row);
    let column = fault.and_then(|fault| fault.place.variable.clone());
    let place = Place { file: data.to_owned(), row, column };
    Check::fails("records", format!("the published records cannot be read: {what}")).at([place])
}
