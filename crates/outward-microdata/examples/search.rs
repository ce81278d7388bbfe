//! Times the recoding search alone, from counted cells to the answer, on the Adult data with k = 5 and the measure loss.
//!
//!     search FOLDER [--threads N] [--repeat N] [--limit SHARE]
//!
//! FOLDER holds `arx_adult_30162.csv.gz` and `adult_hierarchy_*.csv.gz`. CPU seconds are those of all threads, as the
//! kernel counts them in ticks of 10 ms; of several runs, their mean.

use std::io::Read;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, StringArray};
use outward_cells::{CellCounter, CellRequest, Cells};
use outward_microdata::loss::{Aggregate, Measure, Share};
use outward_microdata::models::{Margin, Model};
use outward_microdata::search::{Search, SearchTable, search};
use outward_spec::Hierarchy;

type Failure = Box<dyn std::error::Error>;

/// Every class has at least k records.
#[derive(Debug)]
struct Classes(u64);

impl Model for Classes {
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

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("{failure}");
            ExitCode::from(2)
        }
    }
}

fn run() -> Result<(), Failure> {
    let mut given = std::env::args().skip(1);
    let folder = given.next().ok_or("usage: search FOLDER [--threads N] [--repeat N] [--limit SHARE]")?;
    let (mut threads, mut repeat, mut limits) = (1, 1, vec![0.0, 0.05, 1.0]);
    while let Some(name) = given.next() {
        let value = given.next().ok_or_else(|| format!("{name} needs a value"))?;
        match name.as_str() {
            "--threads" => threads = value.parse()?,
            "--repeat" => repeat = value.parse::<u32>()?.max(1),
            "--limit" => limits = vec![value.parse()?],
            _ => return Err(format!("there is no option {name}").into()),
        }
    }
    let folder = Path::new(&folder);
    let (cells, hierarchies) = adult(folder)?;
    let keys: Vec<_> = hierarchies.iter().enumerate().map(|(key, hierarchy)| (key, Some(hierarchy))).collect();
    let measure = Measure::new(Share::default(), Aggregate::Mean);
    let models: Vec<Box<dyn Model>> = vec![Box::new(Classes(5))];
    for limit in limits {
        let before = cpu_seconds()?;
        let mut answer = None;
        for _ in 0..repeat {
            let table = SearchTable::from_cells(&cells, &keys, &[])?;
            answer = Some(search(&table, &Search { limit, threads, ..Search::new(&models, &measure) })?);
        }
        let seconds = (cpu_seconds()? - before) / f64::from(repeat);
        let best = answer.as_ref().and_then(|answer| answer.best.as_ref()).ok_or("nothing meets the model")?;
        let nodes = answer.as_ref().map_or(0, |answer| answer.nodes);
        println!(
            "{{\"limit\": {limit}, \"loss\": {:.8}, \"levels\": {:?}, \"suppressed_records\": {}, \"classes\": {}, \
             \"nodes\": {nodes}, \"cells\": {}, \"cpu_seconds\": {seconds:.4}}}",
            best.loss,
            best.levels,
            best.suppressed_records,
            best.classes,
            cells.len(),
        );
    }
    Ok(())
}

fn adult(folder: &Path) -> Result<(Cells, Vec<Hierarchy>), Failure> {
    let text = unpacked(&folder.join("arx_adult_30162.csv.gz"))?;
    let mut lines = text.lines();
    let names: Vec<String> = lines.next().ok_or("no header")?.split(';').map(str::to_owned).collect();
    let mut columns = vec![Vec::new(); names.len()];
    for line in lines {
        line.split(';').zip(&mut columns).for_each(|(value, column)| column.push(value));
    }
    let rows: Vec<u64> = (1..=columns[0].len() as u64).collect();
    let arrays = columns.into_iter().map(|column| Arc::new(StringArray::from(column)) as ArrayRef);
    let batch = RecordBatch::try_from_iter(names.iter().zip(arrays))?;
    let mut counter = CellCounter::new(&batch.schema(), &CellRequest::new(names.clone()))?;
    counter.observe(&batch, &rows)?;
    let hierarchy = |name: &String| -> Result<Hierarchy, Failure> {
        let file = folder.join(format!("adult_hierarchy_{name}.csv.gz"));
        Ok(Hierarchy::from_bytes(unpacked(&file)?.into_bytes(), &file, false, None)?)
    };
    Ok((counter.finish()?, names.iter().map(hierarchy).collect::<Result<_, _>>()?))
}

fn unpacked(file: &Path) -> Result<String, Failure> {
    let mut text = String::new();
    flate2::read::GzDecoder::new(std::fs::File::open(file)?).read_to_string(&mut text)?;
    Ok(text)
}

/// Fields 14 and 15 of the process's line, user and system time in ticks of 10 ms; they stand behind the name in brackets.
fn cpu_seconds() -> Result<f64, Failure> {
    let line = std::fs::read_to_string("/proc/self/stat")?;
    let fields = line.rsplit(')').next().unwrap_or_default().split_whitespace();
    let ticks = fields.skip(11).take(2).map(str::parse::<f64>).sum::<Result<f64, _>>()?;
    Ok(ticks / 100.0)
}
