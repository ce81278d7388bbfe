//! `outward register reviews`: releases made under a policy that has a newer version, or that is due for review.

use std::path::Path;

use outward_register::gate::Obstacle;
use outward_register::{Actor, Register, Release};
use outward_report::{Block, Column, Report, Section, Table, Tone, Verdict};
use outward_spec::{Error, Policy, PolicyChoice, Result};
use outward_tables::Figure;
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
struct Due {
    release: Release,
    why: String,
    /// What its figures do not meet any more, where that was checked.
    #[serde(skip_serializing_if = "Option::is_none")]
    findings: Option<Vec<Obstacle>>,
}

pub(super) fn run(session: &Session, args: &ReviewsArgs) -> Result<Outcome> {
    let (who, at) = (actor(&args.within)?, now());
    let policies = Policy::shipped()?;
    let due = session.runtime()?.block_on(async {
        let mut register = Register::open(&url(&args.within)?, false).await?;
        let mut due = Vec::new();
        for release in register.releases().await?.into_iter().filter(|release| release.state.is_public()) {
            let Some(policy) = policies.iter().find(|policy| policy.name == release.policy) else { continue };
            let Some(why) = reason(&release, policy, &at) else { continue };
            let findings = match args.check {
                true => Some(recheck(&mut register, &release, policy).await?),
                false => None,
            };
            due.push(Due { release, why, findings });
        }
        let by = Actor { name: &who, at: &at };
        register.tell(by, "reviews", "register", json!({ "due": due.len(), "checked": args.check })).await?;
        Ok::<_, Error>(due)
    })?;
    let failing = due.iter().any(|due| due.findings.as_ref().is_some_and(|findings| !findings.is_empty()));
    show(session, &json!({ "due": due }), &report(&due), None, &[])?;
    Ok(if failing || !args.check && !due.is_empty() { Outcome::Findings } else { Outcome::Clean })
}

fn reason(release: &Release, policy: &Policy, at: &str) -> Option<String> {
    if policy.version != release.policy_version {
        let (old, new) = (&release.policy_version, &policy.version);
        return Some(format!("made under version {old} of `{}`, which is at version {new}", policy.name));
    }
    let review = policy.review.as_deref()?;
    (at.get(..10)? > review).then(|| format!("`{}` was to be reviewed by {review}", policy.name))
}

/// Holds the figures of a release against what its policy asks for now: no count may be shown that is unsafe.
async fn recheck(register: &mut Register, release: &Release, policy: &Policy) -> Result<Vec<Obstacle>> {
    let files = register.files(release.id).await?;
    let Some((_, text)) = files.iter().find(|(path, _)| path == TABLES) else { return Ok(Vec::new()) };
    let tier = (!release.tier.is_empty()).then(|| release.tier.clone());
    let choice = PolicyChoice { name: Some(policy.name.clone()), tier, ..PolicyChoice::default() };
    let rules = choice.rules(Path::new("."))?.tables.unwrap_or_default();
    let mut findings = Vec::new();
    for published in read_json(text)? {
        let category = rules.categories.iter().find(|category| category.name == published.category);
        let Some(limit) = category.map(|category| category.cells as i64) else { continue };
        if published.table.magnitudes.is_some() || published.table.weighted.is_some() || published.scale != 1 {
            continue;
        }
        let small = |figure: &Figure| matches!(figure, Figure::Shown(count) if (1..=limit).contains(count));
        let count = published.figures.iter().filter(|figure| small(figure)).count();
        if count > 0 {
            findings.push(Obstacle {
                rule: "policy",
                says: format!("table `{}` shows {count} counts from 1 to {limit}", published.table.name),
                lines: Vec::new(),
                help: "see whether the release is to be withdrawn, and protect the next one by the new version"
                    .to_owned(),
            });
        }
    }
    Ok(findings)
}

fn report(due: &[Due]) -> Report {
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
