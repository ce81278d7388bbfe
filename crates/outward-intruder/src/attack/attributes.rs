//! Attribute inference: for a variable they want to learn, the intruder claims the most frequent value among the
//! records that fit, with its share as confidence. The result is compared with guessing, and with what could be
//! inferred if the person had not taken part.

use hashbrown::HashMap;
use outward_cells::{Coded, MISSING};

use super::answer::{Fitting, own_row};
use super::card::AttributeScore;
use super::join::{Joined, Lists};
use super::known::Form;
use super::people::Truth;
use super::relation::Relation;
use super::wilson::Interval;

/// A variable the intruder wants to learn.
pub(super) struct Learned<'a> {
    /// How its labels are read.
    pub(super) form: Form,
    /// The values in the release.
    pub(super) released: &'a Coded,
    /// The true values, by row of the source.
    pub(super) truth: &'a Coded,
}

/// How often each value occurs among the records that fit, by code. Missing values are left out.
type Counts = Vec<(u32, u64)>;

/// Scores how well the intruder learns a variable of some people.
pub(super) fn score(
    learned: &Learned<'_>,
    joined: &Joined,
    rows: &Lists,
    present: &[bool],
    truth: &[Truth],
    people: &[u32],
) -> AttributeScore {
    let form = Form { missing_matches: false, ..learned.form.clone() };
    let relation = Relation::new(&learned.truth.dictionary, &learned.released.dictionary, &form);
    let right = |row: u32, said: u32| relation.holds(learned.truth.codes[row as usize], said);
    let all =
        count(present.iter().zip(&learned.released.codes).filter(|(present, _)| **present).map(|(_, code)| *code));
    let guess = most_frequent(&all, None);
    let mut by_cell: HashMap<u32, Counts> = HashMap::new();
    let (mut answered, mut correct, mut guessed, mut without, mut confidence) = (0u64, 0u64, 0u64, 0u64, 0.0);
    for person in people {
        let Some(row) = own_row(truth[*person as usize]) else { continue };
        let cell = joined.people.of_row[*person as usize];
        let fitting = Fitting::new(joined, rows, *person, None);
        let counts = by_cell
            .entry(cell)
            .or_insert_with(|| count(fitting.rows().map(|row| learned.released.codes[row as usize])));
        let Some((said, share)) = most_frequent(counts, None) else { continue };
        if learned.truth.codes[row as usize] == MISSING {
            continue;
        }
        answered += 1;
        confidence += share;
        correct += u64::from(right(row, said));
        guessed += u64::from(guess.is_some_and(|(said, _)| right(row, said)));
        let own = joined.fits(cell, row).then(|| learned.released.codes[row as usize]);
        // If no other record fits a person, the intruder can only guess.
        without += u64::from(most_frequent(counts, own).or(guess).is_some_and(|(said, _)| right(row, said)));
    }
    let of_answered = |count: u64| if answered == 0 { 0.0 } else { count as f64 / answered as f64 };
    AttributeScore {
        variable: learned.form.name.clone(),
        answered,
        correct,
        share: Interval::of_share(correct, answered),
        mean_confidence: if answered == 0 { 0.0 } else { confidence / answered as f64 },
        guess: of_answered(guessed),
        gain: of_answered(correct) - of_answered(guessed),
        without_own_record: of_answered(without),
    }
}

fn count(codes: impl Iterator<Item = u32>) -> Counts {
    let mut counts: HashMap<u32, u64> = HashMap::new();
    codes.filter(|code| *code != MISSING).for_each(|code| *counts.entry(code).or_default() += 1);
    let mut counts: Counts = counts.into_iter().collect();
    counts.sort_unstable();
    counts
}

/// The most frequent value with its share, without one record of value `less`. Of equally frequent values it is the
/// first.
fn most_frequent(counts: &Counts, less: Option<u32>) -> Option<(u32, f64)> {
    let left = counts.iter().map(|(code, count)| (*code, count - u64::from(Some(*code) == less)));
    let (mut best, mut all) = (None, 0);
    for (code, count) in left.filter(|(_, count)| *count > 0) {
        all += count;
        if best.is_none_or(|(_, most)| count > most) {
            best = Some((code, count));
        }
    }
    best.map(|(code, count)| (code, count as f64 / all as f64))
}
