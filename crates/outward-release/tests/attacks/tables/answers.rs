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

/// Illness by town, and towns by district: no table shows all people of a town.
const TOWNS: &str = r#"
data = { path = "people.csv" }
policy = { name = "gss-tables" }
protection = { method = "suppress", cost = "one" }
[[variables]]
name = "illness"
role = "sensitive"
columns = ["first", "second"]
hierarchy = { tree = { "Airways" = ["asthma", "cold"], "Joints" = ["gout", "sprain"] } }
[[variables]]
name = "town"
role = "key"
hierarchy = { prefix = [1] }
[[variables]]
name = "night"
role = "key"
[[tables]]
name = "illnesses"
variables = ["illness", "town"]
[[tables]]
name = "districts"
variables = ["town", "night"]
levels = { town = [1] }
[[tables]]
name = "illnesses_by_district"
variables = ["illness", "town"]
levels = { town = [1], illness = [0] }
"#;

#[test]
fn a_listed_town_has_someone_also_where_no_table_shows_all_of_them() {
    let mut people = "first,second,town,night\n".to_owned();
    for person in [
        "sprain,sprain,A1,yes",
        "gout,asthma,A1,yes",
        "asthma,sprain,A1,no",
        "asthma,,A1,no",
        "sprain,,A2,no",
        "gout,cold,A2,no",
        "gout,,A2,yes",
        "cold,,A2,yes",
        "asthma,,A2,yes",
        ",,A2,yes",
        ",,A2,no",
        "cold,,B1,no",
        "cold,,B1,no",
        "sprain,,B1,no",
        "gout,asthma,B1,no",
        "cold,,B1,yes",
        "asthma,,B1,no",
        "asthma,asthma,B2,no",
    ] {
        people += &format!("{person}\n");
    }
    let bundle = Bundle::from_spec(TOWNS, &[("people.csv", &people)]);
    // District B lists two towns, so that at least two people live there.
    let certificate = bundle.json("certificate.json");
    let lines = certificate[0]["certificate"]["cells"].as_array().unwrap().clone();
    let district = lines.iter().find(|line| line["name"] == "districts[5]: town B").unwrap();
    assert_eq!((&district["lower"], &district["exact"]), (&2.into(), &true.into()));
    assert_eq!(bundle.verify().outcome(), Outcome::Holds, "{:#?}", bundle.verify());
}
