//! What is left in a register where its connection is lost before any one of the statements of a change: on both databases nothing at all.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use outward_ledger::chain::hash_of_text;
use outward_ledger::lose_connection_after;
use outward_register::{Actor, Exception, File, Register, Request, Submission, TableEntry};
use outward_spec::Result;
use tokio::runtime::Runtime;

fn by(name: &str) -> Actor<'_> {
    Actor { name, at: "2026-11-18T12:00:00Z" }
}

fn submission(title: &str, approvals: i64) -> Submission {
    let table = |name: &str| TableEntry {
        name: name.to_owned(),
        unit: "people".to_owned(),
        measure: "count".to_owned(),
        method: "suppress".to_owned(),
        cells: 9,
        sources: vec!["age".to_owned(), "area".to_owned()],
        ..TableEntry::default()
    };
    Submission {
        dataset: "people.csv".to_owned(),
        data_sha256: "d".repeat(64),
        title: title.to_owned(),
        kind: "tables".to_owned(),
        requester: "a newspaper".to_owned(),
        purpose: "an article".to_owned(),
        policy: ["gss-tables", "1", "medium"].map(str::to_owned),
        approvals,
        bundle_hash: hash_of_text(title),
        manifest: "{}".to_owned(),
        files: vec![("public/tables.json".to_owned(), "{}".to_owned()), ("spec.toml".to_owned(), String::new())],
        tables: vec![table("t"), table("u")],
    }
}

/// A change to a register in which releases 1 (submitted) and 2 (approved) are.
#[derive(Debug, Clone, Copy)]
enum Change {
    Submit,
    Replace,
    Approve,
    Withdraw,
    Release,
    Except,
    Check,
    Look,
}

const CHANGES: [Change; 8] = [
    Change::Submit,
    Change::Replace,
    Change::Approve,
    Change::Withdraw,
    Change::Release,
    Change::Except,
    Change::Check,
    Change::Look,
];

impl Change {
    async fn carry_out(self, register: &mut Register) -> Result<()> {
        match self {
            Self::Submit => register.submit(by("ann"), &submission("new", 1), None).await.map(|_| ()),
            Self::Replace => register.submit(by("ann"), &submission("changed", 1), Some(3)).await.map(|_| ()),
            Self::Approve => register.make_move(by("bob"), 1, "approve", "").await.map(|_| ()),
            Self::Withdraw => register.make_move(by("bob"), 4, "withdraw", "a mistake in it").await.map(|_| ()),
            Self::Release => register.make_public(by("ann"), 2, &hash_of_text("approved"), &[4]).await.map(|_| ()),
            Self::Except => {
                let exception = Exception {
                    rule: "differencing".to_owned(),
                    scope: "this release only".to_owned(),
                    reason: "the village is empty".to_owned(),
                    approver: "bob".to_owned(),
                    expires: "2027-01-01".to_owned(),
                    at: by("bob").at.to_owned(),
                    bundle_hash: String::new(),
                };
                register.add_exception(by("bob"), 1, &exception).await
            }
            Self::Check => {
                let request = Request {
                    dataset: "others.csv".to_owned(),
                    requester: "a newspaper".to_owned(),
                    spec_sha256: hash_of_text("spec"),
                    tables: vec!["t".to_owned()],
                    at: by("ann").at.to_owned(),
                };
                register.add_request(by("ann"), &request, 1).await
            }
            Self::Look => register.tell(by("ann"), "list", "register", serde_json::json!({})).await,
        }
    }
}

async fn prepare(register: &mut Register) {
    for title in ["submitted", "approved", "returned", "released"] {
        register.submit(by("ann"), &submission(title, 1), None).await.unwrap();
    }
    register.make_move(by("bob"), 2, "approve", "").await.unwrap();
    register.make_move(by("bob"), 3, "return", "a row too many").await.unwrap();
    register.make_move(by("bob"), 4, "approve", "").await.unwrap();
    register.make_public(by("ann"), 4, &hash_of_text("released"), &[]).await.unwrap();
}

