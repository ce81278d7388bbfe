//! A PostgreSQL column on its way into Arrow. The server does the casting, so only five kinds travel.

use std::sync::Arc;

use arrow_array::ArrayRef;
use arrow_array::builder::{BooleanBuilder, Date32Builder, Float64Builder, Int64Builder, StringBuilder};
use arrow_schema::{DataType, Field};
use outward_spec::Type;
use sqlx::Row;
use sqlx::postgres::PgRow;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CastType {
    Integer,
    Number,
    Truth,
    Date,
    Text,
}

/// How a column is asked for.
#[derive(Debug, Clone)]
pub(super) struct QueriedColumn {
    name: String,
    kind: CastType,
}

impl QueriedColumn {
    /// The spec may want a type that the server's type does not lead to without loss. Then text travels and is read here,
    /// so that an error can name the row of a misfit.
    pub(super) fn new(name: &str, server: &str, wish: Option<Type>) -> Self {
        let own = match server {
            "INT2" | "INT4" | "INT8" => CastType::Integer,
            "FLOAT4" | "FLOAT8" | "NUMERIC" => CastType::Number,
            "BOOL" => CastType::Truth,
            "DATE" => CastType::Date,
            _ => CastType::Text,
        };
        let kind = match (wish, own) {
            (None, own) => own,
            (Some(Type::Integer), CastType::Integer) => CastType::Integer,
            (Some(Type::Number), CastType::Integer | CastType::Number) => CastType::Number,
            (Some(Type::Date), CastType::Date) => CastType::Date,
            (Some(Type::Date), _) if matches!(server, "TIMESTAMP" | "TIMESTAMPTZ") => CastType::Date,
            (Some(_), _) => CastType::Text,
        };
        Self { name: name.to_owned(), kind }
    }

    pub(super) fn field(&self) -> Field {
        let kind = match self.kind {
            CastType::Integer => DataType::Int64,
            CastType::Number => DataType::Float64,
            CastType::Truth => DataType::Boolean,
            CastType::Date => DataType::Date32,
            CastType::Text => DataType::Utf8,
        };
        Field::new(&self.name, kind, true)
    }

    /// The column as an expression.
    pub(super) fn sql(&self) -> String {
        let name = quote(&self.name, '"');
        match self.kind {
            CastType::Integer => format!("{name}::int8"),
            CastType::Number => format!("{name}::float8"),
            CastType::Truth => name,
            CastType::Date => format!("({name}::date - date '1970-01-01')"),
            CastType::Text => format!("{name}::text"),
        }
    }

    /// An empty column for its values.
    pub(super) fn filling(&self) -> ColumnBuilder {
        match self.kind {
            CastType::Integer => ColumnBuilder::Integer(Int64Builder::new()),
            CastType::Number => ColumnBuilder::Number(Float64Builder::new()),
            CastType::Truth => ColumnBuilder::Truth(BooleanBuilder::new()),
            CastType::Date => ColumnBuilder::Date(Date32Builder::new()),
            CastType::Text => ColumnBuilder::Text(StringBuilder::new()),
        }
    }
}

/// SQL's way of quoting: the mark around it, and twice inside.
pub(super) fn quote(text: &str, mark: char) -> String {
    format!("{mark}{}{mark}", text.replace(mark, &format!("{mark}{mark}")))
}

/// A column being filled.
pub(super) enum ColumnBuilder {
    Integer(Int64Builder),
    Number(Float64Builder),
    Truth(BooleanBuilder),
    Date(Date32Builder),
    Text(StringBuilder),
}

impl ColumnBuilder {
    pub(super) fn push(&mut self, row: &PgRow, index: usize) -> Result<(), sqlx::Error> {
        match self {
            Self::Integer(out) => out.append_option(row.try_get(index)?),
            Self::Number(out) => out.append_option(row.try_get(index)?),
            Self::Truth(out) => out.append_option(row.try_get(index)?),
            Self::Date(out) => out.append_option(row.try_get(index)?),
            Self::Text(out) => out.append_option(row.try_get::<Option<&str>, _>(index)?),
        }
        Ok(())
    }

    pub(super) fn finish(&mut self) -> ArrayRef {
        match self {
            Self::Integer(out) => Arc::new(out.finish()),
            Self::Number(out) => Arc::new(out.finish()),
            Self::Truth(out) => Arc::new(out.finish()),
            Self::Date(out) => Arc::new(out.finish()),
            Self::Text(out) => Arc::new(out.finish()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_cannot_break_out_of_its_quotes() {
        assert_eq!(
            QueriedColumn::new("a\"; drop table x; --", "INT4", None).sql(),
            "\"a\"\"; drop table x; --\"::int8"
        );
    }

    #[test]
    fn numeric_travels_as_text_when_the_spec_wants_every_digit() {
        assert_eq!(QueriedColumn::new("x", "NUMERIC", Some(Type::Text)).sql(), "\"x\"::text");
        assert_eq!(QueriedColumn::new("x", "NUMERIC", None).sql(), "\"x\"::float8");
    }
}
