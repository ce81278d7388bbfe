//! Requests held against earlier releases: random small populations and random sequences of releases, beside an attacker who lists every
//! population that fits what is published.
#![allow(clippy::unwrap_used)]

use std::cell::Cell;
use std::collections::BTreeSet;
use std::path::Path;

use outward_fixtures::tables::{gss_rules, try_counted_by};
use outward_register::{CheckedRequest, Disclosures};
use outward_spec::{Protection, ProtectionMethod, Spec};
use outward_tables::protect::{CellOf, JointDisclosure, protect};
use outward_tables::{CountedTable, Earlier, EarlierFigure, Figure, Node, judge_all};
use outward_testing::random_cases::check;
use proptest::prelude::*;

/// A kind of person: age, place and job.
const KINDS: usize = 12;
const AGES: [&str; 3] = ["20", "21", "22"];
const PLACES: [&str; 2] = ["x", "y"];
const JOBS: [&str; 2] = ["p", "q"];

fn kind(number: usize) -> [&'static str; 3] {
    [AGES[number / 4], PLACES[number / 2 % 2], JOBS[number % 2]]
}

/// The ways to show ages: by year, with a band that begins at 21, with one that begins at 22.
const VARIABLES: &str = "[[variables]]\nname = \"age\"\n\
     [[variables]]\nname = \"from_21\"\ncolumns = [\"age\"]\ntype = \"integer\"\nhierarchy = { bands = [21] }\n\
     [[variables]]\nname = \"from_22\"\ncolumns = [\"age\"]\ntype = \"integer\"\nhierarchy = { bands = [22] }\n\
     [[variables]]\nname = \"place\"\n[[variables]]\nname = \"job\"\n";

/// What a release shows: the variables of its table, and who is counted.
#[derive(Debug, Clone)]
struct Layout {
    age: usize,
    place: bool,
    job: bool,
    condition: usize,
}

impl Layout {
    fn any() -> impl Strategy<Value = Self> {
        (0usize..4, any::<bool>(), any::<bool>(), 0usize..8).prop_map(|(age, place, job, condition)| {
            // A table has a variable at least, and not all three.
            let (place, job) =
                if age == 0 && !place && !job { (true, false) } else { (place, job && !(place && age > 0)) };
            Self { age, place, job, condition }
        })
    }

    /// Who is counted: those with one of these values, each with its column.
    fn condition(&self) -> Option<Condition> {
        let one: Condition = match self.condition {
            3 => &[("place", "x")],
            4 => &[("job", "p")],
            5 => &[("age", "20")],
            6 => &[("place", "x"), ("job", "p")],
            7 => &[("age", "20"), ("place", "x")],
            _ => return None,
        };
        let is_shown = |column: &str| match column {
            "place" => self.place,
            "job" => self.job,
            _ => self.age > 0,
        };
        (one.len() > 1 || !is_shown(one[0].0)).then_some(one)
    }

    fn spec(&self, number: usize) -> String {
        let age = ["", "age", "from_21", "from_22"][self.age];
        let shown: Vec<&str> = [(age, self.age > 0), ("place", self.place), ("job", self.job)]
            .into_iter()
            .filter_map(|(name, shown)| shown.then_some(name))
            .collect();
        let levels = if self.age > 1 { format!("levels = {{ {age} = [1] }}\n") } else { String::new() };
        let words = |condition: Condition| {
            let each: Vec<String> = condition.iter().map(|(column, value)| format!("{column} = '{value}'")).collect();
            format!("where = \"{}\"\n", each.join(" or "))
        };
        let condition = self.condition().map(words).unwrap_or_default();
        format!("[[tables]]\nname = \"t{number}\"\nvariables = {shown:?}\n{levels}{condition}")
    }

    /// Whether a cell of the table counts a kind of person, by the labels alone.
    fn counts(&self, made: &CountedTable, cell: usize, number: usize) -> bool {
        let [age, place, job] = kind(number);
        let of = |name: &str| match name {
            "place" => place,
            "job" => job,
            _ => age,
        };
        let is_in = |node: &Node, name: &str| match (name, node.label.as_str()) {
            _ if node.total => true,
            ("from_21", label) => label.starts_with("21") == (age >= "21"),
            ("from_22", label) => label.starts_with("22") == (age >= "22"),
            (name, label) => label == of(name),
        };
        let dimensions = made.table.dimensions.iter().zip(made.table.nodes(cell));
        self.condition().is_none_or(|condition| meets(condition, number)) && { dimensions }
            .all(|(dimension, node)| is_in(&dimension.nodes[node], &dimension.variable))
    }
}

