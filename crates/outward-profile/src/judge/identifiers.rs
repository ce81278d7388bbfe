//! Direct identifiers: numbers with check digits, addresses, names and notes.

use outward_spec::{HierarchySpec, Rating, Role};

use super::{Facts, LEAST_EXAMINED, SuggestedRole};
use crate::kind::{FoundKind, Kind};
use crate::profile::Confidence::{Certain, Likely, Possible};
use crate::reading::Marks;
use crate::topic::Topic;
use crate::words::share_of;
use outward_report::format::{count, share};

/// Identifiers that each value shows by itself.
pub(super) fn numbers_and_addresses(facts: &Facts) -> Option<SuggestedRole> {
    checked(facts, Kind::NhsNumber, Topic::NhsNumber)
        .or_else(|| checked(facts, Kind::CardNumber, Topic::Account))
        .or_else(|| shown(facts, Kind::Email, Topic::Email))
        .or_else(|| shown(facts, Kind::NationalInsurance, Topic::NationalInsurance))
        .or_else(|| shown(facts, Kind::Iban, Topic::Account))
        .or_else(|| shown(facts, Kind::UkPhone, Topic::Phone))
        .or_else(|| bare_mobiles(facts))
        .or_else(|| shown(facts, Kind::IpAddress, Topic::Id))
        .or_else(|| shown(facts, Kind::SocialSecurity, Topic::PersonNumber))
        .or_else(|| shown(facts, Kind::MachineKey, Topic::Id))
        .or_else(|| shown(facts, Kind::NumberPlate, Topic::PersonNumber))
        .or_else(|| postcodes(facts))
        .or_else(|| addresses(facts))
}

/// Whether the values of the right shape pass their check digit far more often than chance, though others stand beside.
pub(super) fn most_of_shape_pass(facts: &Facts, kind: Kind) -> bool {
    let tally = &facts.summary.tally;
    let (passed, shaped) = (tally.count(Marks::only(kind)), tally.count(Marks::TEN_DIGITS));
    kind == Kind::NhsNumber && passed >= LEAST_EXAMINED && passed * 10 >= shaped * 9
}

/// Numbers with a check digit, which a random number passes one time in ten or eleven: most values must pass.
fn checked(facts: &Facts, kind: Kind, topic: Topic) -> Option<SuggestedRole> {
    let share = facts.is(kind);
    let named = facts.topics.has(topic);
    let confidence = match share {
        share if share >= 0.9 && facts.examined() >= LEAST_EXAMINED => Certain,
        share if share >= 0.9 || (share >= 0.5 && facts.examined() >= LEAST_EXAMINED) => Likely,
        _ if most_of_shape_pass(facts, kind) => {
            if named {
                Likely
            } else {
                Possible
            }
        }
        _ => return None,
    };
    let dirty = "Chance would let about one in ten pass: those that fail are likely mistyped, or of another kind.";
    Some(
        SuggestedRole::new(Role::Identifier, confidence, facts.sentence(kind))
            .and_if(share < 1.0, dirty)
            .and_if(named, "The name says so too."),
    )
}

/// Kinds whose shape leaves little to chance.
fn shown(facts: &Facts, kind: Kind, topic: Topic) -> Option<SuggestedRole> {
    let share = facts.is(kind);
    let named = facts.topics.has(topic);
    let confidence = match share {
        share if share >= 0.9 && facts.examined() >= LEAST_EXAMINED => Certain,
        share if share >= 0.5 || (named && share >= 0.1) => Likely,
        share if share >= 0.05 => Possible,
        _ => return None,
    };
    Some(SuggestedRole::new(Role::Identifier, confidence, facts.sentence(kind)).and_if(named, "The name says so too."))
}

fn bare_mobiles(facts: &Facts) -> Option<SuggestedRole> {
    let named = facts.topics.has(Topic::Phone);
    let share = facts.share(Marks::BARE_MOBILE);
    (share >= if named { 0.5 } else { 0.95 } && facts.examined() >= LEAST_EXAMINED).then(|| {
        let begin = share_of(facts.summary.tally.count(Marks::BARE_MOBILE), facts.examined());
        SuggestedRole::new(
            Role::Identifier,
            Likely,
            format!("{begin} are mobile numbers that lost their leading zero."),
        )
        .and_if(named, "The name says so too.")
    })
}

