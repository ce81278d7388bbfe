//! Ethnic group, religion and country of birth, which run in families and differ between places.
//!
//! Shares are rough figures after the 2011 census of England and Wales.

mod birthplaces;

use std::sync::LazyLock;

use crate::draw::{Choice, Draw};
use crate::people::Origin;
use crate::places::{LocalAuthority, WALES};

use super::household::{Custom, Member, Role};
use super::labels::*;
use birthplaces::BORN_IN_UK;

pub(super) use birthplaces::BIRTHPLACES;

/// What a family has in common.
#[derive(Clone, Copy, Debug)]
pub(super) struct Family {
    pub(super) place: LocalAuthority,
    pub(super) ethnic: usize,
    pub(super) religion: usize,
    pub(super) origin: Origin,
    /// Where members who were born abroad mostly come from.
    homeland: usize,
    abroad: usize,
    not_stated: bool,
}

/// What is a person's own.
#[derive(Clone, Copy, Debug)]
pub(super) struct Identity {
    pub(super) ethnic: usize,
    pub(super) religion: usize,
    pub(super) country: usize,
}

struct IdentityShares {
    minority: Vec<Choice>,
    religion: Vec<Choice>,
    uk: [Choice; 2],
}

static IDENTITY_SHARES: LazyLock<IdentityShares> = LazyLock::new(|| IdentityShares {
    minority: MINORITIES.iter().map(|weights| Choice::new(&per_head(weights))).collect(),
    religion: RELIGIONS.iter().map(|weights| Choice::new(weights)).collect(),
    uk: [Choice::new(&[9_640, 80, 200, 80]), Choice::new(&[2_150, 7_650, 130, 70])],
});

/// Residents other than White British by ethnic group, per region.
const MINORITIES: [[u32; 18]; 10] = [
    [0, 3, 1, 10, 3, 1, 3, 2, 6, 8, 4, 6, 5, 5, 1, 1, 3, 2],
    [0, 9, 1, 21, 6, 2, 4, 3, 15, 27, 7, 7, 7, 8, 3, 2, 3, 3],
    [0, 5, 1, 25, 6, 2, 5, 3, 13, 43, 4, 5, 8, 9, 4, 2, 4, 4],
    [0, 6, 1, 28, 9, 2, 5, 3, 37, 11, 3, 5, 8, 9, 6, 3, 2, 4],
    [0, 10, 1, 25, 12, 2, 6, 4, 39, 41, 9, 6, 13, 12, 15, 6, 3, 6],
    [0, 10, 1, 45, 6, 3, 6, 5, 15, 11, 6, 6, 10, 12, 6, 2, 2, 3],
    [0, 22, 1, 126, 15, 8, 12, 15, 66, 27, 27, 15, 49, 70, 42, 21, 13, 21],
    [0, 9, 2, 44, 5, 3, 7, 5, 18, 11, 3, 6, 14, 10, 4, 2, 2, 4],
    [0, 5, 1, 29, 4, 2, 4, 3, 7, 2, 2, 4, 5, 5, 3, 1, 1, 2],
    [0, 5, 1, 18, 4, 2, 3, 2, 6, 4, 3, 4, 5, 4, 1, 1, 3, 2],
];

/// Heads of household among a hundred persons of an ethnic group, relative to White British. Larger households have
/// fewer, and most people of mixed background are children of two groups.
const HEADS: [u32; 18] = [100, 100, 85, 85, 35, 35, 35, 40, 68, 62, 60, 90, 80, 85, 95, 80, 80, 80];

fn per_head(weights: &[u32; 18]) -> [u32; 18] {
    std::array::from_fn(|group| weights[group] * HEADS[group])
}

/// Religion per ethnic group, per ten thousand, without those who did not say.
const RELIGIONS: [[u32; 9]; 18] = [
    [3_000, 6_800, 20, 2, 42, 10, 1, 24, 14],
    [950, 8_950, 14, 1, 10, 8, 1, 14, 10],
    [1_850, 7_700, 60, 10, 40, 30, 5, 90, 60],
    [2_300, 6_500, 40, 5, 130, 850, 5, 40, 30],
    [4_200, 5_400, 40, 10, 5, 160, 10, 40, 70],
    [2_600, 5_900, 40, 5, 5, 1_350, 5, 30, 20],
    [3_800, 3_500, 160, 360, 20, 1_650, 150, 30, 40],
    [3_100, 4_700, 210, 100, 100, 1_150, 30, 40, 50],
    [320, 980, 20, 4_600, 8, 1_430, 2_260, 5, 280],
    [110, 150, 3, 10, 2, 9_700, 10, 1, 5],
    [140, 150, 10, 90, 2, 9_580, 5, 1, 5],
    [5_900, 2_050, 1_350, 10, 5, 90, 2, 20, 40],
    [520, 1_850, 1_100, 2_550, 10, 3_300, 110, 5, 60],
    [310, 7_300, 10, 5, 3, 2_200, 2, 10, 20],
    [1_350, 7_900, 20, 30, 5, 130, 2, 20, 160],
    [1_050, 7_050, 15, 10, 5, 1_400, 2, 20, 80],
    [540, 480, 10, 5, 60, 8_300, 2, 5, 20],
    [1_150, 3_150, 310, 370, 370, 3_450, 900, 30, 100],
];

/// The same for all groups but White British together.
const MINORITY_HEADS: u32 = 78;

/// The ethnic group of somebody who heads a household in this place.
fn ethnic_group(draw: &mut Draw, place: LocalAuthority) -> usize {
    if draw.chance(place.minority() * MINORITY_HEADS / 100) {
        draw.choose(&IDENTITY_SHARES.minority[place.region])
    } else {
        WHITE_BRITISH
    }
}

