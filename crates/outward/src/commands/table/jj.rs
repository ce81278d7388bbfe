//! `outward table --jj`: a family of tables given as cells and equations, in the format of τ-ARGUS.

use std::io::{Read, Write};
use std::path::Path;
use std::time::Instant;

use outward_audit::Audit;
use outward_audit::{Status, System, jj};
use outward_spec::{Error, Result, Spec, hrc};
use outward_suppress::round::{self, Controlled};
use outward_suppress::suppress::{self, Cost};
use outward_tables::CountedTable;
use outward_tables::protect::{MarkedFamily, rounded_how};
use serde::Serialize;

use crate::cli::{OutputFormat, TablesArgs};
use crate::output::{Outcome, print, print_json, refuse_inputs, refuse_no_folder, write_bytes, write_file};
use crate::session::Session;

/// The name of a cell that no table shows. Equations between tables need such cells.
const UNPUBLISHED: &str = "(nobody publishes this: it stands between tables)";

/// What came of it.
#[derive(Serialize)]
struct Answer {
    published_cells: usize,
    primary: usize,
    secondary: usize,
    secondary_value: f64,
    recoverable: usize,
    too_tight: usize,
    /// How it was found.
    method: String,
    seconds: f64,
}

pub(super) fn run(session: &Session, args: &TablesArgs, file: &Path) -> Result<Outcome> {
    let start = Instant::now();
    if let Some(out) = &args.out {
        refuse_inputs(out, &[file])?;
        refuse_no_folder(out)?;
    }
    let system = jj::read(&text(file)?, file)?;
    let (round, cost) = (args.round, args.cost.into());
    let doing = format!("Protecting {} cells", system.published());
    let (answer, written) = session.tell_if_long(&doing, || match round {
        Some(base) => rounded(&system, base),
        None => suppressed(&system, cost),
    })?;
    let answer = Answer { seconds: start.elapsed().as_secs_f64(), ..answer };
    let holds = answer.recoverable == 0 && answer.too_tight == 0;
    if let (Some(out), true) = (&args.out, holds) {
        write_bytes(out, &packed(out, written)?, &[file])?;
    }
    match session.format {
        OutputFormat::Json => print_json(&answer)?,
        OutputFormat::Text => print(&words(&answer))?,
    }
    if !holds {
        session.remark("Unsafe cells can still be worked out, so nothing was written.");
        return Ok(Outcome::Findings);
    }
    Ok(Outcome::Clean)
}

/// The text of a file, plain or compressed.
fn text(file: &Path) -> Result<String> {
    let failed = |error| Error::io("read", file, error);
    let bytes = std::fs::read(file).map_err(failed)?;
    let mut plain = Vec::new();
    match bytes.starts_with(&[0x1f, 0x8b]) {
        true => _ = flate2::read::MultiGzDecoder::new(&bytes[..]).read_to_end(&mut plain).map_err(failed)?,
        false => plain = bytes,
    }
    String::from_utf8(plain).map_err(|_| Error::input("this is not text").file(file).help("give a JJ file").into())
}

/// What is written under a name: compressed where the name says so.
fn packed(out: &Path, text: String) -> Result<Vec<u8>> {
    if !out.extension().is_some_and(|end| end.eq_ignore_ascii_case("gz")) {
        return Ok(text.into_bytes());
    }
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    gzip.write_all(text.as_bytes()).and_then(|()| gzip.finish()).map_err(|error| Error::io("write", out, error))
}

fn suppressed(system: &System, cost: Cost) -> Result<(Answer, String)> {
    let pattern =
        suppress::suppress(system, &suppress::SuppressionOptions { cost, ..suppress::SuppressionOptions::default() })?;
    let audited = outward_audit::audit(system, &pattern.hidden, &outward_audit::AuditOptions::default())?;
    let value: i64 = pattern.secondary.iter().map(|cell| system.cells[*cell as usize].value).sum();
    let method = if pattern.proven_optimal { "no cheaper choice exists" } else { "found by search" };
    let answer = Answer { secondary: pattern.secondary.len(), ..blank(system, &audited, method.to_owned()) };
    let answer = Answer { secondary_value: value as f64 / system.scale as f64, ..answer };
    Ok((answer, jj::write(system, &pattern.hidden)))
}

