//! Hides cells of tables. Linked tables are done together.

use std::collections::BTreeSet;

use outward_spec::{HidingCost, Protection, Result};

use super::counted::Totals;
use super::{MarkedFamily, Work};
use crate::table::Figure;
use outward_suppress::suppress::{self, Cost, Failure, Unprotectable, VirtualCell};

impl Work<'_> {
    /// Hides the unsafe cells of a family, and the secondary suppressions that they need.
    pub(super) fn hide(&mut self, held: &MarkedFamily, protection: &Protection) -> Result<()> {
        let MarkedFamily { family, marks } = held;
        if !marks.asks(&family.system) {
            return Ok(());
        }
        let system = &marks.known.bounded(&family.system);
        let virtual_cell = |terms: &Vec<(u32, i32)>| VirtualCell {
            terms: terms.clone(),
            lower_protection: marks.width(terms),
            upper_protection: marks.width(terms),
            sliding_protection: 1,
        };
        let choice = suppress::SuppressionOptions {
            cost: match protection.cost {
                HidingCost::Value | HidingCost::Variable => Cost::AsGiven,
                HidingCost::One => Cost::ByOne,
            },
            alone: marks.known.alone.clone(),
            inside: marks.known.inside.clone(),
            outside: marks.known.outside.clone(),
            virtual_cells: marks.sums.iter().map(virtual_cell).collect(),
            ..suppress::SuppressionOptions::default()
        };
        let pattern = match suppress::suppress(system, &choice) {
            Err(Failure::Unprotectable(_)) => suppress::suppress(&marks.thawed(system), &choice),
            other => other,
        };
        let pattern = pattern.map_err(|failure| match failure {
            Failure::Unprotectable(cells) => {
                let error = cells.named(|cell| self.name_of(held, cell));
                let help = self.tables_in_the_way(held, &cells).or_else(|| self.releases_in_the_way(held, &cells));
                match help {
                    Some(help) => error.with_fault(|fault| fault.help(help)),
                    None => error,
                }
            }
            Failure::Other(error) => error,
        })?;
        let how = if pattern.proven_optimal { "no cheaper choice exists" } else { "found by search" };
        for (place, at) in family.tables.iter().enumerate() {
            let mut hidden = 0;
            for cell in 0..self.made[*at].table.len() {
                if pattern.hidden[family.cells[place][cell] as usize] {
                    self.figures[*at][cell] = Figure::Hidden;
                    hidden += 1;
                }
            }
            self.chosen[*at] = (hidden, how);
        }
        Ok(())
    }

    /// Advice if no choice of hidden cells protects: the tables to change. These show the cells or parts of them, or
    /// imply something about them from a linked file. `None` if it is only one table, or if cells that must be shown
    /// are in the way.
    fn tables_in_the_way(&self, held: &MarkedFamily, failure: &Unprotectable) -> Option<String> {
        let family = &held.family;
        let own: BTreeSet<u32> = failure.cells.iter().chain(&failure.contributor).copied().collect();
        let totals = Totals::new(&family.system);
        let cells = 0..family.system.cells.len() as u32;
        let mut near: BTreeSet<u32> =
            cells.filter(|cell| totals.above(&[*cell]).iter().any(|total| own.contains(total))).collect();
        let links = family.implied.iter().filter(|of| of.by.iter().any(|(cell, _)| near.contains(cell)));
        let linked: Vec<u32> = links.flat_map(|of| of.inside.clone()).collect();
        near.extend(linked);
        for (one, other) in &family.tells {
            if near.contains(one) || near.contains(other) {
                near.extend([*one, *other]);
            }
        }
        let shows = |place: &usize| family.cells[*place].iter().any(|cell| near.contains(cell));
        let tables = (0..family.tables.len()).filter(shows).map(|place| &self.made[family.tables[place]].table.name);
        let names: Vec<String> = tables.map(|name| format!("`{name}`")).collect();
        (failure.frozen.is_empty() && names.len() > 1).then(|| {
            format!(
                "drop, join or coarsen some of these tables, which reveal cells of each other: {}",
                names.join(", ")
            )
        })
    }

    /// Advice if only cells that earlier releases show are in the way: the releases. `None` if there are none, or others
    /// are in the way too.
    fn releases_in_the_way(&self, held: &MarkedFamily, failure: &Unprotectable) -> Option<String> {
        let MarkedFamily { family, marks } = held;
        if failure.frozen.is_empty() || !marks.is_public(&failure.frozen) {
            return None;
        }
        let shows = |(cells, at): &(&Vec<u32>, &usize)| {
            self.made[**at].earlier.is_some() && cells.iter().any(|cell| failure.frozen.contains(cell))
        };
        let tables = family.cells.iter().zip(&family.tables).filter(shows);
        let releases: BTreeSet<String> =
            tables.filter_map(|(_, at)| Some(format!("`{}`", self.made[*at].earlier.as_ref()?.release))).collect();
        Some(format!(
            "what is public in {} cannot be hidden any more: leave the cell's row or table out, or make the table coarser there",
            releases.into_iter().collect::<Vec<_>>().join(", ")
        ))
    }

    /// How many figures are hidden in all tables.
    pub(super) fn hidden(&self) -> usize {
        self.figures.iter().flatten().filter(|figure| **figure == Figure::Hidden).count()
    }

    /// Hides a cell in every table that shows it, if one table hides it (K1). Cells that are public already stay
    /// public.
    pub(super) fn hide_everywhere(&mut self, held: &MarkedFamily) {
        let MarkedFamily { family, .. } = held;
        let mut hidden = vec![false; family.system.cells.len()];
        for (cells, at) in family.cells.iter().zip(&family.tables) {
            let figures = cells.iter().zip(&self.figures[*at]);
            figures.for_each(|(cell, figure)| hidden[*cell as usize] |= *figure == Figure::Hidden);
        }
        for (cells, at) in family.cells.iter().zip(&family.tables).filter(|(_, at)| self.made[**at].earlier.is_none()) {
            let same = cells.iter().zip(&mut self.figures[*at]).filter(|(cell, _)| hidden[**cell as usize]);
            same.for_each(|(_, figure)| *figure = Figure::Hidden);
        }
    }

    /// Notes how many cells are hidden in each table, once all measures are done.
    pub(super) fn note_hidden(&mut self) {
        for (at, (chosen, how)) in self.chosen.iter().enumerate() {
            let hidden = self.figures[at].iter().filter(|figure| **figure == Figure::Hidden).count();
            let before = match self.made[at].hidden.len() {
                0 => String::new(),
                before => format!(", {before} of them already before"),
            };
            let with = match hidden - chosen {
                0 => String::new(),
                with => format!(", {with} of them because the same records are hidden in another measure"),
            };
            if hidden > 0 {
                let how = if *chosen > 0 { format!(", {how}") } else { String::new() };
                self.outcomes[at].notes.push(format!("{hidden} cells hidden in all{before}{with}{how}"));
            }
        }
    }

    /// The name of a cell of the system.
    fn name_of(&self, held: &MarkedFamily, cell: u32) -> String {
        match held.family.homes[cell as usize] {
            Some((place, at)) => {
                let table = &self.made[held.family.tables[place]].table;
                format!("({}: {})", table.name, table.describe(at))
            }
            None => "that follows from several tables".to_owned(),
        }
    }
}
