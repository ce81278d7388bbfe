//! Titles, headings and labels are published with the records. None of them may contain an identifier.

use outward_profile::scan::scan_text;
use outward_spec::{Error, Result};

use crate::manifest::Manifest;

/// Refuses a title, heading, label or reason that contains something that identifies a person.
pub(super) fn refuse_identifiers(manifest: &Manifest) -> Result<()> {
    if let Some(kind) = scan_text(&manifest.title).next() {
        let what = format!("the title of the release holds {kind}, and it is published");
        return Err(Error::input(what).help("change `title` in the spec").into());
    }
    for column in &manifest.columns {
        let texts =
            [("heading", Some(&column.name)), ("label", Some(&column.label)), ("reason", column.allow.as_ref())];
        for (field, text) in texts {
            let Some(kind) = text.and_then(|text| scan_text(text).next()) else { continue };
            let what = format!("the {field} of this variable holds {kind}, and it is published");
            let fault = match field {
                "heading" => Error::input(what).help("give the column another heading, or drop it"),
                "label" => Error::input(what).variable(&column.name).help("change `label` in the spec"),
                _ => Error::input(what).variable(&column.name).help("change `allow` in the spec"),
            };
            return Err(fault.into());
        }
    }
    Ok(())
}
