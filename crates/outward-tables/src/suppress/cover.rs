//! Chooses a deviation for everything that must be protected, so that the cells they run through cost least together.
//! What one deviation hides is free for the next.

use std::collections::BTreeMap;

use outward_spec::{Error, Result};

use crate::suppress::Choice;
use crate::suppress::boxes::Boxes;
use crate::suppress::deviation::{Deviation, by_program};
use crate::suppress::grid::Grid;
use crate::suppress::net::{Net, Reach};
use crate::suppress::search::{Around, Ask, Search};
use crate::system::{ALL, distances, lone_contributors};

/// A sum of cells (mostly one cell) that an attacker must not come too near.
pub(super) struct Demand {
    pub(super) sum: Vec<(u32, i32)>,
    /// How far it must be able to move: any one of these will do, and all are equally wide.
    pub(super) splits: Vec<Reach>,
}

impl Demand {
    /// The cell, where the sum is one.
    pub(super) fn cell(&self) -> Option<u32> {
        match self.sum[..] {
            [(cell, 1)] => Some(cell),
            _ => None,
        }
    }

    /// Whether deviations go far enough, those through `known` cells left aside; nothing further than `most` up and down is asked.
    fn met(&self, deviations: &[Deviation], known: &[u32], most: (i64, i64)) -> bool {
        let usable = |deviation: &&Deviation| !deviation.cells.iter().any(|(cell, _)| known.contains(cell));
        let furthest = |reach: fn(&Reach) -> i64| {
            let far = |deviation: &Deviation| reach(&deviation.reach).saturating_mul(deviation.shift(&self.sum));
            deviations.iter().filter(usable).map(far).max().unwrap_or(0)
        };
        let (up, down) = (furthest(|reach| reach.up), furthest(|reach| reach.down));
        let least = self.least(most);
        up >= least.0 && down >= least.1 && up.saturating_add(down) >= least.2
    }

    /// How far it must be able to move both ways to meet any of the splits.
    pub(super) fn far(&self) -> i64 {
        let (up, down, both) = self.least(ALL);
        up.max(down).max(both - both / 2)
    }

    /// The ways to meet it, where nothing further than `most` up and down is asked.
    fn splits_to(&self, most: (i64, i64)) -> Vec<Reach> {
        self.splits.iter().map(|reach| Reach { up: reach.up.min(most.0), down: reach.down.min(most.1) }).collect()
    }

    /// How far it must be able to move up, down, and both together, where nothing further than `most` up and down is asked.
    pub(super) fn least(&self, most: (i64, i64)) -> (i64, i64, i64) {
        let splits = self.splits_to(most);
        let least = |far: fn(&Reach) -> i64| splits.iter().map(far).min().unwrap_or(0);
        (least(|reach| reach.up), least(|reach| reach.down), least(|reach| reach.up.saturating_add(reach.down)))
    }
}

/// How hard to look.
#[derive(Clone, Copy)]
pub(super) struct Effort {
    /// States of the balancing search where nothing simpler finds a circuit, and where something does.
    pub(super) states: (usize, usize),
    /// Cells looked at in the search for products, where many variables cross.
    pub(super) corners: usize,
    /// Whether to fall back on linear programs.
    pub(super) programs: bool,
}

/// Boxes kept in memory for all demands together.
const BOXES: usize = 2_000_000;
/// Where so many variables cross, circuits are first looked for as products; where fewer do, if all else fails.
const MANY: usize = 4;
const FEW: usize = 2;

