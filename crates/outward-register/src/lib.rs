//! The register of releases: who asked, what was checked, who approved, and what is public already.
//!
//! [`Register`] keeps them in a ledger, on SQLite or PostgreSQL. [`state`] has the one table of moves
//! between the states of a release, and [`outward_ledger`] keeps its audit log. [`differencing`] subtracts published figures
//! and shows the arithmetic. [`CheckedRequest`] compares a request with what is public, and [`records`] compares a
//! release of records with earlier ones. [`gate`] says whether a release may become public.
//!
//! Nothing here reads a clock or knows who the user is. Both are given, as an [`Actor`].

mod dependent;
pub mod differencing;
mod figures;
mod form;
pub mod gate;
pub mod records;
mod register;
mod replay;
mod request;
mod review;
mod revision;
pub mod state;
mod statement;
mod submission;

pub use dependent::{DependentColumns, dependent_columns};
pub use figures::{FromFigures, PublishedRelease, differences_of_figures};
pub use register::{Actor, Decision, Exception, File, Register, Release, Request, Submission, TableEntry};
pub use request::{CheckedRequest, Disclosures};
pub use review::{review_records, review_tables};
pub use revision::{VersionedTable, revisions};
pub use state::State;
pub use statement::statement;
pub use submission::{submission, table_sources};
