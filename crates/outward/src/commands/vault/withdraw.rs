//! `outward vault withdraw enter` and `opt-outs`.

use std::path::Path;

use outward_report::format::{count, counted};
use outward_spec::{Error, Result, Source, suggest};
use outward_vault::{Level, Withdrawal, read_list, write_list};
use serde_json::json;

use super::private::write_private;
use super::{Open, answer, in_file, read};
use crate::cli::{EnterWithdrawalsArgs, OptOutsCommand};
use crate::output::Outcome;
use crate::session::Session;

pub(super) fn enter(session: &Session, args: &EnterWithdrawalsArgs) -> Result<Outcome> {
    let Open { mut vault, runtime, speaker } = Open::new(session, &args.within)?;
    let columns = ["id", "level", "day"].map(str::to_owned);
    let (mut withdrawals, mut number) = (Vec::new(), 0);
    read::texts(session, &runtime, &Source::file(&args.file), &columns, &mut |row| {
        number += 1;
        let [id, level, day] = [row[0], row[1], row[2]].map(Option::unwrap_or_default);
        let level = Level::named(level).ok_or_else(|| {
            let known = Level::ALL.into_iter().map(Level::name);
            Error::input("this is not a level of withdrawal")
                .file(&args.file)
                .row(number)
                .help(suggest("", known, "levels"))
        })?;
        withdrawals.push(Withdrawal { local: id.to_owned(), level, day: day.to_owned() });
        Ok(())
    })?;
    let entered = runtime.block_on(vault.withdraw(&withdrawals, speaker.actor(), &args.reason));
    let entered = entered.map_err(|error| in_file(error, &args.file))?;
    let line = format!(
        "{} new, of {} in the file.\n",
        counted(entered, "withdrawal is", "withdrawals are"),
        count(withdrawals.len() as u64)
    );
    answer(session, &json!({ "entered": entered, "given": withdrawals.len() }), &line)?;
    Ok(Outcome::Clean)
}

pub(super) fn opt_outs(session: &Session, command: &OptOutsCommand) -> Result<Outcome> {
    match command {
        OptOutsCommand::Export { out, reason, within } => {
            let Open { mut vault, runtime, speaker } = Open::new(session, within)?;
            let numbers = runtime.block_on(vault.numbers_to_check(speaker.actor(), reason))?;
            write_private(out, write_list(&numbers).as_bytes())?;
            let line = format!("{} NHS numbers are in {}.\n", count(numbers.len() as u64), out.display());
            answer(session, &json!({ "numbers": numbers.len(), "file": out }), &line)?;
        }
        OptOutsCommand::Import { sent, back, reason, within } => {
            let (sent, back) = (list(sent)?, list(back)?);
            let Open { mut vault, runtime, speaker } = Open::new(session, within)?;
            let done = runtime.block_on(vault.take_opt_outs(&sent, &back, speaker.actor(), reason))?;
            let line = format!(
                "{} of the participants who were asked about opted out; {} no longer do.\n",
                count(done.opted_out),
                count(done.no_longer)
            );
            answer(session, &done, &line)?;
        }
    }
    Ok(Outcome::Clean)
}

fn list(file: &Path) -> Result<std::collections::BTreeSet<String>> {
    let text = std::fs::read_to_string(file).map_err(|error| Error::io("read", file, error))?;
    read_list(&text).map_err(|error| error.with_fault(|fault| fault.file(file)))
}
