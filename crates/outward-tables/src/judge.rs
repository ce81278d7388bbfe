//! Judges a table: its risk category, and the cells that must not be published as they are.
//!
//! A policy gives a table a category, from its geography, the number of its factual variables and the rating of what it
//! shows. It also says what is unsafe in each category. A table is judged by rows of the rated variable (ONS report on
//! road casualties, Tables 6 and 7). Messages about a cell use the words of the policy and never its count.

mod category;
mod differencing;
mod findings;
mod groups;
mod magnitudes;

use std::collections::BTreeMap;

use outward_spec::{CaseRating, Intruder, Result, TableRules};
use serde::Serialize;

use crate::family::value_of;
use crate::table::Table;
use category::Graded;
use differencing::Derived;

pub(crate) use findings::{KINDS, kind_of, kind_of_note, who};
pub use findings::{findings, findings_after};
pub(crate) use magnitudes::beside_largest;
pub use magnitudes::largest_needed;

/// What a policy says about a table.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Verdict {
    /// The highest risk category of its rows.
    pub category: String,
    /// The cases of the policy that apply to its rows.
    pub cases: Vec<Applied>,
    /// The level of geography that was assumed: the largest area of the policy. Set if geography decides and neither
    /// the table nor a variable of it names a level.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assumed: Option<String>,
    /// What is unsafe, by cell. A cell is listed once for each rule it breaks.
    pub unsafe_cells: Vec<Unsafe>,
    /// Sums of cells, each with its sign, that must not be derivable either: a total less the one category that has
    /// nearly all of it.
    pub virtual_sums: Vec<Vec<(usize, i32)>>,
    /// What a person should look at, although nothing must be hidden for it.
    pub notes: Vec<Note>,
}

impl Verdict {
    /// The unsafe cells, ascending, each once.
    pub fn primary(&self) -> Vec<usize> {
        let mut cells: Vec<usize> = self.unsafe_cells.iter().map(|found| found.cell).collect();
        cells.sort_unstable();
        cells.dedup();
        cells
    }

    /// The protection levels of each unsafe cell, below and above its value, if a rule for sums gives them: the largest
    /// of all rules.
    pub fn protections(&self) -> BTreeMap<usize, (i64, i64)> {
        let mut asked: BTreeMap<usize, (i64, i64)> = BTreeMap::new();
        for found in &self.unsafe_cells {
            if let Some((below, above)) = found.protection {
                let known = asked.entry(found.cell).or_insert((below, above));
                *known = (known.0.max(below), known.1.max(above));
            }
        }
        asked
    }

    /// What was assumed, in words for the custodian: `judged as national: no geography is named`.
    pub fn assumption(&self) -> Option<String> {
        self.assumed.as_ref().map(|level| format!("judged as {level}: no geography is named"))
    }

    /// Whether nothing is unsafe.
    pub fn is_clean(&self) -> bool {
        self.unsafe_cells.is_empty()
    }
}

/// A case of the policy that applies to rows of a table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Applied {
    /// The rating of the rows it applies to; `None` if a single variable decides.
    pub rating: Option<CaseRating>,
    /// The name of the case in the policy's document.
    pub scenario: String,
    /// The category.
    pub category: String,
    /// Whether anything is checked.
    pub check: bool,
    /// What to do, in the words of the policy. If a single variable decides, the reason.
    pub action: String,
    /// How to protect the table, in the words of the policy.
    pub protection: String,
}

/// A cell that breaks a rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Unsafe {
    /// The cell.
    pub cell: usize,
    /// The rule it breaks.
    pub rule: Rule,
    /// Who could make use of it.
    pub intruders: Vec<Intruder>,
    /// Why it is unsafe, in the words of the policy and without its count.
    pub because: String,
    /// The risk category of the cell.
    pub category: String,
    /// The protection levels below and above the sum, in units of one over the scale; `None` for counts.
    pub protection: Option<(i64, i64)>,
}

/// The rules a cell can break.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rule {
    /// A small count inside the table.
    Cell,
    /// A small total.
    Margin,
    /// A group whose members are all in one category, or all but a few.
    Group,
    /// A small count that follows from this table and another.
    Differencing,
    /// Too few contributors to a sum.
    Threshold,
    /// A few contributors make up most of a sum.
    Dominance,
    /// A contributor could estimate the largest contribution too closely.
    PPercent,
}

impl Rule {
    /// Who could make use of a cell that breaks the rule. It is the same for every cell, so that it does not
    /// distinguish counts.
    fn intruders(self) -> Vec<Intruder> {
        use Intruder::{Motivated, Neighbour, Oneself};
        match self {
            Self::Cell | Self::Margin => vec![Motivated, Oneself, Neighbour],
            Self::Group => vec![Oneself, Neighbour],
            Self::Differencing => vec![Motivated],
            Self::Threshold | Self::Dominance | Self::PPercent => vec![Motivated, Neighbour],
        }
    }
}

/// Something to look at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Note {
    /// What it is.
    pub kind: NoteKind,
    /// The dimension along which the line runs.
    pub dimension: usize,
    /// The cells of the line.
    pub cells: Vec<usize>,
    /// Which line, in words.
    pub line: String,
}

/// What a person should look at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum NoteKind {
    /// Most cells of a row or a column are zero.
    DominatedByZeros,
    /// A large group is in one category: more likely a fact about the category than about its people.
    LargeGroup,
}

/// An unsafe cell, before it is described in words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Found {
    cell: usize,
    rule: Rule,
    protection: Option<(i64, i64)>,
}

