//! Checks the intruder test if the policy requires one. It must be there and be of this bundle, and its figures must be
//! within the policy's limits.
//!
//! Only the custodian's data can show whether the claims of a test were right. The files show which bundle a card is
//! of, that its intruder knew what the scenario says, and that its figures are consistent and within the limits of the
//! policy; and, for an attack by equal keys, the published records say how many people it finds at least (`published`). These are checked. A custodian who doubts a card can attack again: the same data, spec, scenario and seed
//! give the same card.

mod card;
mod published;

use std::collections::BTreeSet;
use std::path::Path;

use outward_spec::{Rating, Scenario, Spec};
use serde::Deserialize;

use super::{Check, Place};
use crate::bundle::{SPEC, read_ordinary};
use crate::evidence::{EVIDENCE_FORMAT, evidence_files, manifest_hash};
use crate::manifest::Manifest;
use card::{Card, within};
use published::finds_too_few;

/// The name of the check, and of the rule at the gate of a register.
pub const NAME: &str = "intruder-test";

/// Added to the name of the scenario on a card of claims by people.
pub const BY_PEOPLE: &str = " (claims of testers)";

/// The parts of a test that are checked.
#[derive(Deserialize)]
struct Test {
    format: u32,
    bundle: String,
    authorised_by: String,
    scenario: Scenario,
    card: Card,
}

/// Checks the tests of a bundle; `None` if the policy asks for none and there is none.
pub(super) async fn check(bundle: &Path, manifest: &Manifest, threads: usize) -> outward_spec::Result<Option<Check>> {
    let files = evidence_files(bundle)?;
    if files.is_empty() {
        let missing = "the policy asks for an intruder test, and the bundle has none: run `outward attack SPEC --scenario NAME --authorised-by WHO --out BUNDLE` (`outward scenarios` lists them)";
        return Ok(manifest.rules.intruder_test.then(|| Check::fails(NAME, missing)));
    }
    let hash = manifest_hash(bundle)?;
    let path = bundle.join(SPEC);
    let Some(spec) = read_ordinary(&path).ok().and_then(|text| Spec::parse(&text, &path).ok()) else {
        return Ok(Some(Check::cannot_tell(NAME, "the spec, which says what intruders know, cannot be read")));
    };
    let mut tests = Vec::new();
    for file in &files {
        let fails = |what: String| Ok(Some(Check::fails(NAME, what).at([Place::file(file)])));
        let test = match holds(&bundle.join(file), &hash, manifest, &spec) {
            Ok(test) => test,
            Err(what) => return fails(what),
        };
        if finds_too_few(bundle, &test, manifest, &spec, threads).await == Some(true) {
            return fails("the test says that fewer people are found than the published records allow".to_owned());
        }
        tests.push(test);
    }
    if let Some(variable) = unknown_to_all(&tests, &spec) {
        let says = format!("no test has an intruder who knows `{variable}`, which the spec rates high in visibility");
        return Ok(Some(Check::fails(NAME, says)));
    }
    let tests = if files.len() == 1 { "1 intruder test".to_owned() } else { format!("{} intruder tests", files.len()) };
    Ok(Some(Check::holds(NAME, format!("{tests} of this bundle, within the limits of the policy"))))
}

/// A test, or the reason why it is not of this bundle or found too much.
fn holds(file: &Path, hash: &str, manifest: &Manifest, spec: &Spec) -> Result<Test, String> {
    let text = read_ordinary(file).map_err(|_| "the file cannot be read as text".to_owned())?;
    let test: Test = serde_json::from_str(&text).map_err(|_| "this is not the form of an intruder test".to_owned())?;
    if test.format > EVIDENCE_FORMAT {
        return Err("a newer version of Outward wrote this test".to_owned());
    }
    if test.bundle != hash {
        return Err(
            "this test was made on another bundle, or the bundle was made again since: attack it again".to_owned()
        );
    }
    if test.authorised_by.trim().is_empty() {
        return Err("the test does not say who authorised it".to_owned());
    }
    if let Some(variable) = test.card.unused.iter().find(|name| manifest.column(name).is_some()) {
        return Err(format!("the test was made without `{variable}`, which is in the release"));
    }
    plays_scenario(&test, manifest, spec)?;
    if !test.card.is_consistent() {
        return Err("the figures of the test do not fit each other".to_owned());
    }
    manifest.rules.intruder.as_ref().map_or(Ok(()), |limits| within(&test.card, limits))?;
    Ok(test)
}

/// Checks that the scenario is one of the spec or of Outward, and that the card is of this scenario.
fn plays_scenario(Test { scenario, card, .. }: &Test, manifest: &Manifest, spec: &Spec) -> Result<(), String> {
    // The intruder's own file, the column it is scored by, and the authority may be given on the command line.
    let apart = |scenario: &Scenario| Scenario { file: None, truth: None, authorised_by: None, ..scenario.clone() };
    let known = spec.scenario(&scenario.name).map_err(|_| {
        "the scenario of the test is neither in the spec nor one that ships with Outward: attack again".to_owned()
    })?;
    if apart(&known) != apart(scenario) {
        return Err("the scenario of the test is not the one that has this name: attack again".to_owned());
    }
    let by_people = card.attack.is_none();
    let name = if by_people { format!("{}{BY_PEOPLE}", scenario.name) } else { scenario.name.clone() };
    let records = match scenario.condition {
        Some(_) => card.records <= manifest.records_out,
        None => card.records == manifest.records_out,
    };
    if card.scenario != name || card.response_knowledge != scenario.response_knowledge || !records {
        return Err("the card is not of this scenario and this release".to_owned());
    }
    if by_people {
        return Ok(());
    }
    let published = |name: &String| manifest.column(name).is_some();
    let keys: BTreeSet<String> = spec.scenario_keys(scenario).into_iter().filter(published).collect();
    let learn: Vec<String> = match scenario.learn.is_empty() {
        true => spec.sensitive().iter().map(|variable| variable.name.clone()).collect(),
        false => scenario.learn.clone(),
    };
    let learn: BTreeSet<String> = learn.into_iter().filter(|name| published(name) && !keys.contains(name)).collect();
    if card.used.iter().cloned().collect::<BTreeSet<_>>() != keys {
        return Err("the intruder of the test did not use what the scenario says they know".to_owned());
    }
    match card.attributes.iter().map(|of| of.variable.clone()).collect::<BTreeSet<_>>() == learn {
        true => Ok(()),
        false => {
            Err("the test does not say what is learned of every variable that the intruder wants to learn".to_owned())
        }
    }
}

/// A published key of high visibility that no intruder of a test knows, although such keys can be seen by people.
fn unknown_to_all<'a>(tests: &[Test], spec: &'a Spec) -> Option<&'a str> {
    let knows = |name: &str| {
        tests.iter().any(|test| test.card.attack.is_none() || test.card.used.iter().any(|used| used == name))
    };
    let visible = spec.published_keys().into_iter().filter(|key| key.visibility == Some(Rating::High));
    visible.map(|key| key.name.as_str()).find(|name| !knows(name))
}
