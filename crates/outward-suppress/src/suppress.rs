//! Secondary suppression over a whole system of tables. It chooses further cells to hide, so that no unsafe cell can be
//! derived from the others or bounded too tightly.
//!
//! Witnesses prove that a pattern protects. A witness of an unsafe cell is a **deviation**: integers f with M f = 0 and f = 0 in
//! every published cell. Added to the table, it leaves every cell within its bounds and moves the unsafe cell as far as its
//! protection levels require. The attacker sees the published cells only and cannot tell the true table from the moved one
//! (the attacker problem of Fischetti & Salazar 2001).

mod attacker_program;
mod balance_search;
mod box_circuits;
mod box_products;
mod circuit_search;
mod cutting_planes;
mod deviation;
mod deviation_program;
mod far_inequalities;
mod gauss_suppression;
mod incidence;
mod kernel_basis;
mod neighbourhood_search;
mod overlapping_groupings;
mod parallel_lines;
mod shortest_cycle;
mod unprotectable;
mod witness_cover;

use outward_spec::{Error, Result};

use crate::suppress::cutting_planes::CheapestPattern;
use crate::suppress::incidence::{Incidence, RequiredDeviation};
pub use crate::suppress::unprotectable::Unprotectable;
use crate::suppress::witness_cover::{ProtectionDemand, SearchEffort, WitnessCover};
use outward_audit::{Cell, Status, System};
use outward_audit::{Inside, Outside};

/// What is minimised.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Cost {
    /// The sum of the costs as given.
    AsGiven,
    /// The number of cells; ties are broken by the costs as given.
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
pub struct SuppressionOptions {
    /// What is minimised.
    pub cost: Cost,
    /// Systems with at most this many open cells are solved to the optimum, within the limits of the solver.
    pub exact_limit: usize,
    /// Steps of the search that improves the first pattern.
    pub work: u64,
    /// Singletons: cells with one contributor, who knows their value. One list holds all singletons of one contributor. All
    /// other unsafe cells must be protected from each of them.
    pub alone: Vec<Vec<u32>>,
    /// Cells that a contributor is in with others. A contributor without singletons has an empty list in `alone`.
    pub inside: Vec<Inside>,
    /// Unsafe cells with lower protection levels against contributors to other cells.
    pub outside: Vec<Outside>,
    /// Sums that must not be derivable either.
    pub virtual_cells: Vec<VirtualCell>,
}

impl Default for SuppressionOptions {
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
    /// The secondary suppressions, in order.
    pub secondary: Vec<u32>,
    /// Whether no cheaper pattern exists.
    pub proven_optimal: bool,
    /// Steps the search took.
    pub steps: u64,
}

/// Why no pattern was chosen.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// No pattern protects a cell.
    #[error("{0}")]
    Unprotectable(Unprotectable),
    /// The request is invalid, or the program has a bug.
    #[error(transparent)]
    Other(#[from] Error),
}

impl From<Failure> for Error {
    /// Names cells by their numbers.
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Unprotectable(cells) => cells.named(|cell| cell.to_string()),
            Failure::Other(error) => error,
        }
    }
}

/// Effort for the first witness of each demand.
const FIRST_EFFORT: SearchEffort = SearchEffort { states: (20_000, 0), corners: 40_000, programs: true };
/// Effort for the first witnesses once the search has done `FULL_EFFORT_WORK` steps.
const REDUCED_EFFORT: SearchEffort = SearchEffort { states: (200, 0), corners: 2_000, programs: true };
const FULL_EFFORT_WORK: u64 = 100_000_000;
/// Effort for each attempt to improve the pattern.
const LATER_EFFORT: SearchEffort = SearchEffort { states: (40, 40), corners: 4_000, programs: false };

