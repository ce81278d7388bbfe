//! Tables of the vault: each is described by a spec, as a release is.
//!
//! The spec says what every column is and which steps make it coarser. An extract has the same steps, for the fields that the application was
//! granted.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use outward_error::{Error, Result, suggest};
use outward_ledger::{text, values};
use outward_spec::{Hierarchy, HierarchySpec, Role, Spec, Step, Variable};

use crate::vault::Vault;

/// A table, as the vault describes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableDescription {
    /// What it is called.
    pub name: String,
    /// Its spec, with the fields that are kept.
    pub text: String,
    /// The files that the spec names, by name.
    pub files: BTreeMap<String, String>,
}

impl TableDescription {
    /// Describes a table by a spec that was loaded. Identifiers are not kept, and neither is the column by which records find their participant.
    ///
    /// # Errors
    /// If a step is one that an extract cannot have, or a file cannot be read.
    pub fn of_spec(name: &str, id: &str, spec: &Spec) -> Result<Self> {
        refuse_name(name)?;
        let is_kept = |variable: &&Variable| variable.role != Role::Identifier && variable.name != id;
        let mut kept = Spec { variables: spec.variables.iter().filter(is_kept).cloned().collect(), ..Spec::default() };
        kept.data.path = Some(PathBuf::from(format!("{name}.parquet")));
        kept.title = spec.title.clone();
        kept.steps = kept_steps(spec, |field| kept.variables.iter().any(|variable| variable.name == *field))?;
        let mut files = BTreeMap::new();
        for (at, variable) in kept.variables.iter_mut().enumerate() {
            variable.more_hierarchies.clear();
            if let Some(HierarchySpec::File { file, .. }) = &mut variable.hierarchy
                && !file.starts_with("outward:")
            {
                let copy = format!("{at}-{}", file.file_name().unwrap_or_default().to_string_lossy());
                files.insert(copy.clone(), read(&spec.resolve(&*file))?);
                *file = PathBuf::from(copy);
            }
        }
        for (at, step) in kept.steps.iter_mut().enumerate() {
            if let Step::Place { mapping, .. } = step {
                let copy = format!("step-{at}-{}", mapping.file_name().unwrap_or_default().to_string_lossy());
                files.insert(copy.clone(), read(&spec.resolve(&*mapping))?);
                *mapping = PathBuf::from(copy);
            }
        }
        Ok(Self { name: name.to_owned(), text: kept.to_toml()?, files })
    }

    /// The spec.
    ///
    /// # Errors
    /// Where the store was changed.
    pub fn spec(&self) -> Result<Spec> {
        Spec::parse(&self.text, format!("{}.toml", self.name))
    }

    /// The hierarchy of a field.
    pub(crate) fn hierarchy(&self, variable: &Variable) -> Result<Option<Hierarchy>> {
        match &variable.hierarchy {
            Some(HierarchySpec::File { file, header, delimiter }) if !file.starts_with("outward:") => {
                let bytes = self.files.get(&*file.to_string_lossy()).ok_or_else(damaged)?.clone().into_bytes();
                Hierarchy::from_bytes(bytes, file, *header, *delimiter).map(Some)
            }
            Some(other) => Hierarchy::compile(other, Path::new(""), &variable.name).map(Some),
            None => Ok(None),
        }
    }
}

/// The steps of a spec on fields that `is_there` names. A step on several fields is done on those.
pub(crate) fn kept_steps(spec: &Spec, is_there: impl Fn(&String) -> bool) -> Result<Vec<Step>> {
    let mut kept = Vec::new();
    for (number, step) in (1..).zip(&spec.steps) {
        match step {
            Step::Recode { variable, .. } | Step::Place { variable, .. } | Step::Limit { variable, .. }
                if step.is_record_wise() =>
            {
                if is_there(variable) {
                    kept.push(step.clone());
                }
            }
            Step::Grid { variables, .. } => match variables.iter().filter(|name| is_there(name)).count() {
                0 => {}
                count if count == variables.len() => kept.push(step.clone()),
                _ => {
                    return Err(Error::input("a position on the grid needs both of its fields")
                        .variable(&variables[0])
                        .help(format!("take both or neither of {}", variables.join(" and ")))
                        .into());
                }
            },
            Step::Round { variables, base, unbiased: false } => {
                let variables: Vec<String> = variables.iter().filter(|name| is_there(name)).cloned().collect();
                if !variables.is_empty() {
                    kept.push(Step::Round { variables, base: *base, unbiased: false });
                }
            }
            // What is dropped is not granted.
            Step::Drop { .. } => {}
            other => {
                return Err(Error::input(format!("step {number} (`{}`) cannot be in the spec of a table", other.name()))
                    .help("steps here look at one record at a time: recode, place, grid, limit, round. An application says whose records it gets")
                    .into());
            }
        }
    }
    Ok(kept)
}

impl Vault {
    /// The description of a table.
    ///
    /// # Errors
    /// Where there is none of this name.
    pub async fn table(&mut self, name: &str) -> Result<TableDescription> {
        match self.known_table(name).await? {
            Some(table) => Ok(table),
            None => {
                let known = self.tables().await?;
                Err(Error::input(format!("there is no table `{name}` in the vault"))
                    .help(suggest(name, known.iter().map(String::as_str), "tables"))
                    .into())
            }
        }
    }

    pub(crate) async fn known_table(&mut self, name: &str) -> Result<Option<TableDescription>> {
        let row = self.research.row("select spec, files from tables where name = $1", values![name]).await?;
        let Some(row) = row else { return Ok(None) };
        let files = serde_json::from_str(&text(&row, "files")?).map_err(|_| damaged())?;
        Ok(Some(TableDescription { name: name.to_owned(), text: text(&row, "spec")?, files }))
    }

    /// The names of all tables.
    ///
    /// # Errors
    /// Where the store cannot be read.
    pub async fn tables(&mut self) -> Result<Vec<String>> {
        let rows = self.research.rows("select name from tables order by name", &[]).await?;
        rows.iter().map(|row| text(row, "name")).collect()
    }

    /// Keeps the description of a table, within a change. The steps may change from one enrolment to the next; the fields may not.
    pub(crate) async fn describe_table(&mut self, table: &TableDescription) -> Result<()> {
        let files = serde_json::to_string(&table.files).map_err(Error::bug)?;
        let statement = match self.known_table(&table.name).await? {
            Some(_) => "update tables set spec = $2, files = $3 where name = $1",
            None => "insert into tables (name, spec, files) values ($1, $2, $3)",
        };
        self.research.run(statement, values![&table.name, &table.text, &files]).await
    }
}

fn refuse_name(name: &str) -> Result<()> {
    let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-_".contains(&byte);
    match !name.is_empty() && name.len() <= 60 && name.bytes().all(is_plain) {
        true => Ok(()),
        false => Err(Error::input("the name of a table has small letters, digits, hyphens and underscores")
            .help("write it like `hospital-admissions`")
            .into()),
    }
}

fn read(path: &Path) -> Result<String> {
    std::fs::read_to_string(path).map_err(|error| Error::io("read", path, error))
}

fn damaged() -> Error {
    Error::input("the description of a table is damaged in the store").help("restore the store from a copy").into()
}
