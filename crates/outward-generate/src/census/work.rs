//! Economic activity, industry, occupation, hours and health, which follow age, sex, family and each other.
//!
//! Shares are rough figures after the 2011 census of England and Wales.

use std::sync::LazyLock;

use crate::draw::{Choice, Draw};

use super::household::{Member, Role};
use super::identity::Identity;
use super::labels::*;

/// What a person does.
#[derive(Clone, Copy, Debug)]
pub(super) struct Work {
    pub(super) activity: usize,
    pub(super) industry: usize,
    pub(super) occupation: usize,
    pub(super) hours: Option<i64>,
    pub(super) health: usize,
}

struct WorkShares {
    activity: Vec<[Choice; 2]>,
    /// By region, then sex, then whether young, in mid-life or old.
    industry: Vec<[[Choice; 3]; 2]>,
    self_employed: [Choice; 2],
    occupation: Vec<Choice>,
    full_time: Choice,
    health: Vec<Choice>,
}

static WORK_SHARES: LazyLock<WorkShares> = LazyLock::new(|| WorkShares {
    activity: ACTIVITY.iter().map(|(_, men, women)| [Choice::new(men), Choice::new(women)]).collect(),
    industry: TILT.iter().map(|tilt| [industry_choices(tilt, 0), industry_choices(tilt, 1)]).collect(),
    self_employed: SELF_EMPLOYED.map(|weights| Choice::new(&weights)),
    occupation: OCCUPATIONS.iter().map(|weights| Choice::new(weights)).collect(),
    full_time: Choice::new(&FULL_TIME_HOURS),
    health: HEALTH_BY_AGE.iter().map(|(_, weights)| Choice::new(weights)).collect(),
});

/// Up to this age: economic activity of men and of women, per thousand.
#[rustfmt::skip]
const ACTIVITY: [(i32, [u32; 13], [u32; 13]); 11] = [
    (17, [30, 20, 0, 0, 1, 2, 25, 150, 0, 740, 2, 3, 27], [40, 12, 0, 0, 1, 1, 20, 190, 0, 710, 6, 3, 17]),
    (21, [80, 260, 0, 1, 5, 18, 105, 130, 0, 350, 5, 15, 31], [120, 190, 0, 0, 5, 5, 75, 170, 0, 360, 40, 12, 23]),
    (24, [75, 520, 1, 3, 10, 45, 105, 60, 0, 120, 5, 25, 31], [140, 460, 1, 1, 10, 12, 65, 60, 0, 110, 100, 20, 21]),
    (34, [45, 660, 3, 15, 15, 100, 60, 12, 1, 25, 8, 35, 21], [200, 480, 4, 6, 22, 25, 45, 14, 1, 25, 130, 30, 18]),
    (44, [35, 640, 5, 35, 18, 130, 45, 4, 1, 6, 10, 50, 21], [290, 400, 8, 10, 35, 32, 35, 8, 1, 9, 115, 42, 15]),
    (54, [35, 600, 6, 42, 20, 130, 42, 1, 8, 2, 10, 75, 29], [290, 400, 9, 12, 36, 35, 30, 3, 12, 4, 75, 75, 19]),
    (59, [55, 500, 8, 42, 28, 125, 40, 0, 70, 1, 10, 95, 26], [280, 300, 10, 11, 34, 30, 24, 1, 110, 2, 75, 105, 18]),
    (64, [75, 330, 9, 35, 35, 100, 30, 0, 230, 1, 8, 115, 32], [180, 130, 9, 8, 28, 18, 10, 0, 500, 1, 45, 55, 16]),
    (69, [60, 60, 9, 16, 33, 40, 5, 0, 730, 0, 3, 25, 19], [60, 25, 7, 4, 16, 8, 2, 0, 830, 0, 12, 20, 16]),
    (74, [22, 14, 6, 7, 17, 15, 1, 0, 880, 0, 2, 20, 16], [18, 7, 4, 2, 8, 3, 1, 0, 925, 0, 6, 14, 12]),
    (i32::MAX, [6, 4, 3, 2, 6, 4, 0, 0, 945, 0, 1, 15, 14], [3, 2, 2, 1, 2, 1, 0, 0, 960, 0, 4, 13, 12]),
];

