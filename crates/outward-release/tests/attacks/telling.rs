//! A swap moves places and nothing else. A column that stays behind and tells the place shows who was swapped, and from where.

use super::desk::Desk;

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
        assert!(error.to_string().contains("tell the `region`") && error.help().unwrap().contains("drop"), "{error}");
        assert!(!error.to_string().contains("office 1"), "{error}");
        assert!(!desk.bundle().exists());
    }
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
