//! Record suppression: what is left holds, and no more goes than must.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use outward_microdata::judge::{CellTable, judge};
use outward_microdata::models::{AskedModels, Distance, DiversityKind, Model, SensitiveVariable, WeakK};
use outward_microdata::suppress_records::suppress_records;
use proptest::prelude::*;

fn names(keys: usize) -> Vec<String> {
    (0..keys).map(|key| format!("key{key}")).collect()
}

fn illness(distance: Distance) -> Vec<SensitiveVariable> {
    let whole = (1..4).map(|code| (code, 1)).collect();
    vec![SensitiveVariable { name: "illness".into(), whole, complete: true, distance }]
}

fn all_hold(models: &[Box<dyn Model>], table: &CellTable) -> bool {
    judge(models, table).unwrap().iter().all(|verdict| verdict.holds)
}

#[derive(Debug, Clone)]
struct Drawn {
    cells: Vec<(Vec<u32>, u64, u32, bool)>,
    wild: Vec<bool>,
}

impl Drawn {
    fn table(&self) -> CellTable {
        let column = |key: usize| self.cells.iter().map(|(codes, ..)| codes[key]).collect();
        let counts: Vec<u64> = self.cells.iter().map(|(_, count, ..)| *count).collect();
        let marked = self.cells.iter().map(|(_, count, _, marked)| if *marked { *count } else { 0 }).collect();
        let values = self.cells.iter().enumerate().map(|(cell, (_, count, value, _))| (cell, *value, *count));
        CellTable::new((0..3).map(column).collect(), counts)
            .and_then(|table| table.with_wild(self.wild.clone()))
            .and_then(|table| table.with_subset(marked))
            .and_then(|table| table.with_sensitive(values))
            .unwrap()
    }
}

fn drawn(most: usize, values: std::ops::Range<u32>) -> impl Strategy<Value = Drawn> {
    let cell = (prop::collection::vec(0u32..3, 3), 1u64..4, values, any::<bool>());
    (prop::collection::vec(cell, 1..most), prop::collection::vec(any::<bool>(), 3))
        .prop_map(|(cells, wild)| Drawn { cells, wild })
}

proptest! {
    /// Of all 2ⁿ choices of cells to keep that hold, none keeps more records.
    #[test]
    fn no_choice_of_cells_that_holds_keeps_more(drawn in drawn(9, 1..4), k in 1u64..5, l in 1u64..3) {
        let asked = AskedModels {
            keys: names(3),
            subsets: vec!["marked".into()],
            sensitive: illness(Distance::Equal),
            k: Some(k),
            weak: vec![WeakK { keys: vec![0], subset: Some(0), k: k + 2 }],
            all_combinations: Some((2, k + 1)),
            diversity: Some(DiversityKind::Distinct { l }),
            ..AskedModels::default()
        };
        let (models, table) = (asked.models().unwrap(), drawn.table());
        let suppressed = suppress_records(&models, &table).unwrap();
        let left = table.without(&suppressed.removed).unwrap();
        prop_assert!(all_hold(&models, &left));
        prop_assert_eq!(left.records() + suppressed.records, table.records());
        prop_assert_eq!(suppressed.per_model.iter().sum::<u64>(), suppressed.records);
        let cells = table.len();
        for choice in 0u32..1 << cells {
            let removed: Vec<bool> = (0..cells).map(|cell| choice >> cell & 1 == 0).collect();
            let kept = table.without(&removed).unwrap();
            if kept.records() > left.records() {
                prop_assert!(!all_hold(&models, &kept));
            }
        }
    }

    #[test]
    fn what_is_left_holds_although_the_whole_changes(drawn in drawn(40, 0..4), strictness in 0.0f64..1.0) {
        let levels = vec![vec![0, 1, 1, 2]];
        for distance in [Distance::Equal, Distance::Ordered, Distance::Hierarchical(levels)] {
            let asked = AskedModels {
                keys: names(3),
                sensitive: illness(distance),
                k: Some(2),
                diversity: Some(DiversityKind::Entropy { l: 1.0 + strictness }),
                t: Some(1.0 - strictness),
                ..AskedModels::default()
            };
            let (models, table) = (asked.models().unwrap(), drawn.table());
            let suppressed = suppress_records(&models, &table).unwrap();
            prop_assert!(all_hold(&models, &table.without(&suppressed.removed).unwrap()));
        }
    }
}

