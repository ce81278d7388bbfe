//! P-tables as CSV, with the columns of the R package `ptable`: `i`, `j`, `p`, `v`, `p_int_lb`, `p_int_ub`.

use super::{PTable, Row};
use outward_spec::{Error, Result, suggest};
use std::fmt::Write as _;
use std::str::FromStr;

/// How far from 1 the chances of a row that was given may sum.
const SUM_TOLERANCE: f64 = 1e-6;

impl PTable {
    /// The table as CSV, in rising order of count and noise. It has a row for count 0, which stays 0.
    pub fn to_csv(&self) -> String {
        let mut text = "i,j,p,v,p_int_lb,p_int_ub\n0,0,1,0,0,1\n".to_owned();
        for row in &self.rows {
            let mut low = 0.0;
            for ((by, chance), high) in row.chances.iter().zip(&row.sums) {
                let to = i64::from(row.count) + i64::from(*by);
                // Writing to a string cannot fail.
                let _ = writeln!(text, "{},{to},{chance},{by},{low},{high}", row.count);
                low = *high;
            }
        }
        text
    }

    /// Reads a table from CSV with a header: `i`, `p`, and `j` or `v`; other columns are ignored. Fields are separated by
    /// commas or semicolons and may be quoted.
    ///
    /// # Errors
    /// If a column is missing, a field is not a number, or chances are negative or do not sum to 1. Also if a zero
    /// would change, a count would become negative, or counts are missing between 1 and the last.
    pub fn from_csv(text: &str) -> Result<Self> {
        let mut lines = text.lines().zip(1u64..).filter(|(line, _)| !line.trim().is_empty());
        let Some((header, _)) = lines.next() else {
            return Err(Error::input("the p-table is empty").into());
        };
        let separator = if header.contains(';') { ';' } else { ',' };
        let names: Vec<&str> = header.trim_start_matches('\u{feff}').split(separator).map(bare).collect();
        let find = |name: &str| names.iter().position(|known| *known == name);
        let column = |name: &str| -> Result<usize> {
            let missing = || Error::input(format!("the p-table has no column `{name}`"));
            find(name).ok_or_else(|| missing().help(suggest(name, names.iter().copied(), "columns")).into())
        };
        let (count, chance) = (column("i")?, column("p")?);
        let (noise, to) = (find("v"), find("j"));
        if noise.is_none() && to.is_none() {
            return Err(Error::input("the p-table has neither a column `v` nor a column `j`").into());
        }
        let mut entries: Vec<(u32, i32, f64)> = Vec::new();
        for (line, number) in lines {
            let fields: Vec<&str> = line.split(separator).map(bare).collect();
            let count: u32 = field(&fields, &names, count, number)?;
            let by = match (noise, to) {
                (Some(at), _) => field(&fields, &names, at, number)?,
                (None, Some(at)) => field::<i32>(&fields, &names, at, number)? - count as i32,
                (None, None) => 0,
            };
            let chance: f64 = field(&fields, &names, chance, number)?;
            if !(0.0..=1.0 + SUM_TOLERANCE).contains(&chance) || i64::from(count) + i64::from(by) < 0 {
                return Err(Error::input("a chance is not between 0 and 1, or a count would become negative")
                    .line(number)
                    .into());
            }
            entries.push((count, by, chance));
        }
        rows(entries)
    }
}

fn bare(field: &str) -> &str {
    field.trim().trim_matches('"')
}

fn field<T: FromStr>(fields: &[&str], names: &[&str], at: usize, line: u64) -> Result<T> {
    fields.get(at).and_then(|field| field.parse().ok()).ok_or_else(|| {
        Error::input("a field of the p-table is missing or no number").line(line).variable(names[at]).into()
    })
}

/// Entries as rows, each summing to 1, for all counts from 1 to the last.
fn rows(mut entries: Vec<(u32, i32, f64)>) -> Result<PTable> {
    entries.sort_by_key(|(count, by, _)| (*count, *by));
    let mut rows: Vec<Row> = Vec::new();
    for entries in entries.chunk_by(|one, next| one.0 == next.0) {
        let count = entries[0].0;
        let sum: f64 = entries.iter().map(|(_, _, chance)| chance).sum();
        if (sum - 1.0).abs() > SUM_TOLERANCE {
            return Err(Error::input(format!("the chances of count {count} in the p-table do not sum to 1")).into());
        }
        if entries.windows(2).any(|pair| pair[0].1 == pair[1].1) {
            return Err(Error::input(format!("count {count} of the p-table names a noise twice")).into());
        }
        if count == 0 {
            if entries.iter().any(|(_, by, chance)| *by != 0 && *chance > 0.0) {
                return Err(Error::input("the p-table changes zeros")
                    .help("zeros stay zero: leave out the rows of count 0")
                    .into());
            }
            continue;
        }
        if count as usize != rows.len() + 1 {
            return Err(Error::input(format!("the p-table has no rows for count {}", rows.len() + 1)).into());
        }
        rows.push(Row::new(count, entries.iter().map(|(_, by, chance)| (*by, *chance)).collect()));
    }
    if rows.is_empty() {
        return Err(Error::input("the p-table has no rows").into());
    }
    Ok(PTable { rows })
}
