//! An attack from beginning to end: the intruder's file, the people they look for, their claims, and the card.

use std::collections::BTreeMap;

use outward_cells::Coded;
use outward_error::{Error, Result};
use outward_random::Random;
use outward_report::format::{count, counted};
use outward_spec::{AttackKind, IntruderRules, Scenario};

use super::answer::{Answer, Claim, own_row};
use super::attributes::{self, Learned};
use super::card::{Contribution, Control, ScoreCard, Summary};
use super::cast::Cast;
use super::coarsen::{changed, find};
use super::exact::Exact;
use super::helped::{ALL_SETS, View, agreements, contributions};
use super::jigsaw::{Jigsaw, Pieces};
use super::join::{Joined, Lists, Shared, agree_by_key};
use super::known::{Form, KnownVariable, Scale};
use super::linked::Linked;
use super::membership::Membership;
use super::nearest::{Nearest, Numbers, is_numeric};
use super::people::{NamedColumn, People, Released, Truth, need_column};
use super::refine;
use super::relation::Relation;
use super::score::{Scored, card_of, is_in_data, is_present, score};
use super::values::{agrees_at_all, known_values, missing_in_file, no_agreement, used_variables};
use super::verdict::judge;
use super::wilson::Interval;

/// Most people used to measure which variables helped: the first of those looked for, who were drawn at random.
const MAX_PEOPLE_MEASURED: usize = 2_000;

/// The same if several releases are joined, which takes longer.
const MAX_PEOPLE_MEASURED_JOINED: usize = 200;

/// Everything an attack depends on.
#[derive(Debug, Clone)]
pub struct AttackInput<'a> {
    /// The scenario: its name and kind of attack, and whether the intruder has response knowledge. It also has the
    /// share of people in their file, how many they look for, and from which confidence they claim. Its variables are
    /// in `known` and `learn`.
    pub scenario: &'a Scenario,
    /// What the intruder knows: [`KnownVariable::from_scenario`].
    pub known: &'a [KnownVariable],
    /// How other columns are read: those the intruder wants to learn, and those that releases share. A column without a
    /// form here is text.
    pub forms: &'a [Form],
    /// The release, or several of the same persons that are attacked together.
    pub releases: &'a [Released],
    /// The people of the intruder's file: the population or the data as they are, or their own file.
    pub people: &'a People,
    /// Whether `people` is the intruder's own file, which is used unchanged. Otherwise mistakes are added to it.
    pub own_file: bool,
    /// True values by row of the source: of variables to learn, and of those by which groups are requested.
    pub source: &'a [NamedColumn],
    /// The variables the intruder wants to learn.
    pub learn: &'a [String],
    /// The columns of `source` by whose categories the card is broken down. Their labels are on the card: name published categories only.
    pub groups: &'a [String],
    /// The share of the population that is in the release. Without response knowledge the chance that a person is in it
    /// follows from this.
    pub fraction: f64,
    /// The seed of mistakes and random choices.
    pub seed: u64,
    /// Columns left out of the release, to repeat the test.
    pub without: &'a [String],
    /// Columns of the release at a level of their hierarchy, to repeat the test.
    pub coarser: &'a BTreeMap<String, usize>,
    /// The limits of the policy.
    pub rules: Option<&'a IntruderRules>,
    /// Whether only claims are made: without the control, the other assumption on response knowledge, what is learned, and what helped.
    pub claims_only: bool,
    /// Threads to use. They change only the time.
    pub threads: usize,
}

/// The result of an attack.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// The score card.
    pub card: ScoreCard,
    /// The claims about the people looked for. They have numbers of rows and must not be published.
    pub claims: Vec<Claim>,
}

/// Carries out an attack.
///
/// # Errors If the intruder knows no variable of a release or nothing about any person, if no value they know occurs in
/// the release, or if a name is unknown.
pub fn attack(input: &AttackInput<'_>) -> Result<Outcome> {
    check(input)?;
    let releases = changed(input.releases, input.known, input.without, input.coarser)?;
    let used = used_variables(input, &releases)?;
    let play = Play::new(input, &releases, &used)?;
    play.outcome()
}

