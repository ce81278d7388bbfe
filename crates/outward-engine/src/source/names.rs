//! Column names as a file gives them: not too many, none empty, and no two the same.

use std::collections::HashMap;
use std::path::Path;

use outward_spec::{Error, Result};

/// A file with more columns than this is refused before anything is made for each of them. Stata holds as many at most unless it
/// is told otherwise, and Excel half of them.
pub(super) const MAX_COLUMNS: usize = 32_767;

/// Fails on too many columns.
pub(super) fn check_width(columns: usize, path: &Path) -> Result<()> {
    if columns <= MAX_COLUMNS {
        return Ok(());
    }
    let help = "leave out columns that are not needed, or turn repeated ones into rows; if there are fewer, check the delimiter";
    let what = format!("there are {columns} columns, and at most {MAX_COLUMNS} can be read");
    Err(Error::input(what).file(path).help(help).into())
}

/// Fails on too many columns, on an empty name and on a name that occurs twice.
pub(super) fn check_names<'a>(names: impl ExactSizeIterator<Item = &'a str>, path: &Path) -> Result<()> {
    check_width(names.len(), path)?;
    let mut seen = HashMap::new();
    for (index, name) in names.enumerate() {
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
