//! What a vault promises, on SQLite and on PostgreSQL.

#![allow(clippy::unwrap_used)]

use std::collections::{HashMap, HashSet};
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use arrow_array::{Array, ArrayRef, Int64Array, RecordBatch, StringArray};
use outward_ledger::Actor;
use outward_vault::{
    Application, EidForm, Enrolment, Extract, Grant, GrantedTable, Level, NhsRule, Operation, Person, RootKey, Stores,
    TableData, Vault, Withdrawal,
};
use tokio::runtime::Runtime;

const KEY: &str = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";

fn root() -> RootKey {
    RootKey::from_hexadecimal(KEY).unwrap()
}

fn by(name: &str) -> Actor<'_> {
    Actor { name, at: "2026-11-19T12:00:00Z" }
}

/// An NHS number with a right check digit, made up in the range that is not issued.
fn nhs_number(index: u64) -> String {
    let mut prefix = 900_000_000 + 11 * index;
    loop {
        let digits = prefix.to_string();
        if let Some(last) = (0..10).map(|last| format!("{digits}{last}")).find(|number| outward_vault::is_nhs_number(number)) {
            return last;
        }
        prefix += 1;
    }
}

fn person(index: u64) -> Person {
    Person {
        local: format!("P{index}"),
        nhs_number: Some(nhs_number(index)),
        name: Some(format!("Planted Name {index}")),
        address: Some(format!("{index} Planted Street")),
        email: Some(format!("planted{index}@example.org")),
        phone: None,
    }
}

fn people(range: std::ops::Range<u64>) -> Vec<Person> {
    range.map(person).collect()
}

/// What was measured of people: their own number again, so that a test can tell whose record it is, and blood pressure.
fn visits(range: std::ops::Range<u64>) -> TableData {
    let locals: StringArray = range.clone().map(|index| Some(format!("P{index}"))).collect();
    let truth: Int64Array = range.clone().map(|index| Some(index as i64)).collect();
    let pressure: Int64Array = range.map(|index| Some(90 + (index * 37 % 80) as i64)).collect();
    let columns: [(&str, ArrayRef); 3] =
        [("id", Arc::new(locals)), ("truth", Arc::new(truth)), ("pressure", Arc::new(pressure))];
    TableData { name: "visits".to_owned(), id: "id".to_owned(), batches: vec![RecordBatch::try_from_iter(columns).unwrap()] }
}

async fn enrol(vault: &mut Vault, range: std::ops::Range<u64>) {
    let (people, tables) = (people(range.clone()), [visits(range)]);
    vault.enrol(&Enrolment { people: &people, tables: &tables, nhs: NhsRule::Reject }, by("ann")).await.unwrap();
}

fn application(name: &str) -> Application {
    Application {
        name: name.to_owned(),
        title: "Air quality".to_owned(),
        identifiers: EidForm::DEFAULT,
        expires: "2027-12-31".to_owned(),
        tables: vec![GrantedTable { name: "visits".to_owned(), fields: vec!["truth".to_owned(), "pressure".to_owned()] }],
    }
}

/// The EIDs of an application, by whose they are.
async fn extracted(vault: &mut Vault, name: &str) -> HashMap<i64, String> {
    let fields = ["truth".to_owned()];
    let wanted = Extract { application: name, set: "main", table: "visits", fields: &fields };
    let mut eids = HashMap::new();
    let records = vault
        .extract(&wanted, by("ann"), "test", |batch| {
            let eid = batch.column_by_name("eid").unwrap().as_any().downcast_ref::<StringArray>().unwrap();
            let truth = batch.column_by_name("truth").unwrap().as_any().downcast_ref::<Int64Array>().unwrap();
            eids.extend((0..batch.num_rows()).map(|at| (truth.value(at), eid.value(at).to_owned())));
            Ok(())
        })
        .await
        .unwrap();
    assert_eq!(records, eids.len() as u64);
    eids
}

async fn vault(stores: &Stores) -> Vault {
    Vault::create(stores, &root(), by("ann")).await.unwrap()
}

