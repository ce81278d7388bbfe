//! The joint table behind the tables of a unit, block by block (M3 to M6 of `docs/methods/attacker.md`).
//!
//! Every published cell is a sum of **atoms**: combinations of parts of the variables of its block. Atoms that no table
//! shows become unpublished cells. Neighbouring blocks agree on their separator.

use std::collections::{BTreeMap, BTreeSet};

use outward_spec::{Error, Result};

use super::answers::{at_least_nothing, at_most};
use super::differences::People;
use super::graph::{Block, Graph, VariableSet};
use super::margin::Margin;
use super::people::InAtoms;
use super::places::{Key, Lines};
use super::unit::{Shape, Unit};
use super::{Extent, Family};
use outward_audit::Status;
use outward_audit::find_integer_solution;

/// Most atoms in one unit. Beyond this its blocks are not modelled.
pub const MOST_ATOMS: usize = 50_000;

/// Most atoms whose values are searched for if no records give them.
const MAX_FILLED_ATOMS: usize = 5_000;

/// A published cell, or an unpublished atom.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Term {
    Cell(u32),
    Atom(u32),
    /// An atom on which no table says anything: a sum with it is not restricted.
    Free,
}

/// The equations and inequalities between cells and atoms.
#[derive(Default)]
struct Draft {
    /// The value of each atom, if records give it.
    atoms: Vec<Option<i64>>,
    /// Sums of terms that are zero.
    sums: Vec<Vec<(Term, i32)>>,
    /// Sums of terms, each with a lower bound.
    at_least: Vec<(i64, Vec<(Term, i32)>)>,
    /// Cells that no record can be in.
    empty: Vec<u32>,
}

/// The atoms of a block.
pub(super) struct Atoms {
    /// For each layer the nodes of the variables that are counted node by node.
    pub(super) layers: Vec<Key>,
    /// For each layer and each combination the term; `None` if no record can be there.
    pub(super) terms: Vec<Option<Term>>,
}

/// The joint table of a unit, as it is in the system.
pub(super) struct Joint {
    pub(super) graph: Graph,
    /// For each block its atoms; `None` if they are too many.
    pub(super) atoms: Vec<Option<Atoms>>,
    /// The cell of the system for each unpublished atom.
    pub(super) cells: Vec<u32>,
}

impl Joint {
    /// The cell of the system; `None` for an atom on which no table says anything.
    pub(super) fn cell(&self, term: Term) -> Option<u32> {
        match term {
            Term::Cell(cell) => Some(cell),
            Term::Atom(atom) => Some(self.cells[atom as usize]),
            Term::Free => None,
        }
    }
}

impl Graph {
    /// All atoms of a node of a variable; `None` if no block has them.
    fn all_of(&self, unit: &Unit, all: &[Option<Atoms>], (variable, node): (u32, u32)) -> Option<Vec<(Term, i32)>> {
        let of = |(block, atoms): (&Block, &Option<Atoms>)| {
            let atoms = atoms.as_ref()?;
            let (mut lists, mut layer): (Vec<Option<Vec<u32>>>, Key) = (vec![None; block.axes.len()], Key::new());
            match block.axes.iter().position(|axis| axis.variable == variable) {
                Some(at) => lists[at] = Some(block.axes[at].whole_places(unit.parts[&variable].node(node))?),
                None => layer.push((variable, node)),
            }
            let layer = atoms.layers.binary_search(&layer).ok()?;
            let count = atoms.terms.len() / atoms.layers.len();
            let own = block.combinations(&lists).into_iter();
            let own: Vec<Term> = own.filter_map(|combination| atoms.terms[layer * count + combination]).collect();
            (!own.contains(&Term::Free)).then(|| own.into_iter().map(|term| (term, 1)).collect())
        };
        self.blocks.iter().zip(all).find_map(of)
    }
}

