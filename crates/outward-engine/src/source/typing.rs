//! The types of a source: what its columns are by themselves, what the spec says they are, and how one becomes the
//! other.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, RecordBatchOptions};
use arrow_schema::{Field, Schema, SchemaRef};
use outward_spec::{Error, Fault, Result, Type, suggest};

use super::convert::{ConversionError, arrow_type, to_type};
use super::missing::MissingTokens;
use super::{ReadRequest, TypedColumn};

/// The way from the columns as a file has them to the columns as they come out.
#[derive(Debug)]
pub(super) struct Typing {
    request: Vec<Option<TypedColumn>>,
    schema: SchemaRef,
    missing: MissingTokens,
    path: Option<PathBuf>,
}

impl Typing {
    /// Matches the spec's columns with the file's. `missing` are the values that become null.
    pub(super) fn new(
        native: Vec<Field>,
        request: &ReadRequest<'_>,
        missing: MissingTokens,
        path: Option<&Path>,
    ) -> Result<Self> {
        let mut by_index: Vec<Option<TypedColumn>> = vec![None; native.len()];
        let places: HashMap<&str, usize> = native.iter().enumerate().map(|(i, f)| (f.name().as_str(), i)).collect();
        for column in request.columns {
            let Some(place) = places.get(column.name.as_str()) else {
                return Err(unknown_column(&column.name, &native, path));
            };
            by_index[*place] = Some(column.clone());
        }
        let mut fields = Vec::with_capacity(native.len());
        for (field, wish) in native.into_iter().zip(&by_index) {
            let kind = match wish {
                Some(wish) if field.data_type().is_nested() => {
                    return Err(misfit(ConversionError::Kind, wish, 0, path));
                }
                Some(wish) => arrow_type(field.data_type(), wish.data_type),
                None => field.data_type().clone(),
            };
            fields.push(field.with_data_type(kind).with_nullable(true));
        }
        Ok(Self { request: by_index, schema: Arc::new(Schema::new(fields)), missing, path: path.map(Path::to_owned) })
    }

    /// What comes out.
    pub(super) fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// Fails unless every index is a column.
    pub(super) fn check(&self, columns: &[usize]) -> Result<()> {
        match columns.iter().find(|index| **index >= self.schema.fields().len()) {
            Some(index) => Err(Error::bug(format!("the source has no column of index {index}"))),
            None => Ok(()),
        }
    }

    /// A batch of these columns from the arrays as the file has them; `before` records came earlier.
    pub(super) fn batch(
        &self,
        columns: &[usize],
        arrays: &[ArrayRef],
        rows: usize,
        before: u64,
    ) -> Result<RecordBatch> {
        let converted = columns.iter().zip(arrays).map(|(index, array)| self.convert(*index, array, before));
        let converted = converted.collect::<Result<Vec<_>>>()?;
        let schema = self.schema.project(columns).map_err(Error::bug)?;
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        RecordBatch::try_new_with_options(Arc::new(schema), converted, &options).map_err(Error::bug)
    }

    fn convert(&self, index: usize, array: &ArrayRef, before: u64) -> Result<ArrayRef> {
        let array = self.missing.remove(array.clone()).map_err(Error::bug)?;
        match &self.request[index] {
            None => Ok(array),
            Some(wish) => to_type(&array, wish.data_type, wish.date_format.as_deref())
                .map_err(|why| misfit(why, wish, before, self.path.as_deref())),
        }
    }
}

fn unknown_column(name: &str, native: &[Field], path: Option<&Path>) -> Error {
    let fault = place(Error::input(format!("there is no column `{name}`")), path).missing_column(name);
    fault.help(suggest(name, native.iter().map(|field| field.name().as_str()), "columns")).into()
}

fn misfit(why: ConversionError, column: &TypedColumn, before: u64, path: Option<&Path>) -> Error {
    let at = |what: &str, index: usize| Error::input(what).row(before + index as u64 + 1);
    let fault = match why {
        ConversionError::NotWhole(index) => at("this is not a whole number", index)
            .help("say type = \"number\" or \"text\", or list it under `missing`"),
        ConversionError::TooLarge(index) => {
            at("this whole number does not fit in 64 bits", index).help("say type = \"number\" or \"text\"")
        }
        ConversionError::NotNumber(index) => {
            at("this is not a number", index).help("say type = \"text\", or list it under `missing`")
        }
        ConversionError::NotDate(index) => {
            let format = column.date_format.as_deref().unwrap_or("%Y-%m-%d");
            at(&format!("this is not a date of the form {format}"), index)
                .help("say format = \"...\" for the variable, or type = \"text\"")
        }
        ConversionError::Kind => {
            Error::input(format!("values of this kind cannot be read as {}", word(column.data_type)))
                .help("leave the column out of the spec, or give it another type")
        }
    };
    place(fault.variable(&column.name), path).into()
}

fn place(fault: Fault, path: Option<&Path>) -> Fault {
    match path {
        Some(path) => fault.file(path),
        None => fault,
    }
}

fn word(kind: Type) -> &'static str {
    match kind {
        Type::Text => "text",
        Type::Integer => "whole numbers",
        Type::Number => "numbers",
        Type::Date => "dates",
    }
}
