//! Where records are: the `[data]` and `[population]` sections of a spec.

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Where records come from and how to read them. What is not said is taken from the file's name.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Source {
    /// A file, or a folder of Parquet files. Relative to the spec file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<PathBuf>,
    /// `csv`, `parquet`, `excel`, `stata` or `postgres`; from the ending of `path` if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<Format>,
    /// CSV only: the character between fields. From the header if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delimiter: Option<Delimiter>,
    /// CSV only: how the bytes spell characters. UTF-8 (with or without BOM) unless said otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub encoding: Option<Encoding>,
    /// Excel only: the sheet. The first if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sheet: Option<String>,
    /// PostgreSQL only: the environment variable that holds the connection address, so that no password is in a spec.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub database: Option<String>,
    /// PostgreSQL only: the table (`schema.table`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub table: Option<String>,
    /// PostgreSQL only: a query instead of a table.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub query: Option<String>,
    /// Values that mean "missing" besides the empty field, such as `NA` or `-9`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<String>,
}

impl Source {
    /// A file, everything else from its name.
    pub fn file(path: impl AsRef<Path>) -> Self {
        Self { path: Some(path.as_ref().to_owned()), ..Self::default() }
    }
}

/// A kind of source or sink.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// Delimited text, plain or compressed (`.gz`, `.zst`).
    Csv,
    /// A Parquet file or a folder of them.
    Parquet,
    /// One sheet of an Excel workbook.
    Excel,
    /// A Stata `.dta` file; value labels become the values.
    Stata,
    /// A PostgreSQL table or query.
    Postgres,
}

/// The character between two fields of a CSV file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Delimiter {
    /// `,`
    Comma,
    /// `;`
    Semicolon,
    /// A tab.
    Tab,
}

/// How bytes spell characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub enum Encoding {
    /// UTF-8, with or without a byte-order mark.
    #[serde(rename = "utf-8")]
    Utf8,
    /// Windows-1252, the usual encoding of older Western European files.
    #[serde(rename = "windows-1252")]
    Windows1252,
}

/// The type of a variable in an explicit schema. Without one every CSV column is text, so codes keep their zeros.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Type {
    /// Text: codes, names, anything that is not counted with.
    #[default]
    Text,
    /// A whole number within 64 bits.
    Integer,
    /// A number with decimals.
    Number,
    /// A calendar date, `YYYY-MM-DD` unless the variable says another format.
    Date,
}
