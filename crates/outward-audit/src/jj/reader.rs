//! Reads a JJ file line by line.

use std::path::Path;

use outward_spec::{Error, Fault, Result};

use super::decimal::Decimal;
use crate::system::{Cell, Status, System};

/// How many fields the line of a cell has.
const FIELDS: usize = 9;

/// The lines of a file that are not blank, with their numbers.
pub(super) struct Lines<'a> {
    pub(super) rest: &'a [u8],
    pub(super) number: u64,
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

/// The line of a cell as it is written.
struct CellLine {
    number: u32,
    status: Status,
    /// Value, cost, lower, upper, lower, upper and sliding protection.
    amounts: [Decimal; FIELDS - 2],
    at: u64,
}

/// Reads the lines of a file.
pub(super) struct Reader<'a, 'b> {
    pub(super) file: &'a Path,
    pub(super) lines: &'a mut Lines<'b>,
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

    pub(super) fn system(mut self) -> Result<System> {
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

    fn cell(&mut self, count: usize) -> Result<CellLine> {
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
        Ok(CellLine { number, status, amounts, at: self.lines.number })
    }

    fn cells(&self, lines: &[CellLine], places: u32, cost_places: u32) -> Result<Vec<Cell>> {
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

    fn check(&self, cell: &Cell, line: &CellLine) -> Result<()> {
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
