//! Identifiers in a column of text: the whole value, or a part of it.

use outward_profile::Kind;
use outward_profile::recognise::{
    Street, is_card_number, is_iban, is_ip_address, is_national_insurance, is_nhs_number, is_number_plate, is_uk_phone,
    person_name, postcode, scan_text, street,
};

use super::names_nhs;

/// Fewest different values from which a column is judged by shares.
const MIN_DISTINCT_VALUES: usize = 20;
/// Most groups of an identifier that is written in groups: `GB82 WEST 1234 5698 7654 32`.
const MAX_GROUPS: usize = 6;

pub(super) fn scan(name: &str, values: &[String]) -> Vec<(Kind, Vec<usize>)> {
    let readings: Vec<ValueReading> = values.iter().map(|value| read(value, names_nhs(name))).collect();
    let all =
        |has: fn(&ValueReading) -> bool| -> Vec<usize> { (0..values.len()).filter(|at| has(&readings[*at])).collect() };
    let mut found: Vec<(Kind, Vec<usize>)> = Vec::new();
    for kind in CERTAIN_KINDS {
        let certain = (0..values.len()).filter(|at| readings[*at].certain.contains(&kind));
        let coded: Vec<usize> = (0..values.len()).filter(|at| readings[*at].code == Some((kind, true))).collect();
        let shaped = readings.iter().filter(|reading| reading.code.is_some_and(|(of, _)| of == kind)).count();
        // If half of the values of a shape pass, this is far more than chance for any kind. Few values of a shape are
        // no evidence against it.
        let alarm = coded.len() * 2 >= shaped || (has_check_digit(kind) && shaped < MIN_DISTINCT_VALUES);
        let mut hits: Vec<usize> = certain.chain(coded.into_iter().filter(|_| alarm)).collect();
        hits.sort_unstable();
        hits.dedup();
        if !hits.is_empty() {
            found.push((kind, hits));
        }
    }
    let most = |hits: &Vec<usize>| values.len() >= MIN_DISTINCT_VALUES && hits.len() * 2 >= values.len();
    let (names, addresses) = (all(|reading| reading.is_name), all(|reading| reading.is_address));
    let columns = [(Kind::PersonName, names), (Kind::Address, addresses)];
    found.extend(columns.into_iter().filter(|(_, hits)| most(hits)));
    found
}

const CERTAIN_KINDS: [Kind; 11] = [
    Kind::NhsNumber,
    Kind::NationalInsurance,
    Kind::Email,
    Kind::UkPhone,
    Kind::Postcode,
    Kind::IpAddress,
    Kind::CardNumber,
    Kind::Iban,
    Kind::SocialSecurity,
    Kind::NumberPlate,
    Kind::MachineKey,
];

fn has_check_digit(kind: Kind) -> bool {
    matches!(kind, Kind::NhsNumber | Kind::CardNumber)
}

/// What was recognised in one value.
#[derive(Default)]
struct ValueReading {
    /// Kinds that are certain from one value.
    certain: Vec<Kind>,
    /// A code of the shape of a kind, and whether it passes as one.
    code: Option<(Kind, bool)>,
    is_name: bool,
    is_address: bool,
}

fn read(value: &str, names_nhs: bool) -> ValueReading {
    let value = value.trim();
    let single = !value.contains(char::is_whitespace);
    let said = names_nhs || value.to_ascii_lowercase().contains("nhs");
    let tens: Vec<&str> = runs(value, said).filter(|run| run.len() == 10).collect();
    let ten_passes = tens.iter().any(|run| is_nhs_number(run));
    let mut certain: Vec<Kind> = scan_text(value)
        .filter(|kind| match kind {
            // Ten digits in a row may pass by chance; in groups they are an NHS number.
            Kind::NhsNumber => tens.is_empty(),
            Kind::UkPhone => !value.bytes().all(|byte| byte.is_ascii_digit()) && tens.is_empty(),
            Kind::Postcode | Kind::NationalInsurance | Kind::NumberPlate => !single,
            // One in ten passes by chance, so it is judged among all of that shape.
            Kind::CardNumber | Kind::Iban => false,
            _ => true,
        })
        .collect();
    if ten_passes && said {
        certain.push(Kind::NhsNumber);
    }
    if is_ip_address(value) {
        certain.push(Kind::IpAddress);
    }
    let code = if single { code(value) } else { None };
    let code = code.or_else(|| (!tens.is_empty()).then_some((Kind::NhsNumber, ten_passes))).or_else(|| account(value));
    let is_address = street(value) == Some(Street::Building);
    ValueReading { certain, code, is_name: person_name(value).full, is_address }
}

