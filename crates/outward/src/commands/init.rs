//! `outward init`: profile a file, find identifiers, suggest roles and keys, write a spec.

mod write;

use std::path::{Path, PathBuf};

use outward_engine::Data;
use outward_profile::{Confidence, Profile};
use outward_report::{Block, Column, Figure, Report, Section, Table, Tone, Value, Verdict};
use outward_spec::{Error, Result, Role, Spec};

use crate::cli::{InitArgs, OutputFormat};
use crate::commands::assess::source;
use crate::output::{Outcome, print_json, print_report, write_file};
use crate::session::Session;

pub(crate) fn run(session: &Session, args: &InitArgs) -> Result<Outcome> {
    let profile = write_spec(session, args)?;
    match session.format {
        OutputFormat::Json => print_json(&profile)?,
        OutputFormat::Text => print_report(&summary(&profile, &args.data, &args.out))?,
    }
    Ok(Outcome::Clean)
}

/// Profiles the data and writes the spec.
pub(crate) fn write_spec(session: &Session, args: &InitArgs) -> Result<Profile> {
    if args.out.exists() && !args.force {
        return Err(Error::input("this file is there already")
            .file(&args.out)
            .help("name another with --out, or replace it with --force")
            .into());
    }
    let engine = session.engine();
    let runtime = session.runtime()?;
    let data = Data { source: source(&args.data, &args.reading)?, columns: Vec::new() };
    let mut source = runtime.block_on(engine.describe(&data))?.source;
    let profile = runtime.block_on(engine.profile(&data))?;
    source.path = Some(seen_from(&args.data, &args.out)?);
    let text = write::spec(&profile, &source)?;
    // What is written must be readable: a spec that init makes never fails to load.
    Spec::parse(&text, &args.out)
        .map_err(|error| Error::bug(format!("init wrote a spec that cannot be read: {error}")))?;
    write_file(&args.out, &text, &[&args.data])?;
    Ok(profile)
}

/// The data's path as it is to stand in the spec.
fn seen_from(data: &Path, spec: &Path) -> Result<PathBuf> {
    let folder = spec.parent().unwrap_or(Path::new(""));
    if folder.as_os_str().is_empty() || data.is_absolute() {
        return Ok(data.to_owned());
    }
    let whole = |path: &Path| std::fs::canonicalize(path).map_err(|error| Error::io("find", path, error));
    let (data, folder) = (whole(data)?, whole(folder)?);
    Ok(data.strip_prefix(&folder).map(Path::to_owned).unwrap_or(data))
}

fn summary(profile: &Profile, data: &Path, out: &Path) -> Report {
    let with_role = |role: Role| profile.columns.iter().filter(|column| column.suggestion.role == role).count() as u64;
    let identifiers = with_role(Role::Identifier) + with_role(Role::FreeText);
    let keys = profile.columns.iter().filter(|column| column.suggestion.role.is_key()).count() as u64;
    let mut columns = Table::new(
        "Columns",
        [
            Column::left("Column"),
            Column::left("Role"),
            Column::left("Sure?"),
            Column::right("Missing"),
            Column::right("Values"),
            Column::left("Why"),
        ],
    );
    for column in &profile.columns {
        let suggestion = &column.suggestion;
        let sure = match suggestion.confidence {
            Confidence::Certain => "certain",
            Confidence::Likely => "likely",
            Confidence::Possible => "possible",
        };
        columns.rows.push(vec![
            column.name.as_str().into(),
            suggestion.role.name().into(),
            sure.into(),
            column.missing.into(),
            match column.distinct.exact {
                true => column.distinct.count.into(),
                false => format!("about {}", outward_report::format::count(column.distinct.count)).into(),
            },
            suggestion.evidence.first().map(String::as_str).into(),
        ]);
    }
    let mut ranking = Table::new(
        "Keys by what they add to uniqueness",
        [Column::left("Variable"), Column::right("Adds"), Column::right("Lost without"), Column::left("Why")],
    );
    let row = |key: &outward_profile::RankedKey| {
        vec![key.name.as_str().into(), Value::Share(key.added), Value::Share(key.lost), key.reason.as_str().into()]
    };
    ranking.rows = profile.keys.iter().map(row).collect();
    let mut sections =
        vec![Section { blocks: vec![Block::Table(columns)], ..Section::new("columns", "What each column contains") }];
    if !ranking.rows.is_empty() {
        let intro = format!("Based on {} records.", outward_report::format::count(profile.sample));
        sections.push(Section { intro, blocks: vec![Block::Table(ranking)], ..Section::new("keys", "Candidate keys") });
    }
    Report {
        title: format!("Profile of {}", data.display()),
        subtitle: String::new(),
        verdict: Verdict {
            tone: if identifiers > 0 { Tone::Caution } else { Tone::Neutral },
            headline: format!("Suggestions are in {}: read them and change what is wrong", out.display()),
            detail: String::new(),
            figures: vec![
                Figure::new(profile.records, "records"),
                Figure::new(profile.columns.len() as u64, "columns"),
                Figure::new(identifiers, "identifiers and free text"),
                Figure::new(keys, "keys"),
            ],
        },
        sections,
        footer: vec![match keys {
            0 => format!(
                "No column looks like a key: name keys in {}, or with --keys, before `outward assess`",
                out.display()
            ),
            _ => format!("Next: outward assess {} --report report.html", out.display()),
        }],
    }
}
