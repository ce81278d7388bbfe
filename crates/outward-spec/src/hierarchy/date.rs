//! Parts of a date: `2011-03`, `2011-Q1`, `2011`, `2010s`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use outward_error::Result;

use super::wrong;

/// A part of a date, from finer to coarser.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum DatePart {
    /// Year and month: `2011-03`.
    Month,
    /// Year and quarter: `2011-Q1`.
    Quarter,
    /// Year: `2011`.
    Year,
    /// Decade: `2010s`.
    Decade,
}

/// The part kept at each level. Each part nests in the next, so ascending order is all that is asked.
#[derive(Debug, Clone)]
pub(super) struct Dates {
    parts: Vec<DatePart>,
}

impl Dates {
    pub(super) fn new(parts: &[DatePart]) -> Result<Self> {
        let help = "write parts from finer to coarser: `date = [\"month\", \"quarter\", \"year\", \"decade\"]`";
        if parts.is_empty() {
            return Err(wrong("`date` is empty", help));
        }
        if parts.windows(2).any(|pair| pair[0] >= pair[1]) {
            return Err(wrong("the parts of `date` are not from finer to coarser", help));
        }
        Ok(Self { parts: parts.to_vec() })
    }

    pub(super) fn levels(&self) -> usize {
        self.parts.len()
    }

    pub(super) fn label(&self, value: &str, level: usize) -> Option<String> {
        let (year, month) = year_and_month(value)?;
        Some(match self.parts.get(level.checked_sub(1)?)? {
            DatePart::Month => format!("{year:04}-{month:02}"),
            DatePart::Quarter => format!("{year:04}-Q{}", month.div_ceil(3)),
            DatePart::Year => format!("{year:04}"),
            DatePart::Decade => format!("{:04}s", year / 10 * 10),
        })
    }

    /// A part is read as its first day. Only the first day of a label gives the same text again.
    pub(super) fn has_label(&self, label: &str, level: usize) -> bool {
        let Some(part) = level.checked_sub(1).and_then(|at| self.parts.get(at)) else { return false };
        let first_day = match part {
            DatePart::Month => Some(format!("{label}-01")),
            DatePart::Quarter => label.split_once("-Q").and_then(|(year, quarter)| {
                let month = quarter.parse::<u32>().ok()?.checked_mul(3)?.checked_sub(2)?;
                Some(format!("{year}-{month:02}-01"))
            }),
            DatePart::Year => Some(format!("{label}-01-01")),
            DatePart::Decade => label.strip_suffix('s').map(|year| format!("{year}-01-01")),
        };
        first_day.is_some_and(|day| self.label(&day, level).as_deref() == Some(label))
    }
}

/// Year and month of a date of the calendar, written `YYYY-MM-DD`.
fn year_and_month(value: &str) -> Option<(u32, u32)> {
    let shape = value.bytes().enumerate().all(|(i, b)| if i == 4 || i == 7 { b == b'-' } else { b.is_ascii_digit() });
    if value.len() != 10 || !shape {
        return None;
    }
    let (year, month, day): (u32, u32, u32) =
        (value[..4].parse().ok()?, value[5..7].parse().ok()?, value[8..].parse().ok()?);
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let days = match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return None,
    };
    (1..=days).contains(&day).then_some((year, month))
}
