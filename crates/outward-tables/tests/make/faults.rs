//! What cannot be made into a table is refused: what is wrong, where, and what to do, without a value that is not a heading.

use outward_spec::TableRules;

use outward_fixtures::spec::{GIVEN, GIVEN_CELLS};
use outward_fixtures::tables::{made, refused, told, try_made_by};

const PEOPLE: &str = "id,age,job,pay,w\nP1,30,baker,10,1\nP2,41,smith,20,2\nP3,xy,smith,30,1\nP4,zz,smith,30,1\n";
const VISITS: &str = "id,kind\nP1,short\nP2,long\nP9,long\n";

const SPEC: &str = r#"
[data]
path = "people.csv"
[[linked]]
name = "visits"
data = { path = "visits.csv" }
on = ["id"]
[policy]
name = "gss-tables"
[[variables]]
name = "age"
hierarchy = { bands = [40] }
[[variables]]
name = "job"
[[variables]]
name = "kind"
from = ["visits"]
[[variables]]
name = "pay"
type = "number"
[[variables]]
name = "w"
role = "weight"
[[tables]]
name = "jobs"
variables = ["job"]
"#;

fn says(spec: &str, files: [&str; 2], words: &[&str]) {
    let said = refused(spec, &files);
    for word in words {
        assert!(said.contains(word), "{word}: {said}");
    }
}

#[test]
fn a_column_to_link_by_is_missed_in_the_file_that_lacks_it() {
    let words = ["visits.csv: there is no column `id` to link `visits` by", "did you mean `idd`?"];
    says(SPEC, [PEOPLE, &VISITS.replace("id,", "idd,")], &words);
    let words = ["people.csv: there is no column `id` to link `visits` by", "did you mean `idd`?"];
    says(SPEC, [&PEOPLE.replace("id,", "idd,"), VISITS], &words);
}

#[test]
fn a_column_a_table_needs_is_missed_in_its_file() {
    let words = ["people.csv: table `jobs`: there is no column `job`", "did you mean `jobs`?"];
    says(SPEC, [&PEOPLE.replace("job,", "jobs,"), VISITS], &words);
    let kinds = format!("{SPEC}[[tables]]\nname = \"kinds\"\nvariables = [\"kind\"]\nunit = \"visits\"\n");
    let words = ["visits.csv: table `kinds`: there is no column `kind`", "did you mean `kinds`?"];
    says(&kinds, [PEOPLE, &VISITS.replace("kind", "kinds")], &words);
    let pay = format!("{SPEC}measure = \"sum\"\nof = \"pay\"\n");
    says(&pay, [&PEOPLE.replace("pay", "paid"), VISITS], &["people.csv: table `jobs`: there is no column `pay`"]);
}

#[test]
fn links_of_which_none_matches_are_refused_and_a_record_without_its_own_is_missing_there() {
    let words = ["visits.csv, column `id`: no record of `visits` belongs to a record of `[data]`", "same way"];
    says(SPEC, [PEOPLE, &VISITS.replace('P', "p")], &words);
    let jobs = format!("{SPEC}unit = \"visits\"\n");
    let table = &made(&jobs, &[PEOPLE, VISITS])[0].table;
    let rows: Vec<(&str, u64)> =
        table.dimensions[0].nodes.iter().map(|node| node.label.as_str()).zip(table.counts.iter().copied()).collect();
    assert_eq!(rows, [("baker", 1), ("smith", 1), ("Missing", 1), ("Total", 3)]);
}

