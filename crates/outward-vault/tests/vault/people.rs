//! Grants, bridges, withdrawals and opt-outs.

use std::collections::BTreeSet;

use outward_ledger::Actor;
use outward_vault::{EidSet, Enrolment, Grant, Level, NhsRule, Operation, Stores, Vault, Withdrawal};

use crate::cohort::*;

/// How many rows a question has.
pub(crate) async fn rows(address: &str, question: &str) -> Result<usize, sqlx::Error> {
    use sqlx::Connection;
    sqlx::any::install_default_drivers();
    let mut connection = sqlx::AnyConnection::connect(address).await?;
    Ok(sqlx::query(sqlx::AssertSqlSafe(question.to_owned())).fetch_all(&mut connection).await?.len())
}

fn grant(operation: Operation, cap: u64) -> Grant {
    Grant {
        actor: "bob".to_owned(),
        application: "air".to_owned(),
        other: if operation == Operation::Bridge { "diet".to_owned() } else { String::new() },
        operation,
        purpose: "a scan shows something serious".to_owned(),
        expires: "2026-12-31".to_owned(),
        cap,
        per_day: None,
    }
}

async fn with_two_applications(vault: &mut Vault, people: u64) {
    enrol(vault, 0..people).await;
    for name in ["air", "diet"] {
        add(vault, &application(name, &["truth"])).await;
    }
}

pub(crate) async fn identities_are_reversed_with_a_grant_alone(stores: &Stores) {
    let mut vault = vault(stores).await;
    with_two_applications(&mut vault, 20).await;
    let (eids, others) = (extracted(&mut vault, "air").await, extracted(&mut vault, "diet").await);
    let person = Operation::Person;
    assert!(vault.grant(&grant(person, 2), by(" BOB ")).await.is_err(), "to oneself");
    assert!(vault.grant(&Grant { purpose: " ".to_owned(), ..grant(person, 2) }, by("ann")).await.is_err());
    assert!(vault.grant(&Grant { expires: "2026-02-30".to_owned(), ..grant(person, 2) }, by("ann")).await.is_err());
    let id = vault.grant(&grant(person, 2), by("ann")).await.unwrap();
    let of = |truth: i64| vec![eids[&truth].clone()];
    let late = Actor { name: "bob", at: "2027-01-01T00:00:00Z" };
    for (what, number, eid, operation, set, actor) in [
        ("another actor", id, of(3), person, EidSet::Main, by("eve")),
        ("another operation", id, of(3), Operation::Pid, EidSet::Main, by("bob")),
        ("another set", id, of(3), person, EidSet::PhaseTwo, by("bob")),
        ("too late", id, of(3), person, EidSet::Main, late),
        ("no such grant", id + 1, of(3), person, EidSet::Main, by("bob")),
        ("an identifier of another application", id, vec![others[&3].clone()], person, EidSet::Main, by("bob")),
        ("one that nobody has", id, vec!["x".to_owned()], person, EidSet::Main, by("bob")),
        ("more than the cap", id, [of(1), of(2), of(3)].concat(), person, EidSet::Main, by("bob")),
    ] {
        let done = vault.reverse(number, set, &eid, operation, actor, "test").await;
        let error = done.err().expect(what).to_string();
        assert!(!error.contains(&eid[0]) || eid[0] == "x", "{what}: {error}");
    }
    let found = vault.reverse(id, EidSet::Main, &of(3), person, by("Bob"), "test").await.unwrap();
    let whole = found[0].person.clone().unwrap();
    assert_eq!((whole.name.as_deref(), whole.nhs_number.as_deref()), (Some("Planted Name 3"), Some(&*nhs_number(3))));
    assert_eq!((whole.local.as_str(), whole.phone), ("P3", None));
    vault.reverse(id, EidSet::Main, &of(4), person, by("bob"), "test").await.unwrap();
    assert!(vault.reverse(id, EidSet::Main, &of(5), person, by("bob"), "test").await.is_err(), "the cap is reached");
    let uses = vault.entries(0, 100).await.unwrap().into_iter().filter(|entry| entry.action == "reverse");
    let outcomes: Vec<bool> = uses.map(|entry| entry.details.contains("\"done\"")).collect();
    assert_eq!(outcomes, [false, false, false, false, false, false, false, false, true, true, false]);
    assert!(vault.audit().await.unwrap().is_ok());
}

