//! Reading the files in TOML that a person writes for a vault.

use std::path::Path;

use outward_error::{Error, Result};
use serde::de::DeserializeOwned;

/// Reads a file in TOML. `kind` is what it should be, as `an application file`.
///
/// # Errors
/// Where it is something else. The error shows the place in the file, but nothing of a file that is no TOML: that may be one of data, named by mistake.
pub fn read_toml<T: DeserializeOwned>(text: &str, file: &Path, kind: &str) -> Result<T> {
    let help = format!("docs/spec.md has the fields of {kind}");
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    if lines.next().is_some_and(|line| !line.contains('=') && !line.starts_with('[')) {
        return Err(Error::input(format!("this is not {kind}")).file(file).help(help).into());
    }
    toml::from_str(text).map_err(|error| {
        let fault = Error::input(error.message().to_owned()).file(file);
        match error.span() {
            Some(span) => fault.span(text, span),
            None => fault,
        }
        .help(help)
        .into()
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_file_of_data_is_not_quoted_and_a_mistake_in_toml_is() {
        let read = |text: &str| {
            let error = read_toml::<toml::Table>(text, Path::new("x.toml"), "an application file").unwrap_err();
            (error.to_string(), error.fault().is_some_and(|fault| fault.place.excerpt.is_some()))
        };
        for data in ["id,name\n1,Planted Name\n", "\n9434765919,\n", "Planted Name"] {
            let (said, quoted) = read(data);
            assert!(said.contains("this is not an application file") && !said.contains("Planted") && !quoted, "{said}");
        }
        assert!(read("name = \"air\"\nfields = [").1);
    }
}
