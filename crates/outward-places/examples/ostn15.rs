//! Makes `src/grid/ostn15.bin` from `OSTN15_OSGM15_DataFile.txt` of Ordnance Survey's developer pack for OSTN15:
//!
//!     cargo run --release --package outward-places --example ostn15 -- OSTN15_OSGM15_DataFile.txt ostn15.bin
//!
//! `src/grid/shifts.rs` says what the file holds.

use std::error::Error;
use std::io::Write;

use flate2::Compression;
use flate2::write::ZlibEncoder;

const WIDE: usize = 701;
const HIGH: usize = 1251;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, from, to] = arguments.as_slice() else { return Err("say the file to read and the one to write".into()) };
    let text = std::fs::read_to_string(from)?;
    let mut shifts: [Vec<i32>; 2] = Default::default();
    for line in text.lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        for (direction, shifts) in shifts.iter_mut().enumerate() {
            let metres: f64 = fields.get(3 + direction).ok_or("a line has too few fields")?.parse()?;
            shifts.push((metres * 1_000.0).round() as i32);
        }
    }
    let mut encoder = ZlibEncoder::new(std::fs::File::create(to)?, Compression::best());
    for shifts in shifts {
        if shifts.len() != WIDE * HIGH {
            return Err("the file has not as many points as the table".into());
        }
        let smallest = shifts.iter().min().copied().unwrap_or_default();
        println!("the smallest shift is {smallest} mm");
        let from_smallest = |at: usize| (shifts[at] - smallest) as u16;
        let differences: Vec<[u8; 2]> = (0..shifts.len())
            .map(|at| {
                let expected = match (at % WIDE, at / WIDE) {
                    (0, 0) => 0,
                    (0, _) => from_smallest(at - WIDE),
                    (_, 0) => from_smallest(at - 1),
                    _ => {
                        let sum = from_smallest(at - 1).wrapping_add(from_smallest(at - WIDE));
                        sum.wrapping_sub(from_smallest(at - WIDE - 1))
                    }
                };
                from_smallest(at).wrapping_sub(expected).to_le_bytes()
            })
            .collect();
        for byte in [0, 1] {
            encoder.write_all(&differences.iter().map(|bytes| bytes[byte]).collect::<Vec<u8>>())?;
        }
    }
    encoder.finish()?;
    Ok(())
}
