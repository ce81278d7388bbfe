//! One file per command.

pub(crate) mod assess;
pub(crate) mod attack;
pub(crate) mod birthdays;
pub(crate) mod completions;
pub(crate) mod demo;
pub(crate) mod explain;
pub(crate) mod generate;
pub(crate) mod init;
pub(crate) mod link;
pub(crate) mod man;
pub(crate) mod places;
pub(crate) mod plan;
pub(crate) mod policies;
pub(crate) mod protect;
pub(crate) mod register;
pub(crate) mod scan;
pub(crate) mod scenarios;
pub(crate) mod schema;
pub(crate) mod suppress;
pub(crate) mod table;
pub(crate) mod vault;
pub(crate) mod verify;

use std::path::Path;

use outward_report::{Report, render_html};
use outward_spec::Result;
use serde::Serialize;

use crate::cli::OutputFormat;
use crate::output::{print_json, print_report, write_file};
use crate::session::Session;

/// Shows an answer: as JSON or as its report on stdout, and as an HTML file where one is wanted.
pub(crate) fn show(
    session: &Session,
    answer: &impl Serialize,
    report: &Report,
    html: Option<&Path>,
    inputs: &[&Path],
) -> Result<()> {
    if let Some(path) = html {
        write_file(path, &render_html(report), inputs)?;
        session.remark(&format!("the report is in {}", path.display()));
    }
    match session.format {
        OutputFormat::Json => print_json(answer),
        OutputFormat::Text => print_report(report),
    }
}
