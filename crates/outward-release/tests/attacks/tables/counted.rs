//! Whoever is counted knows a count of others too closely (P5), though not exactly.

use outward_fixtures::bundle::Bundle;
use outward_fixtures::spec::{keys, suppressed, table};
use outward_release::Outcome;
use serde_json::json;

/// Three at a1 and b1, and three at a1 and b2, of whom the policy calls up to four unsafe; beside them nine and nine are hidden.
fn bundle() -> Bundle {
    let counts = [("a1", [3, 3, 40]), ("a2", [9, 9, 40]), ("a3", [30, 30, 40])];
    let mut people = "a,b\n".to_owned();
    for (a, own) in counts {
        own.iter().zip(1..).for_each(|(count, b)| people += &format!("{a},b{b}\n").repeat(*count));
    }
    let spec = suppressed("people.csv").replace("[protection]", "tier = \"high\"\n[protection]");
    Bundle::from_spec(&(spec + &keys(&["a", "b"]) + &table("t", &["a", "b"], "")), &[("people.csv", &people)])
}

/// The name of a cell in certificates.
fn name(bundle: &Bundle, place: &str) -> String {
    let names = bundle.lines().into_iter().map(|(name, _)| name);
    names.into_iter().find(|name| name.ends_with(place)).unwrap()
}

#[test]
fn someone_who_knows_that_a_count_is_two_or_three_is_found() {
    // Of the six at a1 and the twelve at b1 and b2 a reader learns that there may be up to six at a1 and b1. Someone who knew of three at a1 and b2, and
    // of eight at a2 and b2, would learn that they are two or three; of seven, that they are one to three, which is as far as is asked.
    for (others, holds) in [(7, true), (8, false)] {
        let bundle = bundle();
        assert_eq!(bundle.verify().outcome(), Outcome::Holds, "{:#?}", bundle.verify());
        let (beside, below) = (name(&bundle, "a a1, b b2"), name(&bundle, "a a2, b b2"));
        bundle.forge_json("certificate.json", |families| {
            families[0]["contributors"] = json!([{ "shared": [[beside, 3], [below, others]] }]);
        });
        match holds {
            true => assert_eq!(bundle.verify().outcome(), Outcome::Holds, "{:#?}", bundle.verify()),
            false => assert!(bundle.failing("audit").says.contains("someone who is counted"), "{:#?}", bundle.verify()),
        }
    }
}
