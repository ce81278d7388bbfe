//! `outward register check`: tables that somebody asks for, held against all that is public, before any work is done.

use std::collections::BTreeSet;

use outward_register::differencing::{Known, PublishedCounts, differences};
use outward_register::gate::Obstacle;
use outward_register::{Actor, Register, Release, Request, table_sources};
use outward_release::{InputKind, InputRecord, make_tables};
use outward_report::{Block, Report, Section, Tone, Verdict};
use outward_spec::{Error, Result, Spec};
use outward_tables::{CountedTable, Dimension, Node, Table, Told, numbered_by_source};
use serde::Serialize;

use super::{Past, actor, now, url, words};
use crate::cli::RegisterCheckArgs;
use crate::commands::show;
use crate::commands::table::wanted;
use crate::output::Outcome;
use crate::session::Session;

/// What came of a check.
#[derive(Serialize)]
struct Answer<'a> {
    dataset: &'a str,
    /// The public releases that the tables touch.
    touches: &'a [Release],
    /// What follows from the tables, as they are asked for, and these releases.
    findings: &'a [Obstacle],
    /// What else to look at.
    notes: &'a [String],
}

pub(super) fn run(session: &Session, args: &RegisterCheckArgs) -> Result<Outcome> {
    let (who, at, url) = (actor(&args.within)?, now(), url(&args.within)?);
    let mut spec = Spec::load(&args.spec)?;
    let text = std::fs::read_to_string(&args.spec).map_err(|error| Error::io("read", &args.spec, error))?;
    let rules = spec.rules()?;
    let asked = rules.tables.clone().ok_or_else(|| {
        Error::input(format!("policy `{}` has no rules for tables", rules.policy))
            .file(&args.spec)
            .help("choose one that has: `[policy]` with `name = \"gss-tables\"`")
    })?;
    let inputs = InputRecord::of_spec(&spec, &args.spec, &text)?;
    let (name, data_sha256) = data_of(&inputs);
    let dataset = args.dataset.clone().unwrap_or(name);
    let sources = table_sources(&spec, &wanted(&spec, &args.names, &args.spec)?)?;
    let past = Past::read(session, &url, (&dataset, &data_sha256), &sources)?;
    spec.protection.earlier.extend(past.bundles().0);
    let tables = wanted(&spec, &args.names, &args.spec)?;
    let counted = session.runtime()?.block_on(make_tables(&*session.engine(), &spec, &tables, &asked));
    let counted = counted.map_err(|error| spec.placed(&args.spec, error))?;
    let few = asked.categories.iter().map(|category| category.cells as i64).max().unwrap_or_default();
    let numbered = numbered_by_source(&counted.tables.iter().collect::<Vec<_>>());
    let public: Vec<PublishedCounts<'_>> =
        counted.tables.iter().zip(&numbered).map(|(made, table)| published(made, table)).collect();
    let found = differences(&public, few);
    let mut findings: Vec<Obstacle> = found.found.iter().map(of_difference).collect();
    if found.not_searched > 0 {
        findings.push(Obstacle {
            rule: "differencing",
            says: format!("not all differences could be searched for, along {} lines of cells", found.not_searched),
            lines: Vec::new(),
            help: "show fewer values of the variable that the tables have in common".to_owned(),
        });
    }
    let request = Request {
        dataset: dataset.clone(),
        requester: args.requester.clone(),
        spec_sha256: outward_register::log::hash_of_text(&text),
        tables: tables.iter().map(|table| table.name.clone()).collect(),
        at: at.clone(),
    };
    let earlier = session.runtime()?.block_on(async {
        let mut register = Register::open(&url, false).await?;
        let earlier = register.requests(&dataset).await?;
        register.add_request(Actor { name: &who, at: &at }, &request, findings.len()).await?;
        Ok::<_, Error>(earlier)
    })?;
    let mut notes = recodings(&counted.tables, &numbered);
    notes.extend(repeated(&request, &earlier));
    notes.extend(past.other_versions.iter().map(|release| {
        format!(
            "release {} is of version {} of the data: it is compared at the gate, where tables have the same rows and columns",
            release.id, release.version
        )
    }));
    let answer = Answer { dataset: &dataset, touches: &past.releases, findings: &findings, notes: &notes };
    show(session, &answer, &report(&answer), None, &[])?;
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

/// A table as the public would know it: of an earlier release what it shows, of a new one everything.
fn published<'a>(made: &CountedTable, table: &'a Table) -> PublishedCounts<'a> {
    let count = |cell: usize| made.table.counts[cell] as i64;
    let (release, known) = match &made.earlier {
        None => ("this request".to_owned(), (0..made.table.len()).map(|cell| Known::Exactly(count(cell))).collect()),
        Some(earlier) => {
            let known = |(cell, told): (usize, &Told)| match told {
                Told::Shown => Known::Exactly(count(cell)),
                Told::Hidden => Known::Hidden,
                Told::Between(least, most) => Known::Between(*least, *most),
            };
            (earlier.release.clone(), earlier.told.iter().enumerate().map(known).collect())
        }
    };
    PublishedCounts { release, is_new: made.earlier.is_none(), table, known }
}

