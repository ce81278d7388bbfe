//! The simplex method on a dictionary: how far one unknown can go.
//!
//! The objective is one unknown, whose own row prices the others. The true table is a feasible point, so there is no
//! first phase, and an unknown that is not basic may rest between its bounds until it is wanted. All numbers are
//! whole or fractions of whole numbers: an end that is found is the end.

use std::cmp::{Ordering, Reverse};

use super::attack::{FREE, NONE};
use super::dictionary::{Dictionary, gcd, lcm, value};
use super::witness::Point;

/// Steps without progress after which the lowest number decides, which cannot cycle (Bland 1977).
const PATIENCE: usize = 24;

/// Steps after which any search is given up.
const LONG: u64 = 40_000;

/// What it takes to look a term up in its row, beside going through it.
const SOUGHT: u64 = 8;

/// How often a direction is gone that has no end.
const FAR: i128 = 1 << 32;

/// How a search for an end came out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// The goal is reached or passed; the end may be further out.
    Reached,
    /// No point lies further out than the present one.
    Optimal,
    /// There is no end.
    Unbounded,
}

/// What ends a step.
#[derive(Debug, Clone, Copy)]
struct Stop {
    /// The row of the unknown that meets its bound; none where it is the moving one itself.
    row: u32,
    bound: i64,
    /// How far it is, as a fraction.
    way: (i128, i128),
}

impl Dictionary {
    /// Moves one unknown as far up or down as can be, or to `goal`. `None` where numbers grow too large or the work too long.
    pub(super) fn push(&mut self, unknown: u32, up: bool, goal: i64) -> Option<End> {
        let (mut stuck, limit) = (0, self.pivots + (64 * self.len() as u64 + 1000).min(LONG));
        loop {
            if self.reached(unknown, up, goal) {
                return Some(End::Reached);
            }
            let Some((enter, rise)) = self.entering(unknown, up, stuck > PATIENCE) else {
                return Some(End::Optimal);
            };
            if self.pivots > limit {
                return None;
            }
            match self.step(enter, rise, stuck > PATIENCE)? {
                None => return Some(End::Unbounded),
                Some(true) => stuck = 0,
                Some(false) => stuck += 1,
            }
        }
    }

    fn reached(&self, unknown: u32, up: bool, goal: i64) -> bool {
        let (value, size) = self.place(unknown);
        let goal = i128::from(goal) * size;
        if up { value >= goal } else { value <= goal }
    }

    /// Where an unknown is, as a fraction.
    fn place(&self, unknown: u32) -> (i128, i128) {
        match self.row_of[unknown as usize] {
            NONE => (i128::from(self.at[unknown as usize]), 1),
            row => (self.rows[row as usize].value, i128::from(self.rows[row as usize].size)),
        }
    }

    /// Where an unknown is, rounded towards the true value.
    pub(super) fn towards_truth(&self, unknown: u32) -> i64 {
        let (value, size) = self.place(unknown);
        (value / size) as i64
    }

    /// The unknown to move, and whether upwards, so that the objective gains; none where it has come to its end.
    fn entering(&self, objective: u32, up: bool, lowest: bool) -> Option<(u32, bool)> {
        let free = |unknown: u32, rise: bool| {
            let at = self.at[unknown as usize];
            if rise { at < self.high[unknown as usize] } else { at > self.low[unknown as usize] }
        };
        let row = self.row_of[objective as usize];
        if row == NONE {
            return free(objective, up).then_some((objective, up));
        }
        let row = &self.rows[row as usize];
        let bound = if up { self.high[objective as usize] } else { self.low[objective as usize] };
        if row.value == i128::from(bound) * i128::from(row.size) {
            return None;
        }
        let gaining = row.terms.iter().filter(|(unknown, by)| free(*unknown, (*by > 0) == up));
        let chosen = if lowest {
            gaining.min_by_key(|(unknown, _)| *unknown)
        } else {
            gaining.min_by_key(|(unknown, by)| (Reverse(by.abs()), self.columns[*unknown as usize].len(), *unknown))
        };
        chosen.map(|(unknown, by)| (*unknown, (*by > 0) == up))
    }

