//! A column turned into the type the spec says, or the first record that does not fit.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Date32Type, Float32Type, Float64Type, Int64Type, UInt64Type};
use arrow_array::{Array, ArrayRef, ArrowPrimitiveType, PrimitiveArray, StringArray};
use arrow_buffer::ArrowNativeType;
use arrow_cast::parse::Parser;
use arrow_cast::{CastOptions, cast_with_options};
use arrow_schema::DataType;
use outward_spec::Type;

/// Why a column could not be converted. It has the place of the value, never the value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ConversionError {
    /// The value at this index of the batch is not a whole number.
    NotWhole(usize),
    /// The value at this index is a whole number beyond 64 bits.
    TooLarge(usize),
    /// The value at this index is not a finite number.
    NotNumber(usize),
    /// The value at this index is not a date in the format.
    NotDate(usize),
    /// Values of this kind have no such form at all.
    Kind,
}

/// The Arrow type that a column of this type has after [`to_type`].
pub(super) fn arrow_type(native: &DataType, wish: Type) -> DataType {
    match wish {
        Type::Text if is_text_dictionary(native) => native.clone(),
        Type::Text => DataType::Utf8,
        Type::Integer => DataType::Int64,
        Type::Number => DataType::Float64,
        Type::Date => DataType::Date32,
    }
}

pub(super) fn is_text_dictionary(kind: &DataType) -> bool {
    matches!(kind, DataType::Dictionary(key, value) if **key == DataType::Int32 && **value == DataType::Utf8)
}

/// Converts a column; nulls stay null.
pub(super) fn to_type(column: &ArrayRef, wish: Type, date_format: Option<&str>) -> Result<ArrayRef, ConversionError> {
    let kind = column.data_type();
    if *kind == arrow_type(kind, wish) {
        return Ok(column.clone());
    }
    match (wish, kind) {
        (Type::Text, _) => Ok(Arc::new(to_text(column)?)),
        (Type::Integer, DataType::UInt64) => unsigned_to_integer(column.as_primitive()),
        (Type::Integer, DataType::Float16 | DataType::Float32 | DataType::Float64) => {
            whole_to_integer(convert(column, &DataType::Float64)?.as_primitive())
        }
        (Type::Integer, kind) if kind.is_integer() || *kind == DataType::Boolean => convert(column, &DataType::Int64),
        (Type::Integer, _) => parse::<Int64Type>(&to_text(column)?, parse_integer),
        (Type::Number, kind) if kind.is_numeric() || *kind == DataType::Boolean => convert(column, &DataType::Float64),
        (Type::Number, _) => parse::<Float64Type>(&to_text(column)?, parse_number),
        (Type::Date, DataType::Date64 | DataType::Timestamp(..)) => convert(column, &DataType::Date32),
        (Type::Date, _) => to_date(&to_text(column)?, date_format),
    }
}

fn convert(column: &ArrayRef, kind: &DataType) -> Result<ArrayRef, ConversionError> {
    let strict = CastOptions { safe: false, ..CastOptions::default() };
    cast_with_options(column, kind, &strict).map_err(|_| ConversionError::Kind)
}

/// Text as a person would write it: `5`, not `5.0`, for a whole number held as a float.
fn to_text(column: &ArrayRef) -> Result<StringArray, ConversionError> {
    Ok(match column.data_type() {
        DataType::Utf8 => column.as_string::<i32>().clone(),
        DataType::Float64 => column.as_primitive::<Float64Type>().iter().map(|v| v.map(|v| v.to_string())).collect(),
        DataType::Float32 => column.as_primitive::<Float32Type>().iter().map(|v| v.map(|v| v.to_string())).collect(),
        kind if kind.is_nested() => return Err(ConversionError::Kind),
        _ => convert(column, &DataType::Utf8)?.as_string::<i32>().clone(),
    })
}

