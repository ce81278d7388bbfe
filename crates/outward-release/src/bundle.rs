//! A bundle on the disk. It is written next to its target and moved there in one rename, so that a killed run leaves no
//! bundle or a whole one.

use std::fs::{self, File};
use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};

use outward_engine::Unfinished;
use outward_report::render_html;
use outward_spec::{Error, Result};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use tempfile::TempDir;

use crate::manifest::{FORMAT, FileRecord, Manifest};
use crate::verify::{Check, Outcome, Verification};
use crate::{dictionary, hash, report, statement};

/// The file that makes a folder a bundle.
pub const MANIFEST: &str = "manifest.json";
/// The text of the spec, as given.
pub const SPEC: &str = "spec.toml";
/// The report for the custodian.
pub const REPORT: &str = "report.html";
/// The user's own policy file, as given.
pub const POLICY: &str = "policy.toml";
/// The folder that may be published.
pub const PUBLIC: &str = "public";
/// Labels for values, within `public`.
pub const MAPPINGS: &str = "public/mappings";
/// Hierarchy files as given.
pub const HIERARCHIES: &str = "hierarchies";

/// What to do if the target exists already.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Existing {
    /// Write nothing.
    #[default]
    Refuse,
    /// Replace it, if it is a bundle.
    Replace,
}

/// A bundle while it is made, in a hidden folder next to its target. If it is dropped before it is moved, nothing
/// remains.
#[derive(Debug)]
pub struct Staging {
    shell: TempDir,
    unfinished: Unfinished,
    root: PathBuf,
    target: PathBuf,
    existing: Existing,
}

impl Staging {
    /// Begins a bundle at `target`.
    pub fn begin(target: &Path, existing: Existing) -> Result<Self> {
        refuse_existing(target, existing)?;
        refuse_within(target)?;
        let parent = match target.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent.to_owned(),
            _ => PathBuf::from("."),
        };
        fs::create_dir_all(&parent).map_err(|error| Error::io("create", &parent, error))?;
        remove_stale(&parent);
        let shell =
            tempfile::Builder::new().prefix(&format!("{STAGING_PREFIX}{}-", std::process::id())).tempdir_in(&parent);
        let shell = shell.map_err(|error| Error::io("write in", &parent, error))?;
        // The bundle itself is made inside, with the permissions the user's folders usually have.
        let root = shell.path().join("bundle");
        let public = root.join(PUBLIC);
        fs::create_dir_all(&public).map_err(|error| Error::io("create", &public, error))?;
        let unfinished = Unfinished::at(shell.path());
        Ok(Self { shell, unfinished, root, target: target.to_owned(), existing })
    }

    /// The path of the published records; `ending` is `csv`, `parquet` or `xlsx`.
    pub fn data_path(&self, ending: &str) -> PathBuf {
        self.root.join(data_file(ending))
    }

    /// Writes a small file of the bundle; `path` is relative, with `/` between folders.
    pub fn put(&self, path: &str, bytes: &[u8]) -> Result<()> {
        let file = self.root.join(path);
        if let Some(folder) = file.parent() {
            fs::create_dir_all(folder).map_err(|error| Error::io("create", folder, error))?;
        }
        fs::write(&file, bytes).map_err(|error| Error::io("write", &file, error))
    }

    /// Adds dictionary, statement, report and manifest. Returns the manifest as written, with its files.
    pub(crate) fn complete(&self, mut manifest: Manifest) -> Result<Manifest> {
        if !self.root.join(&manifest.data).is_file() {
            return Err(Error::bug("a bundle was finished without its records"));
        }
        self.put(dictionary::FILE, dictionary::dictionary(&manifest).as_bytes())?;
        self.put(statement::FILE, statement::statement(&manifest).as_bytes())?;
        // The report shows the hashes of the other files, so it comes after them, and the manifest after the report.
        manifest.files = self.records()?;
        self.put(REPORT, render_html(&report::report(&manifest)).as_bytes())?;
        manifest.files = self.records()?;
        self.seal(&manifest)?;
        Ok(manifest)
    }

    /// Writes the manifest, and makes sure that everything is on the disk.
    pub(crate) fn seal(&self, manifest: &impl Serialize) -> Result<()> {
        let text = serde_json::to_string_pretty(manifest).map_err(Error::bug)?;
        self.put(MANIFEST, format!("{text}\n").as_bytes())?;
        sync(&self.root)
    }

    /// The folder in which the bundle is made.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// Moves the bundle to its target, unless a check of its verification fails.
    pub(crate) fn move_in_verified(self, verification: &Verification) -> Result<()> {
        match verification.with(Outcome::Fails).next() {
            None => self.move_in(),
            Some(check) => Err(unverified(check)),
        }
    }

    /// As [`Self::move_in_verified`], but every check must be decided. For tables every check can be decided.
    pub(crate) fn move_in_settled(self, verification: &Verification) -> Result<()> {
        match verification.with(Outcome::CannotTell).next() {
            None => self.move_in_verified(verification),
            Some(check) => Err(unsettled(check)),
        }
    }

    /// Every file that is there, with its hash.
    pub(crate) fn records(&self) -> Result<Vec<FileRecord>> {
        let mut records = Vec::new();
        for found in walk(&self.root)? {
            let Found::File(path) = found else {
                return Err(Error::bug("a bundle is made of ordinary files only"));
            };
            let (bytes, sha256) = hash::of_file(&self.root.join(&path))?;
            records.push(FileRecord { path, bytes, sha256 });
        }
        Ok(records)
    }

    /// Moves the bundle to its target.
    fn move_in(self) -> Result<()> {
        refuse_existing(&self.target, self.existing)?;
        let old = self.shell.path().join("old");
        self.unfinished.finish(|| rename(&self.root, &self.target, &old))?;
        if let Some(parent) = self.shell.path().parent() {
            sync_folder(parent)?;
        }
        self.shell.close().map_err(|error| Error::io("tidy up beside", &self.target, error))
    }
}

