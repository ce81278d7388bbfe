//! Some columns of all records, for tables. They have values as codes, numbers, what links a record to others, and
//! which records meet a condition. The order of the records is not kept.

use std::collections::{BTreeMap, HashMap};

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, UInt64Type};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_cast::cast;
use arrow_schema::{DataType, Schema};
use outward_error::{Error, Result, suggest};
use xxhash_rust::xxh3::xxh3_128;

use crate::coded::Coded;
use crate::dictionary::{Dictionary, MISSING};
use crate::intern::Interner;

/// The row of a record whose rows are not numbered.
const UNNUMBERED: u64 = u64::MAX;

/// Which columns to collect.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ColumnRequest {
    /// Columns whose values are coded.
    pub coded: Vec<String>,
    /// Columns that are numbers.
    pub numbers: Vec<String>,
    /// Lists of columns. The columns of a list together say which other records a record belongs to.
    pub links: Vec<Vec<String>>,
    /// Columns that together distinguish records; the keys of records are drawn from them. None if empty.
    pub key: Vec<String>,
    /// Values of coded columns that no record need have and that conditions are evaluated on all the same.
    pub listed: BTreeMap<String, Vec<String>>,
}

/// What a condition says of values alone.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Truth {
    /// The coded columns it reads, by their place in the request.
    pub columns: Vec<usize>,
    /// Whether the condition holds for each combination of their codes, 0 for missing. Combinations for which it also
    /// depends on other columns are not listed. None if this could not be worked out.
    pub holds: Option<Holds>,
}

/// By some codes whether a condition holds.
pub type Holds = HashMap<Vec<u32>, bool>;

/// The columns of all records, in the order of the request.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Columns {
    /// How many records there are.
    pub rows: usize,
    /// Codes and dictionaries.
    pub coded: Vec<Coded>,
    /// For each of these the values that no record has and that conditions distinguish. Their codes follow those of the
    /// dictionary. Empty if nobody asked.
    pub unseen: Vec<Vec<String>>,
    /// For each of these the first row of the source with each code; empty if the rows are not numbered.
    pub first_rows: Vec<Vec<u64>>,
    /// Numbers; NaN is missing.
    pub numbers: Vec<Vec<f64>>,
    /// A hash of the values of each list of columns; 0 if one of them is missing.
    pub links: Vec<Vec<u128>>,
    /// A hash of the values that distinguish records, missing ones too; empty if none was asked for.
    pub keys: Vec<u128>,
    /// Whether a record meets each condition.
    pub masks: Vec<Vec<bool>>,
    /// What each condition says of values alone; empty if this was not asked for.
    pub truths: Vec<Truth>,
}

/// Collects columns on one thread.
#[derive(Debug)]
pub struct ColumnCollector {
    request: ColumnRequest,
    coded: Vec<(usize, Interner, Vec<u32>)>,
    /// The column of a batch that has the row numbers, and the first row of each code of each coded column.
    row: Option<usize>,
    first_rows: Vec<Vec<u64>>,
    numbers: Vec<(usize, Vec<f64>)>,
    /// For each of these the first row that is not a number; none if all are numbers.
    misfits: Vec<Option<u64>>,
    links: Vec<(Vec<usize>, Vec<u128>)>,
    key: (Vec<usize>, Vec<u128>),
    masks: Vec<(usize, Vec<bool>)>,
    rows: usize,
    codes: Vec<u32>,
}

impl ColumnCollector {
    /// A collector for batches of this schema; `masks` are the positions of columns that say whether a condition is met.
    ///
    /// # Errors
    /// If a column is not there.
    pub fn new(schema: &Schema, request: &ColumnRequest, masks: &[usize]) -> Result<Self> {
        let find = |name: &String| -> Result<usize> {
            let known = schema.fields().iter().map(|field| field.name().as_str());
            let fault = || Error::input(format!("there is no column `{name}`")).missing_column(name);
            schema.index_of(name).map_err(|_| fault().help(suggest(name, known, "columns")).into())
        };
        let coded = |name| {
            let column = find(name)?;
            Ok((column, Interner::new(schema.field(column).data_type()), Vec::new()))
        };
        let link = |names: &Vec<String>| Ok((names.iter().map(find).collect::<Result<Vec<_>>>()?, Vec::new()));
        Ok(Self {
            coded: request.coded.iter().map(coded).collect::<Result<_>>()?,
            numbers: request.numbers.iter().map(|name| Ok((find(name)?, Vec::new()))).collect::<Result<_>>()?,
            misfits: vec![None; request.numbers.len()],
            links: request.links.iter().map(link).collect::<Result<_>>()?,
            key: link(&request.key)?,
            masks: masks.iter().map(|column| (*column, Vec::new())).collect(),
            row: None,
            first_rows: vec![Vec::new(); request.coded.len()],
            request: request.clone(),
            rows: 0,
            codes: Vec::new(),
        })
    }

