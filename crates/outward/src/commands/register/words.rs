//! What the register holds, as reports.

use outward_ledger::chain::Break;
use outward_register::gate::{Judgement, Obstacle};
use outward_register::{Exception, File, Release, State};
use outward_report::{Block, Column, Figure, Report, Section, Table, Tone, Verdict, format::count};

/// What to do next with a release.
pub(super) fn next(file: &File) -> &'static str {
    match file.release.state {
        State::Draft => "Submit it with `outward register submit`.",
        State::Submitted | State::UnderReview if file.release.approvals > 0 => {
            "Someone else has to approve it: `outward register approve`."
        }
        State::Submitted | State::UnderReview | State::Approved => "`outward release BUNDLE` makes it public.",
        State::Returned => "Its author changes the bundle and submits it again with --replaces.",
        State::Refused => "Nothing more can be done with it.",
        State::Withdrawn => "Nothing more can be done with it. Its figures stay part of every later check.",
        State::Released => "Its figures are part of every later check.",
    }
}

fn report(title: &str, subtitle: String, verdict: (Tone, String, String), sections: Vec<Section>) -> Report {
    let (tone, headline, detail) = verdict;
    Report {
        title: title.to_owned(),
        subtitle,
        verdict: Verdict { tone, headline, detail, figures: Vec::new() },
        sections,
        footer: Vec::new(),
    }
}

fn table(id: &str, heading: &str, columns: &[&str], rows: Vec<Vec<String>>) -> Option<Section> {
    let mut table = Table::new("", columns.iter().map(|column| Column::left(*column)));
    table.rows = rows.into_iter().map(|row| row.into_iter().map(|text| text.as_str().into()).collect()).collect();
    (!table.rows.is_empty()).then(|| Section { blocks: vec![Block::Table(table)], ..Section::new(id, heading) })
}

/// All releases.
pub(super) fn of_list(releases: &[Release]) -> Report {
    let row = |release: &Release| {
        vec![
            release.id.to_string(),
            release.title.clone(),
            format!("{}, version {}", release.dataset, release.version),
            release.kind.clone(),
            release.state.to_string(),
            release.author.clone(),
            if release.released.is_empty() { release.submitted.clone() } else { release.released.clone() },
        ]
    };
    let columns = ["No", "Title", "Data", "Of", "State", "Author", "Since"];
    let public = releases.iter().filter(|release| release.state.is_public()).count();
    let mut report = report(
        "Register of releases",
        String::new(),
        (
            Tone::Good,
            format!("{} releases", releases.len()),
            "Figures of public releases are part of every check.".to_owned(),
        ),
        table("releases", "Releases", &columns, releases.iter().map(row).collect()).into_iter().collect(),
    );
    report.verdict.figures = vec![Figure::new(releases.len() as u64, "releases"), Figure::new(public as u64, "public")];
    report
}

/// The columns among the sources of a table. The others say which records it counts, and are in brackets.
fn columns(sources: &[String]) -> String {
    sources.iter().filter(|source| !source.starts_with('(')).cloned().collect::<Vec<_>>().join(", ")
}

/// The file of a release.
pub(super) fn of_file(file: &File) -> Report {
    let File { release, tables, decisions, exceptions } = file;
    let said = |text: &String| if text.is_empty() { "not said".to_owned() } else { text.clone() };
    let tier = if release.tier.is_empty() { String::new() } else { format!(", tier {}", release.tier) };
    let facts = [
        ("Data", format!("{}, version {}", release.dataset, release.version)),
        ("Author", release.author.clone()),
        ("Asked for by", said(&release.requester)),
        ("Purpose", said(&release.purpose)),
        ("Policy", format!("{} version {}{tier}", release.policy, release.policy_version)),
        (
            "Approvals",
            format!("{} of {} ({})", file.approved_by().len(), release.approvals, or_none(&file.approved_by())),
        ),
        ("Bundle", release.bundle_hash.clone()),
        ("Entered", release.submitted.clone()),
        ("Released", if release.released.is_empty() { "not yet".to_owned() } else { release.released.clone() }),
    ];
    let facts = facts.into_iter().map(|(name, text)| vec![name.to_owned(), text]).collect();
    let shown = tables.iter().map(|table| {
        vec![
            table.name.clone(),
            table.measure.clone(),
            columns(&table.sources),
            if table.condition.is_empty() { "all".to_owned() } else { table.condition.clone() },
            table.method.clone(),
            format!("{} of {}", table.hidden, table.cells),
        ]
    });
    let decided = decisions.iter().map(|decision| {
        let current = if decision.bundle_hash == release.bundle_hash { "this bundle" } else { "an earlier bundle" };
        vec![
            decision.at.clone(),
            decision.actor.clone(),
            decision.kind.clone(),
            current.to_owned(),
            decision.reason.clone(),
        ]
    });
    let sections = [
        table("facts", "The release", &["What", "Said"], facts),
        table(
            "tables",
            "Its tables",
            &["Table", "Measure", "Columns", "Condition", "Method", "Hidden cells"],
            shown.collect(),
        ),
        table("decisions", "What was decided", &["When", "Who", "What", "On", "Why"], decided.collect()),
        of_exceptions(exceptions),
    ];
    let tone = match release.state {
        State::Approved | State::Released => Tone::Good,
        State::Refused | State::Returned => Tone::Bad,
        _ => Tone::Caution,
    };
    let verdict = (tone, format!("Release {} is {}", release.id, release.state), next(file).to_owned());
    report("Release", release.title.clone(), verdict, sections.into_iter().flatten().collect())
}

