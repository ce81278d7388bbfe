//! At which level of each comparison a pair of records is, and the pattern that these levels make.
//!
//! The level of two values is remembered, and that of a value with itself is computed beforehand, so most pairs cost a look-up for each
//! comparison. A pattern is one whole number in mixed radix.

use outward_error::{Error, Result};

use super::condition::{Compiler, Condition, Memory, PairCodes, Rows, TwoCodes, scattered};
use super::model::Model;
use super::records::Joint;
use super::sql::Expression;

/// The comparisons of a model, ready for the codes of the records.
#[derive(Debug)]
pub(crate) struct Comparer<'a> {
    joint: &'a Joint,
    comparisons: Vec<Ready>,
    slots: usize,
}

#[derive(Debug)]
struct Ready {
    levels: Vec<Condition>,
    /// The one column it compares, where it is one.
    column: Option<usize>,
    /// The level of each value of that column with itself.
    itself: Vec<u8>,
}

/// What one thread remembers.
#[derive(Debug)]
pub(crate) struct Remembered {
    memory: Memory,
    /// For each comparison of one column: two codes of 28 bits and a level more than 0.
    levels: Vec<Vec<u64>>,
}

const PLACES: usize = 1 << 17;
const CODE_BITS: u32 = 28;

impl<'a> Comparer<'a> {
    pub(crate) fn new(model: &Model, joint: &'a Joint) -> Result<Self> {
        let mut compiler = Compiler::new(joint);
        let mut comparisons = Vec::with_capacity(model.comparisons.len());
        let mut patterns = 1u64;
        for comparison in &model.comparisons {
            let conditions = comparison.conditions()?;
            let columns: std::collections::BTreeSet<String> =
                conditions.iter().flat_map(Expression::columns).map(|(_, name)| name).collect();
            let mut levels = Vec::with_capacity(conditions.len());
            for (condition, level) in conditions.iter().zip(&comparison.levels) {
                levels.push(compiler.condition(condition).map_err(|fault| comparison.fault(level, &fault.0))?);
            }
            let column = match columns.first() {
                Some(name) if columns.len() == 1 => Some(joint.position(name)?),
                _ => None,
            };
            patterns = u8::try_from(levels.len())
                .ok()
                .and_then(|count| patterns.checked_mul(u64::from(count)))
                .ok_or_else(|| {
                    Error::input("the model has more levels than patterns can be counted for")
                        .help("leave out a comparison, or levels")
                })?;
            comparisons.push(Ready { levels, column, itself: Vec::new() });
        }
        let mut comparer = Self { joint, comparisons, slots: compiler.slots() };
        comparer.compute_levels_of_equals();
        Ok(comparer)
    }

    fn compute_levels_of_equals(&mut self) {
        let mut memory = Memory::new(self.slots);
        for ready in &mut self.comparisons {
            let Some(column) = ready.column else { continue };
            let codes = 0..=self.joint.columns[column].dictionary.len() as u32;
            ready.itself = codes.map(|code| first_true(&ready.levels, &TwoCodes(code, code), &mut memory)).collect();
        }
    }

    /// An empty memory for a thread.
    pub(crate) fn remember(&self) -> Remembered {
        let places = |ready: &Ready| if ready.column.is_some() { vec![0; PLACES] } else { Vec::new() };
        Remembered { memory: Memory::new(self.slots), levels: self.comparisons.iter().map(places).collect() }
    }

    /// The level of a pair in one comparison.
    pub(crate) fn level(&self, comparison: usize, left: usize, right: usize, remembered: &mut Remembered) -> u8 {
        let ready = &self.comparisons[comparison];
        let Some(column) = ready.column else {
            return first_true(&ready.levels, &Rows { joint: self.joint, left, right }, &mut remembered.memory);
        };
        let codes = &self.joint.columns[column].codes;
        let (a, b) = (codes[left], codes[right]);
        if a == b {
            return ready.itself[a as usize];
        }
        if (a | b) >> CODE_BITS != 0 {
            return first_true(&ready.levels, &TwoCodes(a, b), &mut remembered.memory);
        }
        let key = u64::from(a) << CODE_BITS | u64::from(b);
        let place = &mut remembered.levels[comparison][scattered(key) as usize % PLACES];
        if *place >> 8 != key || *place == 0 {
            let level = first_true(&ready.levels, &TwoCodes(a, b), &mut remembered.memory);
            *place = key << 8 | (u64::from(level) + 1);
        }
        (*place & 0xff) as u8 - 1
    }

    /// The levels of a pair in all comparisons.
    pub(crate) fn levels(&self, left: usize, right: usize, remembered: &mut Remembered, levels: &mut [u8]) {
        for (comparison, level) in levels.iter_mut().enumerate() {
            *level = self.level(comparison, left, right, remembered);
        }
    }

    /// The number of comparisons.
    pub(crate) fn len(&self) -> usize {
        self.comparisons.len()
    }

    /// The pattern of some levels.
    pub(crate) fn pattern(&self, levels: &[u8]) -> u64 {
        let parts = self.comparisons.iter().zip(levels);
        parts.fold(0, |pattern, (ready, level)| pattern * ready.levels.len() as u64 + u64::from(*level))
    }

    /// The levels of a pattern.
    pub(crate) fn levels_of(&self, mut pattern: u64) -> Vec<u8> {
        let mut levels: Vec<u8> = self
            .comparisons
            .iter()
            .rev()
            .map(|ready| {
                let radix = ready.levels.len() as u64;
                let level = (pattern % radix) as u8;
                pattern /= radix;
                level
            })
            .collect();
        levels.reverse();
        levels
    }
}

/// The first level whose condition is true; the last is always.
fn first_true(levels: &[Condition], codes: &impl PairCodes, memory: &mut Memory) -> u8 {
    let found = levels.iter().position(|level| level.truth(codes, memory) == Some(true));
    found.unwrap_or(levels.len() - 1) as u8
}
