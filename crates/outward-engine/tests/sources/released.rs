//! Releases carried out again on the same records, side by side.

use outward_engine::{Data, Embedded, Engine, Plan, ReleasedColumns, ReleasedRequest, Target};
use outward_microdata::steps::Setting;
use outward_spec::{Source, Spec};

/// Ages 10 to 29 in two areas: two records of each age, and one boy of 30.
fn people() -> String {
    let row = |at: usize| format!("{},{}\n", 10 + at / 2, ["north", "south"][at % 2]);
    "age,area\n".to_owned() + &(0..40).map(row).collect::<String>() + "30,west\n"
}

fn spec(folder: &std::path::Path, steps: &str) -> Spec {
    let text = format!(
        "data = {{ path = \"people.csv\" }}\n[policy]\nname = \"baseline\"\n[[variables]]\nname = \"age\"\ntype = \"integer\"\nrole = \"key\"\n\
         hierarchy = {{ widths = [5, 10] }}\n[[variables]]\nname = \"area\"\nrole = \"key\"\n{steps}"
    );
    Spec::parse(&text, folder.join("outward.toml")).unwrap()
}

fn request(spec: &Spec, columns: &[&str]) -> ReleasedRequest {
    let plan = Plan::of_spec(Setting::new(spec.clone(), 2).unwrap()).unwrap();
    let columns = columns.iter().map(|column| (*column).to_owned()).collect();
    ReleasedRequest { data: Data::of_spec(spec), plan, reads: None, columns }
}

/// The records that are there, as a file has them.
fn lines(released: &ReleasedColumns) -> Vec<String> {
    let present = (0..released.present.len()).filter(|record| released.present[*record]);
    let value = |record: usize, column: usize| {
        let column = &released.columns[column];
        column.dictionary.value(column.codes[record]).unwrap_or_default().to_owned()
    };
    let columns = 0..released.columns.len();
    present.map(|record| columns.clone().map(|column| value(record, column)).collect::<Vec<_>>().join(",")).collect()
}

#[tokio::test]
async fn a_release_shows_of_each_record_what_its_file_says() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("people.csv"), people()).unwrap();
    let recode = "[[steps]]\ndo = \"recode\"\nvariable = \"age\"\nlevel = 1\n";
    let texts = [
        recode.to_owned(),
        format!("{recode}[[steps]]\ndo = \"keep\"\nwhere = \"area <> 'west'\"\n"),
        format!("{recode}[[steps]]\ndo = \"suppress-cells\"\n"),
        format!("{recode}[[steps]]\ndo = \"suppress-records\"\nlimit = 0.5\n"),
    ];
    let specs: Vec<Spec> = texts.iter().map(|steps| spec(folder.path(), steps)).collect();
    let requests: Vec<ReleasedRequest> = specs.iter().map(|spec| request(spec, &["age", "area"])).collect();
    let engine = Embedded::new(2);
    let released = engine.read_released(&requests).await.unwrap();
    for (at, (request, released)) in requests.iter().zip(released).enumerate() {
        let target = Target { path: folder.path().join(format!("{at}.csv")), format: None };
        engine.rewrite(&request.data, &request.plan, &target).await.unwrap();
        let written = std::fs::read_to_string(&target.path).unwrap();
        let expected: Vec<&str> = written.lines().skip(1).collect();
        let released = released.unwrap();
        assert_eq!(lines(&released), expected, "{}", texts[at]);
        assert_eq!(released.present.len(), 41);
    }
}

#[tokio::test]
async fn a_release_that_cannot_be_carried_out_does_not_keep_the_others_from_it() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("people.csv"), people()).unwrap();
    let too_strict = "[[steps]]\ndo = \"suppress-records\"\nlimit = 0.0\n";
    let specs = [spec(folder.path(), too_strict), spec(folder.path(), "")];
    let requests = specs.map(|spec| request(&spec, &["area"]));
    let released = Embedded::new(1).read_released(&requests).await.unwrap();
    assert!(released[0].as_ref().is_err_and(|error| error.to_string().contains("suppress-records")));
    assert_eq!(lines(released[1].as_ref().unwrap()).len(), 41);
}

#[tokio::test]
async fn a_column_that_is_not_there_is_named_with_the_nearest() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("people.csv");
    std::fs::write(&path, people()).unwrap();
    let data = Data { source: Source::file(path), columns: Vec::new() };
    let request =
        ReleasedRequest { data, plan: Plan::unchanged(), reads: Some(Vec::new()), columns: vec!["aera".into()] };
    let error = Embedded::new(1).read_released(&[request]).await.unwrap_err();
    assert!(error.to_string().contains("there is no column `aera`"), "{error}");
}
