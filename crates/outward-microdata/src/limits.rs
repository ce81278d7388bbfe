//! Top and bottom coding: numbers at or beyond a limit become one number, or one label.
//!
//! A limit is given as a number, or as a share of the records. A share stands for the number at that quantile, moved
//! inwards until enough records are at or beyond it. What is at or beyond becomes the limit, the mean of what is there, or
//! a label such as `85 or over`. A missing number is NaN: it is not counted and stays missing.

use outward_spec::{Error, Result};

use crate::utility::{Change, check_columns, measure_moments};

/// Where a limit lies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Bound {
    /// At this number.
    Value(f64),
    /// At the number that this share of the records reaches, above 0 and below 1.
    Share(f64),
}

/// What numbers at or beyond a limit become.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Replacement {
    /// The limit itself.
    #[default]
    Limit,
    /// The mean of the numbers at or beyond it.
    Mean,
    /// A text, or where none is given the limit with `or over` or `or under`.
    Label(Option<String>),
}

/// A limit on one side.
#[derive(Debug, Clone, PartialEq)]
pub struct Limit {
    /// Where it lies.
    pub bound: Bound,
    /// What numbers at or beyond it become.
    pub replacement: Replacement,
    /// The least number of records that a share must cover, or of which a mean may be given.
    pub least: u64,
}

/// Limits on either side.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Limits {
    /// The lower limit.
    pub bottom: Option<Limit>,
    /// The upper limit.
    pub top: Option<Limit>,
}

/// A limit found in the data.
#[derive(Debug, Clone, PartialEq)]
pub struct FoundLimit {
    /// The limit.
    pub limit: f64,
    /// Records at or beyond it.
    pub records: u64,
    /// The number they get; the limit where they get a label.
    pub number: f64,
    /// The label they get, where they do.
    pub label: Option<String>,
}

/// The limits of a column, with which records can be rewritten one by one.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ReachedLimits {
    /// The lower limit.
    pub bottom: Option<FoundLimit>,
    /// The upper limit.
    pub top: Option<FoundLimit>,
}

/// A column within limits.
#[derive(Debug, Clone, PartialEq)]
pub struct Limited {
    /// The numbers; where a record gets a label, the limit.
    pub values: Vec<f64>,
    /// The limits found. [`ReachedLimits::label`] of a number before is its label.
    pub limits: ReachedLimits,
    /// What was changed, labels apart: a number that equals the limit is not changed.
    pub change: Change,
}

#[derive(Clone, Copy, PartialEq)]
enum Extreme {
    Bottom,
    Top,
}

/// Puts a column within limits.
///
/// # Errors
/// As [`find_limits`].
pub fn code_extremes(values: &[f64], limits: &Limits) -> Result<Limited> {
    let limits = find_limits(values, limits)?;
    let released: Vec<f64> = values.iter().map(|value| limits.number(*value)).collect();
    let change = Change::between(&[values], &[&released]);
    Ok(Limited { values: released, limits, change })
}

/// Finds where limits lie in a column, and what is at or beyond them.
///
/// # Errors
/// If a limit is no number, or a share is outside its range. If there are too few records to cover it or to be given as
/// a mean. If the limits meet.
pub fn find_limits(values: &[f64], limits: &Limits) -> Result<ReachedLimits> {
    check_columns(&[values])?;
    let mut sorted: Vec<f64> = values.iter().copied().filter(|value| !value.is_nan()).collect();
    sorted.sort_unstable_by(f64::total_cmp);
    let find =
        |side: Extreme, limit: &Option<Limit>| limit.as_ref().map(|limit| reach(&sorted, side, limit)).transpose();
    let found = ReachedLimits { bottom: find(Extreme::Bottom, &limits.bottom)?, top: find(Extreme::Top, &limits.top)? };
    if let ReachedLimits { bottom: Some(bottom), top: Some(top) } = &found
        && bottom.limit >= top.limit
    {
        return Err(Error::input("the bottom limit is not below the top limit")
            .help("give limits farther apart; where shares were given, too few different numbers lie between them")
            .into());
    }
    Ok(found)
}

impl ReachedLimits {
    fn side(&self, value: f64) -> Option<&FoundLimit> {
        let bottom = self.bottom.as_ref().filter(|bottom| value <= bottom.limit);
        bottom.or_else(|| self.top.as_ref().filter(|top| value >= top.limit))
    }

    /// The number released for a number.
    pub fn number(&self, value: f64) -> f64 {
        self.side(value).map_or(value, |reached| reached.number)
    }

    /// The label released for a number, if it gets one.
    pub fn label(&self, value: f64) -> Option<&str> {
        self.side(value)?.label.as_deref()
    }
}

