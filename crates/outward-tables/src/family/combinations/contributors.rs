//! How many contributors there are to combinations of sums.

use std::collections::BTreeSet;

use crate::family::axis::Axis;
use crate::family::places::Key;
use crate::family::unit::Unit;

/// The contributors to each of the different records of a unit.
pub(super) struct RecordContributors(Vec<Vec<u64>>);

impl RecordContributors {
    /// `None` if records do not give them, as where tables name different contributors.
    pub(super) fn new(unit: &Unit) -> Option<Self> {
        let mut contributors: Vec<Vec<u64>> = vec![Vec::new(); unit.amounts().len()];
        for given in unit.contributions().iter().filter(|given| given.amount != 0) {
            contributors[given.cell as usize].push(given.contributor);
        }
        let is_told = |(own, amount): (&Vec<u64>, &i64)| *amount == 0 || !own.is_empty();
        contributors.iter().zip(unit.amounts()).all(is_told).then_some(Self(contributors))
    }

    /// Those of the atoms of a slice, up to one more than `few` of each.
    pub(super) fn of_slice(&self, unit: &Unit, axes: &[Axis], slice: &Key, few: i64) -> Option<AtomContributors> {
        let few = usize::try_from(few).ok()?;
        let mut of_atom = vec![BTreeSet::new(); axes.iter().map(|axis| axis.count).product()];
        for (record, atom) in unit.stand(axes, std::slice::from_ref(slice))? {
            let own = &mut of_atom[atom];
            for contributor in &self.0[record] {
                if own.len() > few {
                    break;
                }
                own.insert(*contributor);
            }
        }
        Some(AtomContributors { of_atom, few })
    }
}

/// The contributors to each atom of a slice of sums, up to one more than `few`.
pub(super) struct AtomContributors {
    of_atom: Vec<BTreeSet<u64>>,
    few: usize,
}

impl AtomContributors {
    /// How many there are to some atoms together, or more than `few`.
    pub(super) fn count(&self, atoms: &[usize]) -> i64 {
        let mut all: BTreeSet<u64> = BTreeSet::new();
        for atom in atoms {
            all.extend(&self.of_atom[*atom]);
            if all.len() > self.few {
                break;
            }
        }
        all.len() as i64
    }
}
