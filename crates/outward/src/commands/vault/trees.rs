//! `outward vault withdraw check` and `apply`: those who withdrew, in files that are out already.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use arrow_array::BooleanArray;
use arrow_select::filter::filter_record_batch;
use outward_engine::source::ReadOptions;
use outward_engine::{Data, Unfinished, sink};
use outward_release::{InputKind, InputRecord};
use outward_report::format::{count, counted};
use outward_spec::{Error, Result, Source};
use outward_vault::{EID, WithdrawnEids};
use serde::Serialize;
use serde_json::json;

use super::private::write_private;
use super::{Open, answer, read};
use crate::cli::{ApplyArgs, TreeArgs};
use crate::output::Outcome;
use crate::session::Session;

/// The endings of files that are looked into, before `.gz` and `.zst`.
const TABLES: [&str; 10] = ["csv", "tsv", "txt", "parquet", "xlsx", "xlsm", "xls", "xlsb", "ods", "dta"];

/// A column is one of identifiers if at least this share of its values are identifiers of the application. With seven
/// digits and a million participants, one in ten random numbers is an identifier.
const IDENTIFIER_SHARE: (u64, u64) = (9, 10);

/// What was found in a file.
#[derive(Debug, Clone, Serialize)]
struct CheckedFile {
    path: PathBuf,
    /// The columns of identifiers.
    columns: Vec<String>,
    records: u64,
    /// Records of people who withdrew.
    withdrawn: u64,
    #[serde(skip)]
    rows: BTreeSet<u64>,
}

/// All files that were found.
#[derive(Debug, Serialize)]
struct CheckedFiles {
    application: String,
    /// People who withdrew from use.
    people: u64,
    files: Vec<CheckedFile>,
    /// Tables without a column of identifiers.
    without: Vec<PathBuf>,
    /// Files that could not be read as tables.
    unread: Vec<PathBuf>,
}

pub(super) fn check(session: &Session, args: &TreeArgs) -> Result<Outcome> {
    let (searched, ..) = search(session, args)?;
    answer(session, &searched, &words(&searched))?;
    Ok(outcome(&searched))
}

fn outcome(searched: &CheckedFiles) -> Outcome {
    match searched.files.iter().any(|file| file.withdrawn > 0) {
        true => Outcome::Findings,
        false if !searched.unread.is_empty() => Outcome::CannotTell,
        false => Outcome::Clean,
    }
}

fn words(searched: &CheckedFiles) -> String {
    let mut text = String::new();
    for file in searched.files.iter().filter(|file| file.withdrawn > 0) {
        let of = format!("{} of {} records", count(file.withdrawn), count(file.records));
        text += &format!("{}: {of} are of people who withdrew ({})\n", file.path.display(), file.columns.join(", "));
    }
    for path in &searched.unread {
        text += &format!("{}: could not be read\n", path.display());
    }
    let (files, without) = (searched.files.len() as u64, searched.without.len() as u64);
    text + &format!(
        "{} identifiers of `{}`, {} none; {} withdrew.\n",
        counted(files, "file has", "files have"),
        searched.application,
        counted(without, "has", "have"),
        counted(searched.people, "person", "people")
    )
}

fn search(session: &Session, args: &TreeArgs) -> Result<(CheckedFiles, WithdrawnEids, Open)> {
    let mut open = Open::new(session, &args.within)?;
    let list = open.vault.withdrawn_eids(&args.application, open.speaker.actor(), &args.reason);
    let list = open.runtime.block_on(list)?;
    let mut paths = Vec::new();
    for path in &args.paths {
        below(path, true, &mut paths)?;
    }
    paths.sort();
    paths.dedup();
    let mut searched = CheckedFiles {
        application: args.application.clone(),
        people: list.people,
        files: Vec::new(),
        without: Vec::new(),
        unread: Vec::new(),
    };
    for path in paths {
        session.stop.check()?;
        match look_into(session, &open, &path, args.column.as_deref(), &list) {
            Ok(Some(looked)) => searched.files.push(looked),
            Ok(None) => searched.without.push(path),
            Err(Error::Stopped) => return Err(Error::Stopped),
            Err(Error::Bug(what)) => return Err(Error::Bug(what)),
            Err(_) => searched.unread.push(path),
        }
    }
    Ok((searched, list, open))
}

/// All tables in a folder and its folders. A file that is named is taken whatever its ending.
fn below(path: &Path, named: bool, files: &mut Vec<PathBuf>) -> Result<()> {
    if !path.is_dir() {
        std::fs::metadata(path).map_err(|error| Error::io("read", path, error))?;
        if named || is_table(path) {
            files.push(path.to_owned());
        }
        return Ok(());
    }
    let failed = |error| Error::io("read", path, error);
    for entry in std::fs::read_dir(path).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        // A link may lead out of the tree, or round in it.
        if !entry.file_type().map_err(failed)?.is_symlink() {
            below(&entry.path(), false, files)?;
        }
    }
    Ok(())
}

