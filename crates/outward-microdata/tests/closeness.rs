//! Hierarchical t-closeness as a spec asks for it: by hand, and against the least work of moving one distribution to the other.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, StringArray};
use outward_cells::{CellCounter, CellRequest, Cells};
use outward_microdata::evidence::{CountedPart, Evidence};
use outward_microdata::judge::{ModelJudgement, judge};
use outward_spec::Spec;
use proptest::prelude::*;

const ILLNESSES: [&str; 6] = ["ulcer", "gastritis", "cancer", "flu", "pneumonia", "gout"];

/// A hierarchy of height 3: values, organs, systems, everything.
const SPEC: &str = r#"
data = { path = "people.csv" }
[policy]
k = 1
t = 0.63
t_distance = "hierarchical"
[[variables]]
name = "place"
role = "key"
[[variables]]
name = "illness"
role = "sensitive"
[variables.hierarchy.tree]
digestive = { stomach = ["ulcer", "gastritis"], bowel = ["cancer"] }
respiratory = { lung = ["flu", "pneumonia"] }
other = { joint = ["gout"] }
"#;

fn cells(batch: &RecordBatch, keys: &[&str]) -> Cells {
    let request = CellRequest::new(keys.iter().copied());
    let mut counter = CellCounter::new(&batch.schema(), &request).unwrap();
    counter.observe(batch, &(1..=batch.num_rows() as u64).collect::<Vec<_>>()).unwrap();
    counter.finish().unwrap()
}

/// The verdict on records, each with a place and an illness.
fn closeness(records: &[(&str, &str)]) -> ModelJudgement {
    let spec = Spec::parse(SPEC, "outward.toml").unwrap();
    let column = |values: Vec<&str>| -> ArrayRef { Arc::new(StringArray::from(values)) };
    let batch = RecordBatch::try_from_iter([
        ("place", column(records.iter().map(|(place, _)| *place).collect())),
        ("illness", column(records.iter().map(|(_, illness)| *illness).collect())),
    ])
    .unwrap();
    let (counted, with_illness) = (cells(&batch, &["place"]), cells(&batch, &["place", "illness"]));
    let part = CountedPart { pattern: 0, cells: &counted, sensitive: vec![&with_illness] };
    let evidence = Evidence::of_parts(&spec, &[part], Vec::new(), None).unwrap();
    let models = evidence.models(&spec, &spec.rules().unwrap(), None).unwrap();
    let mut verdicts = judge(&models, &evidence.table().unwrap()).unwrap();
    assert_eq!(verdicts.len(), 1);
    verdicts.remove(0)
}

/// Four people, H = 3. Of the class of one ulcer, 3/4 must move: 1/4 to gastritis, which it meets at level 1, and 1/2 to the lung,
/// which it meets at level 3: 1/3 · 1/4 + 3/3 · 1/2 = 7/12. With the values taken for a level of their own, 2/4 · 1/4 +
/// 4/4 · 1/2 = 5/8 would come out.
#[test]
fn a_node_at_level_l_of_a_hierarchy_of_height_h_weighs_l_over_h() {
    let verdict = closeness(&[("a", "ulcer"), ("b", "gastritis"), ("b", "flu"), ("b", "pneumonia")]);
    assert!((verdict.worst.unwrap() - 7.0 / 12.0).abs() < 1e-12, "{verdict:?}");
    assert!(verdict.holds, "7/12 is at most 0.63: {verdict:?}");
    let far = closeness(&[("a", "ulcer"), ("b", "flu"), ("b", "flu"), ("b", "pneumonia")]);
    assert!((far.worst.unwrap() - 0.75).abs() < 1e-12 && !far.holds, "{far:?}");
}

/// How high two illnesses meet: 0 for one illness, 3 where only the top joins them.
fn level(a: usize, b: usize) -> i64 {
    let (organ, system) = ([0, 0, 1, 2, 2, 3], [0, 0, 0, 1, 1, 2]);
    match (a == b, organ[a] == organ[b], system[a] == system[b]) {
        (true, ..) => 0,
        (_, true, _) => 1,
        (_, _, true) => 2,
        _ => 3,
    }
}

/// The least work of moving supplies to demands, path by path: each time along the cheapest way that is left.
fn least_work(mut supply: [i64; 6], mut demand: [i64; 6]) -> i64 {
    let mut moved = [[0i64; 6]; 6];
    let mut work = 0;
    while supply.iter().any(|left| *left > 0) {
        // Cheapest ways from any supply: forward at a cost, back along what was moved at minus that cost.
        let mut to: [i64; 6] = [i64::MAX / 4; 6];
        let mut from: [i64; 6] = supply.map(|left| if left > 0 { 0 } else { i64::MAX / 4 });
        let (mut before_to, mut before_from) = ([usize::MAX; 6], [usize::MAX; 6]);
        for _ in 0..12 {
            for a in 0..6 {
                for b in 0..6 {
                    if from[a] + level(a, b) < to[b] {
                        (to[b], before_to[b]) = (from[a] + level(a, b), a);
                    }
                    if moved[a][b] > 0 && to[b] - level(a, b) < from[a] {
                        (from[a], before_from[a]) = (to[b] - level(a, b), b);
                    }
                }
            }
        }
        let mut at = (0..6).filter(|b| demand[*b] > 0).min_by_key(|b| to[*b]).unwrap();
        demand[at] -= 1;
        work += to[at];
        loop {
            let a = before_to[at];
            moved[a][at] += 1;
            if before_from[a] == usize::MAX {
                supply[a] -= 1;
                break;
            }
            at = before_from[a];
            moved[a][at] -= 1;
        }
    }
    work
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]
    #[test]
    fn hierarchical_distance_is_the_least_work_of_moving_a_class_to_the_whole(
        records in prop::collection::vec((0usize..3, 0usize..6), 2..12),
    ) {
        let named: Vec<(&str, &str)> = records.iter().map(|(place, illness)| (["a", "b", "c"][*place], ILLNESSES[*illness])).collect();
        let counts = |place: Option<usize>| {
            let mut counts = [0i64; 6];
            records.iter().filter(|(at, _)| place.is_none_or(|place| place == *at)).for_each(|(_, illness)| counts[*illness] += 1);
            counts
        };
        let (whole, all) = (counts(None), records.len() as i64);
        let mut worst = 0.0f64;
        for class in (0..3).map(|place| counts(Some(place))).filter(|class| class.iter().sum::<i64>() > 0) {
            let n: i64 = class.iter().sum();
            let work = least_work(class.map(|count| count * all), whole.map(|count| count * n));
            worst = worst.max(work as f64 / (3 * n * all) as f64);
        }
        let verdict = closeness(&named);
        prop_assert!((verdict.worst.unwrap() - worst).abs() < 1e-12, "{verdict:?} {worst}");
    }
}