async fn a_later_enrolment_keeps_every_identifier(stores: &Stores) {
    let mut vault = vault(stores).await;
    enrol(&mut vault, 0..50).await;
    vault.add_application(&application("air"), by("ann"), "approved").await.unwrap();
    let first = extracted(&mut vault, "air").await;
    assert_eq!(first.len(), 50);
    // Ten are known, and have a second visit; forty are new.
    let (people, tables) = (people(40..90), [visits(40..90)]);
    let given = Enrolment { people: &people, tables: &tables, nhs: NhsRule::Reject };
    let enrolled = vault.enrol(&given, by("ann")).await.unwrap();
    assert_eq!((enrolled.new, enrolled.known), (40, 10));
    let fields = ["truth".to_owned()];
    let wanted = Extract { application: "air", set: "main", table: "visits", fields: &fields };
    let records = vault.extract(&wanted, by("ann"), "", |_| Ok(())).await.unwrap();
    assert_eq!(records, 100);
    drop(vault);
    let mut again = Vault::open(stores, &root()).await.unwrap();
    let fields = ["truth".to_owned(), "pressure".to_owned()];
    let wanted = Extract { fields: &fields, ..wanted };
    let mut met = HashSet::new();
    again
        .extract(&wanted, by("ann"), "", |batch| {
            let eid = batch.column(0).as_any().downcast_ref::<StringArray>().unwrap();
            let truth = batch.column(1).as_any().downcast_ref::<Int64Array>().unwrap();
            for at in 0..batch.num_rows() {
                met.insert((truth.value(at), eid.value(at).to_owned()));
            }
            Ok(())
        })
        .await
        .unwrap();
    assert_eq!(met.len(), 90, "one identifier for each person");
    assert!(first.iter().all(|(truth, eid)| met.contains(&(*truth, eid.clone()))));
}

async fn two_applications_have_other_identifiers_for_everyone(stores: &Stores) {
    let mut vault = vault(stores).await;
    enrol(&mut vault, 0..200).await;
    for name in ["air", "diet"] {
        vault.add_application(&application(name), by("ann"), "approved").await.unwrap();
    }
    let (air, diet) = (extracted(&mut vault, "air").await, extracted(&mut vault, "diet").await);
    assert!(air.iter().filter(|(truth, eid)| diet[*truth] == **eid).count() <= 1);
}

async fn an_extract_has_what_was_granted_and_nothing_else(stores: &Stores) {
    let mut vault = vault(stores).await;
    enrol(&mut vault, 0..5).await;
    let narrow = Application {
        tables: vec![GrantedTable { name: "visits".to_owned(), fields: vec!["pressure".to_owned()] }],
        ..application("air")
    };
    vault.add_application(&narrow, by("ann"), "approved").await.unwrap();
    let mut refused = async |application: &str, table: &str, field: &str, at: &str| {
        let fields = [field.to_owned()];
        let wanted = Extract { application, set: "main", table, fields: &fields };
        vault.extract(&wanted, Actor { name: "ann", at }, "", |_| Ok(())).await.unwrap_err().to_string()
    };
    let today = by("").at;
    assert!(refused("air", "visits", "truth", today).await.contains("was not granted field"));
    assert!(refused("air", "visits", "pid", today).await.contains("was not granted field"));
    assert!(refused("air", "people", "name", today).await.contains("was not granted table"));
    assert!(refused("air", "visits", "pressure", "2028-01-01T00:00:00Z").await.contains("expired"));
    assert!(refused("aire", "visits", "pressure", today).await.contains("no application"));
}

