//! `outward register` and `outward release`: what is public, who approved it, and whether something new may go out.

mod check;
mod clock;
mod figures;
mod records;
mod reviews;
mod words;

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::path::{Path, PathBuf};

use outward_engine::Data;
use outward_ledger::chain::refuse_control_characters;
use outward_register::gate::{EarlierRelease, Evidence, Judgement, judge, largest_unsafe, verified};
use outward_register::{Actor, Exception, File, Register, Release, State, dependent_columns, statement, submission};
use outward_release::{DescribedBundle, write_described};
use outward_spec::{Error, Result, Rules, Spec};
use outward_tables::Published;
use outward_tables::read::read_json;
use serde::Serialize;
use serde_json::json;

use crate::cli::{EnterArgs, ExceptArgs, InRegisterArgs, OutputFormat, RegisterCommand, ReleaseArgs, SubmitArgs};
use crate::commands::show;
use crate::output::{Outcome, print, print_json};
use crate::session::Session;
pub(crate) use check::data_of;
pub(crate) use clock::now;
use outward_release::verify::Outcome as CheckOutcome;

/// The file of a bundle that holds its tables.
const TABLES: &str = "public/tables.json";

/// The file that says to the public what was done.
const STATEMENT: &str = "public/statement.md";

/// The file that says how they were made.
const SPEC: &str = "spec.toml";

pub(crate) fn run(session: &Session, command: &RegisterCommand) -> Result<Outcome> {
    let moved = |name: &str, args: &crate::cli::DecideArgs| decide(session, name, args);
    match command {
        RegisterCommand::Check(args) => check::run(session, args),
        RegisterCommand::Submit(args) => submit(session, args),
        RegisterCommand::Review(args) => moved("review", args),
        RegisterCommand::Approve(args) => moved("approve", args),
        RegisterCommand::Return(args) => moved("return", args),
        RegisterCommand::Refuse(args) => moved("refuse", args),
        RegisterCommand::Recall(args) => moved("recall", args),
        RegisterCommand::Withdraw(args) => moved("withdraw", args),
        RegisterCommand::Except(args) => except(session, args),
        RegisterCommand::Statement(args) => print_statement(session, args.release, &args.within),
        RegisterCommand::List(args) => list(session, args),
        RegisterCommand::Show(args) => show_release(session, args.release, &args.within),
        RegisterCommand::Reviews(args) => reviews::run(session, args),
        RegisterCommand::Audit(args) => audit(session, args),
    }
}

/// Where the register is.
pub(crate) fn url(args: &InRegisterArgs) -> Result<String> {
    let named = args.register.clone().or_else(|| std::env::var("OUTWARD_REGISTER").ok());
    named.filter(|url| !url.is_empty()).ok_or_else(|| {
        Error::input("no register is named")
            .help("say which with --register sqlite:FILE, or set OUTWARD_REGISTER")
            .into()
    })
}

/// Who speaks.
pub(crate) fn actor(args: &InRegisterArgs) -> Result<String> {
    actor_named(args.actor.as_deref())
}

/// The actor: the name given, or else that of the environment.
pub(crate) fn actor_named(given: Option<&str>) -> Result<String> {
    let said = |variable: &str| std::env::var(variable).ok().filter(|name| !name.trim().is_empty());
    let name =
        given.map(str::to_owned).or_else(|| said("OUTWARD_ACTOR")).or_else(|| said("USER")).or_else(|| said("LOGNAME"));
    let name = name.filter(|name| !name.trim().is_empty()).ok_or_else(|| {
        Error::input("no name was given for who does this").help("say who with --actor NAME, or set OUTWARD_ACTOR")
    })?;
    // Before anything is made: a name that the log refuses leaves no empty register behind.
    refuse_control_characters(&name)?;
    Ok(name)
}

