//! Finds where the text of a spec names what an error is about, so that the error can be shown at its line.

use std::path::Path;

use super::{Spec, Step};
use crate::document::{Document, PathStep, read_text};
use outward_error::{Error, Fault, FaultPlace};

/// The way to a value of a spec.
type Way = Vec<PathStep<'static>>;

impl Spec {
    /// An error with its place in the spec. It is about a field of a table, about a column that the data do not have,
    /// or about a condition.
    #[must_use]
    pub fn placed(&self, file: &Path, error: Error) -> Error {
        error.with_fault(|fault| {
            if names_nothing(&fault.place) {
                return fault;
            }
            let Ok(text) = read_text(file) else { return fault };
            let Ok(document) = Document::parse(&text, file) else { return fault };
            // As it is written: a loaded spec lists the columns of `plain` among the variables.
            let Ok(written) = document.read::<Self>() else { return fault };
            match written.way_to(&fault.place) {
                Some(way) => document.place_at(&way, named_with_file(fault, file)),
                None => fault,
            }
        })
    }

    fn way_to(&self, place: &FaultPlace) -> Option<Way> {
        if let Some(way) = place.missing_column.as_ref().and_then(|column| self.names_column(column)) {
            return Some(way);
        }
        if place.file.is_some() {
            return None;
        }
        if let (Some(table), Some(field)) = (&place.table, place.field) {
            let at = self.tables.iter().position(|known| known.name == *table)?;
            return Some(vec!["tables".into(), at.into(), field.into()]);
        }
        self.names_condition(|condition| place.condition.as_deref() == Some(condition))
    }

    /// Where the text of a spec names a column of the data: in `plain`, as a variable, in a scenario, or in a
    /// condition.
    fn names_column(&self, column: &str) -> Option<Way> {
        let in_list = |list: &[String]| list.iter().position(|name| name == column);
        if let Some(at) = in_list(&self.plain) {
            return Some(vec!["plain".into(), at.into()]);
        }
        let variable = self.variables.iter().enumerate().find_map(|(at, variable)| {
            let field = match in_list(&variable.columns) {
                Some(place) => vec!["columns".into(), place.into()],
                None if variable.name == column && variable.columns.is_empty() => vec!["name".into()],
                None => return None,
            };
            Some([vec!["variables".into(), at.into()], field].concat())
        });
        let truth = || {
            let at = self.scenarios.iter().position(|scenario| scenario.truth.as_deref() == Some(column))?;
            Some(vec!["scenarios".into(), at.into(), "truth".into()])
        };
        variable.or_else(truth).or_else(|| self.names_condition(|condition| has_word(condition, column)))
    }

    /// The first condition of a scenario or a step that is wanted.
    fn names_condition(&self, is_wanted: impl Fn(&str) -> bool) -> Option<Way> {
        let scenarios = self.scenarios.iter().map(|scenario| scenario.condition.as_deref());
        let steps = self.steps.iter().map(|step| match step {
            Step::Keep { condition } => Some(condition.as_str()),
            _ => None,
        });
        let scenarios = scenarios.enumerate().map(|(at, condition)| ("scenarios", at, condition));
        let steps = steps.enumerate().map(|(at, condition)| ("steps", at, condition));
        scenarios
            .chain(steps)
            .find(|(.., condition)| condition.is_some_and(&is_wanted))
            .map(|(section, at, _)| vec![section.into(), at.into(), "where".into()])
    }
}

/// Whether a fault is about nothing that a spec names.
fn names_nothing(place: &FaultPlace) -> bool {
    let field = place.table.is_some() && place.field.is_some() && place.file.is_none();
    !field && place.missing_column.is_none() && place.condition.is_none()
}

/// Whether a word stands in a condition: with nothing beside it that a name can have.
fn has_word(condition: &str, word: &str) -> bool {
    let is_of_name = |c: char| c.is_alphanumeric() || c == '_';
    condition.match_indices(word).any(|(at, _)| {
        let before = condition[..at].chars().next_back();
        let after = condition[at + word.len()..].chars().next();
        !before.is_some_and(is_of_name) && !after.is_some_and(is_of_name)
    })
}

/// A fault that will be shown at a line of the spec. Its sentence names the data file in which it was found.
fn named_with_file(mut fault: Fault, spec: &Path) -> Fault {
    if let Some(data) = fault.place.file.take().filter(|data| data != spec) {
        fault.what = format!("{} in {}", fault.what, data.display());
    }
    fault
}
