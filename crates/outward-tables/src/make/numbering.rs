//! Numbers for values. Variables that read columns of the same names share them, so that nodes of several tables can be
//! compared.

use std::rc::Rc;

use hashbrown::HashMap;
use outward_spec::{Result, Table as Wanted};

use super::Maker;
use super::column::VariableColumn;
use crate::inner::{Inner, Pairs};
use crate::source::ValueSource;

/// The numbers of the values of some columns, and of pairs of them.
#[derive(Debug, Default)]
pub(super) struct ValueNumbers {
    values: HashMap<String, u32>,
    /// The number of each pair, by the numbers of its values, the smaller first.
    pairs: HashMap<[u32; 2], u32>,
}

impl ValueNumbers {
    /// The number of a value; a new one if it has none.
    pub(super) fn number(&mut self, value: &str) -> u32 {
        let next = self.values.len() as u32 + 1;
        *self.values.entry_ref(value).or_insert(next)
    }

    /// The number of a pair; a new one if it has none.
    fn number_of_pair(&mut self, halves: [u32; 2]) -> u32 {
        let next = self.pairs.len() as u32 + 1;
        *self.pairs.entry(halves).or_insert(next)
    }
}

impl Maker<'_> {
    /// Sets the source of each variable and numbers its values. For pairs it also sets which values are paired.
    pub(super) fn number_values(
        &mut self,
        wanted: &Wanted,
        columns: &[Rc<VariableColumn>],
        inner: &mut Inner,
    ) -> Result<()> {
        for ((name, column), base) in wanted.variables.iter().zip(columns).zip(&mut inner.bases) {
            base.source = self.source(wanted, name)?;
            let numbers = self.numbers.entry_ref(&base.source.columns[..]).or_default();
            if !base.source.pairs {
                base.numbers = base.values.iter().map(|value| vec![numbers.number(value)]).collect();
                continue;
            }
            let mut half = |code: u32| numbers.number(&column.paired[code as usize - 1]);
            let mut halves: Vec<[u32; 2]> = column.halves.iter().map(|codes| codes.map(&mut half)).collect();
            halves.iter_mut().for_each(|halves| halves.sort_unstable());
            let only = wanted.only.get(name).filter(|only| !only.is_empty());
            let among = column.paired.iter().filter(|value| only.is_none_or(|only| only.contains(value)));
            let among = among.map(|value| numbers.number(value)).collect();
            base.numbers = halves.iter().map(|halves| vec![numbers.number_of_pair(*halves)]).collect();
            base.pairs = Some(Pairs { halves, among });
        }
        Ok(())
    }

    /// The number of each of these values among all of a source, if it has one.
    pub(super) fn numbers_of<'v>(
        &self,
        source: &ValueSource,
        values: impl IntoIterator<Item = &'v str>,
    ) -> Vec<Option<u32>> {
        let numbers = self.numbers.get(&source.columns);
        values.into_iter().map(|value| numbers.and_then(|numbers| numbers.values.get(value).copied())).collect()
    }

    /// The number of each value of a column, or of each pair.
    pub(super) fn numbers_of_column(&self, source: &ValueSource, column: &VariableColumn) -> Vec<Option<u32>> {
        if !source.pairs {
            return self.numbers_of(source, column.values.iter().map(String::as_str));
        }
        let halves = self.numbers_of(source, column.paired.iter().map(String::as_str));
        let pair = |codes: &[u32; 2]| {
            let [one, other] = codes.map(|code| halves[code as usize - 1]);
            let (one, other) = (one?, other?);
            self.numbers.get(&source.columns)?.pairs.get(&[one.min(other), one.max(other)]).copied()
        };
        column.halves.iter().map(pair).collect()
    }
}
