//! JJ files: a family of tables as cells and equations, in the text format that τ-ARGUS and sdcTable write and read.
//!
//! The first line is `0`, the second the number of cells. A cell is a line: number, value, cost, status, lower and upper
//! bound, lower, upper and sliding protection. Then the number of equations, each a line: right-hand side, number of
//! terms, `:`, and for each term the number of a cell and its coefficient in brackets. Statuses are `s` (open), `u`
//! (unsafe), `z` (frozen) and `m` (hidden besides).

use std::fmt::Write as _;
use std::path::Path;

use outward_spec::{Error, Fault, Result};

use crate::system::{Cell, Status, System};

/// The fields of a cell.
const FIELDS: usize = 9;

/// Reads a JJ file. Decimals become whole numbers in units of one over a power of ten, as many as the values have: bounds
/// are rounded inwards to them and protection levels up, so that no attacker is taken for weaker than he is. Costs with
/// more decimals than the values are all multiplied by the same power of ten: only their proportions matter.
///
/// # Errors
/// Where a line is not what it should be, a cell lies outside its bounds, or an equation does not hold.
pub fn read(text: &str, file: &Path) -> Result<System> {
    let mut lines = Lines { rest: text.as_bytes(), number: 0 };
    Reader { file, lines: &mut lines }.system()
}

/// Writes a JJ file in which the cells of `hidden` are hidden: unsafe ones `u`, others `m`. A cell nobody sees is
/// written as hidden too, so that the equations it carries keep their meaning.
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

/// An amount in units of `1 / scale`, as a decimal; a bound that is none keeps the largest number there is.
fn write_amount(text: &mut String, amount: i64, scale: i64) {
    if scale <= 1 || amount == i64::MAX || amount == i64::MIN {
        let _ = write!(text, "{amount}");
        return;
    }
    let (units, scale) = (amount.unsigned_abs(), scale.unsigned_abs());
    let sign = if amount < 0 { "-" } else { "" };
    let _ = write!(text, "{sign}{}", units / scale);
    if units % scale > 0 {
        let digits = scale.ilog10() as usize;
        let part = format!("{:0digits$}", units % scale);
        let _ = write!(text, ".{}", part.trim_end_matches('0'));
    }
}

/// A decimal as it is written: `digits` divided by ten to the power `places`.
#[derive(Clone, Copy, Default)]
struct Decimal {
    digits: i128,
    places: u32,
}

impl Decimal {
    /// Decimals beyond this many, or digits beyond what fits, are not numbers of a table.
    const PLACES: u32 = 9;

    fn parse(field: &[u8]) -> Option<Self> {
        let (negative, mut rest) = match field.split_first()? {
            (b'-', rest) => (true, rest),
            (b'+', rest) => (false, rest),
            _ => (false, field),
        };
        let mut exponent = 0_i32;
        if let Some(at) = rest.iter().position(|byte| matches!(byte, b'e' | b'E')) {
            exponent = std::str::from_utf8(&rest[at + 1..]).ok()?.parse().ok()?;
            rest = &rest[..at];
        }
        let (mut digits, mut places, mut point, mut any) = (0_i128, 0_i32, false, false);
        for byte in rest {
            match byte {
                b'0'..=b'9' if digits < 1_i128 << 100 => {
                    digits = digits * 10 + i128::from(byte - b'0');
                    places += i32::from(point);
                    any = true;
                }
                b'.' if !point => point = true,
                _ => return None,
            }
        }
        if !any || exponent.abs() > 30 {
            return None;
        }
        places -= exponent;
        while places < 0 && digits < 1_i128 << 100 {
            (digits, places) = (digits * 10, places + 1);
        }
        while places > 0 && digits % 10 == 0 {
            (digits, places) = (digits / 10, places - 1);
        }
        let places = u32::try_from(places).ok().filter(|places| *places <= Self::PLACES)?;
        Some(Self { digits: if negative { -digits } else { digits }, places })
    }

    /// In units of ten to the power minus `places`, rounded up.
    fn above(self, places: u32) -> Option<i64> {
        let by = |power: u32| 10_i128.pow(power);
        let units = if places >= self.places {
            self.digits.checked_mul(by(places - self.places))?
        } else {
            -(-self.digits).div_euclid(by(self.places - places))
        };
        i64::try_from(units).ok()
    }

