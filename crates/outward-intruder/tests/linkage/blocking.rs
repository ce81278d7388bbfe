//! Blocked pairs beside all pairs.

use std::collections::BTreeSet;

use outward_intruder::linkage::{Clusters, Comparison, Level, LinkType, Linker, Model, Records, Settings};
use proptest::prelude::*;

use crate::fixtures::{exact, model, records};

/// Every level with the same m and u, so that all pairs that are made are kept.
fn indifferent(mut comparisons: Vec<Comparison>) -> Vec<Comparison> {
    for level in comparisons.iter_mut().flat_map(|comparison| &mut comparison.levels) {
        (level.m, level.u) = (Some(0.5), Some(0.5));
    }
    comparisons
}

fn pairs(model: Model, left: &Records, right: Option<&Records>, threads: usize) -> (BTreeSet<(u32, u32)>, Vec<u64>) {
    let linker = Linker::new(model, left, right, Settings { threads, ..Settings::default() }).unwrap();
    let scored = linker.score(0.0001, None).unwrap();
    let all: BTreeSet<_> = scored.pairs.iter().map(|pair| (pair.left, pair.right)).collect();
    assert_eq!(all.len(), scored.pairs.len(), "a pair was made twice");
    (all, scored.rules.iter().map(|rule| rule.added).collect())
}

const RULES: [&str; 5] = [
    "l.a = r.a",
    "l.b = r.b AND substr(l.c, 1, 1) = substr(r.c, 1, 1)",
    "l.a = r.b",
    "l.c = r.c AND levenshtein(l.a, r.a) <= 1",
    "lower(l.c) = lower(r.c) AND (l.a <> r.a OR l.b = r.b)",
];

/// The rules again, written here by hand. Values are two letters at most; an empty one is missing.
fn meets(rule: usize, l: &[String; 3], r: &[String; 3]) -> bool {
    let same = |x: &str, y: &str| !x.is_empty() && x == y;
    let start = |text: &str| text.chars().take(1).collect::<String>();
    match rule {
        0 => same(&l[0], &r[0]),
        1 => same(&l[1], &r[1]) && same(&start(&l[2]), &start(&r[2])),
        2 => same(&l[0], &r[1]),
        3 => same(&l[2], &r[2]) && !l[0].is_empty() && !r[0].is_empty() && strsim::levenshtein(&l[0], &r[0]) <= 1,
        _ => {
            let known = !l[0].is_empty() && !r[0].is_empty();
            same(&l[2].to_lowercase(), &r[2].to_lowercase()) && ((known && l[0] != r[0]) || same(&l[1], &r[1]))
        }
    }
}

fn file(rows: &[[String; 3]]) -> Records {
    let column = |at: usize| rows.iter().map(|row| row[at].clone()).collect();
    records(&[("a", column(0)), ("b", column(1)), ("c", column(2))])
}

fn rows() -> impl Strategy<Value = Vec<[String; 3]>> {
    // The first row has all values, so that no column is missing altogether.
    let row = proptest::array::uniform3("[xyX]{0,2}");
    proptest::collection::vec(row, 1..14).prop_map(|mut rows| {
        rows.insert(0, ["x".to_owned(), "x".to_owned(), "x".to_owned()]);
        rows.insert(1, ["x".to_owned(), "x".to_owned(), "x".to_owned()]);
        rows
    })
}

