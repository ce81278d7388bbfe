//! An intruder with a file of their own: what they claim, and how often they are right.
//!
//! A scenario of the spec says what the intruder knows and how well ([`KnownVariable`]). Their file is made from the truth, with mistakes and coarser values
//! (`mistakes`), unless they have one. Which values of the file agree with which of the release is worked out between the dictionaries of the two
//! (`relation`); people and records are joined in cells (`join`). An attack (`exact`, `nearest`, `linked`, `jigsaw`) answers for each person. The answers are
//! held against the truth (`score`), and the card says how the intruder fared ([`ScoreCard`]), which variables helped (`helped`), and what the
//! policy says ([`judge`]).
//!
//! Everything is a function of its input and a seed. The number of threads changes nothing.

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
pub use people::{Column, People, Released, Truth, truth_by_column};
pub use play::{AttackInput, Outcome, attack};
pub use report::report;
pub use verdict::{LimitVerdict, Verdict, judge};
pub use wilson::Interval;
