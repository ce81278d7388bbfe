//! Links between files: a map from atoms to atoms with two inequalities (M7 of `docs/methods/attacker.md`).
//!
//! A linked record has the values of its record of `[data]`. Take a combination of values of the common variables. If
//! every record of `[data]` has a linked one, there are no more records of `[data]` than linked ones. One count is zero
//! exactly if the other is. The common variables have blocks of their own. Each lies in one block of either unit and is
//! a margin of its atoms. The same holds among records that meet a condition of both units, and among records with a
//! value of the linked file. On the side of `[data]` these are the records with a linked record that has it.

use std::collections::{BTreeMap, BTreeSet};

use outward_cells::Condition;
use outward_spec::Result;

use super::answers::{at_least_nothing, finest};
use super::axis::View;
use super::graph::{Graph, VariableSet};
use super::joint::{Atoms, Joint, layer_lines};
use super::margin::Margin;
use super::places::{Key, KnownVariable, Places};
use super::unit::Unit;
use super::units::{DATA_UNIT, Shows};
use super::{Extent, FAR_FROM_LINKED, Family};
use crate::make::CountedTable;
use crate::source::ValueSource;

/// Largest factor in an inequality. Larger ones are beyond the precision of the solver.
const MAX_FACTOR: i64 = 100_000;

/// A linked file, and the variables that its tables have in common with those of `[data]`.
struct Link {
    unit: String,
    /// Variables with the same value in a linked record and its record of `[data]`: by the number there the number
    /// here.
    same: BTreeMap<u32, u32>,
    /// Variables of the linked file that tables of `[data]` show. A record of `[data]` has the values of all its linked
    /// records. By the number there the number here, if tables of the file show the variable too.
    own: BTreeMap<u32, Option<u32>>,
}

/// All linked files.
pub(super) struct Links(Vec<Link>);

impl Links {
    pub(super) fn new(places: &Places) -> Self {
        let link = |unit: &str| {
            let (mut same, mut own) = (BTreeMap::new(), BTreeMap::new());
            for (variable, source) in places.variables(DATA_UNIT) {
                let alike = ValueSource { shared: !source.is_of_data(), ..source.clone() };
                let several = |other: &u32| places.adds_up(*other) == places.adds_up(variable);
                same.extend(places.number_of(unit, &alike).filter(several).map(|other| (variable, other)));
                if source.linked_file() == Some(unit) && !source.shared && !source.pairs {
                    own.insert(variable, places.number_of(unit, source));
                }
            }
            Link { unit: unit.to_owned(), same, own }
        };
        let units = places.units();
        let linked = units.iter().map(|(_, unit)| *unit).filter(|unit| *unit != DATA_UNIT);
        Self(linked.map(link).collect())
    }

    /// Whether a variable has the same values in linked records as in those of `[data]`, and tables of both show it.
    pub(super) fn is_common(&self, variable: u32) -> bool {
        self.0.iter().any(|link| link.same.iter().any(|(data, linked)| [*data, *linked].contains(&variable)))
    }

    /// The same variable in other units.
    fn same_as(&self, variable: u32) -> BTreeSet<u32> {
        let pairs = self.0.iter().flat_map(|link| link.same.iter().map(|(data, linked)| [*data, *linked]));
        together_with(variable, &pairs.collect::<Vec<_>>())
    }

    /// The variables of other units that read the same columns.
    pub(super) fn alike(&self, variable: u32) -> BTreeSet<u32> {
        let same = self.0.iter().flat_map(|link| link.same.iter().map(|(data, linked)| [*data, *linked]));
        let own = self.0.iter().flat_map(|link| link.own.iter().filter_map(|(data, linked)| Some([*data, (*linked)?])));
        together_with(variable, &same.chain(own).collect::<Vec<_>>())
    }

    /// What is known of a variable, including the values it has in other units.
    pub(super) fn known(&self, places: &Places, variable: u32) -> KnownVariable {
        let mut known = places.known_variables[variable as usize].clone();
        for other in self.alike(variable).into_iter().map(|other| &places.known_variables[other as usize]) {
            // If another unit shows all values, there is no value that no table shows.
            known.values.retain(|value| *value != 0 || !other.shown);
            known.values.extend(other.values.iter().filter(|value| **value != 0));
        }
        known.values.sort_unstable();
        known.values.dedup();
        known
    }

