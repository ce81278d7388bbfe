//! Column names as a file gives them: each must be there, and be one of a kind.

use std::collections::HashMap;
use std::path::Path;

use outward_spec::{Error, Result};

/// Fails on an empty name and on a name that occurs twice.
pub(super) fn check_names<'a>(names: impl IntoIterator<Item = &'a str>, path: &Path) -> Result<()> {
    let mut seen = HashMap::new();
    for (index, name) in names.into_iter().enumerate() {
        let number = index + 1;
        if name.trim().is_empty() {
            return Err(Error::input(format!("column {number} has no name"))
                .file(path)
                .help("give every column a name in the first row")
                .into());
        }
        if let Some(first) = seen.insert(name, number) {
            return Err(Error::input(format!("two columns are called `{name}`: columns {first} and {number}"))
                .file(path)
                .help("rename one of them in the first row")
                .into());
        }
    }
    Ok(())
}
