//! The statement that is published with the data: what was done, and why figures may differ from others, in plain
//! English. No number in it helps to undo a step.

use outward_report::format::counted;
use outward_spec::Step;

use crate::manifest::{Manifest, StepRecord};
use crate::words;

/// Its path in a bundle.
pub(crate) const FILE: &str = "public/statement.md";

/// The statement of a release.
pub fn statement(manifest: &Manifest) -> String {
    let mut text = format!("# {}\n\n", manifest.title);
    let mut said = what_was_done(manifest);
    let changed = match said.is_empty() {
        true => "",
        false => " It was changed to protect the people it is about.",
    };
    text += &format!(
        "This file has {} and {}.{changed}\n\n## What was done\n\n",
        counted(manifest.records_out, "record", "records"),
        counted(manifest.columns.len() as u64, "variable", "variables")
    );
    if said.is_empty() {
        said.push("- Nothing was changed: the records met the rules as they were.".to_owned());
    }
    text += &said.join("\n");
    let allowed = manifest.columns.iter().filter_map(|column| Some((&column.label, column.allow.as_ref()?)));
    let allowed: Vec<String> = allowed.map(|(label, reason)| format!("- {label}: {reason}")).collect();
    if !allowed.is_empty() {
        text += "\n\n## Published with a reason\n\n";
        text += &allowed.join("\n");
    }
    text += "\n\n## Why figures may differ\n\n";
    text += &reasons(manifest).join("\n\n");
    text += "\n\n";
    if manifest.after.missing.values().any(|missing| *missing > 0) {
        text += "An empty field means that the value was not known, does not apply or was left out. ";
    }
    text += "`dictionary.csv` describes each variable. If there is a folder `mappings`, its files give the values behind each published label.\n";
    text
}

/// What the steps did: a line for each kind of change, with the variables that were changed.
fn what_was_done<'m>(manifest: &'m Manifest) -> Vec<String> {
    let mut done: Vec<(String, Vec<&'m str>)> = Vec::new();
    let mut say = |words: String, label: Option<&'m str>| {
        let at = done.iter().position(|(said, _)| *said == words).unwrap_or_else(|| {
            done.push((words, Vec::new()));
            done.len() - 1
        });
        // A later step of the same kind need not name the variable again.
        if let Some(label) = label.filter(|label| !done[at].1.contains(label)) {
            done[at].1.push(label);
        }
    };
    for record in &manifest.steps {
        if let Some(words) = words::coverage(&record.step) {
            say(words.to_owned(), None);
        }
        for column in &manifest.columns {
            let untouched = matches!(record.step, Step::RecodeLocally { .. } | Step::SuppressCells { .. })
                && record.changed.get(&column.name).is_none_or(|cells| *cells == 0);
            if let Some(words) = words::treatment(record, &column.name, column.is_key).filter(|_| !untouched) {
                say(words, Some(&column.label));
            }
        }
    }
    let line = |(words, labels): (String, Vec<&str>)| match labels.as_slice() {
        [] => format!("- {words}"),
        labels => format!("- {}: {words}.", labels.join(", ")),
    };
    done.into_iter().map(line).collect()
}

fn reasons(manifest: &Manifest) -> Vec<&'static str> {
    let any = |wanted: fn(&Step) -> bool| manifest.steps.iter().any(|record| wanted(&record.step));
    let mut reasons = Vec::new();
    if any(|step| matches!(step, Step::Sample { .. })) {
        reasons.push(
            "The file is a sample, so its figures are estimates. Totals must be scaled up, and figures for small groups vary by \
             chance.",
        );
    }
    let leaves_out = |record: &StepRecord| {
        record.records_after < record.records_before && !matches!(record.step, Step::Sample { .. })
    };
    if manifest.steps.iter().any(leaves_out) {
        reasons.push(
            "Some records were left out, so counts are lower than in the original data. This affects small groups most.",
        );
    }
    if any(|step| matches!(step, Step::SuppressCells { .. })) {
        reasons.push(
            "Some values were left out, so a table of several variables may not add up to the number of records.",
        );
    }
    if let Some(swap) = manifest.steps.iter().position(|record| matches!(record.step, Step::Swap { .. })) {
        let later = manifest.steps[swap + 1..].iter().any(|record| record.records_after < record.records_before);
        reasons.push(match later {
            true => "Some records were exchanged between places, so figures for small places and small groups may differ.",
            false => {
                "Some records were exchanged between places. The total for each place is right. Other figures for small places and \
                 small groups may differ."
            }
        });
    }
    if any(|step| matches!(step, Step::Round { .. })) {
        reasons.push("Values were rounded, so sums and means may differ slightly from the original data.");
    }
    if any(|step| matches!(step, Step::Limit { .. })) {
        reasons.push("Extreme values were replaced, so sums and means may differ from the original data.");
    }
    if any(|step| {
        matches!(step, Step::Microaggregate { .. } | Step::Pram { .. } | Step::Noise { .. } | Step::RankSwap { .. })
    }) {
        reasons.push(
            "Values were changed record by record. Distributions stay close to the original data, but a single record does not \
             describe a real person.",
        );
    }
    if reasons.is_empty() {
        reasons.push("Counts are those of the original data. Broader groups only show less detail.");
    }
    reasons
}