    /// As [`Decimal::above`], rounded down.
    fn below(self, places: u32) -> Option<i64> {
        Self { digits: -self.digits, ..self }.above(places)?.checked_neg()
    }

    /// A bound too large for a number is none.
    fn none(self) -> i64 {
        if self.digits < 0 { i64::MIN } else { i64::MAX }
    }
}

/// The lines of a file that hold something, with their numbers.
struct Lines<'a> {
    rest: &'a [u8],
    number: u64,
}

impl<'a> Iterator for Lines<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        while !self.rest.is_empty() {
            let end = self.rest.iter().position(|byte| *byte == b'\n').unwrap_or(self.rest.len());
            let line = self.rest[..end].trim_ascii();
            self.rest = self.rest.get(end + 1..).unwrap_or_default();
            self.number += 1;
            if !line.is_empty() {
                return Some(line);
            }
        }
        None
    }
}

/// A cell as it is written.
struct Line {
    number: u32,
    status: Status,
    /// Value, cost, lower, upper, lower, upper and sliding protection.
    amounts: [Decimal; FIELDS - 2],
    at: u64,
}

struct Reader<'a, 'b> {
    file: &'a Path,
    lines: &'a mut Lines<'b>,
}

impl<'b> Reader<'_, 'b> {
    fn fault(&self, what: impl Into<String>) -> Fault {
        self.fault_at(what, self.lines.number)
    }

    fn fault_at(&self, what: impl Into<String>, line: u64) -> Fault {
        Error::input(what).file(self.file).line(line)
    }

    fn line(&mut self, what: &str) -> Result<&'b [u8]> {
        match self.lines.next() {
            Some(line) => Ok(line),
            None => Err(self
                .fault(format!("the file ends where {what} should be"))
                .help("check that the file was copied whole")
                .into()),
        }
    }

    fn number(&mut self, what: &str) -> Result<usize> {
        let line = self.line(what)?;
        std::str::from_utf8(line).ok().and_then(|line| line.parse().ok()).ok_or_else(|| {
            self.fault(format!("this line should be {what}"))
                .help("a JJ file has 0, the number of cells, the cells, the number of equations, the equations")
                .into()
        })
    }

    fn system(mut self) -> Result<System> {
        if self.number("a 0")? != 0 {
            return Err(self.fault("the first line of a JJ file is 0").help("check that this is a JJ file").into());
        }
        let count = self.number("the number of cells")?;
        let mut lines = Vec::with_capacity(count.min(self.lines.rest.len() / 17 + 1));
        for _ in 0..count {
            lines.push(self.cell(count)?);
        }
        let most = |field: usize| lines.iter().map(|line| line.amounts[field].places).max().unwrap_or(0);
        let places = most(0);
        let cells = self.cells(&lines, places, places.max(most(1)))?;
        let mut system = System::new(cells, 10_i64.pow(places), places == 0);
        for _ in 0..self.number("the number of equations")? {
            self.equation(&mut system, places)?;
        }
        if self.lines.next().is_some() {
            let fault = self.fault("there is more in the file than the equations it announces");
            return Err(fault.help("correct the number of equations").into());
        }
        Ok(system)
    }

    fn cell(&mut self, count: usize) -> Result<Line> {
        let line = self.line("a cell")?;
        let mut fields = [&line[..0]; FIELDS];
        let mut found = 0;
        for field in line.split(u8::is_ascii_whitespace).filter(|field| !field.is_empty()) {
            if found < FIELDS {
                fields[found] = field;
            }
            found += 1;
        }
        if found != FIELDS {
            return Err(self
                .fault(format!("a cell has {FIELDS} fields and this line has {found}"))
                .help("give number, value, cost, status, lower and upper bound, lower, upper and sliding protection")
                .into());
        }
        let number = std::str::from_utf8(fields[0]).ok().and_then(|field| field.parse::<u32>().ok());
        let Some(number) = number.filter(|number| (*number as usize) < count) else {
            return Err(self.fault("a cell's number is out of range").help("number the cells from 0").into());
        };
        let status = match fields[3] {
            b"s" => Status::Open,
            b"u" => Status::Unsafe,
            b"z" => Status::Frozen,
            b"m" => Status::Hidden,
            _ => {
                return Err(self
                    .fault(format!("cell {number} has a status that is not s, u, z or m"))
                    .help("write s for open, u for unsafe, z for frozen, m for hidden")
                    .into());
            }
        };
        let mut amounts = [Decimal::default(); FIELDS - 2];
        for (amount, field) in amounts.iter_mut().zip([1, 2, 4, 5, 6, 7, 8]) {
            *amount = Decimal::parse(fields[field]).ok_or_else(|| {
                self.fault(format!("field {} of cell {number} is not a number", field + 1))
                    .help(format!("write a decimal with at most {} places", Decimal::PLACES))
            })?;
        }
        Ok(Line { number, status, amounts, at: self.lines.number })
    }

    fn cells(&self, lines: &[Line], places: u32, cost_places: u32) -> Result<Vec<Cell>> {
        let mut cells = vec![Cell::count(0); lines.len()];
        let mut seen = vec![false; lines.len()];
        for line in lines {
            let (number, amounts) = (line.number, &line.amounts);
            let large = || {
                self.fault_at(format!("a number of cell {number} is too large"), line.at)
                    .help("use larger units, or fewer decimals")
            };
            let cell = Cell {
                value: amounts[0].above(places).ok_or_else(large)?,
                cost: amounts[1].above(cost_places).ok_or_else(large)?,
                status: line.status,
                lower: amounts[2].above(places).unwrap_or_else(|| amounts[2].none()),
                upper: amounts[3].below(places).unwrap_or_else(|| amounts[3].none()),
                lower_protection: amounts[4].above(places).ok_or_else(large)?,
                upper_protection: amounts[5].above(places).ok_or_else(large)?,
                sliding_protection: amounts[6].above(places).ok_or_else(large)?,
            };
            self.check(&cell, line)?;
            if std::mem::replace(&mut seen[number as usize], true) {
                let fault = self.fault_at(format!("cell {number} is there twice"), line.at);
                return Err(fault.help("give each cell one line").into());
            }
            cells[number as usize] = cell;
        }
        Ok(cells)
    }

    fn check(&self, cell: &Cell, line: &Line) -> Result<()> {
        let number = line.number;
        let fault = |what: String| self.fault_at(what, line.at);
        if cell.value < 0 && cell.lower >= 0 {
            let fault = fault(format!("cell {number} is negative and its lower bound is not"));
            return Err(fault.help("correct the count, or lower the bound if values may be negative").into());
        }
        if cell.value < cell.lower || cell.value > cell.upper {
            let fault = fault(format!("the value of cell {number} lies outside its bounds"));
            return Err(fault.help("correct the value, or widen the bounds").into());
        }
        let least = cell.lower_protection.min(cell.upper_protection).min(cell.sliding_protection).min(cell.cost);
        if least < 0 {
            let fault = fault(format!("a cost or protection level of cell {number} is negative"));
            return Err(fault.help("give 0 or more").into());
        }
        Ok(())
    }

    fn equation(&mut self, system: &mut System, places: u32) -> Result<()> {
        let line = self.line("an equation")?;
        let help = "write the right-hand side, the number of terms, a colon, and each term as: cell (coefficient)";
        let bad = |what: &str| self.fault(what).help(help);
        let mut tokens = line
            .split(|byte| byte.is_ascii_whitespace() || matches!(byte, b'(' | b')' | b':'))
            .filter(|token| !token.is_empty());
        let right = tokens.next().and_then(Decimal::parse).filter(|right| right.places <= places);
        let right = right.and_then(|right| right.above(places));
        let right = right.ok_or_else(|| bad("the right-hand side of this equation cannot be read"))?;
        let integer = |token: &[u8]| std::str::from_utf8(token).ok().and_then(|token| token.parse::<i32>().ok());
        let count = tokens.next().and_then(integer).ok_or_else(|| bad("the number of terms cannot be read"))?;
        let mut terms = Vec::with_capacity(line.len() / 4);
        while let Some(cell) = tokens.next() {
            let cell = integer(cell).and_then(|cell| u32::try_from(cell).ok());
            let by = tokens.next().and_then(integer).filter(|by| *by != 0);
            let (Some(cell), Some(by)) = (cell, by) else {
                return Err(bad("a term of this equation cannot be read").into());
            };
            terms.push((cell, by));
        }
        if usize::try_from(count) != Ok(terms.len()) {
            return Err(bad("this equation has not as many terms as it announces").into());
        }
        let at = self.lines.number;
        system.add(right, terms).map_err(|error| error.with_fault(|fault| fault.file(self.file).line(at)))
    }
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
