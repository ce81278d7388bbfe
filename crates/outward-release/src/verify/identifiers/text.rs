//! Identifiers in a column of text: the whole value, or a part of it.

use outward_profile::Kind;
use outward_profile::recognise::{Street, person_name, street};
use outward_profile::scan::{Scanner, Standing, is_beyond_chance};

use super::names_nhs;

/// Fewest different values from which a column is judged by shares.
const MIN_DISTINCT_VALUES: usize = 20;

pub(super) fn scan(name: &str, values: &[String]) -> Vec<(Kind, Vec<usize>)> {
    let scanner = Scanner::new();
    let readings: Vec<ValueReading> = values.iter().map(|value| read(&scanner, value, names_nhs(name))).collect();
    let all =
        |has: fn(&ValueReading) -> bool| -> Vec<usize> { (0..values.len()).filter(|at| has(&readings[*at])).collect() };
    let mut found: Vec<(Kind, Vec<usize>)> = Vec::new();
    for kind in SCANNED_KINDS {
        let certain = (0..values.len()).filter(|at| readings[*at].certain.contains(&kind));
        let coded: Vec<usize> = (0..values.len()).filter(|at| readings[*at].by_chance.contains(&kind)).collect();
        let shaped = readings.iter().filter(|reading| reading.has_shape_of(kind)).count();
        let alarm = is_beyond_chance(kind, coded.len(), shaped);
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

const SCANNED_KINDS: [Kind; 12] = [
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
    Kind::DateOfBirth,
];

/// What one value holds.
#[derive(Default)]
struct ValueReading {
    /// Kinds that are certain from one value.
    certain: Vec<Kind>,
    /// Kinds of codes that pass, and of those that have the shape and do not.
    by_chance: Vec<Kind>,
    missed: Vec<Kind>,
    is_name: bool,
    is_address: bool,
}

impl ValueReading {
    fn has_shape_of(&self, kind: Kind) -> bool {
        self.by_chance.contains(&kind) || self.missed.contains(&kind)
    }
}

fn read(scanner: &Scanner, value: &str, names_nhs: bool) -> ValueReading {
    let value = value.trim();
    let is_address = street(value) == Some(Street::Building);
    let mut reading = ValueReading { is_name: person_name(value).full, is_address, ..ValueReading::default() };
    for sighting in scanner.scan(value) {
        let meant = names_nhs && sighting.kind == Kind::NhsNumber && sighting.standing == Standing::ByChance;
        let kinds = match sighting.standing {
            Standing::Certain => &mut reading.certain,
            Standing::ByChance if meant => &mut reading.certain,
            Standing::ByChance => &mut reading.by_chance,
            Standing::Missed => &mut reading.missed,
        };
        kinds.push(sighting.kind);
    }
    reading
}
