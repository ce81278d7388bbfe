//! Pseudonyms for research: participants, keys, and the identifiers that an application gets.
//!
//! A [`Vault`] has two stores, one with who the participants are and one with what is known of them. This is the only crate that ever holds a key. A key
//! never leaves it: no error, log, `Debug` or output has one.
//!
//! Nothing here reads a clock or knows who the user is: both come from outside, as an [`outward_ledger::Actor`].

mod application;
mod data;
mod days;
mod eid;
mod enrol;
mod extract;
pub mod ff1;
mod file;
mod form;
mod grant;
mod key_file;
mod keys;
mod linkage;
mod nhs;
mod opt_out;
mod participants;
mod phased;
mod places;
mod rare;
mod reverse;
mod seal;
mod secret;
mod table;
mod unlink;
mod vault;
mod withdrawal;

pub use application::{Application, Cohort, GrantedTable};
pub use data::{Batches, IdIs, TableData, write_parquet};
pub use days::is_day;
pub use eid::{EidForm, EidSet, is_token};
pub use enrol::{Enrolled, Enrolment, Person};
pub use extract::{Account, EID, Extract, GroupedField, Phase, Wanted};
pub use file::read_toml;
pub use grant::{Grant, Operation};
pub use key_file::{KeyPart, read_key_file, split, write_key_file};
pub use keys::{Purpose, RootKey};
pub use linkage::Linkage;
pub use nhs::{NhsRule, is_nhs_number};
pub use opt_out::{OptOuts, read_list, write_list};
pub use phased::{BETWEEN, Places, Results, ReturnAccount, ReturnedColumn};
pub use reverse::{Bridge, Reversed};
pub use secret::Secret;
pub use table::TableDescription;
pub use vault::{Stores, Vault};
pub use withdrawal::{Level, Withdrawal, WithdrawnEids};
