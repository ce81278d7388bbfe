//! Chooses a deviation for every demand, so that the cells they use cost least together. A cell that one deviation hides
//! costs nothing for the next.

use std::collections::BTreeSet;

use outward_spec::{Error, Result};

use crate::suppress::box_circuits::BoxCircuits;
use crate::suppress::circuit_search::{CellBoxes, CircuitRequest, CircuitSearch};
use crate::suppress::deviation::{Deviation, cheapest_deviation};
use crate::suppress::incidence::{Incidence, RequiredDeviation};
use crate::suppress::parallel_lines::ParallelLines;
use crate::suppress::{SuppressionOptions, protection_splits};
use outward_audit::{Contributors, UNLIMITED};

/// A sum of cells, mostly one cell, that must be protected.
pub(super) struct ProtectionDemand {
    pub(super) sum: Vec<(u32, i32)>,
    /// The alternative splits of its protection levels between up and down; any one of them is enough.
    pub(super) splits: Vec<RequiredDeviation>,
}

impl ProtectionDemand {
    /// The cell, where the sum is one.
    pub(super) fn cell(&self) -> Option<u32> {
        match self.sum[..] {
            [(cell, 1)] => Some(cell),
            _ => None,
        }
    }

    /// Whether deviations meet the levels, capped at `most` up and down. `times` says how often each deviation may be
    /// added and subtracted.
    fn met(&self, deviations: &[Deviation], times: impl Fn(&Deviation) -> RequiredDeviation, most: (i64, i64)) -> bool {
        let (mut up, mut down) = (0, 0);
        for deviation in deviations {
            let (times, shift) = (times(deviation), deviation.shift(&self.sum));
            (up, down) = (up.max(times.up.saturating_mul(shift)), down.max(times.down.saturating_mul(shift)));
        }
        let least = self.minimum_reach(most);
        up >= least.0 && down >= least.1 && up.saturating_add(down) >= least.2
    }

    /// How far the sum must be able to move each way to meet any split.
    pub(super) fn reach_both_ways(&self) -> i64 {
        let (up, down, both) = self.minimum_reach(UNLIMITED);
        up.max(down).max(both - both / 2)
    }

    /// The splits of levels capped at `most` up and down.
    fn capped_splits(&self, most: (i64, i64)) -> Vec<RequiredDeviation> {
        match most {
            UNLIMITED => self.splits.clone(),
            (0, 0) => vec![RequiredDeviation { up: 0, down: 0 }],
            _ => {
                let (up, down, both) = self.minimum_reach(most);
                protection_splits(up, down, both)
            }
        }
    }

    /// The least reach up, down, and both together, for levels capped at `most` up and down.
    pub(super) fn minimum_reach(&self, most: (i64, i64)) -> (i64, i64, i64) {
        let least = |far: fn(&RequiredDeviation) -> i64| self.splits.iter().map(far).min().unwrap_or(0);
        let (up, down) = (least(|reach| reach.up), least(|reach| reach.down));
        let both = least(|reach| reach.up.saturating_add(reach.down));
        // Without a sliding level, one unit either way keeps the value from being exact.
        let width = if both > up.saturating_add(down) { both } else { 1 };
        let (up, down) = (up.min(most.0), down.min(most.1));
        (up, down, up.saturating_add(down).max(width.min(most.0.saturating_add(most.1))))
    }
}

/// Limits on the search for one demand.
#[derive(Clone, Copy)]
pub(super) struct SearchEffort {
    /// States of the balance search if no simpler search finds a circuit, and if one does.
    pub(super) states: (usize, usize),
    /// Cells visited in the search for products, if many variables cross.
    pub(super) corners: usize,
    /// Whether linear programs are solved if all else fails.
    pub(super) programs: bool,
}

/// Most boxes kept in memory for all demands together.
const MAX_BOXES: usize = 2_000_000;
/// With so many crossing variables products are searched first; with fewer, if all else fails.
const MANY_VARIABLES: usize = 4;
const FEW_VARIABLES: usize = 2;

