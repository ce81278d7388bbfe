//! `Cells`: the distinct combinations of the keys, sorted, with count, first row and weight sum.

use std::sync::Arc;

use outward_error::{Error, Result};

use crate::dictionary::{Dictionary, MISSING};
use crate::layout::{Layout, Packed};
use crate::tally::{CountedKey, Tally};
use crate::weight::WeightSum;

/// A key variable and its values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyColumn {
    /// The variable's name.
    pub name: String,
    /// Its values and their codes.
    pub dictionary: Arc<Dictionary>,
}

impl KeyColumn {
    /// A key with these values.
    pub fn new(name: impl Into<String>, dictionary: Dictionary) -> Self {
        Self { name: name.into(), dictionary: Arc::new(dictionary) }
    }
}

/// What each code of a key becomes: the new values and, for every old code (missing included), the new code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recoding {
    dictionary: Arc<Dictionary>,
    codes: Vec<u32>,
}

impl Recoding {
    /// Recodes every value of `from` by `recode`; `None` makes the value missing. Missing stays missing.
    pub fn new<T: AsRef<str>>(from: &Dictionary, recode: impl Fn(&str) -> Option<T>) -> Self {
        let labels: Vec<Option<Box<str>>> =
            from.values().map(|value| recode(value).map(|label| Box::from(label.as_ref()))).collect();
        let numeric = from.is_numeric() && labels.iter().flatten().all(|label| label.parse::<i128>().is_ok());
        let dictionary = Dictionary::new(labels.iter().flatten().cloned().collect(), numeric);
        let code = |label: &Option<Box<str>>| label.as_ref().and_then(|label| dictionary.code(label)).unwrap_or(0);
        let codes = std::iter::once(0).chain(labels.iter().map(code)).collect();
        Self { dictionary: Arc::new(dictionary), codes }
    }
}

/// The distinct combinations of the keys, sorted by the keys in their order.
#[derive(Debug, Clone, PartialEq)]
pub struct Cells {
    keys: Vec<KeyColumn>,
    layout: Layout,
    packed: PackedKeys,
    counts: Vec<u64>,
    first_rows: Vec<u64>,
    weights: Option<Vec<WeightSum>>,
    records: u64,
}

/// The packed keys of all cells, in 64 bits where they fit.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum PackedKeys {
    Narrow(Vec<u64>),
    Wide(Vec<u128>),
}

/// Runs the same expression on packed keys of either width.
macro_rules! on_packed {
    ($packed:expr, $keys:ident => $body:expr) => {
        match $packed {
            $crate::cells::PackedKeys::Narrow($keys) => $body,
            $crate::cells::PackedKeys::Wide($keys) => $body,
        }
    };
}
pub(crate) use on_packed;

/// Entries of either width, not yet sorted.
pub(crate) enum Entries {
    Narrow(Unsorted<u64>),
    Wide(Unsorted<u128>),
}

/// Entries in any order, each key once, and beside them their weights where records have them.
pub(crate) struct Unsorted<P> {
    entries: Vec<CountedKey<P>>,
    weights: Option<Vec<WeightSum>>,
}

impl<P: Packed> Unsorted<P> {
    /// Empties a tally.
    fn from_tally<Q: Packed>(mut tally: Tally<Q>, repack: impl Fn(Q) -> P) -> Self {
        let mut entries = Vec::with_capacity(tally.len());
        let mut weights = tally.is_weighted().then(|| Vec::with_capacity(tally.len()));
        tally.drain(|CountedKey { key, count, first_row }, weight| {
            entries.push(CountedKey { key: repack(key), count, first_row });
            if let Some(weights) = &mut weights {
                weights.push(weight);
            }
        });
        Self { entries, weights }
    }

    fn sort(self, bits: u32) -> Split<P> {
        let Self { mut entries, weights } = self;
        let weights = match weights {
            None => {
                P::sort(&mut entries, bits, |entry| entry.key);
                None
            }
            Some(weights) => {
                let mut both: Vec<_> = entries.into_iter().zip(weights).collect();
                P::sort(&mut both, bits, |(entry, _)| entry.key);
                let (sorted, weights) = both.into_iter().unzip();
                entries = sorted;
                Some(weights)
            }
        };
        Split {
            packed: entries.iter().map(|entry| entry.key).collect(),
            counts: entries.iter().map(|entry| entry.count).collect(),
            first_rows: entries.iter().map(|entry| entry.first_row).collect(),
            weights,
        }
    }
}

