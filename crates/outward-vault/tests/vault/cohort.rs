//! A cohort for the tests: made-up people with a table of visits and a table of homes.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{ArrayRef, Date32Array, Int64Array, RecordBatch, StringArray};
use outward_ledger::Actor;
use outward_spec::{PolicyChoice, Rules, Spec};
use outward_vault::{
    Application, EidForm, Enrolled, Enrolment, Extract, GrantedTable, IdIs, NhsRule, Person, Phase, RootKey, Stores,
    TableData, TableDescription, Vault, Wanted,
};

pub(crate) const KEY: &str = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";

pub(crate) fn root() -> RootKey {
    RootKey::from_hexadecimal(KEY).unwrap()
}

pub(crate) fn by(name: &str) -> Actor<'_> {
    Actor { name, at: "2026-11-19T12:00:00Z" }
}

/// An NHS number with a right check digit, made up in the range that is not issued.
pub(crate) fn nhs_number(index: u64) -> String {
    let mut prefix = 900_000_000 + 11 * index;
    loop {
        let digits = prefix.to_string();
        if let Some(last) =
            (0..10).map(|last| format!("{digits}{last}")).find(|number| outward_vault::is_nhs_number(number))
        {
            return last;
        }
        prefix += 1;
    }
}

pub(crate) fn person(index: u64) -> Person {
    Person {
        local: format!("P{index}"),
        nhs_number: Some(nhs_number(index)),
        name: Some(format!("Planted Name {index}")),
        address: Some(format!("{index} Planted Street")),
        email: Some(format!("planted{index}@example.org")),
        phone: None,
    }
}

pub(crate) fn people(range: std::ops::Range<u64>) -> Vec<Person> {
    range.map(person).collect()
}

/// What is known of people: their own number again, so that a test can tell whose record it is; when they were born, what they do, where they live.
const VISITS: &str = r#"
[data]
path = "visits.csv"
[[variables]]
name = "truth"
type = "integer"
[[variables]]
name = "born"
type = "date"
role = "date-of-birth"
[[variables]]
name = "job"
role = "key"
hierarchy = { tree = { "teacher" = ["teacher of physics", "teacher of music"], "clerk" = ["bank clerk", "booking clerk"] } }
[[variables]]
name = "postcode"
role = "geography"
[[variables]]
name = "easting"
type = "integer"
role = "geography"
[[variables]]
name = "notes"
role = "free-text"
"#;

pub(crate) fn visits(range: std::ops::Range<u64>) -> TableData<'static> {
    let number = |value: &dyn Fn(u64) -> i64| -> ArrayRef {
        Arc::new(range.clone().map(|index| Some(value(index))).collect::<Int64Array>())
    };
    let text = |value: &dyn Fn(u64) -> String| -> ArrayRef {
        Arc::new(range.clone().map(|index| Some(value(index))).collect::<StringArray>())
    };
    let born: Date32Array = range.clone().map(|index| Some(-7_000 + (index as i32 * 31) % 360)).collect();
    let columns: [(&str, ArrayRef); 7] = [
        ("id", text(&|index| format!("P{index}"))),
        ("truth", number(&|index| index as i64)),
        ("born", Arc::new(born)),
        ("job", text(&job)),
        ("postcode", text(&|index| format!("{} {}AB", if index % 10 == 0 { "SW1A" } else { "LS2" }, index % 9 + 1))),
        ("easting", number(&easting)),
        ("notes", text(&|index| format!("Planted words {index}"))),
    ];
    let spec = Spec::parse(VISITS, "visits.toml").unwrap();
    TableData {
        description: TableDescription::of_spec("visits", "id", &spec).unwrap(),
        id: "id".to_owned(),
        id_is: IdIs::Local,
        replace: false,
        batches: Box::new(std::iter::once(Ok(RecordBatch::try_from_iter(columns).unwrap()))),
    }
}

/// Where somebody lives: 400 places, in another order than the people.
pub(crate) fn easting(index: u64) -> i64 {
    430_000 + 137 * ((211 * index as i64 + 17) % 400)
}

/// One teacher of music among many of physics and many clerks.
pub(crate) fn job(index: u64) -> String {
    match index {
        7 => "teacher of music",
        _ if index.is_multiple_of(2) => "teacher of physics",
        _ if index % 4 == 1 => "bank clerk",
        _ => "booking clerk",
    }
    .to_owned()
}

pub(crate) async fn vault(stores: &Stores) -> Vault {
    Vault::create(stores, &root(), false, by("ann")).await.unwrap()
}

pub(crate) async fn enrol(vault: &mut Vault, range: std::ops::Range<u64>) -> Enrolled {
    let people = people(range.clone());
    let enrolment = Enrolment { people: &people, update: false, tables: vec![visits(range)], nhs: NhsRule::Reject };
    vault.enrol(enrolment, by("ann")).await.unwrap()
}

pub(crate) fn policy() -> PolicyChoice {
    PolicyChoice { name: Some("uk-biobank".to_owned()), ..PolicyChoice::default() }
}

pub(crate) fn rules() -> Rules {
    policy().rules(std::path::Path::new("")).unwrap()
}

pub(crate) fn granted(fields: &[&str]) -> GrantedTable {
    GrantedTable { name: "visits".to_owned(), fields: fields.iter().map(|field| (*field).to_owned()).collect() }
}

pub(crate) fn application(name: &str, fields: &[&str]) -> Application {
    Application {
        name: name.to_owned(),
        title: "Air quality".to_owned(),
        identifiers: EidForm::DEFAULT,
        expires: "2027-12-31".to_owned(),
        least_holders: 5,
        honour_opt_outs: true,
        cohort: None,
        phase_one: None,
        tables: vec![granted(fields)],
    }
}

pub(crate) async fn add(vault: &mut Vault, application: &Application) {
    vault.add_application(application, &rules(), by("ann"), "approved").await.unwrap();
}

pub(crate) fn wanted<'a>(application: &'a str, phase: Option<Phase>) -> Wanted<'a> {
    Wanted { application, phase, table: "visits", fields: &[], cohort: None, reason: "test" }
}

pub(crate) async fn extract(
    vault: &mut Vault,
    application: &str,
    phase: Option<Phase>,
) -> outward_error::Result<Extract> {
    vault.extract(&wanted(application, phase), &rules(), &policy(), by("ann")).await
}

/// The EIDs of an application, by whose they are.
pub(crate) async fn extracted(vault: &mut Vault, application: &str) -> HashMap<i64, String> {
    let extract = extract(vault, application, None).await.unwrap();
    let truth = extract.records.column_by_name("truth").unwrap().as_primitive::<Int64Type>().values().to_vec();
    truth.into_iter().zip(texts(&extract.records, "eid")).collect()
}

/// A column as texts.
pub(crate) fn texts(records: &RecordBatch, column: &str) -> Vec<String> {
    let column = records.column_by_name(column).unwrap().as_string::<i32>();
    column.iter().map(|value| value.unwrap_or_default().to_owned()).collect()
}
