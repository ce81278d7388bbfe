//! The attack by linkage: records that are likely to be the person's although some values disagree (Fellegi and Sunter 1969).
//!
//! The engine is that of `linkage`. It compares classes of the relations between the intruder's file and the release,
//! so that a band agrees with any value inside it. A value is inside, near (for numbers and dates: in the next class),
//! or neither. Rare classes have more weight. u comes from random pairs, m from EM. A pair is made if all variables
//! agree or all but one; with four variables or more, all but two.
//!
//! A record in the release has one person. Let records have weights w₁, w₂, … for one person, with the same prior for
//! each record. Then the confidence in the first is 2^w₁ / (1 + Σ 2^wᵢ). The 1 represents a record that no rule found.

use hashbrown::HashMap;
use outward_cells::{Coded, Dictionary, MISSING};
use outward_error::{Error, Result};
use outward_random::Random;

use super::answer::{Answer, draws_of, own_row};
use super::join::Shared;
use super::known::{KnownVariable, Scale};
use super::people::Truth;
use super::relation::{ANY, Relation};
use crate::linkage::{
    BlockingRule, Comparison, Level, LinkType, Linker, Model, Records, Run, Scored, Settings, Training, probability_of,
    weight_of,
};

/// Pairs below this probability are ignored. Each record is as likely the person's as any other.
const LEAST_PROBABILITY: f64 = 1e-6;

/// With at least this many variables two may disagree.
const TWO_MAY_DISAGREE: usize = 4;

/// The records that may be a person's, with their odds.
pub(super) struct Linked<'a> {
    /// For each person looked for, records by falling odds.
    candidates: HashMap<u32, Vec<(u32, f64)>>,
    truth: &'a [Truth],
    random: Random,
    /// A run of EM whose estimates did not come to rest, if there is one.
    pub(super) unsettled: Option<Run>,
}

