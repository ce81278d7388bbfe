//! What the register promises, on SQLite and on PostgreSQL by the same tests.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::process::Command;
use std::time::Duration;

use outward_ledger::chain::hash_of_text;
use outward_register::{Actor, Exception, Register, State, Submission, TableEntry};
use outward_spec::Error;
use sqlx::{AnyConnection, AssertSqlSafe, Connection, Executor};
use tokio::runtime::Runtime;

const AT: &str = "2026-11-18T12:00:00Z";

fn by(name: &str) -> Actor<'_> {
    Actor { name, at: AT }
}

fn table(name: &str, sources: &[&str], hidden: i64) -> TableEntry {
    TableEntry {
        name: name.to_owned(),
        unit: "people".to_owned(),
        measure: "count".to_owned(),
        method: "suppress".to_owned(),
        cells: 9,
        hidden,
        sources: sources.iter().map(|source| (*source).to_owned()).collect(),
        ..TableEntry::default()
    }
}

fn submission(title: &str, approvals: i64, tables: Vec<TableEntry>) -> Submission {
    Submission {
        dataset: "people.csv".to_owned(),
        data_sha256: "d".repeat(64),
        title: title.to_owned(),
        kind: "tables".to_owned(),
        requester: "a newspaper".to_owned(),
        purpose: "an article".to_owned(),
        policy: ["gss-tables".to_owned(), "1".to_owned(), "medium".to_owned()],
        approvals,
        bundle_hash: hash_of_text(title),
        manifest: "{}".to_owned(),
        files: vec![("public/tables.json".to_owned(), format!("{{\"of\": \"{title}\"}}"))],
        tables,
    }
}

fn said(error: Error) -> String {
    format!("{error} {}", error.help().unwrap_or_default())
}

async fn open(url: &str) -> Register {
    Register::open(url, true).await.unwrap()
}

/// Submits, approves and releases.
async fn publish(register: &mut Register, title: &str, tables: Vec<TableEntry>) -> i64 {
    let id = register.submit(by("ann"), &submission(title, 1, tables), None).await.unwrap();
    register.make_move(by("bob"), id, "approve", "").await.unwrap();
    let release = register.release(id).await.unwrap();
    let related: Vec<i64> = register.related_to(&release).await.unwrap().iter().map(|other| other.id).collect();
    register.make_public(by("ann"), id, &hash_of_text(title), &related).await.unwrap();
    id
}

async fn raw(url: &str, statement: &str) {
    let url = url.strip_prefix("sqlite:").map_or_else(|| url.to_owned(), |file| format!("sqlite:{file}?mode=rwc"));
    let mut connection = AnyConnection::connect(&url).await.unwrap();
    connection.execute(AssertSqlSafe(statement.to_owned())).await.unwrap();
}

async fn two_people_approve_and_nobody_approves_their_own_or_twice(url: &str) {
    let mut register = open(url).await;
    let id = register.submit(by("ann"), &submission("a", 2, Vec::new()), None).await.unwrap();
    let own = said(register.make_move(by("ann"), id, "approve", "").await.unwrap_err());
    assert!(own.contains("ann may not") && own.contains("someone other than the author"), "{own}");
    assert_eq!(register.make_move(by("bob"), id, "approve", "").await.unwrap(), State::UnderReview);
    assert_eq!(
        register.make_move(by("Bob "), id, "approve", "").await.unwrap(),
        State::UnderReview,
        "one person counts once"
    );
    assert!(register.make_public(by("bob"), id, &hash_of_text("a"), &[]).await.is_err());
    assert_eq!(register.make_move(by("cyd"), id, "approve", "").await.unwrap(), State::Approved);
    assert_eq!(register.file(id).await.unwrap().approved_by(), ["bob", "cyd"]);
    assert_eq!(register.make_public(by("ann"), id, &hash_of_text("a"), &[]).await.unwrap(), State::Released);
    assert_eq!(
        register.make_public(by("ann"), id, &hash_of_text("a"), &[]).await.unwrap(),
        State::Released,
        "twice is once"
    );
    let entries = register.entries(0, 100).await.unwrap();
    assert_eq!(entries.iter().filter(|entry| entry.action == "release").count(), 1);
}

