//! Planted truths: the test makes the file and so knows what the intruder must find.
#![allow(clippy::unwrap_used)]

mod bad_input;
mod jigsaw;
mod manual;
mod people_looked_for;
mod planted;
mod protection;
mod verdict;

use std::collections::BTreeMap;

use outward_cells::Coded;
use outward_random::Random;
use outward_spec::{IntruderRules, Scenario, Spec};

use super::fixtures::{coded, column};
use super::*;

/// A file of people with a release of it and a scenario: what an attack depends on, to be changed by a test.
struct Case {
    spec: Spec,
    scenario: Scenario,
    releases: Vec<Released>,
    people: People,
    own_file: bool,
    source: Vec<NamedColumn>,
    fraction: f64,
    groups: Vec<String>,
    without: Vec<String>,
    coarser: BTreeMap<String, usize>,
    threads: usize,
    rules: Option<IntruderRules>,
}

impl Case {
    /// A release of some columns as they are, attacked on all keys of the spec by somebody who knows who is in it.
    fn new(spec: &str, source: Vec<NamedColumn>) -> Self {
        let rows = source[0].values.codes.len();
        let spec = Spec::parse(&format!("data = {{ path = \"people.csv\" }}\n{spec}"), "outward.toml").unwrap();
        let columns = source.iter().filter(|column| spec.variable(&column.name).is_some()).cloned().collect();
        Self {
            spec,
            scenario: Scenario { name: "test".to_owned(), response_knowledge: true, ..Scenario::default() },
            releases: vec![Released {
                name: "release".to_owned(),
                order: (0..rows as u32).collect(),
                present: vec![true; rows],
                columns,
            }],
            people: People::of_source(source.clone(), rows),
            own_file: false,
            source,
            fraction: 1.0,
            groups: Vec::new(),
            without: Vec::new(),
            coarser: BTreeMap::new(),
            threads: 1,
            rules: None,
        }
    }

    fn try_attack(&self) -> outward_error::Result<Outcome> {
        let known = KnownVariable::from_scenario(&self.spec, &self.scenario)?;
        let forms: Vec<Form> = self.spec.variables.iter().map(|v| Form::from_spec(&self.spec, v).unwrap()).collect();
        let learn: Vec<String> = self.spec.sensitive().iter().map(|variable| variable.name.clone()).collect();
        attack(&AttackInput {
            scenario: &self.scenario,
            known: &known,
            forms: &forms,
            releases: &self.releases,
            people: &self.people,
            own_file: self.own_file,
            source: &self.source,
            learn: &learn,
            groups: &self.groups,
            fraction: self.fraction,
            seed: self.scenario.seed.unwrap_or(1),
            without: &self.without,
            coarser: &self.coarser,
            rules: self.rules.as_ref(),
            claims_only: false,
            threads: self.threads,
        })
    }

    fn attack(&self) -> Outcome {
        self.try_attack().unwrap()
    }

    /// The column of the first release, to be changed.
    fn released(&mut self, name: &str) -> &mut Coded {
        &mut self.releases[0].columns.iter_mut().find(|column| column.name == name).unwrap().values
    }

    /// The first release with a column recoded to a level of its hierarchy.
    fn recode(&mut self, name: &str, level: usize) {
        let hierarchy = self.spec.hierarchy(self.spec.variable(name).unwrap()).unwrap().unwrap();
        let values = self.released(name);
        let label = |code: &u32| Some(hierarchy.recode(values.dictionary.value(*code)?, level)?.into_owned());
        *values = coded(values.codes.iter().map(label).collect::<Vec<_>>());
    }
}

/// Values drawn alike from 0 up to but not including `end`.
fn drawn(seed: u64, name: &str, rows: usize, end: u64) -> Vec<String> {
    let mut random = Random::new(seed, name);
    (0..rows).map(|_| random.below(end).to_string()).collect()
}

const PEOPLE: &str = r#"
missing = "wildcard"
variables = [
    { name = "age", role = "key", type = "integer", hierarchy = { widths = [5, 10, 20] } },
    { name = "sex", role = "key" },
    { name = "region", role = "geography", hierarchy = { prefix = [1] } },
    { name = "illness", role = "sensitive" },
]
"#;

/// People with three keys and an illness that depends on none of them.
fn people(seed: u64, rows: usize) -> Vec<NamedColumn> {
    vec![
        column("age", drawn(seed, "age", rows, 80)),
        column("sex", drawn(seed, "sex", rows, 2)),
        column("region", drawn(seed, "region", rows, 20).into_iter().map(|r| format!("{:0>2}", r))),
        column("illness", drawn(seed, "illness", rows, 4)),
    ]
}