    /// Moves an unknown until something meets its bound, which then leaves the basis. Whether it moved at all; nothing
    /// where it could move for ever.
    #[allow(clippy::option_option)]
    fn step(&mut self, enter: u32, rise: bool, lowest: bool) -> Option<Option<bool>> {
        self.work += SOUGHT * self.columns[enter as usize].len() as u64;
        let Some(stop) = self.stop(enter, rise, lowest)? else {
            self.slide(enter, if rise { self.far(enter)? } else { -self.far(enter)? });
            return Some(None);
        };
        if stop.row == NONE {
            self.slide(enter, stop.bound - self.at[enter as usize]);
        } else {
            let leave = self.rows[stop.row as usize].unknown;
            self.at[leave as usize] = stop.bound;
            self.exchange(stop.row, enter)?;
        }
        Some(Some(stop.way.0 > 0))
    }

    /// What an unknown meets first on its way up or down; nothing where there is nothing.
    #[allow(clippy::option_option)]
    fn stop(&self, enter: u32, rise: bool, lowest: bool) -> Option<Option<Stop>> {
        let own = if rise { self.high[enter as usize] } else { self.low[enter as usize] };
        let way = (i128::from(own) - i128::from(self.at[enter as usize])).abs();
        let mut first = (own.abs() < FREE).then_some(Stop { row: NONE, bound: own, way: (way, 1) });
        for number in &self.columns[enter as usize] {
            let row = &self.rows[*number as usize];
            let place = row.terms.binary_search_by_key(&enter, |(unknown, _)| *unknown).ok()?;
            let by = row.terms[place].1;
            let to_high = (by > 0) == rise;
            let bound = if to_high { self.high[row.unknown as usize] } else { self.low[row.unknown as usize] };
            if bound.abs() >= FREE {
                continue;
            }
            let room = (i128::from(bound) * i128::from(row.size) - row.value).abs();
            let way = (room, i128::from(by.unsigned_abs()));
            let earlier = match &first {
                None => true,
                Some(held) => match (way.0.checked_mul(held.way.1)?).cmp(&held.way.0.checked_mul(way.1)?) {
                    Ordering::Equal if held.row == NONE => false,
                    // small numbers stay small if the row leaves in which the unknown has the smallest
                    Ordering::Equal if !lowest && way.1 != held.way.1 => way.1 < held.way.1,
                    Ordering::Equal => row.unknown < self.rows[held.row as usize].unknown,
                    order => order.is_lt(),
                },
            };
            if earlier {
                first = Some(Stop { row: *number, bound, way });
            }
        }
        Some(first)
    }

    /// Moves an unknown that is not basic, and stays so.
    fn slide(&mut self, unknown: u32, by: i64) {
        self.at[unknown as usize] += by;
        for number in &self.columns[unknown as usize] {
            let row = &mut self.rows[*number as usize];
            row.value = value(&row.terms, &self.at);
            self.work += row.terms.len() as u64;
        }
    }

    /// A long way that keeps whole numbers whole.
    fn far(&self, unknown: u32) -> Option<i64> {
        let sizes = self.columns[unknown as usize].iter().map(|row| self.rows[*row as usize].size);
        sizes.into_iter().try_fold(1i64, lcm)?.checked_mul(1 << 32).filter(|far| *far < FREE / 2)
    }

    /// The present point.
    pub(super) fn point(&self) -> Option<Point> {
        let mut scale = 1i64;
        for row in self.rows.iter().filter(|row| row.size > 1 && row.value % i128::from(row.size) != 0) {
            let size = row.size
                / gcd(row.size.unsigned_abs(), (row.value % i128::from(row.size)).unsigned_abs() as u64) as i64;
            scale = lcm(scale, size)?;
        }
        let mut moves = Vec::new();
        for unknown in 0..self.len() as u32 {
            let (value, size) = self.place(unknown);
            if value != 0 {
                moves.push((unknown, value.checked_mul(i128::from(scale))? / size));
            }
        }
        Some(Point { scale, moves })
    }

