//! Sources, sinks and the engine that counts cells and rewrites records.
//!
//! [`Engine`] is the one door to records. Everything above it sees descriptions, cells, profiles and written files,
//! never a record, so the records may as well be on other machines. [`Embedded`] is the engine in this process;
//! [`source`] and [`sink`] are the files and tables it reads and writes.

mod condition;
mod counts;
mod embedded;
mod engine;
mod failure;
mod fold;
mod nesting;
mod places;
mod plan;
mod recode;
mod records;
mod released;
mod requests;
mod reshape;
mod scan;
pub mod sink;
mod small;
pub mod source;
mod sql;
mod stepwise;
mod truth;
mod unfinished;
mod unseen;

pub use condition::parse_condition_text;
pub use counts::StepCount;
pub use embedded::Embedded;
pub use engine::{CountRequest, Data, Description, Engine, NoProgress, Progress, Rewritten, Target};
pub use outward_cells::Condition as ParsedCondition;
pub use places::UnplacedValues;
pub use plan::Plan;
pub use released::{ReleasedColumns, ReleasedRequest, columns_read_by};
pub use requests::CountRequests;
pub use scan::{ScanRequest, Scanned, ScannedColumn, scan_text_file};
pub use sink::Written;
pub use small::SmallTable;
pub use source::{StopFlag, TypedColumn};
pub use truth::{KnownColumn, condition_on_values, conditions_met_together};
pub use unfinished::{Unfinished, remove_unfinished};
