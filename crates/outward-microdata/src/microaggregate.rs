//! Microaggregation: records near each other form groups of at least k, and each number becomes that of its group.
//!
//! Groups are those of MDAV (Domingo-Ferrer and Mateo-Sanz 2002; `microaggregate/mdav.rs`) over standardised columns: each
//! less its mean, over its standard deviation. A missing number is NaN.
//!
//! Records are grouped only with records of the same stratum and with numbers in the same columns, as those of others
//! are not comparable. If fewer than k records have numbers in the same columns, some of their numbers are suppressed,
//! until at least k records lack the same ones. So no record is unique by its missing numbers.

mod mdav;
mod tree;

use std::collections::BTreeMap;

use outward_spec::{Error, Result};

use crate::utility::{Change, Moments, check_columns, measure_moments};

/// What a number is replaced by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Centre {
    /// The mean of its group.
    #[default]
    Mean,
    /// The median of its group; of an even number the mean of the two in the middle.
    Median,
}

/// Columns with numbers replaced by those of groups.
#[derive(Debug, Clone)]
pub struct Microaggregated {
    /// The columns, in the order given; a missing number is NaN.
    pub columns: Vec<Vec<f64>>,
    /// The group of each record, from 0; none for a record with no number left.
    pub groups: Vec<Option<u32>>,
    /// The size of each group.
    pub sizes: Vec<u32>,
    /// Squared differences between numbers and those that replace them, in standard deviations of their columns, summed.
    pub sse: f64,
    /// Squared differences between numbers and the means of their columns, in the same unit. `sse / sst` is the share of
    /// the variation that is lost.
    pub sst: f64,
    /// What was changed. Numbers taken away, as too few records have numbers in the same columns, are its `suppressed`.
    pub change: Change,
}

/// Columns above this number cannot be grouped together: with so many no two records are near each other.
const MAX_COLUMNS: usize = 32;

/// Replaces the numbers of records by those of groups of at least `k` records near each other.
///
/// `strata` gives a code for each record; groups never cross strata.
///
/// # Errors
/// If `k` is below 2 or above the number of records, if a number is infinite, or if there are no columns or more than
/// 32.
pub fn microaggregate(columns: &[&[f64]], strata: Option<&[u32]>, k: usize, centre: Centre) -> Result<Microaggregated> {
    let rows = check(columns, strata, k)?;
    let moments: Vec<Moments> = columns.iter().map(|column| measure_moments(column)).collect();
    let mut released: Vec<Vec<f64>> = columns.iter().map(|column| column.to_vec()).collect();
    let mut groups = vec![None; rows];
    let (mut sizes, mut sse) = (Vec::new(), 0.0);
    for Stratum { known, rows } in parts(columns, strata, k) {
        for (_, released) in released.iter_mut().enumerate().filter(|(column, _)| known >> column & 1 == 0) {
            rows.iter().for_each(|row| released[*row as usize] = f64::NAN);
        }
        let used: Vec<usize> = (0..columns.len()).filter(|column| known >> column & 1 == 1).collect();
        if used.is_empty() {
            continue;
        }
        for members in group_part(columns, &moments, &used, &rows, k) {
            for column in &used {
                let numbers: Vec<f64> = members.iter().map(|row| columns[*column][*row as usize]).collect();
                let new = central(numbers, centre);
                let sd = moments[*column].sd;
                for row in &members {
                    let cell = &mut released[*column][*row as usize];
                    sse += if sd > 0.0 { ((*cell - new) / sd).powi(2) } else { 0.0 };
                    *cell = new;
                }
            }
            members.iter().for_each(|row| groups[*row as usize] = Some(sizes.len() as u32));
            sizes.push(members.len() as u32);
        }
    }
    let sst = moments.iter().filter(|of| of.sd > 0.0).map(|of| (of.count - 1) as f64).sum();
    // If all records are in one group, exactly the variation is lost. Rounding may give a little more.
    let sse = f64::min(sse, sst);
    let change = Change::between(columns, &released);
    Ok(Microaggregated { columns: released, groups, sizes, sse, sst, change })
}

fn check(columns: &[&[f64]], strata: Option<&[u32]>, k: usize) -> Result<usize> {
    if columns.is_empty() || columns.len() > MAX_COLUMNS {
        return Err(Error::input(format!("{} columns cannot be microaggregated together", columns.len()))
            .help(format!("name 1 to {MAX_COLUMNS} columns, and put those of one subject into one step"))
            .into());
    }
    let rows = check_columns(columns)?;
    if strata.is_some_and(|strata| strata.len() != rows) || rows >= u32::MAX as usize {
        return Err(Error::bug("microaggregation was given a wrong number of records"));
    }
    if k < 2 {
        return Err(Error::input(format!("groups of {k} protect nobody")).help("give a `k` of 3 or more").into());
    }
    if k > rows {
        return Err(Error::input(format!("groups of {k} cannot be formed of {rows} records"))
            .help("give a smaller `k`, or do not release so few records")
            .into());
    }
    Ok(rows)
}

