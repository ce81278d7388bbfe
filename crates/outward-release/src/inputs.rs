//! The files that a release is made from, by name and hash. Folders are left out, as they describe a machine and not a
//! release.

use std::path::{Path, PathBuf};

use outward_spec::{Error, HierarchySpec, Result, Source, Spec, Step};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::hash;

/// The use of a file in a release.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum InputKind {
    /// The spec file.
    Spec,
    /// The records.
    Data,
    /// Records linked to them.
    Linked,
    /// The population.
    Population,
    /// The hierarchy of a variable.
    Hierarchy,
    /// A mapping of places.
    Mapping,
    /// The user's own policy file.
    Policy,
    /// Tables that an earlier release published.
    Earlier,
}

/// A file, or a table of a database, that a release is made from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct InputRecord {
    /// Its use.
    pub kind: InputKind,
    /// For hierarchies and mappings: the variable it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variable: Option<String>,
    /// The name of the file without its folder, or of the table.
    pub name: String,
    /// The size of the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// The SHA-256 of the file, in hexadecimal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
}

impl InputRecord {
    /// A file on the disk.
    pub fn of_file(kind: InputKind, variable: Option<&str>, path: &Path) -> Result<Self> {
        let (bytes, sha256) = hash::of_file(path)?;
        let variable = variable.map(str::to_owned);
        Ok(Self { kind, variable, name: name_of(path), bytes: Some(bytes), sha256: Some(sha256) })
    }

    /// The text of a spec.
    pub fn of_spec_text(file: &Path, text: &str) -> Self {
        let (bytes, sha256) = (Some(text.len() as u64), Some(hash::of_bytes(text.as_bytes())));
        Self { kind: InputKind::Spec, variable: None, name: name_of(file), bytes, sha256 }
    }

    /// Everything that a spec reads: its own text first, then data, population, hierarchies, mappings, policy and
    /// earlier tables.
    pub fn of_spec(spec: &Spec, file: &Path, text: &str) -> Result<Vec<Self>> {
        let mut inputs = vec![Self::of_spec_text(file, text)];
        inputs.extend(of_source(InputKind::Data, &spec.resolve_source(&spec.data))?);
        if let Some(population) = &spec.population {
            inputs.extend(of_source(InputKind::Population, &spec.resolve_source(population))?);
        }
        for linked in &spec.linked {
            inputs.extend(of_source(InputKind::Linked, &spec.resolve_source(&linked.data))?);
        }
        for variable in &spec.variables {
            if let Some(file) = variable.hierarchy.as_ref().and_then(HierarchySpec::own_file) {
                inputs.push(Self::of_file(InputKind::Hierarchy, Some(&variable.name), &spec.resolve(file))?);
            }
        }
        for step in &spec.steps {
            if let Step::Place { variable, mapping, .. } = step {
                inputs.push(Self::of_file(InputKind::Mapping, Some(variable), &spec.resolve(mapping))?);
            }
        }
        if let Some(policy) = &spec.policy.file {
            inputs.push(Self::of_file(InputKind::Policy, None, &spec.resolve(policy))?);
        }
        for bundle in &spec.protection.earlier {
            let bundle = spec.resolve(bundle);
            let tables = Self::of_file(InputKind::Earlier, None, &bundle.join(crate::tables::JSON))?;
            inputs.push(Self { name: name_of(&bundle), ..tables });
        }
        Ok(inputs)
    }
}

/// Refuses files of a spec that have changed since `before` was made.
pub(crate) fn refuse_changed(before: &[InputRecord], spec: &Spec, file: &Path, text: &str) -> Result<()> {
    let now = InputRecord::of_spec(spec, file, text)?;
    let pairs = now.iter().map(Some).chain(std::iter::repeat(None)).zip(before);
    let changed = pairs.into_iter().find(|(now, before)| *now != Some(*before)).map(|(_, before)| before);
    let Some(input) = changed.or_else(|| now.get(before.len())) else { return Ok(()) };
    let what = format!("`{}` changed while it was read", input.name);
    let help = "run again when nothing writes to it, or release from a copy; nothing was written";
    Err(Error::input(what).help(help).into())
}

/// The hash of the records of a spec; `None` if they are in a database.
pub fn data_hash(spec: &Spec) -> Result<Option<String>> {
    let files = of_source(InputKind::Data, &spec.resolve_source(&spec.data))?;
    let hashes: Option<Vec<String>> = files.into_iter().map(|file| file.sha256).collect();
    Ok(hashes.map(|hashes| hashes.join(" ")))
}

fn of_source(kind: InputKind, source: &Source) -> Result<Vec<InputRecord>> {
    let Some(path) = &source.path else {
        let name = source.table.clone().unwrap_or_else(|| "query".to_owned());
        return Ok(vec![InputRecord { kind, variable: None, name, bytes: None, sha256: None }]);
    };
    let mut files = Vec::new();
    match path.is_dir() {
        true => below(path, &mut files)?,
        false => files.push(path.clone()),
    }
    files.sort();
    files.iter().map(|file| InputRecord::of_file(kind, None, file)).collect()
}

/// The Parquet files in a folder and its folders.
fn below(folder: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    let failed = |error| Error::io("read", folder, error);
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if path.is_dir() {
            below(&path, files)?;
        } else if path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("parquet")) {
            files.push(path);
        }
    }
    Ok(())
}

fn name_of(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}