async fn what_cannot_be_done_is_told_and_changes_nothing(url: &str) {
    let mut register = open(url).await;
    let unknown = said(register.make_move(by("bob"), 7, "approve", "").await.unwrap_err());
    assert!(unknown.contains("no release 7") && unknown.contains("register list"), "{unknown}");
    let id = register.submit(by("ann"), &submission("a", 1, Vec::new()), None).await.unwrap();
    let state = said(register.make_move(by("bob"), id, "withdraw", "late").await.unwrap_err());
    assert!(state.contains("is submitted: withdraw is not possible") && state.contains("review"), "{state}");
    let reason = said(register.make_move(by("bob"), id, "refuse", " ").await.unwrap_err());
    assert!(reason.contains("a reason is needed"), "{reason}");
    assert_eq!(
        register.release(id).await.unwrap().state,
        State::Submitted,
        "the review that was begun is taken back too"
    );
    assert!(register.make_move(by(" "), id, "review", "").await.is_err());
    assert_eq!(register.entries(0, 100).await.unwrap().len(), 1);
    assert!(register.audit().await.unwrap().is_ok());
}

async fn a_changed_bundle_needs_a_new_review(url: &str) {
    let mut register = open(url).await;
    let id = register.submit(by("ann"), &submission("a", 1, Vec::new()), None).await.unwrap();
    assert_eq!(register.submit(by("ann"), &submission("a", 1, Vec::new()), None).await.unwrap(), id, "the same bundle");
    register.make_move(by("bob"), id, "approve", "").await.unwrap();
    let early = said(register.submit(by("ann"), &submission("b", 1, Vec::new()), Some(id)).await.unwrap_err());
    assert!(early.contains("is approved"), "{early}");
    register.make_move(by("bob"), id, "return", "a row too many").await.unwrap();
    let again = register.submit(by("ann"), &submission("b", 1, vec![table("t", &["age"], 0)]), Some(id)).await.unwrap();
    assert_eq!(again, id);
    let file = register.file(id).await.unwrap();
    assert_eq!((file.release.state, file.approved_by().len(), file.tables.len()), (State::Submitted, 0, 1));
    assert_eq!(file.release.bundle_hash, hash_of_text("b"));
    assert_eq!(file.decisions.len(), 2, "what was decided on the first bundle stays on file");
}

async fn whoever_touches_the_log_is_found_out(url: &str) {
    let mut register = open(url).await;
    for title in ["a", "b", "c", "d"] {
        register.submit(by("ann"), &submission(title, 1, Vec::new()), None).await.unwrap();
    }
    assert_eq!(register.audit().await.unwrap().unwrap().0, 4);
    raw(url, "update log set actor = 'eve' where number = 3").await;
    assert_eq!(register.audit().await.unwrap().unwrap_err().number, 3);
    raw(url, "update log set actor = 'ann' where number = 3").await;
    assert!(register.audit().await.unwrap().is_ok());
    raw(url, "delete from log where number = 4").await;
    assert_eq!(register.audit().await.unwrap().unwrap_err().number, 4);
}

