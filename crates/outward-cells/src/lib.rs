#![doc = include_str!("../README.md")]

mod cells;
mod coded;
mod columns;
mod condition;
mod counter;
mod cube;
mod dictionary;
mod intern;
mod layout;
mod radix;
mod tally;
mod weight;
mod wildcard;

pub use cells::{Cells, KeyColumn, Recoding};
pub use coded::Coded;
pub use columns::{ColumnCollector, ColumnRequest, Columns, Holds, Truth};
pub use condition::Condition;
pub use counter::{CellCounter, CellRequest, count_cells};
pub use cube::{Tabulated, combinations, tables, tabulate};
pub use dictionary::{Dictionary, MISSING};
pub use outward_error::{Error, Result};
pub use wildcard::{compatible_counts, damped_counts, has_most_keys, supporting_counts};