/// Finds one limit among the numbers in ascending order.
fn reach(sorted: &[f64], side: Extreme, limit: &Limit) -> Result<FoundLimit> {
    let at = match limit.bound {
        Bound::Value(at) if at.is_finite() => at,
        Bound::Share(share) if share > 0.0 && share < 1.0 => quantile(sorted, side, share, limit.least)?,
        Bound::Value(_) => return Err(Error::input("the limit is not a number").help("give a number").into()),
        Bound::Share(_) => {
            return Err(Error::input("the share of records beyond a limit must be above 0 and below 1")
                .help("0.01 codes the most extreme 1 % of records")
                .into());
        }
    };
    let beyond = match side {
        Extreme::Bottom => &sorted[..sorted.partition_point(|value| *value <= at)],
        Extreme::Top => &sorted[sorted.partition_point(|value| *value < at)..],
    };
    let records = beyond.len() as u64;
    let number = match limit.replacement {
        Replacement::Mean if records > 0 => {
            if records < limit.least {
                return Err(few("the mean of", records, limit.least));
            }
            measure_moments(beyond).mean
        }
        _ => at,
    };
    let label = match &limit.replacement {
        Replacement::Label(Some(text)) => Some(text.clone()),
        Replacement::Label(None) if side == Extreme::Bottom => Some(format!("{at} or under")),
        Replacement::Label(None) => Some(format!("{at} or over")),
        _ => None,
    };
    Ok(FoundLimit { limit: at, records, number, label })
}

/// The number that the share of records is at or beyond, and at least so many.
fn quantile(sorted: &[f64], side: Extreme, share: f64, least: u64) -> Result<f64> {
    let records = ((share * sorted.len() as f64).ceil() as usize).max(least as usize).max(1);
    let index = match side {
        Extreme::Bottom => Some(records - 1),
        Extreme::Top => sorted.len().checked_sub(records),
    };
    let found = index.and_then(|index| sorted.get(index));
    found.copied().ok_or_else(|| few("a limit for", sorted.len() as u64, records as u64))
}

fn few(what: &str, records: u64, least: u64) -> Error {
    let plural = if records == 1 { "" } else { "s" };
    Error::input(format!("{what} {records} record{plural} would say too much about each: at least {least} are needed"))
        .help("move the limit inwards, or replace by the limit or a label")
        .into()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn limit(bound: Bound, replacement: Replacement) -> Option<Limit> {
        Some(Limit { bound, replacement, least: 3 })
    }

    #[test]
    fn ages_over_the_limit_become_the_limit_or_its_label() {
        let ages = [3.0, 84.0, 85.0, 99.0, f64::NAN, 101.0];
        let limits = Limits { bottom: None, top: limit(Bound::Value(85.0), Replacement::Label(None)) };
        let result = code_extremes(&ages, &limits).unwrap();
        assert_eq!(result.values[..4], [3.0, 84.0, 85.0, 85.0]);
        assert!(result.values[4].is_nan());
        assert_eq!(result.limits.top.as_ref().unwrap().records, 3);
        assert_eq!((result.limits.label(99.0), result.limits.label(84.0)), (Some("85 or over"), None));
        assert_eq!((result.change.cells[0], result.change.largest[0]), (2, 16.0));
    }

    #[test]
    fn a_share_covers_at_least_the_least_number_of_records() {
        let values: Vec<f64> = (1..=50).map(f64::from).collect();
        let shares = Limits {
            bottom: limit(Bound::Share(0.1), Replacement::Limit),
            top: limit(Bound::Share(0.01), Replacement::Mean),
        };
        let found = find_limits(&values, &shares).unwrap();
        // A tenth of fifty is five. A hundredth would be one record, so three are taken.
        assert_eq!(found.bottom.unwrap(), FoundLimit { limit: 5.0, records: 5, number: 5.0, label: None });
        assert_eq!(found.top.unwrap(), FoundLimit { limit: 48.0, records: 3, number: 49.0, label: None });
    }

    #[test]
    fn equal_numbers_are_never_split_by_a_share() {
        let found = find_limits(
            &[1.0, 2.0, 9.0, 9.0, 9.0, 9.0, 9.0],
            &Limits { bottom: None, top: limit(Bound::Share(0.2), Replacement::Limit) },
        );
        assert_eq!(found.unwrap().top.unwrap().records, 5);
    }

    #[test]
    fn means_of_few_and_limits_that_meet_are_refused() {
        let values = [1.0, 2.0, 3.0, 4.0, 90.0];
        let refuse = |bottom, top| find_limits(&values, &Limits { bottom, top }).unwrap_err().to_string();
        assert!(refuse(None, limit(Bound::Value(50.0), Replacement::Mean)).contains("the mean of 1 record"));
        assert!(refuse(None, limit(Bound::Share(1.5), Replacement::Limit)).contains("below 1"));
        let half = || limit(Bound::Share(0.6), Replacement::Limit);
        assert!(refuse(half(), half()).contains("not below"));
        assert!(find_limits(&values[..2], &Limits { bottom: half(), top: None }).is_err());
        // Nobody beyond: nothing to replace, nothing to refuse.
        let none = Limits { bottom: None, top: limit(Bound::Value(500.0), Replacement::Mean) };
        assert_eq!(code_extremes(&values, &none).unwrap().change.records, 0);
    }
}
