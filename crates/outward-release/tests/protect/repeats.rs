//! A release is a function of data, spec and seed; swapping keeps the margins it lists; records keep their order.

use std::collections::BTreeMap;
use std::path::Path;

use outward_release::Outcome;
use outward_release::verify::Options;

use super::case::REGIONS;
use outward_fixtures::csv::CsvFile;
use outward_fixtures::desk::Desk;

const VARIABLES: &str = r#"
[data]
path = "people.csv"

[policy]
k = 2

[[variables]]
name = "form"
type = "integer"

[[variables]]
name = "household"
role = "household"

[[variables]]
name = "region"
role = "geography"
hierarchy = { file = "regions.csv" }

[[variables]]
name = "age"
role = "key"
type = "integer"
hierarchy = { widths = [10, 30] }

[[variables]]
name = "job"
role = "key"

[[variables]]
name = "income"
type = "integer"
"#;

/// Every step that draws random numbers.
const RANDOM: &str = r#"
[[steps]]
do = "sample"
fraction = 0.8
households = true

[[steps]]
do = "recode"
variable = "age"
level = 1

[[steps]]
do = "swap"
geography = ["region"]
k = 4
share = 0.1
hold = [["job"]]

[[steps]]
do = "drop"
variables = ["household"]

[[steps]]
do = "pram"
variables = ["job"]

[[steps]]
do = "rank-swap"
variables = ["income"]

[[steps]]
do = "noise"
variables = ["income"]

[[steps]]
do = "round"
variables = ["income"]
base = 10
unbiased = true

[[steps]]
do = "suppress-cells"
"#;

const SWAP: &str = r#"
[[steps]]
do = "swap"
geography = ["region"]
k = 4
share = 0.1
similar = [["job"]]
hold = [["job"], ["age", "job"]]
"#;

/// 900 people in households of up to four, each household in one region.
fn people() -> String {
    let jobs = ["baker", "nurse", "clerk", "driver"];
    let regions = ["North", "East", "South", "West"];
    let mut text = "form,household,region,age,job,income\n".to_owned();
    let (mut household, mut left) = (0, 0);
    for serial in 1..=900usize {
        if left == 0 {
            household += 1;
            left = 1 + household * household % 4;
        }
        left -= 1;
        let region = regions[household * household % 11 % 4];
        let (age, job) = (20 + serial * serial % 59, jobs[serial * 7 % 13 % 4]);
        let (form, income) = (serial / 3, 9000 + serial * serial * 37 % 50_001);
        text += &format!("{form},h{household},{region},{age},{job},{income}\n");
    }
    text
}

fn desk(steps: &str) -> Desk {
    Desk::with_files(format!("{VARIABLES}{steps}"), &[("people.csv", &people()), ("regions.csv", REGIONS)])
}

/// Every file of a bundle with its bytes.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        match path.is_dir() {
            true => {
                files.extend(self::files(&path).into_iter().map(|(below, bytes)| (format!("{name}/{below}"), bytes)))
            }
            false => drop(files.insert(name, std::fs::read(&path).unwrap())),
        }
    }
    files
}

#[test]
fn the_same_seed_gives_the_same_bytes_on_one_thread_and_on_two() {
    let desk = desk(RANDOM);
    for (bundle, threads) in [("one", 1), ("two", 2), ("again", 2)] {
        assert!(desk.protect_as(bundle, threads, None).unwrap().written);
    }
    let one = files(&desk.path("one"));
    assert!(one.contains_key("manifest.json") && one.contains_key("public/data.csv"));
    assert!(one == files(&desk.path("two")), "threads change no byte");
    assert!(one == files(&desk.path("again")), "and neither does another run");
    assert_eq!(desk.verify_as("one", &Options::default()).outcome(), Outcome::Holds);
}

#[test]
fn another_seed_gives_other_records() {
    let desk = desk(RANDOM);
    assert!(desk.protect_as("one", 2, Some(1)).unwrap().written);
    assert!(desk.protect_as("two", 2, Some(2)).unwrap().written);
    let (one, two) = (files(&desk.path("one")), files(&desk.path("two")));
    assert!(one["public/data.csv"] != two["public/data.csv"]);
    assert!(one["spec.toml"] == two["spec.toml"]);
}

#[test]
fn swapping_moves_households_whole_and_keeps_every_table_it_lists() {
    let desk = Desk::with_files(
        format!("{VARIABLES}{SWAP}").replace("k = 2", "k = 1"),
        &[("people.csv", &people()), ("regions.csv", REGIONS)],
    );
    assert!(desk.protect_as("bundle", 2, None).unwrap().written);
    let (before, after) =
        (CsvFile::read(&desk.path("people.csv")), CsvFile::read(&desk.path("bundle/public/data.csv")));
    for margin in [&["region"][..], &["region", "job"], &["region", "age", "job"], &["age", "job", "income"]] {
        assert_eq!(before.margin(margin), after.margin(margin), "{margin:?}");
    }
    let (was, is) = (before.margin(&["region", "income"]), after.margin(&["region", "income"]));
    let moved = was.keys().filter(|cell| !is.contains_key(*cell)).count();
    assert!(moved > 20, "{moved} moved");
    assert_eq!(after.margin(&["household", "region"]).len(), after.margin(&["household"]).len());
}

#[test]
fn records_stay_in_their_order_unless_a_swap_or_a_shuffle_says_otherwise() {
    let swap = "do = \"swap\"\ngeography = [\"region\"]\nk = 4\nshare = 0.1\nhold = [[\"job\"]]";
    let desk = desk(&RANDOM.replace(swap, "do = \"keep\"\nwhere = \"income > 9500\""));
    assert!(desk.protect_as("bundle", 2, None).unwrap().written);
    let table = CsvFile::read(&desk.path("bundle/public/data.csv"));
    assert!(table.rows.len() > 500 && table.in_order("form"));
}
