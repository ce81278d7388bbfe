//! Without protection everyone who is alone is found, and the variable that helped most is named first.

use outward_spec::{AttackKind, Known, KnownError, MistakeKind};
use proptest::prelude::*;

use super::*;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn without_errors_and_protection_whoever_is_alone_is_found(seed in any::<u64>(), rows in 20..300usize) {
        let case = Case::new(PEOPLE, people(seed, rows));
        let outcome = case.attack();
        let key = |row: usize| (0..3).map(|c| case.source[c].values.codes[row]).collect::<Vec<u32>>();
        let mut alike: BTreeMap<Vec<u32>, u64> = BTreeMap::new();
        (0..rows).for_each(|row| *alike.entry(key(row)).or_default() += 1);
        prop_assert_eq!(outcome.claims.len(), rows);
        for claim in &outcome.claims {
            let n = alike[&key(claim.person as usize - 1)];
            prop_assert_eq!((claim.candidates, claim.confidence), (n, 1.0 / n as f64));
            prop_assert!(n > 1 || claim.correct == Some(true));
        }
        // One person of every class is expected to be found: the sum of 1/n is the number of classes.
        prop_assert!((outcome.card.expected - alike.len() as f64).abs() < 1e-6);
        let sum: f64 = outcome.card.contributions.iter().map(|contribution| contribution.shapley).sum();
        prop_assert!((sum - (alike.len() as f64 - 1.0)).abs() < 1e-6, "Shapley values add up to what all variables find beyond none");
        prop_assert!((outcome.card.baseline - 1.0 / rows as f64).abs() < 1e-12);
    }

    #[test]
    fn no_claim_about_people_who_are_not_in_the_release_is_right(
        seed in any::<u64>(), rate in 0.0..0.3f64, kind in 0..2usize,
    ) {
        let mut case = Case::new(PEOPLE, people(seed, 300));
        let mut random = Random::new(seed, "sample");
        case.releases[0].present.iter_mut().for_each(|present| *present = random.unit() < 0.4);
        case.scenario.response_knowledge = false;
        case.fraction = 0.4;
        case.scenario.attack = Some([AttackKind::Exact, AttackKind::Nearest][kind]);
        let errors = vec![KnownError { kind: MistakeKind::Stale, rate }];
        case.scenario.known = vec![Known { variable: Some("age".into()), errors, ..Known::default() }];
        case.scenario.keys = vec!["sex".into(), "region".into()];
        case.scenario.targets = Some(100);
        let outcome = case.attack();
        let control = outcome.card.control.unwrap();
        prop_assert!(!control.held_out && control.people == 100 && control.claims <= 100);
        for claim in &outcome.claims {
            let present = case.releases[0].present[claim.person as usize - 1];
            prop_assert!(present || claim.correct == Some(false));
            prop_assert!(case.releases[0].present[claim.records[0] as usize - 1], "only records of the release are claimed");
        }
    }
}

#[test]
fn people_held_out_of_the_release_are_never_found() {
    // Everyone is alone, so no record fits if their own is held out: the control makes no claim.
    let mut case = Case::new(
        "variables = [{ name = \"id\", role = \"key\" }]",
        vec![column("id", (0..50).map(|i| format!("p{i:02}")))],
    );
    case.scenario.targets = Some(20);
    let card = case.attack().card;
    let control = card.control.unwrap();
    assert!(control.held_out);
    assert_eq!((card.correct, control.people, control.claims), (20, 20, 0));
    assert_eq!(card.excess.over_control, Some(1.0));
}

