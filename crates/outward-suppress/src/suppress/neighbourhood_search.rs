//! Large neighbourhood search (Shaw 1998) for a cheaper choice of deviations: demands near each other are released together and
//! chosen again in another order. A choice that costs no more is kept. Every demand has a witness throughout. The limit is an
//! amount of work, never time.

use std::collections::BTreeSet;

use outward_spec::Result;
use rand_chacha::ChaCha8Rng;
use rand_core::{Rng, SeedableRng};

use crate::suppress::deviation::Deviation;
use crate::suppress::incidence::RequiredDeviation;
use crate::suppress::witness_cover::{SearchEffort, WitnessCover};

/// Most neighbours remembered for one demand.
const MAX_NEIGHBOURS: usize = 24;
/// Most demands released at once.
const MAX_RELEASED: usize = 8;
/// Cells used by more demands than this stay hidden. To choose again for so many demands is much work for little gain.
const MAX_USERS: usize = 100;
/// Most demands met jointly by one deviation, and most states of the search for it.
const MAX_JOINT_DEMANDS: usize = 6;
const MAX_JOINT_STATES: usize = 200;
/// Attempts in a round if there are few demands: per demand, and in all.
const ROUND_ATTEMPTS: (usize, usize) = (6, 200);
/// Rounds without gain after which the search ends.
const MAX_IDLE_ROUNDS: usize = 10;

