//! Biobank: a cohort of 40 to 69 years at recruitment, 2006 to 2010. The tables join on `participant_id`.
//!
//! | table | one row for | what is planted |
//! |---|---|---|
//! | `participants` | a participant | identifiers that check and name nobody real; one in eight lives with the participant before |
//! | `assessments` | a visit | occupations with a long tail; remarks, 45 in 100 of which hold an identifier |
//! | `admissions` | a hospital stay | diagnoses with a long tail; letters, all of which name the participant |
//! | `biomarkers` | a participant | |
//! | `environment` | a participant | values of the address: most distances to a road, and rare sources, belong to one address |
//! | `occupations`, `diagnoses` | a code | the levels above it, as a hierarchy file has them |
//! | `planted` | an identifier in a remark or a letter | where it stands and what it is: the truth for a scan |

mod codes;
mod environment;
mod labels;
mod planted;
mod records;
mod text;

use std::sync::LazyLock;

use arrow_array::RecordBatch;

use crate::Span;
use crate::census::{ETHNIC_GROUP, WHITE_BRITISH};
use crate::columns::{ColumnDefinition, ColumnType, Layout, TableBuilder, category, full, partial};
use crate::dates::{Day, REFERENCE};
use crate::draw::{Choice, Draw};
use crate::people::{self, Origin};
use crate::places::{self, LocalAuthority};

use environment::Environment;
use labels::*;
use planted::{PLANTED_COLUMN, PLANTED_KIND, PLANTED_TABLE};

static LAYOUTS: LazyLock<[Layout; 8]> = LazyLock::new(|| {
    [
        Layout::new("participants", participant_columns()),
        Layout::new("assessments", assessment_columns()),
        Layout::new("admissions", admission_columns()),
        Layout::new("biomarkers", biomarker_columns()),
        Layout::new("environment", environment_columns()),
        Layout::new(
            "occupations",
            ["occupation", "minor_group", "sub_major_group", "major_group"].map(|n| full(n, ColumnType::Text)).into(),
        ),
        Layout::new("diagnoses", ["diagnosis", "block", "chapter"].map(|n| full(n, ColumnType::Text)).into()),
        Layout::new("planted", planted_columns()),
    ]
});

fn participant_columns() -> Vec<ColumnDefinition> {
    vec![
        full("participant_id", ColumnType::Integer),
        full("nhs_number", ColumnType::Text),
        full("first_name", ColumnType::Text),
        full("last_name", ColumnType::Text),
        full("date_of_birth", ColumnType::Date),
        full("sex", category(&SEX)),
        partial("ethnic_group", category(&ETHNIC_GROUP)),
        full("address", ColumnType::Text),
        full("postcode", ColumnType::Text),
        full("easting", ColumnType::Integer),
        full("northing", ColumnType::Integer),
        full("region", category(&places::region_names())),
        partial("email", ColumnType::Text),
        partial("phone", ColumnType::Text),
        full("gp_name", ColumnType::Text),
        full("consent", category(&CONSENT)),
        full("consent_date", ColumnType::Date),
        partial("withdrawal_date", ColumnType::Date),
    ]
}

fn assessment_columns() -> Vec<ColumnDefinition> {
    vec![
        full("participant_id", ColumnType::Integer),
        full("visit", ColumnType::Integer),
        full("visit_date", ColumnType::Date),
        full("centre", category(&CENTRE)),
        partial("height_cm", ColumnType::Real),
        partial("weight_kg", ColumnType::Real),
        partial("bmi", ColumnType::Real),
        partial("systolic", ColumnType::Integer),
        partial("diastolic", ColumnType::Integer),
        full("smoking", category(&SMOKING)),
        partial("alcohol", category(&ALCOHOL)),
        partial("rated_health", category(&RATED_HEALTH)),
        partial("sleep_hours", ColumnType::Integer),
        partial("children", ColumnType::Integer),
        partial("education", category(&EDUCATION)),
        partial("income_band", category(&INCOME_BAND)),
        partial("occupation", category(&OCCUPATION)),
        partial("remarks", ColumnType::Text),
    ]
}

