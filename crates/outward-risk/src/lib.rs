#![doc = include_str!("../README.md")]

pub mod assessment;
pub mod birthdays;
pub mod classes;
pub mod diversity;
pub mod drivers;
mod findings;
pub mod population;
mod report;
pub mod riskiest;
pub mod sample;
pub mod suda;

pub use assessment::{AssessedCells, Assessment, Question, assess};
pub use outward_error::{Error, Result};
pub use report::report;
pub use sample::{Sample, SudaLimit};
