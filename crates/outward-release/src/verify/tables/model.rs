//! The model of what tables tell (page *the attacker of tables*, M1 to M6), from what is published alone.
//!
//! Lines of cells that differ in one variable do not say all. Tables of *a* by *b*, *b* by *c* and *a* by *c* are margins of one table of *a* by *b*
//! by *c*, whose counts are not below zero. So the ways in which tables cut variables are the vertices of a graph, the maximal cliques of a
//! chordal graph around it are blocks, and every block has a count for each combination of parts: an atom. Neighbouring blocks agree on what
//! they share, and that is all that follows.

mod answers;
mod atoms;
mod certified;
mod combinations;
mod excluded;
mod graph;
mod linked;
mod parts;
mod selected;
mod separators;
#[cfg(test)]
mod tests;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use outward_tables::protect::ConditionKinds;

use super::conditions::Condition;
use super::lines::Relations;
use super::pattern::Patterns;
use super::places::Cells;
use answers::Relaxed;
use atoms::{Axis, Block};
pub(super) use combinations::{CombinationBlock, SliceCell};
use excluded::{Excluded, Rules};
use graph::{Clique, Tree, decompose};
use linked::shows_all;
pub(super) use linked::{BlockAtoms, LinkedSums, linked_sums};
use parts::{Cut, Nodes, cuts, parts};
use selected::CommonNodes;
pub(super) use selected::{Common, SelectedBy};
use separators::add_blocks;

/// More sets of answers than this are not listed.
const MOST_SETS: usize = 1_000;

/// What holds between cells, and how far that goes.
pub(super) struct Model {
    pub(super) relations: Relations,
    /// Whether the model has all that follows from the tables.
    pub(super) whole: bool,
    /// Whether there are more atoms than a release may have.
    pub(super) too_large: bool,
    /// For each unit its blocks, where other units show variables of it.
    pub(super) blocks: Vec<Vec<BlockAtoms>>,
    /// For each unit the variables that are searched for combinations.
    pub(super) combination_blocks: Vec<CombinationBlock>,
}

impl Model {
    /// What holds between the cells of tables, of which some are known, and which have these conditions. Files that are linked have something in
    /// `common`.
    pub(super) fn new(
        cells: &mut Cells,
        known: &[bool],
        (conditions, certified): (&[Condition], &[ConditionKinds]),
        common: &Common,
    ) -> Self {
        let everyone: Vec<Vec<u32>> = (0..cells.variables.len() as u32).map(|of| cells.everyone(of)).collect();
        let mut patterns = Patterns::default();
        let relations = Relations::new(cells, &mut patterns);
        let mut model =
            Self { relations, whole: true, too_large: false, blocks: Vec::new(), combination_blocks: Vec::new() };
        let common_nodes = CommonNodes::new(cells, common);
        for number in 0..cells.units.len() as u32 {
            let mut unit = Unit::new(cells, number, &everyone, (conditions, certified));
            model.combination_blocks.extend(unit.combination_block(cells, &everyone));
            let of_unit = |variable: &u32| cells.variables[*variable as usize].unit == number;
            let mut by_lines: BTreeSet<u32> = (0..cells.variables.len() as u32).filter(of_unit).collect();
            by_lines.retain(|variable| cells.variables[*variable as usize].several);
            let mut of_unit = Vec::new();
            if unit.is_one_table(cells, &everyone) && unit.shows_all(cells, &everyone, &common_nodes) {
                of_unit.extend(unit.without_atoms(cells, &everyone).filter(|_| !common_nodes.is_empty()));
            } else {
                let before = model.relations.mark();
                let added = loop {
                    let blocks = unit.blocks(cells, &everyone);
                    let last = unit.listed(cells).is_empty();
                    let asked = (known, &common_nodes);
                    match add_blocks(blocks, cells, asked, &mut model.relations, &mut patterns, last) {
                        Some(added) => break added,
                        None => {
                            model.relations.back_to(&before);
                            unit.unlist_largest(cells);
                        }
                    }
                };
                model.whole &= unit.unlisted.is_empty() && !added.too_many;
                model.too_large |= added.too_many;
                by_lines.retain(|variable| !added.told.contains(variable));
                of_unit = added.blocks;
            }
            model.blocks.push(of_unit);
            by_lines.into_iter().for_each(|variable| model.relations.add_lines(cells, variable, &mut patterns));
        }
        model
    }
}

