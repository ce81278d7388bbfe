//! Contributors to hidden sums as attackers: each knows their own amounts, which are in the certificate and nowhere else.

use std::collections::BTreeMap;

use outward_tables::audit;
use outward_tables::protect::FamilyCertificate;
use outward_tables::{Inside, Outside};

use super::attack::Stop;

/// What contributors know of cells, by number.
#[derive(Default)]
pub(super) struct Contributors {
    /// For each of them the cells they are alone in, those they share, and what those must be able to be for them.
    people: Vec<Person>,
    /// What unsafe cells must be able to be for those who are not in them.
    outside: Vec<(u32, i64, i64)>,
}

struct Person {
    alone: Vec<(u32, i64)>,
    shared: Vec<(u32, i64)>,
    asked: BTreeMap<u32, (i64, i64)>,
}

impl Contributors {
    pub(super) fn of(
        certificate: Option<&FamilyCertificate>,
        names: &BTreeMap<String, u32>,
    ) -> std::result::Result<Self, Stop> {
        let Some(family) = certificate else { return Ok(Self::default()) };
        let cell = |name: &String| {
            names.get(name).copied().ok_or_else(|| Stop::fails("the certificate names a cell that is not published"))
        };
        let own = |cells: &[(String, i64)]| {
            cells.iter().map(|(name, amount)| Ok((cell(name)?, *amount))).collect::<std::result::Result<_, Stop>>()
        };
        let ends = |cells: &[(String, i64, i64)]| {
            let of = |(name, least, most): &(String, i64, i64)| Ok((cell(name)?, *least, *most));
            cells.iter().map(of).collect::<std::result::Result<Vec<_>, Stop>>()
        };
        let mut people = Vec::new();
        for person in &family.contributors {
            let asked = ends(&person.asked)?.into_iter().map(|(cell, least, most)| (cell, (least, most))).collect();
            people.push(Person { alone: own(&person.alone)?, shared: own(&person.shared)?, asked });
        }
        Ok(Self { people, outside: ends(&family.outside)? })
    }

    /// Bounds within which every contributor has their own amounts.
    pub(super) fn bounds(&self, bounds: &[(i64, i64)]) -> Vec<(i64, i64)> {
        let mut own = bounds.to_vec();
        for person in &self.people {
            for (cell, amount) in &person.alone {
                let (lower, upper) = &mut own[*cell as usize];
                (*lower, *upper) = ((*lower).max(*amount), (*upper).min(*amount));
            }
            for (cell, amount) in &person.shared {
                let (lower, _) = &mut own[*cell as usize];
                *lower = (*lower).max(*amount);
            }
        }
        own
    }

    /// Adds them to an attack on a table that has these values.
    pub(super) fn join(&self, choice: &mut audit::Choice, values: &[i64], hidden: &[bool]) {
        let apart = |cell: u32, (least, most): (i64, i64)| {
            let value = values[cell as usize];
            (most.saturating_sub(value).max(0), value.saturating_sub(least).max(0))
        };
        for (person, of) in (0..).zip(&self.people) {
            let alone = of.alone.iter().map(|(cell, _)| *cell).filter(|cell| hidden[*cell as usize]);
            choice.alone.push(alone.collect());
            for (cell, amount) in of.shared.iter().filter(|(cell, _)| hidden[*cell as usize]) {
                let (up, down) = of.asked.get(cell).map_or((i64::MAX, i64::MAX), |ends| apart(*cell, *ends));
                let rest = values[*cell as usize].saturating_sub(*amount).max(0);
                choice.inside.push(Inside { cell: *cell, person, rest, up, down });
            }
        }
        choice.outside = (self.outside.iter().map(|(cell, least, most)| (*cell, apart(*cell, (*least, *most)))))
            .map(|(cell, (up, down))| Outside { cell, up, down })
            .collect();
    }
}