impl Family {
    /// Adds what an attacker knows of the tables of a unit beyond their own sums. Differences between cells of several
    /// tables are kept if they are at most `few` people. The variables of each set of `linked` are in one block too.
    pub(super) fn add_joint(
        &mut self,
        unit: &Unit,
        linked: &[VariableSet],
        few: i64,
        people: &People,
    ) -> Result<Option<Joint>> {
        if unit.is_one_table() && linked.is_empty() && self.listed(unit).is_empty() {
            return Ok(None);
        }
        let graph = Graph::of_unit(unit, linked);
        let mut draft = Draft::default();
        let mut all: Vec<Option<Atoms>> = Vec::new();
        for block in &graph.blocks {
            let atoms = self.atoms(unit, block, &mut draft);
            if let Some(atoms) = &atoms {
                self.add_cells(unit, block, atoms, &mut draft);
            }
            all.push(atoms);
        }
        for terms in self.listed(unit).into_iter().filter_map(|listed| graph.all_of(unit, &all, listed)) {
            draft.at_least.push((1, terms));
        }
        for (one, other) in &graph.tree {
            let shared = graph.shared(&unit.parts, *one, *other);
            let margin = |at: usize| Some((Margin::new(unit, &graph.blocks[at], &shared)?, all[at].as_ref()?));
            if let (Some(one), Some(other)) = (margin(*one), margin(*other)) {
                self.add_separator(unit, [&one, &other], &mut draft);
            }
        }
        for (block, _) in graph.blocks.iter().zip(&all).filter(|(_, atoms)| atoms.is_none()) {
            let mut places: Vec<usize> = block.shapes.iter().map(|at| unit.shapes[*at].place).collect();
            if places.is_empty() {
                let shows = |shape: &&Shape| block.axes.iter().any(|axis| shape.shows(axis.variable));
                places = unit.shapes.iter().filter(shows).map(|shape| shape.place).collect();
            }
            // Hidden cells of another unit may follow from this block by a link (M7).
            let is_linked = linked.iter().any(|own| Margin::new(unit, block, own).is_some());
            let hides = if is_linked { self.hides_anything() } else { self.hides(&places) };
            if hides || graph.may_differ(unit, block) {
                self.is_too_large(&places);
            }
        }
        if !self.settle(unit, &mut draft)? {
            self.is_too_large(&unit.shapes.iter().map(|shape| shape.place).collect::<Vec<_>>());
            return Ok(None);
        }
        let cells = self.commit(&draft)?;
        self.add_people(unit, graph.blocks.iter().zip(&all), &cells);
        for (block, atoms) in graph.blocks.iter().zip(&all) {
            if let Some(atoms) = atoms {
                let made_of = self.made_of(unit, block, atoms, &cells);
                self.add_differences(&made_of, few, people)?;
            }
        }
        let told: Vec<BTreeSet<u32>> =
            graph.blocks.iter().zip(&all).map(|(block, atoms)| self.told_by(unit, block, atoms.as_ref())).collect();
        self.add_differences_between_blocks(unit, &told, few, people)?;
        self.add_combinations(unit, few, people)?;
        self.goes(Extent::More, unit.knows_records());
        Ok(Some(Joint { graph, atoms: all, cells }))
    }

    /// The nodes that a table lists only because they occur (K9), and of which no cell shows all records.
    fn listed(&self, unit: &Unit) -> BTreeSet<(u32, u32)> {
        let nodes = unit.listed_nodes().into_iter().filter(|_| self.system.counts);
        nodes
            .filter(|(variable, node)| {
                unit.published([(*variable, Some(Some(*node)))].into_iter(), &Key::new()).is_none()
            })
            .collect()
    }

    /// The published cells that are sums of atoms of a block.
    fn told_by(&self, unit: &Unit, block: &Block, atoms: Option<&Atoms>) -> BTreeSet<u32> {
        let Some(atoms) = atoms else { return BTreeSet::new() };
        let mut told = BTreeSet::new();
        for shape in &unit.shapes {
            for (at, cell) in self.cells[shape.place].iter().enumerate() {
                let layer = block.lists(unit, shape, &shape.nodes(at)).map(|(_, layer)| layer);
                if layer.is_some_and(|layer| atoms.layers.binary_search(&layer).is_ok()) {
                    told.insert(*cell);
                }
            }
        }
        told
    }

    /// Whether a cell of some tables must be hidden.
    fn hides(&self, places: &[usize]) -> bool {
        let cells = places.iter().flat_map(|place| &self.cells[*place]);
        let mut statuses = cells.map(|cell| self.system.cells[*cell as usize].status);
        statuses.any(|status| matches!(status, Status::Unsafe | Status::Hidden))
    }

    /// Whether a cell of any table must be hidden.
    fn hides_anything(&self) -> bool {
        self.hides(&(0..self.cells.len()).collect::<Vec<_>>())
    }