pub(crate) async fn a_grant_by_the_day_gives_no_more_in_one_day(stores: &Stores) {
    let mut vault = vault(stores).await;
    with_two_applications(&mut vault, 20).await;
    let eids = extracted(&mut vault, "air").await;
    let by_the_day = |per_day| Grant { per_day: Some(per_day), ..grant(Operation::Pid, 5) };
    assert!(vault.grant(&by_the_day(0), by("ann")).await.is_err(), "a grant of nothing");
    let id = vault.grant(&by_the_day(2), by("ann")).await.unwrap();
    let of = |truths: &[i64]| truths.iter().map(|truth| eids[truth].clone()).collect::<Vec<_>>();
    let bob = |at| Actor { name: "bob", at };
    let (today, tonight, tomorrow) = ("2026-12-01T08:00:00Z", "2026-12-01T23:59:59Z", "2026-12-02T00:00:00Z");
    for (truths, at, refused) in [
        (&[1, 2, 3][..], today, true),
        (&[1], today, false),
        (&[2, 3], tonight, true),
        (&[2], tonight, false),
        (&[3], tonight, true),
        (&[3, 4], tomorrow, false),
        (&[5], "2026-12-03T00:00:00Z", false),
        (&[6], "2026-12-04T00:00:00Z", true),
    ] {
        let done = vault.reverse(id, EidSet::Main, &of(truths), Operation::Pid, bob(at), "test").await;
        assert_eq!(done.is_err(), refused, "{truths:?} at {at}");
    }
}

pub(crate) async fn a_vault_of_two_people_asks_for_both(stores: &Stores) {
    let mut vault = Vault::create(stores, &root(), true, by("ann")).await.unwrap();
    with_two_applications(&mut vault, 20).await;
    let eids = extracted(&mut vault, "air").await;
    let id = vault.grant(&grant(Operation::Pid, 2), by("ann")).await.unwrap();
    let eid = [eids[&3].clone()];
    let error = vault.reverse(id, EidSet::Main, &eid, Operation::Pid, by("bob"), "").await.err().unwrap();
    assert_eq!(error.to_string(), "this grant needs a second person");
    assert!(vault.approve_grant(id, by("Ann")).await.is_err(), "the giver again");
    assert!(vault.approve_grant(id, by("bob")).await.is_err(), "to oneself");
    vault.approve_grant(id, by("cleo")).await.unwrap();
    assert!(vault.reverse(id, EidSet::Main, &eid, Operation::Pid, by("bob"), "").await.is_ok());
}

pub(crate) async fn two_applications_are_bridged_with_a_grant_alone(stores: &Stores) {
    let mut vault = vault(stores).await;
    with_two_applications(&mut vault, 20).await;
    let (air, diet) = (extracted(&mut vault, "air").await, extracted(&mut vault, "diet").await);
    let gone = Withdrawal { local: "P3".to_owned(), level: Level::NoFurtherUse, day: "2026-11-01".to_owned() };
    vault.withdraw(&[gone], by("ann"), "a letter").await.unwrap();
    let small = vault.grant(&grant(Operation::Bridge, 5), by("ann")).await.unwrap();
    assert!(vault.bridge(small, by("bob"), "").await.is_err(), "more than the cap");
    let id = vault.grant(&grant(Operation::Bridge, 19), by("ann")).await.unwrap();
    assert!(vault.bridge(id, by("eve"), "").await.is_err(), "another actor");
    let bridge = vault.bridge(id, by("bob"), "").await.unwrap();
    let expected: BTreeSet<(String, String)> =
        (0..20).filter(|truth| *truth != 3).map(|truth| (air[&truth].clone(), diet[&truth].clone())).collect();
    assert_eq!(bridge.pairs, expected.into_iter().collect::<Vec<_>>());
    assert!(vault.bridge(id, by("bob"), "").await.is_err(), "the grant is used up");
}