async fn identities_are_reversed_with_a_grant_alone(stores: &Stores) {
    let mut vault = vault(stores).await;
    enrol(&mut vault, 0..20).await;
    for name in ["air", "diet"] {
        vault.add_application(&application(name), by("ann"), "approved").await.unwrap();
    }
    let (eids, others) = (extracted(&mut vault, "air").await, extracted(&mut vault, "diet").await);
    let grant = Grant {
        actor: "bob".to_owned(),
        application: "air".to_owned(),
        operation: Operation::Person,
        purpose: "a scan shows something serious".to_owned(),
        expires: "2026-12-31".to_owned(),
        cap: 2,
        second: "cleo".to_owned(),
    };
    assert!(vault.grant(&grant, by(" BOB ")).await.is_err(), "to oneself");
    let id = vault.grant(&grant, by("ann")).await.unwrap();
    let of = |truth: i64| vec![eids[&truth].clone()];
    let person = Operation::Person;
    let late = Actor { name: "bob", at: "2027-01-01T00:00:00Z" };
    for (what, number, eid, operation, second, actor) in [
        ("another actor", id, of(3), person, "cleo", by("eve")),
        ("no second person", id, of(3), person, "", by("bob")),
        ("another operation", id, of(3), Operation::Pid, "cleo", by("bob")),
        ("too late", id, of(3), person, "cleo", late),
        ("no such grant", id + 1, of(3), person, "cleo", by("bob")),
        ("an identifier of another application", id, vec![others[&3].clone()], person, "cleo", by("bob")),
        ("more than the cap", id, vec![eids[&1].clone(), eids[&2].clone(), eids[&3].clone()], person, "cleo", by("bob")),
    ] {
        let error = vault.reverse(number, &eid, operation, second, actor).await.expect_err(what).to_string();
        assert!(!error.contains(&eid[0]), "{what}: {error}");
    }
    let found = vault.reverse(id, &of(3), person, "cleo", by("bob")).await.unwrap();
    let whole = found[0].1.as_ref().unwrap();
    assert_eq!((whole.name.as_deref(), whole.nhs_number.as_deref()), (Some("Planted Name 3"), Some(&*nhs_number(3))));
    assert_eq!(whole.phone, None);
    vault.reverse(id, &of(4), person, "Cleo", by("bob")).await.unwrap();
    assert!(vault.reverse(id, &of(5), person, "cleo", by("bob")).await.is_err(), "the cap is reached");
    let uses = vault.entries(0, 100).await.unwrap().into_iter().filter(|entry| entry.action == "reverse");
    let outcomes: Vec<bool> = uses.map(|entry| entry.details.contains("\"done\"")).collect();
    assert_eq!(outcomes, [false, false, false, false, false, false, false, true, true, false]);
    assert!(vault.check_log().await.unwrap().is_ok());
}

async fn who_withdraws_is_in_no_later_extract(stores: &Stores) {
    let mut vault = vault(stores).await;
    enrol(&mut vault, 0..30).await;
    vault.add_application(&application("air"), by("ann"), "approved").await.unwrap();
    let day = |local: &str, level| Withdrawal { local: local.to_owned(), level, day: "2026-11-01".to_owned() };
    let all = [day("P3", Level::NoFurtherUse), day("P4", Level::NoFurtherAccess), day("P5", Level::NoFurtherContact)];
    assert_eq!(vault.withdraw(&all, by("ann"), "letters").await.unwrap(), 3);
    assert_eq!(vault.withdraw(&all, by("ann"), "letters again").await.unwrap(), 0);
    assert!(vault.withdraw(&[day("nobody", Level::NoFurtherUse)], by("ann"), "").await.is_err());
    let extract = extracted(&mut vault, "air").await;
    assert!(!extract.contains_key(&3) && extract.contains_key(&4) && extract.contains_key(&5));
    assert_eq!(extract.len(), 29);
    // Nothing more is learned of P3 and P4.
    let (people, tables) = (people(0..30), [visits(0..30)]);
    let given = Enrolment { people: &people, tables: &tables, nhs: NhsRule::Reject };
    let enrolled = vault.enrol(&given, by("ann")).await.unwrap();
    assert_eq!((enrolled.known, enrolled.skipped), (30, 2));
}

