//! Tables against plain counting: linked files, several answers, pairs, hierarchies, conditions, sums.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "make/asked.rs"]
mod asked;
#[path = "make/faults.rs"]
mod faults;
#[path = "make/numbers.rs"]
mod numbers;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use arrow_array::{ArrayRef, BooleanArray, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema};
use outward_cells::{ColumnCollector, Columns, Condition};
use outward_spec::{HidingCost, MagnitudeRules, Spec, Table as Wanted, TableRules};
use outward_tables::{CountedTable, CountedTables, Family, Files, TOTAL, Table, families, make, requests};
use proptest::prelude::*;

const SPEC: &str = r#"
[data]
path = "collisions.csv"
[[linked]]
name = "vehicles"
data = { path = "vehicles.csv" }
on = ["id"]
[[linked]]
name = "casualties"
data = { path = "casualties.csv" }
on = ["id"]
[policy]
name = "gss-tables"
[[variables]]
name = "severity"
hierarchy = { tree = { "Fatal or serious" = ["Fatal", "Serious"], "Slight" = ["Slight"] } }
[[variables]]
name = "road"
more_hierarchies = [{ tree = { "Large" = ["A", "M"], "Small" = ["B"] } }, { tree = { "Old" = ["A", "B"], "New" = ["M"] } }]
[[variables]]
name = "type"
from = ["vehicles"]
[[variables]]
name = "factor"
columns = ["f1", "f2"]
from = ["vehicles", "casualties"]
hierarchy = { tree = { "Speed" = ["fast", "faster"], "Sight" = ["blind", "dark"] } }
[[variables]]
name = "factor_of_all"
columns = ["f1", "f2"]
from = ["vehicles", "casualties"]
shared = true
[[variables]]
name = "cost"
type = "number"
[[variables]]
name = "owner"
[[tables]]
name = "collisions"
variables = ["factor", "severity"]
[[tables]]
name = "roads"
variables = ["road", "severity"]
levels = { severity = [1] }
[[tables]]
name = "attended"
variables = ["factor", "road"]
where = "attended = 'yes'"
[[tables]]
name = "vehicles"
variables = ["factor", "type", "severity"]
unit = "vehicles"
[[tables]]
name = "casualties"
variables = ["factor_of_all"]
unit = "casualties"
[[tables]]
name = "pairs"
variables = ["factor"]
unit = "vehicles"
pairs = "factor"
[[tables]]
name = "top"
variables = ["factor", "severity"]
levels = { factor = [0] }
top = 1
[[tables]]
name = "costs"
variables = ["road"]
measure = "sum"
of = "cost"
contributor = "owner"
"#;

