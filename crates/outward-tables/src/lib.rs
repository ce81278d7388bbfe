//! Decisions for tables: made from cells, judged by policy, redesigned first, protected exactly, audited always.

mod inner;
mod system;
mod table;

pub use inner::{Base, Contribution, Inner, Matrix, Tally};
pub use system::{Cell, Status, System};
pub use table::{Dimension, Figure, Kind, Magnitudes, Node, Published, Table};
