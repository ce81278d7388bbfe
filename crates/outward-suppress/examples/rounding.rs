//! Times controlled rounding on made tables: `rounding BASE MEAN SEED FANS FANS ...`, fans such as `8,56`.
#![allow(missing_docs, clippy::unwrap_used)]

#[path = "../tests/round/tables.rs"]
mod tables;

use outward_suppress::round::{Controlled, controlled};
use std::time::Instant;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let base: i64 = words[0].parse().unwrap();
    let mean: f64 = words[1].parse().unwrap();
    let seed: u64 = words[2].parse().unwrap();
    let fans: Vec<Vec<usize>> =
        words[3..].iter().map(|word| word.split(',').map(|fan| fan.parse().unwrap()).collect()).collect();
    let fans: Vec<&[usize]> = fans.iter().map(Vec::as_slice).collect();
    let system = tables::table(&fans, mean, seed);
    let start = Instant::now();
    let rounded = controlled(&system, &Controlled::to(base)).unwrap();
    println!(
        "{} cells, {} equations: {:?}, distance {}, largest {}, apart {}, additive {}, {:.2} s",
        system.cells.len(),
        system.equations(),
        rounded.method,
        rounded.distance,
        rounded.largest,
        rounded.apart.len(),
        rounded.additive,
        start.elapsed().as_secs_f64()
    );
}
