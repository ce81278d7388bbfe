//! What `plan` writes, `protect` makes and `verify` accepts, under every model that a policy can ask for.

use std::cell::Cell;

use outward_engine::Embedded;
use outward_microdata::planning::{plan, planned};
use outward_release::verify::Options;
use outward_release::{Outcome, gather};
use outward_spec::{Source, Spec};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestCaseError, TestRunner};

use outward_fixtures::desk::Desk;
use outward_fixtures::runtime;
use outward_testing::random_cases::numbers;

/// What is asked, and whether of a population.
const POLICIES: [(&str, bool); 22] = [
    ("k = 3", false),
    ("k = 2\nweak_k = [{ name = \"some\", k = 4, keys = [\"tree\"] }]", false),
    ("k = 2\nweak_k = [{ name = \"marked\", k = 4, keys = [\"age\"], where = \"side = 'in'\" }]", false),
    ("k = 1\nall_combinations = { keys = 2, k = 3 }", false),
    ("k = 2\nl = 2", false),
    ("k = 1\nl = 2\nl_measure = \"entropy\"", false),
    ("k = 1\nl = 2\nl_measure = \"recursive\"\nl_factor = 3.0", false),
    ("k = 1\nt = 0.35", false),
    ("k = 2\nt = 0.3\nt_distance = \"ordered\"", false),
    ("k = 1\nt = 0.35\nt_distance = \"hierarchical\"", false),
    ("k = 2\nt = 0.4\nweak_k = [{ name = \"marked\", k = 3, keys = [\"tree\"], where = \"side = 'in'\" }]", false),
    ("k = 1\npresence = { least = 0.2, most = 0.95 }", true),
    ("k = 2\npresence = { least = 0.1, most = 1.0 }", true),
    ("k = 1\npresence = { least = 0.0, most = 0.6 }", true),
    ("k = 1\nk_map = 6", true),
    ("k = 1\naverage_risk = 0.15", false),
    ("k = 1\nhighest_risk = 0.34", false),
    ("k = 1\nmax_unique_share = 0.05", false),
    ("k = 1\npopulation_unique_share = 0.05", false),
    ("k = 1\npopulation_unique_share = 0.1", true),
    ("k = 2\npopulation_unique_share = 0.03", true),
    ("k = 2\naverage_risk = 0.2\nl = 2\nt = 0.5", false),
];

const VARIABLES: &str = r#"
[[variables]]
name = "tree"
role = "key"
hierarchy = { tree = { hard = ["ash", "beech", "oak"], soft = ["fir", "larch"] } }
[[variables]]
name = "age"
role = "key"
type = "integer"
hierarchy = { widths = [10, 40] }
[[variables]]
name = "ward"
role = "key"
hierarchy = { prefix = [1] }
[[variables]]
name = "side"
[[variables]]
name = "illness"
role = "sensitive"
hierarchy = { tree = { well = ["none"], lung = ["asthma", "cold"], heart = ["angina"] } }
"#;

const TREES: [&str; 6] = ["", "ash", "beech", "oak", "fir", "larch"];
const WARDS: [&str; 5] = ["", "N1", "N2", "S1", "S2"];
const ILLNESSES: [&str; 5] = ["", "none", "asthma", "cold", "angina"];

/// A random file, of which the population has everybody and some more, and what is asked of it.
#[derive(Debug, Clone)]
struct Planned {
    records: Vec<(usize, u8, usize, bool, usize)>,
    others: Vec<(usize, u8, usize)>,
    policy: usize,
    wild: bool,
    limit: f64,
}

fn planned_cases() -> impl Strategy<Value = Planned> {
    let tree = || prop::sample::select(vec![0usize, 1, 1, 1, 2, 2, 3, 4, 4, 5]);
    let ward = || prop::sample::select(vec![0usize, 1, 1, 1, 2, 2, 3, 3, 4]);
    let record = (tree(), 0u8..8, ward(), any::<bool>(), 0usize..5);
    let records = prop::collection::vec(record, 12..70);
    let others = prop::collection::vec((tree(), 0u8..8, ward()), 0..60);
    let missing = (any::<bool>(), any::<bool>());
    (records, others, 0..POLICIES.len(), missing, prop::sample::select(vec![0.0, 0.2, 0.4])).prop_map(
        |(mut records, mut others, policy, (wild, complete), limit)| {
            if complete {
                records.iter_mut().for_each(|(tree, _, ward, ..)| (*tree, *ward) = ((*tree).max(1), (*ward).max(1)));
                others.iter_mut().for_each(|(tree, _, ward)| (*tree, *ward) = ((*tree).max(1), (*ward).max(1)));
            }
            Planned { records, others, policy, wild, limit }
        },
    )
}

impl Planned {
    fn desk(&self) -> Desk {
        let (policy, of_population) = POLICIES[self.policy];
        let missing = if self.wild { "wildcard" } else { "category" };
        let population = if of_population { "population = { path = \"everybody.csv\" }\n" } else { "" };
        let text = format!(
            "missing = \"{missing}\"\nsampling_fraction = 0.3\ndata = {{ path = \"people.csv\" }}\n{population}\
             [policy]\n{policy}\n[plan]\nsuppression_limit = {:?}\n{VARIABLES}",
            self.limit
        );
        let key = |tree: usize, age: u8, ward: usize| format!("{},{},{}", TREES[tree], 20 + 5 * age, WARDS[ward]);
        let mut people = "tree,age,ward,side,illness\n".to_owned();
        let mut everybody = "tree,age,ward\n".to_owned();
        for (tree, age, ward, inside, illness) in &self.records {
            let side = if *inside { "in" } else { "out" };
            people += &format!("{},{side},{}\n", key(*tree, *age, *ward), ILLNESSES[*illness]);
            everybody += &format!("{}\n", key(*tree, *age, *ward));
        }
        for (tree, age, ward) in &self.others {
            everybody += &format!("{}\n", key(*tree, *age, *ward));
        }
        Desk::with_files(text, &[("people.csv", &people), ("everybody.csv", &everybody)])
    }