/// Industry of men and of women, per thousand.
const INDUSTRIES: [[u32; 17]; 2] = [
    [14, 4, 125, 17, 130, 155, 75, 48, 55, 42, 13, 70, 50, 62, 50, 50, 45],
    [5, 1, 45, 7, 18, 165, 22, 65, 24, 44, 16, 62, 46, 60, 150, 215, 58],
];

/// The same for people in business on their own.
const SELF_EMPLOYED: [[u32; 17]; 2] = [
    [55, 1, 50, 4, 330, 110, 90, 35, 50, 15, 15, 110, 55, 5, 20, 25, 60],
    [35, 0, 50, 1, 20, 110, 12, 60, 35, 15, 20, 150, 80, 3, 70, 130, 210],
];

/// How a region differs, in percent of the average: agriculture, manufacturing, information, finance, professions.
const TILT: [[u32; 5]; 10] = [
    [70, 120, 70, 65, 75],
    [75, 115, 80, 85, 90],
    [90, 125, 70, 90, 80],
    [120, 150, 70, 60, 80],
    [100, 150, 75, 70, 80],
    [130, 100, 100, 120, 105],
    [4, 35, 190, 210, 160],
    [90, 80, 150, 110, 120],
    [180, 105, 85, 90, 95],
    [190, 120, 55, 70, 70],
];

/// Occupation by industry, in percent.
const OCCUPATIONS: [[u32; 9]; 17] = [
    [8, 4, 2, 6, 60, 3, 1, 6, 20],
    [14, 22, 16, 8, 15, 0, 1, 20, 6],
    [12, 12, 12, 10, 22, 0, 4, 22, 10],
    [12, 16, 16, 14, 16, 0, 4, 14, 12],
    [10, 7, 6, 7, 56, 0, 1, 9, 6],
    [14, 4, 9, 9, 10, 2, 36, 6, 14],
    [9, 4, 9, 16, 4, 3, 2, 41, 14],
    [15, 1, 3, 4, 18, 2, 3, 2, 54],
    [14, 42, 20, 8, 7, 0, 6, 1, 2],
    [15, 14, 32, 35, 0, 0, 4, 0, 1],
    [22, 10, 24, 30, 5, 2, 3, 1, 5],
    [12, 44, 21, 17, 3, 0, 1, 1, 1],
    [9, 7, 12, 14, 7, 6, 5, 7, 35],
    [7, 22, 34, 27, 1, 4, 1, 1, 5],
    [4, 52, 7, 9, 2, 20, 1, 1, 7],
    [7, 30, 13, 13, 1, 30, 1, 1, 5],
    [9, 9, 20, 9, 6, 27, 4, 2, 15],
];

/// Weekly hours from 31 to 60.
const FULL_TIME_HOURS: [u32; 30] =
    [6, 12, 8, 8, 60, 40, 170, 60, 60, 230, 10, 40, 10, 10, 85, 5, 5, 25, 3, 60, 2, 3, 1, 1, 15, 2, 1, 1, 1, 25];

/// Up to this age: general health, per thousand.
const HEALTH_BY_AGE: [(i32, [u32; 5]); 7] = [
    (15, [820, 150, 22, 5, 3]),
    (34, [620, 300, 60, 15, 5]),
    (49, [480, 360, 115, 35, 10]),
    (64, [360, 370, 180, 70, 20]),
    (74, [230, 400, 270, 80, 20]),
    (84, [140, 360, 360, 110, 30]),
    (i32::MAX, [90, 300, 410, 150, 50]),
];

fn industry_choices(tilt: &[u32; 5], sex: usize) -> [Choice; 3] {
    let mut base = INDUSTRIES[sex].map(|weight| weight * 100);
    for (industry, percent) in [0, 2, 8, 9, 11].into_iter().zip(tilt) {
        base[industry] = base[industry] * percent / 100;
    }
    let scaled = |factors: &[(usize, u32)]| {
        let mut weights = base;
        for &(industry, percent) in factors {
            weights[industry] = weights[industry] * percent / 100;
        }
        Choice::new(&weights)
    };
    let young = [(5, 170), (FOOD, 300), (14, 60), (13, 50), (TRANSPORT, 60)];
    let old = [(2, 145), (0, 150), (FOOD, 70), (8, 55), (12, 80)];
    [scaled(&young), scaled(&[]), scaled(&old)]
}

