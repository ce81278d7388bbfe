//! A bundle of tables: its files, that its forms agree, that no unsafe count is shown, that figures are what was promised, and the
//! audit once more from what is published.
//!
//! The system of cells is put together here from the published file, by other code than the tables were protected with, and
//! hidden cells are as unknown as they are to an attacker.

mod attack;
mod attacked;
mod combinations;
mod conditions;
mod contributors;
mod differences;
mod figures;
mod fit;
mod headings;
mod implied;
mod lines;
mod links;
mod measures;
mod model;
mod pattern;
mod places;
mod possible;
mod presolve;
mod ranges;
mod repair;
mod tighten;
mod unsafe_counts;

use std::collections::BTreeMap;
use std::path::Path;

use outward_spec::{Result, Spec};
use outward_tables::Published;
use outward_tables::protect::FamilyCertificate;
use outward_tables::read::{read_csv, read_earlier, read_json};
use outward_tables::words::statement;
use outward_tables::write::{write_csv, write_excel, write_html, write_json};

use super::files::hash_of;
use super::{Check, Place, Verification};
use crate::bundle::{
    Found, HIERARCHIES, POLICY, PUBLIC, REPORT, SPEC, folders, is_within, read_manifest, read_ordinary, walk,
};
use crate::hash;
use crate::inputs::InputKind;
use crate::tables::{CERTIFICATE, EARLIER, EXCEL, HTML, JSON, STATEMENT, TableManifest, publication};
use attack::Described;

/// Checks a bundle of tables.
pub(crate) fn verify(bundle: &Path) -> Result<Verification> {
    let manifest: TableManifest = read_manifest(bundle)?;
    let mut checks = vec![files(bundle, &manifest)?, spec(bundle, &manifest)];
    let spec = Spec::parse(&read_ordinary(&bundle.join(SPEC)).unwrap_or_default(), SPEC).ok();
    let text = read_ordinary(&bundle.join(JSON)).unwrap_or_default();
    let tables = match read_json(&text) {
        Ok(tables) => tables,
        Err(_) => {
            checks.push(Check::fails("tables", "the published tables cannot be read").at([Place::file(JSON)]));
            return Ok(checks.into());
        }
    };
    if let Some(check) = ranges::check(&tables).or_else(|| conditions::check(&tables, spec.as_ref())) {
        checks.push(check);
        return Ok(checks.into());
    }
    checks.push(listed(&manifest, &tables));
    checks.push(forms(bundle, &manifest, &tables));
    checks.push(headings::check(&manifest, &tables)?);
    checks.push(unsafe_counts::check(&manifest, &tables));
    checks.push(figures::check(&manifest, &tables));
    let certificates = read_ordinary(&bundle.join(CERTIFICATE)).unwrap_or_default();
    let earlier = match manifest.protection.earlier.is_empty() {
        true => Ok(Vec::new()),
        false => read_earlier(&read_ordinary(&bundle.join(EARLIER)).unwrap_or_default()),
    };
    checks.push(measures::check(&tables, earlier.as_deref().unwrap_or_default()));
    checks.push(match (serde_json::from_str::<Vec<FamilyCertificate>>(&certificates), earlier) {
        (Ok(certificates), Ok(earlier)) => {
            let described = Described { manifest: &manifest, spec: spec.as_ref() };
            attack::check(described, &tables, &earlier, &certificates)?
        }
        (Err(_), _) => Check::fails("audit", "the certificate cannot be read").at([Place::file(CERTIFICATE)]),
        (_, Err(_)) => Check::fails("audit", "the earlier tables cannot be read").at([Place::file(EARLIER)]),
    });
    Ok(checks.into())
}

/// Every file is the one the manifest names, and there is no other.
fn files(bundle: &Path, manifest: &TableManifest) -> Result<Check> {
    let found = walk(bundle)?;
    let mut wrong: Vec<(String, &str)> = Vec::new();
    let mut listed = BTreeMap::new();
    for file in &manifest.files {
        let known = found.contains(&Found::File(file.path.clone()));
        if listed.insert(file.path.as_str(), file).is_some() {
            wrong.push((file.path.clone(), "is listed twice"));
        } else if !is_within(&file.path) {
            wrong.push((file.path.clone(), "leads out of the bundle"));
        } else if !known {
            wrong.push((file.path.clone(), "is missing, or is no ordinary file"));
        } else if hash::of_file(&bundle.join(&file.path))? != (file.bytes, file.sha256.clone()) {
            wrong.push((file.path.clone(), "was changed"));
        }
    }
    for other in &found {
        match other {
            Found::Other(path) => wrong.push((path.clone(), "is a link or no ordinary file")),
            Found::File(path) if !listed.contains_key(path.as_str()) => {
                wrong.push((path.clone(), "is not in the manifest"))
            }
            Found::File(path) if !belongs(path, manifest) => {
                wrong.push((path.clone(), "does not belong in the bundle"))
            }
            Found::File(_) => {}
        }
    }
    let strange = folders(bundle)?.into_iter().filter(|path| !matches!(path.as_str(), PUBLIC | HIERARCHIES));
    wrong.extend(strange.map(|path| (path, "is a folder that no bundle of tables has")));
    Ok(match wrong.first() {
        None => Check::holds("files", format!("all {} files are as they were written", found.len())),
        Some((path, what)) => {
            let more = if wrong.len() > 1 { format!(", and {} more", wrong.len() - 1) } else { String::new() };
            Check::fails("files", format!("{path} {what}{more}")).at(wrong.iter().map(|(path, _)| Place::file(path)))
        }
    })
}

