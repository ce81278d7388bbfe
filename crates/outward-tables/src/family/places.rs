//! The positions of the cells of a family, by which a cell of two tables is found to be one.

use std::collections::{BTreeMap, BTreeSet};

use hashbrown::HashMap;
use outward_spec::HidingCost;

use super::parts::Node;
use super::value_of;
use crate::inner::{Base, Pairs};
use crate::make::{CountedTable, ImpliedAnswers, TableKnowledge};
use crate::source::ValueSource;
use crate::table::Table;

/// The position of a cell: for each variable of which it does not have all values the set of values it has, both by
/// number.
pub(super) type Key = Vec<(u32, u32)>;

/// Cells that differ in one variable only, by that variable and the rest of their key. Each has the values of its node.
pub(super) type Lines = BTreeMap<(Key, u32), Vec<(Vec<u32>, u32)>>;

/// What a variable in the keys of cells says about a record.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum VariableKind {
    /// Which values it has in these columns.
    Values(ValueSource),
    /// Which conditions it meets.
    Kind,
    /// Which unit it belongs to.
    Unit,
}

impl VariableKind {
    /// The source of its values.
    pub(super) fn source(&self) -> Option<&ValueSource> {
        match self {
            Self::Values(source) => Some(source),
            Self::Kind | Self::Unit => None,
        }
    }
}

/// Cells by position, while tables are put together. Cells of different units never have the same position.
#[derive(Debug, Clone, Default)]
pub(super) struct Places {
    /// The number of each variable, by its unit.
    numbers: HashMap<(String, VariableKind), u32>,
    /// The unit of each variable, and what it says about a record.
    told: Vec<(String, VariableKind)>,
    pub(super) known_variables: Vec<KnownVariable>,
    /// For each unit and source the values that a record can have, by number: those that every variable lists. A
    /// hierarchy may list values that, as another variable shows, no record has (K9).
    listed: HashMap<(String, ValueSource), Vec<u32>>,
    known: HashMap<Vec<u32>, u32>,
    pub(super) sets: Vec<Vec<u32>>,
    pub(super) cells: HashMap<Key, u32>,
    /// The value of each cell, and the cost of hiding it.
    pub(super) contents: Vec<(i64, i64)>,
    /// How many records are counted in each cell or contribute to it.
    pub(super) people: Vec<i64>,
    pub(super) homes: Vec<Option<(usize, usize)>>,
    /// The tables that show each cell.
    pub(super) tables: Vec<Vec<usize>>,
    /// For each table the position of its nodes, variable by variable, and the part of the key that all its cells
    /// share.
    pub(super) shapes: Vec<(Vec<Standing>, Key)>,
    pub(super) sure: Vec<Sure>,
    /// Pairs of cells: records with any answer and all records, if all records have an answer.
    pub(super) same: Vec<(u32, u32)>,
}

/// What is known of a variable.
#[derive(Debug, Clone, Default)]
pub(super) struct KnownVariable {
    /// The numbers of all its values. 0 represents values that no table shows, if a condition keeps some values and no
    /// table shows the variable.
    pub(super) values: Vec<u32>,
    /// Whether a table shows it.
    pub(super) shown: bool,
    /// Whether its values come from a list, so that some need not occur.
    pub(super) listed: bool,
    /// Whether a record may have several.
    pub(super) several: bool,
    /// How many values a record can have at most, if there is a limit.
    pub(super) most: Option<usize>,
    /// The values that pairs consist of, if its values are pairs.
    pub(super) pairs: Option<Paired>,
}

/// The values behind pairs, by number.
#[derive(Debug, Clone, Default)]
pub(super) struct Paired {
    pub(super) halves: BTreeMap<u32, [u32; 2]>,
    /// For each table a set of values of which all pairs that occur are known.
    pub(super) among: BTreeSet<BTreeSet<u32>>,
}

