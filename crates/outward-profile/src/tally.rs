//! Readings added up over the values of a column.

use crate::reading::{Marks, Reading};

/// The first year that is counted.
const FIRST_YEAR: u16 = 1850;
const YEARS: usize = 301;

/// Sums over values. Adding is commutative and exact, so that order does not matter.
#[derive(Debug, Clone)]
pub(crate) struct ReadingTally {
    values: u64,
    counts: [u64; 128],
    numbers: Option<(f64, f64)>,
    /// Which numbers of digits whole numbers have, as bits.
    digits: u32,
    moments: Moments,
    /// Which postcode areas were seen, as bits; the overseas territories, numbered last, have none.
    areas: u128,
    years: Option<Box<[u64; YEARS]>>,
}

impl Default for ReadingTally {
    fn default() -> Self {
        Self {
            values: 0,
            counts: [0; 128],
            numbers: None,
            digits: 0,
            moments: Moments::default(),
            areas: 0,
            years: None,
        }
    }
}

impl ReadingTally {
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
            self.moments.add(number, times);
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
        self.moments.merge(&other.moments);
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

    /// Whether whole numbers are spread evenly between the smallest and the largest, as numbers are that were given
    /// out. The mean of a uniform distribution is its middle, and the standard deviation is 1/√12 of the width. Four
    /// standard errors are allowed.
    pub(crate) fn lies_evenly(&self) -> bool {
        let (Some((low, high)), Some((mean, deviation))) = (self.numbers, self.moments.mean_and_deviation()) else {
            return false;
        };
        let width = high - low;
        let root = (self.moments.count as f64).sqrt();
        width > 0.0
            && ((mean - low) / width - 0.5).abs() <= 0.02 + 1.2 / root
            && (deviation / width - 1.0 / 12f64.sqrt()).abs() <= 0.02 + 0.5 / root
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

/// Sums of whole numbers and of their squares, exact so that order does not matter.
#[derive(Debug, Clone, Copy, Default)]
struct Moments {
    count: u64,
    sum: i128,
    squares: u128,
}

impl Moments {
    /// Whole numbers below this are counted; the squares of 2³⁴ of them fit.
    const LARGEST_COUNTED: f64 = (1u64 << 46) as f64;

    fn add(&mut self, number: f64, times: u64) {
        if number.fract() == 0.0 && number.abs() < Self::LARGEST_COUNTED {
            let whole = number as i128;
            self.count += times;
            self.sum += whole * i128::from(times);
            self.squares = self.squares.saturating_add(whole.unsigned_abs().pow(2).saturating_mul(u128::from(times)));
        }
    }

    fn merge(&mut self, other: &Self) {
        self.count += other.count;
        self.sum += other.sum;
        self.squares = self.squares.saturating_add(other.squares);
    }

    fn mean_and_deviation(&self) -> Option<(f64, f64)> {
        let count = (self.count > 0).then_some(self.count as f64)?;
        let mean = self.sum as f64 / count;
        Some((mean, (self.squares as f64 / count - mean * mean).max(0.0).sqrt()))
    }
}
