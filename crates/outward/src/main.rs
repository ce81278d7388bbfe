//! The `outward` command: publish data about people without anyone being found in it.

mod cli;
mod commands;
mod diagnostic;
mod interrupt;
mod output;
mod progress;
mod session;

use std::process::ExitCode;

use clap::Parser;

use crate::cli::{Cli, Command};
use crate::output::Outcome;
use crate::session::Session;

fn main() -> ExitCode {
    std::panic::set_hook(Box::new(diagnostic::report_panic));
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version are answers; anything else on the command line is a mistake.
            let code = if error.use_stderr() { 2 } else { 0 };
            let _ = error.print();
            return ExitCode::from(code);
        }
    };
    match interrupt::stop_on_interrupt().and_then(|stop| interrupt::run_until_stopped(&stop, || run(cli))) {
        Ok(Outcome::Clean) => ExitCode::SUCCESS,
        Ok(Outcome::Findings) => ExitCode::from(1),
        Ok(Outcome::CannotTell) => ExitCode::from(2),
        Err(error) => {
            diagnostic::print(&error);
            ExitCode::from(2)
        }
    }
}

fn run(cli: Cli) -> outward_spec::Result<Outcome> {
    let session = Session::new(&cli.global)?;
    match cli.command {
        Command::Demo(args) => commands::demo::run(&session, &args),
        Command::Generate(args) => commands::generate::run(&session, &args),
        Command::Init(args) => commands::init::run(&session, &args),
        Command::Assess(args) => commands::assess::run(&session, &args),
        Command::Plan(args) => commands::plan::run(&session, &args),
        Command::Protect(args) => commands::protect::run(&session, &args),
        Command::Attack(args) => commands::attack::run(&session, &args),
        Command::Table(args) => commands::table::run(&session, &args),
        Command::Verify(args) => commands::verify::run(&session, &args),
        Command::Release(args) => commands::register::release(&session, &args),
        Command::Register(command) => commands::register::run(&session, &command),
        Command::Vault(command) => commands::vault::run(&session, &command),
        Command::Suppress(args) => commands::suppress::run(&session, &args),
        Command::Link(args) => commands::link::run(&session, &args),
        Command::Scan(args) => commands::scan::run(&session, &args),
        Command::Places(command) => commands::places::run(&session, &command),
        Command::Birthdays(command) => commands::birthdays::run(&session, &command),
        Command::Policies(args) => commands::policies::run(&session, &args),
        Command::Scenarios(args) => commands::scenarios::run(&session, &args),
        Command::Explain(args) => commands::explain::run(&session, &args),
        Command::Schema(args) => commands::schema::run(&args),
        Command::Completions(args) => commands::completions::run(&args),
        Command::Man(args) => commands::man::run(&session, &args),
    }
}
