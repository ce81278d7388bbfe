//! Decisions for records: which recoding to use, which values to suppress, and which records to swap, round, sample or
//! add noise to.
//!
//! The methods are plain functions on codes and numbers, each in a file with its source. [`models`] say what must hold and
//! [`judge`] whether it does; [`search`] finds the recoding that loses least by a measure of [`loss`]. [`steps`] carries
//! methods out on Arrow records as a spec says, and [`evidence`] gathers what models must know.

pub mod evidence;
pub mod judge;
pub mod limits;
pub mod loss;
pub mod microaggregate;
pub mod models;
pub mod noise;
mod packing;
pub mod planning;
pub mod pram;
pub use outward_random as random;
pub mod rank_swap;
pub mod rare;
pub mod round;
pub mod sample;
pub mod search;
pub mod steps;
pub mod suppress;
pub mod suppress_records;
pub mod swap;
pub mod utility;