    /// Variables that must be counted node by node in all units because they are in some.
    pub(super) fn node_by_node(&self, layered: &BTreeSet<u32>) -> BTreeSet<u32> {
        layered.iter().flat_map(|variable| self.same_as(*variable)).chain(layered.iter().copied()).collect()
    }

    /// The ties between `[data]` and linked files.
    pub(super) fn ties(&self, family: &Family, made: &[CountedTable], units: &[Unit]) -> Vec<Tie> {
        let position = |name: &str| units.iter().position(|unit| unit.name == name);
        // The conditions of tables, each with the node of the records that meet it.
        let conditions = |unit: &Unit| -> Vec<(&Condition, (u32, u32))> {
            let of = |place: usize| made[family.tables[place]].condition.as_ref();
            unit.shapes.iter().filter_map(|shape| Some((of(shape.place)?, *shape.common.first()?))).collect()
        };
        let mut ties = Vec::new();
        for link in &self.0 {
            let (Some(data), Some(linked)) = (position(DATA_UNIT), position(&link.unit)) else { continue };
            let tie = |only, nodes| Tie::new(link, [data, linked], units, only, nodes);
            ties.push(tie([None, None], vec![[None, None]]));
            let theirs = conditions(&units[linked]);
            let mut both: BTreeSet<[(u32, u32); 2]> = BTreeSet::new();
            for (condition, own) in conditions(&units[data]) {
                both.extend(theirs.iter().filter(|(other, _)| *other == condition).map(|(_, other)| [own, *other]));
            }
            for [(one, node), (other, its)] in
                both.into_iter().filter(|[one, other]| link.same.get(&one.0) != Some(&other.0))
            {
                ties.push(tie([Some(one), Some(other)], vec![[Some(node), Some(its)]]));
            }
            for (own, other) in &link.own {
                let nodes = units[data].nodes_shown(*own);
                match other {
                    Some(_) => {
                        let nodes = nodes.into_iter().map(|node| [Some(node), Some(node)]);
                        ties.push(tie([Some(*own), *other], nodes.collect()));
                    }
                    None => {
                        let sets: Vec<(Vec<u32>, u32)> =
                            nodes.iter().map(|node| (units[data].set(*node).to_vec(), *node)).collect();
                        let any = sets.iter().filter(|(set, _)| set.len() == family.places.all(*own).len());
                        let nodes = any.map(|(_, node)| [Some(*node), None]).collect();
                        let one_each = family.places.source(*own).is_some_and(|source| source.columns.len() == 1);
                        let each = finest(&sets, None).filter(|finest| one_each && finest.len() > 1);
                        ties.push(Tie { each: each.unwrap_or_default(), ..tie([Some(*own), None], nodes) });
                    }
                }
            }
        }
        ties
    }
}

/// All variables that are paired with one, directly or through another.
fn together_with(variable: u32, pairs: &[[u32; 2]]) -> BTreeSet<u32> {
    let mut found = BTreeSet::from([variable]);
    // Every pair has one variable of `[data]`, so two rounds are enough.
    for _ in 0..2 {
        let near = pairs.iter().filter(|pair| pair.iter().any(|own| found.contains(own)));
        found.extend(near.flatten().copied().collect::<Vec<u32>>());
    }
    found.remove(&variable);
    found
}

/// Blocks of common variables by which two units are compared.
pub(super) struct Tie {
    /// The units by position, `[data]` first.
    units: [usize; 2],
    /// Common variables: by the number in `[data]` the number in the other unit.
    same: BTreeMap<u32, u32>,
    /// If only some records are compared: for each side the variable that selects them, and its nodes.
    only: [Option<u32>; 2],
    nodes: Vec<[Option<u32>; 2]>,
    /// Nodes of which a linked record is in at most one, while a record of `[data]` may be in several.
    each: Vec<u32>,
    /// Sets of variables that must be in one block, by the numbers in `[data]`.
    cliques: Vec<VariableSet>,
}

