//! Turns the values of one column into codes, batch by batch. Codes are numbered in the order in which values first
//! occur. When counting ends they are put into the order of the values.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Date32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type, UInt32Type,
};
use arrow_array::{Array, ArrayRef, PrimitiveArray, StringArray};
use arrow_cast::cast;
use arrow_schema::DataType;
use hashbrown::HashMap;
use outward_error::{Error, Result};

use crate::dictionary::{Dictionary, MISSING};

/// The values of one column met so far and their codes.
#[derive(Debug)]
pub(crate) enum Interner {
    /// Text, and every type that is compared as text.
    Text(TextInterner),
    /// Whole numbers and dates, compared as numbers and written out at the end.
    Whole(WholeInterner),
}

impl Interner {
    /// For a column of this type.
    pub(crate) fn new(data_type: &DataType) -> Self {
        use DataType::{Date32, Int8, Int16, Int32, Int64, UInt8, UInt16, UInt32};
        match data_type {
            Int8 | Int16 | Int32 | Int64 | UInt8 | UInt16 | UInt32 => Self::Whole(WholeInterner::new(false)),
            Date32 => Self::Whole(WholeInterner::new(true)),
            _ => Self::Text(TextInterner::default()),
        }
    }

    /// The largest code given so far.
    pub(crate) fn largest(&self) -> u32 {
        let values = match self {
            Self::Text(text) => text.values.len(),
            Self::Whole(whole) => whole.values.len(),
        };
        values as u32
    }

    /// Bytes held for the values, roughly.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Self::Text(text) => text.bytes,
            Self::Whole(whole) => whole.values.len() * 32,
        }
    }

    /// Writes the code of each value of `column` into `codes`.
    pub(crate) fn codes(&mut self, column: &ArrayRef, codes: &mut Vec<u32>) -> Result<()> {
        codes.clear();
        codes.reserve(column.len());
        match self {
            Self::Text(text) => text.codes(column, codes),
            Self::Whole(whole) => whole.codes(column, codes),
        }
    }

    /// The values in the order of their codes, from code 1, and whether they are numbers.
    pub(crate) fn into_values(self) -> Result<(Vec<Box<str>>, bool)> {
        match self {
            Self::Text(text) => Ok((text.values, false)),
            Self::Whole(whole) if whole.dates => {
                let days = whole.values.iter().map(|day| *day as i32);
                let dates: ArrayRef = Arc::new(PrimitiveArray::<Date32Type>::from_iter_values(days));
                let text = cast(&dates, &DataType::Utf8).map_err(Error::bug)?;
                Ok((text.as_string::<i32>().iter().flatten().map(Box::from).collect(), false))
            }
            Self::Whole(whole) => {
                Ok((whole.values.iter().map(|number| number.to_string().into_boxed_str()).collect(), true))
            }
        }
    }

    /// The dictionary in its final order, and for each code given while counting the code in it.
    pub(crate) fn finish(self) -> Result<(Dictionary, Vec<u32>)> {
        // Whole numbers are sorted as numbers: as text each comparison would read two of them.
        let order = match &self {
            Self::Whole(whole) if !whole.dates => Some(order_of(&whole.values)),
            _ => None,
        };
        let (mut values, numeric) = self.into_values()?;
        let order = order.unwrap_or_else(|| order_of(&values));
        let mut codes = vec![MISSING; values.len() + 1];
        for (code, at) in (1..).zip(&order) {
            codes[*at as usize + 1] = code;
        }
        let sorted = order.iter().map(|at| std::mem::take(&mut values[*at as usize])).collect();
        Ok((Dictionary::of_sorted(sorted, numeric), codes))
    }
}

/// The positions of values that are all different, in the order of the values.
fn order_of<T: Ord>(values: &[T]) -> Vec<u32> {
    let mut order: Vec<u32> = (0..values.len() as u32).collect();
    order.sort_unstable_by(|a, b| values[*a as usize].cmp(&values[*b as usize]));
    order
}

#[derive(Debug, Default)]
pub(crate) struct TextInterner {
    codes: HashMap<Box<str>, u32>,
    values: Vec<Box<str>>,
    bytes: usize,
    /// The dictionary of the last batch and the codes of its values. Parquet repeats a dictionary for a whole row
    /// group.
    last: Option<(StringArray, Vec<u32>)>,
}

impl TextInterner {
    fn code(&mut self, value: &str) -> u32 {
        if let Some(code) = self.codes.get(value) {
            return *code;
        }
        // A field of blanks says as little as an empty one and looks the same.
        if value.trim().is_empty() {
            return MISSING;
        }
        let owned: Box<str> = value.into();
        self.values.push(owned.clone());
        // The text twice, its two boxes, the code and the bytes of the table itself.
        self.bytes += 2 * value.len() + 48;
        let code = self.values.len() as u32;
        self.codes.insert(owned, code);
        code
    }

