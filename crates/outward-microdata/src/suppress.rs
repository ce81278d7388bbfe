//! Local suppression: the cheapest values to leave out so that every record has a class of at least k records.
//!
//! A missing value of a wildcard key matches everything. So a record with a value left out supports all records that agree
//! with it elsewhere, as long as it keeps most keys. Few well placed blanks protect many. Which ones is a covering problem
//! (`cover`), solved greedily by prices (`choose`) that also prove a lower bound (`prices`). Keys whose missing value is a
//! category of its own come first, and only as far as they must (`classes`). Method, rule and proofs:
//! `docs/methods/suppression.md`.

mod choose;
mod classes;
mod cover;
mod cures;
mod distant;
mod lists;
mod prices;
mod recount;
mod units;

use outward_report::format::count;
use outward_spec::{Error, Missing, Result};

use crate::packing::{Packing, ones};
use units::Units;

/// Masks have one bit for each key, and one more is needed to count them.
const MAX_KEYS: usize = 63;

/// Some keys on which every counted record must be supported by at least `k` records, itself included.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Constraint {
    /// Positions among the keys of the request.
    pub keys: Vec<usize>,
    /// How many records must support it.
    pub k: u64,
    /// Where given, only these records are counted and asked of.
    pub rows: Option<Vec<bool>>,
}

/// Whose suppressed values protect a record, under wildcards.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Blanks {
    /// Those of all records: a whole record is protected by others that could be it. Fewest cells.
    #[default]
    Shared,
    /// Only its own: at least k records of the original file match what a record still shows.
    Own,
}

/// What must hold, and what a suppressed cell costs.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    /// For each key the codes of all records, 0 for missing.
    pub keys: &'a [&'a [u32]],
    /// For each key what a missing value matches.
    pub missing: &'a [Missing],
    /// What must hold afterwards.
    pub constraints: &'a [Constraint],
    /// For each key what one suppressed cell costs, above 0.
    pub importance: &'a [f64],
    /// Whose suppressed values count.
    pub blanks: Blanks,
    /// How many threads may work; the result does not depend on it.
    pub threads: usize,
}

/// Which cells to set missing.
#[derive(Debug, Clone, PartialEq)]
pub struct Suppressed {
    /// For each record the keys newly suppressed: bit `i` is key `i`.
    pub masks: Vec<u64>,
    /// Suppressed cells of each key.
    pub per_key: Vec<u64>,
    /// Suppressed cells in all.
    pub cells: u64,
    /// Their cost.
    pub cost: f64,
    /// No choice costs less than this. Under wildcards it is proven for the choices in which every record loses only what
    /// it needs itself, which is the rule followed here. With category keys it is proven for all choices.
    pub lower_bound: f64,
    /// Records that were below k in some constraint.
    pub below_k: u64,
    /// Those among them that stay whole, because suppression in others protects them.
    pub whole: u64,
}

/// Chooses cells to suppress so that all constraints hold, as cheaply as it can.
pub fn suppress(request: &Request<'_>) -> Result<Suppressed> {
    let problem = Problem::new(request)?;
    match problem.packing.words() {
        1 => problem.solve::<1>(),
        2 => problem.solve::<2>(),
        3..=8 => problem.solve::<8>(),
        _ => Err(Error::input("the keys have too many values between them for cell suppression")
            .help("recode the keys with most values first, or use fewer keys")
            .into()),
    }
}

/// A request that was checked.
struct Problem<'a> {
    request: &'a Request<'a>,
    rows: usize,
    /// Keys under wildcard, as bits.
    wild: u64,
    /// The keys of each constraint, as bits.
    keys: Vec<u64>,
    packing: Packing,
}

impl<'a> Problem<'a> {
    fn new(request: &'a Request<'a>) -> Result<Self> {
        let rows = request.keys.first().map_or(0, |codes| codes.len());
        check_keys(request, rows)?;
        for constraint in request.constraints {
            check_constraint(constraint, request.keys.len(), rows)?;
        }
        let bits = |keys: &[usize]| keys.iter().fold(0u64, |bits, key| bits | 1 << key);
        let wild = (0..request.keys.len()).filter(|key| request.missing[*key] == Missing::Wildcard);
        Ok(Self {
            request,
            rows,
            wild: wild.fold(0, |bits, key| bits | 1 << key),
            keys: request.constraints.iter().map(|constraint| bits(&constraint.keys)).collect(),
            packing: Packing::new(request.keys.iter().map(|codes| codes.iter().copied().max().unwrap_or(0))),
        })
    }

