//! Differences (P3): what a cell of one table has beside a cell of another table inside it, whatever variables and conditions set them apart.

use std::collections::{BTreeMap, BTreeSet};

use super::implied::Implied;
use super::places::{Cells, Coordinates, Place};

/// Pairs of cells of counts, the larger first, of which the second is inside the first, that no table shows both, and whose difference is from 1 to `few` in a
/// table that fits. A difference that can be worked out is the same in every such table, so no other pair matters. What is left is no cell by itself,
/// which would be judged as one. `implied` has what cells say of variables that they do not show.
pub(super) fn differences(cells: &mut Cells, values: &[i64], few: i64, implied: &Implied) -> Vec<(u32, u32)> {
    let mut tables: Vec<Vec<usize>> = vec![Vec::new(); cells.places.len()];
    for (number, table) in cells.tables.iter().enumerate() {
        table.iter().for_each(|cell| tables[*cell as usize].push(number));
    }
    let larger = larger_sets(cells, implied);
    let everyone: Vec<Vec<u32>> = (0..cells.variables.len() as u32).map(|of| cells.everyone(of)).collect();
    let mut found = BTreeSet::new();
    let is_published = |cell: u32| !tables[cell as usize].is_empty();
    for inside in (0..cells.places.len() as u32).filter(|cell| is_published(*cell)) {
        let Place { unit, at } = cells.places[inside as usize].clone();
        let mut told = at.clone();
        if let Some(kinds) = implied.kinds.get(&inside) {
            told.retain(|(variable, _)| *variable != kinds.0);
            told.push(*kinds);
        }
        let mut wider: Vec<Coordinates> = vec![Coordinates::new()];
        for (variable, set) in &told {
            let sets = larger.get(&(*variable, *set)).map(Vec::as_slice).unwrap_or_default();
            let with = |before: Coordinates| {
                let more =
                    sets.iter().map(|set| [&before[..], &[(*variable, *set)]].concat()).collect::<Vec<Coordinates>>();
                std::iter::once(before).chain(more)
            };
            wider = wider.into_iter().flat_map(with).collect();
        }
        let all = told.iter().flat_map(|entry| implied.values.get(entry).into_iter().flatten());
        for (variable, set) in all.filter(|(variable, _)| !told.iter().any(|(own, _)| own == variable)) {
            let sets = larger.get(&(*variable, *set)).map(Vec::as_slice).unwrap_or_default();
            let with = |before: Coordinates| {
                let more = sets.iter().map(|set| [&before[..], &[(*variable, *set)]].concat());
                let more: Vec<Coordinates> = more.collect();
                std::iter::once(before).chain(more)
            };
            wider = wider.into_iter().flat_map(with).collect();
        }
        for mut place in wider {
            place.sort_unstable();
            let whole = cells.find(&Place { unit, at: place.clone() }).filter(|cell| is_published(*cell));
            let Some(whole) = whole else { continue };
            let left = values[whole as usize].saturating_sub(values[inside as usize]);
            let apart = !tables[whole as usize].iter().any(|table| tables[inside as usize].contains(table));
            if apart && (1..=few).contains(&left) {
                let beside = beside(cells, unit, &place, &at, &everyone);
                if !beside.is_some_and(is_published) {
                    found.insert((whole, inside));
                }
            }
        }
    }
    found.into_iter().collect()
}

/// For each set of a variable that cells name, or that is implied, those that cells name and that hold it.
fn larger_sets(cells: &Cells, implied: &Implied) -> BTreeMap<(u32, u32), Vec<u32>> {
    let mut sets: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
    for (variable, set) in cells.places.iter().flat_map(|place| &place.at) {
        sets.entry(*variable).or_default().insert(*set);
    }
    let holds = |large: u32, small: u32| {
        let large = &cells.sets[large as usize];
        cells.sets[small as usize].iter().all(|value| large.binary_search(value).is_ok())
    };
    let mut around = BTreeMap::new();
    let named = sets.iter().flat_map(|(variable, sets)| sets.iter().map(move |small| (*variable, *small)));
    for (variable, small) in named.chain(implied.values.values().flatten().chain(implied.kinds.values()).copied()) {
        let larger = sets.get(&variable).into_iter().flatten().copied().filter(|large| holds(*large, small)).collect();
        around.insert((variable, small), larger);
    }
    around
}

/// The cell that is what a cell has beside one inside it: they differ in one variable, and what is left of it is a node.
fn beside(
    cells: &mut Cells,
    unit: u32,
    whole: &Coordinates,
    inside: &Coordinates,
    everyone: &[Vec<u32>],
) -> Option<u32> {
    let differs: Vec<(u32, u32)> = inside.iter().copied().filter(|entry| !whole.contains(entry)).collect();
    let [(variable, set)] = differs[..] else { return None };
    if cells.variables[variable as usize].several {
        return None;
    }
    let own = whole.iter().find(|(of, _)| *of == variable).map(|(_, set)| vec![*set]);
    own.as_ref().unwrap_or(&everyone[variable as usize]).iter().find_map(|larger| {
        let taken = &cells.sets[set as usize];
        let left = cells.sets[*larger as usize].iter().copied().filter(|value| taken.binary_search(value).is_err());
        let left = left.collect::<Vec<u32>>();
        let left = cells.set(&left);
        let mut at: Coordinates =
            whole.iter().copied().filter(|(of, _)| *of != variable).chain([(variable, left)]).collect();
        at.sort_unstable();
        cells.find(&Place { unit, at })
    })
}
