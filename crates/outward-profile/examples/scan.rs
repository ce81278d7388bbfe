//! How fast a scanner goes through text, on one thread: notes and letters of a generated cohort, without names and with a million.
//!
//! Run with `cargo run --release -p outward-profile --example scan [ROUNDS]`. Prints one JSON object; rates are in bytes of text a second of processor time,
//! in the best of some rounds.

use std::time::{Instant, SystemTime, UNIX_EPOCH};

use arrow_array::cast::AsArray;
use outward_generate::{Dataset, Generator};
use outward_profile::scan::{NameList, Scanner, Sighting, Standing};

const PARTICIPANTS: u64 = 200_000;
const ROUNDS: u32 = 9;

fn main() {
    let generator = Generator::new(Dataset::Biobank, PARTICIPANTS, 1);
    let (mut notes, mut names) = (Vec::new(), Vec::new());
    for block in 0..generator.blocks() {
        let tables = generator.block(block);
        let column = |table: usize, name: &str| {
            let texts = tables[table][name].as_string::<i32>().iter();
            texts.flatten().map(str::to_owned).collect::<Vec<String>>()
        };
        notes.extend(column(1, "remarks"));
        notes.extend(column(2, "letter"));
        let last = column(0, "last_name");
        names.extend(column(0, "first_name").into_iter().zip(last).map(|(first, last)| format!("{first} {last}")));
    }
    // Names that nobody in the text has, so that the list is as long as that of a large cohort.
    let others = (0..1_000_000).map(|number| format!("Name{number} Other{}", number % 977));
    let all: Vec<String> = names.iter().cloned().chain(others).collect();
    let started = Instant::now();
    let (known, many) = (list(&names), list(&all));
    let listed = started.elapsed();
    let plain = rate(&Scanner::new(), &notes);
    let births = rate(&Scanner::new().with_births(1936..=1970), &notes);
    let with_names = rate(&Scanner::new().with_names(known), &notes);
    let with_many = rate(&Scanner::new().with_names(many), &notes);
    let prose = vec![PROSE.repeat(200); 100];
    let on_prose = rate(&Scanner::new(), &prose);
    let bytes: usize = notes.iter().map(String::len).sum();
    println!(
        "{{\"texts\": {}, \"bytes\": {bytes}, \"names\": {}, \"listing_seconds\": {:.2}, \"per_second\": {plain:.0}, \"with_births\": {births:.0}, \"with_names\": {with_names:.0}, \"with_a_million_names\": {with_many:.0}, \"prose\": {on_prose:.0}}}",
        notes.len(),
        names.len(),
        listed.as_secs_f64(),
    );
}

/// A note in sentences with the numbers that notes have, and no identifier.
const PROSE: &str = "The patient was seen on 12 March 2009 with pain in the left knee that had begun 3 weeks before. BP 132/84, pulse 72, \
temperature 36.8. Takes 20 mg of simvastatin at night and has done so since 2004. There was no swelling, and the knee could be bent to 110 \
degrees. We talked about exercise and agreed to look again in 6 to 8 weeks. ";

fn list(names: &[String]) -> NameList {
    NameList::new(names.iter().map(String::as_str))
}

/// The time that this process has been on a processor, where the system says; otherwise the time of day.
fn processor_seconds() -> f64 {
    let on_processor = std::fs::read_to_string("/proc/self/schedstat").ok();
    let nanoseconds = on_processor.and_then(|text| text.split_whitespace().next()?.parse::<f64>().ok());
    let since_1970 = || SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |since| since.as_secs_f64());
    nanoseconds.map_or_else(since_1970, |nanoseconds| nanoseconds / 1e9)
}

/// Bytes a second of processor time, the best of some rounds.
fn rate(scanner: &Scanner, texts: &[String]) -> f64 {
    let bytes: usize = texts.iter().map(String::len).sum();
    let mut found: Vec<Sighting> = Vec::new();
    let mut best = f64::INFINITY;
    let mut certain = 0;
    let asked = std::env::args().nth(1).and_then(|rounds| rounds.parse().ok());
    for _ in 0..asked.unwrap_or(ROUNDS) {
        let started = processor_seconds();
        for text in texts {
            scanner.scan_into(text, &mut found);
            certain += found.iter().filter(|sighting| sighting.standing == Standing::Certain).count();
        }
        best = best.min(processor_seconds() - started);
    }
    assert!(certain > 0 || texts.len() == 100, "generated texts hold identifiers");
    bytes as f64 / best
}
