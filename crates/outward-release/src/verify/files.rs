//! Checks that every file is the one that the manifest names, and that there are no others.

use std::collections::BTreeMap;
use std::path::Path;

use outward_spec::Result;

use super::{Check, Place};
use crate::bundle::{Found, HIERARCHIES, MAPPINGS, PUBLIC, data_file, folders, is_within, path_of, walk};
use crate::evidence::{EVIDENCE, is_evidence};
use crate::manifest::Manifest;
use crate::{dictionary, hash, statement};

pub(super) fn check(bundle: &Path, manifest: &Manifest) -> Result<Check> {
    let found = walk(bundle)?;
    let mut listed = BTreeMap::new();
    let (mut wrong, mut places) = (Vec::new(), Vec::new());
    let mut note = |what: &str, path: &str| {
        wrong.push(format!("{path} {what}"));
        places.push(Place::file(path));
    };
    for file in &manifest.files {
        if listed.insert(file.path.as_str(), file).is_some() {
            note("is listed twice", &file.path);
        }
        if !is_within(&file.path) {
            note("leads out of the bundle", &file.path);
        } else if !found.contains(&Found::File(file.path.clone())) {
            note("is missing, or is no ordinary file", &file.path);
        } else if hash::of_file(&bundle.join(&file.path))? != (file.bytes, file.sha256.clone()) {
            note("was changed", &file.path);
        }
    }
    for other in &found {
        match other {
            Found::Other(path) => note("is a link or no ordinary file", path),
            // Evidence comes after the manifest and has its own check.
            found if is_evidence(found) => {}
            Found::File(path) if !listed.contains_key(path.as_str()) => note("is not in the manifest", path),
            Found::File(_) => {}
        }
    }
    let endings = ["csv", "parquet", "xlsx"];
    if !endings.iter().any(|ending| manifest.data == data_file(ending)) {
        note("is not where a bundle has its records", &manifest.data);
    }
    for path in listed.keys().filter(|path| path.starts_with(PUBLIC)) {
        let known = [dictionary::FILE, statement::FILE, manifest.data.as_str()].contains(path);
        let mapping = path.strip_prefix(MAPPINGS).and_then(|rest| rest.strip_prefix('/'));
        if !known && !mapping.is_some_and(|name| name.ends_with(".csv") && !name.contains('/')) {
            note("does not belong in the folder that is published", path);
        }
    }
    for path in folders(bundle)? {
        if !matches!(path.as_str(), PUBLIC | MAPPINGS | HIERARCHIES | EVIDENCE) {
            note("is a folder that no bundle has", &path);
        }
    }
    if !listed.contains_key(manifest.data.as_str()) {
        note("holds the records and is not in the manifest", &manifest.data);
    }
    Ok(match wrong.first() {
        None => Check::holds("files", format!("all {} files are as they were written", found.len())),
        Some(first) if wrong.len() == 1 => Check::fails("files", first).at(places),
        Some(first) => Check::fails("files", format!("{first}, and {} more", wrong.len() - 1)).at(places),
    })
}

/// The hash of an ordinary file of the bundle; `None` if it is not there.
pub(super) fn hash_of(bundle: &Path, path: &str) -> Option<String> {
    let there = walk(bundle).ok()?.iter().any(|found| matches!(found, Found::File(_)) && path_of(found) == path);
    there.then(|| hash::of_file(&bundle.join(path)).ok()).flatten().map(|(_, sha256)| sha256)
}
