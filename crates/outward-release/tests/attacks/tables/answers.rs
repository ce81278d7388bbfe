//! Variables of which a record may have several values.

use outward_release::Outcome;

use outward_fixtures::bundle::Bundle;

const SPEC: &str = r#"
data = { path = "people.csv" }
policy = { name = "gss-tables" }
protection = { method = "suppress" }
[[variables]]
name = "illness"
role = "sensitive"
columns = ["first", "second"]
hierarchy = { tree = { "Airways" = ["asthma", "cold"], "Joints" = ["gout", "sprain"] } }
[[variables]]
name = "sex"
role = "key"
[[tables]]
name = "illnesses"
variables = ["illness", "sex"]
[[tables]]
name = "groups"
variables = ["illness"]
levels = { illness = [1] }
[[tables]]
name = "sexes"
variables = ["sex"]
"#;

fn bundle() -> Bundle {
    let mut people = "first,second,sex\n".to_owned();
    for (first, second, women, men) in [
        ("asthma", "", 6, 7),
        ("asthma", "cold", 4, 3),
        ("cold", "gout", 3, 5),
        ("gout", "", 8, 0),
        ("gout", "sprain", 3, 1),
        ("sprain", "cold", 5, 1),
        ("", "", 4, 6),
    ] {
        people += &format!("{first},{second},F\n").repeat(women);
        people += &format!("{first},{second},M\n").repeat(men);
    }
    Bundle::from_spec(SPEC, &[("people.csv", &people)])
}

#[test]
fn tables_of_several_answers_hold() {
    let bundle = bundle();
    assert!(bundle.lines().iter().any(|(_, unsafe_)| *unsafe_), "two men have a sprain");
    assert_eq!(bundle.verify().outcome(), Outcome::Holds, "{:#?}", bundle.verify());
}

#[test]
fn more_people_with_one_illness_than_with_one_of_its_group_are_found() {
    let bundle = bundle();
    let figure = |label: &str| {
        let tables = bundle.json("public/tables.json");
        let nodes = tables["tables"][1]["dimensions"][0]["nodes"].as_array().unwrap().clone();
        nodes.iter().position(|node| node["label"] == label).unwrap()
    };
    let airways = figure("Airways");
    let forged = bundle.copy();
    forged.forge_tables(|tables| tables[1]["figures"][airways] = 5.into());
    super::refused(&forged);
    let forged = bundle.copy();
    // There are 56 people in all.
    forged.forge_tables(|tables| tables[1]["figures"][airways] = 57.into());
    super::refused(&forged);
}
