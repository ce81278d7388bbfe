//! Tables of files as text, read and linked as the engine would, and protected in memory.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use arrow_array::{ArrayRef, BooleanArray, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema};
use outward_cells::{ColumnCollector, Columns, Condition, Holds, Truth};
use outward_spec::{Error, Policy, Result, Spec, Table as Wanted, TableRules};
use outward_tables::judge::{Verdict, judge_family};
use outward_tables::protect::{Protected, protect};
use outward_tables::{CountedTable, CountedTables, FileRequest, Files, Table, make, requests};

/// The lines of a file: its header, and values of which empty ones are missing.
fn cells(file: &str) -> (Vec<String>, Vec<Vec<Option<String>>>) {
    let value = |value: &str| Some(value.to_owned()).filter(|value| !value.is_empty());
    let mut lines = file.lines().map(|line| line.split(',').map(value).collect::<Vec<_>>());
    let header = lines.next().unwrap().into_iter().flatten().collect();
    (header, lines.collect())
}

/// The columns and values of a condition of the form `column = 'value'`, or of several such with `or` between them.
fn alternatives(condition: &str) -> impl Iterator<Item = (&str, &str)> {
    condition.split(" or ").map(|one| {
        let (name, value) = one.split_once(" = ").unwrap();
        (name, value.trim_matches('\''))
    })
}

/// A condition as the engine parses it.
fn parsed(text: String) -> Condition {
    let columns: BTreeSet<String> = alternatives(&text).map(|(column, _)| column.to_owned()).collect();
    Condition { columns: columns.into_iter().collect(), parsed: text.clone(), text }
}

/// Which rows meet a condition.
fn meets(condition: &str, header: &[String], rows: &[Vec<Option<String>>]) -> ArrayRef {
    let column = |name: &str| header.iter().position(|known| known == name).unwrap();
    let met = |row: &Vec<Option<String>>| {
        alternatives(condition).any(|(name, value)| row[column(name)].as_deref() == Some(value))
    };
    Arc::new(BooleanArray::from(rows.iter().map(met).collect::<Vec<_>>()))
}

/// What a condition says of values, by the codes of the columns that it reads.
fn truth(condition: &Condition, request: &FileRequest, columns: &Columns) -> Truth {
    let place = |name: &String| request.columns.coded.iter().position(|known| known == name).unwrap();
    let places: Vec<usize> = condition.columns.iter().map(place).collect();
    let mut holds = Holds::new();
    let mut codes = vec![Vec::new()];
    for place in &places {
        let count = columns.coded[*place].dictionary.values().count() as u32;
        codes =
            codes.iter().flat_map(|own: &Vec<u32>| (0..=count).map(move |code| [&own[..], &[code]].concat())).collect();
    }
    for own in codes {
        let has = |(name, value): (&str, &str)| {
            let at = condition.columns.iter().position(|known| known == name).unwrap();
            own[at] > 0 && columns.coded[places[at]].dictionary.values().nth(own[at] as usize - 1) == Some(value)
        };
        let met = alternatives(&condition.text).any(has);
        holds.insert(own, met);
    }
    Truth { columns: places, holds: Some(holds) }
}

/// The tables of a spec from files as text, `[data]` first, and what an attacker knows.
pub fn try_counted_by(spec: &str, files: &[&str], rules: &TableRules) -> Result<CountedTables> {
    let spec = Spec::parse(spec, "outward.toml").unwrap();
    let wanted: Vec<&Wanted> = spec.tables.iter().collect();
    let files: Vec<_> = files.iter().map(|file| cells(file)).collect();
    let headers: Vec<Vec<String>> = files.iter().map(|(header, _)| header.clone()).collect();
    let texts = wanted.iter().filter_map(|table| table.condition.clone());
    let conditions: Vec<Condition> = texts.map(parsed).collect();
    let mut read = Vec::new();
    for (request, (header, rows)) in requests(&spec, &wanted, &headers, &conditions)?.into_iter().zip(&files) {
        let column = |at: usize| -> ArrayRef {
            Arc::new(StringArray::from(rows.iter().map(|row| row[at].clone()).collect::<Vec<_>>()))
        };
        let mut arrays: Vec<ArrayRef> = (0..header.len()).map(column).collect();
        let mut fields: Vec<Field> = header.iter().map(|name| Field::new(name, DataType::Utf8, true)).collect();
        for (at, condition) in request.conditions.iter().enumerate() {
            fields.push(Field::new(format!("met {at}"), DataType::Boolean, false));
            arrays.push(meets(&condition.text, header, rows));
        }
        let batch = RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays).unwrap();
        let masks: Vec<usize> = (header.len()..batch.num_columns()).collect();
        let mut collector = ColumnCollector::new(&batch.schema(), &request.columns, &masks)?;
        collector.observe(&batch)?;
        let mut columns = Columns::merge(vec![collector])?;
        columns.truths = request.conditions.iter().map(|condition| truth(condition, &request, &columns)).collect();
        read.push((request, columns));
    }
    make(&spec, &wanted, &Files::link(&spec, read)?, rules)
}