fn admission_columns() -> Vec<ColumnDefinition> {
    vec![
        full("participant_id", ColumnType::Integer),
        full("admission", ColumnType::Integer),
        full("hospital", category(&HOSPITAL)),
        full("admitted", ColumnType::Date),
        partial("discharged", ColumnType::Date),
        full("main_diagnosis", category(&DIAGNOSIS)),
        partial("second_diagnosis", category(&DIAGNOSIS)),
        partial("letter", ColumnType::Text),
    ]
}

fn biomarker_columns() -> Vec<ColumnDefinition> {
    vec![
        full("participant_id", ColumnType::Integer),
        full("sample_date", ColumnType::Date),
        partial("cholesterol_mmol_l", ColumnType::Real),
        partial("hdl_mmol_l", ColumnType::Real),
        partial("triglycerides_mmol_l", ColumnType::Real),
        partial("glucose_mmol_l", ColumnType::Real),
        partial("hba1c_mmol_mol", ColumnType::Real),
        partial("c_reactive_protein_mg_l", ColumnType::Real),
        partial("creatinine_umol_l", ColumnType::Real),
        partial("vitamin_d_nmol_l", ColumnType::Real),
    ]
}

fn environment_columns() -> Vec<ColumnDefinition> {
    vec![
        full("participant_id", ColumnType::Integer),
        full("no2_ug_m3", ColumnType::Real),
        full("pm25_ug_m3", ColumnType::Real),
        full("road_noise_db", ColumnType::Real),
        full("greenspace_percent", ColumnType::Integer),
        full("major_road_m", ColumnType::Integer),
        full("nearest_source", category(&SOURCE)),
    ]
}

fn planted_columns() -> Vec<ColumnDefinition> {
    vec![
        full("table", category(&PLANTED_TABLE)),
        full("participant_id", ColumnType::Integer),
        full("visit_or_admission", ColumnType::Integer),
        full("column", category(&PLANTED_COLUMN)),
        full("kind", category(&PLANTED_KIND)),
        full("start", ColumnType::Integer),
        full("length", ColumnType::Integer),
    ]
}

/// The columns of the tables.
pub(crate) fn layouts() -> &'static [Layout] {
    &*LAYOUTS
}

/// A home and who looks after the people in it.
#[derive(Clone)]
struct Home {
    place: LocalAuthority,
    address: String,
    postcode: String,
    position: (i64, i64),
    environment: Environment,
    gp: String,
}

impl Home {
    fn draw(draw: &mut Draw) -> Self {
        let place = places::place(draw);
        let (mut address, mut postcode) = (String::new(), String::new());
        places::write_address(draw, place, &mut address);
        places::write_postcode(draw, place, &mut postcode);
        let position = places::position(draw, place);
        let environment = environment::environment(draw, place);
        let gp = format!("Dr {}", people::surname(draw, Origin::British));
        Home { place, address, postcode, position, environment, gp }
    }
}

/// A participant, with what the other tables need.
struct Participant {
    id: i64,
    nhs: String,
    first: &'static str,
    last: &'static str,
    home: Home,
    female: bool,
    birth: i32,
    /// The day of the first visit.
    joined: i32,
    /// Body mass index in tenths, which much else follows.
    mass: i64,
    smoking: usize,
}

impl Participant {
    fn age_on(&self, date: i32) -> i64 {
        i64::from(Day::from_number(date).age_of(Day::from_number(self.birth)))
    }
}

struct ParticipantShares {
    smoking: [Choice; 2],
    ethnic: Choice,
}

static PARTICIPANT_SHARES: LazyLock<ParticipantShares> = LazyLock::new(|| ParticipantShares {
    smoking: [Choice::new(&[490, 380, 124, 6]), Choice::new(&[595, 310, 89, 6])],
    ethnic: Choice::new(&[0, 270, 2, 330, 15, 10, 20, 20, 150, 45, 6, 40, 45, 85, 110, 3, 10, 90]),
});

/// Participants who live with the one before them, in a thousand.
const SHARED_HOMES: u32 = 125;

