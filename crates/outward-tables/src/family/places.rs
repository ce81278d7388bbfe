//! Where the cells of a family stand, so that a cell of two tables is one.

use std::collections::{BTreeMap, BTreeSet};

use hashbrown::HashMap;
use outward_spec::HidingCost;

use super::parts::Node;
use super::value_of;
use crate::inner::{Base, Pairs};
use crate::make::{CountedTable, ImpliedAnswers, TableKnowledge};
use crate::source::ValueSource;
use crate::table::Table;

/// Where a cell stands: for each variable that does not have all its values the set of those it has, both by number.
pub(super) type Key = Vec<(u32, u32)>;

/// Cells that differ in one variable only, each with the values of its node, by the rest of their key and the variable.
pub(super) type Lines = BTreeMap<(Key, u32), Vec<(Vec<u32>, u32)>>;

/// What a variable in the keys of cells tells of a record.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum VariableKind {
    /// Which values it has of what is read here.
    Values(ValueSource),
    /// Which kind of record it is, by the conditions it meets.
    Kind,
    /// Of which unit it is.
    Unit,
}

impl VariableKind {
    /// What values are read from.
    pub(super) fn source(&self) -> Option<&ValueSource> {
        match self {
            Self::Values(source) => Some(source),
            Self::Kind | Self::Unit => None,
        }
    }
}

/// Cells by where they stand, while tables are put together. Those of different units never stand in the same place.
#[derive(Debug, Clone, Default)]
pub(super) struct Places {
    /// The number of each variable, by its unit.
    numbers: HashMap<(String, VariableKind), u32>,
    /// The unit of each variable, and what it tells.
    told: Vec<(String, VariableKind)>,
    pub(super) known_variables: Vec<KnownVariable>,
    known: HashMap<Vec<u32>, u32>,
    pub(super) sets: Vec<Vec<u32>>,
    pub(super) cells: HashMap<Key, u32>,
    /// What is in each cell, and what it costs to hide it.
    pub(super) contents: Vec<(i64, i64)>,
    /// How many records are counted in each cell, or add something to it.
    pub(super) people: Vec<i64>,
    pub(super) homes: Vec<Option<(usize, usize)>>,
    /// The tables each cell stands in.
    pub(super) tables: Vec<Vec<usize>>,
    /// For each table where its nodes stand, variable by variable, and what all its cells have in common.
    pub(super) shapes: Vec<(Vec<Standing>, Key)>,
    pub(super) sure: Vec<Sure>,
    /// Cells of those with any answer, and of everyone, where everyone has one.
    pub(super) same: Vec<(u32, u32)>,
}

/// What is known of a variable.
#[derive(Debug, Clone, Default)]
pub(super) struct KnownVariable {
    /// The numbers of all its values; 0 for all that no table shows, where a condition keeps some and no table shows any.
    pub(super) values: Vec<u32>,
    /// Whether a table shows it.
    pub(super) shown: bool,
    /// Whether a list has values of it that nobody need have.
    pub(super) listed: bool,
    /// Whether a record may have several.
    pub(super) several: bool,
    /// How many a record can have at most, where there is a limit.
    pub(super) most: Option<usize>,
    /// Where the values are pairs, what they are pairs of.
    pub(super) pairs: Option<Paired>,
}

/// The values behind pairs, by number.
#[derive(Debug, Clone, Default)]
pub(super) struct Paired {
    pub(super) halves: BTreeMap<u32, [u32; 2]>,
    /// Values of which all pairs that occur are known, for each table.
    pub(super) among: BTreeSet<BTreeSet<u32>>,
}

impl Paired {
    /// Whether a record can have these answers, as all pairs are listed that occur.
    pub(super) fn can_be_together(&self, values: &[u32]) -> bool {
        let pairs =
            values.iter().enumerate().flat_map(|(at, one)| values[at + 1..].iter().map(move |other| [*one, *other]));
        pairs.into_iter().all(|pair| {
            let listed = self.halves.values().any(|own| *own == pair || *own == [pair[1], pair[0]]);
            listed || !self.among.iter().any(|among| pair.iter().all(|value| among.contains(value)))
        })
    }
}

/// A condition, or a node, whose records all have one of some values.
#[derive(Debug, Clone)]
pub(super) struct Sure {
    /// What says which records they are, in the keys of cells.
    pub(super) condition: (u32, u32),
    pub(super) unit: String,
    pub(super) source: ValueSource,
    pub(super) values: Vec<u32>,
}

/// The variable of a dimension and for each node the set of its values; none where it has all.
#[derive(Debug, Clone)]
pub(super) struct Standing {
    pub(super) variable: u32,
    pub(super) sets: Vec<Option<u32>>,
}