    /// The longest whole steps up and down along one unknown that is not basic, and all that follows it.
    pub(super) fn circuits(&self, unknown: u32) -> Vec<Point> {
        let Some(moves) = self.direction(unknown) else { return Vec::new() };
        let stretched = |sign: i128| {
            let times = self.stretch(&moves, sign).unwrap_or(FAR);
            (times > 0)
                .then(|| Point { scale: 1, moves: moves.iter().map(|(u, by)| (*u, by * sign * times)).collect() })
        };
        [1, -1].into_iter().filter_map(stretched).collect()
    }

    /// The least whole move of an unknown that is not basic, and of the basic ones that follow it.
    fn direction(&self, unknown: u32) -> Option<Vec<(u32, i128)>> {
        if self.row_of[unknown as usize] != NONE {
            return None;
        }
        let mut step = 1i64;
        let mut moves = vec![(unknown, 0)];
        for number in &self.columns[unknown as usize] {
            let row = &self.rows[*number as usize];
            let place = row.terms.binary_search_by_key(&unknown, |(other, _)| *other).ok()?;
            let by = row.terms[place].1;
            step = lcm(step, row.size / gcd(by.unsigned_abs(), row.size.unsigned_abs()) as i64)?;
            moves.push((row.unknown, i128::from(by)));
        }
        moves[0].1 = i128::from(step);
        for (other, by) in &mut moves[1..] {
            *by = i128::from(step) * *by / self.place(*other).1;
        }
        Some(moves)
    }

    /// How often a whole direction may be gone from the present point, where that is whole too; nothing where for ever.
    fn stretch(&self, moves: &[(u32, i128)], sign: i128) -> Option<i128> {
        let ways = moves.iter().filter_map(|(unknown, by)| {
            let by = by * sign;
            let bound = if by > 0 { self.high[*unknown as usize] } else { self.low[*unknown as usize] };
            let (value, size) = self.place(*unknown);
            (bound.abs() < FREE).then(|| (i128::from(bound) - value / size) / by)
        });
        ways.min()
    }

    /// Goes from the present point, which must be whole, towards a goal in whole steps only. Where no direction is open,
    /// unknowns are exchanged in their places, which opens others, up to so many times; it may stop short of what is
    /// possible. Whether it could go on for ever; `None` where numbers grow too large.
    pub(super) fn walk(&mut self, unknown: u32, up: bool, goal: i64, mut turns: usize) -> Option<bool> {
        while !self.reached(unknown, up, goal) {
            let terms = match self.row_of[unknown as usize] {
                NONE => vec![(unknown, 1)],
                row => self.rows[row as usize].terms.clone(),
            };
            let mut sought = 0;
            let open = terms.iter().find_map(|(enter, by)| {
                sought += SOUGHT * self.columns[*enter as usize].len() as u64;
                let sign = if (*by > 0) == up { 1 } else { -1 };
                let moves = self.direction(*enter)?;
                let times = self.stretch(&moves, sign);
                (times != Some(0)).then(|| (*enter, moves[0].1 * sign, times))
            });
            self.work += sought;
            if let Some((enter, by, times)) = open {
                self.slide(enter, i64::try_from(by * times.unwrap_or(FAR)).ok()?);
                if times.is_none() {
                    return Some(true);
                }
                continue;
            }
            if turns == 0 || terms.is_empty() {
                break;
            }
            turns -= 1;
            let (enter, by) = terms[turns % terms.len()];
            match self.stop(enter, (by > 0) == up, false)? {
                Some(stop) if stop.row != NONE => {
                    let row = &self.rows[stop.row as usize];
                    self.at[row.unknown as usize] = i64::try_from(row.value / i128::from(row.size)).ok()?;
                    self.exchange(stop.row, enter)?;
                }
                _ => {}
            }
        }
        Some(false)
    }
}
