//! Numbers and codes that were given out, one to a person or a record, told from measurements that happen to differ.
//!
//! That almost every record has a value of its own is no proof: an exact income has that too. There are five signs of
//! numbers that were given out. They count up, they are spread evenly between the smallest and the largest, all have
//! the same width, they have letters among their digits, or the heading says so. Decimals, amounts, dates and times are
//! measured.

use outward_spec::Role;

use super::{Facts, LEAST_EXAMINED, SuggestedRole};
use crate::kind::{FoundKind, Kind};
use crate::profile::Confidence::{Certain, Likely, Possible};
use crate::reading::Marks;
use crate::topic::Topic;

/// Almost every record has a value of its own.
const NEAR_UNIQUE: f64 = 0.95;
/// Records below which whole numbers that differ prove nothing.
const RECORDS: u64 = 100;

/// Records from which codes of groups, such as courses or illnesses, have begun to repeat.
const CODES_REPEAT_FROM: u64 = 1_000;

/// Columns of numbers and codes that were given out.
pub(super) fn judge(facts: &Facts, found: &mut Vec<FoundKind>) -> Option<SuggestedRole> {
    let share = facts.distinct_share();
    let near_unique = share >= NEAR_UNIQUE && facts.present >= RECORDS;
    if near_unique {
        found.push(facts.evidence(Kind::NearUnique, share));
    }
    if is_measured(facts) {
        return if near_unique { amounts(facts) } else { None };
    }
    let running = is_running(facts);
    if running {
        found.push(facts.evidence(Kind::RunningNumber, 1.0));
    }
    let reason = running.then_some("They are numbers counted up, one to a record.").or_else(|| reason(facts));
    if let Some(reason) = reason {
        found.extend((!running).then(|| facts.evidence(Kind::AssignedCode, 1.0)));
        return Some(SuggestedRole::new(Role::Identifier, Certain, facts.spread()).and(reason).by_shape());
    }
    if !near_unique || facts.topics.has(Topic::Area) {
        return None;
    }
    let alike = facts.summary.tally.same_digits(5);
    let confidence = if alike && !facts.topics.has(Topic::Measure) { Likely } else { Possible };
    let may_be = "It may be an exact measurement: then give it the role it has.";
    Some(SuggestedRole::new(Role::Identifier, confidence, facts.spread()).and_if(confidence == Possible, may_be))
}

/// Amounts measured to the last digit differ, but are not identifiers. The name may say more.
fn amounts(facts: &Facts) -> Option<SuggestedRole> {
    super::attributes::by_name(facts).or_else(|| {
        Some(
            SuggestedRole::new(Role::Plain, Possible, "Numbers with decimals, almost every one different.")
                .and("Exact amounts can single out a record: round them where they need not be exact."),
        )
    })
}

/// Whether the values are numbers with decimals, amounts or times.
fn is_measured(facts: &Facts) -> bool {
    let numbers = facts.is_mostly_numbers() && facts.share(Marks::LEADING_ZERO) == 0.0;
    (numbers && facts.has_decimals()) || facts.share(Marks::MEASURED) >= 0.5
}

