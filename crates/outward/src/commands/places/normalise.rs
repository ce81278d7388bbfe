//! `outward places normalise`: postcodes from stdin in their normal form on stdout.

use std::io::{BufRead, BufWriter, Write};

use outward_places::Postcode;
use outward_spec::{Error, Result};

use crate::cli::NormaliseArgs;
use crate::output::Outcome;
use crate::session::Session;

/// The most lines that are not postcodes for which each has a message.
const FAULTS_NAMED: u64 = 10;

/// Writes a line for each line read, so that the two can be compared. It is empty if there was no postcode.
pub(crate) fn run(session: &Session, args: &NormaliseArgs) -> Result<Outcome> {
    let fail_reading = |error| Error::io("read from", "stdin", error);
    let mut input = std::io::stdin().lock();
    let mut output = BufWriter::new(std::io::stdout().lock());
    let (mut line, mut number, mut wrong) = (Vec::new(), 0u64, 0u64);
    loop {
        line.clear();
        if input.read_until(b'\n', &mut line).map_err(fail_reading)? == 0 {
            break;
        }
        number += 1;
        let ending = line.iter().rev().take_while(|byte| matches!(byte, b'\n' | b'\r')).count();
        let written = match Postcode::parse_bytes(&line[..line.len() - ending]) {
            Ok(code) => output.write_all(if args.outward { code.outward() } else { code.as_str() }.as_bytes()),
            Err(refused) => {
                wrong += 1;
                if wrong <= FAULTS_NAMED {
                    session.remark(&format!("line {number}: {refused}"));
                }
                Ok(())
            }
        };
        match written.and_then(|()| output.write_all(b"\n")) {
            Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => return Ok(outcome(wrong)),
            Err(error) => return Err(Error::io("write to", "stdout", error)),
            Ok(()) => {}
        }
    }
    match output.flush() {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            return Err(Error::io("write to", "stdout", error));
        }
        _ => {}
    }
    if wrong > 0 {
        session.remark(&format!("{wrong} of {number} lines are not postcodes and were written as empty lines"));
    }
    Ok(outcome(wrong))
}

fn outcome(wrong: u64) -> Outcome {
    if wrong > 0 { Outcome::Findings } else { Outcome::Clean }
}
