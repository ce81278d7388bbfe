//! Age–sex tables as people write them: long or wide, ages as `34`, `Age 34`, `30-34`, `90+` or `85 and over`.

use outward_engine::{Data, SmallTable};
use outward_risk::birthdays::{AgeSexRow, AgeSexTable, Band, OpenBand};
use outward_spec::{Error, Result};

use crate::cli::LocalityArgs;
use crate::commands::assess::source;
use crate::session::Session;

/// The share of the people of a year who are alive a year later, in an open band.
const SURVIVAL: f64 = 0.75;

/// Reads the table.
pub(super) fn read(session: &Session, args: &LocalityArgs) -> Result<AgeSexTable> {
    let data = Data { source: source(&args.table, &args.reading)?, columns: Vec::new() };
    let runtime = session.runtime()?;
    let engine = session.engine();
    let mut columns: Vec<String> = args.place.iter().chain(&args.sex).cloned().collect();
    let named = columns.len();
    let ages = match (&args.age, &args.people) {
        (Some(age), Some(people)) => {
            columns.extend([age.clone(), people.clone()]);
            Vec::new()
        }
        _ => {
            let schema = runtime.block_on(engine.describe(&data))?.schema;
            let names: Vec<&String> =
                schema.fields().iter().map(|field| field.name()).filter(|name| !columns.contains(name)).collect();
            let ages = match &args.age_columns[..] {
                [] => (names.into_iter())
                    .filter_map(|name| Some((Age::read(name, args.open_age)?, name.clone())))
                    .collect(),
                ends => in_order(&names, ends, args.open_age)?,
            };
            if ages.is_empty() {
                let help = "name the columns of a long table with --age and --people; the columns of a wide one are called \
                    after ages, such as 34, 30-34 or 90+, or named with --age-columns FIRST,LAST";
                return Err(Error::input("no column is called after an age").file(&args.table).help(help).into());
            }
            columns.extend(ages.iter().map(|(_, name)| name.clone()));
            ages
        }
    };
    let table = runtime.block_on(engine.read_table(&data, &columns, args.condition.as_deref()))?;
    let rows = if ages.is_empty() { long(&table, args, named)? } else { wide(&table, args, named, &ages)? };
    let is_open = |age: u32| rows.iter().any(|(_, row)| row.age == age && row.band == Band::Open);
    if let Some(age) = args.open_age.filter(|age| !is_open(*age)) {
        return Err(Error::input(format!("the table has no age {age}"))
            .help("name its last age with --open-age")
            .into());
    }
    let open = match args.open_years {
        1 => OpenBand::OneYear,
        years => OpenBand::Falling { years, survival: SURVIVAL },
    };
    let table = AgeSexTable::from_numbered_rows(rows, open)?;
    match (args.from_age, args.to_age) {
        (None, None) => Ok(table),
        (from, to) => table.ages(from.unwrap_or(0), to),
    }
}

/// Columns that stand for a year of age each, from 0 up, in the order of the file.
fn in_order(names: &[&String], ends: &[String], open_age: Option<u32>) -> Result<Vec<(Age, String)>> {
    let place = |name: &String| -> Result<usize> {
        names.iter().position(|known| *known == name).ok_or_else(|| {
            let help = outward_spec::suggest(name, names.iter().map(|name| name.as_str()), "columns");
            Error::input(format!("there is no column `{name}`")).help(help).into()
        })
    };
    let [first, last] = ends else {
        return Err(Error::input("--age-columns takes two columns")
            .help("name the first and the last: FIRST,LAST")
            .into());
    };
    let (first, last) = (place(first)?, place(last)?);
    if first > last {
        return Err(Error::input("the last column stands before the first")
            .help("name them in the order of the file")
            .into());
    }
    let band = |age: u32| if open_age == Some(age) { Band::Open } else { Band::Years(1) };
    Ok((0..).zip(&names[first..=last]).map(|(from, name)| (Age { from, band: band(from) }, (*name).clone())).collect())
}

/// The years of age a name stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Age {
    from: u32,
    band: Band,
}

