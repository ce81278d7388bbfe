//! Parameters and matches that were planted are found again.

use outward_intruder::linkage::{
    BlockingRule, LinkType, Linker, Model, Records, Settings, Training, assign_one_to_one,
};

use crate::fixtures::{exact, model, two_files};

/// Name, values, and how often the second file has another value drawn in its place.
const COLUMNS: [(&str, u64, f64); 5] =
    [("a", 50, 0.1), ("b", 40, 0.2), ("c", 30, 0.05), ("d", 200, 0.1), ("e", 20, 0.3)];

fn settings(threads: usize) -> Settings {
    Settings { threads, also: vec!["person".to_owned()], ..Settings::default() }
}

/// A model trained on 4,000 records of two files each, 2,000 of them common.
fn trained(threads: usize) -> (Linker, outward_intruder::linkage::Trained) {
    let (left, right) = two_files(4_000, 2_000, &COLUMNS, 7);
    let comparisons = COLUMNS.iter().map(|column| exact(column.0)).collect();
    let model = model(LinkType::LinkOnly, comparisons, &["l.d = r.d", "l.a = r.a AND l.b = r.b"]);
    let mut linker = Linker::new(model, &left, Some(&right), settings(threads)).unwrap();
    let training = Training {
        deterministic: vec![BlockingRule::on_columns(&["a", "b", "c", "d", "e"])],
        // The product of the planted shares of agreement.
        recall: COLUMNS.iter().map(|(_, values, wrong)| 1.0 - wrong * (1.0 - 1.0 / *values as f64)).product(),
        ..Training::default()
    };
    let trained = linker.train(&training).unwrap();
    (linker, trained)
}

#[test]
fn training_recovers_the_planted_m_u_and_prior() {
    let (linker, trained) = trained(2);
    assert!(trained.runs.iter().all(|run| run.converged));
    for (comparison, (_, values, wrong)) in linker.model().comparisons.iter().zip(COLUMNS) {
        let level = &comparison.levels[1];
        let (u, m) = (1.0 / values as f64, 1.0 - wrong * (1.0 - 1.0 / values as f64));
        // Four standard errors: of 1,000,000 random pairs, and of some 1,800 matches among the blocked pairs.
        let (u_error, m_error) = (4.0 * (u * (1.0 - u) / 1e6).sqrt(), 4.0 * (m * (1.0 - m) / 1_500.0).sqrt());
        assert!((level.u.unwrap() - u).abs() < u_error, "u of {}: {:?} for {u}", comparison.name, level.u);
        assert!((level.m.unwrap() - m).abs() < m_error, "m of {}: {:?} for {m}", comparison.name, level.m);
    }
    let planted = 2_000.0 / (4_000.0 * 4_000.0);
    assert!((linker.model().prior / planted - 1.0).abs() < 0.1, "{}", linker.model().prior);
}

#[test]
fn matches_among_random_pairs_do_not_raise_u() {
    // Everybody is in both files: of all 160,000 pairs 400 are one person, and of those that agree on d about a third.
    let (left, right) = two_files(400, 400, &COLUMNS, 11);
    let comparisons = COLUMNS.iter().map(|column| exact(column.0)).collect();
    let model = model(LinkType::LinkOnly, comparisons, &["l.d = r.d"]);
    let mut linker = Linker::new(model, &left, Some(&right), settings(1)).unwrap();
    let training = Training {
        deterministic: vec![BlockingRule::on_columns(&["person"])],
        recall: 1.0,
        runs: vec![BlockingRule::on_columns(&["d"]), BlockingRule::on_columns(&["a", "b"])],
        ..Training::default()
    };
    linker.train(&training).unwrap();
    for (at, (name, ..)) in COLUMNS.into_iter().enumerate() {
        let values = |records: &Records| -> Vec<String> {
            let column = &records.columns[at];
            column.codes.iter().map(|code| column.dictionary.value(*code).unwrap_or_default().to_owned()).collect()
        };
        let (left, right) = (values(&left), values(&right));
        let of_record =
            |row: usize| (0..400).filter(|other| right[*other] == left[row]).partition(|other| *other == row);
        let agree: Vec<(Vec<usize>, Vec<usize>)> = (0..400).map(of_record).collect();
        let (own, others): (usize, usize) =
            agree.iter().fold((0, 0), |sum, one| (sum.0 + one.0.len(), sum.1 + one.1.len()));
        let (share, others) = ((own + others) as f64 / 160_000.0, others as f64 / 159_600.0);
        let u = linker.model().comparisons[at].levels[1].u.unwrap();
        // m is from EM, with an error of a few hundredths; 400/160,000 of that is left in u.
        assert!((u - others).abs() < 0.04 / 400.0, "u of {name}: {u} for {others}");
        assert!((u - share).abs() > 0.5 * (others - share).abs(), "u of {name}: {u}, the share of all pairs {share}");
    }
}