fn submit(session: &Session, args: &SubmitArgs) -> Result<Outcome> {
    let (who, at) = (actor(&args.within)?, now());
    let by = Actor { name: &who, at: &at };
    let bundle = DescribedBundle::read(&args.bundle)?;
    let file = session.runtime()?.block_on(async {
        let mut register = open_or_make(session, &url(&args.within)?).await?;
        register.refuse_broken().await?;
        let new = submission(&bundle, args.enter.dataset.as_deref(), &args.enter.requester, &args.enter.purpose)?;
        let id = match args.draft {
            true => register.draft(by, &new, args.enter.replaces).await?,
            false => register.submit(by, &new, args.enter.replaces).await?,
        };
        register.file(id).await
    })?;
    answer(session, &file, &words::of_file(&file))?;
    session.remark(&format!("The bundle is release {}. {}", file.release.id, words::next(&file)));
    Ok(Outcome::Clean)
}

/// Opens a register, and makes it if there is none. It says so, since a misspelt address would begin a new one
/// unnoticed.
async fn open_or_make(session: &Session, url: &str) -> Result<Register> {
    let register = Register::open(url, true).await?;
    if register.is_new() {
        session.remark(
            "There was no register at this address: a new one was made, and it knows nothing of earlier releases.",
        );
    }
    Ok(register)
}

/// Views of a broken register are shown, so that somebody can see what is left of it, with a warning.
async fn warn_of_broken_log(session: &Session, register: &mut Register) -> Result<()> {
    if let Err(broken) = register.refuse_broken_log().await {
        session.remark(&format!("Warning: {broken}. Restore it from a copy before you rely on what follows."));
    }
    Ok(())
}

async fn enter(register: &mut Register, by: Actor<'_>, bundle: &DescribedBundle, args: &EnterArgs) -> Result<i64> {
    let new = submission(bundle, args.dataset.as_deref(), &args.requester, &args.purpose)?;
    register.submit(by, &new, args.replaces).await
}

fn decide(session: &Session, name: &str, args: &crate::cli::DecideArgs) -> Result<Outcome> {
    let (who, at) = (actor(&args.within)?, now());
    let file = session.runtime()?.block_on(async {
        let mut register = Register::open(&url(&args.within)?, false).await?;
        register.refuse_broken().await?;
        register.make_move(Actor { name: &who, at: &at }, args.release, name, &args.reason).await?;
        register.file(args.release).await
    })?;
    answer(session, &file, &words::of_file(&file))?;
    session.remark(&format!("Release {} is {}. {}", file.release.id, file.release.state, words::next(&file)));
    Ok(Outcome::Clean)
}

fn except(session: &Session, args: &ExceptArgs) -> Result<Outcome> {
    let (who, at) = (actor(&args.within)?, now());
    if !clock::is_day(&args.expires) {
        return Err(Error::input("the day on which the exception ends is not a day")
            .help("write it as year-month-day, such as 2027-03-31")
            .into());
    }
    let exception = Exception {
        rule: args.rule.clone(),
        scope: args.scope.clone(),
        reason: args.reason.clone(),
        approver: who.clone(),
        expires: args.expires.clone(),
        at: at.clone(),
        bundle_hash: String::new(),
    };
    if !exception.holds_at(&at) {
        return Err(Error::input("the exception would end before today")
            .help("give a later day with --expires")
            .into());
    }
    let file = session.runtime()?.block_on(async {
        let mut register = Register::open(&url(&args.within)?, false).await?;
        register.refuse_broken().await?;
        register.add_exception(Actor { name: &who, at: &at }, args.release, &exception).await?;
        register.file(args.release).await
    })?;
    answer(session, &file, &words::of_file(&file))?;
    Ok(Outcome::Clean)
}

fn list(session: &Session, args: &InRegisterArgs) -> Result<Outcome> {
    let (who, at) = (actor(args)?, now());
    let releases = session.runtime()?.block_on(async {
        let mut register = Register::open(&url(args)?, false).await?;
        warn_of_broken_log(session, &mut register).await?;
        let releases = register.releases().await?;
        register.tell(Actor { name: &who, at: &at }, "list", "register", json!({ "releases": releases.len() })).await?;
        Ok::<_, Error>(releases)
    })?;
    answer(session, &json!({ "releases": releases }), &words::of_list(&releases))?;
    Ok(Outcome::Clean)
}