impl Tie {
    fn new(link: &Link, at: [usize; 2], units: &[Unit], only: [Option<u32>; 2], nodes: Vec<[Option<u32>; 2]>) -> Self {
        let [data, linked] = at.map(|at| &units[at]);
        let both = |(own, other): &(&u32, &u32)| {
            data.shows(**own) && linked.shows(**other) && only[0] != Some(**own) && only[1] != Some(**other)
        };
        let same: BTreeMap<u32, u32> = link.same.iter().filter(both).map(|(own, other)| (*own, *other)).collect();
        let names =
            [same.keys().map(|own| (*own, *own)).collect(), same.iter().map(|(own, other)| (*other, *own)).collect()];
        let mut tables = Vec::new();
        for ((unit, names), only_here) in [data, linked].into_iter().zip(&names).zip(only) {
            let shapes = unit.shapes.iter().filter(|shape| match only_here {
                Some(variable) => shape.shows(variable),
                None => only == [None, None],
            });
            tables.extend(shapes.map(|shape| shape.variable_set(unit).renamed(names)));
        }
        tables.retain(|own| *own != VariableSet::default());
        let graph = Graph::new(&data.parts, &tables, &[], Vec::new());
        let mut cliques: Vec<VariableSet> = graph.blocks.iter().map(|block| block.variable_set()).collect();
        if cliques.is_empty() {
            cliques.push(VariableSet::default());
        }
        Self { units: at, same, only, nodes, each: Vec::new(), cliques }
    }

    /// A set of variables with the numbers of one side.
    fn on_side(&self, side: usize, unit: &Unit, clique: &VariableSet) -> VariableSet {
        let mut own = if side == 0 { clique.clone() } else { clique.renamed(&self.same) };
        let nodes = self.nodes.iter().filter_map(|nodes| nodes[side]);
        match self.only[side] {
            Some(variable) if unit.layered.contains(&variable) => _ = own.layered.insert(variable),
            Some(variable) => {
                let nodes = nodes.chain(self.each.iter().copied().filter(|_| side == 0)).collect();
                own.views.insert(variable, View { nodes, columns: false });
            }
            None => {}
        }
        own
    }
}

/// The sets of variables that must be in one block of a unit because of ties.
pub(super) fn linked_in(ties: &[Tie], at: usize, unit: &Unit) -> Vec<VariableSet> {
    let mut all = BTreeSet::new();
    for tie in ties {
        for side in (0..2).filter(|side| tie.units[*side] == at) {
            all.extend(tie.cliques.iter().map(|clique| tie.on_side(side, unit, clique)));
        }
    }
    all.remove(&VariableSet::default());
    all.into_iter().collect()
}

/// The name of a combination of parts of common variables, the same in both units: for each variable the nodes that
/// contain its part.
type Name = Vec<(u32, Vec<u32>)>;

/// A sum of cells, each with its coefficient.
type Terms = Vec<(u32, i32)>;

/// Records in cells of one unit imply records in cells of another (M7).
#[derive(Debug, Clone)]
pub(crate) struct Implied {
    /// The cells with coefficients. A person whose records contribute some number to their sum knows that at least as
    /// many are in the other cells.
    pub(crate) by: Vec<(u32, i32)>,
    /// The cells of the other unit, which are then not all empty.
    pub(crate) inside: Vec<u32>,
    /// Whether only one record is implied, however many are in the first cells.
    pub(crate) once: bool,
}

/// One unit's side of a tie.
struct Side<'a> {
    unit: &'a Unit<'a>,
    joint: &'a Joint,
    atoms: &'a Atoms,
    margin: Margin<'a>,
    only: Option<u32>,
    /// Common variables: by the number in `[data]` the number in this unit.
    names: BTreeMap<u32, u32>,
}

impl<'a> Side<'a> {
    fn new(tie: &Tie, side: usize, clique: &VariableSet, unit: &'a Unit<'a>, joint: &'a Joint) -> Option<Self> {
        let own = tie.on_side(side, unit, clique);
        let mut blocks = joint.graph.blocks.iter().zip(&joint.atoms);
        let (margin, atoms) =
            blocks.find_map(|(block, atoms)| Some((Margin::new(unit, block, &own)?, atoms.as_ref()?)))?;
        let names = tie.same.iter().map(|(data, linked)| (*data, if side == 0 { *data } else { *linked }));
        Some(Self { unit, joint, atoms, margin, only: tie.only[side], names: names.collect() })
    }

