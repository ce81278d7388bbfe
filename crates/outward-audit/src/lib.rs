//! The audit: what an attacker can work out about hidden cells from everything that is published.
//!
//! For every hidden cell the least and the largest value y that some table allows which satisfies all equations, agrees
//! with all published cells and lies within the bounds believed beforehand (min and max of y; Fischetti and Salazar 2001):
//! in whole numbers where cells are counts. The audit reads a [`System`] and a pattern of hidden cells, and knows nothing
//! of how the pattern was chosen.
//!
//! The problem is made small, then solved exactly in whole-number arithmetic; nothing is called protected without
//! another table that shows it. The method is in `docs/methods/audit.md`.

mod around;
mod attack;
mod bag;
mod boxes;
mod certificate;
mod contributors;
mod dictionary;
pub mod fill;
mod hunt;
pub mod jj;
mod nearby;
mod reduce;
mod simplex;
mod system;
#[cfg(test)]
mod tests;
mod whole;
mod witness;

use std::collections::BTreeMap;

use outward_spec::Result;
use serde::{Deserialize, Serialize};

use attack::{Attack, FREE, NONE, Need};
use bag::{Bag, Limits};
pub use certificate::{Certificate, Line, recheck};
pub use contributors::{Allowance, Contributors, Inside, Outside, UNLIMITED};
use hunt::Hunt;
use reduce::Component;
pub use system::{Cell, Status, System};
use witness::Checker;

/// Classes in a component up to which every end is settled, unless asked otherwise.
const EXACT: usize = 600;
/// Terms looked at before ends are no longer settled of which nothing is asked, unless asked otherwise.
const ENDS: u64 = 1 << 26;
/// Cells in a component up to which every end is settled in whole numbers, where they are counts.
const WHOLE: usize = 100;

/// A sum of cells, each with its coefficient, and how far below and above its value an attacker's interval must reach.
pub type Sum = (Vec<(u32, i32)>, i64, i64);

/// What else an attacker may know, and how thorough to be.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Choice {
    /// Cells of one contributor, who knows what is in them, those of the same person in one list: they are an attacker to the cells of
    /// others.
    pub alone: Vec<Vec<u32>>,
    /// Cells that one of them is in with others, or someone who is alone in none and has an empty list.
    pub inside: Vec<Inside>,
    /// Unsafe cells that need not be kept as far from contributors to other cells.
    pub outside: Vec<Outside>,
    /// Sums of cells that must not be derivable, nor bounded too tightly.
    pub virtual_cells: Vec<Sum>,
    /// Bounds known beforehand that replace those of a cell: cell, least, largest. Whoever knows that cells below ten
    /// are hidden knows that a hidden cell is between 1 and 9.
    pub known: Vec<(u32, i64, i64)>,
    /// Settle both ends of every cell, however large the component it is in.
    pub exact_all: bool,
}

/// What the audit says of a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// The cell is not unsafe: nothing is asked of its interval.
    NotAsked,
    /// Other tables show that the interval is wide enough.
    Protected,
    /// The interval is proven to be narrower than it must be.
    TooTight,
    /// Only one value is possible.
    Recoverable,
    /// No table was found that shows the interval wide enough, and none was ruled out within the limit of work.
    Undecided,
}

/// What an attacker can say of a hidden cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Interval {
    /// The cell.
    pub cell: u32,
    /// The least value possible; `i64::MIN` for none.
    pub lower: i64,
    /// The largest value possible; `i64::MAX` for none.
    pub upper: i64,
    /// Whether these are the ends. If not, the interval is at least this wide.
    pub exact: bool,
    /// Whether that is enough.
    pub verdict: Verdict,
}

/// What a contributor can say of cells that were protected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Alone {
    /// The cell that they are alone in, or else the one in which others have least.
    pub cell: u32,
    /// Unsafe cells that become recoverable.
    pub recoverable: usize,
    /// Unsafe cells whose interval becomes too tight.
    pub too_tight: usize,
    /// Unsafe cells of which it was not settled whether it does.
    #[serde(default)]
    pub undecided: usize,
}

impl Alone {
    /// Whether they learn nothing that they must not.
    pub fn learns_nothing(&self) -> bool {
        self.recoverable + self.too_tight + self.undecided == 0
    }
}

/// How much work there was.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Work {
    /// Unknown cells.
    pub unknowns: usize,
    /// Classes of cells that move together, once what is known is left out.
    pub classes: usize,
    /// Components that share no equation.
    pub components: usize,
    /// Classes in the largest component.
    pub largest: usize,
    /// Linear programs solved.
    pub linear: u64,
    /// Integer programs solved.
    pub integer: u64,
    /// Exchanges in all linear programs.
    pub pivots: u64,
    /// Tables kept as witnesses.
    pub witnesses: u64,
}

