//! A policy that asks for no k lets people be alone on their keys: nobody may read *Good* over that.

use outward_release::{report, verification_report};
use outward_report::Tone;

use outward_fixtures::desk::Desk;

/// Sixty people of whom each has an age and a job of their own, under a policy with k = 1.
fn desk(head: &str) -> Desk {
    let keys = ["age", "job"].map(|key| format!("[[variables]]\nname = \"{key}\"\nrole = \"key\"\n")).concat();
    let people: String = (0..60).map(|i| format!("{},job {}\n", 20 + i % 30, i / 30)).collect();
    Desk::new(&format!("{head}\n[policy]\nk = 1\n{keys}"), &format!("age,job\n{people}"))
}

#[test]
fn where_no_k_is_asked_for_the_first_sentence_says_who_is_alone() {
    let desk = desk("sampling_fraction = 0.5");
    let protected = desk.protect().unwrap();
    assert!(protected.written);
    let said = report(&protected.manifest).verdict;
    assert_eq!((said.tone, said.headline.as_str()), (Tone::Caution, SENTENCE));
    assert!(
        said.detail.contains("An estimated ") && said.detail.contains("of the population is alone"),
        "{}",
        said.detail
    );
    let checked = verification_report("bundle", &desk.verify()).verdict;
    assert_eq!((checked.tone, checked.headline.as_str()), (Tone::Caution, SENTENCE));
    assert!(checked.detail.contains("An estimated "), "{}", checked.detail);
}

const SENTENCE: &str = "Only k = 1 is asked for: 60 of 60 records are alone on the keys";

#[test]
fn with_a_population_file_the_share_is_counted_and_without_it_is_not_known() {
    let counted = desk("population = { path = \"people.csv\" }").protect().unwrap().manifest;
    assert_eq!(counted.after.population_uniques, Some(1.0));
    let detail = report(&counted).verdict.detail;
    assert!(detail.contains("In the population file 100 % are alone"), "{detail}");
    let unknown = report(&desk("").protect().unwrap().manifest).verdict.detail;
    assert!(unknown.contains("It is not known") && unknown.contains("write `sampling_fraction"), "{unknown}");
}

#[test]
fn a_forged_share_of_the_population_is_found() {
    let desk = desk("sampling_fraction = 0.5");
    desk.protect().unwrap();
    let path = desk.bundle().join("manifest.json");
    let mut manifest = outward_release::read(&desk.bundle()).unwrap();
    manifest.after.population_uniques = Some(0.001);
    std::fs::write(&path, serde_json::to_string(&manifest).unwrap()).unwrap();
    let failing: Vec<String> =
        desk.verify().with(outward_release::Outcome::Fails).map(|check| check.says.clone()).collect();
    assert!(failing.iter().any(|says| says.contains("population uniques")), "{failing:?}");
}
