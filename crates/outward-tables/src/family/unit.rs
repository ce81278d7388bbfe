//! The tables of one unit in the model of the attacker, and the records behind them.

use std::collections::{BTreeMap, BTreeSet};

use super::Family;
use super::axis::{Axis, View};
use super::graph::VariableSet;
use super::links::Links;
use super::parts::{Apart, Node, Parts, meets};
use super::places::{Key, KnownVariable, Places, VariableKind};
use super::rules::{Excluded, Rule};
use crate::inner::Contribution;
use crate::make::{CountedTable, CountedTables, Measured, Records};

/// A table: its variables and nodes by number, and the part of the key that all its cells share.
pub(super) struct Shape {
    /// Its position among the tables of the family.
    pub(super) place: usize,
    pub(super) name: String,
    /// For each dimension the variable, and for each node its number; `None` if the node has all values.
    pub(super) dimensions: Vec<(u32, Vec<Option<u32>>)>,
    pub(super) common: Key,
    /// For each dimension and node whether the node is the sum of others.
    sums: Vec<Vec<bool>>,
}

impl Shape {
    /// The nodes of a cell.
    pub(super) fn nodes(&self, cell: usize) -> Vec<usize> {
        let mut rest = cell;
        let mut nodes: Vec<usize> = Vec::with_capacity(self.dimensions.len());
        for (_, own) in self.dimensions.iter().rev() {
            nodes.push(rest % own.len());
            rest /= own.len();
        }
        nodes.reverse();
        nodes
    }

    /// The variables and nodes of a cell, by number.
    pub(super) fn entries<'a>(&'a self, nodes: &'a [usize]) -> impl Iterator<Item = (u32, u32)> + 'a {
        let shown = self.dimensions.iter().zip(nodes);
        shown.filter_map(|((variable, own), node)| Some((*variable, own[*node]?))).chain(self.common.iter().copied())
    }

    /// Whether a cell is the sum of other cells of the table.
    pub(super) fn is_sum(&self, nodes: &[usize]) -> bool {
        self.sums.iter().zip(nodes).any(|(sums, node)| sums[*node])
    }

    pub(super) fn shows(&self, variable: u32) -> bool {
        self.dimensions.iter().any(|(own, _)| *own == variable) || self.common.iter().any(|(own, _)| *own == variable)
    }

    /// How the table splits each variable, and which variables are counted node by node.
    pub(super) fn variable_set(&self, unit: &Unit) -> VariableSet {
        let mut views: BTreeMap<u32, View> = BTreeMap::new();
        for (variable, nodes) in self.dimensions.iter().filter(|(variable, _)| !unit.layered.contains(variable)) {
            views.entry(*variable).or_default().nodes.extend(nodes.iter().flatten());
        }
        for (variable, node) in &self.common {
            views.entry(*variable).or_default().nodes.insert(*node);
        }
        VariableSet { views, layered: unit.layered.iter().copied().filter(|variable| self.shows(*variable)).collect() }
    }
}

/// The tables of a unit, and what is known of its variables.
pub(super) struct Unit<'a> {
    pub(super) name: String,
    places: &'a Places,
    links: &'a Links,
    /// The entry that the key of every cell of the unit has.
    entry: (u32, u32),
    pub(super) shapes: Vec<Shape>,
    /// The parts of each variable that is split into parts.
    pub(super) parts: BTreeMap<u32, Parts>,
    /// Variables with several answers that are counted node by node.
    pub(super) layered: BTreeSet<u32>,
    rules: Vec<Rule>,
    records: Option<Behind<'a>>,
    /// For a linked file: its different records, with those of `[data]` that they belong to.
    pub(super) parents: &'a [(u32, u32)],
}

/// The records behind the tables, grouped by everything that the tables show.
struct Behind<'a> {
    records: &'a Records,
    /// For each variable the position of its code.
    columns: BTreeMap<u32, usize>,
    /// For each record its count or amount, and what contributors have in it.
    amounts: &'a [i64],
    contributions: &'a [Contribution],
    /// The part of each record, variable by variable.
    parts: BTreeMap<u32, Vec<u32>>,
}