async fn a_release_that_was_changed_beside_the_log_is_found_out(url: &str) {
    let mut register = open(url).await;
    for title in ["a", "b"] {
        let tables = if title == "a" { vec![table("t", &["age"], 0)] } else { Vec::new() };
        register.submit(by("ann"), &submission(title, 1, tables), None).await.unwrap();
    }
    register.make_move(by("bob"), 1, "refuse", "too small a place").await.unwrap();
    let exception = Exception {
        rule: "differencing".to_owned(),
        scope: "this release only".to_owned(),
        reason: "the village is empty".to_owned(),
        approver: "bob".to_owned(),
        expires: "2027-01-01".to_owned(),
        at: AT.to_owned(),
        bundle_hash: String::new(),
    };
    register.add_exception(by("bob"), 2, &exception).await.unwrap();
    assert!(register.audit().await.unwrap().is_ok());
    let tampered = [
        (
            "update releases set state = 'released' where id = 1",
            "update releases set state = 'refused' where id = 1",
            4,
            "state",
        ),
        ("update releases set bundle_hash = 'x' where id = 2", "", 5, "bundle"),
        ("update files set content = '{}' where release_id = 2", "", 5, "what was entered"),
        (
            "update releases set author = 'eve' where id = 1",
            "update releases set author = 'ann' where id = 1",
            4,
            "what was entered",
        ),
        (
            "update releases set approvals = 0 where id = 2",
            "update releases set approvals = 1 where id = 2",
            5,
            "what was entered",
        ),
        ("update versions set sha256 = 'x'", "", 4, "what was entered"),
        ("update tables set name = 'other'", "update tables set name = 't'", 4, "what was entered"),
        ("delete from table_variables where source = 'age'", "", 4, "what was entered"),
        (
            "update decisions set actor = 'eve' where release_id = 1",
            "update decisions set actor = 'bob' where release_id = 1",
            4,
            "decisions",
        ),
        (
            "update exceptions set expires = '2099-01-01'",
            "update exceptions set expires = '2027-01-01'",
            5,
            "exceptions",
        ),
    ];
    let whole = submission("b", 1, Vec::new());
    for (change, back, number, what) in tampered {
        raw(url, change).await;
        let broken = register.audit().await.unwrap().unwrap_err();
        assert_eq!(broken.number, number, "{change}");
        assert!(broken.what.contains(what), "{change}: {}", broken.what);
        match what {
            "bundle" => {
                raw(url, &format!("update releases set bundle_hash = '{}' where id = 2", whole.bundle_hash)).await
            }
            _ if change.contains("files") => {
                raw(url, &format!("update files set content = '{}' where release_id = 2", whole.files[0].1)).await;
            }
            _ if change.contains("versions") => {
                raw(url, &format!("update versions set sha256 = '{}'", whole.data_sha256)).await;
            }
            _ if change.contains("table_variables") => {
                raw(url, "insert into table_variables (dataset, source, release_id, position) values (1, 'age', 1, 0)")
                    .await;
            }
            _ => raw(url, back).await,
        }
        assert!(register.audit().await.unwrap().is_ok(), "{change} was taken back");
    }
    raw(url, "delete from exceptions").await;
    raw(url, "delete from files where release_id = 2").await;
    raw(url, "delete from releases where id = 2").await;
    let broken = register.audit().await.unwrap().unwrap_err();
    assert!(broken.number == 5 && broken.what.contains("release 2, which the register has lost"), "{}", broken.what);
}

async fn a_draft_is_its_authors_until_they_submit_it(url: &str) {
    let mut register = open(url).await;
    let id = register.draft(by("ann"), &submission("a", 1, Vec::new()), None).await.unwrap();
    assert_eq!(register.release(id).await.unwrap().state, State::Draft);
    let early = said(register.make_move(by("bob"), id, "approve", "").await.unwrap_err());
    assert!(early.contains("is draft") && early.contains("ann has to submit it first"), "{early}");
    assert!(register.draft(by("bob"), &submission("b", 1, Vec::new()), Some(id)).await.is_err(), "it is not bob's");
    let again = register.draft(by("ann"), &submission("b", 1, Vec::new()), Some(id)).await.unwrap();
    assert_eq!((again, register.release(id).await.unwrap().bundle_hash), (id, hash_of_text("b")));
    let other = said(register.submit(by("bob"), &submission("b", 1, Vec::new()), None).await.unwrap_err());
    assert!(other.contains("ann's draft"), "{other}");
    assert_eq!(register.release(id).await.unwrap().state, State::Draft);
    register.submit(by("ann"), &submission("b", 1, Vec::new()), None).await.unwrap();
    assert_eq!(register.release(id).await.unwrap().state, State::Submitted);
    let late = register.draft(by("ann"), &submission("c", 1, Vec::new()), Some(id)).await.unwrap_err();
    assert!(said(late).contains("submitted"), "a frozen bundle does not become a draft again");
    assert!(register.audit().await.unwrap().is_ok());
}

