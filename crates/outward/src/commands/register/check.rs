//! `outward register check`: compares requested tables (or records, see `records.rs`) with all that is public, before
//! any work is done.

use std::collections::BTreeSet;

use outward_register::gate::Obstacle;
use outward_register::{Actor, CheckedRequest, Register, Release, Request, State, revisions, table_sources};
use outward_release::{InputKind, InputRecord, make_tables};
use outward_report::{Block, Report, Section, Tone, Verdict};
use outward_spec::{Error, Result, Spec};
use serde::Serialize;

use super::{RelatedReleases, actor, now, records, url, words};
use crate::cli::RegisterCheckArgs;
use crate::commands::show;
use crate::commands::table::wanted;
use crate::output::Outcome;
use crate::session::Session;

/// What came of a check.
#[derive(Serialize)]
pub(super) struct Answer<'a> {
    pub(super) dataset: &'a str,
    /// The public releases that the tables or records touch.
    pub(super) touches: &'a [Release],
    /// What follows from them, as they are asked for, and these releases.
    pub(super) findings: &'a [Obstacle],
    /// What else to look at.
    pub(super) notes: &'a [String],
}

/// How tables of a spec are checked.
const COUNTED: &str =
    "The tables were counted as requested, before protection, and compared with the figures that are public.";

pub(super) fn run(session: &Session, args: &RegisterCheckArgs) -> Result<Outcome> {
    if args.spec.is_dir() {
        return super::figures::check(session, args);
    }
    let (who, at, url) = (actor(&args.within)?, now(), url(&args.within)?);
    let mut spec = Spec::load(&args.spec)?;
    let text = std::fs::read_to_string(&args.spec).map_err(|error| Error::io("read", &args.spec, error))?;
    let rules = spec.rules()?;
    if spec.tables.is_empty() || rules.tables.is_none() && args.names.is_empty() {
        return records::check(session, args, &spec, &text);
    }
    let asked = rules.tables.clone().ok_or_else(|| {
        Error::input(format!("policy `{}` has no rules for tables", rules.policy))
            .file(&args.spec)
            .help("choose one that has: `[policy]` with `name = \"gss-tables\"`")
    })?;
    let inputs = InputRecord::of_spec(&spec, &args.spec, &text)?;
    let (name, data_sha256) = data_of(&inputs);
    let dataset = args.dataset.clone().unwrap_or(name);
    let sources = table_sources(&spec, &wanted(&spec, &args.names, &args.spec)?)?;
    let past = RelatedReleases::read(session, (&url, None), (&dataset, &data_sha256), &spec, &sources)?;
    spec.protection.earlier.extend(past.bundles().0);
    let tables = wanted(&spec, &args.names, &args.spec)?;
    let counted = session.runtime()?.block_on(make_tables(&*session.engine(), &spec, &tables, &asked));
    let counted = counted.map_err(|error| spec.placed(&args.spec, error))?;
    let checked = CheckedRequest::new(&counted, &asked, &spec.protection, past.few);
    let mut findings = checked.describe(&checked.find_disclosures().map_err(|error| spec.placed(&args.spec, error))?);
    let (new, few) = checked.versioned(&spec)?;
    for (earlier, is_related) in &past.versions {
        findings.extend(revisions(("this request", &new), earlier, *is_related, few.max(earlier.few)));
    }
    findings.extend(past.other_names.iter().filter_map(|earlier| Obstacle::of_copy("this request", &new, earlier)));
    let request = Request {
        dataset: dataset.clone(),
        requester: args.requester.clone(),
        spec_sha256: outward_ledger::chain::hash_of_text(&text),
        tables: tables.iter().map(|table| table.name.clone()).collect(),
        at: at.clone(),
    };
    let earlier = session.runtime()?.block_on(async {
        let mut register = Register::open(&url, false).await?;
        let earlier = register.requests(&dataset).await?;
        register.add_request(Actor { name: &who, at: &at }, &request, findings.len()).await?;
        Ok::<_, Error>(earlier)
    })?;
    let mut notes: Vec<String> = past.unknown.iter().cloned().collect();
    notes.extend(checked.unusual_recodings());
    notes.extend(checked.places_apart(&past.overlapping));
    notes.extend(repeated(&request, &earlier));
    notes.extend(checked.asked_again());
    notes.extend(past.versions.iter().map(|(earlier, _)| of_version(&earlier.release)));
    let answer = Answer { dataset: &dataset, touches: &past.releases, findings: &findings, notes: &notes };
    show(session, &answer, &report(&answer, COUNTED), None, &[])?;
    if !findings.is_empty() {
        session.remark(
            "`outward table SPEC --register URL --out BUNDLE` protects the tables given what is public, if that can be done.",
        );
    }
    Ok(if findings.is_empty() { Outcome::Clean } else { Outcome::Findings })
}

/// The name and the hash of the data among the files of a spec.
pub(crate) fn data_of(inputs: &[InputRecord]) -> (String, String) {
    let data = inputs.iter().find(|input| input.kind == InputKind::Data);
    data.map(|data| (data.name.clone(), data.sha256.clone().unwrap_or_default())).unwrap_or_default()
}

pub(super) fn of_version(release: &Release) -> String {
    format!("release {} is of version {} of the data: cells that both show were compared", release.id, release.version)
}

/// What the same requester asked for before.
pub(super) fn repeated(request: &Request, earlier: &[Request]) -> Vec<String> {
    let mut notes = Vec::new();
    let same = earlier.iter().filter(|before| before.spec_sha256 == request.spec_sha256).count();
    if same > 0 {
        notes.push(format!("the same spec was checked before, {same} time{}", if same == 1 { "" } else { "s" }));
    }
    let from = earlier.iter().filter(|before| !request.requester.is_empty() && before.requester == request.requester);
    let specs: BTreeSet<&str> =
        from.map(|before| before.spec_sha256.as_str()).filter(|spec| *spec != request.spec_sha256).collect();
    if !specs.is_empty() {
        notes.push(format!(
            "{} asked for other tables of these data before, by {} other spec{}: see whether the requests differ by little",
            request.requester,
            specs.len(),
            if specs.len() == 1 { "" } else { "s" }
        ));
    }
    notes
}

pub(super) fn report(answer: &Answer<'_>, how: &str) -> Report {
    let (tone, headline) = match answer.findings.len() {
        0 => (Tone::Good, "Nothing small follows from this request and what is public".to_owned()),
        1 => (Tone::Bad, "One disclosure follows from this request and what is public".to_owned()),
        many => (Tone::Bad, format!("{many} disclosures follow from this request and what is public")),
    };
    let touches: Vec<String> = answer
        .touches
        .iter()
        .map(|release| {
            let since = if release.state == State::Withdrawn { "withdrawn, and public from" } else { "public since" };
            format!("release {} (“{}”), {since} {}", release.id, release.title, release.released)
        })
        .collect();
    let none = || {
        let blocks = vec![Block::Text("No public release of these data shares a variable with them.".to_owned())];
        Section { blocks, ..Section::new("touches", "Releases that these tables touch") }
    };
    let touched = words::of_notes("touches", "Releases that these tables touch", &touches).unwrap_or_else(none);
    let mut sections = vec![touched];
    sections.extend(words::of_obstacles(answer.findings));
    sections.extend(words::of_notes("notes", "What else to look at", answer.notes));
    Report {
        title: "Check against the register".to_owned(),
        subtitle: answer.dataset.to_owned(),
        verdict: Verdict { tone, headline, detail: how.to_owned(), figures: Vec::new() },
        sections,
        footer: Vec::new(),
    }
}