async fn an_enrolment_that_contradicts_itself_or_the_past_enrols_nobody(stores: &Stores) {
    let mut vault = vault(stores).await;
    enrol(&mut vault, 0..5).await;
    vault.add_application(&application("air"), by("ann"), "approved").await.unwrap();
    let with = |local: &str, number: Option<String>| Person { local: local.to_owned(), nhs_number: number, ..person(50) };
    let mut planted = with("P60", Some("9434765918".to_owned()));
    for (what, people) in [
        ("twice in the file", vec![person(9), person(9)]),
        ("another NHS number than before", vec![with("P3", Some(nhs_number(70)))]),
        ("the NHS number of another", vec![person(8), with("P61", Some(nhs_number(3)))]),
        ("an NHS number with a wrong check digit", vec![person(7), planted.clone()]),
        ("no identifier", vec![with(" ", None)]),
    ] {
        let given = Enrolment { people: &people, tables: &[], nhs: NhsRule::Reject };
        let error = vault.enrol(&given, by("ann")).await.expect_err(what).to_string();
        for secret in ["Planted", "94347", "P3", "P60", "example.org"] {
            assert!(!error.contains(secret), "{what}: {error}");
        }
    }
    let tables = [visits(0..9)];
    let given = Enrolment { people: &[], tables: &tables, nhs: NhsRule::Reject };
    assert!(vault.enrol(&given, by("ann")).await.is_err(), "records of somebody who is not enrolled");
    assert_eq!(extracted(&mut vault, "air").await.len(), 5, "nobody was enrolled");
    planted.nhs_number = Some("943 476 5918".to_owned());
    for rule in [NhsRule::Warn, NhsRule::Report] {
        let people = [planted.clone()];
        let enrolled = vault.enrol(&Enrolment { people: &people, tables: &[], nhs: rule }, by("ann")).await.unwrap();
        assert_eq!(enrolled.doubtful, [1]);
    }
}

async fn another_root_key_opens_nothing_and_rotation_changes_no_identifier(stores: &Stores) {
    let mut vault = vault(stores).await;
    enrol(&mut vault, 0..10).await;
    vault.add_application(&application("air"), by("ann"), "approved").await.unwrap();
    let before = extracted(&mut vault, "air").await;
    assert!(Vault::create(stores, &root(), by("ann")).await.is_err(), "there is a vault already");
    let new = RootKey::draw().unwrap();
    assert!(Vault::open(stores, &new).await.is_err());
    assert!(vault.rotate(&new, &root(), by("ann"), "").await.is_err());
    vault.rotate(&root(), &new, by("ann"), "a keeper left").await.unwrap();
    drop(vault);
    let error = Vault::open(stores, &root()).await.unwrap_err().to_string();
    assert_eq!(error, "this root key does not open the vault");
    let mut again = Vault::open(stores, &new).await.unwrap();
    assert_eq!(extracted(&mut again, "air").await, before);
}

/// A process that enrols is killed at random moments: every enrolment is whole in both stores, or in neither.
async fn a_killed_enrolment_leaves_nobody_half_enrolled(stores: &Stores) {
    drop(vault(stores).await);
    for round in 0..6 {
        let mut process = enrolling_process(stores, round).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(90 + 53 * round));
        process.kill().unwrap();
        process.wait().unwrap();
    }
    let mut vault = Vault::open(stores, &root()).await.unwrap();
    enrol(&mut vault, 900_000..900_010).await;
    vault.add_application(&application("air"), by("ann"), "approved").await.unwrap();
    let extract = extracted(&mut vault, "air").await;
    let whole = |range: std::ops::Range<i64>| (range.clone().filter(|truth| extract.contains_key(truth)).count(), range.count());
    let mut enrolled = 0;
    for first in (0..60_000).step_by(20) {
        let (found, all) = whole(first..first + 20);
        assert!(found == 0 || found == all, "{found} of {all} from {first}");
        enrolled += found;
    }
    assert!(enrolled > 20, "the processes were killed before they enrolled anybody");
    // All of them can be found in the store of identities, and enrolled again as known.
    let known: Vec<Person> = extract.keys().map(|truth| person(*truth as u64)).collect();
    let given = Enrolment { people: &known, tables: &[], nhs: NhsRule::Reject };
    let again = vault.enrol(&given, by("ann")).await.unwrap();
    assert_eq!((again.known, again.new), (known.len() as u64, 0));
    assert!(vault.check_log().await.unwrap().is_ok());
}

const IDENTITY: &str = "OUTWARD_TEST_IDENTITY";
const RESEARCH: &str = "OUTWARD_TEST_RESEARCH";
const ROUND: &str = "OUTWARD_TEST_ROUND";

