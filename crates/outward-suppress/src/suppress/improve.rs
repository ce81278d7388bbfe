//! Makes a choice of deviations cheaper: demands that are near each other are released together and chosen anew in
//! another order, and what costs no more is kept (large neighbourhood search, Shaw 1998). Every demand keeps its witness
//! throughout, and the search ends after so much work, whatever the clock says.

use std::collections::BTreeSet;

use outward_spec::Result;
use rand_chacha::ChaCha8Rng;
use rand_core::{Rng, SeedableRng};

use crate::suppress::cover::{Cover, Effort};
use crate::suppress::deviation::Deviation;
use crate::suppress::net::Reach;

/// Most neighbours remembered for one demand.
const NEAR: usize = 24;
/// Most demands released at once.
const RELEASED: usize = 8;
/// Cells that more demands than this run through are not given up: choosing so many anew gains little for the work.
const SHARED: usize = 100;
/// Most demands met by one deviation together, and the states looked at for it.
const JOINED: usize = 6;
const JOINED_STATES: usize = 200;
/// Attempts that make a round where there are few demands: so many each, or so many together.
const ROUND: (usize, usize) = (6, 200);
/// Rounds without gain after which the search ends.
const IDLE: usize = 10;

impl Cover<'_> {
    /// Works until `work` steps are done or several rounds gain nothing.
    ///
    /// # Errors
    /// Where the solver fails.
    pub(super) fn improve(&mut self, work: u64, effort: Effort) -> Result<()> {
        let end = self.search.work().saturating_add(work);
        let near = self.near();
        let mut rng = ChaCha8Rng::seed_from_u64(6);
        let mut order: Vec<usize> = (0..self.demands.len()).collect();
        let round = order.len().max(ROUND.1.min(ROUND.0 * order.len()));
        let mut idle = 0;
        while idle < IDLE && !order.is_empty() {
            let before = self.net.total;
            shuffle(&mut order, &mut rng);
            for demand in order.iter().cycle().take(round) {
                if self.search.work() >= end {
                    return Ok(());
                }
                self.try_anew(*demand, &near[*demand], effort, &mut rng)?;
            }
            idle = if self.net.total < before { 0 } else { idle + 1 };
        }
        Ok(())
    }

    /// Releases a demand and some neighbours, chooses again, and goes back if that costs more.
    fn try_anew(&mut self, demand: usize, near: &[u32], effort: Effort, rng: &mut ChaCha8Rng) -> Result<()> {
        let before = self.net.total;
        let (mut released, mut barred) = match below(rng, 2) {
            0 => self.through_cells(demand, near, rng),
            _ => (self.company(demand, near, rng), Vec::new()),
        };
        let old: Vec<(usize, Vec<Deviation>)> =
            released.iter().map(|demand| (*demand, self.release(*demand))).collect();
        if below(rng, 2) == 0 {
            barred.truncate(1);
            barred.extend(self.one_secondary(&old, rng).filter(|_| barred.is_empty()));
        }
        self.net.blur = if below(rng, 2) == 0 { rng.next_u64() | 1 } else { 0 };
        shuffle(&mut released, rng);
        let mut found = true;
        let bound = before - self.net.total + 1;
        self.together(&released, bound, rng);
        for demand in &released {
            if !self.chosen[*demand].is_empty() {
                continue;
            }
            found = found && self.net.total <= before && self.choose(*demand, &barred, effort)?;
        }
        self.net.blur = 0;
        if found && self.net.total <= before {
            return Ok(());
        }
        for demand in released {
            self.release(demand);
        }
        for (demand, deviations) in old {
            self.keep(demand, deviations);
        }
        Ok(())
    }

    /// Looks for one deviation that serves the first few of the demands at once, each up or down as chance has it.
    fn together(&mut self, demands: &[usize], bound: i64, rng: &mut ChaCha8Rng) {
        let few = 2 + below(rng, JOINED - 1);
        let one = |demand: &usize| self.demands[*demand].cell().map(|cell| (*demand, cell));
        // Two demands may be about one cell.
        let mut seen = BTreeSet::new();
        let joined: Vec<(usize, u32)> =
            demands.iter().filter_map(one).filter(|(_, cell)| seen.insert(*cell)).take(few).collect();
        if joined.len() < 2 || below(rng, 4) == 0 {
            return;
        }
        let far = joined.iter().map(|(demand, _)| self.demands[*demand].far()).max().unwrap_or(1);
        let reach = Reach { up: far, down: far };
        let start: Vec<(u32, i8)> =
            joined.iter().map(|(_, cell)| (*cell, if below(rng, 2) == 0 { 1 } else { -1 })).collect();
        let Some((_, cells)) = self.search.together(&self.net, &start, reach, bound, JOINED_STATES) else { return };
        for ((demand, _), (_, by)) in joined.iter().zip(start) {
            let cells = cells.iter().map(|(cell, moved)| (*cell, moved * i64::from(by))).collect();
            self.keep(*demand, vec![Deviation { cells, reach }]);
            if !self.onlookers(*demand).is_empty() {
                self.release(*demand);
            }
        }
    }

    /// All demands whose deviations run through one or two secondary cells of a demand or its neighbour, and these cells.
    fn through_cells(&self, demand: usize, near: &[u32], rng: &mut ChaCha8Rng) -> (Vec<usize>, Vec<u32>) {
        let mut cells = Vec::new();
        let other = if near.is_empty() { demand } else { near[below(rng, near.len())] as usize };
        let two = below(rng, 2) == 0;
        for demand in [Some(demand), two.then_some(other)].into_iter().flatten() {
            let own = self.chosen[demand].iter().flat_map(|deviation| &deviation.cells).map(|(cell, _)| *cell);
            let own: Vec<u32> = own.filter(|cell| self.net.weight[*cell as usize] > 0).collect();
            if !own.is_empty() {
                cells.push(own[below(rng, own.len())]);
            }
        }
        let mut released: Vec<usize> =
            cells.iter().flat_map(|cell| &self.users[*cell as usize]).map(|user| *user as usize).collect();
        released.push(demand);
        released.sort_unstable();
        released.dedup();
        if released.len() > SHARED {
            return (self.company(demand, near, rng), Vec::new());
        }
        (released, cells)
    }

    /// The demand and a few of those that share its cells or lie near.
    fn company(&self, demand: usize, near: &[u32], rng: &mut ChaCha8Rng) -> Vec<usize> {
        let sharing = self.chosen[demand].iter().flat_map(|deviation| &deviation.cells);
        let mut others: Vec<usize> = sharing
            .flat_map(|(cell, _)| &self.users[*cell as usize])
            .chain(near)
            .map(|other| *other as usize)
            .collect();
        others.sort_unstable();
        others.dedup();
        others.retain(|other| *other != demand);
        shuffle(&mut others, rng);
        others.truncate(below(rng, RELEASED));
        others.push(demand);
        others
    }

    /// A cell that was hidden for the released alone.
    fn one_secondary(&self, old: &[(usize, Vec<Deviation>)], rng: &mut ChaCha8Rng) -> Option<u32> {
        let cells = old.iter().flat_map(|(_, deviations)| deviations).flat_map(|deviation| &deviation.cells);
        let cells: Vec<u32> = cells.map(|(cell, _)| *cell).filter(|cell| self.net.price(*cell) > 0).collect();
        (!cells.is_empty()).then(|| cells[below(rng, cells.len())])
    }

    /// For each demand those whose equations cross one of its own.
    fn near(&self) -> Vec<Vec<u32>> {
        let mut inside: Vec<Vec<u32>> = vec![Vec::new(); self.net.system.equations()];
        let equations = |demand: usize| {
            let cells = self.demands[demand].sum.iter().map(|(cell, _)| *cell);
            cells.flat_map(|cell| self.net.places(cell)).map(|(equation, _)| *equation as usize)
        };
        for demand in 0..self.demands.len() {
            equations(demand).for_each(|equation| inside[equation].push(demand as u32));
        }
        let mut last = vec![usize::MAX; self.demands.len()];
        let near = |demand: usize| {
            let cells = equations(demand).flat_map(|equation| self.net.system.terms(equation));
            let crossing = cells.flat_map(|(cell, _)| self.net.places(*cell)).map(|(equation, _)| *equation as usize);
            let mut near = Vec::new();
            for other in equations(demand).chain(crossing).flat_map(|equation| &inside[equation]) {
                if near.len() < NEAR
                    && *other as usize != demand
                    && std::mem::replace(&mut last[*other as usize], demand) != demand
                {
                    near.push(*other);
                }
            }
            near
        };
        (0..self.demands.len()).map(near).collect()
    }
}

fn below(rng: &mut ChaCha8Rng, end: usize) -> usize {
    (rng.next_u64() % end as u64) as usize
}

fn shuffle<T>(items: &mut [T], rng: &mut ChaCha8Rng) {
    for at in (1..items.len()).rev() {
        items.swap(at, below(rng, at + 1));
    }
}