/// Moves a bundle to its target. A bundle that is there goes to `old`, and is put back if the move fails.
fn rename(root: &Path, target: &Path, old: &Path) -> Result<()> {
    let replaced = match fs::rename(target, old) {
        Ok(()) => true,
        Err(error) if error.kind() == ErrorKind::NotFound => false,
        Err(error) => return Err(Error::io("replace", target, error)),
    };
    if let Err(error) = fs::rename(root, target) {
        if replaced {
            fs::rename(old, target).map_err(|error| Error::io("put back", target, error))?;
        }
        return Err(Error::io("create", target, error));
    }
    Ok(())
}

/// Why a bundle that fails a check of its own verification is not written.
fn unsettled(check: &Check) -> Error {
    Error::input(format!("the tables could not be verified, so nothing was written (`{}`): {}", check.name, check.says))
        .help("leave out a table that shares variables with others, show fewer values, or give amounts in thousands")
        .into()
}

fn unverified(check: &Check) -> Error {
    let what = format!("the new bundle fails the check `{}` of its verification: {}", check.name, check.says);
    if !ABOUT_CONTENT.contains(&check.name.as_str()) {
        return Error::bug(format!("{what}; nothing was written"));
    }
    let fault = Error::input(what).help("drop or recode the variable, or leave these values out; nothing was written");
    let place = check.places.first();
    let fault = match place.and_then(|place| place.column.as_ref()) {
        Some(column) => fault.variable(column),
        None => fault,
    };
    match place.and_then(|place| place.row) {
        Some(row) => fault.row(row).into(),
        None => fault.into(),
    }
}

/// Checks of the content of records, which a custodian can correct. If another check fails, Outward has a bug.
const ABOUT_CONTENT: [&str; 3] = ["identifiers", "columns", "texts"];

/// Writes a bundle without verifying it. `fill` puts the records and the spec into the staging and returns the
/// manifest.
pub fn write(target: &Path, existing: Existing, fill: impl FnOnce(&Staging) -> Result<Manifest>) -> Result<Manifest> {
    let staging = Staging::begin(target, existing)?;
    let manifest = staging.complete(fill(&staging)?)?;
    staging.move_in()?;
    Ok(manifest)
}

/// The manifest of a bundle.
pub fn read(bundle: &Path) -> Result<Manifest> {
    read_manifest(bundle)
}

/// Whether a bundle is of tables, and not of records.
pub fn is_of_tables(bundle: &Path) -> bool {
    #[derive(Deserialize)]
    struct KindField {
        kind: Option<String>,
    }
    let text = read_ordinary(&bundle.join(MANIFEST)).unwrap_or_default();
    serde_json::from_str::<KindField>(&text).is_ok_and(|of| of.kind.as_deref() == Some(crate::tables::KIND))
}

pub(crate) fn read_manifest<T: DeserializeOwned>(bundle: &Path) -> Result<T> {
    let path = bundle.join(MANIFEST);
    let text = read_ordinary(&path).map_err(|error| match error.kind() {
        ErrorKind::NotFound if !bundle.exists() => Error::io("read", bundle, error),
        ErrorKind::NotFound | ErrorKind::NotADirectory => {
            Error::input("this is not a bundle: there is no manifest.json in it")
                .file(bundle)
                .help("name the folder that `outward protect` or `outward table` wrote")
                .into()
        }
        ErrorKind::InvalidData => damaged(&path, "it is no ordinary file of text"),
        _ => Error::io("read", &path, error),
    })?;
    #[derive(Deserialize)]
    struct FormatField {
        format: u32,
    }
    let form: FormatField = serde_json::from_str(&text).map_err(|error| damaged(&path, &place_of(&error)))?;
    if form.format > FORMAT {
        let what =
            format!("this bundle has form {} and this version of Outward reads up to form {FORMAT}", form.format);
        return Err(Error::input(what).file(&path).help("use a newer version of Outward").into());
    }
    serde_json::from_str(&text).map_err(|error| damaged(&path, &place_of(&error)))
}