/// The participants of one block with all that was recorded about them.
pub(crate) fn block(draw: &mut Draw, span: Span) -> Vec<RecordBatch> {
    let [participants, assessments, admissions, biomarkers, environment, occupations, diagnoses, planted] = &*LAYOUTS;
    let mut participants = participants.rows(span.units);
    let mut assessments = assessments.rows(span.units * 5 / 4);
    let mut admissions = admissions.rows(span.units * 2);
    let mut biomarkers = biomarkers.rows(span.units);
    let mut environment = environment.rows(span.units);
    let mut planted = planted.rows(span.units / 4);
    let mut before = None;
    for index in span.start..span.start + span.units as u64 {
        let participant = participant(draw, span.seed, index, before.take(), &mut participants);
        records::write_assessments(draw, &participant, &mut assessments, &mut planted);
        records::write_admissions(draw, &participant, &mut admissions, &mut planted);
        records::write_biomarkers(draw, &participant, &mut biomarkers);
        participant.home.environment.write(participant.id, &mut environment);
        before = Some(participant.home);
    }
    let [occupations, diagnoses] = codes::tables([occupations, diagnoses], span.start == 0);
    vec![
        participants.finish(),
        assessments.finish(),
        admissions.finish(),
        biomarkers.finish(),
        environment.finish(),
        occupations,
        diagnoses,
        planted.finish(),
    ]
}

/// Draws a participant and writes their row. Everybody was 40 to 69 when they joined, from 2006 to 2010.
fn participant(draw: &mut Draw, seed: u64, index: u64, before: Option<Home>, rows: &mut TableBuilder) -> Participant {
    let home = before.filter(|_| draw.chance(SHARED_HOMES)).unwrap_or_else(|| Home::draw(draw));
    let female = draw.chance(544);
    let joined = draw.between(i64::from(Day::new(2006, 3, 13).number()), i64::from(Day::new(2010, 9, 30).number()));
    // Forty years and a day less than seventy, in days, older people being keener to take part.
    let lived = draw.between(14_611, 25_566).max(draw.between(14_611, 25_566));
    let birth = (joined - lived) as i32;
    let ethnic =
        if draw.chance(home.place.minority() / 2) { draw.choose(&PARTICIPANT_SHARES.ethnic) } else { WHITE_BRITISH };
    let origin = match ethnic {
        WHITE_BRITISH | 4..=7 | 14 | 15 => Origin::British,
        1 => Origin::Irish,
        8 => Origin::Indian,
        9 | 10 | 16 => Origin::Muslim,
        11 | 12 => Origin::Chinese,
        13 => Origin::African,
        _ => Origin::SouthEuropean,
    };
    let mut nhs = String::new();
    people::write_test_nhs_number(seed, index, &mut nhs);
    let participant = Participant {
        id: 1_000_001 + index as i64,
        nhs,
        first: people::first_name(draw, origin, female, REFERENCE.age_of(Day::from_number(birth))),
        last: people::surname(draw, origin),
        home,
        female,
        birth,
        joined: joined as i32,
        mass: draw.bell_shaped(if female { 268 } else { 277 }, 45, 165, 560),
        smoking: draw.choose(&PARTICIPANT_SHARES.smoking[usize::from(female)]),
    };
    let ethnic = (!draw.chance(6)).then_some(ethnic);
    write_participant(draw, &participant, ethnic, rows);
    participant
}

fn write_participant(draw: &mut Draw, participant: &Participant, ethnic: Option<usize>, rows: &mut TableBuilder) {
    let home = &participant.home;
    rows.integer(participant.id);
    rows.text(&participant.nhs);
    rows.text(participant.first);
    rows.text(participant.last);
    rows.date(participant.birth);
    rows.code(usize::from(participant.female));
    rows.code_or_missing(ethnic);
    rows.text(&home.address);
    rows.text(&home.postcode);
    rows.integer(home.position.0);
    rows.integer(home.position.1);
    rows.code(home.place.region);
    let mut text = String::new();
    if draw.chance(680) {
        people::write_email(draw, participant.first, participant.last, &mut text);
        rows.text(&text);
    } else {
        rows.missing();
    }
    text.clear();
    if draw.chance(900) {
        people::write_phone(draw, home.place.region, &mut text);
        rows.text(&text);
    } else {
        rows.missing();
    }
    rows.text(&home.gp);
    let consent = match draw.below(10_000) {
        0..25 => 2,
        25..60 => 1,
        _ => 0,
    };
    rows.code(consent);
    rows.date(participant.joined);
    if consent == 0 {
        rows.missing();
    } else {
        let last = i64::from(REFERENCE.number());
        rows.date(draw.between(i64::from(participant.joined) + 30, last) as i32);
    }
}
