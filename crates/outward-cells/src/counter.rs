//! Counts records into cells, batch by batch, on one thread.

use arrow_array::cast::AsArray;
use arrow_array::types::Float64Type;
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_cast::cast;
use arrow_schema::{DataType, Schema};
use outward_error::{Error, Result, suggest};

use crate::cells::{Cells, Entries, KeyColumn};
use crate::dictionary::Dictionary;
use crate::intern::Interner;
use crate::layout::{Layout, Packed, bits_for};
use crate::tally::{CountedKey, Tally};
use crate::weight::{LARGEST_WEIGHT, WeightSum};

/// What to count.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CellRequest {
    /// The key variables, in the order the cells are to be sorted by.
    pub keys: Vec<String>,
    /// The variable that says how many people of the population a record stands for.
    pub weight: Option<String>,
    /// Bytes the cells may take; without a limit if absent.
    pub memory: Option<usize>,
}

impl CellRequest {
    /// Counts on these key variables.
    pub fn new<K: Into<String>>(keys: impl IntoIterator<Item = K>) -> Self {
        Self { keys: keys.into_iter().map(Into::into).collect(), ..Self::default() }
    }

    /// Adds up this variable beside the counts.
    #[must_use]
    pub fn weight(self, weight: Option<String>) -> Self {
        Self { weight, ..self }
    }

    /// Bytes the cells may take; without a limit if absent.
    #[must_use]
    pub fn memory(self, memory: Option<usize>) -> Self {
        Self { memory, ..self }
    }
}

/// Counts the records of one batch on some key variables, on one thread.
///
/// # Errors
/// If a key is not a column of the batch, or has a type that cannot be counted.
pub fn count_cells(batch: &RecordBatch, keys: &[&str]) -> Result<Cells> {
    let mut counter = CellCounter::new(batch.schema_ref(), &CellRequest::new(keys.iter().copied()))?;
    counter.observe(batch, &(1..=batch.num_rows() as u64).collect::<Vec<_>>())?;
    counter.finish()
}

/// Counts records into cells. Use one per thread and join their results with [`Cells::merge`].
#[derive(Debug)]
pub struct CellCounter {
    request: CellRequest,
    columns: Vec<usize>,
    weight: Option<usize>,
    interners: Vec<Interner>,
    layout: Layout,
    tally: Tallies,
    records: u64,
    codes: Vec<Vec<u32>>,
    weights: Vec<WeightSum>,
}

/// Keys that fit 64 bits are counted in 64 bits.
#[derive(Debug)]
enum Tallies {
    Narrow(Tally<u64>, Vec<u64>),
    Wide(Tally<u128>, Vec<u128>),
}

/// Bits a key gets before its values are known, if there are few keys.
const FIRST_WIDTH: u32 = 4;

impl CellCounter {
    /// A counter for batches of this schema.
    pub fn new(schema: &Schema, request: &CellRequest) -> Result<Self> {
        let find = |name: &str| -> Result<usize> {
            let known = schema.fields().iter().map(|field| field.name().as_str());
            let fault = || Error::input(format!("there is no column `{name}`")).missing_column(name);
            schema.index_of(name).map_err(|_| fault().help(suggest(name, known, "columns")).into())
        };
        let columns = request.keys.iter().map(|key| find(key)).collect::<Result<Vec<_>>>()?;
        let weight = request.weight.as_deref().map(find).transpose()?;
        let interners = columns.iter().map(|column| Interner::new(schema.field(*column).data_type())).collect();
        let first_width = FIRST_WIDTH.min(u64::BITS / columns.len().max(1) as u32);
        let layout = Layout::new(vec![first_width; columns.len()]);
        Ok(Self {
            tally: Tallies::for_layout(&layout, weight.is_some())?,
            codes: vec![Vec::new(); columns.len()],
            request: request.clone(),
            columns,
            weight,
            interners,
            layout,
            records: 0,
            weights: Vec::new(),
        })
    }

