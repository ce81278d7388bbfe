//! `outward completions`: completions for a shell, on stdout.

use clap::CommandFactory;
use outward_spec::Result;

use crate::cli::{Cli, CompletionsArgs};
use crate::output::{Outcome, print};

pub(crate) fn run(args: &CompletionsArgs) -> Result<Outcome> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "outward", &mut script);
    print(&String::from_utf8_lossy(&script))?;
    Ok(Outcome::Clean)
}
