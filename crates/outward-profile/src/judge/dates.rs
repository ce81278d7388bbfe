//! Dates, and which of them are births.

use outward_spec::{DatePart, HierarchySpec, Rating, Role};

use super::{Facts, LEAST_EXAMINED, SuggestedRole};
use crate::kind::{FoundKind, Kind};
use crate::profile::Confidence::{Certain, Likely, Possible};
use crate::topic::Topic;

/// Dates of birth spread over many years; events of a file mostly fall into a few.
const BIRTHS_SPREAD: u16 = 30;

pub(super) fn judge(facts: &Facts, found: &mut Vec<FoundKind>) -> Option<SuggestedRole> {
    let birth = facts.topics.has(Topic::Birth);
    if facts.is(Kind::Timestamp) >= 0.8 && birth {
        let confidence = if facts.examined() >= LEAST_EXAMINED { Certain } else { Likely };
        return Some(
            SuggestedRole::new(Role::DateOfBirth, confidence, facts.sentence(Kind::Timestamp))
                .and("The name speaks of birth.")
                .visible(Rating::High),
        );
    }
    if facts.is(Kind::Timestamp) >= 0.8 {
        return Some(
            SuggestedRole::new(Role::Key, Possible, facts.sentence(Kind::Timestamp))
                .and("Everyone who was there knows the time of an event; keep the day, or a part of it."),
        );
    }
    let share = facts.is(Kind::Date);
    if share < if birth { 0.5 } else { 0.8 } {
        return None;
    }
    let tally = &facts.summary.tally;
    let (low, high) = (tally.year(0.05)?, tally.year(0.95)?);
    let wide = high - low >= BIRTHS_SPREAD;
    let event = facts.topics.has(Topic::Event) && !birth;
    // Not the first and last year: those may be one person's.
    let spread = format!("Nine in ten of the years are from {low} to {high}.");
    let dates = |role, confidence| SuggestedRole::new(role, confidence, facts.sentence(Kind::Date)).and(spread.clone());
    let parts =
        HierarchySpec::Date { date: vec![DatePart::Month, DatePart::Quarter, DatePart::Year, DatePart::Decade] };
    if !birth && (!wide || event) {
        let why = if wide {
            "The name speaks of an event."
        } else {
            "Births would spread over more years: these are events."
        };
        return Some(dates(Role::Key, Possible).and(why).and("Others may know when it happened.").coarser(parts));
    }
    found.push(facts.evidence(Kind::DateOfBirth, share));
    let confidence = if birth && wide && share >= 0.9 && facts.examined() >= LEAST_EXAMINED { Certain } else { Likely };
    Some(
        dates(Role::DateOfBirth, confidence)
            .and_if(wide, "That is the spread of births.")
            .and_if(birth, "The name speaks of birth.")
            .coarser(parts)
            .visible(Rating::High),
    )
}
