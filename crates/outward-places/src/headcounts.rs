//! Headcounts: rows of a code and its people, at any depth, added up to the codes that may be published. Nothing is
//! guessed. A row that cannot be used is an error that names the row.

use std::collections::BTreeMap;

use outward_spec::{Error, Result};
use schemars::JsonSchema;
use serde::Serialize;

use crate::population::{Place, Point, Population};
use crate::postcode::{Depth, Postcode};
use crate::zip::{Zip, Zip3};

/// How many rows an error names.
const ROWS_NAMED: usize = 5;

/// What codes are codes of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum System {
    /// British postcodes; published as outward codes.
    Postcodes,
    /// ZIP codes of the United States; published as their first three digits.
    Zips,
}

impl System {
    /// The system of some codes. Postcodes begin with a letter and ZIP codes with a digit, so the first says it for all.
    pub fn from_codes<'a>(mut codes: impl Iterator<Item = &'a str>) -> Self {
        match codes.next().is_some_and(|code| code.trim_start().starts_with(|c: char| c.is_ascii_digit())) {
            true => Self::Zips,
            false => Self::Postcodes,
        }
    }

    /// What one of its codes is called.
    pub fn code_word(self) -> &'static str {
        match self {
            Self::Postcodes => "postcode",
            Self::Zips => "ZIP code",
        }
    }
}

/// One row of a table of headcounts, as it was read.
#[derive(Debug, Clone, Copy)]
pub struct Headcount<'a> {
    /// The number of the row, for errors.
    pub row: u64,
    /// The code.
    pub code: Option<&'a str>,
    /// The people; one where the table has a row for each person.
    pub people: RowPeople<'a>,
    /// The nation, where the table says it.
    pub nation: Option<&'a str>,
    /// Where it is, where the table says it.
    pub at: Option<Point>,
}

/// How many people a row stands for.
#[derive(Debug, Clone, Copy)]
pub enum RowPeople<'a> {
    /// As many as the row says, if it says.
    Counted(Option<&'a str>),
    /// One: the table has a row for each person.
    One,
}

/// A population table and what was read.
#[derive(Debug, Clone)]
pub struct CountedPopulation {
    /// What its codes are.
    pub system: System,
    /// The people of each code that may be published.
    pub population: Population,
    /// How many rows were read.
    pub rows: u64,
    /// Mean people per whole postcode or ZIP code, where the table has those.
    pub mean_per_unit: Option<f64>,
}

/// What the columns are called, for advice.
#[derive(Debug, Clone, Copy)]
pub struct ColumnNames<'a> {
    /// The codes.
    pub code: &'a str,
    /// The people.
    pub people: &'a str,
}

/// Adds headcounts up to the codes that may be published.
pub fn add_up<'a>(
    rows: impl Iterator<Item = Headcount<'a>> + Clone,
    names: ColumnNames<'_>,
) -> Result<CountedPopulation> {
    let system = System::from_codes(rows.clone().filter_map(|row| row.code));
    // A code of three digits among longer ones has lost its zeros; only a column of nothing else is one of prefixes.
    let is_prefix = |code: &str| code.trim().len() == 3;
    let prefixes = system == System::Zips && rows.clone().filter_map(|row| row.code).all(is_prefix);
    let mut faults = Faults::default();
    let mut seen: BTreeMap<String, u64> = BTreeMap::new();
    let mut depth: Option<(Depth, u64)> = None;
    let (mut places, mut units) = (Vec::new(), 0u64);
    // Faults between rows are reported only if each row by itself is correct.
    let mut later: Option<Error> = None;
    for (number, row) in (1..).zip(rows) {
        let Some(text) = row.code else {
            faults.no_code.push(row.row);
            continue;
        };
        let Some(code) = Code::read(system, prefixes, text) else {
            faults.bad_code.push(row.row);
            continue;
        };
        let population = match row.people {
            RowPeople::One => 1,
            RowPeople::Counted(None) => {
                faults.no_people.push(row.row);
                continue;
            }
            RowPeople::Counted(Some(text)) => match whole_number(text) {
                Some(people) => people,
                None => {
                    faults.bad_people.push(row.row);
                    continue;
                }
            },
        };
        if matches!(row.people, RowPeople::Counted(_)) {
            let (first_depth, first_row) = *depth.get_or_insert((code.depth, row.row));
            if first_depth != code.depth {
                let what = format!("row {} has a longer or shorter code than row {first_row}", row.row);
                let help = "count each person once: give a table of whole codes or one of their first parts, not both";
                later.get_or_insert_with(|| Error::input(what).help(help).into());
                continue;
            }
            if let Some(first) = seen.insert(code.whole, row.row) {
                let what = format!("rows {first} and {} have the same code", row.row);
                later.get_or_insert_with(|| {
                    Error::input(what).help("give each code once, or add its people up first").into()
                });
                continue;
            }
        }
        units = number;
        places.push(Place {
            code: code.published,
            area: code.area,
            population,
            nation: row.nation.map(str::to_owned),
            at: row.at,
            row: row.row,
        });
    }
    faults.none(system, names)?;
    if let Some(error) = later {
        return Err(error);
    }
    let rows = units;
    let population = Population::add_up(places)?;
    let whole = depth.is_some_and(|(depth, _)| depth == Depth::Unit);
    Ok(CountedPopulation {
        system,
        mean_per_unit: (whole && rows > 0).then(|| population.people() as f64 / rows as f64),
        population,
        rows,
    })
}

