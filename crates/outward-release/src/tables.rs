//! Bundles of tables: the tables in all formats, the statement, and the certificate of what an attacker can work out.

mod earlier;
mod gather;
mod headings;
mod identifying;
mod ones;

use std::path::Path;

use outward_report::{Report, render_html};
use outward_spec::{Error, Protection, Result, Rules, Spec};
use outward_tables::protect::Protected;
use outward_tables::words::statement;
use outward_tables::write::{Publication, write_csv, write_earlier, write_excel, write_html, write_json};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::bundle::{Existing, PUBLIC, REPORT, Staging};
use crate::inputs::{InputRecord, refuse_changed};
use crate::manifest::{FORMAT, FileRecord};
use crate::verify::verify_tables;

pub use gather::make_tables;
pub(crate) use identifying::identifying;

/// The `kind` in the manifest of a bundle of tables.
pub(crate) const KIND: &str = "tables";
/// What an attacker can work out, for the custodian.
pub(crate) const CERTIFICATE: &str = "certificate.json";
/// The tables of earlier releases, for the custodian.
pub(crate) const EARLIER: &str = "earlier.json";
/// The tables for machines.
pub(crate) const JSON: &str = "public/tables.json";
pub(crate) const EXCEL: &str = "public/tables.xlsx";
pub(crate) const HTML: &str = "public/tables.html";
pub(crate) const STATEMENT: &str = "public/statement.md";

const NOTE: &str = "Only the folder `public` may be published. This manifest, the spec, the report and the certificate are for \
                    the custodian: the certificate says which hidden cells are unsafe, and what contributors have in them.";

/// The manifest of a bundle of tables.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TableManifest {
    /// The form of this manifest.
    pub format: u32,
    /// The kind of the bundle: `tables`.
    pub kind: String,
    /// The tool and its version.
    pub tool: String,
    /// Which files may be published and which may not.
    pub note: String,
    /// The title of the release.
    pub title: String,
    /// The files the tables were made from, the spec first.
    pub inputs: Vec<InputRecord>,
    /// The rules that the tables must meet.
    pub rules: Rules,
    /// How they are protected.
    pub protection: Protection,
    /// The tables.
    pub tables: Vec<TableRecord>,
    /// Whether a register was searched for related public releases while the data were available.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub asked_register: bool,
    /// Every file of the bundle except the manifest, in the order of the paths.
    pub files: Vec<FileRecord>,
}

/// One table of a bundle.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TableRecord {
    /// Its name.
    pub name: String,
    /// Its file, within the bundle.
    pub file: String,
    /// Its risk category.
    pub category: String,
    /// Cells.
    pub published_cells: usize,
    /// Unsafe cells.
    pub primary: usize,
    /// Secondary suppressions.
    pub secondary: usize,
    /// Unsafe cells that can be worked out.
    pub recoverable: usize,
    /// What was done and how well it protects.
    pub notes: Vec<String>,
}

/// The input of [`write_tables`].
#[derive(Debug)]
pub struct TableRelease<'a> {
    /// The spec, as it was carried out.
    pub spec: &'a Spec,
    /// The protection, as the bundle names it: releases of a register by their numbers.
    pub protection: &'a Protection,
    /// The file of the spec.
    pub file: &'a Path,
    /// Its text.
    pub text: &'a str,
    /// The rules that the tables must meet.
    pub rules: &'a Rules,
    /// The tables.
    pub protected: &'a Protected,
    /// The report for the custodian.
    pub report: &'a Report,
    /// The files of the spec, as they were before they were read.
    pub inputs: &'a [InputRecord],
    /// Whether a register was searched for related public releases.
    pub asked_register: bool,
}

