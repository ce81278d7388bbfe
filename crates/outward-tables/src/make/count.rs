//! Counts the inner cells of a table from the records.

use std::rc::Rc;

use hashbrown::{HashMap, HashSet};
use outward_spec::{Error, Result, Table as Wanted};
use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::Maker;
use super::amounts::{Amounts, add};
use super::column::VariableColumn;
use crate::inner::{Contribution, Inner, Tally};

/// What records of a unit have in addition to their values: weights, amounts, keys and so on.
struct Load {
    /// Which records are counted; all if absent.
    mask: Option<Rc<Vec<bool>>>,
    weights: Option<Vec<i64>>,
    /// The count of each record, if the data are a table already.
    given: Option<Vec<u64>>,
    amounts: Option<Amounts>,
    contributors: Option<Vec<u128>>,
    costs: Option<Vec<i64>>,
}

/// Inner cells while they are counted, numbered in order of first occurrence.
#[derive(Default)]
struct Counted {
    known: HashMap<u128, u32>,
    tallies: Vec<Tally>,
    contributions: Vec<Contribution>,
}

/// How many records may share a key, on average.
const SHARED: usize = 10;

impl Maker<'_> {
    /// The inner cells over these columns.
    pub(super) fn count(&self, wanted: &Wanted, unit: usize, columns: &[Rc<VariableColumn>]) -> Result<Inner> {
        let sizes: Vec<u128> = columns.iter().map(|column| column.size() as u128).collect();
        if sizes.iter().try_fold(1u128, |product, size| product.checked_mul(*size)).is_none() {
            return Err(Error::input("the table has too many combinations to be counted")
                .help("show fewer variables")
                .into());
        }
        let load = self.load(wanted, unit, columns)?;
        let counted = self.tally(unit, columns, &sizes, &load)?;
        let scale = load.amounts.as_ref().map_or(1, |amounts| amounts.scale);
        let paired = |name: &String| wanted.pairs.as_ref() == Some(name);
        let mut inner = Inner {
            bases: columns
                .iter()
                .zip(&wanted.variables)
                .map(|(column, name)| column.base(name, paired(name)))
                .collect(),
            scale,
            ..Inner::default()
        };
        counted.sort_into(&mut inner, &sizes);
        Ok(inner)
    }

    fn load(&self, wanted: &Wanted, unit: usize, columns: &[Rc<VariableColumn>]) -> Result<Load> {
        let spec = self.spec;
        let mask = self.condition(wanted)?.map(|condition| self.mask(unit, condition)).transpose()?;
        if mask.as_ref().is_some_and(|mask| !mask.contains(&true)) {
            return Err(Error::input("no record meets the condition of this table")
                .field("where")
                .help("see whether `where` names values as the data write them, or leave the table out")
                .into());
        }
        let weight = spec.weight().filter(|_| wanted.weighted);
        let weights = weight.map(|weight| self.weights(unit, &weight.name)).transpose()?;
        let counted = |row: usize| mask.as_ref().is_none_or(|mask| mask[row]);
        let amounts =
            wanted.of.as_ref().map(|name| self.amounts(unit, name, weights.as_deref(), counted)).transpose()?;
        let given = wanted.given.as_ref().map(|name| self.given(unit, name, columns)).transpose()?;
        let contributors = wanted.contributor.as_ref();
        let contributors = contributors.map(|name| self.files.hashes(spec, unit, name)).transpose()?;
        let costs = spec.protection.cost_of.as_ref().map(|name| self.costs(unit, name)).transpose()?;
        Ok(Load { mask, weights, given, amounts, contributors, costs })
    }

    /// Refuses keys that too many records share. These records get the same noise, which would show which cells have
    /// the same count.
    fn refuse_shared(&self, keys: &[u128]) -> Result<()> {
        let Some(name) = &self.spec.protection.key else { return Ok(()) };
        let different = keys.iter().collect::<HashSet<_>>().len();
        match keys.len() > SHARED && different * SHARED < keys.len() {
            false => Ok(()),
            true => Err(Error::input(format!("`key` must distinguish records, and `{name}` does not"))
                .help("name a column that is different for each record, or leave `key` out: the whole record serves as well")
                .into()),
        }
    }

    fn tally(&self, unit: usize, columns: &[Rc<VariableColumn>], sizes: &[u128], load: &Load) -> Result<Counted> {
        let mut counted = Counted::default();
        let codes: Vec<&[u32]> = columns.iter().map(|column| column.codes()).collect();
        let keys = self.files.keys(self.spec, unit);
        keys.map_or(Ok(()), |keys| self.refuse_shared(keys))?;
        for row in 0..self.files.rows(unit) {
            // A given row without a value for some variable is a total, to be compared with the sum of its parts.
            let total = || load.given.is_some() && codes.iter().any(|codes| codes[row] == 0);
            if load.mask.as_ref().is_some_and(|mask| !mask[row]) || total() {
                continue;
            }
            let key = codes.iter().zip(sizes).fold(0, |key, (codes, size)| key * size + u128::from(codes[row]));
            let cell = counted.cell(key);
            let tally = &mut counted.tallies[cell as usize];
            let count = load.given.as_ref().map_or(1, |given| given[row]);
            tally.one += if count == 1 { row as u64 + 1 } else { 0 };
            tally.count += count;
            let weight = load.weights.as_ref().map(|weights| weights[row]);
            tally.weight = add(tally.weight, weight.unwrap_or_default())?;
            if let Some(keys) = keys {
                tally.key = tally.key.wrapping_add(xxh3_64_with_seed(&keys[row].to_le_bytes(), self.spec.seed));
            }
            tally.cost = add(tally.cost, load.costs.as_ref().map_or(0, |costs| costs[row]))?;
            if let Some(amount) = load.amounts.as_ref().and_then(|amounts| amounts.given[row]) {
                tally.known = add(tally.known, weight.unwrap_or(1000))?;
                let contributor = load.contributors.as_ref().map_or(row as u64, |of| of[row] as u64);
                counted.contributions.push(Contribution { cell, contributor, amount });
            }
        }
        Ok(counted)
    }
}

impl Counted {
    fn cell(&mut self, key: u128) -> u32 {
        *self.known.entry(key).or_insert_with(|| {
            self.tallies.push(Tally::default());
            self.tallies.len() as u32 - 1
        })
    }

    /// Puts the inner cells in the order of their codes.
    fn sort_into(self, inner: &mut Inner, sizes: &[u128]) {
        let mut order: Vec<(u128, u32)> = self.known.into_iter().collect();
        order.sort_unstable();
        let mut place = vec![0u32; order.len()];
        for (at, (mut key, old)) in order.into_iter().enumerate() {
            place[old as usize] = at as u32;
            inner.tallies.push(self.tallies[old as usize]);
            let start = inner.codes.len();
            for size in sizes.iter().rev() {
                inner.codes.push((key % size) as u32);
                key /= size;
            }
            inner.codes[start..].reverse();
        }
        let moved = |given: Contribution| Contribution { cell: place[given.cell as usize], ..given };
        inner.contributions = self.contributions.into_iter().map(moved).collect();
        inner.contributions.sort_unstable_by_key(|given| (given.cell, given.contributor, given.amount));
    }
}
