//! The records of a unit, grouped by everything that its tables show together. The joint table is counted from these.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use hashbrown::HashMap;
use outward_spec::{Result, Variable};

use super::amounts::add;
use super::column::VariableColumn;
use super::conditions::Kinds;
use super::{InnerTable, Maker, UnitTables};
use crate::files::Answers;
use crate::inner::Contribution;
use crate::source::ValueSource;

/// Most different records that are kept.
const MAX_DIFFERENT_RECORDS: usize = 100_000;

/// What a table counts or adds up: the variable, if it adds one up, and whether it is weighted.
pub(crate) type Measured = (Option<String>, bool);

/// A variable whose values are numbered: its name, the paired values if it is shown in pairs, and its source.
type Root = (String, Option<Vec<String>>, ValueSource);

/// Different records, each with its count. Records with the same values on everything that tables of their unit show
/// are one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Records {
    /// The source of each variable.
    pub(crate) sources: Vec<ValueSource>,
    /// For each variable and code the numbers of its values.
    pub(crate) values: Vec<Vec<Vec<u32>>>,
    /// With conditions: for single columns of variables with several answers, the variable (by position) and the
    /// column.
    pub(crate) single: BTreeMap<usize, (usize, usize)>,
    /// For each different record the code of each variable, and its kind by the conditions.
    pub(crate) codes: Vec<Vec<u32>>,
    /// The count or amount of each different record, by what is counted or added up.
    pub(crate) amounts: BTreeMap<Measured, Vec<i64>>,
    /// What each contributor has in each different record, by what is added up.
    pub(crate) contributions: BTreeMap<Measured, Vec<Contribution>>,
}