type Factors = [Option<&'static str>; 2];

#[derive(Debug, Clone)]
struct Collision {
    severity: &'static str,
    road: &'static str,
    attended: bool,
    cost: u32,
    owner: u8,
    vehicles: Vec<(&'static str, Factors)>,
    casualties: Vec<Factors>,
}

fn collision() -> impl Strategy<Value = Collision> {
    let factor = || prop::option::of(prop::sample::select(vec!["fast", "faster", "blind", "dark"]));
    let factors = move || [factor(), factor()];
    let vehicle = (prop::sample::select(vec!["car", "bus"]), factors());
    let severity = prop::sample::select(vec!["Fatal", "Serious", "Slight"]);
    let road = prop::sample::select(vec!["A", "B", "M"]);
    let facts = (severity, road, any::<bool>(), 0u32..50, 0u8..4);
    (facts, prop::collection::vec(vehicle, 0..3), prop::collection::vec(factors(), 0..3)).prop_map(
        |((severity, road, attended, cost, owner), vehicles, casualties)| Collision {
            severity,
            road,
            attended,
            cost,
            owner,
            vehicles,
            casualties,
        },
    )
}

/// Some collisions, of which the first was attended: a table of those that were needs one.
fn collisions() -> impl Strategy<Value = Vec<Collision>> {
    prop::collection::vec(collision(), 1..30).prop_map(|mut all| {
        all[0].attended = true;
        all
    })
}

fn plain(severity: &'static str, factor: Option<&'static str>) -> Collision {
    let vehicles = vec![("car", [factor, None])];
    Collision { severity, road: "A", attended: true, cost: 1, owner: 0, vehicles, casualties: Vec::new() }
}

fn text(name: &str, values: Vec<Option<String>>) -> (Field, ArrayRef) {
    (Field::new(name, DataType::Utf8, true), Arc::new(StringArray::from(values)))
}

fn batch(columns: Vec<(Field, ArrayRef)>) -> RecordBatch {
    let (fields, arrays): (Vec<Field>, Vec<ArrayRef>) = columns.into_iter().unzip();
    RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays).unwrap()
}

/// The three files; the last column of the first says who was attended, as the engine would for a condition.
fn files(all: &[Collision], id: impl Fn(usize) -> String) -> [RecordBatch; 3] {
    let of = |value: fn(&Collision) -> String| all.iter().map(|c| Some(value(c))).collect::<Vec<_>>();
    let attended: ArrayRef = Arc::new(BooleanArray::from(all.iter().map(|c| c.attended).collect::<Vec<_>>()));
    let data = batch(vec![
        text("id", (0..all.len()).map(|at| Some(id(at))).collect()),
        text("severity", of(|c| c.severity.to_owned())),
        text("road", of(|c| c.road.to_owned())),
        text("attended", of(|c| if c.attended { "yes" } else { "no" }.to_owned())),
        text("cost", of(|c| c.cost.to_string())),
        text("owner", of(|c| c.owner.to_string())),
        (Field::new("met", DataType::Boolean, false), attended),
    ]);
    let mut vehicles: [Vec<Option<String>>; 4] = Default::default();
    let mut casualties: [Vec<Option<String>>; 3] = Default::default();
    for (at, c) in all.iter().enumerate() {
        for (kind, factors) in &c.vehicles {
            vehicles[0].push(Some(id(at)));
            vehicles[1].push(Some((*kind).to_owned()));
            factors.iter().zip([2, 3]).for_each(|(factor, to)| vehicles[to].push(factor.map(str::to_owned)));
        }
        for factors in &c.casualties {
            casualties[0].push(Some(id(at)));
            factors.iter().zip([1, 2]).for_each(|(factor, to)| casualties[to].push(factor.map(str::to_owned)));
        }
    }
    let [ids, kinds, first, second] = vehicles;
    let vehicles = batch(vec![text("id", ids), text("type", kinds), text("f1", first), text("f2", second)]);
    let [ids, first, second] = casualties;
    [data, vehicles, batch(vec![text("id", ids), text("f1", first), text("f2", second)])]
}

/// The files linked, each read by two collectors, as two threads would.
fn linked(files: &[RecordBatch], spec: &Spec) -> outward_spec::Result<Files> {
    let wanted: Vec<&Wanted> = spec.tables.iter().collect();
    let header = |file: &RecordBatch| -> Vec<String> {
        file.schema().fields().iter().map(|field| field.name().clone()).filter(|name| name != "met").collect()
    };
    let headers: Vec<Vec<String>> = files.iter().map(header).collect();
    let (text, columns) = ("attended = 'yes'".to_owned(), vec!["attended".to_owned()]);
    let attended = Condition { parsed: text.clone(), text, columns };
    let mut read = Vec::new();
    for (request, file) in requests(spec, &wanted, &headers, &[attended]).unwrap().into_iter().zip(files) {
        let masks: Vec<usize> = request.conditions.iter().map(|_| 6).collect();
        let half = file.num_rows() / 2;
        let collect = |part: RecordBatch| {
            let mut collector = ColumnCollector::new(&file.schema(), &request.columns, &masks).unwrap();
            collector.observe(&part).unwrap();
            collector
        };
        let parts = [file.slice(0, half), file.slice(half, file.num_rows() - half)];
        let columns = Columns::merge(parts.into_iter().map(collect).collect()).unwrap();
        read.push((request, columns));
    }
    Files::link(spec, read)
}

fn made(all: &[Collision]) -> Vec<CountedTable> {
    counted(all).tables
}

fn counted(all: &[Collision]) -> CountedTables {
    let spec = Spec::parse(SPEC, "outward.toml").unwrap();
    let wanted: Vec<&Wanted> = spec.tables.iter().collect();
    let files = linked(&files(all, |at| format!("c{at}")), &spec).unwrap();
    let p_percent = MagnitudeRules { p: Some(10.0), ..MagnitudeRules::default() };
    let rules = TableRules { magnitude: Some(p_percent), ..TableRules::default() };
    make(&spec, &wanted, &files, &rules).unwrap()
}

fn named<'a>(made: &'a [CountedTable], name: &str) -> &'a Table {
    &made.iter().find(|made| made.table.name == name).unwrap().table
}

