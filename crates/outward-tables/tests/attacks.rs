//! Attacks on tables from what is published alone. What each asks is held against trying other records in the place of the true ones.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "attacks/joint.rs"]
mod joint;
#[path = "attacks/linked_files.rs"]
mod linked_files;
#[path = "attacks/listed.rs"]
mod listed;
#[path = "attacks/overlapping.rs"]
mod overlapping;
#[path = "attacks/own_answers.rs"]
mod own_answers;
#[path = "attacks/without_sex.rs"]
mod without_sex;