async fn a_register_of_a_newer_version_is_left_alone(url: &str) {
    drop(open(url).await);
    raw(url, "insert into outward_register (version) values (99)").await;
    let newer = said(Register::open(url, true).await.unwrap_err());
    assert!(newer.contains("newer version of Outward"), "{newer}");
}

async fn records_are_related_to_all_public_records_of_their_data_and_wait_for_what_went_out(url: &str) {
    let mut register = open(url).await;
    publish(&mut register, "tables", vec![table("t", &["age", "(total)"], 0)]).await;
    let mut ids = Vec::new();
    for title in ["first", "second", "other"] {
        let dataset = if title == "other" { "others.csv" } else { "people.csv" };
        let records = Submission {
            kind: "records".to_owned(),
            dataset: dataset.to_owned(),
            data_sha256: hash_of_text(dataset),
            ..submission(title, 0, Vec::new())
        };
        ids.push(register.submit(by("ann"), &records, None).await.unwrap());
    }
    let second = register.release(ids[1]).await.unwrap();
    assert_eq!(register.related_to(&second).await.unwrap(), [], "the first is not public yet");
    for id in [ids[0], ids[2]] {
        let bundle = register.release(id).await.unwrap().bundle_hash;
        register.make_public(by("ann"), id, &bundle, &[]).await.unwrap();
    }
    let stopped = said(register.make_public(by("ann"), ids[1], &second.bundle_hash, &[]).await.unwrap_err());
    assert!(stopped.contains(&format!("release {} became public while this one was checked", ids[0])), "{stopped}");
    let related: Vec<i64> = register.related_to(&second).await.unwrap().iter().map(|release| release.id).collect();
    assert_eq!(related, [ids[0]], "neither tables nor other data");
    register.make_public(by("ann"), ids[1], &second.bundle_hash, &related).await.unwrap();
}

async fn tables_are_related_by_columns_and_through_tables_that_hide_something(url: &str) {
    let mut register = open(url).await;
    let shows = publish(&mut register, "shows", vec![table("t", &["age", "area"], 0)]).await;
    let hides = publish(&mut register, "hides", vec![table("t", &["area", "job"], 4)]).await;
    let beyond = publish(&mut register, "beyond", vec![table("t", &["job", "sex"], 0)]).await;
    let alone = publish(&mut register, "alone", vec![table("t", &["illness"], 0)]).await;
    let total = publish(&mut register, "total", vec![table("t", &["colour", "(total)"], 1)]).await;
    let mut ids = async |sources: &[&str]| -> Vec<i64> {
        let sources: Vec<String> = sources.iter().map(|source| (*source).to_owned()).collect();
        register.related("people.csv", &sources).await.unwrap().iter().map(|release| release.id).collect()
    };
    assert_eq!(ids(&["age"]).await, [shows], "a table that hides nothing passes nothing on");
    assert_eq!(ids(&["area"]).await, [shows, hides, beyond], "`job` follows from the table that hides cells");
    assert_eq!(ids(&["illness"]).await, [alone]);
    assert_eq!(ids(&["(total)"]).await, [total]);
    assert!(ids(&["height"]).await.is_empty());
    assert!(register.related("other.csv", &["age".to_owned()]).await.unwrap().is_empty());
}

