//! The measures that `real_data` compares with peers, on small files worked out by hand.

use super::{folder, json, outward};

/// The ten records of `docs/methods/suda.md`, the ninth without a job.
const TEN: &str = "sex,age,job,area\n\
    F,30,nurse,N\nF,30,nurse,N\nF,30,smith,S\nF,40,nurse,S\nM,30,nurse,S\n\
    M,30,nurse,S\nM,40,smith,N\nM,40,smith,S\nM,40,,N\nM,50,smith,N\n";

fn assess(text: &str, args: &[&str]) -> serde_json::Value {
    let folder = folder();
    std::fs::write(folder.path().join("ten.csv"), text).unwrap();
    json(&outward(folder.path(), &[&["assess", "ten.csv", "--format", "json"], args].concat()))
}

#[test]
fn ten_records_have_eight_combinations_of_which_six_are_unique_and_special_uniques_that_score_20() {
    let found = assess(TEN, &["--keys", "sex,age,job,area", "--suda", "--k", "3"]);
    assert_eq!((&found["records"], &found["cells"], &found["uniques"]), (&10.into(), &8.into(), &6.into()));
    assert_eq!(found["below_k"], 10);
    // Rows 3 and 4 score 5 each, row 7 1, row 8 3, row 10 6.
    assert_eq!((&found["suda"]["minimal_uniques"], &found["suda"]["score_sum"]), (&11.into(), &20.0.into()));
    assert_eq!(found["tables"].as_array().unwrap().len(), 6 + 4 + 1);
}

/// Classes of 4, 2, 1, 1, 1, 1: one in five of a population of fifty. `docs/methods/population.md`.
#[test]
fn ten_people_of_fifty_have_the_population_uniques_worked_out_by_hand() {
    let people: String = "aaaabbcdef".chars().map(|key| format!("{key},5\n")).collect();
    let text = format!("key,weight\n{people}");
    let found = assess(&text, &["--keys", "key", "--weight", "weight"]);
    // p is 0.2 everywhere: 0.2/(3 + 0.2); 0.25 − 0.0625·ln 5; 0.25·ln 5.
    let expected = 4.0 * 0.0625 + 2.0 * (0.25 - 0.0625 * 5f64.ln()) + 4.0 * 0.25 * 5f64.ln();
    assert!((found["expected_reidentifications"].as_f64().unwrap() - expected).abs() < 1e-12);
    let found = assess(&text, &["--keys", "key", "--sampling-fraction", "0.2"]);
    let (h2, h4) = (2.0 * 40.0 / 49.0, 4.0 * 40.0 * 39.0 * 38.0 / (49.0 * 48.0 * 47.0));
    for (name, share) in [("zayatz", 0.4 * 4.0 / (4.0 + h2 + h4)), ("pitman", 0.091_946_948)] {
        let ours = found["population"][name].as_f64().unwrap();
        assert!((ours - share).abs() < 1e-8, "{name}: {ours}");
    }
}
