//! Tables attacked through the records behind them: some records are taken out and others put in, so that all that is shown stays as it
//! is. Every unsafe cell must be able to go up and down that way, also for an attacker who is one of the records.

use std::collections::BTreeMap;

use outward_fixtures::csv::csv_text;
use outward_fixtures::oracle::{Kind, Oracle};
use outward_fixtures::spec::{keys, suppressed, tables};
use outward_fixtures::tables as fixtures;
use outward_spec::Spec;
use outward_tables::Figure;
use proptest::prelude::*;

/// What a record says in each column; nothing where it is empty.
type Record = Vec<&'static str>;

/// So many more records are moved where few show nothing.
const MORE: usize = 3;

struct Release {
    tables: fixtures::Release,
    /// For each variable of the spec the columns it is read from.
    columns: BTreeMap<String, Vec<usize>>,
}

/// Tables of some records, protected by hiding cells.
fn release(tables: &str, header: &[&str], records: &[Record]) -> Release {
    let text = format!("{}{tables}", suppressed("people.csv"));
    let spec = Spec::parse(&text, "outward.toml").unwrap();
    let tables =
        fixtures::Release::from_spec(&text, &[&csv_text(header, records)]).expect("these tables can be protected");
    let place = |name: &String| header.iter().position(|own| own == name).unwrap();
    let read = spec.variables.iter().map(|variable| {
        let from = if variable.columns.is_empty() { vec![variable.name.clone()] } else { variable.columns.clone() };
        (variable.name.clone(), from.iter().map(place).collect())
    });
    Release { tables, columns: read.collect() }
}

impl Release {
    /// What a record answers, by variable.
    fn kind(&self, record: &Record) -> Kind {
        let said = |at: &usize| Some(record[*at].to_owned()).filter(|said| !said.is_empty());
        let of =
            |(variable, columns): (&String, &Vec<usize>)| (variable.clone(), columns.iter().filter_map(said).collect());
        self.columns.iter().map(of).collect()
    }

    /// Unsafe cells that do not go both up and down where at most `most` records are taken out and as many put in, nor where a few more are; with
    /// whom they are told to.
    fn given_away(&self, records: &[Record], kinds: &[Record], most: usize) -> Vec<String> {
        let told =
            |more: usize| Some(self.told(records, kinds, most + more)).filter(|told| told.is_empty() || more == MORE);
        (0..=MORE).find_map(told).unwrap_or_default()
    }

    fn told(&self, records: &[Record], kinds: &[Record], most: usize) -> Vec<String> {
        let of = |records: &[Record]| -> Vec<Kind> { records.iter().map(|record| self.kind(record)).collect() };
        let (oracle, of_kinds) = (Oracle::new(&self.tables.protected.published), of(kinds));
        let is_unsafe = self.tables.unsafe_cells();
        let mut told = Vec::new();
        for (own, fixed) in oracle.fixed(&of(records), &of_kinds, most) {
            // Whoever is alone in a cell may know of it.
            let is_own = |(table, cell): (usize, usize)| {
                own.is_some_and(|kind| oracle.counts((table, cell), &of_kinds[kind]))
                    && self.tables.made[table].table.counts[cell] == 1
            };
            for (table, cell) in fixed.into_iter().filter(|place| is_unsafe.contains(place) && !is_own(*place)) {
                let to = own.map_or("everyone".to_owned(), |kind| kinds[kind].join(" "));
                let table = &self.tables.made[table].table;
                told.push(format!("{}: {} to {to}", table.name, table.describe(cell)));
            }
        }
        told
    }
}

const RING: [&str; 3] = ["age", "sex", "job"];

fn ring() -> String {
    keys(&RING) + &tables(&[&["age", "sex"], &["sex", "job"], &["age", "job"]])
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
    let spec = format!("margin = 2\n{}{}", keys(&["place"]), tables(&[&["place"]]));
    let release = release(&spec, &["place"], &records);
    let hidden = |place: usize| release.tables.protected.published[0].figures[place] == Figure::Hidden;
    assert!(hidden(0) && hidden(1) && (hidden(2) || hidden(3)), "{:?}", release.tables.protected.published[0].figures);
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
    let spec = keys(&["district", "region"]) + &tables(&[&["district"], &["region"]]);
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
    let spec =
        keys(&["code", "name", "sex"]) + &tables(&[&["code", "sex"], &["name", "sex"]]) + "without_total = [\"sex\"]\n";
    let release = release(&spec, &["code", "name", "sex"], &records);
    assert_eq!(release.given_away(&records, &kinds, 3), Vec::<String>::new());
    let figures: Vec<&[Figure]> = release.tables.protected.published.iter().map(|table| &table.figures[..]).collect();
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