fn whole_to_integer(column: &PrimitiveArray<Float64Type>) -> Result<ArrayRef, ConversionError> {
    // 2^63 is the first value beyond i64, and exact as a float.
    const LIMIT: f64 = 9_223_372_036_854_775_808.0;
    each(column, column.iter(), |index, value| match value {
        v if v.fract() != 0.0 || !v.is_finite() => Err(ConversionError::NotWhole(index)),
        v if !(-LIMIT..LIMIT).contains(&v) => Err(ConversionError::TooLarge(index)),
        v => Ok(v as i64),
    })
    .map(|out: PrimitiveArray<Int64Type>| Arc::new(out) as ArrayRef)
}

fn unsigned_to_integer(column: &PrimitiveArray<UInt64Type>) -> Result<ArrayRef, ConversionError> {
    each(column, column.iter(), |index, value| i64::try_from(value).map_err(|_| ConversionError::TooLarge(index)))
        .map(|out: PrimitiveArray<Int64Type>| Arc::new(out) as ArrayRef)
}

fn parse<T: ArrowPrimitiveType>(
    column: &StringArray,
    one: impl Fn(usize, &str) -> Result<T::Native, ConversionError>,
) -> Result<ArrayRef, ConversionError> {
    each(column, column.iter(), |index, text| one(index, text.trim()))
        .map(|out: PrimitiveArray<T>| Arc::new(out) as ArrayRef)
}

/// Maps every value that is there, keeping the nulls.
fn each<V, T: ArrowPrimitiveType>(
    column: &dyn Array,
    values: impl Iterator<Item = Option<V>>,
    one: impl Fn(usize, V) -> Result<T::Native, ConversionError>,
) -> Result<PrimitiveArray<T>, ConversionError> {
    let mut out = Vec::with_capacity(column.len());
    for (index, value) in values.enumerate() {
        out.push(value.map_or(Ok(T::Native::usize_as(0)), |value| one(index, value))?);
    }
    Ok(PrimitiveArray::new(out.into(), column.nulls().cloned()))
}

/// A whole number, also one written with a point and zeros (`3.0`), as programs write columns with gaps.
fn parse_integer(index: usize, text: &str) -> Result<i64, ConversionError> {
    if let Ok(value) = text.parse() {
        return Ok(value);
    }
    let whole = match text.split_once('.') {
        Some((whole, zeros)) if zeros.bytes().all(|b| b == b'0') => whole,
        Some(_) => return Err(ConversionError::NotWhole(index)),
        None => text,
    };
    let digits = whole.strip_prefix(['+', '-']).unwrap_or(whole);
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return Err(ConversionError::NotWhole(index));
    }
    whole.parse().map_err(|_| ConversionError::TooLarge(index))
}

fn parse_number(index: usize, text: &str) -> Result<f64, ConversionError> {
    // Rust also reads "inf" and "nan", which no variable of a person has.
    text.parse().ok().filter(|value: &f64| value.is_finite()).ok_or(ConversionError::NotNumber(index))
}

