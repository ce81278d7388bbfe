//! Steps that coarsen places: codes by a mapping, points and grid references by a cell. What cannot be placed is counted and
//! never passed through.

use std::path::Path;

use outward_engine::{Data, Embedded, Engine, Plan, Rewritten, Target, UnplacedValues};
use outward_microdata::steps::Setting;
use outward_spec::{Error, Source, Spec};

const VISITS: &str = "id,postcode,easting,northing,ref\n\
    1,SM1 1AA,530123,164999,TQ 30123 64999\n\
    2,sm71aa,530999,164000,tq3064\n\
    3,,,,\n\
    4,not one,-5,3,TQ\n\
    5,SM9 1AA,530000,,ZZ 1\n\
    6,SM7 9ZZ,abc,164000,TQ 1234 567\n";

fn run<T>(future: impl std::future::Future<Output = T>) -> T {
    tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap().block_on(future)
}

fn visits() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("visits.csv"), VISITS).unwrap();
    let line = |code: &str, published: &str, reason: &str| {
        format!("1,{code},{published},{reason},uk,20000,sha256:{}\n", "0".repeat(64))
    };
    let header = "version,code,published,reason,rule,threshold,population_table\n";
    let mapping = format!("{header}{}{}", line("SM1", "SM1", "kept"), line("SM7", "SM00", "pooled"));
    std::fs::write(folder.path().join("mapping.csv"), mapping).unwrap();
    folder
}

fn rewritten(folder: &Path, steps: &str, threads: usize) -> Result<(Rewritten, String), Error> {
    let variables: String = ["id", "postcode", "easting", "northing", "ref"]
        .map(|name| format!("[[variables]]\nname = \"{name}\"\n"))
        .concat();
    let text = format!("[data]\npath = \"visits.csv\"\n{variables}{steps}");
    let spec = Spec::parse(&text, folder.join("outward.toml")).unwrap();
    let data = Data { source: Source::file(folder.join("visits.csv")), columns: Vec::new() };
    let target = Target { path: folder.join("out.csv"), format: None };
    let rewritten =
        run(Embedded::new(threads).rewrite(&data, &Plan::of_spec(Setting::new(spec.clone(), threads)?)?, &target))?;
    Ok((rewritten, std::fs::read_to_string(&target.path).unwrap()))
}

fn column(text: &str, at: usize) -> Vec<&str> {
    text.lines().skip(1).map(|line| line.split(',').nth(at).unwrap()).collect()
}

const PLACE: &str = "[[steps]]\ndo = \"place\"\nvariable = \"postcode\"\nmapping = \"mapping.csv\"\n";

#[test]
fn codes_are_published_as_the_mapping_says_and_the_rest_is_blanked_and_counted() {
    let folder = visits();
    let steps = format!("{PLACE}unknown = \"blank\"\n");
    let (rewritten, text) = rewritten(folder.path(), &steps, 2).unwrap();
    assert_eq!(column(&text, 1), ["SM1", "SM00", "", "", "", "SM00"]);
    let blanked = UnplacedValues {
        variables: vec!["postcode".to_owned()],
        not_a_place: 1,
        not_in_mapping: 1,
        withheld: 0,
        first_row: 4,
    };
    assert_eq!((rewritten.rows, rewritten.blanked), (6, vec![blanked]));
}

#[test]
fn unless_blanks_are_asked_for_a_value_that_cannot_be_placed_stops_the_writing() {
    let folder = visits();
    let error = rewritten(folder.path(), PLACE, 2).unwrap_err();
    let said = error.to_string();
    assert!(said.contains("row 4") && said.contains("postcode"), "{said}");
    assert!(said.contains("1 record has a value that is not a place"), "{said}");
    assert!(!said.contains("not one") && !said.contains("SM9"), "{said}");
    assert!(!folder.path().join("out.csv").exists());
}

#[test]
fn a_condition_on_the_published_code_neither_changes_it_nor_counts_twice() {
    let folder = visits();
    let steps =
        format!("{PLACE}unknown = \"blank\"\n[[steps]]\ndo = \"keep\"\nwhere = \"postcode = 'SM00' AND id <> '2'\"\n");
    let (rewritten, text) = rewritten(folder.path(), &steps, 2).unwrap();
    assert_eq!((column(&text, 0), column(&text, 1)), (vec!["6"], vec!["SM00"]));
    assert_eq!((rewritten.blanked[0].not_a_place, rewritten.blanked[0].not_in_mapping), (1, 1));
}

#[test]
fn steps_are_done_in_their_order_whatever_follows_them() {
    let folder = visits();
    // Record 4 is left out later, but the step meets it first.
    let steps = format!("{PLACE}[[steps]]\ndo = \"keep\"\nwhere = \"id <> '4' AND id <> '5'\"\n");
    let error = rewritten(folder.path(), &steps, 1).unwrap_err();
    assert!(error.to_string().contains("row 4"), "{error}");
    let before = format!("[[steps]]\ndo = \"keep\"\nwhere = \"id <> '4' AND id <> '5'\"\n{PLACE}");
    assert_eq!(column(&rewritten(folder.path(), &before, 1).unwrap().1, 1), ["SM1", "SM00", "", "SM00"]);
    let grid = "[[steps]]\ndo = \"grid\"\nvariables = [\"easting\", \"northing\"]\n";
    for dropped in ["easting", "northing"] {
        let steps = format!("{grid}[[steps]]\ndo = \"drop\"\nvariables = [\"{dropped}\"]\n");
        let error = rewritten(folder.path(), &steps, 1).unwrap_err();
        assert!(error.to_string().contains("3 records"), "{dropped}: {error}");
    }
}

