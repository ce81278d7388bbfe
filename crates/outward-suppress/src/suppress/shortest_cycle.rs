//! The cheapest circuit through a cell that appears in two equations, by way of other such cells. In a plain table of rows
//! and columns it is an alternating cycle. Shortest paths after Dijkstra (1959), equations as nodes.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::suppress::incidence::{Incidence, RequiredDeviation};

/// Most links of an equation that are tried, the cheapest first.
const MAX_LINKS: usize = 40;

#[derive(Clone, Copy, Default)]
struct Visit {
    round: u32,
    done: bool,
    cost: i64,
    from: u32,
    cell: u32,
    by: i8,
}

/// The memory of the search, reused between searches.
#[derive(Default)]
pub(super) struct CycleSearch {
    round: u32,
    visits: Vec<Visit>,
    heap: BinaryHeap<Reverse<(i64, u32)>>,
    /// Steps taken so far, the measure of work.
    pub(super) work: u64,
}

/// The node of an equation and the sign of its imbalance.
fn node(equation: u32, sign: i32) -> u32 {
    2 * equation + u32::from(sign > 0)
}

impl CycleSearch {
    /// The cheapest circuit in which `cell` rises by one, if it costs less than `bound`. Cells for which `barred` is true
    /// are left out.
    pub(super) fn cheapest_circuit(
        &mut self,
        incidence: &Incidence<'_>,
        cell: u32,
        reach: RequiredDeviation,
        bound: i64,
        barred: impl Fn(u32) -> bool,
    ) -> Option<(i64, Vec<(u32, i64)>)> {
        let [(first, here), (last, there)] = *incidence.equations_of(cell) else { return None };
        if here.abs() != 1 || there.abs() != 1 {
            return None;
        }
        self.visits.resize(2 * incidence.system.equations(), Visit::default());
        self.round += 1;
        self.heap.clear();
        let (start, end) = (node(first, here), node(last, -there));
        self.visits[start as usize] = Visit { round: self.round, from: start, ..Visit::default() };
        self.heap.push(Reverse((0, start)));
        while let Some(Reverse((cost, at))) = self.heap.pop() {
            if at == end {
                return Some((cost, self.trace(cell, start, end)));
            }
            let visit = &mut self.visits[at as usize];
            if std::mem::replace(&mut visit.done, true) {
                continue;
            }
            let sign = if at % 2 == 1 { 1 } else { -1_i8 };
            for link in incidence.links(at / 2).iter().take(MAX_LINKS) {
                self.work += 1;
                let by = -sign * link.own;
                let next = node(link.other, i32::from(-sign * link.cross));
                let cost = cost + incidence.price(link.cell);
                let visit = &mut self.visits[next as usize];
                let known = visit.round == self.round;
                if cost >= bound || known && (visit.done || visit.cost <= cost) {
                    continue;
                }
                if barred(link.cell) || !incidence.allows(link.cell, i64::from(by), reach) {
                    continue;
                }
                *visit = Visit { round: self.round, done: false, cost, from: at, cell: link.cell, by };
                self.heap.push(Reverse((cost, next)));
            }
        }
        None
    }

    fn trace(&self, cell: u32, start: u32, end: u32) -> Vec<(u32, i64)> {
        let mut cells = vec![(cell, 1)];
        let mut at = end;
        while at != start {
            let visit = self.visits[at as usize];
            cells.push((visit.cell, i64::from(visit.by)));
            at = visit.from;
        }
        cells
    }
}