    /// For each combination of parts of common variables the cells whose sum it is, among the records in a node. The
    /// inner `None` means that no table shows some of these cells, the outer one that there is no such layer.
    fn sums(&self, layer: &Key, node: Option<u32>) -> Option<BTreeMap<Name, Option<Vec<u32>>>> {
        let mut key: Key =
            layer.iter().map(|(variable, node)| Some((*self.names.get(variable)?, *node))).collect::<Option<_>>()?;
        let only = self.only.zip(node);
        key.extend(only.filter(|(variable, _)| self.margin.layered.contains(variable)));
        key.sort_unstable();
        self.atoms.layers.binary_search(&key).ok()?;
        let called: BTreeMap<u32, u32> = self.names.iter().map(|(data, own)| (*own, *data)).collect();
        let nodes: Vec<Vec<Vec<u32>>> =
            self.margin.axes.iter().map(|axis| axis.nodes(&self.unit.parts[&axis.variable])).collect();
        let mut sums: BTreeMap<Name, Option<Vec<u32>>> = BTreeMap::new();
        for (combination, terms) in self.margin.sums(self.atoms, &key).into_iter().enumerate() {
            let mut name = Name::new();
            let mut there = true;
            for (at, axis) in self.margin.axes.iter().enumerate() {
                let own = &nodes[at][self.margin.place(combination, at)];
                match only {
                    Some((variable, node)) if variable == axis.variable => there &= own.contains(&node),
                    _ => name.push((*called.get(&axis.variable)?, own.clone())),
                }
            }
            if !there {
                continue;
            }
            name.sort_unstable();
            let cells: Option<Vec<u32>> = match self.margin.cell(self.unit, combination, &key, only) {
                Some(cell) => Some(vec![cell]),
                None => terms.into_iter().map(|term| self.joint.cell(term)).collect(),
            };
            let known = sums.entry(name).or_insert_with(|| Some(Vec::new()));
            *known = known.take().zip(cells).map(|(known, cells)| {
                let mut both = [known, cells].concat();
                both.sort_unstable();
                both.dedup();
                both
            });
        }
        Some(sums)
    }

    /// As `Side::sums`, for several layers, each with its coefficient.
    fn terms(&self, layers: &[(&Key, i32)], node: Option<u32>) -> Option<BTreeMap<Name, Option<Terms>>> {
        let mut all: BTreeMap<Name, Option<Terms>> = BTreeMap::new();
        for (layer, by) in layers {
            for (name, cells) in self.sums(layer, node)? {
                let known = all.entry(name).or_insert_with(|| Some(Vec::new()));
                let cells = cells.map(|cells| cells.into_iter().map(|cell| (cell, *by)));
                *known = known.take().zip(cells).map(|(known, cells)| known.into_iter().chain(cells).collect());
            }
        }
        Some(all)
    }
}

impl Family {
    /// Adds what two units imply about each other.
    pub(super) fn add_tie(&mut self, tie: &Tie, units: &[Unit], joints: &[Option<Joint>]) -> Result<()> {
        for clique in &tie.cliques {
            let side = |side: usize| {
                let at = tie.units[side];
                Side::new(tie, side, clique, &units[at], joints[at].as_ref()?)
            };
            let (Some(data), Some(linked)) = (side(0), side(1)) else { continue };
            let layers: Vec<Key> = data
                .margin
                .layers(data.atoms)
                .filter(|key| key.iter().all(|(variable, _)| Some(*variable) != data.only))
                .cloned()
                .collect();
            let mut counted: Vec<Vec<(&Key, i32)>> = layers.iter().map(|key| vec![(key, 1)]).collect();
            for ((rest, _), nodes) in layer_lines(data.unit, &layers) {
                let whole = layers.binary_search(&rest).ok().map(|at| at as u32);
                let sums = at_least_nothing(&nodes, whole).into_iter();
                counted.extend(sums.map(|sum| sum.iter().map(|(at, by)| (&layers[*at as usize], *by)).collect()));
            }
            let mut pairs: Vec<(Terms, Terms)> = Vec::new();
            for layers in &counted {
                for [node, other] in &tie.nodes {
                    let (Some(ours), Some(theirs)) = (data.terms(layers, *node), linked.terms(layers, *other)) else {
                        continue;
                    };
                    pairs.extend(paired(ours, theirs));
                }
            }
            self.hold(&pairs)?;
            for layer in layers.iter().filter(|_| !tie.each.is_empty()) {
                self.add_each(tie, layer, &data, &linked)?;
            }
        }
        Ok(())
    }