    /// Counts the records of a batch; `rows` are their numbers in the source, from 1.
    pub fn observe(&mut self, batch: &RecordBatch, rows: &[u64]) -> Result<()> {
        if rows.len() != batch.num_rows() {
            return Err(Error::bug(format!("{} row numbers for {} records", rows.len(), batch.num_rows())));
        }
        for (key, column) in self.columns.iter().enumerate() {
            let codes = &mut self.codes[key];
            self.interners[key].codes(batch.column(*column), codes).map_err(|error| match error {
                Error::Input(fault) => fault.variable(&self.request.keys[key]).into(),
                other => other,
            })?;
        }
        if let (Some(weight), Some(name)) = (self.weight, &self.request.weight) {
            read_weights(batch.column(weight), rows, name, &mut self.weights)?;
        }
        self.widen()?;
        self.check_memory(batch.num_rows())?;
        self.records += batch.num_rows() as u64;
        let weights = self.weight.map(|_| self.weights.as_slice());
        match &mut self.tally {
            Tallies::Narrow(tally, packed) => count(tally, packed, &self.layout, &self.codes, rows, weights),
            Tallies::Wide(tally, packed) => count(tally, packed, &self.layout, &self.codes, rows, weights),
        }
        Ok(())
    }

    /// Makes room in the packed key for codes that have outgrown it.
    fn widen(&mut self) -> Result<()> {
        let needed = |key: usize| bits_for(self.interners[key].largest());
        if (0..self.columns.len()).all(|key| needed(key) <= self.layout.width(key)) {
            return Ok(());
        }
        // Gives a field two spare bits, so that a variable that keeps growing is not repacked at every batch. There are
        // none if the packed key would then outgrow its integer.
        let widths = |spare: u32| -> Vec<u32> {
            let grown = |key: usize| if needed(key) > self.layout.width(key) { needed(key) + spare } else { 0 };
            (0..self.columns.len()).map(|key| grown(key).max(self.layout.width(key))).collect()
        };
        let generous = Layout::new(widths(2));
        let tight = Layout::tight(self.interners.iter().map(Interner::largest));
        let to = if generous.bits() <= u64::BITS || tight.bits() > u64::BITS && generous.bits() <= u128::BITS {
            generous
        } else {
            tight
        };
        let mut tally = Tallies::for_layout(&to, self.weight.is_some())?;
        match &mut self.tally {
            Tallies::Narrow(old, _) => tally.take(old, &self.layout, &to),
            Tallies::Wide(old, _) => tally.take(old, &self.layout, &to),
        }
        self.tally = tally;
        self.layout = to;
        Ok(())
    }

    fn check_memory(&self, more: usize) -> Result<()> {
        let Some(limit) = self.request.memory else { return Ok(()) };
        let (cells, table) = match &self.tally {
            Tallies::Narrow(tally, _) => (tally.len(), tally.bytes_to_take(more)),
            Tallies::Wide(tally, _) => (tally.len(), tally.bytes_to_take(more)),
        };
        let needed = table + self.interners.iter().map(Interner::bytes).sum::<usize>();
        if needed <= limit {
            return Ok(());
        }
        let mib = |bytes: usize| bytes.div_ceil(1 << 20);
        Err(Error::input(format!(
            "the cells do not fit: {cells} distinct combinations of {} keys after {} records of this part need {} MiB, \
             and {} MiB are allowed",
            self.columns.len(),
            self.records,
            mib(needed),
            mib(limit)
        ))
        .help("use fewer keys, leave out near-unique ones, recode first, or allow more with --memory")
        .into())
    }

