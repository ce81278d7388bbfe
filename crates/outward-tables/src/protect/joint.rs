//! What a request would disclose together with earlier releases if it were published without protection. P1, P2 and P3
//! of `docs/methods/attacker.md` are tried on the tables of all releases together.

use std::collections::BTreeSet;

use outward_audit::{Audit, AuditOptions, Interval, Status, audit};
use outward_spec::{Protection, ProtectionMethod, Result, TableRules};

use super::{MarkedFamily, marked};
use crate::earlier::EarlierFigure;
use crate::family::{Combination, Difference, Family};
use crate::judge::Verdict;
use crate::make::{CountedTable, CountedTables};

/// A cell: the position of its table among all tables, and the position of the cell.
pub type CellOf = (usize, usize);

/// A disclosure that follows from new and earlier tables together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JointDisclosure {
    /// An unsafe cell that an earlier release hides can be worked out too closely.
    Cell {
        /// The cell.
        cell: CellOf,
        /// Its least and its largest value.
        interval: (i64, i64),
    },
    /// The people in one cell who are not in others inside it.
    Difference {
        /// The larger cell.
        whole: CellOf,
        /// The cells that are subtracted.
        inside: Vec<CellOf>,
        /// How many people, or contributors, the difference has.
        people: i64,
    },
    /// Few people follow from sums and differences of three cells or more.
    Combination {
        /// The cells, each with its multiplicity; negative if subtracted.
        cells: Vec<(CellOf, i64)>,
        /// The divisor of the sum.
        divisor: i64,
        /// How many people the result has.
        people: i64,
    },
    /// The answer of a group of people in an earlier release.
    Group {
        /// The cells that disclose it.
        cells: Vec<CellOf>,
    },
}

/// The result of the search.
#[derive(Debug, Clone, Default)]
pub struct JointDisclosures {
    /// The disclosures.
    pub found: Vec<JointDisclosure>,
    /// Sets of tables that together have more combinations than can be checked, by position.
    pub too_large: Vec<Vec<usize>>,
    /// Sets of tables that were not searched for what three or more figures disclose together, by position.
    pub not_searched: Vec<Vec<usize>>,
}

/// Finds what new tables disclose together with earlier ones, and what earlier ones do not disclose alone. The new
/// tables are assumed to show all their cells, with two exceptions. Unsafe cells are judged when the tables are made.
/// Cells that an earlier release hides stay hidden.
///
/// # Errors If a new table has an unsafe cell that is public already.
pub fn find_joint_disclosures(
    counted: &CountedTables,
    verdicts: &[Verdict],
    protection: &Protection,
    rules: &TableRules,
) -> Result<JointDisclosures> {
    let made = &counted.tables;
    let unprotected = Protection { method: ProtectionMethod::None, ..protection.clone() };
    let mut all = JointDisclosures::default();
    for held in marked(counted, verdicts, &unprotected, rules)? {
        all.too_large.extend(held.family.too_large.iter().cloned());
        all.not_searched.extend(held.family.not_searched.iter().cloned());
        all.found.extend(Attack::new(&held, made).run()?);
    }
    Ok(all)
}

/// The attack on one family.
struct Attack<'a> {
    held: &'a MarkedFamily,
    /// The cells that earlier releases show.
    public: Vec<bool>,
    /// The cells that earlier releases have and hide.
    withheld: Vec<bool>,
    /// The cells that new tables would show.
    asked: Vec<bool>,
    differences: Vec<&'a Difference>,
    /// Sums that disclose groups in earlier releases.
    groups: Vec<&'a Vec<(u32, i32)>>,
}

impl<'a> Attack<'a> {
    fn new(held: &'a MarkedFamily, made: &[CountedTable]) -> Self {
        let MarkedFamily { family, marks } = held;
        let none = vec![false; family.system.cells.len()];
        let (mut public, mut withheld, mut asked, mut hidden) = (none.clone(), none.clone(), none.clone(), none);
        let mut earlier: Vec<BTreeSet<u32>> = Vec::new();
        for (cells, at) in family.cells.iter().zip(&family.tables) {
            match &made[*at].earlier {
                None => cells.iter().for_each(|cell| asked[*cell as usize] = true),
                Some(of) => {
                    for (cell, told) in cells.iter().zip(&of.told) {
                        let kind = match told {
                            EarlierFigure::Shown => &mut public,
                            EarlierFigure::Hidden => &mut hidden,
                            EarlierFigure::Between(..) => &mut withheld,
                        };
                        kind[*cell as usize] = true;
                    }
                    earlier.push(cells.iter().copied().collect());
                }
            }
        }
        for (cell, asked) in asked.iter_mut().enumerate() {
            *asked &= !hidden[cell] && family.system.cells[cell].status != Status::Unsafe;
            withheld[cell] |= hidden[cell];
        }
        let is_of_earlier = |sum: &&Vec<(u32, i32)>| {
            sum.len() > 1 && earlier.iter().any(|cells| sum.iter().all(|(cell, _)| cells.contains(cell)))
        };
        let groups = marks.sums.iter().filter(is_of_earlier).collect();
        Self { held, public, withheld, asked, differences: marks.small(family), groups }
    }

