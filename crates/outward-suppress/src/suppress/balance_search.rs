//! The cheapest circuit through any cell of any system, by a best-first search (A*, Hart, Nilsson & Raphael 1968).
//!
//! Raising a cell unbalances its equations. Another cell of one of them must move to balance it, which unbalances others, until
//! all hold. A state of the search is the set of unbalanced equations: the cost from there on does not depend on the moves
//! before.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use hashbrown::HashMap;

use crate::suppress::incidence::{Incidence, RequiredDeviation};

/// Most unbalanced equations of a state.
const MAX_UNBALANCED: usize = 16;

struct State {
    cost: i64,
    parent: u32,
    cell: u32,
    by: i8,
    /// A hash of the state: the sum over equations of the imbalance times the hash of the equation.
    fingerprint: u64,
    start: u32,
    len: u8,
}

/// The memory of the search, reused between searches.
#[derive(Default)]
pub(super) struct BalanceSearch {
    round: u32,
    /// For each equation the sign of its imbalance, with the round in which it was set.
    marks: Vec<(u32, i32)>,
    states: Vec<State>,
    open: Vec<(u32, i32)>,
    known: HashMap<u64, i64>,
    heap: BinaryHeap<Reverse<(i64, u8, Reverse<u32>)>>,
    /// Steps taken so far, the measure of work.
    pub(super) work: u64,
}

