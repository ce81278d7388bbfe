//! The audit of rounded tables.

use outward_release::Outcome;

use super::{SPEC, bundle_of};
use outward_fixtures::bundle::Bundle;

fn rounded(how: &str) -> Bundle {
    let bundle = bundle_of(&SPEC.replace("method = \"suppress\"", &format!("method = \"round\"\nbase = 5\n{how}")));
    assert_eq!(bundle.verify().outcome(), Outcome::Holds, "{how}: {:#?}", bundle.verify());
    bundle
}

const WAYS: [&str; 5] = [
    "rounding = \"controlled\"",
    "rounding = \"controlled\"\nmark_low = true",
    "rounding = \"random\"",
    "rounding = \"random\"\nmark_low = true",
    "rounding = \"conventional\"",
];

#[test]
fn rounded_tables_are_attacked_once_more() {
    for way in WAYS {
        let bundle = rounded(way);
        let verification = bundle.verify();
        let audit = verification.checks.iter().find(|check| check.name == "audit").unwrap();
        assert!(
            audit.says.contains("unsafe figures can be worked out from what they are rounded to"),
            "{}",
            audit.says
        );
    }
}

#[test]
fn a_figure_another_multiple_away_is_found() {
    for way in WAYS {
        let bundle = rounded(way);
        let figures = bundle.json("public/tables.json")["tables"][2]["figures"].as_array().unwrap().len();
        for cell in 0..figures {
            let forged = bundle.copy();
            forged.forge_tables(|tables| {
                let figure = tables[2]["figures"][cell].as_i64().unwrap_or_default();
                tables[2]["figures"][cell] = (figure + 5).into();
            });
            super::refused(&forged);
        }
    }
}

#[test]
fn a_certificate_that_takes_an_attacker_to_know_less_than_figures_tell_is_found() {
    let bundle = rounded("rounding = \"conventional\"");
    bundle.forge_json("certificate.json", |families| {
        let known = families[0]["certificate"]["choice"]["known"].as_array_mut().unwrap();
        known.iter_mut().for_each(|known| known[2] = (known[2].as_i64().unwrap() + 5).into());
    });
    let says = bundle.failing("audit").says;
    assert!(says.contains("what the figures tell"), "{says}");
}

#[test]
fn figures_further_from_the_counts_than_the_tables_say_are_found() {
    let bundle = rounded("rounding = \"controlled\"");
    bundle.forge_json("certificate.json", |families| {
        let known = families[0]["certificate"]["choice"]["known"].as_array_mut().unwrap();
        known.iter_mut().for_each(|known| known[2] = (known[2].as_i64().unwrap() + 5).into());
    });
    let says = bundle.failing("audit").says;
    assert!(says.contains("further from the counts"), "{says}");
}

#[test]
fn a_rounding_without_its_certificate_is_found() {
    let bundle = rounded("rounding = \"random\"");
    bundle.forge("certificate.json", b"[]");
    assert_eq!(bundle.failing("audit").places[0].file, "certificate.json");
}

#[test]
fn a_rounding_that_leaves_one_count_possible_is_found() {
    let spec = "
        data = { path = 'people.csv' }
        policy = { name = 'gss-tables' }
        protection = { method = 'round', base = 4, rounding = 'conventional' }
        variables = [{ name = 'a', role = 'key' }]
        tables = [{ name = 't', variables = ['a'] }]";
    let people = |x: usize| "a\n".to_owned() + &"x\n".repeat(x) + &"y\n".repeat(11);
    // A listed value that rounds to zero is not zero, and so it is 1.
    assert!(Bundle::attempt(spec, &[("people.csv", &people(1))]).is_none());
    let bundle = Bundle::from_spec(spec, &[("people.csv", &people(2))]);
    assert_eq!(bundle.verify().outcome(), Outcome::Holds, "{:#?}", bundle.verify());
    // Counts that round to zero are at most 1, and a total that rounds to 4 is at least 2: both are 1.
    bundle.forge_tables(|tables| tables[0]["figures"] = serde_json::json!([0, 0, 4]));
    bundle.forge_json("certificate.json", |families| {
        let certificate = &mut families[0]["certificate"];
        let lines = certificate["cells"].as_array().unwrap().clone();
        let known = [("t[0]", 0, 1), ("t[1]", 0, 1), ("t[2]", 2, 5)].map(|(name, lower, upper)| {
            let line = lines.iter().find(|line| line["name"].as_str().unwrap().starts_with(name)).unwrap();
            serde_json::json!([line["cell"], lower, upper])
        });
        certificate["choice"]["known"] = known.to_vec().into();
    });
    let says = bundle.failing("audit").says;
    assert!(says.contains("can be worked out"), "{says}");
}
