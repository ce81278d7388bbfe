//! Secondary suppression: which further cells to hide so that no unsafe cell can be derived from the others, nor bounded
//! too tightly, over the whole system of tables at once.
//!
//! A pattern is judged by its witnesses. An unsafe cell is protected if there are **deviations**, whole numbers f with
//! M f = 0 and f = 0 in every published cell, that may be added to the table without leaving the bounds of any cell and
//! move the unsafe cell as far up and as far down as its protection levels ask. Then the attacker, who sees the published
//! cells, cannot tell the true table from the moved ones. (The attacker problem of Fischetti & Salazar 2001.)

mod attacker;
mod balance;
mod boxes;
mod conflict;
mod cover;
mod deviation;
mod eliminate;
mod exact;
mod grid;
mod improve;
mod kernel;
mod net;
mod overlap;
mod path;
mod product;
mod program;
mod search;
mod slack;

use outward_spec::{Error, Result};

pub use crate::suppress::conflict::Unprotectable;
use crate::suppress::cover::{Cover, Demand, Effort};
use crate::suppress::exact::Verdict;
use crate::suppress::net::{Net, Reach};
use outward_audit::{Cell, Status, System};
use outward_audit::{Inside, Outside};

/// What is made small.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Cost {
    /// The sum of the costs as given.
    AsGiven,
    /// The number of cells; among equals, the sum of the costs as given.
    #[default]
    ByOne,
    /// The sum of the values.
    ByValue,
}

/// A sum of cells that must not be derivable, although it is not published itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VirtualCell {
    /// The cells, each with 1 or -1.
    pub terms: Vec<(u32, i32)>,
    /// How far below the sum the attacker's interval must reach.
    pub lower_protection: i64,
    /// How far above the sum the attacker's interval must reach.
    pub upper_protection: i64,
    /// How wide the attacker's interval must be.
    pub sliding_protection: i64,
}

/// How a pattern is chosen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// What is made small.
    pub cost: Cost,
    /// Systems with at most so many open cells are solved to the optimum, as far as the limits of the solver allow.
    pub exact_limit: usize,
    /// How much work is put into making the pattern smaller, in steps of the search.
    pub work: u64,
    /// Cells with one contributor, who knows what is in them, those of the same person in one list: everything else must be
    /// safe from each of them.
    pub alone: Vec<Vec<u32>>,
    /// Cells that one of them is in with others, or someone who is alone in none and has an empty list.
    pub inside: Vec<Inside>,
    /// Unsafe cells that need not be kept as far from contributors to other cells.
    pub outside: Vec<Outside>,
    /// Sums that must not be derivable either.
    pub virtual_cells: Vec<VirtualCell>,
}

impl Default for Choice {
    fn default() -> Self {
        Self {
            cost: Cost::ByOne,
            exact_limit: 250,
            work: 50_000_000,
            alone: Vec::new(),
            inside: Vec::new(),
            outside: Vec::new(),
            virtual_cells: Vec::new(),
        }
    }
}

/// Which cells are hidden.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern {
    /// For each cell, whether it is hidden.
    pub hidden: Vec<bool>,
    /// The cells hidden besides those that had to be, in order.
    pub secondary: Vec<u32>,
    /// Whether no cheaper pattern exists.
    pub proven_optimal: bool,
    /// Steps the search took.
    pub steps: u64,
}

/// Why no pattern was chosen.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// There is none.
    #[error("{0}")]
    Unprotectable(Unprotectable),
    /// What was asked makes no sense, or a mistake of ours.
    #[error(transparent)]
    Other(#[from] Error),
}

impl From<Failure> for Error {
    /// Cells are called by their numbers.
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Unprotectable(cells) => cells.named(|cell| cell.to_string()),
            Failure::Other(error) => error,
        }
    }
}

/// How hard the first choice looks, and how hard each later one.
const FIRST: Effort = Effort { states: (20_000, 0), corners: 40_000, programs: true };
/// How hard the first choice looks once it has done `FIRST_WORK` steps.
const SPARING: Effort = Effort { states: (200, 0), corners: 2_000, programs: true };
const FIRST_WORK: u64 = 100_000_000;
const LATER: Effort = Effort { states: (40, 40), corners: 4_000, programs: false };

