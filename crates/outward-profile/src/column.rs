//! One column as its records are read: each value is counted by its hash, and the values of the chosen records are
//! examined.

mod dictionary;
mod value;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Date32Type, Date64Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type,
    UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef};
use arrow_cast::display::{ArrayFormatter, FormatOptions};
use arrow_schema::{DataType, Field};

use crate::profile::Lengths;
use crate::sample::Rows;
use crate::tally::ReadingTally;
use crate::values::{Repeats, Values};
use dictionary::TextDictionary;
use value::{Day, Real, Value, Whole};

/// Gathers what the profile needs of one column.
pub(crate) struct ColumnProfiler {
    pub(crate) name: String,
    pub(crate) data_type: DataType,
    missing: u64,
    lengths: Option<Lengths>,
    range: Option<(f64, f64)>,
    values: Values,
    /// Readings of the examined records, by the record's rarity.
    examined: Vec<ReadingTally>,
    /// Hashes of the records kept for ranking keys; 0 if missing.
    kept: Vec<u64>,
    dictionary: Option<TextDictionary>,
}

/// What a column comes to.
pub(crate) struct Summary {
    pub(crate) name: String,
    pub(crate) data_type: DataType,
    pub(crate) missing: u64,
    pub(crate) lengths: Option<Lengths>,
    /// Smallest and largest number: of all values in columns of numbers, of the examined ones in columns of text.
    pub(crate) range: Option<(f64, f64)>,
    pub(crate) repeats: Repeats,
    pub(crate) tally: ReadingTally,
    pub(crate) kept: Vec<u64>,
}

impl ColumnProfiler {
    pub(crate) fn new(field: &Field) -> Self {
        Self {
            name: field.name().clone(),
            data_type: field.data_type().clone(),
            missing: 0,
            lengths: None,
            range: None,
            values: Values::default(),
            examined: Vec::new(),
            kept: Vec::new(),
            dictionary: None,
        }
    }

    /// Counts the values of a batch and examines those of the chosen rows.
    pub(crate) fn observe(&mut self, array: &ArrayRef, rows: &Rows) {
        match array.data_type() {
            DataType::Null => self.walk(array.len(), rows, |_| None::<&str>),
            DataType::Utf8 => self.walk_text(array.as_string::<i32>(), rows),
            DataType::LargeUtf8 => self.walk_text(array.as_string::<i64>(), rows),
            DataType::Utf8View => self.walk_text(array.as_string_view(), rows),
            DataType::Int8 => self.walk_whole::<Int8Type>(array, rows),
            DataType::Int16 => self.walk_whole::<Int16Type>(array, rows),
            DataType::Int32 => self.walk_whole::<Int32Type>(array, rows),
            DataType::Int64 => self.walk_whole::<Int64Type>(array, rows),
            DataType::UInt8 => self.walk_whole::<UInt8Type>(array, rows),
            DataType::UInt16 => self.walk_whole::<UInt16Type>(array, rows),
            DataType::UInt32 => self.walk_whole::<UInt32Type>(array, rows),
            DataType::UInt64 => self.walk_whole::<UInt64Type>(array, rows),
            DataType::Float32 => {
                let array = array.as_primitive::<Float32Type>();
                self.walk(array.len(), rows, |row| {
                    Real::from_number(array.is_valid(row).then(|| f64::from(array.value(row))))
                });
            }
            DataType::Float64 => {
                let array = array.as_primitive::<Float64Type>();
                self.walk(array.len(), rows, |row| Real::from_number(array.is_valid(row).then(|| array.value(row))));
            }
            DataType::Date32 => {
                let array = array.as_primitive::<Date32Type>();
                self.walk(array.len(), rows, |row| array.is_valid(row).then(|| Day(i64::from(array.value(row)))));
            }
            DataType::Date64 => {
                let array = array.as_primitive::<Date64Type>();
                let day = |row| Day(array.value(row).div_euclid(86_400_000));
                self.walk(array.len(), rows, |row| array.is_valid(row).then(|| day(row)));
            }
            DataType::Dictionary(_, values) => self.walk_dictionary(array, values, rows),
            _ => self.walk_shown(array, rows),
        }
    }

