//! Tables of linked files.

use outward_release::Outcome;

use outward_fixtures::bundle::Bundle;
use outward_fixtures::collisions::{RING, files, spec};
use outward_fixtures::spec::collisions_and_casualties;

fn bundle() -> Bundle {
    let (mut collisions, mut casualties) = ("id,road,severity\n".to_owned(), "id,sex\n".to_owned());
    let mut id = 0;
    for (road, severity, count, each) in [
        ("A", "fatal", 1, 3),
        ("A", "serious", 5, 1),
        ("A", "slight", 9, 1),
        ("B", "fatal", 4, 2),
        ("B", "serious", 7, 1),
        ("B", "slight", 8, 2),
        ("C", "fatal", 3, 1),
        ("C", "serious", 6, 2),
        ("C", "slight", 9, 1),
    ] {
        for _ in 0..count {
            id += 1;
            collisions += &format!("{id},{road},{severity}\n");
            casualties += &format!("{id},F\n").repeat(each);
        }
    }
    Bundle::from_spec(&collisions_and_casualties(), &[("collisions.csv", &collisions), ("casualties.csv", &casualties)])
}

#[test]
fn tables_of_linked_files_hold_together() {
    let bundle = bundle();
    assert_eq!(bundle.verify().outcome(), Outcome::Holds, "{:#?}", bundle.verify());
    assert_eq!(bundle.json("certificate.json").as_array().unwrap().len(), 1);
    bundle.needs_every_hidden_cell();
}

#[test]
fn casualties_without_a_collision_are_found() {
    let bundle = bundle();
    // Nine slight collisions on A roads, and none that casualties are of.
    bundle.show("casualties", &["A", "slight"], 0);
    super::refused(&bundle);
}

#[test]
fn a_certificate_of_one_unit_alone_is_found() {
    let bundle = bundle();
    bundle.forge_json("certificate.json", |families| families[0]["tables"] = serde_json::json!(["collisions"]));
    bundle.failing("audit");
}

#[test]
fn what_casualties_tell_of_combinations_that_no_table_shows_is_found() {
    // Casualties are shown by each two of the three variables, nothing of them is hidden. With the six collisions of road 0, severity 0 shown again
    // there can be no less than two at road 1, light 1, by integer programs over the sixteen counts of both files; the policy asks for one.
    let world = vec![(2, 2), (4, 6), (1, 3), (6, 8), (5, 7), (0, 0), (6, 6), (2, 4)];
    let [collisions, casualties] = files(RING, &world);
    let bundle = Bundle::from_spec(&spec(RING), &[("collisions.csv", &collisions), ("casualties.csv", &casualties)]);
    assert_eq!(bundle.verify().outcome(), Outcome::Holds, "{:#?}", bundle.verify());
    let name = "collisions0[0]: road road 0, severity severity 0";
    assert!(bundle.lines().contains(&(name.to_owned(), false)));
    bundle.show_again(name);
    assert!(bundle.failing("audit").says.contains("more tightly"), "{:#?}", bundle.verify());
}