impl<'a> Unit<'a> {
    /// Reads the tables of a unit. Variables in `node_by_node` are counted node by node.
    pub(super) fn new(
        family: &Family,
        counted: &'a CountedTables,
        (places, links): (&'a Places, &'a Links),
        (number, name): (u32, &str),
        node_by_node: &BTreeSet<u32>,
    ) -> Self {
        let CountedTables { tables: made, known } = counted;
        let known = known.of_units.get(name);
        let own = |place: &usize| places.shapes[*place].1.iter().any(|(variable, _)| *variable == number);
        let tables: Vec<usize> = (0..family.tables.len()).filter(own).collect();
        let shown: BTreeSet<u32> =
            tables.iter().flat_map(|place| &places.shapes[*place].0).map(|standing| standing.variable).collect();
        let mut pairs: BTreeMap<u32, u32> = places.pairs(name);
        pairs.retain(|pairs, of| shown.contains(pairs) && (shown.contains(of) || links.is_common(*of)));
        let rules = known.map_or_else(Vec::new, |known| Rule::all(places, name, known));
        let entry = tables
            .first()
            .and_then(|place| places.shapes[*place].1.iter().find(|(variable, _)| *variable == number).copied());
        let mut unit = Self {
            name: name.to_owned(),
            places,
            links,
            entry: entry.unwrap_or_default(),
            shapes: Vec::new(),
            parts: BTreeMap::new(),
            layered: BTreeSet::new(),
            rules,
            records: None,
            parents: known.map_or(&[], |known| &known.parents),
        };
        // Pairs of answers that are counted node by node are a separate variable.
        loop {
            unit.shapes = tables.iter().map(|place| unit.shape(family, made, &pairs, *place)).collect();
            unit.tell_apart(node_by_node);
            let before = pairs.len();
            pairs.retain(|_, of| !unit.layered.contains(of));
            if pairs.len() == before {
                break;
            }
        }
        unit.rules.retain(|rule| rule.variables().iter().all(|variable| unit.parts.contains_key(variable)));
        let records = known.and_then(|known| known.records.as_ref());
        unit.records = records.and_then(|records| unit.behind(records, name, &family.measure(made)));
        unit
    }

    fn shape(&self, family: &Family, made: &[CountedTable], pairs: &BTreeMap<u32, u32>, place: usize) -> Shape {
        let (standing, common) = &self.places.shapes[place];
        let table = &made[family.tables[place]].table;
        let first_pair = self.places.sets.len() as u32;
        let dimension = |of: &super::places::Standing| match pairs.get(&of.variable) {
            Some(answers) => (*answers, of.sets.iter().map(|set| set.map(|set| set + first_pair)).collect()),
            None => (of.variable, of.sets.clone()),
        };
        let sums = table.dimensions.iter().map(|dimension| {
            let mut is_sum = vec![false; dimension.nodes.len()];
            let parts = |(total, parts): &&(usize, Vec<usize>)| parts[..] != [*total];
            dimension.sums.iter().filter(parts).for_each(|(total, _)| is_sum[*total] = true);
            is_sum
        });
        Shape {
            place,
            name: table.name.clone(),
            dimensions: standing.iter().map(dimension).collect(),
            common: common.iter().copied().filter(|entry| *entry != self.entry).collect(),
            sums: sums.collect(),
        }
    }

