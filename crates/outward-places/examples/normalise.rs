//! How many postcodes one core normalises in a second of its time: `cargo run --release -p outward-places --example
//! normalise`. The postcodes are made here, in mixed case, with and without spaces; making them is not timed.

use std::hint::black_box;
use std::time::Instant;

use outward_places::Postcode;

const POSTCODES: usize = 20_000_000;
const BLOCK: usize = 1_000_000;
const OUTWARD: [&str; 12] = ["M1", "B33", "W1A", "LS2", "EH99", "SW1A", "BT7", "NE30", "n1c", "cf10", "Ec1v", "gU21"];
const UNIT: &[u8] = b"ABDEFGHJLNPQRSTUWXYZabdefghjlnpqrstuwxyz";
const GAPS: [&str; 4] = [" ", "", " ", "  "];

fn main() {
    let mut state = 1;
    let mut seconds = 0.0;
    let mut refused = 0;
    let mut normal = Vec::with_capacity(10 * BLOCK);
    for _ in 0..POSTCODES / BLOCK {
        let (text, ends) = block(&mut state);
        normal.clear();
        let start = Clock::now();
        let mut begin = 0;
        for end in ends {
            match Postcode::parse_bytes(&text[begin..end]) {
                Ok(code) => code.write_to(&mut normal),
                Err(_) => refused += 1,
            }
            begin = end;
        }
        seconds += start.seconds();
        black_box(&normal);
    }
    if refused > 0 {
        eprintln!("{refused} were refused: the postcodes were not made as they should be");
        std::process::exit(2);
    }
    let rate = POSTCODES as f64 / seconds;
    println!(r#"{{"postcodes": {POSTCODES}, "seconds": {seconds:.3}, "per_second": {rate:.0}}}"#);
}

/// Postcodes one after the other, and where each ends.
fn block(state: &mut u64) -> (Vec<u8>, Vec<usize>) {
    let mut text = Vec::with_capacity(10 * BLOCK);
    let mut ends = Vec::with_capacity(BLOCK);
    for _ in 0..BLOCK {
        text.extend(OUTWARD[draw(state, OUTWARD.len())].bytes());
        text.extend(GAPS[draw(state, GAPS.len())].bytes());
        text.push(b"0123456789"[draw(state, 10)]);
        text.push(UNIT[draw(state, UNIT.len())]);
        text.push(UNIT[draw(state, UNIT.len())]);
        ends.push(text.len());
    }
    (text, ends)
}

/// A linear congruential generator (Knuth's MMIX constants): the same postcodes in every run.
fn draw(state: &mut u64, limit: usize) -> usize {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*state >> 33) as usize % limit
}

/// The time this thread has had on a processor where the system tells it, else the time on the wall.
struct Clock {
    wall: Instant,
    processor: Option<u64>,
}

impl Clock {
    fn now() -> Self {
        Self { wall: Instant::now(), processor: Self::processor() }
    }

    fn seconds(&self) -> f64 {
        match (self.processor, Self::processor()) {
            (Some(start), Some(end)) => (end - start) as f64 / 1e9,
            _ => self.wall.elapsed().as_secs_f64(),
        }
    }

    /// Nanoseconds, as Linux gives them in the first field.
    fn processor() -> Option<u64> {
        std::fs::read_to_string("/proc/thread-self/schedstat").ok()?.split(' ').next()?.parse().ok()
    }
}
