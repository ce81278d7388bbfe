//! The states of a release, and the one table of moves between them.

use std::fmt;

use serde::{Deserialize, Serialize};
use unicode_normalization::UnicodeNormalization;

/// The state of a release.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// Entered, and not yet frozen.
    Draft,
    /// Frozen by the hash of its bundle, and waiting for a reviewer.
    Submitted,
    /// A reviewer has it.
    UnderReview,
    /// As many people approved it as the policy asks.
    Approved,
    /// Returned to its author.
    Returned,
    /// Not to be released.
    Refused,
    /// Public.
    Released,
    /// It was public and is not any more. What was public stays known.
    Withdrawn,
}

impl State {
    /// All states, in the order a release goes through them.
    pub const ALL: [Self; 8] = [
        Self::Draft,
        Self::Submitted,
        Self::UnderReview,
        Self::Approved,
        Self::Returned,
        Self::Refused,
        Self::Released,
        Self::Withdrawn,
    ];

    /// Its name in the register and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Draft => "draft",
            Self::Submitted => "submitted",
            Self::UnderReview => "under-review",
            Self::Approved => "approved",
            Self::Returned => "returned",
            Self::Refused => "refused",
            Self::Released => "released",
            Self::Withdrawn => "withdrawn",
        }
    }

    /// The state with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.name() == name)
    }

    /// Whether the figures of a release in this state are known to the public.
    pub fn is_public(self) -> bool {
        matches!(self, Self::Released | Self::Withdrawn)
    }
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name().replace('-', " "))
    }
}

/// Who may make a move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Who {
    /// The person who entered the release.
    Author,
    /// Anyone except its author.
    Reviewer,
    /// Anyone.
    Anyone,
}

impl Who {
    /// Whether this includes a person.
    pub fn includes(self, actor: &str, author: &str) -> bool {
        match self {
            Self::Author => is_same_person(actor, author),
            Self::Reviewer => !is_same_person(actor, author),
            Self::Anyone => true,
        }
    }

    /// In words.
    pub fn name(self) -> &'static str {
        match self {
            Self::Author => "the author",
            Self::Reviewer => "someone other than the author",
            Self::Anyone => "anyone",
        }
    }
}

/// Whether two names are of one person. Spaces, capitals, invisible characters and other encodings of the same letters
/// make no difference.
pub fn is_same_person(one: &str, other: &str) -> bool {
    let plain = |name: &str| {
        let letters = name.nfkd().filter(|letter| letter.is_alphanumeric() || letter.is_whitespace());
        // Capitals first: ß and SS are one.
        let folded = letters.collect::<String>().to_uppercase().to_lowercase();
        folded.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    plain(one) == plain(other)
}

/// A move from one state to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Move {
    /// Its name in the log and on the command line.
    pub name: &'static str,
    /// The state of the release before.
    pub from: State,
    /// Its state afterwards.
    pub to: State,
    /// Who may make it.
    pub who: Who,
    /// Whether a reason must be given.
    pub reason: bool,
}

const fn a_move(name: &'static str, from: State, to: State, who: Who, reason: bool) -> Move {
    Move { name, from, to, who, reason }
}

/// All moves. With an approval that is not the last one required, a release stays under review.
pub const MOVES: [Move; 13] = [
    a_move("submit", State::Draft, State::Submitted, Who::Author, false),
    a_move("submit", State::Returned, State::Submitted, Who::Author, false),
    a_move("review", State::Submitted, State::UnderReview, Who::Reviewer, false),
    a_move("approve", State::UnderReview, State::Approved, Who::Reviewer, false),
    a_move("return", State::UnderReview, State::Returned, Who::Reviewer, true),
    a_move("return", State::Approved, State::Returned, Who::Reviewer, true),
    a_move("refuse", State::UnderReview, State::Refused, Who::Reviewer, true),
    a_move("recall", State::Submitted, State::Returned, Who::Author, true),
    a_move("recall", State::UnderReview, State::Returned, Who::Author, true),
    a_move("recall", State::Approved, State::Returned, Who::Author, true),
    a_move("release", State::Approved, State::Released, Who::Anyone, false),
    // For policies that ask for no approval.
    a_move("release", State::Submitted, State::Released, Who::Anyone, false),
    a_move("withdraw", State::Released, State::Withdrawn, Who::Anyone, true),
];

/// The moves that lead out of a state.
pub fn moves_from(state: State) -> impl Iterator<Item = &'static Move> {
    MOVES.iter().filter(move |one| one.from == state)
}

/// The move with this name out of a state.
pub fn find_move(name: &str, from: State) -> Option<&'static Move> {
    moves_from(from).find(|one| one.name == name)
}

/// The table of moves as a Mermaid diagram, for the documentation.
pub fn diagram() -> String {
    let mut text = String::from("stateDiagram-v2\n    [*] --> draft\n");
    for one in &MOVES {
        let id = |state: State| state.name().replace('-', "_");
        let reason = if one.reason { ", with a reason" } else { "" };
        text += &format!("    {} --> {}: {} ({}{reason})\n", id(one.from), id(one.to), one.name, one.who.name());
    }
    for state in State::ALL.into_iter().filter(|state| moves_from(*state).next().is_none()) {
        text += &format!("    {} --> [*]\n", state.name());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_state_can_be_reached_and_only_two_are_final() {
        for state in State::ALL.into_iter().filter(|state| *state != State::Draft) {
            assert!(MOVES.iter().any(|one| one.to == state), "{state}");
        }
        let last: Vec<State> = State::ALL.into_iter().filter(|state| moves_from(*state).next().is_none()).collect();
        assert_eq!(last, [State::Refused, State::Withdrawn]);
    }

    #[test]
    fn nobody_reviews_approves_or_refuses_a_release_of_their_own() {
        for one in MOVES.iter().filter(|one| ["review", "approve", "return", "refuse"].contains(&one.name)) {
            assert!(!one.who.includes("ann", "ann") && one.who.includes("bob", "ann"), "{one:?}");
            assert!(!one.who.includes(" Ann ", "ann"), "{one:?}");
        }
    }

    #[test]
    fn the_documented_diagram_is_the_table_of_moves() {
        let page = include_str!("../../../docs/methods/register.md");
        assert!(page.contains(&format!("```mermaid\n{}```", diagram())), "put this into the page:\n{}", diagram());
    }

    #[test]
    fn one_person_is_one_however_their_name_is_written() {
        let same = [
            ("Jos\u{e9}", "Jose\u{301}"),
            ("ann", "ann\u{200b}"),
            ("ann", "\u{ff41}\u{ff4e}\u{ff4e}"),
            ("Strau\u{df}", "STRAUSS"),
            ("a. b", "A  B"),
        ];
        assert!(same.iter().all(|(one, other)| is_same_person(one, other)));
        assert!(!is_same_person("ann", "anna") && !is_same_person("ann b", "ann c"));
    }

    #[test]
    fn a_state_is_read_back_by_its_name() {
        assert!(State::ALL.into_iter().all(|state| State::named(state.name()) == Some(state)));
    }
}
