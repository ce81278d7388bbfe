//! Which columns and conditions have to be read from each file.

use std::collections::BTreeSet;
use std::path::PathBuf;

use outward_cells::{ColumnRequest, Condition};
use outward_spec::{
    Error, Fault, Hierarchy, Protection, ProtectionMethod, Result, Rounding, Spec, Table as Wanted, Variable, suggest,
};

use crate::make::GIVE_COUNTS;

/// What has to be read from one file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FileRequest {
    /// The columns.
    pub columns: ColumnRequest,
    /// Conditions of tables on its columns.
    pub conditions: Vec<Condition>,
}

impl FileRequest {
    fn code(&mut self, name: &str) {
        if !self.columns.coded.iter().any(|known| known == name) {
            self.columns.coded.push(name.to_owned());
        }
    }

    fn number(&mut self, name: &str) {
        if !self.columns.numbers.iter().any(|known| known == name) {
            self.columns.numbers.push(name.to_owned());
        }
    }

    fn link(&mut self, names: &[String]) {
        if !self.columns.links.iter().any(|known| known == names) {
            self.columns.links.push(names.to_vec());
        }
    }
}

/// The number of the file with a name: 0 is `[data]`, then come the linked ones.
pub(crate) fn file_of(spec: &Spec, name: &str) -> usize {
    spec.linked.iter().position(|file| file.name == name).map_or(0, |at| at + 1)
}

/// The file whose records a table counts.
pub(crate) fn unit_of(spec: &Spec, table: &Wanted) -> usize {
    table.unit.as_deref().map_or(0, |name| file_of(spec, name))
}

/// What tables need from each file. `headers` has the column names of each file, `[data]` first, and `conditions` the
/// conditions of the tables.
///
/// # Errors
/// If a file lacks a column that is needed.
pub fn requests(
    spec: &Spec,
    tables: &[&Wanted],
    headers: &[Vec<String>],
    conditions: &[Condition],
) -> Result<Vec<FileRequest>> {
    let mut requests = vec![FileRequest::default(); spec.linked.len() + 1];
    for (at, linked) in spec.linked.iter().enumerate() {
        for file in [at + 1, 0] {
            if let Some(missing) = linked.on.iter().find(|name| !headers[file].contains(name)) {
                let fault = no_column(spec, file, headers, missing);
                return Err(Fault { what: format!("{} to link `{}` by", fault.what, linked.name), ..fault }.into());
            }
            requests[file].link(&linked.on);
        }
    }
    for table in tables {
        let condition = conditions.iter().find(|known| Some(&known.text) == table.condition.as_ref());
        request_table(spec, table, headers, condition, &mut requests)
            .map_err(|error| error.with_fault(|fault| fault.table(&table.name)))?;
    }
    request_listed(spec, tables, &mut requests)?;
    if draws_keys(spec) {
        request_keys(spec, headers, &mut requests)?;
    }
    Ok(requests)
}

fn request_table(
    spec: &Spec,
    table: &Wanted,
    headers: &[Vec<String>],
    condition: Option<&Condition>,
    requests: &mut [FileRequest],
) -> Result<()> {
    let unit = unit_of(spec, table);
    for variable in table.variables.iter().filter_map(|name| spec.variable(name)) {
        for file in files_of(spec, variable) {
            for column in variable.read_from() {
                if !headers[file].contains(column) {
                    return Err(no_column(spec, file, headers, column).into());
                }
                requests[file].code(column);
            }
        }
    }
    let weight = table.weighted.then(|| spec.weight()).flatten().map(|variable| variable.name.as_str());
    let cost = spec.protection.cost_of.as_deref();
    for name in [table.of.as_deref(), weight, table.given.as_deref(), cost].into_iter().flatten() {
        requests[own_file(spec, name, unit, headers)?].number(column_of(spec, name));
    }
    if let Some(name) = &table.contributor {
        requests[own_file(spec, name, unit, headers)?].link(&[column_of(spec, name).to_owned()]);
    }
    if let Some(condition) = condition {
        let about = condition_file(condition, unit, headers);
        let file = &mut requests[about];
        // A condition is evaluated on the values that occur, so these columns are read.
        condition.columns.iter().filter(|name| headers[about].contains(name)).for_each(|name| file.code(name));
        if !file.conditions.iter().any(|known| known.text == condition.text) {
            file.conditions.push(condition.clone());
        }
    }
    Ok(())
}