#[test]
fn values_that_a_hierarchy_misses_are_counted_and_not_told() {
    let ages = format!("{SPEC}[[tables]]\nname = \"ages\"\nvariables = [\"age\"]\nlevels = {{ age = [1] }}\n");
    let said = refused(&ages, &[PEOPLE, VISITS]);
    let what =
        "people.csv, column `age`: table `ages`: the hierarchy has no place for 2 of the values, in 2 of the records";
    assert!(said.starts_with(what) && said.contains("levels = { age = [0] }"), "{said}");
    assert!(!said.contains("xy") && !said.contains("zz"), "{said}");
    // The values themselves need no place.
    let made = made(&ages.replace("[1]", "[0]"), &[PEOPLE, VISITS]);
    assert_eq!(made[1].table.counts, [1, 1, 1, 1, 4]);
}

#[test]
fn a_condition_that_no_record_meets_makes_no_table() {
    let none = format!("{SPEC}where = \"job = 'nurse'\"\n");
    says(&none, [PEOPLE, VISITS], &["table `jobs`: no record meets the condition", "as the data write them"]);
}

#[test]
fn values_to_join_are_values_or_groups_of_the_variable() {
    let join = |pair: &str| SPEC.replace("name = \"job\"\n", &format!("name = \"job\"\njoin = [{pair}]\n"));
    let words = ["column `job`: table `jobs`: there is no `smit` to join", "did you mean `smith`?"];
    says(&join("[\"baker\", \"smit\"]"), [PEOPLE, VISITS], &words);
    made(&join("[\"baker\", \"smith\"]"), &[PEOPLE, VISITS]);
    let listed = join("[\"baker\", \"craft\"]")
        .replace("join", "hierarchy = { tree = { craft = [\"smith\"], food = [\"baker\"] } }\njoin");
    made(&listed, &[PEOPLE, VISITS]);
}

#[test]
fn a_level_of_geography_is_one_of_the_policy() {
    let of_table = format!("{SPEC}geography = \"regoin\"\n");
    let of_variable = SPEC.replace("name = \"job\"\n", "name = \"job\"\ngeography = \"regoin\"\n");
    let levels = TableRules { geographies: vec!["national".into(), "region".into()], ..TableRules::default() };
    for spec in [of_table, of_variable] {
        let said = told(&try_made_by(&spec, &[PEOPLE, VISITS], &levels).unwrap_err());
        assert!(said.contains("table `jobs`: the policy knows no level of geography `regoin`"), "{said}");
        assert!(said.contains("did you mean `region`?"), "{said}");
        says(&spec, [PEOPLE, VISITS], &["knows no level of geography `regoin`", "remove `geography`"]);
        let known = spec.replace("regoin", "region");
        assert_eq!(
            try_made_by(&known, &[PEOPLE, VISITS], &levels).unwrap()[0].table.geography.as_deref(),
            Some("region")
        );
    }
}

#[test]
fn no_value_and_no_group_is_called_total() {
    says(SPEC, [&PEOPLE.replace("baker", "Total"), VISITS], &["column `job`: table `jobs`: a value is called `Total`"]);
    let groups = SPEC.replace(
        "name = \"job\"\n",
        "name = \"job\"\nhierarchy = { tree = { Total = [\"smith\"], food = [\"baker\"] } }\n",
    );
    says(&groups, [PEOPLE, VISITS], &["column `job`: table `jobs`: a group is called `Total`", "another name"]);
}

#[test]
fn a_value_called_missing_is_counted_with_those_that_are() {
    let people = PEOPLE.replace("baker", "").replace("41,smith", "41,Missing");
    let table = &made(SPEC, &[&people, VISITS])[0].table;
    let rows: Vec<&str> = table.dimensions[0].nodes.iter().map(|node| node.label.as_str()).collect();
    assert_eq!((rows, &table.counts[..]), (vec!["Missing", "smith", "Total"], &[2, 2, 4][..]));
    // A hierarchy that lists it says where it belongs; one that does not leaves it by itself.
    let listed = "hierarchy = { tree = { other = [\"Missing\", \"baker\"], craft = [\"smith\"] } }";
    let by = |hierarchy: &str| SPEC.replace("name = \"job\"\n", &format!("name = \"job\"\n{hierarchy}\n"));
    let labels = |spec: String| -> Vec<String> {
        let spec = format!("{spec}levels = {{ job = [1] }}\n");
        made(&spec, &[&people, VISITS])[0].table.dimensions[0].nodes.iter().map(|node| node.label.clone()).collect()
    };
    assert_eq!(labels(by(listed)), ["other", "craft", "Total"]);
    assert_eq!(labels(by("hierarchy = { prefix = [2] }")), ["Missing", "sm", "Total"]);
}

