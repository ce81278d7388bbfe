//! Judges what a column is from what was counted in it: the evidence, a role, a type, and how certain.

mod assigned;
mod attributes;
mod dates;
mod identifiers;
mod identifies;
mod types;

use arrow_schema::DataType;
use outward_spec::{HierarchySpec, Rating, Role};

use crate::column::Summary;
use crate::kind::{FoundKind, Kind};
use crate::profile::{ColumnProfile, Confidence, Distinct};
use crate::reading::Marks;
use crate::scan::SEARCHED_KINDS;
use crate::topic::Topics;
use crate::words::share_of;
use outward_report::format::count;

/// Fewer examined values than this prove nothing by themselves.
const LEAST_EXAMINED: u64 = 20;

/// Judges every column; some kinds are only recognised beside another column.
pub(crate) fn columns(records: u64, summaries: &[Summary]) -> Vec<ColumnProfile> {
    let latitudes = summaries.iter().any(|summary| share(summary, Marks::LATITUDE) > 0.99);
    summaries.iter().map(|summary| column(&Facts::new(records, summary, latitudes))).collect()
}

fn column(facts: &Facts) -> ColumnProfile {
    let mut found = facts.plain_evidence();
    let verdict = verdict(facts, &mut found);
    let summary = facts.summary;
    let identifies = identifies::judge(facts, &verdict, &mut found);
    found.sort_by(|a, b| (b.share.total_cmp(&a.share)).then(a.kind.cmp(&b.kind)).then(a.inside.cmp(&b.inside)));
    ColumnProfile {
        name: summary.name.clone(),
        read_as: summary.data_type.to_string(),
        missing: summary.missing,
        distinct: Distinct { count: facts.distinct(), exact: summary.repeats.exact },
        lengths: summary.lengths,
        found,
        identifies,
        suggestion: types::suggest(facts, verdict),
    }
}

/// The first judge that gives a role decides. Judges that need stronger evidence come first.
fn verdict(facts: &Facts, found: &mut Vec<FoundKind>) -> SuggestedRole {
    let mut verdict = identifiers::numbers_and_addresses(facts)
        .or_else(|| identifiers::names(facts, found))
        .or_else(|| identifiers::free_text(facts))
        .or_else(|| dates::judge(facts, found))
        .or_else(|| attributes::places(facts, found))
        .or_else(|| attributes::sex(facts))
        .or_else(|| attributes::weight(facts, found))
        .or_else(|| attributes::age(facts, found))
        .or_else(|| assigned::judge(facts, found))
        .or_else(|| attributes::household(facts, found))
        .or_else(|| attributes::by_name(facts))
        .unwrap_or_else(|| SuggestedRole::new(Role::Plain, Confidence::Possible, "Nothing in it points at a person."));
    for evidence in found.iter().filter(|evidence| evidence.inside) {
        let times = (evidence.share * evidence.examined as f64).round() as u64;
        verdict.evidence.push(format!(
            "{} hold {} inside longer text.",
            share_of(times, evidence.examined),
            evidence.kind
        ));
    }
    verdict
}

/// A role and why.
struct SuggestedRole {
    role: Role,
    confidence: Confidence,
    hierarchy: Option<HierarchySpec>,
    visibility: Option<Rating>,
    sensitivity: Option<Rating>,
    evidence: Vec<String>,
    /// Whether it rests on how values are written and repeat, not on what they are.
    by_shape: bool,
}

impl SuggestedRole {
    fn new(role: Role, confidence: Confidence, because: impl Into<String>) -> Self {
        let evidence = vec![because.into()];
        Self { role, confidence, hierarchy: None, visibility: None, sensitivity: None, evidence, by_shape: false }
    }

    fn and(mut self, because: impl Into<String>) -> Self {
        self.evidence.push(because.into());
        self
    }

    fn and_if(self, when: bool, because: &str) -> Self {
        if when { self.and(because) } else { self }
    }

    fn by_shape(mut self) -> Self {
        self.by_shape = true;
        self
    }

    fn coarser(mut self, hierarchy: HierarchySpec) -> Self {
        self.hierarchy = Some(hierarchy);
        self
    }

    fn visible(mut self, rating: Rating) -> Self {
        self.visibility = Some(rating);
        self
    }
}

/// What is known of a column, as the judges ask for it.
struct Facts<'a> {
    summary: &'a Summary,
    topics: Topics,
    /// Records with a value.
    present: u64,
    /// Whether some column holds latitudes.
    latitudes: bool,
}

impl<'a> Facts<'a> {
    fn new(records: u64, summary: &'a Summary, latitudes: bool) -> Self {
        let present = records.saturating_sub(summary.missing);
        Self { summary, topics: Topics::from_heading(&summary.name), present, latitudes }
    }

    fn share(&self, mark: Marks) -> f64 {
        share(self.summary, mark)
    }