fn check(input: &AttackInput<'_>) -> Result<()> {
    if input.releases.is_empty() {
        return Err(Error::bug("an attack on no release"));
    }
    for name in input.without {
        find(input.known, name)?;
    }
    if input.people.is_empty() {
        let what = if input.own_file { "the intruder's file has nobody in it" } else { "there is nobody to look for" };
        return Err(Error::input(what).help("name a file with people in it").into());
    }
    if !(input.fraction > 0.0 && input.fraction <= 1.0) {
        let help = "write `sampling_fraction` above 0 and at most 1";
        return Err(Error::input("the share of the population in the release is out of range").help(help).into());
    }
    match input.known.len() > 64 {
        true => Err(Error::input("the intruder knows more than 64 variables").help("name fewer in `keys`").into()),
        false => Ok(()),
    }
}

/// An attack while it is carried out.
struct Play<'a> {
    input: &'a AttackInput<'a>,
    releases: &'a [Released],
    used: &'a [&'a KnownVariable],
    /// The values that the intruder knows of each used variable.
    file: Vec<Coded>,
    /// For each release, the used variables it has, by number, and how their values agree.
    relations: Vec<Vec<(usize, Relation)>>,
    cast: Cast,
    kind: AttackKind,
}

impl<'a> Play<'a> {
    fn new(input: &'a AttackInput<'a>, releases: &'a [Released], used: &'a [&'a KnownVariable]) -> Result<Self> {
        let kind = input.scenario.attack.unwrap_or_default();
        if releases.len() > 1 && kind != AttackKind::Exact {
            let help = "write `attack = \"exact\"` in the scenario, or attack one release at a time";
            return Err(Error::input("releases are attacked together by exact matching only").help(help).into());
        }
        let cast = Cast::new(input, releases);
        if !cast.targets.iter().any(|person| is_in_data(input.people.truth[*person as usize])) {
            let (what, help) = match (input.own_file, input.scenario.response_knowledge) {
                (true, true) => (
                    "nobody of the intruder's file is in the release",
                    "an intruder with response knowledge looks for people who are; check the column that says who is who",
                ),
                (true, false) => (
                    "nobody of the intruder's file is in the data",
                    "a test needs people who are; check the column that says who is who",
                ),
                (false, _) => (
                    "nobody can be looked for",
                    "the release has none of the people, or the intruder knows of none: raise `share` of the scenario",
                ),
            };
            return Err(Error::input(what).help(help).into());
        }
        let file = used.iter().map(|known| known_values(input, known)).collect::<Result<Vec<_>>>()?;
        let relations = releases.iter().map(|release| {
            let has = used.iter().zip(&file).enumerate();
            let has = has.filter_map(|(at, (known, file))| Some((at, known, file, release.column(&known.form.name)?)));
            has.map(|(at, known, file, released)| {
                let relation = Relation::new(&file.dictionary, &released.dictionary, &known.form);
                let by_distance = kind == AttackKind::Nearest && is_numeric(file) && is_numeric(released);
                (by_distance || agrees_at_all(&relation, file, released))
                    .then_some((at, relation))
                    .ok_or_else(|| no_agreement(&known.form.name))
            })
            .collect::<Result<Vec<_>>>()
        });
        let relations = relations.collect::<Result<_>>()?;
        Ok(Self { input, releases, used, file, relations, cast, kind })
    }

    /// The wanted variables of a release, ready to be joined.
    fn shared(&self, release: usize, wanted: impl Fn(usize) -> bool) -> Vec<Shared<'_>> {
        let relations = self.relations[release].iter().filter(|(at, _)| wanted(*at));
        let shared = relations.filter_map(|(at, relation)| {
            let records = &self.releases[release].column(&self.used[*at].form.name)?.codes;
            Some(Shared { people: &self.file[*at].codes, records, relation })
        });
        shared.collect()
    }

    fn join(&self, release: usize, people: &[bool], wanted: impl Fn(usize) -> bool) -> (Joined, Lists) {
        let wants = |person: usize| people[person];
        let present = &self.releases[release].present;
        let joined = Joined::new(&self.shared(release, wanted), people.len(), &wants, present, self.input.threads);
        let rows = joined.records.rows();
        (joined, rows)
    }

