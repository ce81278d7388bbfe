//! Attributes of persons: places, sex, age, weights, households, and what can be told from the name only.

use outward_spec::{HierarchySpec, Rating, Role};

use super::{Facts, LEAST_EXAMINED, SuggestedRole};
use crate::kind::{FoundKind, Kind};
use crate::profile::Confidence::{self, Certain, Likely, Possible};
use crate::reading::Marks;
use crate::topic::Topic;

/// Halves of postcodes, area codes and points.
pub(super) fn places(facts: &Facts, found: &mut Vec<FoundKind>) -> Option<SuggestedRole> {
    let place =
        |confidence, because: String| SuggestedRole::new(Role::Geography, confidence, because).visible(Rating::High);
    let named = facts.topics.has(Topic::Postcode);
    // `E1` and `S2` are codes of other things too; many areas together are postcodes.
    if facts.is(Kind::PartialPostcode) >= 0.9 && facts.summary.tally.areas() >= if named { 1 } else { 5 } {
        let confidence = if named || facts.summary.tally.areas() >= 20 { Certain } else { Likely };
        let prefix = HierarchySpec::Prefix { prefix: vec![2, 1] };
        return Some(place(confidence, facts.sentence(Kind::PartialPostcode)).coarser(prefix));
    }
    if facts.is(Kind::AreaCode) >= 0.5 {
        let confidence = if facts.is(Kind::AreaCode) >= 0.9 { Certain } else { Likely };
        let nation = HierarchySpec::Prefix { prefix: vec![1] };
        return Some(place(confidence, facts.sentence(Kind::AreaCode)).coarser(nation));
    }
    if facts.is(Kind::Coordinates) >= 0.5 {
        return Some(point(place(Certain, facts.sentence(Kind::Coordinates))));
    }
    let named = facts.topics.has(Topic::Coordinates);
    let (north, east) = (facts.share(Marks::LATITUDE), facts.share(Marks::LONGITUDE));
    let numbers = facts.all_decimal() || (facts.all_whole() && facts.distinct_share() > 0.05);
    let confidence = match () {
        () if named && numbers => {
            if north.max(east) > 0.9 {
                Certain
            } else {
                Likely
            }
        }
        () if facts.latitudes && north.max(east) > 0.99 => Possible,
        () => return None,
    };
    found.push(facts.evidence(Kind::Coordinates, if named { 1.0 } else { north.max(east) }));
    let because = "The numbers have the size and the decimals of a point in the United Kingdom or Ireland.";
    let because = if north.max(east) > 0.9 { because } else { "The name speaks of a point on the map." };
    Some(point(place(confidence, because.to_owned())))
}

fn point(verdict: SuggestedRole) -> SuggestedRole {
    verdict.and("A point this exact is a building: finer than any postcode.")
}

/// Sex, in words or letters.
pub(super) fn sex(facts: &Facts) -> Option<SuggestedRole> {
    (facts.is(Kind::Sex) >= 0.7 && facts.distinct() <= 12).then(|| {
        let confidence =
            if facts.topics.has(Topic::Sex) || facts.examined() >= LEAST_EXAMINED { Certain } else { Likely };
        SuggestedRole::new(Role::Key, confidence, facts.sentence(Kind::Sex)).and("Others see it.").visible(Rating::High)
    })
}

/// Weights: positive numbers, and a name that says so; the same numbers could be anything.
pub(super) fn weight(facts: &Facts, found: &mut Vec<FoundKind>) -> Option<SuggestedRole> {
    let positive = facts.summary.range.is_some_and(|(low, _)| low > 0.0);
    let numbers = facts.all_decimal() || facts.all_whole();
    if !facts.topics.has(Topic::Weight) || facts.topics.has(Topic::Body) || !positive || !numbers {
        return None;
    }
    found.push(facts.evidence(Kind::Weight, 1.0));
    let confidence = if facts.all_decimal() { Likely } else { Possible };
    Some(
        SuggestedRole::new(
            Role::Weight,
            confidence,
            "The name speaks of a weight, and all values are positive numbers.",
        )
        .and("If it is the weight of a body, its role is another."),
    )
}

