//! The simplex method on a dictionary: how far one unknown can deviate.
//!
//! The objective is one unknown, whose own row prices the others. The true table is a feasible point, so there is no
//! phase one, and a nonbasic unknown may stay between its bounds until it enters. Arithmetic is exact, so an end that is
//! found is the end.

use std::cmp::{Ordering, Reverse};

use super::attacker_problem::{NONE, UNBOUNDED};
use super::dictionary::{Dictionary, gcd, lcm, value};
use super::witness::Point;

/// Degenerate steps after which Bland's rule applies, which cannot cycle (Bland 1977).
const BLAND_AFTER: usize = 24;

/// Most pivots of one push.
const MAX_PIVOTS: u64 = 40_000;

/// Work charged for looking up a term in its row.
const LOOKUP_WORK: u64 = 8;

/// Steps taken along an unbounded direction.
const UNBOUNDED_STEPS: i128 = 1 << 32;

/// How a push ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PushOutcome {
    /// The goal is reached or passed; the end may be further out.
    Reached,
    /// No point lies further out than the present one.
    Optimal,
    /// The unknown is unbounded: this nonbasic unknown can rise, or fall, for ever.
    Unbounded { enter: u32, rise: bool },
}

/// The bound that blocks a step (ratio test).
#[derive(Debug, Clone, Copy)]
struct BlockingBound {
    /// The row of the unknown that meets its bound; `NONE` if it is the entering unknown itself.
    row: u32,
    bound: i64,
    /// The distance to it, as a fraction.
    distance: (i128, i128),
}

impl Dictionary {
    /// Moves one unknown as far up or down as possible, or to `goal`. `None` after an overflow or too many pivots.
    pub(super) fn push(&mut self, unknown: u32, up: bool, goal: i64) -> Option<PushOutcome> {
        let (mut stuck, limit) = (0, self.pivots + (64 * self.len() as u64 + 1000).min(MAX_PIVOTS));
        loop {
            if self.reached(unknown, up, goal) {
                return Some(PushOutcome::Reached);
            }
            let Some((enter, rise)) = self.entering(unknown, up, stuck > BLAND_AFTER) else {
                return Some(PushOutcome::Optimal);
            };
            if self.pivots > limit {
                return None;
            }
            match self.step(enter, rise, stuck > BLAND_AFTER)? {
                None => return Some(PushOutcome::Unbounded { enter, rise }),
                Some(true) => stuck = 0,
                Some(false) => stuck += 1,
            }
        }
    }

    fn reached(&self, unknown: u32, up: bool, goal: i64) -> bool {
        let (value, size) = self.position(unknown);
        let goal = i128::from(goal) * size;
        if up { value >= goal } else { value <= goal }
    }

    /// The value of an unknown, as a fraction.
    fn position(&self, unknown: u32) -> (i128, i128) {
        match self.row_of[unknown as usize] {
            NONE => (i128::from(self.at[unknown as usize]), 1),
            row => (self.rows[row as usize].value, i128::from(self.rows[row as usize].size)),
        }
    }

    /// The value of an unknown, rounded towards the true one.
    pub(super) fn towards_truth(&self, unknown: u32) -> i64 {
        let (value, size) = self.position(unknown);
        (value / size) as i64
    }

    /// The entering unknown, and whether it rises; `None` if the objective is optimal.
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

    /// Moves the entering unknown until an unknown meets its bound and leaves the basis. Returns whether it moved; an inner
    /// `None` if it is unbounded, an outer one after an overflow.
    #[allow(clippy::option_option)]
    fn step(&mut self, enter: u32, rise: bool, lowest: bool) -> Option<Option<bool>> {
        self.work += LOOKUP_WORK * self.columns[enter as usize].len() as u64;
        let Some(blocking) = self.ratio_test(enter, rise, lowest)? else {
            self.shift_nonbasic(enter, if rise { self.long_step(enter)? } else { -self.long_step(enter)? });
            return Some(None);
        };
        if blocking.row == NONE {
            self.shift_nonbasic(enter, blocking.bound - self.at[enter as usize]);
        } else {
            let leave = self.rows[blocking.row as usize].unknown;
            self.at[leave as usize] = blocking.bound;
            self.pivot(blocking.row, enter)?;
        }
        Some(Some(blocking.distance.0 > 0))
    }

    /// The first bound met as an unknown rises or falls; an inner `None` if there is none, an outer one after an overflow.
    #[allow(clippy::option_option)]
    fn ratio_test(&self, enter: u32, rise: bool, lowest: bool) -> Option<Option<BlockingBound>> {
        let own = if rise { self.high[enter as usize] } else { self.low[enter as usize] };
        let distance = (i128::from(own) - i128::from(self.at[enter as usize])).abs();
        let mut first =
            (own.abs() < UNBOUNDED).then_some(BlockingBound { row: NONE, bound: own, distance: (distance, 1) });
        for number in &self.columns[enter as usize] {
            let row = &self.rows[*number as usize];
            let place = row.terms.binary_search_by_key(&enter, |(unknown, _)| *unknown).ok()?;
            let by = row.terms[place].1;
            let to_high = (by > 0) == rise;
            let bound = if to_high { self.high[row.unknown as usize] } else { self.low[row.unknown as usize] };
            if bound.abs() >= UNBOUNDED {
                continue;
            }
            let room = (i128::from(bound) * i128::from(row.size) - row.value).abs();
            let distance = (room, i128::from(by.unsigned_abs()));
            let earlier = match &first {
                None => true,
                Some(held) => {
                    match (distance.0.checked_mul(held.distance.1)?).cmp(&held.distance.0.checked_mul(distance.1)?) {
                        Ordering::Equal if held.row == NONE => false,
                        // of equal distances, the row with the smallest coefficient leaves, which keeps numbers small
                        Ordering::Equal if !lowest && distance.1 != held.distance.1 => distance.1 < held.distance.1,
                        Ordering::Equal => row.unknown < self.rows[held.row as usize].unknown,
                        order => order.is_lt(),
                    }
                }
            };
            if earlier {
                first = Some(BlockingBound { row: *number, bound, distance });
            }
        }
        Some(first)
    }

