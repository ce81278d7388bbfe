//! `outward verify`: a bundle checked from its files alone.

use outward_release::verification_report;
use outward_release::verify::{Options, Outcome as Found, verify};
use outward_spec::Result;

use crate::cli::{ReadingArgs, VerifyArgs};
use crate::commands::assess::source;
use crate::commands::show;
use crate::output::Outcome;
use crate::session::Session;

pub(crate) fn run(session: &Session, args: &VerifyArgs) -> Result<Outcome> {
    let population = args.population.as_deref().map(|path| source(path, &ReadingArgs::default())).transpose()?;
    let options = Options { population, threads: session.threads };
    let verification = session.runtime()?.block_on(verify(&args.bundle, &options))?;
    let name = args.bundle.file_name().map_or_else(|| "bundle".into(), |name| name.to_string_lossy());
    let report = verification_report(&name, &verification);
    show(session, &verification, &report, args.report.as_deref(), &[&args.bundle])?;
    Ok(match verification.outcome() {
        Found::Holds => Outcome::Clean,
        Found::Fails => Outcome::Findings,
        Found::CannotTell => Outcome::CannotTell,
    })
}
