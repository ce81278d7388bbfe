//! Finds the cheapest circuit through one cell, by the search that suits its equations.

use crate::suppress::balance_search::BalanceSearch;
use crate::suppress::box_circuits::BoxCircuits;
use crate::suppress::box_products::ProductSearch;
use crate::suppress::incidence::{Incidence, RequiredDeviation};
use crate::suppress::parallel_lines::ParallelLines;
use crate::suppress::shortest_cycle::CycleSearch;

/// Most states of the balance search if many variables cross. Circuits there unbalance more equations at once than it allows.
const MANY_VARIABLES_STATES: usize = 200;

/// A circuit and what it costs to hide.
pub(super) type PricedCircuit = (i64, Vec<(u32, i64)>);

/// The searches, and the work they have done.
#[derive(Default)]
pub(super) struct CircuitSearch {
    cycles: CycleSearch,
    balance: BalanceSearch,
    products: ProductSearch,
    box_work: u64,
    /// The work of [`gauss_suppression`](super::gauss_suppression).
    pub(super) all_hidden_work: u64,
}

/// Precomputed boxes and lines through a cell.
#[derive(Clone, Copy)]
pub(super) struct CellBoxes<'a> {
    pub(super) boxes: Option<&'a BoxCircuits>,
    pub(super) lines: Option<&'a ParallelLines>,
    /// Whether so many variables cross that products are searched first.
    pub(super) many: bool,
}

/// The circuit to search for.
pub(super) struct CircuitRequest<'a> {
    /// The cell that rises by one.
    pub(super) cell: u32,
    pub(super) reach: RequiredDeviation,
    /// Cells that may not move.
    pub(super) barred: &'a [u32],
    /// The circuit must cost less.
    pub(super) bound: i64,
    /// States of the balance search if no simpler search finds a circuit, and if one does.
    pub(super) states: (usize, usize),
    /// Most cells visited in the search for products.
    pub(super) corners: usize,
}

impl CircuitSearch {
    /// Steps taken so far.
    pub(super) fn work(&self) -> u64 {
        self.cycles.work + self.balance.work + self.products.work + self.box_work + self.all_hidden_work
    }

    pub(super) fn cheapest_circuit(
        &mut self,
        incidence: &Incidence<'_>,
        request: &CircuitRequest<'_>,
        surroundings: CellBoxes<'_>,
    ) -> Option<PricedCircuit> {
        let CircuitRequest { cell, reach, bound, .. } = *request;
        let barred = |other: u32| other == cell || request.barred.contains(&other);
        if request.barred.contains(&cell) || !incidence.allows(cell, 1, reach) {
            return None;
        }
        let CellBoxes { boxes, lines, many } = surroundings;
        if many && let Some(product) = self.cheapest_product(incidence, request, lines, bound) {
            return Some(product);
        }
        let mut best = self.cycles.cheapest_circuit(incidence, cell, reach, bound, barred);
        if best.is_none()
            && let Some((cost, corners)) =
                boxes.and_then(|boxes| boxes.cheapest(incidence, bound, &mut self.box_work, barred))
        {
            let corners = corners.iter().map(|(cell, by)| (*cell, i64::from(*by)));
            best = Some((cost, corners.chain([(cell, 1)]).collect()));
        }
        let (bound, states) = match &best {
            Some((cost, _)) => (*cost, request.states.1),
            None if many => (bound, request.states.0.min(MANY_VARIABLES_STATES)),
            None => (bound, request.states.0),
        };
        if states > 0
            && bound > 0
            && let Some(better) = self.balance.cheapest_circuit(incidence, &[(cell, 1)], reach, bound, states, barred)
        {
            best = Some(better);
        }
        if best.is_none() && !many {
            return self.cheapest_product(incidence, request, lines, bound);
        }
        best
    }

    fn cheapest_product(
        &mut self,
        incidence: &Incidence<'_>,
        request: &CircuitRequest<'_>,
        lines: Option<&ParallelLines>,
        bound: i64,
    ) -> Option<PricedCircuit> {
        let barred = |other: u32| other == request.cell || request.barred.contains(&other);
        self.products.cheapest_circuit(
            incidence,
            lines?,
            (request.cell, request.reach),
            (bound, request.corners),
            barred,
        )
    }

    /// The cheapest deviation in which all cells of `start` move by one in the direction given.
    pub(super) fn joint_circuit(
        &mut self,
        incidence: &Incidence<'_>,
        start: &[(u32, i8)],
        reach: RequiredDeviation,
        bound: i64,
        states: usize,
    ) -> Option<PricedCircuit> {
        let barred = |other: u32| start.iter().any(|(cell, _)| *cell == other);
        if start.iter().any(|(cell, by)| !incidence.allows(*cell, i64::from(*by), reach)) {
            return None;
        }
        self.balance.cheapest_circuit(incidence, start, reach, bound, states, barred)
    }
}
