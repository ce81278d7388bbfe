//! Profiles of whole tables: planted truth, look-alikes, cuts into batches, and real files.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod arbitrary;
mod keys;
mod look_alikes;
mod planted;
mod real_data;
mod splits;
mod table;