fn is_table(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
    let name = name.strip_suffix(".gz").or_else(|| name.strip_suffix(".zst")).unwrap_or(&name);
    name.rsplit_once('.').is_some_and(|(_, ending)| TABLES.contains(&ending))
}

/// What is counted of a column.
#[derive(Debug, Clone, Default)]
struct ColumnTally {
    values: u64,
    eids: u64,
    withdrawn: Vec<u64>,
}

/// Reads a file and tells its columns of identifiers; none where it has none.
fn look_into(
    session: &Session,
    open: &Open,
    path: &Path,
    column: Option<&str>,
    list: &WithdrawnEids,
) -> Result<Option<CheckedFile>> {
    let options = ReadOptions { stop: session.stop.clone(), ..ReadOptions::default() };
    let source = open.runtime.block_on(outward_engine::source::open(&Source::file(path), None, &options))?;
    let names: Vec<String> = source.schema().fields().iter().map(|field| field.name().clone()).collect();
    drop(source);
    let mut seen = vec![ColumnTally::default(); names.len()];
    let mut records = 0;
    read::texts(session, &open.runtime, &Source::file(path), &names, &mut |row| {
        records += 1;
        for (value, seen) in row.iter().zip(&mut seen) {
            let Some(value) = value else { continue };
            seen.values += 1;
            let eid = list.written(value);
            if list.all.contains(&eid) {
                seen.eids += 1;
                if list.eids.contains(&eid) {
                    seen.withdrawn.push(records);
                }
            }
        }
        Ok(())
    })?;
    let is_of_eids = |(name, seen): &(&String, &ColumnTally)| match column {
        Some(column) => *name == column,
        None => {
            seen.eids > 0
                && (name.eq_ignore_ascii_case(EID)
                    || seen.eids * IDENTIFIER_SHARE.1 >= seen.values * IDENTIFIER_SHARE.0)
        }
    };
    let columns: Vec<(&String, &ColumnTally)> = names.iter().zip(&seen).filter(is_of_eids).collect();
    if columns.is_empty() {
        return Ok(None);
    }
    let rows: BTreeSet<u64> = columns.iter().flat_map(|(_, seen)| seen.withdrawn.iter().copied()).collect();
    let columns = columns.into_iter().map(|(name, _)| name.clone()).collect();
    Ok(Some(CheckedFile { path: path.to_owned(), columns, records, withdrawn: rows.len() as u64, rows }))
}

/// A file that was written again.
#[derive(Debug, Serialize)]
struct Rewritten {
    path: PathBuf,
    columns: Vec<String>,
    records_before: u64,
    removed: u64,
    sha256_before: String,
    sha256_after: String,
}

pub(super) fn apply(session: &Session, args: &ApplyArgs) -> Result<Outcome> {
    let (searched, list, mut open) = search(session, &args.tree)?;
    let (mut staged, mut left) = (Vec::new(), searched.unread.clone());
    for file in searched.files.iter().filter(|file| file.withdrawn > 0) {
        match stage(session, &open, file, args.tree.column.as_deref(), &list)? {
            Some(new) => staged.push((file, new)),
            None => left.push(file.path.clone()),
        }
    }
    let mut rewritten = Vec::new();
    for (file, new) in staged {
        let (before, after) = (hash(&file.path)?, hash(&new.path)?);
        new.replace(&file.path)?;
        rewritten.push(Rewritten {
            path: file.path.clone(),
            columns: file.columns.clone(),
            records_before: file.records,
            removed: file.withdrawn,
            sha256_before: before,
            sha256_after: after,
        });
    }
    let receipt = json!({
        "application": args.tree.application, "day": list.day, "people": list.people, "actor": open.speaker.name,
        "reason": args.tree.reason, "outward": env!("CARGO_PKG_VERSION"), "files": rewritten, "left": left,
    });
    let text = serde_json::to_string_pretty(&receipt).map_err(Error::bug)? + "\n";
    write_private(&args.receipt, text.as_bytes())?;
    let details =
        json!({ "files": rewritten.len(), "left": left.len(), "receipt": outward_ledger::chain::hash_of_text(&text) });
    let subject = format!("application {}", args.tree.application);
    let told = open.vault.tell(open.speaker.actor(), "apply-withdrawals", &subject, &args.tree.reason, details);
    open.runtime.block_on(told)?;
    let records: u64 = rewritten.iter().map(|file| file.removed).sum();
    let mut lines = format!("{} records were removed from {} files.\n", count(records), count(rewritten.len() as u64));
    for path in &left {
        lines += &format!("{}: not changed, as it could not be read, or is neither CSV nor Parquet\n", path.display());
    }
    answer(session, &receipt, &lines)?;
    session.remark(&format!("The receipt is in {}.", args.receipt.display()));
    if rewritten.iter().any(|file| in_bundle(&file.path)) {
        session.remark("Files of bundles were changed, which `outward verify` finds: make these extracts again.");
    }
    Ok(if left.is_empty() { Outcome::Clean } else { Outcome::Findings })
}

