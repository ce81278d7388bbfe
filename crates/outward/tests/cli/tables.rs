//! `table` as others call it: the fourteen layouts of the example, Table 7 of the report, sums, estimates.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use outward_fixtures::road::{FACTORS, TABLE_7};
use serde_json::Value;

use crate::{folder, json, listing, outward, stderr, stdout};

/// The repository.
fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// A folder with the example's spec and so many collisions.
fn collisions(rows: &str) -> tempfile::TempDir {
    let folder = folder();
    for name in ["outward.toml", "countries.csv", "speed-factors.csv"] {
        std::fs::copy(root().join("examples/road-casualties").join(name), folder.path().join(name)).unwrap();
    }
    let made = outward(folder.path(), &["generate", "road", "--rows", rows, "--seed", "1", "--out", "road.csv"]);
    assert_eq!(made.status.code(), Some(0), "{}", stderr(&made));
    folder
}

/// A folder with these files.
pub(crate) fn desk(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = folder();
    for (name, content) in files {
        std::fs::write(folder.path().join(name), content).unwrap();
    }
    folder
}

/// The tables of `outward.toml` made into a bundle that verifies.
fn released(folder: &Path, bundle: &str, more: &[&str]) -> Value {
    let args = ["table", "outward.toml", "--out", bundle, "--format", "json"];
    let made = outward(folder, &[&args[..], more].concat());
    assert_eq!(made.status.code(), Some(0), "{more:?}: {}", stderr(&made));
    let verified = outward(folder, &["verify", bundle]);
    assert_eq!(verified.status.code(), Some(0), "{more:?}: {}", stdout(&verified));
    json(&made)
}

fn table<'a>(said: &'a Value, name: &str) -> &'a Value {
    said["tables"].as_array().unwrap().iter().find(|table| table["name"] == name).unwrap()
}

/// The fourteen tables are there with all that is promised of each.
fn are_fourteen(said: &Value) {
    let tables = said["tables"].as_array().unwrap();
    let names: Vec<&str> = tables.iter().map(|table| table["name"].as_str().unwrap()).collect();
    assert_eq!(names, (1..=14).map(|number| format!("RAS500{number:02}")).collect::<Vec<_>>());
    for table in tables {
        assert!(table["published_cells"].as_u64().unwrap() > 0 && table["findings"].is_array(), "{table}");
        assert!(["low", "medium", "high"].contains(&table["category"].as_str().unwrap()), "{table}");
        assert!(table["primary"].is_u64() && table["secondary"].is_u64(), "{table}");
        assert_eq!(table["recoverable"], 0, "{}", table["name"]);
    }
    assert_eq!(said["written"], true);
}

/// The values of each line of a CSV file, the heading first.
fn records(path: &Path) -> Vec<Vec<String>> {
    let text = std::fs::read_to_string(path).unwrap();
    let line = |line: &str| {
        let (mut fields, mut quoted) = (vec![String::new()], false);
        for character in line.chars() {
            match character {
                '"' => quoted = !quoted,
                ',' if !quoted => fields.push(String::new()),
                other => fields.last_mut().unwrap().push(other),
            }
        }
        fields
    };
    text.lines().map(line).collect()
}

/// One file of the collisions, by column.
struct File(Vec<Vec<String>>);

impl File {
    fn column(&self, name: &str) -> usize {
        self.0[0].iter().position(|heading| heading == name).unwrap()
    }

    fn factors(&self, record: &[String]) -> BTreeSet<String> {
        let columns = (1..=6).map(|n| self.column(&format!("factor_{n}")));
        columns.map(|at| record[at].clone()).filter(|factor| !factor.is_empty()).collect()
    }
}

/// How many of each row and column heading there are, from the three files and by plain counting.
struct Recount {
    groups: BTreeMap<String, String>,
    counts: BTreeMap<(String, String), u64>,
}

impl Recount {
    fn new() -> Self {
        let listed = records(&root().join("metadata/contributory-factors.csv"));
        let groups = listed[1..].iter().map(|line| (line[0].clone(), line[1].clone())).collect();
        Self { groups, counts: BTreeMap::new() }
    }