    /// Records that some tables together have more combinations than can be checked.
    fn is_too_large(&mut self, places: &[usize]) {
        self.too_large.push(places.iter().map(|place| self.tables[*place]).collect());
        self.goes(Extent::Less, true);
    }

    /// Whether the blocks of a unit have no more atoms than allowed.
    pub(super) fn fits_in(&self, unit: &Unit, linked: &[VariableSet]) -> bool {
        let fits = |block: &Block| {
            let layers = self.layers(unit, block).len();
            block.count().is_some_and(|count| count.saturating_mul(layers) <= MOST_ATOMS)
        };
        unit.is_one_table() && linked.is_empty() || Graph::of_unit(unit, linked).blocks.iter().all(fits)
    }

    /// The atoms of a block; `None` if there are too many.
    fn atoms(&self, unit: &Unit, block: &Block, draft: &mut Draft) -> Option<Atoms> {
        let layers = self.layers(unit, block);
        let count = block.count().filter(|count| count.saturating_mul(layers.len()) <= self.published_most())?;
        let names: Vec<Vec<Option<Option<u32>>>> = block.axes.iter().map(|axis| unit.nodes_of_places(axis)).collect();
        let rules = unit.excluded(&block.axes);
        let told = self.shows_layered(unit, block, count);
        let found = unit.counted(&block.axes, &layers);
        let (mut terms, before) = (Vec::with_capacity(count * layers.len()), draft.atoms.len());
        for (layer, key) in layers.iter().enumerate() {
            for combination in 0..count {
                let value = found.as_ref().map(|found| found[layer * count + combination]);
                let places = |axis: usize| block.place(combination, axis);
                let void = || rules.iter().any(|rule| rule.has(&places));
                if value.is_none_or(|value| value == 0) && void() {
                    terms.push(None);
                    continue;
                }
                if !key.is_empty() && !told[combination] {
                    terms.push(Some(Term::Free));
                    continue;
                }
                let name = (0..names.len()).map(|axis| names[axis][places(axis) as usize]);
                let published = unit.published(block.axes.iter().map(|axis| axis.variable).zip(name), key);
                terms.push(Some(match published {
                    Some(cell) => Term::Cell(cell),
                    None => {
                        draft.atoms.push(value);
                        Term::Atom(draft.atoms.len() as u32 - 1)
                    }
                }));
            }
        }
        if draft.atoms.len() > MOST_ATOMS {
            draft.atoms.truncate(before);
            return None;
        }
        Some(Atoms { layers, terms })
    }

    /// For each combination whether a table of the block shows, within it, a variable that is counted node by node.
    fn shows_layered(&self, unit: &Unit, block: &Block, count: usize) -> Vec<bool> {
        let mut told = vec![block.layered.is_empty(); count];
        for shape in block.shapes.iter().map(|at| &unit.shapes[*at]).filter(|_| !block.layered.is_empty()) {
            for at in 0..self.cells[shape.place].len() {
                let nodes = shape.nodes(at);
                // The other cells are sums of the finest ones.
                if shape.is_sum(&nodes) {
                    continue;
                }
                let Some((lists, layer)) = block.lists(unit, shape, &nodes) else { continue };
                if !layer.is_empty() {
                    block.combinations(&lists).into_iter().for_each(|combination| told[combination] = true);
                }
            }
        }
        told
    }

    /// Most combinations of a block. Those that tables show cost little.
    fn published_most(&self) -> usize {
        MOST_ATOMS + 4 * self.system.cells.len()
    }

    /// The layers of a block: what its tables show of variables that are counted node by node, and the layer of all
    /// records.
    fn layers(&self, unit: &Unit, block: &Block) -> Vec<Key> {
        let mut layers: BTreeSet<Key> = BTreeSet::from([Key::new()]);
        // A table that does not show all variables of the block says nothing about single combinations.
        let shows_all = |shape: &&Shape| block.axes.iter().all(|axis| shape.shows(axis.variable));
        let shapes = block.shapes.iter().map(|at| &unit.shapes[*at]).filter(|_| !block.layered.is_empty());
        for shape in shapes.filter(shows_all) {
            let mut own = vec![Key::new()];
            for (variable, nodes) in shape.dimensions.iter().filter(|(variable, _)| block.layered.contains(variable)) {
                let with = |key: &Key, node: &Option<u32>| {
                    let mut key = key.clone();
                    key.extend(node.map(|node| (*variable, node)));
                    key
                };
                own = own.iter().flat_map(|key| nodes.iter().map(move |node| with(key, node))).collect();
            }
            own.iter_mut().for_each(|key| key.sort_unstable());
            layers.extend(own);
        }
        layers.into_iter().collect()
    }