    fn run(&self) -> Result<Vec<JointDisclosure>> {
        let family = &self.held.family;
        let is_known = |cell: usize| self.public[cell] || self.asked[cell];
        let with = self.audited(&is_known)?;
        if with.found.is_empty() && with.sums.is_empty() {
            return Ok(Vec::new());
        }
        // What the public could work out before does not come from the new tables. What a new table discloses alone is
        // judged when it is made.
        let before = self.audited(&|cell| self.public[cell])?;
        let alone = self.audited(&|cell| self.asked[cell])?;
        let home = |cell: u32| family.homes[cell as usize].map(|(place, at)| (family.tables[place], at));
        let mut told = Vec::new();
        for (cell, interval) in
            with.found.iter().filter(|found| !before.found.contains(found) && !alone.found.contains(found))
        {
            told.extend(home(*cell).map(|cell| JointDisclosure::Cell { cell, interval: *interval }));
        }
        for sum in with.sums.difference(&before.sums) {
            told.extend(match self.differences.get(*sum) {
                Some(rest) => self.difference(rest, &home),
                None if alone.sums.contains(sum) => None,
                None => {
                    let cells = self.groups[sum - self.differences.len()].iter().filter_map(|(cell, _)| home(*cell));
                    Some(JointDisclosure::Group { cells: cells.collect() })
                }
            });
        }
        Ok(told)
    }

    /// The subtraction that leaves few people, with as few figures as possible that are public or requested.
    fn difference(&self, rest: &Difference, home: &impl Fn(u32) -> Option<CellOf>) -> Option<JointDisclosure> {
        if let Some(Combination { cells, divisor }) = &rest.combination {
            let cells = cells.iter().map(|(cell, by)| Some((home(*cell)?, *by))).collect::<Option<_>>()?;
            return Some(JointDisclosure::Combination { cells, divisor: *divisor, people: rest.people });
        }
        let value = |cell: &u32| self.held.family.system.cells[*cell as usize].value;
        let mut cells = rest.left_by.iter().min_by_key(|cells| cells.len())?.clone();
        // A cell is at least as large as all inside it together.
        cells.sort_by_key(|cell| std::cmp::Reverse(value(cell)));
        let mut cells = cells.into_iter().map(home);
        let whole = cells.next()??;
        Some(JointDisclosure::Difference { whole, inside: cells.collect::<Option<_>>()?, people: rest.people })
    }

    /// What somebody who knows some cells can work out.
    fn audited(&self, is_known: &dyn Fn(usize) -> bool) -> Result<Known> {
        let family: &Family = &self.held.family;
        let is_hidden = |cell: usize| family.homes[cell].is_some() && !is_known(cell);
        let hidden: Vec<bool> = (0..family.system.cells.len()).map(is_hidden).collect();
        let differences = self.differences.iter().map(|rest| (vec![(rest.cell, 1)], 0, 0));
        let groups = self.groups.iter().map(|sum| ((*sum).clone(), 0, 0));
        let attack = AuditOptions { virtual_cells: differences.chain(groups).collect(), ..AuditOptions::default() };
        let Audit { intervals, virtual_cells, .. } = audit(&family.system, &hidden, &attack)?;
        let is_open = |of: &&Interval| {
            use outward_audit::Verdict::{Recoverable, TooTight, Undecided};
            hidden[of.cell as usize] && matches!(of.verdict, Recoverable | TooTight | Undecided)
        };
        // A cell that only new tables have is judged when these are made.
        let found = intervals.iter().filter(is_open).filter(|of| self.withheld[of.cell as usize]);
        let is_told = |(_, of): &(usize, &Interval)| of.exact && of.lower == of.upper;
        Ok(Known {
            found: found.map(|of| (of.cell, (of.lower, of.upper))).collect(),
            sums: virtual_cells.iter().enumerate().filter(is_told).map(|(sum, _)| sum).collect(),
        })
    }
}

/// What somebody can work out: unsafe cells with their intervals, and sums by number.
struct Known {
    found: BTreeSet<(u32, (i64, i64))>,
    sums: BTreeSet<usize>,
}