/// Blocks of a unit by the cuts of variables in each, and their tree.
struct Blocks {
    blocks: Vec<Block>,
    tree: Tree,
    cuts: Vec<Cut>,
}

/// The variables of a unit as its tables cut them.
struct Unit<'a> {
    number: u32,
    cuts: Vec<Cut>,
    /// For each table the cuts it shows.
    tables: Vec<Clique>,
    /// Variables of several answers whose sets of answers are not listed.
    unlisted: BTreeSet<u32>,
    /// What conditions exclude.
    rules: Option<Rules<'a>>,
}

impl<'a> Unit<'a> {
    fn new(
        cells: &Cells,
        number: u32,
        everyone: &[Vec<u32>],
        (conditions, certified): (&'a [Condition], &'a [ConditionKinds]),
    ) -> Self {
        let (cuts, tables) = cuts(cells, number, everyone);
        let rules = Rules::new(cells, number, conditions, certified);
        let mut unit = Self { number, cuts, tables, unlisted: BTreeSet::new(), rules };
        let too_many = |cut: &&Cut| unit.parts(cells, everyone, cut.variable, &cut.nodes).is_none();
        unit.unlisted = unit.cuts.iter().filter(too_many).map(|cut| cut.variable).collect();
        unit
    }

    fn parts(&self, cells: &Cells, everyone: &[Vec<u32>], variable: u32, nodes: &Nodes) -> Option<Vec<parts::Part>> {
        let about = &cells.variables[variable as usize];
        let most = if about.several { MOST_SETS } else { usize::MAX };
        parts(about, nodes, &everyone[variable as usize], &cells.sets, most)
    }

    /// The variables of several answers whose sets of answers are listed.
    fn listed(&self, cells: &Cells) -> Vec<u32> {
        let several = |cut: &&Cut| cells.variables[cut.variable as usize].several;
        let listed = self.cuts.iter().filter(several).filter(|cut| !self.unlisted.contains(&cut.variable));
        let mut by_nodes: Vec<(usize, u32)> = listed.map(|cut| (cut.nodes.len(), cut.variable)).collect();
        by_nodes.sort_unstable();
        by_nodes.into_iter().map(|(_, variable)| variable).collect()
    }

    fn unlist_largest(&mut self, cells: &Cells) {
        self.unlisted.extend(self.listed(cells).last());
    }

    /// Whether one table has all cells, and shows each variable as finely as any: then its lines say all (M5).
    fn is_one_table(&self, cells: &Cells, everyone: &[Vec<u32>]) -> bool {
        let several = |variable: &u32| cells.variables[*variable as usize].several;
        let alone = |at: &super::places::Coordinates| at.iter().filter(|(variable, _)| several(variable)).count() <= 1;
        let all: BTreeSet<u32> = cells.standing(self.number).map(|(_, cell)| cell).collect();
        let has_all = |table: &Vec<u32>| {
            table.first().is_some_and(|first| all.contains(first))
                && table.iter().collect::<BTreeSet<_>>().len() == all.len()
        };
        let shown_by_itself = |cut: &Cut| {
            let Some(parts) = self.parts(cells, everyone, cut.variable, &cut.nodes) else { return false };
            let mut made_of: BTreeMap<u32, usize> = BTreeMap::new();
            parts.iter().flatten().for_each(|node| *made_of.entry(*node).or_default() += 1);
            parts.iter().all(|part| part.is_empty() || part.iter().any(|node| made_of[node] == 1))
        };
        self.rules.is_none()
            && cells.tables.iter().any(has_all)
            && cells.standing(self.number).all(|(at, _)| alone(at))
            && self.cuts.iter().filter(|cut| !several(&cut.variable)).all(shown_by_itself)
    }

