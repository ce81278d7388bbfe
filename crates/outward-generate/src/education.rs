//! Education: enrolments on further education courses, with a long tail of rare learning aims.

mod aims;

use std::sync::LazyLock;

use arrow_array::RecordBatch;

use crate::Span;
use crate::census::{ETHNIC_GROUP, WHITE_BRITISH};
use crate::columns::{ColumnType, Layout, TableBuilder, category, full, partial};
use crate::draw::{Choice, Draw};
use crate::people::{self, Origin};
use crate::places::{self, LocalAuthority, push_padded};

use aims::CATALOGUE;

const AGE_GROUP: [&str; 7] = ["Under 16", "16 to 18", "19 to 24", "25 to 34", "35 to 49", "50 to 64", "65 and over"];
const AGE_FROM: [i64; 8] = [14, 16, 19, 25, 35, 50, 65, 80];
const SEX: [&str; 2] = ["Male", "Female"];
const OUTCOME: [&str; 5] = ["Achieved", "Partly achieved", "Not achieved", "Withdrawn", "Continuing"];

static EDUCATION_LAYOUT: LazyLock<Layout> = LazyLock::new(|| {
    Layout::new(
        "enrolments",
        vec![
            full("enrolment_id", ColumnType::Integer),
            full("learner_id", ColumnType::Text),
            full("learner_name", ColumnType::Text),
            full("learner_postcode", ColumnType::Text),
            full("age_group", category(&AGE_GROUP)),
            full("sex", category(&SEX)),
            partial("ethnic_group", category(&ETHNIC_GROUP)),
            full("region", category(&places::region_names())),
            full("provider", category(&PROVIDERS.names)),
            full("learning_aim", category(&CATALOGUE.codes)),
            full("learning_aim_title", category(&CATALOGUE.titles)),
            full("level", category(&aims::LEVEL)),
            full("start_year", ColumnType::Integer),
            partial("outcome", category(&OUTCOME)),
        ],
    )
});

/// Colleges and training firms: some for each local authority, by region.
struct Providers {
    names: Vec<String>,
    first: Vec<usize>,
    choice: Vec<Choice>,
}

static PROVIDERS: LazyLock<Providers> = LazyLock::new(|| {
    const PROVIDER_KINDS: [&str; 4] = ["College", "Adult Learning Service", "Skills Training", "Sixth Form College"];
    let mut providers = Providers { names: Vec::new(), first: Vec::new(), choice: Vec::new() };
    for authorities in &places::AUTHORITIES {
        providers.first.push(providers.names.len());
        let mut weights = Vec::new();
        for (authority, number) in authorities.iter().zip(0usize..) {
            for (kind, weight) in PROVIDER_KINDS.iter().zip([100, 35, 22, 14]).take(2 + number % 3) {
                providers.names.push(format!("{} {kind}", authority.name));
                weights.push(weight);
            }
        }
        providers.choice.push(Choice::new(&weights));
    }
    providers
});

struct EnrolmentShares {
    age: Choice,
    ethnic: Choice,
    outcome: [Choice; 2],
    courses: Choice,
}

static ENROLMENT_SHARES: LazyLock<EnrolmentShares> = LazyLock::new(|| EnrolmentShares {
    age: Choice::new(&[8, 420, 190, 140, 150, 70, 22]),
    ethnic: Choice::new(&[0, 8, 3, 60, 16, 8, 10, 12, 26, 30, 16, 6, 26, 42, 20, 10, 10, 18]),
    outcome: [Choice::new(&[700, 40, 120, 110, 30]), Choice::new(&[560, 50, 140, 150, 100])],
    courses: Choice::new(&[420, 260, 170, 100, 50]),
});

/// The columns of `enrolments`.
pub(crate) fn layout() -> &'static Layout {
    &EDUCATION_LAYOUT
}

/// A learner, who may be enrolled more than once.
struct Learner {
    number: u64,
    place: LocalAuthority,
    age_group: usize,
    female: bool,
    ethnic: usize,
    provider: usize,
    year: i64,
}

/// The enrolments of one block, learner after learner.
pub(crate) fn block(draw: &mut Draw, span: Span) -> RecordBatch {
    let mut rows = layout().rows(span.units);
    let (mut name, mut postcode, mut text) = (String::new(), String::new(), String::new());
    let mut written = 0;
    while written < span.units {
        let learner = learner(draw, span.start + written as u64);
        let age = draw.between(AGE_FROM[learner.age_group], AGE_FROM[learner.age_group + 1] - 1) as i32;
        let origin = origin(draw, learner.ethnic);
        name.clear();
        name.push_str(people::first_name(draw, origin, learner.female, age));
        name.push(' ');
        name.push_str(people::surname(draw, origin));
        postcode.clear();
        places::write_postcode(draw, learner.place, &mut postcode);
        let courses = (1 + draw.choose(&ENROLMENT_SHARES.courses)).min(span.units - written);
        for _ in 0..courses {
            rows.integer((span.start + written as u64) as i64 + 1);
            text.clear();
            text.push('L');
            push_padded(&mut text, learner.number, 10);
            rows.text(&text);
            rows.text(&name);
            rows.text(&postcode);
            write(draw, &learner, &mut rows);
            written += 1;
        }
    }
    rows.finish()
}

fn learner(draw: &mut Draw, first_enrolment: u64) -> Learner {
    let place = places::place(draw);
    let choice = &PROVIDERS.choice[place.region];
    Learner {
        number: first_enrolment + 1,
        place,
        age_group: draw.choose(&ENROLMENT_SHARES.age),
        female: draw.chance(530),
        ethnic: if draw.chance(place.minority()) { draw.choose(&ENROLMENT_SHARES.ethnic) } else { WHITE_BRITISH },
        provider: PROVIDERS.first[place.region] + draw.choose(choice),
        year: draw.between(2016, 2020),
    }
}

fn origin(draw: &mut Draw, ethnic: usize) -> Origin {
    match ethnic {
        1 => Origin::Irish,
        3 => [Origin::EastEuropean, Origin::SouthEuropean][draw.below(2) as usize],
        8 => Origin::Indian,
        9 | 10 | 16 | 17 => Origin::Muslim,
        11 | 12 => Origin::Chinese,
        13 => Origin::African,
        _ => Origin::British,
    }
}

fn write(draw: &mut Draw, learner: &Learner, rows: &mut TableBuilder) {
    let aim = CATALOGUE.draw(draw, learner.female, learner.age_group);
    let level = CATALOGUE.level[aim];
    rows.code(learner.age_group);
    rows.code(usize::from(learner.female));
    rows.code_or_missing((!draw.chance(25)).then_some(learner.ethnic));
    rows.code(learner.place.region);
    rows.code(learner.provider);
    rows.code(aim);
    rows.code(CATALOGUE.title_of[aim]);
    rows.code(level);
    rows.integer(learner.year);
    let outcome = draw.choose(&ENROLMENT_SHARES.outcome[usize::from(level >= 3)]);
    rows.code_or_missing((!draw.chance(15)).then_some(outcome));
}
