//! What tables of `[data]` and of linked files have in common (M7): variables, and those of whom both tell by themselves: who meets a condition, or has
//! a value of the linked file.

use std::collections::{BTreeMap, BTreeSet};

use outward_spec::Spec;
use outward_tables::Published;

use super::parts::Nodes;
use crate::verify::tables::conditions::condition_of;
use crate::verify::tables::links::{DATA, is_of_data};
use crate::verify::tables::places::Cells;

/// The variables that tables of `[data]` and of linked files both show: by the number of each the number it has in `[data]`.
pub(super) type CommonVariables = BTreeMap<u32, u32>;

/// What units have in common.
#[derive(Default)]
pub(in crate::verify::tables) struct Common {
    pub(in crate::verify::tables) variables: CommonVariables,
    pub(in crate::verify::tables) selections: Vec<Selection>,
}

/// By what some records are held against each other.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::verify::tables) enum SelectedBy {
    /// They meet a condition on values of `[data]`.
    Condition,
    /// They have a value of the linked file, which its tables show too.
    Value,
    /// They have some value of the linked file, which its tables do not show.
    AnyValue,
}

/// Records of `[data]` and linked ones that are held against each other by themselves.
pub(in crate::verify::tables) struct Selection {
    pub(in crate::verify::tables) kind: SelectedBy,
    /// The linked file.
    pub(in crate::verify::tables) unit: u32,
    /// What says of either who is selected; no variable of the linked file where all of its records are.
    own: u32,
    linked: Option<u32>,
    /// Nodes of the first, which add up, and of the second.
    nodes: Vec<(Vec<u32>, Option<u32>)>,
}

impl Selection {
    /// The variables and the nodes that both units must tell.
    pub(super) fn nodes(&self) -> [Option<(u32, Nodes)>; 2] {
        let own = self.nodes.iter().flat_map(|(own, _)| own).copied().collect();
        let linked = self.linked.map(|of| (of, self.nodes.iter().filter_map(|(_, node)| *node).collect()));
        [Some((self.own, own)), linked]
    }

    /// What is held against each other.
    pub(super) fn held_against(&self) -> Vec<(Vec<Option<u32>>, Option<u32>)> {
        let both = |(own, linked): &(Vec<u32>, Option<u32>)| (own.iter().copied().map(Some).collect(), *linked);
        self.nodes.iter().map(both).collect()
    }
}

/// The nodes by which tables of several units show the same.
#[derive(Default)]
pub(super) struct CommonNodes {
    /// Of a common variable, by its number in each unit.
    pub(super) nodes: BTreeMap<u32, Nodes>,
    /// Of those who are selected, with the variable.
    pub(super) selected: Vec<(u32, Nodes)>,
}