/// Largest size of a small file of a bundle.
const MAX_SMALL_FILE_BYTES: u64 = 64 << 20;

/// The text of a small ordinary file. Anything else is refused, as a pipe would never end.
pub(crate) fn read_ordinary(path: &Path) -> std::io::Result<String> {
    let about = fs::symlink_metadata(path)?;
    if !about.is_file() || about.len() > MAX_SMALL_FILE_BYTES {
        return Err(ErrorKind::InvalidData.into());
    }
    fs::read_to_string(path)
}

/// Where a bundle keeps its records.
pub fn data_file(ending: &str) -> String {
    format!("{PUBLIC}/data.{ending}")
}

/// Where a bundle keeps the hierarchy file of a variable. Its ending says how it is read.
pub(crate) fn hierarchy_copy(variable: &str, place: usize, file: &Path) -> String {
    let path = format!("{HIERARCHIES}/{}", file_of_variable(variable, place));
    match (file.extension(), path.strip_suffix(".csv")) {
        (Some(ending), Some(stem)) if ending.eq_ignore_ascii_case("hrc") => format!("{stem}.hrc"),
        _ => path,
    }
}

/// Where a bundle keeps another hierarchy file of a variable, by its number among these.
pub(crate) fn further_hierarchy_copy(variable: &str, place: usize, further: usize, file: &Path) -> String {
    hierarchy_copy(&format!("{variable}+{}", further + 2), place, file)
}

/// Where a bundle keeps the ratings of a variable's values.
pub(crate) fn ratings_copy(variable: &str, place: usize) -> String {
    format!("{HIERARCHIES}/{}", file_of_variable(&format!("{variable}+ratings"), place))
}

/// The file name for something that belongs to a variable: the variable's name if it is plain, and with its position in
/// the spec otherwise.
pub(crate) fn file_of_variable(variable: &str, place: usize) -> String {
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    match !variable.is_empty() && variable.len() <= 100 && variable.chars().all(plain) {
        true => format!("{variable}.csv"),
        false => {
            let name: String = variable.chars().map(|c| if plain(c) { c } else { '_' }).take(40).collect();
            format!("{name}.{}.csv", place + 1)
        }
    }
}

/// A file or something else found in a bundle.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Found {
    /// An ordinary file, by its path with `/` between folders.
    File(String),
    /// Anything else that is not a folder: a link, a pipe, a name that is not text.
    Other(String),
}

/// Everything in a bundle except the manifest, in the order of the paths. Links are not followed.
pub(crate) fn walk(root: &Path) -> Result<Vec<Found>> {
    let mut found = Vec::new();
    let mut folders = vec![(root.to_owned(), String::new())];
    while let Some((folder, prefix)) = folders.pop() {
        let failed = |error| Error::io("read", &folder, error);
        for entry in fs::read_dir(&folder).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let kind = entry.file_type().map_err(failed)?;
            let name = entry.file_name();
            let path = format!("{prefix}{}", name.to_string_lossy());
            if kind.is_dir() {
                folders.push((entry.path(), format!("{path}/")));
            } else if kind.is_file() && name.to_str().is_some() {
                found.push(Found::File(path));
            } else {
                found.push(Found::Other(path));
            }
        }
    }
    found.retain(|found| *found != Found::File(MANIFEST.to_owned()));
    found.sort_by(|a, b| path_of(a).cmp(path_of(b)));
    Ok(found)
}

