//! A pooling as data: a small CSV file that says for each code what is published instead, and why.
//!
//! ```text
//! version,code,published,reason,rule,threshold,population_table
//! 1,SM1,SM1,kept,uk-residual,20000,sha256:9f86d081…
//! ```
//!
//! The file has one line for each code, in the byte order of the codes. The other columns are the same on every line,
//! so that any line alone says where it comes from. No field holds a comma or a quote, so none is quoted. There is no
//! date in it: the same table, rule and threshold make the same file.

mod sound;

use std::collections::BTreeMap;
use std::path::Path;

use outward_spec::{Error, Fault, Result};
use schemars::JsonSchema;
use serde::Serialize;

use crate::pool::{Pooling, Reason, Rule};
use crate::population::{NO_LOCATION, is_plain};

/// The version of the file's shape.
const VERSION: &str = "1";
/// Longer files are not mappings: there are some 3,000 outward codes and 1,000 prefixes of ZIP codes.
const MAX_BYTES: u64 = 16 << 20;
const HEADER: &str = "version,code,published,reason,rule,threshold,population_table";

/// What is published instead of each code.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Mapping {
    /// The rule that made it.
    pub rule: Rule,
    /// The people a published code stands for at least.
    pub threshold: u64,
    /// SHA-256 of the population table, in hexadecimal.
    pub population_table: String,
    /// The codes, in order.
    entries: Vec<MappingEntry>,
}

/// One code of a mapping.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct MappingEntry {
    /// The code.
    pub code: String,
    /// What is published instead; `*` where there is no location.
    pub published: String,
    /// Why.
    pub reason: Reason,
}

impl From<&Pooling> for Mapping {
    fn from(pooling: &Pooling) -> Self {
        let entry = |code: &crate::pool::Assignment| MappingEntry {
            code: code.code.clone(),
            published: code.published.clone(),
            reason: code.reason,
        };
        Self {
            rule: pooling.rule,
            threshold: pooling.threshold,
            population_table: pooling.population_table.clone(),
            entries: pooling.assignments.iter().map(entry).collect(),
        }
    }
}

impl Mapping {
    /// The codes, in order.
    pub fn entries(&self) -> &[MappingEntry] {
        &self.entries
    }

    /// The file.
    pub fn to_csv(&self) -> String {
        let mut csv = format!("{HEADER}\n");
        let from = format!("{},{},sha256:{}", self.rule, self.threshold, self.population_table);
        for MappingEntry { code, published, reason } in &self.entries {
            csv += &format!("{VERSION},{code},{published},{},{from}\n", reason.name());
        }
        csv
    }

    /// Reads a mapping file.
    pub fn load(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        let not_one = |what: &str| -> Error {
            Error::input(format!("this is not a mapping of places: {what}"))
                .file(path)
                .help("make one with `outward places pool --out`")
                .into()
        };
        let about = std::fs::metadata(path).map_err(|error| Error::io("read", path, error))?;
        if !about.is_file() {
            return Err(not_one("it is not an ordinary file"));
        }
        if about.len() > MAX_BYTES {
            return Err(not_one("it is far too large"));
        }
        let text = std::fs::read_to_string(path).map_err(|error| match error.kind() {
            std::io::ErrorKind::InvalidData => not_one("it is not text"),
            _ => Error::io("read", path, error),
        })?;
        Self::parse(&text, path)
    }

