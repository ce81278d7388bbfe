//! `outward birthdays`: the calculator.

use crate::{folder, json, outward, refused, stderr, stdout};

fn birthdays(args: &[&str]) -> std::process::Output {
    outward(folder().path(), &[&["birthdays"], args].concat())
}

fn answer(args: &[&str]) -> serde_json::Value {
    json(&birthdays(&[args, &["--format", "json"]].concat()))
}

fn probability(args: &[&str]) -> f64 {
    answer(args)["probability"].as_f64().unwrap()
}

#[test]
fn a_birthday_among_250_people_is_ones_own_every_second_time() {
    assert!((probability(&["unique", "--people", "250"]) - 0.5).abs() < 0.01);
    assert!((probability(&["unique", "--people", "2500"]) - 0.001).abs() < 0.0002);
    let all: f64 =
        (1..=5).map(|sharing: u32| probability(&["unique", "--people", "5", "--sharing", &sharing.to_string()])).sum();
    assert!((all - 1.0).abs() < 1e-12);
    assert!(stdout(&birthdays(&["unique", "--people", "250"])).contains("nobody else"));
}

#[test]
fn the_printed_law_and_the_exact_one_differ_as_the_paper_does_not_say() {
    let at = |law| probability(&["distribution", "--people", "972", "--at-least", "0.05", "--law", law]);
    assert!((0.75..0.81).contains(&at("printed")), "{}", at("printed"));
    assert!(at("exact") > 0.998, "{}", at("exact"));
}

#[test]
fn table_1_comes_out_of_the_printed_formula_to_within_its_rounding() {
    let tables = answer(&["table"]);
    let largest: Vec<u64> =
        tables[0]["cells"].as_array().unwrap().iter().map(|cell| cell["largest_rounded"].as_u64().unwrap()).collect();
    // Five of the six entries are the paper's; no reading of its rounding gives all six.
    assert_eq!(largest, [972, 960, 940, 14, 11, 6]);
}

#[test]
fn a_place_of_four_thousand_is_known_by_its_birthdays() {
    let place = answer(&["place", "--people", "4000", "--overlap", "0.5", "--unique", "0.001"]);
    assert!((place["overall"]["unique"].as_f64().unwrap() - 0.95).abs() < 0.01);
    let discarded = place["overlap"]["overall"]["uncertain_candidates"].as_f64().unwrap();
    assert!((0.07..0.08).contains(&discarded), "{discarded}");
    let smallest = place["smallest_place"]["people"].as_u64().unwrap();
    assert!((450_000..560_000).contains(&smallest), "{smallest}");
    assert_eq!(answer(&["place", "--unique", "0.5"])["overall"], serde_json::Value::Null);
    assert_eq!(probability(&["distribution", "--people", "10000"]).to_bits(), 0, "not minus nothing");
}

#[test]
fn long_and_wide_tables_give_the_same_answer() {
    let folder = folder();
    std::fs::write(
        folder.path().join("long.csv"),
        "town,s,a,n\nA,f,30,20\nA,m,30,25\nA,f,90+,4\nA,m,90+,2\nB,f,30,9\nB,m,30,9\nB,f,90+,0\nB,m,90+,1\n",
    )
    .unwrap();
    std::fs::write(
        folder.path().join("wide.csv"),
        "town,s,total,30,90+\nA,f,24,20,4\nA,m,27,25,2\nB,f,9,9,0\nB,m,10,9,1\n",
    )
    .unwrap();
    let start = ["birthdays", "locality"];
    let long = ["long.csv", "--place", "town", "--sex", "s", "--age", "a", "--people", "n", "--format", "json"];
    let wide = ["wide.csv", "--place", "town", "--sex", "s", "--format", "json"];
    let long = json(&outward(folder.path(), &[&start[..], &long].concat()));
    let wide = json(&outward(folder.path(), &[&start[..], &wide].concat()));
    let alone = |found: &serde_json::Value, place: usize| found["places"][place]["unique"].as_f64().unwrap();
    assert!((0..2).all(|place| (alone(&long, place) - alone(&wide, place)).abs() < 1e-14));
    assert_eq!(long["overall"]["people"], 70.0);
}