async fn a_release_is_stopped_where_another_went_out_since_it_was_checked(url: &str) {
    let mut register = open(url).await;
    let waiting = register.submit(by("ann"), &submission("w", 0, vec![table("t", &["age"], 0)]), None).await.unwrap();
    let first = publish(&mut register, "first", vec![table("t", &["age"], 0)]).await;
    let late = said(register.make_public(by("ann"), waiting, &hash_of_text("w"), &[]).await.unwrap_err());
    assert!(late.contains(&format!("release {first} became public while")), "{late}");
    assert_eq!(register.make_public(by("ann"), waiting, &hash_of_text("w"), &[first]).await.unwrap(), State::Released);
    register.make_move(by("bob"), first, "withdraw", "a mistake in it").await.unwrap();
    let related = register.related("people.csv", &["age".to_owned()]).await.unwrap();
    assert_eq!(related.len(), 2, "what was withdrawn stays known");
}

async fn exceptions_have_an_end_and_are_not_approved_by_the_author(url: &str) {
    let mut register = open(url).await;
    let id = register.submit(by("ann"), &submission("a", 1, Vec::new()), None).await.unwrap();
    let exception = |approver: &str, reason: &str| Exception {
        rule: "intruder-test".to_owned(),
        scope: "this release only".to_owned(),
        reason: reason.to_owned(),
        approver: approver.to_owned(),
        expires: "2026-12-31".to_owned(),
        at: AT.to_owned(),
        bundle_hash: String::new(),
    };
    assert!(register.add_exception(by("ann"), id, &exception("ann", "a test was made")).await.is_err());
    assert!(register.add_exception(by("bob"), id, &exception("bob", "ok")).await.is_err(), "one word is no reason");
    register.add_exception(by("bob"), id, &exception("bob", "tested last year, same keys")).await.unwrap();
    let held = &register.file(id).await.unwrap().exceptions[0];
    assert!(held.holds_at("2026-12-31T23:59:59Z") && !held.holds_at("2027-01-01T00:00:00Z"));
}

/// Writers in processes of their own lose no release and make none twice.
async fn many_writers_lose_nothing_and_double_nothing(url: &str) {
    drop(open(url).await);
    let writers: Vec<_> = (0..4).map(|writer| writer_process(url, writer, 12).spawn().unwrap()).collect();
    for mut writer in writers {
        assert!(writer.wait().unwrap().success());
    }
    let mut register = open(url).await;
    let releases = register.releases().await.unwrap();
    // Each writer has eleven bundles of its own, and all have one in common.
    assert_eq!(releases.len(), 4 * 11 + 1);
    assert_eq!(register.audit().await.unwrap().unwrap().0, 4 * 11 + 1);
}

/// A writer that is killed leaves whole releases and a whole log.
async fn a_killed_writer_leaves_whole_releases(url: &str) {
    drop(open(url).await);
    for round in 0..8 {
        let mut writer = writer_process(url, 100 + round, 2_000).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(60 + 37 * round));
        writer.kill().unwrap();
        writer.wait().unwrap();
    }
    let mut register = open(url).await;
    let (entries, _) = register.audit().await.unwrap().unwrap();
    let releases = register.releases().await.unwrap();
    assert_eq!(entries as usize, releases.len());
    assert!(releases.len() > 8, "the writers were killed before they wrote: {}", releases.len());
    for release in releases {
        let file = register.file(release.id).await.unwrap();
        assert_eq!((file.tables.len(), register.files(release.id).await.unwrap().len()), (2, 1));
    }
}

const REGISTER: &str = "OUTWARD_TEST_REGISTER";
const WRITER: &str = "OUTWARD_TEST_WRITER";
const BUNDLES: &str = "OUTWARD_TEST_BUNDLES";

fn writer_process(url: &str, writer: u64, bundles: u64) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--ignored", "--exact", "writes_bundles"]).env(REGISTER, url).stdout(std::process::Stdio::null());
    command.env(WRITER, writer.to_string()).env(BUNDLES, bundles.to_string());
    command
}