impl Entries {
    /// Empties a tally into the layout `to`, codes changed by `map`.
    pub(crate) fn collect<P: Packed>(
        tally: Tally<P>,
        from: &Layout,
        to: &Layout,
        map: impl Fn(usize, u32) -> u32,
    ) -> Self {
        if to.bits() <= u64::BITS {
            Self::Narrow(Unsorted::from_tally(tally, |key| from.repack(key, to, &map)))
        } else {
            Self::Wide(Unsorted::from_tally(tally, |key| from.repack(key, to, &map)))
        }
    }
}

impl Cells {
    /// The names of the keys and their values, in the order of sorting.
    pub fn keys(&self) -> &[KeyColumn] {
        &self.keys
    }

    /// The position of a key by name.
    pub fn key(&self, name: &str) -> Option<usize> {
        self.keys.iter().position(|key| key.name == name)
    }

    /// The number of cells: distinct combinations that occur.
    pub fn len(&self) -> usize {
        self.counts.len()
    }

    /// Whether there were no records.
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    /// How many records were counted.
    pub fn records(&self) -> u64 {
        self.records
    }

    /// Records in each cell.
    pub fn counts(&self) -> &[u64] {
        &self.counts
    }

    /// The smallest row number (from 1) in each cell. For a cell with one record this is the row of that record.
    pub fn first_rows(&self) -> &[u64] {
        &self.first_rows
    }

    /// Whether records had weights.
    pub fn is_weighted(&self) -> bool {
        self.weights.is_some()
    }

    /// The weight sum of a cell, or its count if records have no weights.
    pub fn weight(&self, cell: usize) -> f64 {
        match &self.weights {
            Some(weights) => weights[cell].value(),
            None => self.counts[cell] as f64,
        }
    }

    /// The weight sum of all records, or their number if they have no weights.
    pub fn total_weight(&self) -> f64 {
        let Some(weights) = &self.weights else { return self.records as f64 };
        let mut total = WeightSum::default();
        weights.iter().for_each(|weight| total.add(*weight));
        total.value()
    }

    /// The code of one key in one cell.
    pub fn code(&self, cell: usize, key: usize) -> u32 {
        on_packed!(&self.packed, keys => self.layout.code(keys[cell], key))
    }

    /// The value of one key in one cell; `None` if it is missing.
    pub fn value(&self, cell: usize, key: usize) -> Option<&str> {
        self.keys[key].dictionary.value(self.code(cell, key))
    }

    /// For each cell, how many records of `other` have the same values on the same keys, found by name; 0 if none
    /// has. Errors where `other` lacks a key.
    pub fn counts_in(&self, other: &Self) -> Result<Vec<u64>> {
        let positions = self.keys.iter().map(|key| other.key(&key.name)).collect::<Option<Vec<_>>>();
        let positions = positions.ok_or_else(|| Error::bug("cells were compared on keys only one of them has"))?;
        let other = other.margin(&positions);
        // `None` marks a value the other has never seen.
        let maps: Vec<Vec<Option<u32>>> = self
            .keys
            .iter()
            .zip(&other.keys)
            .map(|(mine, theirs)| {
                std::iter::once(Some(MISSING))
                    .chain(mine.dictionary.values().map(|value| theirs.dictionary.code(value)))
                    .collect()
            })
            .collect();
        let find = |cell: usize| -> Option<u64> {
            let codes: Vec<u32> =
                (0..self.keys.len()).map(|key| maps[key][self.code(cell, key) as usize]).collect::<Option<_>>()?;
            on_packed!(&other.packed, packed => {
                let at = packed.binary_search(&other.layout.pack(&codes)).ok()?;
                Some(other.counts[at])
            })
        };
        Ok((0..self.len()).map(|cell| find(cell).unwrap_or(0)).collect())
    }

    /// Runs of cells that agree on the first `keys` keys, in order.
    pub fn runs(&self, keys: usize) -> Vec<std::ops::Range<usize>> {
        let starts = (0..self.len())
            .filter(|cell| *cell == 0 || (0..keys).any(|key| self.code(*cell, key) != self.code(cell - 1, key)));
        let mut starts: Vec<usize> = starts.collect();
        starts.push(self.len());
        starts.windows(2).map(|pair| pair[0]..pair[1]).collect()
    }

    /// Codes of one key over all cells.
    pub(crate) fn codes(&self, key: usize) -> Vec<u32> {
        on_packed!(&self.packed, keys => keys.iter().map(|packed| self.layout.code(*packed, key)).collect())
    }

