//! No column as a whole is of a kind that the policy forbids, such as names or dates of birth. The role that the spec
//! gives it does not matter.
//!
//! `identifiers` checks single values. The kind of a column follows only from many values.

use outward_profile::{Confidence, Profile};

use super::release::Release;
use super::{Check, Place};
use crate::manifest::ColumnRecord;

pub(super) fn check(release: &Release<'_>, profile: &Profile) -> Check {
    let forbidden = &release.manifest.rules.forbid;
    let (mut certain, mut likely) = (Vec::new(), Vec::new());
    for column in &profile.columns {
        let excused = release.manifest.column(&column.name).is_some_and(ColumnRecord::is_excused);
        let suggested = column.suggestion.role;
        if let Some((role, because)) = column.forbidden_role(forbidden, excused) {
            let said = format!("`{}` looks like the role `{role}` ({})", column.name, because.trim_end_matches('.'));
            certain.push((said, column.name.clone()));
        } else if forbidden.contains(&suggested) && column.suggestion.confidence == Confidence::Likely && !excused {
            likely.push(format!("`{}` looks like the role `{suggested}`", column.name));
        }
    }
    let file = || release.manifest.data.clone();
    if !certain.is_empty() {
        let says: Vec<&str> = certain.iter().map(|(said, _)| said.as_str()).collect();
        let says = format!("{}, which the policy forbids", says.join("; "));
        let places = certain.iter().map(|(_, name)| Place { file: file(), row: None, column: Some(name.clone()) });
        return Check::fails("columns", says).at(places);
    }
    let mut says = match likely.is_empty() {
        true => "no column is of a kind that the policy forbids".to_owned(),
        false => {
            format!("no column is certainly of a kind that the policy forbids; look at these: {}", likely.join("; "))
        }
    };
    for (name, reason) in release.columns().filter_map(|(column, _)| Some((&column.name, column.allow.as_ref()?))) {
        says += &format!("; the spec allows `{name}`: {reason}");
    }
    Check::holds("columns", says)
}
