//! Privacy models together: what a policy asks, and what recoding and merging of classes does to them.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::cell::Cell;

use outward_microdata::models::{
    AskedModels, Class, Distance, DiversityKind, LikenessKind, Model, SensitiveVariable, WeakK,
};
use outward_testing::random_cases::check;
use proptest::prelude::*;

fn illness(distance: Distance, whole: &[(u32, u64)]) -> SensitiveVariable {
    SensitiveVariable {
        name: "illness".into(),
        complete: whole.iter().all(|(code, _)| *code != 0),
        whole: whole.to_vec(),
        distance,
    }
}

/// Everything asked at once, of two keys and a sensitive variable.
fn everything() -> AskedModels {
    AskedModels {
        keys: vec!["age".into(), "sex".into()],
        subsets: vec!["region = 'North'".into()],
        sensitive: vec![illness(Distance::Equal, &[(1, 4), (2, 2), (3, 1)])],
        has_population: true,
        sampling_fraction: Some(0.1),
        k: Some(3),
        weak: vec![WeakK { keys: vec![1], subset: None, k: 10 }, WeakK { keys: Vec::new(), subset: Some(0), k: 5 }],
        all_combinations: Some((1, 20)),
        diversity: Some(DiversityKind::Recursive { c: 2.0, l: 2 }),
        t: Some(0.25),
        likeness: Some((LikenessKind::Enhanced, 1.0)),
        disclosure: Some(1.5),
        presence: Some((0.0, 0.5)),
        k_map: Some(6),
        population_unique_share: Some(0.001),
        average_risk: Some(0.05),
        highest_risk: Some(0.2),
        max_unique_share: Some(0.0),
    }
}

#[test]
fn a_policy_says_in_words_what_it_asks() {
    let says: Vec<String> = everything().models().unwrap().iter().map(|model| model.says()).collect();
    let expected = [
        "k-anonymity with k = 3",
        "weak k-anonymity with k = 10 on sex",
        "weak k-anonymity with k = 5 on all keys among records where region = 'North'",
        "k = 20 for every combination of up to 1 keys",
        "recursive (c, l)-diversity of `illness` with c = 2, l = 2",
        "t-closeness of `illness` with t = 0.25 (equal distance)",
        "enhanced β-likeness of `illness` with β = 1",
        "δ-disclosure privacy of `illness` with δ = 1.5",
        "δ-presence from 0 to 0.5",
        "k-map with k = 6",
        "highest risk at most 0.2 (k = 5)",
        "average risk at most 0.05",
        "share of records alone at most 0",
        "share of population uniques at most 0.001",
    ];
    assert_eq!(says, expected);
    assert!(AskedModels::default().models().unwrap().is_empty());
}

#[test]
fn a_policy_that_makes_no_sense_is_refused_with_the_reason() {
    let refused = |change: fn(&mut AskedModels), part: &str| {
        let mut asked = everything();
        change(&mut asked);
        let error = asked.models().unwrap_err();
        assert!(error.to_string().contains(part), "{error}");
        assert!(error.help().is_some());
    };
    refused(|asked| asked.k = Some(0), "k is 0");
    refused(|asked| asked.keys.clear(), "no keys");
    refused(|asked| asked.t = Some(1.5), "t is 1.5");
    refused(|asked| asked.t = Some(f64::NAN), "t is NaN");
    refused(|asked| asked.diversity = Some(DiversityKind::Entropy { l: 0.5 }), "l is 0.5");
    refused(|asked| asked.diversity = Some(DiversityKind::Recursive { c: 0.0, l: 2 }), "c is 0");
    refused(|asked| asked.sensitive.clear(), "no variable is sensitive");
    refused(|asked| asked.has_population = false, "no population file");
    refused(|asked| asked.presence = Some((0.5, 0.2)), "is more than the largest");
    refused(
        |asked| {
            (asked.has_population, asked.presence, asked.k_map, asked.sampling_fraction) = (false, None, None, None);
        },
        "sampling fraction is not known",
    );
    refused(|asked| asked.highest_risk = Some(0.0), "highest risk is 0");
    refused(|asked| asked.all_combinations = Some((0, 3)), "combinations of 0 keys");
    refused(
        |asked| {
            asked.keys = (0..40).map(|key| format!("key {key}")).collect();
            asked.all_combinations = Some((10, 3));
        },
        "more than 100000 combinations",
    );
    refused(
        |asked| asked.sensitive[0].distance = Distance::Hierarchical(vec![vec![0, 1]]),
        "hierarchy misses some values",
    );
}

/// Codes with their counts, of two classes and of what both make together, within a whole.
type Two = [Vec<(u32, u64)>; 3];

fn codes(counts: &[u64]) -> Vec<(u32, u64)> {
    counts.iter().enumerate().filter(|(_, count)| **count > 0).map(|(code, count)| (code as u32, *count)).collect()
}

fn class(sensitive: &[Vec<(u32, u64)>], population: u64) -> Class<'_> {
    let records = sensitive[0].iter().map(|(_, count)| count).sum();
    Class { records, population: Some(population), sensitive }
}

