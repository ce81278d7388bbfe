//! A bundle that is written keeps its promises, as the verification judges. A release that is refused leaves no files.

use std::sync::atomic::{AtomicU32, Ordering};

use outward_release::Outcome;
use outward_release::verify::Options;
use outward_spec::{Error, Source};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestCaseError, TestRunner};

use super::case::{Case, REGIONS, case};
use outward_fixtures::csv::CsvFile;
use outward_fixtures::desk::Desk;
use outward_testing::random_cases::numbers;

/// A thousand specs, on several threads.
const CASES: u32 = 1000;
const THREADS: u8 = 4;

/// What came of a case.
enum Came {
    Written,
    NotMet,
    Refused,
}

#[test]
fn of_a_thousand_random_specs_whatever_is_written_is_verified_and_whatever_is_not_leaves_nothing() {
    let counts = [const { AtomicU32::new(0) }; 3];
    let run = |thread: u8| {
        let cases = CASES / u32::from(THREADS);
        let config = Config { cases, failure_persistence: None, max_shrink_iters: 200, ..Config::default() };
        let result = TestRunner::new_with_rng(config, numbers(thread)).run(&case(), |case| {
            counts[try_case(&case)? as usize].fetch_add(1, Ordering::Relaxed);
            Ok(())
        });
        result.map_err(|error| error.to_string())
    };
    let results: Vec<Result<(), String>> = std::thread::scope(|scope| {
        let run = &run;
        let running: Vec<_> = (1..=THREADS).map(|thread| scope.spawn(move || run(thread))).collect();
        running.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let [written, not_met, refused] = counts.map(AtomicU32::into_inner);
    let wrong: Vec<String> = results.into_iter().filter_map(Result::err).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    // Cases that are never written would show nothing.
    let came = format!("{written} were written, {not_met} did not meet their policy, {refused} were refused");
    assert!(written * 5 >= CASES, "{came}");
    eprintln!("{came}");
}

fn try_case(case: &Case) -> Result<Came, TestCaseError> {
    let desk = Desk::with_files(case.spec.clone(), &[("people.csv", &case.csv()), ("regions.csv", REGIONS)]);
    let before = desk.listing();
    match desk.protect_as("bundle", 2, None) {
        Err(error) => {
            prop_assert!(!matches!(error, Error::Bug(_)), "{error}");
            prop_assert_eq!(desk.listing(), before);
            Ok(Came::Refused)
        }
        Ok(protected) if !protected.written => {
            prop_assert!(protected.manifest.failing().next().is_some());
            prop_assert_eq!(desk.listing(), before);
            Ok(Came::NotMet)
        }
        Ok(_) => {
            must_hold(&desk, &case.spec)?;
            in_source_order(&desk, &case.spec)?;
            Ok(Came::Written)
        }
    }
}

fn must_hold(desk: &Desk, spec: &str) -> Result<(), TestCaseError> {
    let population = spec.contains("[population]").then(|| Source::file(desk.path("people.csv")));
    let verification = desk.verify_as("bundle", &Options { population, threads: 1 });
    for check in &verification.checks {
        // A step that rewrote a variable may leave nothing to compare its hierarchy or the population with. And if no
        // share of the population is known, nobody can say who is alone in it.
        let may_be_open = ["t (illness)", "k-map", "presence", "population uniques"].contains(&check.name.as_str());
        let good = check.outcome == Outcome::Holds || (check.outcome == Outcome::CannotTell && may_be_open);
        prop_assert!(good, "{}: {:?}, {}", check.name, check.outcome, check.says);
    }
    Ok(())
}

/// A swap or a shuffle puts the records into a random order, so that their neighbours do not tell where they come from.
fn in_source_order(desk: &Desk, spec: &str) -> Result<(), TestCaseError> {
    let path = desk.path("bundle/public/data.csv");
    if path.exists() && !spec.contains("do = \"swap\"") && !spec.contains("do = \"shuffle\"") {
        let table = CsvFile::read(&path);
        prop_assert!(table.in_order("form"));
    }
    Ok(())
}