/// What the audit found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Audit {
    /// Every hidden cell, and every unsafe cell that is not hidden, by cell.
    pub intervals: Vec<Interval>,
    /// Unsafe cells of which only one value is possible.
    pub recoverable: usize,
    /// Unsafe cells with more than one possible value but fewer than asked, or not shown to have enough.
    pub too_tight: usize,
    /// The sums that must not be derivable, in the order given; `cell` is their number.
    pub virtual_cells: Vec<Interval>,
    /// What those who are alone in a cell can work out, and other contributors where they can.
    pub alone: Vec<Alone>,
    /// The work done.
    pub work: Work,
}

impl Audit {
    /// Whether nobody learns more than allowed.
    pub fn holds(&self) -> bool {
        let enough = |interval: &Interval| matches!(interval.verdict, Verdict::Protected | Verdict::NotAsked);
        self.intervals.iter().chain(&self.virtual_cells).all(enough) && self.alone.iter().all(Alone::learns_nothing)
    }
}

/// Works out what an attacker can know about the hidden cells.
///
/// # Errors
/// Where the pattern is not as long as the table, a choice names a cell that is not there, or a value lies outside its
/// bounds.
pub fn audit(system: &System, hidden: &[bool], choice: &Choice) -> Result<Audit> {
    audit_with(system, hidden, choice, EXACT)
}

/// The same, with every end settled in components of up to `exact` classes.
fn audit_with(system: &System, hidden: &[bool], choice: &Choice, exact: usize) -> Result<Audit> {
    let attack = Attack::new(system, hidden, choice)?;
    let components = reduce::reduce(&attack);
    let mut work = Work { unknowns: attack.cell.len(), components: components.len(), ..Work::default() };
    let mut places = vec![Place::KNOWN; attack.cell.len()];
    let mut alone: Vec<Alone> = Vec::new();
    let contributors = Contributors::new(&choice.alone, &choice.inside, &choice.outside);
    let mut checker = Checker::new(&attack);
    let mut ends = ENDS;
    for component in &components {
        work.classes += component.members.len();
        work.largest = work.largest.max(component.members.len());
        let most = if choice.exact_all {
            u64::MAX
        } else if component.members.len() <= exact {
            ends
        } else {
            0
        };
        let whole = choice.exact_all || component.unknowns <= WHOLE;
        let mut hunt = Hunt::new(&attack, component, most, whole);
        let mut bag = hunt.all(&mut checker, &mut work)?;
        for (class, members) in component.members.iter().enumerate() {
            for (unknown, with) in members {
                places[*unknown as usize] = Place::of(&bag, class, *with);
            }
        }
        let knowing = knowing(&attack, component, &contributors);
        if !knowing.is_empty() {
            bag.seen.index();
        }
        for (limits, people) in knowing {
            let need = |class: u32| {
                let members = component.members[class as usize].iter();
                let asked = members.flat_map(|member| people.iter().map(move |insider| (member, insider.person)));
                let asked = asked.filter_map(|((unknown, with), person)| {
                    Some(minded(&attack, &contributors, &places, person, *unknown)?.turned(*with))
                });
                asked.reduce(Need::and)
            };
            let after = hunt.knowing(&mut checker, &mut work, &mut bag, need, &limits)?;
            for insider in people {
                let minded = |unknown: u32| minded(&attack, &contributors, &places, insider.person, unknown);
                let learned = learns(component, minded, after.as_ref(), &limits);
                let otherwise = (insider.alone.is_empty() && !learned.learns_nothing()).then_some(insider.least.1);
                alone.extend(insider.alone.into_iter().chain(otherwise).map(|cell| Alone { cell, ..learned }));
            }
        }
        ends = ends.saturating_sub(hunt.spent);
        work.pivots += hunt.pivots();
    }
    alone.sort_unstable_by_key(|alone| alone.cell);
    let sums = attack.cell.iter().filter(|cell| **cell == NONE).count();
    let first_sum = attack.cell.len() - sums;
    let mut intervals: Vec<Interval> = (0..first_sum)
        .filter(|at| system.cells[attack.cell[*at] as usize].status != Status::Unpublished)
        .map(|at| interval(&attack, at, places[at], attack.cell[at]))
        .collect();
    add_published(system, hidden, &mut intervals);
    let tally = |verdicts: &[Verdict]| intervals.iter().filter(|found| verdicts.contains(&found.verdict)).count();
    Ok(Audit {
        recoverable: tally(&[Verdict::Recoverable]),
        too_tight: tally(&[Verdict::TooTight, Verdict::Undecided]),
        virtual_cells: (0..sums)
            .map(|sum| interval(&attack, first_sum + sum, places[first_sum + sum], sum as u32))
            .collect(),
        intervals,
        alone,
        work,
    })
}

/// Where an unknown can be.
#[derive(Debug, Clone, Copy)]
struct Place {
    low: i64,
    high: i64,
    lowest: Option<i64>,
    highest: Option<i64>,
}

impl Place {
    /// Nowhere but at the true value.
    const KNOWN: Self = Self { low: 0, high: 0, lowest: Some(0), highest: Some(0) };