/// Ages: whole numbers of the range of a life, by name or by how they fill it.
pub(super) fn age(facts: &Facts, found: &mut Vec<FoundKind>) -> Option<SuggestedRole> {
    let (low, high) = facts.summary.range?;
    let whole = facts.share(Marks::WHOLE) >= 0.99;
    if !whole || !(-1.0..=120.0).contains(&low) || high > 120.0 {
        return None;
    }
    let named = facts.topics.has(Topic::Age) && high > 12.0;
    let fills = facts.distinct() as f64 >= 0.7 * (high - low + 1.0);
    let of_a_life = (0.0..=25.0).contains(&low) && high >= 55.0 && fills && facts.distinct() < facts.present / 2;
    let confidence = match (named, of_a_life) {
        (true, true) => Certain,
        (true, false) => Likely,
        (false, true) => Possible,
        _ => return None,
    };
    found.push(facts.evidence(Kind::Age, facts.share(Marks::WHOLE)));
    let widths = HierarchySpec::Widths { widths: vec![5, 10, 20], bottom: None, top: None };
    Some(
        SuggestedRole::new(Role::Key, confidence, "Whole numbers in the range of ages in years.".to_owned())
            .and_if(named, "The name speaks of age.")
            .and_if(!named, "The name does not speak of age: they may be scores or counts.")
            .and("Others see it, or can look it up.")
            .coarser(widths)
            .visible(Rating::High),
    )
}

/// Household numbers: many values, each of a few records.
pub(super) fn household(facts: &Facts, found: &mut Vec<FoundKind>) -> Option<SuggestedRole> {
    let repeats = &facts.summary.repeats;
    let few = (1.15..=8.0).contains(&repeats.mean) && repeats.most <= 20;
    let named = facts.topics.has(Topic::Household);
    if !few || facts.distinct() < if named { 20 } else { 200 } {
        return None;
    }
    // Numbers given out one after the other fill their range, as incomes do not.
    let dense = facts.all_whole()
        && facts.summary.range.is_some_and(|(low, high)| high - low + 1.0 <= 1.2 * facts.distinct() as f64);
    let codes = !facts.all_whole() && !facts.all_decimal() && facts.share(Marks::ID_SHAPED) >= 0.95;
    let confidence = match (named, dense || codes || facts.summary.tally.same_digits(5)) {
        (true, true) => Certain,
        (true, false) => Likely,
        (false, true) => Possible,
        _ => return None,
    };
    if !named && facts.topics.has(Topic::Id) {
        return Some(
            SuggestedRole::new(Role::Identifier, Possible, facts.spread())
                .and("The name speaks of a reference, and each is shared by a few records at most.")
                .and("If it holds the members of a household or an event together, its role is `household`."),
        );
    }
    found.push(facts.evidence(Kind::HouseholdId, 1.0));
    Some(
        SuggestedRole::new(Role::Household, confidence, facts.spread())
            .and("Each value is shared by a few records, as by the members of a household.")
            .and_if(named, "The name speaks of a household."),
    )
}

/// What the name alone says, unless the values contradict it: they are groups of people, not one value each.
pub(super) fn by_name(facts: &Facts) -> Option<SuggestedRole> {
    let meaning = facts.topics.meaning()?;
    let amounts = facts.all_decimal() || (facts.all_whole() && facts.distinct() > 200);
    let fits = match meaning.role {
        Role::Sensitive => amounts || facts.distinct() <= 2_000,
        Role::Geography => !facts.all_decimal(),
        _ => !facts.all_decimal() && facts.distinct() <= 2_000,
    };
    if !fits || facts.distinct() < 2 {
        return None;
    }
    let confidence = if meaning.role == Role::Sensitive { Possible } else { Confidence::Likely };
    let mut verdict = SuggestedRole::new(meaning.role, confidence, meaning.reason).and(facts.spread());
    verdict.visibility = meaning.visibility;
    verdict.sensitivity = meaning.sensitivity;
    Some(verdict)
}
