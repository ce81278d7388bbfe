//! `outward places`: what may be published of where people live.

use std::io::Write;
use std::process::{Output, Stdio};

use crate::{command, folder, json, outward, refused, stderr, stdout};

/// Two areas; SM has two small districts, N one that is small, and its area's letters begin those of NE.
const POPULATIONS: &str = "code,people,east,north\n\
    SM1,25000,525000,164000\nSM7,9000,526000,158000\nSM9,12000,525500,158500\n\
    N1,30000,531000,184000\nN1C,4000,530000,183000\nNE1,22000,424000,564000\n";

fn populations(text: &str) -> tempfile::TempDir {
    let folder = folder();
    std::fs::write(folder.path().join("populations.csv"), text).unwrap();
    folder
}

fn pool(folder: &tempfile::TempDir, more: &[&str]) -> Output {
    let args = ["places", "pool", "populations.csv", "--code", "code", "--population", "people"];
    outward(folder.path(), &[&args[..], more].concat())
}

#[test]
fn json_has_the_names_that_others_call() {
    let folder = populations(POPULATIONS);
    let answer = json(&pool(&folder, &["--threshold", "20000", "--rule", "uk", "--format", "json"]));
    assert_eq!(answer["codes"], 6);
    assert_eq!(answer["people"], 102_000);
    assert_eq!(answer["mean"], 17_000.0);
    assert_eq!(answer["below_before"], 3);
    assert_eq!(answer["below_after"], 1);
    assert_eq!(answer["final_codes"], 5);
    assert_eq!(answer["pools"][0]["code"], "N00");
    assert_eq!(answer["pools"][0]["population"], 4000);
    assert_eq!(answer["pools"][1]["code"], "SM00");
    assert_eq!(answer["pools"][1]["population"], 21_000);
}

#[test]
fn each_rule_keeps_its_promise() {
    let folder = populations(POPULATIONS);
    let points = ["--easting", "east", "--northing", "north", "--format", "json"];
    for (rule, final_codes, below_after) in [("us", 4, 0), ("uk", 5, 1), ("uk-residual", 4, 0), ("neighbour", 4, 0)] {
        let answer = json(&pool(&folder, &[&points[..], &["--rule", rule]].concat()));
        assert_eq!(
            (&answer["final_codes"], &answer["below_after"]),
            (&final_codes.into(), &below_after.into()),
            "{rule}"
        );
        assert_eq!(answer["costs"].as_array().unwrap().len(), 4);
    }
}

#[test]
fn a_mapping_is_made_applied_and_counted() {
    let folder = populations(POPULATIONS);
    let made = pool(&folder, &["--rule", "uk-residual", "--out", "mapping.csv", "--report", "report.html", "--quiet"]);
    assert!(made.status.success(), "{}", stderr(&made));
    let mapping = std::fs::read_to_string(folder.path().join("mapping.csv")).unwrap();
    assert!(mapping.starts_with("version,code,published,reason,rule,threshold,population_table\n1,N1,"), "{mapping}");
    assert!(mapping.contains("SM7,SM00,pooled,uk-residual,20000,sha256:"), "{mapping}");
    let html = std::fs::read_to_string(folder.path().join("report.html")).unwrap();
    assert_eq!(html.matches("<figure").count(), 3, "two histograms and a curve");
    std::fs::write(folder.path().join("visits.csv"), "id,home\n1,sm7 1aa\n2,N1C4QP\n3,\n4,SM8 1AA\n5,?\n").unwrap();
    let map = ["places", "map", "visits.csv", "--variable", "home", "--mapping", "mapping.csv", "--out", "out.csv"];
    let said = refused(&outward(folder.path(), &map));
    assert!(said.contains("1 record has a value that is not a place"), "{said}");
    assert!(!folder.path().join("out.csv").exists());
    let mapped = outward(folder.path(), &[&map[..], &["--unknown", "blank", "--format", "json"]].concat());
    let answer = json(&mapped);
    assert_eq!(mapped.status.code(), Some(1), "records lost their place");
    assert_eq!(
        (&answer["records"], &answer["not_a_place"], &answer["not_in_mapping"]),
        (&5.into(), &1.into(), &1.into())
    );
    let text = std::fs::read_to_string(folder.path().join("out.csv")).unwrap();
    assert_eq!(text, "id,home\n1,SM00\n2,N1\n3,\n4,\n5,\n");
}

