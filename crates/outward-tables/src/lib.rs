//! Decisions for tables: made from cells, judged by policy, redesigned first, protected exactly, audited always.

mod system;

pub use system::{Cell, Status, System};