/// What a person does, given who they are; `small_child` says that the household has a child under five.
pub(super) fn work(draw: &mut Draw, region: usize, member: &Member, identity: &Identity, small_child: bool) -> Work {
    let activity = activity(draw, member, identity, small_child);
    let industry = industry(draw, region, member, identity, activity);
    let occupation = occupation(draw, member.female, industry);
    let hours = hours(draw, activity);
    let health = health(draw, member.age, activity);
    Work { activity, industry, occupation, hours, health }
}

fn activity(draw: &mut Draw, member: &Member, identity: &Identity, small_child: bool) -> usize {
    if member.age < 16 {
        return UNDER_16;
    }
    if member.role == Role::Student && member.age < 30 {
        return if draw.chance(330) { STUDENT_ACTIVE } else { STUDENT_INACTIVE };
    }
    let row = ACTIVITY.iter().position(|&(to, _, _)| member.age <= to).unwrap_or(ACTIVITY.len() - 1);
    let drawn = draw.choose(&WORK_SHARES.activity[row][usize::from(member.female)]);
    let parent = matches!(member.role, Role::Head | Role::Partner);
    let at_home = match identity.ethnic {
        PAKISTANI | BANGLADESHI | ARAB => 420,
        AFRICAN if identity.religion == MUSLIM => 300,
        _ if small_child && parent => 160,
        _ => 0,
    };
    match drawn {
        PART_TIME | FULL_TIME if member.female && member.age < 60 && draw.chance(at_home) => HOME,
        FULL_TIME if member.female && small_child && parent && draw.chance(380) => PART_TIME,
        _ => drawn,
    }
}

fn industry(draw: &mut Draw, region: usize, member: &Member, identity: &Identity, activity: usize) -> usize {
    let never_worked = match activity {
        UNDER_16 => return NO_INDUSTRY,
        STUDENT_INACTIVE if member.age < 18 => 850,
        STUDENT_INACTIVE => 480,
        UNEMPLOYED if member.age < 25 => 300,
        UNEMPLOYED => 80,
        HOME => 220,
        SICK => 150,
        RETIRED => 35,
        ..=STUDENT_ACTIVE => 0,
        _ => 350,
    };
    if draw.chance(never_worked) {
        return NO_INDUSTRY;
    }
    let sex = usize::from(member.female);
    if (2..=LAST_SELF_EMPLOYED).contains(&activity) && draw.chance(800) {
        return draw.choose(&WORK_SHARES.self_employed[sex]);
    }
    let niche = match (identity.ethnic, member.female) {
        (PAKISTANI, false) => Some((TRANSPORT, 220)),
        (BANGLADESHI | CHINESE, _) => Some((FOOD, 300)),
        (AFRICAN | CARIBBEAN, true) => Some((HEALTH_WORK, 300)),
        (OTHER_ASIAN, _) => Some((HEALTH_WORK, 250)),
        (INDIAN, _) => Some((INFORMATION, 100)),
        _ => None,
    };
    if let Some((industry, share)) = niche
        && draw.chance(share)
    {
        return industry;
    }
    let stage = usize::from(member.age >= 25) + usize::from(member.age >= 60);
    draw.choose(&WORK_SHARES.industry[region][sex][stage])
}

fn occupation(draw: &mut Draw, female: bool, industry: usize) -> usize {
    if industry == NO_INDUSTRY {
        return NO_OCCUPATION;
    }
    // Few women are in trades or at machines; in the same industry they do the office, the selling or the care.
    match draw.choose(&WORK_SHARES.occupation[industry]) {
        4 | 7 if female && draw.chance(650) => 3 + 3 * draw.below(2) as usize,
        drawn => drawn,
    }
}

fn hours(draw: &mut Draw, activity: usize) -> Option<i64> {
    match activity {
        0 | 2 | 4 => Some(if draw.chance(300) { [16, 20][draw.below(2) as usize] } else { draw.between(4, 30) }),
        1 | 3 | 5 => Some(31 + draw.choose(&WORK_SHARES.full_time) as i64),
        STUDENT_ACTIVE if draw.chance(780) => Some(draw.between(4, 20)),
        _ => None,
    }
}

fn health(draw: &mut Draw, age: i32, activity: usize) -> usize {
    if activity == SICK {
        return [0, 1, 1, 2, 2, 2, 3, 3, 3, 3, 3, 4][draw.below(12) as usize];
    }
    let row = HEALTH_BY_AGE.iter().position(|&(to, _)| age <= to).unwrap_or(HEALTH_BY_AGE.len() - 1);
    draw.choose(&WORK_SHARES.health[row])
}
