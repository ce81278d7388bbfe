//! The recoding search against optima worked out by hand, and on the Adult data against those that ARX finds.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use std::path::Path;
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, StringArray};
use outward_cells::{CellCounter, CellRequest};
use outward_microdata::loss::{Aggregate, Measure, Share, measure_table};
use outward_microdata::models::{Margin, Model};
use outward_microdata::search::{Search, SearchTable, frontier, improve, search};
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

/// The table of records given as text with a header, where `hierarchy` gives the file of each key.
fn table(text: &str, hierarchy: impl Fn(&str) -> Vec<u8>) -> SearchTable {
    let mut lines = text.lines();
    let names: Vec<String> = lines.next().unwrap().split(';').map(str::to_owned).collect();
    let mut columns = vec![Vec::new(); names.len()];
    lines.for_each(|line| line.split(';').zip(&mut columns).for_each(|(value, column)| column.push(value)));
    let rows: Vec<u64> = (1..=columns[0].len() as u64).collect();
    let arrays = columns.into_iter().map(|column| Arc::new(StringArray::from(column)) as ArrayRef);
    let batch = RecordBatch::try_from_iter(names.iter().zip(arrays)).unwrap();
    let request = CellRequest::new(names.clone());
    let mut counter = CellCounter::new(&batch.schema(), &request).unwrap();
    counter.observe(&batch, &rows).unwrap();
    let read = |name: &String| Hierarchy::from_bytes(hierarchy(name), Path::new(name), false, None).unwrap();
    let hierarchies: Vec<Hierarchy> = names.iter().map(read).collect();
    let keys: Vec<_> = hierarchies.iter().enumerate().map(|(key, hierarchy)| (key, Some(hierarchy))).collect();
    SearchTable::from_cells(&counter.finish().unwrap(), &keys, &[]).unwrap()
}

/// Twelve people: two women of 20, one of 30, two of 40, two of 50; a man of 20, two of 30, one of 40, one of 50.
fn twelve() -> SearchTable {
    let of = |person: &str, count: usize| format!("{person}\n").repeat(count);
    let women = of("F;20", 2) + &of("F;30", 1) + &of("F;40", 2) + &of("F;50", 2);
    let men = of("M;20", 1) + &of("M;30", 2) + &of("M;40", 1) + &of("M;50", 1);
    table(&format!("sex;age\n{women}{men}"), |key| match key {
        "sex" => "F;*\nM;*".into(),
        _ => "20;to 30;*\n30;to 30;*\n40;over 30;*\n50;over 30;*".into(),
    })
}

/// Losses of a key are (T − N/D)/(N − N/D): of ages by twenties (6 − 3)/9, of no age or no sex 1.
#[test]
fn the_optima_of_twelve_people_are_those_worked_out_by_hand() {
    let (table, measure) = (twelve(), Measure::new(Share::default(), Aggregate::Mean));
    let models: Vec<Vec<Box<dyn Model>>> =
        [2, 3, 4, 6, 8].into_iter().map(|k| vec![Box::new(Size(k)) as Box<dyn Model>]).collect();
    // k = 2: ages by twenties leave 3, 4, 3 and 2. k = 3 and 4: no age, which leaves 7 and 5. k = 6: ages by twenties and no sex, 6 and 6.
    let by_hand = [1.0 / 6.0, 0.5, 0.5, 2.0 / 3.0, 1.0];
    let questions = models.iter().map(|models| Search::new(models, &measure)).collect();
    for (answer, by_hand) in frontier(&table, questions).unwrap().into_iter().zip(by_hand) {
        let loss = answer.best.unwrap().loss;
        assert!(answer.finished && (loss - by_hand).abs() < 1e-12, "{loss} is not {by_hand}");
    }
    // k = 3 where two of twelve may go: ages by twenties without the two men over 30. Sex (7 − 6)/6, age (7 − 3)/9.
    let best = search(&table, &Search { limit: 0.2, ..Search::new(&models[1], &measure) }).unwrap().best.unwrap();
    assert_eq!((best.suppressed_records, &best.levels[..]), (2, &[0, 1][..]));
    assert!((best.loss - (1.0 / 6.0 + 4.0 / 9.0) / 2.0).abs() < 1e-12, "{}", best.loss);
}

mod real_data {
    use outward_testing::real_data::{bytes, text};

    use super::*;

    fn adult() -> SearchTable {
        table(&text("adult/arx_adult_30162.csv.gz"), |key| bytes(&format!("adult/adult_hierarchy_{key}.csv.gz")))
    }

    #[test]
    fn the_optima_of_adult_are_those_of_arx_whatever_the_threads() {
        let table = adult();
        let (models, measure) =
            ([Box::new(Size(5)) as Box<dyn Model>], Measure::new(Share::default(), Aggregate::Mean));
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
        let table = adult();
        let (models, measure) =
            ([Box::new(Size(5)) as Box<dyn Model>], Measure::new(Share::default(), Aggregate::Mean));
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
        let table = adult();
        let measure = Measure::new(Share::default(), Aggregate::Mean);
        let models: Vec<Vec<Box<dyn Model>>> =
            [2, 5, 10, 20].into_iter().map(|k| vec![Box::new(Size(k)) as Box<dyn Model>]).collect();
        let questions = models.iter().map(|models| Search { limit: 0.05, ..Search::new(models, &measure) }).collect();
        let answers = frontier(&table, questions).unwrap();
        let losses: Vec<f64> = answers.iter().map(|answer| answer.best.as_ref().unwrap().loss).collect();
        assert!(losses.is_sorted() && losses[0] < losses[3], "{losses:?}");
    }
}
