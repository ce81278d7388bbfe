//! Chooses a deviation for everything that must be protected, so that the cells they run through cost least together.
//! What one deviation hides is free for the next.

use std::collections::BTreeSet;

use outward_spec::{Error, Result};

use crate::suppress::boxes::Boxes;
use crate::suppress::deviation::{Deviation, by_program};
use crate::suppress::grid::Grid;
use crate::suppress::net::{Net, Reach};
use crate::suppress::search::{Around, Ask, Search};
use crate::suppress::{Choice, splits};
use outward_audit::{Contributors, UNLIMITED};

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

    /// Whether deviations go far enough, each as often as `times` says; nothing further than `most` up and down is asked.
    fn met(&self, deviations: &[Deviation], times: impl Fn(&Deviation) -> Reach, most: (i64, i64)) -> bool {
        let (mut up, mut down) = (0, 0);
        for deviation in deviations {
            let (times, shift) = (times(deviation), deviation.shift(&self.sum));
            (up, down) = (up.max(times.up.saturating_mul(shift)), down.max(times.down.saturating_mul(shift)));
        }
        let least = self.least(most);
        up >= least.0 && down >= least.1 && up.saturating_add(down) >= least.2
    }

    /// How far it must be able to move both ways to meet any of the splits.
    pub(super) fn far(&self) -> i64 {
        let (up, down, both) = self.least(UNLIMITED);
        up.max(down).max(both - both / 2)
    }

    /// The ways to meet it, where nothing further than `most` up and down is asked.
    fn splits_to(&self, most: (i64, i64)) -> Vec<Reach> {
        match most {
            UNLIMITED => self.splits.clone(),
            (0, 0) => vec![Reach { up: 0, down: 0 }],
            _ => {
                let (up, down, both) = self.least(most);
                splits(up, down, both)
            }
        }
    }

    /// How far it must be able to move up, down, and both together, where nothing further than `most` up and down is asked.
    pub(super) fn least(&self, most: (i64, i64)) -> (i64, i64, i64) {
        let least = |far: fn(&Reach) -> i64| self.splits.iter().map(far).min().unwrap_or(0);
        let (up, down) = (least(|reach| reach.up), least(|reach| reach.down));
        let both = least(|reach| reach.up.saturating_add(reach.down));
        // Where only so much is asked up and down, and no width besides, a step either way keeps the value from being exact.
        let width = if both > up.saturating_add(down) { both } else { 1 };
        let (up, down) = (up.min(most.0), down.min(most.1));
        (up, down, up.saturating_add(down).max(width.min(most.0.saturating_add(most.1))))
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
    pub(super) contributors: Contributors,
    /// Where nothing was found for a demand, the contributor who stands in the way; 0 for nobody.
    pub(super) seen_by: u32,
}

