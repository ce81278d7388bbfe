//! Which kinds of records can have which values, by the certificate (K3, K4). A condition may also read columns that no table shows, and a variable may
//! be tied to such a column: who lives in one of the districts that a condition names lives in its region. This is in the data, and the words of
//! conditions leave it open. An attacker who is taken to know more is kept from more.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use outward_tables::protect::ConditionKinds;

use super::atoms::{Axis, Block};
use super::excluded::by_value;
use crate::verify::tables::places::Cells;

/// What the certificate says of which kinds of records can have the values of some variables.
pub(super) struct CertifiedKinds<'a> {
    /// The variables, each with its values by classes. A variable that no table shows has no number.
    reads: Vec<(Option<u32>, &'a [Vec<u32>])>,
    /// By the class of each: the kinds of records there can be.
    kinds: &'a [(Vec<u32>, Vec<u32>)],
}

impl<'a> CertifiedKinds<'a> {
    /// Those about the records of a unit.
    pub(super) fn of_unit(cells: &Cells, unit: u32, all: &'a [ConditionKinds]) -> Vec<Self> {
        let of = |of: &'a ConditionKinds| {
            let read =
                |(source, classes): &'a (_, Vec<Vec<u32>>)| (cells.known(unit, Some(source)), classes.as_slice());
            Self { reads: of.reads.iter().map(read).collect(), kinds: &of.kinds }
        };
        let all = all.iter().filter(|of| of.unit == cells.units[unit as usize]).map(of);
        all.filter(|of| of.variables().next().is_some()).collect()
    }

    pub(super) fn variables(&self) -> impl Iterator<Item = u32> {
        self.reads.iter().filter_map(|(variable, _)| *variable)
    }
}

/// What that excludes in a block.
#[derive(Debug)]
pub(super) struct ExcludedByCertificate {
    /// The axes of its variables, and the one of which records are counted.
    reads: Vec<usize>,
    records: usize,
    /// For each of the former the parts of which nothing is said: no record has their values.
    open: Vec<BTreeSet<usize>>,
    /// By the parts of the former: the parts of the latter that there can be.
    possible: HashMap<Vec<usize>, BTreeSet<usize>>,
}

impl ExcludedByCertificate {
    /// None where the block has none of its variables.
    pub(super) fn new(
        certified: &CertifiedKinds<'_>,
        records: usize,
        axes: &[Axis],
        cells: &Cells,
        everyone: &[Vec<u32>],
    ) -> Option<Self> {
        // Of a variable that the block does not have the class may be any.
        let place = |(variable, _): &(Option<u32>, _)| axes.iter().position(|axis| Some(axis.variable) == *variable);
        let here: Vec<(usize, usize)> =
            certified.reads.iter().enumerate().filter_map(|(at, read)| Some((at, place(read)?))).collect();
        let mut open: Vec<BTreeSet<usize>> = Vec::new();
        let mut by_class: Vec<BTreeMap<u32, BTreeSet<usize>>> = Vec::new();
        for (at, axis) in &here {
            let mut own: BTreeMap<u32, BTreeSet<usize>> = BTreeMap::new();
            let (mut said, mut unsaid) = (BTreeSet::new(), BTreeSet::new());
            for (value, part) in by_value(&axes[*axis], cells, everyone) {
                let has = |class: &&Vec<u32>| class.contains(&value);
                let classes = (0..).zip(certified.reads[*at].1).filter(|(_, class)| has(class));
                let classes: Vec<u32> = classes.map(|(class, _)| class).collect();
                let all = if classes.is_empty() { &mut unsaid } else { &mut said };
                all.insert(part);
                classes.into_iter().for_each(|class| _ = own.entry(class).or_default().insert(part));
            }
            open.push(unsaid.difference(&said).copied().collect());
            by_class.push(own);
        }
        let mut of_kind: BTreeMap<u32, BTreeSet<usize>> = BTreeMap::new();
        for (kind, part) in by_value(&axes[records], cells, everyone) {
            of_kind.entry(kind).or_default().insert(part);
        }
        let mut possible: HashMap<Vec<usize>, BTreeSet<usize>> = HashMap::new();
        for (classes, kinds) in certified.kinds.iter().filter(|(classes, _)| classes.len() == certified.reads.len()) {
            let mut combinations: Vec<Vec<usize>> = vec![Vec::new()];
            for ((at, _), by_class) in here.iter().zip(&by_class) {
                let parts = by_class.get(&classes[*at]).into_iter().flatten();
                let with = |part: &usize| combinations.iter().map(|own| [&own[..], &[*part]].concat()).collect();
                combinations = parts.flat_map(|part| -> Vec<Vec<usize>> { with(part) }).collect();
            }
            let parts: BTreeSet<usize> = kinds.iter().filter_map(|kind| of_kind.get(kind)).flatten().copied().collect();
            for combination in combinations {
                possible.entry(combination).or_default().extend(&parts);
            }
        }
        let reads = here.into_iter().map(|(_, axis)| axis).collect::<Vec<usize>>();
        (!reads.is_empty()).then_some(Self { reads, records, open, possible })
    }

    /// Whether a record can have a combination of parts.
    pub(super) fn can_be(&self, block: &Block, combination: usize) -> bool {
        let parts: Vec<usize> = self.reads.iter().map(|axis| block.part(combination, *axis)).collect();
        let is_open = self.open.iter().zip(&parts).any(|(open, part)| open.contains(part));
        let kinds = || self.possible.get(&parts);
        is_open || kinds().is_none_or(|kinds| kinds.contains(&block.part(combination, self.records)))
    }
}