/// Judges a table by itself.
///
/// # Errors
/// Where the policy has no rule for the table, does not know its level of geography, or the table lacks what a rule needs.
pub fn judge(table: &Table, rules: &TableRules) -> Result<Verdict> {
    let graded = Graded::new(table, rules)?;
    let (found, groups) = unsafe_in(table, rules, &graded)?;
    let unsafe_cells = found.into_iter().map(|found| said(rules, &graded, found)).collect();
    Ok(Verdict {
        category: graded.highest().name.clone(),
        cases: graded.cases.clone(),
        assumed: graded.assumed.clone(),
        unsafe_cells,
        virtual_sums: groups.virtual_sums,
        notes: groups.notes,
    })
}

/// Judges tables that are published together: each table, and what follows from two of them. A cell that discloses
/// something together with an earlier table is unsafe in the later one.
///
/// # Errors
/// As [`judge`].
pub fn judge_family(tables: &[Table], rules: &TableRules) -> Result<Vec<Verdict>> {
    let mut verdicts = tables.iter().map(|table| judge(table, rules)).collect::<Result<Vec<_>>>()?;
    for (later, table) in tables.iter().enumerate().skip(1) {
        let graded = Graded::new(table, rules)?;
        let cells = &mut verdicts[later].unsafe_cells;
        for earlier in &tables[..later] {
            for derived in differencing::between(earlier, table, &graded) {
                let protection = left_of_sums(earlier, table, &derived);
                let found = Found { cell: derived.later, rule: Rule::Differencing, protection };
                let other = earlier.describe(derived.earlier);
                let left = words(graded.limit(derived.later));
                let because = format!("compared with {other} of table `{}`, it gives {left}", earlier.name);
                cells.push(Unsafe { because, ..said(rules, &graded, found) });
            }
        }
        // The same count may follow in several ways.
        cells.sort_by(|a, b| (a.cell, a.rule, &a.because).cmp(&(b.cell, b.rule, &b.because)));
        cells.dedup();
    }
    Ok(verdicts)
}

/// The protection levels of a difference of two sums: a fifth of it, as by the p % rule with p = 20. `None` for counts.
fn left_of_sums(earlier: &Table, later: &Table, derived: &Derived) -> Option<(i64, i64)> {
    if later.magnitudes.is_none() && later.weighted.is_none() {
        return None;
    }
    let left = value_of(earlier, derived.earlier).abs_diff(value_of(later, derived.later));
    let apart = i64::try_from(left.div_ceil(5)).unwrap_or(i64::MAX).max(1);
    Some((apart, apart))
}

/// How many cells are unsafe in a table on its own.
pub(crate) fn count_unsafe(table: &Table, rules: &TableRules) -> Result<usize> {
    let graded = Graded::new(table, rules)?;
    let (mut found, _) = unsafe_in(table, rules, &graded)?;
    found.dedup_by_key(|found| found.cell);
    Ok(found.len())
}

/// The unsafe cells of a table on its own, by cell and rule.
fn unsafe_in(table: &Table, rules: &TableRules, graded: &Graded<'_>) -> Result<(Vec<Found>, groups::Groups)> {
    let (mut found, mut groups) = match (&table.magnitudes, &rules.magnitude) {
        (Some(sums), Some(rules)) => (magnitudes::unsafe_sums(sums, rules, graded)?, groups::Groups::default()),
        _ => (small_counts(table, graded), groups::look(table, rules, graded)),
    };
    found.append(&mut groups.found);
    found.sort_unstable();
    found.dedup();
    Ok((found, groups))
}

/// Counts from 1 to the limit of their category. For a weighted table these are the people counted, not the estimate.
fn small_counts(table: &Table, graded: &Graded<'_>) -> Vec<Found> {
    let small = |cell: &usize| graded.grade(*cell).check && (1..=graded.limit(*cell)).contains(&table.counts[*cell]);
    let rule = |cell: usize| if graded.is_margin(cell) { Rule::Margin } else { Rule::Cell };
    (0..table.counts.len()).filter(small).map(|cell| Found { cell, rule: rule(cell), protection: None }).collect()
}

fn said(rules: &TableRules, graded: &Graded<'_>, found: Found) -> Unsafe {
    let category = graded.category(found.cell);
    let magnitude = rules.magnitude.clone().unwrap_or_default();
    let because = match found.rule {
        Rule::Cell => words(category.cells),
        Rule::Margin => format!("{} in a total", words(category.margins)),
        Rule::Group => match rules.coalition.unwrap_or_default() {
            0 => "all members of its group are in it".to_owned(),
            few => format!("all members of its group but at most {few} are in it"),
        },
        Rule::Differencing => "a small count follows from it and another table".to_owned(),
        Rule::Threshold => format!("fewer than {} contributors", magnitude.threshold.unwrap_or_default()),
        Rule::Dominance => magnitude.dominance.map_or_else(String::new, |rule| match rule.n {
            1 => format!("the largest contributor makes up more than {} % of it", rule.k),
            n => format!("the {n} largest contributors make up more than {} % of it", rule.k),
        }),
        Rule::PPercent => {
            let (p, q) = (magnitude.p.unwrap_or_default(), magnitude.q.unwrap_or(100.0));
            format!("others could work out the largest contribution to within {} % of it", 100.0 * p / q)
        }
    };
    Unsafe {
        cell: found.cell,
        rule: found.rule,
        intruders: found.rule.intruders(),
        because,
        category: category.name.clone(),
        protection: found.protection,
    }
}

fn words(limit: u64) -> String {
    match limit {
        1 => "a count of 1".to_owned(),
        _ => format!("a count from 1 to {limit}"),
    }
}
