//! The recoding search against enumeration of all recodings, on small random tables.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod search_cases;

use std::sync::Mutex;

use outward_microdata::loss::{
    Aggregate, Balance, ClassSize, Discernibility, Entropy, LossForm, Measure, Precision, Share,
};
use outward_microdata::models::Model;
use outward_microdata::search::{Search, SearchState, SearchTable, Watch, improve, search};
use proptest::prelude::*;
use search_cases::{
    AverageRisk, Diverse, Odd, OnKeys, Present, Size, by_enumeration, published_sizes, tables, wide_table,
};

fn measure(which: usize, aggregate: usize) -> Measure {
    let form = if which.is_multiple_of(2) { LossForm::Full } else { LossForm::Monotone };
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

/// Whether there is a recoding, which then is the best of all.
fn finds_the_best(table: &SearchTable, models: &[Box<dyn Model>], measure: &Measure, limit: f64) -> bool {
    let settings = |threads| Search { limit, threads, ..Search::new(models, measure) };
    let answer = search(table, &settings(1)).unwrap();
    let all = by_enumeration(table, models, measure, limit);
    assert!(answer.finished);
    let Some(best) = &answer.best else {
        assert!(all.is_empty(), "the search found nothing where enumeration did");
        assert!(answer.shortfall.is_some());
        return false;
    };
    let (levels, loss) = all.first().expect("the search found a recoding that enumeration did not");
    assert_eq!((&best.levels, best.loss), (levels, *loss));
    assert_eq!(answer.bound, best.loss);
    let again = search(table, &settings(2)).unwrap();
    assert_eq!(again.best.as_ref(), Some(best));
    assert_eq!(again.nodes, answer.nodes);
    true
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
        prop_assume!(finds_the_best(&table, &models(model, k), &measure(which, aggregate), limit));
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
        prop_assert!(part.bound <= whole.bound, "{} above {}", part.bound, whole.bound);
        prop_assert!(!part.finished || part.bound == whole.bound);
        let (Some(best), Some(found)) = (&whole.best, &part.best) else {
            return Err(TestCaseError::reject("one of the two found nothing"));
        };
        prop_assert!(found.loss >= best.loss);
    }

    #[test]
    fn local_improvement_never_loses_and_leaves_every_published_class_large_enough(
        table in tables(),
        k in 2u64..5,
        round_limit in prop_oneof![Just(0.5), Just(1.0)],
    ) {
        let (models, measure) = (models(0, k), measure(0, 0));
        let settings = Search { limit: 1.0, ..Search::new(&models, &measure) };
        let best = search(&table, &settings).unwrap().best.unwrap();
        let improved = improve(&table, &settings, &best, round_limit, 10).unwrap();
        prop_assert!(improved.release.loss <= best.loss);
        prop_assert!(improved.release.suppressed_records <= best.suppressed_records);
        let sizes = published_sizes(&table, &improved.recoded);
        prop_assert!(sizes.iter().all(|size| *size >= k), "{sizes:?}");
        prop_assert_eq!(sizes.iter().sum::<u64>(), table.records() - improved.release.suppressed_records);
        prop_assert_eq!(sizes.len() as u64, improved.release.classes);
        prop_assert_eq!(improved.records.iter().sum::<u64>(), sizes.iter().sum::<u64>());
    }
}

#[test]
fn a_lattice_of_a_thousand_million_recodings_is_searched_in_bounded_steps() {
    let table = wide_table(12, 7, 400);
    assert!(table.recodings() > 1e9);
    let (models, measure) = (models(0, 5), measure(0, 0));
    let settings = |most_nodes| Search { limit: 0.05, most_nodes, ..Search::new(&models, &measure) };
    let short = search(&table, &settings(200)).unwrap();
    let long = search(&table, &settings(2_000)).unwrap();
    assert!(!short.finished && !long.finished);
    assert!(short.nodes < 400 && long.nodes < 2_200);
    let (first, later) = (short.best.unwrap(), long.best.unwrap());
    assert!(later.loss <= first.loss && later.loss < 1.0);
    assert!(short.bound <= long.bound && long.bound <= later.loss);
}

/// Ends a search when it is asked for the last time, and keeps what it was told.
#[derive(Debug)]
struct EndsAfter {
    asked: Mutex<Vec<SearchState>>,
    times: usize,
}

impl Watch for EndsAfter {
    fn goes_on(&self, state: &SearchState) -> bool {
        let mut asked = self.asked.lock().unwrap();
        asked.push(*state);
        asked.len() < self.times
    }
}

#[test]
fn a_search_that_is_ended_gives_its_best_so_far_and_a_bound_that_holds() {
    let table = wide_table(5, 4, 200);
    let (models, measure) = (models(0, 5), measure(0, 0));
    let settings = Search { limit: 0.05, ..Search::new(&models, &measure) };
    let whole = search(&table, &settings).unwrap();
    assert!(whole.finished && !whole.stopped);
    let least = whole.best.unwrap().loss;
    let mut losses = Vec::new();
    for times in [1, 2, 5, 10] {
        let watch = EndsAfter { asked: Mutex::default(), times };
        let ended = search(&table, &Search { watch: Some(&watch), ..settings.again() }).unwrap();
        let asked = watch.asked.into_inner().unwrap();
        assert_eq!(asked.len(), times, "a search asks once for every few recodings, and no more once it is ended");
        assert!(ended.stopped && !ended.finished);
        let found = ended.best.unwrap();
        assert!(ended.bound <= least && least <= found.loss, "{} {least} {}", ended.bound, found.loss);
        let last = asked.last().unwrap();
        assert_eq!((last.nodes, last.best, last.bound), (ended.nodes, Some(found.loss), ended.bound));
        losses.push(found.loss);
    }
    assert!(losses.is_sorted_by(|earlier, later| earlier >= later), "{losses:?}");
    let watch = EndsAfter { asked: Mutex::default(), times: usize::MAX };
    let followed = search(&table, &Search { watch: Some(&watch), ..settings.again() }).unwrap();
    assert!(followed.finished && followed.best.unwrap().loss == least, "to be followed changes no answer");
}

#[test]
fn a_policy_that_cannot_be_met_says_what_is_wrong_at_the_coarsest_levels() {
    let table = wide_table(2, 3, 6);
    let (models, measure) = (models(0, 9), measure(0, 0));
    let answer = search(&table, &Search::new(&models, &measure)).unwrap();
    assert!(answer.best.is_none() && answer.finished);
    let shortfall = answer.shortfall.unwrap();
    assert_eq!((shortfall.suppressed_records, shortfall.least_limit), (6, 1.0));
    assert_eq!(shortfall.models[0].smallest_count, Some(6));
    assert_eq!(shortfall.models[0].says, "k-anonymity with k = 9");
}

#[test]
fn limits_and_weights_that_make_no_sense_are_refused() {
    let table = wide_table(2, 3, 6);
    let (models, measure) = (models(0, 2), measure(0, 0));
    for limit in [-0.1, 1.5, f64::NAN] {
        assert!(search(&table, &Search { limit, ..Search::new(&models, &measure) }).is_err());
    }
    let weighted = Measure::new(Share::default(), Aggregate::Mean).weighted(vec![1.0; 3]).unwrap();
    let error = search(&table, &Search::new(&models, &weighted)).unwrap_err();
    assert_eq!(error.to_string(), "there are 3 weights for 2 keys");
}
