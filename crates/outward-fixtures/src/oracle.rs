//! The oracle: what follows from published tables, found only by trying records.
//!
//! It knows which records a cell counts (K1 of `docs/methods/attacker.md`) and that counts are whole and not below zero
//! (K2). It knows how many answers a record can have (K5). It also knows that listed values occur (K9) and, if asked
//! to, that one record is there (K7). It shares no code with the maker or with `verify`. It answers three questions. By
//! listing all records there could be, it finds the interval of each hidden cell. For more records than can be listed,
//! it says whether hidden cells rise and fall when a few records are exchanged. And it says whether other counts near
//! the true ones fit.

use std::collections::{BTreeMap, BTreeSet};

use outward_tables::{Dimension, Figure, Published};

/// A kind of record: for each variable the answers it has.
pub type Kind = BTreeMap<String, BTreeSet<String>>;

/// A cell, by its table and its position there.
pub type Place = (usize, usize);

/// The least and the largest value of each hidden cell.
pub type Intervals = BTreeMap<Place, (i64, i64)>;

/// The kinds of records there can be of some variables, each with its values and with how many of them a record has at most.
pub fn kinds(variables: &[(&str, &[&str], usize)]) -> Vec<Kind> {
    let mut all = vec![Kind::new()];
    for (variable, values, answers) in variables {
        let sets = (0u32..1 << values.len()).filter(|set| (set.count_ones() as usize) <= *answers);
        let sets: Vec<BTreeSet<String>> = sets
            .map(|set| (0..values.len()).filter(|at| set >> at & 1 == 1).map(|at| values[at].to_owned()).collect())
            .filter(|set: &BTreeSet<String>| *answers > 1 || set.len() == 1)
            .collect();
        let with = |kind: Kind| {
            sets.iter().map(move |set| {
                let mut kind = kind.clone();
                kind.insert((*variable).to_owned(), set.clone());
                kind
            })
        };
        all = all.into_iter().flat_map(with).collect();
    }
    all
}

/// Published tables, read by their labels.
pub struct Oracle<'a> {
    tables: &'a [Published],
    places: Vec<Place>,
}

impl<'a> Oracle<'a> {
    /// An oracle of these tables.
    pub fn new(tables: &'a [Published]) -> Self {
        let of = |(number, table): (usize, &Published)| (0..table.figures.len()).map(move |cell| (number, cell));
        Self { tables, places: tables.iter().enumerate().flat_map(of).collect() }
    }

    fn shown(&self, place: Place) -> Option<i64> {
        match self.tables[place.0].figures[place.1] {
            Figure::Shown(value) => Some(value),
            _ => None,
        }
    }

    fn at(&self, place: Place) -> impl Iterator<Item = (&'a Dimension, usize)> {
        let table = &self.tables[place.0].table;
        table.dimensions.iter().zip(table.nodes(place.1))
    }

    /// Whether a cell counts a kind of record.
    pub fn counts(&self, place: Place, kind: &Kind) -> bool {
        self.at(place).all(|(dimension, node)| {
            let node = &dimension.nodes[node];
            let Some(variable) = dimension.variable.strip_suffix(" in pairs") else {
                let own = &kind[&dimension.variable];
                let is_node = |answer: &String| dimension.nodes.iter().any(|node| node.label == *answer);
                return match node.total {
                    true => !dimension.several || own.iter().any(is_node),
                    false => own.contains(&node.label),
                };
            };
            let pair = node.label.split_once(" and ");
            pair.is_some_and(|(one, other)| kind[variable].contains(one) && kind[variable].contains(other))
        })
    }

    /// Whether a cell has all there is of a value, which would not be listed if nobody had it (K9).
    fn is_all_of_a_value(&self, place: Place) -> bool {
        let (totals, values): (Vec<_>, Vec<_>) = self.at(place).partition(|(of, node)| of.nodes[*node].total);
        values.len() == 1 && !totals.into_iter().any(|(of, _)| of.several)
    }

