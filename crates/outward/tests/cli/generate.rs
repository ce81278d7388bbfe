//! `outward generate`.

use super::{folder, json, listing, outward, refused, stdout};

#[test]
fn the_same_seed_makes_the_same_bytes_on_any_number_of_threads() {
    let folder = folder();
    for (name, threads) in [("a.parquet", "1"), ("b.parquet", "3"), ("a.csv", "1"), ("b.csv", "3")] {
        let args = ["generate", "census", "--rows", "20000", "--seed", "7", "--out", name, "--threads", threads];
        assert!(outward(folder.path(), &args).status.success());
    }
    let bytes = |name: &str| std::fs::read(folder.path().join(name)).unwrap();
    assert_eq!(bytes("a.parquet"), bytes("b.parquet"));
    assert_eq!(bytes("a.csv"), bytes("b.csv"));
    assert!(
        outward(folder.path(), &["generate", "census", "--rows", "20000", "--seed", "8", "--out", "c.csv"])
            .status
            .success()
    );
    assert_ne!(bytes("a.csv"), bytes("c.csv"));
}

#[test]
fn a_dataset_of_several_tables_makes_a_file_for_each() {
    let folder = folder();
    let output = outward(folder.path(), &["generate", "road", "--rows", "500", "--out", "road.csv"]);
    assert!(output.status.success());
    assert_eq!(listing(folder.path()), ["road_casualties.csv", "road_collisions.csv", "road_vehicles.csv"]);
    assert!(stdout(&output).contains("500 collisions"));
}

#[test]
fn every_dataset_can_be_made_and_profiled() {
    for (name, file) in [
        ("census", "d.csv"),
        ("energy", "d.csv.zst"),
        ("education", "d.parquet"),
        ("road", "d.csv.gz"),
        ("biobank", "d.xlsx"),
    ] {
        let folder = folder();
        assert!(outward(folder.path(), &["generate", name, "--rows", "300", "--out", file]).status.success(), "{name}");
        for made in listing(folder.path()) {
            let output = outward(folder.path(), &["init", &made, "--out", "s.toml", "--force", "--format", "json"]);
            assert!(json(&output)["records"].as_u64().unwrap() > 0, "{name} {made}");
        }
    }
}

#[test]
fn an_unknown_dataset_is_answered_with_the_nearest_name() {
    let said = refused(&outward(folder().path(), &["generate", "cencus", "--out", "x.csv"]));
    assert!(said.contains("did you mean `census`?"), "{said}");
}