    /// Finds the parts of each variable, and which variables are counted node by node.
    fn tell_apart(&mut self, node_by_node: &BTreeSet<u32>) {
        let mut apart: BTreeMap<u32, Apart<'a>> = BTreeMap::new();
        let mut several: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        let places = self.places;
        for (at, shape) in self.shapes.iter().enumerate() {
            let own =
                shape.dimensions.iter().flat_map(|(variable, nodes)| nodes.iter().map(move |node| (variable, node)));
            let common = shape.common.iter().map(|(variable, node)| (variable, Some(*node)));
            for (variable, node) in own.map(|(variable, node)| (variable, *node)).chain(common) {
                let told = apart.entry(*variable).or_default();
                let Some(number) = node else { continue };
                let listed = places.pairs_of(*variable).filter(|_| number as usize >= places.sets.len());
                told.listed = told.listed.or(listed);
                told.nodes.entry(number).or_insert_with(|| match listed {
                    Some(_) => places.pairs_in(*variable, number - places.sets.len() as u32),
                    None => Node::Any(places.sets[number as usize].clone()),
                });
            }
            for (variable, _) in shape.dimensions.iter().filter(|(variable, _)| self.known(*variable).several) {
                several.entry(*variable).or_default().push(at);
            }
        }
        for (variable, column) in self.rules.iter().flat_map(Rule::columns) {
            apart.get_mut(&variable).into_iter().for_each(|apart| _ = apart.columns.insert(column));
        }
        // Tables of linked units split a variable too.
        for (variable, told) in &mut apart {
            for other in self.links.alike(*variable) {
                places
                    .nodes_of(other)
                    .into_iter()
                    .for_each(|(number, node)| _ = told.nodes.entry(number).or_insert(node));
            }
        }
        // If there is only one table, and it shows one such variable, the sums along that variable are all that holds.
        let alone = |variable: &u32, apart: &Apart| {
            let own = several.get(variable).map(Vec::as_slice).unwrap_or_default();
            let others =
                |table: usize| several.iter().any(|(other, tables)| other != variable && tables.contains(&table));
            let once = matches!(own, [table] if self.shapes.len() == 1 && !others(*table));
            once && apart.columns.is_empty() && apart.listed.is_none() && !self.links.is_common(*variable)
        };
        (self.parts, self.layered) = (BTreeMap::new(), BTreeSet::new());
        for (variable, told) in apart {
            let layered = alone(&variable, &told) || node_by_node.contains(&variable);
            let parts = if layered { None } else { Parts::new(&self.links.known(places, variable), told) };
            match parts {
                Some(parts) => _ = self.parts.insert(variable, parts),
                None => _ = self.layered.insert(variable),
            }
        }
    }

    /// The nodes that tables list only because they occur (K9), by variable and number.
    pub(super) fn listed_nodes(&self) -> BTreeSet<(u32, u32)> {
        // A single table with a condition does not show this: the value may occur among other records.
        let shapes = self.shapes.iter().filter(|shape| self.shapes.len() > 1 || shape.common.is_empty());
        let dimensions = shapes.flat_map(|shape| &shape.dimensions);
        let own = dimensions.filter(|(variable, _)| self.known(*variable).shown && !self.known(*variable).listed);
        let nodes = own.flat_map(|(variable, nodes)| nodes.iter().flatten().map(|node| (*variable, *node)));
        // Pairs of answers have numbers after those of the sets of values.
        nodes.filter(|(_, node)| self.places.sets.get(*node as usize).is_some_and(|set| !set.is_empty())).collect()
    }

