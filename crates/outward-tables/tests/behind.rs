//! Tables attacked through the records behind them: some records are taken out and others put in, so that all that is shown stays as it
//! is. Every unsafe cell must be able to go up and down that way, also for an attacker who is one of the records.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema};
use outward_cells::{ColumnCollector, Columns};
use outward_spec::{Policy, Spec, Table as Wanted, TableRules};
use outward_tables::judge::{Verdict, judge_family};
use outward_tables::protect::{Protected, protect};
use outward_tables::{Figure, Files, Made, make, requests};
use proptest::prelude::*;

/// What a record says in each column; nothing where it is empty.
type Record = Vec<&'static str>;

/// By what is shown of some records, the least and the most of each secret.
type Seen = BTreeMap<Vec<i32>, Vec<(i32, i32)>>;

/// So many more records are moved where few show nothing.
const MORE: usize = 3;

struct Release {
    made: Vec<Made>,
    verdicts: Vec<Verdict>,
    protected: Protected,
    /// For each variable of the spec the columns it is read from.
    columns: BTreeMap<String, Vec<usize>>,
}

fn rules() -> TableRules {
    let policy = Policy::named("gss-tables").unwrap();
    policy.tier(Some("medium")).unwrap().unwrap().thresholds.tables.clone().unwrap()
}

/// Tables of some records, protected by hiding cells.
fn release(tables: &str, header: &[&str], records: &[Record]) -> Release {
    let head = "[data]\npath = \"people.csv\"\n[policy]\nname = \"gss-tables\"\n[protection]\nmethod = \"suppress\"\n";
    let spec = Spec::parse(&format!("{head}{tables}"), "outward.toml").unwrap();
    let column = |at: usize| -> ArrayRef {
        Arc::new(StringArray::from_iter(records.iter().map(|record| Some(record[at]).filter(|said| !said.is_empty()))))
    };
    let schema =
        Arc::new(Schema::new(header.iter().map(|name| Field::new(*name, DataType::Utf8, true)).collect::<Vec<_>>()));
    let batch = RecordBatch::try_new(schema.clone(), (0..header.len()).map(column).collect()).unwrap();
    let wanted: Vec<&Wanted> = spec.tables.iter().collect();
    let headers = header.iter().map(|name| (*name).to_owned()).collect();
    let request = requests(&spec, &wanted, &[headers], &[]).unwrap().remove(0);
    let mut collector = ColumnCollector::new(&schema, &request.columns, &[]).unwrap();
    collector.observe(&batch).unwrap();
    let files = Files::link(&spec, vec![(request, Columns::merge(vec![collector]).unwrap())]).unwrap();
    let made = make(&spec, &wanted, &files, &rules()).unwrap();
    let tables: Vec<outward_tables::Table> = made.iter().map(|made| made.table.clone()).collect();
    let verdicts = judge_family(&tables, &rules()).unwrap();
    let protected = protect(&made, &verdicts, &spec.protection, &rules(), Path::new("")).unwrap();
    assert!(protected.holds());
    let place = |name: &String| header.iter().position(|own| own == name).unwrap();
    let read = spec.variables.iter().map(|variable| {
        let from = if variable.columns.is_empty() { vec![variable.name.clone()] } else { variable.columns.clone() };
        (variable.name.clone(), from.iter().map(place).collect())
    });
    let columns = read.collect();
    Release { made, verdicts, protected, columns }
}

impl Release {
    /// Whether a record is counted in a cell, by what the table says it counts.
    fn counts(&self, table: usize, cell: usize, record: &Record) -> bool {
        let table = &self.made[table].table;
        table.dimensions.iter().zip(table.nodes(cell)).all(|(dimension, node)| {
            let variable = dimension.variable.strip_suffix(" in pairs").unwrap_or(&dimension.variable);
            let said = self.columns[variable].iter().map(|at| record[*at]).filter(|said| !said.is_empty());
            let said: BTreeSet<&str> = said.collect();
            let node = &dimension.nodes[node];
            if let Some((one, other)) = node.label.split_once(" and ") {
                return said.contains(one) && said.contains(other);
            }
            let shown = |label: &&str| dimension.nodes.iter().any(|node| node.label == **label);
            if node.total { !dimension.several || said.iter().any(shown) } else { said.contains(node.label.as_str()) }
        })
    }

