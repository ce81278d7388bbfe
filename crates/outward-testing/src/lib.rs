//! What tests of all crates share. A dev-dependency only, which uses no crate of ours.
//!
//! [`real_data`] finds public files that are not in the repository; [`random_cases`] takes seeds from the environment and counts what
//! a property did check.
// Data or cases that are not there are a fault of the run, which should stop there.
#![allow(clippy::expect_used, clippy::panic)]

pub mod postgres;
pub mod random_cases;
pub mod real_data;