    /// The cells of all records observed.
    pub fn finish(self) -> Result<Cells> {
        let mut maps = Vec::new();
        let mut keys = Vec::new();
        for (name, interner) in self.request.keys.iter().zip(self.interners) {
            let (dictionary, codes): (Dictionary, _) = interner.finish()?;
            keys.push(KeyColumn::new(name.clone(), dictionary));
            maps.push(codes);
        }
        let to = Cells::layout_of(&keys);
        let map = |key: usize, code: u32| maps[key][code as usize];
        let cells = match self.tally {
            Tallies::Narrow(tally, _) => Entries::collect(tally, &self.layout, &to, map),
            Tallies::Wide(tally, _) => Entries::collect(tally, &self.layout, &to, map),
        };
        Ok(Cells::sorted(keys, to, cells, self.records))
    }
}

impl Tallies {
    fn for_layout(layout: &Layout, weighted: bool) -> Result<Self> {
        match layout.bits() {
            0..=64 => Ok(Self::Narrow(Tally::new(weighted), Vec::new())),
            65..=128 => Ok(Self::Wide(Tally::new(weighted), Vec::new())),
            bits => Err(Error::input(format!(
                "{} keys with this many values need {bits} bits to distinguish their combinations, and 128 is the most",
                layout.keys()
            ))
            .help("use fewer keys, or leave out those that are nearly different for every record")
            .into()),
        }
    }

    fn take<P: Packed>(&mut self, old: &mut Tally<P>, from: &Layout, to: &Layout) {
        let more = old.len();
        match self {
            Self::Narrow(tally, _) => {
                tally.reserve(more);
                old.drain(|entry, weight| tally.add(moved(entry, from, to), weight));
            }
            Self::Wide(tally, _) => {
                tally.reserve(more);
                old.drain(|entry, weight| tally.add(moved(entry, from, to), weight));
            }
        }
    }
}

fn moved<P: Packed, Q: Packed>(entry: CountedKey<P>, from: &Layout, to: &Layout) -> CountedKey<Q> {
    let key = from.repack(entry.key, to, |_, code| code);
    CountedKey { key, count: entry.count, first_row: entry.first_row }
}

/// The inner loop: packs the codes of a batch column by column, then counts.
fn count<P: Packed>(
    tally: &mut Tally<P>,
    packed: &mut Vec<P>,
    layout: &Layout,
    codes: &[Vec<u32>],
    rows: &[u64],
    weights: Option<&[WeightSum]>,
) {
    packed.clear();
    packed.resize(rows.len(), P::default());
    for (key, column) in codes.iter().enumerate() {
        let shift = layout.shift(key);
        for (slot, code) in packed.iter_mut().zip(column) {
            *slot = slot.or(P::field(*code, shift));
        }
    }
    tally.reserve(rows.len());
    match weights {
        None => {
            for (key, row) in packed.iter().zip(rows) {
                tally.add(CountedKey { key: *key, count: 1, first_row: *row }, WeightSum::default());
            }
        }
        Some(weights) => {
            for ((key, row), weight) in packed.iter().zip(rows).zip(weights) {
                tally.add(CountedKey { key: *key, count: 1, first_row: *row }, *weight);
            }
        }
    }
}

fn read_weights(column: &ArrayRef, rows: &[u64], name: &str, weights: &mut Vec<WeightSum>) -> Result<()> {
    let fault = |what: &str, row: u64| -> Error {
        Error::input(format!("the weight {what}"))
            .variable(name)
            .row(row)
            .help("every record represents someone: give it a weight above 0, or name another weight")
            .into()
    };
    let numbers =
        cast(column, &DataType::Float64).map_err(|_| Error::input("the weight is not a number").variable(name))?;
    let numbers = numbers.as_primitive::<Float64Type>();
    weights.clear();
    for (at, weight) in numbers.iter().enumerate() {
        let row = rows[at];
        let weight =
            weight.ok_or_else(|| fault(if column.is_null(at) { "is missing" } else { "is not a number" }, row))?;
        weights.push(
            WeightSum::from_weight(weight)
                .ok_or_else(|| fault(&format!("is not above 0 and at most {LARGEST_WEIGHT:.0}"), row))?,
        );
    }
    Ok(())
}
