//! Redesign: coarser categories that leave nothing to hide in a table, or as little as possible.
//!
//! Every variable of a table may be shown in several ways, from as it is to its total only. All combinations are
//! counted from the same inner cells, judged by the policy, and ranked by information loss. This is the entropy of each
//! variable's categories given the coarser ones, in bits per record (De Waal and Willenborg 1999), as a share of the
//! entropy of the table's variables.

mod collapse;
mod lines;
mod loss;
mod recodings;
mod search;

use outward_spec::{Error, Hierarchy, Result, Spec, TableRules, Variable};

use crate::inner::{Base, Inner};
use crate::judge::Verdict;
use crate::make::CountedTable;
use crate::table::{Dimension, Table};
use collapse::Roller;
use loss::Losses;
use search::{Candidate, Search};

pub use lines::lines;
pub(crate) use lines::{is_total_only, label_of};
pub use recodings::{Recodings, Way, recodings};

/// Most combinations, and most work for all of them, up to which all are judged. Beyond this the search begins with
/// those that lose least.
const MAX_COMBINATIONS: usize = 20_000;
const MAX_WORK: usize = 200_000_000;

/// A table with coarser categories.
#[derive(Debug, Clone, PartialEq)]
pub struct Redesign {
    /// Its dimensions.
    pub dimensions: Vec<Dimension>,
    /// What was changed.
    pub changed: Vec<Change>,
    /// The information loss, as a share of the information of the table's variables, from 0 to 1.
    pub lost: f64,
    /// How many cells are still unsafe.
    pub unsafe_left: usize,
    /// The table itself.
    pub table: Table,
}

impl Redesign {
    /// What was changed, in a few words for each variable: `age: level 1: 31-40`.
    pub fn changes(&self) -> Vec<String> {
        self.changed.iter().map(|change| format!("{}: {}", change.variable, change.to)).collect()
    }
}

/// How a variable was made coarser.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The variable.
    pub variable: String,
    /// How it was shown.
    pub from: String,
    /// How it is shown now.
    pub to: String,
}

/// Redesigns for each table that has unsafe cells, by the hierarchies and joins of the spec's variables; empty for the
/// others.
///
/// # Errors
/// As [`redesign`], and where a hierarchy of the spec cannot be read.
pub fn propose(
    made: &[CountedTable],
    verdicts: &[Verdict],
    spec: &Spec,
    rules: &TableRules,
    limit: usize,
) -> Result<Vec<Vec<Redesign>>> {
    let of = |(made, verdict): (&CountedTable, &Verdict)| match limit == 0 || verdict.is_clean() {
        true => Ok(Vec::new()),
        false => redesign(&made.inner, &made.table, &ways_in(spec, &made.inner, &made.table)?, rules, limit),
    };
    made.iter().zip(verdicts).map(of).collect()
}

/// The recodings that the spec allows for each dimension of a table.
fn ways_in(spec: &Spec, inner: &Inner, table: &Table) -> Result<Vec<Recodings>> {
    let of = |(base, dimension): (&Base, &Dimension)| {
        let plain = Variable::named(&dimension.variable);
        let variable = spec.variables.iter().find(|variable| variable.name == dimension.variable).unwrap_or(&plain);
        let compile = |hierarchy| Hierarchy::compile(hierarchy, &spec.base, &variable.name);
        let hierarchies = variable.hierarchies().map(compile).collect::<Result<Vec<_>>>()?;
        Ok(recodings(base, variable, &hierarchies, dimension))
    };
    inner.bases.iter().zip(&table.dimensions).map(of).collect()
}