#[test]
fn columns_that_are_not_called_after_ages_are_named_by_the_first_and_the_last() {
    let folder = folder();
    std::fs::write(folder.path().join("t.csv"), "town,total,q1,q2,q3\nA,9,2,3,4\n").unwrap();
    let args = ["birthdays", "locality", "t.csv", "--place", "town", "--format", "json", "--age-columns"];
    let found = json(&outward(folder.path(), &[&args[..], &["q1,q3", "--open-age", "2"]].concat()));
    assert_eq!((&found["overall"]["people"], &found["sex_known"]), (&9.0.into(), &false.into()));
    for (ends, says) in [("q1,q9", "no column `q9`"), ("q3,q1", "before the first"), ("q1", "two columns")] {
        let said = refused(&outward(folder.path(), &[&args[..], &[ends]].concat()));
        assert!(said.contains(says), "{ends}: {said}");
    }
}

#[test]
fn bad_tables_and_numbers_are_refused_with_their_row() {
    let folder = folder();
    let write = |text: &str| std::fs::write(folder.path().join("t.csv"), text).unwrap();
    let args = ["birthdays", "locality", "t.csv", "--place", "town", "--sex", "s"];
    let locality = |more: &[&str]| refused(&outward(folder.path(), &[&args[..], more].concat()));
    write("town,s,30,31\nA,f,20,-1\n");
    assert!(locality(&[]).contains("row 1"));
    write("town,s,30,31\nA,f,20,2.5\n");
    assert!(locality(&[]).contains("not a number of people"));
    write("town,s,30,31\nA,f,0,0\nA,m,0,0\n");
    assert!(locality(&[]).contains("people"));
    write("town,s,30,31\nA,f,2,3\nA,m,4,5\nA,all,6,8\n");
    assert!(locality(&[]).contains("sum of the others"));
    write("town,s,people\nA,f,2\n");
    assert!(locality(&[]).contains("called after an age"));
    write("town,s,30\nA,f,2\n");
    assert!(locality(&["--from-age", "99"]).contains("age"));
    for args in [
        &["unique", "--people", "0"][..],
        &["unique", "--people", "3", "--sharing", "4"],
        &["distribution", "--people", "10", "--at-least", "1.5"],
        &["place", "--people", "0"],
        &["place", "--people", "10", "--overlap", "0"],
        &["unique", "--people", "3", "--days", "0"],
    ] {
        let said = refused(&birthdays(args));
        assert!(said.contains("help") || said.contains("must"), "{args:?}: {said}");
    }
}

mod real_data {
    use super::*;

    #[test]
    fn scottish_data_zones_are_small_enough_to_know_nearly_everyone() {
        let path = outward_testing::real_data::path("population20_dz11.csv.gz");
        let args = ["locality", path.to_str().unwrap(), "--place", "dz11_code", "--sex", "sex", "--open-age", "90"];
        let said = refused(&birthdays(&args));
        assert!(said.contains("sum of the others"), "{said}");
        let said = refused(&birthdays(&[&args[..], &["--where", "sex <> 'All'"]].concat()));
        assert!(said.contains("3 places have no people"), "{said}");
        let found = answer(&[&args[..], &["--where", "sex <> 'All' AND total_population > 0"]].concat());
        assert!((6970..=6976).contains(&found["places"].as_array().unwrap().len()));
        assert_eq!(found["overall"]["people"], 5_466_000.0);
        assert!((0.97..1.0).contains(&found["overall"]["unique"].as_f64().unwrap()));
    }
}

#[test]
fn two_files_are_matched_and_the_dates_never_shown() {
    let folder = folder();
    std::fs::write(
        folder.path().join("a.csv"),
        "born,sex,town\n1980-05-01,f,A\n1980-05-01,f,A\n1980-06-02,f,A\n1990-01-31,m,B\n",
    )
    .unwrap();
    std::fs::write(folder.path().join("b.csv"), "born,sex,town\n1980-05-01,f,A\n1980-06-02,f,A\n2000-02-29,m,B\n")
        .unwrap();
    let args = ["birthdays", "match", "a.csv", "b.csv", "--date-of-birth", "born", "--sex", "sex", "--place", "town"];
    let found = json(&outward(folder.path(), &[&args[..], &["--format", "json"]].concat()));
    let all = &found["overall"];
    let got: Vec<u64> = ["unique_matches", "ambiguous", "unmatched"].map(|name| all[name].as_u64().unwrap()).to_vec();
    assert_eq!(got, [1, 1, 1]);
    let text = outward(folder.path(), &args);
    assert!(text.status.success(), "{}", stderr(&text));
    assert!(!stdout(&text).contains("1980"));
    std::fs::write(folder.path().join("b.csv"), "born,sex,town\n,f,A\n").unwrap();
    let said = refused(&outward(folder.path(), &args));
    assert!(said.contains("row 1") && said.contains("IS NOT NULL"), "{said}");
}
