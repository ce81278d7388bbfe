//! CSV and JSON, and what is read back of them.

use outward_tables::read::{read_csv, read_json};
use outward_tables::write::{percentages, write_csv, write_json};
use outward_tables::{Figure, Published};

use crate::case::{counts, estimates, publication, sums, tables, without_counts};

#[test]
fn a_cell_is_a_row_of_the_csv_with_its_labels_and_what_is_published() {
    let csv = write_csv(&counts()).unwrap();
    let expected = "place,severity,count,percentage\n\
        '@Leeds,Fatal,[c],[c]\n\
        '@Leeds,'=SUM(A1:A9),[low],[low]\n\
        '@Leeds,\"\"\"Slight\"\", <b>or</b> & none\",1200,33.3333\n\
        '@Leeds,Total,3600,100\n\
        \"'-York\nouter\",Fatal,0,[c]\n\
        \"'-York\nouter\",'=SUM(A1:A9),7,[c]\n\
        \"'-York\nouter\",\"\"\"Slight\"\", <b>or</b> & none\",8,[c]\n\
        \"'-York\nouter\",Total,[c],[c]\n";
    assert_eq!(csv, expected);
}

#[test]
fn estimates_and_sums_have_as_many_decimals_as_tell_them_exactly() {
    let last = |csv: String| -> Vec<String> {
        csv.lines().filter_map(|line| line.rsplit_once(',')).map(|(_, last)| last.to_owned()).collect()
    };
    assert_eq!(last(write_csv(&estimates()).unwrap()), ["estimate", "[c]", "[c]", "1234.56", "2000.00"]);
    let sums = last(write_csv(&sums()).unwrap());
    assert_eq!(sums, ["sum", "-0.05", "1.05", "4.00", "5.00", "12345678901234567.89", "[c]", "[c]", "0.03"]);
}

#[test]
fn the_csv_of_every_table_is_read_back_as_it_was_published() {
    for published in tables() {
        let csv = write_csv(&published).unwrap();
        assert_eq!(read_csv(&csv, &published).unwrap(), published.figures);
    }
}

#[test]
fn a_changed_csv_is_not_taken_for_the_table() {
    let published = counts();
    let csv = write_csv(&published).unwrap();
    let read = |csv: &str| read_csv(csv, &published);
    let row = |csv: &str| read(csv).unwrap_err().fault().unwrap().place.row;
    assert_eq!(row(&csv.replacen("Fatal", "Fatel", 1)), Some(1));
    assert_eq!(row(&csv.replace("1200", "12oo")), Some(3));
    assert_eq!(row(&csv.replace("33.3333", "inf")), Some(3));
    assert_eq!(row(&csv.replace("33.3333", "33.3334")), Some(3));
    assert_eq!(row(&csv.replace("7,[c]", "7,12.5")), Some(6));
    assert_eq!(row(&csv.replace("1200,", "")), Some(3));
    assert!(read(&csv[..csv.len() - 1]).is_err());
    assert!(read(&csv[..csv.rfind('\'').unwrap()]).is_err());
    assert!(read(&(csv.clone() + "\"")).is_err());
    assert!(read("").is_err());
    assert_ne!(read(&csv.replace("1200,33.3333", "1206,33.5")).unwrap(), published.figures);
}

#[test]
fn the_json_of_tables_is_read_back_as_they_were_published() {
    let (tables, notes) = (tables(), ["A note.".to_owned()]);
    let json = write_json(&publication(&tables, &notes)).unwrap();
    let expected: Vec<Published> = tables.into_iter().map(without_counts).collect();
    assert_eq!(read_json(&json).unwrap(), expected);
}

#[test]
fn means_and_all_percentages_are_read_back_exactly() {
    let mut means = sums();
    if let Some(magnitudes) = &mut means.table.magnitudes {
        magnitudes.mean = true;
    }
    let mut shares = counts();
    for count in 1..400 {
        shares.figures =
            (0..8).map(|cell| Figure::Shown(if cell % 4 == 3 { 399 } else { count * (cell + 1) })).collect();
        shares.percentages = percentages(&shares.table, &shares.figures);
        let tables = [means.clone(), shares.clone()];
        let back = read_json(&write_json(&publication(&tables, &[])).unwrap()).unwrap();
        assert_eq!(back, tables.clone().map(without_counts));
    }
}

#[test]
fn a_json_file_that_does_not_hold_together_is_refused() {
    let tables = tables();
    let json = write_json(&publication(&tables, &[])).unwrap();
    let change = |from: &str, to: &str| {
        assert!(json.contains(from), "{from}");
        read_json(&json.replacen(from, to, 1)).unwrap_err().to_string()
    };
    assert_eq!(change("[\"[c]\",\"[low]\",1200", "[\"[c]\",1200"), "table `RAS1` has not one figure for each cell");
    assert_eq!(change("\"scale\":1,", "\"scale\":7,"), "table `RAS1` has a scale of 7, which is not a power of ten");
    assert_eq!(
        change("\"percent_of\":[1]", "\"percent_of\":[2]"),
        "table `RAS1` has percentages over a variable that is not there"
    );
    assert_eq!(
        change("[3,[0,1,2]]", "[4,[0,1,2]]"),
        "table `RAS1` has a sum over nodes of `severity` that are not there"
    );
    assert_eq!(
        change("\"measure\":\"sum\"", "\"measure\":\"count\""),
        "table `Money [in/out]` does not hold sum or mean"
    );
    assert_eq!(change("\"version\":1", "\"version\":2"), "this is not a file of tables of version 1");
    assert!(change("\"[low]\"", "\"[x]\"").ends_with("this is not the form of a file of tables"));
    assert!(change("\"title\"", "\"titel\"").ends_with("this is not the form of a file of tables"));
    assert!(read_json(&json[..json.len() / 2]).unwrap_err().to_string().ends_with("this is not JSON"));
    assert!(read_json("").is_err());
}
