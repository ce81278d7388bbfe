//! What answers of linked files have in common beside what cells show: who is counted twice, who has another answer, and how many linked
//! records it takes to be counted under several values of theirs.

use std::collections::{BTreeMap, BTreeSet};

use outward_spec::Result;

use super::{Compared, Numbers, Place, Shows, Standing};
use crate::family::answers::finest;
use crate::family::{Extent, FAR, Family};

/// A larger factor than this is beyond what the solver is exact to.
const MANY: i32 = 100_000;

impl Family {
    /// What is over has no cell that could be told to be empty: where one of two is not, the other is not, by a factor of more than twice
    /// what there is anywhere.
    pub(super) fn tie_left_over(&mut self, pairs: &[(u32, u32)], shows: &Shows) -> Result<()> {
        let largest = pairs.iter().map(|(one, other)| self.value(*one).max(self.value(*other))).max();
        let many = 2 * largest.unwrap_or_default() + 2;
        let Some(many) = i32::try_from(many).ok().filter(|many| *many <= MANY) else {
            self.goes(Extent::Less, true);
            return Ok(());
        };
        for (one, other) in pairs {
            let (least, most) = (self.value(*one), self.value(*other));
            if shows.both && (least, most) == (0, 0) {
                self.system.add(0, [(*one, 1), (*other, -1)])?;
                continue;
            }
            // Nobody thinks that what is larger might be empty, or as little as what is so much smaller.
            if shows.at_most && most - least <= FAR {
                self.at_most(*one, *other, false)?;
            } else if shows.both && most <= FAR {
                self.add_at_least_nothing(vec![(*other, many), (*one, -1)])?;
            }
            if shows.tells_of_data() && least <= FAR {
                self.add_at_least_nothing(vec![(*one, many), (*other, -1)])?;
            }
        }
        self.goes(Extent::More, shows.at_most || shows.tells_of_data());
        Ok(())
    }

    /// Whoever is counted under several values of a linked file has that many records there, at least.
    pub(super) fn add_shares(
        &mut self,
        of: &[Option<(Place, Standing)>],
        standing: &BTreeMap<&Place, Vec<&Standing>>,
        units: &[&str],
        numbers: &Numbers,
    ) -> Result<()> {
        let places = self.places.clone();
        for ((_, variable), nodes) in places.lines() {
            let Some(source) = places.source(variable) else { continue };
            let linked = source.linked_file().and_then(|file| units.iter().position(|unit| *unit == file));
            let (Some(linked), Some((place, cell))) = (linked, &of[nodes[0].1 as usize]) else { continue };
            let Some(own) = numbers.known.get(&Compared::Variable(source.columns_read())) else { continue };
            // Only where each linked record has one of the values, and all of them are counted: no condition chooses some.
            let itself = |by: &u32| numbers.known.get(&Compared::Source(source.clone())) == Some(by);
            let about_data = cell.by.iter().all(|by| itself(by) || numbers.about_data.contains(by));
            let one_column = source.columns.len() == 1 && !source.pairs;
            let no_condition = numbers.known.get(&Compared::Condition(None)) == Some(&place.0);
            if cell.unit != 0 || !about_data || !one_column || !no_condition {
                continue;
            }
            let mut rest = place.clone();
            rest.1.retain(|(variable, _)| variable != own);
            let around = nodes.iter().filter_map(|(set, cell)| Some((Some(set), &of[*cell as usize].as_ref()?.0)));
            for (large, place) in around.chain([(None, &rest)]) {
                let cells = standing.get(place).into_iter().flatten();
                let Some(all) = cells.into_iter().find(|cell| cell.unit as usize == linked) else { continue };
                let finest = finest(&nodes, large).filter(|finest| finest.len() > 1).unwrap_or_default();
                let over = self.value(all.cell) - finest.iter().map(|cell| self.value(*cell)).sum::<i64>();
                if !finest.is_empty() && (0..=FAR).contains(&over) {
                    self.add_at_least_nothing(finest.iter().map(|cell| (*cell, -1)).chain([(all.cell, 1)]).collect())?;
                    self.goes(Extent::More, true);
                }
            }
        }
        Ok(())
    }
}

/// Where what is over of a sum of cells stands: where these cells do.
pub(super) fn left_over(
    terms: &[(u32, i32)],
    over: u32,
    of: &[Option<(Place, Standing)>],
    numbers: &mut Numbers,
) -> Option<(Place, Standing)> {
    let cells: Option<Vec<_>> = terms.iter().map(|(cell, by)| Some((by, of[*cell as usize].as_ref()?))).collect();
    let mut cells = cells?;
    cells.sort_unstable();
    let unit = cells.first()?.1.1.unit;
    let by: BTreeSet<u32> = cells.iter().flat_map(|(_, (_, cell))| cell.by.clone()).collect();
    let places = cells.iter().map(|(by, (place, _))| (**by, place.clone())).collect();
    let place = (numbers.of(Compared::LeftOver(places)), Vec::new());
    let kind = numbers.of(Compared::Over { several: terms.len() > 2 });
    Some((place, Standing { unit, by: by.into_iter().chain([kind]).collect(), cell: over }))
}