/// Where a deviation is looked for: not through some cells, and not further than a contributor takes for possible; 0 for nobody.
#[derive(Clone, Copy)]
struct Sight<'b> {
    barred: &'b [u32],
    person: u32,
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
            contributors: Contributors::new(&choice.alone, &choice.inside, &choice.outside),
            seen_by: 0,
        }
    }

    /// Checks every witness once more, in exact numbers: that it keeps all equations and bounds, moves what it should as
    /// far as it should, and that no contributor sees through all there are.
    ///
    /// # Errors
    /// Where one does not hold, which would be a bug.
    pub(super) fn check(&self) -> Result<()> {
        for (number, (demand, deviations)) in self.demands.iter().zip(&self.chosen).enumerate() {
            let sound =
                deviations.iter().all(|deviation| deviation.holds(&self.net) && deviation.shift(&demand.sum) > 0);
            let met = demand.met(deviations, |deviation| deviation.reach, UNLIMITED);
            if !sound || !met || !self.onlookers(number).is_empty() {
                return Err(Error::bug("a cell is hidden but not protected"));
            }
        }
        Ok(())
    }

    /// Whether what was chosen for a demand is enough in the eyes of a contributor (M8).
    fn is_kept_from(&self, demand: usize, person: u32) -> bool {
        let own = &self.demands[demand];
        own.met(&self.chosen[demand], |deviation| deviation.seen_by(&self.contributors, person), self.most(own, person))
    }

    /// The contributors who see through what was chosen for a demand. What a group is told, its members know of themselves.
    pub(super) fn onlookers(&self, demand: usize) -> Vec<u32> {
        if self.contributors.is_empty() || self.demands[demand].cell().is_none() {
            return Vec::new();
        }
        let mut people = BTreeSet::new();
        for Deviation { cells, reach } in &self.chosen[demand] {
            for (cell, by) in cells {
                let far = reach.up.max(reach.down).saturating_mul(by.saturating_abs());
                let narrow = self.contributors.contributors(*cell).iter().filter(|room| room.fall.min(room.rise) < far);
                people.extend(narrow.map(|room| room.person));
            }
        }
        people.into_iter().filter(|person| !self.is_kept_from(demand, *person)).collect()
    }

    /// How far at most a contributor must be kept from what a demand is about.
    fn most(&self, demand: &Demand, person: u32) -> (i64, i64) {
        demand.cell().map_or(UNLIMITED, |cell| self.contributors.asked(cell, person))
    }

    /// The cells that a contributor does not take to be able to move as far as a demand asks.
    fn blocked(&self, demand: usize, person: u32) -> impl Iterator<Item = u32> + '_ {
        let demand = &self.demands[demand];
        let far = self.reduced(demand, person).far();
        let own = self.contributors.cells(person).iter().filter(move |room| room.fall.min(room.rise) < far);
        own.map(|room| room.cell).filter(|cell| Some(*cell) != demand.cell())
    }

    /// What of a demand a contributor must be kept from.
    fn reduced(&self, demand: &Demand, person: u32) -> Demand {
        Demand { sum: demand.sum.clone(), splits: demand.splits_to(self.most(demand, person)) }
    }

    /// What of a demand was not met: all of it, or what a contributor stands in the way of.
    pub(super) fn unmet(&self, demand: usize) -> Demand {
        self.reduced(&self.demands[demand], self.seen_by)
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

    /// Chooses for a demand, and hides what is chosen. False if nothing is found. Each contributor who could see through the
    /// choice, because it needs a cell to be less than they know it to be, is met by a further deviation that does not.
    pub(super) fn choose(&mut self, demand: usize, barred: &[u32], effort: Effort) -> Result<bool> {
        let Some(first) = self.cheapest(demand, Sight { barred, person: 0 }, effort)? else { return Ok(false) };
        self.keep(demand, first);
        let onlookers = self.onlookers(demand);
        if onlookers.is_empty() {
            return Ok(true);
        }
        let all: BTreeSet<u32> = onlookers.iter().flat_map(|person| self.blocked(demand, *person)).collect();
        let all: Vec<u32> = barred.iter().copied().chain(all).collect();
        let sight = Sight { barred: &all, person: 0 };
        if let Some(second) = self.cheapest(demand, sight, Effort { programs: false, ..effort })? {
            self.keep(demand, second);
        }
        for person in onlookers {
            if self.is_kept_from(demand, person) {
                continue;
            }
            let less = self.reduced(&self.demands[demand], person).splits;
            let splits = std::mem::replace(&mut self.demands[demand].splits, less);
            let second = self.cheapest(demand, Sight { barred, person }, effort);
            self.demands[demand].splits = splits;
            if let Some(second) = second? {
                self.keep(demand, second);
            }
            if !self.is_kept_from(demand, person) {
                self.seen_by = person;
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The cheapest deviations for a demand: one that serves both ways, or one for each.
    fn cheapest(&mut self, demand: usize, sight: Sight<'_>, effort: Effort) -> Result<Option<Vec<Deviation>>> {
        let mut best = self.both_ways(demand, sight, effort);
        if best.is_none() && effort.programs && !self.mapped {
            self.mapped = true;
            let cells = self.demands.iter().flat_map(|demand| &demand.sum).map(|(cell, _)| *cell);
            self.grid = Grid::of(&self.net, cells, FEW);
            best = self.both_ways(demand, sight, effort);
        }
        if best.is_some() || !effort.programs {
            return Ok(best.map(|deviation| vec![deviation]));
        }
        for split in 0..self.demands[demand].splits.len() {
            let found = self.each_way(demand, self.demands[demand].splits[split], sight, effort)?;
            if found.is_some() {
                return Ok(found);
            }
        }
        self.stretched(demand, sight, effort)
    }

    /// The cheapest deviation that serves both ways.
    fn both_ways(&mut self, demand: usize, sight: Sight<'_>, effort: Effort) -> Option<Deviation> {
        let mut best: Option<(i64, Deviation)> = None;
        for split in 0..self.demands[demand].splits.len() {
            let reach = self.demands[demand].splits[split];
            let bound = best.as_ref().map_or(i64::MAX, |(cost, _)| *cost);
            best = self.circuit(demand, reach, sight, bound, effort).or(best);
        }
        best.map(|(_, deviation)| deviation)
    }

    /// How far a cell may fall and rise where a deviation is looked for.
    fn room(&self, sight: Sight<'_>, cell: u32) -> (i64, i64) {
        if sight.barred.contains(&cell) { (0, 0) } else { self.contributors.allowance(sight.person, cell) }
    }

    /// Where only the width of the interval counts: as far up as can be, and the rest down.
    fn stretched(&mut self, demand: usize, sight: Sight<'_>, effort: Effort) -> Result<Option<Vec<Deviation>>> {
        let (up, down, width) = self.demands[demand].least(UNLIMITED);
        let (mut reached, mut beyond) = (up, width - down + 1);
        if self.demands[demand].splits.len() < 2 {
            return Ok(None);
        }
        while beyond - reached > 1 {
            let middle = reached + (beyond - reached) / 2;
            match by_program(&self.net, &self.demands[demand].sum, middle, |cell| self.room(sight, cell))? {
                Some(_) => reached = middle,
                None => beyond = middle,
            }
        }
        self.each_way(demand, Reach { up: reached, down: width - reached }, sight, effort)
    }

    /// One deviation upwards and another downwards.
    fn each_way(
        &mut self,
        demand: usize,
        reach: Reach,
        sight: Sight<'_>,
        effort: Effort,
    ) -> Result<Option<Vec<Deviation>>> {
        let mut deviations = Vec::new();
        for (reach, amount) in [(Reach { down: 0, ..reach }, reach.up), (Reach { up: 0, ..reach }, -reach.down)] {
            if amount == 0 {
                continue;
            }
            let found = match self.circuit(demand, reach, sight, i64::MAX, effort) {
                Some((_, deviation)) => Some(deviation),
                None => by_program(&self.net, &self.demands[demand].sum, amount, |cell| self.room(sight, cell))?,
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
        sight: Sight<'_>,
        mut bound: i64,
        effort: Effort,
    ) -> Option<(i64, Deviation)> {
        let sum = &self.demands[demand].sum;
        let mut best = None;
        let mut barred = sight.barred.to_vec();
        barred.extend(self.blocked(demand, sight.person));
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
                let deviation = Deviation { cells, reach };
                if deviation.seen_by(&self.contributors, sight.person) == reach {
                    bound = cost;
                    best = Some((cost, deviation));
                }
            }
        }
        best
    }
}
