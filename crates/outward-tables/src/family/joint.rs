//! The joint table behind the tables of a unit, block by block (M3 to M6 of `docs/methods/attacker.md`).
//!
//! Every published cell is a sum of **atoms**: combinations of parts of the variables of its block. Atoms that no table shows become
//! cells that nobody publishes. Neighbouring blocks agree on what they share.

use std::collections::{BTreeMap, BTreeSet};

use outward_spec::{Error, Result};

use super::answers::{at_least_nothing, at_most};
use super::axis::{Axis, View};
use super::blocks::{Blocks, Clique, blocks};
use super::people::InAtoms;
use super::places::{Key, Lines};
use super::rests::People;
use super::unit::{Shape, Unit};
use super::{Extent, Family};
use outward_audit::Status;
use outward_audit::fill::fill;

/// More atoms than this in one unit are not reckoned with.
pub const MOST_ATOMS: usize = 50_000;

/// More atoms than this are not searched for where no record says what is in them.
const MOST_FILLED: usize = 5_000;

/// A published cell, or an atom that nobody publishes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Term {
    Cell(u32),
    Atom(u32),
    /// An atom that no table says anything of: a sum with it may be anything.
    Free,
}

/// What holds between cells and atoms.
#[derive(Default)]
struct Draft {
    /// What is in each atom, where records say it.
    atoms: Vec<Option<i64>>,
    /// Sums of terms that are zero.
    sums: Vec<Vec<(Term, i32)>>,
    /// Sums of terms that are not below zero.
    at_least_nothing: Vec<Vec<(Term, i32)>>,
    /// Cells that nobody can be in.
    empty: Vec<u32>,
}

/// A block: the variables that are told apart by parts, and those of several answers that are counted node by node.
struct Block {
    clique: Clique,
    axes: Vec<Axis>,
    layered: BTreeSet<u32>,
    /// The tables whose variables are all here, by their place among those of the unit.
    shapes: Vec<usize>,
}

/// The atoms of a block.
struct Atoms {
    /// What the atoms of each layer show of the variables that are counted node by node.
    layers: Vec<Key>,
    /// For each layer and each combination the term; none where nobody can be.
    terms: Vec<Option<Term>>,
}

impl Block {
    /// How many combinations of places there are; none where they are too many to be numbered.
    fn count(&self) -> Option<usize> {
        self.axes.iter().try_fold(1usize, |count, axis| count.checked_mul(axis.count))
    }

    /// The place on an axis in a combination.
    fn place(&self, combination: usize, axis: usize) -> u32 {
        let after: usize = self.axes[axis + 1..].iter().map(|axis| axis.count).product();
        (combination / after % self.axes[axis].count) as u32
    }

    /// All combinations of some places of each axis; all of an axis where nothing is said of it.
    fn combinations(&self, places: &[Option<Vec<u32>>]) -> Vec<usize> {
        let mut all = vec![0];
        for (axis, places) in self.axes.iter().zip(places) {
            let each: Vec<usize> = match places {
                Some(places) => places.iter().map(|place| *place as usize).collect(),
                None => (0..axis.count).collect(),
            };
            all = all.iter().flat_map(|before| each.iter().map(move |place| before * axis.count + place)).collect();
        }
        all
    }

    /// For each axis the places of a cell of a table, and what the cell shows of variables that are counted node by node; none where the block
    /// does not tell.
    fn lists(&self, unit: &Unit, shape: &Shape, nodes: &[usize]) -> Option<(Vec<Option<Vec<u32>>>, Key)> {
        let mut lists: Vec<Option<Vec<u32>>> = vec![None; self.axes.len()];
        let mut layer = Key::new();
        for (variable, node) in shape.entries(nodes) {
            if self.layered.contains(&variable) {
                layer.push((variable, node));
                continue;
            }
            let at = self.axes.iter().position(|axis| axis.variable == variable)?;
            let own = self.axes[at].whole_places(unit.parts[&variable].node(node))?;
            lists[at] = Some(match lists[at].take() {
                None => own,
                Some(before) => before.into_iter().filter(|place| own.binary_search(place).is_ok()).collect(),
            });
        }
        layer.sort_unstable();
        Some((lists, layer))
    }
}

/// The graph of a unit: its vertices, each a variable cut in one way, and its blocks.
struct Graph {
    vertices: Vec<Vertex>,
    blocks: Vec<Block>,
    tree: Vec<(usize, usize)>,
}

