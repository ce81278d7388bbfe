//! Makes a choice of deviations cheaper: demands that are near each other are released together and chosen anew in
//! another order, and what costs no more is kept (large neighbourhood search, Shaw 1998). Every demand keeps its witness
//! throughout, and the search ends after so much work, whatever the clock says.

use outward_spec::Result;
use rand_chacha::ChaCha8Rng;
use rand_core::{Rng, SeedableRng};

use crate::suppress::cover::{Cover, Effort};
use crate::suppress::deviation::Deviation;
use crate::suppress::net::Reach;

/// Most neighbours remembered for one demand.
const NEAR: usize = 24;
/// Most demands released at once.
const RELEASED: usize = 6;
/// Most demands met by one deviation together, and the states looked at for it.
const JOINED: usize = 4;
const JOINED_STATES: usize = 200;
/// Rounds without gain after which the search ends.
const IDLE: usize = 6;

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
        let mut idle = 0;
        while idle < IDLE {
            let before = self.net.total;
            shuffle(&mut order, &mut rng);
            for demand in &order {
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
        let mut released = self.company(demand, near, rng);
        let old: Vec<(usize, Vec<Deviation>)> =
            released.iter().map(|demand| (*demand, self.release(*demand))).collect();
        let barred = if below(rng, 2) == 0 { self.one_secondary(&old, rng) } else { None };
        shuffle(&mut released, rng);
        let mut found = true;
        let bound = before - self.net.total + 1;
        self.together(&released, bound, rng);
        for demand in &released {
            if !self.chosen[*demand].is_empty() {
                continue;
            }
            found = found && self.net.total <= before && self.choose(*demand, barred.as_slice(), effort)?;
        }
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
        let plain = |demand: usize| match (self.demands[demand].cell(), &self.demands[demand].splits[..]) {
            (Some(cell), [reach]) => Some((demand, cell, *reach)),
            _ => None,
        };
        let few = 2 + below(rng, JOINED - 1);
        let joined: Vec<_> = demands.iter().filter_map(|demand| plain(*demand)).take(few).collect();
        if joined.len() < 2 || self.knows_any() || below(rng, 2) == 0 {
            return;
        }
        let far = joined.iter().map(|(_, _, reach)| reach.up.max(reach.down)).max().unwrap_or(1);
        let reach = Reach { up: far, down: far };
        let start: Vec<(u32, i8)> =
            joined.iter().map(|(_, cell, _)| (*cell, if below(rng, 2) == 0 { 1 } else { -1 })).collect();
        let Some((_, cells)) = self.search.together(&self.net, &start, reach, bound, JOINED_STATES) else { return };
        for ((demand, _, _), (_, by)) in joined.iter().zip(start) {
            let cells = cells.iter().map(|(cell, moved)| (*cell, moved * i64::from(by))).collect();
            self.keep(*demand, vec![Deviation { cells, reach }]);
        }
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
