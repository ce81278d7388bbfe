//! The census: persons in households, with direct identifiers, related keys, and a survey weight.

mod household;
mod identity;
mod labels;
mod notes;
mod work;

use std::sync::LazyLock;

use arrow_array::RecordBatch;

use crate::Span;
use crate::columns::{ColumnType, Layout, TableBuilder, category, full, partial};
use crate::dates::birth_for_age;
use crate::draw::Draw;
use crate::people;
use crate::places::{self, LocalAuthority};

use household::{Member, Role};
use identity::{BIRTHPLACES, Family, Identity};
use work::Work;

pub(crate) use labels::{ETHNIC_GROUP, WHITE_BRITISH};

static CENSUS_LAYOUT: LazyLock<Layout> = LazyLock::new(|| {
    Layout::new(
        "persons",
        vec![
            full("person_id", ColumnType::Integer),
            full("household_id", ColumnType::Integer),
            full("first_name", ColumnType::Text),
            full("last_name", ColumnType::Text),
            full("address", ColumnType::Text),
            full("postcode", ColumnType::Text),
            full("date_of_birth", ColumnType::Date),
            partial("nhs_number", ColumnType::Text),
            partial("email", ColumnType::Text),
            partial("phone", ColumnType::Text),
            full("sex", category(&labels::SEX)),
            full("age", ColumnType::Integer),
            full("region", category(&places::region_names())),
            full("local_authority", category(&places::authority_names())),
            full("ethnic_group", category(&labels::ETHNIC_GROUP)),
            full("religion", category(&labels::RELIGION)),
            full("country_of_birth", category(&BIRTHPLACES.countries)),
            full("economic_activity", category(&labels::ECONOMIC_ACTIVITY)),
            full("industry", category(&labels::INDUSTRY)),
            full("occupation", category(&labels::OCCUPATION)),
            full("marital_status", category(&labels::MARITAL_STATUS)),
            partial("health", category(&labels::HEALTH)),
            partial("hours", ColumnType::Integer),
            full("weight", ColumnType::Real),
            partial("notes", ColumnType::Text),
        ],
    )
});

/// The columns of `persons`.
pub(crate) fn layout() -> &'static Layout {
    &CENSUS_LAYOUT
}

/// Buffers for text that is written again and again, so that memory is reused.
#[derive(Default)]
struct Scratch {
    address: String,
    postcode: String,
    text: String,
}

/// The persons of one block, household after household; the last household may be cut short, adults come first.
pub(crate) fn block(draw: &mut Draw, span: Span) -> RecordBatch {
    let mut rows = layout().rows(span.units);
    let mut scratch = Scratch::default();
    let mut members: Vec<Member> = Vec::new();
    let mut persons = 0;
    let mut households = 0;
    while persons < span.units {
        let place = places::place(draw);
        let family = identity::family(draw, place);
        household::form(draw, identity::custom(family.ethnic), &mut members);
        members.truncate(span.units - persons);
        scratch.address.clear();
        scratch.postcode.clear();
        places::write_address(draw, place, &mut scratch.address);
        places::write_postcode(draw, place, &mut scratch.postcode);
        households += 1;
        let home = Home { number: span.start as i64 + households, place, family };
        write_household(draw, span, &home, &members, persons as u64, &mut scratch, &mut rows);
        persons += members.len();
    }
    rows.finish()
}

struct Home {
    number: i64,
    place: LocalAuthority,
    family: Family,
}