/// Columns, each with a value: who has one of them is meant.
type Condition = &'static [(&'static str, &'static str)];

const COLUMNS: [&str; 3] = ["age", "place", "job"];

fn value_of(number: usize, column: &str) -> &'static str {
    kind(number)[COLUMNS.iter().position(|name| *name == column).unwrap()]
}

fn meets(condition: Condition, number: usize) -> bool {
    condition.iter().any(|(column, value)| value_of(number, column) == *value)
}

/// A group of people, by kind.
type Group = [bool; KINDS];

/// What the attacker knows: how many people are in a group.
type Known = (Group, i64);

/// The populations that fit what somebody knows.
struct Populations {
    fitting: Vec<[i64; KINDS]>,
    /// Whether these are all there are.
    complete: bool,
}

impl Populations {
    const MOST_POPULATIONS: usize = 1_000;
    const MOST_STEPS: usize = 100_000;

    fn list(known: &[Known]) -> Self {
        Self::list_of(known, &[true; KINDS])
    }

    /// Those of people of possible kinds.
    fn list_of(known: &[Known], possible: &Group) -> Self {
        let nobody: Vec<Known> = (0..KINDS)
            .filter(|number| !possible[*number])
            .map(|number| (std::array::from_fn(|other| other == number), 0))
            .collect();
        let known = [known, &nobody].concat();
        let mut listed = Self { fitting: Vec::new(), complete: true };
        let mut left = known.iter().map(|(_, count)| *count).collect();
        listed.go(&known, 0, &mut left, &mut [0; KINDS], &mut 0);
        listed
    }

    /// The kinds of which somebody may be.
    fn occurring(&self) -> Group {
        std::array::from_fn(|number| self.fitting.iter().any(|people| people[number] > 0))
    }

    fn go(&mut self, known: &[Known], at: usize, left: &mut Vec<i64>, people: &mut [i64; KINDS], steps: &mut usize) {
        *steps += 1;
        if self.fitting.len() >= Self::MOST_POPULATIONS || *steps > Self::MOST_STEPS {
            self.complete = false;
            return;
        }
        let is_done = |group: &Group| !group[at..].contains(&true);
        if known.iter().zip(&*left).any(|((group, _), left)| *left > 0 && is_done(group)) {
            return;
        }
        if at == KINDS {
            return self.fitting.push(*people);
        }
        let own: Vec<usize> = (0..known.len()).filter(|number| known[*number].0[at]).collect();
        // Nobody knows how many there are of a kind that no figure counts: two tell that it is open.
        let most = own.iter().map(|number| left[*number]).min().unwrap_or(1);
        for count in 0..=most {
            people[at] = count;
            own.iter().for_each(|number| left[*number] -= count);
            self.go(known, at + 1, left, people, steps);
            own.iter().for_each(|number| left[*number] += count);
            if !self.complete {
                return;
            }
        }
        people[at] = 0;
    }

    /// Whether the size of a group follows; none where there are too many populations to say.
    fn settle(&self, group: &Group) -> Option<bool> {
        let first = count(self.fitting.first()?, group);
        let differs = self.fitting.iter().any(|people| count(people, group) != first);
        if differs { Some(false) } else { self.complete.then_some(true) }
    }
}

fn count(people: &[i64; KINDS], group: &Group) -> i64 {
    people.iter().zip(group).filter(|(_, own)| **own).map(|(count, _)| count).sum()
}

/// Releases of which all but the last are protected and public, the last is asked for.
struct Sequence {
    layouts: Vec<Layout>,
    counted: outward_tables::CountedTables,
    spec: String,
}