/// Searches coarser categories for a table, given the recodings of each of its dimensions. The first recoding of each
/// is the dimension as it is.
///
/// Redesigns that leave nothing unsafe come first, in order of their loss. There are at most `limit` of these, and none
/// that is merely coarser than another. Then comes, for each set of changed variables, the redesign that leaves fewest
/// cells unsafe, unless a change of fewer variables does as well. The result is empty if nothing is unsafe as it is.
///
/// # Errors
/// If the policy has no rule for the table, or the choices do not fit its dimensions.
pub fn redesign(
    inner: &Inner,
    table: &Table,
    choices: &[Recodings],
    rules: &TableRules,
    limit: usize,
) -> Result<Vec<Redesign>> {
    let combinations = choices.iter().try_fold(1usize, |all, choice| all.checked_mul(choice.ways.len()));
    let cells = choices
        .iter()
        .try_fold(1usize, |all, choice| all.checked_mul(choice.ways.iter().map(|way| way.dimension.nodes.len()).sum()));
    let few = combinations.zip(cells).is_some_and(|(combinations, cells)| {
        let work = combinations.checked_mul(work_for(inner, 0)).and_then(|rows| rows.checked_add(cells));
        combinations <= MAX_COMBINATIONS && work.is_some_and(|work| work <= MAX_WORK)
    });
    search_among(inner, table, choices, rules, limit, few)
}

/// The work of counting and judging a table of so many cells, in steps: some ten for an inner cell, one for a cell.
fn work_for(inner: &Inner, cells: usize) -> usize {
    inner.tallies.len().saturating_mul(10).saturating_add(cells)
}

fn search_among(
    inner: &Inner,
    table: &Table,
    choices: &[Recodings],
    rules: &TableRules,
    limit: usize,
    exhaustive: bool,
) -> Result<Vec<Redesign>> {
    if choices.len() != table.dimensions.len() || choices.iter().any(|choice| choice.ways.is_empty()) {
        return Err(Error::bug(format!("table `{}` needs ways for each of its dimensions", table.name)));
    }
    let mut roller = Roller::new(inner, table, choices, rules);
    let as_it_is = vec![0; choices.len()];
    let unsafe_now = roller.count_unsafe(&as_it_is)?;
    if unsafe_now == 0 {
        return Ok(Vec::new());
    }
    let losses = Losses::new(roller.rolled(&as_it_is), choices);
    let mut search = Search { roller: &mut roller, losses: &losses, choices, inner };
    let judged = if exhaustive { search.all()? } else { search.best_first(limit)? };
    let chosen = choose(judged, unsafe_now, &losses, limit);
    chosen.into_iter().map(|candidate| answer(&mut roller, choices, &losses, &candidate)).collect()
}

/// The candidates worth showing, in the order they are shown.
fn choose(mut candidates: Vec<Candidate>, unsafe_now: usize, losses: &Losses, limit: usize) -> Vec<Candidate> {
    candidates.sort_by(Candidate::by_unsafe_then_loss);
    candidates.dedup();
    let mut chosen: Vec<Candidate> = Vec::new();
    for candidate in candidates.iter().take_while(|candidate| candidate.unsafe_left == 0) {
        if chosen.len() < limit && !chosen.iter().any(|finer| losses.is_finer(&finer.choice, &candidate.choice)) {
            chosen.push(candidate.clone());
        }
    }
    // As they are sorted, the first of each kind is the best of it.
    let mut kinds: Vec<Candidate> = Vec::new();
    for candidate in candidates.into_iter().filter(|candidate| candidate.unsafe_left < unsafe_now) {
        if kinds.iter().all(|known| known.changed() != candidate.changed()) {
            kinds.push(candidate);
        }
    }
    let idle = |candidate: &Candidate| {
        kinds.iter().any(|other| {
            other.changes_fewer_than(candidate)
                && other.unsafe_left <= candidate.unsafe_left
                && other.bits <= candidate.bits
        })
    };
    let more: Vec<Candidate> = kinds.iter().filter(|kind| !idle(kind) && !chosen.contains(kind)).cloned().collect();
    chosen.extend(more);
    chosen.sort_by(Candidate::by_unsafe_then_loss);
    chosen
}

fn answer(roller: &mut Roller<'_>, choices: &[Recodings], losses: &Losses, candidate: &Candidate) -> Result<Redesign> {
    let table = roller.table(&candidate.choice)?;
    let changed = candidate.changed().into_iter().map(|variable| {
        let ways = &choices[variable].ways;
        let to = &ways[candidate.choice[variable]];
        Change { variable: to.dimension.variable.clone(), from: ways[0].name.clone(), to: to.name.clone() }
    });
    Ok(Redesign {
        dimensions: table.dimensions.clone(),
        changed: changed.collect(),
        lost: losses.share(candidate.bits),
        unsafe_left: candidate.unsafe_left,
        table,
    })
}

#[cfg(test)]
mod tests;
