//! The data dictionary: a line for each published column, for users of the data.

use outward_spec::Type;

use crate::csv;
use crate::manifest::Manifest;
use crate::words;

/// Its path in a bundle.
pub(crate) const FILE: &str = "public/dictionary.csv";

/// The dictionary of a release.
pub fn dictionary(manifest: &Manifest) -> String {
    let mut text = csv::line(["variable", "label", "type", "missing", "what was done"]);
    for column in &manifest.columns {
        let missing = manifest.after.missing.get(&column.name).copied().unwrap_or(0);
        let mut done: Vec<String> = Vec::new();
        for record in &manifest.steps {
            if let Some(words) = words::treatment(record, &column.name, column.is_key)
                && !done.contains(&words)
            {
                done.push(words);
            }
        }
        let done = if done.is_empty() { "nothing".to_owned() } else { done.join("; ") };
        text += &csv::line([&column.name, &column.label, word(column.data_type), &missing.to_string(), &done]);
    }
    text
}

fn word(data_type: Type) -> &'static str {
    match data_type {
        Type::Text => "text",
        Type::Integer => "whole number",
        Type::Number => "number",
        Type::Date => "date (year-month-day)",
    }
}
