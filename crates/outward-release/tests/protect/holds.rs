//! Whatever is written holds what it promises, as the verification judges; whatever is refused leaves nothing.

use std::cell::Cell;

use outward_release::Outcome;
use outward_release::verify::Options;
use outward_spec::{Error, Source};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestCaseError, TestRunner};

use super::case::{Case, REGIONS, case};
use super::{Desk, Table};

const CASES: u32 = 40;

/// What came of a case.
enum Came {
    Written,
    NotMet,
    Refused,
}

#[test]
fn whatever_is_written_is_verified_and_whatever_is_not_leaves_nothing() {
    let config = Config { cases: CASES, failure_persistence: None, max_shrink_iters: 400, ..Config::default() };
    let counts = [const { Cell::new(0u32) }; 3];
    let result = TestRunner::new(config).run(&case(), |case| {
        let came = try_case(&case)?;
        counts[came as usize].update(|count| count + 1);
        Ok(())
    });
    let [written, not_met, refused] = counts.map(Cell::into_inner);
    if let Err(error) = result {
        panic!("{error}");
    }
    // Cases that are never written would show nothing.
    assert!(
        written * 8 >= CASES,
        "{written} were written, {not_met} did not meet their policy, {refused} were refused"
    );
}

fn try_case(case: &Case) -> Result<Came, TestCaseError> {
    let desk = Desk::new(case.spec.clone(), &[("people.csv", &case.csv()), ("regions.csv", REGIONS)]);
    let before = desk.listing();
    match desk.protect("bundle", 2, None) {
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
    let verification = desk.verify("bundle", &Options { population, threads: 1 });
    for check in &verification.checks {
        // What rewrote a variable may leave nothing to compare its hierarchy or the population with, and where no share of
        // the population is known nobody can say who is alone in it.
        let may_be_open = ["t (illness)", "k-map", "population uniques"].contains(&check.name.as_str());
        let good = check.outcome == Outcome::Holds || (check.outcome == Outcome::CannotTell && may_be_open);
        prop_assert!(good, "{}: {:?}, {}", check.name, check.outcome, check.says);
    }
    Ok(())
}

/// A swap puts the records into a random order, so that their neighbours do not tell where they come from.
fn in_source_order(desk: &Desk, spec: &str) -> Result<(), TestCaseError> {
    let path = desk.path("bundle/public/data.csv");
    if path.exists() && !spec.contains("do = \"swap\"") {
        let table = Table::read(&path);
        prop_assert!(table.in_order("form"));
    }
    Ok(())
}
