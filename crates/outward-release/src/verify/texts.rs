//! The texts that go out beside the records: as the manifest makes them, and without what identifies a person.

use outward_profile::recognise::scan_text;

use super::release::Release;
use super::{Check, Place};
use crate::bundle::{MAPPINGS, read_ordinary};
use crate::{dictionary, statement};

pub(super) fn check(release: &Release<'_>) -> Check {
    let (mut says, mut places) = (Vec::new(), Vec::new());
    let made = [
        (dictionary::FILE, dictionary::dictionary(release.manifest)),
        (statement::FILE, statement::statement(release.manifest)),
    ];
    for (path, text) in made {
        if read_ordinary(&release.bundle.join(path)).ok().as_ref() != Some(&text) {
            says.push(format!("{path} is not what the manifest makes of it"));
            places.push(Place::file(path));
        }
    }
    let mappings = release.manifest.files.iter().filter(|file| file.path.starts_with(MAPPINGS));
    for file in mappings {
        let text = read_ordinary(&release.bundle.join(&file.path)).unwrap_or_default();
        for (row, line) in (0u64..).zip(text.lines()) {
            if let Some(kind) = line.split(',').find_map(|value| scan_text(value.trim_matches('"')).next()) {
                says.push(format!("{} holds {kind}", file.path));
                places.push(Place { file: file.path.clone(), row: Some(row), column: None });
                break;
            }
        }
    }
    match says.is_empty() {
        true => Check::holds("texts", "dictionary, statement and mappings are as they were made, without identifiers"),
        false => Check::fails("texts", says.join("; ")).at(places),
    }
}