impl<'a> Linked<'a> {
    /// Links the people looked for with the records of a release.
    pub(super) fn new(
        variables: &[(&KnownVariable, Shared<'_>)],
        people: &[bool],
        present: &[bool],
        truth: &'a [Truth],
        (seed, threads): (u64, usize),
    ) -> Result<Self> {
        let pick =
            |flags: &[bool]| -> Vec<u32> { (0..flags.len() as u32).filter(|row| flags[*row as usize]).collect() };
        let (persons, rows) = (pick(people), pick(present));
        let columns: Vec<[Coded; 2]> =
            variables.iter().map(|(_, shared)| class_columns(shared, &persons, &rows)).collect();
        let file = |side: usize| Records::new((0..columns.len()).map(|v| (name_of(v), columns[v][side].clone())));
        // Training takes λ from the pairs. The intruder looks for one record of each person, any record alike.
        let link = || -> Result<(Scored, f64, Option<Run>)> {
            let settings = Settings { threads, ..Settings::default() };
            let model = model(variables, rows.len());
            let mut linker = Linker::new(model, &file(0), Some(&file(1)), settings)?;
            let runs = training_rules(variables.len());
            let runs = match runs.is_empty() {
                true => Vec::new(),
                false => linker.train(&Training { runs, seed, ..Training::default() })?.runs,
            };
            let unsettled = runs.into_iter().find(|run| !run.converged);
            let shift = weight_of(1.0 / (rows.len() as f64 + 1.0)) - weight_of(linker.model().prior);
            let least = probability_of(weight_of(LEAST_PROBABILITY) - shift);
            Ok((linker.score(least, None)?, shift, unsettled))
        };
        let (scored, shift, unsettled) = link().map_err(|error| in_words_of_the_attack(error, variables))?;
        let mut candidates: HashMap<u32, Vec<(u32, f64)>> = HashMap::new();
        for pair in &scored.pairs {
            let odds = (pair.weight + shift).exp2();
            candidates.entry(persons[pair.left as usize]).or_default().push((rows[pair.right as usize], odds));
        }
        for records in candidates.values_mut() {
            records.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        }
        Ok(Self { candidates, truth, random: Random::new(seed, "intruder claim"), unsettled })
    }

    /// The intruder's answers for some people. `held_out` holds out their own records.
    pub(super) fn answers(&self, people: &[u32], held_out: bool) -> Vec<Answer> {
        people.iter().map(|person| self.answer(*person, held_out)).collect()
    }

    fn answer(&self, person: u32, held_out: bool) -> Answer {
        let own = own_row(self.truth[person as usize]).filter(|_| held_out);
        let records = self.candidates.get(&person).map_or(&[][..], Vec::as_slice);
        let records: Vec<(u32, f64)> = records.iter().filter(|(row, _)| Some(*row) != own).copied().collect();
        let Some((_, best)) = records.first() else { return Answer::NoRecord };
        let alike = records.iter().take_while(|(_, odds)| odds == best).count();
        let drawn = draws_of(&self.random, person).below(alike as u64) as usize;
        let all: f64 = records.iter().map(|(_, odds)| odds).sum();
        Answer::Claim { rows: vec![records[drawn].0], confidence: best / (1.0 + all), candidates: alike as u64 }
    }
}

/// An error of the linkage, with the names of the variables and advice for the scenario.
fn in_words_of_the_attack(error: Error, variables: &[(&KnownVariable, Shared<'_>)]) -> Error {
    error.with_fault(|mut fault| {
        for (at, (known, _)) in variables.iter().enumerate() {
            let [ours, theirs] = [&name_of(at), &known.form.name].map(|name| format!("\"{name}\""));
            fault.what = fault.what.replace(&ours, &theirs);
        }
        fault
            .help("look for fewer people (`targets`), by more variables, or write `attack = \"exact\"` in the scenario")
    })
}

/// The SQL name of a column, made from its number, as names of the release need not be SQL names.
fn name_of(variable: usize) -> String {
    format!("v{variable}")
}

/// A variable as classes on both sides: whole numbers in the order of the intruder's values. A value that agrees with
/// everything is missing.
fn class_columns(shared: &Shared<'_>, persons: &[u32], rows: &[u32]) -> [Coded; 2] {
    let ranks = ranks_of_classes(shared.relation);
    let values: Vec<Box<str>> = ranks.values().map(|rank| rank.to_string().into()).collect();
    let dictionary = Dictionary::new(values, true);
    let side = |codes: &[u32], classes: &[u32], picked: &[u32]| {
        let of_class = |class: &u32| match *class {
            ANY => MISSING,
            class => ranks.get(&class).and_then(|rank| dictionary.code(&rank.to_string())).unwrap_or(MISSING),
        };
        let of_code: Vec<u32> = classes.iter().map(of_class).collect();
        let codes = picked.iter().map(|row| of_code[codes[*row as usize] as usize]).collect();
        Coded { codes, dictionary: dictionary.clone() }
    };
    [side(shared.people, &shared.relation.left, persons), side(shared.records, &shared.relation.right, rows)]
}

/// Numbers the classes of the intruder's values one after the other. Other classes get numbers far beyond, so that they
/// are near to none.
fn ranks_of_classes(relation: &Relation) -> HashMap<u32, u64> {
    const FAR: u64 = 1 << 40;
    let mut ranks: HashMap<u32, u64> = HashMap::new();
    for class in relation.left.iter().filter(|class| **class != ANY) {
        let next = ranks.len() as u64 + 1;
        ranks.entry(*class).or_insert(next);
    }
    for (place, class) in (0u64..).zip(&relation.right).filter(|(_, class)| **class != ANY) {
        ranks.entry(*class).or_insert(FAR + 10 * place);
    }
    ranks
}

fn model(variables: &[(&KnownVariable, Shared<'_>)], records: usize) -> Model {
    let comparison = |(at, (known, _)): (usize, &(&KnownVariable, Shared<'_>))| {
        let name = name_of(at);
        let near = format!("ABS(CAST(\"{name}_l\" AS DOUBLE) - CAST(\"{name}_r\" AS DOUBLE)) <= 1");
        let mut levels = vec![Level::null(&name), Level::exact(&name).by_frequency(&name).with(0.9, 0.1)];
        if known.form.scale != Scale::Text {
            levels.push(Level::new(near, "near").with(0.05, 0.1));
        }
        let rest = if known.form.scale == Scale::Text { (0.1, 0.9) } else { (0.05, 0.8) };
        levels.push(Level::otherwise().with(rest.0, rest.1));
        Comparison::new(name, levels)
    };
    Model {
        link_type: LinkType::LinkOnly,
        prior: 1.0 / (records as f64 + 1.0),
        blocking_rules: blocking_rules(variables.len()),
        comparisons: variables.iter().enumerate().map(comparison).collect(),
        convergence: 1e-4,
        max_iterations: 100,
        other: serde_json::Map::new(),
    }
}

/// The blocking rules: all variables agree, except one or two.
fn blocking_rules(many: usize) -> Vec<BlockingRule> {
    let all: Vec<usize> = (0..many).collect();
    let without: Vec<Vec<usize>> = match many {
        0 | 1 => vec![Vec::new()],
        many if many < TWO_MAY_DISAGREE => all.iter().map(|v| vec![*v]).collect(),
        _ => all.iter().flat_map(|v| (v + 1..many).map(move |w| vec![*v, w])).collect(),
    };
    without.iter().map(|without| rule_on(all.iter().filter(|v| !without.contains(v)))).collect()
}

/// The rules of the EM runs: one half of the variables agrees while the other is estimated. A single variable cannot be
/// estimated.
fn training_rules(many: usize) -> Vec<BlockingRule> {
    let halves = [0..many / 2, many / 2..many].map(|half| half.collect::<Vec<usize>>());
    if many < 2 { Vec::new() } else { halves.iter().map(|half| rule_on(half.iter())).collect() }
}

fn rule_on<'a>(variables: impl Iterator<Item = &'a usize>) -> BlockingRule {
    let names: Vec<String> = variables.map(|variable| name_of(*variable)).collect();
    BlockingRule::on_columns(&names.iter().map(String::as_str).collect::<Vec<_>>())
}
