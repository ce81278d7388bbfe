//! The type a column should have. Text is always safe: it keeps the zeros of codes and fails on nothing.

use arrow_schema::DataType;
use outward_spec::{Role, Type};

use super::{Facts, SuggestedRole};
use crate::kind::Kind;
use crate::profile::Suggestion;
use crate::reading::Marks;
use crate::recognise::DateFormat;
use outward_report::format::count;

/// Whole numbers with no more different values than this are taken for codes.
const CODES: u64 = 20;

pub(super) fn suggest(facts: &Facts, mut verdict: SuggestedRole) -> Suggestion {
    let native = native(&facts.summary.data_type);
    let (data_type, date_format) = native.map_or_else(|| of_text(facts, &mut verdict), |data_type| (data_type, None));
    if native.is_none() && data_type != Type::Text && facts.examined() < facts.present {
        let (some, all) = (count(facts.examined()), count(facts.present));
        verdict.evidence.push(format!("The type rests on {some} of {all} values."));
    }
    Suggestion {
        role: verdict.role,
        data_type,
        date_format,
        hierarchy: verdict.hierarchy,
        visibility: verdict.visibility,
        sensitivity: verdict.sensitivity,
        confidence: verdict.confidence,
        evidence: verdict.evidence,
    }
}

/// The type of columns that have one in the file itself.
fn native(data_type: &DataType) -> Option<Type> {
    match data_type {
        data_type if data_type.is_integer() => Some(Type::Integer),
        data_type if data_type.is_floating() || data_type.is_decimal() => Some(Type::Number),
        DataType::Date32 | DataType::Date64 => Some(Type::Date),
        DataType::Dictionary(_, values) => native(values),
        _ => None,
    }
}

fn of_text(facts: &Facts, verdict: &mut SuggestedRole) -> (Type, Option<&'static str>) {
    if !facts.is_text() || facts.examined() == 0 {
        return (Type::Text, None);
    }
    let named = matches!(verdict.role, Role::Identifier | Role::Household | Role::FreeText);
    let mut because = |reason: &str| verdict.evidence.push(reason.to_owned());
    if !named && let Some(format) = date_format(facts) {
        if format.short_year() {
            because("The years have two digits, so that the century is a guess: kept as text.");
            return (Type::Text, None);
        }
        return (Type::Date, Some(format.pattern()));
    }
    if named {
        return (Type::Text, None);
    }
    if facts.is(Kind::Date) >= 0.5 {
        because("Not every value is a date of one format: kept as text until those that are not are mended.");
        return (Type::Text, None);
    }
    if facts.all_decimal() {
        return (Type::Number, None);
    }
    if facts.share(Marks::LEADING_ZERO) > 0.0 && facts.share(Marks::LEADING_ZERO) + facts.share(Marks::WHOLE) >= 0.99 {
        because("Digits with leading zeros are codes: kept as text.");
    } else if facts.all_whole() && verdict.role == Role::Weight {
        return (Type::Number, None);
    } else if facts.all_whole() && facts.distinct() > CODES {
        return (Type::Integer, None);
    } else if facts.all_whole() {
        because(
            "Whole numbers with few different values are most likely codes, so text is safe; say `integer` if they count something.",
        );
    }
    (Type::Text, None)
}

/// The format that every examined value fits; where two fit, the British order.
fn date_format(facts: &Facts) -> Option<DateFormat> {
    let fits = |format: &DateFormat| facts.summary.tally.count(Marks::date(*format)) == facts.examined();
    DateFormat::ALL.into_iter().find(fits)
}
