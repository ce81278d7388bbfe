//! The files tables are made from: `[data]` and what is linked to it, as columns of codes.

use hashbrown::HashMap;
use outward_cells::{ColumnRequest, Columns};
use outward_spec::{Error, Method, Protection, Result, Rounding, Spec, Table as Wanted, Variable};

/// What has to be read of one file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FileRequest {
    /// The columns.
    pub columns: ColumnRequest,
    /// Conditions of tables that are about its columns.
    pub conditions: Vec<String>,
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

/// Which file a name stands for: 0 is `[data]`, then the linked ones.
pub(crate) fn file_of(spec: &Spec, name: &str) -> usize {
    spec.linked.iter().position(|file| file.name == name).map_or(0, |at| at + 1)
}

/// The file whose records a table counts.
pub(crate) fn unit_of(spec: &Spec, table: &Wanted) -> usize {
    table.unit.as_deref().map_or(0, |name| file_of(spec, name))
}

/// What tables need of each file; `headers` are the names of the columns of each, `[data]` first.
///
/// # Errors
/// Where a file has no column a variable is read from.
pub fn requests(spec: &Spec, tables: &[&Wanted], headers: &[Vec<String>]) -> Result<Vec<FileRequest>> {
    let mut requests = vec![FileRequest::default(); spec.linked.len() + 1];
    for (at, linked) in spec.linked.iter().enumerate() {
        requests[at + 1].link(&linked.on);
        requests[0].link(&linked.on);
    }
    for table in tables {
        let unit = unit_of(spec, table);
        for variable in table.variables.iter().filter_map(|name| spec.variable(name)) {
            for file in files_of(spec, variable) {
                variable.read_from().iter().for_each(|column| requests[file].code(column));
            }
        }
        let weight = table.weighted.then(|| spec.weight()).flatten().map(|variable| variable.name.as_str());
        for name in [table.of.as_deref(), weight, table.given.as_deref()].into_iter().flatten() {
            requests[own_file(spec, name, unit, headers)?].number(column_of(spec, name));
        }
        if let Some(name) = &table.contributor {
            requests[own_file(spec, name, unit, headers)?].link(&[column_of(spec, name).to_owned()]);
        }
        if let Some(condition) = &table.condition {
            let file = &mut requests[condition_file(condition, unit, headers)];
            if !file.conditions.contains(condition) {
                file.conditions.push(condition.clone());
            }
        }
    }
    if !draws_keys(spec) {
        return Ok(requests);
    }
    let keys = match &spec.protection.key {
        Some(key) => vec![vec![key.clone()]; headers.len()],
        None => headers.to_vec(),
    };
    for (file, (request, key)) in requests.iter_mut().zip(&keys).enumerate() {
        if let Some(missing) = key.iter().find(|name| !headers[file].contains(name)).filter(|_| file == 0) {
            return Err(Error::input(format!("there is no column `{missing}` to draw keys from"))
                .help(outward_spec::suggest(missing, headers[file].iter().map(String::as_str), "columns"))
                .into());
        }
        // A linked file without the column has keys from its whole records.
        let there = key.iter().all(|name| headers[file].contains(name));
        request.columns.key = if there { key.clone() } else { headers[file].clone() };
    }
    Ok(requests)
}

/// Whether the protection of a spec draws on the keys of records.
fn draws_keys(spec: &Spec) -> bool {
    let Protection { method, rounding, .. } = &spec.protection;
    *method == Method::CellKey || *method == Method::Round && *rounding == Rounding::Random
}

/// The column a name of the spec is read from.
fn column_of<'a>(spec: &'a Spec, name: &'a str) -> &'a str {
    spec.variable(name).and_then(|variable| variable.read_from().first()).map_or(name, String::as_str)
}

/// The files a variable is read from.
fn files_of(spec: &Spec, variable: &Variable) -> Vec<usize> {
    match variable.from.is_empty() {
        true => vec![0],
        false => variable.from.iter().map(|name| file_of(spec, name)).collect(),
    }
}

/// The file a number or a contributor of a table is in: that of its records, or `[data]`.
fn own_file(spec: &Spec, name: &str, unit: usize, headers: &[Vec<String>]) -> Result<usize> {
    let column = column_of(spec, name);
    let has = |file: usize| headers[file].iter().any(|known| known == column);
    match (has(unit), has(0)) {
        (true, _) => Ok(unit),
        (_, true) => Ok(0),
        _ => Err(Error::input(format!("there is no column `{column}`"))
            .help(outward_spec::suggest(column, headers[unit].iter().map(String::as_str), "columns"))
            .into()),
    }
}

