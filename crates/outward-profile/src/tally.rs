//! Readings added up over the values of a column.

use crate::reading::{Marks, Reading};

/// The first year that is counted.
const FIRST_YEAR: u16 = 1850;
const YEARS: usize = 301;

/// Sums over values. Adding is commutative and exact, so that order does not matter.
#[derive(Debug, Clone)]
pub(crate) struct Tally {
    values: u64,
    counts: [u64; 64],
    numbers: Option<(f64, f64)>,
    /// Which numbers of digits whole numbers have, as bits.
    digits: u32,
    /// Which postcode areas were seen, as bits; the overseas territories, numbered last, have none.
    areas: u128,
    years: Option<Box<[u64; YEARS]>>,
}

impl Default for Tally {
    fn default() -> Self {
        Self { values: 0, counts: [0; 64], numbers: None, digits: 0, areas: 0, years: None }
    }
}

impl Tally {
    pub(crate) fn add(&mut self, reading: &Reading, times: u64) {
        self.values += times;
        let mut marks = reading.marks.bits();
        while marks != 0 {
            self.counts[marks.trailing_zeros() as usize] += times;
            marks &= marks - 1;
        }
        if let Some(number) = reading.number() {
            self.widen(number, number);
            self.digits |= 1u32.checked_shl(u32::from(reading.digits)).unwrap_or(0);
        }
        if let Some(area) = reading.area() {
            self.areas |= 1u128.checked_shl(u32::from(area)).unwrap_or(0);
        }
        if let Some(place) = reading.year.checked_sub(FIRST_YEAR).map(usize::from).filter(|place| *place < YEARS) {
            self.years.get_or_insert_with(|| Box::new([0; YEARS]))[place] += times;
        }
    }

    pub(crate) fn merge(&mut self, other: &Self) {
        self.values += other.values;
        for (own, other) in self.counts.iter_mut().zip(&other.counts) {
            *own += other;
        }
        if let Some((low, high)) = other.numbers {
            self.widen(low, high);
        }
        self.digits |= other.digits;
        self.areas |= other.areas;
        if let Some(years) = &other.years {
            let own = self.years.get_or_insert_with(|| Box::new([0; YEARS]));
            for (own, other) in own.iter_mut().zip(years.iter()) {
                *own += other;
            }
        }
    }

    fn widen(&mut self, low: f64, high: f64) {
        self.numbers = Some(self.numbers.map_or((low, high), |(a, b)| (a.min(low), b.max(high))));
    }

    /// Values examined.
    pub(crate) fn values(&self) -> u64 {
        self.values
    }

    /// The share of the values that have this mark.
    pub(crate) fn share(&self, mark: Marks) -> f64 {
        if self.values == 0 { 0.0 } else { self.count(mark) as f64 / self.values as f64 }
    }

    /// The values that have this mark.
    pub(crate) fn count(&self, mark: Marks) -> u64 {
        self.counts.get(mark.bits().trailing_zeros() as usize).copied().unwrap_or(0)
    }

    /// The smallest and the largest number.
    pub(crate) fn numbers(&self) -> Option<(f64, f64)> {
        self.numbers
    }

    /// Whether all whole numbers have the same number of digits, and it is at least this.
    pub(crate) fn same_digits(&self, least: u32) -> bool {
        self.digits.count_ones() == 1 && self.digits.trailing_zeros() >= least
    }

    /// How many postcode areas were seen.
    pub(crate) fn areas(&self) -> u32 {
        self.areas.count_ones()
    }

    /// The year below which this share of the dates lies.
    pub(crate) fn year(&self, share: f64) -> Option<u16> {
        let years = self.years.as_ref()?;
        let dates: u64 = years.iter().sum();
        let wanted = (share * dates as f64).ceil().max(1.0) as u64;
        let mut below = 0;
        for (year, count) in (FIRST_YEAR..).zip(years.iter()) {
            below += count;
            if below >= wanted {
                return Some(year);
            }
        }
        None
    }
}