impl WitnessCover<'_> {
    /// Improves the choice until `work` steps are done or several rounds gain nothing.
    ///
    /// # Errors
    /// Where the solver fails.
    pub(super) fn improve(&mut self, work: u64, effort: SearchEffort) -> Result<()> {
        let end = self.search.work().saturating_add(work);
        let near = self.demand_neighbours();
        let mut rng = ChaCha8Rng::seed_from_u64(6);
        let mut order: Vec<usize> = (0..self.demands.len()).collect();
        let round = order.len().max(ROUND_ATTEMPTS.1.min(ROUND_ATTEMPTS.0 * order.len()));
        let mut idle = 0;
        while idle < MAX_IDLE_ROUNDS && !order.is_empty() {
            let before = self.incidence.total;
            shuffle(&mut order, &mut rng);
            for demand in order.iter().cycle().take(round) {
                if self.search.work() >= end {
                    return Ok(());
                }
                self.try_rechoosing(*demand, &near[*demand], effort, &mut rng)?;
            }
            idle = if self.incidence.total < before { 0 } else { idle + 1 };
        }
        Ok(())
    }

    /// Releases a demand and some neighbours and chooses again. Restores the old choice if the new one costs more.
    fn try_rechoosing(
        &mut self,
        demand: usize,
        near: &[u32],
        effort: SearchEffort,
        rng: &mut ChaCha8Rng,
    ) -> Result<()> {
        let before = self.incidence.total;
        let (mut released, mut barred) = match random_below(rng, 2) {
            0 => self.users_of_cells(demand, near, rng),
            _ => (self.neighbours_to_release(demand, near, rng), Vec::new()),
        };
        let old: Vec<(usize, Vec<Deviation>)> =
            released.iter().map(|demand| (*demand, self.release(*demand))).collect();
        if random_below(rng, 2) == 0 {
            barred.truncate(1);
            barred.extend(self.one_secondary(&old, rng).filter(|_| barred.is_empty()));
        }
        self.incidence.price_seed = if random_below(rng, 2) == 0 { rng.next_u64() | 1 } else { 0 };
        shuffle(&mut released, rng);
        let mut found = true;
        let bound = before - self.incidence.total + 1;
        self.choose_jointly(&released, bound, rng);
        for demand in &released {
            if !self.chosen[*demand].is_empty() {
                continue;
            }
            found = found && self.incidence.total <= before && self.choose(*demand, &barred, effort)?;
        }
        self.incidence.price_seed = 0;
        if found && self.incidence.total <= before {
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

    /// Finds one deviation that serves the first few demands at once, each up or down at random.
    fn choose_jointly(&mut self, demands: &[usize], bound: i64, rng: &mut ChaCha8Rng) {
        let few = 2 + random_below(rng, MAX_JOINT_DEMANDS - 1);
        let one = |demand: &usize| self.demands[*demand].cell().map(|cell| (*demand, cell));
        // Two demands may be for one cell.
        let mut seen = BTreeSet::new();
        let joined: Vec<(usize, u32)> =
            demands.iter().filter_map(one).filter(|(_, cell)| seen.insert(*cell)).take(few).collect();
        if joined.len() < 2 || random_below(rng, 4) == 0 {
            return;
        }
        let far = joined.iter().map(|(demand, _)| self.demands[*demand].reach_both_ways()).max().unwrap_or(1);
        let reach = RequiredDeviation { up: far, down: far };
        let start: Vec<(u32, i8)> =
            joined.iter().map(|(_, cell)| (*cell, if random_below(rng, 2) == 0 { 1 } else { -1 })).collect();
        let Some((_, cells)) = self.search.joint_circuit(&self.incidence, &start, reach, bound, MAX_JOINT_STATES)
        else {
            return;
        };
        for ((demand, _), (_, by)) in joined.iter().zip(start) {
            let cells = cells.iter().map(|(cell, moved)| (*cell, moved * i64::from(by))).collect();
            self.keep(*demand, vec![Deviation { cells, reach }]);
            if !self.contributors_who_see_through(*demand).is_empty() {
                self.release(*demand);
            }
        }
    }

    /// All demands whose deviations use one or two secondary cells of a demand or its neighbour, and these cells.
    fn users_of_cells(&self, demand: usize, near: &[u32], rng: &mut ChaCha8Rng) -> (Vec<usize>, Vec<u32>) {
        let mut cells = Vec::new();
        let other = if near.is_empty() { demand } else { near[random_below(rng, near.len())] as usize };
        let two = random_below(rng, 2) == 0;
        for demand in [Some(demand), two.then_some(other)].into_iter().flatten() {
            let own = self.chosen[demand].iter().flat_map(|deviation| &deviation.cells).map(|(cell, _)| *cell);
            let own: Vec<u32> = own.filter(|cell| self.incidence.weight[*cell as usize] > 0).collect();
            if !own.is_empty() {
                cells.push(own[random_below(rng, own.len())]);
            }
        }
        let mut released: Vec<usize> =
            cells.iter().flat_map(|cell| &self.users[*cell as usize]).map(|user| *user as usize).collect();
        released.push(demand);
        released.sort_unstable();
        released.dedup();
        if released.len() > MAX_USERS {
            return (self.neighbours_to_release(demand, near, rng), Vec::new());
        }
        (released, cells)
    }

    /// The demand and a few of those that share its cells or are near.
    fn neighbours_to_release(&self, demand: usize, near: &[u32], rng: &mut ChaCha8Rng) -> Vec<usize> {
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
        others.truncate(random_below(rng, MAX_RELEASED));
        others.push(demand);
        others
    }

    /// A cell that was hidden for the released demands alone.
    fn one_secondary(&self, old: &[(usize, Vec<Deviation>)], rng: &mut ChaCha8Rng) -> Option<u32> {
        let cells = old.iter().flat_map(|(_, deviations)| deviations).flat_map(|deviation| &deviation.cells);
        let cells: Vec<u32> = cells.map(|(cell, _)| *cell).filter(|cell| self.incidence.price(*cell) > 0).collect();
        (!cells.is_empty()).then(|| cells[random_below(rng, cells.len())])
    }

    /// For each demand those whose equations share a cell with its own.
    fn demand_neighbours(&self) -> Vec<Vec<u32>> {
        let mut inside: Vec<Vec<u32>> = vec![Vec::new(); self.incidence.system.equations()];
        let equations = |demand: usize| {
            let cells = self.demands[demand].sum.iter().map(|(cell, _)| *cell);
            cells.flat_map(|cell| self.incidence.equations_of(cell)).map(|(equation, _)| *equation as usize)
        };
        for demand in 0..self.demands.len() {
            equations(demand).for_each(|equation| inside[equation].push(demand as u32));
        }
        let mut last = vec![usize::MAX; self.demands.len()];
        let near = |demand: usize| {
            let cells = equations(demand).flat_map(|equation| self.incidence.system.terms(equation));
            let crossing =
                cells.flat_map(|(cell, _)| self.incidence.equations_of(*cell)).map(|(equation, _)| *equation as usize);
            let mut near = Vec::new();
            for other in equations(demand).chain(crossing).flat_map(|equation| &inside[equation]) {
                if near.len() < MAX_NEIGHBOURS
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

fn random_below(rng: &mut ChaCha8Rng, end: usize) -> usize {
    (rng.next_u64() % end as u64) as usize
}

fn shuffle<T>(items: &mut [T], rng: &mut ChaCha8Rng) {
    for at in (1..items.len()).rev() {
        items.swap(at, random_below(rng, at + 1));
    }
}
