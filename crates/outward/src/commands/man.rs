//! `outward man`: one man page for each command.

use clap::CommandFactory;
use outward_spec::{Error, Result};

use crate::cli::{Cli, ManArgs};
use crate::output::Outcome;
use crate::session::Session;

pub(crate) fn run(session: &Session, args: &ManArgs) -> Result<Outcome> {
    std::fs::create_dir_all(&args.out).map_err(|error| Error::io("create", &args.out, error))?;
    clap_mangen::generate_to(Cli::command(), &args.out).map_err(|error| Error::io("write to", &args.out, error))?;
    session.remark(&format!("man pages are in {}", args.out.display()));
    Ok(Outcome::Clean)
}
