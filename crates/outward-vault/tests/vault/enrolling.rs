//! Enrolment, and what goes wrong with it.

use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use outward_ledger::lose_connection_after;
use outward_spec::Spec;
use outward_vault::{Enrolment, IdIs, Linkage, NhsRule, Person, RootKey, Stores, TableData, TableDescription, Vault};
use tokio::runtime::Runtime;

use crate::cohort::*;

fn only(people: &[Person], nhs: NhsRule) -> Enrolment<'_> {
    Enrolment { people, update: false, tables: Vec::new(), nhs }
}

pub(crate) async fn an_enrolment_that_contradicts_itself_or_the_past_enrols_nobody(stores: &Stores) {
    let mut vault = vault(stores).await;
    enrol(&mut vault, 0..5).await;
    add(&mut vault, &application("air", &["truth"])).await;
    let with =
        |local: &str, number: Option<String>| Person { local: local.to_owned(), nhs_number: number, ..person(50) };
    let mut planted = with("P60", Some("9434765918".to_owned()));
    for (what, people) in [
        ("twice in the file", vec![person(9), person(9)]),
        ("another NHS number than before", vec![with("P3", Some(nhs_number(70)))]),
        ("the NHS number of another", vec![person(8), with("P61", Some(nhs_number(3)))]),
        ("one NHS number for two", vec![with("P62", Some(nhs_number(71))), with("P63", Some(nhs_number(71)))]),
        ("an NHS number with a wrong check digit", vec![person(7), planted.clone()]),
        ("no identifier", vec![with(" ", None)]),
    ] {
        let error = vault.enrol(only(&people, NhsRule::Reject), by("ann")).await.expect_err(what).to_string();
        assert!(error.contains("row "), "{what}: {error}");
        for secret in ["Planted", "94347", "P3", "P60", "example.org"] {
            assert!(!error.contains(secret), "{what}: {error}");
        }
    }
    let unknown = Enrolment { people: &[], update: false, tables: vec![visits(0..9)], nhs: NhsRule::Reject };
    let error = vault.enrol(unknown, by("ann")).await.unwrap_err().to_string();
    assert!(
        error.contains("somebody who is not enrolled") && error.contains("row 6") && !error.contains("P5"),
        "{error}"
    );
    assert_eq!(extracted(&mut vault, "air").await.len(), 5, "nobody was enrolled");
    planted.nhs_number = Some("943 476 5918".to_owned());
    for rule in [NhsRule::Warn, NhsRule::Report] {
        let people = [planted.clone()];
        let enrolled = vault.enrol(only(&people, rule), by("ann")).await.unwrap();
        assert_eq!(enrolled.doubtful, [1]);
    }
    // The number is put right, and the person keeps their place.
    let mended = [Person { nhs_number: Some("9434765919".to_owned()), ..planted }];
    let enrolment = Enrolment { update: true, ..only(&mended, NhsRule::Reject) };
    assert_eq!(vault.enrol(enrolment, by("ann")).await.unwrap().known, 1);
    assert!(vault.numbers_to_check(by("ann"), "").await.unwrap().contains("9434765919"));
}