impl Age {
    fn read(name: &str, open_age: Option<u32>) -> Option<Self> {
        let lower = name.to_lowercase();
        let numbers: Vec<u32> = lower
            .split(|c: char| !c.is_ascii_digit())
            .filter(|digits| !digits.is_empty())
            .map(|digits| digits.parse().ok())
            .collect::<Option<_>>()?;
        let words: Vec<&str> =
            lower.split(|c: char| !c.is_ascii_alphabetic()).filter(|word| !word.is_empty()).collect();
        let known = ["age", "aged", "ages", "and", "over", "or", "older", "plus", "to", "under", "year", "years", "of"];
        if words.iter().any(|word| !known.contains(word)) {
            return None;
        }
        let open = lower.contains('+') || ["over", "older", "plus"].iter().any(|word| words.contains(word));
        match numbers[..] {
            [from] if words.contains(&"under") => Some(Self { from: 0, band: Band::Years(from.max(1)) }),
            [from] if open || open_age == Some(from) => Some(Self { from, band: Band::Open }),
            [from] => Some(Self { from, band: Band::Years(1) }),
            [from, to] if from <= to && !open => Some(Self { from, band: Band::Years(to - from + 1) }),
            _ => None,
        }
    }
}

/// Rows with their numbers in the file.
type Numbered<'a> = Vec<(u64, AgeSexRow<'a>)>;

fn long<'a>(table: &'a SmallTable, args: &LocalityArgs, named: usize) -> Result<Numbered<'a>> {
    let row = |at: usize| -> Result<(u64, AgeSexRow<'a>)> {
        let (place, sex) = names(table, args, at)?;
        let age = table.value(at, named).and_then(|text| Age::read(text, args.open_age)).ok_or_else(|| {
            fault(table, at, "this is not an age", args.age.as_deref()).help("write ages such as 34, 30-34 or 90+")
        })?;
        let people = people(table, at, named + 1, args.people.as_deref())?;
        Ok((table.row(at), AgeSexRow { place, sex, age: age.from, band: age.band, people }))
    };
    (0..table.len()).map(row).collect()
}

fn wide<'a>(table: &'a SmallTable, args: &LocalityArgs, named: usize, ages: &[(Age, String)]) -> Result<Numbered<'a>> {
    let mut rows = Vec::with_capacity(table.len() * ages.len());
    for at in 0..table.len() {
        let (place, sex) = names(table, args, at)?;
        for (column, (age, name)) in ages.iter().enumerate() {
            let people = people(table, at, named + column, Some(name))?;
            rows.push((table.row(at), AgeSexRow { place, sex, age: age.from, band: age.band, people }));
        }
    }
    Ok(rows)
}

fn fault(table: &SmallTable, at: usize, what: &str, column: Option<&str>) -> outward_spec::Fault {
    Error::input(what).row(table.row(at)).variable(column.unwrap_or_default())
}

fn names<'a>(table: &'a SmallTable, args: &LocalityArgs, at: usize) -> Result<(&'a str, &'a str)> {
    let value = |column: usize, name: &Option<String>| -> Result<&'a str> {
        let missing = || {
            fault(table, at, "the value is missing", name.as_deref()).help("mend it, or leave the row out with --where")
        };
        table.value(at, column).ok_or_else(|| missing().into())
    };
    let place = if args.place.is_some() { value(0, &args.place)? } else { "all" };
    let sex = if args.sex.is_some() { value(usize::from(args.place.is_some()), &args.sex)? } else { "" };
    Ok((place, sex))
}

fn people(table: &SmallTable, at: usize, column: usize, name: Option<&str>) -> Result<f64> {
    let text = table.value(at, column).unwrap_or_default();
    let number = text.parse::<f64>().ok().filter(|people| *people >= 0.0 && people.fract() == 0.0 && *people < 1e15);
    let wrong = || fault(table, at, "this is not a number of people", name).help("write a whole number from 0 up");
    number.ok_or_else(|| wrong().into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_are_read_as_tables_write_them() {
        let years = |from, years| Some(Age { from, band: Band::Years(years) });
        for (name, age) in [
            ("34", years(34, 1)),
            ("Age 5", years(5, 1)),
            ("age_30_34", years(30, 5)),
            ("30-34", years(30, 5)),
            ("Aged 0 to 4 years", years(0, 5)),
            ("under 1", years(0, 1)),
            ("90+", Some(Age { from: 90, band: Band::Open })),
            ("Age 100 and over", Some(Age { from: 100, band: Band::Open })),
            ("total_population", None),
            ("2011", years(2011, 1)),
            ("sex", None),
        ] {
            assert_eq!(Age::read(name, None), age, "{name}");
        }
        assert_eq!(Age::read("90", Some(90)), Some(Age { from: 90, band: Band::Open }));
    }
}