/// A code, cut to what may be published.
struct Code {
    published: String,
    area: String,
    whole: String,
    depth: Depth,
}

impl Code {
    fn read(system: System, prefixes: bool, text: &str) -> Option<Self> {
        match system {
            System::Postcodes => Postcode::parse(text).ok().map(|code| Self {
                published: code.outward().to_owned(),
                area: code.area().to_owned(),
                whole: code.as_str().to_owned(),
                depth: code.depth(),
            }),
            System::Zips => {
                let (prefix, whole, depth) = match prefixes {
                    true => Zip3::parse(text).ok().map(|zip| (zip, zip.as_str().to_owned(), Depth::Outward))?,
                    false => Zip::parse(text).ok().map(|zip| (zip.zip3(), zip.as_str().to_owned(), Depth::Unit))?,
                };
                let published = prefix.as_str().to_owned();
                Some(Self { area: "US".to_owned(), published, whole, depth })
            }
        }
    }
}

/// Whole numbers, also when a spreadsheet wrote them with a point and zeros.
fn whole_number(text: &str) -> Option<u64> {
    let (whole, zeros) = text.trim().split_once('.').unwrap_or((text.trim(), ""));
    let digits = !whole.is_empty() && whole.bytes().all(|byte| byte.is_ascii_digit());
    (digits && zeros.bytes().all(|byte| byte == b'0')).then(|| whole.parse().ok()).flatten()
}

/// Rows that cannot be used, by what is wrong with them.
#[derive(Default)]
struct Faults {
    no_code: Vec<u64>,
    bad_code: Vec<u64>,
    no_people: Vec<u64>,
    bad_people: Vec<u64>,
}

impl Faults {
    fn none(&self, system: System, names: ColumnNames<'_>) -> Result<()> {
        let code = system.code_word();
        let there = |column: &str| format!("leave them out with --where '\"{column}\" IS NOT NULL'");
        let kinds = [
            (&self.no_code, "no code".to_owned(), there(names.code)),
            (
                &self.bad_code,
                format!("a code that is not a {code}"),
                "mend the codes, or leave the rows out with --where; a code that was pooled before is no place"
                    .to_owned(),
            ),
            (&self.no_people, "no population".to_owned(), format!("find out what it is, or {}", there(names.people))),
            (
                &self.bad_people,
                "a population that is not a whole number from 0 up".to_owned(),
                "mend the numbers; name a word that means missing with --na, and leave those rows out".to_owned(),
            ),
        ];
        let told: Vec<_> = kinds.iter().filter(|(rows, ..)| !rows.is_empty()).collect();
        if told.is_empty() {
            return Ok(());
        }
        let what: Vec<String> = told.iter().map(|(rows, what, _)| told_of(rows, what)).collect();
        let help: Vec<&str> = told.iter().map(|(_, _, help)| help.as_str()).collect();
        Err(Error::input(what.join("; ")).help(help.join("; ")).into())
    }
}

/// How many rows, and the first of them; row 1 is the first below the header.
fn told_of(rows: &[u64], what: &str) -> String {
    let named: Vec<String> = rows.iter().take(ROWS_NAMED).map(u64::to_string).collect();
    let more = if rows.len() > ROWS_NAMED { " and others" } else { "" };
    let (rows_word, has) = if rows.len() == 1 { ("row", "has") } else { ("rows", "have") };
    format!("{} {rows_word} {has} {what}: {rows_word} {}{more}", rows.len(), named.join(", "))
}