/// A value without gaps that has the shape of a code.
fn code(value: &str) -> Option<(Kind, bool)> {
    let bytes = value.as_bytes();
    let letters = |range: &[u8]| range.iter().all(u8::is_ascii_alphabetic);
    let digits = |range: &[u8]| range.iter().all(u8::is_ascii_digit);
    if bytes.len() == 9 && letters(&bytes[..2]) && digits(&bytes[2..8]) && letters(&bytes[8..]) {
        return Some((Kind::NationalInsurance, is_national_insurance(value)));
    }
    if bytes.len() == 7 && letters(&bytes[..2]) && digits(&bytes[2..4]) && letters(&bytes[4..]) {
        return Some((Kind::NumberPlate, is_number_plate(value)));
    }
    if matches!(bytes.len(), 10 | 11) && digits(bytes) && bytes[0] == b'0' && !is_nhs_number(value) {
        return Some((Kind::UkPhone, is_uk_phone(value)));
    }
    let ends = bytes.len().checked_sub(3).map(|at| digits(&bytes[at..=at]) && letters(&bytes[at + 1..]));
    if (5..=7).contains(&bytes.len()) && letters(&bytes[..1]) && ends == Some(true) {
        let whole = postcode(value).is_some_and(|code| code.unit().is_some());
        return Some((Kind::Postcode, whole));
    }
    None
}

/// A card or an account number, in one run or in groups.
fn account(value: &str) -> Option<(Kind, bool)> {
    if value.bytes().filter(u8::is_ascii_digit).count() < 12 {
        return None;
    }
    let mut shaped = None;
    for phrase in phrases(value) {
        let digits = phrase.bytes().filter(u8::is_ascii_digit).count();
        let all = phrase.bytes().all(|byte| byte.is_ascii_digit() || b" -./_,:".contains(&byte));
        let head = phrase.as_bytes().get(..4);
        let country = head.is_some_and(|head| {
            head[..2].iter().all(u8::is_ascii_alphabetic) && head[2..].iter().all(u8::is_ascii_digit)
        });
        let (kind, passes) = match () {
            () if all && (14..=16).contains(&digits) => (Kind::CardNumber, is_card_number(phrase)),
            () if country && (15..=42).contains(&phrase.len()) => (Kind::Iban, is_iban(phrase)),
            () => continue,
        };
        if passes {
            return Some((kind, true));
        }
        shaped.get_or_insert((kind, false));
    }
    shaped
}

/// Runs of digits without adjacent letters or decimals. Letters are allowed if the text mentions NHS numbers.
fn runs(text: &str, letters: bool) -> impl Iterator<Item = &str> {
    let pieces = text.char_indices().chain([(text.len(), ' ')]);
    let mut start = None;
    pieces.filter_map(move |(at, c)| match (c.is_ascii_digit(), start) {
        (true, None) => {
            start = Some(at);
            None
        }
        (false, Some(from)) => {
            start = None;
            let (before, after) = (&text[..from], &text[at..]);
            let joined = |c: char| c.is_alphanumeric() && !letters;
            let decimal = after.strip_prefix('.').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
                || before.strip_suffix('.').is_some_and(|rest| rest.ends_with(|c: char| c.is_ascii_digit()));
            (!decimal && !before.ends_with(joined) && !after.starts_with(joined)).then(|| &text[from..at])
        }
        _ => None,
    })
}

/// Sequences of a few words, without punctuation around them.
fn phrases(text: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut from = 0;
    for (at, c) in text.char_indices().chain([(text.len(), ' ')]) {
        if c.is_whitespace() {
            words.push((from, at));
            from = at + c.len_utf8();
        }
    }
    let mut phrases = Vec::new();
    for start in 0..words.len() {
        for end in start..words.len().min(start + MAX_GROUPS) {
            phrases.push(text[words[start].0..words[end].1].trim_matches(|c: char| !c.is_alphanumeric()));
        }
    }
    phrases
}