fn show_release(session: &Session, id: i64, args: &InRegisterArgs) -> Result<Outcome> {
    let (who, at) = (actor(args)?, now());
    let file = session.runtime()?.block_on(async {
        let mut register = Register::open(&url(args)?, false).await?;
        warn_of_broken_log(session, &mut register).await?;
        let file = register.file(id).await?;
        register.tell(Actor { name: &who, at: &at }, "show", &format!("release {id}"), json!({})).await?;
        Ok::<File, Error>(file)
    })?;
    answer(session, &file, &words::of_file(&file))?;
    Ok(Outcome::Clean)
}

/// The statement to publish with a release.
fn print_statement(session: &Session, id: i64, args: &InRegisterArgs) -> Result<Outcome> {
    let (who, at) = (actor(args)?, now());
    let (file, files) = session.runtime()?.block_on(async {
        let mut register = Register::open(&url(args)?, false).await?;
        register.refuse_broken().await?;
        let file = register.file(id).await?;
        let files = register.files(id).await?;
        register.tell(Actor { name: &who, at: &at }, "statement", &format!("release {id}"), json!({})).await?;
        Ok::<_, Error>((file, files))
    })?;
    let of_bundle = files.iter().find(|(path, _)| path == STATEMENT).map_or("", |(_, text)| text);
    let Some(text) = statement(&file, of_bundle) else {
        return Err(Error::input(format!("release {id} is {}: it has no public statement", file.release.state))
            .help("`outward release BUNDLE` makes it public, if nothing is in the way")
            .into());
    };
    match session.format {
        OutputFormat::Json => print_json(&json!({ "release": id, "statement": text }))?,
        OutputFormat::Text => print(&text)?,
    }
    Ok(Outcome::Clean)
}

fn audit(session: &Session, args: &InRegisterArgs) -> Result<Outcome> {
    let checked = session.runtime()?.block_on(async { Register::open(&url(args)?, false).await?.audit().await })?;
    let (outcome, said) = match &checked {
        Ok((entries, head)) => (Outcome::Clean, json!({ "entries": entries, "head": head, "holds": true })),
        Err(broken) => (Outcome::Findings, json!({ "holds": false, "broken": broken })),
    };
    answer(session, &said, &words::of_audit(&checked))?;
    if outcome == Outcome::Clean {
        session
            .remark("Keep the head elsewhere. Someone who rewrites the whole log here cannot rewrite the head there.");
    }
    Ok(outcome)
}

/// Prints an answer.
fn answer(session: &Session, answer: &impl Serialize, report: &outward_report::Report) -> Result<()> {
    show(session, answer, report, None, &[])
}

/// What came of a release.
#[derive(Serialize)]
struct Answer<'a> {
    release: &'a Release,
    released: bool,
    #[serde(flatten)]
    judgement: &'a Judgement,
}