    /// Moves a nonbasic unknown, which stays nonbasic.
    fn shift_nonbasic(&mut self, unknown: u32, by: i64) {
        self.at[unknown as usize] += by;
        for number in &self.columns[unknown as usize] {
            let row = &mut self.rows[*number as usize];
            row.value = value(&row.terms, &self.at);
            self.work += row.terms.len() as u64;
        }
    }

    /// A long step that keeps integers integer.
    fn long_step(&self, unknown: u32) -> Option<i64> {
        let sizes = self.columns[unknown as usize].iter().map(|row| self.rows[*row as usize].size);
        sizes.into_iter().try_fold(1i64, lcm)?.checked_mul(1 << 32).filter(|far| *far < UNBOUNDED / 2)
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
            let (value, size) = self.position(unknown);
            if value != 0 {
                moves.push((unknown, value.checked_mul(i128::from(scale))? / size));
            }
        }
        Some(Point { scale, moves })
    }

    /// A table far out on the ray of an unbounded nonbasic unknown. A ray that is unbounded from one point is unbounded
    /// from every other. So this one starts from the true table and has whole numbers, wherever the simplex method
    /// found it.
    pub(super) fn ray(&self, enter: u32, rise: bool) -> Option<Point> {
        let by_step = if rise { UNBOUNDED_STEPS } else { -UNBOUNDED_STEPS };
        let moves = self.direction(enter)?.into_iter();
        Some(Point { scale: 1, moves: moves.map(|(unknown, by)| (unknown, by * by_step)).collect() })
    }

    /// The longest integer steps up and down along one nonbasic unknown, with the basic ones that depend on it.
    pub(super) fn circuits(&self, unknown: u32) -> Vec<Point> {
        let Some(moves) = self.direction(unknown) else { return Vec::new() };
        let stretched = |sign: i128| {
            let times = self.max_multiple(&moves, sign).unwrap_or(UNBOUNDED_STEPS);
            (times > 0)
                .then(|| Point { scale: 1, moves: moves.iter().map(|(u, by)| (*u, by * sign * times)).collect() })
        };
        [1, -1].into_iter().filter_map(stretched).collect()
    }

    /// The least integer move of a nonbasic unknown, with those of the basic ones that depend on it.
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
            *by = i128::from(step) * *by / self.position(*other).1;
        }
        Some(moves)
    }

    /// The largest multiple of an integer direction that stays within bounds from an integer point; `None` if unbounded.
    fn max_multiple(&self, moves: &[(u32, i128)], sign: i128) -> Option<i128> {
        let multiples = moves.iter().filter_map(|(unknown, by)| {
            let by = by * sign;
            let bound = if by > 0 { self.high[*unknown as usize] } else { self.low[*unknown as usize] };
            let (value, size) = self.position(*unknown);
            (bound.abs() < UNBOUNDED).then(|| (i128::from(bound) - value / size) / by)
        });
        multiples.min()
    }

    /// Walks from the present point, which must be integer, towards a goal in up to `steps` integer steps. If no direction is open, a
    /// pivot may open others, up to `exchanges` times. The walk may end before the true end: where two unknowns can only rise in turn, it goes
    /// one unit a step. Returns whether it is unbounded; `None` after an overflow.
    pub(super) fn walk(
        &mut self,
        unknown: u32,
        up: bool,
        goal: i64,
        (mut steps, mut exchanges): (usize, usize),
    ) -> Option<bool> {
        while steps > 0 && !self.reached(unknown, up, goal) {
            steps -= 1;
            let terms = match self.row_of[unknown as usize] {
                NONE => vec![(unknown, 1)],
                row => self.rows[row as usize].terms.clone(),
            };
            let mut lookups = 0;
            let open = terms.iter().find_map(|(enter, by)| {
                lookups += LOOKUP_WORK * self.columns[*enter as usize].len() as u64;
                let sign = if (*by > 0) == up { 1 } else { -1 };
                let moves = self.direction(*enter)?;
                let times = self.max_multiple(&moves, sign);
                (times != Some(0)).then(|| (*enter, moves[0].1 * sign, times))
            });
            self.work += lookups;
            if let Some((enter, by, times)) = open {
                self.shift_nonbasic(enter, i64::try_from(by * times.unwrap_or(UNBOUNDED_STEPS)).ok()?);
                if times.is_none() {
                    return Some(true);
                }
                continue;
            }
            if exchanges == 0 || terms.is_empty() {
                break;
            }
            exchanges -= 1;
            let (enter, by) = terms[exchanges % terms.len()];
            match self.ratio_test(enter, (by > 0) == up, false)? {
                Some(blocking) if blocking.row != NONE => {
                    let row = &self.rows[blocking.row as usize];
                    self.at[row.unknown as usize] = i64::try_from(row.value / i128::from(row.size)).ok()?;
                    self.pivot(blocking.row, enter)?;
                }
                _ => {}
            }
        }
        Some(false)
    }
}
