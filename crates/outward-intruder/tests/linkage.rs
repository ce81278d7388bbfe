//! Record linkage as a whole: planted truths, brute force, models of Splink, bad input, public files.
#![allow(clippy::unwrap_used, clippy::panic)]

#[path = "linkage/blocking.rs"]
mod blocking;
#[path = "linkage/fixtures.rs"]
mod fixtures;
#[path = "linkage/planted.rs"]
mod planted;
#[path = "linkage/real_data.rs"]
mod real_data;
#[path = "linkage/refused.rs"]
mod refused;
#[path = "linkage/splink.rs"]
mod splink;
