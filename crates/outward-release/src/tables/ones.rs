//! Sums of an amount that is 0 or 1 for every record are counts of the records with 1. They are made as such, so they
//! are judged as counts and compared with all other counts (`docs/methods/attacker.md`).

use outward_cells::ColumnRequest;
use outward_engine::{CountRequest, Data, Engine, parse_condition_text};
use outward_spec::{Error, Measure, Result, Spec, Table};

/// A file that tables are made from, and the names of its columns.
pub(super) struct Source {
    pub(super) data: Data,
    pub(super) columns: Vec<String>,
}

/// Tables, with sums of amounts that are 0 or 1 replaced by counts with a condition. `sources` has `[data]` and the
/// linked files.
///
/// # Errors
/// If the mean of such an amount is asked for, which is a share of records.
pub(super) async fn with_counts_of_ones(
    engine: &dyn Engine,
    spec: &Spec,
    sources: &[Source],
    wanted: &[&Table],
) -> Result<Vec<Table>> {
    let mut known: Vec<((usize, String), Option<String>)> = Vec::new();
    let mut all = Vec::new();
    for table in wanted.iter().map(|table| (*table).clone()) {
        let Some((file, column)) = table.of.as_ref().and_then(|of| place(spec, sources, &table, of)) else {
            all.push(table);
            continue;
        };
        let place = (file, column);
        let at = match known.iter().position(|(of, _)| *of == place) {
            Some(at) => at,
            None => {
                let ones = ones(engine, &sources[place.0].data, &place.1).await?;
                known.push((place, ones));
                known.len() - 1
            }
        };
        all.push(match &known[at].1 {
            None => table,
            Some(ones) => as_count(table, ones)?,
        });
    }
    Ok(all)
}

/// The file and the column of an amount: that of the records a table counts, or `[data]`.
fn place(spec: &Spec, sources: &[Source], table: &Table, of: &str) -> Option<(usize, String)> {
    let column = spec.variable(of).and_then(|variable| variable.read_from().first()).map_or(of, String::as_str);
    let unit = table.unit.as_ref().and_then(|unit| spec.linked.iter().position(|linked| linked.name == *unit));
    let files = [unit.map_or(0, |at| at + 1), 0];
    let file = files.into_iter().find(|file| sources[*file].columns.iter().any(|known| known == column))?;
    Some((file, column.to_owned()))
}

/// The condition that a column is 1, if it is 0 or 1 for every record that has a value, and 1 for some.
async fn ones(engine: &dyn Engine, data: &Data, column: &str) -> Result<Option<String>> {
    let request = ColumnRequest { numbers: vec![column.to_owned()], ..ColumnRequest::default() };
    // A column that cannot be read is reported when the tables are made.
    let Ok(columns) = engine.read_columns(data, &request, &[]).await else { return Ok(None) };
    let numbers = columns.numbers.first().map_or(&[][..], Vec::as_slice);
    let mut given = numbers.iter().filter(|number| !number.is_nan());
    if !numbers.contains(&1.0) || !given.all(|number| [0.0, 1.0].contains(number)) {
        return Ok(None);
    }
    let schema = engine.describe(data).await?.schema;
    let is_number = schema.field_with_name(column).is_ok_and(|field| field.data_type().is_numeric());
    let literals = match is_number {
        true => vec!["1".to_owned()],
        // A column of text may write 1 in several ways.
        false => {
            let request = CountRequest { keys: vec![column.to_owned()], weight: None, condition: None };
            let counted = engine.count_cells(data, &[request]).await?;
            let values = counted.iter().flat_map(|cells| (0..cells.len()).filter_map(|cell| cells.value(cell, 0)));
            let ones = values.filter(|value| value.trim().parse() == Ok(1.0));
            ones.map(|value| format!("'{}'", value.replace('\'', "''"))).collect()
        }
    };
    let column = named(column);
    Ok(Some(match &literals[..] {
        [one] => format!("{column} = {one}"),
        several => format!("{column} in ({})", several.join(", ")),
    }))
}

/// A column as a condition names it: in quotes if it needs them.
fn named(column: &str) -> String {
    let is_read = parse_condition_text(&format!("{column} = 1")).is_ok_and(|parsed| parsed.columns == [column]);
    if is_read { column.to_owned() } else { format!("\"{}\"", column.replace('"', "\"\"")) }
}

/// The table of counts of the records with 1, for a table of sums.
fn as_count(table: Table, ones: &str) -> Result<Table> {
    let of = table.of.as_deref().unwrap_or_default();
    if table.measure == Measure::Mean {
        let help = format!(
            "it is a share of records: make a table of counts with `{of}` among its `variables`, and `percent_of = [\"{of}\"]`"
        );
        let what = format!("`{of}` is 0 or 1 for every record: its mean is a share of records");
        return Err(Error::input(what).table(&table.name).field("measure").help(help).into());
    }
    let condition = match &table.condition {
        Some(condition) => format!("({condition}) and {ones}"),
        None => ones.to_owned(),
    };
    Ok(Table { condition: Some(condition), measure: Measure::Count, of: None, contributor: None, ..table })
}
