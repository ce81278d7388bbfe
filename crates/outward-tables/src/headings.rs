//! Finds hierarchy files whose first row may be headings that were read as a value.

use std::path::Path;

use outward_spec::{Result, Spec};

use crate::make::CountedTable;

/// A message for each variable of these tables whose hierarchy may begin with headings: no record in the tables has its
/// first value, and no label of that row occurs elsewhere.
///
/// # Errors
/// Where a hierarchy cannot be read.
pub fn headings_as_values(spec: &Spec, made: &[CountedTable]) -> Result<Vec<String>> {
    let mut said = Vec::new();
    for variable in &spec.variables {
        let file = variable.hierarchy.as_ref().filter(|of| of.may_hold_headings()).and_then(|of| of.own_file());
        let (Some(file), Some(hierarchy)) = (file, spec.hierarchy(variable)?) else { continue };
        let Some(first) = hierarchy.first_value().filter(|_| hierarchy.first_row_stands_apart()) else { continue };
        let mut showing = made.iter().filter_map(|made| Some((made, place(made, &variable.name)?))).peekable();
        if showing.peek().is_some() && !showing.any(|(made, at)| occurs(made, at, first)) {
            said.push(in_words(&variable.name, file));
        }
    }
    Ok(said)
}

/// The position of a variable among those of a table.
fn place(made: &CountedTable, variable: &str) -> Option<usize> {
    made.inner.bases.iter().position(|base| base.variable == variable)
}

/// Whether any record counted in a table has this value of a variable.
fn occurs(made: &CountedTable, variable: usize, value: &str) -> bool {
    let inner = &made.inner;
    let Some(code) = inner.bases[variable].values.iter().position(|known| known == value) else { return false };
    let has = |cell: usize| inner.answers(variable, &inner.cell(cell)[variable]).contains(&(code as u32 + 1));
    (0..inner.tallies.len()).any(|cell| inner.tallies[cell].count > 0 && has(cell))
}

fn in_words(variable: &str, file: &Path) -> String {
    format!(
        "nobody in these tables has the first value of the hierarchy of `{variable}`, and the labels of its row occur nowhere else: if the first row of {} has headings, write `header = true` next to `file`",
        file.display()
    )
}
