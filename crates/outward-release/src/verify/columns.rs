//! No column as a whole is of a kind that the policy forbids, such as names or dates of birth, whatever the spec calls it.
//!
//! Single values are looked at by `identifiers`; what a column is can only be told from many of them.

use outward_engine::{Data, Embedded, Engine};
use outward_profile::{ColumnProfile, Confidence, Kind};
use outward_spec::{Result, Source};

use super::release::Release;
use super::{Check, Options, Place};

pub(super) async fn check(release: &Release<'_>, options: &Options) -> Result<Check> {
    let source = Source::file(release.bundle.join(&release.manifest.data));
    let data = Data { source, columns: Vec::new() };
    let profile = Embedded::new(options.threads.max(1)).profile(&data).await?;
    let forbidden = &release.manifest.rules.forbid;
    let (mut certain, mut likely) = (Vec::new(), Vec::new());
    // That a column numbers the records is no content.
    let told = |column: &&ColumnProfile| {
        forbidden.contains(&column.suggestion.role)
            && column.found.iter().any(|found| !matches!(found.kind, Kind::NearUnique | Kind::RunningNumber))
    };
    for column in profile.columns.iter().filter(told) {
        let said = format!("`{}` looks like the role `{}`", column.name, column.suggestion.role);
        match column.suggestion.confidence {
            Confidence::Certain => certain.push((said, column.name.clone())),
            Confidence::Likely => likely.push(said),
            Confidence::Possible => {}
        }
    }
    let file = || release.manifest.data.clone();
    if !certain.is_empty() {
        let says: Vec<&str> = certain.iter().map(|(said, _)| said.as_str()).collect();
        let says = format!("{}, which the policy forbids", says.join("; "));
        let places = certain.iter().map(|(_, name)| Place { file: file(), row: None, column: Some(name.clone()) });
        return Ok(Check::fails("columns", says).at(places));
    }
    Ok(match likely.is_empty() {
        true => Check::holds("columns", "no column is of a kind that the policy forbids"),
        false => Check::holds(
            "columns",
            format!("no column is certainly of a kind that the policy forbids; {}: have a look", likely.join("; ")),
        ),
    })
}