/// Writes a bundle of tables. Tables that can still be undone are not written. The bundle is verified before it gets its name.
///
/// # Errors
/// If the tables do not hold, or a file changed while it was read. If a check of the bundle fails or cannot be decided.
/// If the target exists already or cannot be written.
pub fn write_tables(target: &Path, existing: Existing, release: &TableRelease<'_>) -> Result<TableManifest> {
    let TableRelease { spec, protection, file, text, rules, protected, report, inputs, asked_register } = release;
    if !protected.holds() {
        return Err(Error::bug("tables that can be undone were to be written"));
    }
    let title = spec.title.clone().unwrap_or_else(|| "Untitled tables".to_owned());
    refuse_itself(target, spec)?;
    headings::refuse_identifiers(&title, &protected.published)?;
    let publication =
        Publication { title: &title, policy: &rules.policy, tables: &protected.published, ..Publication::default() };
    refuse_changed(inputs, spec, file, text)?;
    let staging = Staging::begin(target, existing)?;
    staging.add_spec(spec, text, &[])?;
    let files = csv_names(protected.published.iter().map(|published| published.table.name.as_str()));
    for (published, file) in protected.published.iter().zip(&files) {
        staging.put(file, write_csv(published)?.as_bytes())?;
    }
    staging.put(JSON, write_json(&publication)?.as_bytes())?;
    staging.put(EXCEL, &write_excel(&publication)?)?;
    staging.put(HTML, write_html(&publication)?.as_bytes())?;
    staging.put(STATEMENT, statement(&publication).as_bytes())?;
    let certificate = serde_json::to_string_pretty(&protected.certificates).map_err(Error::bug)?;
    staging.put(CERTIFICATE, format!("{certificate}\n").as_bytes())?;
    if !protected.earlier.is_empty() {
        staging.put(EARLIER, write_earlier(&protected.earlier)?.as_bytes())?;
    }
    staging.put(REPORT, render_html(report).as_bytes())?;
    let record =
        |((published, outcome), file): ((&outward_tables::Published, &outward_tables::protect::Outcome), String)| {
            TableRecord {
                name: published.table.name.clone(),
                file,
                category: published.category.clone(),
                published_cells: outcome.published_cells,
                primary: outcome.primary,
                secondary: outcome.secondary,
                recoverable: outcome.recoverable,
                notes: outcome.notes.clone(),
            }
        };
    let manifest = TableManifest {
        format: FORMAT,
        kind: KIND.to_owned(),
        tool: concat!("outward ", env!("CARGO_PKG_VERSION")).to_owned(),
        note: NOTE.to_owned(),
        inputs: inputs.to_vec(),
        rules: (*rules).clone(),
        protection: (*protection).clone(),
        tables: protected.published.iter().zip(&protected.outcomes).zip(files).map(record).collect(),
        asked_register: *asked_register,
        files: staging.records()?,
        title,
    };
    staging.seal(&manifest)?;
    let verification = verify_tables(staging.root())?;
    staging.move_in_settled(&verification)?;
    Ok(manifest)
}

/// Refuses to replace a bundle that is an earlier release of the new one.
fn refuse_itself(target: &Path, spec: &Spec) -> Result<()> {
    let whole = |path: &Path| path.canonicalize().ok();
    let Some(own) = whole(target) else { return Ok(()) };
    match spec.protection.earlier.iter().any(|earlier| whole(&spec.resolve(earlier)).as_ref() == Some(&own)) {
        false => Ok(()),
        true => Err(Error::input("the bundle to write is an earlier release that these tables take into account")
            .file(target)
            .help("name another folder with --out, or leave this one out of `earlier`")
            .into()),
    }
}

/// The tables as the manifest says they are published.
pub(crate) fn publication<'a>(manifest: &'a TableManifest, tables: &'a [outward_tables::Published]) -> Publication<'a> {
    Publication { title: &manifest.title, policy: &manifest.rules.policy, tables, ..Publication::default() }
}

/// A file name for each table, made from the table's name.
pub(crate) fn csv_names<'a>(names: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut taken: Vec<String> = Vec::new();
    for name in names {
        let plain: String =
            name.chars().map(|c| if c.is_ascii_alphanumeric() || c == '-' || c == '_' { c } else { '-' }).collect();
        let plain = if plain.is_empty() { "table".to_owned() } else { plain };
        let lower = |file: &String| file.to_ascii_lowercase();
        let candidates =
            std::iter::once(format!("{PUBLIC}/{plain}.csv")).chain((2..).map(|n| format!("{PUBLIC}/{plain}-{n}.csv")));
        let free = candidates.into_iter().find(|file| taken.iter().all(|known| lower(known) != lower(file)));
        taken.extend(free);
    }
    taken
}
