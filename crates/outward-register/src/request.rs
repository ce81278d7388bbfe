//! Checks a request: what its tables would disclose together with those of earlier releases, if they were not
//! protected.
//!
//! There are two searches by different code. [`differences`] adds and subtracts along lines of cells, over any number
//! of releases, and shows the arithmetic. [`find_joint_disclosures`] is the model by which tables are protected
//! (`docs/methods/attacker.md`). It evaluates conditions on values, subtracts cells that differ in several variables,
//! uses that counts are not negative, and attacks hidden cells.

use std::collections::BTreeSet;
use std::path::Path;

use outward_spec::{Protection, ProtectionMethod, Result, Spec, TableRules};
use outward_tables::judge::Verdict;
use outward_tables::protect::{
    CellOf, JointDisclosure, JointDisclosures, find_joint_disclosures, protect, refuse, scale_of, shown,
};
use outward_tables::{
    CountedTable, CountedTables, Dimension, EarlierFigure, Figure, Node, Table, is_same_table, judge_all,
    numbered_by_source,
};

use crate::differencing::{Difference, Differencing, Known, PublishedCounts, Step, differences};
use crate::gate::{DIFFERENCING_HELP, Obstacle, largest_unsafe};
use crate::revision::{VersionedTable, scaled};

/// Requested tables and the earlier tables related to them, all counted from the same data. Earlier tables come first.
#[derive(Debug)]
pub struct CheckedRequest<'a> {
    counted: &'a CountedTables,
    numbered: Vec<Table>,
    rules: &'a TableRules,
    protection: &'a Protection,
    few: i64,
}

/// What follows from the tables of a request and public ones.
#[derive(Debug, Clone, Default)]
pub struct Disclosures {
    /// By adding and subtracting along lines.
    pub differences: Differencing,
    /// By the model of tables.
    pub joint: JointDisclosures,
    /// A cell that is public already although it is unsafe in a new table, and what to do. The model is then not used.
    pub public_already: Option<[String; 2]>,
    /// Why the new tables cannot be protected given the earlier ones, and what to do.
    pub refused: Option<[String; 2]>,
}

impl<'a> CheckedRequest<'a> {
    /// A request under the rules of its policy. `few` is the largest count that the policies of the earlier releases
    /// call unsafe in them.
    pub fn new(counted: &'a CountedTables, rules: &'a TableRules, protection: &'a Protection, few: i64) -> Self {
        let numbered = numbered_by_source(&counted.tables.iter().collect::<Vec<_>>());
        Self { counted, numbered, rules, protection, few }
    }

    /// What follows from the new tables and earlier ones.
    ///
    /// # Errors
    /// Where the policy has no rule for a table.
    pub fn find_disclosures(&self) -> Result<Disclosures> {
        let verdicts = judge_all(&self.counted.tables, self.rules)?;
        let few = self.largest_few(&verdicts);
        let mut all = Disclosures { differences: differences(&self.published(), few), ..Disclosures::default() };
        let suppresses = matches!(self.protection.method, ProtectionMethod::None | ProtectionMethod::Suppress);
        let has_earlier = self.counted.tables.iter().any(|made| made.earlier.is_some());
        all.refused = unless_refused(refuse(&self.counted.tables, self.protection))?.err();
        // What rounded and perturbed figures disclose depends on their values, which are not known yet.
        if has_earlier && suppresses && all.refused.is_none() {
            let joint = find_joint_disclosures(self.counted, &verdicts, self.protection, self.rules);
            match unless_refused(joint)? {
                Ok(joint) => all.joint = joint,
                Err(refused) => all.public_already = Some(refused),
            }
            if self.protection.method == ProtectionMethod::Suppress
                && all.public_already.is_none()
                && all.joint.found.is_empty()
            {
                all.refused = self.try_to_protect(&verdicts)?;
            }
        }
        Ok(all)
    }

    /// The largest count that is unsafe: the strictest policy of all releases involved decides.
    fn largest_few(&self, verdicts: &[Verdict]) -> i64 {
        self.few.max(largest_unsafe(self.rules, verdicts.iter().map(|verdict| verdict.category.as_str())))
    }

