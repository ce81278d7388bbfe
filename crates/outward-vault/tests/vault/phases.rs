//! Release in two phases.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{ArrayRef, RecordBatch, StringArray};
use outward_spec::Spec;
use outward_vault::{
    Application, EidSet, Enrolment, Grant, GrantedTable, IdIs, Level, NhsRule, Operation, Phase, Places, Results,
    Stores, TableData, TableDescription, Vault, Wanted, Withdrawal,
};

use crate::cohort::*;

const BUNDLE: &str = "the hash of the bundle";
const PEOPLE: u64 = 400;

fn phased(name: &str) -> Application {
    Application { phase_one: Some(granted(&["easting"])), ..application(name, &["truth", "job"]) }
}

/// What the researchers get in the first phase, and whose each of its identifiers is.
async fn first_phase(vault: &mut Vault, application: &str) -> Places {
    let made = extract(vault, application, Some(Phase::One)).await.unwrap();
    vault.tell_written(&made.account, Some(Phase::One), BUNDLE, by("ann")).await.unwrap();
    let schema = made.records.schema();
    assert_eq!(schema.fields().iter().map(|field| field.name().as_str()).collect::<Vec<_>>(), ["eid", "easting"]);
    let places = made.records.column_by_name("easting").unwrap().as_primitive::<Int64Type>();
    texts(&made.records, "eid").into_iter().zip(places.values().iter().map(i64::to_string)).collect()
}

/// What the second phase gives of each person: their identifier, the returned value, and, for the test alone, whose it is.
async fn second_phase(vault: &mut Vault, application: &str) -> Vec<(String, Option<f64>, i64)> {
    let made = extract(vault, application, Some(Phase::Two)).await.unwrap();
    vault.tell_written(&made.account, Some(Phase::Two), BUNDLE, by("ann")).await.unwrap();
    let truth = made.records.column_by_name("truth").unwrap().as_primitive::<Int64Type>().values().to_vec();
    let values = made.records.column_by_name("no2").unwrap().as_primitive::<Float64Type>().clone();
    texts(&made.records, "eid")
        .into_iter()
        .zip(values.iter())
        .zip(truth)
        .map(|((eid, value), truth)| (eid, value, truth))
        .collect()
}

fn results(places: &Places, value: impl Fn(&str) -> Option<f64>) -> Results {
    let rows = places.iter().map(|(eid, place)| (eid.clone(), vec![value(place)])).collect();
    Results { columns: vec!["no2".to_owned()], rows }
}

pub(crate) async fn the_second_phase_waits_for_what_comes_back(stores: &Stores) {
    let mut vault = vault(stores).await;
    enrol(&mut vault, 0..PEOPLE).await;
    for (place, what) in [("job", "the first phase gives places alone"), ("notes", "releases no field")] {
        let wrong = Application { phase_one: Some(granted(&["easting", place])), ..phased("air") };
        let error = vault.add_application(&wrong, &rules(), by("ann"), "").await.unwrap_err();
        assert!(error.to_string().contains(what), "{error}");
    }
    add(&mut vault, &phased("air")).await;
    let mut refused = async |phase| extract(&mut vault, "air", phase).await.unwrap_err().to_string();
    assert!(refused(None).await.contains("in two phases"));
    assert!(refused(Some(Phase::Two)).await.contains("first phase of `air` is not out"));
    let places = first_phase(&mut vault, "air").await;
    let error = extract(&mut vault, "air", Some(Phase::Two)).await.unwrap_err().to_string();
    assert!(error.contains("nothing was returned"), "{error}");
    let good = results(&places, |place| place.parse().ok());
    let mut twice = good.clone();
    twice.rows.push(good.rows[0].clone());
    let mut other = good.clone();
    other.rows[3].0 = "planted".to_owned();
    let mut taken = async |bundle: &str, results: &Results| {
        vault.take_return("air", (&places, bundle), results, 5, by("ann"), "").await.map_err(|error| error.to_string())
    };
    assert!(taken("another bundle", &good).await.unwrap_err().contains("not the bundle"));
    assert!(taken(BUNDLE, &twice).await.unwrap_err().contains("stands twice"));
    let unknown = taken(BUNDLE, &other).await.unwrap_err();
    assert!(unknown.contains("row 4") && !unknown.contains("planted"), "{unknown}");
    let account = taken(BUNDLE, &good).await.unwrap();
    assert_eq!((account.people, account.without), (PEOPLE, 0));
    assert!(account.columns[0].lost < 0.05, "{account:?}");
    // Who enrols now, and who withdraws, is in neither phase any more.
    enrol(&mut vault, PEOPLE..PEOPLE + 5).await;
    let gone = Withdrawal { local: "P3".to_owned(), level: Level::NoFurtherUse, day: "2026-11-01".to_owned() };
    vault.withdraw(&[gone], by("ann"), "").await.unwrap();
    let second = second_phase(&mut vault, "air").await;
    assert_eq!(second.len() as u64, PEOPLE - 1);
    assert!(
        second
            .iter()
            .all(|(eid, value, _)| value.is_some() && places.iter().filter(|(other, _)| other == eid).count() <= 1)
    );
    let error = extract(&mut vault, "air", Some(Phase::One)).await.unwrap_err().to_string();
    assert!(error.contains("its first is closed"), "{error}");
    let wider = Application {
        phase_one: Some(GrantedTable { fields: vec!["postcode".to_owned()], ..granted(&[]) }),
        ..phased("air")
    };
    let error = vault.add_application(&wider, &rules(), by("ann"), "").await.unwrap_err().to_string();
    assert!(error.contains("first phase of `air` is out"), "{error}");
    let geography = Application { tables: vec![granted(&["truth", "postcode"])], ..phased("air") };
    add(&mut vault, &geography).await;
    let error = extract(&mut vault, "air", Some(Phase::Two)).await.unwrap_err().to_string();
    assert!(error.contains("the second phase gives no place"), "{error}");
    assert!(vault.audit().await.unwrap().is_ok());
}