fn of_exceptions(exceptions: &[Exception]) -> Option<Section> {
    let row = |exception: &Exception| {
        let Exception { rule, scope, reason, approver, expires, .. } = exception;
        [rule, scope, reason, approver, expires].map(String::clone).to_vec()
    };
    let columns = ["Rule", "Scope", "Why", "Approved by", "Until"];
    table("exceptions", "Exceptions", &columns, exceptions.iter().map(row).collect())
}

fn or_none(people: &[&str]) -> String {
    if people.is_empty() { "nobody yet".to_owned() } else { people.join(", ") }
}

/// What the gate says.
pub(super) fn of_judgement(file: &File, judgement: &Judgement) -> Report {
    let Judgement { obstacles, exceptions, not_seen } = judgement;
    let release = &file.release;
    let verdict = match obstacles.is_empty() {
        true if !exceptions.is_empty() => (
            Tone::Caution,
            format!("Release {} may become public by exception", release.id),
            "An obstacle was lifted by an exception. The exceptions below say which, by whom and why.".to_owned(),
        ),
        true => (
            Tone::Good,
            format!("Release {} may become public", release.id),
            "Its verification passes, no small group follows from it and earlier releases, and enough people approved it."
                .to_owned(),
        ),
        false => (
            Tone::Bad,
            format!("Release {} may not become public", release.id),
            "Each line below says what is missing and what to do.".to_owned(),
        ),
    };
    let mut sections: Vec<Section> = of_obstacles(obstacles).into_iter().collect();
    sections.extend(of_exceptions(exceptions));
    sections.extend(of_notes("not-seen", "What could not be seen", not_seen));
    report("Gate", release.title.clone(), verdict, sections)
}

/// The most findings of one kind that are shown with their arithmetic.
const SHOWN_OF_ONE_KIND: usize = 3;

/// What prevents a release, with the arithmetic. Findings that say the same are shown once.
pub(super) fn of_obstacles(obstacles: &[Obstacle]) -> Option<Section> {
    let mut kinds: Vec<Vec<&Obstacle>> = Vec::new();
    for obstacle in obstacles {
        let is_alike = |kind: &&mut Vec<&Obstacle>| {
            let of = kind[0];
            (of.rule, &of.says, &of.help) == (obstacle.rule, &obstacle.says, &obstacle.help)
        };
        match kinds.iter_mut().find(is_alike) {
            Some(kind) => kind.push(obstacle),
            None => kinds.push(vec![obstacle]),
        }
    }
    let mut blocks = Vec::new();
    for kind in kinds {
        let Obstacle { rule, says, help, .. } = kind[0];
        let times = if kind.len() == 1 { String::new() } else { format!(" ({} times)", count(kind.len() as u64)) };
        blocks.push(Block::Text(format!("{rule}: {says}{times}. {}.", capital(help))));
        for obstacle in kind.iter().filter(|obstacle| !obstacle.lines.is_empty()).take(SHOWN_OF_ONE_KIND) {
            blocks.push(Block::Lines("The arithmetic".to_owned(), obstacle.lines.clone()));
        }
        if kind.len() > SHOWN_OF_ONE_KIND {
            let more = count((kind.len() - SHOWN_OF_ONE_KIND) as u64);
            blocks.push(Block::Text(format!("{more} more like this; `--format json` lists all.")));
        }
    }
    (!blocks.is_empty()).then(|| Section { blocks, ..Section::new("obstacles", "What is in the way") })
}

/// A list of sentences.
pub(super) fn of_notes(id: &str, heading: &str, notes: &[String]) -> Option<Section> {
    let blocks: Vec<Block> = notes.iter().map(|note| Block::Text(format!("{}.", capital(note)))).collect();
    (!blocks.is_empty()).then(|| Section { blocks, ..Section::new(id, heading) })
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}

/// The result of the audit of the log.
pub(super) fn of_audit(checked: &Result<(i64, String), Break>) -> Report {
    let verdict = match checked {
        Ok((entries, head)) => {
            (Tone::Good, format!("The log of {entries} entries is whole"), format!("Its head is {head}"))
        }
        Err(Break { number, what }) => (
            Tone::Bad,
            format!("The log is broken at entry {number}"),
            format!("Entry {number} {what}. The entries from there on cannot be trusted: compare them with a copy."),
        ),
    };
    report("Audit of the register", String::new(), verdict, Vec::new())
}
