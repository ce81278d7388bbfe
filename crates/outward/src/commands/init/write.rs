//! The spec that `init` writes: every suggestion with its evidence as a comment, so that a person can judge it.

use std::fmt::Write;

use outward_profile::{ColumnProfile, Confidence, Profile};
use outward_report::format::{count, share};
use outward_spec::{Error, Result, Role, Source, Type};
use serde::Serialize;

/// The text of a spec for this source.
pub(super) fn spec(profile: &Profile, source: &Source) -> Result<String> {
    let mut text = String::from(
        "# Written by `outward init`. Every line is a suggestion with its reason above it: read them, change what is\n\
         # wrong, then run `outward assess` on this file. The reference of this format is docs/spec.md, or\n\
         # `outward schema` for machines.\n\n\
         # How missing values of the keys are compared: \"category\" (missing is a value of its own) or \"wildcard\"\n\
         # (missing matches everything).\n\
         missing = \"category\"\n\n",
    );
    let (plain, sections): (Vec<_>, Vec<_>) = profile.columns.iter().partition(|column| says_nothing(column));
    text += &plain_columns(&plain, profile.records)?;
    text += "[data]\n";
    text += &fields(source)?;
    text +=
        "\n# What must hold before a release. `outward policies` lists the policies.\n[policy]\nname = \"baseline\"\n";
    text += &ranking(profile);
    for column in sections {
        text += &variable(column, profile.records)?;
    }
    let identifiers: Vec<&str> = profile
        .columns
        .iter()
        .filter(|column| matches!(column.suggestion.role, Role::Identifier | Role::FreeText))
        .map(|column| column.name.as_str())
        .collect();
    if !identifiers.is_empty() {
        text += "\n# Variables that identify a person by themselves are not published.\n[[steps]]\ndo = \"drop\"\n";
        text += &format!("variables = {}\n", value(&identifiers)?);
    }
    Ok(text)
}

/// The fields of a section, one a line.
fn fields(section: &impl Serialize) -> Result<String> {
    toml::to_string(section).map_err(|error| Error::bug(format!("a spec section cannot be written: {error}")))
}

/// A value on one line.
fn value(value: &impl Serialize) -> Result<String> {
    let value =
        toml::Value::try_from(value).map_err(|error| Error::bug(format!("a value cannot be written: {error}")))?;
    Ok(value.to_string())
}

fn ranking(profile: &Profile) -> String {
    if profile.keys.is_empty() {
        return String::new();
    }
    let mut text = format!(
        "\n# Candidate keys, by the share of records each makes unique when it joins those before it (on {} records):\n",
        count(profile.sample)
    );
    for key in &profile.keys {
        let _ = writeln!(text, "#   {:<24} + {}", one_line(&key.name), share(key.added));
    }
    text
}

/// Whether a section would have nothing but the column's name.
fn says_nothing(column: &ColumnProfile) -> bool {
    let suggestion = &column.suggestion;
    suggestion.role == Role::Plain
        && (suggestion.data_type == Type::Text || is_nested(column))
        && suggestion.visibility.is_none()
        && suggestion.sensitivity.is_none()
        && suggestion.hierarchy.is_none()
        // Any further evidence would say that the column may identify people.
        && suggestion.evidence.len() == 1
}

/// The list of columns without a section, one a line.
fn plain_columns(columns: &[&ColumnProfile], records: u64) -> Result<String> {
    if columns.is_empty() {
        return Ok(String::new());
    }
    let mut text = String::from(
        "# Nothing in these columns points at a person. They are published as they are: please look at each.\nplain = [\n",
    );
    for column in columns {
        let _ = writeln!(text, "    {}, # {}", value(&column.name)?, values(column, records));
    }
    text += "]\n\n";
    Ok(text)
}

/// How many values a column has, and what share of the records has none.
fn values(column: &ColumnProfile, records: u64) -> String {
    let about = if column.distinct.exact { "" } else { "about " };
    let missing = match column.missing {
        0 => String::new(),
        missing => format!(", {} missing", share(missing as f64 / records.max(1) as f64)),
    };
    let values = if column.distinct.count == 1 { "value" } else { "values" };
    format!("{about}{} {values}{missing}", count(column.distinct.count))
}

/// A column of lists or records has no type a spec can name.
fn is_nested(column: &ColumnProfile) -> bool {
    ["List", "LargeList", "FixedSizeList", "Struct", "Map"].iter().any(|nested| column.read_as.starts_with(nested))
}

fn variable(column: &ColumnProfile, records: u64) -> Result<String> {
    let suggestion = &column.suggestion;
    let mut text = String::from("\n");
    let sure = match suggestion.confidence {
        Confidence::Certain => "certain",
        Confidence::Likely => "likely",
        Confidence::Possible => "possible: please look",
    };
    let _ = writeln!(text, "# {}; {} ({sure})", values(column, records), suggestion.role);
    for reason in &suggestion.evidence {
        let _ = writeln!(text, "# {}", one_line(reason));
    }
    let _ = writeln!(text, "[[variables]]\nname = {}", value(&column.name)?);
    if !is_nested(column) {
        let _ = writeln!(text, "type = {}", value(&suggestion.data_type)?);
    }
    if let Some(format) = suggestion.date_format {
        let _ = writeln!(text, "format = {}", value(&format)?);
    }
    let _ = writeln!(text, "role = {}", value(&suggestion.role)?);
    if let Some(rating) = suggestion.visibility {
        let _ = writeln!(text, "visibility = {}", value(&rating)?);
    }
    if let Some(rating) = suggestion.sensitivity {
        let _ = writeln!(text, "sensitivity = {}", value(&rating)?);
    }
    if let Some(hierarchy) = &suggestion.hierarchy {
        let _ = writeln!(text, "hierarchy = {}", value(hierarchy)?);
    }
    Ok(text)
}

/// Text for a comment: a column's name may hold a line break.
fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}
