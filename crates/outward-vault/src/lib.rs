//! Pseudonyms for research: participants, keys, and the identifiers that an application gets.
//!
//! A [`Vault`] has two stores, one with who the participants are and one with what is known of them. This is the only crate that ever holds a key. A key
//! never leaves it: no error, log, `Debug` or output has one.

mod data;
mod enrol;
mod extract;
pub mod ff1;
mod form;
mod grant;
mod identifiers;
mod key_file;
mod keys;
mod nhs;
mod seal;
mod secret;
mod vault;
mod withdrawal;

pub use data::TableData;
pub use enrol::{Enrolled, Enrolment, Person};
pub use extract::{Application, Extract, GrantedTable};
pub use grant::{Grant, Operation};
pub use identifiers::{EidForm, is_token, legacy_hash};
pub use key_file::{KeyPart, read_key_file, split, write_key_file};
pub use keys::{Purpose, RootKey};
pub use nhs::{NhsRule, is_nhs_number};
pub use secret::Secret;
pub use vault::{Stores, Vault};
pub use withdrawal::{Level, Withdrawal};
