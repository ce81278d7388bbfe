//! What must be protected in a family: unsafe cells, the answers of groups, and what contributors know.

use std::collections::{BTreeMap, BTreeSet};

use outward_spec::{Error, Protection, Result, TableRules};

use super::contributors::{Known, apart};
use crate::earlier::EarlierFigure;
use crate::family::{Difference, Family};
use crate::judge::{Rule, Verdict};
use crate::make::CountedTable;
use crate::table::Table;
use outward_audit::{Cell, Status, System};

/// What must be protected in a family.
pub(super) struct Marks {
    /// What contributors know.
    pub(super) known: Known,
    /// Sums that must not be derivable.
    pub(super) sums: Vec<Vec<(u32, i32)>>,
    /// The protection level of differences of sums, to either side.
    widths: BTreeMap<u32, i64>,
    /// The protection level of sums against everyone, because of differences with another table.
    left: BTreeMap<u32, i64>,
    /// For sums that disclose groups, the cells of their line.
    lines: BTreeMap<Vec<(u32, i32)>, BTreeSet<u32>>,
    /// The largest count that is unsafe.
    pub(super) threshold: i64,
    /// The largest count that is unsafe if it follows from several tables.
    pub(super) few: i64,
    /// How many such differences there are.
    pub(super) differences: usize,
    /// Cells that the spec requires to be shown.
    shown: BTreeSet<u32>,
    /// Cells that are unsafe on their own.
    by_itself: BTreeSet<u32>,
    /// Cells that an earlier release shows, with the name of the release.
    public: BTreeMap<u32, String>,
}

impl Marks {
    /// Marks the unsafe cells of a family's system, and what the spec asks of others.
    ///
    /// # Errors
    /// Where a cell must be shown that is unsafe.
    pub(super) fn put(
        family: &mut Family,
        made: &[CountedTable],
        verdicts: &[Verdict],
        protection: &Protection,
        rules: &TableRules,
    ) -> Result<Self> {
        let mut marks = Self {
            known: Known::default(),
            sums: Vec::new(),
            widths: BTreeMap::new(),
            left: BTreeMap::new(),
            lines: BTreeMap::new(),
            threshold: 0,
            few: 0,
            differences: 0,
            shown: BTreeSet::new(),
            by_itself: BTreeSet::new(),
            public: BTreeMap::new(),
        };
        if family.system.counts {
            // A printed zero is known to everyone, and hiding zeros hides little.
            let zeros = family.system.cells.iter_mut().filter(|cell| cell.value == 0 && cell.status == Status::Open);
            zeros.for_each(|cell| cell.status = Status::Frozen);
        }
        // Public cells stay public, whatever else is asked.
        for (place, at) in family.tables.clone().into_iter().enumerate() {
            marks.put_public(family, place, &made[at]);
        }
        for (place, at) in family.tables.clone().into_iter().enumerate() {
            marks.put_unsafe(family, place, &made[at], &verdicts[at], protection)?;
        }
        marks.put_told(family, made);
        marks.put_asked(family, made)?;
        marks.few = few(family, verdicts, rules);
        marks.put_differences(family);
        Ok(marks)
    }

    /// Leaves out groups that cannot be anywhere else because of a condition: there is nothing to hide.
    pub(super) fn leave_out_void(&mut self, system: &System) {
        let lines = &self.lines;
        self.sums.retain(|sum| {
            let own = |cell: &u32| sum.iter().any(|(own, _)| own == cell);
            lines.get(sum).is_none_or(|line| {
                line.iter().all(own) || line.iter().any(|cell| !own(cell) && system.cells[*cell as usize].upper > 0)
            })
        });
    }

    /// The protection level of a sum to either side; 0 if it must only not be known exactly.
    pub(super) fn width(&self, sum: &[(u32, i32)]) -> i64 {
        match sum {
            [(cell, _)] => self.widths.get(cell).copied().unwrap_or_default(),
            _ => 0,
        }
    }

    /// Whether anything must be hidden.
    pub(super) fn asks(&self, system: &System) -> bool {
        let hides = |cell: &Cell| matches!(cell.status, Status::Unsafe | Status::Hidden);
        !self.sums.is_empty() || system.cells.iter().any(hides)
    }

    /// Marks the cells of a table that an earlier release shows.
    fn put_public(&mut self, family: &mut Family, place: usize, made: &CountedTable) {
        let Some(earlier) = &made.earlier else { return };
        for (cell, _) in earlier.told.iter().enumerate().filter(|(_, told)| **told == EarlierFigure::Shown) {
            let number = family.cells[place][cell];
            family.system.cells[number as usize].status = Status::Frozen;
            self.public
                .entry(number)
                .or_insert_with(|| format!("`{}` ({})", made.table.name, made.table.describe(cell)));
        }
    }

