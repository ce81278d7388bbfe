//! Titles and headings are published with the figures. None of them may contain an identifier.

use outward_profile::scan::scan_text;
use outward_spec::{Error, Result};
use outward_tables::Published;

/// Refuses a title, a label of a variable or a heading of a category that contains something that identifies a person.
pub(super) fn refuse_identifiers(title: &str, tables: &[Published]) -> Result<()> {
    let what = |place: &str, text: &str| {
        let kind = scan_text(text).next()?;
        Some(Error::input(format!("{place} holds {kind}, and it is published")))
    };
    if let Some(fault) = what("the title of the release", title) {
        return Err(fault.help("change `title` in the spec").into());
    }
    for table in tables.iter().map(|published| &published.table) {
        let named = [&table.name, &table.title].into_iter().find_map(|text| what("the title of a table", text));
        if let Some(fault) = named {
            return Err(fault.help("change `title` or `name` of the table in the spec").into());
        }
        for dimension in &table.dimensions {
            if let Some(fault) = what("the label of this variable", &dimension.label) {
                return Err(fault.variable(&dimension.variable).help("change `label` in the spec").into());
            }
            // Digits alone may pass a check digit by chance. What a category of digits means depends on its variable.
            let digits = |label: &str| label.bytes().all(|byte| byte.is_ascii_digit());
            let labels = dimension.nodes.iter().map(|node| node.label.as_str()).filter(|label| !digits(label));
            if let Some(fault) = labels.into_iter().find_map(|label| what("a heading of this variable", label)) {
                let help = "give the category another heading in a hierarchy, or take the variable out of the table";
                return Err(fault.variable(&dimension.variable).help(help).into());
            }
        }
    }
    Ok(())
}