    /// A collector that also keeps the first row of each value. The numbers of the rows are in this column.
    pub fn numbered_by(self, row: usize) -> Self {
        Self { row: Some(row), ..self }
    }

    /// Takes the records of a batch.
    ///
    /// # Errors
    /// If values cannot be read.
    pub fn observe(&mut self, batch: &RecordBatch) -> Result<()> {
        let rows = match self.row {
            Some(row) => batch.column(row).as_primitive_opt::<UInt64Type>().map_or(&[][..], |rows| rows.values()),
            None => &[],
        };
        for ((column, interner, all), first_rows) in self.coded.iter_mut().zip(&mut self.first_rows) {
            interner.codes(batch.column(*column), &mut self.codes)?;
            all.extend_from_slice(&self.codes);
            rows.iter().zip(&self.codes).for_each(|(row, code)| keep_first(first_rows, *code, *row));
        }
        for ((column, all), misfit) in self.numbers.iter_mut().zip(&mut self.misfits) {
            if let Some(row) = read_numbers(batch.column(*column), rows, all)? {
                *misfit = Some(misfit.map_or(row, |known| known.min(row)));
            }
        }
        for (columns, all) in &mut self.links {
            hash_rows(batch, columns, true, all)?;
        }
        if !self.key.0.is_empty() {
            hash_rows(batch, &self.key.0, false, &mut self.key.1)?;
        }
        for (column, all) in &mut self.masks {
            match batch.column(*column).as_boolean_opt() {
                Some(mask) => all.extend(mask.iter().map(|met| met == Some(true))),
                None => all.extend(std::iter::repeat_n(false, batch.num_rows())),
            }
        }
        self.rows += batch.num_rows();
        Ok(())
    }
}

impl Columns {
    /// Joins what the collectors of several threads hold.
    ///
    /// # Errors
    /// If a value of a column of numbers is not a number, or values cannot be written out.
    pub fn merge(parts: Vec<ColumnCollector>) -> Result<Self> {
        refuse_misfits(&parts)?;
        let mut all = Self::default();
        let mut coded: Vec<Vec<ThreadColumn>> = Vec::new();
        for part in parts {
            all.rows += part.rows;
            coded.resize_with(part.coded.len(), Vec::new);
            for (((_, interner, codes), first_rows), merged) in
                part.coded.into_iter().zip(part.first_rows).zip(&mut coded)
            {
                let (dictionary, sorted) = interner.finish()?;
                merged.push(ThreadColumn { dictionary, sorted, codes, first_rows });
            }
            extend(&mut all.numbers, part.numbers.into_iter().map(|(_, numbers)| numbers));
            extend(&mut all.links, part.links.into_iter().map(|(_, links)| links));
            all.keys.extend(part.key.1);
            extend(&mut all.masks, part.masks.into_iter().map(|(_, masks)| masks));
        }
        (all.coded, all.first_rows) = coded.into_iter().map(join).unzip();
        Ok(all)
    }
}

fn extend<T>(all: &mut Vec<Vec<T>>, more: impl ExactSizeIterator<Item = Vec<T>>) {
    all.resize_with(more.len(), Vec::new);
    all.iter_mut().zip(more).for_each(|(all, more)| all.extend(more));
}

/// A coded column as one thread read it.
struct ThreadColumn {
    dictionary: Dictionary,
    /// For each code given while reading the one in the dictionary.
    sorted: Vec<u32>,
    codes: Vec<u32>,
    first_rows: Vec<u64>,
}

