//! `outward scan`: identifiers inside text, and where they stand.

use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;

use outward_engine::source::format_of_name;
use outward_engine::{Data, ScanRequest, Scanned, ScannedColumn, scan_text_file};
use outward_profile::Kind;
use outward_profile::scan::{FoundInColumn, NameList, Scanner};
use outward_report::format::count;
use outward_spec::{Error, Format, Result};
use serde::Serialize;

use crate::cli::{OutputFormat, ReadingArgs, ScanArgs};
use crate::commands::assess::source;
use crate::output::{Outcome, print, print_json};
use crate::session::Session;

/// What was found, for programs.
#[derive(Serialize)]
struct Answer<'a> {
    files: &'a [ScannedFile<'a>],
}

/// What a file holds.
#[derive(Serialize)]
struct ScannedFile<'a> {
    file: &'a Path,
    #[serde(flatten)]
    scanned: Scanned,
}

pub(crate) fn run(session: &Session, args: &ScanArgs) -> Result<Outcome> {
    let scanner = Arc::new(scanner(session, args)?);
    let files: Vec<ScannedFile> = args
        .files
        .iter()
        .map(|file| Ok(ScannedFile { file, scanned: scan(session, args, file, &scanner)? }))
        .collect::<Result<_>>()?;
    match session.format {
        OutputFormat::Json => print_json(&Answer { files: &files })?,
        OutputFormat::Text => print(&files.iter().map(in_words).collect::<String>())?,
    }
    for ScannedFile { file, scanned } in files.iter().filter(|of| !of.scanned.not_scanned.is_empty()) {
        let columns = scanned.not_scanned.join(", ");
        session
            .remark(&format!("Not scanned in {}: {columns}. They hold no text; --columns names any.", file.display()));
    }
    let holds = |of: &ScannedFile| of.scanned.columns.iter().any(|column| !column.found.is_empty());
    Ok(if files.iter().any(holds) { Outcome::Findings } else { Outcome::Clean })
}

fn scanner(session: &Session, args: &ScanArgs) -> Result<Scanner> {
    let mut scanner = Scanner::new();
    if let Some(years) = &args.born {
        scanner = scanner.with_births(years.clone());
    }
    if let Some(path) = &args.names {
        let names = read_names(session, path, &args.name_columns)?;
        if names.is_empty() {
            return Err(Error::input("there is no name in this file")
                .file(path)
                .help("put one name on each line")
                .into());
        }
        scanner = scanner.with_names(names);
    }
    Ok(scanner)
}

/// Whether a file is read by lines. A `.txt` is one here, although it may hold a table: then `--delimiter` says so.
fn is_text(path: &Path, reading: &ReadingArgs) -> bool {
    let ends_in_txt = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("txt"));
    match format_of_name(path) {
        Some(Format::Csv) => ends_in_txt && reading.delimiter.is_none(),
        Some(_) => false,
        None => !path.is_dir(),
    }
}

fn read_names(session: &Session, path: &Path, columns: &[String]) -> Result<NameList> {
    if columns.is_empty() && is_text(path, &ReadingArgs::default()) {
        let text = std::fs::read_to_string(path).map_err(|error| Error::io("read", path, error))?;
        return Ok(NameList::new(text.lines()));
    }
    let (engine, runtime) = (session.engine(), session.runtime()?);
    let data = Data { source: source(path, &ReadingArgs::default())?, columns: Vec::new() };
    let columns = match columns {
        [] => {
            let schema = runtime.block_on(engine.describe(&data))?.schema;
            match schema.fields().iter().map(|field| field.name().clone()).collect::<Vec<_>>() {
                one if one.len() == 1 => one,
                _ => {
                    let fault = Error::input("several columns, and nothing says which of them make a name");
                    return Err(fault.file(path).help("name them, such as --name-columns first_name,last_name").into());
                }
            }
        }
        named => named.to_vec(),
    };
    let table = runtime.block_on(engine.read_table(&data, &columns, None))?;
    let name = |row: usize| -> String {
        let parts = (0..columns.len()).filter_map(|column| table.value(row, column));
        parts.collect::<Vec<_>>().join(" ")
    };
    let names: Vec<String> = (0..table.len()).map(name).collect();
    Ok(NameList::new(names.iter().map(String::as_str)))
}

fn scan(session: &Session, args: &ScanArgs, file: &Path, scanner: &Arc<Scanner>) -> Result<Scanned> {
    if is_text(file, &args.reading) {
        if !args.columns.is_empty() {
            return Err(Error::input("a text is read by lines and has no columns")
                .file(file)
                .help("leave out --columns")
                .into());
        }
        return scan_text_file(file, scanner, args.places, &session.stop);
    }
    let data = Data { source: source(file, &args.reading)?, columns: Vec::new() };
    let request = ScanRequest { columns: args.columns.clone(), scanner: Arc::clone(scanner), most_places: args.places };
    session.runtime()?.block_on(session.engine().scan(&data, &request))
}

fn in_words(of: &ScannedFile) -> String {
    let ScannedFile { file, scanned } = of;
    let holding: Vec<&ScannedColumn> = scanned.columns.iter().filter(|column| !column.found.is_empty()).collect();
    let (records, columns) = (counted(scanned.records, "record"), counted(scanned.columns.len() as u64, "column"));
    let mut text = match holding.len() {
        0 => format!("{}: nothing found in {columns} of {records}\n", file.display()),
        found => format!("{}: identifiers in {found} of {columns} of {records}\n", file.display()),
    };
    for column in holding {
        for found in &column.found {
            // Writing to a string does not fail.
            let _ = writeln!(text, "  {}", line(&column.name, found));
        }
    }
    text
}

fn line(column: &str, found: &FoundInColumn) -> String {
    let kind = match found.kind {
        Kind::PersonName => "names of the list",
        kind => kind.plural(),
    };
    let places = found.places.iter().map(|place| format!("row {} from character {}", place.row, place.character));
    let places = places.collect::<Vec<_>>().join(", ");
    let more = if found.found > found.places.len() as u64 && !places.is_empty() { ", …" } else { "" };
    let colon = if places.is_empty() { "" } else { ": " };
    let (times, records) = (count(found.found), counted(found.records, "record"));
    format!("`{column}` holds {kind}, {times} in {records}{colon}{places}{more}")
}

fn counted(number: u64, what: &str) -> String {
    format!("{} {what}{}", count(number), if number == 1 { "" } else { "s" })
}
