//! What was recorded about a participant: visits, admissions, blood results.

use std::sync::LazyLock;

use crate::columns::TableBuilder;
use crate::dates::REFERENCE;
use crate::draw::{Choice, Draw};
use crate::places::LONDON;

use super::Participant;
use super::labels::{DIAGNOSIS, OCCUPATION};
use super::planted::PlantedText;
use super::text;

struct HealthRecordShares {
    occupation: Choice,
    diagnosis: Choice,
    alcohol: Choice,
    health: [Choice; 2],
    children: Choice,
    admissions: Choice,
    /// Of those who work in the first third of occupations by code, and of the others.
    education: [Choice; 2],
    income: [Choice; 2],
}

static HEALTH_RECORD_SHARES: LazyLock<HealthRecordShares> = LazyLock::new(|| HealthRecordShares {
    occupation: common_and_rare(OCCUPATION.len(), 2, &RARE_OCCUPATIONS),
    diagnosis: common_and_rare(DIAGNOSIS.len(), 3, &RARE_DIAGNOSES),
    alcohol: Choice::new(&[80, 115, 112, 258, 230, 205]),
    health: [Choice::new(&[190, 600, 180, 30]), Choice::new(&[70, 500, 330, 100])],
    children: Choice::new(&[190, 135, 430, 175, 50, 15, 5]),
    admissions: Choice::new(&[300, 220, 160, 110, 75, 50, 35, 20, 15, 15]),
    education: [Choice::new(&[640, 110, 100, 15, 40, 85, 10]), Choice::new(&[190, 110, 260, 75, 90, 55, 220])],
    income: [Choice::new(&[70, 170, 280, 290, 120, 70]), Choice::new(&[260, 290, 230, 100, 15, 105])],
});

/// Holders of the last occupations and diagnoses in a million.
const RARE_OCCUPATIONS: [u32; 12] = [1_000, 750, 500, 400, 300, 200, 150, 100, 60, 30, 20, 10];
const RARE_DIAGNOSES: [u32; 8] = [800, 400, 300, 200, 100, 60, 30, 10];

/// A choice among `count` codes: a long tail, and at its end codes that so many of a million have.
fn common_and_rare(count: usize, shift: u32, rare: &[u32]) -> Choice {
    let mut weights: Vec<u32> = (0..(count - rare.len()) as u32).map(|rank| 1_000_000 / (rank + 1 + shift)).collect();
    let common: u32 = weights.iter().sum();
    weights.extend(rare.iter().map(|holders| (u64::from(common) * u64::from(*holders) / 1_000_000) as u32));
    Choice::new(&weights)
}

/// Assessment centres near each region, as indices into their list.
const CENTRES: [&[usize]; 10] = [&[0, 1], &[2, 3], &[4, 5], &[6], &[7, 8], &[11, 6], &[9, 10], &[11, 10], &[12], &[13]];

/// A first visit for everybody, a second for one in five. Height stays, weight and pressure rise a little.
pub(super) fn write_assessments(
    draw: &mut Draw,
    person: &Participant,
    rows: &mut TableBuilder,
    planted: &mut TableBuilder,
) {
    let region = person.home.place.region;
    let visits = if draw.chance(200) { 2 } else { 1 };
    let height = draw.bell_shaped(if person.female { 1_625 } else { 1_757 }, 65, 1_380, 2_050);
    let occupation = draw.choose(&HEALTH_RECORD_SHARES.occupation);
    let children = draw.choose(&HEALTH_RECORD_SHARES.children) as i64;
    // Managers, professionals and their associates.
    let others = usize::from(OCCUPATION[occupation].as_bytes()[0] > b'3');
    let education = draw.choose(&HEALTH_RECORD_SHARES.education[others]);
    let income = draw.choose(&HEALTH_RECORD_SHARES.income[others]);
    let mut remark = PlantedText::default();
    let mut date = person.joined;
    for visit in 0..visits {
        let age = person.age_on(date);
        rows.integer(person.id);
        rows.integer(visit);
        rows.date(date);
        rows.code(CENTRES[region][draw.below(CENTRES[region].len() as u32) as usize]);
        let measured = !draw.chance(6);
        rows.real_or_missing(measured.then_some(height as f64 / 10.0));
        let mass = person.mass + 5 * visit + draw.between(-4, 4);
        // Kilograms to a tenth from the index in tenths and the height in millimetres.
        let weight = mass * height * height / 1_000_000;
        rows.real_or_missing(measured.then_some(weight as f64 / 10.0));
        rows.real_or_missing(measured.then_some(mass as f64 / 10.0));
        let systolic = draw.bell_shaped(88 + age * 7 / 10 + (mass - 250) / 20, 17, 85, 230);
        let diastolic = draw.bell_shaped(40 + systolic * 3 / 10, 8, 45, 130).min(systolic - 15);
        rows.integer_or_missing(measured.then_some(systolic));
        rows.integer_or_missing(measured.then_some(diastolic));
        rows.code(person.smoking);
        let alcohol = draw.choose(&HEALTH_RECORD_SHARES.alcohol);
        rows.code_or_missing((!draw.chance(10)).then_some(alcohol));
        let rated = draw.choose(&HEALTH_RECORD_SHARES.health[usize::from(mass > 320 || person.smoking == 2)]);
        rows.code_or_missing((!draw.chance(8)).then_some(rated));
        let sleep = draw.bell_shaped(7, 1, 3, 12);
        rows.integer_or_missing((!draw.chance(15)).then_some(sleep));
        rows.integer_or_missing((!draw.chance(12)).then_some(children));
        rows.code_or_missing((!draw.chance(9)).then_some(education));
        rows.code_or_missing((!draw.chance(30)).then_some(income));
        let at_work = age < 66 && !draw.chance(if age < 60 { 180 } else { 480 });
        rows.code_or_missing(at_work.then_some(occupation));
        if text::write_remark(draw, person, date, &mut remark) {
            rows.text(remark.text());
            remark.write_truth(0, person.id, visit, planted);
        } else {
            rows.missing();
        }
        date = (date + draw.between(1_200, 3_000) as i32).min(REFERENCE.number());
    }
}