/// The demands, and what has been chosen for each.
pub(super) struct Cover<'a> {
    pub(super) net: Net<'a>,
    pub(super) demands: Vec<Demand>,
    pub(super) chosen: Vec<Vec<Deviation>>,
    pub(super) search: Search,
    /// For each demand that is one cell, the boxes around it, split by split.
    boxes: Vec<Vec<Boxes>>,
    /// The lines of the system, once they are needed.
    grid: Option<Grid>,
    mapped: bool,
    /// For each cell the demands whose deviations run through it.
    pub(super) users: Vec<Vec<u32>>,
    /// Whose only contributor knows each cell; 0 for none.
    alone: Vec<u32>,
    /// All cells of each of these.
    persons: Vec<Vec<u32>>,
    /// How far above and below such a contributor must be kept from a cell that she is in with others.
    inside: BTreeMap<(u32, u32), (i64, i64)>,
    lone: bool,
    /// Where nothing was found for a demand, whose lone contributor stands in the way, by the cell he knows.
    pub(super) seen_by: Option<u32>,
}

impl<'a> Cover<'a> {
    pub(super) fn new(net: Net<'a>, demands: Vec<Demand>, choice: &Choice) -> Self {
        let most = (BOXES / demands.len().max(1)).clamp(8, 1000);
        let cells = demands.iter().flat_map(|demand| &demand.sum).map(|(cell, _)| *cell);
        let grid = Grid::of(&net, cells, MANY);
        let many = |cell: u32| grid.as_ref().is_some_and(|grid| grid.variables(&net, cell).len() >= MANY);
        let around = |demand: &Demand| match demand.cell() {
            Some(cell) if net.places(cell).len() >= 3 && !many(cell) => {
                demand.splits.iter().map(|reach| Boxes::around(&net, cell, *reach, most)).collect()
            }
            _ => Vec::new(),
        };
        let boxes = demands.iter().map(around).collect();
        let chosen = vec![Vec::new(); demands.len()];
        let cells = net.system.cells.len();
        let users = vec![Vec::new(); cells];
        Self {
            net,
            demands,
            chosen,
            search: Search::default(),
            boxes,
            mapped: grid.is_some(),
            grid,
            users,
            alone: lone_contributors(&choice.alone, cells),
            persons: choice.alone.clone(),
            inside: distances(&choice.inside),
            lone: !choice.alone.is_empty(),
            seen_by: None,
        }
    }

    /// Checks every witness once more, in exact numbers: that it keeps all equations and bounds, moves what it should as
    /// far as it should, and that no lone contributor is left without one that avoids his cell.
    ///
    /// # Errors
    /// Where one does not hold, which would be a bug.
    pub(super) fn check(&self) -> Result<()> {
        for (demand, deviations) in self.demands.iter().zip(&self.chosen) {
            let sound =
                deviations.iter().all(|deviation| deviation.holds(&self.net) && deviation.shift(&demand.sum) > 0);
            let known = |(cell, _): &&(u32, i64)| demand.cell().is_some_and(|own| self.is_told(own, *cell));
            let mut knowing = deviations.iter().flat_map(|deviation| &deviation.cells).filter(known);
            let kept = |cell: u32| demand.met(deviations, self.own(cell), self.distance(demand, cell));
            if !sound || !demand.met(deviations, &[], ALL) || !knowing.all(|(cell, _)| kept(*cell)) {
                return Err(Error::bug("a cell is hidden but not protected"));
            }
        }
        Ok(())
    }

    /// Whether a cell must be safe from the lone contributor of another.
    fn is_told(&self, cell: u32, other: u32) -> bool {
        let person = self.alone[other as usize];
        person != 0 && person != self.alone[cell as usize]
    }

    /// The cells that the lone contributor of a cell knows.
    pub(super) fn own(&self, cell: u32) -> &[u32] {
        match self.alone[cell as usize] {
            0 => &[],
            person => &self.persons[person as usize - 1],
        }
    }

    /// How far at most the lone contributor of a cell must be kept from what a demand is about.
    fn distance(&self, demand: &Demand, known: u32) -> (i64, i64) {
        let person = self.alone[known as usize];
        demand.cell().and_then(|cell| self.inside.get(&(cell, person))).copied().unwrap_or(ALL)
    }

    /// What of a demand was not met: all of it, or what a lone contributor stands in the way of.
    pub(super) fn unmet(&self, demand: usize) -> Demand {
        let demand = &self.demands[demand];
        let most = self.seen_by.map_or(ALL, |known| self.distance(demand, known));
        Demand { sum: demand.sum.clone(), splits: demand.splits_to(most) }
    }