    /// What a reader who lists all records there could be finds of hidden cells; none if nothing says how many records there are.
    pub fn intervals(&self, kinds: &[Kind]) -> Option<Intervals> {
        // A value that no table shows is none that a record has.
        let nodes = || self.tables.iter().flat_map(|published| &published.table.dimensions).flat_map(|of| &of.nodes);
        let is_shown = |kind: &Kind| kind.values().flatten().all(|value| nodes().any(|node| node.label == *value));
        let counted =
            |kind: &Kind| (0..self.places.len()).filter(|at| self.counts(self.places[*at], kind)).collect::<Vec<_>>();
        let kinds: Vec<Vec<usize>> =
            kinds.iter().filter(|kind| is_shown(kind)).map(counted).filter(|own| !own.is_empty()).collect();
        let left: Vec<Option<i64>> = self.places.iter().map(|place| self.shown(*place)).collect();
        if !kinds.iter().all(|own| own.iter().any(|figure| left[*figure].is_some())) {
            return None;
        }
        let listed = (0..self.places.len()).filter(|at| self.is_all_of_a_value(self.places[*at])).collect();
        let mut listing = Listing::new(kinds, left.clone(), listed);
        listing.count_from(0);
        let found = self.places.iter().zip(left).zip(listing.found);
        Some(
            found.filter(|((_, left), _)| left.is_none()).map(|((place, _), found)| (*place, found.unwrap())).collect(),
        )
    }

    /// Hidden cells that cannot both rise and fall when at most `most` records are exchanged and everything shown stays
    /// as it is. It is asked for the public, and for one record of each kind there is, which does not take itself out
    /// (P5).
    pub fn fixed(&self, records: &[Kind], kinds: &[Kind], most: usize) -> Vec<(Option<usize>, BTreeSet<Place>)> {
        let (hidden, shown): (Vec<Place>, Vec<Place>) =
            self.places.iter().partition(|place| self.tables[place.0].figures[place.1] == Figure::Hidden);
        let of = |kind: &Kind, places: &[Place]| -> Vec<i32> {
            places.iter().map(|place| i32::from(self.counts(*place, kind))).collect()
        };
        let there: Vec<usize> = kinds.iter().map(|kind| records.iter().filter(|own| *own == kind).count()).collect();
        assert_eq!(there.iter().sum::<usize>(), records.len(), "some kind of record is not listed");
        let exchange = Exchange {
            shown: kinds.iter().map(|kind| of(kind, &shown)).collect(),
            hidden: kinds.iter().map(|kind| of(kind, &hidden)).collect(),
            there,
        };
        let fixed = |(attacker, moves): Moves| {
            let fixed = hidden.iter().zip(moves).filter(|(_, moves)| *moves != (true, true));
            (attacker, fixed.map(|(place, _)| *place).collect())
        };
        exchange.moves(most, hidden.len()).into_iter().map(fixed).collect()
    }
}

/// All records there could be: kinds of records, and the figures they must add up to.
struct Listing {
    /// For each kind of record the figures it is counted in.
    kinds: Vec<Vec<usize>>,
    /// What each figure leaves to the kinds that have no count yet; none if it is hidden.
    left: Vec<Option<i64>>,
    /// The last kind that is counted in each figure.
    last: Vec<Option<usize>>,
    /// What figures have so far.
    sums: Vec<i64>,
    found: Vec<Option<(i64, i64)>>,
    /// Figures that are not zero.
    listed: Vec<usize>,
}

impl Listing {
    fn new(kinds: Vec<Vec<usize>>, left: Vec<Option<i64>>, listed: Vec<usize>) -> Self {
        let last = |figure: usize| kinds.iter().rposition(|kind| kind.contains(&figure));
        let last = (0..left.len()).map(last).collect();
        Self { last, sums: vec![0; left.len()], found: vec![None; left.len()], kinds, left, listed }
    }

    fn count_from(&mut self, kind: usize) {
        let Some(own) = self.kinds.get(kind).cloned() else {
            if self.listed.iter().any(|figure| self.sums[*figure] == 0) {
                return;
            }
            for (found, sum) in self.found.iter_mut().zip(&self.sums) {
                let (least, most) = found.unwrap_or((*sum, *sum));
                *found = Some((least.min(*sum), most.max(*sum)));
            }
            return;
        };
        let room =
            own.iter().filter_map(|figure| self.left[*figure]).min().expect("some figure bounds every kind of record");
        for count in 0..=room {
            self.add(&own, count);
            let short =
                |figure: &usize| self.last[*figure] == Some(kind) && self.left[*figure].is_some_and(|left| left > 0);
            if !own.iter().any(short) {
                self.count_from(kind + 1);
            }
            self.add(&own, -count);
        }
    }

    fn add(&mut self, own: &[usize], count: i64) {
        for figure in own {
            self.sums[*figure] += count;
            if let Some(left) = &mut self.left[*figure] {
                *left -= count;
            }
        }
    }
}

/// By what is shown of some records, the least and the most of each hidden cell.
type Seen = BTreeMap<Vec<i32>, Vec<(i32, i32)>>;

