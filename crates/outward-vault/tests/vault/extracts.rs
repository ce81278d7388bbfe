//! What an application gets.

use std::collections::{BTreeMap, HashMap, HashSet};

use outward_ledger::Actor;
use outward_spec::Role;
use outward_vault::{Stores, Vault, Wanted};

use crate::cohort::*;

pub(crate) async fn a_later_enrolment_keeps_every_identifier(stores: &Stores) {
    let mut vault = vault(stores).await;
    enrol(&mut vault, 0..50).await;
    add(&mut vault, &application("air", &["truth"])).await;
    let first = extracted(&mut vault, "air").await;
    assert_eq!(first.len(), 50);
    // Ten are known, and have a second visit; forty are new.
    let enrolled = enrol(&mut vault, 40..90).await;
    assert_eq!((enrolled.new, enrolled.known), (40, 10));
    let people = people(40..90);
    let again = |replace: bool| outward_vault::Enrolment {
        people: &people,
        update: false,
        tables: vec![outward_vault::TableData { replace, ..visits(40..90) }],
        nhs: outward_vault::NhsRule::Reject,
    };
    let twice = vault.enrol(again(false), by("ann")).await.unwrap_err().to_string();
    assert!(twice.contains("in table `visits` already"), "{twice}");
    drop(vault);
    let mut again = Vault::open(stores, &root()).await.unwrap();
    let second = extract(&mut again, "air", None).await.unwrap();
    assert_eq!((second.account.records, second.account.people), (100, 90));
    let later = extracted(&mut again, "air").await;
    assert!(first.iter().all(|(truth, eid)| later[truth] == *eid));
    assert_eq!(later.values().collect::<HashSet<_>>().len(), 90, "one identifier for each person");
}

pub(crate) async fn two_applications_have_other_identifiers_for_everyone(stores: &Stores) {
    let mut vault = vault(stores).await;
    enrol(&mut vault, 0..200).await;
    for name in ["air", "diet"] {
        add(&mut vault, &application(name, &["truth"])).await;
    }
    let (air, diet) = (extracted(&mut vault, "air").await, extracted(&mut vault, "diet").await);
    assert!(air.iter().filter(|(truth, eid)| diet[*truth] == **eid).count() <= 1);
}

/// The position of a record in one extract says nothing of its position in another: the rank correlation of 300 people is below 0.25, which chance
/// exceeds once in 70,000 times.
pub(crate) async fn two_extracts_side_by_side_do_not_join_by_their_order(stores: &Stores) {
    let mut vault = vault(stores).await;
    enrol(&mut vault, 0..300).await;
    let mut positions: Vec<HashMap<i64, f64>> = Vec::new();
    for name in ["air", "diet"] {
        add(&mut vault, &application(name, &["truth"])).await;
        let records = extract(&mut vault, name, None).await.unwrap().records;
        assert!(texts(&records, "eid").is_sorted());
        use arrow_array::cast::AsArray;
        let truth = records.column_by_name("truth").unwrap().as_primitive::<arrow_array::types::Int64Type>();
        positions.push(truth.values().iter().enumerate().map(|(at, truth)| (*truth, at as f64)).collect());
    }
    positions.push((0..300).map(|truth| (truth, truth as f64)).collect());
    for (one, other) in [(0, 1), (0, 2), (1, 2)] {
        let square = |truth: i64| (positions[one][&truth] - positions[other][&truth]).powi(2);
        let correlation = 1.0 - 6.0 * (0..300).map(square).sum::<f64>() / (300.0 * (300.0 * 300.0 - 1.0));
        assert!(correlation.abs() < 0.25, "{one} {other}: {correlation}");
    }
}

