//! The records to be linked: columns as codes, the two files in one.

use std::collections::BTreeMap;
use std::sync::Arc;

use outward_cells::{Coded, Dictionary, MISSING};
use outward_error::{Error, Result, suggest};

use super::model::LinkType;
use super::sql::Side;

/// Some columns of a file, in the order of its records.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Records {
    /// How many records there are.
    pub rows: usize,
    /// The names of the columns.
    pub names: Vec<String>,
    /// The columns.
    pub columns: Vec<Coded>,
}

impl Records {
    /// Columns with their names.
    pub fn new(columns: impl IntoIterator<Item = (String, Coded)>) -> Self {
        let (names, columns): (Vec<String>, Vec<Coded>) = columns.into_iter().unzip();
        Self { rows: columns.first().map_or(0, |column| column.codes.len()), names, columns }
    }

    /// A column by its name. As in SQL, the case does not matter where only one column has the name.
    pub(crate) fn column(&self, name: &str) -> Option<&Coded> {
        let position = self.names.iter().position(|known| known == name).or_else(|| {
            let mut alike = (0..self.names.len()).filter(|at| self.names[*at].eq_ignore_ascii_case(name));
            alike.next().filter(|_| alike.next().is_none())
        });
        position.map(|at| &self.columns[at])
    }
}

/// A column of both files, in one numbering of its values.
#[derive(Debug)]
pub(crate) struct JointColumn {
    pub(crate) name: String,
    /// The code of each record, those of the first file first; 0 is missing.
    pub(crate) codes: Vec<u32>,
    pub(crate) dictionary: Arc<Dictionary>,
}

/// The records of both files, numbered through.
#[derive(Debug)]
pub(crate) struct Joint {
    pub(crate) link_type: LinkType,
    /// Records of the first file.
    pub(crate) first: usize,
    /// Records of both.
    pub(crate) rows: usize,
    pub(crate) columns: Vec<JointColumn>,
}

/// A column of one record of a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Operand {
    pub(crate) column: usize,
    pub(crate) side: Side,
}

impl Joint {
    /// Joins the columns of `names`. All must be in both files, have values, and be of one type.
    pub(crate) fn new<'a>(
        link_type: LinkType,
        left: &Records,
        right: Option<&Records>,
        names: impl IntoIterator<Item = &'a str>,
    ) -> Result<Self> {
        match (link_type, right) {
            (LinkType::DedupeOnly, Some(_)) => {
                return Err(Error::input("the model finds duplicates in one file, and two are given")
                    .help("give one file, or set link_type to link_only or link_and_dedupe")
                    .into());
            }
            (LinkType::LinkOnly | LinkType::LinkAndDedupe, None) => {
                return Err(Error::input("the model links two files, and one is given")
                    .help("give the second file, or set link_type to dedupe_only")
                    .into());
            }
            _ => {}
        }
        if let Some(right) = right {
            refuse_nothing_shared(left, right)?;
        }
        let mut columns = Vec::new();
        let mut known = BTreeMap::new();
        for name in names {
            if known.insert(name.to_owned(), columns.len()).is_none() {
                columns.push(join(name, left, right)?);
            }
        }
        let rows = left.rows + right.map_or(0, |right| right.rows);
        i32::try_from(rows)
            .map_err(|_| Error::input("there are more than 2,147,483,647 records").help("link the files in parts"))?;
        Ok(Self { link_type, first: left.rows, rows, columns })
    }

    /// Where a column is.
    pub(crate) fn position(&self, name: &str) -> Result<usize> {
        let position = self.columns.iter().position(|column| column.name == name);
        position.ok_or_else(|| Error::bug("a column of the model was not read"))
    }

    /// How many pairs there are in all.
    pub(crate) fn pairs(&self) -> u64 {
        let (first, second) = (self.first as u64, (self.rows - self.first) as u64);
        let within = |n: u64| n * n.saturating_sub(1) / 2;
        match self.link_type {
            LinkType::DedupeOnly => within(first),
            LinkType::LinkOnly => first * second,
            LinkType::LinkAndDedupe => within(first + second),
        }
    }
}

fn refuse_nothing_shared(left: &Records, right: &Records) -> Result<()> {
    if left.names.iter().any(|name| right.column(name).is_some()) {
        return Ok(());
    }
    Err(Error::input("the two files share no column")
        .help("rename the columns of one file, so that what is the same has the same name")
        .into())
}

fn join(name: &str, left: &Records, right: Option<&Records>) -> Result<JointColumn> {
    let find = |records: &Records, which: &str| -> Result<Coded> {
        let column = records.column(name).ok_or_else(|| {
            Error::input(format!("the {which} has no column `{name}`, which the model compares")).help(suggest(
                name,
                records.names.iter().map(String::as_str),
                "columns",
            ))
        })?;
        if column.dictionary.is_empty() {
            return Err(Error::input(format!("the {which} has no value in this column at all"))
                .variable(name)
                .help("read the column as it is meant, or give a model by --model that does not compare it")
                .into());
        }
        Ok(column.clone())
    };
    let Some(right) = right else {
        let column = find(left, "file")?;
        return Ok(JointColumn { name: name.to_owned(), codes: column.codes, dictionary: Arc::new(column.dictionary) });
    };
    let (first, second) = (find(left, "first file")?, find(right, "second file")?);
    refuse_other_type(name, &first.dictionary, &second.dictionary)?;
    let values = first.dictionary.values().chain(second.dictionary.values()).map(Box::from).collect();
    let dictionary = Dictionary::new(values, first.dictionary.is_numeric() && second.dictionary.is_numeric());
    let recode = |column: &Coded| -> Vec<u32> {
        let own = column.dictionary.values().map(|value| dictionary.code(value).unwrap_or(MISSING));
        let codes: Vec<u32> = std::iter::once(MISSING).chain(own).collect();
        column.codes.iter().map(|code| codes[*code as usize]).collect()
    };
    let mut codes = recode(&first);
    codes.extend(recode(&second));
    Ok(JointColumn { name: name.to_owned(), codes, dictionary: Arc::new(dictionary) })
}

/// A column of numbers in one file and of words in the other cannot agree: no value of the one is of the other's type.
fn refuse_other_type(name: &str, first: &Dictionary, second: &Dictionary) -> Result<()> {
    let numbers = |dictionary: &Dictionary| dictionary.values().filter(|value| value.parse::<f64>().is_ok()).count();
    let dates =
        |dictionary: &Dictionary| dictionary.values().filter(|value| super::time::from_iso(value).is_some()).count();
    let one_only = |count: &dyn Fn(&Dictionary) -> usize| {
        let (a, b) = (count(first), count(second));
        (a == first.len() && b == 0) || (b == second.len() && a == 0)
    };
    let what = if one_only(&numbers) {
        "numbers"
    } else if one_only(&dates) {
        "dates"
    } else {
        return Ok(());
    };
    Err(Error::input(format!("one file has {what} in this column, and the other has none"))
        .variable(name)
        .help("write the column alike in both files, or give a model by --model that does not compare it")
        .into())
}
