//! A model for files that come without one: what the profile finds in the columns decides how they are compared.

use outward_engine::Data;
use outward_intruder::linkage::{Content, Model, Proposal, Training, propose};
use outward_profile::{ColumnProfile, Kind};
use outward_report::format::counted;
use outward_spec::{Error, Result};

use super::{Files, also, read};
use crate::cli::LinkArgs;
use crate::commands::assess::source;
use crate::session::Session;

/// Proposes a model for the columns that both files have, and reads these columns.
pub(super) fn model_and_records(session: &Session, args: &LinkArgs, training: &Training) -> Result<(Model, Files)> {
    let (runtime, engine) = (session.runtime()?, session.engine());
    let data = Data { source: source(&args.left, &args.reading)?, columns: Vec::new() };
    let profile = runtime.block_on(engine.profile(&data))?;
    let second = match &args.right {
        Some(path) => {
            let data = Data { source: source(path, &args.reading)?, columns: Vec::new() };
            Some(runtime.block_on(engine.describe(&data))?.schema)
        }
        None => None,
    };
    if let Some(schema) = &second
        && !profile.columns.iter().any(|column| schema.field_with_name(&column.name).is_ok())
    {
        return Err(Error::input("the two files have no column of the same name")
            .help("where a column holds the same in both files, give it one name in both")
            .into());
    }
    let named = [&args.truth, &args.unique_id];
    let columns: Vec<(String, Content)> = profile
        .columns
        .iter()
        .filter(|column| second.as_ref().is_none_or(|schema| schema.field_with_name(&column.name).is_ok()))
        .filter(|column| !named.iter().any(|name| name.as_ref() == Some(&column.name)))
        .filter_map(|column| Some((column.name.clone(), content(column, args.right.is_some())?)))
        .collect();
    let mut names: Vec<String> = columns.iter().map(|(name, _)| name.clone()).collect();
    names.extend(also(args, training)?);
    names.extend(args.unique_id.clone());
    names.sort();
    names.dedup();
    let files = read(session, args, &names)?;
    let Proposal { model, left_out } = propose(&columns, &files.left, files.right.as_ref())?;
    let compared: Vec<&str> = model.comparisons.iter().map(|comparison| comparison.name.as_str()).collect();
    session.remark(&format!(
        "No model was given, so one is proposed. It compares {}; pairs come from {}. --save-model keeps the model, so that you can change it.",
        compared.join(", "),
        counted(model.blocking_rules.len() as u64, "rule", "rules")
    ));
    if !left_out.is_empty() {
        session.remark(&format!("Not compared: {}.", left_out.join(", ")));
    }
    Ok((model, files))
}

/// How a column is compared; `None` if it does not identify people.
fn content(column: &ColumnProfile, two_files: bool) -> Option<Content> {
    let is = |kind: Kind| column.found.iter().any(|found| found.kind == kind && found.share > 0.5 && !found.inside);
    let first = [
        (Kind::PersonName, Content::Name),
        (Kind::DateOfBirth, Content::Date),
        (Kind::Date, Content::Date),
        (Kind::Email, Content::Email),
        (Kind::Postcode, Content::Postcode),
        (Kind::Age, Content::Number),
    ];
    if let Some((_, content)) = first.into_iter().find(|(kind, _)| is(*kind)) {
        return Some(content);
    }
    // A running number is the place of a record in its file. If each record of a file has its own number, the number
    // shows no duplicate. In two files it may be the same.
    let skipped = is(Kind::RunningNumber) || is(Kind::Weight) || is(Kind::FreeText) || is(Kind::Timestamp);
    let own = is(Kind::NearUnique) || is(Kind::MachineKey) || is(Kind::AssignedCode);
    (!skipped && (two_files || !own)).then_some(Content::Other)
}