/// Chooses a pattern that protects every unsafe cell.
///
/// # Errors
/// Where none exists: with the frozen cells that stand in the way.
pub fn suppress(system: &System, choice: &Choice) -> Result<Pattern, Failure> {
    let open = system.cells.iter().filter(|cell| cell.status == Status::Open).count();
    let far = if open > choice.exact_limit { slack::far(system, choice) } else { Vec::new() };
    if !far.is_empty() {
        let near = system.without(&far);
        let cover = cover(&near, choice)?;
        if cover.chosen.iter().flatten().all(|deviation| slack::allows(system, &far, deviation)) {
            return Ok(pattern(system, cover.net.hidden(), false, cover.search.work()));
        }
    }
    let cover = cover(system, choice)?;
    let (hidden, steps) = (cover.net.hidden(), cover.search.work());
    if open > choice.exact_limit {
        return Ok(pattern(system, hidden, false, steps));
    }
    Ok(match exact::cheapest(system, choice, &hidden)? {
        Verdict::Proven => pattern(system, hidden, true, steps),
        Verdict::Cheaper(hidden) => pattern(system, hidden, true, steps),
        Verdict::Unknown => pattern(system, hidden, false, steps),
    })
}

/// Deviations for everything that must be protected.
fn cover<'a>(system: &'a System, choice: &Choice) -> Result<Cover<'a>, Failure> {
    let demands = demands(system, choice)?;
    let mut cover = Cover::new(Net::new(system, choice.cost), demands, choice);
    if from_above(&cover, choice) && cover.choose_from_above(choice.cost) {
        cover.check()?;
        return Ok(cover);
    }
    for demand in 0..cover.demands.len() {
        let effort = if cover.search.work() < FIRST_WORK { FIRST } else { SPARING };
        if !cover.choose(demand, &[], effort)? {
            return Err(conflict::explain(&cover, demand));
        }
    }
    cover.improve(choice.work, LATER)?;
    cover.check()?;
    Ok(cover)
}

/// Whether to begin with everything hidden: where groupings overlap, no contributor knows more than others, and the optimum is not looked for.
fn from_above(cover: &Cover<'_>, choice: &Choice) -> bool {
    let open = cover.net.system.cells.iter().filter(|cell| cell.status == Status::Open).count();
    open > choice.exact_limit
        && choice.alone.is_empty()
        && choice.inside.is_empty()
        && overlap::overlapping(&cover.net, &cover.demands)
}

fn pattern(system: &System, hidden: Vec<bool>, proven_optimal: bool, steps: u64) -> Pattern {
    let more =
        |(number, hidden): (usize, &bool)| (*hidden && !system.cells[number].must_hide()).then_some(number as u32);
    let secondary = hidden.iter().enumerate().filter_map(more).collect();
    Pattern { hidden, secondary, proven_optimal, steps }
}

/// What must be protected: the unsafe cells and the virtual ones.
fn demands(system: &System, choice: &Choice) -> Result<Vec<Demand>> {
    let mut demands = Vec::new();
    for (number, cell) in system.cells.iter().enumerate() {
        if cell.status == Status::Unsafe {
            let Cell { lower_protection, upper_protection, sliding_protection, .. } = *cell;
            let splits = splits(upper_protection, lower_protection, sliding_protection);
            demands.push(Demand { sum: vec![(number as u32, 1)], splits });
        }
    }
    for (number, cell) in choice.virtual_cells.iter().enumerate() {
        let mut cells: Vec<u32> = cell.terms.iter().map(|(cell, _)| *cell).collect();
        cells.sort_unstable();
        let twice = cells.is_empty() || cells.windows(2).any(|pair| pair[0] == pair[1]);
        if twice || cell.terms.iter().any(|(cell, by)| *cell as usize >= system.cells.len() || by.abs() != 1) {
            let fault = Error::input(format!("virtual cell {} is not a sum of cells", number + 1));
            return Err(fault.help("give cells that are there, each once, with 1 or -1").into());
        }
        let splits = splits(cell.upper_protection, cell.lower_protection, cell.sliding_protection);
        demands.push(Demand { sum: cell.terms.clone(), splits });
    }
    let inside = choice.inside.iter().map(|inside| &inside.cell);
    if let Some(cell) = choice.alone.iter().flatten().chain(inside).find(|cell| **cell as usize >= system.cells.len()) {
        return Err(Error::input(format!("cell {cell} is said to have a contributor and is not there")).into());
    }
    Ok(demands)
}

/// The ways to meet protection levels. Where nothing is asked, a step either way keeps the value from being exact.
fn splits(up: i64, down: i64, sliding: i64) -> Vec<Reach> {
    if up.max(down).max(sliding) <= 0 {
        return vec![Reach { up: 1, down: 0 }, Reach { up: 0, down: 1 }];
    }
    let (up, down) = (up.max(0), down.max(0));
    let missing = sliding.saturating_sub(up).saturating_sub(down).max(0);
    if missing == 0 {
        return vec![Reach { up, down }];
    }
    let mut ups = vec![0, missing / 2, missing];
    ups.dedup();
    ups.into_iter().map(|more| Reach { up: up + more, down: down + missing - more }).collect()
}
