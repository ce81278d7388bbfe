//! Record linkage, and attacks on releases of records by an intruder with a file of their own.
//!
//! `linkage` compares the records of two files, or of one file with itself, and gives the probability that each pair is
//! one person. `attack` plays an intruder: scenarios, claims, and the score card.

pub mod attack;
pub mod linkage;
