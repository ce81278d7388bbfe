//! Blocks of tables (M3 to M5): what only the atoms of a ring tell, beyond what all variables crossed would fit into, and rings too large to be told.

use outward_release::Outcome;
use serde_json::{Value, json};

use outward_fixtures::bundle::Bundle;

const RING: &str = r#"
data = { path = "people.csv" }
policy = { name = "gss-tables" }
protection = { method = "suppress", PARTIAL }
variables = [{ name = "a", role = "key" }, { name = "b", role = "key" }, { name = "c", role = "key" }]
tables = [
    { name = "ab", variables = ["a", "b"] },
    { name = "bc", variables = ["b", "c"] },
    { name = "ac", variables = ["a", "c"] },
]
"#;

/// Forty people at a1 and a2, b1 and b2, c1 and c2 as on the page, and ten at each further value of *a*, who have a value of *b* and of *c* that none of
/// the forty has. With so many values of each there are `values`³ atoms, nearly.
fn ring(values: usize, partial: &str) -> Bundle {
    let mut people = "a,b,c\n".to_owned();
    for (own, count) in [
        ("a01,b01,c01", 4),
        ("a01,b01,c02", 2),
        ("a01,b02,c02", 13),
        ("a02,b01,c01", 10),
        ("a02,b02,c01", 9),
        ("a02,b02,c02", 2),
    ] {
        people += &format!("{own}\n").repeat(count);
    }
    for value in 3..=values {
        people += &format!("a{value:02},b{value:02},c{value:02}\n").repeat(10);
    }
    Bundle::from_spec(&RING.replace("PARTIAL", partial), &[("people.csv", &people)])
}

/// The position of a cell, by labels.
fn position(table: &Value, labels: [&str; 2]) -> usize {
    let node = |at: usize| {
        let nodes = table["dimensions"][at]["nodes"].as_array().unwrap();
        (nodes.iter().position(|node| node["label"] == labels[at]).unwrap(), nodes.len())
    };
    let ((first, _), (second, size)) = (node(0), node(1));
    first * size + second
}

/// The cells that are hidden, with what sums along one variable tell of each, and whether it is unsafe. With x at b1 and c2 all of them are told.
const HIDDEN: [(usize, [&str; 2], i64, i64, &str); 6] = [
    (1, ["b01", "c01"], 0, 16, "not-asked"),
    (1, ["b01", "c02"], 0, 16, "protected"),
    (1, ["Total", "c01"], 9, 25, "not-asked"),
    (1, ["Total", "c02"], 15, 31, "not-asked"),
    (2, ["a02", "c01"], 5, 21, "not-asked"),
    (2, ["a02", "c02"], 0, 16, "protected"),
];

/// Hides these cells and no others, and certifies these ends of them.
fn forge(bundle: &Bundle, ends: impl Fn(usize) -> (i64, i64)) {
    for (name, _) in bundle.lines() {
        bundle.show_again(&name);
    }
    let mut names = Vec::new();
    bundle.forge_tables(|tables| {
        for (table, labels, ..) in HIDDEN {
            let cell = position(&tables[table], labels);
            tables[table]["figures"][cell] = "[c]".into();
            let words: Vec<String> = ["bc", "ac"][table - 1]
                .chars()
                .zip(labels)
                .filter(|(_, label)| *label != "Total")
                .map(|(of, label)| format!("{of} {label}"))
                .collect();
            names.push(format!("{}[{cell}]: {}", ["bc", "ac"][table - 1], words.join(", ")));
        }
        // Both tables show how many have each value of the third variable.
        for label in ["c01", "c02"] {
            let cell = position(&tables[2], ["Total", label]);
            tables[2]["figures"][cell] = "[c]".into();
        }
    });
    let mut manifest = bundle.json("manifest.json");
    for (table, (primary, secondary)) in [(0, 0), (1, 3), (1, 3)].into_iter().enumerate() {
        (manifest["tables"][table]["primary"], manifest["tables"][table]["secondary"]) =
            (primary.into(), secondary.into());
    }
    bundle.forge_manifest(&manifest);
    bundle.forge_certificate(|cells| {
        let line = |(at, (_, _, _, _, verdict)): (usize, &(usize, [&str; 2], i64, i64, &str))| {
            let (lower, upper) = ends(at);
            json!({ "name": names[at], "cell": at, "lower": lower, "upper": upper, "exact": true, "verdict": verdict })
        };
        *cells = HIDDEN.iter().enumerate().map(line).collect();
    });
    bundle.forge_json("certificate.json", |families| {
        (families[0]["sums"], families[0]["alone"]) = (json!([]), json!([]));
    });
}

#[test]
fn what_only_the_atoms_of_a_large_ring_tell_is_held_against_the_certificate() {
    // 29 x 29 x 29 atoms, more than 20,000.
    let bundle = ring(29, "margin = 1");
    assert_eq!(bundle.verify().outcome(), Outcome::Holds, "{:#?}", bundle.verify());
    forge(&bundle, |at| (HIDDEN[at].2, HIDDEN[at].3));
    for whole in [true, false] {
        bundle.forge_json("certificate.json", |families| families[0]["whole"] = whole.into());
        let says = bundle.failing("audit").says;
        assert!(says.contains("more tightly"), "{says}");
    }
    // Of 19 at a1 13 are not at b1 and 15 are at c2: at least two are at b1 and c2.
    let found = [(0, 14), (2, 16), (9, 23), (17, 31), (5, 19), (2, 16)];
    bundle.forge_json("certificate.json", |families| families[0]["whole"] = true.into());
    forge_ends(&bundle, &found);
    assert_eq!(bundle.verify().outcome(), Outcome::Holds, "{:#?}", bundle.verify());
    for (end, by) in [("lower", -1), ("lower", 1), ("upper", -1), ("upper", 1)] {
        let forged = bundle.copy();
        forged.forge_certificate(|lines| lines[1][end] = (lines[1][end].as_i64().unwrap() + by).into());
        assert_eq!(forged.verify().outcome(), Outcome::Fails, "{end} {by}");
    }
}

fn forge_ends(bundle: &Bundle, ends: &[(i64, i64)]) {
    bundle.forge_certificate(|lines| {
        for (line, (lower, upper)) in lines.iter_mut().zip(ends) {
            (line["lower"], line["upper"]) = ((*lower).into(), (*upper).into());
        }
    });
}

#[test]
fn tables_of_more_atoms_than_a_release_may_have_cannot_be_told_unless_that_is_said() {
    // 38 x 38 x 38 atoms, more than 50,000.
    let bundle = ring(38, "accept_partial = \"a test\"");
    assert_eq!(bundle.verify().outcome(), Outcome::Holds, "{:#?}", bundle.verify());
    bundle.forge_json("certificate.json", |families| {
        assert!(families[0]["partial"].is_string());
        families[0].as_object_mut().unwrap().remove("partial");
    });
    let checks = bundle.verify().checks;
    let audit = checks.iter().find(|check| check.name == "audit").unwrap();
    assert_eq!(audit.outcome, Outcome::CannotTell, "{audit:?}");
    assert!(audit.says.contains("too many atoms"), "{audit:?}");
}
