//! The recoding search on the Adult data against the optima that ARX finds. Skipped where the data are absent.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, StringArray};
use outward_cells::{CellCounter, Request};
use outward_microdata::loss::{Aggregate, Measure, Share, measure_table};
use outward_microdata::models::{Margin, Model};
use outward_microdata::search::{Search, Table, frontier, improve, search};
use outward_spec::Hierarchy;

#[derive(Debug)]
struct Size(u64);

impl Model for Size {
    fn says(&self) -> String {
        format!("k-anonymity with k = {}", self.0)
    }

    fn margins(&self, keys: usize) -> Vec<Margin> {
        vec![Margin { keys: (0..keys).collect(), subset: None, k: self.0 }]
    }

    fn is_monotone(&self) -> bool {
        true
    }
}

fn unpacked(file: &Path) -> String {
    let mut text = String::new();
    flate2::read::GzDecoder::new(std::fs::File::open(file).unwrap()).read_to_string(&mut text).unwrap();
    text
}

fn adult() -> Option<Table> {
    let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data/adult"));
    let file = folder.join("arx_adult_30162.csv.gz");
    if !file.exists() {
        println!("skipped: the Adult data are not there");
        return None;
    }
    let text = unpacked(&file);
    let mut lines = text.lines();
    let names: Vec<String> = lines.next().unwrap().split(';').map(str::to_owned).collect();
    let mut columns = vec![Vec::new(); names.len()];
    lines.for_each(|line| line.split(';').zip(&mut columns).for_each(|(value, column)| column.push(value)));
    let rows: Vec<u64> = (1..=columns[0].len() as u64).collect();
    let arrays = columns.into_iter().map(|column| Arc::new(StringArray::from(column)) as ArrayRef);
    let batch = RecordBatch::try_from_iter(names.iter().zip(arrays)).unwrap();
    let request = Request { keys: names.clone(), ..Request::default() };
    let mut counter = CellCounter::new(&batch.schema(), &request).unwrap();
    counter.observe(&batch, &rows).unwrap();
    let hierarchies: Vec<Hierarchy> = names
        .iter()
        .map(|name| {
            let file = folder.join(format!("adult_hierarchy_{name}.csv.gz"));
            Hierarchy::from_bytes(unpacked(&file).into_bytes(), &file, false, None).unwrap()
        })
        .collect();
    let keys: Vec<_> = hierarchies.iter().enumerate().map(|(key, hierarchy)| (key, Some(hierarchy))).collect();
    Some(Table::from_cells(&counter.finish().unwrap(), &keys, &[]).unwrap())
}

#[test]
fn the_optima_of_adult_are_those_of_arx_whatever_the_threads() {
    let Some(table) = adult() else { return };
    let (models, measure) = ([Box::new(Size(5)) as Box<dyn Model>], Measure::new(Share::default(), Aggregate::Mean));
    for (limit, optimum) in [(0.0, 0.63554), (0.05, 0.26963), (1.0, 0.22770)] {
        let question = |threads| Search { limit, threads, ..Search::new(&models, &measure) };
        let answer = search(&table, &question(1)).unwrap();
        let best = answer.best.unwrap();
        assert!(answer.finished && (best.loss - optimum).abs() < 1e-5, "{limit}: {}", best.loss);
        assert!(best.highest_risk <= 0.2 && best.suppressed_records as f64 <= limit * 30_162.0);
        let again = search(&table, &question(2)).unwrap();
        assert_eq!((again.best, again.nodes), (Some(best), answer.nodes));
    }
}

#[test]
fn recoding_the_suppressed_of_adult_among_themselves_loses_less() {
    let Some(table) = adult() else { return };
    let (models, measure) = ([Box::new(Size(5)) as Box<dyn Model>], Measure::new(Share::default(), Aggregate::Mean));
    let settings = Search { limit: 1.0, ..Search::new(&models, &measure) };
    let best = search(&table, &settings).unwrap().best.unwrap();
    let improved = improve(&table, &settings, &best, 0.5, 20).unwrap();
    assert!(improved.release.loss < best.loss - 0.03, "{} {}", improved.release.loss, best.loss);
    assert!(improved.release.suppressed_records < best.suppressed_records / 10);
    assert!(improved.release.highest_risk <= 0.2);
    let age = [1];
    let (before, after) =
        (measure_table(&table, &best.recoded(), &age), measure_table(&table, &improved.recoded, &age));
    assert!(after.misplaced < before.misplaced);
}

#[test]
fn a_larger_k_never_loses_less() {
    let Some(table) = adult() else { return };
    let measure = Measure::new(Share::default(), Aggregate::Mean);
    let models: Vec<Vec<Box<dyn Model>>> =
        [2, 5, 10, 20].into_iter().map(|k| vec![Box::new(Size(k)) as Box<dyn Model>]).collect();
    let questions = models.iter().map(|models| Search { limit: 0.05, ..Search::new(models, &measure) }).collect();
    let answers = frontier(&table, questions).unwrap();
    let losses: Vec<f64> = answers.iter().map(|answer| answer.best.as_ref().unwrap().loss).collect();
    assert!(losses.is_sorted() && losses[0] < losses[3], "{losses:?}");
}