/// A field that the custodian did not call a place, and that tells it all the same.
pub(crate) async fn the_second_phase_has_no_field_from_which_a_place_follows(stores: &Stores) {
    let mut vault = vault(stores).await;
    enrol(&mut vault, 0..PEOPLE).await;
    let code = |index: i64| format!("c{}", 7 * (easting(index as u64) / 1_000) % 9_973);
    let ids: StringArray = (0..PEOPLE).map(|index| Some(format!("P{index}"))).collect();
    let codes: StringArray = (0..PEOPLE as i64).map(|index| Some(code(index))).collect();
    let batch = RecordBatch::try_from_iter([("id", Arc::new(ids) as ArrayRef), ("code", Arc::new(codes))]).unwrap();
    let spec = Spec::parse("[data]\npath = \"codes.csv\"\n[[variables]]\nname = \"code\"\n", "codes.toml").unwrap();
    let codes = TableData {
        description: TableDescription::of_spec("codes", "id", &spec).unwrap(),
        id: "id".to_owned(),
        id_is: IdIs::Local,
        replace: false,
        batches: Box::new(std::iter::once(Ok(batch))),
    };
    let enrolment = Enrolment { people: &[], update: false, tables: vec![codes], nhs: NhsRule::Reject };
    vault.enrol(enrolment, by("ann")).await.unwrap();
    let codes = GrantedTable { name: "codes".to_owned(), fields: vec!["code".to_owned()] };
    let mut asks = phased("air");
    asks.tables.push(codes);
    add(&mut vault, &asks).await;
    // The first phase rounds places, so that several people share each.
    let places: Places = first_phase(&mut vault, "air")
        .await
        .into_iter()
        .map(|(eid, place)| (eid, (place.parse::<i64>().unwrap() / 1_000 * 1_000).to_string()))
        .collect();
    vault.take_return("air", (&places, BUNDLE), &results(&places, |_| Some(1.5)), 5, by("ann"), "").await.unwrap();
    let wanted = Wanted { table: "codes", ..wanted("air", Some(Phase::Two)) };
    let error = vault.extract(&wanted, &rules(), &policy(), by("ann")).await.unwrap_err().to_string();
    assert!(error.contains("this field tells it: people with the same value"), "{error}");
    assert!(extract(&mut vault, "air", Some(Phase::Two)).await.is_ok());
}