/// The file a condition is about: the one that has most of the names in it, that of the table's records first, then
/// `[data]`.
fn condition_file(condition: &str, unit: usize, headers: &[Vec<String>]) -> usize {
    let names = names_in(condition);
    let known = |file: usize| names.iter().filter(|name| headers[file].contains(name)).count();
    let order = std::iter::once(unit).chain(0..headers.len());
    order.fold(unit, |best, file| if known(file) > known(best) { file } else { best })
}

/// The words of an SQL condition that may name columns: outside single quotes, with or without double quotes.
fn names_in(condition: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut word = String::new();
    let mut quote = None;
    for c in condition.chars().chain([' ']) {
        match quote {
            Some(open) if c == open => {
                quote = None;
                if open == '"' {
                    names.push(std::mem::take(&mut word));
                }
            }
            Some('"') => word.push(c),
            Some(_) => {}
            None if c.is_alphanumeric() || c == '_' => word.push(c),
            None => {
                if !word.is_empty() {
                    names.push(std::mem::take(&mut word));
                }
                quote = (c == '"' || c == '\'').then_some(c);
            }
        }
    }
    names
}

/// The records of one file.
#[derive(Debug)]
struct File {
    request: FileRequest,
    columns: Columns,
    /// The record of `[data]` each record belongs to; none has [`NOBODY`]. Empty for `[data]` itself.
    parents: Vec<u32>,
    /// Where the records of each record of `[data]` begin in `children`.
    starts: Vec<usize>,
    children: Vec<u32>,
}

/// No record.
const NOBODY: u32 = u32::MAX;

/// The files of a spec, linked.
#[derive(Debug)]
pub struct Files {
    files: Vec<File>,
}

/// The values of a variable for each record of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Answers {
    /// One code of the base each; 0 is missing.
    One(Vec<u32>),
    /// The number of a set of codes each.
    Several(Vec<u32>, Vec<Vec<u32>>),
}

impl Files {
    /// Links what was read, `[data]` first.
    ///
    /// # Errors
    /// Where two records of `[data]` have the same link, so that others belong to both.
    pub fn link(spec: &Spec, read: Vec<(FileRequest, Columns)>) -> Result<Self> {
        let mut files: Vec<File> = Vec::new();
        for (at, (request, columns)) in read.into_iter().enumerate() {
            let mut file = File { request, columns, parents: Vec::new(), starts: Vec::new(), children: Vec::new() };
            if at > 0 {
                let linked = &spec.linked[at - 1];
                file.parents = parents(&files[0], &file, &linked.on)
                    .map_err(|error| error.with_fault(|f| f.variable(&linked.on[0])))?;
                (file.starts, file.children) = by_parent(&file.parents, files[0].columns.rows);
            }
            files.push(file);
        }
        Ok(Self { files })
    }

    /// How many records a file has.
    pub(crate) fn rows(&self, file: usize) -> usize {
        self.files[file].columns.rows
    }

    /// Which records of a unit a condition accepts: by their own columns, by those of the record of `[data]` they belong to,
    /// or where any record linked to that one meets it.
    pub(crate) fn mask(&self, unit: usize, condition: &str) -> Result<Vec<bool>> {
        // The same words may be about columns of several files: those of the unit come first.
        let found = [unit].into_iter().chain(0..self.files.len()).find_map(|at| {
            let file = &self.files[at];
            let position = file.request.conditions.iter().position(|known| known == condition)?;
            Some((at, &file.columns.masks[position]))
        });
        let (from, mask) = found.ok_or_else(|| Error::bug("a condition was not read"))?;
        Ok(self.rows_of(unit, from, |rows| rows.iter().any(|row| mask[*row as usize])))
    }

    /// A number for each record of a unit, its own or that of the record of `[data]` it belongs to.
    pub(crate) fn numbers(&self, spec: &Spec, unit: usize, name: &str) -> Result<Vec<f64>> {
        let column = column_of(spec, name);
        let found = [unit, 0].into_iter().find_map(|at| {
            let file = &self.files[at];
            let position = file.request.columns.numbers.iter().position(|known| known == column)?;
            Some((at, &file.columns.numbers[position]))
        });
        let (from, numbers) = found.ok_or_else(|| Error::bug("a column of numbers was not read"))?;
        Ok(self.rows_of(unit, from, |rows| rows.first().map_or(f64::NAN, |row| numbers[*row as usize])))
    }