impl Places {
    /// The cell of the system at each cell of a table.
    pub(super) fn place(
        &mut self,
        place: usize,
        made: &CountedTable,
        known: &TableKnowledge,
        cost: HidingCost,
    ) -> Vec<u32> {
        let table = &made.table;
        let nodes: Vec<Standing> = (table.dimensions.iter().zip(&made.inner.bases))
            .map(|(dimension, base)| {
                let codes: Vec<u32> = (1..=base.values.len() as u32).collect();
                let told = VariableKind::Values(base.source.clone());
                let variable = self.variable(&table.unit, told, dimension.several, base.most);
                // Another variable of the same source may list values that this one does not.
                self.known_variables[variable as usize].shown = true;
                self.known_variables[variable as usize].listed |= !base.occur;
                let known = &mut self.known_variables[variable as usize].values;
                known.extend(base.numbered(&codes));
                known.sort_unstable();
                known.dedup();
                if let Some(pairs) = &base.pairs {
                    self.place_answers(&table.unit, base, pairs);
                    let paired = self.known_variables[variable as usize].pairs.get_or_insert_default();
                    let numbers = codes.iter().flat_map(|code| base.numbered(&[*code]));
                    paired.halves.extend(numbers.zip(pairs.halves.iter().copied()));
                    paired.among.insert(pairs.among.clone());
                }
                let kept = table.keeps.as_ref().filter(|(of, _)| *of == base.source).map(|(_, kept)| kept);
                let of = |set: &Vec<u32>| {
                    let mut own = base.numbered(set);
                    own.retain(|value| kept.is_none_or(|kept| kept.contains(value)));
                    let all = !dimension.several && kept.is_none() && set.len() == base.values.len();
                    (!all).then(|| self.set(&own))
                };
                Standing { variable, sets: dimension.nodes.iter().map(|node| &node.values).map(of).collect() }
            })
            .collect();
        // Which records a table counts is one more variable, that no table shows, unless it is one that a table does show.
        let shown = |source: &ValueSource| made.inner.bases.iter().any(|base| base.source == *source);
        let mut common: Key = Vec::new();
        match &table.keeps {
            Some((source, kept)) if !shown(source) => {
                let variable = self.variable(&table.unit, VariableKind::Values(source.clone()), false, None);
                let known = &mut self.known_variables[variable as usize].values;
                known.extend(kept);
                known.sort_unstable();
                known.dedup();
                common.push((variable, self.set(kept)));
            }
            None if table.records.len() < table.kinds => {
                let variable = self.variable(&table.unit, VariableKind::Kind, false, None);
                self.known_variables[variable as usize].values = (1..=table.kinds as u32).collect();
                common.push((variable, self.set(&table.records)));
            }
            _ => {}
        }
        for (condition, (source, values)) in
            common.iter().flat_map(|entry| known.implied.iter().map(move |implied| (entry, implied)))
        {
            let (unit, source, values) = (table.unit.clone(), source.clone(), values.clone());
            self.sure.push(Sure { condition: *condition, unit, source, values });
        }
        for ImpliedAnswers { dimension, node, source, values } in &known.implied_by_nodes {
            let Some(set) = nodes[*dimension].sets[*node] else { continue };
            let (unit, source, values) = (table.unit.clone(), source.clone(), values.clone());
            self.sure.push(Sure { condition: (nodes[*dimension].variable, set), unit, source, values });
        }
        // What is counted is another, over which nothing adds up.
        common.push((self.variable(&table.unit, VariableKind::Unit, true, None), self.set(&[])));
        self.shapes.push((nodes, common));
        let people = people(made);
        let cells: Vec<u32> = (0..table.len())
            .map(|cell| {
                let key = self.key(place, &table.nodes(cell));
                let next = self.contents.len() as u32;
                let at = *self.cells.entry(key).or_insert(next);
                if at == next {
                    let value = value_of(table, cell);
                    self.contents.push((value, cost_of(table, cell, value, cost)));
                    self.people.push(people[cell]);
                    self.homes.push(Some((place, cell)));
                    self.tables.push(Vec::new());
                }
                if self.homes[at as usize].is_none() {
                    // Everyone there is, of whom another table told before.
                    self.homes[at as usize] = Some((place, cell));
                    self.contents[at as usize].1 = cost_of(table, cell, value_of(table, cell), cost);
                }
                if self.tables[at as usize].last() != Some(&place) {
                    self.tables[at as usize].push(place);
                }
                at
            })
            .collect();
        self.place_everyone(place, made, &cells);
        cells
    }

