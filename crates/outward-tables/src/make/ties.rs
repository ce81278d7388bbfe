//! Ties between columns: one follows from the other, as a name from its code or a region from its district.
//!
//! An attacker who reads a table by region and one by district knows which districts are in a region. Suppose that each
//! value of one column always occurs with the same value of another. The coarser column then becomes a grouping of the
//! finer, as if a hierarchy gave it. What may hold by chance, in few records, is left out unless both are places. Two
//! columns that a table shows together are not tied, nor tied to the same third, unless both are places. That one
//! follows from the other is then what the table would disclose.

use std::rc::Rc;

use outward_spec::{Result, Role};

use super::beside::may_be_chance;
use super::column::VariableColumn;
use super::{InnerTable, Maker};
use crate::files::Answers;
use crate::inner::Base;
use crate::source::ValueSource;

/// A variable with one value for each record that tables show.
struct Shown {
    name: String,
    base: Base,
    /// The units whose tables show it.
    units: Vec<usize>,
}

impl Maker<'_> {
    /// For variables that are coarser than others, sets which values of these each value stands for.
    pub(super) fn tie_columns(&mut self, tables: &mut [InnerTable]) -> Result<()> {
        let shown = shown(tables);
        let columns = self.columns_of(&shown)?;
        let mut tied: Vec<(usize, usize)> = Vec::new();
        for (coarse, variable) in shown.iter().enumerate() {
            let is_told = |other: &usize| self.is_told(tables, variable, &shown[*other]);
            let beside = |fine: usize| tied.iter().filter(move |(_, of)| *of == fine).map(|(other, _)| other);
            let apart = |fine: &usize| *fine != coarse && !is_told(fine) && !beside(*fine).any(is_told);
            let finer = (0..shown.len()).filter(apart).filter_map(|fine| {
                let groups = groups(&columns[coarse], &columns[fine], &variable.units)?;
                if !self.are_places(variable, &shown[fine])
                    && is_chance(&columns[coarse], &columns[fine], &variable.units)
                {
                    return None;
                }
                // Of two equivalent columns the first is used for both.
                let equal = groups.iter().all(|group| group.len() <= 1);
                (!equal || fine < coarse).then_some((fine, groups))
            });
            let finest = finer
                .max_by_key(|(fine, groups)| (groups.iter().map(Vec::len).sum::<usize>(), std::cmp::Reverse(*fine)));
            let Some((fine, groups)) = finest else { continue };
            tied.push((coarse, fine));
            let fine = &shown[fine].base;
            let bases = tables.iter_mut().flat_map(|of| &mut of.inner.bases);
            for base in bases.filter(|base| base.sets.is_none() && base.source == variable.base.source) {
                let value = |value: &String| variable.base.values.iter().position(|known| known == value);
                let numbers = |at: Option<usize>| at.map(|at| fine.numbered(&groups[at + 1])).unwrap_or_default();
                base.numbers = base.values.iter().map(|name| numbers(value(name))).collect();
                base.source.clone_from(&fine.source);
            }
        }
        Ok(())
    }

    /// Whether a variable says where something is.
    pub(super) fn is_place(&self, name: &str) -> bool {
        let variable = self.spec.variable(name);
        variable.is_some_and(|variable| variable.role == Role::Geography || variable.geography.is_some())
    }

    /// Whether a table shows two variables together that are not both places. That one follows from the other is then a
    /// disclosure of the table, and not general knowledge: all people of a village have the same illness.
    fn is_told(&self, tables: &[InnerTable], one: &Shown, other: &Shown) -> bool {
        let reads = |shown: &Shown, name: &String| {
            self.spec.variable(name).is_some_and(|variable| ValueSource::of_variable(variable) == shown.base.source)
        };
        let shows = |of: &InnerTable, shown: &Shown| of.wanted.variables.iter().any(|name| reads(shown, name));
        !self.are_places(one, other) && tables.iter().any(|of| shows(of, one) && shows(of, other))
    }

    fn are_places(&self, one: &Shown, other: &Shown) -> bool {
        self.is_place(&one.name) && self.is_place(&other.name)
    }

    /// For each variable its column in each file that tables count.
    fn columns_of(&mut self, shown: &[Shown]) -> Result<Vec<Vec<Option<Rc<VariableColumn>>>>> {
        let units = shown.iter().flat_map(|shown| &shown.units).max().map_or(0, |last| last + 1);
        let mut columns = Vec::new();
        for variable in shown {
            let mut own = vec![None; units];
            for unit in shown.iter().flat_map(|shown| &shown.units) {
                if own[*unit].is_none() {
                    own[*unit] = Some(self.column(self.variable(&variable.name)?, *unit, None)?);
                }
            }
            columns.push(own);
        }
        Ok(columns)
    }
}

/// The variables with one value for each record that are shown, each source once.
fn shown(tables: &[InnerTable]) -> Vec<Shown> {
    let mut shown: Vec<Shown> = Vec::new();
    for of in tables.iter().filter(|of| of.wanted.given.is_none()) {
        for (name, base) in of.variables().filter(|(_, base)| base.sets.is_none()) {
            match shown.iter_mut().find(|known| known.base.source == base.source) {
                Some(known) if known.units.contains(&of.unit) => {}
                Some(known) => known.units.push(of.unit),
                None => shown.push(Shown { name: name.clone(), base: base.clone(), units: vec![of.unit] }),
            }
        }
    }
    shown
}

/// Whether one of two columns may follow from the other by chance, in the records of each of these units.
fn is_chance(coarse: &[Option<Rc<VariableColumn>>], fine: &[Option<Rc<VariableColumn>>], units: &[usize]) -> bool {
    let in_unit = |unit: &usize| {
        let (coarse, fine) = (coarse[*unit].as_ref()?, fine[*unit].as_ref()?);
        Some(may_be_chance(coarse.codes(), fine.codes()))
    };
    units.iter().all(|unit| in_unit(unit).unwrap_or(true))
}

/// For each code of the coarse column the codes of the fine column that occur with it. `None` if a fine code occurs
/// with several coarse ones in any of these units, or if the coarse column is constant.
fn groups(
    coarse: &[Option<Rc<VariableColumn>>],
    fine: &[Option<Rc<VariableColumn>>],
    units: &[usize],
) -> Option<Vec<Vec<u32>>> {
    let mut of: Vec<u32> = Vec::new();
    for unit in units {
        let (Answers::One(coarse), Answers::One(fine)) =
            (&coarse[*unit].as_ref()?.answers, &fine[*unit].as_ref()?.answers)
        else {
            return None;
        };
        for (group, code) in coarse.iter().zip(fine) {
            let code = *code as usize;
            if of.len() <= code {
                of.resize(code + 1, 0);
            }
            match of[code] {
                0 => of[code] = *group,
                known if known == *group => {}
                _ => return None,
            }
        }
    }
    let mut groups: Vec<Vec<u32>> =
        vec![Vec::new(); coarse.iter().flatten().map(|column| column.values.len() + 1).max()?];
    (1..)
        .zip(of.iter().skip(1))
        .filter(|(_, group)| **group > 0)
        .for_each(|(code, group)| groups[*group as usize].push(code));
    (groups.iter().filter(|group| !group.is_empty()).count() > 1).then_some(groups)
}
