//! Conditions that depend on variables which tables show: `where` on a town and a trade counts cells of the table of towns by trades.

use std::collections::{BTreeMap, BTreeSet};

use super::parts::Parts;
use super::{Behind, Combinations, Unit};

/// What a condition depends on.
enum On {
    /// The part of a variable.
    Part(u32),
    /// What a column of a variable of several answers holds.
    Column(u32, usize),
}

/// Most variables that a condition is looked at for.
const MOST: usize = 3;

/// Most records that are looked at for what conditions keep of some values, over all choices of variables.
const MOST_LOOKED_AT: usize = 1_000_000;

/// What the values of some variables say of conditions. Kinds of records that no table tells apart count as the first of them.
pub(super) struct Rule {
    /// These variables, or single columns of them.
    pub(super) on: Vec<u32>,
    /// Two kinds each, of which no record of one is like a record of the other.
    apart: BTreeSet<[u32; 2]>,
    /// Kinds that a condition keeps, where it keeps all or none of the records with some of the values.
    fixed: Vec<BTreeSet<u32>>,
    /// Whether a whole condition follows from them.
    pub(super) whole: bool,
}

/// What the parts of variables say of kinds of records: which there are.
pub(super) struct Told<'a> {
    rule: &'a Rule,
    on: Vec<On>,
    kinds: u32,
    /// For each part of the variable that says which records are counted the first kind of it.
    firsts: Vec<u32>,
    seen: BTreeMap<Vec<u32>, BTreeSet<u32>>,
}

/// What follows from few variables of a unit, by what the records show: whole conditions, and of others whether they keep all or none of the
/// records that have a value, or of those that another condition keeps. What holds by chance in few records is treated alike: an attacker is
/// then taken to know more than he does, never less.
pub(super) fn rules(unit: &Unit) -> Vec<Rule> {
    let Some((behind, kinds)) = unit.records.as_ref().and_then(|behind| Some((behind, behind.kinds?))) else {
        return Vec::new();
    };
    let nodes = unit.nodes();
    let is_shown = |own: &u32| *own != kinds && behind.columns.contains_key(own) && !unit.pairs.contains_key(own);
    let single = (behind.first_single..).zip(&behind.single).map(|(number, _)| number);
    let mut shown: Vec<u32> = nodes.keys().copied().filter(is_shown).chain(single).collect();
    let nodes: Vec<u32> = nodes.get(&kinds).into_iter().flatten().copied().collect();
    let firsts = first_kinds(unit, kinds, &nodes);
    let (mut rules, mut others): (Vec<Rule>, Vec<Condition>) = (Vec::new(), Vec::new());
    for node in nodes {
        let kept = &unit.places.sets[node as usize];
        let keeps = firsts.values().copied().filter(|kind| kept.binary_search(kind).is_ok()).collect();
        let follows = |size: usize| some_of(&shown, size).into_iter().find(|on| follows(unit, on, node));
        match (1..=MOST).find_map(follows) {
            Some(on) => rules.push(Rule { on, apart: BTreeSet::new(), fixed: vec![keeps], whole: true }),
            // What a condition is about it names.
            None => others.push(Condition { keeps, about: behind.named(kept), fixed: BTreeSet::new() }),
        }
    }
    // Kinds that nothing tells apart so far.
    let told = |two: &[u32; 2]| rules.iter().flat_map(|rule| &rule.fixed).any(|keeps| tells_apart(keeps, two));
    let mut left = two_of(&firsts.values().copied().collect());
    left.retain(|two| !told(two));
    shown.retain(|own| others.iter().any(|condition| condition.about.contains(own)));
    let choices = (1..=MOST).flat_map(|size| some_of(&shown, size));
    for on in choices.take(MOST_LOOKED_AT / behind.records.counts.len().max(1)) {
        let Some(seen) = seen(behind, &on, kinds, &firsts) else { continue };
        let apart = apart(&on, &seen, &left, &others);
        left.retain(|two| !apart.contains(two));
        let fixed =
            others.iter_mut().filter_map(|condition| condition.fix(&on, &seen).then(|| condition.keeps.clone()));
        let fixed: Vec<BTreeSet<u32>> = fixed.collect();
        if !apart.is_empty() || !fixed.is_empty() {
            rules.push(Rule { on, apart, fixed, whole: false });
        }
    }
    rules
}

