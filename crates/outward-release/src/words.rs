//! Describes steps and hierarchies for the public. Nothing here helps to undo a step. The seed, the share of records
//! swapped, the size of noise and the groups of records are only in the manifest, for the custodian.

use outward_spec::{Centre, DatePart, Edges, Extreme, HierarchySpec, Step};

use crate::manifest::StepRecord;

/// What a step did to a variable, if the step concerns it. `is_key` says whether steps on all keys do.
pub(crate) fn treatment(record: &StepRecord, variable: &str, is_key: bool) -> Option<String> {
    let step = &record.step;
    let is_lost = record.categories.get(variable).is_some_and(|[before, after]| *before > 1 && *after <= 1);
    let named = |names: &[String]| names.iter().any(|name| name == variable);
    let words = match step {
        Step::Recode { variable: name, .. } if name == variable && is_lost => {
            "all values were joined in one group, so none is shown".to_owned()
        }
        Step::Recode { variable: name, .. } if name == variable => "values were put into broader groups".to_owned(),
        Step::Place { variable: name, .. } if name == variable => {
            "small places were joined with others or left out".to_owned()
        }
        Step::Grid { variables, cell, .. } if named(variables) => {
            format!("points were moved to the corner of their square of {cell} metres")
        }
        Step::Limit { variable: name, publish, .. } if name == variable => match publish {
            Extreme::Limit => "extreme values were replaced by a limit".to_owned(),
            Extreme::Mean => "extreme values were replaced by their mean".to_owned(),
            Extreme::Label => "extreme values were replaced by a label".to_owned(),
        },
        Step::Round { variables, base, unbiased, .. } if named(variables) => match unbiased {
            true => format!("values were rounded up or down at random to multiples of {}", base.0),
            false => format!("values were rounded to multiples of {}", base.0),
        },
        Step::SuppressCells { keys, .. } if named(keys) || (keys.is_empty() && is_key) => {
            "rare values were left out of some records".to_owned()
        }
        Step::RecodeLocally { .. } if is_key => "some records have broader groups than others".to_owned(),
        Step::Swap { geography, .. } if named(geography) => {
            "some records were exchanged with similar records of other places".to_owned()
        }
        Step::Microaggregate { variables, publish, .. } if named(variables) => match publish {
            Centre::Mean => "values were replaced by the mean of similar records".to_owned(),
            Centre::Median => "values were replaced by the median of similar records".to_owned(),
        },
        Step::Pram { variables, .. } if named(variables) => "some values were changed at random".to_owned(),
        Step::Noise { variables, .. } if named(variables) => "small random amounts were added".to_owned(),
        Step::RankSwap { variables, .. } if named(variables) => {
            "values were exchanged with similar values of other records".to_owned()
        }
        _ => return None,
    };
    Some(words)
}

/// What a step did to the set of records and variables, if anything.
pub(crate) fn coverage(step: &Step) -> Option<&'static str> {
    Some(match step {
        Step::Drop { .. } => "Variables that name people, or that are not needed, were left out.",
        Step::Keep { .. } => "The file has only some of the original records.",
        Step::Sample { .. } => "The file is a random sample of the original records.",
        Step::Shuffle {} => "The records are in a random order.",
        Step::SuppressRecords { .. } => "Records with rare combinations of characteristics were left out.",
        Step::RemoveRare { .. } => "Records in rare categories were left out.",
        Step::RemoveUniques { .. } => "Records with rare combinations of characteristics were left out.",
        _ => return None,
    })
}

/// A hierarchy that is a rule rather than a list, at a level, in words. `None` for lists.
pub(crate) fn rule(hierarchy: &HierarchySpec, level: usize) -> Option<String> {
    let at = level.checked_sub(1)?;
    let ends = |bottom: Option<String>, top: Option<String>| {
        let bottom = bottom.map(|bottom| format!("; everything below {bottom} is one band")).unwrap_or_default();
        bottom + &top.map(|top| format!("; everything from {top} up is one band")).unwrap_or_default()
    };
    Some(match hierarchy {
        HierarchySpec::File { .. } | HierarchySpec::Tree { .. } => return None,
        HierarchySpec::Bands { bands, bottom, top } => {
            let edges = match bands {
                Edges::One(edges) if at == 0 => edges,
                Edges::One(_) => return Some(everything()),
                Edges::Several(levels) => match levels.get(at) {
                    Some(edges) => edges,
                    None => return Some(everything()),
                },
            };
            let edges: Vec<String> = edges.iter().map(|edge| edge.0.to_string()).collect();
            let ends = ends(bottom.map(|b| b.0.to_string()), top.map(|t| t.0.to_string()));
            format!("bands that begin at {}{ends}", edges.join(", "))
        }
        HierarchySpec::Width { width, bottom, top } => match at {
            0 => format!("bands {width} wide{}", ends(bottom.map(|b| b.to_string()), top.map(|t| t.to_string()))),
            _ => everything(),
        },
        HierarchySpec::Widths { widths, bottom, top } => match widths.get(at) {
            Some(width) => {
                format!("bands {width} wide{}", ends(bottom.map(|b| b.to_string()), top.map(|t| t.to_string())))
            }
            None => everything(),
        },
        HierarchySpec::Prefix { prefix } => match prefix.get(at) {
            Some(1) => "the first character of the code".to_owned(),
            Some(kept) => format!("the first {kept} characters of the code"),
            None => everything(),
        },
        HierarchySpec::Date { date } => match date.get(at) {
            Some(DatePart::Month) => "the year and month of the date".to_owned(),
            Some(DatePart::Quarter) => "the year and quarter of the date".to_owned(),
            Some(DatePart::Year) => "the year of the date".to_owned(),
            Some(DatePart::Decade) => "the decade of the date".to_owned(),
            None => everything(),
        },
    })
}

fn everything() -> String {
    "every value is published as *".to_owned()
}

/// The level of the last recode of a variable, and whether some records may be coarser.
pub(crate) fn published_level(steps: &[&Step], variable: &str, is_key: bool) -> (usize, bool) {
    let level = steps.iter().rev().find_map(|step| match step {
        Step::Recode { variable: name, level } if name == variable => Some(*level),
        _ => None,
    });
    let locally = is_key && steps.iter().any(|step| matches!(step, Step::RecodeLocally { .. }));
    (level.unwrap_or(0), locally)
}