/// A variable as some tables cut it, or one that is counted node by node.
enum Vertex {
    Axis(Axis),
    Layered(u32),
}

impl Vertex {
    fn variable(&self) -> u32 {
        match self {
            Self::Axis(axis) => axis.variable,
            Self::Layered(variable) => *variable,
        }
    }
}

impl Graph {
    fn of(unit: &Unit) -> Self {
        let mut vertices: Vec<Vertex> = unit.layered.iter().copied().map(Vertex::Layered).collect();
        for (variable, views) in unit.views() {
            for view in views {
                add_vertex(&mut vertices, Axis::new(variable, &unit.parts[&variable], view));
            }
        }
        let all_of = |variable: u32| -> Clique {
            (0..vertices.len()).filter(|at| vertices[*at].variable() == variable).collect()
        };
        let tables: Vec<Clique> = unit.shapes.iter().map(|shape| vertices_of(unit, shape, &vertices)).collect();
        let mut edges = tables.clone();
        edges.extend(unit.parts.keys().map(|variable| all_of(*variable)).filter(|ways| ways.len() > 1));
        edges.extend(unit.rules().map(|variables| variables.iter().flat_map(|variable| all_of(*variable)).collect()));
        let size = |vertex: &Vertex| match vertex {
            Vertex::Axis(axis) => axis.count,
            Vertex::Layered(_) => 2,
        };
        let Blocks { cliques, tree } = blocks(&vertices.iter().map(size).collect::<Vec<_>>(), &edges);
        let home = |table: &Clique| cliques.iter().position(|clique| table.is_subset(clique));
        let homes: Vec<Option<usize>> = tables.iter().map(home).collect();
        let block = |(at, clique): (usize, &Clique)| Block {
            clique: clique.clone(),
            axes: axes_of(unit, clique, &vertices),
            layered: clique
                .iter()
                .map(|vertex| vertices[*vertex].variable())
                .filter(|variable| unit.layered.contains(variable))
                .collect(),
            shapes: (0..tables.len()).filter(|table| homes[*table] == Some(at)).collect(),
        };
        let blocks = cliques.iter().enumerate().map(block).collect();
        Self { vertices, blocks, tree }
    }

    /// Whether a cell of a block's tables may lie inside another and differ from it by what stands in no table (P3): tables cut a variable in
    /// different ways, or leave out some of its values, or have different conditions.
    fn may_differ(&self, unit: &Unit, block: &Block) -> bool {
        let variables: BTreeSet<u32> = block.clique.iter().map(|vertex| self.vertices[*vertex].variable()).collect();
        let shapes = || block.shapes.iter().map(|at| &unit.shapes[*at]);
        let covers = |(variable, nodes): &(u32, Vec<Option<u32>>)| {
            let Some(axis) = block.axes.iter().find(|axis| axis.variable == *variable) else { return false };
            let places = nodes.iter().flatten().filter_map(|node| axis.whole_places(unit.parts[variable].node(*node)));
            places.flatten().collect::<BTreeSet<u32>>().len() == axis.count
        };
        variables.len() < block.clique.len()
            || shapes().any(|shape| !shape.dimensions.iter().all(covers))
            || shapes().zip(shapes().skip(1)).any(|(one, next)| one.common != next.common)
    }
}

/// Adds a way to cut a variable, unless another cuts it alike.
fn add_vertex(vertices: &mut Vec<Vertex>, axis: Axis) {
    for vertex in vertices.iter_mut() {
        if let Vertex::Axis(known) = vertex
            && known.variable == axis.variable
            && known.count == axis.count
            && known.coarsened(&axis).is_some()
        {
            known.view.join(&axis.view);
            return;
        }
    }
    vertices.push(Vertex::Axis(axis));
}

/// The vertices of a table, and those that follow from them.
fn vertices_of(unit: &Unit, shape: &Shape, vertices: &[Vertex]) -> Clique {
    let views = shape.views(unit);
    let shown = |vertex: &Vertex| match vertex {
        Vertex::Layered(variable) => shape.shows(*variable),
        Vertex::Axis(axis) => views.get(&axis.variable).is_some_and(|view| {
            let own = Axis::new(axis.variable, &unit.parts[&axis.variable], view.clone());
            axis.coarsened(&own).is_some()
        }),
    };
    (0..vertices.len()).filter(|at| shown(&vertices[*at])).collect()
}