    /// What was found of a class, for an unknown that moves with it or against it.
    fn of(bag: &Bag, class: usize, with: bool) -> Self {
        let (low, high) = (bag.seen.low[class], bag.seen.high[class]);
        let (lowest, highest) = (bag.lowest[class], bag.highest[class]);
        if with {
            Self { low, high, lowest, highest }
        } else {
            Self { low: -high, high: -low, lowest: highest.map(|end| -end), highest: lowest.map(|end| -end) }
        }
    }

    fn exact(&self) -> bool {
        self.lowest == Some(self.low) && self.highest == Some(self.high)
    }

    fn verdict(&self, need: &Need) -> Verdict {
        let short = self.highest.is_some_and(|high| high < need.up) || self.lowest.is_some_and(|low| -low < need.down);
        if need.met(self.low, self.high) {
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

fn interval(attack: &Attack, at: usize, place: Place, cell: u32) -> Interval {
    let value = attack.value[at];
    Interval {
        cell,
        lower: if place.low <= -FREE { i64::MIN } else { value.saturating_add(place.low) },
        upper: if place.high >= FREE { i64::MAX } else { value.saturating_add(place.high) },
        exact: place.exact(),
        verdict: attack.need[at].map_or(Verdict::NotAsked, |need| place.verdict(&need)),
    }
}

/// An unsafe cell that is published needs no working out.
fn add_published(system: &System, hidden: &[bool], intervals: &mut Vec<Interval>) {
    for (number, cell) in system.cells.iter().enumerate() {
        if cell.status == Status::Unsafe && !hidden[number] {
            let (lower, upper) = (cell.value, cell.value);
            intervals.push(Interval { cell: number as u32, lower, upper, exact: true, verdict: Verdict::Recoverable });
        }
    }
    intervals.sort_unstable_by_key(|interval| interval.cell);
}

/// A contributor with something of their own in a component.
struct Insider {
    person: u32,
    /// What they know of classes, each with how far it can deviate at least and at most.
    known: Vec<(u32, i64, i64)>,
    /// The cells they are alone in.
    alone: Vec<u32>,
    /// How far the cell that can fall least in their eyes can, and that cell.
    least: (i64, u32),
}

/// What contributors know of the classes of a component, and for each of these who knows it.
fn knowing(attack: &Attack, component: &Component, contributors: &Contributors) -> BTreeMap<Limits, Vec<Insider>> {
    let mut people: BTreeMap<u32, Insider> = BTreeMap::new();
    for (class, members) in (0..).zip(&component.members) {
        let bounds = (component.low[class as usize], component.high[class as usize]);
        for (unknown, with) in members {
            for known in contributors.contributors(attack.cell[*unknown as usize]) {
                let (low, high) = (-known.fall.min(FREE), known.rise.min(FREE));
                let (low, high) = if *with { (low, high) } else { (-high, -low) };
                let is_alone = (known.fall, known.rise) == (0, 0);
                if low <= bounds.0 && high >= bounds.1 && !is_alone {
                    continue;
                }
                let insider = people.entry(known.person).or_insert_with(|| Insider {
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
    let mut knowing: BTreeMap<Limits, Vec<Insider>> = BTreeMap::new();
    for mut insider in people.into_values() {
        knowing.entry(Limits::new(std::mem::take(&mut insider.known))).or_default().push(insider);
    }
    knowing
}

/// What a contributor must not learn more closely of an unknown: it is not their own alone, and was shown to be protected. What a group is
/// told by a sum, its members know of themselves.
fn minded(attack: &Attack, contributors: &Contributors, before: &[Place], person: u32, unknown: u32) -> Option<Need> {
    let at = unknown as usize;
    let asked = (attack.cell[at] != NONE).then(|| contributors.asked(attack.cell[at], person));
    let (up, down) = asked.filter(|asked| *asked != (0, 0))?;
    let need = attack.need[at].filter(|need| before[at].verdict(need) == Verdict::Protected)?;
    let width = need.width.min(up.saturating_add(down));
    Some(Need { up: need.up.min(up), down: need.down.min(down), width })
}

/// What a contributor can say of cells of others that were protected.
fn learns(
    component: &Component,
    minded: impl Fn(u32) -> Option<Need>,
    after: Option<&(Vec<usize>, Bag)>,
    limits: &Limits,
) -> Alone {
    let mut learned = Alone { cell: NONE, recoverable: 0, too_tight: 0, undecided: 0 };
    let mut look = |unknown: u32, place: Place| {
        let Some(need) = minded(unknown) else { return };
        match place.verdict(&need) {
            Verdict::Recoverable => learned.recoverable += 1,
            Verdict::TooTight => learned.too_tight += 1,
            Verdict::Undecided => learned.undecided += 1,
            Verdict::Protected | Verdict::NotAsked => {}
        }
    };
    let fixed = limits.iter().map(|(class, ..)| class).filter(|class| limits.fix(*class));
    let known = fixed.flat_map(|class| &component.members[class as usize]);
    known.for_each(|(unknown, _)| look(*unknown, Place::KNOWN));
    if let Some((lost, after)) = after {
        for other in lost {
            component.members[*other]
                .iter()
                .for_each(|(unknown, with)| look(*unknown, Place::of(after, *other, *with)));
        }
    }
    learned
}
