//! Decisions for tables: they are made from cells, judged by a policy, redesigned if possible, protected and audited.
//!
//! [`make()`] counts the tables of a spec from [`Files`]. [`judge`] finds what is unsafe in them, and [`redesign`]
//! proposes how they could be shown instead. [`protect`] rounds, hides or perturbs, on the one
//! [`System`](outward_audit::System) of cells and sums behind each family of tables. [`outward_audit`] attacks the
//! result.

mod decide;
mod dimension;
mod earlier;
mod family;
mod files;
mod headings;
mod inner;
pub mod judge;
mod make;
pub mod protect;
pub mod read;
pub mod redesign;
pub mod report;
mod source;
mod table;
pub mod words;
pub mod write;

pub use decide::{Decisions, decide, is_same_table, judge_all};
pub use dimension::{MISSING_LABEL, Shown, TOTAL};
pub use earlier::{Earlier, EarlierFigure};
pub use family::{Family, MOST_ATOMS, families, numbered_by_source, protected_together};
pub use files::{FileRequest, Files, misread, requests};
pub use headings::headings_as_values;
pub use inner::{Base, Contribution, Inner, Matrix, Tally};
pub use make::{AttackerKnowledge, CountedTable, CountedTables, is_one_area, make};
pub use source::ValueSource;
pub use table::{Dimension, Figure, Kind, Magnitudes, Node, Published, Table};