    pub(crate) fn layout(&self) -> &Layout {
        &self.layout
    }

    pub(crate) fn packed(&self) -> &PackedKeys {
        &self.packed
    }

    pub(crate) fn layout_of(keys: &[KeyColumn]) -> Layout {
        Layout::tight(keys.iter().map(|key| key.dictionary.len() as u32))
    }

    /// The margin over some of the keys, in the order given.
    pub fn margin(&self, keys: &[usize]) -> Self {
        self.regroup(keys, &[])
    }

    /// The cells after recoding keys; a key that is not listed stays as it is.
    pub fn recode(&self, recodings: &[(usize, &Recoding)]) -> Self {
        let all: Vec<usize> = (0..self.keys.len()).collect();
        self.regroup(&all, recodings)
    }

    fn regroup(&self, selected: &[usize], recodings: &[(usize, &Recoding)]) -> Self {
        let recoding = |key: usize| recodings.iter().find(|(at, _)| *at == key).map(|(_, recoding)| *recoding);
        let keys: Vec<KeyColumn> = selected
            .iter()
            .map(|key| match recoding(*key) {
                Some(recoding) => {
                    KeyColumn { name: self.keys[*key].name.clone(), dictionary: recoding.dictionary.clone() }
                }
                None => self.keys[*key].clone(),
            })
            .collect();
        let to = Self::layout_of(&keys);
        let maps: Vec<Option<&[u32]>> =
            selected.iter().map(|key| recoding(*key).map(|recoding| recoding.codes.as_slice())).collect();
        let entries = on_packed!(&self.packed, packed => if to.bits() <= u64::BITS {
            Entries::Narrow(self.grouped(packed, selected, &maps, &to))
        } else {
            Entries::Wide(self.grouped(packed, selected, &maps, &to))
        });
        Self::sorted(keys, to, entries, self.records)
    }

    fn grouped<P: Packed, Q: Packed>(
        &self,
        packed: &[P],
        selected: &[usize],
        maps: &[Option<&[u32]>],
        to: &Layout,
    ) -> Unsorted<Q> {
        let mut tally = Tally::<Q>::new(self.weights.is_some());
        for (start, block) in
            packed.chunks(CELLS_PER_BLOCK).enumerate().map(|(at, block)| (at * CELLS_PER_BLOCK, block))
        {
            tally.reserve(block.len());
            for (offset, from) in block.iter().enumerate() {
                let cell = start + offset;
                let mut key = Q::default();
                for (position, old) in selected.iter().enumerate() {
                    let code = self.layout.code(*from, *old);
                    let code = maps[position].map_or(code, |map| map[code as usize]);
                    key = key.or(Q::field(code, to.shift(position)));
                }
                let weight = self.weights.as_ref().map_or_else(WeightSum::default, |weights| weights[cell]);
                tally.add(CountedKey { key, count: self.counts[cell], first_row: self.first_rows[cell] }, weight);
            }
        }
        Unsorted::from_tally(tally, |key| key)
    }

    /// Cells from entries in any order, each key once.
    pub(crate) fn sorted(keys: Vec<KeyColumn>, layout: Layout, entries: Entries, records: u64) -> Self {
        let bits = layout.bits();
        match entries {
            Entries::Narrow(entries) => entries.sort(bits).cells(keys, layout, records, PackedKeys::Narrow),
            Entries::Wide(entries) => entries.sort(bits).cells(keys, layout, records, PackedKeys::Wide),
        }
    }

    /// Joins the cells of several parts of a source. Their order does not matter. All must have the same keys.
    pub fn merge(parts: Vec<Self>) -> Result<Self> {
        let mut parts = parts.into_iter();
        let mut joined = parts.next().ok_or_else(|| Error::bug("no cells to merge"))?;
        for part in parts {
            joined = joined.merge_two(part)?;
        }
        Ok(joined)
    }