/// What a process of its own does.
#[test]
#[ignore = "run by other tests"]
fn writes_bundles() {
    let said = |name: &str| std::env::var(name).unwrap();
    let (url, writer, bundles): (String, u64, u64) =
        (said(REGISTER), said(WRITER).parse().unwrap(), said(BUNDLES).parse().unwrap());
    Runtime::new().unwrap().block_on(async {
        let mut register = open(&url).await;
        for bundle in 0..bundles {
            let title = if bundle == 0 { "common".to_owned() } else { format!("{writer} {bundle}") };
            let tables = vec![table("t", &["age"], 0), table("u", &["area"], 0)];
            register.submit(by("ann"), &submission(&title, 1, tables), None).await.unwrap();
        }
    });
}

async fn a_register_that_another_process_holds_is_said_to_be_locked(url: &str) {
    let mut register = open(url).await;
    let id = register.submit(by("ann"), &submission("a", 1, Vec::new()), None).await.unwrap();
    let whole = url.strip_prefix("sqlite:").map_or_else(|| url.to_owned(), |file| format!("sqlite:{file}?mode=rwc"));
    let mut other = AnyConnection::connect(&whole).await.unwrap();
    for statement in ["begin", "update head set entries = entries where id = 1"] {
        other.execute(statement).await.unwrap();
    }
    let locked = said(register.make_move(by("bob"), id, "approve", "").await.unwrap_err());
    assert!(locked.contains("is locked by another process") && locked.contains("nothing was changed"), "{locked}");
    other.execute("rollback").await.unwrap();
    assert_eq!(register.release(id).await.unwrap().state, State::Submitted);
    assert_eq!(register.make_move(by("bob"), id, "approve", "").await.unwrap(), State::Approved);
}

/// A test for each promise on SQLite, and one for all of them on a PostgreSQL server.
macro_rules! on_both {
    ($($fact:ident),* $(,)?) => {
        mod on_sqlite {
            $(
                #[test]
                fn $fact() {
                    sqlx::any::install_default_drivers();
                    let folder = tempfile::tempdir().unwrap();
                    let url = format!("sqlite:{}", folder.path().join("register.db").display());
                    super::Runtime::new().unwrap().block_on(super::$fact(&url));
                }
            )*
        }

        mod needs_postgresql {
            use super::*;

            #[test]
            fn all_that_holds_on_sqlite_holds_on_postgresql() {
                sqlx::any::install_default_drivers();
                let server = outward_testing::postgres::Server::start();
                let address = server.address(outward_testing::postgres::PASSWORD);
                let runtime = Runtime::new().unwrap();
                for (number, fact) in [$(stringify!($fact)),*].iter().enumerate() {
                    println!("{number}: {fact}");
                    runtime.block_on(raw(&address, &format!("create database register_{number}")));
                }
                let mut databases = 0..;
                $(
                    let database = databases.next().unwrap();
                    let url = format!("{}/register_{database}", address.trim_end_matches("/postgres"));
                    runtime.block_on($fact(&url));
                )*
            }
        }
    };
}

on_both! {
    two_people_approve_and_nobody_approves_their_own_or_twice,
    what_cannot_be_done_is_told_and_changes_nothing,
    a_changed_bundle_needs_a_new_review,
    whoever_touches_the_log_is_found_out,
    a_release_that_was_changed_beside_the_log_is_found_out,
    a_draft_is_its_authors_until_they_submit_it,
    a_register_of_a_newer_version_is_left_alone,
    a_register_that_another_process_holds_is_said_to_be_locked,
    records_are_related_to_all_public_records_of_their_data_and_wait_for_what_went_out,
    tables_are_related_by_columns_and_through_tables_that_hide_something,
    a_release_is_stopped_where_another_went_out_since_it_was_checked,
    exceptions_have_an_end_and_are_not_approved_by_the_author,
    many_writers_lose_nothing_and_double_nothing,
    a_killed_writer_leaves_whole_releases,
}
