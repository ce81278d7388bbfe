//! The audit: what an attacker can work out about hidden cells from everything that is published.
//!
//! The audit computes the feasibility interval of every hidden cell: its least and its largest value in any table that
//! fits. Such a table satisfies all equations, agrees with all published cells and lies within the bounds known beforehand
//! (Fischetti and Salazar 2001). Counts are integers. The audit reads a [`System`] and a pattern of hidden cells. It does
//! not know how the pattern was chosen.
//!
//! A presolve makes the problem small. It is then solved exactly in integer arithmetic. A cell is called protected only
//! if a witness, another table that fits, shows it. The method is in `docs/methods/audit.md`.

mod attacker_problem;
mod box_moves;
mod certificate;
mod contributors;
mod dictionary;
mod integer_program;
mod integer_solution;
mod interval_solver;
mod intervals;
pub mod jj;
mod presolve;
mod relaxation;
mod simplex;
mod system;
mod tabu_search;
#[cfg(test)]
mod tests;
mod witness;

use std::collections::BTreeMap;

use outward_spec::Result;
use serde::{Deserialize, Serialize};

use attacker_problem::{AttackerProblem, NONE, ProtectionLevels, UNBOUNDED};
pub use certificate::{Certificate, CertificateLine, recheck};
pub use contributors::{Allowance, Contributors, Inside, Outside, UNLIMITED};
pub use integer_solution::find_integer_solution;
use interval_solver::IntervalSolver;
use intervals::{DeviationIntervals, KnownBounds};
use presolve::Component;
pub use system::{Cell, Status, System};
use witness::Checker;

/// Both ends of every class are settled in components of up to this many classes.
const EXACT_CLASSES: usize = 600;
/// Terms visited before the audit stops settling the ends of cells without protection levels.
const MAX_END_WORK: u64 = 1 << 26;
/// Integer ends of all counts are settled in components of up to this many cells.
const INTEGER_UNKNOWNS: usize = 100;

/// A sum of cells, each with its coefficient, and its lower and upper protection level.
pub type Sum = (Vec<(u32, i32)>, i64, i64);

/// What else an attacker may know, and how thorough to be.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct AuditOptions {
    /// Singletons: cells with one contributor, who knows their value. One list holds all singletons of one contributor.
    pub alone: Vec<Vec<u32>>,
    /// Cells that a contributor is in with others. A contributor without singletons has an empty list in `alone`.
    pub inside: Vec<Inside>,
    /// Unsafe cells with lower protection levels against contributors to other cells.
    pub outside: Vec<Outside>,
    /// Sums of cells that must not be derivable, nor bounded too tightly.
    pub virtual_cells: Vec<Sum>,
    /// Bounds known beforehand that replace those of a cell: cell, least, largest. An attacker who knows that only cells
    /// below ten are hidden knows that a hidden cell is between 1 and 9.
    pub known: Vec<(u32, i64, i64)>,
    /// Whether both ends of every cell are settled, however large its component.
    pub exact_all: bool,
}

/// What the audit says of a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// The cell is not unsafe and has no protection levels.
    NotAsked,
    /// Witnesses show that the interval is wide enough.
    Protected,
    /// The interval is proven to be narrower than it must be.
    TooTight,
    /// Only one value is possible.
    Recoverable,
    /// The limit of work was reached before the interval was shown to be wide enough or proven to be too narrow.
    Undecided,
}

/// The feasibility interval of a hidden cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Interval {
    /// The cell.
    pub cell: u32,
    /// The least value possible; `i64::MIN` for none.
    pub lower: i64,
    /// The largest value possible; `i64::MAX` for none.
    pub upper: i64,
    /// Whether both ends are proven. If not, the interval is at least this wide.
    pub exact: bool,
    /// Whether the interval is wide enough.
    pub verdict: Verdict,
}

/// What one contributor learns about cells that must be protected from them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContributorFindings {
    /// The singleton of the contributor, or else the cell in which others have least.
    pub cell: u32,
    /// Unsafe cells that become recoverable.
    pub recoverable: usize,
    /// Unsafe cells whose interval becomes too tight.
    pub too_tight: usize,
    /// Unsafe cells for which neither was settled.
    #[serde(default)]
    pub undecided: usize,
}

impl ContributorFindings {
    /// Whether the contributor learns nothing they must not.
    pub fn learns_nothing(&self) -> bool {
        self.recoverable + self.too_tight + self.undecided == 0
    }
}

