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

/// Regions, and a condition on districts, which no table shows.
const OF_ONE_DISTRICT: &str = r#"
data = { path = "people.csv" }
policy = { name = "gss-tables" }
protection = { method = "suppress" }
[[variables]]
name = "region"
[[variables]]
name = "sex"
[[tables]]
name = "regions"
variables = ["region", "sex"]
[[tables]]
name = "district"
variables = ["sex"]
where = "district = 'n1'"
"#;

#[test]
fn the_man_of_a_region_who_is_not_of_its_district_is_told_by_two_tables_that_show_no_district() {
    let mut people = "region,district,sex\n".to_owned();
    // The one woman of S is hidden, and with her three cells of S and W. What N shows stays.
    let counts = [
        ("N,n1,m", 70),
        ("N,n3,m", 20),
        ("N,n1,f", 60),
        ("N,n3,f", 31),
        ("S,s1,m", 30),
        ("S,s1,f", 1),
        ("W,w1,m", 40),
        ("W,w1,f", 35),
    ];
    for (row, count) in counts {
        people += &format!("{row}\n").repeat(count);
    }
    let bundle = Bundle::from_spec(OF_ONE_DISTRICT, &[("people.csv", &people)]);
    assert_eq!(bundle.verify().outcome(), Outcome::Holds, "{:#?}", bundle.verify());
    let certificate = bundle.text("certificate.json");
    assert!(certificate.contains("\"conditions\""), "{certificate}");
    // Men in the district, women, all.
    let forged = |men: i64| {
        let forged = bundle.copy();
        forged.forge_tables(|tables| {
            let figures = tables[1]["figures"].as_array_mut().unwrap();
            let all = figures.len() - 1;
            (figures[0], figures[1], figures[all]) = (60.into(), men.into(), (60 + men).into());
        });
        forged
    };
    assert_eq!(forged(70).verify().outcome(), Outcome::Holds, "{:#?}", forged(70).verify());
    let says = forged(89).failing("audit").says;
    assert!(says.contains("from two tables"), "{says}");
}