    /// Counts one record under its factors, their groups and the total, and under all these column headings.
    fn add(&mut self, factors: &BTreeSet<String>, columns: &[&str]) {
        let groups = factors.iter().map(|factor| self.groups[factor].clone());
        let mut rows: BTreeSet<String> = factors.iter().cloned().chain(groups).collect();
        if !rows.is_empty() {
            rows.insert("Total".to_owned());
        }
        for (row, column) in rows.iter().flat_map(|row| columns.iter().map(move |column| (row, column))) {
            *self.counts.entry((row.clone(), (*column).to_owned())).or_default() += 1;
        }
    }

    /// That every figure of a published table is the one counted here, or hidden.
    fn agrees(&self, path: &Path) {
        let rows = records(path);
        let mut shown = 0;
        for row in rows[1..].iter().filter(|row| row[2] != "[c]") {
            let count = self.counts.get(&(row[0].clone(), row[1].clone())).copied().unwrap_or(0);
            assert_eq!(row[2], count.to_string(), "{row:?}");
            shown += 1;
        }
        assert!(shown * 2 > rows.len(), "most figures are shown: {shown} of {}", rows.len());
    }
}

#[test]
fn the_fourteen_layouts_show_what_plain_counting_finds_or_hide_it() {
    let folder = collisions("3000");
    let said = released(folder.path(), "bundle", &[]);
    are_fourteen(&said);
    let hidden: u64 = said["tables"].as_array().unwrap().iter().map(|table| table["secondary"].as_u64().unwrap()).sum();
    assert!(hidden > 0, "small tables have something to hide");

    let read = |name: &str| File(records(&folder.path().join(name)));
    let (data, vehicles, casualties) =
        (read("road_collisions.csv"), read("road_vehicles.csv"), read("road_casualties.csv"));
    let (attended, severity) = (data.column("police_attended"), data.column("severity"));
    let attended: BTreeMap<&str, &str> = (data.0[1..].iter())
        .filter(|record| record[attended] == "Yes")
        .map(|record| (record[0].as_str(), record[severity].as_str()))
        .collect();
    let mut of_collision: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    let (mut by_severity, mut by_type) = (Recount::new(), Recount::new());
    let kind = vehicles.column("vehicle_type");
    for (file, record) in
        (vehicles.0[1..].iter().map(|r| (&vehicles, r))).chain(casualties.0[1..].iter().map(|r| (&casualties, r)))
    {
        if attended.contains_key(record[0].as_str()) {
            of_collision.entry(&record[0]).or_default().extend(file.factors(record));
        }
    }
    for record in vehicles.0[1..].iter().filter(|record| attended.contains_key(record[0].as_str())) {
        by_type.add(&vehicles.factors(record), &[&record[kind], "Total"]);
    }
    for (collision, factors) in &of_collision {
        let severity = attended[collision];
        let columns = [severity, "Fatal or serious", "Total"];
        let columns: Vec<&str> =
            columns.into_iter().filter(|at| *at != "Fatal or serious" || severity != "Slight").collect();
        by_severity.add(factors, &columns);
    }
    by_severity.agrees(&folder.path().join("bundle/public/RAS50001.csv"));
    by_type.agrees(&folder.path().join("bundle/public/RAS50005.csv"));
}

#[test]
fn the_fourteen_layouts_can_be_perturbed_by_cell_keys() {
    let folder = collisions("3000");
    let said = released(folder.path(), "bundle", &["--cell-keys"]);
    are_fourteen(&said);
    // The total of all collisions stands in several tables of the same records and is changed the same way in each.
    let total = |name: &str| {
        let rows = records(&folder.path().join(format!("bundle/public/{name}.csv")));
        rows.iter().find(|row| row[0] == "Total" && row[1] == "Total").unwrap()[2].clone()
    };
    assert_eq!(total("RAS50001"), total("RAS50003"));
    assert_eq!(total("RAS50001"), total("RAS50013"));
}

#[test]
fn the_fourteen_layouts_can_be_rounded_so_that_totals_hold() {
    let folder = collisions("3000");
    for base in [5, 3] {
        let bundle = format!("rounded{base}");
        let said = released(folder.path(), &bundle, &["--round", &base.to_string()]);
        are_fourteen(&said);
        for table in said["tables"].as_array().unwrap() {
            let name = table["name"].as_str().unwrap();
            let file = File(records(&folder.path().join(format!("{bundle}/public/{name}.csv"))));
            let count = file.column("count");
            assert!(file.0[1..].iter().all(|row| row[count].parse::<u64>().unwrap() % base == 0), "{name}");
        }
        let rows = records(&folder.path().join(format!("{bundle}/public/RAS50011.csv")));
        let of = |column: &str| -> Vec<u64> {
            let rows = rows[1..].iter().filter(|row| row[1] == column);
            rows.map(|row| row[2].parse().unwrap()).collect()
        };
        let parts = [of("Fatal"), of("Serious"), of("Slight")];
        for (row, total) in of("Total").into_iter().enumerate() {
            assert_eq!(parts.iter().map(|part| part[row]).sum::<u64>(), total);
        }
    }
}