#[test]
fn the_same_table_in_another_order_gives_the_same_mapping_and_hash() {
    let mut lines: Vec<&str> = POPULATIONS.lines().collect();
    lines[1..].reverse();
    let reversed = lines.join("\n");
    let mapping = |text: &str| {
        let folder = populations(text);
        let args = ["--rule", "neighbour", "--easting", "east", "--northing", "north", "--out", "mapping.csv"];
        assert!(pool(&folder, &args).status.success());
        std::fs::read_to_string(folder.path().join("mapping.csv")).unwrap()
    };
    assert_eq!(mapping(POPULATIONS), mapping(&reversed));
}

#[test]
fn whole_postcodes_and_single_persons_are_added_up_to_outward_codes() {
    let folder = populations("code,people\nSM1 1AA,43\nSM1 1AB,57\nN1C 4QP,10\n");
    let args = ["--threshold", "50", "--rule", "uk", "--format", "json"];
    let answer = json(&pool(&folder, &args));
    assert_eq!((&answer["codes"], &answer["people"]), (&2.into(), &110.into()));
    assert!((answer["mean_per_unit"].as_f64().unwrap() - 110.0 / 3.0).abs() < 1e-12);
    let folder = populations("code\nSM1 1AA\nSM1 1AA\nSM1 1AB\nN1C 4QP\n");
    let all = ["places", "pool", "populations.csv", "--threshold", "2", "--format", "json"];
    assert!(refused(&outward(folder.path(), &all)).contains("--persons"));
    let answer = json(&outward(folder.path(), &[&all[..], &["--persons"]].concat()));
    assert_eq!((&answer["codes"], &answer["people"], &answer["below_before"]), (&2.into(), &4.into(), &1.into()));
}

#[test]
fn zip_codes_become_their_first_three_digits_under_the_american_rule() {
    let folder = populations("code,people\n35004,15000\n35005,9000\n03601,700\n03602,800\n10001,25000\n");
    let answer = json(&pool(&folder, &["--rule", "us", "--threshold", "20001", "--format", "json"]));
    assert_eq!(answer["restricted"], serde_json::json!(["036"]));
    assert_eq!((&answer["codes"], &answer["people_withheld"]), (&3.into(), &1500.into()));
    let said = refused(&pool(&folder, &["--rule", "uk"]));
    assert!(said.contains("ZIP codes") && said.contains("--rule us"), "{said}");
    let folder = populations("code,people\n35004,15000\n3601,700\n");
    let said = refused(&pool(&folder, &["--rule", "us"]));
    assert!(said.contains("row 2"), "{said}");
}

#[test]
fn people_whom_even_no_location_hides_are_withheld_counted_and_never_mapped() {
    let folder = populations("code,people\nSM1,25000\nTD1,500\nTD2,3\n");
    let made = pool(&folder, &["--out", "mapping.csv", "--format", "json"]);
    assert_eq!(made.status.code(), Some(1), "someone has to look at this");
    assert_eq!(json(&made)["people_withheld"], 503);
    std::fs::write(folder.path().join("visits.csv"), "id,home\n1,SM1 1AA\n2,TD1 1AA\n").unwrap();
    let map = ["places", "map", "visits.csv", "--variable", "home", "--mapping", "mapping.csv", "--out", "out.csv"];
    assert!(refused(&outward(folder.path(), &map)).contains("withholds"));
    let answer = json(&outward(folder.path(), &[&map[..], &["--unknown", "blank", "--format", "json"]].concat()));
    assert_eq!(answer["withheld"], 1);
    assert_eq!(std::fs::read_to_string(folder.path().join("out.csv")).unwrap(), "id,home\n1,SM1\n2,\n");
}

#[test]
fn columns_are_found_by_name_and_an_area_too_small_as_a_whole_is_named() {
    let folder = populations("postcode,residents,residents_2001\nSM1,30000,1\nEN1,5000,1\nEN2,6000,1\nHX1,15000,1\n");
    let answer = outward(folder.path(), &["places", "pool", "populations.csv", "--threshold", "20000"]);
    let said = stdout(&answer);
    assert!(said.contains("26,000 people") && said.contains("EN, HX"), "{said}");
    assert!(stderr(&answer).contains("column residents"));
}