    fn is(&self, kind: Kind) -> f64 {
        self.share(Marks::only(kind))
    }

    fn examined(&self) -> u64 {
        self.summary.tally.values()
    }

    fn distinct(&self) -> u64 {
        self.summary.repeats.distinct.min(self.present)
    }

    /// Different values to a record with a value: 1 if every record has its own. By the repeats of the values held,
    /// which for values that hardly repeat is nearer than the estimate of their number.
    fn distinct_share(&self) -> f64 {
        if self.present == 0 { 0.0 } else { 1.0 / self.summary.repeats.mean.max(1.0) }
    }

    /// Whether every examined value is a whole number without leading zeros.
    fn all_whole(&self) -> bool {
        self.examined() > 0 && self.summary.tally.count(Marks::WHOLE) == self.examined()
    }

    /// Whether the values are whole numbers, with or without zeros after a point. Some words such as `refused` are
    /// allowed.
    fn is_whole(&self) -> bool {
        self.is_mostly_numbers() && !self.has_decimals() && self.share(Marks::LEADING_ZERO) == 0.0
    }

    /// Whether most values are plain numbers.
    fn is_mostly_numbers(&self) -> bool {
        self.share(Marks::WHOLE) + self.share(Marks::DECIMAL) >= 0.5
    }

    /// Whether some number has decimals that are not zero.
    fn has_decimals(&self) -> bool {
        self.summary.tally.count(Marks::DECIMAL) > self.summary.tally.count(Marks::ZERO_DECIMALS)
    }

    /// Whether every examined value is a number, some with decimals.
    fn all_decimal(&self) -> bool {
        let tally = &self.summary.tally;
        tally.count(Marks::DECIMAL) > 0 && tally.count(Marks::WHOLE) + tally.count(Marks::DECIMAL) == self.examined()
    }

    fn is_text(&self) -> bool {
        let text =
            |data_type: &DataType| matches!(data_type, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View);
        match &self.summary.data_type {
            DataType::Dictionary(_, values) => text(values),
            other => text(other),
        }
    }

    fn evidence(&self, kind: Kind, share: f64) -> FoundKind {
        FoundKind { kind, share, examined: self.examined(), inside: false }
    }

    /// `All 1,000 values examined are e-mail addresses.`
    fn sentence(&self, kind: Kind) -> String {
        format!("{} are {kind}.", share_of(self.summary.tally.count(Marks::only(kind)), self.examined()))
    }

    /// `12,000 records have 400 different values.`
    fn spread(&self) -> String {
        let about = if self.summary.repeats.exact { "" } else { "about " };
        format!("{} records have {about}{} different values.", count(self.present), count(self.distinct()))
    }

    /// What values show by themselves. If values can look like a kind by chance, a few prove nothing and are left out.
    fn plain_evidence(&self) -> Vec<FoundKind> {
        use Kind::{Address, AreaCode, Coordinates, Date, Email, FreeText, Iban, IpAddress, NationalInsurance};
        use Kind::{
            MachineKey, NumberPlate, PartialPostcode, PersonName, Postcode, Sex, SocialSecurity, Timestamp, UkPhone,
        };
        let floors = [
            (Email, 0.0),
            (NationalInsurance, 0.0),
            (Iban, 0.0),
            (SocialSecurity, 0.01),
            (MachineKey, 0.0),
            (NumberPlate, 0.05),
            (Postcode, 0.01),
            (UkPhone, 0.01),
            (IpAddress, 0.01),
            (AreaCode, 0.01),
            (Coordinates, 0.01),
            (Address, 0.05),
            (FreeText, 0.05),
            (PersonName, 0.05),
            (Date, 0.05),
            (Timestamp, 0.05),
            (Sex, 0.05),
            (PartialPostcode, 0.5),
        ];
        let whole = floors.into_iter().map(|(kind, floor)| (kind, floor, self.is(kind)));
        let mut found: Vec<FoundKind> = whole
            .filter(|(_, floor, share)| share > floor)
            .map(|(kind, _, share)| self.evidence(kind, share))
            .collect();
        // One number in eleven, or ten, passes a check digit by chance.
        for kind in [Kind::NhsNumber, Kind::CardNumber] {
            let beyond_chance = self.is(kind) >= 0.5 || identifiers::most_of_shape_pass(self, kind);
            found.extend(beyond_chance.then(|| self.evidence(kind, self.is(kind))));
        }
        for (place, kind) in SEARCHED_KINDS.into_iter().enumerate() {
            let share = self.share(Marks::inside(place));
            let evidence = FoundKind { kind, share, examined: self.examined(), inside: true };
            found.extend((share > 0.0).then_some(evidence));
        }
        found
    }
}

fn share(summary: &Summary, mark: Marks) -> f64 {
    summary.tally.share(mark)
}