fn to_date(column: &StringArray, format: Option<&str>) -> Result<ArrayRef, ConversionError> {
    let iso = |text: &str| (text.len() == 10).then(|| Date32Type::parse(text)).flatten();
    let one = |index: usize, text: &str| {
        let date = match format {
            None | Some("%Y-%m-%d") => iso(text),
            Some(format) => Date32Type::parse_formatted(text, format),
        };
        date.ok_or(ConversionError::NotDate(index))
    };
    parse::<Date32Type>(column, one)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use super::*;
    use arrow_array::{Date32Array, Float64Array, Int64Array, UInt64Array};

    fn text(values: &[Option<&str>]) -> ArrayRef {
        Arc::new(StringArray::from(values.to_vec()))
    }

    #[test]
    fn whole_numbers_may_carry_a_sign_and_zero_decimals() {
        let out =
            to_type(&text(&[Some("12"), None, Some("-3"), Some("+4"), Some("7.0"), Some(" 8 ")]), Type::Integer, None);
        let expected = Int64Array::from(vec![Some(12), None, Some(-3), Some(4), Some(7), Some(8)]);
        assert_eq!(out.unwrap().as_primitive::<Int64Type>(), &expected);
    }

    #[test]
    fn odd_blanks_around_a_number_are_no_part_of_it() {
        let out =
            to_type(&text(&[Some("\u{a0}12\u{a0}"), Some("\t-3 "), Some("\u{2009}4\u{3000}")]), Type::Integer, None);
        assert_eq!(out.unwrap().as_primitive::<Int64Type>(), &Int64Array::from(vec![12, -3, 4]));
        assert_eq!(
            to_type(&text(&[Some("1\u{a0}234")]), Type::Integer, None).unwrap_err(),
            ConversionError::NotWhole(0)
        );
    }

    #[test]
    fn what_is_not_a_whole_number_is_found_by_its_place() {
        let of = |value| to_type(&text(&[Some("1"), Some(value)]), Type::Integer, None).unwrap_err();
        for value in ["1.5", "x", "", "-", ".0", "1e3", "0x10", "1 2"] {
            assert_eq!(of(value), ConversionError::NotWhole(1), "{value}");
        }
        assert_eq!(of("9223372036854775808"), ConversionError::TooLarge(1));
        assert_eq!(of("123456789012345678901234567890"), ConversionError::TooLarge(1));
    }

    #[test]
    fn infinities_are_not_numbers() {
        for value in ["inf", "NaN", "1e999", "1,5", ""] {
            assert_eq!(
                to_type(&text(&[Some(value)]), Type::Number, None).unwrap_err(),
                ConversionError::NotNumber(0),
                "{value}"
            );
        }
        assert_eq!(
            to_type(&text(&[Some("1e3")]), Type::Number, None).unwrap().as_primitive::<Float64Type>().value(0),
            1000.0
        );
    }

    #[test]
    fn dates_follow_the_format() {
        let iso = to_type(&text(&[Some("1970-01-02"), None]), Type::Date, None).unwrap();
        assert_eq!(iso.as_primitive::<Date32Type>(), &Date32Array::from(vec![Some(1), None]));
        let british = to_type(&text(&[Some("31/12/1969")]), Type::Date, Some("%d/%m/%Y")).unwrap();
        assert_eq!(british.as_primitive::<Date32Type>().value(0), -1);
        for value in ["2023-02-29", "2023-1-1", "20230101", "2023-01-01T00:00:00"] {
            assert_eq!(
                to_type(&text(&[Some(value)]), Type::Date, None).unwrap_err(),
                ConversionError::NotDate(0),
                "{value}"
            );
        }
    }

    #[test]
    fn floats_become_integers_only_when_whole_and_in_range() {
        let of = |v: f64| to_type(&(Arc::new(Float64Array::from(vec![v])) as ArrayRef), Type::Integer, None);
        assert_eq!(of(-3.0).unwrap().as_primitive::<Int64Type>().value(0), -3);
        assert_eq!(of(0.5).unwrap_err(), ConversionError::NotWhole(0));
        assert_eq!(of(f64::NAN).unwrap_err(), ConversionError::NotWhole(0));
        assert_eq!(of(9.3e18).unwrap_err(), ConversionError::TooLarge(0));
        let unsigned: ArrayRef = Arc::new(UInt64Array::from(vec![u64::MAX]));
        assert_eq!(to_type(&unsigned, Type::Integer, None).unwrap_err(), ConversionError::TooLarge(0));
    }

    #[test]
    fn a_whole_float_as_text_has_no_decimals() {
        let column: ArrayRef = Arc::new(Float64Array::from(vec![5.0, 0.1]));
        let out = to_type(&column, Type::Text, None).unwrap();
        assert_eq!(out.as_string::<i32>(), &StringArray::from(vec!["5", "0.1"]));
    }
}