impl Paired {
    /// Whether a record can have these answers, given that all pairs that occur are listed.
    pub(super) fn can_be_together(&self, values: &[u32]) -> bool {
        let pairs =
            values.iter().enumerate().flat_map(|(at, one)| values[at + 1..].iter().map(move |other| [*one, *other]));
        pairs.into_iter().all(|pair| {
            let listed = self.halves.values().any(|own| *own == pair || *own == [pair[1], pair[0]]);
            listed || !self.among.iter().any(|among| pair.iter().all(|value| among.contains(value)))
        })
    }
}

/// A condition, or a node, that implies one of some values.
#[derive(Debug, Clone)]
pub(super) struct Sure {
    /// The entry in the keys of cells that selects its records.
    pub(super) condition: (u32, u32),
    pub(super) unit: String,
    pub(super) source: ValueSource,
    pub(super) values: Vec<u32>,
}

/// The variable of a dimension, and for each node the set of its values; `None` if it has all values.
#[derive(Debug, Clone)]
pub(super) struct Standing {
    pub(super) variable: u32,
    pub(super) sets: Vec<Option<u32>>,
}

impl Places {
    /// Notes the values that a table lists for each variable with one value for each record, if it shows them all.
    pub(super) fn list(&mut self, made: &CountedTable) {
        let shown = made.table.dimensions.iter().zip(&made.inner.bases);
        for (dimension, base) in shown.filter(|(dimension, _)| !dimension.several) {
            let values: BTreeSet<u32> = dimension.nodes.iter().flat_map(|node| &node.values).copied().collect();
            if values.len() < base.values.len() {
                continue;
            }
            let own = base.numbered(&(1..=base.values.len() as u32).collect::<Vec<u32>>());
            let key = (made.table.unit.clone(), base.source.clone());
            match self.listed.get_mut(&key) {
                Some(known) => known.retain(|value| own.binary_search(value).is_ok()),
                None => _ = self.listed.insert(key, own),
            }
        }
    }

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
                // Another variable with the same source may list values that this one does not.
                self.known_variables[variable as usize].shown = true;
                self.known_variables[variable as usize].listed |= !base.occur;
                let listed = self.listed.get(&(table.unit.clone(), base.source.clone())).cloned();
                let listed = listed.filter(|_| !dimension.several);
                let can_have = |value: &u32| listed.as_ref().is_none_or(|listed| listed.binary_search(value).is_ok());
                let known = &mut self.known_variables[variable as usize].values;
                known.extend(base.numbered(&codes).into_iter().filter(can_have));
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
                    own.retain(|value| can_have(value) && kept.is_none_or(|kept| kept.contains(value)));
                    let has_all = |listed: &Vec<u32>| listed.iter().all(|value| own.binary_search(value).is_ok());
                    let all = kept.is_none() && listed.as_ref().is_some_and(has_all);
                    (!all).then(|| self.set(&own))
                };
                Standing { variable, sets: dimension.nodes.iter().map(|node| &node.values).map(of).collect() }
            })
            .collect();
        // The condition of a table is one more variable, which no table shows, unless some table shows its values.
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
        // The unit is another variable, over which nothing adds up.
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
                    // The cell of all records; another table had it before.
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

    /// Adds the answers that pairs consist of as a variable, whether or not a table of the unit shows it.
    fn place_answers(&mut self, unit: &str, base: &Base, pairs: &Pairs) {
        // The number of answers from the number of their pairs.
        let most = base.most.and_then(|most| (1..=most + 1).find(|answers| answers * (answers - 1) / 2 == most));
        let answers = self.variable(unit, VariableKind::Values(base.source.answers()), true, most);
        let known = &mut self.known_variables[answers as usize].values;
        known.extend(pairs.halves.iter().flatten().chain(&pairs.among));
        known.sort_unstable();
        known.dedup();
    }

    /// If every record has an answer, the cell of records with any answer is the cell of all records, whether or not a
    /// table shows that.
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

    /// The position of the cell of a table at some nodes. If two variables of a table have the same source, a record
    /// must be in both nodes.
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

    /// Whether no record can have a position: two variables of a table exclude each other, or a condition excludes a
    /// value.
    pub(super) fn is_void(&self, key: &Key) -> bool {
        key.iter().any(|(variable, set)| self.adds_up(*variable) && self.sets[*set as usize].is_empty())
    }

    /// Adds value 0 to variables of which conditions keep some values and which no table shows.
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

    /// The variables that say which unit is counted, one for each unit, with the unit.
    pub(super) fn units(&self) -> Vec<(u32, &str)> {
        let units = (0..).zip(&self.told).filter(|(_, (_, told))| *told == VariableKind::Unit);
        units.map(|(number, (unit, _))| (number, unit.as_str())).collect()
    }

    /// The number of a variable of a unit, by what it says about a record.
    pub(super) fn number(&self, unit: &str, told: VariableKind) -> Option<u32> {
        self.numbers.get(&(unit.to_owned(), told)).copied()
    }

    /// The number of a variable of a unit, by the source of its values.
    pub(super) fn number_of(&self, unit: &str, source: &ValueSource) -> Option<u32> {
        self.number(unit, VariableKind::Values(source.clone()))
    }

    /// The unit of a variable.
    pub(super) fn unit(&self, variable: u32) -> &str {
        &self.told[variable as usize].0
    }

    /// What a variable says about a record.
    pub(super) fn kind_of(&self, variable: u32) -> &VariableKind {
        &self.told[variable as usize].1
    }

    /// The variables of pairs of a unit, with the variables that the pairs consist of.
    pub(super) fn pairs(&self, unit: &str) -> BTreeMap<u32, u32> {
        let own = (0..).zip(&self.told).filter(|(_, (own, _))| own == unit);
        let paired = own.filter_map(|(pairs, (_, told))| Some((pairs, told.source().filter(|source| source.pairs)?)));
        paired.filter_map(|(pairs, source)| Some((pairs, self.number_of(unit, &source.answers())?))).collect()
    }

    /// The pairs that tables list for a variable with several answers.
    pub(super) fn pairs_of(&self, variable: u32) -> Option<&Paired> {
        let pairs = self.pairs(self.unit(variable)).into_iter().find(|(_, of)| *of == variable)?.0;
        self.known_variables[pairs as usize].pairs.as_ref()
    }

    /// The source of the values of a variable.
    pub(super) fn source(&self, variable: u32) -> Option<&ValueSource> {
        self.kind_of(variable).source()
    }

    /// The variables of a unit, with the sources of their values.
    pub(super) fn variables(&self, unit: &str) -> impl Iterator<Item = (u32, &ValueSource)> {
        let own = (0..).zip(&self.told).filter(move |(_, (own, _))| own == unit);
        own.filter_map(|(variable, (_, told))| Some((variable, told.source()?)))
    }

    /// The nodes that tables show of a variable and of its pairs, by number.
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

    /// The node of records that have one of the pairs of a set, for a variable with several answers.
    pub(super) fn pairs_in(&self, variable: u32, set: u32) -> Node {
        let halves = |pair: &u32| self.pairs_of(variable)?.halves.get(pair).copied();
        Node::Pairs(self.sets[set as usize].iter().filter_map(halves).collect())
    }

    /// Cells that differ in one variable only, by that variable and the rest of their key. Each has the values of its node.
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

/// How many records are in each cell of a table; for sums, how many contribute.
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

/// The cost of hiding a cell.
fn cost_of(table: &Table, cell: usize, value: i64, cost: HidingCost) -> i64 {
    match cost {
        HidingCost::Value => value.max(1),
        HidingCost::One => 1,
        HidingCost::Variable => table.costs.get(cell).map_or(1, |cost| (*cost).max(1)),
    }
}