/// A family in this place.
pub(super) fn family(draw: &mut Draw, place: LocalAuthority) -> Family {
    let ethnic = ethnic_group(draw, place);
    family_of(draw, place, ethnic)
}

fn family_of(draw: &mut Draw, place: LocalAuthority, ethnic: usize) -> Family {
    let religion = draw.choose(&IDENTITY_SHARES.religion[ethnic]);
    let origin = name_origin(draw, ethnic, religion);
    let abroad = birthplaces::row(ethnic, origin);
    let homeland = birthplace(draw, abroad);
    Family { place, ethnic, religion, origin, homeland, abroad, not_stated: draw.chance(38) }
}

fn name_origin(draw: &mut Draw, ethnic: usize, religion: usize) -> Origin {
    match ethnic {
        WHITE_IRISH => Origin::Irish,
        OTHER_WHITE if religion == MUSLIM => Origin::Muslim,
        OTHER_WHITE => [Origin::EastEuropean, Origin::SouthEuropean][usize::from(draw.chance(450))],
        MIXED_AFRICAN if draw.chance(500) => Origin::African,
        INDIAN if religion != MUSLIM => Origin::Indian,
        INDIAN | PAKISTANI | BANGLADESHI | ARAB => Origin::Muslim,
        CHINESE => Origin::Chinese,
        _ if religion == MUSLIM => Origin::Muslim,
        _ if religion == HINDU || religion == SIKH => Origin::Indian,
        OTHER_ASIAN => [Origin::Indian, Origin::Chinese][usize::from(draw.chance(400))],
        AFRICAN => Origin::African,
        MIXED_CARIBBEAN..=MIXED_OTHER | CARIBBEAN | OTHER_BLACK => Origin::British,
        WHITE_BRITISH | 2 => Origin::British,
        _ => Origin::SouthEuropean,
    }
}

/// How families of this ethnic group tend to live.
pub(super) fn custom(ethnic: usize) -> Custom {
    match ethnic {
        WHITE_BRITISH | WHITE_IRISH => Custom::White,
        INDIAN | PAKISTANI | BANGLADESHI => Custom::SouthAsian,
        _ => Custom::Other,
    }
}

/// A partner from outside the family, where there is one: most couples share their ethnic group.
pub(super) fn partner(draw: &mut Draw, family: &Family) -> Option<Family> {
    let outside = match family.ethnic {
        WHITE_BRITISH => 300,
        INDIAN | PAKISTANI | BANGLADESHI => 60,
        MIXED_CARIBBEAN..=MIXED_OTHER => 850,
        _ => 280,
    };
    draw.chance(outside).then(|| {
        let ethnic = ethnic_group(draw, family.place);
        family_of(draw, family.place, ethnic)
    })
}

/// The ethnic group of the child of two parents.
fn child_group(draw: &mut Draw, one: usize, other: usize) -> usize {
    if one == other {
        return one;
    }
    let (low, high) = (one.min(other), one.max(other));
    match (low, high) {
        (0..=3, 0..=3) => [low, high][usize::from(draw.chance(350))],
        (0..=3, CARIBBEAN | MIXED_CARIBBEAN | OTHER_BLACK) => MIXED_CARIBBEAN,
        (0..=3, AFRICAN | MIXED_AFRICAN) => MIXED_AFRICAN,
        (0..=3, INDIAN..=OTHER_ASIAN | MIXED_ASIAN) => MIXED_ASIAN,
        _ if draw.chance(250) => high,
        _ => MIXED_OTHER,
    }
}

/// A person of the family; `other` is the family a partner came from.
pub(super) fn identity(draw: &mut Draw, family: &Family, other: Option<&Family>, member: &Member) -> Identity {
    let own = match member.role {
        Role::Partner => other.unwrap_or(family),
        _ => family,
    };
    let ethnic = match (member.role, other) {
        (Role::Child, Some(other)) => child_group(draw, family.ethnic, other.ethnic),
        _ => own.ethnic,
    };
    let religion = religion(draw, own, ethnic, member);
    let country = country(draw, own, ethnic, member);
    Identity { ethnic, religion, country }
}

fn religion(draw: &mut Draw, family: &Family, ethnic: usize, member: &Member) -> usize {
    if family.not_stated || draw.chance(34) {
        return NOT_STATED;
    }
    let drawn = if draw.chance(950) { family.religion } else { draw.choose(&IDENTITY_SHARES.religion[ethnic]) };
    match (drawn, member.age) {
        (CHRISTIAN, ..=34) if draw.chance(240) => NO_RELIGION,
        (NO_RELIGION, 65..) if draw.chance(550) => CHRISTIAN,
        _ => drawn,
    }
}

fn country(draw: &mut Draw, family: &Family, ethnic: usize, member: &Member) -> usize {
    let band = match member.age {
        ..=15 => 0,
        16..=34 => 1,
        35..=64 => 2,
        _ => 3,
    };
    if draw.chance(BORN_IN_UK[ethnic][band]) {
        return draw.choose(&IDENTITY_SHARES.uk[usize::from(family.place.region == WALES)]);
    }
    let from = if ethnic == family.ethnic { family.abroad } else { ethnic };
    if ethnic == family.ethnic && draw.chance(850) { family.homeland } else { birthplace(draw, from) }
}

/// A country abroad for a row of the birthplaces.
fn birthplace(draw: &mut Draw, row: usize) -> usize {
    let (choice, countries) = &BIRTHPLACES.rows[row];
    countries[draw.choose(choice)]
}