/// All that a register says: its releases with their files, its requests, and how long its log is, which has to hold.
async fn content(url: &str) -> (Vec<(File, Vec<(String, String)>)>, usize, i64) {
    let mut register = Register::open(url, false).await.unwrap();
    let (entries, _) = register.audit().await.unwrap().expect("the log holds");
    let mut releases = Vec::new();
    for release in register.releases().await.unwrap() {
        releases.push((register.file(release.id).await.unwrap(), register.files(release.id).await.unwrap()));
    }
    (releases, register.requests("others.csv").await.unwrap().len(), entries)
}

/// Loses the connection before the first, second, … statement of a change until it comes through; how many statements that are.
async fn lose_at_every_statement(url: &str, change: Change) -> usize {
    let before = content(url).await;
    for statement in 0.. {
        let mut register = Register::open(url, false).await.unwrap();
        lose_connection_after(Some(statement));
        let done = change.carry_out(&mut register).await;
        lose_connection_after(None);
        drop(register);
        let after = content(url).await;
        match done {
            Ok(()) => {
                assert_eq!(after.2 - before.2, if matches!(change, Change::Approve) { 2 } else { 1 }, "{change:?}");
                return statement;
            }
            Err(_) => assert_eq!(after, before, "{change:?} lost before statement {statement}"),
        }
    }
    0
}

async fn what_is_lost_in_the_middle_was_never_there(url: &str) {
    prepare(&mut Register::open(url, true).await.unwrap()).await;
    for change in CHANGES {
        let statements = lose_at_every_statement(url, change).await;
        assert!(statements >= 5, "{change:?} has {statements} statements");
    }
}

/// A register that is lost while it is made is made by the next who comes.
async fn a_register_is_made_whole_or_again(url: &str, again: &str) {
    for statement in 0.. {
        lose_connection_after(Some(statement));
        let made = Register::open(url, true).await;
        lose_connection_after(None);
        let is_made = made.is_ok();
        drop(made);
        if is_made {
            assert!(statement > 10, "{statement} statements make a register");
            break;
        }
    }
    assert_eq!(content(url).await, (Vec::new(), 0, 0));
    // Half made once, and then whole.
    lose_connection_after(Some(9));
    assert!(Register::open(again, true).await.is_err());
    lose_connection_after(None);
    prepare(&mut Register::open(again, true).await.unwrap()).await;
    assert_eq!(content(again).await.0.len(), 4);
}

#[test]
fn a_connection_lost_before_any_statement_leaves_a_file_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let url = |name: &str| format!("sqlite:{}", folder.path().join(name).display());
    Runtime::new().unwrap().block_on(async {
        what_is_lost_in_the_middle_was_never_there(&url("register.db")).await;
        a_register_is_made_whole_or_again(&url("new.db"), &url("again.db")).await;
    });
}

mod needs_postgresql {
    use sqlx::{AnyConnection, AssertSqlSafe, Connection, Executor};

    use super::*;

    #[test]
    fn a_connection_lost_before_any_statement_leaves_a_server_as_it_was() {
        sqlx::any::install_default_drivers();
        let server = outward_testing::postgres::Server::start();
        let address = server.address(outward_testing::postgres::PASSWORD);
        let url = |name: &str| format!("{}/{name}", address.trim_end_matches("/postgres"));
        Runtime::new().unwrap().block_on(async {
            let mut connection = AnyConnection::connect(&address).await.unwrap();
            for name in ["changes", "made", "again"] {
                connection.execute(AssertSqlSafe(format!("create database {name}"))).await.unwrap();
            }
            what_is_lost_in_the_middle_was_never_there(&url("changes")).await;
            a_register_is_made_whole_or_again(&url("made"), &url("again")).await;
        });
    }
}
