//! Tables of linked files.

use outward_release::Outcome;

use outward_fixtures::bundle::Bundle;
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
