//! Joint classes against an attacker who lists every set of releases.
#![allow(clippy::unwrap_used)]

use std::cell::Cell;
use std::collections::BTreeSet;

use outward_cells::{Coded, Dictionary};
use outward_engine::ReleasedColumns;
use outward_register::records::joint::{Joint, ShownKeys};
use outward_testing::random_cases::check;
use proptest::prelude::*;

/// For each release its groups of each variable's values, what it leaves blank, and which records it leaves out.
#[derive(Debug, Clone)]
struct World {
    /// Two variables with four values each.
    values: Vec<[usize; 2]>,
    /// Per release: a group for each value of each variable; 0 is left out.
    groups: Vec<[[u32; 4]; 2]>,
    /// Whether a value that is left out of a variable matches every value.
    wild: [bool; 2],
    /// Per release: the value of the first variable whose records with an even number are left out; none where 4 or more.
    left_out: Vec<usize>,
    k: u64,
}

fn worlds() -> impl Strategy<Value = World> {
    let release = prop::array::uniform2(prop::array::uniform4(0_u32..4));
    (1..5_usize).prop_flat_map(move |releases| {
        let values = prop::collection::vec(prop::array::uniform2(0..4_usize), 1..40);
        let groups = prop::collection::vec(release.clone(), releases);
        let left_out = prop::collection::vec(0..12_usize, releases);
        (values, groups, prop::array::uniform2(any::<bool>()), left_out, 2..6_u64)
            .prop_map(|(values, groups, wild, left_out, k)| World { values, groups, wild, left_out, k })
    })
}

impl World {
    fn is_present(&self, release: usize, record: usize) -> bool {
        self.values[record][0] != self.left_out[release] || record % 2 == 1
    }

    /// What a release shows of a variable of a record; nothing where it matches every value.
    fn shown(&self, release: usize, record: usize, variable: usize) -> Option<u32> {
        let group = self.groups[release][variable][self.values[record][variable]];
        (group != 0 || !self.wild[variable]).then_some(group)
    }

    /// Whether one record supports another in a release, by the words of `docs/methods/classes.md`.
    fn supports(&self, release: usize, other: usize, record: usize) -> bool {
        if [record, other].map(|record| self.is_present(release, record)) != [true, true] {
            return self.is_present(release, record) == self.is_present(release, other);
        }
        let pairs: Vec<(Option<u32>, Option<u32>)> = (0..2)
            .map(|variable| (self.shown(release, record, variable), self.shown(release, other, variable)))
            .collect();
        let are_compatible = pairs.iter().all(|(own, theirs)| own.is_none() || theirs.is_none() || own == theirs);
        // More than half of two keys are both.
        let are_whole = pairs.iter().all(|(own, theirs)| own.is_some() && theirs.is_some());
        let has_all = pairs.iter().all(|(own, theirs)| own.is_none() || theirs.is_some());
        are_compatible && (are_whole || has_all)
    }

    fn released(&self, release: usize) -> ReleasedColumns {
        let present: Vec<bool> = (0..self.values.len()).map(|record| self.is_present(release, record)).collect();
        let column = |variable: usize| {
            let code = |(record, values): (usize, &[usize; 2])| {
                if present[record] { self.groups[release][variable][values[variable]] } else { 0 }
            };
            let dictionary = Dictionary::new(["a", "b", "c"].map(Box::from).to_vec(), false);
            Coded { codes: self.values.iter().enumerate().map(code).collect(), dictionary }
        };
        ReleasedColumns {
            columns: vec![column(0), column(1)],
            order: (0..present.len() as u32).filter(|row| present[*row as usize]).collect(),
            present,
        }
    }

    /// How many records look like this one in some releases; no end where none of these has it.
    fn size(&self, releases: &[usize], record: usize) -> u64 {
        if releases.iter().all(|release| !self.is_present(*release, record)) {
            return u64::MAX;
        }
        let alike = |other: &usize| releases.iter().all(|release| self.supports(*release, *other, record));
        (0..self.values.len()).filter(alike).count() as u64
    }