fn belongs(path: &str, manifest: &TableManifest) -> bool {
    [SPEC, POLICY, REPORT, CERTIFICATE, JSON, EXCEL, HTML, STATEMENT].contains(&path)
        || path.starts_with(&format!("{HIERARCHIES}/"))
        || manifest.tables.iter().any(|table| table.file == path)
        || path == EARLIER && !manifest.protection.earlier.is_empty()
}

/// The spec in the bundle is the one the manifest names, and asks for the protection it says.
fn spec(bundle: &Path, manifest: &TableManifest) -> Check {
    let text = read_ordinary(&bundle.join(SPEC)).unwrap_or_default();
    let hash = hash::of_bytes(text.as_bytes());
    let said =
        manifest.inputs.iter().find(|input| input.kind == InputKind::Spec).and_then(|input| input.sha256.clone());
    let Ok(spec) = Spec::parse(&text, SPEC) else {
        return Check::fails("spec", "the spec cannot be read").at([Place::file(SPEC)]);
    };
    let known = |name: &String| spec.tables.iter().any(|table| table.name == *name);
    if said != Some(hash) {
        Check::fails("spec", "the spec is not the one the tables were made by").at([Place::file(SPEC)])
    } else if !manifest.tables.iter().all(|table| known(&table.name)) {
        Check::fails("spec", "a table of the bundle is not in its spec").at([Place::file(SPEC)])
    } else if spec.protection != manifest.protection {
        Check::fails("spec", "the protection in the manifest is not that of the spec").at([Place::file(SPEC)])
    } else if !same_rules(bundle, &spec, manifest) {
        Check::fails("spec", "the rules in the manifest are not those of the spec").at([Place::file(SPEC)])
    } else {
        Check::holds("spec", "the spec is the one the tables were made by")
    }
}

fn same_rules(bundle: &Path, spec: &Spec, manifest: &TableManifest) -> bool {
    let mut choice = spec.policy.clone();
    choice.file = choice.file.map(|_| POLICY.into());
    choice.rules(bundle).is_ok_and(|rules| rules == manifest.rules)
}

/// The tables are those of the manifest.
fn listed(manifest: &TableManifest, tables: &[Published]) -> Check {
    let same = manifest.tables.len() == tables.len()
        && manifest.tables.iter().zip(tables).all(|(record, published)| {
            record.name == published.table.name
                && record.published_cells == published.figures.len()
                && record.category == published.category
        });
    match same {
        true => {
            let are = if tables.len() == 1 { "table is" } else { "tables are" };
            Check::holds("tables", format!("{} {are} published, as the manifest says", tables.len()))
        }
        false => Check::fails("tables", "the published tables are not those of the manifest").at([Place::file(JSON)]),
    }
}

/// All forms of a table say the same.
fn forms(bundle: &Path, manifest: &TableManifest, tables: &[Published]) -> Check {
    let mut wrong = Vec::new();
    for (record, published) in manifest.tables.iter().zip(tables) {
        let text = read_ordinary(&bundle.join(&record.file)).unwrap_or_default();
        let same = read_csv(&text, published).is_ok_and(|figures| figures == published.figures)
            && write_csv(published).is_ok_and(|again| again == text);
        if !same {
            wrong.push(Place::file(&record.file));
        }
    }
    let publication = publication(manifest, tables);
    let text = |path: &str| read_ordinary(&bundle.join(path)).unwrap_or_default();
    let same = [
        (JSON, write_json(&publication).is_ok_and(|again| again == text(JSON))),
        (HTML, write_html(&publication).is_ok_and(|again| again == text(HTML))),
        (STATEMENT, statement(&publication) == text(STATEMENT)),
        (EXCEL, write_excel(&publication).is_ok_and(|again| Some(hash::of_bytes(&again)) == hash_of(bundle, EXCEL))),
    ];
    wrong.extend(same.into_iter().filter(|(_, same)| !same).map(|(path, _)| Place::file(path)));
    match wrong.is_empty() {
        true => Check::holds("forms", "every file says what the file of all tables says, and no more"),
        false => Check::fails("forms", "a file does not say what the file of all tables says").at(wrong),
    }
}