pub(crate) async fn records_come_under_a_hash_of_the_nhs_number(stores: &Stores) {
    let mut vault = vault(stores).await;
    enrol(&mut vault, 0..5).await;
    let spec =
        Spec::parse("[data]\npath = \"d.csv\"\n[[variables]]\nname = \"truth\"\ntype = \"integer\"", "d.toml").unwrap();
    let sites = [|| Linkage::keyed(b"a key that the site has").unwrap(), || Linkage::Salted("hello".to_owned().into())];
    let people = people(5..8);
    for (site, linkage) in sites.into_iter().enumerate() {
        let digests: StringArray =
            (0..8).map(|index| Some(linkage().digest(&nhs_number(index)).to_uppercase())).collect();
        let truth: Int64Array = (0..8).map(Some).collect();
        let columns: [(&str, ArrayRef); 2] = [("digest", Arc::new(digests)), ("truth", Arc::new(truth))];
        let table = TableData {
            description: TableDescription::of_spec(&format!("site-{site}"), "digest", &spec).unwrap(),
            id: "digest".to_owned(),
            id_is: IdIs::Digest(linkage()),
            replace: false,
            batches: Box::new(std::iter::once(Ok(RecordBatch::try_from_iter(columns).unwrap()))),
        };
        let enrolment = Enrolment {
            people: if site == 0 { &people } else { &[] },
            update: false,
            tables: vec![table],
            nhs: NhsRule::Reject,
        };
        vault.enrol(enrolment, by("ann")).await.unwrap();
    }
    let mut both = application("both", &["truth"]);
    both.tables = ["site-0", "site-1"]
        .map(|name| outward_vault::GrantedTable { name: name.to_owned(), fields: vec!["truth".to_owned()] })
        .to_vec();
    add(&mut vault, &both).await;
    let mut seen = Vec::new();
    for table in ["site-0", "site-1"] {
        let wanted = outward_vault::Wanted { table, ..wanted("both", None) };
        let made = vault.extract(&wanted, &rules(), &policy(), by("ann")).await.unwrap();
        use arrow_array::cast::AsArray;
        let truth = made
            .records
            .column_by_name("truth")
            .unwrap()
            .as_primitive::<arrow_array::types::Int64Type>()
            .values()
            .to_vec();
        seen.push(texts(&made.records, "eid").into_iter().zip(truth).collect::<Vec<_>>());
    }
    assert_eq!(seen[0].len(), 8);
    assert_eq!(seen[0], seen[1], "the records of both sites are of the same people");
}

/// A copy of both files of a vault.
fn copy(stores: &Stores, folder: &std::path::Path) -> Option<Stores> {
    let file = |url: &str| url.strip_prefix("sqlite:").map(str::to_owned);
    let (identity, research) = (file(&stores.identity)?, file(&stores.research)?);
    let copied = crate::sqlite(folder);
    std::fs::copy(identity, copied.identity.strip_prefix("sqlite:")?).unwrap();
    std::fs::copy(research, copied.research.strip_prefix("sqlite:")?).unwrap();
    Some(copied)
}

pub(crate) async fn stores_of_two_days_or_two_vaults_are_told(stores: &Stores) {
    let mut open = vault(stores).await;
    let same = Stores { identity: stores.identity.clone(), research: stores.identity.clone() };
    assert!(Vault::create(&same, &root(), false, by("ann")).await.unwrap_err().to_string().contains("at one address"));
    enrol(&mut open, 0..5).await;
    drop(open);
    let folder = tempfile::tempdir().unwrap();
    // Files can be copied by the test; of a server the same is asked of its rows elsewhere.
    let Some(old) = copy(stores, folder.path()) else { return };
    let mut open = Vault::open(stores, &root()).await.unwrap();
    enrol(&mut open, 5..9).await;
    enrol(&mut open, 9..12).await;
    drop(open);
    let mixed = [
        Stores { identity: old.identity.clone(), research: stores.research.clone() },
        Stores { identity: stores.identity.clone(), research: old.research },
    ];
    for stores in mixed {
        let mut mixed = Vault::open(&stores, &root()).await.unwrap();
        let people = people(20..21);
        let error = mixed.enrol(only(&people, NhsRule::Reject), by("ann")).await.unwrap_err().to_string();
        assert!(error.contains("not of the same day"), "{error}");
    }
    let other = tempfile::tempdir().unwrap();
    let another = crate::sqlite(other.path());
    drop(vault(&another).await);
    let wrong = Stores { identity: another.identity, research: stores.research.clone() };
    assert!(Vault::open(&wrong, &root()).await.unwrap_err().to_string().contains("not of the same vault"));
}