    fn walk_text<'a>(&mut self, array: impl arrow_array::ArrayAccessor<Item = &'a str>, rows: &Rows) {
        let get = |row| if array.is_valid(row) { filled(array.value(row)) } else { None };
        self.walk(array.len(), rows, get);
    }

    fn walk_whole<T: ArrowPrimitiveType<Native: Into<i128>>>(&mut self, array: &ArrayRef, rows: &Rows) {
        let array = array.as_primitive::<T>();
        self.walk(array.len(), rows, |row| array.is_valid(row).then(|| Whole(array.value(row).into())));
    }

    fn walk_dictionary(&mut self, array: &ArrayRef, values: &DataType, rows: &Rows) {
        match array.as_dictionary_opt::<Int32Type>() {
            Some(coded) if *values == DataType::Utf8 => self.walk_codes(coded, rows),
            _ => match arrow_cast::cast(array, values) {
                Ok(unpacked) => self.observe(&unpacked, rows),
                Err(_) => self.walk_shown(array, rows),
            },
        }
    }

    /// Any other type, as Arrow writes it out.
    fn walk_shown(&mut self, array: &ArrayRef, rows: &Rows) {
        let Ok(formatter) = ArrayFormatter::try_new(array, &FormatOptions::default()) else {
            self.walk(array.len(), rows, |_| None::<&str>);
            return;
        };
        let show = |row| if array.is_valid(row) { formatter.value(row).try_to_string().ok() } else { None };
        self.walk(array.len(), rows, |row| show(row).filter(|text| filled(text).is_some()));
    }

    /// Counts every value, then looks at the chosen rows.
    fn walk<V: Value>(&mut self, length: usize, rows: &Rows, get: impl Fn(usize) -> Option<V>) {
        for row in 0..length {
            match get(row) {
                None => self.missing += 1,
                Some(value) => {
                    self.values.note(value.hash(), 1, || value.reading());
                    self.measure(value.length(), value.number(), 1);
                }
            }
        }
        self.examine(rows, get);
    }

    /// Looks at the chosen rows.
    fn examine<V: Value>(&mut self, rows: &Rows, get: impl Fn(usize) -> Option<V>) {
        for (row, rarity) in &rows.examined {
            if let Some(value) = get(*row) {
                let reading = self.values.reading(value.hash()).unwrap_or_else(|| value.reading());
                self.tally(*rarity).add(&reading, 1);
            }
        }
        self.kept.extend(rows.kept.iter().map(|(row, _)| get(*row).map_or(0, |value| value.hash())));
    }

    fn tally(&mut self, rarity: usize) -> &mut ReadingTally {
        if self.examined.len() <= rarity {
            self.examined.resize_with(rarity + 1, ReadingTally::default);
        }
        &mut self.examined[rarity]
    }

    fn measure(&mut self, length: Option<u64>, number: Option<f64>, times: u64) {
        if let Some(length) = length {
            self.lengths.get_or_insert_default().add(length, times);
        }
        if let Some(number) = number {
            let (low, high) = self.range.unwrap_or((number, number));
            self.range = Some((low.min(number), high.max(number)));
        }
    }

    pub(crate) fn merge(&mut self, other: Self) {
        self.missing += other.missing;
        if let Some(lengths) = other.lengths {
            self.lengths.get_or_insert_default().merge(&lengths);
        }
        for end in other.range.into_iter().flat_map(|(low, high)| [low, high]) {
            self.measure(None, Some(end), 1);
        }
        self.values.merge(other.values);
        for (rarity, tally) in other.examined.iter().enumerate() {
            self.tally(rarity).merge(tally);
        }
        self.kept.extend(other.kept);
    }

    /// Keeps only these places of the kept records, in this order.
    pub(crate) fn keep(&mut self, places: &[usize]) {
        self.kept = places.iter().filter_map(|place| self.kept.get(*place).copied()).collect();
    }

    /// Sums up: over all values if they are few, otherwise over the records of at least this rarity.
    pub(crate) fn finish(self, least_rarity: usize) -> Summary {
        let mut tally = ReadingTally::default();
        if let Some(readings) = self.values.readings() {
            readings.for_each(|(reading, count)| tally.add(&reading, count));
        } else {
            self.examined.iter().skip(least_rarity).for_each(|part| tally.merge(part));
        }
        Summary {
            name: self.name,
            data_type: self.data_type,
            missing: self.missing,
            lengths: self.lengths,
            range: self.range.or(tally.numbers()),
            repeats: self.values.repeats(),
            tally,
            kept: self.kept,
        }
    }
}

/// The text, unless it is blank.
fn filled(text: &str) -> Option<&str> {
    let blank = text.as_bytes().first().is_none_or(|byte| !byte.is_ascii_graphic()) && text.trim().is_empty();
    (!blank).then_some(text)
}
