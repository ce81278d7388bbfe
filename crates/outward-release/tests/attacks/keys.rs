//! Cell suppression has a bit for each key. As many keys as bits made it stop in the middle once.

use outward_release::{Outcome, Protected};
use outward_spec::Result;

use outward_fixtures::desk::Desk;

/// Twelve people who agree on all keys but the last, where one stands out.
fn desk(keys: usize) -> Desk {
    let names: Vec<String> = (0..keys).map(|key| format!("answer_{key}")).collect();
    let variable = |name: &String| format!("[[variables]]\nname = \"{name}\"\nrole = \"key\"\n");
    let spec = format!(
        "missing = \"wildcard\"\n[policy]\nk = 3\n{}[[steps]]\ndo = \"suppress-cells\"\n",
        names.iter().map(variable).collect::<String>()
    );
    let record = |row: usize| format!("{}{}\n", "yes,".repeat(keys - 1), if row == 5 { "no" } else { "yes" });
    Desk::new(&spec, &format!("{}\n{}", names.join(","), (0..12).map(record).collect::<String>()))
}

#[test]
fn cells_are_suppressed_on_63_keys() {
    let desk = desk(63);
    let protected = desk.protect().unwrap();
    assert!(protected.written);
    assert_eq!(protected.manifest.steps[0].changed.values().sum::<u64>(), 1);
    assert_eq!(desk.verify().outcome(), Outcome::Holds);
}

#[test]
fn more_than_63_keys_are_refused_in_words() {
    for keys in [64, 65, 100] {
        let refused: Result<Protected> = desk(keys).protect();
        let error = refused.unwrap_err();
        assert!(error.to_string().contains(&format!("{keys} keys")), "{error}");
        assert!(error.help().unwrap().contains("at most 63"), "{error}");
    }
}