/// `outward release`: through the gate.
pub(crate) fn release(session: &Session, args: &ReleaseArgs) -> Result<Outcome> {
    let (who, at) = (actor(&args.within)?, now());
    let by = Actor { name: &who, at: &at };
    // A link could lead elsewhere when it is followed again.
    let folder = args.bundle.canonicalize().unwrap_or_else(|_| args.bundle.clone());
    let bundle = DescribedBundle::read(&folder)?;
    let runtime = session.runtime()?;
    let verification = runtime.block_on(verified(&folder, session.threads))?;
    if DescribedBundle::read(&folder)?.hash != bundle.hash {
        return Err(Error::input("the bundle was changed while it was verified")
            .file(&args.bundle)
            .help("run again")
            .into());
    }
    let mut register = runtime.block_on(open_or_make(session, &url(&args.within)?))?;
    let mut since = None;
    let (file, judgement) = runtime.block_on(async {
        if let Some(draft) = register.find_bundle(&bundle.hash).await?.filter(|known| known.state == State::Draft) {
            return Err(Error::input(format!("release {} is a draft", draft.id))
                .help(format!("{} has to submit it first: `outward register submit BUNDLE`", draft.author))
                .into());
        }
        // What the gate goes by must be what the log says.
        register.refuse_broken().await?;
        let id = enter(&mut register, by, &bundle, &args.enter).await?;
        let file = register.file(id).await?;
        if matches!(file.release.state, State::Returned | State::Refused | State::Withdrawn) {
            let what = format!("release {id} is {}", file.release.state);
            return Err(Error::input(what).help("change the bundle, and submit it as a new release").into());
        }
        if file.release.state == State::Released {
            if let Some(check) =
                verification.with(CheckOutcome::Fails).chain(verification.with(CheckOutcome::CannotTell)).next()
            {
                let what =
                    format!("this is not what was released as release {id}: check `{}`: {}", check.name, check.says);
                return Err(Error::input(what)
                    .file(&args.bundle)
                    .help("publish from the bundle as it was released; `outward verify` says what was changed")
                    .into());
            }
            since = Some(file.release.released.clone());
            let nothing = Judgement { obstacles: Vec::new(), exceptions: Vec::new(), not_seen: Vec::new() };
            return Ok((file, nothing));
        }
        let related = related(&mut register, &file.release).await?;
        let (unrelated, other_versions) = others(&mut register, &file.release, &related).await?;
        let sources: Vec<String> = file.tables.iter().flat_map(|table| table.sources.clone()).collect();
        let other_names = by_other_names(&mut register, &file.release.dataset, &sources).await?;
        let new = (&file.release, &bundle, folder.as_path());
        let held = records::hold_bundle(session, &mut register, new, &related, &args.hold).await?;
        let judgement = judge(&Evidence {
            file: &file,
            bundle: &bundle,
            verification: &verification,
            related: &related,
            unrelated: &unrelated,
            other_versions: &other_versions,
            other_names: &other_names,
            records: &held,
            at: &at,
        });
        if judgement.obstacles.is_empty() {
            let seen: Vec<i64> = related.iter().map(|earlier| earlier.release.id).collect();
            register.make_public(by, id, &bundle.hash, &seen).await?;
        } else {
            let rules: Vec<&str> = judgement.obstacles.iter().map(|obstacle| obstacle.rule).collect();
            register.tell(by, "gate", &format!("release {id}"), json!({ "obstacles": rules })).await?;
        }
        Ok::<_, Error>((register.file(id).await?, judgement))
    })?;
    let released = file.release.state == State::Released;
    let said = Answer { release: &file.release, released, judgement: &judgement };
    answer(session, &said, &words::of_judgement(&file, &judgement))?;
    if released {
        let since = since.map(|since| format!(" since {since}")).unwrap_or_default();
        session.remark(&format!(
            "Release {} is public{since}. Publish only {}/public.",
            file.release.id,
            args.bundle.display()
        ));
        if !judgement.exceptions.is_empty() {
            session.remark(&format!(
                "It became public by exception: publish what `outward register statement {}` prints, in place of statement.md.",
                file.release.id
            ));
        }
    } else {
        session.remark(&format!("Release {} is {} and did not become public.", file.release.id, file.release.state));
    }
    Ok(if released { Outcome::Clean } else { Outcome::Findings })
}

/// The public releases that a release is related to, with their tables. Releases of records have none.
async fn related(register: &mut Register, release: &Release) -> Result<Vec<EarlierRelease>> {
    let mut found = Vec::new();
    for release in register.related_to(release).await? {
        if release.kind == "records" {
            found.push(EarlierRelease { tables: Vec::new(), spec: Spec::default(), few: 0, release });
            continue;
        }
        found.push(with_tables(register, release).await?);
    }
    Ok(found)
}