    fn outcome(&self) -> Result<Outcome> {
        let people = self.cast.everyone(self.input.people.len());
        let joined: Vec<(Joined, Lists)> = (0..self.releases.len()).map(|r| self.join(r, &people, |_| true)).collect();
        let together = if self.releases.len() > 1 { self.releases } else { &[] };
        let pieces = Pieces::new(together, |name| self.form(name));
        let nearest = self.nearest(&people)?;
        let linked = self.linked(&people)?;
        let random = Random::new(self.input.seed, "intruder claim");
        let truth = self.input.people.truth.as_slice();
        let jigsaw = Jigsaw::new(&pieces, &joined, truth, random.clone());
        let answers = |people: &[u32], held_out: bool| -> Vec<Answer> {
            match (&nearest, &linked, joined.as_slice()) {
                (Some((joined, rows, numbers)), ..) => {
                    Nearest { joined, rows, truth, random: random.clone(), numbers }.answers(people, held_out)
                }
                (_, Some(linked), _) => linked.answers(people, held_out),
                (_, _, [(joined, rows)]) => {
                    Exact { joined, rows, truth, random: random.clone() }.answers(people, held_out)
                }
                _ => jigsaw.answers(people, held_out),
            }
        };
        let (certain, uncertain) = (Membership::certain(), self.membership());
        let membership = |response_knowledge: bool| if response_knowledge { &certain } else { &uncertain };
        let least = self.input.scenario.confidence.unwrap_or(0.0);
        let scored = |people: &[u32], held_out: bool, response_knowledge: bool| -> Scored {
            score(people, answers(people, held_out), truth, self.releases, (membership(response_knowledge), least))
        };
        let knows = self.input.scenario.response_knowledge;
        let mut main = scored(&self.cast.targets, false, knows);
        let chances = main.claims.iter().map(|claim| self.chance_among_candidates(claim.person, &joined, &jigsaw));
        main.expected = sum(chances);
        let mut card = card_of(&self.input.scenario.name, &main, self.releases, self.input.rules);
        self.describe(&mut card);
        for name in self.input.groups {
            let column = need_column(self.input.source, name)?;
            card.groups.extend(main.by_group(column, &self.cast.targets, truth));
        }
        if !self.input.claims_only {
            let otherwise = scored(&self.cast.otherwise, false, !knows);
            let how = if knows { "without response knowledge" } else { "with response knowledge" };
            card.otherwise = (!self.cast.otherwise.is_empty()).then(|| otherwise.summary(how));
            card.control = self.control(&scored(&self.cast.control, self.cast.held_out, knows));
            card.excess.over_control = card.control.map(|control| {
                main.claims.len() as f64 / main.looked_for.max(1) as f64 - control.false_positives.value
            });
            card.alone = self.alone(&joined, &random, (membership(knows), least));
            card.attributes = self.attributes(&joined)?;
            card.contributions = self.contributions(&pieces);
            card.helped = card.contributions.iter().map(|contribution| contribution.variable.clone()).collect();
        }
        card.remarks = self.remarks(&card, &pieces);
        if let Some(run) = linked.as_ref().and_then(|linked| linked.unsettled.as_ref()) {
            card.remarks.push(format!(
                "The estimates of the linkage did not come to rest in {} steps, so its confidences are unsure: look at the calibration. {}",
                run.history.len(),
                run.changes()
            ));
        }
        let rules = self.input.rules.filter(|_| !self.input.claims_only);
        card.verdict = rules.map(|rules| judge(&card, rules));
        Ok(Outcome { card, claims: main.published(self.releases) })
    }

    fn form(&self, name: &str) -> Form {
        let known = self.input.known.iter().map(|known| &known.form);
        known.chain(self.input.forms).find(|form| form.name == name).cloned().unwrap_or_else(|| Form::text(name))
    }

    /// The chance that people are in the release, for an intruder without response knowledge. If releases are joined,
    /// it cannot be estimated from classes of one of them.
    fn membership(&self) -> Membership {
        match self.releases {
            [release] if self.input.fraction < 1.0 => {
                let names: Vec<&str> = self.used.iter().map(|known| known.form.name.as_str()).collect();
                Membership::from_classes(release, &names, self.input.fraction)
            }
            _ => Membership::by_fraction(self.input.fraction),
        }
    }

    /// What an attack by nearest numbers needs, if this is one.
    fn nearest(&self, people: &[bool]) -> Result<Option<(Joined, Lists, Vec<Numbers>)>> {
        if self.kind != AttackKind::Nearest {
            return Ok(None);
        }
        let column = |at: usize| self.releases[0].column(&self.used[at].form.name);
        let is_number = |at: usize| {
            let declared = self.used[at].form.scale == Scale::Number;
            declared && is_numeric(&self.file[at]) && column(at).is_some_and(is_numeric)
        };
        let numbers = (0..self.used.len())
            .filter(|at| is_number(*at))
            .filter_map(|at| Some(Numbers::new(&self.file[at], column(at)?, &self.releases[0].present)));
        let numbers: Vec<Numbers> = numbers.filter(|numbers| !numbers.is_empty()).collect();
        if numbers.is_empty() {
            let what = "the intruder knows no number that the release has as a number";
            let help = "declare it by `type = \"number\"`, or write `attack = \"exact\"`";
            return Err(Error::input(what).help(help).into());
        }
        let (joined, rows) = self.join(0, people, |at| !is_number(at));
        Ok(Some((joined, rows, numbers)))
    }

