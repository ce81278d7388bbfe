//! Measures of disclosure risk on cells.
//!
//! Each measure is a file with its formula and source: [`classes`], [`diversity`], [`drivers`], [`riskiest`], [`suda`],
//! [`population`]. [`sample`] asks the last two about the file as a sample, and [`assess`] puts all together into an
//! [`Assessment`], the object `outward assess` prints. [`birthdays`] answers without records.

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

pub use assessment::{Assessment, Measured, Question, assess};
pub use report::report;
pub use sample::{Sample, SudaLimit};