    /// The new tables without their unsafe cells, for comparison with other versions of the data, and the largest count
    /// that is unsafe.
    ///
    /// # Errors
    /// Where the policy has no rule for a table.
    pub fn versioned(&self, spec: &Spec) -> Result<(Vec<VersionedTable>, i64)> {
        let verdicts = judge_all(&self.counted.tables, self.rules)?;
        let few = self.largest_few(&verdicts);
        let new = self.counted.tables.iter().zip(&verdicts).filter(|(made, _)| made.earlier.is_none());
        let table = |(made, verdict): (&CountedTable, &Verdict)| {
            let table = &made.table;
            let is_count = table.magnitudes.is_none() && table.weighted.is_none();
            let known = match (is_count, self.protection.method) {
                (true, _) => {
                    published(made, table, self.protection).known.iter().map(|known| known.interval()).collect()
                }
                (false, ProtectionMethod::None | ProtectionMethod::Suppress) => {
                    let exactly = |figure: Figure| match figure {
                        Figure::Shown(value) => Some((value, value)),
                        _ => None,
                    };
                    shown(table).into_iter().map(exactly).collect()
                }
                (false, _) => vec![None; table.len()],
            };
            VersionedTable::new(spec, table, scale_of(table), known, &verdict.primary())
        };
        Ok((new.map(table).collect(), few))
    }

    /// New tables that an earlier release shows already, cell by cell.
    pub fn asked_again(&self) -> Vec<String> {
        let tables = || self.counted.tables.iter().zip(&self.numbered);
        let mut notes = Vec::new();
        for (made, table) in tables().filter(|(made, _)| made.earlier.is_none()) {
            let same = tables().find_map(|(other, old)| {
                let earlier = other.earlier.as_ref()?;
                is_same_table((made, table), (other, old)).then_some((&earlier.release, &old.name))
            });
            if let Some((release, name)) = same {
                let own = name.strip_prefix(&format!("{release}: ")).unwrap_or(name);
                notes.push(format!(
                    "table `{}` has the cells of table `{own}` of {}, which is public: it can be taken from there",
                    table.name,
                    release.replacen("release-", "release ", 1)
                ));
            }
        }
        notes
    }

    /// Why the new tables cannot be protected given the earlier ones, if they cannot.
    fn try_to_protect(&self, verdicts: &[Verdict]) -> Result<Option<[String; 2]>> {
        let protected = protect(self.counted, verdicts, self.protection, self.rules, Path::new(""));
        let unprotected =
            || ["the tables cannot be protected given earlier releases", DIFFERENCING_HELP].map(str::to_owned);
        Ok(match unless_refused(protected)? {
            Ok(protected) => (!protected.holds()).then(unprotected),
            Err(refused) => Some(refused),
        })
    }

    /// The tables as the public would see them.
    fn published(&self) -> Vec<PublishedCounts<'_>> {
        let tables = self.counted.tables.iter().zip(&self.numbered);
        tables.map(|(made, table)| published(made, table, self.protection)).collect()
    }

    /// The disclosures in words, with figures.
    pub fn describe(&self, found: &Disclosures) -> Vec<Obstacle> {
        let words = Words { public: self.published(), counted: &self.counted.tables };
        let mut all: Vec<Obstacle> = found.differences.found.iter().map(Obstacle::of_difference).collect();
        all.extend(Obstacle::of_lines(found.differences.not_searched));
        all.extend(
            found
                .public_already
                .iter()
                .chain(&found.refused)
                .map(|[what, help]| obstacle(what.clone(), Vec::new(), help)),
        );
        let seen: BTreeSet<Vec<Named<'_>>> = found.differences.found.iter().map(|found| named(&found.steps)).collect();
        all.extend(found.joint.found.iter().filter_map(|found| words.of_joint(found, &seen)));
        let names = |tables: &Vec<usize>| -> String {
            let names: Vec<String> =
                tables.iter().map(|at| format!("`{}`", self.counted.tables[*at].table.name)).collect();
            names.join(", ")
        };
        all.extend(found.joint.too_large.iter().map(|tables| {
            obstacle(
                format!("{} have more combinations together than can be searched", names(tables)),
                Vec::new(),
                "ask for fewer variables that these tables share, or for fewer values of them",
            )
        }));
        all.extend(found.joint.not_searched.iter().map(|tables| {
            obstacle(
                format!("{} could not be searched for what three or more figures disclose together", names(tables)),
                Vec::new(),
                "ask for fewer conditions, or for conditions on fewer variables that these tables show",
            )
        }));
        all
    }

    /// Columns that overlap as two maps of one area do, and were not compared as such since nothing says that they are
    /// places.
    pub fn places_apart(&self, overlapping: &[[String; 2]]) -> Vec<String> {
        let bases = || self.counted.tables.iter().flat_map(|made| &made.inner.bases);
        let is_shown = |column: &String| bases().any(|base| base.source.columns == std::slice::from_ref(column));
        let apart = overlapping.iter().filter(|pair| pair.iter().all(is_shown));
        apart
            .map(|[one, other]| {
                format!(
                    "`{one}` and `{other}` overlap like two maps of one area: if both are places, give their variables \
                     `role = \"geography\"`, and one is compared with the other piece by piece"
                )
            })
            .collect()
    }

    /// Variables that the new tables group differently from an earlier release.
    pub fn unusual_recodings(&self) -> Vec<String> {
        let tables = || self.counted.tables.iter().zip(&self.numbered);
        let mut notes = BTreeSet::new();
        let new = tables().filter(|(made, _)| made.earlier.is_none());
        for dimension in new.flat_map(|(_, table)| &table.dimensions) {
            let own = groups(dimension);
            for (other, table) in tables() {
                let Some(earlier) = &other.earlier else { continue };
                for old in table.dimensions.iter().filter(|old| old.is_comparable(dimension)) {
                    let theirs = groups(old);
                    if own.iter().any(|one| theirs.iter().any(|other| crosses(one, other))) {
                        notes.insert(format!(
                            "`{}` is grouped differently in {}: some groups overlap and neither is inside the other",
                            dimension.variable,
                            earlier.release.replacen("release-", "release ", 1)
                        ));
                    }
                }
            }
        }
        notes.into_iter().collect()
    }
}

