//! `outward vault extract`: the records of an application as a bundle, by the same path as every release.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use outward_engine::{CountRequest, Data, parse_condition_text};
use outward_release::{Existing, Protect, protect};
use outward_report::format::count;
use outward_spec::{Error, Output, PolicyChoice, Result, Rules, Source, Spec};
use outward_vault::{Account, Application, EID, Extract, Phase, Wanted};
use serde::Serialize;

use super::private::PrivateFolder;
use super::{Open, answer, policy};
use crate::cli::{ExtractArgs, PhaseNumber};
use crate::output::Outcome;
use crate::session::Session;

/// What an extract gave.
#[derive(Debug, Serialize)]
struct WrittenExtract {
    bundle: PathBuf,
    /// Whether it was written: not where the policy does not hold.
    written: bool,
    #[serde(flatten)]
    account: Account,
}

pub(super) fn run(session: &Session, args: &ExtractArgs) -> Result<Outcome> {
    let (choice, rules) = policy(&args.policy)?;
    let mut open = Open::new(session, &args.within)?;
    let phase = args.phase.map(|phase| match phase {
        PhaseNumber::One => Phase::One,
        PhaseNumber::Two => Phase::Two,
    });
    let application = open.runtime.block_on(open.vault.application(&args.application, open.speaker.actor()))?;
    let tables = tables(&application, phase, args)?;
    let mut made = Vec::new();
    for table in &tables {
        let bundle = if tables.len() == 1 { args.out.clone() } else { args.out.join(table) };
        // The records are made anew for each table, so that no more than one is held at a time.
        let cohort = cohort(session, &mut open, &application, phase, (&rules, &bundle))?;
        let wanted = Wanted {
            application: &args.application,
            phase,
            table,
            fields: &args.fields,
            cohort: cohort.as_ref(),
            reason: &args.reason,
        };
        made.push(extract(session, &mut open, args, &wanted, (&choice, &rules), &bundle)?);
    }
    let line = |made: &WrittenExtract| match made.written {
        true => format!(
            "{}: {} records of {} people, verified.\n",
            made.bundle.display(),
            count(made.account.records),
            count(made.account.people)
        ),
        false => format!("{}: not written, as the policy is not met.\n", made.bundle.display()),
    };
    answer(session, &made, &made.iter().map(line).collect::<String>())?;
    for made in &made {
        for field in &made.account.grouped {
            session.remark(&format!("`{}`: {} rare codes stand in their group.", field.field, count(field.codes)));
        }
    }
    if made.iter().any(|made| !made.written) {
        return Ok(Outcome::Findings);
    }
    session.remark(&format!("Give out only the folder `public` within {}.", args.out.display()));
    Ok(Outcome::Clean)
}

/// The tables to extract: those that are named, or all that the application has in this phase.
fn tables(application: &Application, phase: Option<Phase>, args: &ExtractArgs) -> Result<Vec<String>> {
    let first = application.phase_one.as_ref().filter(|_| phase == Some(Phase::One));
    let granted: Vec<String> = match first {
        Some(places) => vec![places.name.clone()],
        None => application.tables.iter().map(|table| table.name.clone()).collect(),
    };
    let tables = if args.table.is_empty() { granted } else { args.table.clone() };
    match tables.len() > 1 && !args.fields.is_empty() {
        true => {
            Err(Error::input("fields are of one table, and there are several").help("say which with --table").into())
        }
        false => Ok(tables),
    }
}

/// Extracts a table into a bundle.
fn extract(
    session: &Session,
    open: &mut Open,
    args: &ExtractArgs,
    wanted: &Wanted<'_>,
    (choice, rules): (&PolicyChoice, &Rules),
    bundle: &Path,
) -> Result<WrittenExtract> {
    let existing = if args.force { Existing::Replace } else { Existing::Refuse };
    if bundle.exists() && existing == Existing::Refuse {
        return Err(Error::input("there is something here already")
            .file(bundle)
            .help("choose another folder, or say --force")
            .into());
    }
    let mut folder = PrivateFolder::beside(bundle)?;
    let by = open.speaker.actor();
    let Extract { records, mut spec, files, account } =
        open.runtime.block_on(open.vault.extract(wanted, rules, choice, by))?;
    folder.put_records("records.parquet", &records)?;
    drop(records);
    let ending = if args.parquet { "parquet" } else { "csv" };
    spec.outputs = vec![Output { path: PathBuf::from(format!("extract.{ending}")), format: None }];
    for (name, text) in &files {
        folder.put(name, text)?;
    }
    let text = spec.to_toml()?;
    let file = folder.put("extract.toml", &text)?;
    let spec = Spec::load(&file)?;
    let wanted_release =
        Protect { spec: &spec, file: &file, text: &text, target: bundle, existing, threads: session.threads };
    let protected = open.runtime.block_on(protect(&*session.engine(), &wanted_release))?;
    if !protected.written {
        let advice = protected.advice.map(|advice| format!(": {advice}")).unwrap_or_default();
        session.remark(&format!("Table `{}` does not meet the policy{advice}.", account.table));
        return Ok(WrittenExtract { bundle: bundle.to_owned(), written: false, account });
    }
    session.remark_unsettled(&protected.unsettled);
    let hash = manifest_hash(bundle)?;
    open.runtime.block_on(open.vault.tell_written(&account, wanted.phase, &hash, open.speaker.actor()))?;
    Ok(WrittenExtract { bundle: bundle.to_owned(), written: true, account })
}

/// The hash of the manifest of a bundle, which has the hashes of everything else.
pub(super) fn manifest_hash(bundle: &Path) -> Result<String> {
    let path = bundle.join(outward_release::bundle::MANIFEST);
    let text = std::fs::read_to_string(&path).map_err(|error| Error::io("read", &path, error))?;
    Ok(outward_ledger::chain::hash_of_text(&text))
}

/// The EIDs of those in the cohort of an application, as the engine tells them; none where it is of everybody.
fn cohort(
    session: &Session,
    open: &mut Open,
    application: &Application,
    phase: Option<Phase>,
    (rules, bundle): (&Rules, &Path),
) -> Result<Option<HashSet<String>>> {
    let Some(cohort) = &application.cohort else { return Ok(None) };
    let parsed = parse_condition_text(&cohort.condition)?;
    let wanted =
        Wanted { application: &application.name, phase, table: &cohort.table, fields: &[], cohort: None, reason: "" };
    let columns: Vec<String> = parsed.columns.clone();
    let records = open.runtime.block_on(open.vault.cohort_table(&wanted, &columns, rules, open.speaker.actor()))?;
    let mut folder = PrivateFolder::beside(bundle)?;
    let all = folder.put_records("all.parquet", &records)?;
    drop(records);
    let data = Data { source: Source::file(&all), columns: Vec::new() };
    let condition = Some(cohort.condition.clone());
    let request = CountRequest { keys: vec![EID.to_owned()], condition, ..CountRequest::default() };
    let cells = open.runtime.block_on(session.engine().count_cells(&data, &[request]))?;
    let cells = cells.first().ok_or_else(|| Error::bug("no cells were counted"))?;
    let eids = (0..cells.len()).filter_map(|cell| cells.value(cell, 0).map(str::to_owned)).collect();
    Ok(Some(eids))
}
