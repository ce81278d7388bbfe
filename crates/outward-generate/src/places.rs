//! Places: regions, local authorities, postcodes with real outward codes, streets, positions on the national grid.

mod authorities;

use std::sync::LazyLock;

use crate::draw::{Choice, Draw};

pub(crate) use authorities::{AUTHORITIES, REGIONS};

/// The index of London among the regions.
pub(crate) const LONDON: usize = 6;
/// The index of Wales among the regions.
pub(crate) const WALES: usize = 9;

/// A local authority.
pub(crate) struct Authority {
    pub(crate) name: &'static str,
    /// The post town that addresses name.
    pub(crate) town: &'static str,
    thousands: u32,
    /// Residents other than White British, per thousand.
    minority: u32,
    pub(crate) force: &'static str,
    /// Centre on the national grid, in kilometres.
    grid: (i64, i64),
    /// Postcode districts as (area, first, last).
    districts: &'static [(&'static str, u8, u8)],
}

/// A local authority by its place in the lists.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LocalAuthority {
    pub(crate) region: usize,
    /// Index among all authorities, region after region.
    pub(crate) authority: usize,
    within: usize,
}

impl LocalAuthority {
    pub(crate) fn authority(self) -> &'static Authority {
        &AUTHORITIES[self.region][self.within]
    }

    /// Residents other than White British, per thousand. The authorities listed are more urban than their region, so
    /// their figures are scaled until the region's own comes out.
    pub(crate) fn minority(self) -> u32 {
        MAP.minority[self.authority]
    }
}

struct Map {
    region: Choice,
    authority: Vec<Choice>,
    first: Vec<usize>,
    minority: Vec<u32>,
    /// Outward codes of each authority, in the order of all authorities.
    outward: Vec<Vec<String>>,
}

static MAP: LazyLock<Map> = LazyLock::new(|| {
    let mut first = Vec::with_capacity(AUTHORITIES.len());
    let mut outward = Vec::new();
    let mut minority = Vec::new();
    for (authorities, (_, _, share)) in AUTHORITIES.iter().zip(REGIONS) {
        let residents: u32 = authorities.iter().map(|a| a.thousands).sum();
        let listed = authorities.iter().map(|a| a.thousands * a.minority).sum::<u32>() / residents;
        minority.extend(authorities.iter().map(|a| a.minority * share / listed));
        first.push(outward.len());
        for authority in *authorities {
            let codes = authority.districts.iter();
            outward
                .push(codes.flat_map(|&(area, low, high)| (low..=high).map(move |n| format!("{area}{n}"))).collect());
        }
    }
    Map {
        region: Choice::new(&REGIONS.map(|(_, thousands, _)| thousands)),
        authority: AUTHORITIES
            .iter()
            .map(|list| Choice::new(&list.iter().map(|a| a.thousands).collect::<Vec<_>>()))
            .collect(),
        first,
        minority,
        outward,
    }
});

/// The names of the regions.
pub(crate) fn region_names() -> Vec<&'static str> {
    REGIONS.iter().map(|&(name, _, _)| name).collect()
}

/// The names of all local authorities, region after region.
pub(crate) fn authority_names() -> Vec<&'static str> {
    AUTHORITIES.iter().flat_map(|list| list.iter().map(|authority| authority.name)).collect()
}

/// A place, by population.
pub(crate) fn place(draw: &mut Draw) -> LocalAuthority {
    let map = &*MAP;
    let region = draw.choose(&map.region);
    place_in(draw, region)
}

/// A place within a region, by population.
pub(crate) fn place_in(draw: &mut Draw, region: usize) -> LocalAuthority {
    let map = &*MAP;
    let within = draw.choose(&map.authority[region]);
    LocalAuthority { region, authority: map.first[region] + within, within }
}

/// Writes a postcode of the place: a real outward code, and an inward code of the right shape.
pub(crate) fn write_postcode(draw: &mut Draw, place: LocalAuthority, out: &mut String) {
    let codes = &MAP.outward[place.authority];
    out.push_str(&codes[draw.below(codes.len() as u32) as usize]);
    push_inward(draw.below(4_000), out);
}

/// Writes a space and one of the 4,000 inward codes, by its number.
pub(crate) fn push_inward(number: u32, out: &mut String) {
    // Inward codes avoid the letters C, I, K, M, O and V.
    const LETTERS: &[u8; 20] = b"ABDEFGHJLNPQRSTUWXYZ";
    let number = number as usize;
    out.push(' ');
    out.push((b'0' + (number / 400) as u8) as char);
    out.push(LETTERS[number / 20 % 20] as char);
    out.push(LETTERS[number % 20] as char);
}

/// A position near the place's centre: easting and northing in metres.
pub(crate) fn position(draw: &mut Draw, place: LocalAuthority) -> (i64, i64) {
    let (east, north) = place.authority().grid;
    let spread = if place.region == LONDON { 2_000 } else { 4_500 };
    let coordinate = |draw: &mut Draw, km: i64| (km * 1_000 + spread * draw.bell() / 1_000).max(500);
    (coordinate(draw, east), coordinate(draw, north))
}