    /// A number that stands for the values of some columns, for each record of a unit.
    pub(crate) fn hashes(&self, spec: &Spec, unit: usize, name: &str) -> Result<Vec<u128>> {
        let wanted = [column_of(spec, name).to_owned()];
        let found = [unit, 0].into_iter().find_map(|at| {
            let file = &self.files[at];
            let position = file.request.columns.links.iter().position(|known| known[..] == wanted)?;
            Some((at, &file.columns.links[position]))
        });
        let (from, hashes) = found.ok_or_else(|| Error::bug("a contributor was not read"))?;
        Ok(self.rows_of(unit, from, |rows| rows.first().map_or(0, |row| hashes[*row as usize])))
    }

    /// What keys are drawn from, for each record of a unit, where they are needed.
    pub(crate) fn keys(&self, spec: &Spec, unit: usize) -> Option<&[u128]> {
        draws_keys(spec).then(|| self.files[unit].columns.keys.as_slice())
    }

    /// A value for each record of `unit` from the records of `from` that go with it.
    fn rows_of<T>(&self, unit: usize, from: usize, value: impl Fn(&[u32]) -> T) -> Vec<T> {
        let rows = 0..self.rows(unit) as u32;
        match (unit, from) {
            (unit, from) if unit == from => rows.map(|row| value(&[row])).collect(),
            (_, 0) => {
                rows.map(|row| self.parent(unit, row).map_or_else(|| value(&[]), |parent| value(&[parent]))).collect()
            }
            (0, _) => rows.map(|row| value(self.children(from, row))).collect(),
            _ => rows
                .map(|row| {
                    self.parent(unit, row).map_or_else(|| value(&[]), |parent| value(self.children(from, parent)))
                })
                .collect(),
        }
    }

    fn parent(&self, file: usize, row: u32) -> Option<u32> {
        Some(self.files[file].parents[row as usize]).filter(|parent| *parent != NOBODY)
    }

    fn children(&self, file: usize, row: u32) -> &[u32] {
        let file = &self.files[file];
        &file.children[file.starts[row as usize]..file.starts[row as usize + 1]]
    }

    /// The values of a variable in the files it is read from, in their order.
    pub(crate) fn values(&self, spec: &Spec, variable: &Variable) -> Result<Vec<String>> {
        let mut values: Vec<String> = Vec::new();
        for (file, column) in self.columns_of(spec, variable) {
            values.extend(self.files[file].columns.coded[column].dictionary.values().map(str::to_owned));
        }
        // Numbers stand in their order even where the file has them as text.
        values.sort_unstable();
        if values.iter().all(|value| value.parse::<f64>().is_ok_and(f64::is_finite)) {
            let number = |value: &String| value.parse::<f64>().unwrap_or_default();
            values.sort_by(|one, other| number(one).total_cmp(&number(other)));
        }
        values.dedup();
        Ok(values)
    }

    fn columns_of(&self, spec: &Spec, variable: &Variable) -> Vec<(usize, usize)> {
        let files = files_of(spec, variable);
        let find = |file: usize, name: &String| {
            self.files[file].request.columns.coded.iter().position(|known| known == name).map(|at| (file, at))
        };
        files.iter().flat_map(|file| variable.read_from().iter().filter_map(|name| find(*file, name))).collect()
    }

    /// The values of a variable for each record of a unit, as codes in `values` (from 1).
    pub(crate) fn answers(&self, spec: &Spec, variable: &Variable, unit: usize, values: &[String]) -> Answers {
        let code: HashMap<&str, u32> = values.iter().map(String::as_str).zip(1..).collect();
        let files = files_of(spec, variable);
        let own = files.contains(&unit) && !variable.shared;
        let read: Vec<(usize, &[u32], Vec<u32>)> = (self.columns_of(spec, variable).into_iter())
            .filter(|(file, _)| !own || *file == unit)
            .map(|(file, column)| {
                let coded = &self.files[file].columns.coded[column];
                let joined = |value: &str| code.get(value).copied().unwrap_or_default();
                let codes = std::iter::once(0).chain(coded.dictionary.values().map(joined)).collect();
                (file, coded.codes.as_slice(), codes)
            })
            .collect();
        let single = !variable.has_several_answers() && (own || files == [0]);
        if let ([(file, codes, joined)], true) = (&read[..], single) {
            let code = |rows: &[u32]| rows.first().map_or(0, |row| joined[codes[*row as usize] as usize]);
            return Answers::One(self.rows_of(unit, *file, code));
        }
        self.sets(unit, variable.shared, &read)
    }

