//! How often files are read: a count or a rewriting is a pass over all records, and records may be many.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use outward_engine::{Embedded, Progress};
use outward_fixtures::desk::Desk;
use outward_fixtures::runtime;
use outward_release::gather;

/// Everything that asks for a count of its own: a weight, a sensitive variable, subsets by conditions and by variables that are no keys, a population.
const SPEC: &str = r#"
population = { path = "everybody.csv" }

[data]
path = "people.csv"

[policy]
k = 2
l = 2
population_unique_share = 0.5
weak_k = [
    { name = "women by age", keys = ["age"], k = 3, where = "sex = 'F'" },
    { name = "age and illness", keys = ["age", "illness"], k = 1 },
    { name = "illness", keys = ["illness"], k = 2 },
]

[[variables]]
name = "age"
role = "key"
type = "integer"
hierarchy = { widths = [10, 20] }

[[variables]]
name = "sex"
role = "key"

[[variables]]
name = "illness"
role = "sensitive"

[[variables]]
name = "weight"
role = "weight"
type = "number"

[[steps]]
do = "recode"
variable = "age"
level = 2
"#;

/// Passes over records, by the size of the file in bytes.
#[derive(Default)]
struct Passes(Mutex<BTreeMap<u64, Vec<String>>>);

impl Progress for Passes {
    fn started(&self, what: &str, total: Option<u64>) {
        self.0.lock().unwrap().entry(total.unwrap()).or_default().push(what.to_owned());
    }
    fn advanced(&self, _: u64) {}
    fn finished(&self) {}
}

fn desk() -> Desk {
    let (mut people, mut everybody) = ("age,sex,illness,weight\n".to_owned(), "age,sex\n".to_owned());
    for at in 0..80 {
        let (age, sex) = (20 + at % 20, if at % 2 == 0 { "F" } else { "M" });
        people += &format!("{age},{sex},{},2.5\n", ["flu", "cold", "none"][at / 4 % 3]);
        everybody += &format!("{age},{sex}\n{age},{sex}\n");
    }
    Desk::with_files(SPEC.to_owned(), &[("people.csv", &people), ("everybody.csv", &everybody)])
}

/// The passes over a file, in their order.
fn passes_over(passes: &Passes, desk: &Desk, file: &str) -> Vec<String> {
    let bytes = std::fs::metadata(desk.path(file)).unwrap().len();
    passes.0.lock().unwrap().get(&bytes).cloned().unwrap_or_default()
}

#[test]
fn protect_reads_the_data_twice_and_what_it_wrote_twice() {
    let (desk, passes) = (desk(), Arc::new(Passes::default()));
    let made = desk.protect_with(&Embedded::new(1).progress(passes.clone())).unwrap();
    assert!(made.written, "{:?}", made.manifest.verdicts);
    assert!(made.manifest.verdicts.len() >= 5, "{:?}", made.manifest.verdicts);
    assert!(made.manifest.sampling_fraction.is_some_and(|share| (share - 0.4).abs() < 1e-12));
    assert_eq!(passes_over(&passes, &desk, "people.csv"), ["counting", "writing"]);
    assert_eq!(passes_over(&passes, &desk, "bundle/public/data.csv"), ["profiling", "counting"]);
    assert_eq!(passes_over(&passes, &desk, "everybody.csv"), ["counting"]);
}

#[test]
fn a_plan_is_searched_after_one_pass() {
    let (desk, passes) = (desk(), Arc::new(Passes::default()));
    let engine = Embedded::new(1).progress(passes.clone());
    let spec = desk.spec();
    let keys = ["age", "sex"].map(str::to_owned);
    let (setting, evidence) = runtime().block_on(gather(&engine, &spec, &keys, 1)).unwrap();
    assert!(setting.population.is_some());
    assert!(evidence.sampling_fraction.is_some_and(|share| (share - 0.4).abs() < 1e-12));
    assert_eq!(passes_over(&passes, &desk, "people.csv"), ["counting"]);
    assert_eq!(passes_over(&passes, &desk, "everybody.csv"), ["counting"]);
}