fn postcodes(facts: &Facts) -> Option<SuggestedRole> {
    let (share, named) = (facts.is(Kind::Postcode), facts.topics.has(Topic::Postcode));
    let confidence = match share {
        share if share >= 0.8 && (named || facts.examined() >= LEAST_EXAMINED) => Certain,
        share if share >= 0.3 => Likely,
        share if share >= 0.05 => Possible,
        _ => return None,
    };
    Some(
        SuggestedRole::new(Role::Geography, confidence, facts.sentence(Kind::Postcode))
            .and("A whole postcode is some fifteen addresses, close to an address itself.")
            .and("Leading characters cut codes of different lengths at different places: check the hierarchy.")
            .and_if(named, "The name says so too.")
            .coarser(HierarchySpec::Prefix { prefix: vec![4, 2] })
            .visible(Rating::High),
    )
}

fn addresses(facts: &Facts) -> Option<SuggestedRole> {
    let (share, named) = (facts.is(Kind::Address), facts.topics.has(Topic::Address));
    let buildings = facts.share(Marks::BUILDING);
    if facts.distinct() < LEAST_EXAMINED || !(share >= 0.4 || (named && share >= 0.1)) {
        return None;
    }
    let sure = (share >= 0.8 && buildings >= 0.5 && (named || facts.examined() >= LEAST_EXAMINED))
        || (named && share >= 0.4 && facts.distinct() >= 50);
    let confidence = if sure {
        Certain
    } else if named || share >= 0.6 {
        Likely
    } else {
        Possible
    };
    Some(
        SuggestedRole::new(Role::Identifier, confidence, facts.sentence(Kind::Address))
            .and_if(buildings < 0.5, "Most are streets without a building; with another detail they are addresses.")
            .and_if(named, "The name says so too."),
    )
}

/// Names of persons: whole, or given names and surnames in columns of their own.
pub(super) fn names(facts: &Facts, found: &mut Vec<FoundKind>) -> Option<SuggestedRole> {
    let named = facts.topics.has(Topic::Name);
    let (whole, given, surname) = (facts.is(Kind::PersonName), facts.share(Marks::GIVEN), facts.share(Marks::SURNAME));
    let known = whole.max(given).max(surname);
    // A list holds only the common names: a column of names has a good part in it, and looks like names throughout.
    let shaped = facts.share(Marks::NAME_SHAPED);
    let single = shaped >= 0.8 && facts.share(Marks::ONE_WORD) >= 0.7;
    let confidence = match () {
        () if facts.distinct() < 15.min(facts.present) || shaped < 0.6 => return None,
        () if whole >= 0.6 || (named && (whole >= 0.25 || given >= 0.3 || surname >= 0.2)) => Certain,
        () if facts.topics.has(Topic::PersonName) && shaped >= 0.8 && facts.distinct() >= LEAST_EXAMINED => Certain,
        () if single && facts.distinct() >= 30 && (given >= 0.6 || surname >= 0.5) => Certain,
        () if whole >= 0.25 || (single && (given >= 0.35 || surname >= 0.2)) => Likely,
        () if named && (known >= 0.08 || (shaped >= 0.9 && facts.distinct_share() > 0.1)) => Likely,
        () => return None,
    };
    let confidence = if facts.examined() < LEAST_EXAMINED { confidence.min(Likely) } else { confidence };
    found.retain(|evidence| evidence.kind != Kind::PersonName);
    found.push(facts.evidence(Kind::PersonName, known));
    let because = format!(
        "{} of {} examined values are {}; {} are written like names.",
        share(known),
        count(facts.examined()),
        Kind::PersonName,
        share(shaped)
    );
    Some(SuggestedRole::new(Role::Identifier, confidence, because).and_if(named, "The name of the column says so too."))
}

/// Notes, told from long labels by how rarely they repeat.
pub(super) fn free_text(facts: &Facts) -> Option<SuggestedRole> {
    let (share, named) = (facts.is(Kind::FreeText), facts.topics.has(Topic::Note));
    let varied = facts.distinct_share() > if named { 0.1 } else { 0.3 };
    if !varied || share < if named { 0.1 } else { 0.25 } {
        return None;
    }
    // A few records may show a few long labels once each.
    let enough = named || facts.present >= 100 || facts.distinct_share() > 0.8;
    let confidence = if share >= 0.5 && facts.examined() >= LEAST_EXAMINED && enough { Certain } else { Likely };
    Some(
        SuggestedRole::new(Role::FreeText, confidence, facts.sentence(Kind::FreeText))
            .and(facts.spread())
            .and("People may have typed anything into it, names and numbers too."),
    )
}