    /// The answers that pairs are pairs of are a variable, whether a table of the unit shows it or not.
    fn place_answers(&mut self, unit: &str, base: &Base, pairs: &Pairs) {
        // Of so many answers there are so many pairs.
        let most = base.most.and_then(|most| (1..=most + 1).find(|answers| answers * (answers - 1) / 2 == most));
        let answers = self.variable(unit, VariableKind::Values(base.source.answers()), true, most);
        let known = &mut self.known_variables[answers as usize].values;
        known.extend(pairs.halves.iter().flatten().chain(&pairs.among));
        known.sort_unstable();
        known.dedup();
    }

    /// Where everyone has an answer, those with any are everyone there is, whether a table shows them as such or not.
    fn place_everyone(&mut self, place: usize, made: &CountedTable, cells: &[u32]) {
        let CountedTable { table, inner, .. } = made;
        for (at, dimension) in table.dimensions.iter().enumerate() {
            if !dimension.several || inner.bases[at].pairs.is_some() || !inner.everyone_answers(at) {
                continue;
            }
            let all = inner.bases[at].values.len();
            for (cell, any) in cells.iter().enumerate() {
                let nodes = table.nodes(cell);
                if dimension.nodes[nodes[at]].values.len() < all {
                    continue;
                }
                let variable = self.shapes[place].0[at].variable;
                let mut key = self.key(place, &nodes);
                key.retain(|(own, _)| *own != variable);
                let next = self.contents.len() as u32;
                let whole = *self.cells.entry(key).or_insert(next);
                if whole == next {
                    self.contents.push((self.contents[*any as usize].0, 0));
                    self.people.push(self.people[*any as usize]);
                    self.homes.push(None);
                    self.tables.push(Vec::new());
                }
                self.same.push((*any, whole));
            }
        }
    }

    /// Where the cell of a table at some nodes stands. Two variables of a table may read the same: a record is in what both have.
    fn key(&mut self, place: usize, nodes: &[usize]) -> Key {
        let (standing, common) = &self.shapes[place];
        let own = nodes.iter().zip(standing).filter_map(|(node, of)| Some((of.variable, of.sets[*node]?)));
        let mut key: Key = own.chain(common.iter().copied()).collect();
        key.sort_unstable();
        for at in (1..key.len()).rev() {
            let ((variable, one), (before, other)) = (key[at], key[at - 1]);
            if variable == before && self.adds_up(variable) {
                let other = self.sets[other as usize].clone();
                let both: Vec<u32> = self.sets[one as usize]
                    .iter()
                    .copied()
                    .filter(|value| other.binary_search(value).is_ok())
                    .collect();
                key[at - 1].1 = self.set(&both);
                key.remove(at);
            }
        }
        key
    }

    /// Whether nobody can be in a place: two variables of a table exclude each other, or a condition excludes a value.
    pub(super) fn is_void(&self, key: &Key) -> bool {
        key.iter().any(|(variable, set)| self.adds_up(*variable) && self.sets[*set as usize].is_empty())
    }

    /// Leaves room for values of variables that conditions keep some of and no table shows.
    pub(super) fn leave_room(&mut self) {
        let values = |(_, told): &&(String, VariableKind)| told.source().is_some();
        for (_, known) in self.told.iter().zip(&mut self.known_variables).filter(|(told, _)| values(told)) {
            if !known.several && !known.shown && known.values.first() != Some(&0) {
                known.values.insert(0, 0);
            }
        }
    }

    /// The number of a variable of a unit.
    fn variable(&mut self, unit: &str, told: VariableKind, several: bool, most: Option<usize>) -> u32 {
        let next = self.known_variables.len() as u32;
        let key = (unit.to_owned(), told);
        let number = *self.numbers.entry(key.clone()).or_insert(next);
        if number == next {
            self.told.push(key);
            self.known_variables.push(KnownVariable { several, most, ..KnownVariable::default() });
        }
        number
    }

    fn set(&mut self, values: &[u32]) -> u32 {
        if let Some(set) = self.known.get(values) {
            return *set;
        }
        self.sets.push(values.to_vec());
        self.known.insert(values.to_vec(), self.sets.len() as u32 - 1);
        self.sets.len() as u32 - 1
    }

    pub(super) fn all(&self, variable: u32) -> Vec<u32> {
        self.known_variables[variable as usize].values.clone()
    }

    pub(super) fn adds_up(&self, variable: u32) -> bool {
        !self.known_variables[variable as usize].several
    }

    /// The variables that only say what is counted, one for each unit, with the unit.
    pub(super) fn units(&self) -> Vec<(u32, &str)> {
        let units = (0..).zip(&self.told).filter(|(_, (_, told))| *told == VariableKind::Unit);
        units.map(|(number, (unit, _))| (number, unit.as_str())).collect()
    }

    /// The number of a variable of a unit by what it tells.
    pub(super) fn number(&self, unit: &str, told: VariableKind) -> Option<u32> {
        self.numbers.get(&(unit.to_owned(), told)).copied()
    }

