//! Differences in several variables (P3): what a cell of one table has beside a cell of another inside it.

use outward_release::Outcome;

use outward_fixtures::bundle::Bundle;

/// People below 26 in the north, and those below 25 in one of its towns.
const SPEC: &str = r#"
data = { path = "people.csv" }
policy = { name = "gss-tables" }
protection = { method = "suppress" }
[[variables]]
name = "age"
role = "key"
hierarchy = { file = "ages.csv" }
[[variables]]
name = "town"
role = "key"
hierarchy = { tree = { "North" = ["Alston", "Penrith"], "South" = ["Poole"] } }
[[tables]]
name = "wide"
variables = ["age", "town"]
levels = { age = [2], town = [1] }
[[tables]]
name = "narrow"
variables = ["age", "town"]
levels = { age = [1], town = [0] }
only = { age = ["16-24"], town = ["Alston"] }
"#;

fn bundle() -> Bundle {
    let mut people = "age,town\n".to_owned();
    for (age, alston, penrith, poole) in [(20, 20, 6, 12), (25, 5, 9, 11), (33, 8, 10, 13)] {
        for (town, count) in [("Alston", alston), ("Penrith", penrith), ("Poole", poole)] {
            people += &format!("{age},{town}\n").repeat(count);
        }
    }
    let ages = "20,16-24,16-25\n25,25,16-25\n33,26-40,26-40\n";
    Bundle::from_spec(SPEC, &[("people.csv", &people), ("ages.csv", ages)])
}

#[test]
fn two_people_who_are_older_or_of_another_town_are_told_by_two_tables() {
    let bundle = bundle();
    assert_eq!(bundle.verify().outcome(), Outcome::Holds, "{:#?}", bundle.verify());
    // Of 40 below 26 in the north all but two are below 25 and of Alston.
    let forged = |count: i64| {
        let forged = bundle.copy();
        forged.forge_tables(|tables| {
            tables[1]["figures"].as_array_mut().unwrap().iter_mut().for_each(|figure| *figure = count.into());
        });
        forged
    };
    assert_eq!(forged(30).verify().outcome(), Outcome::Holds, "{:#?}", forged(30).verify());
    let says = forged(38).failing("audit").says;
    assert!(says.contains("from two tables"), "{says}");
}