    /// The specs with the steps of the best candidate, and of the one that recodes some records further than others.
    fn plans(&self, desk: &Desk) -> Vec<Spec> {
        let spec = Spec::load(desk.path("outward.toml")).unwrap();
        let (engine, runtime) = (Embedded::new(1), runtime());
        let keys: Vec<String> = spec.keys().iter().map(|key| key.name.clone()).collect();
        let (setting, evidence) = runtime.block_on(gather(&engine, &spec, &keys, 1)).unwrap();
        let found = plan(&evidence, &spec, &setting.rules, true, 1, None).unwrap();
        let met = found.frontier.iter().filter(|candidate| candidate.k == setting.rules.k);
        met.map(|candidate| planned(&spec, candidate, found.records, setting.rules.k)).collect()
    }
}

/// How many specs were planned; each must be made and accepted.
fn check(case: &Planned) -> Result<u32, TestCaseError> {
    let mut desk = case.desk();
    let plans = case.plans(&desk);
    for (number, spec) in plans.iter().enumerate() {
        desk.text = spec.to_toml().unwrap();
        std::fs::write(desk.path("outward.toml"), &desk.text).unwrap();
        let bundle = format!("bundle{number}");
        let made = desk
            .protect_as(&bundle, 1, None)
            .map_err(|error| TestCaseError::fail(format!("{error}\n{}", desk.text)))?;
        let failing: Vec<String> = made.manifest.failing().map(|verdict| verdict.worst.clone()).collect();
        prop_assert!(made.written, "{failing:?}\n{}", desk.text);
        let population = POLICIES[case.policy].1.then(|| Source::file(desk.path("everybody.csv")));
        let verification = desk.verify_as(&bundle, &Options { population, threads: 1 });
        for check in &verification.checks {
            prop_assert_eq!(check.outcome, Outcome::Holds, "{}: {}\n{}", &check.name, &check.says, &desk.text);
        }
        // The distance of the maker is that of the verification.
        if let Some(check) = verification.checks.iter().find(|check| check.name.starts_with("t (")) {
            let said = made.manifest.verdicts.iter().find(|verdict| verdict.says.starts_with("t-closeness")).unwrap();
            let figure =
                |text: &str| text.split(": ").nth(1).and_then(|rest| rest.split(' ').next()?.parse::<f64>().ok());
            let (made, verified) = (figure(&said.worst), figure(&check.says));
            prop_assert!(made.is_some() && (made.unwrap() - verified.unwrap()).abs() < 1.5e-4, "{said:?} {check:?}");
        }
    }
    Ok(plans.len() as u32)
}

#[test]
fn what_plan_writes_protect_makes_and_verify_accepts() {
    let counts: Vec<Cell<u32>> = POLICIES.iter().map(|_| Cell::new(0)).collect();
    let config = Config { cases: 160, failure_persistence: None, max_shrink_iters: 200, ..Config::default() };
    let result = TestRunner::new_with_rng(config, numbers(15)).run(&planned_cases(), |case| {
        let made = check(&case)?;
        counts[case.policy].update(|count| count + made);
        Ok(())
    });
    if let Err(error) = result {
        panic!("{error}");
    }
    println!("{counts:?}");
    for ((policy, _), count) in POLICIES.iter().zip(&counts) {
        assert!(count.get() > 0, "no release was planned for {policy}");
    }
    assert!(counts.iter().map(Cell::get).sum::<u32>() >= 100, "{counts:?}");
}

/// Nobody of the south is in the file, and four of the population live there.
#[test]
fn protect_refuses_a_class_of_the_population_without_a_record() {
    for k in [1, 2] {
        let text = format!(
            "missing = \"category\"\ndata = {{ path = \"people.csv\" }}\npopulation = {{ path = \"everybody.csv\" }}\n\
             [policy]\nk = {k}\npresence = {{ least = 0.2, most = 1.0 }}\n{VARIABLES}\
             [[steps]]\ndo = \"suppress-records\"\nlimit = 1.0\n"
        );
        let people = "tree,age,ward,side,illness\n".to_owned() + &"ash,20,N1,in,none\n".repeat(5);
        let south =
            |people: usize| "tree,age,ward\n".to_owned() + &"ash,20,N1\n".repeat(8) + &"ash,20,S1\n".repeat(people);
        let made = |everybody: &str| {
            let desk = Desk::with_files(text.clone(), &[("people.csv", &people), ("everybody.csv", everybody)]);
            let made = desk.protect_as("bundle", 1, None).unwrap();
            (made.written, made.advice)
        };
        assert!(made(&south(0)).0);
        let (written, advice) = made(&south(4));
        assert!(!written && !advice.unwrap().contains("suppress-records"), "suppression mends nothing");
    }
}