    /// The number of a variable of a unit by what its values are read from.
    pub(super) fn number_of(&self, unit: &str, source: &ValueSource) -> Option<u32> {
        self.number(unit, VariableKind::Values(source.clone()))
    }

    /// The unit of a variable.
    pub(super) fn unit(&self, variable: u32) -> &str {
        &self.told[variable as usize].0
    }

    /// What a variable tells.
    pub(super) fn told(&self, variable: u32) -> &VariableKind {
        &self.told[variable as usize].1
    }

    /// The variables of pairs of a unit, and those they are pairs of.
    pub(super) fn pairs(&self, unit: &str) -> BTreeMap<u32, u32> {
        let own = (0..).zip(&self.told).filter(|(_, (own, _))| own == unit);
        let paired = own.filter_map(|(pairs, (_, told))| Some((pairs, told.source().filter(|source| source.pairs)?)));
        paired.filter_map(|(pairs, source)| Some((pairs, self.number_of(unit, &source.answers())?))).collect()
    }

    /// The pairs that tables list of a variable of several answers.
    pub(super) fn pairs_of(&self, variable: u32) -> Option<&Paired> {
        let pairs = self.pairs(self.unit(variable)).into_iter().find(|(_, of)| *of == variable)?.0;
        self.known_variables[pairs as usize].pairs.as_ref()
    }

    /// What the values of a variable are read from.
    pub(super) fn source(&self, variable: u32) -> Option<&ValueSource> {
        self.told(variable).source()
    }

    /// The variables of a unit, with what their values are read from.
    pub(super) fn variables(&self, unit: &str) -> impl Iterator<Item = (u32, &ValueSource)> {
        let own = (0..).zip(&self.told).filter(move |(_, (own, _))| own == unit);
        own.filter_map(|(variable, (_, told))| Some((variable, told.source()?)))
    }

    /// The nodes that tables show of a variable, and of pairs of it, by number.
    pub(super) fn nodes_of(&self, variable: u32) -> BTreeMap<u32, Node> {
        let pairs = self.pairs(self.unit(variable)).into_iter().find(|(_, of)| *of == variable).map(|(pairs, _)| pairs);
        let mut nodes = BTreeMap::new();
        for (standing, common) in &self.shapes {
            let own = standing.iter().flat_map(|of| of.sets.iter().flatten().map(move |set| (of.variable, *set)));
            for (of, set) in own.chain(common.iter().copied()) {
                if of == variable {
                    nodes.insert(set, Node::Any(self.sets[set as usize].clone()));
                } else if Some(of) == pairs {
                    nodes.insert(set + self.sets.len() as u32, self.pairs_in(variable, set));
                }
            }
        }
        nodes
    }

    /// Whoever has one of the pairs of a set, of a variable of several answers.
    pub(super) fn pairs_in(&self, variable: u32, set: u32) -> Node {
        let halves = |pair: &u32| self.pairs_of(variable)?.halves.get(pair).copied();
        Node::Pairs(self.sets[set as usize].iter().filter_map(halves).collect())
    }

    /// Cells that differ in one variable only, each with the values of its node, by the rest of their key and the variable.
    pub(super) fn lines(&self) -> Lines {
        let mut lines = Lines::new();
        for (key, cell) in self.sorted_keys() {
            for at in 0..key.len() {
                let mut rest = key.clone();
                let (variable, set) = rest.remove(at);
                lines.entry((rest, variable)).or_default().push((self.sets[set as usize].clone(), cell));
            }
        }
        lines
    }

    pub(super) fn sorted_keys(&self) -> Vec<(Key, u32)> {
        let mut keys: Vec<(Key, u32)> = self.cells.iter().map(|(key, cell)| (key.clone(), *cell)).collect();
        keys.sort_unstable();
        keys
    }
}

/// How many records are in each cell of a table; of sums, those that add something.
fn people(made: &CountedTable) -> Vec<i64> {
    let CountedTable { table, inner, .. } = made;
    if table.magnitudes.is_none() {
        return table.counts.iter().map(|count| *count as i64).collect();
    }
    let matrix = inner.matrix(&table.dimensions);
    let mut people = vec![0; table.len()];
    for given in inner.contributions.iter().filter(|given| given.amount != 0) {
        matrix.row(given.cell as usize).iter().for_each(|cell| people[*cell as usize] += 1);
    }
    people
}

/// What it costs to hide a cell.
fn cost_of(table: &Table, cell: usize, value: i64, cost: HidingCost) -> i64 {
    match cost {
        HidingCost::Value => value.max(1),
        HidingCost::One => 1,
        HidingCost::Variable => table.costs.get(cell).map_or(1, |cost| (*cost).max(1)),
    }
}