    /// Cells that can be changed by at most `most` records taken out and as many put in go up and down, or by a few more; those that do not
    /// are told.
    fn given_away(&self, records: &[Record], kinds: &[Record], most: usize) -> Vec<String> {
        let told =
            |more: usize| Some(self.told(records, kinds, most + more)).filter(|told| told.is_empty() || more == MORE);
        (0..=MORE).find_map(told).unwrap_or_default()
    }

    fn told(&self, records: &[Record], kinds: &[Record], most: usize) -> Vec<String> {
        let cells: Vec<(usize, usize)> = (0..self.made.len())
            .flat_map(|table| (0..self.made[table].table.len()).map(move |cell| (table, cell)))
            .collect();
        let is_hidden =
            |(table, cell): &(usize, usize)| self.protected.published[*table].figures[*cell] == Figure::Hidden;
        let of = |kind: &Record, hidden: bool| -> Vec<i32> {
            let wanted = cells.iter().filter(|at| is_hidden(at) == hidden);
            wanted.map(|(table, cell)| i32::from(self.counts(*table, *cell, kind))).collect()
        };
        let shown: Vec<Vec<i32>> = kinds.iter().map(|kind| of(kind, false)).collect();
        let secret: Vec<Vec<i32>> = kinds.iter().map(|kind| of(kind, true)).collect();
        let there: Vec<usize> = kinds.iter().map(|kind| records.iter().filter(|own| *own == kind).count()).collect();
        assert_eq!(there.iter().sum::<usize>(), records.len(), "some kind of record is not listed");
        // By what is shown of them: for each secret the least and the most among those that may be put in, and may be taken out. Nobody takes
        // themselves out: the attackers are the public and one record of each kind there is.
        let attackers: Vec<Option<usize>> =
            [None].into_iter().chain((0..kinds.len()).filter(|kind| there[*kind] > 0).map(Some)).collect();
        let (mut put_in, mut taken_out) = (Seen::new(), vec![Seen::new(); attackers.len()]);
        let mut some = vec![0usize; kinds.len()];
        each(&mut some, 0, most, &mut |some| {
            let add = |of: &[Vec<i32>]| -> Vec<i32> {
                let width = of[0].len();
                let sum = |at: usize| some.iter().zip(of).map(|(count, own)| *count as i32 * own[at]).sum();
                (0..width).map(sum).collect()
            };
            let (seen, kept) = (add(&shown), add(&secret));
            let keep = |side: &mut Seen| {
                let ends = side.entry(seen.clone()).or_insert_with(|| kept.iter().map(|own| (*own, *own)).collect());
                ends.iter_mut().zip(&kept).for_each(|(end, own)| *end = (end.0.min(*own), end.1.max(*own)));
            };
            keep(&mut put_in);
            if some.iter().zip(&there).all(|(count, there)| count <= there) {
                let all = |own: &Option<usize>| own.is_some_and(|kind| some[kind] == there[kind]);
                let others = attackers.iter().zip(&mut taken_out).filter(|(own, _)| !all(own));
                others.for_each(|(_, out)| keep(out));
            }
        });
        let hidden: Vec<&(usize, usize)> = cells.iter().filter(|at| is_hidden(at)).collect();
        let moves = |taken_out: &Seen, at: usize| {
            let ends = taken_out.iter().map(|(seen, out)| (put_in[seen][at], out[at]));
            ends.fold((false, false), |(up, down), (put, out)| (up || put.1 > out.0, down || put.0 < out.1))
        };
        let unsafe_cell = |(table, cell): (usize, usize)| self.verdicts[table].primary().contains(&cell);
        // Whoever is alone in a cell may know of it.
        let is_own = |own: Option<usize>, (table, cell): (usize, usize)| {
            own.is_some_and(|kind| self.counts(table, cell, &kinds[kind])) && self.made[table].table.counts[cell] == 1
        };
        let mut told = Vec::new();
        for (own, taken_out) in attackers.iter().zip(&taken_out) {
            for (at, (table, cell)) in hidden.iter().enumerate() {
                let asked = unsafe_cell((*table, *cell)) && !is_own(*own, (*table, *cell));
                if asked && moves(taken_out, at) != (true, true) {
                    let to = own.map_or("everyone".to_owned(), |kind| kinds[kind].join(" "));
                    let table = &self.made[*table].table;
                    told.push(format!("{}: {} to {to}", table.name, table.describe(*cell)));
                }
            }
        }
        told
    }
}

