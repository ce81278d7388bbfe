//! `outward vault`: participants and their data kept apart, and research applications served with identifiers of their own.

mod enrol;
mod extract;
mod grants;
mod private;
mod read;
mod returned;
mod stores;
mod trees;
mod withdraw;

pub(crate) use private::write_private;
pub(crate) use read::texts;

use outward_ledger::Actor;
use outward_report::format::count;
use outward_spec::{Error, Policy, PolicyChoice, Result, Rules};
use outward_vault::{Application, Vault};
use serde::Serialize;
use serde_json::json;

use crate::cli::{ApplicationArgs, InVaultArgs, LogArgs, OutputFormat, VaultCommand, WithdrawCommand};
use crate::commands::register::{actor_named, now};
use crate::output::{Outcome, print, print_json};
use crate::session::Session;

pub(crate) fn run(session: &Session, command: &VaultCommand) -> Result<Outcome> {
    match command {
        VaultCommand::Init(args) => stores::init(session, args),
        VaultCommand::Enrol(args) => enrol::run(session, args),
        VaultCommand::Application(args) => application(session, args),
        VaultCommand::Extract(args) => extract::run(session, args),
        VaultCommand::Return(args) => returned::run(session, args),
        VaultCommand::Grant(args) => grants::grant(session, args),
        VaultCommand::Approve(args) => grants::approve(session, args),
        VaultCommand::Reverse(args) => grants::reverse(session, args),
        VaultCommand::Bridge(args) => grants::bridge(session, args),
        VaultCommand::Withdraw(WithdrawCommand::Enter(args)) => withdraw::enter(session, args),
        VaultCommand::Withdraw(WithdrawCommand::Check(args)) => trees::check(session, args),
        VaultCommand::Withdraw(WithdrawCommand::Apply(args)) => trees::apply(session, args),
        VaultCommand::Withdraw(WithdrawCommand::OptOuts(command)) => withdraw::opt_outs(session, command),
        VaultCommand::Rotate(args) => stores::rotate(session, args),
        VaultCommand::Log(args) => log(session, args),
        VaultCommand::Audit(args) => audit(session, args),
    }
}

/// Who speaks, and when.
struct NamedActor {
    name: String,
    at: String,
}

impl NamedActor {
    fn from_args(args: &InVaultArgs) -> Result<Self> {
        Ok(Self { name: actor_named(args.actor.as_deref())?, at: now() })
    }

    fn actor(&self) -> Actor<'_> {
        Actor { name: &self.name, at: &self.at }
    }
}

/// An open vault, and the runtime of its work.
struct Open {
    vault: Vault,
    runtime: tokio::runtime::Runtime,
    speaker: NamedActor,
}

impl Open {
    fn new(session: &Session, args: &InVaultArgs) -> Result<Self> {
        let speaker = NamedActor::from_args(args)?;
        let runtime = session.runtime()?;
        let vault = runtime.block_on(stores::open(args))?.vault;
        Ok(Self { vault, runtime, speaker })
    }
}

/// Shows an answer: as JSON, or as lines for people.
fn answer(session: &Session, answer: &impl Serialize, lines: &str) -> Result<()> {
    match session.format {
        OutputFormat::Json => print_json(answer),
        OutputFormat::Text => print(lines),
    }
}

/// Names the file in an error about one of its rows.
fn in_file(error: Error, file: &std::path::Path) -> Error {
    error.with_fault(|fault| if fault.place.row.is_some() { fault.file(file) } else { fault })
}

/// The policy of a name or a file.
fn policy(named: &str) -> Result<(PolicyChoice, Rules)> {
    let choice = match Policy::named(named) {
        Ok(_) => PolicyChoice { name: Some(named.to_owned()), ..PolicyChoice::default() },
        Err(error) => {
            let Ok(file) = std::path::Path::new(named).canonicalize() else { return Err(error) };
            PolicyChoice { file: Some(file), ..PolicyChoice::default() }
        }
    };
    let rules = choice.rules(std::path::Path::new(""))?;
    Ok((choice, rules))
}

fn application(session: &Session, args: &ApplicationArgs) -> Result<Outcome> {
    let Some(file) = &args.file else { return list(session, &args.within) };
    let text = std::fs::read_to_string(file).map_err(|error| Error::io("read", file, error))?;
    let application = Application::parse(&text, file)?;
    let (_, rules) = policy(&args.policy)?;
    let Open { mut vault, runtime, speaker } = Open::new(session, &args.within)?;
    runtime.block_on(vault.add_application(&application, &rules, speaker.actor(), &args.reason))?;
    let fields: usize = application.tables.iter().chain(&application.phase_one).map(|table| table.fields.len()).sum();
    let line = format!("Application `{}` may have {fields} fields until {}.\n", application.name, application.expires);
    answer(session, &application, &line)?;
    Ok(Outcome::Clean)
}

fn list(session: &Session, args: &InVaultArgs) -> Result<Outcome> {
    let Open { mut vault, runtime, .. } = Open::new(session, args)?;
    let applications = runtime.block_on(vault.applications())?;
    let line = |application: &Application| {
        let tables: Vec<&str> = application.tables.iter().map(|table| table.name.as_str()).collect();
        format!("{}: {}, until {}, {}\n", application.name, application.title, application.expires, tables.join(", "))
    };
    answer(session, &json!({ "applications": applications }), &applications.iter().map(line).collect::<String>())?;
    Ok(Outcome::Clean)
}

fn log(session: &Session, args: &LogArgs) -> Result<Outcome> {
    const AT_ONCE: i64 = 10_000;
    let Open { mut vault, runtime, .. } = Open::new(session, &args.within)?;
    let (mut after, mut all) = (args.after, Vec::new());
    loop {
        let entries = runtime.block_on(vault.entries(after, AT_ONCE))?;
        let Some(last) = entries.last() else { break };
        after = last.number;
        match session.format {
            OutputFormat::Json => all.extend(entries),
            OutputFormat::Text => {
                for entry in entries {
                    let reason = if entry.reason.is_empty() { String::new() } else { format!(" ({})", entry.reason) };
                    print(&format!(
                        "{} {} {}: {} {}{reason} {}\n",
                        entry.number, entry.at, entry.actor, entry.action, entry.subject, entry.details
                    ))?;
                }
            }
        }
    }
    if session.format == OutputFormat::Json {
        print_json(&json!({ "entries": all }))?;
    }
    Ok(Outcome::Clean)
}

fn audit(session: &Session, args: &InVaultArgs) -> Result<Outcome> {
    let Open { mut vault, runtime, .. } = Open::new(session, args)?;
    match runtime.block_on(vault.audit())? {
        Ok((entries, head)) => {
            let line = format!("The log has {} entries and holds. Its head is\n{head}\n", count(entries as u64));
            answer(session, &json!({ "holds": true, "entries": entries, "head": head }), &line)?;
            session.remark("Keep the head elsewhere: a log that somebody rewrote has another head.");
            Ok(Outcome::Clean)
        }
        Err(broken) => {
            let line = format!("Entry {} {}.\n", broken.number, broken.what);
            answer(session, &json!({ "holds": false, "break": broken }), &line)?;
            Ok(Outcome::Findings)
        }
    }
}
