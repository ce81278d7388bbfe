//! Where a missing value matches everything, records that show little must not stand for the k of all others.

use outward_release::Outcome;

use outward_fixtures::desk::Desk;

const ALONE: u64 = 200;

const KEYS: [&str; 3] = ["age", "job", "area"];

/// People who all differ, and some further rows.
fn desk(missing: &str, policy: &str, further: &[&str], steps: &str) -> Desk {
    let of_key = |key: &&str| {
        let number = if *key == "age" { "type = \"integer\"\n" } else { "" };
        format!("[[variables]]\nname = \"{key}\"\nrole = \"key\"\n{number}")
    };
    let keys: String = KEYS.iter().map(of_key).collect();
    let spec = format!("missing = \"{missing}\"\n[policy]\n{policy}\n{keys}[[variables]]\nname = \"ill\"\n{steps}");
    let people: String =
        (0..ALONE).map(|row| format!("{},job {},area {},no\n", 20 + row % 40, row / 40, row % 3)).collect();
    let further: String = further.iter().map(|row| format!("{row}\n")).collect();
    Desk::new(&spec, &format!("age,job,area,ill\n{people}{further}"))
}

#[test]
fn blank_records_lend_nobody_their_k() {
    for missing in ["category", "wildcard"] {
        let desk = desk(missing, "k = 3", &[",,,yes", ",,,no"], "");
        let protected = desk.protect().unwrap();
        assert!(!protected.written && !desk.bundle().exists());
        let after = protected.manifest.after;
        let blank = if missing == "category" { 2 } else { 0 };
        assert_eq!((after.below_k, after.smallest_class), (ALONE + blank, 1), "{missing}");
        assert_eq!(after.uniques, ALONE);
    }
}

#[test]
fn ten_blank_records_do_not_make_a_file_fit_for_open_data() {
    let desk = desk("wildcard", "name = \"ons-open-microdata\"\ntier = \"open\"", &[",,,no"; 10], "");
    let protected = desk.protect().unwrap();
    assert!(!protected.written);
    assert_eq!(protected.manifest.after.below_k, ALONE);
}

#[test]
fn records_that_lack_most_keys_lend_nobody_their_k() {
    // Every job and an area with records that show nothing else.
    let further: Vec<String> = (0..15).map(|row| format!(",job {},,no", row % 5)).collect();
    let further: Vec<&str> = further.iter().map(String::as_str).chain([",,area 0,no"; 9]).collect();
    let desk = desk("wildcard", "k = 3", &further, "");
    assert_eq!(desk.protect().unwrap().manifest.after.below_k, ALONE);
}

#[test]
fn cells_are_suppressed_until_no_record_leans_on_blank_ones() {
    let steps = "[[steps]]\ndo = \"suppress-cells\"\n";
    let desk = desk("wildcard", "k = 3", &[",,,yes", ",,,no", ",,area 1,no"], steps);
    let protected = desk.protect().unwrap();
    assert!(protected.written);
    let after = protected.manifest.after;
    assert!(after.smallest_class >= 3);
    // Counted again by hand, record by record.
    let text = desk.published("data.csv");
    let rows: Vec<Vec<&str>> = text.lines().skip(1).map(|line| line.split(',').take(3).collect()).collect();
    let known = |row: &[&str]| row.iter().filter(|value| !value.is_empty()).count();
    for own in &rows {
        let supports = |other: &&Vec<&str>| {
            let agree = own.iter().zip(*other).all(|(a, b)| a == b || a.is_empty() || b.is_empty());
            let has_all = own.iter().zip(*other).all(|(a, b)| a.is_empty() || a == b);
            agree && (has_all || known(own) >= 2 && known(other) >= 2)
        };
        assert!(rows.iter().filter(supports).count() >= 3, "{own:?}");
    }
    assert_eq!(desk.verify().outcome(), Outcome::Holds);
}

#[test]
fn averages_of_a_key_may_lose_values_afterwards() {
    let steps =
        "[[steps]]\ndo = \"microaggregate\"\nvariables = [\"age\"]\nk = 5\n[[steps]]\ndo = \"suppress-cells\"\n";
    let desk = desk("wildcard", "k = 3", &[], steps);
    assert!(desk.protect().unwrap().written);
    assert_eq!(desk.verify().outcome(), Outcome::Holds);
}

#[test]
fn the_headline_tells_who_is_alone_without_wildcards() {
    let steps = "[[steps]]\ndo = \"suppress-cells\"\n";
    let desk = desk("wildcard", "k = 3", &[], steps);
    let manifest = desk.protect().unwrap().manifest;
    let alone = manifest.after.alone_exactly.unwrap();
    assert!(alone > 0 && manifest.after.uniques == 0);
    let headline = outward_release::report(&manifest).verdict.headline;
    assert!(headline.contains(&format!("without wildcards {alone} alone")), "{headline}");
    let report = std::fs::read_to_string(desk.bundle().join("report.html")).unwrap();
    let told = report.split_once("Records alone, if missing is treated as a value").unwrap().1;
    assert!(told.split("</tr>").next().unwrap().contains(&alone.to_string()));
}