fn enrolling_process(stores: &Stores, round: u64) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--ignored", "--exact", "enrols_without_end"]).stdout(std::process::Stdio::null());
    command.env(IDENTITY, &stores.identity).env(RESEARCH, &stores.research).env(ROUND, round.to_string());
    command
}

/// What a process of its own does.
#[test]
#[ignore = "run by other tests"]
fn enrols_without_end() {
    let said = |name: &str| std::env::var(name).unwrap();
    let stores = Stores { identity: said(IDENTITY), research: said(RESEARCH) };
    let round: u64 = said(ROUND).parse().unwrap();
    Runtime::new().unwrap().block_on(async {
        let mut vault = Vault::open(&stores, &root()).await.unwrap();
        for part in 0..500 {
            let first = round * 10_000 + part * 20;
            enrol(&mut vault, first..first + 20).await;
        }
    });
}

#[test]
fn no_store_has_a_name_a_number_or_a_key_that_can_be_read() {
    let folder = tempfile::tempdir().unwrap();
    let stores = sqlite(folder.path());
    Runtime::new().unwrap().block_on(async {
        let mut vault = vault(&stores).await;
        enrol(&mut vault, 0..100).await;
        vault.add_application(&application("air"), by("ann"), "approved").await.unwrap();
        extracted(&mut vault, "air").await;
        assert!(!format!("{vault:?}").to_lowercase().contains(&KEY[..16]));
    });
    for entry in std::fs::read_dir(folder.path()).unwrap() {
        let path = entry.unwrap().path();
        let content = std::fs::read(&path).unwrap();
        let has = |secret: &[u8]| content.windows(secret.len()).any(|window| window == secret);
        let key: Vec<u8> = (0..32).collect();
        for secret in [&b"Planted"[..], b"example.org", nhs_number(7).as_bytes(), KEY.as_bytes(), &key] {
            assert!(!has(secret), "{} in {}", String::from_utf8_lossy(secret), path.display());
        }
    }
}

/// Carries out a statement beside the vault.
async fn raw(address: &str, statement: &str) {
    use sqlx::Connection;
    sqlx::any::install_default_drivers();
    let mut connection = sqlx::AnyConnection::connect(address).await.unwrap();
    sqlx::query(sqlx::AssertSqlSafe(statement.to_owned())).execute(&mut connection).await.unwrap();
}

fn sqlite(folder: &std::path::Path) -> Stores {
    let url = |name: &str| format!("sqlite:{}", folder.join(name).display());
    Stores { identity: url("identity.db"), research: url("research.db") }
}

/// A test for each promise on SQLite, and one for all of them on a PostgreSQL server.
macro_rules! on_both {
    ($($fact:ident),* $(,)?) => {
        mod on_sqlite {
            $(
                #[test]
                fn $fact() {
                    let folder = tempfile::tempdir().unwrap();
                    super::Runtime::new().unwrap().block_on(super::$fact(&super::sqlite(folder.path())));
                }
            )*
        }

        mod needs_postgresql {
            use super::*;

            #[test]
            fn all_that_holds_on_sqlite_holds_on_postgresql() {
                let server = outward_testing::postgres::Server::start();
                let address = server.address(outward_testing::postgres::PASSWORD);
                let runtime = Runtime::new().unwrap();
                let mut made = 0..;
                let mut database = || {
                    let name = format!("vault_{}", made.next().unwrap());
                    let statement = format!("create database {name}");
                    runtime.block_on(raw(&address, &statement));
                    format!("{}/{name}", address.trim_end_matches("/postgres"))
                };
                $(
                    println!("{}", stringify!($fact));
                    let stores = Stores { identity: database(), research: database() };
                    runtime.block_on($fact(&stores));
                )*
            }
        }
    };
}

on_both! {
    a_later_enrolment_keeps_every_identifier,
    two_applications_have_other_identifiers_for_everyone,
    an_extract_has_what_was_granted_and_nothing_else,
    identities_are_reversed_with_a_grant_alone,
    who_withdraws_is_in_no_later_extract,
    an_enrolment_that_contradicts_itself_or_the_past_enrols_nobody,
    another_root_key_opens_nothing_and_rotation_changes_no_identifier,
    a_killed_enrolment_leaves_nobody_half_enrolled,
}