/// Public releases of tables of the same data to which no column relates a release of tables. They are those of the
/// same version, and those of others with their tables.
async fn others(
    register: &mut Register,
    release: &Release,
    related: &[EarlierRelease],
) -> Result<(Vec<Release>, Vec<EarlierRelease>)> {
    let (mut unrelated, mut of_other_versions) = (Vec::new(), Vec::new());
    for other in register.releases().await? {
        let is_known = other.id == release.id || related.iter().any(|earlier| earlier.release.id == other.id);
        let are_tables = [&other.kind, &release.kind].iter().all(|kind| *kind == "tables");
        if is_known || !are_tables || other.dataset != release.dataset || !other.state.is_public() {
            continue;
        }
        match other.version == release.version {
            true => unrelated.push(other),
            false => of_other_versions.push(with_tables(register, other).await?),
        }
    }
    Ok((unrelated, of_other_versions))
}

/// Public releases of tables of data by other names, which share a column with tables of these sources.
async fn by_other_names(register: &mut Register, dataset: &str, sources: &[String]) -> Result<Vec<EarlierRelease>> {
    let columns: Vec<String> = sources.iter().filter(|source| !source.starts_with('(')).cloned().collect();
    let mut found = Vec::new();
    for other in register.datasets().await?.into_iter().filter(|other| other != dataset) {
        for release in register.related(&other, &columns).await? {
            found.push(with_tables(register, release).await?);
        }
    }
    Ok(found)
}

/// Public releases of tables of other versions of data, each with whether it is among those that are related.
async fn of_other_versions(
    register: &mut Register,
    (dataset, data_sha256): (&str, &str),
    related: &[Release],
) -> Result<Vec<(EarlierRelease, bool)>> {
    let mut is_same: BTreeMap<i64, bool> = BTreeMap::new();
    let mut found = Vec::new();
    for release in register.releases().await? {
        if release.dataset != dataset || release.kind != "tables" || !release.state.is_public() {
            continue;
        }
        let is_same = match is_same.entry(release.version) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(new) => *new.insert(register.data_of(&release).await? == data_sha256),
        };
        if is_same {
            continue;
        }
        let is_related = related.iter().any(|known| known.id == release.id);
        found.push((with_tables(register, release).await?, is_related));
    }
    Ok(found)
}

/// A release with what the register holds of its tables.
async fn with_tables(register: &mut Register, release: Release) -> Result<EarlierRelease> {
    let files = register.files(release.id).await?;
    let file = |wanted: &str| -> Result<&str> {
        files.iter().find(|(path, _)| path == wanted).map(|(_, text)| text.as_str()).ok_or_else(|| {
            Error::input(format!("the register has lost the tables of release {}", release.id))
                .help("run `outward register audit`, and restore the register from a copy")
                .into()
        })
    };
    let tables = read_json(file(TABLES)?)?;
    let spec = Spec::parse(file(SPEC)?, SPEC)?;
    let few = few_of(&register.manifest(release.id).await?, &tables)?;
    Ok(EarlierRelease { tables, spec, few, release })
}

/// The largest count that the rules in a manifest call unsafe in tables.
fn few_of(manifest: &str, tables: &[Published]) -> Result<i64> {
    let mut manifest: serde_json::Value = serde_json::from_str(manifest).map_err(Error::bug)?;
    let rules: Rules = serde_json::from_value(manifest["rules"].take()).map_err(Error::bug)?;
    let categories = tables.iter().map(|published| published.category.as_str());
    Ok(rules.tables.as_ref().map_or(0, |rules| largest_unsafe(rules, categories)))
}

