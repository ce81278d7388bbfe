//! What tests of tables and bundles share. A dev-dependency only.
//!
//! [`tables`] makes tables of files as text and protects them in memory; [`oracle`] lists the records that fit what they show. With the
//! feature `release`, `bundle` writes tables to a bundle and forges it, and `desk` and `records` do the same for records.
// A fixture that cannot be made is a fault of the test, which should stop there.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[cfg(feature = "release")]
pub mod bundle;
pub mod collisions;
pub mod csv;
#[cfg(feature = "release")]
pub mod desk;
pub mod draw;
pub mod extremes;
pub mod oracle;
#[cfg(feature = "release")]
pub mod records;
pub mod road;
pub mod spec;
pub mod tables;

/// Runs what is asked of the engine or of `verify`.
#[cfg(feature = "release")]
pub fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap()
}