/// The demands, and the deviations chosen for each.
pub(super) struct WitnessCover<'a> {
    pub(super) incidence: Incidence<'a>,
    pub(super) demands: Vec<ProtectionDemand>,
    pub(super) chosen: Vec<Vec<Deviation>>,
    pub(super) search: CircuitSearch,
    /// For each demand that is one cell, the boxes through it, by split.
    boxes: Vec<Vec<BoxCircuits>>,
    /// The parallel lines of the system, once they are needed.
    lines: Option<ParallelLines>,
    lines_searched: bool,
    /// For each cell the demands whose deviations use it.
    pub(super) users: Vec<Vec<u32>>,
    pub(super) contributors: Contributors,
    /// After a demand could not be met, the contributor it could not be met against; 0 for nobody.
    pub(super) unmet_against: u32,
}

/// Limits on a deviation: cells it may not use, and the contributor for whom it must be possible; 0 for nobody.
#[derive(Clone, Copy)]
struct SearchScope<'b> {
    barred: &'b [u32],
    person: u32,
}

impl<'a> WitnessCover<'a> {
    pub(super) fn new(incidence: Incidence<'a>, demands: Vec<ProtectionDemand>, choice: &SuppressionOptions) -> Self {
        let most = (MAX_BOXES / demands.len().max(1)).clamp(8, 1000);
        let cells = demands.iter().flat_map(|demand| &demand.sum).map(|(cell, _)| *cell);
        let lines = ParallelLines::find(&incidence, cells, MANY_VARIABLES);
        let many =
            |cell: u32| lines.as_ref().is_some_and(|lines| lines.variables(&incidence, cell).len() >= MANY_VARIABLES);
        let around = |demand: &ProtectionDemand| match demand.cell() {
            Some(cell) if incidence.equations_of(cell).len() >= 3 && !many(cell) => {
                demand.splits.iter().map(|reach| BoxCircuits::through(&incidence, cell, *reach, most)).collect()
            }
            _ => Vec::new(),
        };
        let boxes = demands.iter().map(around).collect();
        let chosen = vec![Vec::new(); demands.len()];
        let cells = incidence.system.cells.len();
        let users = vec![Vec::new(); cells];
        Self {
            incidence,
            demands,
            chosen,
            search: CircuitSearch::default(),
            boxes,
            lines_searched: lines.is_some(),
            lines,
            users,
            contributors: Contributors::new(&choice.alone, &choice.inside, &choice.outside),
            unmet_against: 0,
        }
    }

    /// Checks every witness once more in exact arithmetic: it keeps all equations and bounds and meets its demand, also against
    /// every contributor.
    ///
    /// # Errors
    /// Where one does not hold, which would be a bug.
    pub(super) fn check(&self) -> Result<()> {
        for (number, (demand, deviations)) in self.demands.iter().zip(&self.chosen).enumerate() {
            let sound =
                deviations.iter().all(|deviation| deviation.holds(&self.incidence) && deviation.shift(&demand.sum) > 0);
            let met = demand.met(deviations, |deviation| deviation.reach, UNLIMITED);
            if !sound || !met || !self.contributors_who_see_through(number).is_empty() {
                return Err(Error::bug("a cell is hidden but not protected"));
            }
        }
        Ok(())
    }

    /// Whether the deviations chosen for a demand meet it against a contributor (M8).
    fn is_protected_from(&self, demand: usize, person: u32) -> bool {
        let own = &self.demands[demand];
        own.met(
            &self.chosen[demand],
            |deviation| deviation.reach_for(&self.contributors, person),
            self.levels_against(own, person),
        )
    }

    /// The contributors against whom the deviations chosen for a demand do not meet it. Sums of groups are not protected from
    /// their members.
    pub(super) fn contributors_who_see_through(&self, demand: usize) -> Vec<u32> {
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
        people.into_iter().filter(|person| !self.is_protected_from(demand, *person)).collect()
    }

    /// The levels of a demand against a contributor, at most.
    fn levels_against(&self, demand: &ProtectionDemand, person: u32) -> (i64, i64) {
        demand.cell().map_or(UNLIMITED, |cell| self.contributors.asked(cell, person))
    }

