//! Rounds tables, unit by unit.

use outward_spec::{Error, Protection, Result, Rounding};

use super::Work;
use super::publish::shown_value;
use crate::family::{Family, value_of};
use crate::table::Figure;
use outward_suppress::perturb::CellKey;
use outward_suppress::round::{self, Controlled};

impl Work<'_> {
    /// Rounds the tables of a family.
    pub(super) fn round(&mut self, family: &Family, protection: &Protection, threshold: i64) -> Result<()> {
        let system = &family.system;
        let base = self.base(protection);
        // Counts up to the threshold are unsafe, so the base must be above it.
        round::minimum_base(base, threshold + 1)?;
        let (values, steps, note) = match protection.rounding {
            Rounding::Controlled => {
                let rounded = round::controlled(system, &Controlled::to(base))?;
                if !rounded.additive {
                    return Err(Error::input("no rounding was found for which all totals hold")
                        .help("take a larger base, show fewer tables together, or `rounding = \"random\"`")
                        .into());
                }
                let note = format!("rounded so that all totals hold: {}", rounded_how(rounded.method));
                (rounded.values, rounded.steps, note)
            }
            Rounding::Random => {
                let value = |(cell, home): (usize, &Option<(usize, usize)>)| match home {
                    Some((place, at)) => {
                        let key = self.made[family.tables[*place]].table.keys[*at];
                        round::random(system.cells[cell].value, base, CellKey(key).fraction())
                    }
                    None => 0,
                };
                let values = family.homes.iter().enumerate().map(value).collect();
                (values, 0, "rounded at random by cell keys".to_owned())
            }
            Rounding::Conventional => {
                let values = system.cells.iter().map(|cell| round::conventional(cell.value, base)).collect();
                (values, 0, "rounded to the nearest multiple".to_owned())
            }
        };
        for (place, at) in family.tables.iter().enumerate() {
            let table = &self.made[*at].table;
            for cell in 0..table.len() {
                let value = values[family.cells[place][cell] as usize];
                let low = protection.mark_low && value == 0 && value_of(table, cell) > 0;
                self.figures[*at][cell] = if low { Figure::Low } else { shown_value(table, cell, value) };
            }
            self.steps[*at] = steps;
            self.outcomes[*at].notes.push(note.clone());
        }
        Ok(())
    }

    /// The base that readers are told.
    pub(super) fn base(&self, protection: &Protection) -> i64 {
        i64::try_from(protection.base).unwrap_or(i64::MAX)
    }
}

/// The least and the largest count that a reader of this figure must consider possible, if they know how tables were
/// rounded.
pub fn possible(figure: Figure, protection: &Protection, steps: u32) -> (i64, i64) {
    let base = i64::try_from(protection.base).unwrap_or(i64::MAX);
    let around = |value: i64| match protection.rounding {
        Rounding::Conventional => ((value - base / 2).max(0), value.saturating_add((base - 1) / 2)),
        Rounding::Controlled | Rounding::Random => round::interval(value, base, steps),
    };
    match figure {
        // If counts that round to zero are marked, an unmarked zero is a true zero.
        Figure::Shown(0) if protection.mark_low => (0, 0),
        Figure::Shown(value) => around(value),
        Figure::Low => (1, around(0).1),
        Figure::Hidden | Figure::NotApplicable => (0, i64::MAX),
    }
}

/// How a controlled rounding was found, in words.
pub fn rounded_how(method: round::RoundingQuality) -> &'static str {
    match method {
        round::RoundingQuality::Optimal => "each cell to a neighbouring multiple, and none is nearer",
        round::RoundingQuality::Feasible => "each cell to a neighbouring multiple",
        round::RoundingQuality::Steps(_) => "some cells beyond their neighbouring multiples",
        round::RoundingQuality::Heuristic => "inner cells to a neighbouring multiple, totals as their sums",
    }
}
