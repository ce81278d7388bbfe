//! The jigsaw: several releases of the same persons, attacked together.
//!
//! In each release some records fit a person. A joined record is one record of each release. Any two of these agree in
//! all columns that both releases have, as the bands 10–19 and 15–24 do. Records that agree with no record of another
//! release drop out: this is what two harmless releases disclose together.
//!
//! Records of a release are a block if they fit the person and are equal in all columns that other releases have.
//! Blocks are joined if any two of them agree. Joined blocks have at most as many persons as the smallest of them has
//! records; this is their weight. The intruder chooses the joined blocks with the greatest chance. The chance is their
//! weight over the weight of all, times one over the number of records of each block, as the person's record must be
//! picked in each.

use std::cell::RefCell;
use std::rc::Rc;

use hashbrown::HashMap;
use outward_cells::Coded;
use outward_random::Random;

use super::answer::{Answer, Fitting, draws_of, own_row};
use super::join::{Cells, Joined, Keys, Lists, Shared};
use super::known::Form;
use super::people::{Released, Truth};
use super::relation::Relation;

/// Most joined blocks that are tried for one person. Beyond this the intruder makes no claim, which the score card
/// counts.
const MAX_JOINED_BLOCKS: usize = 100_000;

/// How records of two releases agree: by every column that both have.
struct Between<'a> {
    columns: Vec<(&'a Coded, &'a Coded, Relation)>,
}

impl Between<'_> {
    /// For each block of the earlier release the blocks of the later one that agree with it, ascending.
    fn partners(&self, left: &[Block], right: &[Block]) -> Vec<Vec<usize>> {
        let codes = |blocks: &[Block], column: &Coded| -> Vec<u32> {
            blocks.iter().map(|(row, _)| column.codes[*row as usize]).collect()
        };
        let columns: Vec<(Vec<u32>, Vec<u32>, &Relation)> =
            self.columns.iter().map(|(l, r, relation)| (codes(left, l), codes(right, r), relation)).collect();
        let variables: Vec<Shared<'_>> =
            columns.iter().map(|(people, records, relation)| Shared { people, records, relation }).collect();
        let joined = Joined::new(&variables, left.len(), &|_| true, &vec![true; right.len()], 1);
        let members = joined.records.rows();
        let of_block = |cell: &u32| {
            let cells = joined.fits.get(*cell).iter();
            let mut partners: Vec<usize> =
                cells.flat_map(|cell| members.get(*cell)).map(|block| *block as usize).collect();
            partners.sort_unstable();
            partners
        };
        joined.people.of_row.iter().map(of_block).collect()
    }
}

/// What several releases share.
pub(super) struct Pieces<'a> {
    /// For each release the rows that are equal in all columns that it shares with others.
    alike: Vec<Cells>,
    /// For each pair of releases, the earlier first, how their records agree.
    between: Vec<Vec<Between<'a>>>,
}

impl<'a> Pieces<'a> {
    /// What the releases share; `form` says how a column is read.
    pub(super) fn new(releases: &'a [Released], form: impl Fn(&str) -> Form) -> Self {
        let shared = |a: &'a Released, b: &Released| -> Vec<&'a str> {
            let names = a.columns.iter().map(|column| column.name.as_str());
            names.filter(|name| b.column(name).is_some()).collect()
        };
        let alike = |release: &'a Released| {
            let others = releases.iter().filter(|other| !std::ptr::eq(*other, release));
            let mut names: Vec<&str> = others.flat_map(|other| shared(release, other)).collect();
            names.sort_unstable();
            names.dedup();
            let columns = names.iter().filter_map(|name| release.column(name)).map(|column| column.codes.as_slice());
            Cells::new(&Keys { columns: columns.collect(), rows: release.present.len() }, |row| release.present[row])
        };
        let between = |a: &'a Released, b: &'a Released| {
            let columns = shared(a, b).into_iter().filter_map(|name| {
                let (left, right) = (a.column(name)?, b.column(name)?);
                Some((left, right, both_ways(left, right, &form(name))))
            });
            Between { columns: columns.collect() }
        };
        Self {
            alike: releases.iter().map(alike).collect(),
            between: (releases.iter().enumerate())
                .map(|(i, a)| releases[i + 1..].iter().map(|b| between(a, b)).collect())
                .collect(),
        }
    }

    /// Whether some pair of releases has a column in common.
    pub(super) fn share_something(&self) -> bool {
        self.between.iter().flatten().any(|between| !between.columns.is_empty())
    }
}

