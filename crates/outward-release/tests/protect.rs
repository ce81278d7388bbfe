//! Whole releases: records and a spec in, a bundle out, and the bundle judged by other code than made it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "protect/case.rs"]
mod case;
#[path = "protect/holds.rs"]
mod holds;
#[path = "protect/passes.rs"]
mod passes;
#[path = "protect/people.rs"]
mod people;
#[path = "protect/plans.rs"]
mod plans;
#[path = "protect/repeats.rs"]
mod repeats;
