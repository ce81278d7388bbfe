//! The blocks of a unit put together: atoms where they matter (M5), and what neighbouring blocks share (M4).

use std::collections::{BTreeMap, BTreeSet, HashMap};

use outward_tables::MOST_ATOMS;

use super::Blocks;
use super::atoms::{Atoms, Block, Shown};
use super::graph::Clique;
use super::linked::{BlockAtoms, shows_all};
use super::parts::{Nodes, Part};
use super::selected::CommonNodes;
use crate::verify::tables::lines::Relations;
use crate::verify::tables::pattern::Patterns;
use crate::verify::tables::places::{Cells, Coordinates};

/// What came of the blocks of a unit.
pub(super) struct Added {
    /// Whether a block was left out because it has too many atoms.
    pub(super) too_many: bool,
    /// Variables of which the blocks say all that lines would.
    pub(super) told: BTreeSet<u32>,
    pub(super) blocks: Vec<BlockAtoms>,
}

/// A combination of parts that two blocks share: where it stands among unlisted variables, and for each listed one the part, by number.
type Key = (Coordinates, Vec<(u32, usize)>);

/// Adds atoms and what holds between them. Where there are too many, nothing comes of it, or, if `leave_out`, the blocks with too many are left out.
/// A block of which all is `known` needs none, unless combinations of nodes in `common` with linked files are in no table.
pub(super) fn add_blocks(
    of: Blocks,
    cells: &mut Cells,
    (known, common): (&[bool], &CommonNodes),
    relations: &mut Relations,
    patterns: &mut Patterns,
    leave_out: bool,
) -> Option<Added> {
    let shown: Vec<Vec<Shown>> = of.blocks.iter().map(|block| block.shown(cells)).collect();
    let mut separators: Vec<Separator> =
        of.tree.neighbours.iter().map(|pair| Separator::new(&of, *pair, &shown)).collect();
    let blocks = of.blocks.iter().zip(&shown);
    let is_linked: Vec<bool> = blocks.map(|(block, shown)| !shows_all(block, shown, common)).collect();
    let settled = |block: usize| {
        shown[block].iter().all(|own| known[own.cell as usize])
            && separators.iter().filter(|separator| separator.is_of(block)).all(|separator| separator.all_published)
            && !is_linked[block]
    };
    let mut atoms: Vec<Option<Atoms>> = (0..of.blocks.len()).map(|at| (!settled(at)).then(Atoms::new)).collect();
    separators.retain(|separator| !separator.all_published);
    let (mut too_many, mut most) = (false, MOST_ATOMS);
    for (at, block) in of.blocks.iter().enumerate() {
        let Some(own) = &mut atoms[at] else { continue };
        let (before, left) = (relations.mark(), most);
        *own = block.published(&shown[at], cells);
        let mut added = block.add(&shown[at], cells, own, relations, &mut most);
        if is_linked[at] || separators.iter().any(|separator| separator.is_of(at)) {
            let speaks_of = |rest: &Coordinates| {
                separators.iter().any(|separator| separator.is_of(at) && separator.speaks_of(rest))
                    || is_linked[at] && rest.iter().all(|(variable, _)| common.has(*variable))
            };
            added = added.and_then(|()| block.complete(&shown[at], speaks_of, cells, own, relations, &mut most));
        }
        if added.is_err() {
            if !leave_out {
                return None;
            }
            relations.back_to(&before);
            (most, atoms[at], too_many) = (left, None, true);
        }
    }
    for separator in &separators {
        let (one, other) = separator.blocks;
        if let (Some(of_one), Some(of_other)) = (&atoms[one], &atoms[other]) {
            separator.add(&of.blocks[one], of_one, &of.blocks[other], of_other, relations);
        }
    }
    let mut told: BTreeSet<u32> = of.blocks.iter().flat_map(|block| block.nodes.keys().copied()).collect();
    for (block, atoms) in of.blocks.iter().zip(&mut atoms) {
        match atoms {
            Some(atoms) => block.relaxed.add_lines(block, atoms, cells, relations, patterns),
            None => told.retain(|variable| !block.nodes.contains_key(variable)),
        }
    }
    let blocks = of.blocks.into_iter().zip(shown).zip(atoms);
    let blocks = blocks.map(|((block, shown), atoms)| BlockAtoms::new(block, shown, atoms)).collect();
    Some(Added { too_many, told, blocks })
}

/// What two neighbouring blocks share.
struct Separator {
    blocks: (usize, usize),
    nodes: BTreeMap<u32, Nodes>,
    /// Combinations that are cells: both blocks say what these are made of.
    published: BTreeSet<Key>,
    all_published: bool,
    /// The numbers of shared parts, by variable.
    numbers: HashMap<(u32, Part), usize>,
}