    /// Whether there are lone contributors to guard against.
    pub(super) fn knows_any(&self) -> bool {
        self.lone
    }

    /// Hides what a demand's deviations run through.
    pub(super) fn keep(&mut self, demand: usize, deviations: Vec<Deviation>) {
        for (cell, _) in deviations.iter().flat_map(|deviation| &deviation.cells) {
            self.net.take(*cell);
            self.users[*cell as usize].push(demand as u32);
        }
        self.chosen[demand].extend(deviations);
    }

    /// Takes a demand's deviations back.
    pub(super) fn release(&mut self, demand: usize) -> Vec<Deviation> {
        let deviations = std::mem::take(&mut self.chosen[demand]);
        for (cell, _) in deviations.iter().flat_map(|deviation| &deviation.cells) {
            self.net.give_back(*cell);
            let users = &mut self.users[*cell as usize];
            if let Some(at) = users.iter().position(|user| *user as usize == demand) {
                users.swap_remove(at);
            }
        }
        deviations
    }

    /// Chooses for a demand, and hides what is chosen. False if nothing is found. Each lone contributor who could see
    /// through the choice, because it runs through the cell he knows, is met by a further deviation that does not.
    pub(super) fn choose(&mut self, demand: usize, barred: &[u32], effort: Effort) -> Result<bool> {
        let Some(first) = self.cheapest(demand, barred, effort)? else { return Ok(false) };
        let cell = self.demands[demand].cell();
        let mut known: Vec<u32> = first.iter().flat_map(|deviation| &deviation.cells).map(|(cell, _)| *cell).collect();
        let own = &self.demands[demand];
        known.retain(|other| {
            cell.is_some_and(|cell| self.is_told(cell, *other)) && self.distance(own, *other) != (0, 0)
        });
        known.sort_unstable_by_key(|cell| (self.alone[*cell as usize], *cell));
        self.keep(demand, first);
        if known.is_empty() {
            return Ok(true);
        }
        known.dedup_by_key(|cell| self.alone[*cell as usize]);
        let join = |own: Vec<u32>| -> Vec<u32> { barred.iter().copied().chain(own).collect() };
        let all = known.iter().flat_map(|cell| self.own(*cell)).copied().collect();
        if let Some(second) = self.cheapest(demand, &join(all), Effort { programs: false, ..effort })? {
            self.keep(demand, second);
            return Ok(true);
        }
        for one in known {
            let most = self.distance(&self.demands[demand], one);
            if self.demands[demand].met(&self.chosen[demand], self.own(one), most) {
                continue;
            }
            let less = self.demands[demand].splits_to(most);
            let splits = std::mem::replace(&mut self.demands[demand].splits, less);
            let second = self.cheapest(demand, &join(self.own(one).to_vec()), effort);
            self.demands[demand].splits = splits;
            let Some(second) = second? else {
                self.seen_by = Some(one);
                return Ok(false);
            };
            self.keep(demand, second);
        }
        Ok(true)
    }

    /// The cheapest deviations for a demand: one that serves both ways, or one for each.
    fn cheapest(&mut self, demand: usize, barred: &[u32], effort: Effort) -> Result<Option<Vec<Deviation>>> {
        let mut best = self.both_ways(demand, barred, effort);
        if best.is_none() && effort.programs && !self.mapped {
            self.mapped = true;
            let cells = self.demands.iter().flat_map(|demand| &demand.sum).map(|(cell, _)| *cell);
            self.grid = Grid::of(&self.net, cells, FEW);
            best = self.both_ways(demand, barred, effort);
        }
        if best.is_some() || !effort.programs {
            return Ok(best.map(|deviation| vec![deviation]));
        }
        for split in 0..self.demands[demand].splits.len() {
            let found = self.each_way(demand, self.demands[demand].splits[split], barred, effort)?;
            if found.is_some() {
                return Ok(found);
            }
        }
        self.stretched(demand, barred, effort)
    }