/// The public releases of the same data to which tables of a spec are related, written into a folder as bundles.
pub(crate) struct RelatedReleases {
    folder: tempfile::TempDir,
    /// Those of the same version of the data, which the tables are protected beside.
    pub(crate) releases: Vec<Release>,
    /// Those of other versions.
    pub(crate) other_versions: Vec<Release>,
    /// All public tables of other versions, and whether each release shares a column with the tables.
    pub(crate) versions: Vec<(EarlierRelease, bool)>,
    /// Tables of data by other names that share a column with the tables.
    pub(crate) other_names: Vec<EarlierRelease>,
    /// The largest count that their own rules call unsafe in them.
    pub(crate) few: i64,
    /// Columns of the tables and of public ones that overlap as two maps of one area do.
    pub(crate) overlapping: Vec<[String; 2]>,
    /// What to say where the register knows no data of this name.
    pub(crate) unknown: Option<String>,
}

/// What to say of data that the register does not know by this name nor by their content.
fn unknown_data(dataset: &str, known: &[String]) -> Option<String> {
    let names: Vec<String> = known.iter().map(|name| format!("`{name}`")).collect();
    (!known.is_empty() && !known.iter().any(|name| name == dataset))
        .then(|| format!("the register has nothing of data called `{dataset}`; it knows {}", names.join(", ")))
}

impl RelatedReleases {
    /// Reads them from a register. Where somebody is named as its reader, the log says what they read.
    pub(crate) fn read(
        session: &Session,
        (url, reader): (&str, Option<&str>),
        (dataset, data_sha256): (&str, &str),
        spec: &Spec,
        sources: &[String],
    ) -> Result<Self> {
        let folder = tempfile::tempdir().map_err(|error| Error::io("create", std::env::temp_dir(), error))?;
        let (mut releases, mut other_versions, mut others) = (Vec::new(), Vec::new(), Vec::new());
        let (mut few, mut overlapping) = (0, Vec::new());
        let (mut versions, mut other_names) = (Vec::new(), Vec::new());
        session.runtime()?.block_on(async {
            let mut register = Register::open(url, false).await?;
            register.refuse_broken_log().await?;
            register.refuse_other_name(dataset, data_sha256).await?;
            others = register.datasets().await?;
            other_names = by_other_names(&mut register, dataset, sources).await?;
            let mut sources = sources.to_vec();
            let published = register.published_columns(dataset).await?;
            let dependent = dependent_columns(&*session.engine(), &Data::of_spec(spec), &sources, &published).await?;
            sources.extend(dependent.columns);
            overlapping = dependent.overlapping;
            for release in register.related(dataset, &sources).await? {
                if register.data_of(&release).await? != data_sha256 {
                    other_versions.push(release);
                    continue;
                }
                let (files, manifest) = (register.files(release.id).await?, register.manifest(release.id).await?);
                write_described(&bundle_of(folder.path(), &release), &manifest, &files)?;
                if let Some((_, text)) = files.iter().find(|(path, _)| path == TABLES) {
                    few = few.max(few_of(&manifest, &read_json(text)?)?);
                }
                releases.push(release);
            }
            versions = of_other_versions(&mut register, (dataset, data_sha256), &other_versions).await?;
            if let Some(reader) = reader {
                let read: Vec<i64> = releases.iter().map(|release| release.id).collect();
                let details = json!({ "dataset": dataset, "releases": read });
                register.tell(Actor { name: reader, at: &now() }, "table", "register", details).await?;
            }
            Ok::<(), Error>(())
        })?;
        let unknown = unknown_data(dataset, &others);
        Ok(Self { folder, releases, other_versions, versions, other_names, few, overlapping, unknown })
    }

    /// The bundles, and what they are called in a spec.
    pub(crate) fn bundles(&self) -> (Vec<PathBuf>, Vec<PathBuf>) {
        let folders = self.releases.iter().map(|release| bundle_of(self.folder.path(), release)).collect();
        (folders, self.releases.iter().map(|release| bundle_of(Path::new(""), release)).collect())
    }
}

fn bundle_of(folder: &Path, release: &Release) -> PathBuf {
    folder.join(format!("release-{}", release.id))
}