/// A condition that does not follow from few variables.
struct Condition<'a> {
    /// The kinds it keeps.
    keeps: BTreeSet<u32>,
    /// The variables, or single columns, that it is about.
    about: BTreeSet<u32>,
    /// Values of variables with which it keeps all records, or none.
    fixed: BTreeSet<Vec<(u32, &'a [u32])>>,
}

/// The kinds of records by their values of some variables.
type Seen<'a> = BTreeMap<Vec<&'a [u32]>, BTreeSet<u32>>;

impl<'a> Condition<'a> {
    /// Notes the values of some variables with which all records are kept, or none; whether fewer variables did not say so of any.
    fn fix(&mut self, on: &[u32], seen: &Seen<'a>) -> bool {
        if !on.iter().all(|own| self.about.contains(own)) {
            return false;
        }
        let before = self.fixed.len();
        for (values, _) in seen.iter().filter(|(_, kinds)| is_fixed(&self.keeps, kinds).is_some()) {
            let values: Vec<(u32, &[u32])> = on.iter().copied().zip(values.iter().copied()).collect();
            let some =
                |chosen: u32| (0..).zip(&values).filter(move |(at, _)| chosen >> at & 1 == 1).map(|(_, value)| *value);
            if !(1..1 << values.len()).any(|chosen| self.fixed.contains(&some(chosen).collect::<Vec<_>>())) {
                self.fixed.insert(values);
            }
        }
        self.fixed.len() > before
    }
}

/// Kinds of which no two records are alike in some variables, two by two, where the conditions that tell them apart are about these.
fn apart(on: &[u32], seen: &Seen, left: &BTreeSet<[u32; 2]>, conditions: &[Condition]) -> BTreeSet<[u32; 2]> {
    let mut apart = left.clone();
    for together in seen.values().take_while(|_| !left.is_empty()) {
        two_of(together).iter().for_each(|two| _ = apart.remove(two));
    }
    apart.retain(|two| {
        let telling = |condition: &&Condition| tells_apart(&condition.keeps, two);
        on.iter().all(|own| conditions.iter().filter(telling).any(|condition| condition.about.contains(own)))
    });
    apart
}

fn tells_apart(keeps: &BTreeSet<u32>, [one, other]: &[u32; 2]) -> bool {
    keeps.contains(one) != keeps.contains(other)
}

/// Whether all of some kinds are kept, or none; nothing where neither.
fn is_fixed(keeps: &BTreeSet<u32>, kinds: &BTreeSet<u32>) -> Option<bool> {
    match keeps.intersection(kinds).count() {
        0 => Some(false),
        kept => (kept == kinds.len()).then_some(true),
    }
}

/// For each kind of records the first that no condition tells apart from it.
fn first_kinds(unit: &Unit, kinds: u32, conditions: &[u32]) -> BTreeMap<u32, u32> {
    let mut firsts: BTreeMap<Vec<bool>, u32> = BTreeMap::new();
    let mut first = |kind: u32| {
        let kept = |node: &u32| unit.places.sets[*node as usize].binary_search(&kind).is_ok();
        *firsts.entry(conditions.iter().map(kept).collect()).or_insert(kind)
    };
    unit.known(kinds).values.iter().map(|kind| (*kind, first(*kind))).collect()
}

/// The kinds of the records by their values of some variables; none where these are not known.
fn seen<'a>(behind: &'a Behind, on: &[u32], kinds: u32, firsts: &BTreeMap<u32, u32>) -> Option<Seen<'a>> {
    let mut seen = Seen::new();
    for record in 0..behind.records.counts.len() {
        let values = on.iter().map(|variable| behind.values(record, *variable)).collect::<Option<_>>()?;
        let kind = firsts.get(behind.values(record, kinds)?.first()?)?;
        seen.entry(values).or_default().insert(*kind);
    }
    Some(seen)
}

fn two_of(kinds: &BTreeSet<u32>) -> BTreeSet<[u32; 2]> {
    kinds.iter().flat_map(|one| kinds.range(one + 1..).map(|other| [*one, *other])).collect()
}