impl Sequence {
    /// None where an earlier release cannot be published beside those before it.
    fn new(people: &[i64; KINDS], layouts: &[Layout]) -> Option<Self> {
        let rows = (0..KINDS).flat_map(|number| std::iter::repeat_n(kind(number).join(","), people[number] as usize));
        let file = std::iter::once("age,place,job".to_owned()).chain(rows).collect::<Vec<_>>().join("\n") + "\n";
        let head = format!(
            "[data]\npath = \"people.csv\"\n[policy]\nname = \"gss-tables\"\n[protection]\nmethod = \"suppress\"\n{VARIABLES}"
        );
        let rules = gss_rules();
        let mut told: Vec<Earlier> = Vec::new();
        for number in 0..layouts.len() {
            let tables: String = layouts[..=number].iter().enumerate().map(|(at, layout)| layout.spec(at)).collect();
            let spec = head.clone() + &tables;
            let mut counted = try_counted_by(&spec, &[&file], &rules).ok()?;
            for (made, earlier) in counted.tables.iter_mut().zip(&told) {
                made.earlier = Some(earlier.clone());
            }
            if number + 1 == layouts.len() {
                return Some(Self { layouts: layouts.to_vec(), counted, spec });
            }
            let verdicts = judge_all(&counted.tables, &rules).unwrap();
            let protection = Spec::parse(&spec, "outward.toml").unwrap().protection;
            let protected = protect(&counted, &verdicts, &protection, &rules, Path::new("")).ok()?;
            let figures = &protected.holds().then_some(&protected.published)?.last()?.figures;
            let tell =
                |figure: &Figure| if *figure == Figure::Hidden { EarlierFigure::Hidden } else { EarlierFigure::Shown };
            told.push(Earlier { release: format!("release-{}", number + 1), told: figures.iter().map(tell).collect() });
        }
        None
    }

    fn protection(&self) -> Protection {
        Spec::parse(&self.spec, "outward.toml").unwrap().protection
    }

    fn group(&self, (table, cell): CellOf) -> Group {
        std::array::from_fn(|number| self.layouts[table].counts(&self.counted.tables[table], cell, number))
    }

    fn value(&self, (table, cell): CellOf) -> i64 {
        self.counted.tables[table].table.counts[cell] as i64
    }

    fn cells(&self) -> Vec<CellOf> {
        let of = |table: usize| (0..self.counted.tables[table].table.len()).map(move |cell| (table, cell));
        (0..self.layouts.len()).flat_map(of).collect()
    }

    fn is_earlier(&self, (table, _): CellOf) -> bool {
        table + 1 < self.layouts.len()
    }

    fn is_told(&self, (table, cell): CellOf, wanted: EarlierFigure) -> bool {
        self.counted.tables[table].earlier.as_ref().is_some_and(|earlier| earlier.told[cell] == wanted)
    }

    /// The kinds of people that there can be, for who knows which columns follow from others, and which conditions from a column (K4): what holds by
    /// chance in few people is taken to be known.
    fn possible(&self, people: &[i64; KINDS]) -> Group {
        let mut possible = [true; KINDS];
        let there: Vec<usize> = (0..KINDS).filter(|number| people[*number] > 0).collect();
        let mut exclude = |from: &str, told: &dyn Fn(usize) -> String| {
            let same = |one: usize, other: usize| value_of(one, from) == value_of(other, from);
            let follows =
                there.iter().all(|one| there.iter().all(|other| !same(*one, *other) || told(*one) == told(*other)));
            for number in (0..KINDS).filter(|_| follows) {
                let differs = |other: &&usize| same(number, **other) && told(number) != told(**other);
                possible[number] &= !there.iter().any(|other| differs(&other));
            }
        };
        for from in COLUMNS {
            for column in COLUMNS.iter().filter(|column| **column != from) {
                exclude(from, &|number| value_of(number, column).to_owned());
            }
            for condition in self.layouts.iter().filter_map(Layout::condition) {
                exclude(from, &|number| meets(condition, number).to_string());
            }
        }
        possible
    }

    /// What is public of some cells, beside the request with or without its unsafe cells.
    fn known(&self, of: impl Fn(CellOf) -> bool) -> Vec<Known> {
        self.cells().into_iter().filter(|cell| of(*cell)).map(|cell| (self.group(cell), self.value(cell))).collect()
    }
}

