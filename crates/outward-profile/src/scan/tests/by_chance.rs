//! How often random codes of the shape of an identifier are reported for certain: the false alarms of a text that has such codes.

use crate::kind::Kind;
use crate::scan::{Scanner, Standing};

const CODES: u64 = 50_000;

/// Random numbers (Steele, Lea and Flood 2014, SplitMix), the same in every run.
struct Draw(u64);

impl Draw {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % bound
    }
}

/// Of random codes of a shape, in hundredths of a percent, how many are reported as each kind. In a shape `9` is any digit and `A` any capital.
fn reported(shape: &str) -> Vec<(Kind, u64)> {
    let scanner = Scanner::new();
    let mut draw = Draw(20_261_115);
    let mut counts = std::collections::BTreeMap::new();
    for _ in 0..CODES {
        let code: String = shape
            .chars()
            .map(|c| match c {
                '9' => char::from(b'0' + draw.below(10) as u8),
                'A' => char::from(b'A' + draw.below(26) as u8),
                other => other,
            })
            .collect();
        for sighting in scanner.scan(&format!("The code was {code} as before.")) {
            if sighting.standing == Standing::Certain {
                *counts.entry(sighting.kind).or_insert(0) += 1;
            }
        }
    }
    counts.into_iter().map(|(kind, count)| (kind, 10_000 * count / CODES)).collect()
}

/// What `docs/methods/scan.md` says, in hundredths of a percent. Of NHS numbers it is 1 in 11; of Social Security numbers the share of areas in use (898 of 1,000),
/// of groups but 00 and of numbers but 0000. The others were measured.
const REPORTED: [(&str, &[(Kind, u64)]); 16] = [
    ("999 999 9999", &[(Kind::NhsNumber, 909), (Kind::UkPhone, 98)]),
    ("9999999999", &[]),
    ("99999999999", &[(Kind::UkPhone, 300)]),
    ("07999999999", &[(Kind::UkPhone, 8_982)]),
    ("A9 9AA", &[(Kind::Postcode, 1_649)]),
    ("AA9 9AA", &[(Kind::Postcode, 1_044)]),
    ("AA99 9AA", &[(Kind::Postcode, 930)]),
    ("AA999999A", &[(Kind::NationalInsurance, 849)]),
    ("AA99 AAA", &[(Kind::NumberPlate, 3_861)]),
    ("999-99-9999", &[(Kind::SocialSecurity, 8_889)]),
    ("9999 9999 9999 9999", &[]),
    ("99.99.9999", &[]),
    ("99/99/9999", &[]),
    ("999.999.99.99", &[(Kind::UkPhone, 109), (Kind::IpAddress, 192)]),
    ("99:99", &[]),
    ("AAA-99999", &[]),
];

#[test]
fn random_codes_are_reported_as_often_as_their_shape_allows() {
    for (shape, expected) in REPORTED {
        let found = reported(shape);
        let kinds = |found: &[(Kind, u64)]| found.iter().map(|(kind, _)| *kind).collect::<Vec<_>>();
        assert_eq!(kinds(&found), kinds(expected), "{shape}");
        for ((_, found), (kind, expected)) in found.iter().zip(expected) {
            // Four standard errors of 50,000 draws.
            let share = *expected as f64 / 1e4;
            let most = 4e4 * (share * (1.0 - share) / CODES as f64).sqrt() + 1.0;
            assert!(found.abs_diff(*expected) as f64 <= most, "{shape}: {found} of {expected} as {kind}");
        }
    }
}