/// Every model of classes, with limits that classes of a few records meet about half the time.
fn class_models(whole: &[u64], strictness: f64) -> Vec<Box<dyn Model>> {
    let levels = vec![vec![0, 1, 1, 1, 2, 2], vec![0, 1, 1, 1, 1, 1]];
    let l = 1.0 + 3.0 * strictness;
    let distances = [Distance::Equal, Distance::Ordered, Distance::Hierarchical(levels)];
    let kinds = [
        DiversityKind::Distinct { l: l as u64 },
        DiversityKind::Entropy { l },
        DiversityKind::Recursive { c: 2.0 - strictness, l: l as u64 },
    ];
    let likeness = [LikenessKind::Basic, LikenessKind::Enhanced];
    let mut models = Vec::new();
    for at in 0..3 {
        let asked = AskedModels {
            keys: vec!["age".into()],
            sensitive: vec![illness(distances[at].clone(), &codes(whole))],
            has_population: true,
            diversity: Some(kinds[at]),
            t: Some(0.5 * (1.0 - strictness)),
            likeness: Some((likeness[at % 2], 2.0 * (1.0 - strictness) + 0.1)),
            k_map: Some(1 + (20.0 * strictness) as u64),
            presence: Some((0.1 * strictness, 1.0 - 0.5 * strictness)),
            ..AskedModels::default()
        };
        models.extend(asked.models().unwrap());
    }
    models
}

fn two_classes() -> impl Strategy<Value = (Two, [u64; 2], Vec<u64>, f64)> {
    let counts = || prop::collection::vec(0u64..6, 6);
    let counts = || {
        let few = prop::collection::vec(prop_oneof![3 => Just(0u64), 1 => 1u64..6], 6);
        prop_oneof![counts(), few]
    };
    (counts(), counts(), counts(), 0u64..20, 0u64..20, 0.0f64..1.0)
        .prop_filter("both have records", |(a, b, ..)| a.iter().sum::<u64>() > 0 && b.iter().sum::<u64>() > 0)
        .prop_map(|(a, b, rest, more_a, more_b, strictness)| {
            let both: Vec<u64> = a.iter().zip(&b).map(|(a, b)| a + b).collect();
            let whole: Vec<u64> = both.iter().zip(&rest).map(|(both, rest)| both + rest).collect();
            let people = [a.iter().sum::<u64>() + more_a, b.iter().sum::<u64>() + more_b];
            ([codes(&a), codes(&b), codes(&both)], people, whole, strictness)
        })
}

#[test]
fn two_classes_that_hold_hold_together_where_a_model_says_so() {
    // For each model: of how many pairs both hold, and how many fail together.
    let counts: Vec<[Cell<u32>; 2]> = class_models(&[1; 6], 0.5).iter().map(|_| Default::default()).collect();
    check(2_000, &two_classes(), |(values, people, whole, strictness)| {
        for (model, [held, failed]) in class_models(&whole, strictness).iter().zip(&counts) {
            let [a, b, both] = [(0, people[0]), (1, people[1]), (2, people[0] + people[1])]
                .map(|(at, people)| model.class_holds(&class(&values[at..=at], people)));
            if model.is_monotone() && a && b {
                prop_assert!(both, "{}", model.says());
            }
            if model.parts_fail_too() && !both {
                prop_assert!(!a && !b, "{}", model.says());
            }
            held.update(|count| count + u32::from(a && b));
            failed.update(|count| count + u32::from(!both));
        }
        Ok(())
    });
    for (model, [held, failed]) in class_models(&[1; 6], 0.5).iter().zip(&counts) {
        let (held, failed) = (held.get(), failed.get());
        println!("{}: of 2,000 pairs both hold in {held}, fail together in {failed}", model.says());
        assert!(!model.is_monotone() || held >= 100, "{}: {held}", model.says());
        assert!(!model.parts_fail_too() || failed >= 5, "{}: {failed}", model.says());
    }
}

#[test]
fn a_class_holds_just_when_its_figure_is_within_the_limit() {
    // For each model: how many classes have a figure that is within the limit, and how many one beyond it.
    let counts: Vec<[Cell<u32>; 2]> = class_models(&[1; 6], 0.5).iter().map(|_| Default::default()).collect();
    check(2_000, &two_classes(), |(values, people, whole, strictness)| {
        for (model, counts) in class_models(&whole, strictness).iter().zip(&counts) {
            let class = class(&values[0..1], people[0]);
            let limit = model.limit().unwrap();
            let Some(figure) = model.class_figure(&class) else { continue };
            let near = limit.excess(figure).abs() < 1e-9;
            prop_assert!(near || model.class_holds(&class) == limit.holds(figure), "{} {figure}", model.says());
            counts[usize::from(!limit.holds(figure))].update(|count| count + 1);
        }
        Ok(())
    });
    for (model, [within, beyond]) in class_models(&[1; 6], 0.5).iter().zip(&counts) {
        println!("{}: {within:?} within, {beyond:?} beyond", model.says());
        assert!(within.get() >= 100 && beyond.get() >= 50, "{}: {within:?}, {beyond:?}", model.says());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn the_whole_is_no_distance_from_itself((values, _, _, _) in two_classes()) {
        let levels = vec![vec![0, 1, 1, 1, 2, 2]];
        for distance in [Distance::Equal, Distance::Ordered, Distance::Hierarchical(levels)] {
            let asked = AskedModels { sensitive: vec![illness(distance, &values[0])], t: Some(0.0), ..AskedModels::default() };
            let model = asked.models().unwrap().remove(0);
            prop_assert!(model.class_holds(&class(&values[0..1], 0)));
            let refitted = model.fitted(&values[1..2]).unwrap();
            prop_assert!(refitted.class_holds(&class(&values[1..2], 0)));
        }
    }
}
