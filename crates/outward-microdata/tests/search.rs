//! The recoding search against enumeration of all recodings, on small random tables.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod search_cases;

use outward_microdata::loss::{
    Aggregate, Balance, ClassSize, Discernibility, Entropy, Form, Measure, Precision, Share,
};
use outward_microdata::models::Model;
use outward_microdata::search::{Search, Table, search};
use proptest::prelude::*;
use search_cases::{AverageRisk, Diverse, Odd, OnKeys, Present, Size, by_enumeration, tables};

fn measure(which: usize, aggregate: usize) -> Measure {
    let form = if which.is_multiple_of(2) { Form::Full } else { Form::Monotone };
    let balance = Balance::new([0.5, 0.25, 0.8][which % 3]).unwrap();
    let aggregates = [Aggregate::Mean, Aggregate::GeometricMean, Aggregate::Sum, Aggregate::Maximum, Aggregate::Rank];
    let aggregate = aggregates[aggregate];
    match which / 2 % 5 {
        0 => Measure::new(Share { balance, form }, aggregate),
        1 => Measure::new(Precision { balance, form }, aggregate),
        2 => Measure::new(Discernibility { form }, aggregate),
        3 => Measure::new(ClassSize, aggregate),
        _ => Measure::new(Entropy { balance, form }, aggregate),
    }
}

fn models(which: usize, k: u64) -> Vec<Box<dyn Model>> {
    match which {
        0 => vec![Box::new(Size(k))],
        1 => vec![Box::new(OnKeys { keys: vec![0], subset: None, k: k + 1 }), Box::new(Size(2))],
        2 => vec![Box::new(OnKeys { keys: vec![0, 1], subset: Some(0), k })],
        3 => vec![Box::new(Diverse(2)), Box::new(Size(k))],
        4 => vec![Box::new(Odd), Box::new(Size(k))],
        5 => vec![Box::new(Size(k)), Box::new(AverageRisk(0.3))],
        6 => vec![Box::new(Present(0.6)), Box::new(Size(2))],
        _ => vec![Box::new(OnKeys { keys: vec![1], subset: Some(1), k }), Box::new(Diverse(2))],
    }
}

fn check(table: &Table, models: &[Box<dyn Model>], measure: &Measure, limit: f64) {
    let settings = |threads| Search { limit, threads, ..Search::new(models, measure) };
    let answer = search(table, &settings(1)).unwrap();
    let all = by_enumeration(table, models, measure, limit);
    assert!(answer.finished);
    let Some(best) = &answer.best else {
        assert!(all.is_empty(), "the search found nothing where enumeration did");
        assert!(answer.shortfall.is_some());
        return;
    };
    let (levels, loss) = all.first().expect("the search found a recoding that enumeration did not");
    assert_eq!((&best.levels, best.loss), (levels, *loss));
    assert_eq!(answer.bound, best.loss);
    let again = search(table, &settings(2)).unwrap();
    assert_eq!(again.best.as_ref(), Some(best));
    assert_eq!(again.nodes, answer.nodes);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn search_equals_enumeration_of_all_recodings(
        table in tables(),
        which in 0usize..30,
        aggregate in 0usize..5,
        (model, k) in (0usize..8, 1u64..6),
        limit in prop_oneof![Just(0.0), Just(0.1), Just(0.3), Just(1.0)],
    ) {
        check(&table, &models(model, k), &measure(which, aggregate), limit);
    }

    #[test]
    fn an_unfinished_search_has_a_bound_below_the_best_of_all(
        table in tables(),
        which in 0usize..30,
        most_nodes in 1u64..20,
    ) {
        let (models, measure) = (models(0, 3), measure(which, 0));
        let whole = search(&table, &Search { limit: 0.3, ..Search::new(&models, &measure) }).unwrap();
        let part = search(&table, &Search { limit: 0.3, most_nodes, ..Search::new(&models, &measure) }).unwrap();
        prop_assert!(part.bound <= whole.bound);
        if let (Some(best), Some(found)) = (&whole.best, &part.best) {
            prop_assert!(found.loss >= best.loss);
        }
        prop_assert!(!part.finished || part.bound == whole.bound);
    }
}
