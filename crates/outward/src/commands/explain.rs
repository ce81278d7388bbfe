//! `outward explain`: what a finding means, why it matters and what to do.

use outward_spec::{FindingKind, Result, explain, kinds};

use crate::cli::{ExplainArgs, OutputFormat};
use crate::output::{Outcome, print, print_json};
use crate::session::Session;

pub(crate) fn run(session: &Session, args: &ExplainArgs) -> Result<Outcome> {
    match (&args.code, session.format) {
        (Some(code), OutputFormat::Json) => print_json(explain(code)?)?,
        (Some(code), OutputFormat::Text) => print(&explained(explain(code)?))?,
        (None, OutputFormat::Json) => print_json(&kinds::ALL)?,
        (None, OutputFormat::Text) => {
            let lines = kinds::ALL.map(|kind| format!("{}  {}\n", kind.code, kind.title));
            print(&lines.concat())?;
        }
    }
    Ok(Outcome::Clean)
}

fn explained(kind: &FindingKind) -> String {
    format!(
        "{} ({})\n{}\n\nWhat it means\n{}\n\nWhy it matters\n{}\n\nWhat to do\n{}\n",
        kind.code, kind.name, kind.title, kind.meaning, kind.why, kind.what_to_do
    )
}