/// Every way to choose at most `left` more kinds, the same one more than once.
fn each(some: &mut Vec<usize>, from: usize, left: usize, take: &mut impl FnMut(&[usize])) {
    take(some);
    if left == 0 {
        return;
    }
    for kind in from..some.len() {
        some[kind] += 1;
        each(some, kind, left - 1, take);
        some[kind] -= 1;
    }
}

fn variables(names: &[&str]) -> String {
    names.iter().map(|name| format!("[[variables]]\nname = \"{name}\"\nrole = \"key\"\n")).collect()
}

fn tables(shown: &[&[&str]]) -> String {
    let table = |(at, names): (usize, &&[&str])| format!("[[tables]]\nname = \"t{at}\"\nvariables = {names:?}\n");
    shown.iter().enumerate().map(table).collect()
}

const RING: [&str; 3] = ["age", "sex", "job"];

fn ring() -> String {
    variables(&RING) + &tables(&[&["age", "sex"], &["sex", "job"], &["age", "job"]])
}

/// Two ages, two sexes and three jobs.
fn people(kind: usize) -> Record {
    vec![["young", "old"][kind / 6], ["f", "m"][kind / 3 % 2], ["baker", "smith", "tailor"][kind % 3]]
}

fn of_kinds(counts: &[usize], record: impl Fn(usize) -> Record) -> Vec<Record> {
    counts.iter().enumerate().flat_map(|(kind, count)| vec![record(kind); *count]).collect()
}

const ANSWERS: &str = r#"
[[variables]]
name = "factor"
columns = ["factor_1", "factor_2"]
role = "key"
[[variables]]
name = "hurt"
columns = ["hurt_1", "hurt_2"]
role = "key"
[[tables]]
name = "t0"
variables = ["factor", "hurt"]
"#;
const ANSWERED: [&str; 4] = ["factor_1", "factor_2", "hurt_1", "hurt_2"];

const PAIRS: &str = r#"
[[variables]]
name = "factor"
columns = ["factor_1", "factor_2"]
role = "key"
[[variables]]
name = "hurt"
role = "key"
[[tables]]
name = "t0"
variables = ["factor", "hurt"]
[[tables]]
name = "t1"
variables = ["factor", "hurt"]
pairs = "factor"
"#;
const IN_PAIRS: [&str; 3] = ["factor_1", "factor_2", "hurt"];

/// One or two of three factors, and who was hurt.
fn pairs(kind: usize) -> Record {
    let factors = [["ice", ""], ["fog", ""], ["rain", ""], ["ice", "fog"], ["fog", "rain"], ["ice", "rain"]];
    [&factors[kind / 2][..], &[["driver", "walker"][kind % 2]]].concat()
}

/// One, two or all of three factors in three columns, and who was hurt.
fn triples(kind: usize) -> Record {
    let two = |kind: usize| [&pairs(kind)[..2], &[""], &pairs(kind)[2..]].concat();
    if kind < 12 { two(kind) } else { vec!["ice", "fog", "rain", ["driver", "walker"][kind % 2]] }
}

