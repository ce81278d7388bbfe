//! What is swapped: households, or persons where there are none; and the regions they live in.

use outward_spec::{Error, Result};

use super::groups::RecordGroups;

/// Households with their members, in the order in which they first occur.
pub(super) struct Units {
    start: Vec<u32>,
    members: Vec<u32>,
    are_records: bool,
}

impl Units {
    pub(super) fn new(rows: usize, household: Option<&[u32]>) -> Result<Self> {
        let Some(codes) = household else {
            let (start, members) = ((0..=rows as u32).collect(), (0..rows as u32).collect());
            return Ok(Self { start, members, are_records: true });
        };
        if let Some(row) = codes.iter().position(|code| *code == 0) {
            return Err(Error::input("this record has no household, so that it cannot be kept together with anyone")
                .row(row as u64 + 1)
                .help("give every record a household of its own or of others, or swap persons instead")
                .into());
        }
        let groups = RecordGroups::of_columns(&[codes], rows);
        let (start, members) = sort_into(&groups, 0..rows as u32);
        Ok(Self { start, members, are_records: false })
    }

    pub(super) fn len(&self) -> usize {
        self.start.len() - 1
    }

    pub(super) fn records(&self) -> usize {
        self.members.len()
    }

    /// The records of a unit, in the order of the file.
    pub(super) fn members(&self, unit: u32) -> &[u32] {
        &self.members[self.start[unit as usize] as usize..self.start[unit as usize + 1] as usize]
    }

    /// Whether every unit is one record, with the number of the record.
    pub(super) fn are_records(&self) -> bool {
        self.are_records
    }
}

/// Puts `items` group by group without changing their order within a group: where each group starts, and the items.
pub(super) fn sort_into(groups: &RecordGroups, items: impl Iterator<Item = u32> + Clone) -> (Vec<u32>, Vec<u32>) {
    let mut start = vec![0u32; groups.count + 1];
    items.clone().for_each(|item| start[groups.of[item as usize] as usize + 1] += 1);
    for group in 0..groups.count {
        start[group + 1] += start[group];
    }
    let mut next = start.clone();
    let mut sorted = vec![0; start[groups.count] as usize];
    for item in items {
        let place = &mut next[groups.of[item as usize] as usize];
        sorted[*place as usize] = item;
        *place += 1;
    }
    (start, sorted)
}

/// Where units live, at each level. A region of a level lies in one region of each coarser level: a code that occurs in
/// two coarser regions is two regions.
pub(super) struct Regions {
    /// The region of each record at the lowest level.
    pub(super) of_rows: RecordGroups,
    /// The region of each unit at the lowest level.
    of_units: Vec<u32>,
    /// For each level, from a region of the lowest level to the one it lies in.
    above: Vec<Vec<u32>>,
    /// Whether a region of the lowest level is known at all levels.
    known: Vec<bool>,
}

impl Regions {
    pub(super) fn new(geography: &[&[u32]], units: &Units) -> Result<Self> {
        let rows = geography.first().map_or(0, |codes| codes.len());
        let mut levels: Vec<RecordGroups> = Vec::new();
        for codes in geography {
            levels.push(match levels.last() {
                Some(coarser) => RecordGroups::of_columns(&[&coarser.of, codes], rows),
                None => RecordGroups::of_columns(&[codes], rows),
            });
        }
        let of_rows = levels.pop().ok_or_else(|| Error::bug("a swap without geography"))?;
        let mut known = vec![true; of_rows.count];
        for codes in geography {
            of_rows.of.iter().zip(*codes).for_each(|(region, code)| known[*region as usize] &= *code != 0);
        }
        let lift = |level: &RecordGroups| {
            let mut above = vec![0; of_rows.count];
            of_rows.of.iter().zip(&level.of).for_each(|(low, high)| above[*low as usize] = *high);
            above
        };
        let mut above: Vec<Vec<u32>> = levels.iter().map(lift).collect();
        above.push((0..of_rows.count as u32).collect());
        let of_units = place_whole_units(&of_rows, units)?;
        Ok(Self { of_rows, of_units, above, known })
    }

    pub(super) fn levels(&self) -> usize {
        self.above.len()
    }

    /// How many regions of the lowest level there are, known or not.
    pub(super) fn lowest_count(&self) -> usize {
        self.known.len()
    }

    /// How many known regions a level has.
    pub(super) fn count(&self, level: usize) -> usize {
        let above = self.above[level].iter().zip(&self.known);
        let mut regions: Vec<u32> = above.filter(|(_, known)| **known).map(|(region, _)| *region).collect();
        regions.sort_unstable();
        regions.dedup();
        regions.len()
    }

    /// Whether it is known where the unit lives.
    pub(super) fn knows(&self, unit: u32) -> bool {
        self.known[self.lowest(unit) as usize]
    }

    /// The region of a unit at the lowest level.
    pub(super) fn lowest(&self, unit: u32) -> u32 {
        self.of_units[unit as usize]
    }

    /// The region of `level` in which a region of the lowest level lies.
    pub(super) fn above(&self, level: usize, lowest: u32) -> u32 {
        self.above[level][lowest as usize]
    }

    /// Whether two units live in different regions of a level.
    pub(super) fn differ(&self, level: usize, a: u32, b: u32) -> bool {
        self.above(level, self.lowest(a)) != self.above(level, self.lowest(b))
    }
}

/// The region of each unit; all its members must live there.
fn place_whole_units(of_rows: &RecordGroups, units: &Units) -> Result<Vec<u32>> {
    if units.are_records() {
        return Ok(of_rows.of.clone());
    }
    let region = |unit: u32| {
        let members = units.members(unit);
        let region = of_rows.of[members[0] as usize];
        match members.iter().find(|row| of_rows.of[**row as usize] != region) {
            None => Ok(region),
            Some(row) => Err(Error::input("this record is in another region than the first of its household")
                .row(u64::from(*row) + 1)
                .help("a household moves as a whole: give its members one region, or a household each")
                .into()),
        }
    };
    (0..units.len() as u32).map(region).collect()
}