fn rounded(system: &System, base: u64) -> Result<(Answer, String)> {
    let base = i64::try_from(base).unwrap_or(i64::MAX).saturating_mul(system.scale);
    let rounded = round::controlled(system, &Controlled::to(base))?;
    if !rounded.additive {
        return Err(Error::input("no rounding was found for which all equations hold")
            .help("take a larger base")
            .into());
    }
    let known = rounded.values.iter().enumerate().map(|(cell, value)| {
        let (lower, upper) = round::interval(*value, base, rounded.steps);
        (cell as u32, lower, upper)
    });
    let mut asked = system.clone();
    asked.cells.iter_mut().for_each(|cell| {
        (cell.lower_protection, cell.upper_protection, cell.sliding_protection) = (0, 0, 0);
    });
    let attack = outward_audit::AuditOptions { known: known.collect(), ..outward_audit::AuditOptions::default() };
    let audited = outward_audit::audit(&asked, &vec![true; asked.cells.len()], &attack)?;
    let answer = blank(system, &audited, rounded_how(rounded.method).to_owned());
    let mut after = system.clone();
    after.cells.iter_mut().zip(&rounded.values).for_each(|(cell, value)| cell.value = *value);
    Ok((answer, jj::write(&after, &vec![false; after.cells.len()])))
}

fn blank(system: &System, audited: &Audit, method: String) -> Answer {
    Answer {
        published_cells: system.published(),
        primary: system.cells.iter().filter(|cell| cell.status == Status::Unsafe).count(),
        secondary: 0,
        secondary_value: 0.0,
        recoverable: audited.recoverable,
        too_tight: audited.too_tight,
        method,
        seconds: 0.0,
    }
}

fn words(answer: &Answer) -> String {
    let Answer { published_cells, primary, secondary, recoverable, too_tight, method, .. } = answer;
    format!(
        "{published_cells} cells, {primary} of them unsafe; {secondary} secondary suppressions ({method}).\n\
         {recoverable} unsafe cells can be worked out, {too_tight} are bounded too tightly.\n"
    )
}

/// Writes the families of tables and the hierarchies of their variables for τ-ARGUS.
pub(super) fn export(
    session: &Session,
    folder: &Path,
    spec: &Spec,
    families: &[MarkedFamily],
    made: &[CountedTable],
    inputs: &[&Path],
) -> Result<()> {
    std::fs::create_dir_all(folder).map_err(|error| Error::io("create", folder, error))?;
    for (number, MarkedFamily { family, .. }) in families.iter().enumerate() {
        let nothing = vec![false; family.system.cells.len()];
        write_file(&folder.join(format!("family-{}.jj", number + 1)), &jj::write(&family.system, &nothing), inputs)?;
        // JJ files number their cells; this says what each number is.
        let mut cells = String::from("cell\ttable\tplace\n");
        for (cell, home) in family.homes.iter().enumerate() {
            cells += &match home {
                Some((place, at)) => {
                    let table = &made[family.tables[*place]].table;
                    format!("{cell}\t{}\t{}\n", table.name, table.describe(*at))
                }
                None => format!("{cell}\t\t{UNPUBLISHED}\n"),
            };
        }
        write_file(&folder.join(format!("family-{}-cells.tsv", number + 1)), &cells, inputs)?;
    }
    for variable in &spec.variables {
        if let Some(hierarchy) = spec.hierarchy(variable)?.filter(|hierarchy| hierarchy.values().is_some()) {
            // A hierarchy of ours may call a group like a value; one of τ-ARGUS may not.
            match hrc::from_hierarchy(&hierarchy) {
                Ok(text) => write_file(&folder.join(format!("{}.hrc", variable.name)), &text, inputs)?,
                Err(error) => session.remark(&format!("the hierarchy of `{}` was not written: {error}", variable.name)),
            }
        }
    }
    Ok(())
}