pub(crate) async fn who_withdraws_is_in_no_later_extract(stores: &Stores) {
    let mut vault = vault(stores).await;
    enrol(&mut vault, 0..30).await;
    add(&mut vault, &application("air", &["truth"])).await;
    let before = extracted(&mut vault, "air").await;
    let day = |local: &str, level| Withdrawal { local: local.to_owned(), level, day: "2026-11-01".to_owned() };
    let later = Withdrawal { day: "2026-12-01".to_owned(), ..day("P6", Level::NoFurtherUse) };
    let all =
        [day("P3", Level::NoFurtherUse), day("P4", Level::NoFurtherAccess), day("P5", Level::NoFurtherContact), later];
    assert_eq!(vault.withdraw(&all, by("ann"), "letters").await.unwrap(), 4);
    assert_eq!(vault.withdraw(&all, by("ann"), "letters again").await.unwrap(), 0);
    for wrong in
        [day("nobody", Level::NoFurtherUse), Withdrawal { day: "soon".to_owned(), ..day("P7", Level::NoFurtherUse) }]
    {
        assert!(vault.withdraw(&[day("P8", Level::NoFurtherUse), wrong], by("ann"), "").await.is_err());
    }
    let extract = extracted(&mut vault, "air").await;
    let expected: BTreeSet<i64> = (0..30).filter(|truth| *truth != 3).collect();
    assert_eq!(
        extract.keys().copied().collect::<BTreeSet<_>>(),
        expected,
        "P8 stays, as nothing of a wrong list was entered"
    );
    let list = vault.withdrawn_eids("air", by("ann"), "the files of a laptop").await.unwrap();
    assert_eq!((list.people, list.all.len()), (1, 30));
    assert_eq!(list.eids.into_iter().collect::<Vec<_>>(), [before[&3].clone()]);
    // Nothing more is learned of P3 and P4.
    let enrolled = enrol(&mut vault, 0..30).await;
    assert_eq!((enrolled.known, enrolled.skipped), (30, 2));
    // Who may no longer be contacted is said where they are reversed.
    let id = vault.grant(&grant(Operation::Person, 2), by("ann")).await.unwrap();
    let eids = [extract[&5].clone(), extract[&7].clone()];
    let found = vault.reverse(id, EidSet::Main, &eids, Operation::Person, by("bob"), "").await.unwrap();
    assert_eq!((found[0].may_be_contacted, found[1].may_be_contacted), (false, true));
}

pub(crate) async fn who_opts_out_nationally_is_left_out_where_that_is_honoured(stores: &Stores) {
    let mut vault = vault(stores).await;
    enrol(&mut vault, 0..10).await;
    add(&mut vault, &application("air", &["truth"])).await;
    add(&mut vault, &outward_vault::Application { honour_opt_outs: false, ..application("consented", &["truth"]) })
        .await;
    let sent = vault.numbers_to_check(by("ann"), "monthly").await.unwrap();
    assert_eq!(sent, (0..10).map(nhs_number).collect());
    let back: BTreeSet<String> = sent.iter().filter(|number| **number != nhs_number(4)).cloned().collect();
    // Somebody enrols meanwhile: they were not sent, so nothing is known of them.
    enrol(&mut vault, 10..11).await;
    let done = vault.take_opt_outs(&sent, &back, by("ann"), "").await.unwrap();
    assert_eq!((done.sent, done.opted_out, done.no_longer), (10, 1, 0));
    let air = extracted(&mut vault, "air").await;
    assert!(!air.contains_key(&4) && air.len() == 10);
    assert_eq!(extracted(&mut vault, "consented").await.len(), 11);
    assert!(vault.take_opt_outs(&back, &sent, by("ann"), "").await.is_err(), "a number that was not sent");
    let done = vault.take_opt_outs(&sent, &sent, by("ann"), "").await.unwrap();
    assert_eq!((done.opted_out, done.no_longer), (0, 1));
    assert_eq!(extracted(&mut vault, "air").await.len(), 11);
    let people = people(20..21);
    let none = Enrolment { people: &people, update: false, tables: Vec::new(), nhs: NhsRule::Warn };
    vault.enrol(none, by("ann")).await.unwrap();
}