#[test]
fn what_two_releases_give_away_by_subtraction_is_found() {
    let folder = populations(POPULATIONS);
    pool(&folder, &["--rule", "uk", "--out", "uk.csv", "--quiet"]);
    let again = pool(&folder, &["--rule", "uk-residual", "--against", "uk.csv", "--format", "json"]);
    assert_eq!(again.status.code(), Some(1));
    let found = &json(&again)["differences"];
    assert_eq!(found[0]["codes"], serde_json::json!(["N1C"]));
    let same = pool(&folder, &["--rule", "uk", "--against", "uk.csv", "--format", "json"]);
    assert_eq!(json(&same)["differences"], serde_json::json!([]));
    let other = populations(&POPULATIONS.replace("25000", "25001"));
    std::fs::copy(folder.path().join("uk.csv"), other.path().join("uk.csv")).unwrap();
    assert!(refused(&pool(&other, &["--against", "uk.csv"])).contains("another population table"));
}

#[test]
fn bad_tables_are_refused_with_their_rows_and_without_their_values() {
    let cases = [
        ("code,people\nSM1,25000\nnowhere,3\nSM00,9\n", "2 rows have a code that is not a postcode: rows 2, 3"),
        ("code,people\nSM1,25000\nSM7,\n", "1 row has no population: row 2"),
        ("code,people\nSM1,25000\nSM7,-4\nSM9,12.5\n", "2 rows have a population that is not a whole number"),
        ("code,people\nSM1,25000\n,9\n", "1 row has no code: row 2"),
        ("code,people\nSM1,18446744073709551615\nSM7,18446744073709551615\n", "more than can be counted"),
        ("code,people\nSM1,25000\nSM7,9\nsm1,8\n", "rows 1 and 3 have the same code"),
        ("code,people\nSM1,25000\nSM7 1AA,9\n", "row 2 has a longer or shorter code than row 1"),
        ("code,people\n", "no codes"),
    ];
    for (text, expected) in cases {
        let folder = populations(text);
        let said = refused(&pool(&folder, &[])).split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(said.contains(expected), "{text}: {said}");
        assert!(!said.contains("nowhere") && !said.contains("12.5"), "{said}");
    }
    let folder = populations(&POPULATIONS.replace("526000,158000", ","));
    let said = refused(&pool(&folder, &["--rule", "neighbour", "--easting", "east", "--northing", "north"]));
    assert!(said.contains("row") && said.contains('2'), "{said}");
    let said = refused(&pool(&folder, &["--rule", "neighbour"]));
    assert!(said.contains("coordinates"), "{said}");
    let said = refused(&pool(&folder, &["--where", "peple > 0"]));
    assert!(said.contains("people"), "{said}");
}