#[test]
fn sums_that_do_not_fit_name_the_table() {
    let pay = format!("{SPEC}measure = \"sum\"\nof = \"pay\"\n");
    let rows: String = (0..1100).map(|at| format!("Q{at},30,smith,9000000000000000,1\n")).collect();
    says(&pay, [&format!("{PEOPLE}{rows}"), VISITS], &["table `jobs`: the amounts", "too large", "larger units"]);
    let rows = PEOPLE.replace(",30,1", ",-30,1");
    let words = ["people.csv, column `pay`: table `jobs`: sums are published of amounts from 0 up", "`where`"];
    says(&pay, [&rows, VISITS], &words);
    let table = &made(&format!("{pay}where = \"job = 'baker'\"\n"), &[&rows, VISITS])[0].table;
    assert_eq!(table.magnitudes.as_ref().unwrap().sums, [10, 0, 10]);
}

#[test]
fn a_table_of_too_many_cells_is_named_once() {
    let names = ["a", "b", "c", "d"];
    let variables: String = names.iter().map(|name| format!("[[variables]]\nname = \"{name}\"\n")).collect();
    let spec = format!("[data]\npath = \"wide.csv\"\n{variables}[[tables]]\nname = \"wide\"\nvariables = {names:?}\n");
    let rows: String = (0..70).map(|at| format!("{at},{at},{at},{at}\n")).collect();
    let said = refused(&spec, &[&format!("a,b,c,d\n{rows}")]);
    assert!(said.starts_with("table `wide`: the table has more than 20000000 cells; show fewer"), "{said}");
}

#[test]
fn pairs_are_of_values_that_are_there() {
    let reasons = "[[variables]]\nname = \"reason\"\ncolumns = [\"kind\", \"more\"]\nfrom = [\"visits\"]\n";
    let pairs = |only: &str| {
        let table = "[[tables]]\nname = \"pairs\"\nvariables = [\"reason\"]\nunit = \"visits\"\npairs = \"reason\"\n";
        format!("{SPEC}{reasons}{table}only = {{ reason = {only} }}\n")
    };
    let visits = "id,kind,more\nP1,short,calm\nP2,long,calm\n";
    let words = ["column `reason`: table `pairs`: there is no `clam` to show in pairs", "did you mean `calm`?"];
    says(&pairs("[\"short\", \"clam\"]"), [PEOPLE, visits], &words);
    // Values that no record has together are a table without rows, of which none can be among the most frequent.
    let none = pairs("[\"short\", \"long\"]") + "top = 1\n";
    assert!(made(&none, &[PEOPLE, visits])[1].table.is_empty());
}

#[test]
fn a_given_count_that_is_none_is_named_by_file_and_cell() {
    let says = |old: &str, new: &str, what: &str| {
        let said = refused(GIVEN, &[&GIVEN_CELLS.replace(old, new)]);
        assert!(said.starts_with(&format!("table.csv{what}")), "{said}");
    };
    says("200", "-8642", ", column `people`: table `given`: a count is negative: North, gout");
    says("200", "", ", column `people`: table `given`: a cell has no number: North, gout");
    says("200", "8642.5", ", column `people`: table `given`: a count is not a whole number, or too large: North, gout");
    says("South,cold", "North,cold", ": table `given`: a cell of the table is given twice: North, cold");
    says(
        "South,gout,70",
        "South,Total,71",
        ": table `given`: a total that is given disagrees with its parts: area South",
    );
}
