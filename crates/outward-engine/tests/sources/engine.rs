//! The embedded engine: counting and rewriting, against what the records say.

use std::collections::BTreeMap;
use std::path::Path;

use outward_cells::Cells;
use outward_engine::{CountRequest, Data, Embedded, Engine, Plan, StopFlag, Target};
use outward_microdata::steps::Setting;
use outward_spec::{Error, Source, Spec};

const PEOPLE: &str =
    "region,sex,age,weight\nWales,F,30,1.5\nWales,M,31,2\nLondon,F,30,0.25\nLondon,F,,1\nLondon,M,44,1\nWales,F,30,1\n";

fn run<T>(future: impl std::future::Future<Output = T>) -> T {
    tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap().block_on(future)
}

fn people() -> (tempfile::TempDir, Data) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("people.csv");
    std::fs::write(&path, PEOPLE).unwrap();
    (folder, Data { source: Source::file(path), columns: Vec::new() })
}

fn request(keys: &[&str], condition: Option<&str>) -> CountRequest {
    CountRequest {
        keys: keys.iter().map(|key| (*key).to_owned()).collect(),
        weight: None,
        condition: condition.map(str::to_owned),
    }
}

fn listed(cells: &Cells) -> BTreeMap<Vec<Option<String>>, u64> {
    let values = |cell| (0..cells.keys().len()).map(|key| cells.value(cell, key).map(str::to_owned)).collect();
    (0..cells.len()).map(|cell| (values(cell), cells.counts()[cell])).collect()
}

#[test]
fn several_requests_are_counted_in_one_pass() {
    let (_folder, data) = people();
    let requests = [
        request(&["region", "sex"], None),
        request(&["age"], Some("region = 'Wales'")),
        request(&["sex"], Some("age IS NULL OR sex = 'M'")),
    ];
    let cells = run(Embedded::new(2).count_cells(&data, &requests)).unwrap();
    let counts: Vec<&[u64]> = cells.iter().map(Cells::counts).collect();
    assert_eq!(counts, [&[2, 1, 2, 1][..], &[2, 1], &[1, 2]]);
    assert_eq!(cells[1].first_rows(), [1, 2], "rows are those of the source, not of the subset");
    assert_eq!(cells[2].first_rows(), [4, 2]);
}

#[test]
fn every_format_gives_the_same_cells_on_any_number_of_threads() {
    let (folder, data) = people();
    let expected = run(Embedded::new(1).count_cells(&data, &[request(&["region", "sex", "age"], None)])).unwrap();
    for name in ["p.parquet", "p.csv.gz", "p.csv.zst", "p.xlsx"] {
        let target = Target { path: folder.path().join(name), format: None };
        let written = run(Embedded::new(2).rewrite(&data, &Plan::unchanged(), &target)).unwrap();
        assert_eq!(written.rows, 6);
        let copy = Data { source: Source::file(&target.path), columns: Vec::new() };
        for threads in [1, 2, 4] {
            let cells =
                run(Embedded::new(threads).count_cells(&copy, &[request(&["region", "sex", "age"], None)])).unwrap();
            assert_eq!(cells, expected, "{name} on {threads} threads");
        }
    }
}

fn spec(folder: &Path, steps: &str) -> Spec {
    let text = format!(
        "[data]\npath = \"people.csv\"\n[[variables]]\nname = \"age\"\nhierarchy = {{ bands = [0, 31, 40] }}\n\
         [[variables]]\nname = \"sex\"\nhierarchy = {{ tree = {{ all = [\"F\"] }} }}\n\
         [[variables]]\nname = \"weight\"\n{steps}"
    );
    Spec::parse(&text, folder.join("outward.toml")).unwrap()
}

fn rewritten(folder: &Path, data: &Data, spec: &Spec) -> Result<String, Error> {
    let target = Target { path: folder.join("out.csv"), format: None };
    run(Embedded::new(2).rewrite(data, &Plan::of_spec(Setting::new(spec.clone(), 2)?)?, &target))?;
    Ok(std::fs::read_to_string(&target.path).unwrap())
}