    /// Adds which atoms the cells of a block's tables are the sums of, and what holds between layers.
    fn add_cells(&self, unit: &Unit, block: &Block, atoms: &Atoms, draft: &mut Draft) {
        let count = atoms.terms.len() / atoms.layers.len();
        let voids = atoms.terms.contains(&None);
        let mut seen: BTreeSet<u32> = BTreeSet::new();
        for shape in block.shapes.iter().map(|at| &unit.shapes[*at]) {
            for (at, cell) in self.cells[shape.place].iter().enumerate() {
                let nodes = shape.nodes(at);
                // A cell that is a sum of cells of its own table follows from these. A group of one value is that value's
                // cell, which is no sum.
                let is_sum = shape.is_sum(&nodes);
                if is_sum && !voids || seen.contains(cell) {
                    continue;
                }
                let Some((lists, layer)) = block.lists(unit, shape, &nodes) else { continue };
                let Ok(layer) = atoms.layers.binary_search(&layer) else { continue };
                let own = block.combinations(&lists).into_iter();
                let own: Vec<Term> = own.filter_map(|combination| atoms.terms[layer * count + combination]).collect();
                match own[..] {
                    [] => draft.empty.push(*cell),
                    [Term::Cell(only)] if only == *cell => {}
                    _ if is_sum => {}
                    _ => {
                        seen.insert(*cell);
                        let own = own.into_iter().map(|term| (term, 1));
                        draft.sums.push(own.chain([(Term::Cell(*cell), -1)]).collect());
                    }
                }
            }
        }
        for combination in (0..count).filter(|_| !block.layered.is_empty()) {
            self.add_layers(unit, block, atoms, combination, draft);
        }
    }

    /// Adds what holds between the layers of one combination (M6).
    fn add_layers(&self, unit: &Unit, block: &Block, atoms: &Atoms, combination: usize, draft: &mut Draft) {
        let count = atoms.terms.len() / atoms.layers.len();
        let term = |layer: u32| atoms.terms[layer as usize * count + combination];
        for ((rest, variable), nodes) in layer_lines(unit, &atoms.layers) {
            let whole = atoms.layers.binary_search(&rest).ok().map(|layer| layer as u32);
            let all = nodes.iter().map(|(_, layer)| *layer).chain(whole);
            let mut all = all.into_iter().map(term);
            if !all.clone().any(|term| matches!(term, Some(Term::Atom(_)))) || all.any(|term| term == Some(Term::Free))
            {
                continue;
            }
            let places = |axis: usize| block.place(combination, axis);
            let implied = nodes.iter().filter(|(set, _)| unit.implies(&block.axes, &places, variable, set));
            let implied = implied.filter_map(|(_, layer)| Some(vec![(*layer, 1), (whole?, -1)]));
            let limits = at_most(&nodes, whole, unit.most(variable));
            for terms in at_least_nothing(&nodes, whole).into_iter().chain(limits).chain(implied) {
                let terms = terms.into_iter().filter_map(|(layer, by)| Some((term(layer)?, by)));
                let terms: Vec<(Term, i32)> = terms.collect();
                // What holds between published cells alone has been added already.
                if terms.iter().any(|(term, _)| matches!(term, Term::Atom(_))) {
                    draft.at_least.push((0, terms));
                }
            }
        }
    }