    /// Reads a file that [`Mapping::to_csv`] wrote; `path` is for errors. The order of the lines does not matter.
    pub fn parse(text: &str, path: impl AsRef<Path>) -> Result<Self> {
        let mut lines = text.trim_start_matches('\u{feff}').lines().zip(1..);
        let fault = |what: String, line: u64| Error::input(what).file(path.as_ref()).line(line);
        if lines.next().map(|(header, _)| header) != Some(HEADER) {
            return Err(fault("this is not a mapping of places".into(), 1)
                .help(format!("the header is `{HEADER}`"))
                .into());
        }
        let mut from: Option<([&str; 3], u64)> = None;
        let mut codes: BTreeMap<&str, (MappingEntry, u64)> = BTreeMap::new();
        for (text, line) in lines {
            let (entry, code, origin) = parse_line(text).map_err(|wrong| wrong.at(&path, line))?;
            let (known, _) = *from.get_or_insert((origin, line));
            if let Some(column) = (0..3).find(|at| known[*at] != origin[*at]) {
                let names = ["rule", "threshold", "population_table"];
                let wrong = fault("the line differs from the first".into(), line).variable(names[column]);
                return Err(wrong.help("a mapping is made by one rule from one table; do not join two").into());
            }
            if let Some((_, before)) = codes.insert(code, (entry, line)) {
                let wrong = fault(format!("the code was already mapped in line {before}"), line).variable("code");
                return Err(wrong.help("a code is published in one way; remove a line").into());
            }
        }
        let Some(([rule, threshold, table], line)) = from else {
            return Err(fault("the mapping has no codes".into(), 1).help("make the mapping again").into());
        };
        let (rule, threshold, population_table) =
            parse_origin(rule, threshold, table).map_err(|wrong| wrong.at(&path, line))?;
        let lines: Vec<u64> = codes.values().map(|(_, line)| *line).collect();
        let entries: Vec<MappingEntry> = codes.into_values().map(|(entry, _)| entry).collect();
        sound::check(rule, &entries).map_err(|(at, wrong)| wrong.at(&path, lines[at]))?;
        Ok(Self { rule, threshold, population_table, entries })
    }
}

/// What is wrong with a line, in which column, and what to do.
struct LineFault(&'static str, &'static str, String);

impl LineFault {
    fn at(self, path: impl AsRef<Path>, line: u64) -> Error {
        let fault: Fault = Error::input(self.0).file(path).line(line);
        let fault = if self.1.is_empty() { fault } else { fault.variable(self.1) };
        fault.help(self.2).into()
    }
}

/// The entry of a line, its code, and the columns that are the same on every line.
fn parse_line(line: &str) -> Result<(MappingEntry, &str, [&str; 3]), LineFault> {
    let fields: Vec<_> = line.split(',').collect();
    let [version, code, published, reason, rule, threshold, table] = fields[..] else {
        return Err(LineFault("the line does not have seven fields", "", format!("the fields are {HEADER}")));
    };
    if version != VERSION {
        let help = format!("this version of Outward reads version {VERSION}");
        return Err(LineFault("the version of the mapping is not known", "version", help));
    }
    if !is_plain(code) {
        return Err(LineFault("the code is missing or not a plain word", "code", "make the mapping again".into()));
    }
    if !is_plain(published) {
        let help = format!("where there is no location to publish, write `{NO_LOCATION}`");
        return Err(LineFault("the published code is missing or not a plain word", "published", help));
    }
    let words = || Reason::ALL.iter().map(|reason| reason.name());
    let Some(reason) = Reason::ALL.into_iter().find(|known| known.name() == reason) else {
        let help = outward_spec::suggest(reason, words(), "reasons");
        return Err(LineFault("the reason is not known", "reason", help));
    };
    let entry = MappingEntry { code: code.to_owned(), published: published.to_owned(), reason };
    Ok((entry, code, [rule, threshold, table]))
}