fn normalise(lines: &str, more: &[&str]) -> Output {
    let folder = folder();
    let mut child = command(folder.path(), &[&["places", "normalise"], more].concat())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

#[test]
fn postcodes_are_normalised_line_by_line() {
    let good = normalise("sw1a1aa\n M1  1ae\r\nEC1A 1BB\nascn1zz\nLS6", &[]);
    assert_eq!((good.status.code(), stdout(&good).as_str()), (Some(0), "SW1A 1AA\nM1 1AE\nEC1A 1BB\nASCN 1ZZ\nLS6\n"));
    let outward = normalise("sw1a1aa\nn1c4qp\n", &["--outward"]);
    assert_eq!(stdout(&outward), "SW1A\nN1C\n");
}

#[test]
fn a_line_that_is_not_a_postcode_is_named_by_number_and_position_and_not_written() {
    let bad = normalise("SW1A 1AA\nSW1A 1CA\n\nQ1 1AA\n", &[]);
    assert_eq!((bad.status.code(), stdout(&bad).as_str()), (Some(1), "SW1A 1AA\n\n\n\n"));
    let said = stderr(&bad);
    assert!(said.contains("line 2") && said.contains("character 7") && said.contains("line 4"), "{said}");
    assert!(said.contains("3 of 4 lines"), "{said}");
}

#[test]
fn points_and_references_are_moved_to_their_cells() {
    let folder = folder();
    std::fs::write(folder.path().join("p.csv"), "id,e,n\n1,430123,434999\n2,430999,434000\n").unwrap();
    let args = ["places", "grid", "p.csv", "--variables", "e,n", "--out", "out.csv"];
    assert!(outward(folder.path(), &args).status.success());
    let text = std::fs::read_to_string(folder.path().join("out.csv")).unwrap();
    assert_eq!(text, "id,e,n\n1,430000,434000\n2,430000,434000\n");
    let said = refused(&outward(folder.path(), &[&args[..], &["--given", "reference"]].concat()));
    assert!(said.contains("two columns"), "{said}");
    let twice = ["places", "grid", "p.csv", "--variables", "e,e", "--out", "out.csv"];
    assert!(refused(&outward(folder.path(), &twice)).contains("two columns"));
}

#[test]
fn a_policy_on_residents_wants_a_mapping_made_with_its_threshold() {
    let folder = populations(POPULATIONS);
    assert!(pool(&folder, &["--out", "mapping.csv", "--threshold", "20000"]).status.success());
    std::fs::write(folder.path().join("visits.csv"), "home,sex\nSM1,F\nSM1,M\nN1,F\n").unwrap();
    let spec = |step: &str| {
        format!(
            "[data]\npath = \"visits.csv\"\n[policy]\nname = \"collins-postcodes\"\n[[variables]]\nname = \"home\"\n\
             role = \"geography\"\n[[variables]]\nname = \"sex\"\nrole = \"key\"\n{step}"
        )
    };
    let codes = |text: String| -> Vec<String> {
        std::fs::write(folder.path().join("outward.toml"), text).unwrap();
        let answer = json(&outward(folder.path(), &["assess", "outward.toml", "--format", "json"]));
        answer["findings"]
            .as_array()
            .unwrap()
            .iter()
            .map(|finding| finding["code"].as_str().unwrap().to_owned())
            .collect()
    };
    let small = "OUT019".to_owned();
    assert!(codes(spec("")).contains(&small));
    let step = "[[steps]]\ndo = \"place\"\nvariable = \"home\"\nmapping = \"mapping.csv\"\n";
    assert!(!codes(spec(step)).contains(&small));
    assert!(
        codes(spec(step).replace("collins-postcodes\"", "collins-postcodes\"\nplace_population = 30000"))
            .contains(&small)
    );
}

mod real_data {
    use super::*;

    #[test]
    fn the_papers_figures_come_out_of_the_census() {
        let path = outward_testing::real_data::path("outward_codes_uk_2011pop.csv.gz");
        let folder = folder();
        let study = |rule: &str, condition: &str| {
            let args = ["--population", "population_2011", "--threshold", "20000", "--format", "json", "--quiet"];
            let start =
                ["places", "pool", path.to_str().unwrap(), "--code", "outward", "--rule", rule, "--where", condition];
            json(&outward(folder.path(), &[&start[..], &args].concat()))
        };
        let uk = study("uk", "population_2011 > 0");
        assert_eq!(
            (&uk["codes"], &uk["below_before"], &uk["below_after"], &uk["final_codes"]),
            (&2814.into(), &1375.into(), &10.into(), &1555.into())
        );
        assert_eq!(uk["mean"].as_f64().unwrap().round(), 22_443.0);
        let england_and_wales = study("uk", "population_2011 IS NOT NULL AND nation IN ('England', 'Wales')");
        assert_eq!((&england_and_wales["codes"], &england_and_wales["below_before"]), (&2292.into(), &1005.into()));
        assert_eq!(england_and_wales["mean"].as_f64().unwrap().round(), 24_466.0);
        let pools = england_and_wales["pools"].as_array().unwrap();
        let sutton = pools.iter().find(|pool| pool["code"] == "SM00").unwrap();
        assert_eq!(sutton["population"], 18_559);
        let blanks = outward(
            folder.path(),
            &["places", "pool", path.to_str().unwrap(), "--code", "outward", "--population", "population_2011"],
        );
        assert!(refused(&blanks).contains("301 rows have no population"));
    }
}
