//! Release bundles: written whole, and verified from their files alone.
//!
//! A [`Staging`] collects the published records, the spec and what was done, and becomes a bundle in one rename.
//! [`verify()`] reads a bundle back and recomputes what its manifest says, by code that no step of the release uses.

mod alone;
pub mod bundle;
mod checked;
mod csv;
mod described;
mod dictionary;
mod evidence;
mod hash;
mod inputs;
pub mod intruder;
mod manifest;
mod mappings;
mod protect;
mod report;
mod statement;
mod tables;
pub mod verify;
mod words;

pub use alone::UniqueRecords;
pub use bundle::{Existing, Staging, is_of_tables, read, write};
pub use checked::verification_report;
pub use described::{DescribedBundle, columns_of, read_described_spec, spec_in_bundle, write_described};
pub use dictionary::dictionary;
pub use evidence::{EVIDENCE, IntruderTest};
pub use inputs::{InputKind, InputRecord, data_hash};
pub use manifest::{
    ColumnRecord, FORMAT, FileRecord, Manifest, Measures, ModelVerdict, StepRecord, Subset, VariableUtility,
};
pub use protect::{EvidenceRequest, Protect, Protected, count_population, gather, protect};
pub use report::report;
pub use statement::statement;
pub use tables::{TableManifest, TableRecord, TableRelease, make_tables, write_tables};
pub use verify::{Check, Outcome, Verification, verify};