    /// The cells that cannot move as far as a demand requires, given what a contributor knows.
    fn blocked(&self, demand: usize, person: u32) -> impl Iterator<Item = u32> + '_ {
        let demand = &self.demands[demand];
        let far = self.demand_against(demand, person).reach_both_ways();
        let own = self.contributors.cells(person).iter().filter(move |room| room.fall.min(room.rise) < far);
        own.map(|room| room.cell).filter(|cell| Some(*cell) != demand.cell())
    }

    /// The demand with its levels against a contributor.
    fn demand_against(&self, demand: &ProtectionDemand, person: u32) -> ProtectionDemand {
        ProtectionDemand { sum: demand.sum.clone(), splits: demand.capped_splits(self.levels_against(demand, person)) }
    }

    /// The demand that was not met: as given, or against a contributor.
    pub(super) fn unmet(&self, demand: usize) -> ProtectionDemand {
        self.demand_against(&self.demands[demand], self.unmet_against)
    }

    /// Keeps deviations for a demand and hides the cells they use.
    pub(super) fn keep(&mut self, demand: usize, deviations: Vec<Deviation>) {
        for (cell, _) in deviations.iter().flat_map(|deviation| &deviation.cells) {
            self.incidence.add_use(*cell);
            self.users[*cell as usize].push(demand as u32);
        }
        self.chosen[demand].extend(deviations);
    }

    /// Drops the deviations of a demand and returns them.
    pub(super) fn release(&mut self, demand: usize) -> Vec<Deviation> {
        let deviations = std::mem::take(&mut self.chosen[demand]);
        for (cell, _) in deviations.iter().flat_map(|deviation| &deviation.cells) {
            self.incidence.remove_use(*cell);
            let users = &mut self.users[*cell as usize];
            if let Some(at) = users.iter().position(|user| *user as usize == demand) {
                users.swap_remove(at);
            }
        }
        deviations
    }

    /// Chooses deviations for a demand and hides the cells they use. Returns whether the demand is met. If a
    /// contributor knows that a deviation is impossible, a further one is chosen that is possible given what they know.
    pub(super) fn choose(&mut self, demand: usize, barred: &[u32], effort: SearchEffort) -> Result<bool> {
        let Some(first) = self.cheapest_deviations(demand, SearchScope { barred, person: 0 }, effort)? else {
            return Ok(false);
        };
        self.keep(demand, first);
        let onlookers = self.contributors_who_see_through(demand);
        if onlookers.is_empty() {
            return Ok(true);
        }
        let all: BTreeSet<u32> = onlookers.iter().flat_map(|person| self.blocked(demand, *person)).collect();
        let all: Vec<u32> = barred.iter().copied().chain(all).collect();
        let scope = SearchScope { barred: &all, person: 0 };
        if let Some(second) = self.cheapest_deviations(demand, scope, SearchEffort { programs: false, ..effort })? {
            self.keep(demand, second);
        }
        for person in onlookers {
            if self.is_protected_from(demand, person) {
                continue;
            }
            let less = self.demand_against(&self.demands[demand], person).splits;
            let splits = std::mem::replace(&mut self.demands[demand].splits, less);
            let second = self.cheapest_deviations(demand, SearchScope { barred, person }, effort);
            self.demands[demand].splits = splits;
            if let Some(second) = second? {
                self.keep(demand, second);
            }
            if !self.is_protected_from(demand, person) {
                self.unmet_against = person;
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The cheapest deviations for a demand: one that serves both ways, or one for each way.
    fn cheapest_deviations(
        &mut self,
        demand: usize,
        scope: SearchScope<'_>,
        effort: SearchEffort,
    ) -> Result<Option<Vec<Deviation>>> {
        let mut best = self.cheapest_both_ways(demand, scope, effort);
        if best.is_none() && effort.programs && !self.lines_searched {
            self.lines_searched = true;
            let cells = self.demands.iter().flat_map(|demand| &demand.sum).map(|(cell, _)| *cell);
            self.lines = ParallelLines::find(&self.incidence, cells, FEW_VARIABLES);
            best = self.cheapest_both_ways(demand, scope, effort);
        }
        if best.is_some() || !effort.programs {
            return Ok(best.map(|deviation| vec![deviation]));
        }
        for split in 0..self.demands[demand].splits.len() {
            let found = self.cheapest_each_way(demand, self.demands[demand].splits[split], scope, effort)?;
            if found.is_some() {
                return Ok(found);
            }
        }
        self.widest_split(demand, scope, effort)
    }

    /// The cheapest deviation that serves both ways.
    fn cheapest_both_ways(&mut self, demand: usize, scope: SearchScope<'_>, effort: SearchEffort) -> Option<Deviation> {
        let mut best: Option<(i64, Deviation)> = None;
        for split in 0..self.demands[demand].splits.len() {
            let reach = self.demands[demand].splits[split];
            let bound = best.as_ref().map_or(i64::MAX, |(cost, _)| *cost);
            best = self.cheapest_circuit(demand, reach, scope, bound, effort).or(best);
        }
        best.map(|(_, deviation)| deviation)
    }

    /// How far a cell may fall and rise in this scope.
    fn room(&self, scope: SearchScope<'_>, cell: u32) -> (i64, i64) {
        if scope.barred.contains(&cell) { (0, 0) } else { self.contributors.allowance(scope.person, cell) }
    }

    /// For a sliding level alone: as far up as possible, and the rest down.
    fn widest_split(
        &mut self,
        demand: usize,
        scope: SearchScope<'_>,
        effort: SearchEffort,
    ) -> Result<Option<Vec<Deviation>>> {
        let (up, down, width) = self.demands[demand].minimum_reach(UNLIMITED);
        let (mut reached, mut beyond) = (up, width - down + 1);
        if self.demands[demand].splits.len() < 2 {
            return Ok(None);
        }
        while beyond - reached > 1 {
            let middle = reached + (beyond - reached) / 2;
            match cheapest_deviation(&self.incidence, &self.demands[demand].sum, middle, |cell| self.room(scope, cell))?
            {
                Some(_) => reached = middle,
                None => beyond = middle,
            }
        }
        self.cheapest_each_way(demand, RequiredDeviation { up: reached, down: width - reached }, scope, effort)
    }

    /// One deviation upwards and another downwards.
    fn cheapest_each_way(
        &mut self,
        demand: usize,
        reach: RequiredDeviation,
        scope: SearchScope<'_>,
        effort: SearchEffort,
    ) -> Result<Option<Vec<Deviation>>> {
        let mut deviations = Vec::new();
        for (reach, amount) in
            [(RequiredDeviation { down: 0, ..reach }, reach.up), (RequiredDeviation { up: 0, ..reach }, -reach.down)]
        {
            if amount == 0 {
                continue;
            }
            let found = match self.cheapest_circuit(demand, reach, scope, i64::MAX, effort) {
                Some((_, deviation)) => Some(deviation),
                None => cheapest_deviation(&self.incidence, &self.demands[demand].sum, amount, |cell| {
                    self.room(scope, cell)
                })?,
            };
            // These cells are free for the search the other way.
            found.iter().flat_map(|deviation| &deviation.cells).for_each(|(cell, _)| self.incidence.add_use(*cell));
            deviations.extend(found);
        }
        deviations.iter().flat_map(|deviation| &deviation.cells).for_each(|(cell, _)| self.incidence.remove_use(*cell));
        let wanted = usize::from(reach.up > 0) + usize::from(reach.down > 0);
        Ok((deviations.len() == wanted).then_some(deviations))
    }

    /// The cheapest circuit through one cell of the demand and none of the others.
    fn cheapest_circuit(
        &mut self,
        demand: usize,
        reach: RequiredDeviation,
        scope: SearchScope<'_>,
        mut bound: i64,
        effort: SearchEffort,
    ) -> Option<(i64, Deviation)> {
        let sum = &self.demands[demand].sum;
        let mut best = None;
        let mut barred = scope.barred.to_vec();
        barred.extend(self.blocked(demand, scope.person));
        for (cell, by) in sum {
            let turned = if *by > 0 { reach } else { RequiredDeviation { up: reach.down, down: reach.up } };
            let others = sum.iter().map(|(other, _)| *other).filter(|other| other != cell);
            let barred: Vec<u32> = barred.iter().copied().chain(others).collect();
            let request = CircuitRequest {
                cell: *cell,
                reach: turned,
                barred: &barred,
                bound,
                states: effort.states,
                corners: effort.corners,
            };
            let split = self.demands[demand].splits.iter().position(|split| *split == reach);
            let boxes = split.and_then(|split| self.boxes[demand].get(split));
            let lines = self.lines.as_ref();
            let many = lines.is_some_and(|lines| lines.variables(&self.incidence, *cell).len() >= MANY_VARIABLES);
            let surroundings = CellBoxes { boxes, lines, many };
            if let Some((cost, mut cells)) = self.search.cheapest_circuit(&self.incidence, &request, surroundings) {
                cells.iter_mut().for_each(|(_, amount)| *amount *= i64::from(by.signum()));
                let deviation = Deviation { cells, reach };
                if deviation.reach_for(&self.contributors, scope.person) == reach {
                    bound = cost;
                    best = Some((cost, deviation));
                }
            }
        }
        best
    }
}