/// Requests that conditions are evaluated on all values that hierarchies list, whether or not they occur.
fn request_listed(spec: &Spec, tables: &[&Wanted], requests: &mut [FileRequest]) -> Result<()> {
    let names: BTreeSet<&String> = tables.iter().flat_map(|table| &table.variables).collect();
    for variable in names.into_iter().filter_map(|name| spec.variable(name)) {
        for file in files_of(spec, variable) {
            let FileRequest { columns, conditions } = &mut requests[file];
            let is_read = |column: &&String| conditions.iter().any(|condition| condition.reads(column));
            for column in variable.read_from().iter().filter(is_read) {
                let hierarchy = spec.hierarchy(variable)?;
                let listed = hierarchy.as_ref().and_then(Hierarchy::values).unwrap_or_default();
                let listed = listed.into_iter().map(str::to_owned);
                columns.listed.entry(column.clone()).or_default().extend(listed);
            }
        }
    }
    Ok(())
}

/// Adds the file to an error that occurred while reading it. An error about a condition or about numbers of a table
/// also names the table.
#[must_use]
pub fn misread(spec: &Spec, tables: &[&Wanted], file: usize, error: Error) -> Error {
    error.with_fault(|mut fault| {
        let in_question = |table: &&&Wanted| table.condition.is_some() && table.condition == fault.place.condition;
        if let Some(table) = tables.iter().find(in_question) {
            return fault.table(&table.name).field("where");
        }
        fault.place.file = fault.place.file.or_else(|| path_of(spec, file));
        let Some(column) = fault.place.variable.clone() else { return fault };
        let reads = |table: &&&Wanted| {
            let is = |name: &String| column_of(spec, name) == column;
            (file == 0 || unit_of(spec, table) == file) && table.given.iter().chain(&table.of).any(is)
        };
        let Some(table) = tables.iter().find(reads) else { return fault };
        let help = match table.given {
            Some(_) => GIVE_COUNTS,
            None => "correct the data, or list the codes of missing numbers under `missing`",
        };
        fault.table(&table.name).help(help)
    })
}

fn request_keys(spec: &Spec, headers: &[Vec<String>], requests: &mut [FileRequest]) -> Result<()> {
    let keys = match &spec.protection.key {
        Some(key) => vec![vec![key.clone()]; headers.len()],
        None => headers.to_vec(),
    };
    for (file, (request, key)) in requests.iter_mut().zip(&keys).enumerate() {
        if let Some(missing) = key.iter().find(|name| !headers[file].contains(name)).filter(|_| file == 0) {
            let fault = no_column(spec, file, headers, missing);
            return Err(Fault { what: format!("{} to draw keys from", fault.what), ..fault }.into());
        }
        // If a linked file lacks the column, its keys are drawn from whole records.
        let there = key.iter().all(|name| headers[file].contains(name));
        request.columns.key = if there { key.clone() } else { headers[file].clone() };
    }
    Ok(())
}

/// An error: a file does not have a column.
fn no_column(spec: &Spec, file: usize, headers: &[Vec<String>], name: &str) -> Fault {
    let help = suggest(name, headers[file].iter().map(String::as_str), "columns");
    let fault = Error::input(format!("there is no column `{name}`")).missing_column(name).help(help);
    match path_of(spec, file) {
        Some(path) => fault.file(path),
        None => fault,
    }
}

/// The path of a file; `None` for a database.
pub(super) fn path_of(spec: &Spec, file: usize) -> Option<PathBuf> {
    let source = if file == 0 { &spec.data } else { &spec.linked.get(file - 1)?.data };
    source.path.as_ref().map(|path| spec.resolve(path))
}

/// Whether the protection of a spec needs keys of records.
pub(super) fn draws_keys(spec: &Spec) -> bool {
    let Protection { method, rounding, .. } = &spec.protection;
    *method == ProtectionMethod::CellKey || *method == ProtectionMethod::Round && *rounding == Rounding::Random
}

/// The column that a name of the spec is read from.
pub(super) fn column_of<'a>(spec: &'a Spec, name: &'a str) -> &'a str {
    spec.variable(name).and_then(|variable| variable.read_from().first()).map_or(name, String::as_str)
}

/// The files a variable is read from.
pub(crate) fn files_of(spec: &Spec, variable: &Variable) -> Vec<usize> {
    match variable.from.is_empty() {
        true => vec![0],
        false => variable.from.iter().map(|name| file_of(spec, name)).collect(),
    }
}

/// The file that has a number or a contributor of a table: that of its records, or `[data]`.
fn own_file(spec: &Spec, name: &str, unit: usize, headers: &[Vec<String>]) -> Result<usize> {
    let column = column_of(spec, name);
    let has = |file: &usize| headers[*file].iter().any(|known| known == column);
    [unit, 0].into_iter().find(has).ok_or_else(|| no_column(spec, unit, headers, column).into())
}

/// The file a condition is about: the one with most of the columns it reads. If several have as many, the file of the
/// table's records comes first, then `[data]`.
fn condition_file(condition: &Condition, unit: usize, headers: &[Vec<String>]) -> usize {
    let known = |file: usize| condition.columns.iter().filter(|name| headers[file].contains(name)).count();
    let order = std::iter::once(unit).chain(0..headers.len());
    order.fold(unit, |best, file| if known(file) > known(best) { file } else { best })
}
