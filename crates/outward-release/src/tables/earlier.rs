//! Reads earlier releases of tables from their bundles: what is public already, and how it was made.

use std::path::Path;

use outward_spec::{Error, Protection, Result, Spec, Table};
use outward_tables::read::read_json;
use outward_tables::{CountedTables, Earlier, Published};

use super::{JSON, TableManifest};
use crate::bundle::{SPEC, read_manifest, read_ordinary};
use crate::hash;
use crate::mappings::take_copies;

/// A bundle of tables that was published before.
pub(crate) struct EarlierRelease {
    /// Its name here.
    name: String,
    /// Its spec, with the files that the bundle has copies of.
    spec: Spec,
    protection: Protection,
    published: Vec<Published>,
}

impl EarlierRelease {
    /// The earlier releases that a spec names.
    ///
    /// # Errors
    /// If a bundle cannot be read, or was changed.
    pub(crate) fn of_spec(spec: &Spec) -> Result<Vec<Self>> {
        let mut releases: Vec<Self> = Vec::new();
        for bundle in &spec.protection.earlier {
            let bundle = spec.resolve(bundle);
            let plain =
                bundle.file_name().map_or_else(|| "earlier".to_owned(), |name| name.to_string_lossy().into_owned());
            let taken = |name: &String| releases.iter().any(|release| release.name == *name);
            let numbered = (2..).map(|number| format!("{plain} {number}"));
            let name = std::iter::once(plain.clone()).chain(numbered).find(|name| !taken(name));
            releases.push(Self::read(&bundle, name.unwrap_or(plain))?);
        }
        Ok(releases)
    }

    fn read(bundle: &Path, name: String) -> Result<Self> {
        let faulty = |what: &str| {
            Error::input(what)
                .file(bundle)
                .help("name a bundle of tables as `outward table` wrote it: `outward verify` checks it")
        };
        if !crate::is_of_tables(bundle) {
            return Err(faulty("this is not a bundle of tables").into());
        }
        let manifest: TableManifest = read_manifest(bundle)?;
        let text =
            |path: &str| read_ordinary(&bundle.join(path)).map_err(|error| Error::io("read", bundle.join(path), error));
        for file in manifest.files.iter().filter(|file| [JSON, SPEC].contains(&file.path.as_str())) {
            if hash::of_file(&bundle.join(&file.path))?.1 != file.sha256 {
                return Err(faulty("a file of this bundle was changed since it was written").into());
            }
        }
        let mut spec = Spec::parse(&text(SPEC)?, bundle.join(SPEC))?;
        take_copies(&mut spec);
        let published =
            read_json(&text(JSON)?).map_err(|error| error.with_fault(|fault| fault.file(bundle.join(JSON))))?;
        Ok(Self { name, spec, protection: manifest.protection, published })
    }

    /// The tables, by their names in the release.
    fn tables(&self) -> Vec<&str> {
        self.published.iter().map(|published| published.table.name.as_str()).collect()
    }
}

/// A spec with the tables of earlier releases added, and the tables to make: those of earlier releases first.
pub(crate) struct Joined {
    pub(crate) spec: Spec,
    names: Vec<String>,
    releases: Vec<EarlierRelease>,
}

impl Joined {
    /// # Errors
    /// If an earlier release is of other files than these.
    pub(crate) fn new(spec: &Spec, wanted: &[&Table], releases: Vec<EarlierRelease>) -> Result<Self> {
        let (mut spec, mut names) = (spec.clone(), Vec::new());
        for release in &releases {
            names.extend(spec.add_tables_of(&release.spec, &release.tables(), &release.name)?);
        }
        names.extend(wanted.iter().map(|table| table.name.clone()));
        Ok(Self { spec, names, releases })
    }

    /// The tables to make.
    pub(crate) fn wanted(&self) -> Result<Vec<&Table>> {
        let find = |name: &String| self.spec.tables.iter().find(|table| table.name == *name);
        let found: Option<Vec<&Table>> = self.names.iter().map(find).collect();
        found.ok_or_else(|| Error::bug("a table was lost among those of earlier releases"))
    }

    /// Adds to the tables of earlier releases what is public of them.
    ///
    /// # Errors
    /// If the figures of an earlier release do not follow from these data.
    pub(crate) fn tell(&self, mut counted: CountedTables) -> Result<CountedTables> {
        let published =
            self.releases.iter().flat_map(|release| release.published.iter().map(move |table| (release, table)));
        for (table, (release, published)) in counted.tables.iter_mut().zip(published) {
            table.earlier = Some(Earlier::compare(&release.name, table, published, &release.protection)?);
        }
        Ok(counted)
    }
}