pub(crate) async fn another_root_key_opens_nothing_and_rotation_changes_no_identifier(stores: &Stores) {
    let mut vault = vault(stores).await;
    enrol(&mut vault, 0..10).await;
    add(&mut vault, &application("air", &["truth"])).await;
    let before = extracted(&mut vault, "air").await;
    assert!(Vault::create(stores, &root(), false, by("ann")).await.is_err(), "there is a vault already");
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

/// What a vault holds: how many people and participants, and how long its log is.
async fn content(stores: &Stores) -> (usize, usize, i64) {
    let mut vault = Vault::open(stores, &root()).await.unwrap();
    let held = vault.audit().await.unwrap().unwrap();
    let people = crate::people::rows(&stores.identity, "select pid from people").await.unwrap();
    let enrolments = crate::people::rows(&stores.research, "select id from enrolments").await.unwrap();
    (people, enrolments, held.0)
}

pub(crate) async fn a_connection_lost_at_any_statement_leaves_nobody_half_enrolled(stores: &Stores) {
    drop(vault(stores).await);
    let mut vault = Vault::open(stores, &root()).await.unwrap();
    enrol(&mut vault, 0..3).await;
    drop(vault);
    let before = content(stores).await;
    let mut statement = 0;
    loop {
        let mut vault = Vault::open(stores, &root()).await.unwrap();
        lose_connection_after(Some(statement));
        let people = people(3..6);
        let enrolment = Enrolment { people: &people, update: false, tables: vec![visits(0..6)], nhs: NhsRule::Reject };
        let done = vault.enrol(enrolment, by("ann")).await;
        lose_connection_after(None);
        drop(vault);
        let after = content(stores).await;
        if done.is_ok() {
            assert_eq!(after, (6, 2, before.2 + 1));
            break;
        }
        // People may be there whose enrolment was not committed: they do not count, and the next enrolment removes them.
        assert_eq!((after.1, after.2), (before.1, before.2), "lost before statement {statement}");
        statement += 1;
    }
    assert!(statement > 15, "{statement} statements");
    let mut vault = Vault::open(stores, &root()).await.unwrap();
    add(&mut vault, &application("air", &["truth"])).await;
    assert_eq!(extracted(&mut vault, "air").await.len(), 6);
}

/// A process that enrols is killed at random moments: every enrolment is whole in both stores, or in neither.
pub(crate) async fn a_killed_enrolment_leaves_nobody_half_enrolled(stores: &Stores) {
    drop(vault(stores).await);
    for round in 0..6 {
        let mut process = enrolling_process(stores, round).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(90 + 53 * round));
        process.kill().unwrap();
        process.wait().unwrap();
    }
    let mut vault = Vault::open(stores, &root()).await.unwrap();
    enrol(&mut vault, 900_000..900_010).await;
    add(&mut vault, &application("air", &["truth"])).await;
    let extract = extracted(&mut vault, "air").await;
    let mut enrolled = 0;
    for first in (0..60_000).step_by(20) {
        let found = (first..first + 20).filter(|truth| extract.contains_key(truth)).count();
        assert!(found == 0 || found == 20, "{found} of 20 from {first}");
        enrolled += found;
    }
    assert!(enrolled > 20, "the processes were killed before they enrolled anybody");
    // All of them can be found in the store of identities, and enrolled again as known.
    let known: Vec<Person> = extract.keys().map(|truth| person(*truth as u64)).collect();
    let again = vault.enrol(only(&known, NhsRule::Reject), by("ann")).await.unwrap();
    assert_eq!((again.known, again.new), (known.len() as u64, 0));
    assert!(vault.audit().await.unwrap().is_ok());
}

const IDENTITY: &str = "OUTWARD_TEST_IDENTITY";
const RESEARCH: &str = "OUTWARD_TEST_RESEARCH";
const ROUND: &str = "OUTWARD_TEST_ROUND";

fn enrolling_process(stores: &Stores, round: u64) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--ignored", "--exact", "enrolling::enrols_without_end"]).stdout(std::process::Stdio::null());
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