/// Someone of a kind, or the public, and whether each hidden cell can rise for them, and whether it can fall.
type Moves = (Option<usize>, Vec<(bool, bool)>);

/// Records that take the place of others.
struct Exchange {
    /// For each kind whether each shown cell counts it.
    shown: Vec<Vec<i32>>,
    /// For each kind whether each hidden cell counts it.
    hidden: Vec<Vec<i32>>,
    /// How many records there are of each kind.
    there: Vec<usize>,
}

impl Exchange {
    /// Whether each hidden cell can rise, and whether it can fall, for each attacker.
    fn moves(&self, most: usize, hidden: usize) -> Vec<Moves> {
        let some_one = (0..self.there.len()).filter(|kind| self.there[*kind] > 0).map(Some);
        let attackers: Vec<Option<usize>> = [None].into_iter().chain(some_one).collect();
        let (mut put_in, mut taken_out) = (Seen::new(), vec![Seen::new(); attackers.len()]);
        let mut some = vec![0usize; self.there.len()];
        each_choice(&mut some, 0, most, &mut |some| {
            let add = |of: &[Vec<i32>]| -> Vec<i32> {
                let sum = |at: usize| some.iter().zip(of).map(|(count, own)| *count as i32 * own[at]).sum();
                (0..of[0].len()).map(sum).collect()
            };
            let (seen, kept) = (add(&self.shown), add(&self.hidden));
            note(&mut put_in, &seen, &kept);
            if some.iter().zip(&self.there).all(|(count, there)| count <= there) {
                let all = |own: &Option<usize>| own.is_some_and(|kind| some[kind] == self.there[kind]);
                let others = attackers.iter().zip(&mut taken_out).filter(|(own, _)| !all(own));
                others.for_each(|(_, out)| note(out, &seen, &kept));
            }
        });
        let moves = |taken_out: &Seen, at: usize| {
            let ends = taken_out.iter().map(|(seen, out)| (put_in[seen][at], out[at]));
            ends.fold((false, false), |(up, down), (put, out)| (up || put.1 > out.0, down || put.0 < out.1))
        };
        let of = |(own, out): (&Option<usize>, &Seen)| (*own, (0..hidden).map(|at| moves(out, at)).collect());
        attackers.iter().zip(&taken_out).map(of).collect()
    }
}

fn note(side: &mut Seen, seen: &[i32], kept: &[i32]) {
    let ends = side.entry(seen.to_vec()).or_insert_with(|| kept.iter().map(|own| (*own, *own)).collect());
    ends.iter_mut().zip(kept).for_each(|(end, own)| *end = (end.0.min(*own), end.1.max(*own)));
}

/// Every way to choose at most `left` more kinds, the same one more than once.
fn each_choice(some: &mut Vec<usize>, from: usize, left: usize, take: &mut impl FnMut(&[usize])) {
    take(some);
    if left == 0 {
        return;
    }
    for kind in from..some.len() {
        some[kind] += 1;
        each_choice(some, kind, left - 1, take);
        some[kind] -= 1;
    }
}

/// A sum over kinds of records of one unit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sum {
    /// Which of the units is counted.
    pub unit: usize,
    /// The kinds that are counted.
    pub kinds: Vec<usize>,
}

/// Whether other counts near the true ones fit. Every kind changes by one of its moves (by unit, at most one up or
/// down). Every shown sum stays as it is, and the secret is another number.
pub fn another_fits(moves: &[Vec<[i64; 2]>], shown: &[Sum], secret: &Sum) -> bool {
    let mut moved = vec![0; shown.len()];
    move_from(0, 0, &mut moved, moves, shown, secret)
}

fn move_from(
    kind: usize,
    secret_moved: i64,
    moved: &mut [i64],
    moves: &[Vec<[i64; 2]>],
    shown: &[Sum],
    secret: &Sum,
) -> bool {
    let Some(own) = moves.get(kind) else { return secret_moved != 0 };
    for by in own {
        let of = |sum: &Sum| if sum.kinds.contains(&kind) { by[sum.unit] } else { 0 };
        moved.iter_mut().zip(shown).for_each(|(moved, sum)| *moved += of(sum));
        // What is left must be able to set every figure right again.
        let left = |sum: &Sum| sum.kinds.iter().filter(|other| **other > kind).count() as i64;
        if moved.iter().zip(shown).all(|(moved, sum)| moved.abs() <= left(sum))
            && move_from(kind + 1, secret_moved + of(secret), moved, moves, shown, secret)
        {
            return true;
        }
        moved.iter_mut().zip(shown).for_each(|(moved, sum)| *moved -= of(sum));
    }
    false
}