impl Maker<'_> {
    /// The records of a unit by everything that its tables show. `None` if nothing could follow from them, if they are
    /// too many, or if tables are given and not counted.
    pub(super) fn records(
        &mut self,
        tables: UnitTables,
        kinds: &Kinds,
        single: &BTreeSet<(ValueSource, usize)>,
    ) -> Result<Option<Records>> {
        let several = |of: &InnerTable| of.inner.bases.iter().filter(|base| base.sets.is_some()).count() > 1;
        let one_table = tables.all.len() < 2 && !tables.tables().any(several);
        if one_table || tables.tables().any(|of| of.wanted.given.is_some()) {
            return Ok(None);
        }
        let unit = tables.unit;
        let mut records = Records::default();
        let mut columns: Vec<Rc<VariableColumn>> = Vec::new();
        let roots = self.roots(tables);
        for (name, paired, source) in roots.clone() {
            let column = self.root_column(&name, unit, paired)?;
            let numbers = self.numbers_of_column(&source, &column);
            let own = |codes: &[u32]| codes.iter().filter_map(|code| numbers[*code as usize - 1]).collect::<Vec<u32>>();
            records.values.push(match &column.answers {
                Answers::One(_) => (0..=column.values.len() as u32)
                    .map(|code| if code == 0 { Vec::new() } else { own(&[code]) })
                    .collect(),
                Answers::Several(_, sets) => sets.iter().map(|set| own(set)).collect(),
            });
            // Of one answer, a value that only another variable lists is a value of no record.
            let lists = |number: &u32| numbers.contains(&Some(*number));
            let bases = tables.tables().flat_map(|of| &of.inner.bases);
            let same = bases.filter(|base| base.source == source && base.sets.is_some());
            if !same.flat_map(|base| base.numbers.iter().flatten()).all(lists) {
                return Ok(None);
            }
            records.sources.push(source);
            columns.push(column);
        }
        self.add_single(unit, single, &roots, &mut records, &mut columns)?;
        let measures = self.measures(tables)?;
        let mut sums: Vec<Vec<i64>> = vec![Vec::new(); measures.len()];
        let whose = measures.keys().map(|measure| self.whose(tables, measure));
        let whose = whose.collect::<Result<Vec<_>>>()?;
        let mut contributions: Vec<BTreeMap<(u32, u64), i64>> = vec![BTreeMap::new(); measures.len()];
        let codes: Vec<&[u32]> = columns.iter().map(|column| column.codes()).collect();
        let mut known: HashMap<Vec<u32>, usize> = HashMap::new();
        let (mut key, mut met) = (Vec::new(), Vec::new());
        let mut rows: Vec<u32> = Vec::with_capacity(self.files.rows(unit));
        for row in 0..self.files.rows(unit) {
            key.clear();
            key.extend(codes.iter().map(|codes| codes[row]).chain([kinds.kind_of(row, &mut met)]));
            let next = records.codes.len();
            let at = *known.entry_ref(&key).or_insert(next);
            if at == next {
                if next == MAX_DIFFERENT_RECORDS {
                    return Ok(None);
                }
                records.codes.push(key.clone());
                sums.iter_mut().for_each(|sums| sums.push(0));
            }
            rows.push(at as u32);
            for (measure, amounts) in measures.values().enumerate() {
                let amount = amounts.as_ref().map_or(1, |amounts| amounts[row]);
                sums[measure][at] = add(sums[measure][at], amount)?;
                if let Some(whose) = whose[measure].as_ref().filter(|_| amount != 0) {
                    let contributor = whose.as_ref().map_or(row as u64, |of| of[row] as u64);
                    let own = contributions[measure].entry((at as u32, contributor)).or_default();
                    *own = add(*own, amount)?;
                }
            }
        }
        let own = |of: BTreeMap<(u32, u64), i64>| {
            let own = of.into_iter();
            own.map(|((cell, contributor), amount)| Contribution { cell, contributor, amount }).collect()
        };
        records.contributions = measures.keys().cloned().zip(contributions.into_iter().map(own)).collect();
        records.amounts = measures.into_keys().zip(sums).collect();
        if !self.spec.linked.is_empty() {
            self.rows.insert(unit, rows);
        }
        Ok(Some(records))
    }

    /// Each different record of a linked file with each different record of `[data]` that it belongs to. Empty if the
    /// records of either are not kept.
    pub(super) fn parents(&self, unit: usize) -> Vec<(u32, u32)> {
        let (Some(own), Some(data)) = (self.rows.get(&unit).filter(|_| unit > 0), self.rows.get(&0)) else {
            return Vec::new();
        };
        let parent = |(row, own): (u32, &u32)| Some((*own, data[self.files.parent(unit, row)? as usize]));
        (0..).zip(own).filter_map(parent).collect::<BTreeSet<_>>().into_iter().collect()
    }

    /// What tables of a unit count or add up, with the amount of each record; `None` if each record counts as one.
    fn measures(&self, tables: UnitTables) -> Result<BTreeMap<Measured, Option<Vec<i64>>>> {
        let unit = tables.unit;
        let mut measures: BTreeMap<Measured, Option<Vec<i64>>> = BTreeMap::new();
        for wanted in tables.tables().map(|of| of.wanted) {
            let counts = wanted.of.is_none() && self.each_weighs(wanted, unit)?.is_some();
            let measure = (wanted.of.clone(), wanted.weighted && !counts);
            if measures.contains_key(&measure) {
                continue;
            }
            let weight = self.spec.weight().filter(|_| wanted.weighted && !counts);
            let weights = weight.map(|weight| self.weights(unit, &weight.name)).transpose()?;
            let amounts = match &wanted.of {
                Some(name) => {
                    let given = self.amounts(unit, name, weights.as_deref(), |_| false)?.given;
                    Some(given.into_iter().map(Option::unwrap_or_default).collect())
                }
                None => weights,
            };
            measures.insert(measure, amounts);
        }
        Ok(measures)
    }

    /// The contributor of each record of a unit, if amounts are added up. The inner `None` means that every record is a
    /// contributor of its own. The outer `None` means that nothing is added up, or that tables name different
    /// contributors.
    fn whose(&self, tables: UnitTables, (of, _): &Measured) -> Result<Option<Option<Vec<u128>>>> {
        let mut same = tables.tables().map(|of| of.wanted).filter(|wanted| wanted.of == *of);
        let first = same.next().filter(|_| of.is_some()).map(|wanted| &wanted.contributor);
        let Some(contributor) = first.filter(|_| same.all(|wanted| Some(&wanted.contributor) == first)) else {
            return Ok(None);
        };
        let hashes = contributor.as_ref().map(|name| self.files.hashes(self.spec, tables.unit, name)).transpose()?;
        Ok(Some(hashes))
    }

    /// Adds the columns with one of several answers each, which a condition may read.
    fn add_single(
        &mut self,
        unit: usize,
        single: &BTreeSet<(ValueSource, usize)>,
        roots: &[Root],
        records: &mut Records,
        columns: &mut Vec<Rc<VariableColumn>>,
    ) -> Result<()> {
        for (of, (name, _, source)) in roots.iter().enumerate().filter(|(_, (_, paired, _))| paired.is_none()) {
            let own: BTreeSet<usize> =
                single.iter().filter(|(of, _)| of == source).map(|(_, column)| *column).collect();
            if own.is_empty() {
                continue;
            }
            let variable = self.variable(name)?;
            let values = self.column(variable, unit, None)?.values.clone();
            let numbers = self.numbers_of(source, values.iter().map(String::as_str));
            for (at, codes) in self.single_columns(variable, unit, &values, |column| own.contains(&column)) {
                records.single.insert(columns.len(), (of, at));
                let own = numbers.iter().map(|number| number.iter().copied().collect());
                records.values.push(std::iter::once(Vec::new()).chain(own).collect());
                columns.push(Rc::new(VariableColumn::of_codes(codes)));
            }
        }
        Ok(())
    }

    /// For each of some columns of a variable with several answers the code of each record. Empty if answers come from
    /// linked records.
    pub(super) fn single_columns(
        &self,
        variable: &Variable,
        unit: usize,
        values: &[String],
        wanted: impl Fn(usize) -> bool,
    ) -> Vec<(usize, Vec<u32>)> {
        let one = |(at, column): (usize, &String)| {
            let one = Variable { columns: vec![column.clone()], ..variable.clone() };
            match self.files.answers(self.spec, &one, unit, values) {
                Answers::One(codes) => Some((at, codes)),
                Answers::Several(..) => None,
            }
        };
        variable.columns.iter().enumerate().filter(|(column, _)| wanted(*column)).filter_map(one).collect()
    }

    /// The column of a root: of a variable, or of the pieces of places that are joined.
    fn root_column(&mut self, name: &str, unit: usize, paired: Option<Vec<String>>) -> Result<Rc<VariableColumn>> {
        match self.known.get(&(name.to_owned(), unit, paired.clone())) {
            Some(column) => Ok(column.clone()),
            None => self.column(self.variable(name)?, unit, paired),
        }
    }

    /// The variables whose values are numbered, each source once.
    fn roots(&self, tables: UnitTables) -> Vec<Root> {
        let sources: BTreeSet<&ValueSource> =
            tables.tables().flat_map(|of| &of.inner.bases).map(|base| &base.source).collect();
        let mut roots: Vec<Root> = Vec::new();
        for of in tables.all {
            for (name, base) in of.variables() {
                if self.source(of.wanted, name).is_ok_and(|own| own == base.source)
                    && sources.contains(&base.source)
                    && !roots.iter().any(|(_, _, known)| *known == base.source)
                {
                    // All pairs, as another table may show some that this one does not.
                    let paired = (of.wanted.pairs.as_ref() == Some(name)).then(Vec::new);
                    roots.push((name.clone(), paired, base.source.clone()));
                }
            }
        }
        let joined = self.joined_places.iter().filter(|joined| sources.contains(&joined.source));
        roots.extend(joined.map(|joined| (joined.name.clone(), None, joined.source.clone())));
        // The variable that pairs consist of, if no table of the unit shows it alone.
        for (name, _, source) in roots.clone() {
            let answers = source.answers();
            if !roots.iter().any(|(_, _, known)| *known == answers) {
                roots.push((name, None, answers));
            }
        }
        roots
    }
}
