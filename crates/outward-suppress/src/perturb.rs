//! Cell keys: small noise that is the same for the same cell wherever it is published.
//!
//! Every record has a fixed random key. The key of a cell is the sum of the keys of its records. So the same records
//! make the same key in every table, in any order. A p-table turns count and key into the published count (Fraser and
//! Wooton 2005; Thompson, Broadfoot and Elazar 2013).

mod entropy;
mod file;
mod noise;

use entropy::Shape;
use outward_spec::{Error, Result};
use xxhash_rust::xxh3::xxh3_64_with_seed;

pub use noise::Flex;

/// The key of a record, uniform over 64 bits, from what identifies it and a secret seed that is kept for good.
pub fn record_key(record: &[u8], seed: u64) -> u64 {
    xxh3_64_with_seed(record, seed)
}

/// The key of a cell: the sum of its records' keys, modulo 2⁶⁴.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct CellKey(pub u64);

impl CellKey {
    /// Adds the key of a record, or of a part of the cell.
    pub fn add(&mut self, key: u64) {
        self.0 = self.0.wrapping_add(key);
    }

    /// The key as a number in `[0, 1)`, uniform if the keys of the records are.
    pub fn fraction(self) -> f64 {
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Another number in `[0, 1)`, from the rotated key. There is one for each of the largest contributors to a sum.
    pub fn turned(self, times: u32) -> f64 {
        Self(self.0.rotate_left(times.wrapping_mul(11))).fraction()
    }
}

impl FromIterator<u64> for CellKey {
    fn from_iter<T: IntoIterator<Item = u64>>(keys: T) -> Self {
        let mut key = Self::default();
        keys.into_iter().for_each(|record| key.add(record));
        key
    }
}

/// What the noise of a p-table must satisfy.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Noise {
    /// The largest deviation from the true count, `D`.
    pub deviation: u32,
    /// The variance, `V`.
    pub variance: f64,
    /// Counts from 1 to this never appear; 0 if all may.
    pub small: u32,
    /// Whether, below the true count, a nearer count is never less likely than a farther one.
    pub monotone: bool,
    /// The least chance that a count stays as it is.
    pub stay: Option<f64>,
}

impl Noise {
    /// Noise of this deviation and variance, without further conditions.
    pub fn new(deviation: u32, variance: f64) -> Self {
        Self { deviation, variance, small: 0, monotone: false, stay: None }
    }
}

/// The chances with which a count becomes another.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// The true count; the last row of a table stands for all larger ones too.
    pub count: u32,
    /// What is added, in rising order, with its chance.
    pub chances: Vec<(i32, f64)>,
    /// The chance of adding no more than this, value by value; the last is 1.
    sums: Vec<f64>,
}

impl Row {
    fn new(count: u32, chances: Vec<(i32, f64)>) -> Self {
        let mut sum = 0.0;
        let mut sums: Vec<f64> = chances
            .iter()
            .map(|(_, chance)| {
                sum += chance;
                sum
            })
            .collect();
        if let Some(last) = sums.last_mut() {
            *last = 1.0;
        }
        Self { count, chances, sums }
    }

    /// The expected noise.
    pub fn mean(&self) -> f64 {
        self.chances.iter().map(|(by, chance)| f64::from(*by) * chance).sum()
    }

    /// The variance of the noise.
    pub fn variance(&self) -> f64 {
        let squares: f64 = self.chances.iter().map(|(by, chance)| f64::from(by * by) * chance).sum();
        squares - self.mean().powi(2)
    }

    /// The chance that the count stays as it is.
    pub fn stay(&self) -> f64 {
        self.chances.iter().find(|(by, _)| *by == 0).map_or(0.0, |(_, chance)| *chance)
    }

    /// The first noise whose cumulative chance exceeds the key.
    fn draw(&self, key: f64) -> i64 {
        let at = self.sums.partition_point(|sum| *sum <= key);
        self.chances.get(at).or(self.chances.last()).map_or(0, |(by, _)| i64::from(*by))
    }
}

/// A p-table: for each small count, and once for all others, the chances of what is added.
#[derive(Debug, Clone, PartialEq)]
pub struct PTable {
    /// Rows for counts 1, 2, …; zeros stay zero.
    rows: Vec<Row>,
}

impl PTable {
    /// The p-table with the largest entropy for this noise: it adds no condition beyond those of `noise`.
    ///
    /// # Errors
    /// Where a row cannot have the variance or the chance to stay; the error says what it can have.
    pub fn generate(noise: &Noise) -> Result<Self> {
        if noise.deviation == 0 || !noise.variance.is_finite() || noise.variance <= 0.0 {
            return Err(Error::input("noise must be at least 1 and its variance above 0")
                .help("give `noise` and `variance` under `[protection]`")
                .into());
        }
        let last = noise.deviation + if noise.small > 0 { noise.small + 1 } else { 0 };
        let rows = (1..=last).map(|count| Ok(Row::new(count, Shape::new(noise, count).chances(noise, count)?)));
        Ok(Self { rows: rows.collect::<Result<_>>()? })
    }

    /// The rows, for counts 1, 2, …
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// The published count. Zeros stay zero and nothing becomes negative.
    pub fn apply(&self, count: u64, key: f64) -> u64 {
        let at = usize::try_from(count).unwrap_or(usize::MAX).min(self.rows.len());
        match at.checked_sub(1) {
            None => 0,
            Some(at) => count.saturating_add_signed(self.rows[at].draw(key)),
        }
    }

    /// The published weighted count: the published count times the mean weight.
    pub fn apply_weighted(&self, count: u64, weight: f64, key: f64) -> f64 {
        if count == 0 { 0.0 } else { self.apply(count, key) as f64 * (weight / count as f64) }
    }
}