/// One or two of three factors, and drivers or walkers hurt or both.
fn collisions(kind: usize) -> Record {
    let factors = [["ice", ""], ["fog", ""], ["rain", ""], ["ice", "fog"], ["fog", "rain"], ["ice", "rain"]];
    let hurt = [["driver", ""], ["walker", ""], ["driver", "walker"]];
    [factors[kind / 3], hurt[kind % 3]].concat()
}

#[test]
fn the_table_behind_three_that_share_their_variables_in_a_ring_gives_nothing_away() {
    // Whoever is old is a tailor, and no young woman is one: with sums alone, more would stay open than does.
    let counts = [0, 3, 0, 3, 3, 2, 0, 0, 2, 0, 0, 1];
    let records = of_kinds(&counts, people);
    let kinds: Vec<Record> = (0..12).map(people).collect();
    let release = release(&ring(), &RING, &records);
    assert_eq!(release.given_away(&records, &kinds, 4), Vec::<String>::new());
}

#[test]
fn whoever_is_counted_beside_another_does_not_learn_how_many_their_neighbours_are() {
    // Two in Ash and two in Beech, to be doubted by two: if only these were hidden, whoever is in Ash would know that Beech has three at most.
    let record = |kind: usize| vec![["Ash", "Beech", "Cedar", "Elm"][kind]];
    let records = of_kinds(&[2, 2, 9, 11], record);
    let spec = format!("margin = 2\n{}{}", variables(&["place"]), tables(&[&["place"]]));
    let release = release(&spec, &["place"], &records);
    let hidden = |place: usize| release.protected.published[0].figures[place] == Figure::Hidden;
    assert!(hidden(0) && hidden(1) && (hidden(2) || hidden(3)), "{:?}", release.protected.published[0].figures);
}

#[test]
fn whoever_is_counted_twice_under_two_variables_is_not_given_away() {
    // Ice with drivers hurt is 2; with three with walkers, four in all with ice, and rain hidden for both, it would follow.
    let mut counts = [0; 18];
    for (kind, count) in [(0, 1), (1, 2), (3, 6), (6, 1), (7, 1), (11, 1)] {
        counts[kind] = count;
    }
    let records = of_kinds(&counts, collisions);
    let kinds: Vec<Record> = (0..18).map(collisions).collect();
    let release = release(ANSWERS, &ANSWERED, &records);
    assert_eq!(release.given_away(&records, &kinds, 3), Vec::<String>::new());
}

#[test]
fn a_region_and_its_districts_in_two_columns_are_one_variable() {
    let districts = [("Ash", "North"), ("Beech", "North"), ("Cedar", "South"), ("Elm", "South"), ("Fir", "South")];
    let record = |kind: usize| vec![districts[kind].0, districts[kind].1];
    // Two people live in Ash. A table of regions beside one of districts would give them away if it stood for itself.
    let records = of_kinds(&[2, 30, 11, 40, 25], record);
    let kinds: Vec<Record> = (0..5).map(record).collect();
    let spec = variables(&["district", "region"]) + &tables(&[&["district"], &["region"]]);
    let release = release(&spec, &["district", "region"], &records);
    assert_eq!(release.given_away(&records, &kinds, 3), Vec::<String>::new());
}

