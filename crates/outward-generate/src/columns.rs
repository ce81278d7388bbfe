//! Tables under construction: what the columns are, and the rows being put into them.

use std::sync::Arc;

use arrow_array::builder::{Date32Builder, Float64Builder, Int32Builder, Int64Builder, StringBuilder};
use arrow_array::types::Int32Type;
use arrow_array::{ArrayRef, DictionaryArray, RecordBatch, StringArray, StructArray};
use arrow_schema::{DataType, Field, Schema, SchemaRef};

/// What a column holds.
pub(crate) enum ColumnType {
    /// Codes into a dictionary that is built once and shared by every block.
    Category(ArrayRef),
    Text,
    Integer,
    Real,
    Date,
}

/// A categorical column with these labels.
pub(crate) fn category<S: AsRef<str>>(labels: &[S]) -> ColumnType {
    ColumnType::Category(Arc::new(StringArray::from_iter_values(labels.iter().map(AsRef::as_ref))))
}

/// One column of a table: its name, what it holds, and whether values may be missing.
pub(crate) struct ColumnDefinition {
    name: &'static str,
    kind: ColumnType,
    may_miss: bool,
}

/// A column that is always filled.
pub(crate) fn full(name: &'static str, kind: ColumnType) -> ColumnDefinition {
    ColumnDefinition { name, kind, may_miss: false }
}

/// A column in which values may be missing.
pub(crate) fn partial(name: &'static str, kind: ColumnType) -> ColumnDefinition {
    ColumnDefinition { name, kind, may_miss: true }
}

/// The columns of a table, in order.
pub(crate) struct Layout {
    pub(crate) name: &'static str,
    pub(crate) schema: SchemaRef,
    columns: Vec<ColumnDefinition>,
}

impl Layout {
    pub(crate) fn new(name: &'static str, columns: Vec<ColumnDefinition>) -> Self {
        let fields: Vec<Field> = columns
            .iter()
            .map(|column| {
                let data_type = match &column.kind {
                    ColumnType::Category(_) => {
                        DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8))
                    }
                    ColumnType::Text => DataType::Utf8,
                    ColumnType::Integer => DataType::Int64,
                    ColumnType::Real => DataType::Float64,
                    ColumnType::Date => DataType::Date32,
                };
                Field::new(column.name, data_type, column.may_miss)
            })
            .collect();
        Layout { name, schema: Arc::new(Schema::new(fields)), columns }
    }

    /// Room for about this many rows.
    pub(crate) fn rows(&self, capacity: usize) -> TableBuilder {
        let columns = self
            .columns
            .iter()
            .map(|column| match &column.kind {
                ColumnType::Category(labels) => {
                    Filling::Category(Int32Builder::with_capacity(capacity), Arc::clone(labels))
                }
                ColumnType::Text => Filling::Text(StringBuilder::with_capacity(capacity, capacity * 24)),
                ColumnType::Integer => Filling::Integer(Int64Builder::with_capacity(capacity)),
                ColumnType::Real => Filling::Real(Float64Builder::with_capacity(capacity)),
                ColumnType::Date => Filling::Date(Date32Builder::with_capacity(capacity)),
            })
            .collect();
        TableBuilder { schema: Arc::clone(&self.schema), columns, next: 0 }
    }
}

enum Filling {
    Category(Int32Builder, ArrayRef),
    Text(StringBuilder),
    Integer(Int64Builder),
    Real(Float64Builder),
    Date(Date32Builder),
}

/// Rows being filled value by value, in the order of the layout; the last column is followed by the first of the
/// next row. A value of the wrong kind leaves its column short, which `finish` refuses.
pub(crate) struct TableBuilder {
    schema: SchemaRef,
    columns: Vec<Filling>,
    next: usize,
}

impl TableBuilder {
    fn advance(&mut self) -> &mut Filling {
        let at = self.next;
        self.next = if at + 1 == self.columns.len() { 0 } else { at + 1 };
        &mut self.columns[at]
    }

    pub(crate) fn code(&mut self, code: usize) {
        if let Filling::Category(codes, _) = self.advance() {
            codes.append_value(code as i32);
        }
    }

    pub(crate) fn code_or_missing(&mut self, code: Option<usize>) {
        match code {
            Some(code) => self.code(code),
            None => self.missing(),
        }
    }

    pub(crate) fn text(&mut self, value: &str) {
        if let Filling::Text(text) = self.advance() {
            text.append_value(value);
        }
    }

    pub(crate) fn integer(&mut self, value: i64) {
        if let Filling::Integer(values) = self.advance() {
            values.append_value(value);
        }
    }

    pub(crate) fn integer_or_missing(&mut self, value: Option<i64>) {
        match value {
            Some(value) => self.integer(value),
            None => self.missing(),
        }
    }

    pub(crate) fn real(&mut self, value: f64) {
        if let Filling::Real(values) = self.advance() {
            values.append_value(value);
        }
    }

    pub(crate) fn real_or_missing(&mut self, value: Option<f64>) {
        match value {
            Some(value) => self.real(value),
            None => self.missing(),
        }
    }

    pub(crate) fn date(&mut self, value: i32) {
        if let Filling::Date(values) = self.advance() {
            values.append_value(value);
        }
    }

    pub(crate) fn missing(&mut self) {
        match self.advance() {
            Filling::Category(codes, _) => codes.append_null(),
            Filling::Text(text) => text.append_null(),
            Filling::Integer(values) => values.append_null(),
            Filling::Real(values) => values.append_null(),
            Filling::Date(values) => values.append_null(),
        }
    }

    /// The rows as a batch.
    pub(crate) fn finish(mut self) -> RecordBatch {
        let arrays: Vec<ArrayRef> = self
            .columns
            .iter_mut()
            .map(|column| -> ArrayRef {
                match column {
                    Filling::Category(codes, labels) => {
                        Arc::new(DictionaryArray::<Int32Type>::new(codes.finish(), Arc::clone(labels)))
                    }
                    Filling::Text(text) => Arc::new(text.finish()),
                    Filling::Integer(values) => Arc::new(values.finish()),
                    Filling::Real(values) => Arc::new(values.finish()),
                    Filling::Date(values) => Arc::new(values.finish()),
                }
            })
            .collect();
        RecordBatch::from(StructArray::new(self.schema.fields().clone(), arrays, None))
    }
}
