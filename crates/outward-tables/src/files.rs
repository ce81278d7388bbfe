//! The files that tables are made from: `[data]` and its linked files, as columns of codes.

mod link;
mod request;

use std::path::PathBuf;

use hashbrown::HashMap;
use outward_cells::{Columns, Condition, Holds, Truth};
use outward_spec::{Error, Fault, Result, Spec, Variable};

use request::{column_of, draws_keys, path_of};

pub use request::{FileRequest, misread, requests};
pub(crate) use request::{file_of, files_of, unit_of};

/// The records of one file.
#[derive(Debug)]
struct File {
    /// Its path, for error messages.
    path: Option<PathBuf>,
    request: FileRequest,
    columns: Columns,
    /// For each record the record of `[data]` it belongs to, or [`NOBODY`]. Empty for `[data]` itself.
    parents: Vec<u32>,
    /// Where the records of each record of `[data]` begin in `children`.
    starts: Vec<usize>,
    children: Vec<u32>,
}

/// Stands for no record.
const NOBODY: u32 = u32::MAX;

/// The files of a spec, linked.
#[derive(Debug)]
pub struct Files {
    files: Vec<File>,
}

/// The values of a variable for each record of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Answers {
    /// One code for each record; 0 is missing.
    One(Vec<u32>),
    /// The number of a set of codes for each record, and the sets.
    Several(Vec<u32>, Vec<Vec<u32>>),
}

impl Files {
    /// Links the files that were read, `[data]` first.
    ///
    /// # Errors
    /// If two records of `[data]` have the same link, or no linked record belongs to a record of `[data]`.
    pub fn link(spec: &Spec, read: Vec<(FileRequest, Columns)>) -> Result<Self> {
        let mut files: Vec<File> = Vec::new();
        for (at, (request, columns)) in read.into_iter().enumerate() {
            let path = path_of(spec, at);
            let mut file =
                File { path, request, columns, parents: Vec::new(), starts: Vec::new(), children: Vec::new() };
            if at > 0 {
                file.parents = link::parents(&files[0], &file, &spec.linked[at - 1])?;
                (file.starts, file.children) = link::by_parent(&file.parents, files[0].columns.rows);
            }
            files.push(file);
        }
        Ok(Self { files })
    }

    /// A fault in one of the files.
    pub(crate) fn in_file(&self, file: usize, fault: Fault) -> Fault {
        self.files[file].in_it(fault)
    }

    /// A fault in the file that a variable is read from, if it is only one.
    pub(crate) fn in_file_of(&self, spec: &Spec, variable: &Variable, fault: Fault) -> Fault {
        match files_of(spec, variable)[..] {
            [file] => self.in_file(file, fault),
            _ => fault,
        }
    }

    /// The first row with such a value of a variable, if the variable is read from one file and its rows are numbered.
    pub(crate) fn first_row(&self, spec: &Spec, variable: &Variable, such: impl Fn(&str) -> bool) -> Option<u64> {
        let [_] = files_of(spec, variable)[..] else { return None };
        let in_column = |(file, column): (usize, usize)| {
            let columns = &self.files[file].columns;
            let rows = columns.first_rows[column].iter().skip(1).zip(columns.coded[column].dictionary.values());
            rows.filter(|(_, value)| such(value)).map(|(row, _)| *row).min()
        };
        self.columns_of(spec, variable).into_iter().filter_map(in_column).min()
    }

    /// How many records a file has.
    pub(crate) fn rows(&self, file: usize) -> usize {
        self.files[file].columns.rows
    }

    /// The parsed condition of a table.
    pub(crate) fn condition(&self, text: &str) -> Result<&Condition> {
        let all = self.files.iter().flat_map(|file| &file.request.conditions);
        all.into_iter().find(|known| known.text == text).ok_or_else(|| Error::bug("a condition was not parsed"))
    }

    /// Which records of a unit meet a condition: by their own columns, by those of the record of `[data]` they belong
    /// to, or by any record linked to that one.
    pub(crate) fn mask(&self, unit: usize, condition: &Condition) -> Result<Vec<bool>> {
        // Several files may have the columns of a condition. The file of the unit comes first.
        let found = [unit].into_iter().chain(0..self.files.len()).find_map(|at| {
            let file = &self.files[at];
            let position = file.request.conditions.iter().position(|known| known == condition)?;
            Some((at, &file.columns.masks[position]))
        });
        let (from, mask) = found.ok_or_else(|| Error::bug("a condition was not read"))?;
        Ok(self.rows_of(unit, from, |rows| rows.iter().any(|row| mask[*row as usize])))
    }

    /// What a condition says about values alone: the file it is about, and whether it holds, by the codes of the
    /// columns that it reads.
    pub(crate) fn truth(&self, unit: usize, condition: &Condition) -> Option<(usize, &Truth)> {
        [unit].into_iter().chain(0..self.files.len()).find_map(|at| {
            let file = &self.files[at];
            let position = file.request.conditions.iter().position(|known| known == condition)?;
            Some((at, file.columns.truths.get(position)?))
        })
    }

