//! How long perturbation takes, as lines of JSON: microaggregation of 100,000 × 4 numbers, PRAM of 1 million × 4 categories.

use outward_microdata::microaggregate::{Centre, microaggregate};
use outward_microdata::pram::{Pram, post_randomise};
use outward_microdata::random::Random;
use outward_spec::Result;

/// CPU seconds of this process so far, as Linux counts them in hundredths.
fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after_name = stat.rsplit(')').next().unwrap_or_default();
    let ticks: f64 = after_name.split_whitespace().skip(11).take(2).filter_map(|field| field.parse::<f64>().ok()).sum();
    ticks / 100.0
}

fn main() -> Result<()> {
    let mut random = Random::new(1, "example");
    let mut normal: Vec<Vec<f64>> = Vec::new();
    for _ in 0..4 {
        normal.push((0..100_000).map(|_| random.normal_pair().0).collect());
    }
    let skewed: Vec<Vec<f64>> = normal.iter().map(|column| column.iter().map(|x| x.exp()).collect()).collect();
    let whole: Vec<Vec<f64>> = normal.iter().map(|column| column.iter().map(|x| (x * 5.0).round()).collect()).collect();
    for (name, columns) in [("normal", &normal), ("skewed", &skewed), ("whole numbers", &whole)] {
        let slices: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
        let start = cpu_seconds();
        let result = microaggregate(&slices, None, 3, Centre::Mean)?;
        let seconds = cpu_seconds() - start;
        let lost = result.sse / result.sst;
        println!("{{\"method\": \"mdav\", \"data\": \"{name}\", \"cpu_seconds\": {seconds:.2}, \"lost\": {lost:.5}}}");
    }
    randomise()
}

/// One million records with four variables of 2, 5, 12 and 100 categories.
fn randomise() -> Result<()> {
    let mut random = Random::new(1, "codes");
    let variables: Vec<Vec<u32>> = [2, 5, 12, 100]
        .map(|levels| (0..1_000_000).map(|_| random.below(levels) as u32 + 1).collect())
        .into_iter()
        .collect();
    let start = cpu_seconds();
    let mut changed = 0;
    for (number, codes) in variables.iter().enumerate() {
        let mut random = Random::new(1, &format!("pram {number}"));
        changed += post_randomise(codes, None, &Pram::default(), &mut random)?.changed;
    }
    let seconds = cpu_seconds() - start;
    println!("{{\"method\": \"pram\", \"cpu_seconds\": {seconds:.2}, \"changed\": {changed}}}");
    Ok(())
}