    /// The cost of suppressing the keys of a mask in one record.
    fn cost(&self, mask: u64) -> f64 {
        ones(mask).map(|key| self.request.importance[key]).sum()
    }

    fn solve<const W: usize>(&self) -> Result<Suppressed> {
        let before = Units::<W>::new(self, &vec![0; self.rows]);
        let classes::JoinedClasses { mut masks, lower_bound: of_categories } = classes::join(self, &before);
        let of_wildcards = self.blank_until_k::<W>(&mut masks)?;
        // The lower bound for wildcards depends on what was done to categories. If there are any, it proves nothing.
        let categories = self.keys.iter().any(|keys| keys & !self.wild != 0);
        let lower_bound = if categories { of_categories } else { of_wildcards };
        let below_k = before.below_k(self);
        let below_k: Vec<bool> = before.of_row.iter().map(|unit| below_k[*unit as usize]).collect();
        Ok(self.summary(masks, lower_bound, &below_k))
    }

    /// Blanks wildcard cells until every record has its k, and returns a lower bound on the cost. A record that comes
    /// to lack most keys may no longer support others, and these may fall below k; the next round deals with them.
    /// Every round but the last blanks a cell.
    fn blank_until_k<const W: usize>(&self, masks: &mut [u64]) -> Result<f64> {
        let mut lower_bound = None;
        loop {
            let units = Units::<W>::new(self, masks);
            let Some(blanked) = cover::blank(self, &units) else { return Ok(lower_bound.unwrap_or(0.0)) };
            if blanked.picks.is_empty() {
                return Err(Error::bug("cell suppression left a record below k"));
            }
            lower_bound.get_or_insert(blanked.lower_bound);
            units.spread(&blanked.picks, masks);
        }
    }

    fn summary(&self, masks: Vec<u64>, lower_bound: f64, below_k: &[bool]) -> Suppressed {
        let mut per_key = vec![0; self.request.keys.len()];
        masks.iter().for_each(|mask| ones(*mask).for_each(|key| per_key[key] += 1));
        let cost = per_key.iter().zip(self.request.importance).map(|(cells, cost)| *cells as f64 * cost).sum();
        Suppressed {
            cells: per_key.iter().sum(),
            below_k: below_k.iter().filter(|below| **below).count() as u64,
            whole: masks.iter().zip(below_k).filter(|(mask, below)| **below && **mask == 0).count() as u64,
            per_key,
            cost,
            lower_bound: f64::min(lower_bound, cost),
            masks,
        }
    }
}

fn check_keys(request: &Request<'_>, rows: usize) -> Result<()> {
    let keys = request.keys.len();
    if keys > MAX_KEYS {
        return Err(Error::input(format!("{keys} keys are more than cell suppression can take"))
            .help(format!("choose at most {MAX_KEYS} keys"))
            .into());
    }
    if request.missing.len() != keys || request.importance.len() != keys {
        return Err(Error::bug("cell suppression needs a meaning of missing and an importance for every key"));
    }
    if request.keys.iter().any(|codes| codes.len() != rows) || rows > u32::MAX as usize {
        return Err(Error::bug("the keys of cell suppression do not have a code for every record"));
    }
    if request.importance.iter().any(|importance| !(importance.is_finite() && *importance > 0.0)) {
        return Err(Error::input("the importance of a key is not a number above 0")
            .help("give each key an importance such as 1, larger for keys whose values should be kept")
            .into());
    }
    Ok(())
}

fn check_constraint(constraint: &Constraint, keys: usize, rows: usize) -> Result<()> {
    if constraint.keys.iter().any(|key| *key >= keys) {
        return Err(Error::bug("a constraint of cell suppression names a key that is not there"));
    }
    if constraint.rows.as_ref().is_some_and(|counted| counted.len() != rows) {
        return Err(Error::bug("a constraint of cell suppression does not say of every record whether it counts"));
    }
    let counted = constraint.rows.as_ref().map_or(rows, |counted| counted.iter().filter(|counted| **counted).count());
    if counted > 0 && (counted as u64) < constraint.k {
        return Err(Error::input(format!(
            "every record is to share its keys with {} in all, and there are only {}",
            count(constraint.k),
            count(counted as u64)
        ))
        .help("ask for a smaller k")
        .into());
    }
    Ok(())
}