fn hash(path: &Path) -> Result<String> {
    Ok(InputRecord::of_file(InputKind::Data, None, path)?.sha256.unwrap_or_default())
}

fn in_bundle(path: &Path) -> bool {
    path.ancestors().any(|folder| folder.join(outward_release::bundle::MANIFEST).is_file())
}

/// A file that waits beside the one it replaces.
struct Staged {
    path: PathBuf,
    unfinished: Unfinished,
    _folder: tempfile::TempDir,
}

impl Staged {
    fn replace(self, old: &Path) -> Result<()> {
        let fail = |error| Error::io("replace", old, error);
        let permissions = std::fs::metadata(old).map_err(fail)?.permissions();
        std::fs::set_permissions(&self.path, permissions).map_err(fail)?;
        std::fs::File::open(&self.path).and_then(|file| file.sync_all()).map_err(fail)?;
        self.unfinished.finish(|| std::fs::rename(&self.path, old)).map_err(fail)
    }
}

/// The file without the records of those who withdrew, looked into again; none where it is of a format that is not rewritten.
fn stage(
    session: &Session,
    open: &Open,
    file: &CheckedFile,
    column: Option<&str>,
    list: &WithdrawnEids,
) -> Result<Option<Staged>> {
    let ending = file.path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
    let is_text = ["csv", "tsv", "txt"].contains(&ending.as_str());
    if !is_text && ending != "parquet" {
        return Ok(None);
    }
    let parent = file.path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let folder = tempfile::Builder::new().prefix(".outward-").tempdir_in(parent);
    let folder = folder.map_err(|error| Error::io("write in", parent, error))?;
    let unfinished = Unfinished::at(folder.path());
    let new = folder.path().join(file.path.file_name().unwrap_or_default());
    match is_text {
        true => {
            let bytes = std::fs::read(&file.path).map_err(|error| Error::io("read", &file.path, error))?;
            let kept = without_rows(&bytes, &file.rows);
            std::fs::write(&new, kept).map_err(|error| Error::io("write", &new, error))?;
        }
        false => write_parquet(session, open, file, &new)?,
    }
    let again = look_into(session, open, &new, column, list)?;
    let (records, withdrawn) =
        again.map_or((file.records - file.withdrawn, 0), |again| (again.records, again.withdrawn));
    if records != file.records - file.withdrawn || withdrawn > 0 {
        return Err(Error::input("this file cannot be written again without the people who withdrew")
            .file(&file.path)
            .help("its rows cannot be removed one by one: remove them by hand; no file was changed")
            .into());
    }
    Ok(Some(Staged { path: new, unfinished, _folder: folder }))
}

fn write_parquet(session: &Session, open: &Open, file: &CheckedFile, new: &Path) -> Result<()> {
    let source = read::open(session, &open.runtime, &Data { source: Source::file(&file.path), columns: Vec::new() })?;
    let places: Vec<usize> = (0..source.schema().fields().len()).collect();
    let mut sink = sink::create(new, None, source.schema())?;
    let mut row = 0;
    for part in 0..source.parts() {
        for batch in source.read(part, &places)? {
            let batch = batch?;
            let stays: BooleanArray =
                (0..batch.num_rows() as u64).map(|at| Some(!file.rows.contains(&(row + at + 1)))).collect();
            row += batch.num_rows() as u64;
            sink.write(&filter_record_batch(&batch, &stays).map_err(Error::bug)?)?;
        }
    }
    sink.finish().map(|_| ())
}

/// The bytes of a CSV file without some of its rows, numbered from 1 after the header; all others stay to the byte. A line without anything is no row.
fn without_rows(bytes: &[u8], rows: &BTreeSet<u64>) -> Vec<u8> {
    let (mut kept, mut start, mut quoted) = (Vec::with_capacity(bytes.len()), 0, false);
    // The header is row 0.
    let mut row = 0;
    let mut take = |line: &[u8]| {
        let is_blank = line.iter().all(|byte| b"\r\n".contains(byte));
        if is_blank || !rows.contains(&row) {
            kept.extend_from_slice(line);
        }
        row += u64::from(!is_blank);
    };
    for (at, byte) in bytes.iter().enumerate() {
        match byte {
            b'"' => quoted = !quoted,
            b'\n' if !quoted => {
                take(&bytes[start..=at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    if start < bytes.len() {
        take(&bytes[start..]);
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_left_out_and_all_else_stays_to_the_byte() {
        let file = b"\xef\xbb\xbfeid;words\r\n1;\"two\r\nlines; \"\"quoted\"\"\"\r\n\r\n2;b\r\n3;c";
        let without = |rows: &[u64]| without_rows(file, &rows.iter().copied().collect());
        assert_eq!(without(&[]), file);
        assert_eq!(without(&[1]), b"\xef\xbb\xbfeid;words\r\n\r\n2;b\r\n3;c");
        assert_eq!(without(&[2, 3]), b"\xef\xbb\xbfeid;words\r\n1;\"two\r\nlines; \"\"quoted\"\"\"\r\n\r\n");
    }
}