/// Codes of two keys. (1, 1) and (1, 2) share the first key's value 1; (1, 2) and (2, 2) the second's 2. Each value must be
/// shared by 4: the second key's value 1 has only 3, without these the first key's 1 has only 2, and then the second's 2
/// has only 3.
#[test]
fn one_removal_brings_on_the_next() {
    let table = CellTable::new(vec![vec![1, 1, 2, 2], vec![1, 2, 2, 3]], vec![3, 2, 3, 4]).unwrap();
    let models =
        AskedModels { keys: names(2), all_combinations: Some((1, 4)), ..AskedModels::default() }.models().unwrap();
    let suppressed = suppress_records(&models, &table).unwrap();
    assert_eq!(suppressed.removed, [true, true, true, false]);
    assert_eq!((suppressed.cells, suppressed.records, suppressed.per_model), (3, 8, vec![8]));
}

#[test]
fn nothing_goes_where_everything_holds() {
    let table = CellTable::new(vec![vec![1, 2]], vec![5, 7]).unwrap();
    let models = AskedModels { keys: names(1), k: Some(5), ..AskedModels::default() }.models().unwrap();
    let suppressed = suppress_records(&models, &table).unwrap();
    assert_eq!((suppressed.cells, suppressed.records), (0, 0));
}

#[test]
fn cells_of_their_own_keep_records_outside_a_subset() {
    // Three women in the north, two of them marked; the marked must be five.
    let asked = AskedModels {
        keys: names(1),
        subsets: vec!["marked".into()],
        weak: vec![WeakK { keys: Vec::new(), subset: Some(0), k: 5 }],
        ..AskedModels::default()
    };
    let apart = CellTable::new(vec![vec![1, 1]], vec![2, 1]).unwrap().with_subset(vec![2, 0]).unwrap();
    assert_eq!(suppress_records(&asked.models().unwrap(), &apart).unwrap().removed, [true, false]);
}

#[test]
fn a_record_lacking_a_wild_key_is_lost_with_those_it_stood_for() {
    // 1 and 2 are each alone but for a record that may be either. Without 2, which has no third, both others are two.
    let table = CellTable::new(vec![vec![1, 2, 0], vec![1, 1, 1], vec![1, 1, 1]], vec![2, 1, 1]).unwrap();
    let wild = table.clone().with_wild(vec![true, false, false]).unwrap();
    let models = AskedModels { keys: names(3), k: Some(3), ..AskedModels::default() }.models().unwrap();
    assert_eq!(suppress_records(&models, &wild).unwrap().removed, [false, true, false]);
    assert_eq!(suppress_records(&models, &table).unwrap().removed, [true, true, true]);
}

#[test]
fn population_classes_without_records_cannot_be_mended_and_are_judged() {
    let asked =
        AskedModels { keys: names(1), has_population: true, presence: Some((0.1, 0.9)), ..AskedModels::default() };
    let models = asked.models().unwrap();
    let table = CellTable::new(vec![vec![1, 2, 3]], vec![4, 5, 0]).unwrap().with_population(vec![8, 5, 6]).unwrap();
    let suppressed = suppress_records(&models, &table).unwrap();
    assert_eq!(suppressed.removed, [false, true, false]);
    let verdict = judge(&models, &table.without(&suppressed.removed).unwrap()).unwrap().remove(0);
    // The suppressed class has people in the population, so that it now lacks its records as the third does.
    assert_eq!((verdict.holds, verdict.failing, verdict.records), (false, 2, 0));
}
