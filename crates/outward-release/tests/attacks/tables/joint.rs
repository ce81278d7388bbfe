//! The table behind the tables: what follows from rings of tables and from two variables of several answers, held against a search
//! through all records there could be.

use outward_fixtures::bundle::Bundle;
use outward_fixtures::draw::Draw;
use outward_fixtures::oracle::{Intervals, Kind, Oracle, kinds};
use outward_release::Outcome;
use outward_tables::read::read_json;
use outward_testing::random_cases::seeds;
use serde_json::{Value, json};

/// What a reader who lists all records there could be finds of hidden figures; none if nothing says how many records there are.
fn listed(bundle: &Bundle, kinds: &[Kind]) -> Option<Intervals> {
    Oracle::new(&read_json(&bundle.text("public/tables.json")).unwrap()).intervals(kinds)
}

/// The place a certificate's line names.
fn place(bundle: &Bundle, line: &Value) -> (usize, usize) {
    let (table, rest) = line["name"].as_str().unwrap().split_once('[').unwrap();
    let tables = bundle.json("public/tables.json");
    let number = tables["tables"].as_array().unwrap().iter().position(|other| other["name"] == table).unwrap();
    (number, rest.split_once(']').unwrap().0.parse().unwrap())
}

/// Makes the certificate say what was listed, and that it reckoned with all.
fn certify(bundle: &Bundle, listed: &Intervals) {
    bundle.forge_json("certificate.json", |families| families[0]["whole"] = true.into());
    let places: Vec<(usize, usize)> = bundle.json("certificate.json")[0]["certificate"]["cells"]
        .as_array()
        .unwrap()
        .iter()
        .map(|line| place(bundle, line))
        .collect();
    bundle.forge_certificate(|lines| {
        for (line, place) in lines.iter_mut().zip(&places) {
            (line["lower"], line["upper"]) = (listed[place].0.into(), listed[place].1.into());
            line["exact"] = true.into();
        }
    });
}

/// That verify finds of every hidden figure the interval that was listed: neither a wider nor a narrower one holds.
fn finds(bundle: &Bundle, listed: &Intervals, what: &str) -> usize {
    if bundle.lines().is_empty() {
        return 0;
    }
    certify(bundle, listed);
    assert_eq!(bundle.verify().outcome(), Outcome::Holds, "{what}: {:#?}", bundle.verify());
    for (end, by) in [("lower", -1), ("lower", 1), ("upper", -1), ("upper", 1)] {
        let forged = bundle.copy();
        forged.forge_certificate(|lines| lines[0][end] = (lines[0][end].as_i64().unwrap() + by).into());
        assert_eq!(forged.verify().outcome(), Outcome::Fails, "{what}: {end} {by}");
    }
    bundle.lines().len()
}

const RING: &str = r#"
data = { path = "people.csv" }
policy = { name = "gss-tables" }
protection = { method = "suppress" }
variables = [{ name = "a", role = "key" }, { name = "b", role = "key" }, { name = "c", role = "key" }]
tables = [
    { name = "ab", variables = ["a", "b"] },
    { name = "bc", variables = ["b", "c"] },
    { name = "ac", variables = ["a", "c"] },
]
"#;

/// The variables of the ring, their values and how many of them a record has.
const THREE: [(&str, &[&str], usize); 3] =
    [("a", &["a1", "a2"], 1), ("b", &["b1", "b2"], 1), ("c", &["c1", "c2", "c3"], 1)];

fn ring(draw: &mut Draw) -> Option<Bundle> {
    let mut people = "a,b,c\n".to_owned();
    for _ in 0..14 + draw.below(20) {
        let own = THREE.map(|(_, values, _)| draw.skewed(values));
        people += &format!("{}\n", own.join(","));
    }
    Bundle::attempt(RING, &[("people.csv", &people)])
}

#[test]
fn of_a_ring_of_tables_verify_finds_what_listing_all_records_finds() {
    let mut hidden = 0;
    for seed in seeds(12) {
        let Some(bundle) = ring(&mut Draw::new(seed)) else { continue };
        if let Some(listed) = listed(&bundle, &kinds(&THREE)) {
            hidden += finds(&bundle, &listed, &format!("seed {seed}"));
        }
    }
    assert!(hidden > 20, "{hidden}");
}

const FOUR_TABLES: &str = r#"
data = { path = "people.csv" }
policy = { name = "gss-tables" }
protection = { method = "suppress" }
variables = [
    { name = "a", role = "key" },
    { name = "b", role = "key" },
    { name = "c", role = "key" },
    { name = "d", role = "key" },
]
tables = [
    { name = "ab", variables = ["a", "b"] },
    { name = "bc", variables = ["b", "c"], without_total = ["b"] },
    { name = "cd", variables = ["c", "d"] },
    { name = "ad", variables = ["a", "d"], without_total = ["a"] },
]
"#;