/// What a contributor learns about a cell that is protected from others, where that is more than they must.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Learned {
    /// The contributor: their place among the lists of singletons.
    pub person: u32,
    /// The cell as far as they can tell it.
    pub interval: Interval,
}

/// How much work there was.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Work {
    /// Unknown cells.
    pub unknowns: usize,
    /// Classes of unknowns that move together.
    pub classes: usize,
    /// Components; two components share no equation.
    pub components: usize,
    /// Classes in the largest component.
    pub largest: usize,
    /// Linear programs solved.
    pub linear: u64,
    /// Integer programs solved.
    pub integer: u64,
    /// Pivots in all linear programs.
    pub pivots: u64,
    /// Tables kept as witnesses.
    pub witnesses: u64,
}

/// What the audit found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Audit {
    /// Every hidden cell, and every unsafe cell that is not hidden, by cell.
    pub intervals: Vec<Interval>,
    /// Unsafe cells with only one possible value.
    pub recoverable: usize,
    /// Unsafe cells whose interval is too narrow, or not shown to be wide enough.
    pub too_tight: usize,
    /// The sums that must not be derivable, in the order given; `cell` is their number.
    pub virtual_cells: Vec<Interval>,
    /// What contributors with singletons learn, and other contributors if they learn something.
    pub alone: Vec<ContributorFindings>,
    /// What contributors learn that they must not, cell by cell.
    pub learned: Vec<Learned>,
    /// The work done.
    pub work: Work,
}

impl Audit {
    /// Whether nobody learns more than allowed.
    pub fn holds(&self) -> bool {
        let enough = |interval: &Interval| matches!(interval.verdict, Verdict::Protected | Verdict::NotAsked);
        self.intervals.iter().chain(&self.virtual_cells).all(enough)
            && self.alone.iter().all(ContributorFindings::learns_nothing)
    }
}

/// Computes the feasibility interval of every hidden cell, and what contributors learn.
///
/// # Errors
/// If the pattern is not as long as the table, a choice names a cell that does not exist, or a value is outside its
/// bounds.
pub fn audit(system: &System, hidden: &[bool], choice: &AuditOptions) -> Result<Audit> {
    audit_with(system, hidden, choice, EXACT_CLASSES)
}

/// As [`audit`], with both ends settled in components of up to `exact` classes.
fn audit_with(system: &System, hidden: &[bool], choice: &AuditOptions, exact: usize) -> Result<Audit> {
    let problem = AttackerProblem::new(system, hidden, choice)?;
    let components = presolve::presolve(&problem);
    let mut work = Work { unknowns: problem.cell.len(), components: components.len(), ..Work::default() };
    let mut ranges = vec![DeviationRange::KNOWN; problem.cell.len()];
    let (mut alone, mut learned): (Vec<ContributorFindings>, Vec<Learned>) = (Vec::new(), Vec::new());
    let contributors = Contributors::new(&choice.alone, &choice.inside, &choice.outside);
    let mut checker = Checker::new(&problem);
    let mut end_work = MAX_END_WORK;
    for component in &components {
        work.classes += component.members.len();
        work.largest = work.largest.max(component.members.len());
        let work_limit = if choice.exact_all {
            u64::MAX
        } else if component.members.len() <= exact {
            end_work
        } else {
            0
        };
        let integer = choice.exact_all || component.unknowns <= INTEGER_UNKNOWNS;
        let mut solver = IntervalSolver::new(&problem, component, work_limit, integer);
        let mut intervals = solver.solve_component(&mut checker, &mut work)?;
        for (class, members) in component.members.iter().enumerate() {
            for (unknown, with) in members {
                ranges[*unknown as usize] = DeviationRange::of_class(&intervals, class, *with);
            }
        }
        let insiders = contributor_bounds(&problem, component, &contributors);
        if !insiders.is_empty() {
            intervals.witnesses.index();
        }
        for (known, people) in insiders {
            let asked_of = |class: u32| {
                let members = component.members[class as usize].iter();
                let asked = members.flat_map(|member| people.iter().map(move |insider| (member, insider.person)));
                let asked = asked.filter_map(|((unknown, with), person)| {
                    Some(levels_against(&problem, &contributors, &ranges, person, *unknown)?.oriented(*with))
                });
                asked.reduce(ProtectionLevels::and)
            };
            let after = solver.solve_for_contributor(&mut checker, &mut work, &mut intervals, asked_of, &known)?;
            for insider in people {
                let against = |unknown: u32| levels_against(&problem, &contributors, &ranges, insider.person, unknown);
                let intervals = learned_by(&problem, component, against, after.as_ref(), &known);
                let tally = |verdict| intervals.iter().filter(|found| found.verdict == verdict).count();
                let found = ContributorFindings {
                    cell: NONE,
                    recoverable: tally(Verdict::Recoverable),
                    too_tight: tally(Verdict::TooTight),
                    undecided: tally(Verdict::Undecided),
                };
                let otherwise = (insider.alone.is_empty() && !found.learns_nothing()).then_some(insider.least.1);
                alone.extend(
                    insider.alone.into_iter().chain(otherwise).map(|cell| ContributorFindings { cell, ..found }),
                );
                let person = insider.person - 1;
                learned.extend(intervals.into_iter().map(|interval| Learned { person, interval }));
            }
        }
        end_work = end_work.saturating_sub(solver.work_done);
        work.pivots += solver.pivots();
    }
    alone.sort_unstable_by_key(|alone| alone.cell);
    let sums = problem.cell.iter().filter(|cell| **cell == NONE).count();
    let first_sum = problem.cell.len() - sums;
    let mut intervals: Vec<Interval> = (0..first_sum)
        .filter(|at| system.cells[problem.cell[*at] as usize].status != Status::Unpublished)
        .map(|at| interval(&problem, at, ranges[at], problem.cell[at]))
        .collect();
    add_published(system, hidden, &mut intervals);
    let tally = |verdicts: &[Verdict]| intervals.iter().filter(|found| verdicts.contains(&found.verdict)).count();
    Ok(Audit {
        recoverable: tally(&[Verdict::Recoverable]),
        too_tight: tally(&[Verdict::TooTight, Verdict::Undecided]),
        virtual_cells: (0..sums)
            .map(|sum| interval(&problem, first_sum + sum, ranges[first_sum + sum], sum as u32))
            .collect(),
        intervals,
        alone,
        learned,
        work,
    })
}