#[test]
fn knowing_who_is_in_the_release_raises_confidence() {
    let mut case = Case::new(PEOPLE, people(1, 2000));
    let mut random = Random::new(1, "sample");
    case.releases[0].present.iter_mut().for_each(|present| *present = random.unit() < 0.25);
    case.fraction = 0.25;
    let knows = case.attack().card;
    case.scenario.response_knowledge = false;
    let not = case.attack().card;
    let mean = |card: &ScoreCard| {
        card.calibration.iter().map(|band| band.claims as f64 * band.stated).sum::<f64>() / card.verifiable as f64
    };
    assert!(mean(&knows) > mean(&not) + 0.1, "{} {}", mean(&knows), mean(&not));
    assert!(knows.precision.low > not.precision.high);
    let otherwise = knows.otherwise.unwrap();
    assert_eq!((otherwise.targets, otherwise.claims, otherwise.correct), (not.targets, not.claims, not.correct));
    // If nothing is swapped, stated confidence is right: the share of each band is near its mean.
    let within = |card: &ScoreCard| {
        card.calibration
            .iter()
            .filter(|band| band.claims > 50)
            .all(|band| band.right.low <= band.stated + 0.03 && band.stated - 0.03 <= band.right.high)
    };
    assert!(within(&not), "{:?}", not.calibration);
}

/// Dwellings whose year of assessment nearly identifies them, while other variables say little: the energy case.
fn dwellings() -> Case {
    let spec = r#"
        variables = [
            { name = "property_type", role = "key" },
            { name = "age_band", role = "key" },
            { name = "epc_year", role = "key", hierarchy = { prefix = [3] } },
            { name = "region", role = "geography" },
            { name = "consumption", role = "sensitive" },
        ]
    "#;
    let rows = 3000;
    let source = vec![
        column("property_type", drawn(3, "type", rows, 3)),
        column("age_band", drawn(3, "age", rows, 4)),
        column("epc_year", drawn(3, "year", rows, 400).into_iter().map(|day| format!("20{day:0>3}"))),
        column("region", drawn(3, "region", rows, 5)),
        column("consumption", drawn(3, "consumption", rows, 6)),
    ];
    Case::new(spec, source)
}

#[test]
fn the_helpful_variable_is_named_first_and_success_falls_without_it() {
    let mut case = dwellings();
    let with = case.attack().card;
    assert_eq!(with.helped[0], "epc_year");
    assert!(with.contributions[0].shapley > 2.0 * with.contributions[1].shapley);
    case.without = vec!["epc_year".to_owned()];
    let without = case.attack().card;
    assert_eq!(without.unused, ["epc_year"]);
    assert!(without.correct * 5 < with.correct, "{} {}", without.correct, with.correct);
    case.without.clear();
    case.coarser = BTreeMap::from([("epc_year".to_owned(), 1)]);
    let coarser = case.attack().card;
    assert!(without.expected < coarser.expected && coarser.expected < with.expected);
}

#[test]
fn what_is_learned_is_more_than_a_guess_where_the_record_gives_it_away_and_not_where_chance_decides() {
    let card = dwellings().attack().card;
    let learned = &card.attributes[0];
    assert_eq!((learned.variable.as_str(), learned.answered), ("consumption", 3000));
    assert!(learned.gain > 0.3 && learned.share.low > learned.guess);
    // Consumption depends on nothing here, so without the person's own record it can only be guessed.
    assert!((learned.without_own_record - learned.guess).abs() < 0.04, "{learned:?}");
}

#[test]
fn risk_is_shown_where_it_concentrates() {
    // Fifty of one group live in places of their own; the others share ten.
    let groups = (0..1000).map(|i| if i < 50 { "few" } else { "many" });
    let places = (0..1000).map(|i| if i < 50 { format!("own {i}") } else { format!("shared {}", i % 10) });
    let source = vec![column("place", places), column("group", groups)];
    let mut case = Case::new("plain = [\"group\"]\nvariables = [{ name = \"place\", role = \"geography\" }]", source);
    case.groups = vec!["group".to_owned()];
    let card = case.attack().card;
    let of = |name: &str| card.groups.iter().find(|group| group.category.as_deref() == Some(name)).unwrap();
    assert_eq!((of("few").targets, of("few").correct, of("few").precision.value), (50, 50, 1.0));
    assert!(of("many").precision.value < 0.05);
    assert_eq!(card.correct, of("few").correct + of("many").correct);
}