/// A result, or why it was refused and what to do. Other errors are passed on.
fn unless_refused<T>(result: Result<T>) -> Result<std::result::Result<T, [String; 2]>> {
    match result {
        Ok(value) => Ok(Ok(value)),
        Err(error) => match error.fault() {
            Some(fault) => Ok(Err([fault.what.clone(), fault.help.clone().unwrap_or_default()])),
            None => Err(error),
        },
    }
}

/// A table as the public would see it. For an earlier release this is what it shows. For a new table it is every count,
/// or the interval of a count rounded to the nearest multiple of the base.
fn published<'a>(made: &CountedTable, table: &'a Table, protection: &Protection) -> PublishedCounts<'a> {
    let count = |cell: usize| made.table.counts[cell] as i64;
    let asked = |cell: usize| match protection.method {
        ProtectionMethod::None | ProtectionMethod::Suppress => Known::Exactly(count(cell)),
        ProtectionMethod::Round => {
            let base = i64::try_from(protection.base).unwrap_or(i64::MAX).max(1);
            let rounded = count(cell).saturating_add(base / 2) / base * base;
            Known::Between((rounded - base + 1).max(0), rounded.saturating_add(base - 1))
        }
        ProtectionMethod::CellKey => Known::Hidden,
    };
    let (release, known) = match &made.earlier {
        None => ("this request".to_owned(), (0..made.table.len()).map(asked).collect()),
        Some(earlier) => {
            let known = |(cell, told): (usize, &EarlierFigure)| match told {
                EarlierFigure::Shown => Known::Exactly(count(cell)),
                EarlierFigure::Hidden => Known::Hidden,
                EarlierFigure::Between(least, most) => Known::Between(*least, *most),
            };
            (earlier.release.clone(), earlier.told.iter().enumerate().map(known).collect())
        }
    };
    PublishedCounts { release, is_new: made.earlier.is_none(), table, known }
}

/// The groups of values that a dimension shows.
fn groups(of: &Dimension) -> BTreeSet<Vec<u32>> {
    let sorted = |node: &Node| {
        let mut values = node.values.clone();
        values.sort_unstable();
        values
    };
    of.nodes.iter().filter(|node| !node.total).map(sorted).collect()
}

/// Whether two groups overlap without one being inside the other.
fn crosses(one: &[u32], other: &[u32]) -> bool {
    let common = one.iter().filter(|value| other.binary_search(value).is_ok()).count();
    common > 0 && common < one.len() && common < other.len()
}

fn obstacle(says: String, lines: Vec<String>, help: &str) -> Obstacle {
    Obstacle { rule: "differencing", says, lines, help: help.to_owned() }
}

/// A figure of a subtraction: its multiplicity, and its release, table and cell.
type Named<'a> = (i64, &'a str, &'a str, &'a str);

fn named(steps: &[Step]) -> Vec<Named<'_>> {
    let mut named: Vec<Named<'_>> =
        steps.iter().map(|step| (step.times, &*step.release, &*step.table, &*step.cell)).collect();
    named.sort_unstable();
    named
}

/// Describes disclosures, with the figures that they follow from.
struct Words<'a> {
    public: Vec<PublishedCounts<'a>>,
    counted: &'a [CountedTable],
}