fn pair(one: u32, other: u32) -> [u32; 2] {
    [one.min(other), one.max(other)]
}

/// Every choice of so many variables.
fn some_of(all: &[u32], size: usize) -> Vec<Vec<u32>> {
    if size == 0 {
        return vec![Vec::new()];
    }
    let with =
        |at: usize| some_of(&all[at + 1..], size - 1).into_iter().map(move |rest| [vec![all[at]], rest].concat());
    (0..all.len()).flat_map(with).collect()
}

/// Whether records that are alike in these variables all meet a condition or all do not.
fn follows(unit: &Unit, on: &[u32], node: u32) -> bool {
    let Some(behind) = &unit.records else { return false };
    let mut known: BTreeMap<Vec<&[u32]>, bool> = BTreeMap::new();
    (0..behind.records.counts.len()).all(|record| {
        let values: Option<Vec<&[u32]>> = on.iter().map(|variable| behind.values(record, *variable)).collect();
        let (Some(values), Some(met)) = (values, unit.meets(record, node)) else { return false };
        *known.entry(values).or_insert(met) == met
    })
}

impl<'a> Told<'a> {
    /// What crossed variables say of a condition; none where one it depends on is not crossed.
    pub(super) fn new(rule: &'a Rule, unit: &Unit, parts: &BTreeMap<u32, Parts>) -> Option<Self> {
        let behind = unit.records.as_ref()?;
        let kinds = behind.kinds.filter(|kinds| parts.contains_key(kinds))?;
        let on = |number: &u32| match behind.single(*number) {
            Some((_, variable, column)) => On::Column(variable, column),
            None => On::Part(*number),
        };
        let on: Vec<On> = rule.on.iter().map(on).collect();
        let own_kinds = &parts[&kinds];
        let mut firsts = vec![0; own_kinds.count];
        for kind in unit.known(kinds).values.iter().rev() {
            firsts[own_kinds.part_of(&[*kind], |_| None)? as usize] = *kind;
        }
        let mut seen: BTreeMap<Vec<u32>, BTreeSet<u32>> = BTreeMap::new();
        for record in 0..behind.records.counts.len() {
            let own = |on: &On| match on {
                On::Part(variable) => unit.part_of(record, *variable, parts.get(variable)?),
                On::Column(variable, column) => {
                    parts.get(variable).and_then(|_| behind.held(record, *variable, *column))
                }
            };
            let own: Vec<u32> = on.iter().map(own).collect::<Option<_>>()?;
            let kind = own_kinds.part_of(behind.values(record, kinds)?, |_| None)?;
            seen.entry(own).or_default().insert(firsts[kind as usize]);
        }
        Some(Self { rule, on, kinds, firsts, seen })
    }

    /// Whether it is a whole condition that follows from the parts.
    pub(super) fn is_whole(&self) -> bool {
        self.rule.whole
    }

    /// Whether records can have a combination of parts.
    pub(super) fn allows(&self, combinations: &Combinations, combination: usize) -> bool {
        let part = |variable: &u32| {
            let at = combinations.variables.iter().position(|(own, _)| own == variable)?;
            Some((combinations.part(combination, at), combinations.variables[at].1))
        };
        let own = |on: &On| match on {
            On::Part(variable) => Some(part(variable)?.0),
            On::Column(variable, column) => part(variable).and_then(|(part, parts)| parts.held(part, *column)),
        };
        let own: Option<Vec<u32>> = self.on.iter().map(own).collect();
        let (Some(own), Some((kind, _))) = (own, part(&self.kinds)) else { return true };
        let kind = self.firsts[kind as usize];
        let excludes = |seen: &BTreeSet<u32>| {
            let apart = seen.iter().any(|other| self.rule.apart.contains(&pair(kind, *other)));
            let fixed = |keeps: &BTreeSet<u32>| is_fixed(keeps, seen).is_some_and(|kept| kept != keeps.contains(&kind));
            !seen.contains(&kind) && (apart || self.rule.fixed.iter().any(fixed))
        };
        !self.seen.get(&own).is_some_and(excludes)
    }
}