    /// The sets of earlier releases that expose a record beside the last release, and of which none can be left out.
    fn exposing(&self, record: usize, least: u64) -> BTreeSet<Vec<usize>> {
        let new = self.groups.len() - 1;
        let bits = |set: usize| (0..=new).filter(|release| set >> release & 1 == 1).collect::<Vec<_>>();
        let sets = (1..1_usize << (new + 1)).map(bits);
        let small = |set: &[usize]| self.size(set, record) < least;
        let is_minimal = |set: &Vec<usize>| {
            let inner = (1..1_usize << set.len()).map(|mask| {
                set.iter()
                    .enumerate()
                    .filter(|(at, _)| mask >> at & 1 == 1)
                    .map(|(_, release)| *release)
                    .collect::<Vec<_>>()
            });
            small(set) && inner.filter(|inner| inner.len() < set.len()).all(|inner| !small(&inner))
        };
        let found = sets.filter(|set| set.len() > 1 && set.contains(&new)).filter(is_minimal);
        found.map(|set| set[..set.len() - 1].to_vec()).collect()
    }
}

fn reported(world: &World) -> [BTreeSet<(usize, Vec<usize>)>; 2] {
    let released: Vec<ReleasedColumns> = (0..world.groups.len()).map(|release| world.released(release)).collect();
    let keys = ["one".to_owned(), "other".to_owned()];
    let shown: Vec<ShownKeys<'_>> = released
        .iter()
        .map(|released| ShownKeys { keys: &keys, own: 2, borrowed: 2, released, wild: &world.wild })
        .collect();
    let (new, earlier) = shown.split_last().unwrap();
    let joint = Joint::new(*new, earlier, 1).unwrap();
    let mut found = [BTreeSet::new(), BTreeSet::new()];
    for exposure in joint.exposures(world.k).found {
        found[0].extend(exposure.below_k.iter().map(|record| (*record, exposure.with.clone())));
        found[1].extend(exposure.alone.iter().map(|record| (*record, exposure.with.clone())));
    }
    found
}

#[test]
fn exactly_the_records_are_reported_that_listing_every_set_of_releases_finds() {
    let (exposed, together) = (Cell::new(0), Cell::new(0));
    check(1_000, &worlds(), |world| {
        let found = reported(&world);
        for (least, found) in [(world.k, &found[0]), (2, &found[1])] {
            let records = 0..world.values.len();
            let all = records.flat_map(|record| {
                let sets = world.exposing(record, least).into_iter();
                sets.map(move |set| (record, set))
            });
            let expected: BTreeSet<(usize, Vec<usize>)> = all.collect();
            prop_assert_eq!(found, &expected);
            exposed.set(exposed.get() + expected.len());
            together.set(together.get() + expected.iter().filter(|(_, set)| set.len() > 1).count());
        }
        Ok(())
    });
    // Enough of each kind was met.
    assert!(exposed.get() > 1_000 && together.get() > 50, "{exposed:?} {together:?}");
}

#[test]
fn a_set_of_bands_that_cross_is_named_with_what_both_give() {
    let bands = |labels: [&str; 2], codes: Vec<u32>| Coded {
        codes,
        dictionary: Dictionary::new(labels.map(Box::from).to_vec(), false),
    };
    // Ages 12, 17, 22 and 27: in tens, and in bands that begin at 15 and 25.
    let tens = bands(["10-19", "20-29"], vec![1, 1, 2, 2]);
    let fives = Coded {
        codes: vec![3, 1, 1, 2],
        dictionary: Dictionary::new(["15-24", "25 or over", "under 15"].map(Box::from).to_vec(), false),
    };
    let found = outward_register::records::crossing::crossings(&tens, &fives, |_| true, &[0, 1]);
    assert_eq!(found.len(), 1, "12 and 27 are in groups that hold one another: {found:?}");
    assert_eq!((found[0].earlier.as_str(), found[0].new.as_str(), found[0].records), ("10-19", "15-24", 1));
    assert_eq!(found[0].gives.as_deref(), Some("15-19"));
}