pub(crate) async fn an_extract_has_what_was_granted_and_nothing_else(stores: &Stores) {
    let mut vault = vault(stores).await;
    enrol(&mut vault, 0..20).await;
    add(&mut vault, &application("air", &["job", "truth"])).await;
    let (rules, policy) = (rules(), policy());
    let mut refused = async |application: &str, table: &str, field: &str, at: &str| {
        let fields = [field.to_owned()];
        let wanted = Wanted { table, fields: &fields, ..wanted(application, None) };
        let done = vault.extract(&wanted, &rules, &policy, Actor { name: "ann", at }).await;
        done.unwrap_err().to_string()
    };
    let today = by("").at;
    assert!(refused("air", "visits", "postcode", today).await.contains("was not granted field"));
    assert!(refused("air", "visits", "pid", today).await.contains("was not granted field"));
    assert!(refused("air", "people", "name", today).await.contains("was not granted table"));
    assert!(refused("air", "visits", "truth", "2028-01-01T00:00:00Z").await.contains("expired"));
    assert!(refused("aire", "visits", "truth", today).await.contains("no application"));
    for (fields, what) in [
        (["notes"], "releases no field with the role `free-text`"),
        (["nots"], "has no field"),
        (["id"], "has no field"),
    ] {
        let error = vault.add_application(&application("other", &fields), &rules, by("ann"), "").await.unwrap_err();
        assert!(error.to_string().contains(what), "{error}");
    }
    let wider = application("air", &["truth"]);
    add(&mut vault, &wider).await;
    let records = extract(&mut vault, "air", None).await.unwrap().records;
    let schema = records.schema();
    let names: Vec<&str> = schema.fields().iter().map(|field| field.name().as_str()).collect();
    assert_eq!(names, ["eid", "truth"]);
}

pub(crate) async fn rare_codes_stand_in_their_group_and_postcodes_lose_their_end(stores: &Stores) {
    let mut vault = vault(stores).await;
    enrol(&mut vault, 0..100).await;
    add(&mut vault, &application("jobs", &["truth", "born", "job", "postcode"])).await;
    let made = extract(&mut vault, "jobs", None).await.unwrap();
    use arrow_array::cast::AsArray;
    let truth = made.records.column_by_name("truth").unwrap().as_primitive::<arrow_array::types::Int64Type>().clone();
    // The one teacher of music would be alone as a teacher of music, and alone as any other teacher: the rarest of the others joins them.
    let jobs = texts(&made.records, "job");
    let mut of: BTreeMap<&str, u64> = BTreeMap::new();
    jobs.iter().for_each(|job| *of.entry(job).or_default() += 1);
    assert!(of.values().all(|people| *people >= 5), "{of:?}");
    let musician = truth.values().iter().position(|truth| *truth == 7).unwrap();
    assert_ne!(jobs[musician], "teacher of music");
    assert!(jobs.contains(&"teacher of physics".to_owned()));
    let postcodes: HashSet<String> = texts(&made.records, "postcode").into_iter().collect();
    assert_eq!(postcodes, HashSet::from(["SW1A".to_owned(), "LS2".to_owned()]));
    assert_eq!(made.account.grouped.len(), 1, "{:?}", made.account.grouped);
    // The day of birth goes by a step of the spec, as a key by its month.
    let born = made.spec.variable("born").unwrap();
    assert_eq!(born.role, Role::Key);
    assert!(
        made.spec
            .steps
            .iter()
            .any(|step| step.name() == "recode" && step.variables().iter().any(|(_, name)| *name == "born"))
    );
    assert!(made.spec.variable("job").unwrap().hierarchy.is_none(), "no list of codes says which there were");
}

/// Every set of fields that could be granted: the extract has these and no other, and each other is refused.
pub(crate) async fn no_extract_has_a_field_that_was_not_granted(stores: &Stores) {
    const FIELDS: [&str; 4] = ["truth", "born", "job", "postcode"];
    let mut vault = vault(stores).await;
    enrol(&mut vault, 0..100).await;
    for granted in 1..16_u32 {
        let is_granted = |at: usize| granted >> at & 1 == 1;
        let fields: Vec<&str> = (0..4).filter(|at| is_granted(*at)).map(|at| FIELDS[at]).collect();
        let name = format!("fields-{granted}");
        add(&mut vault, &application(&name, &fields)).await;
        let records = extract(&mut vault, &name, None).await.unwrap().records;
        let schema = records.schema();
        let there: Vec<&str> = schema.fields().iter().skip(1).map(|field| field.name().as_str()).collect();
        assert_eq!(there, fields);
        for (at, field) in FIELDS.iter().enumerate().take(4) {
            let one = [(*field).to_owned()];
            let wanted = Wanted { fields: &one, ..wanted(&name, None) };
            let made = vault.extract(&wanted, &rules(), &policy(), by("ann")).await;
            assert_eq!(made.is_ok(), is_granted(at), "{name} {field}");
        }
    }
}
