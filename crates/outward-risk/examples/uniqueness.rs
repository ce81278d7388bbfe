//! How long the estimators of population uniques take on a histogram of many class sizes, as JSON: `make bench` calls it.
#![allow(clippy::unwrap_used)]

use std::time::Instant;

use outward_risk::population::{Histogram, SamplingFraction, measure_uniqueness};

fn main() {
    // 45,000 different sizes, a thousand million records: far more than a file has.
    let histogram = Histogram::from_sizes((1..=45_000u64).map(|size| (size, 1 + 90_000 / (size * size))));
    let fraction = SamplingFraction::new(0.05).unwrap();
    let seconds = |_| {
        let started = Instant::now();
        let found = measure_uniqueness(&histogram, fraction);
        assert!(found.chosen.share().is_some(), "{:?}", found.chosen);
        started.elapsed().as_secs_f64()
    };
    let best = (0..5).map(seconds).fold(f64::INFINITY, f64::min);
    println!(
        "{{\"records\": {}, \"sizes\": {}, \"seconds\": {best:.6}}}",
        histogram.records(),
        histogram.sizes().len()
    );
}
