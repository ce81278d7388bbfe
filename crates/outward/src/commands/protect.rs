//! `outward protect`: the steps of a spec carried out, and the release written as a bundle.

use outward_release::{Existing, Protect, protect, report};
use outward_spec::{Error, Result, Spec, Step};

use crate::cli::{OutputFormat, ProtectArgs};
use crate::output::{Outcome, print_json, print_report};
use crate::session::Session;

pub(crate) fn run(session: &Session, args: &ProtectArgs) -> Result<Outcome> {
    let mut spec = Spec::load(&args.spec)?;
    let text = std::fs::read_to_string(&args.spec).map_err(|error| Error::io("read", &args.spec, error))?;
    spec.seed = args.seed.unwrap_or(spec.seed);
    let wanted = Protect {
        spec: &spec,
        file: &args.spec,
        text: &text,
        target: &args.out,
        existing: if args.force { Existing::Replace } else { Existing::Refuse },
        threads: session.threads,
    };
    let protected = session.runtime()?.block_on(protect(&*session.engine(), &wanted));
    let protected = protected.map_err(|error| spec.placed(&args.spec, error))?;
    match session.format {
        OutputFormat::Json => print_json(&protected.manifest)?,
        OutputFormat::Text => print_report(&report(&protected.manifest))?,
    }
    if !protected.written {
        let advice = protected.advice.map(|advice| format!(" To meet it, {advice}.")).unwrap_or_default();
        session.remark(&format!("The policy is not met, so nothing was written.{advice}"));
        return Ok(Outcome::Findings);
    }
    let out = args.out.display();
    session.remark(&match protected.manifest.rules.intruder_test {
        true => format!(
            "The bundle is in {out}. `outward verify {out}` says whether {out}/public may be published, and what is missing."
        ),
        false => format!("The release is verified and in {out}. Publish only {out}/public."),
    });
    session.remark_unsettled(&protected.unsettled);
    let reordered = |step: &Step| matches!(step, Step::Swap { .. } | Step::Shuffle {});
    if !spec.steps.iter().any(reordered) {
        session.remark(
            "The records are in the order of the data, which may reveal who belongs together. A step `do = \"shuffle\"` puts them into a random order.",
        );
    }
    Ok(Outcome::Clean)
}
