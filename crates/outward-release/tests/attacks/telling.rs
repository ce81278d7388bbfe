//! A swap moves places and nothing else. A column that stays behind and tells the place shows who was swapped, and from where.

use outward_fixtures::desk::Desk;

const SPEC: &str = r#"
[policy]
k = 1
[[variables]]
name = "region"
role = "geography"
[[variables]]
name = "district"
role = "geography"
[[variables]]
name = "sex"
role = "key"
[[variables]]
name = "office"
[[steps]]
do = "swap"
geography = ["region", "district"]
share = 0.2
"#;

const REGIONS: [&str; 4] = ["North", "East", "South", "West"];

/// Two thousand people in four regions, with two columns that follow from the number of the region and the row.
fn beside(first: impl Fn(usize, usize) -> String, second: impl Fn(usize, usize) -> String) -> (String, String) {
    let spec = SPEC
        .replace("\"region\", \"district\"]", "\"region\"]")
        .replace("[[variables]]\nname = \"district\"\nrole = \"geography\"\n", "");
    let spec = spec.replace("name = \"office\"\n", "name = \"office\"\n[[variables]]\nname = \"school\"\n");
    let record = |row: usize| {
        let region = row * 7 % 4;
        let sex = if (row / 4).is_multiple_of(3) { "F" } else { "M" };
        format!("{},{sex},{},{}\n", REGIONS[region], first(region, row), second(region, row))
    };
    (spec, format!("region,sex,office,school\n{}", (0..2000).map(record).collect::<String>()))
}

/// Two hundred people in four regions of two districts each, with an office that follows from all else.
fn people(office: impl Fn(usize, usize) -> String) -> String {
    let record = |row: usize| {
        let (region, half) = (row * 7 % 4, row / 4 % 2);
        let sex = if row.is_multiple_of(3) { "F" } else { "M" };
        format!("{0},{0}{half},{sex},{1}\n", REGIONS[region], office(2 * region + half, row))
    };
    format!("region,district,sex,office\n{}", (0..200).map(record).collect::<String>())
}

#[test]
fn a_swap_is_refused_beside_a_column_that_tells_the_place() {
    // An office for each region, one for each district, and several in each district.
    for offices in [
        people(|district, _| format!("office {}", district / 2)),
        people(|district, _| format!("office {district}")),
        people(|district, row| format!("office {district}/{}", row / 100)),
    ] {
        let desk = Desk::new(SPEC, &offices);
        let error = desk.protect().unwrap_err();
        assert_eq!(error.fault().unwrap().place.variable.as_deref(), Some("office"), "{error}");
        assert!(error.to_string().contains("reveal the `region`") && error.help().unwrap().contains("drop"), "{error}");
        assert!(!error.to_string().contains("office 1"), "{error}");
        assert!(!desk.bundle().exists());
    }
}

#[test]
fn no_name_hides_a_column_that_tells_the_place() {
    let records = people(|district, _| format!("office {district}")).replacen("office", "__office", 1);
    let error = Desk::new(&SPEC.replace("\"office\"", "\"__office\""), &records).protect().unwrap_err();
    assert_eq!(error.fault().unwrap().place.variable.as_deref(), Some("__office"), "{error}");
}

#[test]
fn a_swap_is_made_where_what_told_the_place_is_dropped_moves_along_or_is_found_everywhere() {
    let telling = people(|district, _| format!("office {district}"));
    let dropped = SPEC.replacen("[[steps]]", "[[steps]]\ndo = \"drop\"\nvariables = [\"office\"]\n[[steps]]", 1);
    let moved = SPEC.replace("\"district\"]", "\"district\", \"office\"]");
    let chain = people(|_, row| format!("office {}", row % 5));
    for (spec, records) in [(dropped.as_str(), &telling), (moved.as_str(), &telling), (SPEC, &chain)] {
        assert!(Desk::new(spec, records).protect().unwrap().written);
    }
}

#[test]
fn a_swap_is_refused_beside_two_columns_that_tell_the_place_together() {
    // Every office and every school is in every region, and which office goes with which school says where.
    let office = |_: usize, row: usize| (row / 4 * 5) % 12;
    for schools in [4, 40] {
        let school = |region: usize, row: usize| (region + office(region, row)) % 4 + row / 48 % (schools / 4) * 4;
        let (spec, records) = beside(
            |region, row| format!("office {}", office(region, row)),
            |region, row| format!("school {}", school(region, row)),
        );
        let desk = Desk::new(&spec, &records);
        let error = desk.protect().unwrap_err();
        let says = error.to_string();
        assert!(says.contains("`office` and `school` together reveal the `region`"), "{says}");
        assert!(error.help().unwrap().contains("name both in `geography`"), "{error}");
        assert!(!desk.bundle().exists());
        let coarser = spec.replacen("[[steps]]", "[[steps]]\ndo = \"drop\"\nvariables = [\"school\"]\n[[steps]]", 1);
        assert!(Desk::new(&coarser, &records).protect().unwrap().written);
    }
}

#[test]
fn a_swap_is_refused_beside_a_nearly_unique_column_that_tells_the_place() {
    // Three records to a block, and a number given out region by region.
    let block = |region: usize, row: usize| format!("block {region}/{}", row / 12);
    let number = |region: usize, row: usize| format!("{}", 10_000 * (region + 1) + row);
    for first in [&block as &dyn Fn(usize, usize) -> String, &number] {
        let (spec, records) = beside(first, |_, row| format!("school {}", row % 5));
        let error = Desk::new(&spec, &records).protect().unwrap_err();
        assert_eq!(error.fault().unwrap().place.variable.as_deref(), Some("office"), "{error}");
    }
}
