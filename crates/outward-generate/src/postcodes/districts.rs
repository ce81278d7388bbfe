//! Districts of a generated file: their codes, their places and how many postcodes each has.
//!
//! The table depends on the seed and the number of rows only. So every block can work out by itself which districts its
//! rows fall into.

use super::areas::{AREAS, Area, Settlement};
use crate::Dataset;
use crate::draw::Draw;

/// Units that the inward codes of a district can tell apart: a digit and two letters of twenty.
pub(crate) const UNITS: u32 = 10 * 20 * 20;
/// The largest district before a file is stretched: some 155,000 residents.
const LARGEST: i64 = 3_600;
/// The stream of the table, past any block's.
const TABLE_STREAM: u64 = u64::MAX;

/// A postcode district.
#[derive(Clone, Debug)]
pub(crate) struct District {
    pub(crate) outward: String,
    pub(crate) nation: usize,
    /// Its centre on the national grid, in metres.
    pub(crate) centre: (i64, i64),
    /// Standard deviation of its postcodes' distance from the centre, east and north, in metres.
    pub(crate) spread: i64,
    /// Its postcodes.
    pub(crate) size: u32,
    /// The first of the file's rows that is its own.
    pub(crate) first: u64,
    step: u32,
    shift: u32,
}

impl District {
    /// The inward code, as a number below [`UNITS`], of one of its postcodes. The step has no factor in common with
    /// [`UNITS`], so that i → step · i + shift (mod [`UNITS`]) gives no code twice.
    pub(crate) fn inward(&self, postcode: u32) -> u32 {
        (self.step * postcode + self.shift) % UNITS
    }
}

/// The outward codes of an area.
pub(crate) fn outward_codes(area: &Area) -> impl Iterator<Item = String> {
    let numbered = area.numbered.iter().flat_map(|&(first, last)| first..=last);
    let lettered = area.lettered.iter().map(|district| format!("{}{district}", area.letters));
    numbered.map(|number| format!("{}{number}", area.letters)).chain(lettered)
}

/// Every district, in the order in which a file of so many rows fills them.
pub(crate) fn districts(seed: u64, rows: u64) -> Vec<District> {
    let mut draw = Draw::new(Dataset::Postcodes as u8, seed, TABLE_STREAM);
    let mut table = Vec::new();
    for area in &AREAS {
        add_area(&mut draw, area, &mut table);
    }
    stretch(&mut table, rows);
    let mut first = 0;
    for district in &mut table {
        district.first = first;
        first += u64::from(district.size);
    }
    table
}

fn add_area(draw: &mut Draw, area: &Area, table: &mut Vec<District>) {
    let numbered: u32 = area.numbered.iter().map(|&(first, last)| u32::from(last - first) + 1).sum();
    let lone = draw.below(numbered);
    for (index, outward) in (0u32..).zip(outward_codes(area)) {
        let size = if index >= numbered { few(draw, 45.0, 400) } else { size(draw, area.settlement, index == lone) };
        let coordinate = |draw: &mut Draw, km: i64| (km * 1_000 + area.spread * draw.bell()).max(2_000);
        let centre = (coordinate(draw, area.centre.0), coordinate(draw, area.centre.1));
        let step = loop {
            // 4,000 = 2^5 · 5^3. Large steps only: neighbours in the file should not be neighbours in the code.
            let step = 2 * draw.below(UNITS / 4) + UNITS / 4 + 1;
            if !step.is_multiple_of(5) {
                break step;
            }
        };
        let shift = draw.below(UNITS);
        let (nation, spread) = (area.nation, area.spread * 250);
        table.push(District { outward, nation, centre, spread, size, first: 0, step, shift });
    }
}

/// Postcodes of a numbered district. Sizes follow two log-normal laws: villages and town centres with few residents,
/// and the rest. At 43 residents to a postcode they give the figures of Collins's paper: 24,000 residents on average,
/// a good two districts in five below 20,000, the largest about 150,000.
fn size(draw: &mut Draw, settlement: Settlement, lone: bool) -> u32 {
    let usual = ((580.0 * draw.skewed(520)) as i64).clamp(20, LARGEST);
    match settlement {
        Settlement::Mixed if draw.chance(150) => few(draw, 62.0, 450),
        Settlement::Mixed => usual as u32,
        Settlement::Remote => few(draw, 62.0, 450),
        // 430 postcodes lie safely below 20,000 residents, 520 safely above.
        Settlement::OneSmall if lone => draw.between(120, 430) as u32,
        Settlement::OneSmall => usual.max(520 + draw.between(0, 200)) as u32,
    }
}

