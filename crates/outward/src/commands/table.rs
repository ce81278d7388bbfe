//! `outward table`: tables made, judged, redesigned and protected.

mod jj;

use std::path::Path;

use outward_register::{Release, table_sources};
use outward_release::{Existing, InputRecord, TableRelease, make_tables, write_tables};
use outward_spec::{Error, Finding, Protection, ProtectionMethod, Result, Rounding, Spec, Table as Wanted, suggest};
use outward_tables::judge::{Verdict, findings_after};
use outward_tables::protect::{NoiseRow, Protected, marked};
use outward_tables::redesign::{Redesign, lines};
use outward_tables::report::Remedies;
use outward_tables::{CountedTable, Decisions, decide, headings_as_values, judge_all, protected_together, report};
use serde::Serialize;

use crate::cli::{InRegisterArgs, TablesArgs};
use crate::commands::register::{RelatedReleases, actor, data_of};
use crate::commands::show;
use crate::output::Outcome;
use crate::session::Session;

pub(crate) fn run(session: &Session, args: &TablesArgs) -> Result<Outcome> {
    match (&args.jj, &args.spec) {
        (Some(file), _) => jj::run(session, args, file),
        (None, Some(spec)) => of_spec(session, args, spec),
        (None, None) => Err(Error::bug("neither a spec nor a JJ file was given")),
    }
}

/// The result for the tables of a spec.
#[derive(Serialize)]
struct Answer<'a> {
    policy: &'a str,
    tables: Vec<TableAnswer<'a>>,
    /// Cell keys: what the noise of each count is like.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    noise: &'a [NoiseRow],
    written: bool,
}

#[derive(Serialize)]
struct TableAnswer<'a> {
    name: &'a str,
    title: &'a str,
    published_cells: usize,
    category: &'a str,
    findings: Vec<Finding>,
    primary: usize,
    secondary: usize,
    recoverable: usize,
    too_tight: usize,
    notes: Vec<String>,
    redesigns: Vec<RedesignAnswer>,
}

#[derive(Serialize)]
struct RedesignAnswer {
    changes: Vec<String>,
    /// What to write into the spec for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    lines: Option<Vec<String>>,
    information_lost: f64,
    unsafe_left: usize,
}