fn parse_origin(rule: &str, threshold: &str, table: &str) -> Result<(Rule, u64, String), LineFault> {
    let help = |error: Error| error.help().unwrap_or_default();
    let rule = rule.parse().map_err(|error| LineFault("the rule is not known", "rule", help(error)))?;
    let threshold = threshold.parse().ok().filter(|threshold| *threshold > 0).ok_or_else(|| {
        LineFault("the threshold is not a whole number above 0", "threshold", "make the mapping again".into())
    })?;
    let hex = |hash: &&str| hash.len() == 64 && hash.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
    let Some(table) = table.strip_prefix("sha256:").filter(hex) else {
        let help = "it is `sha256:` and 64 hexadecimal digits".to_owned();
        return Err(LineFault("the population table is not named by its hash", "population_table", help));
    };
    Ok((rule, threshold, table.to_owned()))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::pool::pool;
    use crate::population::{Place, Population};

    fn mapping() -> Mapping {
        let place = |code: &str, area: &str, population| Place {
            code: code.into(),
            area: area.into(),
            population,
            nation: None,
            at: None,
            row: 0,
        };
        let places = vec![place("SM1", "SM", 30), place("SM2", "SM", 9), place("TD1", "TD", 5)];
        Mapping::from(&pool(&Population::new(places).unwrap(), 20, Rule::UkResidual).unwrap())
    }

    #[test]
    fn a_mapping_reads_back_as_it_was_written() {
        let mapping = mapping();
        let csv = mapping.to_csv();
        let from = format!("uk-residual,20,sha256:{}", mapping.population_table);
        let lines = ["1,SM1,SM1,kept", "1,SM2,SM1,residual", "1,TD1,*,withheld"].map(|line| format!("{line},{from}\n"));
        assert_eq!(csv, format!("{HEADER}\n{}", lines.concat()));
        assert_eq!(Mapping::parse(&csv, "m.csv").unwrap(), mapping);
        assert_eq!(Mapping::parse(&csv.replace('\n', "\r\n"), "m.csv").unwrap(), mapping);
        assert!(mapping.entries().iter().any(|entry| entry.code == "SM2" && entry.published == "SM1"));
    }

    #[test]
    fn the_order_of_the_lines_does_not_matter() {
        let csv = mapping().to_csv();
        let (header, lines) = csv.split_once('\n').unwrap();
        let turned: Vec<_> = lines.lines().rev().collect();
        assert_eq!(Mapping::parse(&format!("{header}\n{}", turned.join("\n")), "m.csv").unwrap(), mapping());
    }

    #[test]
    fn a_file_that_was_meddled_with_is_refused_with_its_line() {
        let csv = mapping().to_csv();
        let edits = [
            ("version,code", "code,version", "m.csv:1: this is not a mapping of places"),
            ("1,SM2", "2,SM2", "m.csv:3, column `version`: the version of the mapping is not known"),
            ("1,SM2,", "1,SM1,", "m.csv:3, column `code`: the code was already mapped in line 2"),
            ("1,SM2,", "1,,", "m.csv:3, column `code`: the code is missing or not a plain word"),
            ("TD1,*", "TD1,", "m.csv:4, column `published`: the published code is missing or not a plain word"),
            ("TD1,*", "TD1,TD1", "m.csv:4, column `published`: the rule does not publish this code so"),
            ("SM1,SM1", "SM1,SM2", "m.csv:2, column `published`: the rule does not publish this code so"),
            ("residual,uk", "residue,uk", "m.csv:3, column `reason`: the reason is not known"),
            ("residual,uk-residual", "residual,uk", "m.csv:3, column `rule`: the line differs from the first"),
            ("withheld,", "withheld,,", "m.csv:4: the line does not have seven fields"),
        ];
        for (old, new, error) in edits {
            let edited = csv.replacen(old, new, 1);
            assert_eq!(Mapping::parse(&edited, "m.csv").unwrap_err().to_string(), error);
        }
        for (old, new, column) in [
            ("uk-residual", "uk-remains", "rule"),
            (",20,", ",0,", "threshold"),
            ("sha256:", "md5:", "population_table"),
        ] {
            let error = Mapping::parse(&csv.replace(old, new), "m.csv").unwrap_err().to_string();
            assert!(error.starts_with(&format!("m.csv:2, column `{column}`")), "{error}");
        }
        assert!(Mapping::parse(HEADER, "m.csv").is_err());
        assert!(Mapping::parse("", "m.csv").is_err());
    }
}