/// Every folder in a bundle, by its path with `/` between folders.
pub(crate) fn folders(root: &Path) -> Result<Vec<String>> {
    let mut found = Vec::new();
    let mut open = vec![(root.to_owned(), String::new())];
    while let Some((folder, prefix)) = open.pop() {
        let failed = |error| Error::io("read", &folder, error);
        for entry in fs::read_dir(&folder).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            if entry.file_type().map_err(failed)?.is_dir() {
                let path = format!("{prefix}{}", entry.file_name().to_string_lossy());
                open.push((entry.path(), format!("{path}/")));
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

/// The path of something found.
pub(crate) fn path_of(found: &Found) -> &str {
    let (Found::File(path) | Found::Other(path)) = found;
    path
}

/// Whether a path of a manifest leads to a file within the bundle.
pub(crate) fn is_within(path: &str) -> bool {
    !path.is_empty()
        && !path.contains('\\')
        && Path::new(path).components().all(|part| matches!(part, Component::Normal(_)))
}

fn refuse_existing(target: &Path, existing: Existing) -> Result<()> {
    if fs::symlink_metadata(target).is_err_and(|error| error.kind() == ErrorKind::NotFound) {
        return Ok(());
    }
    let fault = |what: &str, help: &str| Err(Error::input(what).file(target).help(help).into());
    match existing {
        Existing::Refuse => {
            fault("there is something of this name already", "choose another name, or replace it with --force")
        }
        Existing::Replace if target.is_symlink() || !target.join(MANIFEST).is_file() => {
            fault("this is not a bundle, so it is not replaced", "choose another name, or remove it yourself")
        }
        Existing::Replace => Ok(()),
    }
}

/// The beginning of the names of folders in which bundles are made. The number of the process follows. The next bundle in
/// the same folder removes what killed processes left.
pub const STAGING_PREFIX: &str = ".outward-bundle-";

/// Removes what killed runs left behind, including records. Only on Linux is it known which processes still run.
fn remove_stale(parent: &Path) {
    if !Path::new("/proc/self").exists() {
        return;
    }
    let folders = fs::read_dir(parent).into_iter().flatten().flatten();
    for folder in folders {
        let name = folder.file_name().to_string_lossy().into_owned();
        let process = name.strip_prefix(STAGING_PREFIX).and_then(|rest| rest.split('-').next()?.parse::<u32>().ok());
        let is_folder = folder.file_type().is_ok_and(|kind| kind.is_dir());
        if process.is_some_and(|process| is_folder && !Path::new("/proc").join(process.to_string()).exists()) {
            // A folder that cannot be removed belongs to another user, who has to remove it.
            let _ = fs::remove_dir_all(folder.path());
        }
    }
}

/// Refuses a target within another bundle, which would then differ from its manifest.
fn refuse_within(target: &Path) -> Result<()> {
    let absolute = std::path::absolute(target).map_err(|error| Error::io("find", target, error))?;
    match absolute.ancestors().skip(1).any(|folder| folder.join(MANIFEST).is_file() && folder.join(PUBLIC).is_dir()) {
        true => {
            Err(Error::input("this is within another bundle").file(target).help("choose a place outside it").into())
        }
        false => Ok(()),
    }
}

fn damaged(path: &Path, how: &str) -> Error {
    Error::input(format!("the manifest is damaged: {how}"))
        .file(path)
        .help("copy the bundle from where it was written, or make it again with `outward protect`")
        .into()
}

/// The place of an error in JSON. The message of serde is left out, since it would quote the text.
fn place_of(error: &serde_json::Error) -> String {
    match error.classify() {
        serde_json::error::Category::Eof => "it ends too early".to_owned(),
        serde_json::error::Category::Data => format!("line {} is not what a manifest has there", error.line()),
        _ => format!("line {} is not JSON", error.line()),
    }
}

/// Makes sure that everything in a folder is on the disk.
fn sync(folder: &Path) -> Result<()> {
    let failed = |error| Error::io("write", folder, error);
    for entry in fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        match path.is_dir() {
            true => sync(&path)?,
            false => {
                let file = File::open(&path).map_err(|error| Error::io("write", &path, error))?;
                file.sync_all().map_err(|error| Error::io("write", &path, error))?;
            }
        }
    }
    sync_folder(folder)
}

/// Makes sure that a rename is on the disk: it is, once its folder is. Only Unix allows a folder to be opened for this.
fn sync_folder(folder: &Path) -> Result<()> {
    if cfg!(unix) {
        let file = File::open(folder).map_err(|error| Error::io("write", folder, error))?;
        file.sync_all().map_err(|error| Error::io("write", folder, error))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_bundle_whose_verification_fails_or_of_tables_is_not_settled_gets_no_name_and_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let checked = |name: &str, outcome| Check { name: name.into(), outcome, says: "so".into(), places: Vec::new() };
        let staging = || Staging::begin(&folder.path().join("bundle"), Existing::Refuse).unwrap();
        let verified = |outcome: Outcome, name: &str| {
            Verification::from(vec![checked("files", Outcome::Holds), checked(name, outcome)])
        };
        let outcome = |outcome: Outcome, name: &str| staging().move_in_verified(&verified(outcome, name));
        let settled = |outcome: Outcome, name: &str| staging().move_in_settled(&verified(outcome, name));
        assert!(matches!(settled(Outcome::Fails, "audit"), Err(Error::Bug(_))));
        assert!(matches!(settled(Outcome::CannotTell, "audit"), Err(Error::Input(_))));
        assert!(matches!(outcome(Outcome::Fails, "measures"), Err(Error::Bug(_))));
        assert!(matches!(outcome(Outcome::Fails, "identifiers"), Err(Error::Input(_))));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
        assert!(outcome(Outcome::CannotTell, "k-map").is_ok());
        assert!(folder.path().join("bundle").is_dir());
    }
}