    /// Adds that two blocks agree on their separator.
    fn add_separator(&self, unit: &Unit, sides: [&(Margin, &Atoms); 2], draft: &mut Draft) {
        let [(margin, atoms), (_, others)] = sides;
        for layer in margin.layers(atoms).filter(|layer| others.layers.binary_search(layer).is_ok()) {
            let [ones, others] = sides.map(|(margin, atoms)| margin.sums(atoms, layer));
            for (combination, (one, other)) in ones.iter().zip(&others).enumerate() {
                let cell = margin.cell(unit, combination, layer, None);
                let sides =
                    sides.map(|(margin, _)| cell.filter(|cell| margin.has(unit, &self.places.tables[*cell as usize])));
                let mut add = |terms: &Vec<Term>, other: &[Term]| {
                    if terms.iter().chain(other).any(|term| *term == Term::Free) {
                        return;
                    }
                    let minus = other.iter().map(|term| (*term, -1));
                    draft.sums.push(terms.iter().map(|term| (*term, 1)).chain(minus).collect());
                };
                match (cell, sides) {
                    (Some(_), [Some(_), Some(_)]) => {}
                    (Some(cell), [None, Some(_)]) => add(one, &[Term::Cell(cell)]),
                    (Some(cell), [Some(_), None]) => add(other, &[Term::Cell(cell)]),
                    (Some(cell), [None, None]) => {
                        add(one, &[Term::Cell(cell)]);
                        add(other, &[Term::Cell(cell)]);
                    }
                    (None, _) => add(one, other),
                }
            }
        }
    }

    /// Finds values for atoms if records do not give them. Returns whether all equations and inequalities hold.
    fn settle(&self, unit: &Unit, draft: &mut Draft) -> Result<bool> {
        if self.fits(draft) {
            return Ok(true);
        }
        if draft.atoms.len() > MAX_FILLED_ATOMS || unit.has_records() && self.system.counts {
            return Ok(false);
        }
        let mut known: Vec<Option<i64>> = vec![None; draft.atoms.len()];
        let mut equations: Vec<(i64, Vec<(u32, i32)>)> = Vec::new();
        let split = |terms: &Vec<(Term, i32)>| {
            let (mut right, mut own) = (0, Vec::new());
            for (term, by) in terms {
                match term {
                    Term::Cell(cell) => right -= self.value(*cell) * i64::from(*by),
                    Term::Atom(atom) => own.push((*atom, *by)),
                    Term::Free => {}
                }
            }
            (right, own)
        };
        equations.extend(draft.sums.iter().map(split));
        for (least, terms) in &draft.at_least {
            let (right, mut own) = split(terms);
            own.push((known.len() as u32, -1));
            known.push(None);
            equations.push((right + least, own));
        }
        let Some(found) = find_integer_solution(&known, &equations)? else {
            let names: Vec<String> = unit.shapes.iter().map(|shape| format!("`{}`", shape.name)).collect();
            return Err(Error::input(format!(
                "the tables {} contradict each other: no data have all of their figures",
                names.join(", ")
            ))
            .help("see whether they count the same records, and in the same groups")
            .into());
        };
        let atoms = draft.atoms.len();
        draft.atoms = found.into_iter().take(atoms).map(Some).collect();
        // Sums may be beyond the precision of the solver.
        Ok(self.fits(draft))
    }

    fn fits(&self, draft: &Draft) -> bool {
        let value = |term: &Term| match term {
            Term::Cell(cell) => Some(self.value(*cell)),
            Term::Atom(atom) => draft.atoms[*atom as usize],
            Term::Free => None,
        };
        let sum = |terms: &Vec<(Term, i32)>| {
            terms.iter().try_fold(0i64, |sum, (term, by)| Some(sum + value(term)? * i64::from(*by)))
        };
        draft.sums.iter().all(|terms| sum(terms) == Some(0))
            && draft.at_least.iter().all(|(least, terms)| sum(terms).is_some_and(|sum| sum >= *least))
            && draft.empty.iter().all(|cell| self.value(*cell) == 0)
    }

    /// Adds the draft to the system. Returns the cell of each atom.
    fn commit(&mut self, draft: &Draft) -> Result<Vec<u32>> {
        let cells: Vec<u32> = draft.atoms.iter().map(|value| self.add_unpublished(value.unwrap_or_default())).collect();
        let cell = |term: &Term| match term {
            Term::Cell(cell) => Some(*cell),
            Term::Atom(atom) => Some(cells[*atom as usize]),
            Term::Free => None,
        };
        let mut seen = BTreeSet::new();
        for terms in &draft.sums {
            let mut by_cell: BTreeMap<u32, i32> = BTreeMap::new();
            let own = terms.iter().filter_map(|(term, by)| Some((cell(term)?, *by)));
            own.for_each(|(cell, by)| *by_cell.entry(cell).or_default() += by);
            let terms: Vec<(u32, i32)> = by_cell.into_iter().filter(|(_, by)| *by != 0).collect();
            if !terms.is_empty() && seen.insert(terms.clone()) {
                self.system.add(0, terms)?;
            }
        }
        for (least, terms) in &draft.at_least {
            let own = terms.iter().filter_map(|(term, by)| Some((cell(term)?, *by)));
            match least {
                0 => self.add_at_least_nothing(own.collect())?,
                _ => self.add_at_least(*least, own.collect())?,
            }
        }
        draft.empty.iter().for_each(|cell| self.system.cells[*cell as usize].upper = 0);
        Ok(cells)
    }