    /// Adds that a record counted under several values of a linked file has at least that many linked records.
    fn add_each(&mut self, tie: &Tie, layer: &Key, data: &Side, linked: &Side) -> Result<()> {
        let mut ours: BTreeMap<Name, Option<Terms>> = BTreeMap::new();
        for node in &tie.each {
            for (name, terms) in data.terms(&[(layer, 1)], Some(*node)).unwrap_or_default() {
                let known = ours.entry(name).or_insert_with(|| Some(Vec::new()));
                *known = known.take().zip(terms).map(|(known, terms)| [known, terms].concat());
            }
        }
        let pairs = paired(ours, linked.terms(&[(layer, 1)], None).unwrap_or_default());
        let over = |(ours, theirs): &(Terms, Terms)| self.sum(theirs) - self.sum(ours);
        if pairs.iter().all(|pair| over(pair) >= 0) {
            let near: Vec<&(Terms, Terms)> = pairs.iter().filter(|pair| over(pair) <= FAR_FROM_LINKED).collect();
            near.into_iter().try_for_each(|(ours, theirs)| self.add_less(ours, 1, theirs))?;
            self.goes(Extent::More, true);
        }
        Ok(())
    }

    /// Adds two statements, each only if it holds for all pairs. The first sum is no larger than the second. One is
    /// zero exactly if the other is. The second statement becomes an inequality: neither sum is more than `many` times
    /// the other.
    fn hold(&mut self, pairs: &[(Terms, Terms)]) -> Result<()> {
        let values: Vec<(i64, i64)> = pairs.iter().map(|(one, other)| (self.sum(one), self.sum(other))).collect();
        let shows = Shows::new(&values, true);
        // More than twice the largest value.
        let largest = values.iter().map(|(one, other)| *one.max(other)).max().unwrap_or_default();
        let many = (2 * largest + 2).min(MAX_FACTOR);
        for ((one, other), (least, most)) in pairs.iter().zip(values) {
            if let ([(one, 1)], [(other, 1)]) = (&one[..], &other[..])
                && self.tied.contains(&(*one, *other))
            {
                continue;
            }
            if shows.both && (least, most) == (0, 0) {
                // The equation is stricter than the truth, so what is safe under it is safe without it.
                self.add_equal(one, other)?;
                continue;
            }
            // If the two differ by more than this, the inequality is taken to hold anyway.
            if shows.at_most && most - least <= FAR_FROM_LINKED {
                self.add_less(one, 1, other)?;
            } else if shows.both && most <= FAR_FROM_LINKED && many * most >= least {
                self.add_less(one, many as i32, other)?;
            }
            if shows.tells_of_data() && least <= FAR_FROM_LINKED && many * least >= most {
                self.add_less(other, many as i32, one)?;
            }
        }
        self.goes(Extent::More, !pairs.is_empty() && (shows.at_most || shows.tells_of_data()));
        Ok(())
    }

    fn sum(&self, terms: &Terms) -> i64 {
        terms.iter().map(|(cell, by)| self.value(*cell) * i64::from(*by)).sum()
    }

    /// Adds that a sum is at most `times` another.
    fn add_less(&mut self, one: &Terms, times: i32, other: &Terms) -> Result<()> {
        if other.iter().all(|(_, by)| *by == 1) {
            let inside = other.iter().map(|(cell, _)| *cell).collect();
            self.implied.push(Implied { by: one.clone(), inside, once: times > 1 });
        }
        let minus = one.iter().map(|(cell, by)| (*cell, -by));
        self.add_at_least(0, other.iter().map(|(cell, by)| (*cell, by * times)).chain(minus).collect())
    }

    fn add_equal(&mut self, one: &Terms, other: &Terms) -> Result<()> {
        let mut by_cell: BTreeMap<u32, i32> = BTreeMap::new();
        one.iter().for_each(|(cell, by)| *by_cell.entry(*cell).or_default() += by);
        other.iter().for_each(|(cell, by)| *by_cell.entry(*cell).or_default() -= by);
        by_cell.retain(|_, by| *by != 0);
        if by_cell.is_empty() { Ok(()) } else { self.system.add(0, by_cell) }
    }
}

/// The sums of two units for the same combinations. A combination that one unit lacks has no records there.
fn paired(ours: BTreeMap<Name, Option<Terms>>, mut theirs: BTreeMap<Name, Option<Terms>>) -> Vec<(Terms, Terms)> {
    let mut pairs = Vec::new();
    for (name, terms) in ours {
        let other = theirs.remove(&name).unwrap_or_else(|| Some(Vec::new()));
        pairs.extend(terms.zip(other));
    }
    pairs.extend(theirs.into_values().filter_map(|other| Some((Vec::new(), other?))));
    pairs
}
