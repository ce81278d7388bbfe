//! Errors of DataFusion, in our words. Its messages may quote values of the data, so they are not shown once records
//! are being read.

use datafusion_common::{DataFusionError, SchemaError};
use datafusion_sql::sqlparser::parser::ParserError;
use outward_spec::{Error, suggest};

use crate::records::ROW_NUMBER;

const TYPE_HELP: &str = "compare each variable with values of its own type: text in 'single quotes', numbers without; say the type of a variable under [[variables]]";

/// An error met while a condition was evaluated on records.
pub(crate) fn while_reading(_: DataFusionError) -> Error {
    Error::input("a condition could not be worked out on every record").help(TYPE_HELP).into()
}

/// An SQL condition that cannot be understood, before any record is read.
pub(crate) fn in_condition(condition: &str, error: &DataFusionError) -> Error {
    if let DataFusionError::SchemaError(unknown, _) = error.find_root()
        && let SchemaError::FieldNotFound { field, valid_fields } = &**unknown
    {
        let known = valid_fields.iter().map(|column| column.name.as_str()).filter(|name| *name != ROW_NUMBER);
        return Error::input(format!("there is no column `{}`, which the condition `{condition}` names", field.name))
            .help(suggest(&field.name, known, "columns"))
            .condition(condition)
            .into();
    }
    let whole = error.strip_backtrace();
    let said = match error.find_root() {
        DataFusionError::SQL(parsing, _) => match &**parsing {
            ParserError::ParserError(said) | ParserError::TokenizerError(said) => said.as_str(),
            ParserError::RecursionLimitExceeded => "its brackets and calls nest too deeply",
        },
        _ => whole.lines().next().unwrap_or_default(),
    };
    Error::input(format!("the condition `{condition}` cannot be used: {said}"))
        .help("a condition is SQL, such as region = 'Wales' AND age >= 16; names with other characters are in \"double quotes\"")
        .condition(condition)
        .into()
}

/// A condition that is understood and cannot be evaluated on columns of these types.
pub(crate) fn on_these_columns(condition: &str) -> Error {
    Error::input(format!("the condition `{condition}` cannot be used on these columns"))
        .help(TYPE_HELP)
        .condition(condition)
        .into()
}