impl Words<'_> {
    /// The obstacle of a disclosure that the model found; `None` if it is a subtraction that is known already.
    fn of_joint(&self, found: &JointDisclosure, seen: &BTreeSet<Vec<Named<'_>>>) -> Option<Obstacle> {
        match found {
            JointDisclosure::Difference { whole, inside, people } => {
                let mut steps = vec![self.step(whole, 1)];
                steps.extend(inside.iter().map(|cell| self.step(cell, -1)));
                if seen.contains(&named(&steps)) {
                    return None;
                }
                let Some(amounts) = &self.counted[whole.0].table.magnitudes else {
                    let people = (*people, *people);
                    return Some(Obstacle::of_difference(&Difference { people, steps, divisor: 1, group: Vec::new() }));
                };
                let people = records(*people);
                let mut lines = vec![format!("      {}  {}", self.amount(whole), self.place(whole))];
                lines.extend(inside.iter().map(|cell| format!("minus {}  {}", self.amount(cell), self.place(cell))));
                lines.push(format!("leaves what {people} add"));
                let says = format!("what {people} add to `{}` follows from these tables and earlier ones", amounts.of);
                Some(obstacle(says, lines, DIFFERENCING_HELP))
            }
            JointDisclosure::Combination { cells, divisor, people } => {
                let first = cells.first().map(|((table, _), _)| &self.counted[*table].table);
                if let Some(table) = first.filter(|table| !table.counts_records()) {
                    return Some(self.of_amounts(table, cells, *divisor, *people));
                }
                let mut steps: Vec<Step> = cells.iter().map(|(cell, times)| self.step(cell, *times)).collect();
                steps.sort_by_key(|step| std::cmp::Reverse(step.times));
                if seen.contains(&named(&steps)) {
                    return None;
                }
                let (people, divisor) = ((*people, *people), *divisor);
                Some(Obstacle::of_difference(&Difference { people, steps, divisor, group: Vec::new() }))
            }
            JointDisclosure::Cell { cell, interval: (least, most) } => {
                let (says, range) = match least == most {
                    true => ("a cell that is not public can be worked out", least.to_string()),
                    false => ("a cell that is not public is known too closely", format!("{least} to {most}")),
                };
                let lines = vec![format!("      {}", self.place(cell)), format!("is {range} given this request")];
                Some(obstacle(says.to_owned(), lines, DIFFERENCING_HELP))
            }
            JointDisclosure::Group { cells } => {
                let lines = cells.iter().map(|cell| format!("      {}", self.place(cell))).collect();
                Some(obstacle(
                    "the answer of everyone in a group can be worked out".to_owned(),
                    lines,
                    DIFFERENCING_HELP,
                ))
            }
        }
    }

    /// The obstacle of a combination of sums or estimates. Its arithmetic has no figures, as these are amounts.
    fn of_amounts(&self, table: &Table, cells: &[(CellOf, i64)], divisor: i64, people: i64) -> Obstacle {
        let mut cells: Vec<&(CellOf, i64)> = cells.iter().collect();
        cells.sort_by_key(|(_, times)| std::cmp::Reverse(*times));
        let line = |(cell, times): &&(CellOf, i64)| {
            let sign = if *times < 0 { "minus" } else { "plus " };
            let times = if times.abs() == 1 { String::new() } else { format!("{} × ", times.abs()) };
            format!("{sign} {times}{}", self.place(cell))
        };
        let mut lines: Vec<String> = cells.iter().map(line).collect();
        let share = if divisor == 1 { String::new() } else { format!("{divisor} times ") };
        let people = records(people);
        lines.push(format!("leaves {share}what {people} add"));
        let to = match &table.magnitudes {
            Some(amounts) => format!("to `{}`", amounts.of),
            None => "to an estimate".to_owned(),
        };
        obstacle(format!("what {people} add {to} follows from these tables and earlier ones"), lines, DIFFERENCING_HELP)
    }

    fn step(&self, (table, cell): &CellOf, times: i64) -> Step {
        self.public[*table].step(*cell, times)
    }

    /// The sum or the mean that a cell shows.
    fn amount(&self, (table, cell): &CellOf) -> String {
        let is_hidden = self.public[*table].known[*cell] == Known::Hidden;
        let table = &self.counted[*table].table;
        match shown(table)[*cell] {
            Figure::Shown(value) if !is_hidden => scaled(value, scale_of(table)),
            _ => "hidden".to_owned(),
        }
    }

    fn place(&self, of: &CellOf) -> String {
        let Step { release, table, cell, .. } = self.step(of, 1);
        format!("{release}, table `{table}`: {cell}")
    }
}

fn records(count: i64) -> String {
    if count == 1 { "1 record".to_owned() } else { format!("{count} records") }
}