/// The count at these labels; 0 where there is no such label.
fn at(table: &Table, labels: &[&str]) -> u64 {
    let nodes: Option<Vec<usize>> = (table.dimensions.iter().zip(labels))
        .map(|(dimension, label)| dimension.nodes.iter().position(|node| node.label == *label))
        .collect();
    nodes.map_or(0, |nodes| table.counts[table.cell(&nodes)])
}

fn answers(list: &[Factors]) -> BTreeSet<&'static str> {
    list.iter().flatten().flatten().copied().collect()
}

fn of_all(c: &Collision) -> BTreeSet<&'static str> {
    let vehicles: Vec<Factors> = c.vehicles.iter().map(|(_, factors)| *factors).collect();
    &answers(&vehicles) | &answers(&c.casualties)
}

fn has(set: &BTreeSet<&'static str>, label: &str) -> bool {
    match label {
        "Speed" => set.contains("fast") || set.contains("faster"),
        "Sight" => set.contains("blind") || set.contains("dark"),
        TOTAL => !set.is_empty(),
        one => set.contains(one),
    }
}

fn severe(c: &Collision, label: &str) -> bool {
    match label {
        "Fatal or serious" => c.severity != "Slight",
        TOTAL => true,
        one => c.severity == one,
    }
}

/// The roads a label stands for.
fn roads(label: &str) -> &str {
    match label {
        "Large" => "AM",
        "Small" => "B",
        "Old" => "AB",
        "New" => "M",
        TOTAL => "ABM",
        one => one,
    }
}