/// Records that may be grouped with each other: of one stratum, with numbers in the same columns.
struct Stratum {
    /// A bit for each column that keeps its numbers.
    known: u32,
    rows: Vec<u32>,
}

fn parts(columns: &[&[f64]], strata: Option<&[u32]>, k: usize) -> Vec<Stratum> {
    let rows = columns.first().map_or(0, |column| column.len());
    let mut strata_rows: BTreeMap<u32, BTreeMap<u32, Vec<u32>>> = BTreeMap::new();
    for row in 0..rows {
        let known = columns.iter().rev().fold(0, |bits, column| bits << 1 | u32::from(!column[row].is_nan()));
        let patterns = strata_rows.entry(strata.map_or(0, |strata| strata[row])).or_default();
        patterns.entry(known).or_default().push(row as u32);
    }
    strata_rows.into_values().flat_map(|patterns| join_small(patterns, k)).collect()
}

/// Joins patterns of fewer than k records to others of which they have all the numbers, the fuller ones first.
fn join_small(mut patterns: BTreeMap<u32, Vec<u32>>, k: usize) -> Vec<Stratum> {
    let mut order: Vec<u32> = patterns.keys().copied().collect();
    order.sort_unstable_by_key(|known| (std::cmp::Reverse(known.count_ones()), *known));
    for known in order {
        if known == 0 || patterns[&known].len() >= k {
            continue;
        }
        let rows = patterns.remove(&known).unwrap_or_default();
        // The pattern that keeps most numbers; with no pattern inside this one, no number is kept.
        let inside = patterns.keys().filter(|other| **other & known == **other);
        let host = inside.max_by_key(|other| (other.count_ones(), patterns[*other].len(), **other)).copied();
        patterns.entry(host.unwrap_or(0)).or_default().extend(rows);
    }
    patterns
        .into_iter()
        .map(|(known, mut rows)| {
            rows.sort_unstable();
            Stratum { known, rows }
        })
        .collect()
}

/// The groups of one part, as rows of the file.
fn group_part(columns: &[&[f64]], moments: &[Moments], used: &[usize], rows: &[u32], k: usize) -> Vec<Vec<u32>> {
    let group = match used.len() {
        1 => group_in::<1>,
        2 => group_in::<2>,
        3 => group_in::<3>,
        4 => group_in::<4>,
        5..=6 => group_in::<6>,
        7..=8 => group_in::<8>,
        9..=16 => group_in::<16>,
        _ => group_in::<MAX_COLUMNS>,
    };
    group(columns, moments, used, rows, k)
}

/// Groups in a space of D dimensions, of which those beyond the columns used stay 0 and change no distance.
fn group_in<const D: usize>(
    columns: &[&[f64]],
    moments: &[Moments],
    used: &[usize],
    rows: &[u32],
    k: usize,
) -> Vec<Vec<u32>> {
    let mut records = vec![[0.0; D]; rows.len()];
    for (d, column) in used.iter().enumerate() {
        for (record, row) in records.iter_mut().zip(rows) {
            record[d] = standardise(columns[*column][*row as usize], &moments[*column]);
        }
    }
    let mut groups = mdav::form_groups(&records, k);
    groups.iter_mut().flatten().for_each(|member| *member = rows[*member as usize]);
    groups
}

/// A number less the mean, over the standard deviation, to the nearest step.
fn standardise(value: f64, of: &Moments) -> f64 {
    // The largest deviation of n numbers is below √n standard deviations, so that steps stay whole; 0 is never −0.
    if of.sd > 0.0 { ((value - of.mean) / of.sd * mdav::GRID_STEPS).round() / mdav::GRID_STEPS + 0.0 } else { 0.0 }
}

fn central(mut numbers: Vec<f64>, centre: Centre) -> f64 {
    match centre {
        Centre::Mean => measure_moments(&numbers).mean,
        Centre::Median => {
            numbers.sort_unstable_by(f64::total_cmp);
            let half = numbers.len() / 2;
            if numbers.len() % 2 == 1 { numbers[half] } else { measure_moments(&numbers[half - 1..=half]).mean }
        }
    }
}