/// Who is in a group and not in another, where that is inside it.
fn without(large: &Group, small: &Group) -> Option<Group> {
    let is_inside = (0..KINDS).all(|kind| large[kind] || !small[kind]);
    is_inside.then(|| std::array::from_fn(|kind| large[kind] && !small[kind]))
}

/// Everyone of some ages, of one place or any, and of one job or any.
fn combinations() -> impl Iterator<Item = Group> {
    let ages = (1..8usize).map(|ages| [0, 1, 2].map(|age| ages >> age & 1 == 1));
    let one_or_any = || [[true, true], [true, false], [false, true]];
    ages.flat_map(move |ages| {
        let places = one_or_any().into_iter().flat_map(move |places| one_or_any().map(|jobs| (places, jobs)));
        places.map(move |(places, jobs)| {
            std::array::from_fn(|number| ages[number / 4] && places[number / 2 % 2] && jobs[number % 2])
        })
    })
}

/// The groups that a check reports, of the kinds that there may be; none where it takes from a cell what is not inside it.
fn reported(sequence: &Sequence, found: &Disclosures, occurring: &Group) -> Vec<Option<Group>> {
    let tables = &sequence.counted.tables;
    let of_step = |table: &str, cell: &str| -> Group {
        let at = tables.iter().position(|made| made.table.name == table).unwrap();
        let cell = (0..tables[at].table.len()).find(|position| tables[at].table.describe(*position) == cell).unwrap();
        sequence.group((at, cell))
    };
    let sum = |terms: Vec<(i64, Group)>, divisor: i64| -> Option<Group> {
        let times =
            |kind: usize| -> i64 { terms.iter().filter(|(_, group)| group[kind]).map(|(times, _)| times).sum() };
        let is_group = (0..KINDS).all(|kind| !occurring[kind] || [0, divisor].contains(&times(kind)));
        is_group.then(|| std::array::from_fn(|kind| occurring[kind] && times(kind) != 0))
    };
    let mut groups: Vec<Option<Group>> = Vec::new();
    for difference in &found.differences.found {
        let terms = difference.steps.iter().map(|step| (step.times, of_step(&step.table, &step.cell)));
        groups.push(sum(terms.collect(), difference.divisor));
    }
    for joint in &found.joint.found {
        match joint {
            JointDisclosure::Difference { whole, inside, .. } => {
                let inside = inside.iter().map(|cell| (-1, sequence.group(*cell)));
                groups.push(sum(std::iter::once((1, sequence.group(*whole))).chain(inside).collect(), 1));
            }
            JointDisclosure::Combination { cells, divisor, .. } => {
                let terms = cells.iter().map(|(cell, times)| (*times, sequence.group(*cell)));
                groups.push(sum(terms.collect(), *divisor));
            }
            JointDisclosure::Cell { cell, interval: (least, most) } if least == most => {
                groups.push(Some(sequence.group(*cell)));
            }
            JointDisclosure::Cell { .. } | JointDisclosure::Group { .. } => {}
        }
    }
    groups
}

