//! Tables made for tests, from a fixed sequence of draws.

use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, StringArray};
use outward_profile::{ColumnProfile, Profile, Profiler};

/// A sequence of draws that is the same in every run.
pub(crate) struct Draws(u64);

impl Draws {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A whole number below `limit`.
    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }

    pub(crate) fn among<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[self.below(list.len() as u64) as usize]
    }

    /// An NHS number of the range 4,000,000,000 and up.
    pub(crate) fn nhs_number(&mut self) -> String {
        loop {
            let nine = 400_000_000 + self.below(99_999_999);
            let sum: u64 = nine.to_string().bytes().zip((2..=10).rev()).map(|(b, w)| u64::from(b - b'0') * w).sum();
            match (11 - sum % 11) % 11 {
                10 => {}
                check => return format!("{nine}{check}"),
            }
        }
    }

    /// A date as day, month and year.
    pub(crate) fn date(&mut self, first: u64, last: u64) -> (u64, u64, u64) {
        (1 + self.below(28), 1 + self.below(12), first + self.below(last - first + 1))
    }
}

/// A column of text made by a function of the draws and the record number.
pub(crate) fn column(records: u64, make: impl Fn(&mut Draws, u64) -> String) -> ArrayRef {
    let mut draws = Draws::new(42);
    Arc::new(StringArray::from_iter_values((0..records).map(|record| make(&mut draws, record))))
}

pub(crate) fn profile(batch: &RecordBatch) -> Profile {
    let mut profiler = Profiler::new(&batch.schema());
    profiler.observe(0, batch);
    profiler.finish()
}

/// The profile of one column under a name.
pub(crate) fn judged(name: &str, array: ArrayRef) -> ColumnProfile {
    let batch = RecordBatch::try_from_iter([(name, array)]).unwrap();
    profile(&batch).columns.remove(0)
}

/// The profile of a column of text under a name that says nothing.
pub(crate) fn unnamed(make: impl Fn(&mut Draws, u64) -> String) -> ColumnProfile {
    judged("c7", column(1_000, make))
}