/// One axis for each variable of a clique, as fine as all its vertices together.
fn axes_of(unit: &Unit, clique: &Clique, vertices: &[Vertex]) -> Vec<Axis> {
    let mut views: BTreeMap<u32, View> = BTreeMap::new();
    for vertex in clique {
        if let Vertex::Axis(axis) = &vertices[*vertex] {
            views.entry(axis.variable).or_default().join(&axis.view);
        }
    }
    views.into_iter().map(|(variable, view)| Axis::new(variable, &unit.parts[&variable], view)).collect()
}

impl Family {
    /// Adds what an attacker knows of the tables of a unit beyond their own sums. What is left between cells of several tables is kept where it
    /// is at most `few` people.
    pub(super) fn add_joint(&mut self, unit: &Unit, few: i64, people: &People) -> Result<()> {
        if unit.is_one_table() {
            return Ok(());
        }
        let graph = Graph::of(unit);
        let mut draft = Draft::default();
        let mut all: Vec<Option<Atoms>> = Vec::new();
        for block in &graph.blocks {
            let atoms = self.atoms(unit, block, &mut draft);
            if let Some(atoms) = &atoms {
                self.add_cells(unit, block, atoms, &mut draft);
            }
            all.push(atoms);
        }
        for (one, other) in &graph.tree {
            if let (Some(first), Some(second)) = (&all[*one], &all[*other]) {
                let separator = Separator::new(unit, &graph, *one, *other);
                self.add_separator(unit, &separator, [first, second], &mut draft);
            }
        }
        for (block, _) in graph.blocks.iter().zip(&all).filter(|(_, atoms)| atoms.is_none()) {
            let places: Vec<usize> = block.shapes.iter().map(|at| unit.shapes[*at].place).collect();
            if self.hides(&places) || graph.may_differ(unit, block) {
                self.is_too_large(&places);
            }
        }
        if !self.settle(unit, &mut draft)? {
            self.is_too_large(&unit.shapes.iter().map(|shape| shape.place).collect::<Vec<_>>());
            return Ok(());
        }
        let cells = self.commit(&draft)?;
        self.add_people(unit, graph.blocks.iter().zip(&all), &cells);
        for (block, atoms) in graph.blocks.iter().zip(&all) {
            if let Some(atoms) = atoms {
                let made_of = self.made_of(unit, block, atoms, &cells);
                self.add_rests(&made_of, few, people)?;
            }
        }
        self.goes(Extent::More, unit.knows_records());
        Ok(())
    }

    /// Whether something in some tables is to be hidden.
    fn hides(&self, places: &[usize]) -> bool {
        let cells = places.iter().flat_map(|place| &self.cells[*place]);
        let mut statuses = cells.map(|cell| self.system.cells[*cell as usize].status);
        statuses.any(|status| matches!(status, Status::Unsafe | Status::Hidden))
    }

    /// Notes that some tables tell too much together.
    fn is_too_large(&mut self, places: &[usize]) {
        self.too_large.push(places.iter().map(|place| self.tables[*place]).collect());
        self.goes(Extent::Less, true);
    }

    /// Whether the blocks of a unit are not too large.
    pub(super) fn fits_in(&self, unit: &Unit) -> bool {
        let fits = |block: &Block| {
            let layers = self.layers(unit, block).len();
            block.count().is_some_and(|count| count.saturating_mul(layers) <= MOST_ATOMS)
        };
        unit.is_one_table() || Graph::of(unit).blocks.iter().all(fits)
    }

