//! Who is risky: units with a member whose combination of keys is rare in the region.

use super::SwapRequest;
use super::groups::RecordGroups;
use super::units::{Regions, Units};

/// What the counts say of each unit.
pub(super) struct UnitRisk {
    /// The coarsest level whose region the unit must leave; the number of levels where it may stay.
    pub(super) leave: Vec<u32>,
    /// The fewest records that share a member's combination: in the region to be left, or else in that of the lowest level.
    pub(super) fewest: Vec<u64>,
    levels: usize,
}

impl UnitRisk {
    pub(super) fn measure(request: &SwapRequest<'_>, units: &Units, regions: &Regions) -> Self {
        let levels = regions.levels();
        let cells = RegionCells::count(request.risk, regions);
        // Marked records leave their region of the coarsest level that has several.
        let far = (0..levels).find(|level| regions.count(*level) > 1).unwrap_or(levels);
        let mut risk = Self { leave: Vec::new(), fewest: Vec::new(), levels };
        for unit in 0..units.len() as u32 {
            let members = units.members(unit);
            let rare = |level: &usize| request.k[*level] > 0 && cells.fewest(*level, members) < request.k[*level];
            let mut leave = if regions.knows(unit) { (0..levels).find(rare).unwrap_or(levels) } else { levels };
            if let Some(marked) = request.marked
                && regions.knows(unit)
                && members.iter().any(|row| marked[*row as usize])
            {
                leave = leave.min(far);
            }
            risk.leave.push(leave as u32);
            risk.fewest.push(cells.fewest(leave.min(levels - 1), members));
        }
        risk
    }

    /// Whether a unit must be swapped.
    pub(super) fn is_risky(&self, unit: u32) -> bool {
        self.leave[unit as usize] < self.levels as u32
    }
}

/// Combinations of the risk keys within the regions of the lowest level, with their counts at every level.
struct RegionCells {
    of_rows: Vec<u32>,
    counts: Vec<Vec<u64>>,
}

impl RegionCells {
    fn count(keys: &[&[u32]], regions: &Regions) -> Self {
        let lowest = &regions.of_rows.of;
        let combinations = RecordGroups::of_columns(keys, lowest.len());
        let cells = RecordGroups::of_columns(&[lowest, &combinations.of], lowest.len());
        let (mut region, mut combination) = (vec![0; cells.count], vec![0; cells.count]);
        for (row, cell) in cells.of.iter().enumerate() {
            region[*cell as usize] = lowest[row];
            combination[*cell as usize] = combinations.of[row];
        }
        let sizes = cells.sizes();
        // Coarser counts come from the cells and never from the records again.
        let at_level = |level: usize| {
            let above: Vec<u32> = region.iter().map(|lowest| regions.above(level, *lowest)).collect();
            let merged = RecordGroups::of_columns(&[&above, &combination], cells.count);
            let mut sums = vec![0; merged.count];
            merged.of.iter().zip(&sizes).for_each(|(group, size)| sums[*group as usize] += size);
            merged.of.iter().map(|group| sums[*group as usize]).collect()
        };
        Self { counts: (0..regions.levels()).map(at_level).collect(), of_rows: cells.of }
    }

    /// The smallest count of a member's combination at a level.
    fn fewest(&self, level: usize, members: &[u32]) -> u64 {
        let counts = &self.counts[level];
        members.iter().map(|row| counts[self.of_rows[*row as usize] as usize]).min().unwrap_or(0)
    }
}
