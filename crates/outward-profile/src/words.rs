//! Numbers in sentences.

use outward_report::format::{count, share};

/// A share of values as the start of a sentence: `All 1,000 values`, `93.4 % of 1,000 values`.
pub(crate) fn share_of(part: u64, whole: u64) -> String {
    match part {
        part if part == whole => format!("All {} values examined", count(whole)),
        part if part * 1_000 < whole => format!("{} of {} values examined", count(part), count(whole)),
        _ => format!("{} of {} values examined", share(part as f64 / whole.max(1) as f64), count(whole)),
    }
}
