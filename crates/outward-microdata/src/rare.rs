//! Rare categories: a record is left out if its category has too few records in its region, or its combination of keys
//! is shared by too few there.
//!
//! Both are one rule, since a category is a combination of one key. Rules apply in the order given, each to what those
//! before it left. Leaving records out makes other combinations rarer. If rules are to be repeated, they apply until
//! nothing falls short. The records kept are then the largest set in which every rule holds: a record that goes is in
//! no such set.

use std::collections::BTreeMap;

use outward_spec::{Error, Result};

use crate::swap::groups::RecordGroups;

/// Combinations of these keys with fewer than `least` records in their region are left out.
#[derive(Debug, Clone, Copy)]
pub struct RareRule<'a> {
    /// A code for each record, of each key; 0 is missing and counts as a value.
    pub keys: &'a [&'a [u32]],
    /// The least number of records: 2 leaves out those that are unique.
    pub least: u64,
}

/// What is to be left out.
#[derive(Debug, Clone, Copy)]
pub struct RareRequest<'a> {
    /// How many records there are.
    pub records: usize,
    /// The region of each record, 0 if missing, which is a region of its own; the whole file is one region if absent.
    pub region: Option<&'a [u32]>,
    /// The rules, in order.
    pub rules: &'a [RareRule<'a>],
    /// Whether the rules apply again until all hold together.
    pub repeat: bool,
}

/// What was left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rare {
    /// For each record whether it stays.
    pub keep: Vec<bool>,
    /// Records before and after.
    pub records: BeforeAndAfter,
    /// Records before and after in each region, by its code; in one region with code 0 if none was given.
    pub regions: BTreeMap<u32, BeforeAndAfter>,
    /// For each rule how many records went because of it.
    pub removed: Vec<u64>,
    /// How many times each rule was applied; the last time found nothing if rules were repeated.
    pub rounds: u64,
}

/// Records before and after.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct BeforeAndAfter {
    /// Before.
    pub before: u64,
    /// After.
    pub after: u64,
}

/// Finds which records stay.
pub fn drop_rare(request: &RareRequest<'_>) -> Result<Rare> {
    let columns = request.rules.iter().flat_map(|rule| rule.keys).chain(&request.region);
    if columns.into_iter().any(|codes| codes.len() != request.records) {
        return Err(Error::bug("columns of a rule on rare categories differ in length"));
    }
    let mut rules: Vec<CountedRule> = request.rules.iter().map(|rule| CountedRule::new(rule, request)).collect();
    let mut keep = vec![true; request.records];
    let mut removed = vec![0; rules.len()];
    let mut rounds = 0;
    loop {
        rounds += 1;
        let before: u64 = removed.iter().sum();
        for (rule, removed) in removed.iter_mut().enumerate() {
            *removed += apply(&mut rules, rule, &mut keep);
        }
        if !request.repeat || removed.iter().sum::<u64>() == before {
            break;
        }
    }
    Ok(describe(request, keep, removed, rounds))
}

/// A rule with the combinations of its keys within regions, and how many records of each are kept so far.
struct CountedRule {
    groups: RecordGroups,
    kept: Vec<u64>,
    least: u64,
}

impl CountedRule {
    fn new(rule: &RareRule<'_>, request: &RareRequest<'_>) -> Self {
        let columns: Vec<&[u32]> = request.region.into_iter().chain(rule.keys.iter().copied()).collect();
        let groups = RecordGroups::of_columns(&columns, request.records);
        Self { kept: groups.sizes(), groups, least: rule.least }
    }
}

/// Leaves out what falls short of one rule, and updates the others. Which combinations fall short is settled before any
/// record goes: a combination goes as a whole.
fn apply(rules: &mut [CountedRule], rule: usize, keep: &mut [bool]) -> u64 {
    let short: Vec<bool> = rules[rule].kept.iter().map(|kept| *kept < rules[rule].least).collect();
    let mut removed = 0;
    for row in 0..keep.len() {
        if keep[row] && short[rules[rule].groups.of[row] as usize] {
            keep[row] = false;
            removed += 1;
            for rule in rules.iter_mut() {
                rule.kept[rule.groups.of[row] as usize] -= 1;
            }
        }
    }
    removed
}

fn describe(request: &RareRequest<'_>, keep: Vec<bool>, removed: Vec<u64>, rounds: u64) -> Rare {
    let codes = match request.region {
        Some(codes) => codes,
        None => &vec![0; request.records],
    };
    let groups = RecordGroups::of_columns(&[codes], request.records);
    let mut code_of = vec![0; groups.count];
    let mut counts = vec![BeforeAndAfter::default(); groups.count];
    for (row, group) in groups.of.iter().enumerate() {
        code_of[*group as usize] = codes[row];
        counts[*group as usize].before += 1;
        counts[*group as usize].after += u64::from(keep[row]);
    }
    let records = BeforeAndAfter { before: keep.len() as u64, after: keep.iter().filter(|keep| **keep).count() as u64 };
    Rare { keep, records, regions: code_of.into_iter().zip(counts).collect(), removed, rounds }
}