/// Chooses a pattern that protects every unsafe cell.
///
/// # Errors
/// If there is none, with the frozen cells that stand in the way.
pub fn suppress(system: &System, choice: &SuppressionOptions) -> Result<Pattern, Failure> {
    let open = system.cells.iter().filter(|cell| cell.status == Status::Open).count();
    let far =
        if open > choice.exact_limit { far_inequalities::find_far_inequalities(system, choice) } else { Vec::new() };
    if !far.is_empty() {
        let near = system.without(&far);
        let cover = choose_witnesses(&near, choice)?;
        if cover.chosen.iter().flatten().all(|deviation| far_inequalities::allows_deviation(system, &far, deviation)) {
            return Ok(make_pattern(system, cover.incidence.hidden(), false, cover.search.work()));
        }
    }
    let cover = choose_witnesses(system, choice)?;
    let (hidden, steps) = (cover.incidence.hidden(), cover.search.work());
    if open > choice.exact_limit {
        return Ok(make_pattern(system, hidden, false, steps));
    }
    Ok(match cutting_planes::find_cheapest(system, choice, &hidden)? {
        CheapestPattern::Proven => make_pattern(system, hidden, true, steps),
        CheapestPattern::Cheaper(hidden) => make_pattern(system, hidden, true, steps),
        CheapestPattern::Unknown => make_pattern(system, hidden, false, steps),
    })
}

/// Chooses witnesses for everything that must be protected.
fn choose_witnesses<'a>(system: &'a System, choice: &SuppressionOptions) -> Result<WitnessCover<'a>, Failure> {
    let demands = protection_demands(system, choice)?;
    let mut cover = WitnessCover::new(Incidence::new(system, choice.cost), demands, choice);
    if starts_all_hidden(&cover, choice) && cover.choose_from_all_hidden(choice.cost) {
        cover.check()?;
        return Ok(cover);
    }
    for demand in 0..cover.demands.len() {
        let effort = if cover.search.work() < FULL_EFFORT_WORK { FIRST_EFFORT } else { REDUCED_EFFORT };
        if !cover.choose(demand, &[], effort)? {
            return Err(unprotectable::explain_failure(&cover, demand));
        }
    }
    cover.improve(choice.work, LATER_EFFORT)?;
    cover.check()?;
    Ok(cover)
}

/// Whether to start with all cells hidden: groupings overlap, no contributors are given, and the system is too large for
/// the optimum.
fn starts_all_hidden(cover: &WitnessCover<'_>, choice: &SuppressionOptions) -> bool {
    let open = cover.incidence.system.cells.iter().filter(|cell| cell.status == Status::Open).count();
    open > choice.exact_limit
        && choice.alone.is_empty()
        && choice.inside.is_empty()
        && overlapping_groupings::groupings_overlap(&cover.incidence, &cover.demands)
}

fn make_pattern(system: &System, hidden: Vec<bool>, proven_optimal: bool, steps: u64) -> Pattern {
    let more =
        |(number, hidden): (usize, &bool)| (*hidden && !system.cells[number].must_hide()).then_some(number as u32);
    let secondary = hidden.iter().enumerate().filter_map(more).collect();
    Pattern { hidden, secondary, proven_optimal, steps }
}

/// The demands for protection: the unsafe cells and the virtual ones.
fn protection_demands(system: &System, choice: &SuppressionOptions) -> Result<Vec<ProtectionDemand>> {
    let mut demands = Vec::new();
    for (number, cell) in system.cells.iter().enumerate() {
        if cell.status == Status::Unsafe {
            let Cell { lower_protection, upper_protection, sliding_protection, .. } = *cell;
            let splits = protection_splits(upper_protection, lower_protection, sliding_protection);
            demands.push(ProtectionDemand { sum: vec![(number as u32, 1)], splits });
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
        let splits = protection_splits(cell.upper_protection, cell.lower_protection, cell.sliding_protection);
        demands.push(ProtectionDemand { sum: cell.terms.clone(), splits });
    }
    let inside = choice.inside.iter().map(|inside| &inside.cell);
    if let Some(cell) = choice.alone.iter().flatten().chain(inside).find(|cell| **cell as usize >= system.cells.len()) {
        return Err(Error::input(format!("cell {cell} is said to have a contributor and is not there")).into());
    }
    Ok(demands)
}

/// The ways to split protection levels between up and down. Without levels, one unit either way must be possible.
fn protection_splits(up: i64, down: i64, sliding: i64) -> Vec<RequiredDeviation> {
    if up.max(down).max(sliding) <= 0 {
        return vec![RequiredDeviation { up: 1, down: 0 }, RequiredDeviation { up: 0, down: 1 }];
    }
    let (up, down) = (up.max(0), down.max(0));
    let missing = sliding.saturating_sub(up).saturating_sub(down).max(0);
    if missing == 0 {
        return vec![RequiredDeviation { up, down }];
    }
    let mut ups = vec![0, missing / 2, missing];
    ups.dedup();
    ups.into_iter().map(|more| RequiredDeviation { up: up + more, down: down + missing - more }).collect()
}