impl Separator {
    fn new(of: &Blocks, (one, other): (usize, usize), shown: &[Vec<Shown>]) -> Self {
        let cuts: Clique = of.tree.blocks[one].intersection(&of.tree.blocks[other]).copied().collect();
        let mut nodes: BTreeMap<u32, Nodes> = BTreeMap::new();
        for cut in cuts.iter().map(|cut| &of.cuts[*cut]) {
            nodes.entry(cut.variable).or_default().extend(&cut.nodes);
        }
        let numbers = HashMap::new();
        let mut separator =
            Self { blocks: (one, other), nodes, published: BTreeSet::new(), all_published: false, numbers };
        for block in [&of.blocks[one], &of.blocks[other]] {
            separator.number(block);
        }
        let block = &of.blocks[one];
        let parts = separator.parts_of(block);
        separator.published = shown[one].iter().filter_map(|own| separator.is_shared(block, &parts, own)).collect();
        let listed = block.axes.iter().zip(&parts).filter_map(|(_, parts)| parts.as_ref());
        let count = |parts: &Vec<usize>| parts.iter().collect::<BTreeSet<_>>().len();
        let all = listed.map(count).try_fold(1usize, |all, count| all.checked_mul(count));
        let unlisted = block.relaxed.unlisted.iter().any(|variable| separator.nodes.contains_key(variable));
        separator.all_published = !unlisted && all == Some(separator.published.len());
        separator
    }

    fn is_of(&self, block: usize) -> bool {
        self.blocks.0 == block || self.blocks.1 == block
    }

    /// Whether all unlisted variables by which something stands somewhere are shared.
    fn speaks_of(&self, rest: &Coordinates) -> bool {
        rest.iter().all(|(variable, _)| self.nodes.contains_key(variable))
    }

    /// What is left of a part by the nodes that are shared.
    fn left(&self, variable: u32, part: &Part) -> Option<Part> {
        self.nodes.get(&variable).map(|nodes| part.intersection(nodes).copied().collect())
    }

    fn number(&mut self, block: &Block) {
        for axis in &block.axes {
            for part in axis.parts.iter().filter_map(|part| self.left(axis.variable, part)).collect::<Vec<_>>() {
                let next = self.numbers.len();
                self.numbers.entry((axis.variable, part)).or_insert(next);
            }
        }
    }

    /// For each listed variable of a block, if it is shared, the shared part that each of its parts is in.
    fn parts_of(&self, block: &Block) -> Vec<Option<Vec<usize>>> {
        let number = |variable: u32, part: &Part| {
            let left = self.left(variable, part)?;
            self.numbers.get(&(variable, left)).copied()
        };
        let parts = |axis: &super::atoms::Axis| axis.parts.iter().map(|part| number(axis.variable, part)).collect();
        block.axes.iter().map(parts).collect()
    }

    /// The shared combination that a cell is, if it is one.
    fn is_shared(&self, block: &Block, parts: &[Option<Vec<usize>>], own: &Shown) -> Option<Key> {
        let mut key = Vec::new();
        for ((axis, shared), held) in block.axes.iter().zip(parts).zip(&own.parts) {
            match shared {
                None if held.len() < axis.parts.len() => return None,
                None => {}
                Some(shared) => {
                    let numbers: BTreeSet<usize> = held.iter().map(|part| shared[*part]).collect();
                    let [number] = numbers.iter().copied().collect::<Vec<_>>()[..] else { return None };
                    // A cell that has only some of the parts that are one to both blocks is finer than what they share.
                    if shared.iter().filter(|other| **other == number).count() != held.len() {
                        return None;
                    }
                    key.push((axis.variable, number));
                }
            }
        }
        self.speaks_of(&own.rest).then(|| (own.rest.clone(), key))
    }

    /// The atoms of a block by the shared combination they are part of.
    fn atoms_by_key(&self, block: &Block, atoms: &Atoms) -> BTreeMap<Key, Vec<u32>> {
        let parts = self.parts_of(block);
        let mut by_key: BTreeMap<Key, Vec<u32>> = BTreeMap::new();
        for ((rest, combination), atom) in atoms {
            if self.speaks_of(rest) {
                let axes = block.axes.iter().enumerate().zip(&parts);
                let of = |((at, axis), parts): ((usize, &super::atoms::Axis), &Option<Vec<usize>>)| {
                    Some((axis.variable, parts.as_ref()?[block.part(*combination, at)]))
                };
                by_key.entry((rest.clone(), axes.filter_map(of).collect())).or_default().push(*atom);
            }
        }
        by_key
    }

    /// Both blocks have the same records of every shared combination.
    fn add(&self, one: &Block, of_one: &Atoms, other: &Block, of_other: &Atoms, relations: &mut Relations) {
        let (of_one, of_other) = (self.atoms_by_key(one, of_one), self.atoms_by_key(other, of_other));
        let keys: BTreeSet<&Key> = of_one.keys().chain(of_other.keys()).collect();
        for key in keys.into_iter().filter(|key| !self.published.contains(*key)) {
            let (ours, theirs) = (of_one.get(key), of_other.get(key));
            // Nodes that are not listed in one of the blocks are not counted there.
            if !key.0.is_empty() && (ours.is_none() || theirs.is_none()) {
                continue;
            }
            let ours = ours.into_iter().flatten().map(|atom| (*atom, 1));
            let theirs = theirs.into_iter().flatten().map(|atom| (*atom, -1));
            relations.add(ours.chain(theirs).collect());
        }
    }
}