    /// Records which atoms each record is in, if records give the values of all atoms.
    fn add_people<'b>(
        &mut self,
        unit: &Unit,
        blocks: impl Iterator<Item = (&'b Block, &'b Option<Atoms>)>,
        cells: &[u32],
    ) {
        let amounts = unit.amounts();
        let mut people = InAtoms {
            unit: unit.name.clone(),
            parents: unit.parents.to_vec(),
            places: Vec::new(),
            records: vec![Vec::new(); amounts.len()],
            counts: amounts.to_vec(),
            contributions: unit.contributions().to_vec(),
        };
        let mut sums: BTreeMap<u32, i64> = BTreeMap::new();
        for (block, atoms) in blocks.filter_map(|(block, atoms)| Some((block, atoms.as_ref()?))) {
            let Some(stand) = unit.stand(&block.axes, &atoms.layers) else { return };
            people.places.extend(block.shapes.iter().map(|shape| unit.shapes[*shape].place));
            let mut own: BTreeMap<u32, i64> = BTreeMap::new();
            for (record, at) in stand {
                let cell = match atoms.terms[at] {
                    Some(Term::Cell(cell)) => cell,
                    Some(Term::Atom(atom)) => cells[atom as usize],
                    Some(Term::Free) | None => continue,
                };
                *own.entry(cell).or_default() += amounts[record];
                people.records[record].push(cell);
            }
            sums.extend(own);
        }
        if sums.iter().all(|(cell, sum)| self.value(*cell) == *sum) {
            people.records.iter_mut().for_each(|atoms| {
                atoms.sort_unstable();
                atoms.dedup();
            });
            people.places.sort_unstable();
            self.people.push(people);
        }
    }

    /// For each cell of the tables of a block the atoms it consists of, unless all atoms are cells of one table.
    fn made_of(&self, unit: &Unit, block: &Block, atoms: &Atoms, cells: &[u32]) -> Vec<(u32, Vec<u32>)> {
        if !atoms.terms.iter().any(|term| matches!(term, Some(Term::Atom(_)))) {
            return Vec::new();
        }
        let count = atoms.terms.len() / atoms.layers.len();
        let number = |term: Term| match term {
            Term::Cell(cell) => Some(cell),
            Term::Atom(atom) => Some(cells[atom as usize]),
            Term::Free => None,
        };
        let mut made_of: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        // Cells of tables of other blocks are included if this block has all their variables.
        for shape in &unit.shapes {
            for (at, cell) in self.cells[shape.place].iter().enumerate() {
                if made_of.contains_key(cell) {
                    continue;
                }
                let Some((lists, layer)) = block.lists(unit, shape, &shape.nodes(at)) else { continue };
                let Ok(layer) = atoms.layers.binary_search(&layer) else { continue };
                let own = block.combinations(&lists).into_iter();
                let own = own.filter_map(|combination| atoms.terms[layer * count + combination]);
                let Some(mut own) = own.map(number).collect::<Option<Vec<u32>>>() else { continue };
                own.sort_unstable();
                made_of.insert(*cell, own);
            }
        }
        made_of.into_iter().collect()
    }
}

/// Layers that differ in one variable only, by that variable and the rest of their key. Each is given with the values
/// of its node.
pub(super) fn layer_lines(unit: &Unit, layers: &[Key]) -> Lines {
    let mut lines = Lines::new();
    for (number, key) in (0..).zip(layers) {
        for at in 0..key.len() {
            let mut rest = key.clone();
            let (variable, node) = rest.remove(at);
            lines.entry((rest, variable)).or_default().push((unit.set(node).to_vec(), number));
        }
    }
    lines
}