/// A relation in which a missing value of either release agrees with everything, if the form says so. On the left side
/// a missing value always does. This is right for releases too, as a join may exclude only what is impossible.
fn both_ways(left: &Coded, right: &Coded, form: &Form) -> Relation {
    let form = Form { bottom_coded: false, top_coded: false, tolerance: 2.0 * form.tolerance, ..form.clone() };
    Relation::new(&left.dictionary, &right.dictionary, &form)
}

/// Several releases, each joined with the people looked for.
pub(super) struct Jigsaw<'a> {
    pub(super) pieces: &'a Pieces<'a>,
    pub(super) joined: &'a [(Joined, Lists)],
    pub(super) truth: &'a [Truth],
    random: Random,
    known: RefCell<KnownFits>,
}

/// Blocks and joined blocks that are kept for other people at most.
const MAX_KEPT: usize = 1_000_000;

/// What fits people, by their cells in the releases: it is the same for all people of these cells.
#[derive(Default)]
struct KnownFits {
    by_cells: HashMap<Vec<u32>, Rc<Fits>>,
    /// How many blocks and joined blocks these are.
    kept: usize,
}

impl KnownFits {
    fn keep(&mut self, cells: Vec<u32>, fits: &Rc<Fits>) {
        self.kept += fits.as_ref().as_ref().map_or(1, JoinedFits::size);
        if self.kept > MAX_KEPT {
            *self = Self::default();
        }
        self.by_cells.insert(cells, Rc::clone(fits));
    }
}

/// What fits a person: the blocks of each release, all ways to join them, and the weight of these. `None` if there are
/// too many ways.
type Fits = Option<JoinedFits>;

struct JoinedFits {
    blocks: Vec<Vec<Block>>,
    all: Vec<JoinedBlocks>,
    total: f64,
}

/// A block: records of one release that fit a person and are equal in the shared columns. It has the row of one of
/// them, and their number.
type Block = (u32, u64);

/// One block of each release, any two of which agree, with their weight.
struct JoinedBlocks {
    blocks: Vec<usize>,
    weight: u64,
}

impl JoinedFits {
    fn size(&self) -> usize {
        self.all.len() + self.blocks.iter().map(Vec::len).sum::<usize>()
    }

    /// The chance that joined blocks are the person's, and that theirs is picked in each.
    fn confidence(&self, joined: &JoinedBlocks) -> f64 {
        let blocks = joined.blocks.iter().zip(&self.blocks);
        let picks: f64 = blocks.map(|(block, blocks)| blocks[*block].1 as f64).product();
        joined.weight as f64 / self.total / picks
    }
}

impl<'a> Jigsaw<'a> {
    pub(super) fn new(
        pieces: &'a Pieces<'a>,
        joined: &'a [(Joined, Lists)],
        truth: &'a [Truth],
        random: Random,
    ) -> Self {
        Self { pieces, joined, truth, random, known: RefCell::default() }
    }

    /// The intruder's answers for some people. `held_out` holds out their own records.
    pub(super) fn answers(&self, people: &[u32], held_out: bool) -> Vec<Answer> {
        people.iter().map(|person| self.answer(*person, held_out)).collect()
    }

    fn answer(&self, person: u32, held_out: bool) -> Answer {
        let own = own_row(self.truth[person as usize]).filter(|_| held_out);
        let fits = self.fits_of(person, own);
        let Some(fits) = fits.as_ref() else { return Answer::TooMany };
        let confidences: Vec<f64> = fits.all.iter().map(|joined| fits.confidence(joined)).collect();
        let Some(best) = confidences.iter().copied().max_by(f64::total_cmp) else { return Answer::NoRecord };
        let is_best = fits.all.iter().zip(&confidences).filter(|(_, confidence)| **confidence == best);
        let best: Vec<&JoinedBlocks> = is_best.map(|(joined, _)| joined).collect();
        let mut random = draws_of(&self.random, person);
        let chosen = best[random.below(best.len() as u64) as usize];
        let draw = |(release, block): (usize, &usize)| {
            let (like, count) = fits.blocks[release][*block];
            let (joined, rows) = &self.joined[release];
            let alike = &self.pieces.alike[release].of_row;
            let fitting = Fitting::new(joined, rows, person, own);
            let drawn = random.below(count) as usize;
            fitting.rows().filter(|row| alike[*row as usize] == alike[like as usize]).nth(drawn)
        };
        let rows: Option<Vec<u32>> = chosen.blocks.iter().enumerate().map(draw).collect();
        match rows {
            Some(rows) => Answer::Claim {
                rows,
                confidence: fits.confidence(chosen),
                candidates: fits.all.iter().map(|joined| joined.weight).sum(),
            },
            None => Answer::NoRecord,
        }
    }

