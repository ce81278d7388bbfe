//! Tables of linked files tell of each other by those alone who meet a condition, or have a value of the linked file (M7).

use outward_fixtures::bundle::Bundle;
use outward_fixtures::csv::csv_text;
use outward_fixtures::spec::{linked, suppressed, table};
use outward_release::Outcome;

/// How many were hurt in the two collisions in the dark on road A, and in the nine on road C.
type Hurt = (usize, usize);

/// Collisions and those who were hurt in them. In the dark all of them were pedestrians, by day nobody was.
fn files((on_a, on_c): Hurt) -> [String; 2] {
    let roads = [("A", (2, on_a), 9), ("B", (14, 28), 9), ("C", (9, on_c), 12), ("D", (19, 19), 11)];
    let (mut collisions, mut casualties) = (Vec::new(), Vec::new());
    for (road, in_the_dark, by_day) in roads {
        let by_light = [("dark", "pedestrian", in_the_dark), ("day", "driver", (by_day, 2 * by_day))];
        for (light, class, (count, hurt)) in by_light {
            for number in 0..count {
                let id = collisions.len().to_string();
                // All but one are hurt one by one, and whoever is left with the first.
                let own = if number == 0 { hurt + 1 - count } else { 1 };
                casualties.extend((0..own).map(|_| [id.clone(), class.to_owned()]));
                collisions.push([id, road.to_owned(), light.to_owned()]);
            }
        }
    }
    [csv_text(&["id", "road", "light"], collisions), csv_text(&["id", "class"], casualties)]
}

fn bundle(tables: &str, hurt: Hurt) -> Bundle {
    let variables = "[[variables]]\nname = \"road\"\nrole = \"key\"\n[[variables]]\nname = \"light\"\nrole = \"key\"\n\
                     [[variables]]\nname = \"class\"\nrole = \"key\"\nfrom = [\"casualties\"]\n";
    let spec = suppressed("collisions.csv") + &linked("casualties") + variables + tables;
    let [collisions, casualties] = files(hurt);
    let bundle = Bundle::from_spec(&spec, &[("collisions.csv", &collisions), ("casualties.csv", &casualties)]);
    assert_eq!(bundle.verify().outcome(), Outcome::Holds, "{:#?}", bundle.verify());
    bundle
}

/// The two ways in which those who were hurt tell that there was one collision on road A at least: some were hurt there; and no more were on road C than
/// there could be collisions, where more on road A are not held against these.
const TELLING: [Hurt; 2] = [(4, 27), (120, 10)];

/// That a certificate is found that says there may have been none on road A.
fn finds_what_links_tell(tables: &str, place: &str) {
    for hurt in TELLING {
        let bundle = bundle(tables, hurt);
        let lines = bundle.json("certificate.json")[0]["certificate"]["cells"].clone();
        let is_told = |line: &serde_json::Value| line["name"].as_str().is_some_and(|name| name.ends_with(place));
        let at = lines.as_array().unwrap().iter().position(is_told).unwrap();
        assert_eq!((lines[at]["lower"].as_i64(), lines[at]["exact"].as_bool()), (Some(1), Some(true)), "{lines:#}");
        bundle.forge_certificate(|lines| lines[at]["lower"] = 0.into());
        assert!(bundle.failing("audit").says.contains("more tightly"), "{hurt:?}: {:#?}", bundle.verify());
    }
}

#[test]
fn whoever_was_hurt_in_the_dark_tells_of_the_collisions_in_the_dark() {
    let (dark, hurt) = ("where = \"light = 'dark'\"", "unit = \"casualties\"");
    let tables = table("collisions", &["road"], "") + &table("dark", &["road"], dark);
    let tables = tables + &table("hurt", &["road"], hurt) + &table("hurt dark", &["road"], &format!("{hurt}\n{dark}"));
    finds_what_links_tell(&tables, "dark[0]: road A");
}

#[test]
fn the_pedestrians_who_were_hurt_tell_of_the_collisions_with_pedestrians() {
    let tables = table("collisions", &["road", "class"], "");
    let tables = tables + &table("hurt", &["road", "class"], "unit = \"casualties\"");
    finds_what_links_tell(&tables, "road A, class pedestrian");
}
