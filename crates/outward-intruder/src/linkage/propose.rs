//! A model for columns that nobody has modelled: comparisons by what stands in a column, blocking rules by how many pairs they make.

use outward_cells::{Coded, MISSING};
use outward_error::{Error, Result};

use super::dependence::{Dependent, dependent_columns};
use super::model::{BlockingRule, Comparison, Level, LinkType, Model, sides};
use super::records::Records;
use super::time;

/// What stands in a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Content {
    /// Names of people.
    Name,
    /// Dates.
    Date,
    /// E-mail addresses.
    Email,
    /// Whole British postcodes.
    Postcode,
    /// Whole numbers.
    Number,
    /// Anything else.
    Other,
}

/// Columns with fewer values are compared exactly.
const FEW_VALUES: usize = 50;

/// A rule may make so many pairs for each record.
const PAIRS_PER_RECORD: u64 = 50;

/// How many blocking rules are proposed.
const MAX_RULES: usize = 6;

/// A model that was proposed.
#[derive(Debug, Clone, PartialEq)]
pub struct Proposal {
    /// The model, without parameters.
    pub model: Model,
    /// Columns that it does not compare, each with why.
    pub left_out: Vec<String>,
}

/// Proposes a model that compares some columns of one file or two. Its parameters are to be trained.
pub fn propose(columns: &[(String, Content)], left: &Records, right: Option<&Records>) -> Result<Proposal> {
    let mut left_out = Vec::new();
    let mut telling: Vec<(&str, Content)> = Vec::new();
    for (name, content) in columns {
        match tells_nothing(name, left, right) {
            Some(why) => left_out.push(format!("`{name}` ({why})")),
            None => telling.push((name, *content)),
        }
    }
    for Dependent { name, with } in dependent_columns(&telling, left) {
        telling.retain(|(known, _)| *known != name);
        left_out.push(format!("`{name}` (different people agree on it and `{with}` together)"));
    }
    let comparisons: Vec<Comparison> =
        telling.iter().filter_map(|(name, content)| compare(name, *content, left)).collect();
    if comparisons.is_empty() {
        let help = match right {
            Some(_) => "give a model with --model, or files with columns of the same names that have values in both",
            None => {
                "give a model with --model, or a file with a column that has two values or more and is no running number"
            }
        };
        let mut what = "no column is found by which records could be linked".to_owned();
        if !left_out.is_empty() {
            what += &format!(": {}", left_out.join(", "));
        }
        return Err(Error::input(what).help(help).into());
    }
    let link_type = if right.is_some() { LinkType::LinkOnly } else { LinkType::DedupeOnly };
    let mut other = serde_json::Map::new();
    other.insert("sql_dialect".to_owned(), "duckdb".into());
    other.insert("unique_id_column_name".to_owned(), "unique_id".into());
    let blocking_rules = rules(&comparisons, left, right)?;
    let model =
        Model { link_type, prior: 1e-4, blocking_rules, comparisons, convergence: 1e-4, max_iterations: 100, other };
    Ok(Proposal { model, left_out })
}

/// Why a column tells nothing of who is who, where it does not.
fn tells_nothing(name: &str, left: &Records, right: Option<&Records>) -> Option<&'static str> {
    let values = |records: &Records| records.column(name).map_or(0, |column| column.dictionary.len());
    match (values(left), right.map(values)) {
        (0, None) => Some("no value"),
        (0, _) | (_, Some(0)) => Some("no value in one of the files"),
        (1, None | Some(1)) => Some("one value"),
        _ => None,
    }
}

fn compare(name: &str, content: Content, records: &Records) -> Option<Comparison> {
    let column = records.column(name)?;
    let (left, right) = sides(name);
    let exact = Level::exact(name).by_frequency(name);
    let similar = |least: f64| {
        Level::new(
            format!("jaro_winkler_similarity({left}, {right}) >= {least}"),
            format!("Jaro-Winkler similarity of {name} >= {least}"),
        )
    };
    let mut levels = vec![Level::null(name)];
    match content {
        Content::Name => levels.extend([exact, similar(0.92), similar(0.88), similar(0.7)]),
        Content::Date => levels.extend(dates(name, column)),
        Content::Email => {
            let user = |side: &str| format!("NULLIF(regexp_extract({side}, '^[^@]+', 0), '')");
            levels.extend([
                exact,
                Level::new(format!("{} = {}", user(&left), user(&right)), "Exact match on username"),
                similar(0.88),
            ]);
        }
        Content::Postcode => {
            let part = |pattern: &str, what: &str| {
                let of = |side: &str| format!("NULLIF(regexp_extract({side}, '{pattern}', 0), '')");
                Level::new(format!("{} = {}", of(&left), of(&right)), format!("Exact match on {what}"))
            };
            levels.extend([
                exact,
                part("^[A-Za-z]{1,2}[0-9][A-Za-z0-9]? ?[0-9]", "sector"),
                part("^[A-Za-z]{1,2}[0-9][A-Za-z0-9]?", "district"),
                part("^[A-Za-z]{1,2}", "area"),
            ]);
        }
        _ if column.dictionary.len() < FEW_VALUES => levels.push(exact),
        Content::Number => {
            levels.extend([
                exact,
                Level::new(
                    format!("levenshtein({left}, {right}) <= 1"),
                    format!("Levenshtein distance of {name} <= 1"),
                ),
            ]);
        }
        Content::Other => levels.extend([exact, similar(0.9), similar(0.7)]),
    }
    levels.push(Level::otherwise());
    Some(Comparison::new(name, levels))
}

