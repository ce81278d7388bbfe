//! The cheapest circuit through one cell, by whichever way suits the equations it stands in.

use crate::suppress::balance::Balance;
use crate::suppress::boxes::Boxes;
use crate::suppress::grid::Grid;
use crate::suppress::net::{Net, Reach};
use crate::suppress::path::Paths;
use crate::suppress::product::Products;

/// States the balancing search may look at where many variables cross: circuits there have more equations open at once than
/// it can hold in mind.
const MANY_STATES: usize = 200;

/// A circuit and what it costs to hide.
pub(super) type Priced = (i64, Vec<(u32, i64)>);

/// The ways to search, and the work they have done.
#[derive(Default)]
pub(super) struct Search {
    paths: Paths,
    balance: Balance,
    products: Products,
    boxed: u64,
    /// What it took to choose from above.
    pub(super) above: u64,
}

/// What is known of the surroundings of a cell.
#[derive(Clone, Copy)]
pub(super) struct Around<'a> {
    pub(super) boxes: Option<&'a Boxes>,
    pub(super) grid: Option<&'a Grid>,
    /// Whether so many variables cross that products are looked for first.
    pub(super) many: bool,
}

/// What is looked for.
pub(super) struct Ask<'a> {
    /// The cell that rises by one.
    pub(super) cell: u32,
    pub(super) reach: Reach,
    /// Cells that may not move.
    pub(super) barred: &'a [u32],
    /// The circuit must cost less.
    pub(super) bound: i64,
    /// States the balancing search may look at where nothing simpler finds a circuit, and where something does.
    pub(super) states: (usize, usize),
    /// Cells the search for products may look at.
    pub(super) corners: usize,
}

impl Search {
    /// Steps taken so far.
    pub(super) fn work(&self) -> u64 {
        self.paths.work + self.balance.work + self.products.work + self.boxed + self.above
    }

    pub(super) fn circuit(&mut self, net: &Net<'_>, ask: &Ask<'_>, around: Around<'_>) -> Option<Priced> {
        let Ask { cell, reach, bound, .. } = *ask;
        let barred = |other: u32| other == cell || ask.barred.contains(&other);
        if ask.barred.contains(&cell) || !net.allows(cell, 1, reach) {
            return None;
        }
        let Around { boxes, grid, many } = around;
        if many && let Some(product) = self.product(net, ask, grid, bound) {
            return Some(product);
        }
        let mut best = self.paths.circuit(net, cell, reach, bound, barred);
        if best.is_none()
            && let Some((cost, corners)) = boxes.and_then(|boxes| boxes.cheapest(net, bound, &mut self.boxed, barred))
        {
            let corners = corners.iter().map(|(cell, by)| (*cell, i64::from(*by)));
            best = Some((cost, corners.chain([(cell, 1)]).collect()));
        }
        let (bound, states) = match &best {
            Some((cost, _)) => (*cost, ask.states.1),
            None if many => (bound, ask.states.0.min(MANY_STATES)),
            None => (bound, ask.states.0),
        };
        if states > 0
            && bound > 0
            && let Some(better) = self.balance.circuit(net, &[(cell, 1)], reach, bound, states, barred)
        {
            best = Some(better);
        }
        if best.is_none() && !many {
            return self.product(net, ask, grid, bound);
        }
        best
    }

    fn product(&mut self, net: &Net<'_>, ask: &Ask<'_>, grid: Option<&Grid>, bound: i64) -> Option<Priced> {
        let barred = |other: u32| other == ask.cell || ask.barred.contains(&other);
        self.products.circuit(net, grid?, (ask.cell, ask.reach), (bound, ask.corners), barred)
    }

    /// The cheapest deviation in which all the cells of `start` move by one as said.
    pub(super) fn together(
        &mut self,
        net: &Net<'_>,
        start: &[(u32, i8)],
        reach: Reach,
        bound: i64,
        states: usize,
    ) -> Option<Priced> {
        let barred = |other: u32| start.iter().any(|(cell, _)| *cell == other);
        if start.iter().any(|(cell, by)| !net.allows(*cell, i64::from(*by), reach)) {
            return None;
        }
        self.balance.circuit(net, start, reach, bound, states, barred)
    }
}