    /// Marks the cells that earlier releases hide, or show rounded or perturbed. Nothing more may be disclosed about
    /// them.
    fn put_told(&mut self, family: &mut Family, made: &[CountedTable]) {
        let is_new = |place: &usize| made[family.tables[*place]].earlier.is_none();
        let new: BTreeSet<u32> =
            (0..family.tables.len()).filter(is_new).flat_map(|place| family.cells[place].iter().copied()).collect();
        for (place, at) in family.tables.clone().into_iter().enumerate() {
            let told = made[at].earlier.iter().flat_map(|earlier| earlier.told.iter().enumerate());
            for (cell, told) in told.filter(|(cell, _)| !self.public.contains_key(&family.cells[place][*cell])) {
                let number = family.cells[place][cell];
                let marked = &mut family.system.cells[number as usize];
                // A new table may show a cell that was rounded, if that is safe.
                if marked.status != Status::Unsafe && (*told == EarlierFigure::Hidden || !new.contains(&number)) {
                    marked.status = Status::Hidden;
                }
                if let EarlierFigure::Between(least, most) = told {
                    (marked.lower, marked.upper) = (marked.lower.max(*least), marked.upper.min(*most));
                    // More than one value must stay possible. No interval wider than that of the figure is required.
                    marked.sliding_protection =
                        i64::from(marked.status == Status::Unsafe && marked.lower < marked.upper);
                    marked.lower_protection = marked.lower_protection.min(marked.value - marked.lower);
                    marked.upper_protection = marked.upper_protection.min(marked.upper - marked.value);
                }
            }
        }
    }

    /// Marks the unsafe cells of one table and the answers of its groups.
    ///
    /// # Errors If an earlier release shows an unsafe cell of a new table.
    fn put_unsafe(
        &mut self,
        family: &mut Family,
        place: usize,
        made: &CountedTable,
        verdict: &Verdict,
        protection: &Protection,
    ) -> Result<()> {
        let table = &made.table;
        let margin = i64::try_from(protection.margin).unwrap_or(i64::MAX).min(WIDEST) * family.system.scale;
        let asked = verdict.protections();
        for cell in verdict.primary() {
            let number = family.cells[place][cell];
            match self.public.get(&number) {
                // What an earlier release shows cannot be withdrawn.
                Some(_) if made.earlier.is_some() => continue,
                Some(public) => return Err(already_public(table, cell, public).into()),
                None => {}
            }
            let marked = &mut family.system.cells[number as usize];
            marked.status = Status::Unsafe;
            let (lower, upper) = asked.get(&cell).copied().unwrap_or((margin, margin));
            // The level is limited by what everyone knows: that a count is not negative, or that it is not zero.
            let lower = lower.min(marked.value.saturating_sub(marked.lower));
            marked.lower_protection = marked.lower_protection.max(lower);
            marked.upper_protection = marked.upper_protection.max(upper);
        }
        let by_itself = verdict.unsafe_cells.iter().filter(|found| found.rule != Rule::Differencing);
        self.by_itself.extend(by_itself.map(|found| family.cells[place][found.cell]));
        for found in verdict.unsafe_cells.iter().filter(|found| found.rule == Rule::Differencing) {
            let distance = found.protection.map_or(0, |(below, above)| below.max(above));
            let left = self.left.entry(family.cells[place][found.cell]).or_default();
            *left = distance.max(*left);
        }
        if family.system.counts {
            let small = verdict.unsafe_cells.iter().filter(|found| matches!(found.rule, Rule::Cell | Rule::Margin));
            let largest = small.map(|found| table.counts[found.cell] as i64).max();
            self.threshold = self.threshold.max(largest.unwrap_or_default());
        }
        for sum in &verdict.virtual_sums {
            // The zeros of the line disclose the group, so these may be hidden too.
            for cell in line_of(table, sum) {
                let number = family.cells[place][cell];
                let beside = &mut family.system.cells[number as usize];
                if beside.status == Status::Frozen && !self.public.contains_key(&number) {
                    beside.status = Status::Open;
                }
            }
            let mut terms: BTreeMap<u32, i32> = BTreeMap::new();
            for (cell, by) in sum {
                *terms.entry(family.cells[place][*cell]).or_default() += by;
            }
            // If a value follows from one of another variable, or a condition excludes it, there is nothing to hide.
            terms.retain(|cell, by| *by != 0 && family.system.cells[*cell as usize].upper > 0);
            // What an earlier release discloses about a group is public.
            let told = made.earlier.is_some() && terms.keys().all(|cell| self.public.contains_key(cell));
            if !terms.is_empty() && !told {
                let terms: Vec<(u32, i32)> = terms.into_iter().collect();
                let line = line_of(table, sum).into_iter().map(|cell| family.cells[place][cell]);
                self.lines.entry(terms.clone()).or_default().extend(line);
                self.sums.push(terms);
            }
        }
        Ok(())
    }