#[test]
fn what_somebody_derives_who_lists_all_populations_is_reported_and_what_is_reported_is_derived() {
    let few = gss_rules().categories.iter().map(|category| category.cells as i64).max().unwrap();
    let counters: [Cell<usize>; 7] = Default::default();
    let [derived, combined, alarms, by_columns, false_alarms, clean, stopped] = &counters;
    let count_one = |of: &Cell<usize>| of.set(of.get() + 1);
    let kinds = proptest::collection::vec(prop_oneof![3 => 0i64..3, 1 => 3i64..6], KINDS);
    check(80, &(kinds, proptest::collection::vec(Layout::any(), 2..4)), |(people, layouts)| {
        let people: [i64; KINDS] = people.try_into().unwrap();
        prop_assume!((0..3).all(|age| (0..4).any(|other| people[4 * age + other] > 0)));
        let sequence = Sequence::new(&people, &layouts);
        prop_assume!(sequence.is_some());
        let (sequence, rules) = (sequence.unwrap(), gss_rules());
        let protection = sequence.protection();
        prop_assert_eq!(protection.method, ProtectionMethod::Suppress);
        let public = |cell: CellOf| sequence.is_told(cell, EarlierFigure::Shown);
        let asked = |cell: CellOf| !sequence.is_earlier(cell);
        let everything = Populations::list(&sequence.known(|cell| public(cell) || asked(cell)));
        prop_assume!(everything.complete);
        let found = CheckedRequest::new(&sequence.counted, &rules, &protection, 0).find_disclosures().unwrap();
        prop_assert!(found.joint.too_large.is_empty() && found.differences.not_searched == 0);
        // Who knows which columns follow from others knows more, and no less is kept from them.
        let possible = sequence.possible(&people);
        let known = |of: &dyn Fn(CellOf) -> bool| Populations::list_of(&sequence.known(of), &possible);
        let (by_k4, before_by_k4) = (known(&|cell| public(cell) || asked(cell)), known(&public));
        prop_assume!(by_k4.complete);
        let occurring = by_k4.occurring();
        let groups = reported(&sequence, &found, &occurring);
        let is_stopped = !groups.is_empty() || found.public_already.is_some();
        count_one(if is_stopped { stopped } else { clean });
        let before = Populations::list(&sequence.known(public));
        for group in &groups {
            count_one(alarms);
            // What was known before for certain is no alarm, and what does not follow is none.
            let follows = |group: &Group| by_k4.settle(group) == Some(true) && before_by_k4.settle(group) != Some(true);
            if !group.as_ref().is_some_and(follows) {
                count_one(false_alarms);
            } else if group.as_ref().is_none_or(|group| everything.settle(group) != Some(true)) {
                count_one(by_columns);
            }
        }
        if found.public_already.is_some() {
            return Ok(());
        }
        // The request will not show what the policy calls unsafe in it, nor what is hidden already.
        let judged = judge_all(&sequence.counted.tables, &rules).unwrap();
        let cells = sequence.cells();
        let is_withheld = |cell: CellOf| {
            let hides = |other: &CellOf| {
                sequence.is_told(*other, EarlierFigure::Hidden) && sequence.group(*other) == sequence.group(cell)
            };
            judged[cell.0].primary().contains(&cell.1) || cells.iter().any(hides)
        };
        let is_shown = |cell: CellOf| public(cell) || asked(cell) && !is_withheld(cell);
        let shown = Populations::list(&sequence.known(is_shown));
        let by_table: Vec<Populations> = (0..layouts.len())
            .map(|table| Populations::list_of(&sequence.known(|cell| cell.0 == table && is_shown(cell)), &occurring))
            .collect();
        let differences = cells.iter().flat_map(|whole| {
            let apart = cells.iter().filter(move |inside| inside.0 != whole.0);
            apart.filter_map(|inside| without(&sequence.group(*whole), &sequence.group(*inside)))
        });
        let differences: BTreeSet<Group> = differences.collect();
        let same = |one: &Group, other: &Group| (0..KINDS).all(|kind| !occurring[kind] || one[kind] == other[kind]);
        for left in differences.iter().copied().chain(combinations()).collect::<BTreeSet<Group>>() {
            if !(1..=few).contains(&count(&people, &left))
                || cells.iter().any(|cell| same(&sequence.group(*cell), &left))
                || shown.settle(&left) != Some(true)
                || before.settle(&left) != Some(false)
                // What one table says of its own cells is judged where it is made.
                || by_table.iter().any(|known| known.settle(&left) != Some(false))
            {
                continue;
            }
            count_one(if differences.contains(&left) { derived } else { combined });
            // A smaller group inside it will do: whoever mends that mends this.
            let is_part = |group: &&Group| (0..KINDS).all(|kind| !group[kind] || left[kind]);
            prop_assert!(
                groups.iter().flatten().any(|group| is_part(&group)),
                "{left:?} is not reported: {layouts:?} of {people:?}"
            );
        }
        Ok(())
    });
    let told = counters.each_ref().map(Cell::get);
    let [derived, combined, alarms, by_columns, false_alarms, clean, stopped] = told;
    println!(
        "{stopped} requests stopped, {clean} clean; {derived} differences and {combined} other combinations derived; {alarms} reported, \
         {by_columns} of them derived only by who knows which columns follow from others, {false_alarms} not at all"
    );
    assert!(derived > 2 && alarms > 20 && clean > 20, "{told:?}");
    assert_eq!(false_alarms, 0, "{told:?}");
}
