//! A TOML file that the user wrote. It is read once with positions, so that every mistake can be shown at its line.

mod shape;

use std::ops::Range;
use std::path::Path;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use outward_error::{Error, Fault, Result};

/// A TOML text and the place of each value in it.
pub(crate) struct Document<'a> {
    text: &'a str,
    file: &'a Path,
    root: Spanned<DeValue<'a>>,
}

/// One step on the path to a value: into a field, or to an entry of a list.
#[derive(Debug, Clone, Copy)]
pub(crate) enum PathStep<'a> {
    Field(&'a str),
    Entry(usize),
}

impl<'a> From<&'a str> for PathStep<'a> {
    fn from(name: &'a str) -> Self {
        Self::Field(name)
    }
}

impl From<usize> for PathStep<'_> {
    fn from(index: usize) -> Self {
        Self::Entry(index)
    }
}

impl<'a> Document<'a> {
    /// Read the text; `file` is only for messages.
    pub(crate) fn parse(text: &'a str, file: &'a Path) -> Result<Self> {
        // No line of a data file is quoted; a line of a spec is.
        if let Some(line) = first_line_of_no_toml(text) {
            return Err(Error::input("this is not a file in TOML")
                .file(file)
                .line(line)
                .help("name a spec or a policy, such as `outward init DATA` or `outward policies NAME` writes")
                .into());
        }
        match DeTable::parse(text) {
            Ok(table) => {
                let span = table.span();
                Ok(Self { text, file, root: Spanned::new(span, DeValue::Table(table.into_inner())) })
            }
            Err(error) => Err(syntax_fault(&error, text, file)),
        }
    }

    /// The text as a value of `T`, after its shape was checked against the schema of `T`.
    pub(crate) fn read<T: DeserializeOwned + JsonSchema>(&self) -> Result<T> {
        let schema = schemars::schema_for!(T);
        if let Some((fault, span)) = shape::first_fault(&self.root, schema.as_value()) {
            return Err(self.place(fault, span).into());
        }
        toml::from_str(self.text).map_err(|error| syntax_fault(&error, self.text, self.file))
    }

    /// A fault at the value at the end of this path, or at the last value on the path that exists.
    pub(crate) fn fault_at(&self, way: &[PathStep<'_>], what: impl Into<String>) -> Fault {
        self.place(Error::input(what), self.span(way))
    }

    /// Puts a fault found elsewhere at the value at the end of this path.
    pub(crate) fn place_at(&self, way: &[PathStep<'_>], fault: Fault) -> Fault {
        self.place(fault, self.span(way))
    }

    fn place(&self, fault: Fault, span: Range<usize>) -> Fault {
        fault.file(self.file).span(self.text, span)
    }

    fn span(&self, way: &[PathStep<'_>]) -> Range<usize> {
        let mut here = &self.root;
        for turn in way {
            let next = match *turn {
                PathStep::Field(name) => here.get_ref().get(name),
                PathStep::Entry(index) => here.get_ref().get(index),
            };
            match next {
                Some(value) => here = value,
                None => break,
            }
        }
        here.span()
    }
}

/// The first line with content, if it is neither a key with a value nor the name of a table.
fn first_line_of_no_toml(text: &str) -> Option<u64> {
    let mut lines = (1..).zip(text.lines().map(str::trim));
    let (number, line) = lines.find(|(_, line)| !line.is_empty() && !line.starts_with('#'))?;
    (!line.contains('=') && !line.starts_with('[')).then_some(number)
}

/// A mistake in the TOML itself, or one the shape of the schema cannot express.
fn syntax_fault(error: &toml::de::Error, text: &str, file: &Path) -> Error {
    let what = error.message().lines().next().unwrap_or("this is not TOML").trim_end_matches(", expected nothing");
    let fault = Error::input(what).file(file).help("see docs/spec.md for how a spec is written");
    match error.span() {
        Some(span) => fault.span(text, span).into(),
        None => fault.into(),
    }
}

/// A text file in UTF-8, or an error with the place of the first byte that is not.
pub(crate) fn read_text(path: &Path) -> Result<String> {
    let bytes = std::fs::read(path).map_err(|error| Error::io("read", path, error))?;
    utf8(bytes, path)
}

/// Bytes as text without a byte-order mark; `path` is only for messages.
pub(crate) fn utf8(bytes: Vec<u8>, path: &Path) -> Result<String> {
    let text = String::from_utf8(bytes).map_err(|error| {
        let byte = error.utf8_error().valid_up_to() as u64;
        Error::input("this is not UTF-8 text").file(path).byte(byte).help("save the file as UTF-8")
    })?;
    Ok(match text.strip_prefix('\u{feff}') {
        Some(rest) => rest.to_owned(),
        None => text,
    })
}