#[test]
fn u_of_a_column_that_only_matches_agree_on_is_small_and_adds_up_to_one() {
    // No two people share a value of e-mail: what random pairs agree on it are matches.
    let columns = [("a", 50, 0.1), ("email", 1 << 40, 0.1), ("b", 40, 0.2)];
    let (left, right) = two_files(400, 400, &columns, 12);
    let comparisons = columns.iter().map(|column| exact(column.0)).collect();
    let model = model(LinkType::LinkOnly, comparisons, &["l.email = r.email"]);
    let mut linker = Linker::new(model, &left, Some(&right), settings(1)).unwrap();
    let training = Training {
        deterministic: vec![BlockingRule::on_columns(&["person"])],
        recall: 1.0,
        runs: vec![BlockingRule::on_columns(&["a", "b"]), BlockingRule::on_columns(&["email"])],
        ..Training::default()
    };
    linker.train(&training).unwrap();
    for comparison in &linker.model().comparisons {
        let sum: f64 = comparison.levels.iter().filter_map(|level| level.u).sum();
        assert!((sum - 1.0).abs() < 1e-9, "{}: {sum}", comparison.name);
    }
    let email = linker.model().comparisons[1].levels[1].u.unwrap();
    assert!(email < 0.0001, "{email}, where 360 of 160,000 pairs agree");
    // The model can be written and read again.
    let written = linker.model().to_json().unwrap();
    assert!(Model::from_json(&written).is_ok());
}

#[test]
fn the_prior_is_found_without_deterministic_rules_too() {
    let (left, right) = two_files(4_000, 2_000, &COLUMNS, 8);
    let comparisons = COLUMNS.iter().map(|column| exact(column.0)).collect();
    let model = model(LinkType::LinkOnly, comparisons, &["l.d = r.d", "l.a = r.a AND l.b = r.b", "l.c = r.c"]);
    let mut linker = Linker::new(model, &left, Some(&right), settings(1)).unwrap();
    linker.train(&Training::default()).unwrap();
    let planted = 2_000.0 / (4_000.0 * 4_000.0);
    assert!((linker.model().prior / planted - 1.0).abs() < 0.1, "{}", linker.model().prior);
}

#[test]
fn a_known_overlap_gives_a_known_success() {
    let (linker, _) = trained(1);
    let scored = linker.score(0.5, Some("person")).unwrap();
    assert_eq!(scored.true_pairs, Some(2_000));
    // What the model says of its own pairs is what the truth says: the expected number of correct pairs is near the counted one.
    let expected: f64 = scored.pairs.iter().map(|pair| pair.probability()).sum();
    let correct = scored.accuracy.unwrap().correct as f64;
    assert!((expected - correct).abs() < 4.0 * correct.sqrt(), "{expected} expected, {correct} correct");
    // Both rules miss a pair where d and one of a and b differ: some 0.0995 · 0.28 of them.
    let (d, a, b) = (0.1 * 0.995, 0.1 * 0.98, 0.2 * 0.975);
    let blocked = 1.0 - d * (1.0 - (1.0 - a) * (1.0 - b));
    let found = scored.thresholds[0].accuracy.unwrap().recall.unwrap();
    assert!((found - blocked).abs() < 0.02, "{found} found, {blocked} blocked");
}

#[test]
fn one_to_one_assignment_is_at_least_as_precise() {
    let (linker, _) = trained(1);
    let scored = linker.score(0.2, Some("person")).unwrap();
    let assigned = assign_one_to_one(&scored.pairs);
    let correct = |pairs: &[outward_intruder::linkage::ScoredPair]| {
        // The first 2,000 of both files are the same people.
        pairs.iter().filter(|pair| pair.left == pair.right && pair.left < 2_000).count() as f64 / pairs.len() as f64
    };
    assert!(assigned.pairs.len() < scored.pairs.len());
    assert!(correct(&assigned.pairs) > correct(&scored.pairs));
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    let (one, one_trained) = trained(1);
    let (three, three_trained) = trained(3);
    assert_eq!(one_trained, three_trained);
    assert_eq!(one.model(), three.model());
    let (a, b) = (one.score(0.3, Some("person")).unwrap(), three.score(0.3, Some("person")).unwrap());
    assert_eq!(a, b);
    assert!(!a.pairs.is_empty());
}

#[test]
fn a_run_that_may_not_go_on_says_that_it_did_not_converge() {
    let (left, right) = two_files(500, 200, &COLUMNS, 3);
    let comparisons = COLUMNS.iter().map(|column| exact(column.0)).collect();
    let mut model = model(LinkType::LinkOnly, comparisons, &["l.d = r.d"]);
    model.max_iterations = 2;
    let mut linker = Linker::new(model, &left, Some(&right), Settings::default()).unwrap();
    let trained = linker.train(&Training::default()).unwrap();
    assert!(!trained.runs[0].converged);
    assert_eq!(trained.runs[0].history.len(), 2);
}

#[test]
fn the_terms_of_a_pair_add_up_to_its_weight() {
    let (linker, _) = trained(1);
    let scored = linker.score(0.5, None).unwrap();
    for pair in scored.pairs.iter().step_by(100) {
        let waterfall = linker.waterfall(pair.left as usize, pair.right as usize).unwrap();
        let sum: f64 = waterfall.terms.iter().map(|term| term.weight).sum();
        assert!((sum - pair.weight).abs() < 1e-9);
        assert_eq!(waterfall.terms.len(), 1 + COLUMNS.len());
    }
}