#[test]
fn records_are_dropped_kept_and_recoded_in_the_order_of_the_steps() {
    let (folder, data) = people();
    let steps = "[[steps]]\ndo = \"keep\"\nwhere = \"region = 'London' OR sex = 'M'\"\n\
                 [[steps]]\ndo = \"recode\"\nvariable = \"age\"\nlevel = 1\n\
                 [[steps]]\ndo = \"drop\"\nvariables = [\"weight\"]\n";
    let text = rewritten(folder.path(), &data, &spec(folder.path(), steps)).unwrap();
    assert_eq!(text, "region,sex,age\nWales,M,31-39\nLondon,F,0-30\nLondon,F,\nLondon,M,40 or over\n");
}

#[test]
fn recoded_records_give_the_cells_of_recoded_cells() {
    let (folder, data) = people();
    let spec = spec(folder.path(), "[[steps]]\ndo = \"recode\"\nvariable = \"age\"\nlevel = 1\n");
    let hierarchy = spec.hierarchy(spec.variable("age").unwrap()).unwrap().unwrap();
    let finest = run(Embedded::new(1).count_cells(&data, &[request(&["sex", "age"], None)])).unwrap();
    let recoding = outward_cells::Recoding::new(&finest[0].keys()[1].dictionary, |value| {
        hierarchy.recode(value, 1).map(|label| label.into_owned())
    });
    let from_cells = finest[0].recode(&[(1, &recoding)]);
    rewritten(folder.path(), &data, &spec).unwrap();
    let out = Data { source: Source::file(folder.path().join("out.csv")), columns: Vec::new() };
    let from_records = run(Embedded::new(1).count_cells(&out, &[request(&["sex", "age"], None)])).unwrap();
    assert_eq!(listed(&from_cells), listed(&from_records[0]));
}

#[test]
fn a_value_the_hierarchy_misses_stops_the_rewriting_and_leaves_no_file() {
    let (folder, data) = people();
    let spec = spec(folder.path(), "[[steps]]\ndo = \"recode\"\nvariable = \"sex\"\nlevel = 1\n");
    let error = rewritten(folder.path(), &data, &spec).unwrap_err();
    assert!(error.to_string().contains("`sex`") && error.to_string().contains("2 records"), "{error}");
    assert!(!folder.path().join("out.csv").exists());
}

#[test]
fn a_dropped_variable_is_gone_whatever_its_name() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("people.csv");
    std::fs::write(&path, "NHS_Number,a.b,\"x y\",Sex\n1,2,3,F\n").unwrap();
    let names = ["NHS_Number", "a.b", "x y", "Sex"];
    let variables: String = names.map(|name| format!("[[variables]]\nname = \"{name}\"\n")).concat();
    let tree = "hierarchy = { tree = { all = [\"F\"] } }\n";
    let steps = "[[steps]]\ndo = \"drop\"\nvariables = [\"NHS_Number\", \"a.b\", \"x y\"]\n\
                 [[steps]]\ndo = \"recode\"\nvariable = \"Sex\"\nlevel = 1\n";
    let text = format!("[data]\npath = \"people.csv\"\n{variables}{tree}{steps}");
    let spec = Spec::parse(&text, folder.path().join("outward.toml")).unwrap();
    let data = Data { source: Source::file(path), columns: Vec::new() };
    assert_eq!(rewritten(folder.path(), &data, &spec).unwrap(), "Sex\nall\n");
}

#[test]
fn a_column_may_not_have_the_name_of_the_row_number() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("people.csv");
    std::fs::write(&path, "__outward_row\n1\n").unwrap();
    let data = Data { source: Source::file(path), columns: Vec::new() };
    let error = run(Embedded::new(1).count_cells(&data, &[request(&["__outward_row"], None)])).unwrap_err();
    assert!(error.to_string().contains("__outward_row"), "{error}");
}

#[test]
fn a_stopped_run_says_so() {
    let (_folder, data) = people();
    let stop = StopFlag::default();
    stop.stop();
    let error = run(Embedded::new(2).stop(stop).count_cells(&data, &[request(&["sex"], None)])).unwrap_err();
    assert!(matches!(error, Error::Stopped), "{error}");
}

#[test]
fn a_description_needs_no_reading() {
    let (_folder, data) = people();
    let description = run(Embedded::new(1).describe(&data)).unwrap();
    let names: Vec<&str> = description.schema.fields().iter().map(|field| field.name().as_str()).collect();
    assert_eq!(names, ["region", "sex", "age", "weight"]);
    assert_eq!(description.bytes, Some(PEOPLE.len() as u64));
}
