//! Certificates that say less or other than the tables do.

use super::{bundle, refused};
use outward_fixtures::bundle::Bundle;

/// That the audit fails and says so.
fn fails(bundle: &Bundle, because: &str) {
    let says = bundle.failing("audit").says;
    assert!(says.contains(because), "{says}");
}

#[test]
fn a_certificate_without_one_of_its_hidden_cells_is_found() {
    let bundle = bundle();
    for (name, _) in bundle.lines() {
        let forged = bundle.copy();
        forged.forge_certificate(|cells| cells.retain(|cell| cell["name"] != name.as_str()));
        fails(&forged, "is not in the certificate");
    }
}

#[test]
fn a_certificate_that_calls_an_unsafe_cell_safe_is_found() {
    let bundle = bundle();
    for (name, _) in bundle.lines().into_iter().filter(|(_, unsafe_)| *unsafe_) {
        let forged = bundle.copy();
        forged.forge_certificate(|cells| {
            let line = cells.iter_mut().find(|cell| cell["name"] == name.as_str()).unwrap();
            line["verdict"] = "not-asked".into();
        });
        fails(&forged, "fewer unsafe cells");
    }
}

/// What the audit says where one cell is left hidden, and certificate and manifest call it safe and known to be this.
fn said_of_only(bundle: &Bundle, told: &str, value: i64) -> String {
    let forged = bundle.copy();
    let others = bundle.lines().into_iter().filter(|(name, _)| name != told);
    others.for_each(|(name, _)| forged.show_again(&name));
    let mut manifest = forged.json("manifest.json");
    for table in manifest["tables"].as_array_mut().unwrap() {
        (table["primary"], table["secondary"]) = (0.into(), 0.into());
    }
    forged.forge_manifest(&manifest);
    forged.forge_json("certificate.json", |families| {
        (families[0]["sums"], families[0]["alone"]) = (Vec::<u8>::new().into(), Vec::<u8>::new().into());
    });
    forged.forge_certificate(|cells| {
        cells.retain(|cell| cell["name"] == told);
        (cells[0]["lower"], cells[0]["upper"], cells[0]["exact"]) = (value.into(), value.into(), true.into());
        cells[0]["verdict"] = "not-asked".into();
    });
    let checks = forged.verify().checks;
    checks.iter().find(|check| check.name == "audit").unwrap().says.clone()
}

#[test]
fn an_unsafe_count_that_can_be_worked_out_is_found_whatever_certificate_and_manifest_call_it() {
    let bundle = bundle();
    let unsafe_cells = bundle.lines().into_iter().filter(|(_, unsafe_)| *unsafe_);
    let said: Vec<String> =
        unsafe_cells.flat_map(|(name, _)| [1, 2].map(|value| said_of_only(&bundle, &name, value))).collect();
    assert!(said.iter().any(|says| says.contains("the policy calls unsafe can be worked out")), "{said:?}");
}

#[test]
fn a_certificate_narrower_or_wider_than_the_truth_is_found() {
    for (end, by, because) in [("lower", 1, "more than it says"), ("upper", -1, "more than it says")]
        .into_iter()
        .chain([("lower", -1, "more tightly"), ("upper", 1, "more tightly")])
    {
        let bundle = bundle();
        bundle.forge_certificate(|cells| {
            let line = cells.iter_mut().find(|cell| cell["verdict"] == "protected" && cell["exact"] == true).unwrap();
            line[end] = (line[end].as_i64().unwrap() + by).into();
        });
        fails(&bundle, because);
    }
}

#[test]
fn a_certificate_of_some_of_the_tables_is_found() {
    let bundle = bundle();
    bundle.forge_json("certificate.json", |families| _ = families[0]["tables"].as_array_mut().unwrap().pop());
    fails(&bundle, "all tables that belong together");
}

#[test]
fn a_certificate_that_admits_a_disclosure_is_found() {
    let bundle = bundle();
    bundle.forge_certificate(|cells| {
        cells.iter_mut().find(|cell| cell["verdict"] == "protected").unwrap()["verdict"] = "recoverable".into();
    });
    fails(&bundle, "itself");
}

#[test]
fn a_line_under_the_name_of_another_cell_is_found() {
    let bundle = bundle();
    bundle.forge_certificate(|cells| {
        let name = cells[0]["name"].as_str().unwrap().replace('[', "[9");
        cells[0]["name"] = name.into();
    });
    fails(&bundle, "not published");
    let bundle = super::bundle();
    bundle.forge_certificate(|cells| {
        let first = cells[0].clone();
        cells.push(first);
    });
    fails(&bundle, "twice");
}

#[test]
fn an_unsafe_count_left_between_two_tables_is_found_though_the_certificate_does_not_ask() {
    // One person of 25 has gout: those below 26 less those below 25.
    let bundle = bundle();
    for (table, labels, count) in [
        ("young", ["16-24", "gout"], 10),
        ("younger", ["16-25", "gout"], 11),
        ("younger", ["26-40", "gout"], 9),
        ("younger", ["Total", "gout"], 20),
    ] {
        bundle.show(table, &labels, count);
    }
    bundle.forge_json("certificate.json", |families| families[0]["sums"] = serde_json::json!([]));
    refused(&bundle);
}