fn of_spec(session: &Session, args: &TablesArgs, file: &Path) -> Result<Outcome> {
    let mut spec = Spec::load(file)?;
    let mut text = std::fs::read_to_string(file).map_err(|error| Error::io("read", file, error))?;
    let protection = args.protection(&spec.protection);
    if protection != spec.protection {
        // The bundle holds the spec as it was carried out.
        spec.protection = protection;
        text = spec.to_toml()?;
    }
    let past = args.register.as_ref().map(|url| past(session, args, &spec, (file, &text), url)).transpose()?;
    let mut protection = spec.protection.clone();
    if let Some(past) = past.as_ref().filter(|past| !past.releases.is_empty()) {
        // Releases of a register are called by their numbers in the spec, and are read from a folder that goes away.
        let (folders, names) = past.bundles();
        spec.protection.earlier.extend(names);
        (protection, text) = (spec.protection.clone(), spec.to_toml()?);
        let named = spec.protection.earlier.len() - folders.len();
        spec.protection.earlier.truncate(named);
        spec.protection.earlier.extend(folders);
    }
    refuse_guessable(&spec, file)?;
    let rules = spec.rules()?;
    let asked = rules.tables.clone().ok_or_else(|| {
        Error::input(format!("policy `{}` has no rules for tables", rules.policy))
            .file(file)
            .help("choose one that has: `[policy]` with `name = \"gss-tables\"`")
    })?;
    let wanted = wanted(&spec, &args.names, file)?;
    let read = match &args.out {
        Some(_) => InputRecord::of_spec(&spec, file, &text)?,
        None => Vec::new(),
    };
    let counted = session.runtime()?.block_on(make_tables(&*session.engine(), &spec, &wanted, &asked));
    let counted = counted.map_err(|error| spec.placed(file, error))?;
    let files = spec.files();
    let inputs: Vec<&Path> = files.iter().map(AsRef::as_ref).chain([file]).collect();
    if let Some(folder) = &args.to_argus {
        let marked = marked(&counted, &judge_all(&counted.tables, &asked)?, &spec.protection, &asked)?;
        jj::export(session, folder, &spec, &marked, &counted.tables, &inputs)?;
        session.remark(&format!("{} holds the true figures: keep it as the data", folder.display()));
    }
    let cells: usize = counted.tables.iter().map(|made| made.table.len()).sum();
    let decided =
        session.tell_if_long(&format!("Protecting {cells} cells"), || decide(&counted, &spec, &asked, args.redesigns));
    let Decisions { verdicts, redesigns, mut protected } = decided?;
    let made: Vec<CountedTable> = counted.tables.into_iter().filter(|made| made.earlier.is_none()).collect();
    let mut told = headings_as_values(&spec, &made)?;
    told.extend(left_out(&spec, &wanted));
    if let Some(last) = protected.outcomes.last_mut() {
        last.notes.extend(told.iter().cloned());
    }
    let holds = protected.holds();
    let report = report::report(&spec, &rules, &made, &verdicts, &redesigns, &protected);
    if let (Some(out), true) = (&args.out, holds) {
        let existing = if args.force { Existing::Replace } else { Existing::Refuse };
        let (protected, report) = (&protected, &report);
        let protection = &protection;
        let release = TableRelease {
            spec: &spec,
            protection,
            file,
            text: &text,
            rules: &rules,
            protected,
            report,
            inputs: &read,
            asked_register: past.is_some(),
        };
        session.tell_if_long("Verifying the tables", || write_tables(out, existing, &release))?;
    }
    let answer = answer(&spec, &rules.policy, &made, &verdicts, &redesigns, &protected, holds && args.out.is_some());
    show(session, &answer, &report, args.report.as_deref(), &inputs)?;
    for told in told {
        session.remark(&format!("{}{}.", told[..1].to_uppercase(), &told[1..]));
    }
    if protected_together(&made).len() > 1 && spec.protection.method == ProtectionMethod::Suppress {
        session.remark("Counts and sums share one suppression pattern. They are not audited jointly.");
    }
    match (&args.out, holds) {
        (Some(out), true) => session.remark(&format!(
            "The tables are verified and in {0}. Publish only {0}/public.",
            out.display()
        )),
        (_, false) if spec.protection.method == ProtectionMethod::None => session.remark(
            "There are unsafe cells, so no table was written. Redesign the tables, or protect them with --suppress, or with --round 5 if \
             all are counts.",
        ),
        (_, false) if !protected.too_large.is_empty() => session.remark(&format!(
            "{} share variables and are too large to be checked together, so no table was written. Leave one of them out, join them \
             into one table, or show fewer values. To publish them all the same, give a reason: `accept_partial = \"reason\"` under \
             [protection].",
            protected.too_large[0].join(", ")
        )),
        (_, false) => session.remark(
            "Unsafe cells can still be worked out, so no table was written. Redesign the tables. If they were rounded, try \
             `rounding = \"controlled\"` or a larger base.",
        ),
        _ => {}
    }
    Ok(if holds { Outcome::Clean } else { Outcome::Findings })
}

/// The releases of a register that tables of a spec touch.
fn past(
    session: &Session,
    args: &TablesArgs,
    spec: &Spec,
    (file, text): (&Path, &str),
    url: &str,
) -> Result<RelatedReleases> {
    let inputs = InputRecord::of_spec(spec, file, text)?;
    let (name, data_sha256) = data_of(&inputs);
    let dataset = args.dataset.clone().unwrap_or(name);
    let sources = table_sources(spec, &wanted(spec, &args.names, file)?)?;
    let within = InRegisterArgs { actor: args.actor.clone(), register: None };
    let past = RelatedReleases::read(session, (url, Some(&actor(&within)?)), (&dataset, &data_sha256), spec, &sources)?;
    if let Some(unknown) = &past.unknown {
        session.remark(&format!("Note: {unknown}."));
    }
    let numbers = |releases: &[Release]| releases.iter().map(|one| one.id.to_string()).collect::<Vec<_>>().join(", ");
    if !past.releases.is_empty() {
        session.remark(&format!("Protected given what is public: release {}.", numbers(&past.releases)));
    }
    if !past.other_versions.is_empty() {
        session.remark(&format!(
            "Of another version of the data: release {}. It is compared when the bundle is released.",
            numbers(&past.other_versions)
        ));
    }
    Ok(past)
}