    /// The cheapest deviation that serves both ways.
    fn both_ways(&mut self, demand: usize, barred: &[u32], effort: Effort) -> Option<Deviation> {
        let mut best: Option<(i64, Deviation)> = None;
        for split in 0..self.demands[demand].splits.len() {
            let reach = self.demands[demand].splits[split];
            let bound = best.as_ref().map_or(i64::MAX, |(cost, _)| *cost);
            best = self.circuit(demand, reach, barred, bound, effort).or(best);
        }
        best.map(|(_, deviation)| deviation)
    }

    /// Where only the width of the interval counts: as far up as can be, and the rest down.
    fn stretched(&mut self, demand: usize, barred: &[u32], effort: Effort) -> Result<Option<Vec<Deviation>>> {
        let (up, down, width) = self.demands[demand].least(ALL);
        let (mut reached, mut beyond) = (up, width - down + 1);
        if self.demands[demand].splits.len() < 2 {
            return Ok(None);
        }
        while beyond - reached > 1 {
            let middle = reached + (beyond - reached) / 2;
            match by_program(&self.net, &self.demands[demand].sum, middle, |cell| barred.contains(&cell))? {
                Some(_) => reached = middle,
                None => beyond = middle,
            }
        }
        self.each_way(demand, Reach { up: reached, down: width - reached }, barred, effort)
    }

    /// One deviation upwards and another downwards.
    fn each_way(
        &mut self,
        demand: usize,
        reach: Reach,
        barred: &[u32],
        effort: Effort,
    ) -> Result<Option<Vec<Deviation>>> {
        let mut deviations = Vec::new();
        for (reach, amount) in [(Reach { down: 0, ..reach }, reach.up), (Reach { up: 0, ..reach }, -reach.down)] {
            if amount == 0 {
                continue;
            }
            let found = match self.circuit(demand, reach, barred, i64::MAX, effort) {
                Some((_, deviation)) => Some(deviation),
                None => by_program(&self.net, &self.demands[demand].sum, amount, |cell| barred.contains(&cell))?,
            };
            // Hidden for the other way too, while it is looked for.
            found.iter().flat_map(|deviation| &deviation.cells).for_each(|(cell, _)| self.net.take(*cell));
            deviations.extend(found);
        }
        deviations.iter().flat_map(|deviation| &deviation.cells).for_each(|(cell, _)| self.net.give_back(*cell));
        let wanted = usize::from(reach.up > 0) + usize::from(reach.down > 0);
        Ok((deviations.len() == wanted).then_some(deviations))
    }

    /// The cheapest circuit through one cell of the demand and none of the others.
    fn circuit(
        &mut self,
        demand: usize,
        reach: Reach,
        barred: &[u32],
        mut bound: i64,
        effort: Effort,
    ) -> Option<(i64, Deviation)> {
        let sum = &self.demands[demand].sum;
        let mut best = None;
        for (cell, by) in sum {
            let turned = if *by > 0 { reach } else { Reach { up: reach.down, down: reach.up } };
            let others = sum.iter().map(|(other, _)| *other).filter(|other| other != cell);
            let barred: Vec<u32> = barred.iter().copied().chain(others).collect();
            let ask = Ask {
                cell: *cell,
                reach: turned,
                barred: &barred,
                bound,
                states: effort.states,
                corners: effort.corners,
            };
            let split = self.demands[demand].splits.iter().position(|split| *split == reach);
            let boxes = split.and_then(|split| self.boxes[demand].get(split));
            let grid = self.grid.as_ref();
            let many = grid.is_some_and(|grid| grid.variables(&self.net, *cell).len() >= MANY);
            let around = Around { boxes, grid, many };
            if let Some((cost, mut cells)) = self.search.circuit(&self.net, &ask, around) {
                cells.iter_mut().for_each(|(_, amount)| *amount *= i64::from(by.signum()));
                bound = cost;
                best = Some((cost, Deviation { cells, reach }));
            }
        }
        best
    }
}