fn join(parts: Vec<ThreadColumn>) -> (Coded, Vec<u64>) {
    let dictionary = Dictionary::union(parts.iter().map(|part| &part.dictionary).collect::<Vec<_>>());
    let mut codes = Vec::with_capacity(parts.iter().map(|part| part.codes.len()).sum());
    let mut first_rows = Vec::new();
    for part in parts {
        let joined = part.dictionary.codes_in(&dictionary);
        let code = |own: u32| joined[part.sorted[own as usize] as usize];
        codes.extend(part.codes.iter().map(|own| code(*own)));
        (0..).zip(part.first_rows).for_each(|(own, row)| keep_first(&mut first_rows, code(own), row));
    }
    debug_assert!(codes.iter().all(|code| *code == MISSING || *code as usize <= dictionary.len()));
    (Coded { codes, dictionary }, first_rows)
}

fn keep_first(first_rows: &mut Vec<u64>, code: u32, row: u64) {
    let code = code as usize;
    if first_rows.len() <= code {
        first_rows.resize(code + 1, u64::MAX);
    }
    first_rows[code] = first_rows[code].min(row);
}

/// Reads numbers. Returns the first row with a value that is not a number, by the numbers of the `rows`.
fn read_numbers(column: &ArrayRef, rows: &[u64], all: &mut Vec<f64>) -> Result<Option<u64>> {
    let numbers = cast(column, &DataType::Float64).map_err(Error::bug)?;
    let numbers = numbers.as_primitive::<Float64Type>();
    let is_misfit = |(at, number): (usize, Option<f64>)| match number {
        None => column.is_valid(at),
        Some(number) => number.is_infinite(),
    };
    let row = |at: usize| rows.get(at).copied().unwrap_or(UNNUMBERED);
    let misfits = numbers.iter().enumerate().filter(|found| is_misfit(*found));
    let first = misfits.map(|(at, _)| row(at)).min();
    all.extend(numbers.iter().map(|number| number.unwrap_or(f64::NAN)));
    Ok(first)
}

/// Names the first column that should hold numbers and does not, with its first such row. The answer is the same on any
/// number of threads.
fn refuse_misfits(parts: &[ColumnCollector]) -> Result<()> {
    let names = parts.first().map_or(&[][..], |part| &part.request.numbers);
    for (at, name) in names.iter().enumerate() {
        let Some(row) = parts.iter().filter_map(|part| part.misfits[at]).min() else { continue };
        let fault =
            Error::input("this is not a number").variable(name).help("correct the data, or list it under `missing`");
        return Err(if row == UNNUMBERED { fault } else { fault.row(row) }.into());
    }
    Ok(())
}

