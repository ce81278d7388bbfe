//! The exact attack: n records agree with everything the intruder knows. The intruder claims one of them, with
//! confidence 1/n.

use outward_random::Random;

use super::answer::{Answer, Fitting, draws_of, own_row};
use super::join::{Joined, Lists};
use super::people::Truth;

/// One release joined with the people looked for.
pub(super) struct Exact<'a> {
    pub(super) joined: &'a Joined,
    pub(super) rows: &'a Lists,
    pub(super) truth: &'a [Truth],
    pub(super) random: Random,
}

impl Exact<'_> {
    /// The intruder's answers for some people. `held_out` holds out their own records.
    pub(super) fn answers(&self, people: &[u32], held_out: bool) -> Vec<Answer> {
        people.iter().map(|person| self.answer(*person, held_out)).collect()
    }

    fn answer(&self, person: u32, held_out: bool) -> Answer {
        let own = own_row(self.truth[person as usize]).filter(|_| held_out);
        let fitting = Fitting::new(self.joined, self.rows, person, own);
        let drawn = if fitting.count > 1 { draws_of(&self.random, person).below(fitting.count) } else { 0 };
        match fitting.at(drawn) {
            Some(row) => {
                Answer::Claim { rows: vec![row], confidence: 1.0 / fitting.count as f64, candidates: fitting.count }
            }
            None => Answer::NoRecord,
        }
    }
}
