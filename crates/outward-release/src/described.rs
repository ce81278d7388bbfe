//! What a register keeps of a bundle: what is public, and by which rules. It has no seed, no record and no hidden
//! value.

use std::collections::BTreeSet;
use std::path::Path;

use outward_engine::parse_condition_text;
use outward_spec::{Error, Result, Rules, Spec, Step, Table};
use outward_tables::read::{read_earlier, read_json};
use outward_tables::{Earlier, Published};

use crate::bundle::{HIERARCHIES, MANIFEST, POLICY, SPEC, read_manifest, read_ordinary};
use crate::evidence::evidence_files;
use crate::hash;
use crate::inputs::{InputKind, InputRecord};
use crate::manifest::Manifest;
use crate::mappings::{mapping_copy, take_copies};
use crate::statement::FILE as STATEMENT;
use crate::tables::{EARLIER, JSON, TableManifest};

/// A bundle as a register enters it.
#[derive(Debug, Clone)]
pub struct DescribedBundle {
    /// The title of the release.
    pub title: String,
    /// Whether it is of tables, or of records.
    pub is_of_tables: bool,
    /// The hash of its manifest, which has the hashes of all other files, and of its evidence.
    pub hash: String,
    /// The rules it must meet.
    pub rules: Rules,
    /// The files it was made from.
    pub inputs: Vec<InputRecord>,
    /// The manifest without its seed, as JSON.
    pub manifest: String,
    /// The files that say what is public and how it was made, by their paths: spec without seed, policy, hierarchies, tables, statement.
    pub files: Vec<(String, String)>,
    /// The published tables.
    pub tables: Vec<Published>,
    /// The tables of earlier releases that were taken into account, with what is known about their cells.
    pub earlier: Vec<(Published, Earlier)>,
    /// Whether a register was searched for related public releases when the tables were made.
    pub asked_register: bool,
    /// The spec.
    pub spec: Spec,
}

impl DescribedBundle {
    /// Reads a bundle.
    ///
    /// # Errors
    /// If there is none, or a file of it cannot be read.
    pub fn read(bundle: &Path) -> Result<Self> {
        let plain =
            |path: &str| read_ordinary(&bundle.join(path)).map_err(|error| Error::io("read", bundle.join(path), error));
        if !bundle.join(MANIFEST).is_file() {
            let what = if bundle.exists() { "this is not a bundle" } else { "there is no folder of this name" };
            return Err(Error::input(what)
                .file(bundle)
                .help("name a folder that `outward protect --out` or `outward table --out` wrote")
                .into());
        }
        let of_tables = crate::is_of_tables(bundle);
        let (title, rules, inputs, paths) = if of_tables {
            let TableManifest { title, rules, inputs, files, .. } = read_manifest(bundle)?;
            (title, rules, inputs, files)
        } else {
            let Manifest { title, rules, inputs, files, .. } = read_manifest(bundle)?;
            (title, rules, inputs, files)
        };
        let said = plain(MANIFEST)?;
        // Every file that is entered must have the hash that the manifest gives.
        let text = |path: &str| -> Result<String> {
            let text = plain(path)?;
            let known = paths.iter().find(|file| file.path == path);
            match known.is_some_and(|file| file.sha256 == hash::of_bytes(text.as_bytes())) {
                true => Ok(text),
                false => Err(Error::input("this file of the bundle is not the one that the manifest names")
                    .file(bundle.join(path))
                    .help("make the bundle again: `outward verify` says what was changed")
                    .into()),
            }
        };
        let mut manifest: serde_json::Value = serde_json::from_str(&said).map_err(Error::bug)?;
        forget_seed(&mut manifest);
        let asked_register = manifest["asked_register"] == true;
        let given = text(SPEC)?;
        let mut spec = Spec::parse(&given, bundle.join(SPEC))?;
        spec.seed = Spec::DEFAULT_SEED;
        let mut files = vec![(SPEC.to_owned(), spec.to_toml()?)];
        let mappings = mappings_of(&spec);
        for file in &paths {
            let keep = [POLICY, JSON, STATEMENT].contains(&file.path.as_str())
                || file.path.starts_with(HIERARCHIES)
                || mappings.contains(&file.path);
            if keep {
                files.push((file.path.clone(), text(&file.path)?));
            }
        }
        let tables = if of_tables { read_json(&text(JSON)?)? } else { Vec::new() };
        let earlier = match bundle.join(EARLIER).is_file() {
            true => read_earlier(&text(EARLIER)?)?,
            false => Vec::new(),
        };
        let mut hash = hash::of_bytes(said.as_bytes());
        // Evidence is not among the files of the manifest, but is frozen with the bundle.
        for path in evidence_files(bundle)? {
            let text = plain(&path)?;
            hash = hash::of_bytes(format!("{hash} {path} {text}").as_bytes());
            files.push((path, text));
        }
        let manifest = manifest.to_string();
        Ok(Self {
            title,
            is_of_tables: of_tables,
            hash,
            rules,
            inputs,
            manifest,
            files,
            tables,
            earlier,
            asked_register,
            spec,
        })
    }

