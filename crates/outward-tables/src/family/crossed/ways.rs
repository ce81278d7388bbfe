//! Which variables to cross.

use std::collections::{BTreeMap, BTreeSet};

use super::conditions::Rule;
use super::{Key, Unit};

/// The variables to cross so that all that follows from the tables of a unit does so by sums, and fewer that would do less, the best first.
pub(super) fn ways(unit: &Unit, rules: &[Rule]) -> Vec<BTreeSet<u32>> {
    // What many variables tell is given up first.
    let largest = rules.iter().filter(|rule| !rule.whole).map(|rule| rule.on.len()).max().unwrap_or_default();
    let mut ways = Vec::new();
    for most in (0..=largest).rev() {
        let some = rules.iter().filter(|rule| rule.whole || rule.on.len() <= most);
        ways.extend(ways_by(unit, &some.collect::<Vec<_>>()));
    }
    ways.extend(ways_with(unit, &BTreeSet::new()));
    ways.push(BTreeSet::new());
    ways.dedup();
    ways
}

/// Those by which all that some rules say is reckoned with; none where they and pairs say nothing.
fn ways_by(unit: &Unit, rules: &[&Rule]) -> Vec<BTreeSet<u32>> {
    let kinds = unit.records.as_ref().and_then(|records| records.kinds).filter(|_| !rules.is_empty());
    let mut told: BTreeSet<u32> = rules.iter().flat_map(|rule| unit.variables(rule)).chain(kinds).collect();
    // Pairs, and what one of several columns holds, say of all that tables show beside them who has which answers together.
    let columns = rules.iter().flat_map(|rule| unit.columns(rule)).map(|(variable, _)| variable);
    for answers in unit.pairs.values().copied().chain(columns) {
        told.insert(answers);
        let holds = |key: &Key| key.iter().any(|(own, _)| unit.of_pairs(*own) == answers);
        let beside = unit.cells.iter().filter(|(key, _)| holds(key)).flat_map(|(key, _)| key);
        told.extend(beside.map(|(own, _)| unit.of_pairs(*own)));
    }
    if told.is_empty() { Vec::new() } else { ways_with(unit, &told) }
}

/// The variables that tables show without their totals, or count some of by a condition, and those beside them: what they leave out is no
/// cell of theirs.
fn without_totals(unit: &Unit) -> BTreeSet<u32> {
    let shapes =
        unit.places.shapes.iter().filter(|(_, common)| common.iter().any(|(variable, _)| *variable == unit.number));
    let shapes: Vec<_> = shapes.collect();
    let mut open = BTreeSet::new();
    for (standing, common) in shapes.iter().filter(|_| shapes.len() > 1) {
        let some = common.iter().any(|(variable, _)| unit.places.adds_up(*variable));
        if some || standing.iter().any(|of| unit.places.adds_up(of.variable) && of.sets.iter().all(Option::is_some)) {
            let variables = standing.iter().map(|of| of.variable).chain(common.iter().map(|(variable, _)| *variable));
            open.extend(variables.filter(|variable| unit.places.adds_up(*variable)));
        }
    }
    open
}

/// The variables of each table but for those that another shows with all their nodes and more; pairs count as what they are pairs of, where
/// this is told.
fn tables(unit: &Unit, told: &BTreeSet<u32>) -> Vec<BTreeSet<u32>> {
    let of = |variable: u32| Some(unit.of_pairs(variable)).filter(|of| told.contains(of)).unwrap_or(variable);
    let mut shown: BTreeMap<BTreeSet<u32>, BTreeSet<(u32, u32)>> = BTreeMap::new();
    for (key, _) in &unit.cells {
        let variables = key.iter().map(|(variable, _)| of(*variable)).collect();
        let several = key.iter().filter(|(variable, _)| unit.known(*variable).several);
        shown.entry(variables).or_default().extend(several);
    }
    let within = |(one, nodes): &(&BTreeSet<u32>, &BTreeSet<(u32, u32)>)| {
        shown.iter().any(|(other, more)| one.is_subset(other) && *one != other && nodes.is_subset(more))
    };
    shown.iter().filter(|table| !within(table)).map(|(variables, _)| variables.clone()).collect()
}