fn few(draw: &mut Draw, median: f64, most: i64) -> u32 {
    ((median * draw.skewed(900)) as i64).clamp(3, most) as u32
}

/// Enlarges all districts by a common factor until they hold as many postcodes as asked for. It stops earlier if every
/// district has as many as inward codes allow.
fn stretch(table: &mut [District], rows: u64) {
    const ONE: u64 = 1_000;
    let stretched = |size: u32, factor: u64| (u64::from(size) * factor).div_ceil(ONE).min(u64::from(UNITS)) as u32;
    let held = |factor: u64| table.iter().map(|d| u64::from(stretched(d.size, factor))).sum::<u64>();
    let (mut low, mut high) = (ONE, ONE * u64::from(UNITS));
    while low < high {
        let middle = (low + high) / 2;
        if held(middle) >= rows {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    for district in table {
        district.size = stretched(district.size, low);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const THRESHOLD: u64 = 20_000;

    fn residents(district: &District) -> u64 {
        43 * u64::from(district.size)
    }

    /// Residents of the area's districts below the threshold, together.
    fn pool(table: &[District], letters: &str) -> u64 {
        let of_area = |d: &&District| d.outward.split(|c: char| c.is_ascii_digit()).next() == Some(letters);
        table.iter().filter(of_area).map(residents).filter(|&n| n < THRESHOLD).sum()
    }

    #[test]
    fn districts_of_a_whole_country_have_the_sizes_of_the_paper() {
        for seed in 1..=5 {
            let mut table = districts(seed, 1_300_000);
            table.retain(|district| district.first < 1_300_000);
            let people: u64 = table.iter().map(residents).sum();
            let mean = people / table.len() as u64;
            let small: Vec<u64> = table.iter().map(residents).filter(|&n| n < THRESHOLD).collect();
            let share = small.len() * 100 / table.len();
            let largest = table.iter().map(residents).max().unwrap_or(0);
            let in_small = small.iter().sum::<u64>() * 100 / people;
            let left = AREAS.iter().filter(|area| (1..THRESHOLD).contains(&pool(&table, area.letters))).count();
            println!(
                "{} districts, mean {mean}, {} small ({share} %) with {} people ({in_small} %), largest {largest}, \
                 {left} pools below the threshold",
                table.len(),
                small.len(),
                small.iter().sum::<u64>(),
            );
            assert!((22_500..25_500).contains(&mean), "{mean}");
            assert!((40..=50).contains(&share), "{share}");
            assert!((15..=25).contains(&in_small), "{in_small}");
            assert!((110_000..160_000).contains(&largest), "{largest}");
            assert!((10..30).contains(&left), "{left}");
        }
    }

    #[test]
    fn a_file_of_fifty_thousand_has_pools_above_and_below_the_threshold() {
        for seed in 1..=20 {
            let mut table = districts(seed, 50_000);
            table.retain(|district| district.first + u64::from(district.size) <= 50_000);
            assert!((70..115).contains(&table.len()), "{}", table.len());
            assert!((1..THRESHOLD).contains(&pool(&table, "HG")));
            assert!(pool(&table, "LS") >= THRESHOLD);
            assert!(table.iter().any(|district| residents(district) >= THRESHOLD));
        }
    }

    #[test]
    fn pooling_gains_nothing_in_the_areas_of_the_papers_table() {
        let table = districts(1, 0);
        for letters in ["SR", "CR", "UB", "PR", "EN", "SL", "HG", "SM", "DH", "WN"] {
            assert!((1..THRESHOLD).contains(&pool(&table, letters)), "{letters}");
        }
    }

    #[test]
    fn inward_codes_of_a_district_never_repeat() {
        for district in districts(3, 0) {
            let mut seen = vec![false; UNITS as usize];
            for postcode in 0..UNITS {
                let inward = district.inward(postcode) as usize;
                assert!(!seen[inward], "{}", district.outward);
                seen[inward] = true;
            }
        }
    }

    #[test]
    fn a_larger_file_stretches_every_district_until_the_inward_codes_run_out() {
        let base = districts(1, 0);
        let held = |table: &[District]| table.iter().map(|d| u64::from(d.size)).sum::<u64>();
        let twice = districts(1, 2 * held(&base));
        assert!((2 * held(&base)..2 * held(&base) + 20_000).contains(&held(&twice)));
        assert!(base.iter().zip(&twice).all(|(one, two)| one.size < two.size));
        let full = districts(1, u64::MAX);
        assert!(full.iter().all(|district| district.size == UNITS));
    }
}
