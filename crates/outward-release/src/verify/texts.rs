//! Checks the texts that are published with the records: they agree with the manifest, and contain nothing that
//! identifies a person.

use outward_profile::Kind;
use outward_profile::scan::scan_text;

use super::release::Release;
use super::{Check, Place, mappings};
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
    let manifest = release.manifest;
    let texts = manifest.columns.iter().flat_map(|column| {
        let texts =
            [("heading", Some(&column.name)), ("label", Some(&column.label)), ("reason", column.allow.as_ref())];
        texts.into_iter().filter_map(move |(field, text)| Some((field, text?, Some(&column.name))))
    });
    for (field, text, column) in [("title", &manifest.title, None)].into_iter().chain(texts) {
        if let Some(kind) = scan_text(text).next() {
            says.push(format!("a {field} holds {kind}"));
            // A heading that contains an identifier is not repeated.
            let column = column.filter(|_| field != "heading").cloned();
            places.push(Place {
                column,
                ..Place::file(if field == "title" { statement::FILE } else { dictionary::FILE })
            });
        }
    }
    for file in release.manifest.files.iter().filter(|file| file.path.starts_with(MAPPINGS)) {
        let text = read_ordinary(&release.bundle.join(&file.path)).unwrap_or_default();
        for (row, values) in (0u64..).zip(mappings::rows(&text)) {
            // A mapping of places names its population table by a hash.
            let identifies = |value: &String| scan_text(value).find(|kind| *kind != Kind::MachineKey);
            if let Some(kind) = values.iter().find_map(identifies) {
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
