//! Tests of policies.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
use super::*;

fn rules(toml: &str) -> Rules {
    let choice: PolicyChoice = toml::from_str(toml).unwrap();
    choice.rules(Path::new("")).unwrap()
}

#[test]
fn every_shipped_policy_reads_and_is_named_after_its_file() {
    let policies = Policy::shipped().unwrap();
    assert_eq!(policies.len(), SHIPPED.len());
    for (policy, (file, _)) in policies.iter().zip(SHIPPED) {
        assert_eq!(file, format!("policies/{}.toml", policy.name));
        assert!(!policy.source.is_empty() && !policy.description.is_empty());
        assert!(policy.thresholds.k.is_some() || policy.tiers.iter().all(|tier| tier.thresholds.k.is_some()));
    }
    assert!(policies.is_sorted_by_key(|policy| policy.name.clone()));
}

#[test]
fn without_a_word_the_baseline_applies() {
    let rules = rules("");
    assert_eq!((rules.policy.as_str(), rules.tier, rules.k), ("baseline", None, 3));
    assert_eq!(rules.forbid, [Role::Identifier, Role::FreeText]);
}

#[test]
fn more_open_tiers_never_ask_for_less() {
    let policy = Policy::named("ons-open-microdata").unwrap();
    let asked: Vec<Rules> =
        policy.tiers.iter().map(|t| rules(&format!("name = \"{}\"\ntier = \"{}\"", policy.name, t.name))).collect();
    let names: Vec<_> = asked.iter().map(|rules| rules.tier.clone().unwrap()).collect();
    assert_eq!(names, ["open", "end-user-licence", "special-licence", "safe-setting"]);
    let weak = |rules: &Rules| rules.weak_k.iter().map(|weak| weak.k).max().unwrap_or(1);
    for pair in asked.windows(2) {
        assert!(pair[0].k >= pair[1].k && weak(&pair[0]) >= weak(&pair[1]));
        assert!(pair[1].forbid.iter().all(|role| pair[0].forbid.contains(role)));
    }
    for rules in asked.iter().filter(|rules| !rules.weak_k.is_empty()) {
        assert!(weak(rules) > rules.k, "a weak k is higher than the k of the whole file");
    }
}

#[test]
fn own_values_stand_over_the_tier_and_the_tier_over_the_policy() {
    let rules = rules("name = \"ons-open-microdata\"\ntier = \"safe-setting\"\nk = 10\nforbid = []");
    assert_eq!((rules.k, rules.forbid.len()), (10, 0));
    let tier = self::rules("name = \"ons-open-microdata\"\ntier = \"safe-setting\"");
    assert_eq!(tier.forbid, [Role::Identifier, Role::FreeText]);
}

#[test]
fn the_first_tier_applies_where_none_is_named() {
    assert_eq!(rules("name = \"ons-open-microdata\"").tier.as_deref(), Some("open"));
}

#[test]
fn a_policy_of_ones_own_is_read_as_strictly_as_a_spec() {
    let own = SHIPPED[5].1.replace("weak_k = [{ name", "weak_k = [{ nam");
    let error = Policy::parse(&own, Path::new("own.toml")).unwrap_err();
    assert!(error.to_string().starts_with("own.toml:"), "{error}");
    assert_eq!(error.help().unwrap(), "did you mean `name`?");
    let twice = SHIPPED[5].1.replace("\"special-licence\"", "\"open\"");
    assert!(Policy::parse(&twice, Path::new("own.toml")).unwrap_err().to_string().contains("twice"));
}
