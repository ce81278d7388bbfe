//! Attacks on releases of records that once succeeded, each kept so that it cannot again, and on bundles of tables.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "attacks/alone.rs"]
mod alone;
#[path = "attacks/blanks.rs"]
mod blanks;
#[path = "attacks/evidence.rs"]
mod evidence;
#[path = "attacks/forged.rs"]
mod forged;
#[path = "attacks/keys.rs"]
mod keys;
#[path = "attacks/limits.rs"]
mod limits;
#[cfg(unix)]
#[path = "attacks/pipes.rs"]
mod pipes;
#[path = "attacks/seed.rs"]
mod seed;
#[path = "attacks/tables/mod.rs"]
mod tables;
#[path = "attacks/telling.rs"]
mod telling;
#[path = "attacks/undeclared.rs"]
mod undeclared;
#[path = "attacks/unverified.rs"]
mod unverified;