/// Hospital stays between joining and the reference day; people go to the hospital of their region.
pub(super) fn write_admissions(
    draw: &mut Draw,
    person: &Participant,
    rows: &mut TableBuilder,
    planted: &mut TableBuilder,
) {
    let region = person.home.place.region;
    let mut letter = PlantedText::default();
    let last = i64::from(REFERENCE.number());
    let mut stays = draw.choose(&HEALTH_RECORD_SHARES.admissions) as i64;
    if person.mass > 320 || person.smoking == 2 {
        stays += i64::from(draw.below(3));
    }
    let mut from = i64::from(person.joined);
    for stay in 1..=stays {
        let admitted = draw.between(from, from + (last - from) / 2);
        let nights = draw.between(0, 3) * draw.between(0, 5) + i64::from(draw.chance(400));
        let elsewhere = draw.chance(if region == LONDON { 350 } else { 120 });
        rows.integer(person.id);
        rows.integer(stay);
        let hospital = if elsewhere { draw.below(20) } else { 2 * region as u32 + draw.below(2) };
        rows.code(hospital as usize);
        rows.date(admitted as i32);
        let discharged = admitted + nights;
        if discharged > last {
            rows.missing();
        } else {
            rows.date(discharged as i32);
        }
        rows.code(diagnosis(draw, person.female));
        let second = draw.chance(350).then(|| diagnosis(draw, person.female));
        rows.code_or_missing(second);
        if text::write_letter(draw, person, admitted as i32, &mut letter) {
            rows.text(letter.text());
            letter.write_truth(1, person.id, stay, planted);
        } else {
            rows.missing();
        }
        from = discharged.min(last);
    }
}

/// A reason for admission; nobody has one of the other sex's.
fn diagnosis(draw: &mut Draw, female: bool) -> usize {
    loop {
        let drawn = draw.choose(&HEALTH_RECORD_SHARES.diagnosis);
        let of_men = DIAGNOSIS[drawn].contains("prostate");
        let rare_in_men = DIAGNOSIS[drawn].contains("breast") && !female;
        if (of_men && female) || (rare_in_men && !draw.chance(10)) {
            continue;
        }
        return drawn;
    }
}

/// Blood results of the first visit; a few assays fail.
pub(super) fn write_biomarkers(draw: &mut Draw, person: &Participant, rows: &mut TableBuilder) {
    rows.integer(person.id);
    rows.date(person.joined);
    let heavy = (person.mass - 270) as f64 / 100.0;
    let age = (person.age_on(person.joined) - 55) as f64 / 10.0;
    let taken = !draw.chance(45);
    let diabetic = draw.chance(if person.mass > 300 { 130 } else { 30 });
    let hdl = if person.female { 1.6 } else { 1.28 };
    let results = [
        (5.65 + 0.1 * age, 190, 1.0),
        (hdl - 0.15 * heavy, 240, 1.0),
        (1.5 + 0.45 * heavy, 480, 1.0),
        (5.0 + 0.1 * age, 110, if diabetic { 1.6 } else { 1.0 }),
        (35.4 + 0.9 * age, 90, if diabetic { 1.5 } else { 1.0 }),
        (1.35 + 0.8 * heavy, 950, 1.0),
        (if person.female { 64.0 } else { 81.0 }, 170, 1.0),
        (48.0 - 5.0 * heavy, 420, 1.0),
    ];
    for (middle, deviation, factor) in results {
        let value = f64::max(middle, 0.3) * factor * draw.skewed(deviation);
        let failed = draw.chance(25);
        rows.real_or_missing((taken && !failed).then_some((value * 100.0).round() / 100.0));
    }
}