#[test]
fn a_code_and_its_name_are_hidden_alike() {
    let places = [("1", "Ash"), ("2", "Beech"), ("3", "Cedar"), ("4", "Elm")];
    let record = |kind: usize| vec![places[kind].0, places[kind].1, "f"];
    let other = |kind: usize| vec![places[kind].0, places[kind].1, "m"];
    let records = [of_kinds(&[1, 9, 7, 8], record), of_kinds(&[6, 5, 9, 4], other)].concat();
    let kinds: Vec<Record> = (0..4).flat_map(|kind| [record(kind), other(kind)]).collect();
    let spec = variables(&["code", "name", "sex"])
        + &tables(&[&["code", "sex"], &["name", "sex"]])
        + "without_total = [\"sex\"]\n";
    let release = release(&spec, &["code", "name", "sex"], &records);
    assert_eq!(release.given_away(&records, &kinds, 3), Vec::<String>::new());
    let figures: Vec<&[Figure]> = release.protected.published.iter().map(|table| &table.figures[..]).collect();
    assert!(figures[0].chunks(3).zip(figures[1].chunks(2)).all(|(with_total, without)| with_total[..2] == *without));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 25, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_ring_of_tables_gives_an_unsafe_count_away(counts in prop::array::uniform12(prop_oneof![3 => 0usize..3, 2 => 3usize..9])) {
        prop_assume!(counts.iter().sum::<usize>() > 12);
        let records = of_kinds(&counts, people);
        let kinds: Vec<Record> = (0..12).map(people).collect();
        let release = release(&ring(), &RING, &records);
        prop_assert_eq!(release.given_away(&records, &kinds, 4), Vec::<String>::new());
    }

    #[test]
    fn no_pairs_beside_their_answers_give_an_unsafe_count_away(
        counts in prop::array::uniform12(prop_oneof![3 => 0usize..3, 2 => 3usize..9]),
    ) {
        prop_assume!(counts[6..].iter().sum::<usize>() > 0);
        let records = of_kinds(&counts, pairs);
        let kinds: Vec<Record> = (0..12).map(pairs).collect();
        let release = release(PAIRS, &IN_PAIRS, &records);
        prop_assert_eq!(release.given_away(&records, &kinds, 4), Vec::<String>::new());
    }

    #[test]
    fn no_pairs_of_three_columns_give_an_unsafe_count_away(
        counts in prop::collection::vec(prop_oneof![3 => 0usize..3, 2 => 3usize..9], 14),
    ) {
        prop_assume!(counts[6..].iter().sum::<usize>() > 0);
        let records = of_kinds(&counts, triples);
        let kinds: Vec<Record> = (0..14).map(triples).collect();
        let columns = ["factor_1", "factor_2", "factor_3", "hurt"];
        let release = release(&PAIRS.replace("\"factor_2\"]", "\"factor_2\", \"factor_3\"]"), &columns, &records);
        prop_assert_eq!(release.given_away(&records, &kinds, 5), Vec::<String>::new());
    }

    #[test]
    fn no_table_of_some_answers_beside_one_of_all_gives_an_unsafe_count_away(
        counts in prop::array::uniform12(prop_oneof![3 => 0usize..3, 2 => 3usize..9]),
    ) {
        let records = of_kinds(&counts, pairs);
        prop_assume!(records.iter().any(|record| record.contains(&"ice")) && records.iter().any(|record| record.contains(&"fog")));
        let kinds: Vec<Record> = (0..12).map(pairs).collect();
        let spec = PAIRS.replace("variables = [\"factor\", \"hurt\"]\npairs = \"factor\"", "variables = [\"factor\"]\nonly = { factor = [\"ice\", \"fog\"] }");
        let release = release(&spec, &IN_PAIRS, &records);
        prop_assert_eq!(release.given_away(&records, &kinds, 4), Vec::<String>::new());
    }

    #[test]
    fn no_table_of_two_variables_of_several_answers_gives_an_unsafe_count_away(
        counts in prop::collection::vec(prop_oneof![4 => 0usize..2, 1 => 2usize..8], 18),
    ) {
        prop_assume!(counts.iter().sum::<usize>() > 9);
        let records = of_kinds(&counts, collisions);
        let kinds: Vec<Record> = (0..18).map(collisions).collect();
        let release = release(ANSWERS, &ANSWERED, &records);
        prop_assert_eq!(release.given_away(&records, &kinds, 3), Vec::<String>::new());
    }
}
