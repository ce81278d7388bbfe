//! An intruder with a file of their own: what they claim, and how often they are right.
//!
//! A scenario of the spec says what the intruder knows and how well ([`KnownVariable`]). Their file is made from the
//! truth, with mistakes and coarser values (`mistakes`), unless they have one. `relation` computes which values of the
//! file agree with which of the release, from the dictionaries of both. `join` joins people and records in cells. An
//! attack (`exact`, `nearest`, `linked`, `jigsaw`) answers for each person, and `score` compares the answers with the
//! truth. The [`ScoreCard`] says how successful the intruder was, which variables helped (`helped`), and what the
//! policy says ([`judge`]).
//!
//! Every result is a function of the input and a seed. It does not depend on the number of threads.

mod answer;
mod attributes;
mod card;
mod cast;
mod coarsen;
mod exact;
mod extent;
#[cfg(test)]
mod fixtures;
mod helped;
mod jigsaw;
mod join;
mod known;
mod linked;
mod manual;
mod membership;
mod mistakes;
mod nearest;
mod people;
mod play;
mod refine;
mod relation;
mod report;
mod score;
#[cfg(test)]
mod tests;
mod values;
mod verdict;
mod wilson;

pub use answer::Claim;
pub use card::{
    AtConfidence, AttributeScore, CalibrationBand, Contribution, Control, Excess, GroupScore, NoClaim, ScoreCard,
    Summary,
};
pub use known::{Form, KnownVariable, Scale};
pub use manual::{ManualClaim, ManualTest, manual_claims, score_manual};
pub use mistakes::as_known;
pub use people::{NamedColumn, People, Released, Truth, truth_by_column};
pub use play::{AttackInput, Outcome, attack};
pub use report::report;
pub use verdict::{LimitVerdict, Verdict, judge};
pub use wilson::Interval;