/// Two by two cells, of which one is a count of two: all four are hidden.
fn four_cells() -> Bundle {
    let spec = "
        data = { path = 'people.csv' }
        policy = { name = 'gss-tables' }
        protection = { method = 'suppress' }
        variables = [{ name = 'a', role = 'key' }, { name = 'b', role = 'key' }]
        tables = [{ name = 't', variables = ['a', 'b'] }]";
    let mut people = "a,b\n".to_owned();
    // The cell `x` at `y, b z` and the cell `x, b y` at `z` read the same.
    for (a, b, count) in
        [("x", "\"y, b z\"", 2), ("\"x, b y\"", "z", 9), ("x", "z", 7), ("\"x, b y\"", "\"y, b z\"", 8)]
    {
        people += &format!("{a},{b}\n").repeat(count);
    }
    let bundle = Bundle::from_spec(spec, &[("people.csv", &people)]);
    assert_eq!(bundle.verify().outcome(), outward_release::Outcome::Holds, "{:#?}", bundle.verify());
    bundle
}

#[test]
fn labels_with_commas_do_not_make_two_cells_one() {
    four_cells().needs_every_hidden_cell();
}

#[test]
fn someone_alone_in_a_hidden_cell_who_works_out_another_is_found() {
    let bundle = four_cells();
    let other = bundle.lines().into_iter().find(|(_, unsafe_)| !unsafe_).unwrap().0;
    bundle.forge_json("certificate.json", |families| families[0]["alone"] = serde_json::json!([[other]]));
    fails(&bundle, "alone in a hidden cell");
}

#[test]
fn someone_who_is_counted_and_works_out_how_many_others_are_is_found() {
    // Of nine in a row seven are known to be in one cell and two in the other: nobody else is in either.
    let bundle = four_cells();
    let lines = bundle.lines();
    assert!(lines.len() == 4 && lines[0].1, "{lines:?}");
    let known = [(&lines[0].0, 2), (&lines[1].0, 7)];
    bundle.forge_json("certificate.json", |families| {
        families[0]["contributors"] = serde_json::json!([{ "shared": known }]);
    });
    fails(&bundle, "someone who is counted");
}

#[test]
fn the_certificate_says_where_those_are_who_are_counted_beside_few_others() {
    let bundle = four_cells();
    let certificate = bundle.json("certificate.json");
    let people = certificate[0]["contributors"].as_array().unwrap();
    let is_in_pair =
        |of: &serde_json::Value| of["shared"].as_array().is_some_and(|cells| cells.iter().any(|cell| cell[1] == 1));
    assert!(people.iter().any(is_in_pair), "{people:?}");
}

/// Two places with a firm each that has nearly all of its turnover, and two with many firms.
fn firms() -> Bundle {
    let spec = "
        data = { path = 'firms.csv' }
        policy = { name = 'gss-tables', tables = { coalition = 1, categories = [{ name = 'm', cells = 2, margins = 2 }], \
                   cases = [{ category = 'm' }], magnitude = { p = 10 } } }
        protection = { method = 'suppress' }
        variables = [{ name = 'place' }, { name = 'firm', role = 'identifier' }, { name = 'turnover', type = 'number' }]
        tables = [{ name = 't', variables = ['place'], measure = 'sum', of = 'turnover', contributor = 'firm' }]";
    let places = [("a", vec![1000, 1, 1]), ("b", vec![900, 1, 1]), ("c", vec![100; 7]), ("d", vec![110; 9])];
    let mut firms = "place,firm,turnover\n".to_owned();
    for (place, amounts) in places {
        amounts.iter().enumerate().for_each(|(at, amount)| firms += &format!("{place},{place}{at},{amount}\n"));
    }
    Bundle::from_spec(spec, &[("firms.csv", &firms)])
}

#[test]
fn two_firms_that_have_nearly_all_of_two_sums_are_not_left_alone_with_each_other() {
    // With only these two hidden, the firm in `a` knows that `a` is 1000 at least, so that `b` is 904 at most.
    let bundle = firms();
    assert_eq!(bundle.verify().outcome(), outward_release::Outcome::Holds, "{:#?}", bundle.verify());
    assert!(bundle.lines().len() > 2, "{:?}", bundle.lines());
    bundle.needs_every_hidden_cell();
}

#[test]
fn a_contributor_who_comes_too_near_to_another_is_found() {
    // Whoever has all but 20 of the third hidden sum, and all of the others, knows an unsafe one to within 20.
    let bundle = firms();
    let others: Vec<(String, i64)> = bundle
        .lines()
        .into_iter()
        .filter(|(_, unsafe_)| !unsafe_)
        .map(|(name, _)| (name.clone(), if name.contains("c") { 680 } else { 0 }))
        .collect();
    bundle.forge_json("certificate.json", |families| {
        let known = families[0]["contributors"].as_array_mut().unwrap();
        let firm = known.iter_mut().find(|of| of["shared"][0][1] == 1000).unwrap();
        let shared = firm["shared"].as_array_mut().unwrap();
        shared.extend(others.iter().map(|(name, own)| serde_json::json!([name, own])));
    });
    fails(&bundle, "come too near to what another has");
}