/// Hashes of rows; where they are links, a row with a missing value links to nothing and has 0.
fn hash_rows(batch: &RecordBatch, columns: &[usize], links: bool, all: &mut Vec<u128>) -> Result<()> {
    let text = |column: &usize| cast(batch.column(*column), &DataType::Utf8).map_err(Error::bug);
    let texts = columns.iter().map(text).collect::<Result<Vec<ArrayRef>>>()?;
    let mut bytes = Vec::new();
    for row in 0..batch.num_rows() {
        bytes.clear();
        let mut missing = false;
        for column in &texts {
            missing |= column.is_null(row);
            if !column.is_null(row) {
                bytes.extend_from_slice(column.as_string::<i32>().value(row).trim().as_bytes());
            }
            bytes.push(if column.is_null(row) { 0x1e } else { 0x1f });
        }
        all.push(if missing && links { 0 } else { xxh3_128(&bytes) });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::sync::Arc;

    use arrow_array::{Int64Array, StringArray, UInt64Array};
    use arrow_schema::Field;

    use super::*;

    fn batch(ids: Vec<Option<i64>>, colours: Vec<Option<&str>>) -> RecordBatch {
        let schema =
            Schema::new(vec![Field::new("id", DataType::Int64, true), Field::new("colour", DataType::Utf8, true)]);
        let columns: Vec<ArrayRef> = vec![Arc::new(Int64Array::from(ids)), Arc::new(StringArray::from(colours))];
        RecordBatch::try_new(Arc::new(schema), columns).unwrap()
    }

    #[test]
    fn codes_of_several_threads_mean_the_same_values() {
        let request = ColumnRequest {
            coded: vec!["colour".into()],
            numbers: vec!["id".into()],
            links: vec![vec!["id".into()]],
            key: vec!["id".into(), "colour".into()],
            ..ColumnRequest::default()
        };
        let one = batch(vec![Some(1), Some(2)], vec![Some("red"), Some("blue")]);
        let other = batch(vec![Some(1), None], vec![Some("amber"), None]);
        let collect = |batch: &RecordBatch| {
            let mut collector = ColumnCollector::new(&batch.schema(), &request, &[]).unwrap();
            collector.observe(batch).unwrap();
            collector
        };
        let all = Columns::merge(vec![collect(&one), collect(&other)]).unwrap();
        let value = |row: usize| all.coded[0].dictionary.value(all.coded[0].codes[row]);
        assert_eq!((0..4).map(value).collect::<Vec<_>>(), [Some("red"), Some("blue"), Some("amber"), None]);
        assert_eq!((all.links[0][0], all.links[0][3]), (all.links[0][2], 0));
        assert_ne!(all.links[0][0], all.links[0][1]);
        assert!(all.numbers[0][3].is_nan());
        // A record without some values has a key all the same.
        assert!(
            all.keys[3] != 0 && all.keys.iter().all(|key| all.keys.iter().filter(|other| *other == key).count() == 1)
        );
    }

    #[test]
    fn the_first_row_of_a_value_is_known_whichever_thread_read_it() {
        let request = ColumnRequest { coded: vec!["colour".into()], ..ColumnRequest::default() };
        let batch = |rows: [u64; 3], colours: [Option<&str>; 3]| {
            let schema = [Field::new("colour", DataType::Utf8, true), Field::new("row", DataType::UInt64, false)];
            let columns: Vec<ArrayRef> =
                vec![Arc::new(StringArray::from(colours.to_vec())), Arc::new(UInt64Array::from(rows.to_vec()))];
            RecordBatch::try_new(Arc::new(Schema::new(schema.to_vec())), columns).unwrap()
        };
        let collect = |batch: RecordBatch| {
            let mut collector = ColumnCollector::new(&batch.schema(), &request, &[]).unwrap().numbered_by(1);
            collector.observe(&batch).unwrap();
            collector
        };
        let late = collect(batch([4, 5, 6], [Some("red"), Some("amber"), Some("red")]));
        let early = collect(batch([1, 2, 3], [Some("red"), None, Some("blue")]));
        let all = Columns::merge(vec![late, early]).unwrap();
        let values: Vec<&str> = all.coded[0].dictionary.values().collect();
        assert_eq!((values, &all.first_rows[0][1..]), (vec!["amber", "blue", "red"], &[5, 3, 1][..]));
    }

    #[test]
    fn what_is_no_number_is_refused_by_its_first_row_without_showing_it() {
        let request = ColumnRequest { numbers: vec!["colour".into()], ..ColumnRequest::default() };
        let collect = |ids: [u64; 2], colours: [&str; 2]| {
            let schema = [Field::new("colour", DataType::Utf8, true), Field::new("row", DataType::UInt64, false)];
            let columns: Vec<ArrayRef> =
                vec![Arc::new(StringArray::from(colours.to_vec())), Arc::new(UInt64Array::from(ids.to_vec()))];
            let batch = RecordBatch::try_new(Arc::new(Schema::new(schema.to_vec())), columns).unwrap();
            let mut collector = ColumnCollector::new(&batch.schema(), &request, &[]).unwrap().numbered_by(1);
            collector.observe(&batch).unwrap();
            collector
        };
        let error = Columns::merge(vec![collect([3, 4], ["secret", "1"]), collect([1, 2], ["7", "inf"])]).unwrap_err();
        assert_eq!(error.to_string(), "column `colour`, row 2: this is not a number");
        let one = batch(vec![Some(1)], vec![Some("secret")]);
        let mut unnumbered = ColumnCollector::new(&one.schema(), &request, &[]).unwrap();
        unnumbered.observe(&one).unwrap();
        assert_eq!(Columns::merge(vec![unnumbered]).unwrap_err().to_string(), "column `colour`: this is not a number");
    }
}