/// Every file under a folder and what is in it.
fn contents(folder: &Path, prefix: &str, into: &mut BTreeMap<String, Vec<u8>>) {
    for name in listing(folder) {
        let (path, name) = (folder.join(&name), format!("{prefix}{name}"));
        match path.is_dir() {
            true => contents(&path, &format!("{name}/"), into),
            false => _ = into.insert(name, std::fs::read(&path).unwrap()),
        }
    }
}

#[test]
fn the_same_tables_have_the_same_bytes_on_any_number_of_threads() {
    let folder = collisions("3000");
    for method in [&[][..], &["--cell-keys"]] {
        let bytes = |bundle: &str, threads: &str| {
            let said = released(folder.path(), bundle, &[method, &["--threads", threads, "--force"]].concat());
            let mut files = BTreeMap::new();
            contents(&folder.path().join(bundle), "", &mut files);
            (said, files)
        };
        let (one, two) = (bytes("one", "1"), bytes("two", "2"));
        assert!(one.1.contains_key("public/tables.xlsx") && one.1.contains_key("certificate.json"));
        for (name, content) in &one.1 {
            assert!(two.1.get(name) == Some(content), "{name} differs");
        }
        assert_eq!(one.1.len(), two.1.len());
        assert_eq!(one.0, two.0);
    }
}

const SEVERITIES: [&str; 3] = ["Fatal", "Serious", "Slight"];

const TABLE_7_SPEC: &str = r#"
[data]
path = "table.csv"
[policy]
name = "dft-road-casualties"
[[variables]]
name = "factor"
hierarchy = { file = "outward:contributory-factors" }
ratings = "outward:contributory-factors"
[[variables]]
name = "severity"
role = "key"
join = [["Fatal", "Serious"], ["Serious", "Slight"]]
[[variables]]
name = "age"
role = "key"
hierarchy = { bands = [31, 41] }
[[variables]]
name = "count"
type = "integer"
[[tables]]
name = "Table 7"
variables = ["factor", "severity", "age"]
geography = "region"
given = "count"
levels = { factor = [0], age = [0] }
only = { factor = ["306 Exceeding speed limit", "308 Following too close", "203 Defective brakes"] }
without_total = ["factor", "severity"]
"#;

/// What is said of Table 7, given with or without its totals.
fn table_7(totals: bool) -> Value {
    let mut text = "factor,severity,age,count\n".to_owned();
    for (row, counts) in TABLE_7.iter().enumerate() {
        let (factor, severity) = (FACTORS[row / 3], SEVERITIES[row % 3]);
        counts.iter().zip(31..).for_each(|(count, age)| text += &format!("{factor},{severity},{age},{count}\n"));
        if totals {
            text += &format!("{factor},{severity},Total,{}\n", counts.iter().sum::<u64>());
        }
    }
    let desk = desk(&[("table.csv", &text), ("outward.toml", TABLE_7_SPEC)]);
    let args = ["table", "outward.toml", "--out", "bundle", "--redesigns", "5", "--format", "json"];
    let made = outward(desk.path(), &args);
    assert_eq!(made.status.code(), Some(1), "{}", stderr(&made));
    assert_eq!(listing(desk.path()), ["outward.toml", "table.csv"], "a table with unsafe cells is not written");
    table(&json(&made), "Table 7").clone()
}

