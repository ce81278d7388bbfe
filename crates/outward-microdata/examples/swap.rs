//! Makes persons in households in a geography of three levels, swaps them, and prints what it took as JSON.
//!
//!     swap [--persons N] [--share S] [--k K] [--threads N] [--seed N]
//!
//! CPU seconds are those of all threads of the swap alone, as the kernel counts them in ticks of 10 ms.

use std::process::ExitCode;
use std::time::Instant;

use outward_microdata::random::Random;
use outward_microdata::swap::{SwapRequest, swap_records};

type Failure = Box<dyn std::error::Error>;

struct Arguments {
    persons: usize,
    share: f64,
    k: u64,
    threads: usize,
    seed: u64,
}

/// Codes of each person. Regions, districts and wards are nested.
#[derive(Default)]
struct Persons {
    household: Vec<u32>,
    region: Vec<u32>,
    district: Vec<u32>,
    ward: Vec<u32>,
    age: Vec<u32>,
    sex: Vec<u32>,
    status: Vec<u32>,
    birthplace: Vec<u32>,
    tenure: Vec<u32>,
}

fn main() -> ExitCode {
    match arguments().and_then(|arguments| run(&arguments)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("{failure}");
            ExitCode::from(2)
        }
    }
}

fn arguments() -> Result<Arguments, Failure> {
    let mut arguments = Arguments { persons: 1_000_000, share: 0.05, k: 3, threads: 1, seed: 1 };
    let mut given = std::env::args().skip(1);
    while let Some(name) = given.next() {
        let value = given.next().ok_or_else(|| format!("{name} needs a value"))?;
        match name.as_str() {
            "--persons" => arguments.persons = value.parse()?,
            "--share" => arguments.share = value.parse()?,
            "--k" => arguments.k = value.parse()?,
            "--threads" => arguments.threads = value.parse()?,
            "--seed" => arguments.seed = value.parse()?,
            _ => return Err(format!("there is no option {name}").into()),
        }
    }
    Ok(arguments)
}

fn run(arguments: &Arguments) -> Result<(), Failure> {
    let persons = make(arguments);
    let request = SwapRequest {
        geography: &[&persons.region, &persons.district, &persons.ward],
        household: Some(&persons.household),
        risk: &[&persons.age, &persons.sex, &persons.status, &persons.birthplace],
        k: &[arguments.k; 3],
        similar: &[vec![&persons.tenure, &persons.age, &persons.sex], vec![&persons.sex], Vec::new()],
        hold: &[vec![&persons.tenure]],
        share: arguments.share,
        marked: None,
        seed: arguments.seed,
        threads: arguments.threads,
    };
    let (wall, cpu) = (Instant::now(), cpu_seconds()?);
    let swapped = swap_records(&request)?;
    let (wall, cpu) = (wall.elapsed().as_secs_f64(), cpu_seconds()? - cpu);
    println!(
        "{{\"persons\": {}, \"households\": {}, \"risky\": {}, \"risky_at\": {:?}, \"risky_swapped\": {}, \
         \"not_matched\": {}, \"partners\": {}, \"random_asked\": {}, \"random_swapped\": {}, \"per_profile\": {:?}, \
         \"persons_moved\": {}, \"cpu_seconds\": {cpu:.3}, \"wall_seconds\": {wall:.3}}}",
        persons.ward.len(),
        swapped.units,
        swapped.risky,
        swapped.risky_at,
        swapped.risky_swapped,
        swapped.not_matched,
        swapped.partners,
        swapped.random_asked,
        swapped.random_swapped,
        swapped.per_profile,
        swapped.records_moved,
    );
    Ok(())
}

/// Households of 2.4 members on average in 10 regions, 100 districts and 1,000 wards of unlike size; few were born far away.
fn make(arguments: &Arguments) -> Persons {
    let mut random = Random::new(arguments.seed, "made persons");
    let mut persons = Persons::default();
    let mut household = 0;
    while persons.ward.len() < arguments.persons {
        household += 1;
        let ward = (random.unit().powf(1.5) * 1_000.0) as u32;
        let size = [1, 1, 1, 2, 2, 2, 2, 3, 4, 6][random.below(10) as usize];
        let tenure = 1 + random.below(4) as u32;
        for _ in 0..size.min(arguments.persons - persons.ward.len()) {
            persons.household.push(household);
            persons.region.push(1 + ward / 100);
            persons.district.push(1 + ward / 10);
            persons.ward.push(1 + ward);
            persons.age.push(1 + random.below(18) as u32);
            persons.sex.push(1 + random.below(2) as u32);
            persons.status.push(1 + random.below(5) as u32);
            persons.birthplace.push(1 + (random.unit().powi(6) * 12.0) as u32);
            persons.tenure.push(tenure);
        }
    }
    persons
}

/// User and system time of this process so far, of ended threads too: fields 14 and 15 of its `stat`.
fn cpu_seconds() -> Result<f64, Failure> {
    let stat = std::fs::read_to_string("/proc/self/stat")?;
    let after_name = stat.rsplit(')').next().unwrap_or_default();
    let ticks = after_name.split_whitespace().skip(11).take(2).map(str::parse::<f64>).sum::<Result<f64, _>>()?;
    Ok(ticks / 100.0)
}
