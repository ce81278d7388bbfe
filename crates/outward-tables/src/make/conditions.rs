//! Which records and values conditions of tables keep.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use outward_cells::Condition;
use outward_spec::{Result, Variable};

use super::rules::FileColumn;
use super::{ImpliedAnswers, InnerTable, Maker, Reads, Scope, UnitTables};
use crate::source::ValueSource;
use crate::table::Table;

/// The kinds of records of a unit that conditions distinguish.
pub(super) struct Kinds {
    pub(super) conditions: Vec<Condition>,
    masks: Vec<Rc<Vec<bool>>>,
    /// The number of each kind, from 1, by the conditions it meets.
    pub(super) numbers: BTreeMap<Vec<bool>, u32>,
}

impl Kinds {
    /// Writes to `met` which conditions a record meets.
    fn put_met(&self, row: usize, met: &mut Vec<bool>) {
        met.clear();
        met.extend(self.masks.iter().map(|mask| mask[row]));
    }

    /// The kind of a record; 0 if there are no conditions. `met` is a buffer.
    pub(super) fn kind_of(&self, row: usize, met: &mut Vec<bool>) -> u32 {
        self.put_met(row, met);
        self.numbers.get(met).copied().unwrap_or_default()
    }
}

impl Maker<'_> {
    /// Which records of a unit meet a condition.
    pub(super) fn mask(&self, unit: usize, condition: &Condition) -> Result<Rc<Vec<bool>>> {
        let key = (unit, condition.clone());
        if let Some(mask) = self.masks.borrow().get(&key) {
            return Ok(mask.clone());
        }
        let mask = Rc::new(self.files.mask(unit, condition)?);
        self.masks.borrow_mut().insert(key, mask.clone());
        Ok(mask)
    }

    /// The kinds of records that the conditions of a unit's tables distinguish. With these a table of some records can
    /// be compared with a table of all.
    pub(super) fn kinds(&self, tables: UnitTables) -> Result<Kinds> {
        let unit = tables.unit;
        let conditions: BTreeSet<Condition> = tables.tables().filter_map(|of| of.condition.clone()).collect();
        let conditions: Vec<Condition> = conditions.into_iter().collect();
        let masks = conditions.iter().map(|condition| self.mask(unit, condition)).collect::<Result<Vec<_>>>()?;
        let mut kinds = Kinds { conditions, masks, numbers: BTreeMap::new() };
        let (mut seen, mut met) = (BTreeSet::new(), Vec::new());
        for row in 0..if kinds.masks.is_empty() { 0 } else { self.files.rows(unit) } {
            kinds.put_met(row, &mut met);
            if !seen.contains(&met) {
                seen.insert(met.clone());
            }
        }
        seen.extend(self.possible(tables, &kinds.conditions)?);
        kinds.numbers = seen.into_iter().zip(1..).collect();
        Ok(kinds)
    }

    /// Which records a table counts.
    pub(super) fn scope(&self, tables: UnitTables, table: &InnerTable, kinds: &Kinds) -> Result<Scope> {
        let condition = table.condition.as_ref().and_then(|own| kinds.conditions.iter().position(|known| known == own));
        let met = |kind: &Vec<bool>| condition.is_none_or(|condition| kind[condition]);
        let records = kinds.numbers.iter().filter(|(kind, _)| met(kind)).map(|(_, number)| *number).collect();
        Ok(Scope { records, kinds: kinds.numbers.len(), keeps: self.kept_values(tables, table)? })
    }

    /// The values of a variable that the condition of a table keeps, if its words and what follows from them (K4) decide
    /// it for every value. A table with a condition on a variable that another table shows counts a part of that table.
    fn kept_values(&self, tables: UnitTables, table: &InnerTable) -> Result<Option<(ValueSource, Vec<u32>)>> {
        let Some(condition) = &table.condition else { return Ok(None) };
        for column in self.shown_columns(tables)? {
            if let Some(kept) = self.kept_by(tables, condition, column)? {
                return Ok(Some(kept));
            }
        }
        Ok(None)
    }

    /// The values of a column that a condition keeps, if it keeps some and not others, whatever other columns have.
    fn kept_by(
        &self,
        tables: UnitTables,
        condition: &Condition,
        column: FileColumn,
    ) -> Result<Option<(ValueSource, Vec<u32>)>> {
        let read = self.read(tables.unit, condition)?.columns;
        let is_read = read.contains(&column);
        if !is_read && !read.iter().any(|read| self.is_known_to_follow(*read, column)) {
            return Ok(None);
        }
        let beside = (!is_read).then_some(column);
        let Some(joint) = self.joint(tables, std::slice::from_ref(condition), beside)? else { return Ok(None) };
        let Ok(at) = joint.columns.binary_search(&column) else { return Ok(None) };
        let Some(Reads { source, column: None, numbers }) = &joint.reads[at] else { return Ok(None) };
        let mut kept: [BTreeSet<u32>; 2] = Default::default();
        for combination in (0..joint.combinations).filter(|combination| joint.can_be(*combination)) {
            let [Some(met)] = joint.said(combination)[..] else { return Ok(None) };
            kept[usize::from(met)].extend(&numbers[joint.class(combination, at)]);
        }
        let [left, kept] = kept;
        let decides = kept.is_disjoint(&left) && !kept.is_empty() && !left.is_empty();
        Ok(decides.then(|| (source.clone(), kept.into_iter().collect())))
    }

    /// What the nodes of a table imply if they show one column of a variable with several answers.
    pub(super) fn implied_by_nodes(&self, all: &[InnerTable], at: usize, table: &Table) -> Result<Vec<ImpliedAnswers>> {
        let own = &all[at];
        let mut implied = Vec::new();
        if own.wanted.given.is_some() {
            return Ok(implied);
        }
        let names = UnitTables { unit: own.unit, all }.names();
        let variables = names.into_iter().map(|name| self.variable(name)).collect::<Result<Vec<_>>>()?;
        for (dimension, (name, base)) in own.variables().enumerate() {
            let one = self.variable(name)?;
            let [column] = one.read_from() else { continue };
            let reads = |other: &&&Variable| {
                other.columns.len() > 1 && other.columns.contains(column) && other.from == one.from
            };
            for other in variables.iter().filter(reads).filter(|other| !other.shared && !one.shared) {
                let source = ValueSource::of_variable(other);
                let shown = &table.dimensions[dimension];
                let numbers = self.numbers_of(&source, base.values.iter().map(String::as_str));
                for (node, shown) in shown.nodes.iter().enumerate().filter(|_| !shown.several) {
                    let values: Option<Vec<u32>> =
                        shown.values.iter().map(|code| numbers[*code as usize - 1]).collect();
                    if let Some(mut values) = values.filter(|values| !values.is_empty()) {
                        values.sort_unstable();
                        implied.push(ImpliedAnswers { dimension, node, source: source.clone(), values });
                    }
                }
            }
        }
        Ok(implied)
    }

    /// For each variable with several columns that tables of a unit show: values of which every record that meets a
    /// table's condition has one, because of one of the columns.
    pub(super) fn implied_by_condition(
        &mut self,
        tables: UnitTables,
        table: &InnerTable,
    ) -> Result<Vec<(ValueSource, Vec<u32>)>> {
        let (unit, mut implied) = (tables.unit, Vec::new());
        let Some(condition) = &table.condition else { return Ok(implied) };
        let mask = self.mask(unit, condition)?;
        let variables = tables.names().into_iter().map(|name| self.variable(name)).collect::<Result<Vec<_>>>()?;
        let is_one_read = |variable: &&Variable| {
            variable.columns.len() > 1 && variable.columns.iter().any(|column| condition.reads(column))
        };
        for variable in variables.into_iter().filter(is_one_read) {
            let (values, source) =
                (self.column(variable, unit, None)?.values.clone(), ValueSource::of_variable(variable));
            let numbers = self.numbers_of(&source, values.iter().map(String::as_str));
            let is_read = |column: usize| condition.reads(&variable.columns[column]);
            for (_, codes) in self.single_columns(variable, unit, &values, is_read) {
                let mut kept = vec![false; values.len() + 1];
                codes.iter().zip(&*mask).filter(|(_, met)| **met).for_each(|(code, _)| kept[*code as usize] = true);
                // A column that the condition does not restrict implies nothing.
                if kept[0] || codes.iter().all(|code| kept[*code as usize]) {
                    continue;
                }
                let own = numbers.iter().zip(&kept[1..]).filter(|(_, kept)| **kept).map(|(number, _)| *number);
                if let Some(mut own) = own.collect::<Option<Vec<u32>>>() {
                    own.sort_unstable();
                    implied.push((source.clone(), own));
                }
            }
        }
        Ok(implied)
    }
}
