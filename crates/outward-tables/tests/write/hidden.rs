//! What is not published is in no file, and what is not of the published figures is not written.

use std::io::Read;

use flate2::read::DeflateDecoder;
use outward_tables::words::statement;
use outward_tables::write::{Publication, write_csv, write_excel, write_html, write_json};

use crate::case::{SECRET, counts, publication, sums, tables};

/// The files within a workbook, one after the other.
pub(crate) fn unzipped(bytes: &[u8]) -> Vec<u8> {
    let number =
        |at: usize, length: usize| bytes[at..at + length].iter().rev().fold(0, |n, byte| n << 8 | usize::from(*byte));
    let mut all = Vec::new();
    for at in (0..bytes.len() - 4).filter(|at| bytes[*at..].starts_with(b"PK\x03\x04")) {
        let content = at + 30 + number(at + 26, 2) + number(at + 28, 2);
        match number(at + 8, 2) {
            0 => all.extend_from_slice(&bytes[content..content + number(at + 18, 4)]),
            _ => drop(DeflateDecoder::new(&bytes[content..]).read_to_end(&mut all).unwrap()),
        }
    }
    all
}

fn contains(bytes: &[u8], wanted: &str) -> bool {
    bytes.windows(wanted.len()).any(|window| window == wanted.as_bytes())
}

#[test]
fn no_file_has_a_figure_that_is_not_published() {
    let tables = tables();
    let publication = publication(&tables, &[]);
    let mut files = vec![
        unzipped(&write_excel(&publication).unwrap()),
        write_html(&publication).unwrap().into_bytes(),
        write_json(&publication).unwrap().into_bytes(),
        statement(&publication).into_bytes(),
    ];
    files.extend(tables.iter().map(|published| write_csv(published).unwrap().into_bytes()));
    assert!(contains(&files[0], "3600") && contains(&files[0], "[c]"), "the workbook was not unzipped");
    let secret = SECRET.to_string();
    let ways = [
        secret.clone(),
        format!("{}.{}", &secret[..4], &secret[4..]),
        "987,654".to_owned(),
        "987.654".to_owned(),
        "9,876.54".to_owned(),
    ];
    for (number, file) in files.iter().enumerate() {
        for way in &ways {
            assert!(!contains(file, way), "file {number} has {way}");
        }
    }
}

#[test]
fn files_depend_on_nothing_but_what_is_published() {
    let (tables, mut others) = (tables(), tables());
    for published in &mut others {
        published.table.counts.fill(1);
        published.table.keys.fill(2);
        published.table.weighted.iter_mut().for_each(|weighted| weighted.fill(3));
        if let Some(magnitudes) = &mut published.table.magnitudes {
            magnitudes.sums.fill(4);
            magnitudes.contributors.fill(5);
            magnitudes.largest.fill(vec![6]);
        }
    }
    let (one, other) = (publication(&tables, &[]), publication(&others, &[]));
    assert_eq!(write_excel(&one).unwrap(), write_excel(&other).unwrap());
    assert_eq!(write_html(&one).unwrap(), write_html(&other).unwrap());
    assert_eq!(write_json(&one).unwrap(), write_json(&other).unwrap());
    assert_eq!(write_csv(&tables[0]).unwrap(), write_csv(&others[0]).unwrap());
}

#[test]
fn the_same_tables_give_the_same_workbook_later_too() {
    let tables = tables();
    let first = write_excel(&publication(&tables, &[])).unwrap();
    // File times in a workbook are in steps of two seconds.
    std::thread::sleep(std::time::Duration::from_millis(2100));
    assert_eq!(write_excel(&publication(&tables, &[])).unwrap(), first);
}

#[test]
fn a_percentage_of_hidden_figures_is_not_written() {
    let mut leaking = counts();
    leaking.percentages.as_mut().unwrap()[0] = Some(12.5);
    assert!(write_csv(&leaking).is_err());
    let tables = [leaking];
    let publication = Publication { tables: &tables, ..Publication::default() };
    assert!(write_excel(&publication).is_err());
    assert!(write_html(&publication).is_err());
    assert!(write_json(&publication).is_err());
}

#[test]
fn figures_that_are_not_those_of_the_cells_are_not_written() {
    let mut short = sums();
    short.figures.pop();
    assert!(write_csv(&short).is_err());
    let mut odd = sums();
    odd.scale = 60;
    assert!(write_csv(&odd).is_err());
    assert!(write_json(&Publication::default()).is_err());
}