#[test]
fn table_7_has_its_three_risks_and_table_7a_among_its_redesigns() {
    let said = table_7(false);
    assert_eq!(said["category"], "medium");
    let findings: Vec<&Value> = said["findings"].as_array().unwrap().iter().collect();
    let about = |code: &str, cell: &str, category: &str| {
        let (cell, category) = (format!(", {cell}: "), format!("risk category {category}"));
        let message = |finding: &&Value| finding["message"].as_str().unwrap().to_owned();
        findings.iter().filter(|f| f["code"] == code).map(message).any(|m| m.contains(&cell) && m.contains(&category))
    };
    assert!(about("OUT023", "factor 306 Exceeding speed limit, severity Fatal", "medium"), "{said}");
    assert!(about("OUT025", "factor 308 Following too close, severity Fatal, age 35", "medium"), "{said}");
    assert!(about("OUT023", "factor 203 Defective brakes, severity Fatal", "low"), "{said}");
    let brakes = findings.iter().filter(|finding| finding["message"].as_str().unwrap().contains("Defective brakes"));
    let inside = brakes.filter(|finding| finding["code"] == "OUT022").count();
    assert_eq!(inside, 0, "at low risk only totals are looked at");
    let redesigns = said["redesigns"].as_array().unwrap();
    assert!(redesigns.iter().any(|redesign| redesign["changes"] == serde_json::json!(["age: level 1: 31-40"])));
    assert_eq!(redesigns[0]["unsafe_left"], 0, "the first needs no further protection");
}

#[test]
fn totals_that_are_given_with_a_table_change_nothing() {
    assert_eq!(table_7(true), table_7(false));
}

/// Firms by area and kind: one garage in the North has nearly all turnover, the bakeries in the West belong to two firms.
fn firms() -> String {
    let of = |area: &str, kind: &str, amounts: &[(&str, u32)]| -> String {
        amounts
            .iter()
            .zip(1..)
            .map(|((firm, amount), n)| format!("{firm},{area},{kind},{amount},{}\n", 1 + n % 3))
            .collect()
    };
    "firm,area,kind,turnover,weight\n".to_owned()
        + &of("North", "bakery", &[("a", 50), ("b", 40), ("c", 45), ("d", 60)])
        + &of("North", "garage", &[("e", 900), ("f", 20), ("g", 15), ("h", 12)])
        + &of("North", "shop", &[("i", 70), ("j", 65), ("k", 80), ("l", 55)])
        + &of("South", "bakery", &[("m", 52), ("n", 41), ("o", 47), ("p", 66)])
        + &of("South", "garage", &[("q", 120), ("r", 110), ("s", 95), ("t", 130)])
        + &of("South", "shop", &[("u", 71), ("v", 62), ("w", 83), ("x", 51)])
        + &of("West", "bakery", &[("y", 30), ("y", 35), ("y", 20), ("y", 44), ("z", 41)])
        + &of("West", "garage", &[("A", 110), ("B", 100), ("C", 105), ("D", 99)])
        + &of("West", "shop", &[("E", 60), ("F", 72)])
}

const FIRMS: &str = r#"
[data]
path = "firms.csv"
[policy]
name = "gss-tables"
[protection]
method = "suppress"
[[variables]]
name = "area"
role = "geography"
[[variables]]
name = "kind"
role = "key"
[[variables]]
name = "firm"
[[variables]]
name = "turnover"
type = "number"
[[variables]]
name = "weight"
type = "number"
role = "weight"
[[tables]]
name = "firms"
variables = ["area", "kind"]
"#;

/// The published table of firms, by area and kind, and what was said of it.
fn firms_published(more: &str) -> (BTreeMap<(String, String), String>, Value) {
    let desk = desk(&[("firms.csv", &firms()), ("outward.toml", &format!("{FIRMS}{more}"))]);
    let said = released(desk.path(), "bundle", &[]);
    let rows = records(&desk.path().join("bundle/public/firms.csv"));
    let figures = rows[1..].iter().map(|row| ((row[0].clone(), row[1].clone()), row[2].clone())).collect();
    (figures, table(&said, "firms").clone())
}

/// The rules that a cell breaks, by what is said of them.
fn said_of(table: &Value, cell: &str) -> Vec<String> {
    let messages = table["findings"].as_array().unwrap().iter().map(|finding| finding["message"].as_str().unwrap());
    messages.filter(|message| message.contains(cell)).map(str::to_owned).collect()
}