/// How far an unknown can deviate from its true value: what witnesses show, and what is proven.
#[derive(Debug, Clone, Copy)]
struct DeviationRange {
    low: i64,
    high: i64,
    proven_low: Option<i64>,
    proven_high: Option<i64>,
}

impl DeviationRange {
    /// No deviation.
    const KNOWN: Self = Self { low: 0, high: 0, proven_low: Some(0), proven_high: Some(0) };

    /// The range of a class, for an unknown that moves with the class or against it.
    fn of_class(intervals: &DeviationIntervals, class: usize, with: bool) -> Self {
        let (low, high) = (intervals.witnesses.low[class], intervals.witnesses.high[class]);
        let (proven_low, proven_high) = (intervals.proven_low[class], intervals.proven_high[class]);
        if with {
            Self { low, high, proven_low, proven_high }
        } else {
            Self {
                low: -high,
                high: -low,
                proven_low: proven_high.map(|end| -end),
                proven_high: proven_low.map(|end| -end),
            }
        }
    }

    fn exact(&self) -> bool {
        self.proven_low == Some(self.low) && self.proven_high == Some(self.high)
    }

    fn verdict(&self, levels: &ProtectionLevels) -> Verdict {
        let short = self.proven_high.is_some_and(|high| high < levels.up)
            || self.proven_low.is_some_and(|low| -low < levels.down);
        if levels.met(self.low, self.high) {
            Verdict::Protected
        } else if self.exact() && self.low == self.high {
            Verdict::Recoverable
        } else if self.exact() || short {
            Verdict::TooTight
        } else {
            Verdict::Undecided
        }
    }
}

fn interval(problem: &AttackerProblem, at: usize, range: DeviationRange, cell: u32) -> Interval {
    let value = problem.value[at];
    Interval {
        cell,
        lower: if range.low <= -UNBOUNDED { i64::MIN } else { value.saturating_add(range.low) },
        upper: if range.high >= UNBOUNDED { i64::MAX } else { value.saturating_add(range.high) },
        exact: range.exact(),
        verdict: problem.levels[at].map_or(Verdict::NotAsked, |levels| range.verdict(&levels)),
    }
}