    fn merge_two(self, other: Self) -> Result<Self> {
        let names = |cells: &Self| cells.keys.iter().map(|key| key.name.clone()).collect::<Vec<_>>();
        if names(&self) != names(&other) || self.weights.is_some() != other.weights.is_some() {
            return Err(Error::bug("cells of different keys were merged"));
        }
        let keys: Vec<KeyColumn> = self
            .keys
            .iter()
            .zip(&other.keys)
            .map(|(a, b)| {
                if a.dictionary == b.dictionary {
                    a.clone()
                } else {
                    KeyColumn::new(a.name.clone(), Dictionary::union([&*a.dictionary, &*b.dictionary]))
                }
            })
            .collect();
        let to = Self::layout_of(&keys);
        if to.bits() > u128::BITS {
            return Err(Error::input(format!("{} keys need {} bits, and 128 is the most", keys.len(), to.bits()))
                .help("use fewer keys, or leave out those that are nearly different for every record")
                .into());
        }
        let (a, b) = (self.aligned(&keys, &to), other.aligned(&keys, &to));
        let records = a.records + b.records;
        Ok(match (&a.packed, &b.packed) {
            (PackedKeys::Narrow(left), PackedKeys::Narrow(right)) => {
                Split::zip(left, right, &a, &b).cells(keys, to, records, PackedKeys::Narrow)
            }
            (PackedKeys::Wide(left), PackedKeys::Wide(right)) => {
                Split::zip(left, right, &a, &b).cells(keys, to, records, PackedKeys::Wide)
            }
            _ => return Err(Error::bug("cells of one layout have different widths")),
        })
    }

    /// The same cells under dictionaries that hold all values of the present ones. Sorted dictionaries grow without
    /// changing the order of their old values, so the cells stay sorted.
    fn aligned(self, keys: &[KeyColumn], to: &Layout) -> Self {
        if self.keys == keys {
            return self;
        }
        let maps: Vec<Vec<u32>> =
            self.keys.iter().zip(keys).map(|(old, new)| old.dictionary.codes_in(&new.dictionary)).collect();
        let map = |key: usize, code: u32| maps[key][code as usize];
        let packed = on_packed!(&self.packed, packed => if to.bits() <= u64::BITS {
            PackedKeys::Narrow(packed.iter().map(|key| self.layout.repack(*key, to, map)).collect())
        } else {
            PackedKeys::Wide(packed.iter().map(|key| self.layout.repack(*key, to, map)).collect())
        });
        Self { keys: keys.to_vec(), layout: to.clone(), packed, ..self }
    }
}

/// Cells looked at before room is made for more.
const CELLS_PER_BLOCK: usize = 8192;

/// The columns of cells, before the width of their packed keys is hidden behind one type.
struct Split<P> {
    packed: Vec<P>,
    counts: Vec<u64>,
    first_rows: Vec<u64>,
    weights: Option<Vec<WeightSum>>,
}

impl<P: Packed> Split<P> {
    fn cells(self, keys: Vec<KeyColumn>, layout: Layout, records: u64, pack: impl Fn(Vec<P>) -> PackedKeys) -> Cells {
        let Self { packed, counts, first_rows, weights } = self;
        Cells { keys, layout, packed: pack(packed), counts, first_rows, weights, records }
    }

    /// Merges two sorted lists of cells.
    fn zip(left: &[P], right: &[P], a: &Cells, b: &Cells) -> Self {
        let most = left.len() + right.len();
        let mut out = Self {
            packed: Vec::with_capacity(most),
            counts: Vec::with_capacity(most),
            first_rows: Vec::with_capacity(most),
            weights: a.weights.is_some().then(|| Vec::with_capacity(most)),
        };
        let (mut i, mut j) = (0, 0);
        while i < left.len() || j < right.len() {
            let take_left = j == right.len() || i < left.len() && left[i] <= right[j];
            let take_right = i == left.len() || j < right.len() && right[j] <= left[i];
            let mut count = 0;
            let mut first_row = u64::MAX;
            let mut weight = WeightSum::default();
            out.packed.push(if take_left { left[i] } else { right[j] });
            for (taken, cells, at) in [(take_left, a, &mut i), (take_right, b, &mut j)] {
                if taken {
                    count += cells.counts[*at];
                    first_row = first_row.min(cells.first_rows[*at]);
                    if let Some(weights) = &cells.weights {
                        weight.add(weights[*at]);
                    }
                    *at += 1;
                }
            }
            out.counts.push(count);
            out.first_rows.push(first_row);
            if let Some(weights) = &mut out.weights {
                weights.push(weight);
            }
        }
        out.shrink();
        out
    }

    fn shrink(&mut self) {
        self.packed.shrink_to_fit();
        self.counts.shrink_to_fit();
        self.first_rows.shrink_to_fit();
        if let Some(weights) = &mut self.weights {
            weights.shrink_to_fit();
        }
    }
}
