//! Tests of hierarchies.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
use super::*;

fn hierarchy(toml: &str) -> Hierarchy {
    #[derive(Deserialize)]
    struct Field {
        hierarchy: HierarchySpec,
    }
    let field: Field = toml::from_str(&format!("hierarchy = {toml}")).unwrap();
    Hierarchy::compile(&field.hierarchy, Path::new(""), "v").unwrap()
}

/// The labels of a value from level 1 to the last but one.
fn labels(hierarchy: &Hierarchy, value: &str) -> Vec<String> {
    (1..hierarchy.levels() - 1).map(|level| hierarchy.recode(value, level).unwrap().into_owned()).collect()
}

#[test]
fn a_value_at_a_lower_edge_is_in_the_band_above_it() {
    let ages = hierarchy("{ bands = [16, 25, 45, 65] }");
    assert_eq!(ages.levels(), 3);
    for (age, band) in [("15", "under 16"), ("16", "16-24"), ("24", "16-24"), ("25", "25-44"), ("65", "65 or over")] {
        assert_eq!(labels(&ages, age), [band]);
    }
}

#[test]
fn top_and_bottom_codes_are_the_same_at_every_level() {
    let ages = hierarchy("{ bands = [[16, 25, 45, 65], [45]], bottom = 5, top = 85 }");
    assert_eq!(labels(&ages, "3"), ["under 5", "under 5"]);
    assert_eq!(labels(&ages, "10"), ["5-15", "5-44"]);
    assert_eq!(labels(&ages, "84"), ["65-84", "45-84"]);
    assert_eq!(labels(&ages, "85"), ["85 or over", "85 or over"]);
}

#[test]
fn bands_with_decimal_edges_say_where_they_end() {
    let index = hierarchy("{ bands = [18.5, 25, 30] }");
    assert_eq!(labels(&index, "18.4"), ["under 18.5"]);
    assert_eq!(labels(&index, "24.99"), ["18.5 to under 25"]);
}

#[test]
fn equal_bands_start_at_multiples_of_their_width_and_stop_at_the_ends() {
    let ages = hierarchy("{ widths = [5, 10], bottom = 16, top = 62 }");
    assert_eq!(labels(&ages, "15"), ["under 16", "under 16"]);
    assert_eq!(labels(&ages, "16"), ["16-19", "16-19"]);
    assert_eq!(labels(&ages, "29.9"), ["25-29", "20-29"]);
    assert_eq!(labels(&ages, "61"), ["60-61", "60-61"]);
    assert_eq!(labels(&ages, "62"), ["62 or over", "62 or over"]);
    assert_eq!(labels(&hierarchy("{ width = 5 }"), "-3"), ["-5 to -1"]);
    assert_eq!(labels(&hierarchy("{ width = 1 }"), "7"), ["7"]);
}

#[test]
fn a_code_keeps_its_leading_characters_and_a_short_one_stays_whole() {
    let postcodes = hierarchy("{ prefix = [4, 2] }");
    assert_eq!(labels(&postcodes, "SW1A 1AA"), ["SW1A", "SW"]);
    assert_eq!(labels(&postcodes, "é"), ["é", "é"]);
}

#[test]
fn a_date_has_its_month_quarter_year_and_decade() {
    let dates = hierarchy("{ date = [\"month\", \"quarter\", \"year\", \"decade\"] }");
    assert_eq!(labels(&dates, "2012-02-29"), ["2012-02", "2012-Q1", "2012", "2010s"]);
    assert_eq!(labels(&dates, "1999-12-31"), ["1999-12", "1999-Q4", "1999", "1990s"]);
}

#[test]
fn values_that_are_no_date_or_no_number_are_missed() {
    let dates = hierarchy("{ date = [\"year\"] }");
    assert_eq!(dates.missing(["2011-02-29", "2011-13-01", "11-02-2011", "2011-06-30", ""]).len(), 4);
    let ages = hierarchy("{ bands = [16] }");
    assert_eq!(ages.missing(["12", "unknown", "NaN", "inf", " 7", "7"]), ["unknown", "NaN", "inf", " 7"]);
    assert_eq!(ages.recode("unknown", 2), None);
}

#[test]
fn branches_of_a_tree_are_lined_up_at_the_coarse_end() {
    let groups =
        hierarchy("{ tree = { White = [\"Irish\"], Asian = { South = [\"Indian\"], East = [\"Chinese\"] } } }");
    assert_eq!(groups.levels(), 4);
    assert_eq!(groups.leaves(), Some(3));
    assert_eq!(labels(&groups, "Indian"), ["South", "Asian"]);
    assert_eq!(labels(&groups, "Irish"), ["Irish", "White"]);
    assert!(!groups.covers("Asian"));
}

#[test]
fn a_group_name_used_twice_in_a_tree_has_two_parents() {
    let other = |value: &str| Tree::Groups(BTreeMap::from([("Other".into(), Tree::Values(vec![value.into()]))]));
    let tree = BTreeMap::from([("White".into(), other("a")), ("Asian".into(), other("b"))]);
    let error = Hierarchy::compile(&HierarchySpec::Tree { tree }, Path::new(""), "v").unwrap_err();
    assert_eq!(error.to_string(), "column `v`: `Other` at level 1 belongs to `White` and to `Asian` at level 2");
}