/// The warning about tables of the spec that are left out: tables that are protected apart are not audited jointly.
fn left_out(spec: &Spec, wanted: &[&Wanted]) -> Option<String> {
    let out = spec.tables.iter().filter(|table| !wanted.iter().any(|own| own.name == table.name));
    let out: Vec<&str> = out.map(|table| table.name.as_str()).collect();
    (!out.is_empty()).then(|| {
        format!(
            "not included: {}. If you publish these tables of the spec too, hidden cells may be derivable from them, so protect all of \
             them together",
            out.join(", ")
        )
    })
}

/// A seed that everyone would try first protects nothing.
fn refuse_guessable(spec: &Spec, file: &Path) -> Result<()> {
    let Protection { method, rounding, .. } = &spec.protection;
    let drawn =
        *method == ProtectionMethod::CellKey || *method == ProtectionMethod::Round && *rounding == Rounding::Random;
    match drawn && spec.seed == Spec::DEFAULT_SEED {
        false => Ok(()),
        true => Err(Error::input("cell keys are drawn from the seed, and this spec sets none")
            .file(file)
            .help("add `seed = ...` at the top: a large number that nobody else knows, the same for every release")
            .into()),
    }
}

/// The tables asked for, or all.
pub(crate) fn wanted<'a>(spec: &'a Spec, names: &[String], file: &Path) -> Result<Vec<&'a Wanted>> {
    if spec.tables.is_empty() {
        return Err(Error::input("there are no tables in this spec")
            .file(file)
            .help("add `[[tables]]` with a `name` and `variables`")
            .into());
    }
    if names.is_empty() {
        return Ok(spec.tables.iter().collect());
    }
    let find = |name: &String| {
        spec.tables.iter().find(|table| table.name == *name).ok_or_else(|| {
            let known = spec.tables.iter().map(|table| table.name.as_str());
            Error::input(format!("there is no table `{name}` in this spec"))
                .file(file)
                .help(suggest(name, known, "tables"))
                .into()
        })
    };
    names.iter().map(find).collect()
}

fn answer<'a>(
    spec: &Spec,
    policy: &'a str,
    made: &'a [CountedTable],
    verdicts: &'a [Verdict],
    redesigns: &[Vec<Redesign>],
    protected: &'a Protected,
    written: bool,
) -> Answer<'a> {
    let table = |at: usize| {
        let (made, verdict, outcome) = (&made[at], &verdicts[at], &protected.outcomes[at]);
        let remedies = Remedies::new(spec.protection.method, protected, at);
        let proposed = |redesign: &Redesign| RedesignAnswer {
            changes: redesign.changes(),
            lines: lines(spec, made, redesign),
            information_lost: redesign.lost,
            unsafe_left: redesign.unsafe_left,
        };
        TableAnswer {
            name: &made.table.name,
            title: &made.table.title,
            published_cells: outcome.published_cells,
            category: &verdict.category,
            findings: findings_after(&made.table, verdict, |cell| remedies.word(cell)),
            primary: outcome.primary,
            secondary: outcome.secondary,
            recoverable: outcome.recoverable,
            too_tight: outcome.too_tight,
            notes: outcome.notes.iter().cloned().chain(verdict.assumption()).collect(),
            redesigns: redesigns[at].iter().map(proposed).collect(),
        }
    };
    Answer { policy, tables: (0..made.len()).map(table).collect(), noise: &protected.noise, written }
}