#[test]
fn a_sum_that_one_contributor_dominates_is_hidden_and_cannot_be_worked_out() {
    for measure in ["sum", "mean"] {
        let more = format!("measure = \"{measure}\"\nof = \"turnover\"\ncontributor = \"firm\"\n");
        let (figures, said) = firms_published(&more);
        let at = |area: &str, kind: &str| figures[&(area.to_owned(), kind.to_owned())].as_str();
        assert_eq!(at("North", "garage"), "[c]", "900 of 947 are of one firm");
        assert_eq!(at("West", "bakery"), "[c]", "two firms, though five records");
        assert_eq!(at("West", "shop"), "[c]", "two firms");
        assert_eq!(at("Total", "Total"), if measure == "sum" { "3056" } else { "87.31" });
        let dominated = said_of(&said, "area North, kind garage");
        assert!(dominated.iter().any(|message| message.contains("more than 75 %")), "{dominated:?}");
        assert!(dominated.iter().any(|message| message.contains("to within 10 %")), "{dominated:?}");
        let few = said_of(&said, "area West, kind shop");
        assert!(few.iter().any(|message| message.contains("fewer than 3 contributors")), "{few:?}");
        assert_eq!((said["primary"].as_u64(), said["recoverable"].as_u64()), (Some(3), Some(0)), "{said}");
        assert!(said["secondary"].as_u64() > Some(0));
    }
}

#[test]
fn estimates_are_of_the_population_and_unsafe_by_those_who_were_asked() {
    let (figures, said) = firms_published("weighted = true\n");
    let at = |area: &str, kind: &str| figures[&(area.to_owned(), kind.to_owned())].as_str();
    // Weights are 2, 3, 1, 2, 3 and so on in each cell.
    assert_eq!(at("North", "garage"), "8");
    assert_eq!(at("West", "shop"), "[c]", "two firms stand for five");
    assert_eq!((said["primary"].as_u64(), said["recoverable"].as_u64()), (Some(1), Some(0)), "{said}");
}

/// Patients of whom one of 25 years has gout.
fn patients() -> String {
    let of = |age: u32, illness: &str, count: usize| format!("{age},{illness}\n").repeat(count);
    "age,illness\n".to_owned()
        + &of(20, "cold", 14)
        + &of(25, "cold", 4)
        + &of(33, "cold", 20)
        + &of(20, "gout", 11)
        + &of(25, "gout", 1)
        + &of(33, "gout", 9)
}

/// That tables of patients below 25 and below 26 do not leave the one of 25 years to be worked out.
fn nobody_is_cut_out(tables: &str) {
    let head = "[data]\npath = \"patients.csv\"\n[policy]\nname = \"gss-tables\"\n[protection]\nmethod = \"suppress\"\n[[variables]]\nname = \"illness\"\nrole = \"key\"\n";
    let desk = desk(&[("patients.csv", &patients()), ("outward.toml", &format!("{head}{tables}"))]);
    let made = outward(desk.path(), &["table", "outward.toml", "--out", "bundle"]);
    if made.status.code() == Some(0) {
        let has = |table: &str, figure: &str| {
            let text = std::fs::read_to_string(desk.path().join(format!("bundle/public/{table}.csv"))).unwrap();
            text.lines().any(|line| line.ends_with(&format!("gout,{figure}")))
        };
        assert!(!(has("young", "11") && has("younger", "12")), "12 less 11 is one person");
    }
}

#[test]
fn two_variables_read_from_one_column_are_held_against_each_other() {
    let variable = |name: &str, limit: u32| {
        format!(
            "[[variables]]\nname = \"{name}\"\ncolumns = [\"age\"]\nrole = \"key\"\nhierarchy = {{ bands = [16, {limit}] }}\n[[tables]]\nname = \"{name}\"\nvariables = [\"{name}\", \"illness\"]\nlevels = {{ {name} = [1] }}\n"
        )
    };
    nobody_is_cut_out(&(variable("young", 25) + &variable("younger", 26)));
}

#[test]
fn two_conditions_are_held_against_each_other() {
    let table = |name: &str, limit: u32| {
        format!("[[tables]]\nname = \"{name}\"\nvariables = [\"illness\"]\nwhere = \"age < {limit}\"\n")
    };
    nobody_is_cut_out(&(table("young", 25) + &table("younger", 26)));
}

#[test]
fn a_cell_that_is_given_twice_is_refused() {
    let spec = "[data]\npath = \"t.csv\"\n[policy]\nname = \"gss-tables\"\n[[variables]]\nname = \"area\"\n[[variables]]\nname = \"people\"\ntype = \"number\"\n[[tables]]\nname = \"given\"\nvariables = [\"area\"]\ngiven = \"people\"\n";
    let desk = desk(&[("t.csv", "area,people\nNorth,100\nNorth,200\nSouth,70\n"), ("outward.toml", spec)]);
    let made = outward(desk.path(), &["table", "outward.toml", "--out", "bundle"]);
    assert_eq!(made.status.code(), Some(2), "{}", stdout(&made));
}
