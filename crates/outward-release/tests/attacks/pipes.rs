//! A pipe in place of a file never ends, and nobody must wait for it.

use std::path::Path;
use std::process::Command;
use std::sync::mpsc;
use std::time::Duration;

use outward_release::verify::Options;
use outward_release::{Outcome, Verification, verify};
use outward_spec::Result;

use outward_fixtures::records::{Case, WrittenBundle};

fn release() -> WrittenBundle {
    Case::new("[policy]\nk = 2\n[[variables]]\nname = \"sex\"\nrole = \"key\"\n", "sex\nF\nF\nM\nM\n").make()
}

/// The answer of a verification, which must come.
fn answer(bundle: &Path) -> Result<Verification> {
    let (send, receive) = mpsc::channel();
    let bundle = bundle.to_owned();
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Runtime::new().unwrap();
        send.send(runtime.block_on(verify(&bundle, &Options::default())))
    });
    receive.recv_timeout(Duration::from_secs(20)).expect("verify waits for a pipe")
}

/// Puts a pipe that nobody writes to in place of a file.
fn pipe(made: &WrittenBundle, path: &str) {
    std::fs::remove_file(made.path(path)).unwrap();
    assert!(Command::new("mkfifo").arg(made.path(path)).status().unwrap().success());
}

#[test]
fn a_pipe_in_place_of_a_file_fails_and_is_not_waited_for() {
    for path in ["spec.toml", "report.html", "public/data.csv", "public/statement.md", "public/dictionary.csv"] {
        let made = release();
        assert_eq!(answer(&made.bundle).unwrap().outcome(), Outcome::Holds);
        pipe(&made, path);
        let checks = answer(&made.bundle).unwrap();
        assert_eq!(checks.outcome(), Outcome::Fails);
        let named = checks.with(Outcome::Fails).flat_map(|check| &check.places).any(|place| place.file == path);
        assert!(named, "{path}: {checks:#?}");
    }
}

#[test]
fn a_pipe_in_place_of_the_manifest_is_an_error_and_is_not_waited_for() {
    let made = release();
    pipe(&made, "manifest.json");
    let error = answer(&made.bundle).unwrap_err();
    assert!(error.to_string().contains("no ordinary file") && error.help().is_some(), "{error}");
}