/// The variables of a ring of four, which is two blocks that share what no table shows.
const FOUR: [(&str, &[&str], usize); 4] =
    [("a", &["a1", "a2"], 1), ("b", &["b1", "b2"], 1), ("c", &["c1", "c2"], 1), ("d", &["d1", "d2"], 1)];

#[test]
fn of_a_ring_of_four_tables_verify_finds_what_listing_all_records_finds() {
    let mut hidden = 0;
    for seed in seeds(16) {
        let mut draw = Draw::new(seed);
        let mut people = "a,b,c,d\n".to_owned();
        for _ in 0..7 + draw.below(9) {
            people += &format!("{}\n", FOUR.map(|(_, values, _)| draw.skewed(values)).join(","));
        }
        let Some(bundle) = Bundle::attempt(FOUR_TABLES, &[("people.csv", &people)]) else { continue };
        if let Some(listed) = listed(&bundle, &kinds(&FOUR)) {
            hidden += finds(&bundle, &listed, &format!("seed {seed}"));
        }
    }
    assert!(hidden > 20, "{hidden}");
}

/// Forty people, of whom two are at b1 and c2 and two others at a2 and c2; who is at c1 or c2 is hidden but for a1 and b2.
fn ring_by_hand() -> Bundle {
    let mut people = "a,b,c\n".to_owned();
    for (own, count) in
        [("a1,b1,c1", 4), ("a1,b1,c2", 2), ("a1,b2,c2", 13), ("a2,b1,c1", 10), ("a2,b2,c1", 9), ("a2,b2,c2", 2)]
    {
        people += &format!("{own}\n").repeat(count);
    }
    let bundle = Bundle::from_spec(RING, &[("people.csv", &people)]);
    let c = "[c]";
    bundle.forge_tables(|tables| {
        tables[0]["figures"] = json!([6, 13, 19, 10, 11, 21, 16, 24, 40]);
        tables[1]["figures"] = json!([c, c, 16, 9, 15, 24, c, c, 40]);
        tables[2]["figures"] = json!([4, 15, 19, c, c, 21, c, c, 40]);
    });
    let mut manifest = bundle.json("manifest.json");
    for (table, secondary) in [0, 3, 3].into_iter().enumerate() {
        assert_eq!(manifest["tables"][table]["primary"], usize::from(table > 0));
        manifest["tables"][table]["secondary"] = secondary.into();
    }
    bundle.forge_manifest(&manifest);
    // What sums along one variable tell: x at b1 and c2 are x at a2 and c2, and neither more than 16.
    let line = |(cell, (name, lower, upper, verdict)): (usize, (&str, i64, i64, &str))| json!({ "name": name, "cell": cell, "lower": lower, "upper": upper, "exact": true, "verdict": verdict });
    let lines = [
        ("bc[0]: b b1, c c1", 0, 16, "not-asked"),
        ("bc[1]: b b1, c c2", 0, 16, "protected"),
        ("bc[6]: c c1", 9, 25, "not-asked"),
        ("bc[7]: c c2", 15, 31, "not-asked"),
        ("ac[3]: a a2, c c1", 5, 21, "not-asked"),
        ("ac[4]: a a2, c c2", 0, 16, "protected"),
    ];
    bundle.forge_certificate(|cells| *cells = lines.into_iter().enumerate().map(line).collect());
    bundle.forge_json("certificate.json", |families| {
        families[0]["sums"] = json!([]);
        families[0]["alone"] = json!([]);
    });
    bundle
}

#[test]
fn a_certificate_that_is_content_with_sums_is_refused_where_the_table_behind_a_ring_tells_more() {
    let bundle = ring_by_hand();
    for whole in [true, false] {
        bundle.forge_json("certificate.json", |families| families[0]["whole"] = whole.into());
        let says = bundle.failing("audit").says;
        assert!(says.contains("more tightly"), "{says}");
    }
    // Of 19 at a1 13 are not at b1 and 15 are at c2: at least two are at b1 and c2.
    let listed = listed(&bundle, &kinds(&THREE)).unwrap();
    assert_eq!(listed[&(1, 1)], (2, 16));
    finds(&bundle, &listed, "by hand");
}

const TWICE: &str = r#"
data = { path = "collisions.csv" }
policy = { name = "gss-tables" }
protection = { method = "suppress" }
[[linked]]
name = "casualties"
data = { path = "casualties.csv" }
on = ["id"]
[[variables]]
name = "factor"
columns = ["first", "second"]
[[variables]]
name = "kind"
from = ["casualties"]
[[tables]]
name = "t"
variables = ["factor", "kind"]
"#;

const FACTORS_AND_KINDS: [(&str, &[&str], usize); 2] = [("factor", &["f1", "f2", "f3"], 2), ("kind", &["s1", "s2"], 2)];

