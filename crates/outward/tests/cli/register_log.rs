//! What the log of the register says of those who only read, and of those who are refused.

use std::path::Path;

use crate::tables::desk;
use crate::{command, refused, stderr, stdout};

const REGISTER: &str = "sqlite:register.db";

fn run(folder: &Path, args: &[&str]) -> std::process::Output {
    command(folder, args).env_remove("OUTWARD_REGISTER").env("OUTWARD_ACTOR", "ann").output().unwrap()
}

/// Two bundles of one table each, the first of them public.
fn a_register() -> tempfile::TempDir {
    let people = "area,sex\n".to_owned() + &"north,f\n".repeat(30) + &"south,m\n".repeat(20) + &"south,f\n".repeat(25);
    let spec = |variable: &str| {
        format!(
            "title = \"A case\"\n[data]\npath = \"people.csv\"\n[policy]\nname = \"gss-tables\"\napprovals = 1\n\
             [[variables]]\nname = \"{variable}\"\n[[tables]]\nname = \"t\"\nvariables = [\"{variable}\"]\n"
        )
    };
    let desk = desk(&[("people.csv", &people), ("a.toml", &spec("area")), ("b.toml", &spec("sex"))]);
    let folder = desk.path();
    assert_eq!(run(folder, &["table", "a.toml", "--out", "a"]).status.code(), Some(0));
    run(folder, &["register", "submit", "a", "--register", REGISTER]);
    run(folder, &["register", "approve", "1", "--register", REGISTER, "--actor", "bob"]);
    let released = run(folder, &["release", "a", "--register", REGISTER]);
    assert_eq!(released.status.code(), Some(0), "{}{}", stdout(&released), stderr(&released));
    desk
}

/// Who did what to what, of the last entry.
fn last_entry(folder: &Path) -> (String, String, String) {
    let url = format!("sqlite:{}", folder.join("register.db").display());
    tokio::runtime::Runtime::new().unwrap().block_on(async {
        let mut register = outward_register::Register::open(&url, false).await.unwrap();
        assert!(register.audit().await.unwrap().is_ok());
        let last = register.entries(0, 1_000).await.unwrap().pop().unwrap();
        (last.actor, last.action, last.details)
    })
}

fn entry(actor: &str, action: &str, details: &str) -> (String, String, String) {
    (actor.to_owned(), action.to_owned(), details.to_owned())
}

#[test]
fn whoever_lists_the_releases_is_in_the_log() {
    let desk = a_register();
    let listed = run(desk.path(), &["register", "list", "--register", REGISTER, "--actor", "cyd"]);
    assert_eq!(listed.status.code(), Some(0), "{}", stderr(&listed));
    assert_eq!(last_entry(desk.path()), entry("cyd", "list", r#"{"releases":1}"#));
}

#[test]
fn what_tables_given_the_past_are_protected_beside_is_in_the_log() {
    let desk = a_register();
    let folder = desk.path();
    std::fs::write(
        folder.join("b.toml"),
        std::fs::read_to_string(folder.join("b.toml")).unwrap().replace("\"t\"", "\"u\"")
            + "where = \"area = 'south'\"\n",
    )
    .unwrap();
    let made = run(folder, &["table", "b.toml", "--register", REGISTER, "--out", "b", "--actor", "dee"]);
    assert_eq!(made.status.code(), Some(0), "{}{}", stdout(&made), stderr(&made));
    assert_eq!(last_entry(folder), entry("dee", "table", r#"{"dataset":"people.csv","releases":[1]}"#));
}

#[test]
fn a_name_that_the_log_refuses_leaves_no_register_behind() {
    let desk = a_register();
    let folder = desk.path();
    for command in [&["register", "submit", "a"][..], &["release", "a"]] {
        for (name, why) in [("ann\nbob", "control character"), (" ", "no name was given")] {
            let named = [command, &["--register", "sqlite:other.db", "--actor", name]].concat();
            let tried = command_without_a_name(folder, &named);
            assert!(refused(&tried).contains(why), "{}", stderr(&tried));
            assert!(!folder.join("other.db").exists(), "{named:?}");
        }
    }
}

fn command_without_a_name(folder: &Path, args: &[&str]) -> std::process::Output {
    let mut command = command(folder, args);
    for variable in ["OUTWARD_REGISTER", "OUTWARD_ACTOR", "USER", "LOGNAME"] {
        command.env_remove(variable);
    }
    command.output().unwrap()
}