#[test]
fn groups_called_by_numbers_are_in_numerical_order() {
    let grades = (0..30).map(|i| ["10.5", "2.5", "1.5"][i % 3]);
    let source = vec![column("place", (0..30).map(|i| format!("place {i}"))), column("grade", grades)];
    let mut case = Case::new("plain = [\"grade\"]\nvariables = [{ name = \"place\", role = \"geography\" }]", source);
    case.groups = vec!["grade".to_owned()];
    let card = case.attack().card;
    let categories: Vec<&str> = card.groups.iter().filter_map(|group| group.category.as_deref()).collect();
    assert_eq!(categories, ["1.5", "2.5", "10.5"]);
}

#[test]
fn the_nearest_record_is_found_in_spite_of_noise_and_the_exact_attack_finds_nobody() {
    let spec =
        "variables = [{ name = \"income\", role = \"key\", type = \"number\" }, { name = \"sex\", role = \"key\" }]";
    let mut random = Random::new(5, "income");
    let incomes: Vec<f64> = (0..400).map(|i| 1000.0 + 50.0 * f64::from(i)).collect();
    let source = vec![
        column("income", incomes.iter().map(|income| format!("{income:.2}"))),
        column("sex", drawn(5, "sex", 400, 2)),
    ];
    let mut case = Case::new(spec, source);
    let noisy: Vec<String> =
        incomes.iter().map(|income| format!("{:.2}5", income + random.unit() * 20.0 - 10.0)).collect();
    *case.released("income") = coded(noisy.into_iter().map(Some));
    case.scenario.attack = Some(AttackKind::Nearest);
    let card = case.attack().card;
    assert_eq!((card.claims, card.correct), (400, 400));
    assert!(card.at_confidence[0].claims > 300 && card.control.unwrap().held_out);
    case.scenario.attack = None;
    assert!(case.try_attack().unwrap_err().to_string().contains("agrees with any value"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]
    #[test]
    fn the_nearest_record_is_that_of_comparing_all(seed in any::<u64>(), rows in 2..120usize) {
        let spec = r#"variables = [
            { name = "x", role = "key", type = "number" }, { name = "y", role = "key", type = "number" }, { name = "sex", role = "key" },
        ]"#;
        let source = vec![
            column("x", drawn(seed, "x", rows, 40)), column("y", drawn(seed, "y", rows, 1000)), column("sex", drawn(seed, "sex", rows, 2)),
        ];
        let mut case = Case::new(spec, source.clone());
        let moved = [drawn(seed, "x2", rows, 40), drawn(seed, "y2", rows, 1000)];
        *case.released("x") = coded(moved[0].iter().map(Some));
        *case.released("y") = coded(moved[1].iter().map(Some));
        case.scenario.attack = Some(AttackKind::Nearest);
        let value = |text: &str| text.parse::<f64>().unwrap();
        let spread = |values: &[String]| {
            let mean = values.iter().map(|v| value(v)).sum::<f64>() / rows as f64;
            (values.iter().map(|v| (value(v) - mean).powi(2)).sum::<f64>() / rows as f64).sqrt().max(f64::MIN_POSITIVE)
        };
        let spreads = [spread(&moved[0]), spread(&moved[1])].map(|s| if s <= f64::MIN_POSITIVE { 1.0 } else { s });
        let own = |c: usize, row: usize| value(source[c].values.dictionary.value(source[c].values.codes[row]).unwrap());
        let distance = |p: usize, r: usize| (0..2).map(|c| ((own(c, p) - value(&moved[c][r])) / spreads[c]).powi(2)).sum::<f64>();
        for claim in case.attack().claims {
            let p = claim.person as usize - 1;
            let sexes = &source[2].values.codes;
            let least = (0..rows).filter(|r| sexes[*r] == sexes[p]).map(|r| distance(p, r)).fold(f64::INFINITY, f64::min);
            prop_assert!((distance(p, claim.records[0] as usize - 1) - least).abs() < 1e-9);
        }
    }
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let mut case = Case::new(PEOPLE, people(2, 3000));
    let one = case.attack();
    case.threads = 3;
    assert!(case.attack() == one);
    case.scenario.seed = Some(2);
    assert!(case.attack().claims != one.claims, "another seed draws other records");
}

