//! A database that many processes may write to, and a log of what was done in it.
//!
//! [`Ledger`] is one SQLite file, or PostgreSQL for teams, by the same statements. Every change is one transaction and has its entry in the log; each entry
//! has the hash of the one before it ([`chain`]). The register of releases and the vault keep what they hold in a ledger each.
//!
//! Nothing here reads a clock or knows who the user is: both come from outside, as an [`Actor`].

pub mod chain;
mod log;
mod messages;
mod store;

pub use log::{Actor, Note};
pub use sqlx::any::AnyRow;
pub use store::{Form, LOG_TABLES, Ledger, Value, bytes, lose_connection_after, number, text};
