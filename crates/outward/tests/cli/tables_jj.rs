//! `table --jj`: protected and rounded families of tables in the format of τ-ARGUS.

use std::path::Path;

use serde_json::Value;

use crate::{folder, json, outward, stderr};

/// A table of three by three with its totals, each cell costing what it counts; the 1 is unsafe. To hide it takes one more cell of its
/// row, one of its column and the corner opposite: 20, 7 and 8 are the fewest people that this can be done with.
fn three_by_three() -> String {
    let inner = [[20, 1, 30], [12, 15, 9], [7, 8, 25]];
    let count = |row: usize, column: usize| -> i64 {
        let row = if row < 3 { row..row + 1 } else { 0..3 };
        row.map(|row| if column < 3 { inner[row][column] } else { inner[row].iter().sum() }).sum()
    };
    let mut text = "0\n16\n".to_owned();
    for cell in 0..16 {
        let count = count(cell / 4, cell % 4);
        let (status, protection) = if count == 1 { ('u', 1) } else { ('s', 0) };
        text += &format!("{cell} {count} {count} {status} 0 999 {protection} {protection} 0\n");
    }
    text += "8\n";
    for at in 0..4 {
        let [a, b, c, total] = [0, 1, 2, 3].map(|column| 4 * at + column);
        text += &format!("0 4 : {a} (1) {b} (1) {c} (1) {total} (-1)\n");
        let [a, b, c, total] = [0, 4, 8, 12].map(|row| row + at);
        text += &format!("0 4 : {a} (1) {b} (1) {c} (1) {total} (-1)\n");
    }
    text
}

/// Writes the small table into a folder.
fn small_file(folder: &Path) -> String {
    std::fs::write(folder.join("small.jj"), three_by_three()).unwrap();
    "small.jj".to_owned()
}

fn protect(folder: &Path, from: &str, to: &str) -> Value {
    let made = outward(folder, &["table", "--jj", from, "--suppress", "--out", to, "--format", "json"]);
    assert_eq!(made.status.code(), Some(0), "{}", stderr(&made));
    json(&made)
}

/// Protects a file, then what was written. Returns what was said the first time.
fn protected_and_stays_so(folder: &Path, file: &str) -> Value {
    let said = protect(folder, file, "once.jj");
    assert_eq!((said["recoverable"].as_u64(), said["too_tight"].as_u64()), (Some(0), Some(0)));
    assert!(said["seconds"].is_f64());
    let again = protect(folder, "once.jj", "twice.jj");
    assert_eq!((&again["primary"], again["secondary"].as_u64()), (&said["primary"], Some(0)), "{again}");
    assert_eq!((again["recoverable"].as_u64(), again["too_tight"].as_u64()), (Some(0), Some(0)));
    let hidden = |name: &str| {
        let text = std::fs::read_to_string(folder.join(name)).unwrap();
        let cells = text.lines().map(|line| line.split(' ').collect::<Vec<_>>());
        cells.filter(|cell| cell.len() == 9 && cell[3] == "m").count() as u64
    };
    assert_eq!(Some(hidden("once.jj")), said["secondary"].as_u64());
    assert_eq!(hidden("once.jj"), hidden("twice.jj"));
    said
}

/// Rounds a file to multiples of five and adds all equations up.
fn rounded_so_that_all_equations_hold(folder: &Path, file: &str) {
    let args = ["table", "--jj", file, "--round", "5", "--out", "out.jj", "--format", "json"];
    let said = json(&outward(folder, &args));
    assert_eq!((said["recoverable"].as_u64(), said["too_tight"].as_u64()), (Some(0), Some(0)), "{said}");
    let text = std::fs::read_to_string(folder.join("out.jj")).unwrap();
    let mut lines = text.lines().skip(1);
    let count = lines.next().unwrap().parse().unwrap();
    let values: Vec<i64> =
        lines.by_ref().take(count).map(|line| line.split(' ').nth(1).unwrap().parse().unwrap()).collect();
    assert!(values.iter().all(|value| value % 5 == 0));
    for equation in lines.skip(1) {
        let (_, terms) = equation.split_once(": ").unwrap();
        let words: Vec<&str> = terms.split([' ', '(', ')']).filter(|word| !word.is_empty()).collect();
        let terms =
            words.chunks(2).map(|term| values[term[0].parse::<usize>().unwrap()] * term[1].parse::<i64>().unwrap());
        assert_eq!(terms.sum::<i64>(), 0, "{equation}");
    }
}

#[test]
fn one_unsafe_cell_of_nine_takes_the_three_cheapest_corners_with_it() {
    let folder = folder();
    let said = protected_and_stays_so(folder.path(), &small_file(folder.path()));
    assert_eq!((said["published_cells"].as_u64(), said["primary"].as_u64()), (Some(16), Some(1)), "{said}");
    assert_eq!((said["secondary"].as_u64(), said["secondary_value"].as_f64()), (Some(3), Some(35.0)), "{said}");
}

#[test]
fn a_jj_file_can_be_rounded_so_that_all_equations_hold() {
    let folder = folder();
    rounded_so_that_all_equations_hold(folder.path(), &small_file(folder.path()));
}

mod real_data {
    use outward_testing::real_data::path;

    use super::*;

    #[test]
    fn the_table_of_the_benchmark_is_protected_with_few_cells_and_stays_so_when_read_back() {
        let said = protected_and_stays_so(folder().path(), path("tables/s50x50.jj.gz").to_str().unwrap());
        assert_eq!((said["published_cells"].as_u64(), said["primary"].as_u64()), (Some(3416), Some(147)));
        assert!(said["secondary"].as_u64() <= Some(127), "{said}");
        assert!(said["secondary_value"].as_f64() > Some(0.0), "{said}");
    }

    #[test]
    fn the_small_table_of_the_benchmark_can_be_rounded_so_that_all_equations_hold() {
        rounded_so_that_all_equations_hold(folder().path(), path("tables/s10x10.jj.gz").to_str().unwrap());
    }
}