impl CommonNodes {
    pub(super) fn new(cells: &Cells, common: &Common) -> Self {
        let (shown, mut nodes) = (shown(cells), BTreeMap::<u32, Nodes>::new());
        for (linked, data) in common.variables.iter().filter(|(linked, data)| linked != data) {
            let (Some(ours), Some(theirs)) = (shown.get(data), shown.get(linked)) else { continue };
            let both: Nodes = ours.intersection(theirs).copied().collect();
            nodes.entry(*data).or_default().extend(&both);
            nodes.insert(*linked, both);
        }
        Self { nodes, selected: common.selections.iter().flat_map(|only| only.nodes()).flatten().collect() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.nodes.is_empty() && self.selected.is_empty()
    }

    /// Whether units have something in common by a variable.
    pub(super) fn has(&self, variable: u32) -> bool {
        self.nodes.contains_key(&variable) || self.selected.iter().any(|(of, _)| *of == variable)
    }
}

/// The nodes by which tables show each variable.
fn shown(cells: &Cells) -> BTreeMap<u32, Nodes> {
    let mut shown: BTreeMap<u32, Nodes> = BTreeMap::new();
    for (variable, set) in cells.places.iter().flat_map(|place| &place.at) {
        shown.entry(*variable).or_default().insert(*set);
    }
    shown
}

impl Common {
    /// What tables have in common. There is nothing where nothing is hidden.
    pub(in crate::verify::tables) fn new(
        cells: &mut Cells,
        tables: &[&Published],
        spec: Option<&Spec>,
        known: &[bool],
    ) -> Self {
        let (Some(data), Some(spec)) = (cells.units.iter().position(|unit| unit == DATA), spec) else {
            return Self::default();
        };
        if known.iter().all(|known| *known) || cells.units.len() == 1 {
            return Self::default();
        }
        let mut selections = Vec::new();
        for unit in (0..cells.units.len() as u32).filter(|unit| *unit as usize != data) {
            selections.extend(conditions(cells, tables, spec, [data as u32, unit]));
            selections.extend(values(cells, [data as u32, unit]));
        }
        Self { variables: variables(cells, spec, data), selections }
    }
}

fn variables(cells: &Cells, spec: &Spec, data: usize) -> CommonVariables {
    let of_data = |of: u32| is_of_data(spec, &cells.variables[of as usize].names);
    let all = || (0..cells.variables.len() as u32).filter(|of| of_data(*of));
    let is_data = |of: &u32| cells.variables[*of as usize].unit as usize == data;
    let same = |own: u32, of: u32| {
        cells.source(own) == cells.source(of)
            && cells.variables[own as usize].several == cells.variables[of as usize].several
    };
    all().filter_map(|of| Some((of, all().filter(is_data).find(|own| same(*own, of))?))).collect()
}

/// Those who meet a condition that tables of both units have, and that reads values of `[data]`.
fn conditions(cells: &mut Cells, tables: &[&Published], spec: &Spec, units: [u32; 2]) -> Option<Selection> {
    let [own, linked] = units.map(|unit| cells.known(unit, None));
    let (own, linked) = (own?, linked?);
    let reads = |column: &String| {
        let mut readers = spec.variables.iter().filter(|of| of.read_from().contains(column)).peekable();
        readers.peek().is_some() && readers.all(|of| of.from.is_empty())
    };
    let [ours, theirs] = units.map(|unit| {
        let name = &cells.units[unit as usize];
        let of_unit = tables.iter().map(|of| &of.table).filter(|table| table.unit == *name);
        let some = of_unit.filter(|table| table.records.len() < table.kinds);
        let own = some.filter_map(|table| Some((condition_of(table)?, table.records.clone())));
        own.filter(|(condition, _)| condition.columns.iter().all(reads)).collect::<Vec<_>>()
    });
    let mut nodes = BTreeSet::new();
    for (condition, records) in ours {
        for (_, others) in theirs.iter().filter(|(other, _)| other.parsed == condition.parsed) {
            nodes.insert((vec![cells.set(&records)], Some(cells.set(others))));
        }
    }
    let nodes: Vec<_> = nodes.into_iter().collect();
    (!nodes.is_empty()).then_some(Selection {
        kind: SelectedBy::Condition,
        unit: units[1],
        own,
        linked: Some(linked),
        nodes,
    })
}

/// Those who have a value of a linked file: a record of `[data]` has the values of all its linked records.
fn values(cells: &Cells, [data, unit]: [u32; 2]) -> Vec<Selection> {
    let shown = shown(cells);
    let nodes_of = |variable: u32| shown.get(&variable).cloned().unwrap_or_default();
    let file = &cells.units[unit as usize];
    let of_file = |variable: &u32| {
        let source = cells.source(*variable);
        source.is_some_and(|source| source.from == [file.as_str()] && !source.shared && !source.pairs)
    };
    let in_unit =
        |of: u32| (0..cells.variables.len() as u32).filter(move |at| cells.variables[*at as usize].unit == of);
    let selection = |own: u32| {
        let linked = in_unit(unit).find(|other| cells.source(*other) == cells.source(own));
        let nodes = nodes_of(own);
        let (kind, nodes) = match linked {
            Some(linked) => {
                let both = nodes.intersection(&nodes_of(linked)).map(|node| (vec![*node], Some(*node))).collect();
                (SelectedBy::Value, both)
            }
            None => (SelectedBy::AnyValue, any_value(cells, own, &nodes)),
        };
        (!nodes.is_empty()).then_some(Selection { kind, unit, own, linked, nodes })
    };
    in_unit(data).filter(of_file).filter_map(selection).collect()
}

/// Nodes of whom each has at least one linked record: all values, or, where a linked record has one value, nodes that share none.
fn any_value(cells: &Cells, variable: u32, nodes: &Nodes) -> Vec<(Vec<u32>, Option<u32>)> {
    let size = |node: &u32| cells.sets[*node as usize].len();
    let whole = nodes.iter().copied().filter(|node| size(node) == cells.variables[variable as usize].shown.len());
    let mut found: Vec<(Vec<u32>, Option<u32>)> = whole.map(|node| (vec![node], None)).collect();
    if cells.source(variable).is_some_and(|source| source.columns.len() == 1) {
        let mut smallest: Vec<u32> = nodes.iter().copied().collect();
        smallest.sort_by_key(|node| (size(node), *node));
        let (mut taken, mut apart) = (BTreeSet::<u32>::new(), Vec::new());
        for node in smallest {
            if cells.sets[node as usize].iter().all(|value| !taken.contains(value)) {
                taken.extend(&cells.sets[node as usize]);
                apart.push(node);
            }
        }
        found.extend((apart.len() > 1).then_some((apart, None)));
    }
    found
}