    /// What an attack by linkage needs, if this is one.
    fn linked(&self, people: &[bool]) -> Result<Option<Linked<'_>>> {
        if self.kind != AttackKind::Linkage {
            return Ok(None);
        }
        let known = self.relations[0].iter().map(|(at, _)| self.used[*at]);
        let variables: Vec<_> = known.zip(self.shared(0, |_| true)).collect();
        let (truth, present) = (&self.input.people.truth, &self.releases[0].present);
        Linked::new(&variables, people, present, truth, (self.input.seed, self.input.threads)).map(Some)
    }

    /// The chance of a correct claim by a random choice among the records that agree with everything the intruder
    /// knows.
    fn chance_among_candidates(&self, person: u32, joined: &[(Joined, Lists)], jigsaw: &Jigsaw<'_>) -> f64 {
        let truth = self.input.people.truth.as_slice();
        match joined {
            [(joined, _)] => {
                let cell = joined.people.of_row[person as usize];
                let own = own_row(truth[person as usize]).filter(|row| joined.fits(cell, *row));
                own.map_or(0.0, |_| 1.0 / joined.count(cell).max(1) as f64)
            }
            _ => jigsaw.chance(person),
        }
    }

    fn describe(&self, card: &mut ScoreCard) {
        card.attack = Some(self.kind);
        card.response_knowledge = self.input.scenario.response_knowledge;
        card.seed = self.input.seed;
        card.people = self.cast.file;
        card.used = self.used.iter().map(|known| known.form.name.clone()).collect();
        let names = self.input.known.iter().map(|known| known.form.name.clone());
        card.unused = names.filter(|name| !card.used.contains(name)).collect();
    }

    fn control(&self, scored: &Scored) -> Option<Control> {
        let confidence = self.input.rules.copied().unwrap_or_default().confidence();
        let claims = scored.claims.len() as u64;
        (scored.looked_for > 0).then(|| Control {
            held_out: self.cast.held_out,
            people: scored.looked_for,
            claims,
            false_positives: Interval::of_share(claims, scored.looked_for),
            confident_claims: scored.claims.iter().filter(|claim| claim.confidence >= confidence).count() as u64,
        })
    }

    /// Each of several releases attacked alone.
    fn alone(&self, joined: &[(Joined, Lists)], random: &Random, limits: (&Membership, f64)) -> Vec<Summary> {
        let truth = &self.input.people.truth;
        let attack = |(release, (joined, rows)): (&Released, &(Joined, Lists))| {
            let answers = Exact { joined, rows, truth, random: random.clone() }.answers(&self.cast.targets, false);
            score(&self.cast.targets, answers, truth, std::slice::from_ref(release), limits).summary(&release.name)
        };
        match joined.len() {
            1 => Vec::new(),
            _ => self.releases.iter().zip(joined).map(attack).collect(),
        }
    }

    /// What the intruder learns of each variable, from the first release that has it.
    fn attributes(&self, joined: &[(Joined, Lists)]) -> Result<Vec<super::AttributeScore>> {
        let mut scores = Vec::new();
        for name in self.input.learn.iter().filter(|name| self.used.iter().all(|known| known.form.name != **name)) {
            let has = |release: &&Released| release.column(name).is_some();
            let Some(at) = self.releases.iter().position(|release| has(&release)) else { continue };
            let Some(released) = self.releases[at].column(name) else { continue };
            let learned =
                Learned { form: self.form(name), released, truth: &need_column(self.input.source, name)?.values };
            let (joined, rows) = &joined[at];
            let truth = &self.input.people.truth;
            scores.push(attributes::score(
                &learned,
                joined,
                rows,
                &self.releases[at].present,
                truth,
                &self.cast.targets,
            ));
        }
        Ok(scores)
    }

    /// How much each variable helped, measured on people who are in every release.
    fn contributions(&self, pieces: &Pieces<'_>) -> Vec<Contribution> {
        let truth = &self.input.people.truth;
        let names: Vec<String> = self.used.iter().map(|known| known.form.name.clone()).collect();
        let mut random = Random::new(self.input.seed, "intruder helped");
        let found = self.cast.targets.iter().filter(|person| is_present(truth[**person as usize], self.releases));
        if self.releases.len() > 1 {
            let people: Vec<u32> = found.take(MAX_PEOPLE_MEASURED_JOINED).copied().collect();
            return contributions(&names, &mut random, |set| self.worth_of_joined(&people, pieces, set));
        }
        let people: Vec<(u32, u32)> = found
            .filter_map(|person| Some((*person, own_row(truth[*person as usize])?)))
            .take(MAX_PEOPLE_MEASURED)
            .collect();
        let shared = self.shared(0, |_| true);
        let relations: Vec<&Relation> = shared.iter().map(|shared| shared.relation).collect();
        let present = &self.releases[0].present;
        if names.len() <= ALL_SETS && agree_by_key(&shared, present) {
            let worths = refine::worth_of_all_sets(&shared, &people, &agreements(&shared, &people), present);
            return contributions(&names, &mut random, |set| worths.get(&set).copied().unwrap_or(0.0));
        }
        let view = View::new(&shared, &people, present);
        match names.len() <= ALL_SETS {
            true => {
                let worths = view.worth_of_all_sets(&relations);
                contributions(&names, &mut random, |set| worths.get(&set).copied().unwrap_or(0.0))
            }
            false => contributions(&names, &mut random, |set| view.worth_of_set(&relations, set)),
        }
    }

    fn worth_of_joined(&self, people: &[u32], pieces: &Pieces<'_>, set: u64) -> f64 {
        let mut wanted = vec![false; self.input.people.len()];
        people.iter().for_each(|person| wanted[*person as usize] = true);
        let joined: Vec<_> =
            (0..self.releases.len()).map(|r| self.join(r, &wanted, |at| set & (1 << at) != 0)).collect();
        let random = Random::new(self.input.seed, "intruder claim");
        let jigsaw = Jigsaw::new(pieces, &joined, &self.input.people.truth, random);
        people.iter().map(|person| jigsaw.chance(*person)).sum()
    }

    fn remarks(&self, card: &ScoreCard, pieces: &Pieces<'_>) -> Vec<String> {
        let mut remarks = Vec::new();
        let missing = missing_in_file(self.input, self.input.releases);
        if !missing.is_empty() {
            let names: Vec<String> = missing.iter().map(|name| format!("`{name}`")).collect();
            remarks.push(format!(
                "The file of people has no column {}, which the intruder knows by the scenario. People are matched by the variables that it has.",
                names.join(", ")
            ));
        }
        let again = self.input.people.truth.iter().filter(|truth| matches!(truth, Truth::Again(_))).count() as u64;
        if again > 0 {
            remarks.push(format!(
                "{} of the intruder's file {} a person of an earlier row, and {} left out.",
                counted(again, "row", "rows"),
                if again == 1 { "is" } else { "are" },
                if again == 1 { "is" } else { "are" },
            ));
        }
        if self.cast.held_out {
            remarks.push("Too few people are known not to be in the release. The control is the people looked for, each with their own record held out.".to_owned());
        }
        if self.kind != AttackKind::Exact {
            remarks.push("What helped, what is learned and what is expected by chance are counted on the records that agree exactly.".to_owned());
        }
        if self.releases.len() > 1 && !pieces.share_something() {
            remarks.push(
                "The releases have no column in common, so records of one cannot be joined with those of another."
                    .to_owned(),
            );
        }
        let most = if self.releases.len() > 1 { MAX_PEOPLE_MEASURED_JOINED } else { MAX_PEOPLE_MEASURED };
        if card.in_release as usize > most {
            remarks.push(format!(
                "What helped is counted on {} of the people looked for who are in the release.",
                count(most as u64)
            ));
        }
        if card.used.len() > ALL_SETS {
            remarks.push(format!(
                "What helped is estimated from {} random orders of the variables.",
                super::helped::ORDERS
            ));
        }
        remarks
    }
}

/// A sum with compensation for rounding errors (Kahan 1965); 0 for no numbers.
fn sum(numbers: impl Iterator<Item = f64>) -> f64 {
    let add = |(all, lost): (f64, f64), number: f64| {
        let number = number - lost;
        let more = all + number;
        (more, (more - all) - number)
    };
    numbers.fold((0.0, 0.0), add).0
}