    /// The chance of finding a person's records by a random choice among the joined blocks: the worth of the attack on
    /// this person.
    pub(super) fn chance(&self, person: u32) -> f64 {
        let Some(own) = own_row(self.truth[person as usize]) else { return 0.0 };
        let fits = self.fits_of(person, None);
        let Some(fits) = fits.as_ref() else { return 0.0 };
        let is_own = |joined: &&JoinedBlocks| {
            joined.blocks.iter().enumerate().all(|(release, block)| {
                let alike = &self.pieces.alike[release].of_row;
                self.fits(release, person, own) && alike[own as usize] == alike[fits.blocks[release][*block].0 as usize]
            })
        };
        fits.all.iter().find(is_own).map_or(0.0, |joined| fits.confidence(joined))
    }

    fn fits(&self, release: usize, person: u32, row: u32) -> bool {
        let joined = &self.joined[release].0;
        joined.fits(joined.people.of_row[person as usize], row)
    }

    /// What fits a person. It is kept for other people of the same cells, unless a record is held out.
    fn fits_of(&self, person: u32, held_out: Option<u32>) -> Rc<Fits> {
        if held_out.is_some() {
            return Rc::new(self.join_blocks(person, held_out));
        }
        let cells: Vec<u32> = self.joined.iter().map(|(joined, _)| joined.people.of_row[person as usize]).collect();
        if let Some(known) = self.known.borrow().by_cells.get(&cells) {
            return Rc::clone(known);
        }
        let fits = Rc::new(self.join_blocks(person, None));
        self.known.borrow_mut().keep(cells, &fits);
        fits
    }

    fn join_blocks(&self, person: u32, held_out: Option<u32>) -> Fits {
        let blocks: Vec<Vec<Block>> =
            (0..self.joined.len()).map(|release| self.blocks(release, person, held_out)).collect();
        let mut all = vec![JoinedBlocks { blocks: Vec::new(), weight: u64::MAX }];
        for (release, own) in blocks.iter().enumerate() {
            let mut longer = Vec::new();
            if all.len().saturating_mul(own.len()) > 100 * MAX_JOINED_BLOCKS {
                return None;
            }
            let earlier = self.pieces.between[..release].iter().zip(&blocks);
            let partners: Vec<Vec<Vec<usize>>> = earlier
                .enumerate()
                .map(|(i, (between, blocks))| between[release - i - 1].partners(blocks, own))
                .collect();
            let everything: Vec<usize> = (0..own.len()).collect();
            for joined in &all {
                let lists = || joined.blocks.iter().zip(&partners).map(|(block, partners)| &partners[*block]);
                let shortest = lists().min_by_key(|list| list.len()).unwrap_or(&everything);
                for block in shortest.iter().filter(|block| lists().all(|list| list.binary_search(block).is_ok())) {
                    let blocks = [&joined.blocks[..], &[*block]].concat();
                    longer.push(JoinedBlocks { blocks, weight: joined.weight.min(own[*block].1) });
                }
                if longer.len() > MAX_JOINED_BLOCKS {
                    return None;
                }
            }
            all = longer;
        }
        let total = all.iter().map(|joined| joined.weight as f64).sum();
        Some(JoinedFits { blocks, all, total })
    }

    fn blocks(&self, release: usize, person: u32, held_out: Option<u32>) -> Vec<Block> {
        let (joined, rows) = &self.joined[release];
        let alike = &self.pieces.alike[release].of_row;
        let mut places: HashMap<u32, usize> = HashMap::new();
        let mut blocks: Vec<Block> = Vec::new();
        for row in Fitting::new(joined, rows, person, held_out).rows() {
            let place = *places.entry(alike[row as usize]).or_insert(blocks.len());
            match blocks.get_mut(place) {
                Some(block) => block.1 += 1,
                None => blocks.push((row, 1)),
            }
        }
        blocks
    }
}
