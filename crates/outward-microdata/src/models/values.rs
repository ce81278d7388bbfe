//! The values of a sensitive variable in a class and in the whole. A missing value discloses nothing: it is not a
//! value, and a class without any value is skipped, as in `outward_risk::diversity`.

use outward_cells::MISSING;

use super::Class;

/// How often each value occurs among some records, codes ascending, no missing ones.
#[derive(Debug, Clone, Copy)]
pub(super) struct ValueCounts<'a> {
    pub(super) counts: &'a [(u32, u64)],
    pub(super) total: u64,
}

impl<'a> ValueCounts<'a> {
    /// Of codes in ascending order; none if all are missing.
    pub(super) fn from_codes(codes: &'a [(u32, u64)]) -> Option<Self> {
        let counts = match codes {
            [(MISSING, _), counts @ ..] => counts,
            counts => counts,
        };
        let total = counts.iter().map(|(_, count)| count).sum();
        (total > 0).then_some(Self { counts, total })
    }

    pub(super) fn share(&self, count: u64) -> f64 {
        count as f64 / self.total as f64
    }

    /// The counts that are not 0, commonest first.
    pub(super) fn ranked(&self) -> Vec<u64> {
        let mut counts: Vec<u64> = self.counts.iter().map(|(_, count)| *count).filter(|count| *count > 0).collect();
        counts.sort_unstable_by(|a, b| b.cmp(a));
        counts
    }
}

/// Measures a sensitive variable in a class. A class without counts of the variable has the figure `unknown`, which the
/// model must not allow.
pub(super) fn measure<'a>(
    class: &Class<'a>,
    variable: usize,
    unknown: f64,
    figure: impl FnOnce(ValueCounts<'a>) -> f64,
) -> Option<f64> {
    match class.sensitive.get(variable) {
        Some(codes) => ValueCounts::from_codes(codes).map(figure),
        None => Some(unknown),
    }
}

/// The values of the whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct WholeShares {
    pub(super) counts: Vec<(u32, u64)>,
    pub(super) total: u64,
}

impl WholeShares {
    /// Of codes in any order.
    pub(super) fn from_codes(codes: &[(u32, u64)]) -> Self {
        let mut counts: Vec<(u32, u64)> =
            codes.iter().copied().filter(|(code, count)| *code != MISSING && *count > 0).collect();
        counts.sort_unstable();
        counts.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            kept.1 += if same { next.1 } else { 0 };
            same
        });
        let total = counts.iter().map(|(_, count)| count).sum();
        Self { counts, total }
    }

    /// The position of a value among those of the whole.
    pub(super) fn position(&self, code: u32) -> Option<usize> {
        self.counts.binary_search_by_key(&code, |(code, _)| *code).ok()
    }

    pub(super) fn count(&self, code: u32) -> u64 {
        self.position(code).map_or(0, |at| self.counts[at].1)
    }

    pub(super) fn share(&self, code: u32) -> f64 {
        if self.total == 0 { 0.0 } else { self.count(code) as f64 / self.total as f64 }
    }
}