#[test]
fn every_label_a_recoding_gives_is_a_label_of_its_level() {
    for (toml, values) in [
        ("{ bands = [[16, 25, 45, 65], [45]], bottom = 5, top = 85 }", vec!["3", "10", "16", "44.5", "84", "99"]),
        ("{ bands = [18.5, 25, 30] }", vec!["18.4", "24.99", "31"]),
        ("{ widths = [5, 10], bottom = 16, top = 62 }", vec!["15", "16", "29.9", "61", "62"]),
        ("{ widths = [1, 3] }", vec!["-3", "-1", "0", "7"]),
        ("{ prefix = [4, 2] }", vec!["SW1A 1AA", "é"]),
        ("{ date = [\"month\", \"quarter\", \"year\", \"decade\"] }", vec!["2012-02-29", "1999-12-31", "0004-07-01"]),
        ("{ tree = { White = [\"Irish\"], Asian = { South = [\"Indian\"] } } }", vec!["Irish", "Indian"]),
    ] {
        let hierarchy = hierarchy(toml);
        for value in values {
            for level in 0..hierarchy.levels() {
                let label = hierarchy.recode(value, level).unwrap();
                assert!(hierarchy.has_label(&label, level), "{toml}: {value} at level {level}");
            }
            assert!(!hierarchy.has_label("*", 0) || hierarchy.covers("*"));
            assert!(!hierarchy.has_label("*", hierarchy.levels()));
        }
    }
}

#[test]
fn what_no_value_has_at_a_level_is_no_label_of_it() {
    for (toml, level, others) in [
        ("{ bands = [16, 25], top = 85 }", 1, vec!["16", "17-24", "16-25", "under 25", "25 or over", "*", ""]),
        ("{ widths = [5, 10], bottom = 16, top = 62 }", 1, vec!["20-29", "21-24", "10-14", "under 20", "62", "-", ""]),
        ("{ width = 5 }", 1, vec!["under 5", "5 or over", "20-24 ", "020-24"]),
        ("{ prefix = [4, 2] }", 2, vec!["SW1A", "SW1"]),
        ("{ date = [\"month\", \"year\", \"decade\"] }", 1, vec!["2012", "2012-13", "2012-1", "2012-02-29", "é"]),
        ("{ date = [\"quarter\"] }", 1, vec!["2012-Q5", "2012-Q0", "2012-Q", "2012-01"]),
        ("{ date = [\"decade\"] }", 1, vec!["2012s", "2010"]),
        ("{ tree = { White = [\"Irish\"], Asian = [\"Indian\"] } }", 1, vec!["Irish", "white", ""]),
    ] {
        let hierarchy = hierarchy(toml);
        for other in others {
            assert!(!hierarchy.has_label(other, level), "{toml}: {other}");
        }
    }
}

#[test]
fn listed_values_come_in_their_order_and_rules_list_none() {
    let groups = hierarchy("{ tree = { White = [\"Irish\"], Asian = [\"Indian\", \"Chinese\"] } }");
    assert_eq!(groups.values().unwrap(), ["Chinese", "Indian", "Irish"]);
    assert_eq!(hierarchy("{ width = 5 }").values(), None);
}

#[test]
fn the_star_of_a_file_is_not_added_twice() {
    let read = |text: &str| Hierarchy::from_bytes(text.into(), Path::new("h.csv"), false, None).unwrap();
    assert_eq!(read("a;A;*\nb;A;*\n").levels(), 3);
    assert_eq!(read("a;A\nb;A\n").levels(), 3);
    assert_eq!(read("a\nb").levels(), 2);
    assert_eq!(read("a\nb").leaves(), Some(2));
}

#[test]
fn a_hierarchy_that_ends_with_a_single_label_has_its_coarsest_level_there() {
    let read = |text: &str| Hierarchy::from_bytes(text.into(), Path::new("h.csv"), false, None).unwrap();
    assert_eq!(read("a;first;Anywhere\nb;second;Anywhere\n").coarsest(), 2);
    assert_eq!(read("a;first;*\nb;second;*\n").coarsest(), 2);
    assert_eq!(read("a;first;Any;All;Top\nb;second;Any;All;Top\n").coarsest(), 2, "what follows tells no less");
    assert_eq!(read("a;first\nb;second\n").coarsest(), 2);
    assert_eq!(read("a\n").coarsest(), 1, "a value alone is no label");
    let tree: HierarchySpec = toml::from_str("tree = { All = { first = [\"a\"], second = [\"b\"] } }").unwrap();
    assert_eq!(Hierarchy::compile(&tree, Path::new(""), "v").unwrap().coarsest(), 2);
}

#[test]
fn a_hierarchy_file_may_have_quotes_commas_marks_and_windows_line_ends() {
    let text = "\u{feff}value;group\r\n\"a;b\";\"say \"\"x\"\"\"\r\n\r\nc, d;two\nlines;two\r\n";
    let hierarchy = Hierarchy::from_bytes(text.into(), Path::new("h.csv"), true, None).unwrap();
    assert_eq!(labels(&hierarchy, "a;b"), ["say \"x\""]);
    assert_eq!(labels(&hierarchy, "c, d"), ["two"]);
    assert_eq!(hierarchy.leaves(), Some(3));
    let commas = Hierarchy::from_bytes("a,A\nb,B".into(), Path::new("h.csv"), false, None).unwrap();
    assert_eq!(labels(&commas, "b"), ["B"]);
    let tabs = Hierarchy::from_bytes("a, x\tA\nb\tB".into(), Path::new("h.csv"), false, None).unwrap();
    assert_eq!(labels(&tabs, "a, x"), ["A"]);
}
