//! What conditions of tables keep.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use outward_cells::Condition;
use outward_spec::{Result, Table as Wanted, Variable};

use super::column::Column;
use super::{Made, Maker};
use crate::inner::Base;
use crate::source::ValueSource;

/// The kinds of records of a unit that its conditions tell apart.
pub(super) struct Kinds {
    pub(super) conditions: Vec<Condition>,
    masks: Vec<Rc<Vec<bool>>>,
    /// The number of each kind, from 1, by the conditions it meets.
    pub(super) numbers: BTreeMap<Vec<bool>, u32>,
}

impl Kinds {
    /// The conditions a record meets, put where they are wanted.
    fn put_met(&self, row: usize, met: &mut Vec<bool>) {
        met.clear();
        met.extend(self.masks.iter().map(|mask| mask[row]));
    }

    /// The kind of a record; 0 where there are no conditions. `met` is room to work in.
    pub(super) fn of(&self, row: usize, met: &mut Vec<bool>) -> u32 {
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

    /// Says of tables of one unit which kinds of records they count, so that a table of some records and one of all can be held
    /// against each other.
    pub(super) fn tell_records_apart(&self, unit: usize, of_unit: &[usize], made: &mut [Made]) -> Result<Kinds> {
        let conditions: BTreeSet<Condition> = of_unit.iter().filter_map(|at| made[*at].condition.clone()).collect();
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
        seen.extend(self.possible(unit, &kinds.conditions)?);
        kinds.numbers = seen.into_iter().zip(1..).collect();
        for at in of_unit {
            let own = made[*at].condition.as_ref();
            let condition = own.and_then(|own| kinds.conditions.iter().position(|known| known == own));
            let met = |kind: &Vec<bool>| condition.is_none_or(|condition| kind[condition]);
            let numbered = kinds.numbers.iter().filter(|(kind, _)| met(kind));
            made[*at].table.records = numbered.map(|(_, number)| *number).collect();
            made[*at].table.kinds = kinds.numbers.len();
        }
        Ok(kinds)
    }

    /// Says of conditions that keep some values of a variable, and all records with them, which values these are: `where` on a
    /// variable that another table shows counts a part of that table.
    pub(super) fn name_conditions(
        &mut self,
        unit: usize,
        wanted: &[&Wanted],
        of_unit: &[usize],
        made: &mut [Made],
    ) -> Result<()> {
        let mut shown: Vec<(ValueSource, Base, Rc<Column>)> = Vec::new();
        for at in of_unit {
            for (name, base) in wanted[*at].variables.iter().zip(&made[*at].inner.bases) {
                let known = shown.iter().any(|(source, _, _)| *source == base.source);
                if !known
                    && base.sets.is_none()
                    && wanted[*at].given.is_none()
                    && wanted[*at].pairs.as_ref() != Some(name)
                {
                    let column = self.column(self.variable(name)?, unit, None)?;
                    shown.push((base.source.clone(), base.clone(), column));
                }
            }
        }
        for at in of_unit {
            let Some(condition) = made[*at].condition.clone() else { continue };
            let mask = self.mask(unit, &condition)?;
            let kept = shown.iter().find_map(|(source, base, column)| {
                Some((source.clone(), base.numbered(&kept_by(&mask, column.codes(), base.values.len())?)))
            });
            made[*at].table.keeps = kept;
            made[*at].sure = self.sure_answers(unit, wanted, of_unit, &condition, &mask)?;
        }
        Ok(())
    }

    /// Says of nodes of variables that read one of several columns which answers everyone in them has one of.
    pub(super) fn name_sure_nodes(&self, wanted: &[&Wanted], of_unit: &[usize], made: &mut [Made]) -> Result<()> {
        let names: BTreeSet<&String> = of_unit.iter().flat_map(|at| &wanted[*at].variables).collect();
        let variables = names.into_iter().map(|name| self.variable(name)).collect::<Result<Vec<_>>>()?;
        for at in of_unit.iter().filter(|at| wanted[**at].given.is_none()) {
            for (dimension, name) in wanted[*at].variables.iter().enumerate() {
                let one = self.variable(name)?;
                let [column] = one.read_from() else { continue };
                let reads = |other: &&&Variable| {
                    other.columns.len() > 1 && other.columns.contains(column) && other.from == one.from
                };
                for other in variables.iter().filter(reads).filter(|other| !other.shared && !one.shared) {
                    let source = ValueSource::of_variable(other);
                    let Made { table, inner, sure_nodes, .. } = &mut made[*at];
                    let shown = &table.dimensions[dimension];
                    let numbers = self.numbers_of(&source, inner.bases[dimension].values.iter().map(String::as_str));
                    for (node, shown) in shown.nodes.iter().enumerate().filter(|_| !shown.several) {
                        let own: Option<Vec<u32>> =
                            shown.values.iter().map(|code| numbers[*code as usize - 1]).collect();
                        if let Some(mut own) = own.filter(|own| !own.is_empty()) {
                            own.sort_unstable();
                            sure_nodes.push((dimension, node, source.clone(), own));
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// For each variable of several columns that tables of a unit show, values of which every record that a condition keeps has one, as
    /// one of the columns says.
    fn sure_answers(
        &mut self,
        unit: usize,
        wanted: &[&Wanted],
        of_unit: &[usize],
        condition: &Condition,
        mask: &[bool],
    ) -> Result<Vec<(ValueSource, Vec<u32>)>> {
        let names: BTreeSet<&String> = of_unit.iter().flat_map(|at| &wanted[*at].variables).collect();
        let mut sure = Vec::new();
        let variables = names.into_iter().map(|name| self.variable(name)).collect::<Result<Vec<_>>>()?;
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
                codes.iter().zip(mask).filter(|(_, met)| **met).for_each(|(code, _)| kept[*code as usize] = true);
                // A column that the condition does not narrow says nothing of it.
                if kept[0] || codes.iter().all(|code| kept[*code as usize]) {
                    continue;
                }
                let own = numbers.iter().zip(&kept[1..]).filter(|(_, kept)| **kept).map(|(number, _)| *number);
                if let Some(mut own) = own.collect::<Option<Vec<u32>>>() {
                    own.sort_unstable();
                    sure.push((source.clone(), own));
                }
            }
        }
        Ok(sure)
    }
}

/// The codes of the records that a condition keeps, where it keeps all that have them, and not all there are.
fn kept_by(mask: &[bool], codes: &[u32], values: usize) -> Option<Vec<u32>> {
    let mut seen = vec![[false; 2]; values + 1];
    for (kept, code) in mask.iter().zip(codes) {
        let seen = &mut seen[*code as usize];
        seen[usize::from(*kept)] = true;
        if *seen == [true, true] {
            return None;
        }
    }
    let of =
        |kept: bool| (1..=values as u32).filter(|code| seen[*code as usize][usize::from(kept)]).collect::<Vec<u32>>();
    (!of(true).is_empty() && !of(false).is_empty()).then(|| of(true))
}
