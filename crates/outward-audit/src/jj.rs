//! JJ files: a family of tables as cells and equations, in the text format that τ-ARGUS and sdcTable write and read.
//!
//! The first line is `0`, the second the number of cells. Each cell is a line: number, value, cost, status, lower and
//! upper bound, lower, upper and sliding protection. Statuses are `s` (open), `u` (unsafe), `z` (frozen) and `m`
//! (secondary suppression). The number of equations follows. Each equation is a line: right-hand side, number of terms,
//! `:`, and for each term the number of a cell and its coefficient in brackets.

mod decimal;
mod reader;

use std::fmt::Write as _;
use std::path::Path;

use outward_spec::Result;

use crate::system::{Status, System};
use decimal::write_amount;
use reader::{Lines, Reader};

/// Reads a JJ file. Decimals become whole numbers: the unit is the smallest power of ten that the values need. Bounds
/// are rounded inwards to this unit and protection levels up, so that no attacker is underestimated. If costs have more
/// decimals than the values, all costs are multiplied by the same power of ten: only their proportions matter.
///
/// # Errors
/// Where a line is not what it should be, a cell lies outside its bounds, or an equation does not hold.
pub fn read(text: &str, file: &Path) -> Result<System> {
    let mut lines = Lines { rest: text.as_bytes(), number: 0 };
    Reader { file, lines: &mut lines }.system()
}

/// Writes a JJ file in which the cells of `hidden` are hidden: unsafe ones as `u`, others as `m`. An unpublished cell
/// is written as hidden too, so that its equations keep their meaning.
pub fn write(system: &System, hidden: &[bool]) -> String {
    let mut text = format!("0\n{}\n", system.cells.len());
    for (number, (cell, hidden)) in system.cells.iter().zip(hidden).enumerate() {
        let status = match (cell.status, hidden) {
            (Status::Unsafe, _) => 'u',
            (Status::Hidden | Status::Unpublished, _) | (_, true) => 'm',
            (Status::Frozen, false) => 'z',
            (Status::Open, false) => 's',
        };
        let _ = write!(text, "{number}");
        for (place, amount) in [
            cell.value,
            cell.cost,
            cell.lower,
            cell.upper,
            cell.lower_protection,
            cell.upper_protection,
            cell.sliding_protection,
        ]
        .into_iter()
        .enumerate()
        {
            if place == 2 {
                let _ = write!(text, " {status}");
            }
            text.push(' ');
            write_amount(&mut text, amount, system.scale);
        }
        text.push('\n');
    }
    let _ = writeln!(text, "{}", system.equations());
    for equation in 0..system.equations() {
        write_amount(&mut text, system.right(equation), system.scale);
        let terms = system.terms(equation);
        let _ = write!(text, " {} :", terms.len());
        for (cell, by) in terms {
            let _ = write!(text, " {cell} ({by})");
        }
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use super::*;

    const ROW: &str = "0\n3\n0 5 5 s 0 50 0 0 0\n1 2 2 u 0 50 1 1 0\n2 3 3 z 0 50 0 0 0\n1\n0 3 : 0 (-1) 1 (1) 2 (1)\n";

    fn fault(text: &str) -> String {
        read(text, Path::new("t.jj")).unwrap_err().to_string()
    }

    #[test]
    fn what_is_written_reads_back_the_same() {
        let system = read(ROW, Path::new("t.jj")).unwrap();
        assert!(system.counts && system.scale == 1 && system.cells[1].status == Status::Unsafe);
        assert_eq!(write(&system, &[false, true, false]), ROW);
        let hidden = read(&write(&system, &[true, true, false]), Path::new("t.jj")).unwrap();
        assert_eq!(hidden.cells[0].status, Status::Hidden);
    }

    #[test]
    fn decimals_become_exact_units() {
        let text =
            "0\n3\n0 0.3 1 s 0 9 0 0 0\n1 0.1 1 u 0 9 .05 0.05 0\n2 2e-1 1 s 0 9 0 0 0\n1\n0 3 : 0 (-1) 1 (1) 2 (1)\n";
        let system = read(text, Path::new("t.jj")).unwrap();
        assert_eq!((system.scale, system.counts, system.cells[2].value), (10, false, 2));
        assert_eq!((system.cells[1].lower_protection, system.cells[0].cost), (1, 10));
        assert!(write(&system, &[false, true, false]).contains("1 0.1 1 u 0 9 0.1 0.1 0\n"));
    }

    #[test]
    fn faults_name_line_and_cell_and_never_a_value() {
        assert!(fault(&ROW.replace("1 2 2 u 0 50 1 1 0", "1 2 2 u 0 50 1 1")).contains("8"));
        assert!(fault(&ROW.replace(" u ", " x ")).contains("cell 1"));
        assert!(fault(&ROW.replace("2 3 3 z", "2 -3 3 z")).contains("negative"));
        assert!(fault(&ROW.replace("2 3 3 z 0 50", "2 3 3 z 0 2")).contains("outside"));
        assert!(fault(&ROW.replace("0 5 5 s", "0 6 6 s")).contains("does not hold"));
        assert!(fault(&ROW.replace("0 3 :", "0 2 :")).contains("announces"));
        assert!(fault(&ROW.replace("\n2 3 3", "\n1 3 3")).contains("twice"));
        assert!(fault("0\n3\n0 5 5 s 0 50 0 0 0\n").contains("ends"));
        let error = read(&ROW.replace("0 5 5 s", "0 6 6 s"), Path::new("t.jj")).unwrap_err();
        assert_eq!(error.fault().unwrap().place.line, Some(7));
    }
}
