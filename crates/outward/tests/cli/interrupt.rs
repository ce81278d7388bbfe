//! Every command ends soon after Ctrl-C or SIGTERM, in the middle of its longest work, and leaves nothing behind.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::{command, folder, listing, outward, stderr};

/// How long a command works before it is stopped, and how long it may take to end. The machine may have other work.
const AT_WORK: Duration = Duration::from_millis(1500);
const SOON: Duration = Duration::from_secs(3);

/// Numbers that look random, the same on every run.
fn noise(seed: u64) -> impl FnMut(u64) -> u64 {
    let mut state = seed;
    move |below| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    }
}

/// A file of so many records and columns of numbers below a limit.
fn records(rows: usize, columns: usize, below: u64) -> String {
    let mut draw = noise(7);
    let names: Vec<String> = (0..columns).map(|at| format!("v{at}")).collect();
    let mut text = names.join(",") + "\n";
    for _ in 0..rows {
        let values: Vec<String> = (0..columns).map(|_| draw(below).to_string()).collect();
        text += &(values.join(",") + "\n");
    }
    text
}

/// A spec with so many keys, each with what `about` says.
fn spec(head: &str, columns: usize, about: &str, rest: &str) -> String {
    let variable = |at: usize| format!("[[variables]]\nname = \"v{at}\"\nrole = \"key\"\n{about}\n");
    let variables: String = (0..columns).map(variable).collect();
    format!("{head}\n[data]\npath = \"x.csv\"\n{variables}{rest}")
}

/// Starts a command, stops it by a signal while it works, and holds it to what is promised.
fn stopped(folder: &Path, args: &[&str], signal: &str) {
    let before = listing(folder);
    let mut running = command(folder, args).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    std::thread::sleep(AT_WORK);
    assert!(running.try_wait().unwrap().is_none(), "{args:?}: the work is too short to be stopped");
    let start = Instant::now();
    assert!(Command::new("kill").args([signal, &running.id().to_string()]).status().unwrap().success());
    while running.try_wait().unwrap().is_none() && start.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(10));
    }
    let took = start.elapsed();
    if running.try_wait().unwrap().is_none() {
        running.kill().unwrap();
    }
    let output = running.wait_with_output().unwrap();
    assert!(took < SOON, "{args:?} ended {took:?} after {signal}");
    assert_eq!(output.status.code(), Some(2), "{args:?}: {}", stderr(&output));
    assert!(stderr(&output).contains("stopped"), "{args:?}: {}", stderr(&output));
    assert_eq!(listing(folder), before, "{args:?} leaves nothing");
}

/// A folder with a file and a spec whose search for a plan takes minutes.
fn long_search() -> tempfile::TempDir {
    let folder = folder();
    let widths = "type = \"integer\"\nhierarchy = { widths = [2, 4, 8, 16, 32] }";
    std::fs::write(folder.path().join("x.csv"), records(20_000, 14, 60)).unwrap();
    std::fs::write(folder.path().join("s.toml"), spec("[policy]\nk = 5", 14, widths, "")).unwrap();
    folder
}

#[test]
fn the_first_interrupt_ends_a_search_for_a_plan_with_the_best_so_far() {
    let folder = long_search();
    let args = ["plan", "s.toml", "--only-best", "--out", "planned.toml", "--format", "json"];
    let running = command(folder.path(), &args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    std::thread::sleep(2 * AT_WORK);
    let start = Instant::now();
    assert!(Command::new("kill").args(["-INT", &running.id().to_string()]).status().unwrap().success());
    let output = running.wait_with_output().unwrap();
    assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let found = super::json(&output);
    assert!(found["stopped"] == true && found["finished"] == false, "{found}");
    assert!(found["bound"].as_f64().unwrap() <= found["best"]["loss"].as_f64().unwrap());
    assert!(found["why"].as_str().unwrap().contains("the search was stopped"), "{found}");
    assert!(folder.path().join("planned.toml").exists(), "the best so far is written");
}

#[test]
fn a_search_with_a_time_limit_ends_by_itself_with_other_candidates_too() {
    let folder = long_search();
    let start = Instant::now();
    let output = outward(folder.path(), &["plan", "s.toml", "--time", "4", "--format", "json"]);
    assert!(start.elapsed() < Duration::from_secs(60), "{:?}", start.elapsed());
    let found = super::json(&output);
    assert_eq!(found["stopped"], true);
    assert!(found["frontier"].as_array().unwrap().len() > 1, "{found}");
    let refused = outward(folder.path(), &["plan", "s.toml", "--time", "0"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(stderr(&refused).contains("write a number of seconds above 0"), "{}", stderr(&refused));
}

#[test]
fn a_search_for_special_uniques_is_stopped() {
    let folder = folder();
    std::fs::write(folder.path().join("x.csv"), records(20_000, 24, 3)).unwrap();
    std::fs::write(folder.path().join("s.toml"), spec("", 24, "", "")).unwrap();
    stopped(folder.path(), &["assess", "s.toml", "--suda", "--report", "r.html"], "-INT");
}

#[test]
fn a_suppression_of_cells_is_stopped_and_leaves_no_hidden_folder() {
    let folder = folder();
    let last = "[[steps]]\ndo = \"suppress-cells\"\n";
    std::fs::write(folder.path().join("x.csv"), records(40_000, 16, 6)).unwrap();
    let text = spec("missing = \"wildcard\"\n[policy]\nk = 3", 16, "", last);
    std::fs::write(folder.path().join("s.toml"), text).unwrap();
    stopped(folder.path(), &["protect", "s.toml", "--out", "bundle"], "-TERM");
}

#[test]
fn a_protection_of_tables_is_stopped() {
    let folder = folder();
    std::fs::write(folder.path().join("x.csv"), records(60_000, 4, 15)).unwrap();
    let table = "[[tables]]\nname = \"all\"\nvariables = [\"v0\", \"v1\", \"v2\", \"v3\"]\n[protection]\nmethod = \"suppress\"\n";
    std::fs::write(folder.path().join("s.toml"), spec("[policy]\nname = \"gss-tables\"", 4, "", table)).unwrap();
    stopped(folder.path(), &["table", "s.toml", "--out", "bundle"], "-INT");
}

#[test]
fn a_verification_is_stopped() {
    let folder = folder();
    std::fs::write(folder.path().join("x.csv"), records(2_000, 26, 2)).unwrap();
    std::fs::write(folder.path().join("s.toml"), spec("[policy]\nk = 1", 26, "", "")).unwrap();
    let made = outward(folder.path(), &["protect", "s.toml", "--out", "bundle"]);
    assert_eq!(made.status.code(), Some(0), "{}", stderr(&made));
    // A policy that asks for all tables of 8 of 26 keys, a million and a half.
    let manifest = folder.path().join("bundle/manifest.json");
    let text = std::fs::read_to_string(&manifest).unwrap();
    let asks = text.replacen("\"all_combinations\": null", "\"all_combinations\": { \"keys\": 8, \"k\": 1 }", 1);
    assert_ne!(text, asks);
    std::fs::write(&manifest, asks).unwrap();
    stopped(folder.path(), &["verify", "bundle"], "-INT");
}
