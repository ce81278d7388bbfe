//! Whether the values of a column lead to single persons or records, so that a policy without identifiers forbids them.

use outward_spec::Role;

use super::{Facts, LEAST_EXAMINED, SuggestedRole};
use crate::kind::{FoundKind, Kind};
use crate::profile::{Basis, Confidence, Identifies};
use crate::reading::Marks;
use crate::topic::Topic;

/// Kinds of values that lead to one person or one address by themselves.
const IDENTIFYING: [Kind; 8] = [
    Kind::NhsNumber,
    Kind::NationalInsurance,
    Kind::Email,
    Kind::UkPhone,
    Kind::Postcode,
    Kind::IpAddress,
    Kind::CardNumber,
    Kind::Iban,
];

/// Kinds that do so by their shape, which other codes may share.
const IDENTIFYING_BY_SHAPE: [Kind; 3] = [Kind::SocialSecurity, Kind::MachineKey, Kind::NumberPlate];

pub(super) fn judge(facts: &Facts, verdict: &SuggestedRole, found: &mut Vec<FoundKind>) -> Option<Identifies> {
    let most = |kind: &&Kind| facts.is(**kind) >= 0.5;
    let by = |by, because: String| Some(Identifies { by, because });
    if let Some(kind) = IDENTIFYING.iter().find(most) {
        return by(Basis::Content, facts.sentence(*kind));
    }
    let certain = verdict.role == Role::Identifier && verdict.confidence == Confidence::Certain;
    if certain && !verdict.by_shape && !IDENTIFYING_BY_SHAPE.iter().any(|kind| most(&kind)) {
        return by(Basis::Content, verdict.evidence.first().cloned().unwrap_or_default());
    }
    if let Some(kind) = IDENTIFYING_BY_SHAPE.iter().find(most).filter(|_| facts.present >= 5) {
        return by(Basis::Shape, facts.sentence(*kind));
    }
    if certain {
        return by(Basis::Shape, verdict.evidence.join(" "));
    }
    if facts.topics.has(Topic::Postcode) && facts.share(Marks::FIVE_DIGITS) >= 0.8 && facts.present >= 5 {
        found.push(facts.evidence(Kind::ZipCode, facts.share(Marks::FIVE_DIGITS)));
        return by(Basis::Shape, "The heading speaks of ZIP codes, and they have all five digits.".to_owned());
    }
    let point = found.iter().any(|found| found.kind == Kind::Coordinates && found.share >= 0.5);
    let exact =
        facts.share(Marks::EXACT_POINT) >= 0.8 && facts.distinct() >= LEAST_EXAMINED && facts.distinct_share() >= 0.3;
    let said = facts.topics.has(Topic::Coordinates) || facts.is(Kind::Coordinates) >= 0.5;
    if point && exact && said {
        return by(Basis::Shape, "They are points on the map, exact to a building, that few records share.".to_owned());
    }
    None
}
