//! Combinations that no record can have (K3): which conditions a record meets is one more variable, and a condition that is true or false of values says
//! which kinds of records can have them (M2).

use std::collections::{BTreeMap, BTreeSet, HashMap};

use outward_tables::protect::ConditionKinds;

use super::atoms::{Axis, Block};
use super::certified::{CertifiedKinds, ExcludedByCertificate};
use super::graph::Clique;
use super::parts::{Cut, Part, values_of};
use crate::verify::tables::conditions::Condition;
use crate::verify::tables::places::Cells;

/// More combinations of values than this are not gone through: then all of them are open.
const MOST_COMBINATIONS: usize = 200_000;

/// The conditions of a unit, and the variable that says which of them a record meets.
pub(super) struct Rules<'a> {
    records: u32,
    /// Each with the variables it reads.
    conditions: Vec<(&'a Condition, Vec<u32>)>,
    /// What the certificate says of which kinds of records can have which values.
    certified: Vec<CertifiedKinds<'a>>,
}

impl<'a> Rules<'a> {
    /// None where no table counts some records only, or nothing can be told of the conditions.
    pub(super) fn new(
        cells: &Cells,
        unit: u32,
        conditions: &'a [Condition],
        certified: &'a [ConditionKinds],
    ) -> Option<Self> {
        let records = cells.known(unit, None)?;
        let of_unit = conditions.iter().filter(|of| of.unit == cells.units[unit as usize] && !of.holds.is_empty());
        let read = |of: &'a Condition| {
            let reads: Option<Vec<u32>> = of.reads.iter().map(|source| cells.known(unit, Some(source))).collect();
            Some((of, reads?))
        };
        let conditions: Vec<_> = of_unit.filter_map(read).collect();
        let certified = CertifiedKinds::of_unit(cells, unit, certified);
        (!conditions.is_empty() || !certified.is_empty()).then_some(Self { records, conditions, certified })
    }

    /// The variable that says which conditions a record meets.
    pub(super) fn records(&self) -> u32 {
        self.records
    }

    /// That variable and those that conditions read.
    pub(super) fn variables(&self) -> BTreeSet<u32> {
        let read = self.conditions.iter().flat_map(|(_, reads)| reads).copied();
        read.chain(self.certified.iter().flat_map(CertifiedKinds::variables)).chain([self.records]).collect()
    }

    /// The cuts of variables that a condition joins: what it reads, and which records are counted by it.
    pub(super) fn joined(&self, cuts: &[Cut]) -> Vec<Clique> {
        let of = |reads: &[u32]| -> Clique {
            let is_of = |cut: &Cut| cut.variable == self.records || reads.contains(&cut.variable);
            (0..cuts.len()).filter(|cut| is_of(&cuts[*cut])).collect()
        };
        if cuts.iter().all(|cut| cut.variable != self.records) {
            return Vec::new();
        }
        let conditions = self.conditions.iter().filter(|(condition, _)| !condition.is_kept());
        let certified = self.certified.iter().map(|certified| of(&certified.variables().collect::<Vec<u32>>()));
        conditions.map(|(_, reads)| of(reads)).chain(certified).collect()
    }
}

/// What is excluded in a block.
#[derive(Debug)]
pub(super) struct Excluded {
    words: Option<ExcludedByWords>,
    certified: Vec<ExcludedByCertificate>,
}

impl Excluded {
    pub(super) fn new(rules: &Rules<'_>, axes: &[Axis], cells: &Cells, everyone: &[Vec<u32>]) -> Option<Self> {
        let records = axes.iter().position(|axis| axis.variable == rules.records)?;
        let words = ExcludedByWords::new(rules, axes, cells, everyone);
        let certified = rules.certified.iter();
        let certified: Vec<ExcludedByCertificate> =
            certified.filter_map(|of| ExcludedByCertificate::new(of, records, axes, cells, everyone)).collect();
        (words.is_some() || !certified.is_empty()).then_some(Self { words, certified })
    }

    /// Whether a record can have a combination of parts.
    pub(super) fn can_be(&self, block: &Block, combination: usize) -> bool {
        self.words.as_ref().is_none_or(|words| words.can_be(block, combination))
            && self.certified.iter().all(|certified| certified.can_be(block, combination))
    }
}

/// What the words of conditions exclude in a block.
#[derive(Debug)]
struct ExcludedByWords {
    /// The axes that conditions read, and the one of which records are counted.
    reads: Vec<usize>,
    records: usize,
    /// By the parts of the former: the parts of the latter that there can be.
    possible: HashMap<Vec<usize>, BTreeSet<usize>>,
}

/// What conditions say of a combination of values; none where that is open.
type Pattern = Vec<Option<bool>>;