    /// The name and the hash of the data.
    pub fn data(&self) -> (String, String) {
        let data = self.inputs.iter().find(|input| input.kind == InputKind::Data);
        data.map(|data| (data.name.clone(), data.sha256.clone().unwrap_or_default())).unwrap_or_default()
    }
}

/// The spec of a bundle of records, with files named as in its folder.
pub fn spec_in_bundle(spec: &Spec, folder: &Path) -> Spec {
    let mut spec = Spec { base: folder.to_owned(), ..spec.clone() };
    take_copies(&mut spec);
    spec
}

/// Writes what a register has of a bundle of records into a folder, and reads its spec with the files there.
///
/// # Errors
/// If a file cannot be written, or the spec cannot be read.
pub fn read_described_spec(folder: &Path, files: &[(String, String)]) -> Result<Spec> {
    let mut spec = None;
    for (path, text) in files {
        write_within(folder, path, text)?;
        if path == SPEC {
            spec = Some(Spec::parse(text, folder.join(SPEC))?);
        }
    }
    let spec = spec.ok_or_else(|| {
        Error::input("the register has lost the spec of a release")
            .help("run `outward register audit`, and restore the register from a copy")
    })?;
    Ok(spec_in_bundle(&spec, folder))
}

/// The copies of the mappings of places that a spec names.
fn mappings_of(spec: &Spec) -> Vec<String> {
    let of_step = |step: &Step| match step {
        Step::Place { variable, .. } => {
            let place = spec.variables.iter().position(|known| known.name == *variable)?;
            Some(mapping_copy(variable, place))
        }
        _ => None,
    };
    spec.steps.iter().filter_map(of_step).collect()
}

/// Removes the seed from a manifest, and the hashes of the spec, from which it could be guessed.
fn forget_seed(manifest: &mut serde_json::Value) {
    manifest.as_object_mut().into_iter().for_each(|manifest| _ = manifest.remove("seed"));
    let of = |list: &str| manifest.get(list).and_then(serde_json::Value::as_array).cloned().unwrap_or_default();
    let (mut inputs, mut files) = (of("inputs"), of("files"));
    inputs.retain(|input| input["kind"] != "spec");
    for file in files.iter_mut().filter(|file| file["path"] == SPEC) {
        file["sha256"] = serde_json::Value::String(String::new());
        file["bytes"] = 0.into();
    }
    manifest["inputs"] = inputs.into();
    manifest["files"] = files.into();
}

/// The columns that a table of a spec shows or its condition reads. They decide which tables it is compared with.
///
/// # Errors
/// If the condition cannot be read.
pub fn columns_of(spec: &Spec, table: &Table) -> Result<Vec<String>> {
    let mut columns: BTreeSet<String> = BTreeSet::new();
    for name in table.variables.iter().chain(&table.pairs).chain(&table.of) {
        match spec.variable(name) {
            Some(variable) => columns.extend(variable.read_from().iter().cloned()),
            None => _ = columns.insert(name.clone()),
        }
    }
    if let Some(condition) = &table.condition {
        for column in parse_condition_text(condition)?.columns {
            // A condition may name a variable of the spec.
            match spec.variable(&column) {
                Some(variable) => columns.extend(variable.read_from().iter().cloned()),
                None => _ = columns.insert(column),
            }
        }
    }
    Ok(columns.into_iter().collect())
}

/// Writes what a register has of a bundle of tables into a folder, so that it can be named as an earlier release.
///
/// # Errors
/// If a file cannot be written, or the manifest is not one of tables.
pub fn write_described(folder: &Path, manifest: &str, files: &[(String, String)]) -> Result<()> {
    let mut manifest: TableManifest = serde_json::from_str(manifest).map_err(|_| {
        Error::input("the register holds a manifest of another form").help("read it with the version that wrote it")
    })?;
    for (path, text) in files {
        write_within(folder, path, text)?;
        for record in manifest.files.iter_mut().filter(|record| record.path == *path) {
            (record.bytes, record.sha256) = (text.len() as u64, hash::of_bytes(text.as_bytes()));
        }
    }
    write_within(folder, MANIFEST, &serde_json::to_string(&manifest).map_err(Error::bug)?)
}

/// Writes a file of a bundle that a register has.
fn write_within(folder: &Path, path: &str, text: &str) -> Result<()> {
    if !crate::bundle::is_within(path) {
        return Err(Error::input("the register has a file whose path is outside its bundle").into());
    }
    let file = folder.join(path);
    if let Some(parent) = file.parent() {
        std::fs::create_dir_all(parent).map_err(|error| Error::io("create", parent, error))?;
    }
    std::fs::write(&file, text).map_err(|error| Error::io("write", &file, error))
}
