//! A release of records beside earlier ones of the same data (M13).
//!
//! Four things are looked for. [`joint`] finds records that the keys of several releases expose together, [`crossing`] names the groups that
//! overlap. [`mod@matches`] counts, in published files, records that can be matched with one of another file: in two samples of the same people, and
//! in a swapped file beside one that was not. What cannot be seen is an obstacle too, which only an exception lifts.

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
/// The rule on values that are perturbed in one release and shown otherwise in another.
pub const SWAPPED: &str = "swapped-records";
/// The rule on earlier releases that could not be looked at.
pub const UNSEEN: &str = "earlier-records";
