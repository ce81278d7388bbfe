//! A bundle may hold any number that JSON can write; `verify` answers, and never overflows.

use std::fs;

use outward_release::verify::Options;
use outward_release::{Outcome, verify};

use super::{SPEC, bundle, bundle_of};
use outward_fixtures::bundle::Bundle;

/// Where a verification panics, whatever number stands in these files.
fn panics(bundle: &Bundle, paths: &[&str]) -> Vec<String> {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let mut wrong = Vec::new();
    for path in paths {
        let file = bundle.root().join(path);
        let text = bundle.text(path);
        let found = outward_fixtures::extremes::panics(&text, |changed| {
            fs::write(&file, changed).unwrap();
            // A manifest that cannot be read is an error, with words.
            let _ = runtime.block_on(verify(bundle.root(), &Options::default()));
        });
        fs::write(&file, text).unwrap();
        wrong.extend(found.into_iter().map(|place| format!("{path} {place}")));
    }
    wrong
}

#[test]
fn the_largest_number_as_a_figure_fails_the_check_of_figures() {
    for figure in [i64::MAX, i64::MIN, i64::MAX / 2] {
        let bundle = bundle();
        bundle.show("sexes", &["cold", "F"], figure);
        let check = bundle.failing("figures");
        assert!(check.says.contains("too large to be added up"), "{}", check.says);
    }
}

#[test]
fn figures_that_fit_one_by_one_and_not_together_are_no_overflow() {
    let bundle = bundle();
    bundle.forge_tables(|tables| {
        for figure in tables.iter_mut().flat_map(|table| table["figures"].as_array_mut().unwrap()) {
            if figure.is_number() {
                *figure = (i64::MAX / 4).into();
            }
        }
    });
    assert_eq!(bundle.verify().outcome(), Outcome::Fails);
}

#[test]
fn no_number_in_a_bundle_of_hidden_figures_ends_a_verification() {
    let wrong = panics(&bundle(), &["manifest.json", "certificate.json", "public/tables.json"]);
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn no_number_in_a_bundle_of_rounded_figures_ends_a_verification() {
    let bundle = bundle_of(&SPEC.replace("method = \"suppress\"", "method = \"round\"\nbase = 3"));
    let wrong = panics(&bundle, &["manifest.json", "certificate.json", "public/tables.json"]);
    assert!(wrong.is_empty(), "{wrong:#?}");
}