proptest! {
    #[test]
    fn the_union_of_rules_is_what_comparing_all_pairs_finds(
        left in rows(), right in rows(), chosen in proptest::sample::subsequence(vec![0usize, 1, 2, 3, 4], 1..=4), kind in 0usize..3
    ) {
        let link_type = [LinkType::DedupeOnly, LinkType::LinkOnly, LinkType::LinkAndDedupe][kind];
        let comparisons = indifferent(vec![exact("a"), exact("b"), exact("c")]);
        let rules: Vec<&str> = chosen.iter().map(|rule| RULES[*rule]).collect();
        let model = model(link_type, comparisons, &rules);
        let all: Vec<&[String; 3]> = left.iter().chain(right.iter().filter(|_| kind > 0)).collect();
        let mut expected = BTreeSet::new();
        let mut added = vec![0; chosen.len()];
        for (i, l) in all.iter().enumerate() {
            for (j, r) in all.iter().enumerate().skip(i + 1) {
                let across = i < left.len() && j >= left.len();
                let first = chosen.iter().position(|rule| meets(*rule, l, r)).filter(|_| kind != 1 || across);
                if let Some(first) = first {
                    added[first] += 1;
                    expected.insert((i as u32, (if kind == 1 { j - left.len() } else { j }) as u32));
                }
            }
        }
        let second = file(&right);
        let (found, counted) = pairs(model, &file(&left), (kind > 0).then_some(&second), 2);
        prop_assert_eq!(found, expected);
        prop_assert_eq!(counted, added);
    }
}

#[test]
fn without_rules_all_pairs_are_compared() {
    let file = records(&[("a", vec!["x", "y", "z"]), ("b", vec!["1", "1", "2"])]);
    let model = model(LinkType::DedupeOnly, indifferent(vec![exact("a"), exact("b")]), &[]);
    assert_eq!(pairs(model, &file, None, 1).0, BTreeSet::from([(0, 1), (0, 2), (1, 2)]));
}

#[test]
fn clusters_are_what_pairs_connect() {
    // 0–1 and 1–2 agree on one column each, 3–4 on one; 5 is alone.
    let file = records(&[("a", vec!["x", "x", "q", "r", "r", "s"]), ("b", vec!["1", "2", "2", "3", "4", "5"])]);
    let model = model(LinkType::DedupeOnly, indifferent(vec![exact("a"), exact("b")]), &["l.a = r.a", "l.b = r.b"]);
    let linker = Linker::new(model, &file, None, Settings::default()).unwrap();
    let scored = linker.score(0.0001, None).unwrap();
    let clusters = Clusters::new(&scored, &scored.pairs);
    assert_eq!(clusters.of_record, [0, 0, 0, 3, 3, 5]);
    assert_eq!((clusters.count, clusters.records), (2, 5));
}

#[test]
fn agreeing_on_a_rare_value_is_worth_more_by_the_share_of_the_value() {
    // Eight records: "Smith" six times, "Xu" twice. u is said to be 0.5.
    let names = vec!["Smith", "Smith", "Smith", "Smith", "Smith", "Smith", "Xu", "Xu"];
    let file = records(&[("name", names)]);
    let levels = |weight: f64, minimum: Option<f64>| {
        let mut exact = Level::exact("name").by_frequency("name").with(0.9, 0.5);
        (exact.frequency_weight, exact.frequency_minimum) = (Some(weight), minimum);
        vec![Comparison::new("name", vec![Level::null("name"), exact, Level::otherwise().with(0.1, 0.5)])]
    };
    let weight = |weight: f64, minimum: Option<f64>, left: usize| {
        let model = model(LinkType::DedupeOnly, levels(weight, minimum), &[]);
        let linker = Linker::new(model, &file, None, Settings::default()).unwrap();
        linker.waterfall(left, left + 1).unwrap().weight
    };
    let plain = (1e-3f64 / (1.0 - 1e-3)).log2() + (0.9f64 / 0.5).log2();
    let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-9, "{a} for {b}");
    near(weight(1.0, None, 0), plain + (0.5f64 / 0.75).log2());
    near(weight(1.0, None, 6), plain + (0.5f64 / 0.25).log2());
    near(weight(0.5, None, 6), plain + 0.5 * (0.5f64 / 0.25).log2());
    near(weight(1.0, Some(0.4), 6), plain + (0.5f64 / 0.4).log2());
    near(weight(0.0, None, 6), plain);
}