    /// Marks what the spec asks: cells that must be shown, and cells that are hidden already.
    fn put_asked(&mut self, family: &mut Family, made: &[CountedTable]) -> Result<()> {
        for (place, at) in family.tables.clone().into_iter().enumerate() {
            let CountedTable { table, hidden, frozen, .. } = &made[at];
            for cell in hidden {
                let marked = &mut family.system.cells[family.cells[place][*cell] as usize];
                if marked.status != Status::Unsafe {
                    marked.status = Status::Hidden;
                }
            }
            for cell in frozen {
                let number = family.cells[place][*cell];
                let marked = &mut family.system.cells[number as usize];
                if matches!(marked.status, Status::Unsafe | Status::Hidden) {
                    let (what, help) = match marked.status {
                        Status::Unsafe => {
                            ("unsafe", "take it out of the cells that must be shown, or make the table coarser")
                        }
                        _ => ("hidden in another table", "take it out of one of the lists"),
                    };
                    let place = table.describe(*cell);
                    return Err(Error::input(format!(
                        "table `{}` must show a cell that is {what}: {place}",
                        table.name
                    ))
                    .help(help)
                    .into());
                }
                marked.status = Status::Frozen;
                self.shown.insert(number);
            }
        }
        Ok(())
    }

    /// Marks differences: what follows from several tables is as unsafe as what one table shows.
    pub(super) fn put_differences(&mut self, family: &Family) {
        let small = self.small(family);
        self.differences = small.len();
        for Difference { cell, .. } in &small {
            let level = apart(family.system.cells[*cell as usize].value);
            self.widths.extend((!family.system.counts).then_some((*cell, level)));
            self.sums.push(vec![(*cell, 1)]);
        }
        self.sums.sort_unstable();
        self.sums.dedup();
    }

    /// The differences of few people, unless earlier releases disclose them alone.
    pub(super) fn small<'a>(&self, family: &'a Family) -> Vec<&'a Difference> {
        let few = family.differences.iter().filter(|rest| (1..=self.few).contains(&rest.people));
        few.filter(|rest| !rest.left_by.iter().any(|cells| self.is_public(cells))).collect()
    }

    /// Whether earlier releases show all of some cells.
    pub(super) fn is_public(&self, cells: &[u32]) -> bool {
        cells.iter().all(|cell| self.public.contains_key(cell))
    }

    /// Finds what contributors know, once it is known what must be protected.
    pub(super) fn put_known(&mut self, family: &Family, made: &[CountedTable], rules: &TableRules) {
        let differing = self.left.keys().copied().filter(|cell| !self.by_itself.contains(cell)).collect();
        let differences = (&self.left, &differing);
        self.known = Known::new(family, made, &self.small(family), differences, rules.magnitude.as_ref());
    }

    /// The system with zeros that may be hidden, for tables so sparse that there is nothing else to hide.
    pub(super) fn thawed(&self, system: &System) -> System {
        let mut thawed = system.clone();
        for (number, cell) in thawed.cells.iter_mut().enumerate() {
            let number = number as u32;
            let asked = self.shown.contains(&number) || self.public.contains_key(&number);
            if cell.value == 0 && cell.status == Status::Frozen && !asked {
                cell.status = Status::Open;
            }
        }
        thawed
    }
}

/// The error for a cell of a new table that is unsafe by its policy and public in an earlier release.
fn already_public(table: &Table, cell: usize, public: &str) -> outward_spec::Fault {
    let what = format!("table `{}` has an unsafe cell that is public already: {}", table.name, table.describe(cell));
    Error::input(what).help(format!(
        "{public} shows it. Leave the cell's row or table out, or see with the custodian whether the earlier release can be withdrawn"
    ))
}

/// Largest protection level to one side.
const WIDEST: i64 = 1_000_000_000;

/// The largest count that is unsafe in any table of a family.
fn few(family: &Family, verdicts: &[Verdict], rules: &TableRules) -> i64 {
    let limit = |at: &usize| {
        let category = rules.categories.iter().find(|category| category.name == verdicts[*at].category);
        category.map_or(0, |category| category.cells as i64)
    };
    family.tables.iter().map(limit).max().unwrap_or_default()
}

/// The inner cells of the line that a sum is about: a total less a cell, or all cells except one.
fn line_of(table: &Table, sum: &[(usize, i32)]) -> Vec<usize> {
    let [(one, _), (other, _)] = sum else { return sum.iter().map(|(cell, _)| *cell).collect() };
    let (one, other) = (table.nodes(*one), table.nodes(*other));
    let Some(dimension) = (0..one.len()).find(|at| one[*at] != other[*at]) else { return Vec::new() };
    let at = |node: usize| {
        let mut nodes = one.clone();
        nodes[dimension] = node;
        table.cell(&nodes)
    };
    let nodes = table.dimensions[dimension].nodes.iter().enumerate();
    nodes.filter(|(_, node)| node.finest).map(|(node, _)| at(node)).collect()
}