    /// For each combination of codes of some columns of a file: whether the records of a unit with these codes meet a
    /// condition, if all do or none does.
    pub(crate) fn seen(&self, unit: usize, file: usize, columns: &[usize], mask: &[bool]) -> Holds {
        let code = |column: &usize| {
            let codes = &self.files[file].columns.coded[*column].codes;
            self.rows_of(unit, file, |rows| rows.first().map_or(0, |row| codes[*row as usize]))
        };
        let codes: Vec<Vec<u32>> = columns.iter().map(code).collect();
        let mut seen: HashMap<Vec<u32>, Option<bool>> = HashMap::new();
        for (row, met) in mask.iter().enumerate() {
            let known = seen.entry(codes.iter().map(|codes| codes[row]).collect()).or_insert(Some(*met));
            *known = known.filter(|known| known == met);
        }
        seen.into_iter().filter_map(|(codes, met)| Some((codes, met?))).collect()
    }

    /// The name of a coded column of a file, and its values in the order of their codes.
    pub(crate) fn coded(&self, file: usize, column: usize) -> (&str, Vec<&str>) {
        let File { request, columns, .. } = &self.files[file];
        (&request.columns.coded[column], columns.coded[column].dictionary.values().collect())
    }

    /// The values of a coded column of a file that no record has and that conditions distinguish. Their codes follow
    /// those of the values that occur.
    pub(crate) fn unseen(&self, file: usize, column: usize) -> &[String] {
        self.files[file].columns.unseen.get(column).map_or(&[], Vec::as_slice)
    }

    /// The position of a column of this name among the coded columns of a file.
    pub(crate) fn coded_column(&self, file: usize, name: &str) -> Option<usize> {
        self.files[file].request.columns.coded.iter().position(|known| known == name)
    }

    /// The code of each record of a file in a column; 0 where it is missing.
    pub(crate) fn codes(&self, file: usize, column: usize) -> &[u32] {
        &self.files[file].columns.coded[column].codes
    }

    /// A number for each record of a unit, from itself or from the record of `[data]` it belongs to, and the file it
    /// was read from.
    pub(crate) fn numbers(&self, spec: &Spec, unit: usize, name: &str) -> Result<(Vec<f64>, usize)> {
        let column = column_of(spec, name);
        let found = [unit, 0].into_iter().find_map(|at| {
            let file = &self.files[at];
            let position = file.request.columns.numbers.iter().position(|known| known == column)?;
            Some((at, &file.columns.numbers[position]))
        });
        let (from, numbers) = found.ok_or_else(|| Error::bug("a column of numbers was not read"))?;
        let number = |rows: &[u32]| rows.first().map_or(f64::NAN, |row| numbers[*row as usize]);
        Ok((self.rows_of(unit, from, number), from))
    }

    /// For each record of a unit a hash of the values of some columns.
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

    /// For each record of a unit the hash from which its cell key is drawn, if keys are needed.
    pub(crate) fn keys(&self, spec: &Spec, unit: usize) -> Option<&[u128]> {
        draws_keys(spec).then(|| self.files[unit].columns.keys.as_slice())
    }

    /// A value for each record of `unit`, from the records of `from` that are linked to it.
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

    /// The record of `[data]` that a linked record belongs to.
    pub(crate) fn parent(&self, file: usize, row: u32) -> Option<u32> {
        Some(self.files[file].parents[row as usize]).filter(|parent| *parent != NOBODY)
    }

    fn children(&self, file: usize, row: u32) -> &[u32] {
        let file = &self.files[file];
        &file.children[file.starts[row as usize]..file.starts[row as usize + 1]]
    }

    /// The values of a variable in the files it is read from, in order.
    pub(crate) fn values(&self, spec: &Spec, variable: &Variable) -> Result<Vec<String>> {
        let mut values: Vec<String> = Vec::new();
        for (file, column) in self.columns_of(spec, variable) {
            values.extend(self.files[file].columns.coded[column].dictionary.values().map(str::to_owned));
        }
        // Numbers are in numerical order even if the file has them as text.
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

    /// The values of a variable for each record of a unit, as codes: positions in `values`, from 1.
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

    /// How many answers a record of a unit can have: as many as there are columns, unless answers come from records
    /// linked to it.
    pub(crate) fn most_answers(&self, spec: &Spec, variable: &Variable, unit: usize) -> Option<usize> {
        let files = files_of(spec, variable);
        let own = files.contains(&unit) && !variable.shared;
        let read = self.columns_of(spec, variable).into_iter().filter(|(file, _)| !own || *file == unit);
        let read: Vec<usize> = read.map(|(file, _)| file).collect();
        let one_each = |file: &usize| *file == 0 || *file == unit && !variable.shared;
        read.iter().all(one_each).then_some(read.len())
    }

    /// The set of codes of each record of a unit, from several columns or, if `shared`, from all records of the same
    /// record of `[data]`.
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
        in_order(numbers, sets)
    }
}

/// Numbers sets by content and not by first occurrence, as records are read in no particular order. The empty set stays
/// 0.
fn in_order(mut numbers: Vec<u32>, mut sets: Vec<Vec<u32>>) -> Answers {
    let mut order: Vec<u32> = (0..sets.len() as u32).collect();
    order.sort_unstable_by(|one, other| sets[*one as usize].cmp(&sets[*other as usize]));
    let mut place = vec![0; sets.len()];
    (0..).zip(&order).for_each(|(new, old)| place[*old as usize] = new);
    numbers.iter_mut().for_each(|number| *number = place[*number as usize]);
    sets.sort_unstable();
    Answers::Several(numbers, sets)
}

impl File {
    fn in_it(&self, fault: Fault) -> Fault {
        match &self.path {
            Some(path) => fault.file(path),
            None => fault,
        }
    }
}