/// A pseudo-random number for an equation (SplitMix64, Steele, Lea & Flood 2014).
fn equation_hash(equation: u32) -> u64 {
    let mut z = (u64::from(equation) + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

impl BalanceSearch {
    /// The cheapest deviation in which the cells of `start` move as given, if it costs less than `bound` and is found
    /// within `most` states. Cells for which `barred` is true are left out; those of `start` must be among them.
    pub(super) fn cheapest_circuit(
        &mut self,
        incidence: &Incidence<'_>,
        start: &[(u32, i8)],
        reach: RequiredDeviation,
        bound: i64,
        most: usize,
        barred: impl Fn(u32) -> bool,
    ) -> Option<(i64, Vec<(u32, i64)>)> {
        self.marks.resize(incidence.system.equations(), (0, 0));
        self.states.clear();
        self.open.clear();
        self.known.clear();
        self.heap.clear();
        let mut next = Vec::new();
        for (cell, by) in start {
            shift(&mut next, incidence, *cell, *by);
        }
        let first = State { cost: 0, parent: 0, cell: u32::MAX, by: 0, fingerprint: 0, start: 0, len: 0 };
        self.push(incidence, first, &next, bound, reach, &barred);
        while let Some(Reverse((_, len, Reverse(at)))) = self.heap.pop() {
            if len == 0 {
                if let Some(cells) = self.trace(incidence, at, start, reach) {
                    return Some((self.states[at as usize].cost, cells));
                }
                continue;
            }
            let state = &self.states[at as usize];
            if self.known.get(&state.fingerprint).is_some_and(|cost| *cost < state.cost) {
                continue;
            }
            let (cost, from) = (state.cost, state.start as usize);
            let open = from..from + len as usize;
            let Some(&(equation, out)) = self.open[open.clone()]
                .iter()
                .rev()
                .min_by_key(|(equation, _)| incidence.system.terms(*equation as usize).len())
            else {
                continue;
            };
            for &(other, own) in incidence.system.terms(equation as usize) {
                self.work += 1;
                let by = balancing_sign(out, own);
                let cost = cost + incidence.price(other);
                if own.abs() > out.abs() || cost >= bound || self.states.len() >= most {
                    continue;
                }
                if barred(other) || !incidence.allows(other, i64::from(by), reach) {
                    continue;
                }
                next.clear();
                next.extend_from_slice(&self.open[open.clone()]);
                shift(&mut next, incidence, other, by);
                if next.len() <= MAX_UNBALANCED {
                    let state = State { cost, parent: at, cell: other, by, fingerprint: 0, start: 0, len: 0 };
                    self.push(incidence, state, &next, bound, reach, &barred);
                }
            }
        }
        None
    }

    fn push(
        &mut self,
        incidence: &Incidence<'_>,
        mut state: State,
        open: &[(u32, i32)],
        bound: i64,
        reach: RequiredDeviation,
        barred: &impl Fn(u32) -> bool,
    ) {
        let mut fingerprint = 0_u64;
        for (equation, out) in open {
            fingerprint = fingerprint.wrapping_add(equation_hash(*equation).wrapping_mul(i64::from(*out) as u64));
        }
        self.work += 4;
        if self.known.get(&fingerprint).is_some_and(|known| *known <= state.cost) {
            return;
        }
        let estimate = state.cost.saturating_add(self.cost_bound(incidence, open, bound - state.cost, reach, barred));
        if estimate >= bound {
            return;
        }
        self.known.insert(fingerprint, state.cost);
        (state.fingerprint, state.start, state.len) = (fingerprint, self.open.len() as u32, open.len() as u8);
        self.heap.push(Reverse((estimate, state.len, Reverse(self.states.len() as u32))));
        self.open.extend_from_slice(open);
        self.states.push(state);
    }

    /// A lower bound on the cost of balancing the open equations. Each needs one of its cells, and the price of a cell is shared
    /// among the equations it balances (a dual bound of the covering problem). Stops once `enough` is reached.
    fn cost_bound(
        &mut self,
        incidence: &Incidence<'_>,
        open: &[(u32, i32)],
        enough: i64,
        reach: RequiredDeviation,
        barred: &impl Fn(u32) -> bool,
    ) -> i64 {
        self.round += 1;
        for (equation, out) in open {
            self.marks[*equation as usize] = (self.round, out.signum());
        }
        let mut estimate = 0_i64;
        for (equation, out) in open {
            let mut least = i64::MAX / 64;
            for (cell, own) in incidence.system.terms(*equation as usize) {
                let by = balancing_sign(*out, *own);
                let (price, places) = (incidence.price(*cell), incidence.equations_of(*cell));
                if price_share(price, places.len()) >= least {
                    continue;
                }
                let mends = |(equation, own): &&(u32, i32)| {
                    let (round, sign) = self.marks[*equation as usize];
                    round == self.round && sign * own * i32::from(by) < 0
                };
                let share = price_share(price, places.iter().filter(mends).count());
                if share < least && !barred(*cell) && incidence.allows(*cell, i64::from(by), reach) {
                    least = share;
                    if least == 0 {
                        break;
                    }
                }
            }
            self.work += 4;
            estimate += least;
            if estimate >= enough {
                break;
            }
        }
        estimate
    }

    /// The circuit that ends in a state; `None` if a cell would have to move further than it can.
    fn trace(
        &self,
        incidence: &Incidence<'_>,
        mut at: u32,
        start: &[(u32, i8)],
        reach: RequiredDeviation,
    ) -> Option<Vec<(u32, i64)>> {
        let mut cells: Vec<(u32, i64)> = start.iter().map(|(cell, by)| (*cell, i64::from(*by))).collect();
        while at != 0 {
            let state = &self.states[at as usize];
            match cells.iter_mut().find(|(cell, _)| *cell == state.cell) {
                Some((_, by)) => *by += i64::from(state.by),
                None => cells.push((state.cell, i64::from(state.by))),
            }
            at = state.parent;
        }
        cells.retain(|(_, by)| *by != 0);
        cells.iter().all(|(cell, by)| incidence.allows(*cell, *by, reach)).then_some(cells)
    }
}

/// A price divided by a number, rounded down. (Division by a constant is much faster.)
fn price_share(price: i64, among: usize) -> i64 {
    match among {
        0 | 1 => price,
        2 => price / 2,
        3 => price / 3,
        4 => price / 4,
        more => price / more as i64,
    }
}

/// The sign of the move that balances an equation.
fn balancing_sign(out: i32, own: i32) -> i8 {
    if (out > 0) == (own > 0) { -1 } else { 1 }
}

/// Moves a cell. The equations it unbalances come last, so that they are balanced first.
fn shift(open: &mut Vec<(u32, i32)>, incidence: &Incidence<'_>, cell: u32, by: i8) {
    for (equation, own) in incidence.equations_of(cell) {
        let change = own * i32::from(by);
        match open.iter().position(|(other, _)| other == equation) {
            Some(at) => {
                open[at].1 += change;
                if open[at].1 == 0 {
                    open.remove(at);
                }
            }
            None => open.push((*equation, change)),
        }
    }
}