    fn codes(&mut self, column: &ArrayRef, codes: &mut Vec<u32>) -> Result<()> {
        match column.data_type() {
            DataType::Utf8 => self.text_codes(column.as_string::<i32>().iter(), codes),
            DataType::LargeUtf8 => self.text_codes(column.as_string::<i64>().iter(), codes),
            DataType::Utf8View => self.text_codes(column.as_string_view().iter(), codes),
            DataType::Dictionary(key, value) if **key == DataType::Int32 && **value == DataType::Utf8 => {
                self.dictionary_codes(column, codes);
            }
            DataType::Float16 | DataType::Float32 | DataType::Float64 => {
                // Adding zero turns −0 into 0: one number, one value.
                let numbers = cast(column, &DataType::Float64).map_err(Error::bug)?;
                let numbers = numbers.as_primitive::<Float64Type>().unary::<_, Float64Type>(|number| number + 0.0);
                let text = cast(&numbers, &DataType::Utf8).map_err(Error::bug)?;
                self.text_codes(text.as_string::<i32>().iter(), codes);
            }
            _ => {
                let text = cast(column, &DataType::Utf8).map_err(|_| {
                    Error::input(format!("a column of type {} cannot be a key", column.data_type()))
                        .help("leave it out of the keys, or turn it into text first")
                })?;
                self.text_codes(text.as_string::<i32>().iter(), codes);
            }
        }
        Ok(())
    }

    fn text_codes<'a>(&mut self, values: impl Iterator<Item = Option<&'a str>>, codes: &mut Vec<u32>) {
        // Neighbouring records often agree, so the last value is tried before the table.
        let mut last: Option<(&str, u32)> = None;
        for value in values {
            let Some(value) = value else {
                codes.push(MISSING);
                continue;
            };
            let code = match last {
                Some((text, code)) if text == value => code,
                _ => self.code(value),
            };
            last = Some((value, code));
            codes.push(code);
        }
    }

    fn dictionary_codes(&mut self, column: &ArrayRef, codes: &mut Vec<u32>) {
        let column = column.as_dictionary::<Int32Type>();
        let values = column.values().as_string::<i32>();
        let known = match self.last.take() {
            Some((last, known)) if same_buffers(&last, values) => known,
            _ => values.iter().map(|value| value.map_or(MISSING, |value| self.code(value))).collect(),
        };
        let keys = column.keys();
        if keys.null_count() == 0 {
            codes.extend(keys.values().iter().map(|key| known[*key as usize]));
        } else {
            codes.extend(keys.iter().map(|key| key.map_or(MISSING, |key| known[key as usize])));
        }
        self.last = Some((values.clone(), known));
    }
}

/// Whether two arrays are the same memory. The older one is kept alive by the caller, so its address is not reused.
fn same_buffers(a: &StringArray, b: &StringArray) -> bool {
    a.len() == b.len()
        && a.value_data().as_ptr() == b.value_data().as_ptr()
        && a.value_offsets().as_ptr() == b.value_offsets().as_ptr()
}

/// Numbers below this are looked up in an array instead of a hash table: ages, years, codes.
const TABLE_SIZE: i64 = 1 << 14;

#[derive(Debug)]
pub(crate) struct WholeInterner {
    dates: bool,
    small: Vec<u32>,
    large: HashMap<i64, u32>,
    values: Vec<i64>,
}

impl WholeInterner {
    fn new(dates: bool) -> Self {
        Self { dates, small: vec![MISSING; TABLE_SIZE as usize], large: HashMap::new(), values: Vec::new() }
    }

    fn code(&mut self, value: i64) -> u32 {
        let known = if (0..TABLE_SIZE).contains(&value) {
            &mut self.small[value as usize]
        } else {
            self.large.entry(value).or_insert(MISSING)
        };
        if *known == MISSING {
            self.values.push(value);
            *known = self.values.len() as u32;
        }
        *known
    }

    fn codes(&mut self, column: &ArrayRef, codes: &mut Vec<u32>) -> Result<()> {
        macro_rules! each {
            ($type:ty) => {
                for value in column.as_primitive::<$type>().iter() {
                    codes.push(value.map_or(MISSING, |value| self.code(i64::from(value))));
                }
            };
        }
        match column.data_type() {
            DataType::Int8 => each!(Int8Type),
            DataType::Int16 => each!(Int16Type),
            DataType::Int32 => each!(Int32Type),
            DataType::Int64 => each!(Int64Type),
            DataType::UInt8 => each!(UInt8Type),
            DataType::UInt16 => each!(UInt16Type),
            DataType::UInt32 => each!(UInt32Type),
            DataType::Date32 => each!(Date32Type),
            other => return Err(Error::bug(format!("a whole-number column became {other}"))),
        }
        Ok(())
    }
}
