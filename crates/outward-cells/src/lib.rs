//! Cells: distinct combinations of key variables with their counts, and everything derived from them.
//!
//! Every question of disclosure is a question about cells. [`CellCounter`] makes them from Arrow batches, one counter
//! per thread; [`Cells::merge`] joins what the counters found. Margins ([`Cells::margin`]), recodings
//! ([`Cells::recode`]), single tables and all m-way ones ([`tabulate`], [`tables`]) and wildcard counts ([`supporting_counts`]) then come from the
//! cells and never from the records again.

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
pub use counter::{CellCounter, Request};
pub use cube::{Tabulated, combinations, tables, tabulate};
pub use dictionary::{Dictionary, MISSING};
pub use wildcard::{compatible_counts, damped_counts, has_most_keys, supporting_counts};