#[test]
fn latitudes_taken_for_metres_are_no_places() {
    let folder = visits();
    std::fs::write(folder.path().join("visits.csv"), "id,postcode,easting,northing,ref\n1,,52.63,1.29,\n").unwrap();
    let steps = "[[steps]]\ndo = \"grid\"\nvariables = [\"easting\", \"northing\"]\n";
    assert!(rewritten(folder.path(), steps, 1).is_err());
}

#[test]
fn a_code_that_is_withheld_is_refused_or_blanked_and_counted() {
    let folder = visits();
    let mapping = std::fs::read_to_string(folder.path().join("mapping.csv")).unwrap();
    let mapping = mapping.replace("SM7,SM00,pooled", "SM7,*,withheld");
    std::fs::write(folder.path().join("mapping.csv"), mapping).unwrap();
    let steps = format!("{PLACE}unknown = \"blank\"\n");
    let (rewritten, text) = rewritten(folder.path(), &steps, 2).unwrap();
    assert_eq!(column(&text, 1), ["SM1", "", "", "", "", ""]);
    assert_eq!(rewritten.blanked[0].withheld, 2);
}

#[test]
fn points_move_to_the_south_west_corner_of_their_cell_together_or_not_at_all() {
    let folder = visits();
    let steps = "[[steps]]\ndo = \"grid\"\nvariables = [\"easting\", \"northing\"]\nunknown = \"blank\"\n";
    let (rewritten, text) = rewritten(folder.path(), steps, 2).unwrap();
    assert_eq!(column(&text, 2), ["530000", "530000", "", "", "", ""]);
    assert_eq!(column(&text, 3), ["164000", "164000", "", "", "", ""]);
    assert_eq!((rewritten.blanked[0].not_a_place, rewritten.blanked[0].first_row), (3, 4));
}

#[test]
fn grid_references_are_cut_to_the_cell_and_never_gain_precision() {
    let folder = visits();
    let steps = "[[steps]]\ndo = \"grid\"\nvariables = [\"ref\"]\ncell = 10000\nunknown = \"blank\"\n";
    let (rewritten, text) = rewritten(folder.path(), steps, 1).unwrap();
    assert_eq!(column(&text, 4), ["TQ36", "TQ36", "", "TQ", "", ""]);
    assert_eq!(rewritten.blanked[0].not_a_place, 2);
}

#[test]
fn latitude_and_longitude_become_a_corner_of_the_grid() {
    let folder = visits();
    // A test point of the Ordnance Survey: E 651409.804, N 313177.450.
    std::fs::write(
        folder.path().join("visits.csv"),
        "id,postcode,easting,northing,ref\n1,,52.658007833,1.716073973,\n",
    )
    .unwrap();
    let steps = "[[steps]]\ndo = \"grid\"\nvariables = [\"easting\", \"northing\"]\ngiven = \"degrees\"\ncell = 100\n";
    let (_, text) = rewritten(folder.path(), steps, 1).unwrap();
    assert_eq!((column(&text, 2), column(&text, 3)), (vec!["313100"], vec!["651400"]));
}

#[test]
fn a_mapping_that_is_not_there_or_is_not_one_is_named() {
    let folder = visits();
    let steps = PLACE.replace("mapping.csv", "visits.csv");
    assert!(rewritten(folder.path(), &steps, 1).unwrap_err().to_string().contains("visits.csv"));
    let steps = PLACE.replace("mapping.csv", "nowhere.csv");
    assert!(rewritten(folder.path(), &steps, 1).unwrap_err().to_string().contains("nowhere.csv"));
}

#[test]
fn a_small_table_is_read_whole_with_its_row_numbers() {
    let folder = visits();
    let data = Data { source: Source::file(folder.path().join("visits.csv")), columns: Vec::new() };
    let columns = ["postcode".to_owned(), "id".to_owned()];
    let table = run(Embedded::new(2).read_table(&data, &columns, Some("easting IS NOT NULL AND id > 1"))).unwrap();
    let rows: Vec<_> = (0..table.len()).map(|at| (table.row(at), table.value(at, 0), table.value(at, 1))).collect();
    assert_eq!(
        rows,
        [
            (2, Some("sm71aa"), Some("2")),
            (4, Some("not one"), Some("4")),
            (5, Some("SM9 1AA"), Some("5")),
            (6, Some("SM7 9ZZ"), Some("6"))
        ]
    );
    let error = run(Embedded::new(2).read_table(&data, &["postcod".to_owned()], None)).unwrap_err();
    assert_eq!(error.help().unwrap(), "did you mean `postcode`?");
}
