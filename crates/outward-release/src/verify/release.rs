//! The bundle under verification: its manifest and its records.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use outward_spec::{Hierarchy, HierarchySpec, Missing, Spec};

use super::Place;
use super::groups::KeyGroups;
use super::read::{CodedColumn, Records};
use crate::bundle::hierarchy_copy;
use crate::manifest::{ColumnRecord, Manifest};

/// The input of all checks.
#[derive(Debug)]
pub(super) struct Release<'a> {
    pub(super) bundle: &'a Path,
    pub(super) manifest: &'a Manifest,
    pub(super) spec: Option<&'a Spec>,
    pub(super) records: &'a Records,
    classes: OnceLock<PublishedClasses>,
}

/// The records grouped by all published keys.
#[derive(Debug)]
pub(super) struct PublishedClasses {
    pub(super) groups: KeyGroups,
    /// For each group the records that support it.
    pub(super) sizes: Vec<u64>,
}

impl<'a> Release<'a> {
    pub(super) fn new(bundle: &'a Path, manifest: &'a Manifest, spec: Option<&'a Spec>, records: &'a Records) -> Self {
        Self { bundle, manifest, spec, records, classes: OnceLock::new() }
    }

    /// The classes of all published keys, counted once.
    pub(super) fn classes(&self) -> &PublishedClasses {
        self.classes.get_or_init(|| {
            let groups = self.grouped(&self.keys(), None);
            PublishedClasses { sizes: groups.sizes(), groups }
        })
    }

    /// The published columns that are both in the manifest and in the file.
    pub(super) fn columns(&self) -> impl Iterator<Item = (&'a ColumnRecord, &'a CodedColumn)> + use<'a> {
        let records = self.records;
        self.manifest.columns.iter().filter_map(move |column| Some((column, records.column(&column.name)?)))
    }

    /// The names of the published keys.
    pub(super) fn keys(&self) -> Vec<String> {
        self.columns().filter(|(column, _)| column.is_key).map(|(column, _)| column.name.clone()).collect()
    }

    /// The records grouped by these columns. Columns that are not in the file are skipped.
    pub(super) fn grouped(&self, names: &[String], counted: Option<&[bool]>) -> KeyGroups {
        let columns: Vec<&CodedColumn> = names.iter().filter_map(|name| self.records.column(name)).collect();
        let codes: Vec<&[u32]> = columns.iter().map(|column| &column.codes[..]).collect();
        let wild: Vec<bool> = columns.iter().map(|column| self.is_wild(&column.name)).collect();
        KeyGroups::from_columns(&codes, &wild, self.records.rows, counted)
    }

    /// Whether a missing value of this column matches everything.
    pub(super) fn is_wild(&self, name: &str) -> bool {
        self.manifest.column(name).is_some_and(|column| column.missing == Missing::Wildcard)
    }

    /// A record, by its row from 0.
    pub(super) fn row(&self, row: usize) -> Place {
        Place { file: self.manifest.data.clone(), row: Some(row as u64 + 1), column: None }
    }

    /// A cell, by its row from 0.
    pub(super) fn cell(&self, row: usize, column: &str) -> Place {
        Place { column: Some(column.to_owned()), ..self.row(row) }
    }

    /// The hierarchy of a variable from the files in the bundle, or why there is none.
    pub(super) fn hierarchy(&self, variable: &str) -> Result<Hierarchy, String> {
        let spec = self.spec.ok_or("the spec cannot be read")?;
        let place = spec.variables.iter().position(|known| known.name == variable);
        let described = place.and_then(|at| Some((at, spec.variables[at].hierarchy.clone()?)));
        let (place, mut described) = described.ok_or_else(|| format!("the spec has no hierarchy for `{variable}`"))?;
        let own = described.own_file().is_some();
        if let HierarchySpec::File { file, .. } = &mut described
            && own
        {
            *file = PathBuf::from(hierarchy_copy(variable, place, file));
        }
        Hierarchy::compile(&described, self.bundle, variable)
            .map_err(|_| format!("the hierarchy of `{variable}` cannot be read from the bundle"))
    }
}