    /// The atoms of a block; none where they are too many.
    fn atoms(&self, unit: &Unit, block: &Block, draft: &mut Draft) -> Option<Atoms> {
        let layers = self.layers(unit, block);
        let count = block.count().filter(|count| count.saturating_mul(layers.len()) <= self.published_most())?;
        let names: Vec<Vec<Option<Option<u32>>>> = block.axes.iter().map(|axis| unit.nodes_of_places(axis)).collect();
        let rules = unit.excluded(&block.axes);
        let told = self.told(unit, block, count);
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

    /// The combinations of which tables of a block show something of the variables that are counted node by node.
    fn told(&self, unit: &Unit, block: &Block, count: usize) -> Vec<bool> {
        let mut told = vec![block.layered.is_empty(); count];
        for shape in block.shapes.iter().map(|at| &unit.shapes[*at]).filter(|_| !block.layered.is_empty()) {
            for at in 0..self.cells[shape.place].len() {
                let nodes = shape.nodes(at);
                // The finest cells have all that the others have.
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

    /// No block has more combinations than this; those that tables show cost little.
    fn published_most(&self) -> usize {
        MOST_ATOMS + 4 * self.system.cells.len()
    }

    /// What tables of a block show of variables that are counted node by node, and everyone.
    fn layers(&self, unit: &Unit, block: &Block) -> Vec<Key> {
        let mut layers: BTreeSet<Key> = BTreeSet::from([Key::new()]);
        // A table that does not show all variables of the block says nothing of single combinations.
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

    /// Says of the cells of a block's tables which atoms they are the sums of, and what holds between layers.
    fn add_cells(&self, unit: &Unit, block: &Block, atoms: &Atoms, draft: &mut Draft) {
        let count = atoms.terms.len() / atoms.layers.len();
        let voids = atoms.terms.contains(&None);
        let mut seen: BTreeSet<u32> = BTreeSet::new();
        for shape in block.shapes.iter().map(|at| &unit.shapes[*at]) {
            for (at, cell) in self.cells[shape.place].iter().enumerate() {
                let nodes = shape.nodes(at);
                // The sum of cells of its own table is made of what these are made of.
                let is_sum = shape.is_sum(&nodes);
                if is_sum && !voids || !seen.insert(*cell) {
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
                    _ => draft
                        .sums
                        .push(own.into_iter().map(|term| (term, 1)).chain([(Term::Cell(*cell), -1)]).collect()),
                }
            }
        }
        for combination in (0..count).filter(|_| !block.layered.is_empty()) {
            self.add_layers(unit, block, atoms, combination, draft);
        }
    }

    /// What holds between the layers of one combination (M6).
    fn add_layers(&self, unit: &Unit, block: &Block, atoms: &Atoms, combination: usize, draft: &mut Draft) {
        let count = atoms.terms.len() / atoms.layers.len();
        let term = |layer: u32| atoms.terms[layer as usize * count + combination];
        let mut lines = Lines::new();
        for (number, key) in (0..).zip(&atoms.layers) {
            for at in 0..key.len() {
                let mut rest = key.clone();
                let (variable, node) = rest.remove(at);
                lines.entry((rest, variable)).or_default().push((unit.set(node).to_vec(), number));
            }
        }
        for ((rest, variable), nodes) in lines {
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
                // What holds between published cells alone stands there already.
                if terms.iter().any(|(term, _)| matches!(term, Term::Atom(_))) {
                    draft.at_least_nothing.push(terms);
                }
            }
        }
    }

    /// Says that two blocks agree on what they share.
    fn add_separator(&self, unit: &Unit, separator: &Separator, atoms: [&Atoms; 2], draft: &mut Draft) {
        for layer in separator.layers(atoms) {
            let sums = [0, 1].map(|side| separator.sums(side, atoms[side], &layer));
            for (combination, (one, other)) in sums[0].iter().zip(&sums[1]).enumerate() {
                let cell = separator.cell(unit, combination, &layer);
                let of =
                    |side: usize| cell.filter(|cell| separator.has(unit, &self.places.tables[*cell as usize], side));
                let sides = [of(0), of(1)];
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

    /// Finds what is in atoms of which no record says it. Whether all that holds does.
    fn settle(&self, unit: &Unit, draft: &mut Draft) -> Result<bool> {
        if self.fits(draft) {
            return Ok(true);
        }
        if draft.atoms.len() > MOST_FILLED || unit.has_records() && self.system.counts {
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
        for terms in &draft.at_least_nothing {
            let (right, mut own) = split(terms);
            own.push((known.len() as u32, -1));
            known.push(None);
            equations.push((right, own));
        }
        let Some(found) = fill(&known, &equations)? else {
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
        // Sums may be beyond what the solver is exact to.
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
            && draft.at_least_nothing.iter().all(|terms| sum(terms).is_some_and(|sum| sum >= 0))
            && draft.empty.iter().all(|cell| self.value(*cell) == 0)
    }

    /// Puts all of it into the system; the cell of each atom.
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
        for terms in &draft.at_least_nothing {
            let own = terms.iter().filter_map(|(term, by)| Some((cell(term)?, *by)));
            self.add_at_least_nothing(own.collect())?;
        }
        draft.empty.iter().for_each(|cell| self.system.cells[*cell as usize].upper = 0);
        Ok(cells)
    }

    /// Notes which atoms each record is in, where records say what is in all of them.
    fn add_people<'b>(
        &mut self,
        unit: &Unit,
        blocks: impl Iterator<Item = (&'b Block, &'b Option<Atoms>)>,
        cells: &[u32],
    ) {
        let amounts = unit.amounts();
        let mut people = InAtoms {
            places: unit.shapes.iter().map(|shape| shape.place).collect(),
            records: vec![Vec::new(); amounts.len()],
        };
        let mut sums: BTreeMap<u32, i64> = BTreeMap::new();
        for (block, atoms) in blocks.filter_map(|(block, atoms)| Some((block, atoms.as_ref()?))) {
            let Some(stand) = unit.stand(&block.axes, &atoms.layers) else { return };
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
            self.people.push(people);
        }
    }

    /// For each cell of the tables of a block the atoms it is made of, where not all atoms are cells of one table.
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
        // Cells of other blocks' tables too, where all they show is told here.
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

/// What two neighbouring blocks share.
struct Separator<'a> {
    blocks: [&'a Block; 2],
    axes: Vec<Axis>,
    layered: BTreeSet<u32>,
    /// For each side, each shared axis: which axis of the block it is coarser than, and for each place there the place here.
    down: [Vec<(usize, Vec<u32>)>; 2],
}

impl<'a> Separator<'a> {
    fn new(unit: &Unit, graph: &'a Graph, one: usize, other: usize) -> Self {
        let blocks = [&graph.blocks[one], &graph.blocks[other]];
        let shared: Clique = blocks[0].clique.intersection(&blocks[1].clique).copied().collect();
        let axes = axes_of(unit, &shared, &graph.vertices);
        let down = blocks.map(|block| {
            let of = |axis: &Axis| {
                let at = block.axes.iter().position(|own| own.variable == axis.variable)?;
                Some((at, axis.coarsened(&block.axes[at])?))
            };
            axes.iter().filter_map(of).collect()
        });
        let layered = blocks[0].layered.intersection(&blocks[1].layered).copied().collect();
        Self { blocks, axes, layered, down }
    }

    /// The layers that both sides have of what they share.
    fn layers(&self, atoms: [&Atoms; 2]) -> Vec<Key> {
        let shared = |key: &&Key| key.iter().all(|(variable, _)| self.layered.contains(variable));
        let both = atoms[0].layers.iter().filter(shared).filter(|key| atoms[1].layers.binary_search(key).is_ok());
        both.cloned().collect()
    }

    fn count(&self) -> usize {
        self.axes.iter().map(|axis| axis.count).product()
    }

    /// For each combination of shared places the atoms of a side.
    fn sums(&self, side: usize, atoms: &Atoms, layer: &Key) -> Vec<Vec<Term>> {
        let mut sums = vec![Vec::new(); self.count()];
        let Ok(layer) = atoms.layers.binary_search(layer) else { return sums };
        let count = atoms.terms.len() / atoms.layers.len();
        for combination in 0..count {
            let Some(term) = atoms.terms[layer * count + combination] else { continue };
            let place = |(at, down): &(usize, Vec<u32>)| down[self.blocks[side].place(combination, *at) as usize];
            let at = self.down[side]
                .iter()
                .zip(&self.axes)
                .fold(0, |at, (down, axis)| at * axis.count + place(down) as usize);
            sums[at].push(term);
        }
        sums
    }

    /// The published cell of a combination of shared places.
    fn cell(&self, unit: &Unit, combination: usize, layer: &Key) -> Option<u32> {
        let place = |at: usize| {
            let after: usize = self.axes[at + 1..].iter().map(|axis| axis.count).product();
            combination / after % self.axes[at].count
        };
        let names = (0..self.axes.len()).map(|at| unit.nodes_of_places(&self.axes[at])[place(at)]);
        unit.published(self.axes.iter().map(|axis| axis.variable).zip(names), layer)
    }

    /// Whether a cell stands in a table of one side.
    fn has(&self, unit: &Unit, tables: &[usize], side: usize) -> bool {
        self.blocks[side].shapes.iter().any(|at| tables.contains(&unit.shapes[*at].place))
    }
}
