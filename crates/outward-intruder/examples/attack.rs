//! Times an exact attack of a file of people on a release of records with six keys: `attack RECORDS PEOPLE`. A third
//! argument leaves out everything but the claims.
//!
//! People are drawn from the records. Both have the same made-up keys, so that the attack can be set beside a join of two tables in a database.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::time::Instant;

use outward_cells::{Coded, Dictionary};
use outward_intruder::attack::{AttackInput, Form, KnownVariable, NamedColumn, People, Released, Truth, attack};
use outward_random::Random;
use outward_spec::Scenario;

/// The keys and how many values each has.
const KEYS: [(&str, u32); 6] =
    [("age", 90), ("sex", 2), ("region", 300), ("occupation", 40), ("ethnic_group", 18), ("marital_status", 5)];

fn main() {
    let mut arguments = std::env::args().skip(1).take(2).map(|text| text.parse::<usize>().unwrap());
    let (records, persons) = (arguments.next().unwrap_or(1_000_000), arguments.next().unwrap_or(100_000));
    let columns: Vec<NamedColumn> = KEYS.iter().map(|(name, values)| made_up(name, *values, records)).collect();
    let rows: Vec<usize> = (0..persons).map(|person| person * (records / persons)).collect();
    let pick = |column: &NamedColumn| NamedColumn {
        name: column.name.clone(),
        values: Coded {
            codes: rows.iter().map(|row| column.values.codes[*row]).collect(),
            dictionary: column.values.dictionary.clone(),
        },
    };
    let people = People {
        columns: columns.iter().map(pick).collect(),
        truth: rows.iter().map(|row| Truth::Row(u32::try_from(*row).unwrap())).collect(),
    };
    let order = (0..u32::try_from(records).unwrap()).collect();
    let releases = [Released { name: "release".to_owned(), order, present: vec![true; records], columns }];
    let form = |name: &str| Form { name: name.to_owned(), ..Form::default() };
    let known: Vec<KnownVariable> =
        KEYS.iter().map(|(name, _)| KnownVariable { form: form(name), ..KnownVariable::default() }).collect();
    let scenario = Scenario { name: "everything".to_owned(), response_knowledge: true, ..Scenario::default() };
    let claims_only = std::env::args().nth(3).is_some();
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let begin = Instant::now();
    let outcome = attack(&AttackInput {
        scenario: &scenario,
        known: &known,
        forms: &[],
        releases: &releases,
        people: &people,
        own_file: true,
        source: &[],
        learn: &[],
        groups: &[],
        fraction: 1.0,
        seed: 1,
        without: &[],
        coarser: &BTreeMap::new(),
        rules: None,
        claims_only,
        threads,
    });
    let card = outcome.unwrap().card;
    let seconds = begin.elapsed().as_secs_f64();
    println!("{records} records, {persons} people, {threads} threads: {seconds:.2} s");
    println!(
        "{} claims, {} correct, {:.1} expected; helped: {:?}",
        card.claims, card.correct, card.expected, card.helped
    );
}

/// A column of values drawn alike.
fn made_up(name: &str, values: u32, rows: usize) -> NamedColumn {
    let mut random = Random::new(1, name);
    let dictionary = Dictionary::new((0..values).map(|value| value.to_string().into()).collect(), true);
    let codes = (0..rows).map(|_| random.below(u64::from(values)) as u32 + 1).collect();
    NamedColumn { name: name.to_owned(), values: Coded { codes, dictionary } }
}