fn write_household(
    draw: &mut Draw,
    span: Span,
    home: &Home,
    members: &[Member],
    before: u64,
    scratch: &mut Scratch,
    rows: &mut TableBuilder,
) {
    let partner = members.iter().any(|m| m.role == Role::Partner).then(|| identity::partner(draw, &home.family));
    let partner = partner.flatten();
    let surname = people::surname(draw, home.family.origin);
    let small_child = members.iter().any(|member| member.age < 5);
    for (member, index) in members.iter().zip(span.start + before..) {
        // People who share a house without being related are each a family of their own.
        let own = matches!(member.role, Role::Sharer | Role::Student).then(|| identity::family(draw, home.place));
        let family = own.as_ref().unwrap_or(&home.family);
        let married_in = member.role == Role::Partner;
        let identity = identity::identity(draw, family, partner.as_ref(), member);
        let named_after = if married_in { partner.as_ref().unwrap_or(family) } else { family };
        let first = people::first_name(draw, named_after.origin, member.female, member.age);
        let keeps_name = own.is_some() || (married_in && (member.marital != labels::MARRIED || draw.chance(120)));
        let last = if keeps_name { people::surname(draw, named_after.origin) } else { surname };
        let work = work::work(draw, home.place.region, member, &identity, small_child);
        let person = Person { index, seed: span.seed, home, member, identity, work, first, last };
        person.write(draw, scratch, rows);
    }
}

struct Person<'a> {
    index: u64,
    seed: u64,
    home: &'a Home,
    member: &'a Member,
    identity: Identity,
    work: Work,
    first: &'static str,
    last: &'static str,
}

impl Person<'_> {
    fn write(&self, draw: &mut Draw, scratch: &mut Scratch, rows: &mut TableBuilder) {
        let Person { member, identity, work, home, .. } = self;
        rows.integer(self.index as i64 + 1);
        rows.integer(home.number);
        rows.text(self.first);
        rows.text(self.last);
        rows.text(&scratch.address);
        rows.text(&scratch.postcode);
        rows.date(birth_for_age(member.age, draw.below(u32::MAX)));
        self.write_contacts(draw, &mut scratch.text, rows);
        rows.code(usize::from(member.female));
        rows.integer(i64::from(member.age));
        rows.code(home.place.region);
        rows.code(home.place.authority);
        rows.code(identity.ethnic);
        rows.code(identity.religion);
        rows.code(identity.country);
        rows.code(work.activity);
        rows.code(work.industry);
        rows.code(work.occupation);
        rows.code(member.marital);
        rows.code_or_missing((!draw.chance(9)).then_some(work.health));
        rows.integer_or_missing(work.hours);
        rows.real(weight(draw, home.place.region, member));
        if draw.chance(45) {
            scratch.text.clear();
            notes::write(draw, home.place.region, self.first, self.last, &mut scratch.text);
            rows.text(&scratch.text);
        } else {
            rows.missing();
        }
    }

    fn write_contacts(&self, draw: &mut Draw, text: &mut String, rows: &mut TableBuilder) {
        text.clear();
        if draw.chance(970) {
            people::write_nhs_number(self.seed, self.index, text);
            rows.text(text);
        } else {
            rows.missing();
        }
        let age = self.member.age;
        let reachable = match age {
            ..=10 => 0,
            11..=15 => 350,
            16..=64 => 850,
            65..=79 => 560,
            _ => 250,
        };
        if draw.chance(reachable) {
            text.clear();
            people::write_email(draw, self.first, self.last, text);
            rows.text(text);
        } else {
            rows.missing();
        }
        if age > 10 && draw.chance(820) {
            text.clear();
            people::write_phone(draw, self.home.place.region, text);
            rows.text(text);
        } else {
            rows.missing();
        }
    }
}

/// A survey weight around one: people who are harder to reach stand for more people. Four decimals.
fn weight(draw: &mut Draw, region: usize, member: &Member) -> f64 {
    const REGION: [i64; 10] = [960, 990, 980, 985, 1_010, 985, 1_120, 1_000, 960, 970];
    let age = match (member.age, member.female) {
        (18..=34, false) => 1_160,
        (18..=34, true) => 1_070,
        (65.., _) => 920,
        (0..=4, _) => 1_040,
        _ => 980,
    };
    let ten_thousandths = REGION[region] * age / 100 + draw.between(-150, 150);
    ten_thousandths as f64 / 10_000.0
}
