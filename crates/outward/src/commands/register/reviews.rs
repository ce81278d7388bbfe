//! `outward register reviews`: releases made under a policy that has a newer version, or that is due for review.

use std::path::{Path, PathBuf};

use outward_register::gate::Obstacle;
use outward_register::{Actor, Register, Release, review_records, review_tables};
use outward_report::{Block, Column, Report, Section, Table, Tone, Verdict};
use outward_spec::{Error, Policy, PolicyChoice, Result};
use outward_tables::read::read_json;
use serde::Serialize;
use serde_json::json;

use super::{TABLES, actor, now, url, words};
use crate::cli::ReviewsArgs;
use crate::commands::show;
use crate::output::Outcome;
use crate::session::Session;

/// A public release whose policy is not what it was.
#[derive(Serialize)]
struct ReviewDue {
    release: Release,
    why: String,
    /// What its figures do not meet any more, where that was checked.
    #[serde(skip_serializing_if = "Option::is_none")]
    findings: Option<Vec<Obstacle>>,
}

/// The policies as they are now: those that ship, and those of files that are named.
fn policies(files: &[PathBuf]) -> Result<Vec<(Policy, PolicyChoice)>> {
    let shipped = Policy::shipped()?.into_iter().map(|policy| {
        let choice = PolicyChoice { name: Some(policy.name.clone()), ..PolicyChoice::default() };
        (policy, choice)
    });
    let own = files.iter().map(|file| {
        let path = std::path::absolute(file).map_err(|error| Error::io("read", file, error))?;
        Ok((Policy::load(file)?, PolicyChoice { file: Some(path), ..PolicyChoice::default() }))
    });
    // A policy of one's own comes before the one of the same name that ships.
    own.collect::<Result<Vec<_>>>().map(|own| own.into_iter().chain(shipped).collect())
}

pub(super) fn run(session: &Session, args: &ReviewsArgs) -> Result<Outcome> {
    let (who, at) = (actor(&args.within)?, now());
    let policies = policies(&args.policy)?;
    let due = session.runtime()?.block_on(async {
        let mut register = Register::open(&url(&args.within)?, false).await?;
        register.refuse_broken_log().await?;
        let mut due = Vec::new();
        for release in register.releases().await?.into_iter().filter(|release| release.state.is_public()) {
            let Some((policy, choice)) = policies.iter().find(|(policy, _)| policy.name == release.policy) else {
                let why = format!("`{}` does not ship with Outward: name its file with --policy", release.policy);
                due.push(ReviewDue { release, why, findings: None });
                continue;
            };
            let Some(why) = reason(&release, policy, &at) else { continue };
            let findings = match args.check {
                true => Some(recheck(&mut register, &release, choice).await?),
                false => None,
            };
            due.push(ReviewDue { release, why, findings });
        }
        let by = Actor { name: &who, at: &at };
        register.tell(by, "reviews", "register", json!({ "due": due.len(), "checked": args.check })).await?;
        Ok::<_, Error>(due)
    })?;
    let is_open = |due: &ReviewDue| due.findings.as_ref().is_none_or(|findings| !findings.is_empty());
    let open = due.iter().any(is_open);
    show(session, &json!({ "due": due }), &report(&due), None, &[])?;
    Ok(if open { Outcome::Findings } else { Outcome::Clean })
}

fn reason(release: &Release, policy: &Policy, at: &str) -> Option<String> {
    if policy.version != release.policy_version {
        let (old, new) = (&release.policy_version, &policy.version);
        return Some(format!("made under version {old} of `{}`, which is at version {new}", policy.name));
    }
    let review = policy.review.as_deref()?;
    (at.get(..10)? > review).then(|| format!("`{}` was to be reviewed by {review}", policy.name))
}

/// Compares a release with what its policy asks for today.
async fn recheck(register: &mut Register, release: &Release, choice: &PolicyChoice) -> Result<Vec<Obstacle>> {
    let tier = (!release.tier.is_empty()).then(|| release.tier.clone());
    let rules = PolicyChoice { tier, ..choice.clone() }.rules(Path::new("."))?;
    let files = register.files(release.id).await?;
    match files.iter().find(|(path, _)| path == TABLES) {
        Some((_, text)) => Ok(review_tables(&read_json(text)?, &rules)),
        None => review_records(&register.manifest(release.id).await?, &rules),
    }
}

fn report(due: &[ReviewDue]) -> Report {
    let mut table =
        Table::new("Releases", [Column::left("No"), Column::left("Title"), Column::left("Why"), Column::left("Now")]);
    for due in due {
        let now = match &due.findings {
            None => "not checked".to_owned(),
            Some(findings) if findings.is_empty() => "meets it".to_owned(),
            Some(findings) => findings.iter().map(|finding| finding.says.clone()).collect::<Vec<_>>().join("; "),
        };
        let row = [due.release.id.to_string(), due.release.title.clone(), due.why.clone(), now];
        table.rows.push(row.iter().map(|text| text.as_str().into()).collect());
    }
    let (tone, headline) = match due.len() {
        0 => (Tone::Good, "No policy of a public release was superseded or is due for review".to_owned()),
        1 => (Tone::Caution, "One public release is due for review".to_owned()),
        many => (Tone::Caution, format!("{many} public releases are due for review")),
    };
    let sections = match due.is_empty() {
        true => Vec::new(),
        false => vec![Section { blocks: vec![Block::Table(table)], ..Section::new("due", "Due for review") }],
    };
    let findings: Vec<Obstacle> = due.iter().flat_map(|due| due.findings.iter().flatten().cloned()).collect();
    Report {
        title: "Review calendar".to_owned(),
        subtitle: String::new(),
        verdict: Verdict { tone, headline, detail: String::new(), figures: Vec::new() },
        sections: sections.into_iter().chain(words::of_obstacles(&findings)).collect(),
        footer: Vec::new(),
    }
}