fn of_difference(difference: &outward_register::differencing::Difference) -> Obstacle {
    let (least, most) = difference.people;
    let people = if least == most { least.to_string() } else { format!("{least} to {most}") };
    let noun = if (least, most) == (1, 1) { "record" } else { "records" };
    Obstacle {
        rule: "differencing",
        says: format!("a group of {people} {noun} follows from these tables and earlier ones"),
        lines: difference.lines(),
        help: "show the variable as the earlier release does, or protect the tables given the earlier ones".to_owned(),
    }
}

/// Variables that the new tables cut otherwise than an earlier release.
fn recodings(made: &[CountedTable], numbered: &[Table]) -> Vec<String> {
    let cuts = |of: &Dimension| {
        let set = |node: &Node| {
            let mut values = node.values.clone();
            values.sort_unstable();
            values
        };
        of.nodes.iter().filter(|node| !node.total).map(set).collect::<BTreeSet<Vec<u32>>>()
    };
    let crossing = |a: &Vec<u32>, b: &Vec<u32>| {
        let common = a.iter().filter(|value| b.binary_search(value).is_ok()).count();
        common > 0 && common < a.len() && common < b.len()
    };
    let mut notes = BTreeSet::new();
    let new = made.iter().zip(numbered).filter(|(made, _)| made.earlier.is_none());
    for dimension in new.flat_map(|(_, table)| &table.dimensions) {
        let own = cuts(dimension);
        for (other, table) in made.iter().zip(numbered) {
            let Some(earlier) = &other.earlier else { continue };
            for old in table.dimensions.iter().filter(|old| old.is_comparable(dimension)) {
                let theirs = cuts(old);
                if own.iter().any(|one| theirs.iter().any(|other| crossing(one, other))) {
                    notes.insert(format!(
                        "`{}` is grouped otherwise in {}: some groups overlap without one being inside the other",
                        dimension.variable,
                        earlier.release.replacen("release-", "release ", 1)
                    ));
                }
            }
        }
    }
    notes.into_iter().collect()
}

/// What the same requester asked for before.
fn repeated(request: &Request, earlier: &[Request]) -> Vec<String> {
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

fn report(answer: &Answer<'_>) -> Report {
    let (tone, headline) = match answer.findings.len() {
        0 => (Tone::Good, "Nothing small follows from these tables and what is public".to_owned()),
        1 => (Tone::Bad, "One small group follows from these tables and what is public".to_owned()),
        many => (Tone::Bad, format!("{many} small groups follow from these tables and what is public")),
    };
    let touches: Vec<String> = answer
        .touches
        .iter()
        .map(|release| format!("release {} (“{}”), public since {}", release.id, release.title, release.released))
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
        verdict: Verdict {
            tone,
            headline,
            detail:
                "The tables were counted as they are asked for, before protection, beside the figures that are public."
                    .to_owned(),
            figures: Vec::new(),
        },
        sections,
        footer: Vec::new(),
    }
}