impl ExcludedByWords {
    fn new(rules: &Rules<'_>, axes: &[Axis], cells: &Cells, everyone: &[Vec<u32>]) -> Option<Self> {
        let place = |variable: u32| axes.iter().position(|axis| axis.variable == variable);
        let records = place(rules.records)?;
        let variables: BTreeSet<u32> = rules.conditions.iter().flat_map(|(_, reads)| reads).copied().collect();
        let reads: Vec<usize> = variables.iter().filter_map(|variable| place(*variable)).collect();
        let values: Vec<Vec<(u32, usize)>> = reads.iter().map(|at| by_value(&axes[*at], cells, everyone)).collect();
        let count = values.iter().try_fold(1usize, |count, of| count.checked_mul(of.len()));
        let count = count.filter(|count| (1..=MOST_COMBINATIONS).contains(count) && !reads.is_empty())?;
        let truths: Vec<Truth> = (rules.conditions.iter())
            .map(|(condition, of)| Truth::new(condition, of, axes, &reads, cells, everyone))
            .collect();
        let kinds = by_value(&axes[records], cells, everyone);
        let mut known: BTreeMap<Pattern, BTreeSet<usize>> = BTreeMap::new();
        let mut possible: HashMap<Vec<usize>, BTreeSet<usize>> = HashMap::new();
        for combination in 0..count {
            let mut left = combination;
            let mut own: Vec<(u32, usize)> = Vec::new();
            for of in &values {
                own.push(of[left % of.len()]);
                left /= of.len();
            }
            let pattern: Pattern = truths.iter().map(|truth| truth.holds(&own)).collect();
            let parts = known.entry(pattern).or_insert_with_key(|pattern| {
                let meets = |kind: u32| {
                    let mut each = rules.conditions.iter().zip(pattern);
                    each.all(|((condition, _), said)| said.is_none_or(|met| condition.kinds.contains(&kind) == met))
                };
                kinds.iter().filter(|(kind, _)| meets(*kind)).map(|(_, part)| *part).collect()
            });
            possible.entry(own.iter().map(|(_, part)| *part).collect()).or_default().extend(&*parts);
        }
        Some(Self { reads, records, possible })
    }

    /// Whether a record can have a combination of parts.
    fn can_be(&self, block: &Block, combination: usize) -> bool {
        let parts: Vec<usize> = self.reads.iter().map(|axis| block.part(combination, *axis)).collect();
        self.possible.get(&parts).is_some_and(|kinds| kinds.contains(&block.part(combination, self.records)))
    }
}

/// The values of a variable, each with the part it is in.
pub(super) fn by_value(axis: &Axis, cells: &Cells, everyone: &[Vec<u32>]) -> Vec<(u32, usize)> {
    let numbers: HashMap<&Part, usize> = axis.parts.iter().zip(0..).collect();
    let nodes: BTreeSet<u32> = axis.nodes().collect();
    let part = |value: &u32| -> Part {
        nodes.iter().copied().filter(|node| cells.sets[*node as usize].binary_search(value).is_ok()).collect()
    };
    let values = values_of(&everyone[axis.variable as usize], &cells.sets);
    values.into_iter().filter_map(|value| Some((value, *numbers.get(&part(&value))?))).collect()
}

/// What a condition says in a block that has some of the variables it reads.
struct Truth {
    /// For each variable it reads that the block has, its place among those that any condition reads.
    places: Vec<usize>,
    holds: HashMap<Vec<u32>, bool>,
}

impl Truth {
    fn new(
        condition: &Condition,
        variables: &[u32],
        axes: &[Axis],
        reads: &[usize],
        cells: &Cells,
        everyone: &[Vec<u32>],
    ) -> Self {
        let place = |variable: &u32| reads.iter().position(|at| axes[*at].variable == *variable);
        let has: Vec<Option<usize>> = variables.iter().map(place).collect();
        // Of variables that the block does not have, all values must say the same.
        let missing = variables.iter().zip(&has).filter(|(_, place)| place.is_none());
        let others = missing.map(|(variable, _)| values_of(&everyone[*variable as usize], &cells.sets).len());
        let others: usize = others.fold(1, usize::saturating_mul);
        let mut counts: HashMap<Vec<u32>, [usize; 2]> = HashMap::new();
        for (values, met) in &condition.holds {
            let own = values.iter().zip(&has).filter(|(_, place)| place.is_some()).map(|(value, _)| *value);
            counts.entry(own.collect()).or_default()[usize::from(*met)] += 1;
        }
        let said = |(values, counts): (Vec<u32>, [usize; 2])| match counts {
            [no, _] if no == others => Some((values, false)),
            [_, yes] if yes == others => Some((values, true)),
            _ => None,
        };
        Self { places: has.into_iter().flatten().collect(), holds: counts.into_iter().filter_map(said).collect() }
    }

    fn holds(&self, own: &[(u32, usize)]) -> Option<bool> {
        let values: Vec<u32> = self.places.iter().map(|place| own[*place].0).collect();
        self.holds.get(&values).copied()
    }
}
