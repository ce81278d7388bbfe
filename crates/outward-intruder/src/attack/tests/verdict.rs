//! The verdict of a policy on an attack, and the shipped scenarios.

use outward_spec::{Policy, PolicyChoice};

use super::*;

fn open_tier() -> IntruderRules {
    let choice = PolicyChoice { name: Some("ons-open-microdata".to_owned()), ..PolicyChoice::default() };
    choice.rules(std::path::Path::new("")).unwrap().intruder.unwrap()
}

fn verdict(protected: bool) -> Verdict {
    let mut case = Case::new(PEOPLE, people(11, 3000));
    if protected {
        case.recode("age", 3);
        case.recode("region", 1);
    }
    case.rules = Some(open_tier());
    case.attack().card.verdict.unwrap()
}

#[test]
fn an_unprotected_file_is_more_than_the_open_tier_allows_and_a_coarse_one_is_not() {
    let (open, coarse) = (verdict(false), verdict(true));
    let of =
        |verdict: &Verdict| verdict.limits.iter().map(|limit| (limit.limit.clone(), limit.met)).collect::<Vec<_>>();
    let named = |met: [bool; 4]| {
        ["least_targets", "most_correct_share", "most_found", "most_attribute_gain"]
            .map(str::to_owned)
            .into_iter()
            .zip(met)
    };
    assert_eq!(of(&open), named([true, false, false, false]).collect::<Vec<_>>());
    assert!(!open.met && open.summary.contains("`age`"), "{}", open.summary);
    assert_eq!(of(&coarse), named([true; 4]).collect::<Vec<_>>());
    assert!(coarse.met);
    assert!(open.limits[2].reason.contains("were found by claims with"), "{}", open.limits[2].reason);
}

#[test]
fn a_test_of_few_people_proves_nothing() {
    let mut case = Case::new(PEOPLE, people(11, 3000));
    case.recode("age", 3);
    case.recode("region", 1);
    case.rules = Some(open_tier());
    case.scenario.targets = Some(50);
    let card = case.attack().card;
    let verdict = card.verdict.clone().unwrap();
    let failed: Vec<&str> =
        verdict.limits.iter().filter(|limit| !limit.met).map(|limit| limit.limit.as_str()).collect();
    assert!(failed.contains(&"least_targets") && failed.contains(&"most_found"), "{failed:?}");
    // With so few people, what is learned is chance. Apart from that nobody was found, so the only remark is that the
    // test is too small.
    let verdict = judge(&card, &IntruderRules { most_attribute_gain: None, ..open_tier() });
    assert!(!verdict.met && verdict.summary.contains("too few people"), "{}", verdict.summary);
}

#[test]
fn an_intruder_who_finds_nobody_and_learns_too_much_is_told_so() {
    let card = Case::new(PEOPLE, people(11, 3000)).attack().card;
    let rules = IntruderRules { most_attribute_gain: Some(0.0), ..IntruderRules::default() };
    let summary = judge(&card, &rules).summary;
    assert!(summary.starts_with("The intruder learns more than the policy allows. `age`"), "{summary}");
    let summary = judge(&card, &IntruderRules { most_correct_share: Some(0.0), ..rules }).summary;
    assert!(summary.starts_with("The intruder finds more than the policy allows."), "{summary}");
}

#[test]
fn a_card_made_under_another_confidence_is_not_judged_as_met() {
    let card = Case::new(PEOPLE, people(11, 600)).attack().card;
    let rules = IntruderRules { confidence: Some(0.37), most_correct_share: Some(1.0), ..IntruderRules::default() };
    assert!(!judge(&card, &rules).met);
}

#[test]
fn tiers_that_ask_for_an_intruder_test_say_how_far_an_intruder_may_succeed_and_open_ones_allow_less() {
    let policy = Policy::named("ons-open-microdata").unwrap();
    let tested: Vec<IntruderRules> = (policy.tiers.iter())
        .filter(|tier| tier.thresholds.intruder_test == Some(true))
        .map(|tier| tier.thresholds.intruder.unwrap())
        .collect();
    assert_eq!(tested.len(), 2);
    assert!(tested[0].most_correct_share < tested[1].most_correct_share && tested[0].most_found < tested[1].most_found);
}

#[test]
fn every_shipped_scenario_can_be_played_on_a_spec_with_roles_and_ratings() {
    let spec =
        PEOPLE.replace("name = \"age\", role = \"key\",", "name = \"age\", role = \"key\", visibility = \"high\",");
    for file in outward_spec::ScenarioFile::shipped().unwrap() {
        let mut case = Case::new(&spec, people(12, 1500));
        case.recode("age", 1);
        case.scenario = case.spec.scenario(&file.scenario.name).unwrap();
        let card = case.attack().card;
        assert_eq!(card.scenario, file.scenario.name);
        let without = card.no_claim.no_record + card.no_claim.too_unsure + card.no_claim.too_many;
        assert!(card.targets >= 500 && card.claims + without == card.targets, "{}", card.scenario);
        let again = case.attack().card;
        assert!(again == card, "{}", card.scenario);
    }
}

#[test]
fn an_own_file_is_taken_as_it_stands_and_an_unknown_person_cannot_be_verified() {
    let mut case = Case::new(PEOPLE, people(13, 400));
    let ids = coded((0..400).map(|i| Some(format!("p{i}"))));
    // The intruder's file has the people in the opposite order. One of them is unknown.
    for column in &mut case.people.columns {
        column.values.codes.reverse();
    }
    let mut own = ids.clone();
    own.codes.reverse();
    own.codes[7] = 0;
    case.people.truth = truth_by_column("id", &own, &ids).unwrap();
    case.scenario.response_knowledge = false;
    let card = case.attack().card;
    assert_eq!((card.claims, card.verifiable), (400, 399));
    assert!(card.precision.value > 0.8);
}