    /// The nodes by which each variable is told apart in some of its cuts.
    fn nodes(&self, clique: &Clique) -> BTreeMap<u32, Nodes> {
        let mut nodes: BTreeMap<u32, Nodes> = BTreeMap::new();
        for cut in clique.iter().map(|cut| &self.cuts[*cut]) {
            nodes.entry(cut.variable).or_default().extend(&cut.nodes);
        }
        nodes
    }

    /// The blocks (M3), with the parts of their variables (M1).
    fn blocks(&self, cells: &Cells, everyone: &[Vec<u32>]) -> Blocks {
        let mut joined = self.tables.clone();
        for (one, cut) in self.cuts.iter().enumerate() {
            let same = (0..one).filter(|other| self.cuts[*other].variable == cut.variable);
            joined.extend(same.map(|other| Clique::from([one, other])));
        }
        joined.extend(self.rules.iter().flat_map(|rules| rules.joined(&self.cuts)));
        let known: RefCell<HashMap<(u32, Nodes), usize>> = RefCell::default();
        let size = |(variable, nodes): (u32, Nodes)| {
            if self.unlisted.contains(&variable) {
                return nodes.len() + 1;
            }
            let count = |(variable, nodes): &(u32, Nodes)| {
                self.parts(cells, everyone, *variable, nodes).map_or(1, |of| of.len())
            };
            *known.borrow_mut().entry((variable, nodes)).or_insert_with_key(count)
        };
        let atoms =
            |clique: &Clique| self.nodes(clique).into_iter().fold(1usize, |all, of| all.saturating_mul(size(of)));
        let tree = decompose(self.cuts.len(), &joined, atoms);
        let blocks = tree.blocks.iter().map(|clique| self.block(clique, cells, everyone)).collect();
        Blocks { blocks, tree, cuts: self.cuts.clone() }
    }

    /// Its blocks, none of which has atoms.
    fn without_atoms(&self, cells: &Cells, everyone: &[Vec<u32>]) -> impl Iterator<Item = BlockAtoms> {
        let blocks = self.blocks(cells, everyone).blocks.into_iter();
        blocks.map(|block| {
            let shown = block.shown(cells);
            BlockAtoms::new(block, shown, None)
        })
    }

    /// Whether tables show all combinations of what other units show too.
    fn shows_all(&self, cells: &Cells, everyone: &[Vec<u32>], common: &CommonNodes) -> bool {
        common.is_empty()
            || self.blocks(cells, everyone).blocks.iter().all(|block| shows_all(block, &block.shown(cells), common))
    }

    fn block(&self, clique: &Clique, cells: &Cells, everyone: &[Vec<u32>]) -> Block {
        let nodes = self.nodes(clique);
        let unlisted = self.unlisted.iter().filter(|variable| nodes.contains_key(variable)).copied().collect();
        let relaxed = Relaxed::new(unlisted, cells);
        let own = nodes.iter().filter(|(variable, _)| !relaxed.unlisted.contains(variable));
        let own = own.map(|(variable, nodes)| (*variable, *variable, nodes));
        let again = relaxed.again().map(|(of, number)| (of, number, &cells.variables[of as usize].again));
        let axis = |(of, number, nodes): (u32, u32, &Nodes)| {
            Axis::new(number, self.parts(cells, everyone, of, nodes).unwrap_or_default())
        };
        let axes: Vec<Axis> = own.chain(again).map(axis).collect();
        let excluded = self.rules.as_ref().and_then(|rules| Excluded::new(rules, &axes, cells, everyone));
        Block { unit: self.number, axes, relaxed, excluded, nodes }
    }
}
