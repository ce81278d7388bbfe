//! Public files of people with errors, beside what Splink 4.0.17 finds in them with the same model or the same comparisons.

use outward_intruder::linkage::{BlockingRule, Linker, Model, Records, Scored, Settings, Training};
use outward_testing::real_data::text;

use crate::fixtures::records;

/// A comma-separated file without quotes. A column `person` is added.
fn read(name: &str, person: impl Fn(&[&str]) -> String) -> Records {
    let text = text(name);
    let mut lines = text.lines().map(|line| line.split(',').map(str::trim).collect::<Vec<_>>());
    let header = lines.next().unwrap();
    let rows: Vec<Vec<&str>> = lines.collect();
    let mut columns: Vec<(&str, Vec<String>)> = Vec::new();
    for (at, name) in header.iter().enumerate() {
        columns.push((name, rows.iter().map(|row| row[at].to_owned()).collect()));
    }
    columns.push(("person", rows.iter().map(|row| person(row)).collect()));
    records(&columns)
}

fn fake_1000() -> Records {
    read("fake_1000.csv.gz", |row| row[6].to_owned())
}

/// `rec-1496-org` and `rec-1496-dup-0` are one person.
fn febrl3() -> Records {
    read("febrl3.csv.gz", |row| row[0].split('-').nth(1).unwrap().to_owned())
}

fn linker(model: &str, file: &Records) -> Linker {
    let settings = Settings { threads: 2, also: vec!["person".to_owned()], ..Settings::default() };
    Linker::new(Model::from_json(model).unwrap(), file, None, settings).unwrap()
}

/// That with Splink's own parameters there are as many pairs, true pairs and weights as Splink has.
fn assert_same_as_splink(linker: &Linker, expected: &[(f64, u64, u64, f64)]) {
    for (threshold, pairs, correct, weights) in expected {
        let scored = linker.score(*threshold, Some("person")).unwrap();
        assert_eq!(scored.pairs.len() as u64, *pairs, "pairs at {threshold}");
        assert_eq!(scored.accuracy.unwrap().correct, *correct, "correct pairs at {threshold}");
        let sum: f64 = scored.pairs.iter().map(|pair| pair.weight).sum();
        assert!((sum - weights).abs() < 1e-6 * weights, "sum of weights at {threshold}: {sum} for {weights}");
    }
}

// The m of one level that Splink saw no pair at is written into the model: it is the first guess that Splink uses in its place.
#[test]
fn fake_1000_has_the_pairs_and_weights_that_splink_finds_with_its_model() {
    let expected = [
        (0.5, 1_358, 1_358, 13_898.987_444_833_077),
        (0.9, 1_213, 1_213, 13_635.488_632_432_753),
        (0.99, 947, 947, 12_346.760_677_445_916),
        (0.999, 682, 682, 10_125.328_094_896_595),
    ];
    assert_same_as_splink(&linker(include_str!("splink_fake_1000.json"), &fake_1000()), &expected);
}

#[test]
fn febrl3_has_the_pairs_and_weights_that_splink_finds_with_its_model() {
    let expected = [
        (0.1, 6_515, 6_509, 200_401.667_863_976_5),
        (0.5, 6_487, 6_487, 200_446.701_940_930_97),
        (0.95, 6_429, 6_429, 200_322.740_977_536_57),
        (0.999, 6_258, 6_258, 199_061.568_940_261_44),
    ];
    assert_same_as_splink(&linker(include_str!("splink_febrl3.json"), &febrl3()), &expected);
}

fn f1(scored: &Scored, probability: f64) -> f64 {
    let line = scored.thresholds.iter().find(|line| line.probability == probability).unwrap();
    line.accuracy.unwrap().f1.unwrap()
}

#[test]
fn febrl3_trained_here_has_an_f1_no_worse_than_splinks() {
    let mut linker = linker(include_str!("splink_febrl3.json"), &febrl3());
    let training = Training {
        deterministic: vec![
            BlockingRule::on_columns(&["soc_sec_id"]),
            BlockingRule::on_columns(&["given_name", "surname", "date_of_birth"]),
        ],
        recall: 0.9,
        runs: vec![BlockingRule::on_columns(&["date_of_birth"]), BlockingRule::on_columns(&["postcode"])],
        ..Training::default()
    };
    let trained = linker.train(&training).unwrap();
    assert!(trained.runs.iter().all(|run| run.converged));
    let scored = linker.score(0.5, Some("person")).unwrap();
    // Splink's F1 with the same comparisons, trained on the same rules.
    for (threshold, splink) in [(0.1, 0.997_318), (0.5, 0.996_084), (0.95, 0.991_594)] {
        assert!(f1(&scored, threshold) >= splink, "{} at {threshold}", f1(&scored, threshold));
    }
}

#[test]
fn fake_1000_trained_here_has_an_f1_no_worse_than_splinks() {
    let mut linker = linker(include_str!("splink_fake_1000.json"), &fake_1000());
    let training = Training {
        deterministic: vec![
            BlockingRule::on_columns(&["first_name", "surname", "dob"]),
            BlockingRule::on_columns(&["email"]),
        ],
        recall: 0.7,
        runs: vec![BlockingRule::on_columns(&["first_name", "surname"]), BlockingRule::on_columns(&["dob"])],
        ..Training::default()
    };
    linker.train(&training).unwrap();
    let scored = linker.score(0.5, Some("person")).unwrap();
    for (threshold, splink) in [(0.5, 0.801_416), (0.9, 0.747_842), (0.99, 0.635_997)] {
        assert!(f1(&scored, threshold) >= splink, "{} at {threshold}", f1(&scored, threshold));
    }
}