#[rustfmt::skip]
const STREETS: [&str; 64] = [
    "Church", "Station", "Mill", "Park", "Victoria", "Queens", "Kings", "Albert", "York", "Manor", "Grange",
    "School", "Chapel", "North", "South", "West", "Windsor", "Highfield", "Springfield", "George", "Alexandra",
    "Stanley", "Chester", "Orchard", "Meadow", "Beech", "Oak", "Elm", "Cedar", "Willow", "Hawthorn", "Holly",
    "Birch", "Ash", "Poplar", "Lime", "Maple", "Rowan", "Bridge", "River", "Brook", "Hill", "Castle", "Abbey",
    "Priory", "Vicarage", "Warren", "Woodland", "Forest", "Moor", "Heath", "Common", "Market", "Nelson",
    "Wellington", "Clarence", "Cromwell", "Tennyson", "Byron", "Milton", "Cambridge", "Oxford", "Derby", "Lancaster",
];
#[rustfmt::skip]
const STREET_KINDS: [&str; 16] = [
    "Road", "Road", "Road", "Street", "Street", "Street", "Lane", "Lane", "Avenue", "Avenue", "Close", "Close",
    "Drive", "Terrace", "Crescent", "Gardens",
];

/// Writes house number, street and post town.
pub(crate) fn write_address(draw: &mut Draw, place: LocalAuthority, out: &mut String) {
    let number = 1 + draw.below(12) * draw.below(12) + draw.below(20);
    if draw.chance(120) {
        out.push_str("Flat ");
        push_number(out, u64::from(1 + draw.below(24)));
        out.push_str(", ");
    }
    push_number(out, u64::from(number));
    out.push(' ');
    out.push_str(draw.pick(&STREETS));
    out.push(' ');
    out.push_str(draw.pick(&STREET_KINDS));
    out.push_str(", ");
    out.push_str(place.authority().town);
}

/// Writes a whole number in decimal.
pub(crate) fn push_number(out: &mut String, number: u64) {
    if number >= 10 {
        push_number(out, number / 10);
    }
    out.push((b'0' + (number % 10) as u8) as char);
}

/// Writes a whole number with leading zeros to the given width.
pub(crate) fn push_padded(out: &mut String, number: u64, width: u32) {
    for place in (0..width).rev() {
        out.push((b'0' + (number / 10u64.pow(place) % 10) as u8) as char);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

    use super::*;

    /// Every outward code of the map with its region.
    fn codes_and_regions() -> impl Iterator<Item = (&'static str, &'static str)> {
        AUTHORITIES.iter().enumerate().flat_map(|(region, authorities)| {
            let codes = (0..authorities.len()).flat_map(move |within| &MAP.outward[MAP.first[region] + within]);
            codes.map(move |code| (code.as_str(), REGIONS[region].0))
        })
    }

    #[test]
    fn the_first_districts_of_ten_towns_lie_in_their_regions() {
        let towns = [
            ("NE1", "North East"),
            ("M1", "North West"),
            ("LS1", "Yorkshire and The Humber"),
            ("NG1", "East Midlands"),
            ("B1", "West Midlands"),
            ("NR1", "East of England"),
            ("CR0", "London"),
            ("OX1", "South East"),
            ("BS1", "South West"),
            ("CF10", "Wales"),
        ];
        for (code, region) in towns {
            let found: Vec<&str> = codes_and_regions().filter(|of| of.0 == code).map(|of| of.1).collect();
            assert_eq!(found, [region], "{code}");
        }
    }

    mod real_data {
        use std::collections::HashMap;

        use super::*;

        #[test]
        fn every_outward_code_is_real_and_lies_in_its_region() {
            let text = outward_testing::real_data::text("outward_codes_uk_2011pop.csv.gz");
            let fields = text.lines().skip(1).map(|line| line.split(',').collect::<Vec<_>>());
            let real: HashMap<&str, &str> = fields.map(|fields| (fields[0], fields[3])).collect();
            let wrong: Vec<_> = codes_and_regions().filter(|(code, region)| real.get(code) != Some(region)).collect();
            assert!(wrong.is_empty(), "{wrong:?}");
        }
    }

    #[test]
    fn an_outward_code_belongs_to_one_authority() {
        let mut codes: Vec<&String> = MAP.outward.iter().flatten().collect();
        let all = codes.len();
        codes.sort();
        codes.dedup();
        assert_eq!(codes.len(), all);
        assert!(all > 800, "{all}");
    }

    #[test]
    fn numbers_are_written_in_decimal() {
        let mut out = String::new();
        push_number(&mut out, 1_024);
        push_padded(&mut out, 7, 3);
        assert_eq!(out, "1024007");
    }
}
