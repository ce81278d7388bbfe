//! The cheapest circuit through any cell of any system, by balancing equations one after the other.
//!
//! Raising a cell puts its equations out of balance. Some other cell of the first of them must move to mend it, and puts
//! others out; and so on until all hold. What is out of balance is the state of a best-first search (A*, Hart, Nilsson &
//! Raphael 1968): however it came about, the way on costs the same.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use hashbrown::HashMap;

use crate::suppress::net::{Net, Reach};

/// States with more equations out of balance than this are given up.
const MOST_OPEN: usize = 16;

struct State {
    cost: i64,
    parent: u32,
    cell: u32,
    by: i8,
    /// The state in one number: the sum over equations of what is out, times a number of the equation's own.
    print: u64,
    start: u32,
    len: u8,
}

/// What the search remembers, kept between searches to save memory.
#[derive(Default)]
pub(super) struct Balance {
    round: u32,
    /// For each equation, the sign of what is out of balance, with the round in which that was so.
    marks: Vec<(u32, i32)>,
    states: Vec<State>,
    open: Vec<(u32, i32)>,
    known: HashMap<u64, i64>,
    heap: BinaryHeap<Reverse<(i64, u8, Reverse<u32>)>>,
    /// Steps taken so far, the measure of work.
    pub(super) work: u64,
}

/// A number of the equation's own, after SplitMix64 (Steele, Lea & Flood 2014).
fn number(equation: u32) -> u64 {
    let mut z = (u64::from(equation) + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

impl Balance {
    /// The cheapest deviation in which the cells of `start` move as said, if it costs less than `bound` and is found
    /// within `most` states. Cells for which `barred` is true are left out; those of `start` must be among them.
    pub(super) fn circuit(
        &mut self,
        net: &Net<'_>,
        start: &[(u32, i8)],
        reach: Reach,
        bound: i64,
        most: usize,
        barred: impl Fn(u32) -> bool,
    ) -> Option<(i64, Vec<(u32, i64)>)> {
        self.marks.resize(net.system.equations(), (0, 0));
        self.states.clear();
        self.open.clear();
        self.known.clear();
        self.heap.clear();
        let mut next = Vec::new();
        for (cell, by) in start {
            shift(&mut next, net, *cell, *by);
        }
        let first = State { cost: 0, parent: 0, cell: u32::MAX, by: 0, print: 0, start: 0, len: 0 };
        self.push(net, first, &next, bound, reach, &barred);
        while let Some(Reverse((_, len, Reverse(at)))) = self.heap.pop() {
            if len == 0 {
                if let Some(cells) = self.trace(net, at, start, reach) {
                    return Some((self.states[at as usize].cost, cells));
                }
                continue;
            }
            let state = &self.states[at as usize];
            if self.known.get(&state.print).is_some_and(|cost| *cost < state.cost) {
                continue;
            }
            let (cost, from) = (state.cost, state.start as usize);
            let open = from..from + len as usize;
            let Some(&(equation, out)) = self.open[open.clone()]
                .iter()
                .rev()
                .min_by_key(|(equation, _)| net.system.terms(*equation as usize).len())
            else {
                continue;
            };
            for &(other, own) in net.system.terms(equation as usize) {
                self.work += 1;
                let by = mending(out, own);
                let cost = cost + net.price(other);
                if own.abs() > out.abs() || cost >= bound || self.states.len() >= most {
                    continue;
                }
                if barred(other) || !net.allows(other, i64::from(by), reach) {
                    continue;
                }
                next.clear();
                next.extend_from_slice(&self.open[open.clone()]);
                shift(&mut next, net, other, by);
                if next.len() <= MOST_OPEN {
                    let state = State { cost, parent: at, cell: other, by, print: 0, start: 0, len: 0 };
                    self.push(net, state, &next, bound, reach, &barred);
                }
            }
        }
        None
    }

    fn push(
        &mut self,
        net: &Net<'_>,
        mut state: State,
        open: &[(u32, i32)],
        bound: i64,
        reach: Reach,
        barred: &impl Fn(u32) -> bool,
    ) {
        let mut print = 0_u64;
        for (equation, out) in open {
            print = print.wrapping_add(number(*equation).wrapping_mul(i64::from(*out) as u64));
        }
        self.work += 4;
        if self.known.get(&print).is_some_and(|known| *known <= state.cost) {
            return;
        }
        let estimate = state.cost.saturating_add(self.estimate(net, open, bound - state.cost, reach, barred));
        if estimate >= bound {
            return;
        }
        self.known.insert(print, state.cost);
        (state.print, state.start, state.len) = (print, self.open.len() as u32, open.len() as u8);
        self.heap.push(Reverse((estimate, state.len, Reverse(self.states.len() as u32))));
        self.open.extend_from_slice(open);
        self.states.push(state);
    }

    /// What it will cost at least to bring the open equations into balance: each needs one of its cells, and a cell is
    /// shared among as many of them as it mends (a dual bound of the covering problem). Stops once `enough` is reached.
    fn estimate(
        &mut self,
        net: &Net<'_>,
        open: &[(u32, i32)],
        enough: i64,
        reach: Reach,
        barred: &impl Fn(u32) -> bool,
    ) -> i64 {
        self.round += 1;
        for (equation, out) in open {
            self.marks[*equation as usize] = (self.round, out.signum());
        }
        let mut estimate = 0_i64;
        for (equation, out) in open {
            let mut least = i64::MAX / 64;
            for (cell, own) in net.system.terms(*equation as usize) {
                let by = mending(*out, *own);
                let (price, places) = (net.price(*cell), net.places(*cell));
                if share(price, places.len()) >= least {
                    continue;
                }
                let mends = |(equation, own): &&(u32, i32)| {
                    let (round, sign) = self.marks[*equation as usize];
                    round == self.round && sign * own * i32::from(by) < 0
                };
                let share = share(price, places.iter().filter(mends).count());
                if share < least && !barred(*cell) && net.allows(*cell, i64::from(by), reach) {
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

    /// The circuit that ends in a state, unless a cell would have to move twice as far as it can.
    fn trace(&self, net: &Net<'_>, mut at: u32, start: &[(u32, i8)], reach: Reach) -> Option<Vec<(u32, i64)>> {
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
        cells.iter().all(|(cell, by)| net.allows(*cell, *by, reach)).then_some(cells)
    }
}

/// A price divided among so many, rounded down. (Division by a known number is much faster.)
fn share(price: i64, among: usize) -> i64 {
    match among {
        0 | 1 => price,
        2 => price / 2,
        3 => price / 3,
        4 => price / 4,
        more => price / more as i64,
    }
}

/// The way a cell must move to mend an equation.
fn mending(out: i32, own: i32) -> i8 {
    if (out > 0) == (own > 0) { -1 } else { 1 }
}

/// Moves a cell; the equations it puts out of balance come last, so that they are mended first.
fn shift(open: &mut Vec<(u32, i32)>, net: &Net<'_>, cell: u32, by: i8) {
    for (equation, own) in net.places(cell) {
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
