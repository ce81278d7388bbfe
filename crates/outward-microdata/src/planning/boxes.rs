//! Tables that must stay true, as bounds on levels. Coarser levels of a table's keys never make it truer. So the levels
//! under which it is true enough are a union of boxes below their coarsest corners.

use outward_spec::{Error, Result};

use crate::loss::measure_table;
use crate::search::{Recoded, SearchTable};

use super::TableToSearch;

/// Levels of a table's keys that are tried one by one.
const MAX_TRIED: usize = 20_000;

/// More corners than this are not searched one by one.
const MAX_CORNERS: usize = 64;

/// Every corner of the allowed levels: the coarsest levels of all keys under which the table of some keys has at most
/// this error, with no record left out.
pub(super) fn corners(
    searched: &TableToSearch,
    whole: &SearchTable,
    keys: &[usize],
    most_error: f64,
) -> Result<Vec<Vec<usize>>> {
    let heights: Vec<usize> = searched.table.keys().iter().map(|key| key.levels.len() - 1).collect();
    let tried = keys.iter().map(|key| heights[*key] + 1).try_fold(1usize, usize::checked_mul);
    if tried.is_none_or(|tried| tried > MAX_TRIED) {
        return Err(Error::input("a table that must stay true has too many keys or levels to be tried")
            .help("name fewer keys in it, or give bounds in `levels`")
            .into());
    }
    let error = |levels: &[usize]| {
        let mut round = vec![0; heights.len()];
        keys.iter().zip(levels).for_each(|(key, level)| round[*key] = *level);
        let recoded = Recoded { rounds: vec![searched.levels(&round)], round: vec![Some(0); whole.len()] };
        measure_table(whole, &recoded, keys).misplaced
    };
    let mut allowed: Vec<Vec<usize>> = Vec::new();
    let mut levels: Vec<usize> = keys.iter().map(|key| heights[*key]).collect();
    // From coarse to fine, so that corners come first. Levels below a corner are true enough and need not be measured.
    loop {
        let known = allowed.iter().any(|corner| corner.iter().zip(&levels).all(|(most, level)| level <= most));
        if !known && error(&levels) <= most_error {
            allowed.push(levels.clone());
        }
        if !next(&mut levels, keys, &heights) {
            break;
        }
    }
    let whole = |corner: &Vec<usize>| {
        let mut most = heights.clone();
        keys.iter().zip(corner).for_each(|(key, level)| most[*key] = *level);
        most
    };
    let mut corners: Vec<Vec<usize>> = allowed.iter().map(whole).collect();
    drop_inner(&mut corners);
    Ok(corners)
}

/// The corners of levels that are within one corner of each list.
pub(super) fn meet(lists: &[Vec<Vec<usize>>]) -> Result<Vec<Vec<usize>>> {
    let mut met: Vec<Vec<usize>> = vec![Vec::new()];
    for list in lists {
        let both = |one: &Vec<usize>, other: &Vec<usize>| match one.is_empty() {
            true => other.clone(),
            false => one.iter().zip(other).map(|(a, b)| *a.min(b)).collect(),
        };
        met = met.iter().flat_map(|one| list.iter().map(move |other| both(one, other))).collect();
        drop_inner(&mut met);
        if met.len() > MAX_CORNERS {
            return Err(Error::input("the tables that must stay true leave too many ways to be searched")
                .help("name fewer tables, or give bounds in `levels`")
                .into());
        }
    }
    Ok(met)
}

/// Leaves the outermost corners, in order.
fn drop_inner(corners: &mut Vec<Vec<usize>>) {
    corners.sort();
    corners.dedup();
    let within = |inner: &[usize], outer: &[usize]| inner.iter().zip(outer).all(|(a, b)| a <= b);
    let all = corners.clone();
    corners.retain(|corner| !all.iter().any(|other| other != corner && within(corner, other)));
}

/// The next finer combination of levels; false after the finest.
fn next(levels: &mut [usize], keys: &[usize], heights: &[usize]) -> bool {
    for (level, key) in levels.iter_mut().zip(keys).rev() {
        if *level > 0 {
            *level -= 1;
            return true;
        }
        *level = heights[*key];
    }
    false
}