    fn known(&self, variable: u32) -> &'a KnownVariable {
        &self.places.known_variables[variable as usize]
    }

    /// The records, each with its part of every variable; `None` if that is not known.
    fn behind(&self, records: &'a Records, name: &str, measure: &Measured) -> Option<Behind<'a>> {
        let sources = records.sources.iter().cloned().map(VariableKind::Values).enumerate();
        let told = sources.chain([(records.values.len(), VariableKind::Kind)]);
        let columns: BTreeMap<u32, usize> =
            told.filter_map(|(at, told)| Some((self.places.number(name, told)?, at))).collect();
        let amounts = records.amounts.get(measure)?;
        let contributions = records.contributions.get(measure).map_or(&[][..], Vec::as_slice);
        let mut behind = Behind { records, columns, amounts, contributions, parts: BTreeMap::new() };
        for (variable, parts) in &self.parts {
            let held = |record: usize, column: usize| behind.held(record, *variable, column);
            let own = |record: usize| {
                let values = behind.values(record, *variable)?;
                parts.part_of(values, |column| held(record, column))
            };
            let of: Vec<u32> = (0..records.codes.len()).map(own).collect::<Option<_>>()?;
            behind.parts.insert(*variable, of);
        }
        Some(behind)
    }

    pub(super) fn has_records(&self) -> bool {
        self.records.is_some()
    }

    /// Whether there is only one table, with at most one variable of several answers. Its own sums are then all that
    /// holds.
    pub(super) fn is_one_table(&self) -> bool {
        let told = |shape: &Shape| {
            shape
                .dimensions
                .iter()
                .any(|(variable, _)| self.known(*variable).several && !self.layered.contains(variable))
        };
        self.shapes.len() < 2 && self.rules.is_empty() && !self.shapes.iter().any(told)
    }

    /// The variables with several answers that are split into parts.
    pub(super) fn answers_apart(&self) -> impl Iterator<Item = u32> {
        self.parts.keys().copied().filter(|variable| self.known(*variable).several)
    }

    /// Whether a table shows a variable.
    pub(super) fn shows(&self, variable: u32) -> bool {
        self.shapes.iter().any(|shape| shape.shows(variable))
    }

    /// The nodes that tables show of a variable, without pairs.
    pub(super) fn nodes_shown(&self, variable: u32) -> BTreeSet<u32> {
        let dimensions = self.shapes.iter().flat_map(|shape| &shape.dimensions).filter(|(own, _)| *own == variable);
        let nodes = dimensions.flat_map(|(_, nodes)| nodes).flatten().copied();
        nodes.filter(|node| (*node as usize) < self.places.sets.len()).collect()
    }

    /// Whether tables have conditions.
    pub(super) fn has_conditions(&self) -> bool {
        self.shapes.iter().any(|shape| shape.common.iter().any(|(variable, _)| self.tells_kinds(*variable)))
    }

    /// Whether a variable says which conditions a record meets.
    pub(super) fn tells_kinds(&self, variable: u32) -> bool {
        *self.places.kind_of(variable) == VariableKind::Kind
    }

    /// The variable of conditions, and the variables they read.
    pub(super) fn read_by_conditions(&self) -> BTreeSet<u32> {
        let kinds = self.parts.keys().copied().filter(|variable| self.tells_kinds(*variable));
        let read = self.rules.iter().filter(|rule| matches!(rule, Rule::Conditions { .. }));
        read.flat_map(Rule::variables).chain(kinds).collect()
    }

    /// What excludes combinations.
    pub(super) fn rules(&self) -> impl Iterator<Item = &Rule> {
        self.rules.iter()
    }

    /// Whether the model uses something of the records that an attacker need not know: which values conditions keep, or
    /// which pairs occur.
    pub(super) fn knows_records(&self) -> bool {
        let paired = |(_, nodes): &(u32, Vec<Option<u32>>)| {
            nodes.iter().flatten().any(|node| *node as usize >= self.places.sets.len())
        };
        !self.rules.is_empty() || self.shapes.iter().any(|shape| shape.dimensions.iter().any(paired))
    }

    /// The combinations of some axes that rules exclude.
    pub(super) fn excluded(&self, axes: &[Axis]) -> Vec<Excluded> {
        self.rules.iter().filter_map(|rule| rule.on(axes, &self.parts)).collect()
    }

    /// For each place of an axis the node that has exactly this place; no node if the axis has only one place.
    pub(super) fn nodes_of_places(&self, axis: &Axis) -> Vec<Option<Option<u32>>> {
        if axis.count == 1 {
            return vec![Some(None)];
        }
        let mut nodes = vec![None; axis.count];
        let parts = &self.parts[&axis.variable];
        for number in parts.nodes().filter(|number| (*number as usize) < self.places.sets.len()) {
            if let [place] = axis.places(parts.node(number))[..]
                && axis.view.nodes.contains(&number)
            {
                nodes[place as usize] = Some(Some(number));
            }
        }
        nodes
    }

    /// The published cell at these nodes, if every place is a node.
    pub(super) fn published(
        &self,
        nodes: impl Iterator<Item = (u32, Option<Option<u32>>)>,
        layer: &Key,
    ) -> Option<u32> {
        let mut key: Key = layer.clone();
        for (variable, node) in nodes {
            key.extend(node?.map(|node| (variable, node)));
        }
        key.push(self.entry);
        key.sort_unstable();
        self.places.cells.get(&key).copied()
    }

    /// The count or amount of each combination of places in each layer; `None` if records do not give it.
    pub(super) fn counted(&self, axes: &[Axis], layers: &[Key]) -> Option<Vec<i64>> {
        let behind = self.records.as_ref()?;
        let count: usize = axes.iter().map(|axis| axis.count).product();
        let mut found = vec![0i64; count * layers.len()];
        for (record, at) in self.stand(axes, layers)? {
            found[at] += behind.amounts[record];
        }
        Some(found)
    }

    /// For each record its positions among the combinations of all layers; `None` if records do not give them.
    pub(super) fn stand(&self, axes: &[Axis], layers: &[Key]) -> Option<Vec<(usize, usize)>> {
        let behind = self.records.as_ref()?;
        let count: usize = axes.iter().map(|axis| axis.count).product();
        let parts: Vec<&Vec<u32>> = axes.iter().map(|axis| behind.parts.get(&axis.variable)).collect::<Option<_>>()?;
        let mut found = Vec::with_capacity(behind.amounts.len());
        for record in 0..behind.amounts.len() {
            let of = axes.iter().zip(&parts);
            let at = of.fold(0, |at, (axis, parts)| at * axis.count + axis.place(parts[record]) as usize);
            for (layer, key) in layers.iter().enumerate() {
                let is_in =
                    |(variable, node): &(u32, u32)| Some(meets(behind.values(record, *variable)?, self.set(*node)));
                if key.iter().try_fold(true, |all, entry| Some(all && is_in(entry)?))? {
                    found.push((record, layer * count + at));
                }
            }
        }
        Some(found)
    }

    /// The count or amount of each record.
    pub(super) fn amounts(&self) -> &[i64] {
        self.records.as_ref().map_or(&[], |behind| behind.amounts)
    }

    /// What contributors have in each record, if amounts are added up.
    pub(super) fn contributions(&self) -> &[Contribution] {
        self.records.as_ref().map_or(&[], |behind| behind.contributions)
    }

    /// The values of a node.
    pub(super) fn set(&self, node: u32) -> &[u32] {
        &self.places.sets[node as usize]
    }

    /// How many answers a record can have to a variable at most, if there is a limit.
    pub(super) fn most(&self, variable: u32) -> Option<usize> {
        self.known(variable).most
    }

    /// Whether every record in a combination of places has one of these values of a variable that is counted node by
    /// node.
    pub(super) fn implies(&self, axes: &[Axis], place: &dyn Fn(usize) -> u32, variable: u32, set: &[u32]) -> bool {
        self.places.sure.iter().any(|sure| {
            let (condition, node) = sure.condition;
            let same = self.places.number_of(&sure.unit, &sure.source) == Some(variable);
            same && sure.values.iter().all(|value| set.binary_search(value).is_ok())
                && axes.iter().position(|axis| axis.variable == condition).is_some_and(|at| {
                    let own = &axes[at];
                    own.places(self.parts[&condition].node(node)).binary_search(&place(at)).is_ok()
                        && own.view.nodes.contains(&node)
                })
        })
    }
}

impl Behind<'_> {
    /// The values a record has of a variable; `None` if that is not known.
    fn values(&self, record: usize, variable: u32) -> Option<&[u32]> {
        let column = *self.columns.get(&variable)?;
        let code = &self.records.codes[record][column];
        Some(match self.records.values.get(column) {
            Some(values) => &values[*code as usize],
            None => std::slice::from_ref(code),
        })
    }

    /// The value of a record in one column of a variable with several answers; 0 for none.
    fn held(&self, record: usize, variable: u32, column: usize) -> Option<u32> {
        let of = self.columns.get(&variable)?;
        let (at, _) = self.records.single.iter().find(|(_, own)| **own == (*of, column))?;
        let code = self.records.codes[record][*at] as usize;
        Some(self.records.values[*at][code].first().copied().unwrap_or_default())
    }
}
