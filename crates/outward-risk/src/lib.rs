//! Measures of disclosure risk on cells.
//!
//! Each measure is a file with its formula and source: [`classes`], [`diversity`], [`population`], [`drivers`],
//! [`riskiest`]. [`assess`] puts them together into an [`Assessment`], the object `outward assess` prints.

pub mod assessment;
pub mod birthdays;
pub mod classes;
pub mod diversity;
pub mod drivers;
mod findings;
pub mod population;
mod report;
pub mod riskiest;

pub use assessment::{Assessment, Measured, Question, assess};
pub use report::report;
