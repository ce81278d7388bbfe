//! Compares a release of records with earlier ones of the same data (M13).
//!
//! There are four rules. [`joint`] finds records that the keys of several releases expose together, and [`crossing`]
//! names the groups that overlap. [`mod@matches`] counts, in published files, records that can be matched with one of
//! another file. This is done for two samples of the same people, and for a swapped file and one that was not swapped.
//! What cannot be checked is an obstacle too, which only an exception lifts.

mod check;
pub mod crossing;
pub mod joint;
pub mod matches;
mod partition;
mod repeat;
mod support;
mod words;

pub use check::{DataAtHand, EarlierRecords, NewRecords, RecordsCompared, hold_records};

/// The rule on records that the keys of several releases expose together.
pub const JOINED: &str = "joined-records";
/// The rule on samples of the same people.
pub const SAMPLES: &str = "overlapping-samples";
/// The rule on values that are perturbed in one release and not, or differently, in another.
pub const SWAPPED: &str = "swapped-records";
/// The rule on earlier releases that could not be checked.
pub const UNSEEN: &str = "earlier-records";