/// Adds the unsafe cells that are published: they are recoverable.
fn add_published(system: &System, hidden: &[bool], intervals: &mut Vec<Interval>) {
    for (number, cell) in system.cells.iter().enumerate() {
        if cell.status == Status::Unsafe && !hidden[number] {
            let (lower, upper) = (cell.value, cell.value);
            intervals.push(Interval { cell: number as u32, lower, upper, exact: true, verdict: Verdict::Recoverable });
        }
    }
    intervals.sort_unstable_by_key(|interval| interval.cell);
}

/// A contributor to cells of a component.
struct ComponentContributor {
    person: u32,
    /// Bounds they know on the deviation of classes.
    known: Vec<(u32, i64, i64)>,
    /// Their singletons.
    alone: Vec<u32>,
    /// How far the cell can fall that can fall least, given what they know, and that cell.
    least: (i64, u32),
}

/// Bounds that contributors know on the classes of a component, with the contributors who know them.
fn contributor_bounds(
    problem: &AttackerProblem,
    component: &Component,
    contributors: &Contributors,
) -> BTreeMap<KnownBounds, Vec<ComponentContributor>> {
    let mut people: BTreeMap<u32, ComponentContributor> = BTreeMap::new();
    for (class, members) in (0..).zip(&component.members) {
        let bounds = (component.low[class as usize], component.high[class as usize]);
        for (unknown, with) in members {
            for known in contributors.contributors(problem.cell[*unknown as usize]) {
                let (low, high) = (-known.fall.min(UNBOUNDED), known.rise.min(UNBOUNDED));
                let (low, high) = if *with { (low, high) } else { (-high, -low) };
                let is_alone = (known.fall, known.rise) == (0, 0);
                if low <= bounds.0 && high >= bounds.1 && !is_alone {
                    continue;
                }
                let insider = people.entry(known.person).or_insert_with(|| ComponentContributor {
                    person: known.person,
                    known: Vec::new(),
                    alone: Vec::new(),
                    least: (i64::MAX, known.cell),
                });
                insider.known.push((class, low, high));
                insider.alone.extend(is_alone.then_some(known.cell));
                insider.least = insider.least.min((known.fall, known.cell));
            }
        }
    }
    let mut insiders: BTreeMap<KnownBounds, Vec<ComponentContributor>> = BTreeMap::new();
    for mut insider in people.into_values() {
        insiders.entry(KnownBounds::new(std::mem::take(&mut insider.known))).or_default().push(insider);
    }
    insiders
}

/// The protection levels of an unknown against one contributor. There are none for their own singletons, nor for unknowns
/// that are not protected from others, nor for sums: the members of a group know their own values.
fn levels_against(
    problem: &AttackerProblem,
    contributors: &Contributors,
    before: &[DeviationRange],
    person: u32,
    unknown: u32,
) -> Option<ProtectionLevels> {
    let at = unknown as usize;
    let asked = (problem.cell[at] != NONE).then(|| contributors.asked(problem.cell[at], person));
    let (up, down) = asked.filter(|asked| *asked != (0, 0))?;
    let levels = problem.levels[at].filter(|levels| before[at].verdict(levels) == Verdict::Protected)?;
    let width = levels.width.min(up.saturating_add(down));
    Some(ProtectionLevels { up: levels.up.min(up), down: levels.down.min(down), width })
}

/// What a contributor learns about the protected cells of others, where that is more than they must.
fn learned_by(
    problem: &AttackerProblem,
    component: &Component,
    against: impl Fn(u32) -> Option<ProtectionLevels>,
    after: Option<&(Vec<usize>, DeviationIntervals)>,
    known: &KnownBounds,
) -> Vec<Interval> {
    let mut learned = Vec::new();
    let mut judge = |unknown: u32, range: DeviationRange| {
        let Some(levels) = against(unknown) else { return };
        let verdict = range.verdict(&levels);
        if !matches!(verdict, Verdict::Protected | Verdict::NotAsked) {
            let at = unknown as usize;
            learned.push(Interval { verdict, ..interval(problem, at, range, problem.cell[at]) });
        }
    };
    let fixed = known.iter().map(|(class, ..)| class).filter(|class| known.fixes(*class));
    let fixed = fixed.flat_map(|class| &component.members[class as usize]);
    fixed.for_each(|(unknown, _)| judge(*unknown, DeviationRange::KNOWN));
    if let Some((lost, after)) = after {
        for other in lost {
            component.members[*other]
                .iter()
                .for_each(|(unknown, with)| judge(*unknown, DeviationRange::of_class(after, *other, *with)));
        }
    }
    learned
}
