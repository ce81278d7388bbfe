//! The program as its users run it. One test binary, because linking the engine takes time.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "cli/assess.rs"]
mod assess;
#[path = "cli/attack.rs"]
mod attack;
#[path = "cli/bad_input.rs"]
mod bad_input;
#[path = "cli/birthdays.rs"]
mod birthdays;
#[path = "cli/by_hand.rs"]
mod by_hand;
#[path = "cli/documents.rs"]
mod documents;
#[path = "cli/examples.rs"]
mod examples;
#[path = "cli/generate.rs"]
mod generate;
#[path = "cli/init.rs"]
mod init;
#[cfg(unix)]
#[path = "cli/interrupt.rs"]
mod interrupt;
#[path = "cli/link.rs"]
mod link;
#[path = "cli/microdata.rs"]
mod microdata;
#[path = "cli/microdata_faults.rs"]
mod microdata_faults;
#[path = "cli/places.rs"]
mod places;
#[path = "cli/real_data.rs"]
mod real_data;
#[path = "cli/register.rs"]
mod register;
#[path = "cli/register_crashes.rs"]
mod register_crashes;
#[path = "cli/register_log.rs"]
mod register_log;
#[path = "cli/register_records.rs"]
mod register_records;
#[path = "cli/register_versions.rs"]
mod register_versions;
#[path = "cli/scan.rs"]
mod scan;
#[path = "cli/tables.rs"]
mod tables;
#[path = "cli/tables_asked.rs"]
mod tables_asked;
#[path = "cli/tables_attacked.rs"]
mod tables_attacked;
#[path = "cli/tables_beside.rs"]
mod tables_beside;
#[path = "cli/tables_earlier.rs"]
mod tables_earlier;
#[path = "cli/tables_faults.rs"]
mod tables_faults;
#[path = "cli/tables_jj.rs"]
mod tables_jj;
#[path = "cli/tables_measures.rs"]
mod tables_measures;
#[path = "cli/tables_model.rs"]
mod tables_model;
#[path = "cli/tables_names.rs"]
mod tables_names;
#[path = "cli/tables_told.rs"]
mod tables_told;
#[path = "cli/vault.rs"]
mod vault;
#[path = "cli/vault_crashes.rs"]
mod vault_crashes;
#[path = "cli/vault_guarded.rs"]
mod vault_guarded;
#[path = "cli/words.rs"]
mod words;

use std::path::Path;
use std::process::{Command, Output};

/// The program, run in a folder, with nothing of the caller's terminal.
fn outward(folder: &Path, args: &[&str]) -> Output {
    command(folder, args).output().unwrap()
}

fn command(folder: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_outward"));
    command.current_dir(folder).args(args).env("NO_COLOR", "1").env("COLUMNS", "100");
    command
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// The JSON a command prints; the command may have findings.
fn json(output: &Output) -> serde_json::Value {
    assert!(matches!(output.status.code(), Some(0 | 1)), "{}", stderr(output));
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {}", stdout(output)))
}

/// What the command said on stderr, which must be why it could not run.
fn refused(output: &Output) -> String {
    let said = stderr(output);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(output.stdout.is_empty(), "nothing goes to stdout: {}", stdout(output));
    assert!(!said.contains("panicked") && !said.contains("bug in Outward"), "{said}");
    said
}

/// Names of everything in a folder.
fn listing(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

/// A small disk, mounted for a test that fills it and gone when dropped. scripts/test leaves such tests out where none can be mounted.
struct SmallDisk(std::path::PathBuf);

impl SmallDisk {
    fn mount(at: &Path, size: &str) -> Self {
        std::fs::create_dir(at).unwrap();
        let mounted =
            Command::new("mount").args(["-t", "tmpfs", "-o", &format!("size={size}"), "tmpfs"]).arg(at).status();
        assert!(mounted.unwrap().success(), "a small disk cannot be mounted here");
        Self(at.to_owned())
    }

    fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(&self.0).status();
    }
}
