//! Biobank: participants of a health study with assessment visits, hospital admissions and blood results. The tables
//! join on `participant_id`.

mod labels;
mod records;

use std::sync::LazyLock;

use arrow_array::RecordBatch;

use crate::Span;
use crate::census::{ETHNIC_GROUP, WHITE_BRITISH};
use crate::columns::{ColumnDefinition, ColumnType, Layout, TableBuilder, category, full, partial};
use crate::dates::{Day, REFERENCE};
use crate::draw::{Choice, Draw};
use crate::people::{self, Origin};
use crate::places::{self, LocalAuthority};

use labels::*;

static LAYOUTS: LazyLock<[Layout; 4]> = LazyLock::new(|| {
    [
        Layout::new("participants", participant_columns()),
        Layout::new("assessments", assessment_columns()),
        Layout::new("admissions", admission_columns()),
        Layout::new("biomarkers", biomarker_columns()),
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
        partial("systolic", ColumnType::Integer),
        partial("diastolic", ColumnType::Integer),
        full("smoking", category(&SMOKING)),
        partial("alcohol", category(&ALCOHOL)),
        partial("rated_health", category(&RATED_HEALTH)),
        partial("sleep_hours", ColumnType::Integer),
        partial("children", ColumnType::Integer),
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

/// The columns of the four tables.
pub(crate) fn layouts() -> &'static [Layout] {
    &*LAYOUTS
}

/// A participant, as far as the other tables need to know.
struct Participant {
    id: i64,
    first: &'static str,
    last: &'static str,
    gp: String,
    place: LocalAuthority,
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

/// The participants of one block with all that was recorded about them.
pub(crate) fn block(draw: &mut Draw, span: Span) -> Vec<RecordBatch> {
    let [participants, assessments, admissions, biomarkers] = &*LAYOUTS;
    let mut participants = participants.rows(span.units);
    let mut assessments = assessments.rows(span.units * 5 / 4);
    let mut admissions = admissions.rows(span.units * 2);
    let mut biomarkers = biomarkers.rows(span.units);
    let mut text = String::new();
    for index in span.start..span.start + span.units as u64 {
        let participant = participant(draw, span.seed, index, &mut text, &mut participants);
        records::write_assessments(draw, &participant, &mut text, &mut assessments);
        records::write_admissions(draw, &participant, &mut text, &mut admissions);
        records::write_biomarkers(draw, &participant, &mut biomarkers);
    }
    vec![participants.finish(), assessments.finish(), admissions.finish(), biomarkers.finish()]
}

/// Draws a participant and writes their row. Everybody was 40 to 69 when they joined, from 2006 to 2010.
fn participant(draw: &mut Draw, seed: u64, index: u64, text: &mut String, rows: &mut TableBuilder) -> Participant {
    let place = places::place(draw);
    let female = draw.chance(544);
    let joined = draw.between(i64::from(Day::new(2006, 3, 13).number()), i64::from(Day::new(2010, 9, 30).number()));
    // Forty years and a day less than seventy, in days, older people being keener to take part.
    let lived = draw.between(14_611, 25_566).max(draw.between(14_611, 25_566));
    let birth = (joined - lived) as i32;
    let ethnic =
        if draw.chance(place.minority() / 2) { draw.choose(&PARTICIPANT_SHARES.ethnic) } else { WHITE_BRITISH };
    let origin = match ethnic {
        WHITE_BRITISH | 4..=7 | 14 | 15 => Origin::British,
        1 => Origin::Irish,
        8 => Origin::Indian,
        9 | 10 | 16 => Origin::Muslim,
        11 | 12 => Origin::Chinese,
        13 => Origin::African,
        _ => Origin::SouthEuropean,
    };
    let first = people::first_name(draw, origin, female, REFERENCE.age_of(Day::from_number(birth)));
    let last = people::surname(draw, origin);
    let participant = Participant {
        id: 1_000_001 + index as i64,
        first,
        last,
        gp: format!("Dr {}", people::surname(draw, Origin::British)),
        place,
        female,
        birth,
        joined: joined as i32,
        mass: draw.around(if female { 268 } else { 277 }, 45, 165, 560),
        smoking: draw.choose(&PARTICIPANT_SHARES.smoking[usize::from(female)]),
    };
    let ethnic = (!draw.chance(6)).then_some(ethnic);
    write_participant(draw, seed, index, &participant, ethnic, text, rows);
    participant
}

fn write_participant(
    draw: &mut Draw,
    seed: u64,
    index: u64,
    participant: &Participant,
    ethnic: Option<usize>,
    text: &mut String,
    rows: &mut TableBuilder,
) {
    let place = participant.place;
    rows.integer(participant.id);
    text.clear();
    people::write_nhs_number(seed, index, text);
    rows.text(text);
    rows.text(participant.first);
    rows.text(participant.last);
    rows.date(participant.birth);
    rows.code(usize::from(participant.female));
    rows.code_or_missing(ethnic);
    text.clear();
    places::write_address(draw, place, text);
    rows.text(text);
    text.clear();
    places::write_postcode(draw, place, text);
    rows.text(text);
    let (easting, northing) = places::position(draw, place);
    rows.integer(easting);
    rows.integer(northing);
    rows.code(place.region);
    text.clear();
    if draw.chance(680) {
        people::write_email(draw, participant.first, participant.last, text);
        rows.text(text);
    } else {
        rows.missing();
    }
    text.clear();
    if draw.chance(900) {
        people::write_phone(draw, place.region, text);
        rows.text(text);
    } else {
        rows.missing();
    }
    rows.text(&participant.gp);
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