const FACTORS: [&str; 7] = ["fast", "faster", "blind", "dark", "Speed", "Sight", TOTAL];
const SEVERITIES: [&str; 5] = ["Fatal", "Serious", "Slight", "Fatal or serious", TOTAL];

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_cell_is_what_counting_the_records_by_hand_gives(all in collisions()) {
        let made = made(&all);
        let count = |met: &dyn Fn(&Collision) -> bool| all.iter().filter(|c| met(c)).count() as u64;
        for factor in FACTORS {
            for severity in SEVERITIES {
                let expected = count(&|c| has(&of_all(c), factor) && severe(c, severity));
                prop_assert_eq!(at(named(&made, "collisions"), &[factor, severity]), expected, "{} {}", factor, severity);
                for kind in ["car", "bus", TOTAL] {
                    let own = |c: &Collision| {
                        let met = |(own, factors): &&(&'static str, Factors)| {
                            (kind == TOTAL || *own == kind) && has(&answers(&[*factors]), factor) && severe(c, severity)
                        };
                        c.vehicles.iter().filter(met).count() as u64
                    };
                    let expected: u64 = all.iter().map(own).sum();
                    prop_assert_eq!(at(named(&made, "vehicles"), &[factor, kind, severity]), expected);
                }
            }
            for road in ["A", "Large", "Old", TOTAL] {
                let expected = count(&|c| c.attended && has(&of_all(c), factor) && roads(road).contains(c.road));
                let there = named(&made, "attended").dimensions[1].nodes.iter().any(|node| node.label == road);
                prop_assert!(!there || at(named(&made, "attended"), &[factor, road]) == expected, "{} {}", factor, road);
            }
        }
        for factor in ["fast", "dark", TOTAL] {
            let expected: u64 = all.iter().filter(|c| has(&of_all(c), factor)).map(|c| c.casualties.len() as u64).sum();
            prop_assert_eq!(at(named(&made, "casualties"), &[factor]), expected);
        }
        let both = |factors: &Factors| answers(&[*factors]) == BTreeSet::from(["blind", "dark"]);
        let expected: usize = all.iter().map(|c| c.vehicles.iter().filter(|(_, factors)| both(factors)).count()).sum();
        prop_assert_eq!(at(named(&made, "pairs"), &["blind and dark"]), expected as u64);
    }

    #[test]
    fn a_sum_counts_each_contributor_once(all in collisions()) {
        let made = made(&all);
        let table = named(&made, "costs");
        let magnitudes = table.magnitudes.as_ref().unwrap();
        for (at, node) in table.dimensions[0].nodes.iter().enumerate() {
            let mut by_owner: BTreeMap<u8, i64> = BTreeMap::new();
            let met = all.iter().filter(|c| roads(&node.label).contains(c.road));
            met.for_each(|c| *by_owner.entry(c.owner).or_default() += i64::from(c.cost));
            let mut largest: Vec<i64> = by_owner.values().copied().collect();
            largest.sort_unstable_by(|a, b| b.cmp(a));
            prop_assert_eq!(magnitudes.sums[at], largest.iter().sum::<i64>());
            prop_assert_eq!(magnitudes.contributors[at], largest.len() as u64);
            largest.truncate(2);
            prop_assert_eq!(&magnitudes.largest[at], &largest);
        }
    }

    #[test]
    fn the_sums_of_a_family_hold_and_its_cells_are_those_of_the_tables(all in collisions()) {
        // An equation that does not hold is an error, so that making the system is the check of its sums.
        let counted = counted(&all);
        let made = &counted.tables;
        for tables in families(made) {
            let family = Family::new(&counted, tables.clone(), HidingCost::Value).unwrap();
            for (place, at) in tables.iter().enumerate() {
                for (cell, number) in family.cells[place].iter().enumerate() {
                    let table = &made[*at].table;
                    let value = table.magnitudes.as_ref().map_or(table.counts[cell] as i64, |of| of.sums[cell]);
                    prop_assert_eq!(family.system.cells[*number as usize].value, value);
                }
            }
        }
    }
}

#[test]
fn a_cell_that_two_tables_show_is_one_cell() {
    let all: Vec<Collision> =
        ["Fatal", "Slight", "Slight"].into_iter().map(|severity| plain(severity, Some("fast"))).collect();
    let counted = counted(&all);
    let made = &counted.tables;
    let place = |name: &str| made.iter().position(|made| made.table.name == name).unwrap();
    let family = Family::new(&counted, vec![place("collisions"), place("top")], HidingCost::Value).unwrap();
    let cell = |at: usize, name: &str, labels: [&str; 2]| {
        let table = named(made, name);
        let node = |d: usize| table.dimensions[d].nodes.iter().position(|node| node.label == labels[d]).unwrap();
        family.cells[at][table.cell(&[node(0), node(1)])]
    };
    assert_eq!(cell(0, "collisions", ["fast", "Slight"]), cell(1, "top", ["fast", "Slight"]));
    assert_eq!(cell(0, "collisions", ["fast", TOTAL]), cell(1, "top", ["fast", TOTAL]));
}

#[test]
fn the_most_frequent_answers_are_kept() {
    let all = [("fast", "Slight"), ("dark", "Slight"), ("dark", "Fatal"), ("blind", "Fatal")];
    let all: Vec<Collision> = all.into_iter().map(|(factor, severity)| plain(severity, Some(factor))).collect();
    let made = made(&all);
    let shown: Vec<&str> = named(&made, "top").dimensions[0].nodes.iter().map(|node| node.label.as_str()).collect();
    assert_eq!(shown, ["dark"]);
    assert_eq!(at(named(&made, "top"), &["dark", TOTAL]), 2);
}

#[test]
fn a_record_that_belongs_to_two_is_refused() {
    let spec = Spec::parse(SPEC, "outward.toml").unwrap();
    let error =
        linked(&files(&[plain("Slight", None), plain("Slight", None)], |_| "same".to_owned()), &spec).unwrap_err();
    assert!(error.to_string().contains("same link"), "{error}");
}