/// Collisions, each with its factors and the kinds of its casualties.
fn collisions(all: &[(Vec<&str>, Vec<&str>)]) -> Option<Bundle> {
    let (mut collisions, mut casualties) = ("id,first,second\n".to_owned(), "id,kind\n".to_owned());
    for (id, (factors, kinds)) in all.iter().enumerate() {
        let factor = |at: usize| factors.get(at).copied().unwrap_or_default();
        collisions += &format!("{id},{},{}\n", factor(0), factor(1));
        kinds.iter().for_each(|kind| casualties += &format!("{id},{kind}\n"));
    }
    Bundle::attempt(TWICE, &[("collisions.csv", &collisions), ("casualties.csv", &casualties)])
}

#[test]
fn of_two_variables_of_several_answers_verify_finds_what_listing_all_records_finds() {
    let mut hidden = 0;
    for seed in seeds(30) {
        let mut draw = Draw::new(seed);
        let one = |draw: &mut Draw| {
            let factors = vec![draw.skewed(&["f1", "f2", "f3"]), draw.skewed(&["f1", "f2", "f3"])];
            (factors, vec![draw.skewed(&["s1", "s2"]), draw.skewed(&["s1", "s2"])])
        };
        let all: Vec<_> = (0..5 + draw.below(5)).map(|_| one(&mut draw)).collect();
        let Some(bundle) = collisions(&all) else { continue };
        if let Some(listed) = listed(&bundle, &kinds(&FACTORS_AND_KINDS)) {
            hidden += finds(&bundle, &listed, &format!("seed {seed}"));
        }
    }
    assert!(hidden > 20, "{hidden}");
}

/// Twelve collisions: in nine someone of the first kind was hurt, in two of the second, and in one of both.
fn by_hand() -> Bundle {
    let mut all = vec![
        (vec!["f1"], vec!["s1", "s2"]),
        (vec!["f1", "f3"], vec!["s2"]),
        (vec!["f1"], vec!["s2"]),
        (vec!["f1"], vec!["s1"]),
        (vec!["f3"], vec!["s1"]),
    ];
    all.extend((0..7).map(|at| (if at < 5 { vec!["f2", "f3"] } else { vec!["f2"] }, vec!["s1"])));
    collisions(&all).expect("these tables can be protected")
}

#[test]
fn who_is_counted_twice_in_all_is_counted_twice_at_most_once_with_a_factor() {
    let bundle = by_hand();
    let open: Vec<String> = bundle.lines().into_iter().map(|(name, _)| name).collect();
    let kept = ["factor f1, kind s1", "factor f3, kind s1", "factor f3, kind s2"];
    for name in open.iter().filter(|name| !kept.iter().any(|kept| name.ends_with(kept))) {
        bundle.show_again(name);
    }
    assert_eq!(bundle.text("public/t.csv").matches("[c]").count(), 3);
    // Of one collision both kinds are told. So those with f1 and s1 are at most two, and two are needed.
    assert_eq!(listed(&bundle, &kinds(&FACTORS_AND_KINDS)).unwrap()[&(0, 0)], (2, 2));
    bundle.forge_certificate(|lines| {
        for (line, (lower, upper)) in lines.iter_mut().zip([(1, 4), (4, 7), (0, 3)]) {
            (line["lower"], line["upper"], line["exact"]) = (lower.into(), upper.into(), true.into());
        }
    });
    for whole in [true, false] {
        bundle.forge_json("certificate.json", |families| {
            families[0]["whole"] = whole.into();
            families[0]["sums"] = json!([]);
            families[0]["alone"] = json!([]);
        });
        let says = bundle.failing("audit").says;
        assert!(says.contains("can be worked out"), "{says}");
    }
}

const BESIDE: &str = r#"
data = { path = "collisions.csv" }
policy = { name = "gss-tables" }
protection = { method = "suppress" }
variables = [{ name = "factor", columns = ["first", "second"] }, { name = "road" }, { name = "night" }]
tables = [
    { name = "roads", variables = ["factor", "road"] },
    { name = "nights", variables = ["factor", "night"] },
    { name = "both", variables = ["road", "night"] },
]
"#;

const FACTORS_BY_TWO: [(&str, &[&str], usize); 3] =
    [("factor", &["f1", "f2", "f3"], 2), ("road", &["A", "B"], 1), ("night", &["no", "yes"], 1)];

#[test]
fn of_answers_that_two_tables_show_verify_finds_what_listing_all_records_finds() {
    let mut hidden = 0;
    for seed in seeds(8) {
        let mut draw = Draw::new(seed);
        let mut collisions = "first,second,road,night\n".to_owned();
        for _ in 0..6 + draw.below(3) {
            let (first, second) = (draw.skewed(&["f1", "f2", "f3"]), draw.skewed(&["f1", "f2", "f3", ""]));
            collisions += &format!("{first},{second},{},{}\n", draw.skewed(&["A", "B"]), draw.skewed(&["no", "yes"]));
        }
        let Some(bundle) = Bundle::attempt(BESIDE, &[("collisions.csv", &collisions)]) else { continue };
        if let Some(listed) = listed(&bundle, &kinds(&FACTORS_BY_TWO)) {
            hidden += finds(&bundle, &listed, &format!("seed {seed}"));
        }
    }
    assert!(hidden > 20, "{hidden}");
}