/// Keys with mistakes in two of five: the exact attack loses these people, linkage does not.
fn with_mistakes(kind: AttackKind) -> Case {
    let spec = r#"variables = [
        { name = "age", role = "key", type = "integer" }, { name = "place", role = "geography" }, { name = "job", role = "key" },
        { name = "origin", role = "key" }, { name = "children", role = "key" },
    ]"#;
    let ends = [("age", 80), ("place", 60), ("job", 40), ("origin", 12), ("children", 5)];
    let source = ends.map(|(name, end)| column(name, drawn(9, name, 2000, end)));
    let mut case = Case::new(spec, source.to_vec());
    let known = |name: &str, kind| Known {
        variable: Some(name.to_owned()),
        errors: vec![KnownError { kind, rate: 0.2 }],
        ..Known::default()
    };
    case.scenario.known = vec![known("age", MistakeKind::Adjacent), known("place", MistakeKind::Stale)];
    case.scenario.keys = ["job", "origin", "children"].map(str::to_owned).to_vec();
    case.scenario.attack = Some(kind);
    case.scenario.targets = Some(500);
    case
}

#[test]
fn linkage_finds_people_in_spite_of_mistakes_and_knows_how_sure_it_is() {
    let exact = with_mistakes(AttackKind::Exact).attack().card;
    let linkage = with_mistakes(AttackKind::Linkage).attack().card;
    assert!(exact.recall.high < 0.75 && linkage.recall.low > 0.85, "{:?} {:?}", exact.recall, linkage.recall);
    let sure = linkage.at_confidence.iter().find(|at| at.confidence == 0.8).unwrap();
    assert!(sure.claims > 400 && sure.precision.value > 0.97, "{sure:?}");
    // Without their own records people are seldom taken for others.
    let control = linkage.control.unwrap();
    assert!(control.held_out && control.confident_claims < 50, "{control:?}");
}

#[test]
fn linkage_compares_bands_with_the_values_inside() {
    let mut case = with_mistakes(AttackKind::Linkage);
    case.spec.variables[0].hierarchy = Some(outward_spec::HierarchySpec::Width { width: 5, bottom: None, top: None });
    case.recode("age", 1);
    let card = case.attack().card;
    assert!(card.recall.low > 0.8, "{:?}", card.recall);
}

#[test]
fn the_example_of_the_method_page_comes_out_as_by_hand() {
    let source = vec![
        column("sex", ["m", "m", "m", "f"]),
        column("age", ["20", "20", "30", "30"]),
        column("illness", ["a", "b", "a", "a"]),
    ];
    let spec = "variables = [{ name = \"sex\", role = \"key\" }, { name = \"age\", role = \"key\" }, { name = \"illness\", role = \"sensitive\" }]";
    let outcome = Case::new(spec, source).attack();
    let card = &outcome.card;
    assert_eq!((card.expected, card.baseline), (3.0, 0.25));
    for contribution in &card.contributions {
        assert_eq!((contribution.shapley, contribution.last, contribution.alone), (1.0, 1.0, 1.0));
    }
    let confidences: Vec<f64> = outcome.claims.iter().map(|claim| claim.confidence).collect();
    assert_eq!(confidences, [0.5, 0.5, 1.0, 1.0]);
    let illness = &card.attributes[0];
    assert_eq!((illness.correct, illness.answered, illness.guess, illness.gain), (3, 4, 0.75, 0.0));
}