/// Why these values were given out, where they were.
fn reason(facts: &Facts) -> Option<&'static str> {
    let share = facts.distinct_share();
    let (enough, many) = (facts.present >= LEAST_EXAMINED, facts.present >= RECORDS);
    let heading = facts.topics.has(Topic::Id) || facts.topics.has(Topic::PersonNumber);
    let measure = facts.topics.has(Topic::Measure);
    let of_household = facts.topics.has(Topic::Household);
    if facts.topics.has(Topic::PersonNumber) && !measure && is_person_number(facts) {
        return Some("The heading speaks of a number or code of a person, and the values are codes.");
    }
    let person_number = facts.topics.has(Topic::PersonNumber) && !measure && !of_household;
    if person_number && enough && facts.is_whole() && share >= 0.5 {
        return Some("The heading speaks of a number of a person, and few records share one.");
    }
    if heading && !measure && enough && share >= NEAR_UNIQUE {
        return Some("The heading speaks of a record number, and almost every record has its own.");
    }
    if heading && !measure && !of_household && enough && share >= 0.3 && facts.share(Marks::LONG_CODE) >= 0.8 {
        return Some("The heading speaks of a record number, and the values are codes that few records share.");
    }
    match facts.is_whole() {
        true => (!measure && !of_household).then(|| whole_numbers(facts)).flatten(),
        // A place is not a code of a person, however few live there; its role is geography.
        false if facts.topics.has(Topic::Area) || facts.is(Kind::AreaCode) >= 0.5 => None,
        false if many && share >= NEAR_UNIQUE => Some("They are texts, and almost every record has its own."),
        false => codes(facts).filter(|_| enough && !of_household),
    }
}

/// Codes of a width, under a heading that speaks of a person's number: more than a handful, and not shared by many.
fn is_person_number(facts: &Facts) -> bool {
    let several = facts.distinct() >= LEAST_EXAMINED.min(facts.present / 2) && facts.present >= 5;
    several && facts.distinct_share() >= 0.1 && facts.share(Marks::CODE) >= 0.8
}

/// Whole numbers under a heading that says nothing of records or of amounts.
fn whole_numbers(facts: &Facts) -> Option<&'static str> {
    let (share, tally) = (facts.distinct_share(), &facts.summary.tally);
    let hardly_repeat =
        (facts.present >= RECORDS && share >= NEAR_UNIQUE) || (facts.present >= CODES_REPEAT_FROM && share >= 0.6);
    if hardly_repeat && tally.same_digits(8) {
        return Some("They are numbers of one width, eight digits or more, that hardly repeat.");
    }
    if facts.present < RECORDS || share < NEAR_UNIQUE || facts.summary.range.is_some_and(|(low, _)| low < 0.0) {
        return None;
    }
    if tally.lies_evenly() {
        return Some(
            "They are whole numbers that lie evenly between the smallest and the largest, as numbers given out do.",
        );
    }
    let named = facts.topics.meaning().is_some();
    (share >= 0.98 && !named && tally.same_digits(6)).then_some("They are numbers of one width that hardly repeat.")
}

/// Codes with letters, signs or leading zeros, under any heading, in all records or in some beside a few other values.
fn codes(facts: &Facts) -> Option<&'static str> {
    let (share, named) = (facts.distinct_share(), facts.topics.meaning().is_some());
    let codes = facts.share(Marks::WRITTEN_CODE) * facts.present as f64;
    let in_some =
        codes >= RECORDS as f64 && codes >= 0.1 * facts.present as f64 && facts.distinct() as f64 >= 0.9 * codes;
    let in_all = facts.share(Marks::WRITTEN_CODE) >= 0.8
        && (share >= NEAR_UNIQUE || (share >= 0.6 && facts.present >= CODES_REPEAT_FROM && !named));
    let long = in_all || (in_some && !named);
    let short = facts.share(Marks::ID_SHAPED) >= 0.8 && share >= NEAR_UNIQUE && facts.present >= 50 && !named;
    (long || short).then_some("They are codes that hardly repeat.")
}

/// Whether whole numbers fill the stretch between the smallest and the largest, as counting up does.
fn is_running(facts: &Facts) -> bool {
    let Some((low, high)) = facts.summary.range.filter(|_| facts.is_whole()) else { return false };
    let (stretch, records) = (high - low + 1.0, facts.present as f64);
    let each_once = facts.distinct() == facts.present && facts.summary.repeats.exact;
    let from_one = facts.present >= LEAST_EXAMINED && each_once && stretch == records && (low == 0.0 || low == 1.0);
    let near = facts.present >= RECORDS && facts.distinct_share() >= NEAR_UNIQUE;
    from_one || (near && stretch >= 0.95 * records && stretch <= 1.1 * records)
}