/// Researchers put both files side by side. They know how values are grouped, so they cut the first file, sorted by what they returned, into the classes
/// of equal values of the second, and guess within a class by the order of the files. Chance has one right guess for each class.
pub(crate) async fn researchers_with_both_phases_join_nobody(stores: &Stores) {
    let mut vault = vault(stores).await;
    enrol(&mut vault, 0..PEOPLE).await;
    add(&mut vault, &phased("air")).await;
    let places = first_phase(&mut vault, "air").await;
    // A value of its own for every place, as an attacker would return it; for three people none.
    let value = |place: &str| place.parse::<f64>().ok().filter(|place| (*place as i64 - 430_000) / 137 > 2);
    let returned = results(&places, value);
    vault.take_return("air", (&places, BUNDLE), &returned, 5, by("ann"), "").await.unwrap();
    let second = second_phase(&mut vault, "air").await;
    let place_of = |truth: i64| easting(truth as u64).to_string();
    // Returned as they are, the values would join everybody who has one.
    let by_value: HashMap<Option<u64>, &str> =
        places.iter().map(|(_, place)| (value(place).map(f64::to_bits), place.as_str())).collect();
    let joined = second
        .iter()
        .filter(|(_, _, truth)| by_value[&value(&place_of(*truth)).map(f64::to_bits)] == place_of(*truth))
        .count();
    assert!(joined as u64 >= PEOPLE - 3);

    let mut classes: BTreeMap<Option<u64>, Vec<i64>> = BTreeMap::new();
    let order = |value: f64| value.to_bits();
    for (_, value, truth) in &second {
        classes.entry(value.map(order)).or_default().push(*truth);
    }
    let mut first: Vec<(Option<f64>, usize, &str)> =
        places.iter().enumerate().map(|(row, (_, place))| (value(place), row, place.as_str())).collect();
    first.sort_by(|one, other| one.0.unwrap_or(-1.0).total_cmp(&other.0.unwrap_or(-1.0)));
    // The class without values is those without, and the group that was put with them: the researchers know both ends of the cut.
    let mut rest = first.into_iter();
    let (mut right, mut guesses) = (0, 0);
    let missing = classes.remove(&None).unwrap_or_default();
    let known: Vec<(Option<f64>, usize, &str)> = rest.by_ref().take_while(|(value, ..)| value.is_none()).collect();
    assert!(known.len() < missing.len() && missing.len() >= 5, "{} {}", known.len(), missing.len());
    let mut pool: Vec<(usize, &str)> = places
        .iter()
        .enumerate()
        .filter(|(_, (_, place))| missing.iter().any(|truth| place_of(*truth) == *place))
        .map(|(row, (_, place))| (row, place.as_str()))
        .collect();
    pool.sort_unstable();
    let mut guess = |places: &[(usize, &str)], truths: &[i64]| {
        guesses += truths.len();
        right += places.iter().zip(truths).filter(|((_, place), truth)| *place == place_of(**truth)).count();
    };
    guess(&pool, &missing);
    let mut sizes = Vec::new();
    for truths in classes.values() {
        sizes.push(truths.len());
        let mut members: Vec<(usize, &str)> = places
            .iter()
            .enumerate()
            .filter(|(_, (_, place))| truths.iter().any(|truth| place_of(*truth) == *place))
            .map(|(row, (_, place))| (row, place.as_str()))
            .collect();
        members.sort_unstable();
        guess(&members, truths);
    }
    let expected = (sizes.len() + 1) as f64;
    assert_eq!(guesses as u64, PEOPLE);
    assert!(sizes.iter().all(|size| *size >= 5), "{sizes:?}");
    assert!((right as f64) < expected + 4.0 * expected.sqrt(), "{right} right, {expected} by chance");
}

/// From the first set to a participant, to the second set, and back: everybody comes back to themselves.
pub(crate) async fn identifiers_of_both_phases_lead_to_the_same_people(stores: &Stores) {
    let mut vault = vault(stores).await;
    enrol(&mut vault, 0..PEOPLE).await;
    add(&mut vault, &phased("air")).await;
    let places = first_phase(&mut vault, "air").await;
    // Two values that hundreds of places share stay as they are: each person gets their own back.
    let value = |place: i64| if (place - 430_000) / 137 < 200 { 1.5 } else { 40.25 };
    let returned = results(&places, |place| place.parse().ok().map(value));
    vault.take_return("air", (&places, BUNDLE), &returned, 5, by("ann"), "").await.unwrap();
    let second = second_phase(&mut vault, "air").await;
    assert!(second.iter().all(|(_, kept, truth)| *kept == Some(value(easting(*truth as u64)))));
    let grant = Grant {
        actor: "bob".to_owned(),
        application: "air".to_owned(),
        other: String::new(),
        operation: Operation::Pid,
        purpose: "a test".to_owned(),
        expires: "2026-12-31".to_owned(),
        cap: 2 * PEOPLE,
        per_day: None,
    };
    let id = vault.grant(&grant, by("ann")).await.unwrap();
    let first: Vec<String> = places.iter().map(|(eid, _)| eid.clone()).collect();
    let other: Vec<String> = second.iter().map(|(eid, ..)| eid.clone()).collect();
    let first = vault.reverse(id, EidSet::PhaseOne, &first, Operation::Pid, by("bob"), "").await.unwrap();
    let other = vault.reverse(id, EidSet::PhaseTwo, &other, Operation::Pid, by("bob"), "").await.unwrap();
    let second_of: HashMap<i64, &str> = other.iter().map(|reversed| (reversed.pid, reversed.eid.as_str())).collect();
    let pid_of_second: HashMap<&str, i64> =
        other.iter().map(|reversed| (reversed.eid.as_str(), reversed.pid)).collect();
    let first_of: HashMap<i64, &str> = first.iter().map(|reversed| (reversed.pid, reversed.eid.as_str())).collect();
    assert_eq!((first_of.len(), second_of.len()), (PEOPLE as usize, PEOPLE as usize));
    assert!(first.iter().all(|reversed| first_of[&pid_of_second[second_of[&reversed.pid]]] == reversed.eid));
}
