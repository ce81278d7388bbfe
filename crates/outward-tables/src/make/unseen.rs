//! Values of a shown variable that no record has. A table that shows ages by group lists the groups and not the ages. So
//! somebody who knows a condition on ages cannot tell that nobody of a group meets it, unless its words say so (K9, M4).

use outward_spec::{Hierarchy, Result, Variable};

use super::rules::FileColumn;
use super::{InnerTable, Maker, UnitTables};
use crate::dimension::label_at;
use crate::files::files_of;
use crate::inner::Base;

impl Maker<'_> {
    /// The numbers that stand for a value of a column which no record has: its own if all variables of the column list
    /// it, or those of the values that are in the same nodes of all tables. None if one lists it and another does not,
    /// or if a table would show it by itself.
    pub(super) fn numbers_beside(
        &self,
        value: &str,
        (file, column): FileColumn,
        base: &Base,
        tables: UnitTables,
    ) -> Result<Vec<u32>> {
        let name = self.files.coded(file, column).0;
        let code = |of: &Base| of.values.iter().position(|own| own == value).map(|at| at as u32 + 1);
        let (mut is_listed, mut is_left_out) = (false, false);
        let mut alike: Vec<u32> = (1..=base.values.len() as u32).collect();
        for of in tables.tables() {
            for (shown, own) in of.variables() {
                let variable = self.variable(shown)?;
                if variable.read_from() != [name.to_owned()] || files_of(self.spec, variable) != [file] {
                    continue;
                }
                is_listed |= code(own).is_some();
                is_left_out |= code(own).is_none();
                let hierarchies = self.hierarchies(variable)?;
                let labels = |value: &str| labels(of, variable, &hierarchies, value);
                let own = labels(value);
                alike.retain(|code| own.is_some() && labels(&base.values[*code as usize - 1]) == own);
            }
        }
        Ok(match (is_listed, is_left_out) {
            (true, true) => Vec::new(),
            (true, false) => base.numbered(&code(base).into_iter().collect::<Vec<u32>>()),
            (false, _) => base.numbered(&alike),
        })
    }
}

/// The labels of a value at all levels of a variable that a table shows. `None` if it is shown by itself, or a hierarchy
/// has no place for it.
fn labels(of: &InnerTable, variable: &Variable, hierarchies: &[Hierarchy], value: &str) -> Option<Vec<String>> {
    let (main, more) = hierarchies.split_at(usize::from(variable.hierarchy.is_some()));
    let asked = of.wanted.levels.get(&variable.name).filter(|levels| !levels.is_empty());
    let all = || main.first().map_or_else(|| vec![0], |main| (0..main.levels() - 1).collect());
    let levels = asked.cloned().unwrap_or_else(all);
    let own = levels.iter().map(|level| main.first().filter(|_| *level > 0).map(|main| (main, *level)));
    let others = more.iter().flat_map(|more| (1..more.levels() - 1).map(move |level| Some((more, level))));
    let label = |at: Option<(&Hierarchy, usize)>| {
        let (hierarchy, level) = at?;
        Some(label_at(value, hierarchy, level)?.into_owned())
    };
    own.chain(others).map(label).collect()
}