fn ways_with(unit: &Unit, told: &BTreeSet<u32>) -> Vec<BTreeSet<u32>> {
    let tables = tables(unit, told);
    let nodes = unit.nodes();
    let several = |variable: &&u32| unit.known(**variable).several;
    // All but the largest of the variables of several answers in a table.
    let mut answers: BTreeSet<u32> = told.iter().filter(several).copied().collect();
    for table in &tables {
        let largest = table.iter().filter(several).max_by_key(|variable| (nodes[variable].len(), **variable));
        answers.extend(table.iter().filter(several).filter(|variable| Some(*variable) != largest));
    }
    let stays = |variable: &u32| unit.known(*variable).several && !answers.contains(variable);
    let rings: BTreeSet<u32> = ring(tables.clone()).into_iter().filter(|variable| !stays(variable)).collect();
    // What one table says of who is counted twice, another that shows the same answers says too.
    let mut beside: BTreeSet<u32> = BTreeSet::new();
    for variable in nodes.keys().filter(|variable| stays(variable)) {
        let holding: Vec<&BTreeSet<u32>> = tables.iter().filter(|table| table.contains(variable)).collect();
        if holding.len() > 1 {
            beside.extend(holding.into_iter().flatten().filter(|other| !stays(other)));
        }
    }
    // Pairs are crossed as what they are pairs of.
    let join = |sets: &[&BTreeSet<u32>]| -> BTreeSet<u32> {
        let all = sets.iter().copied().flatten().copied();
        all.filter(|variable| !unit.pairs.get(variable).is_some_and(|of| told.contains(of))).collect()
    };
    let open: BTreeSet<u32> =
        without_totals(unit).into_iter().filter(|variable| nodes.contains_key(variable)).collect();
    vec![
        join(&[told, &answers, &rings, &open, &beside]),
        join(&[told, &answers, &rings, &open]),
        join(&[told, &answers, &rings]),
        join(&[told, &answers]),
        join(&[told, &open]),
        join(&[told, &rings]),
    ]
}

/// The variables of tables that are linked in a ring.
fn ring(mut tables: Vec<BTreeSet<u32>>) -> BTreeSet<u32> {
    loop {
        let before = tables.clone();
        // A variable of one table ties it to no other.
        let all: BTreeSet<u32> = tables.iter().flatten().copied().collect();
        for variable in all {
            let mut holding = tables.iter_mut().filter(|table| table.contains(&variable));
            if let (Some(table), None) = (holding.next(), holding.next()) {
                table.remove(&variable);
            }
        }
        // A table whose variables another has too is a margin of that one.
        tables.dedup();
        let inside = |at: usize| {
            let within = |(other, table): (usize, &BTreeSet<u32>)| {
                other != at && tables[at].is_subset(table) && (tables[at] != *table || other < at)
            };
            tables.iter().enumerate().any(within)
        };
        tables = (0..tables.len()).filter(|at| !inside(*at)).map(|at| tables[at].clone()).collect();
        if tables == before {
            return if tables.len() > 1 { tables.into_iter().flatten().collect() } else { BTreeSet::new() };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ring_of(tables: &[&[u32]]) -> Vec<u32> {
        ring(tables.iter().map(|table| table.iter().copied().collect()).collect()).into_iter().collect()
    }

    #[test]
    fn tables_of_each_two_of_three_variables_are_a_ring_and_tables_that_share_one_are_not() {
        assert_eq!(ring_of(&[&[1, 2], &[2, 3], &[1, 3]]), [1, 2, 3]);
        assert!(ring_of(&[&[1, 2], &[1, 3], &[1, 4]]).is_empty());
        assert!(ring_of(&[&[1, 2], &[2, 3], &[1, 3], &[1, 2, 3]]).is_empty());
        // Whatever hangs on a ring is not in it.
        assert_eq!(ring_of(&[&[1, 2, 5], &[2, 3], &[3, 4], &[4, 1], &[4, 6]]), [1, 2, 3, 4]);
    }
}
