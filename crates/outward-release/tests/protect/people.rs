//! Random households of people, few enough of each kind that some stand out.

use proptest::prelude::*;

pub(crate) const REGIONS: [&str; 4] = ["North", "East", "South", "West"];
pub(crate) const JOBS: [&str; 6] = ["baker", "miller", "nurse", "doctor", "driver", "clerk"];
pub(crate) const WARDS: [&str; 7] = ["AB1", "AB2", "AC1", "CD1", "CD2", "CE1", "X"];
pub(crate) const ILLNESSES: [&str; 5] = ["none", "cold", "asthma", "gout", "angina"];

/// What is known of a person; what is missing is missing in the file.
#[derive(Debug, Clone)]
pub(crate) struct Person {
    age: Option<u32>,
    job: Option<usize>,
    ward: Option<usize>,
    born: Option<(i32, u32)>,
    illness: Option<usize>,
    income: Option<i64>,
    hours: Option<u32>,
}

/// People who live together, and where.
#[derive(Debug, Clone)]
pub(crate) struct Household {
    region: Option<usize>,
    people: Vec<Person>,
}

/// Mostly there, sometimes not.
fn mostly<S: Strategy>(value: S) -> impl Strategy<Value = Option<S::Value>> {
    prop::option::weighted(0.95, value)
}

/// Low numbers are the more frequent ones.
fn skewed(below: usize) -> impl Strategy<Value = usize> {
    (0..below, 0..below).prop_map(|(a, b)| a.min(b))
}

fn person() -> impl Strategy<Value = Person> {
    let income = (0..30i64, 0..40i64).prop_map(|(a, b)| a * b * 97);
    let born = (1950..1954, 1..4u32);
    (
        mostly(skewed(30).prop_map(|age| 20 + 2 * age as u32)),
        mostly(skewed(JOBS.len())),
        mostly(skewed(WARDS.len())),
        mostly(born),
        mostly(skewed(ILLNESSES.len())),
        mostly(income),
        mostly(0..120u32),
    )
        .prop_map(|(age, job, ward, born, illness, income, hours)| Person {
            age,
            job,
            ward,
            born,
            illness,
            income,
            hours,
        })
}

fn household() -> impl Strategy<Value = Household> {
    (mostly(skewed(REGIONS.len())), prop::collection::vec(person(), 1..5))
        .prop_map(|(region, people)| Household { region, people })
}

/// From thirty to some three hundred people.
pub(crate) fn households() -> impl Strategy<Value = Vec<Household>> {
    prop_oneof![prop::collection::vec(household(), 30..45), prop::collection::vec(household(), 30..120)]
}

/// The file of these people. Forms are numbered as they came in, three records to a form. `blank` stands around numbers, and where a
/// value is missing.
pub(crate) fn csv(households: &[Household], blank: &str) -> String {
    let mut text = "form,household,region,age,job,ward,born,illness,income,hours\n".to_owned();
    for (number, household) in households.iter().enumerate() {
        for person in &household.people {
            let listed = |names: &[&str], at: Option<usize>| at.map_or(blank, |at| names[at]).to_owned();
            let said = |number: Option<i64>| number.map(|number| number.to_string()).unwrap_or_default();
            let within = |text: String| format!("{blank}{text}{blank}");
            let fields = [
                (text.lines().count() / 3).to_string(),
                format!("h{number}"),
                listed(&REGIONS, household.region),
                within(said(person.age.map(i64::from))),
                listed(&JOBS, person.job),
                listed(&WARDS, person.ward),
                person.born.map(|(year, month)| format!("{year}-0{month}-01")).unwrap_or_default(),
                listed(&ILLNESSES, person.illness),
                within(said(person.income)),
                within(person.hours.map(|tenths| format!("{}.{}", tenths / 10, tenths % 10)).unwrap_or_default()),
            ];
            text += &(fields.join(",") + "\n");
        }
    }
    text
}
