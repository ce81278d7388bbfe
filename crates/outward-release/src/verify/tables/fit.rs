//! A table that fits what is published, for those who do not have the one it was published from.

use outward_audit::find_integer_solution;
use outward_spec::{ProtectionMethod, Rounding};
use outward_tables::Figure;

use super::attack::Stop;
use super::attacked::Attacked;
use super::links::DATA;
use super::repair::{project, repair};
use super::tighten::tighten;

pub(super) const NO_TABLE: &str = "no table fits what is published: figures disagree or sums do not hold";

const TOO_LARGE: &str = "figures are too large to find a table that fits";

/// Of so few unknown cells an integer program finds whole numbers at once, and those from which the attack is shortest.
const FEW: usize = 400;

impl Attacked<'_> {
    /// A table that fits: what is known beforehand and all sums hold.
    pub(super) fn fit(&self, bounds: &[(i64, i64)]) -> std::result::Result<Vec<i64>, Stop> {
        if bounds.iter().any(|(lower, upper)| lower > upper) {
            return Err(Stop::fails(NO_TABLE));
        }
        let equations = &self.relations.equations;
        if tighten(bounds, equations).is_none() {
            return Err(Stop::fails(NO_TABLE));
        }
        if self.manifest.protection.method == ProtectionMethod::Round
            && self.manifest.protection.rounding == Rounding::Controlled
        {
            // Figures that add up are a table that fits, so that only what nobody publishes is looked for.
            let figure = |cell: usize| match self.cells.figures.get(cell) {
                Some(Some(Figure::Shown(value))) => Some(*value),
                _ => None,
            };
            let known: Vec<Option<i64>> = (0..bounds.len()).map(figure).collect();
            let right: Vec<(i64, Vec<(u32, i32)>)> = equations.iter().map(|terms| (0, terms.clone())).collect();
            if let Some(values) = find_integer_solution(&known, &right)?.filter(|values| self.fits(bounds, values)) {
                return Ok(values);
            }
        }
        // Away from the ends other tables that fit are near at hand, and the attack is short.
        let narrower = inner(bounds, self.cells.places.len());
        let narrower = tighten(&narrower, equations).map_or_else(|| bounds.to_vec(), |_| narrower);
        if bounds.iter().filter(|(lower, upper)| lower < upper).count() <= FEW
            && let Some(values) = self.search(&narrower)?
        {
            return Ok(values);
        }
        let start = |(cell, (lower, upper)): (usize, &(i64, i64))| match self.cells.figures.get(cell) {
            Some(Some(Figure::Shown(value))) => *value as f64,
            _ if *upper < i64::MAX => (*lower as f64 + *upper as f64) / 2.0,
            _ => *lower as f64,
        };
        let start: Vec<f64> = bounds.iter().enumerate().map(start).collect();
        let tried = if narrower == bounds { vec![bounds] } else { vec![&narrower[..], bounds] };
        for within in tried {
            let near = project(start.clone(), within, equations);
            if let Some(values) = repair(&near, within, equations).filter(|values| self.fits(bounds, values)) {
                return Ok(values);
            }
        }
        self.search(bounds)?.ok_or_else(|| Stop::fails(NO_TABLE))
    }

    /// Some other tables that fit, as far from a known one in each cell as chance has it.
    pub(super) fn other_tables(&self, values: &[i64], count: usize) -> Vec<Vec<i64>> {
        let other = |number: usize| {
            // Every cell begins a little off, by a number that looks random and is the same in every run (Knuth's multiplicative hash).
            let off = |cell: usize| ((cell + 1).wrapping_mul(2_654_435_761).wrapping_mul(2 * number + 1) >> 16) % 9;
            let start = values.iter().enumerate().map(|(cell, value)| *value as f64 + off(cell) as f64 - 4.0).collect();
            let near = project(start, &self.bounds, &self.relations.equations);
            let found = repair(&near, &self.bounds, &self.relations.equations);
            found.filter(|values| self.fits(&self.bounds, values))
        };
        (0..count).filter_map(other).collect()
    }

    /// A table within bounds, by the solver; none where there is none.
    fn search(&self, bounds: &[(i64, i64)]) -> std::result::Result<Option<Vec<i64>>, Stop> {
        let equations = &self.relations.equations;
        // Each unknown is counted from its least value, and what is left to its largest is one more.
        let known = |(lower, upper): &(i64, i64)| (lower == upper).then_some(0);
        let mut unknown: Vec<Option<i64>> = bounds.iter().map(known).collect();
        let right = |terms: &Vec<(u32, i32)>| {
            let sum: i128 =
                terms.iter().map(|(cell, by)| i128::from(bounds[*cell as usize].0) * i128::from(-*by)).sum();
            i64::try_from(sum).map(|sum| (sum, terms.clone())).map_err(|_| Stop::cannot_tell(TOO_LARGE))
        };
        let mut shifted = equations.iter().map(right).collect::<std::result::Result<Vec<_>, Stop>>()?;
        for (cell, (lower, upper)) in bounds.iter().enumerate() {
            if lower < upper && *upper < i64::MAX {
                shifted.push((upper - lower, vec![(cell as u32, 1), (unknown.len() as u32, 1)]));
                unknown.push(None);
            }
        }
        // Where all is known there is nothing to look for.
        let found = if unknown.contains(&None) {
            find_integer_solution(&unknown, &shifted)?
        } else {
            Some(vec![0; unknown.len()])
        };
        let Some(above) = found else { return Ok(None) };
        let values: Vec<i64> =
            bounds.iter().zip(&above).map(|((lower, _), above)| lower.saturating_add(*above)).collect();
        match self.fits(bounds, &values) {
            true => Ok(Some(values)),
            false if !unknown.contains(&None) => Ok(None),
            false => Err(Stop::cannot_tell(TOO_LARGE)),
        }
    }

    fn fits(&self, bounds: &[(i64, i64)], values: &[i64]) -> bool {
        let sum = |terms: &Vec<(u32, i32)>| -> i128 {
            terms.iter().map(|(cell, by)| i128::from(values[*cell as usize]) * i128::from(*by)).sum()
        };
        values.iter().zip(bounds).all(|(value, (lower, upper))| (lower..=upper).contains(&value))
            && self.relations.equations.iter().all(|terms| sum(terms) == 0)
    }

    /// A table that fits in which there is one in each count of one. What a lone contributor gave to a sum is not known here, so that
    /// any table will do in which no hidden sum, nor what is left between them if that can be, is as small as it can be; none where there
    /// is no such table.
    pub(super) fn with_own(&self, alone: &[Vec<u32>]) -> std::result::Result<Option<Vec<i64>>, Stop> {
        if self.counts() {
            let mut bounds = self.bounds.clone();
            let data = |cell: &&u32| self.cells.units[self.cells.places[**cell as usize].unit as usize] == DATA;
            for person in alone {
                // Whoever was in the only collision knows how many were hurt in it, and that need not be one.
                let own: Vec<&u32> = person.iter().filter(data).collect();
                let (ones, more) =
                    if own.is_empty() { (person.iter().collect(), Vec::new()) } else { (own, person.iter().collect()) };
                more.into_iter().for_each(|cell| bounds[*cell as usize].0 = bounds[*cell as usize].0.max(1));
                ones.into_iter().for_each(|cell| bounds[*cell as usize] = (1, 1));
            }
            return self.fit(&bounds).map(Some);
        }
        for cells in [self.bounds.len(), self.cells.places.len()] {
            match self.search(&inner(&self.bounds, cells)) {
                Err(Stop::Check(_)) | Ok(None) => {}
                found => return found,
            }
        }
        Ok(None)
    }
}

/// Bounds without their ends for the first cells, where there is something between them.
fn inner(bounds: &[(i64, i64)], cells: usize) -> Vec<(i64, i64)> {
    let mut inner = bounds.to_vec();
    let wide = |(lower, upper): &&mut (i64, i64)| upper.saturating_sub(*lower) >= 2;
    for (lower, upper) in inner.iter_mut().take(cells).filter(wide) {
        *lower += 1;
        *upper -= i64::from(*upper < i64::MAX);
    }
    inner
}
