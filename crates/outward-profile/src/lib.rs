//! What each column contains: types, identifiers found by content, candidate keys.
//!
//! A [`Profiler`] reads batches of records, one profiler for each thread; [`Profiler::merge`] joins them and
//! [`Profiler::finish`] makes the profile. The same records give the same [`Profile`], however they were cut into
//! batches, shared among threads and merged. No value of the data is in a profile.
//!
//! ```
//! use std::sync::Arc;
//! use arrow_array::{ArrayRef, RecordBatch, StringArray};
//! use outward_profile::{Kind, Profiler};
//!
//! let emails: ArrayRef = Arc::new(StringArray::from(vec!["mary@example.org"; 40]));
//! let batch = RecordBatch::try_from_iter([("c7", emails)])?;
//! let mut profiler = Profiler::new(&batch.schema());
//! profiler.observe(0, &batch);
//! let profile = profiler.finish();
//! assert_eq!(profile.columns[0].found[0].kind, Kind::Email);
//! # Ok::<(), arrow_schema::ArrowError>(())
//! ```

mod column;
mod judge;
mod kind;
mod profile;
mod profiler;
mod rank;
mod reading;
pub mod recognise;
mod sample;
pub mod scan;
mod tally;
mod topic;
mod values;
mod words;

pub use kind::{FoundKind, Kind};
pub use profile::{Basis, ColumnProfile, Confidence, Distinct, Identifies, Lengths, Profile, RankedKey, Suggestion};
pub use profiler::Profiler;