/// The levels of a date: the same, one slip of the pen, near in time. Dates of an unknown form are compared as text alone.
fn dates(name: &str, column: &Coded) -> Vec<Level> {
    let (left, right) = sides(name);
    let mut levels = vec![
        Level::exact(name),
        Level::new(
            format!("damerau_levenshtein({left}, {right}) <= 1"),
            format!("Damerau-Levenshtein distance of {name} <= 1"),
        ),
    ];
    let formats = ["%Y-%m-%d", "%d/%m/%Y", "%Y%m%d", "%d-%m-%Y"];
    let parsed = |format: &str| column.dictionary.values().filter(|value| time::parse(value, format).is_some()).count();
    let best = formats
        .into_iter()
        .rev()
        .max_by_key(|format| parsed(format))
        .filter(|format| 2 * parsed(format) > column.dictionary.len());
    if let Some(format) = best {
        let seconds = |side: &str| format!("EPOCH(try_strptime({side}, '{format}'))");
        for (words, days) in [("1 month", 30.4375), ("1 year", 365.25), ("10 years", 3652.5)] {
            let condition = format!("ABS({} - {}) <= {}", seconds(&left), seconds(&right), days * 86_400.0);
            levels.push(Level::new(condition, format!("{name} within {words}")));
        }
    }
    levels
}

/// Rules that make few pairs for each record: single columns first, then two together.
fn rules(comparisons: &[Comparison], left: &Records, right: Option<&Records>) -> Result<Vec<BlockingRule>> {
    let names: Vec<&str> = comparisons.iter().map(|comparison| comparison.name.as_str()).collect();
    let records = left.rows as u64 + right.map_or(0, |right| right.rows as u64);
    let mut found: Vec<(u64, Vec<&str>)> = Vec::new();
    let mut any = false;
    for (at, first) in names.iter().enumerate() {
        let alone = pairs(&[first], left, right);
        any |= alone > 0;
        if alone > 0 && alone <= PAIRS_PER_RECORD * records {
            found.push((alone, vec![first]));
        }
        for second in &names[at + 1..] {
            let single = |name: &str| found.iter().any(|(_, columns)| columns.len() == 1 && columns[0] == name);
            let both = pairs(&[first, second], left, right);
            if both > 0
                && both <= PAIRS_PER_RECORD * records
                && !single(first)
                && pairs(&[second], left, right) > PAIRS_PER_RECORD * records
            {
                found.push((both, vec![first, second]));
            }
        }
    }
    // A rule on one column is passed over by fewer errors than one on two.
    found.sort_by_key(|(pairs, columns)| (columns.len(), *pairs));
    found.truncate(MAX_RULES);
    if found.is_empty() && any {
        return Err(Error::input("no column or two together make few enough pairs to compare")
            .help("give a model with its own blocking rules by --model")
            .into());
    }
    if found.is_empty() {
        return Err(Error::input("no two records agree in any column, so there is nothing to compare")
            .help(
                "look at whether both files write values alike, or give a model with its own blocking rules by --model",
            )
            .into());
    }
    Ok(found.iter().map(|(_, columns)| BlockingRule::on_columns(columns)).collect())
}

/// How many pairs agree on some columns.
fn pairs(names: &[&str], left: &Records, right: Option<&Records>) -> u64 {
    fn keys<'a>(names: &[&str], records: &'a Records) -> Vec<Vec<&'a str>> {
        let columns: Vec<&Coded> = names.iter().filter_map(|name| records.column(name)).collect();
        let key = |row: usize| -> Option<Vec<&'a str>> {
            let whole = columns.len() == names.len() && columns.iter().all(|column| column.codes[row] != MISSING);
            whole.then(|| columns.iter().filter_map(|column| column.dictionary.value(column.codes[row])).collect())
        };
        (0..records.rows).filter_map(key).collect()
    }
    let mut counts: hashbrown::HashMap<Vec<&str>, [u64; 2]> = hashbrown::HashMap::new();
    keys(names, left).into_iter().for_each(|key| counts.entry(key).or_default()[0] += 1);
    if let Some(right) = right {
        keys(names, right).into_iter().for_each(|key| counts.entry(key).or_default()[1] += 1);
        return counts.values().map(|[first, second]| first * second).sum();
    }
    counts.values().map(|[count, _]| count * (count - 1) / 2).sum()
}