    /// The sets of codes of each record of a unit, over several columns or, where they are shared, over all records that belong to the
    /// same record of `[data]`.
    fn sets(&self, unit: usize, shared: bool, read: &[(usize, &[u32], Vec<u32>)]) -> Answers {
        let mut sets: Vec<Vec<u32>> = vec![Vec::new()];
        let mut known: HashMap<Vec<u32>, u32> = HashMap::new();
        known.insert(Vec::new(), 0);
        let mut numbers = Vec::with_capacity(self.rows(unit));
        let mut set: Vec<u32> = Vec::new();
        for row in 0..self.rows(unit) as u32 {
            set.clear();
            for (file, codes, joined) in read {
                let mut take = |row: u32| set.push(joined[codes[row as usize] as usize]);
                match (unit, *file) {
                    (unit, file) if unit == file && (unit == 0 || !shared) => take(row),
                    (0, file) => self.children(file, row).iter().for_each(|row| take(*row)),
                    (_, 0) => self.parent(unit, row).into_iter().for_each(take),
                    (_, file) => {
                        let parent = self.parent(unit, row);
                        parent.into_iter().flat_map(|parent| self.children(file, parent)).for_each(|row| take(*row));
                    }
                }
            }
            set.retain(|code| *code > 0);
            set.sort_unstable();
            set.dedup();
            let number = match known.get(&set) {
                Some(number) => *number,
                None => {
                    sets.push(set.clone());
                    known.insert(set.clone(), sets.len() as u32 - 1);
                    sets.len() as u32 - 1
                }
            };
            numbers.push(number);
        }
        Answers::Several(numbers, sets)
    }
}

/// What a variable is read from: the same for two variables of other names that read the same columns.
pub(crate) fn source_of(variable: &Variable) -> String {
    format!("{}/{}/{}", variable.from.join(","), variable.read_from().join(","), variable.shared)
}

/// The record of `[data]` each record of a linked file belongs to.
fn parents(data: &File, linked: &File, on: &[String]) -> Result<Vec<u32>> {
    let links = |file: &File| -> Result<Vec<u128>> {
        let position = file.request.columns.links.iter().position(|known| known == on);
        position.map(|at| file.columns.links[at].clone()).ok_or_else(|| Error::bug("a link was not read"))
    };
    let mut rows: HashMap<u128, u32> = HashMap::with_capacity(data.columns.rows);
    for (row, link) in links(data)?.into_iter().enumerate().filter(|(_, link)| *link != 0) {
        if rows.insert(link, row as u32).is_some() {
            return Err(Error::input(
                "two records of `[data]` have the same link, so that linked records belong to both",
            )
            .help("let `[data]` be the file that has each of them once")
            .into());
        }
    }
    let found: Vec<u32> = links(linked)?.iter().map(|link| rows.get(link).copied().unwrap_or(NOBODY)).collect();
    if !found.is_empty() && found.iter().all(|parent| *parent == NOBODY) {
        return Err(Error::input("no linked record belongs to a record of `[data]`")
            .help("see whether both files write the link in the same way: `001` is not `1`")
            .into());
    }
    Ok(found)
}

fn by_parent(parents: &[u32], rows: usize) -> (Vec<usize>, Vec<u32>) {
    let mut starts = vec![0usize; rows + 1];
    parents.iter().filter(|parent| **parent != NOBODY).for_each(|parent| starts[*parent as usize + 1] += 1);
    (0..rows).for_each(|row| starts[row + 1] += starts[row]);
    let mut next = starts.clone();
    let mut children = vec![0u32; starts[rows]];
    for (row, parent) in parents.iter().enumerate().filter(|(_, parent)| **parent != NOBODY) {
        children[next[*parent as usize]] = row as u32;
        next[*parent as usize] += 1;
    }
    (starts, children)
}