/// The tables of a spec from files as text, without rules for sums.
pub fn try_made(spec: &str, files: &[&str]) -> Result<Vec<CountedTable>> {
    try_made_by(spec, files, &TableRules::default())
}

/// The tables of a spec from files as text.
pub fn try_made_by(spec: &str, files: &[&str], rules: &TableRules) -> Result<Vec<CountedTable>> {
    Ok(try_counted_by(spec, files, rules)?.tables)
}

/// The same, where they can be made.
pub fn made(spec: &str, files: &[&str]) -> Vec<CountedTable> {
    try_made(spec, files).unwrap()
}

/// What is said where tables cannot be made, and what to do.
pub fn refused(spec: &str, files: &[&str]) -> String {
    told(&try_made(spec, files).unwrap_err())
}

/// An error with what to do.
pub fn told(error: &Error) -> String {
    format!("{error}; {}", error.help().expect("every error says what to do"))
}

/// The cell at these labels.
pub fn cell(table: &Table, labels: &[&str]) -> usize {
    let node = |(dimension, label): (&outward_tables::Dimension, &&str)| {
        let place = dimension.nodes.iter().position(|node| node.label == **label);
        place.unwrap_or_else(|| panic!("no {label} in {}", table.name))
    };
    table.cell(&table.dimensions.iter().zip(labels).map(node).collect::<Vec<_>>())
}

/// What the policy `gss-tables` asks of tables of medium sensitivity.
pub fn gss_rules() -> TableRules {
    let policy = Policy::named("gss-tables").unwrap();
    policy.tier(Some("medium")).unwrap().unwrap().thresholds.tables.clone().unwrap()
}

/// Tables that were judged by the policy `gss-tables` and protected as their spec says.
pub struct Release {
    /// The tables as counted.
    pub made: Vec<CountedTable>,
    /// What is unsafe in each.
    pub verdicts: Vec<Verdict>,
    /// What is published of each, with the certificates.
    pub protected: Protected,
}

impl Release {
    /// None if no choice of hidden cells protects the tables, so that they are not published.
    pub fn from_spec(spec: &str, files: &[&str]) -> Option<Self> {
        Self::attempt(spec, files).filter(|release| release.protected.holds())
    }

    /// The same, where it is not settled that they are protected too.
    pub fn attempt(spec: &str, files: &[&str]) -> Option<Self> {
        let rules = gss_rules();
        let counted = try_counted_by(spec, files, &rules).unwrap();
        let protection = Spec::parse(spec, "outward.toml").unwrap().protection;
        // Tables of one unit are judged together, as differences between them count.
        let mut verdicts = Vec::new();
        for tables in counted.tables.chunk_by(|one, other| one.table.unit == other.table.unit) {
            let tables: Vec<Table> = tables.iter().map(|made| made.table.clone()).collect();
            verdicts.extend(judge_family(&tables, &rules).unwrap());
        }
        let protected = protect(&counted, &verdicts, &protection, &rules, Path::new("")).ok()?;
        Some(Self { made: counted.tables, verdicts, protected })
    }

    /// The unsafe cells, by table and position.
    pub fn unsafe_cells(&self) -> Vec<(usize, usize)> {
        let verdicts = self.verdicts.iter().enumerate();
        verdicts.flat_map(|(table, verdict)| verdict.primary().into_iter().map(move |cell| (table, cell))).collect()
    }
}
