//! Reads the records that tables are made from, once from each file.

use outward_cells::Columns;
use outward_engine::{Data, Engine, parse_condition_text};
use outward_spec::{Error, Result, Role, Spec, Table, TableRules, Variable};
use outward_tables::{CountedTables, Files, make, misread, requests};

use super::earlier::{EarlierRelease, Joined};
use super::identifying::identifying;
use super::ones::{Source, with_counts_of_ones};

/// Makes tables of a spec, those of the earlier releases that it names first.
///
/// # Errors
/// If a table is spanned by a variable of a role that the policy forbids. If a file cannot be read, or a table cannot
/// be made from it. If an earlier release cannot be read or is of other data.
pub async fn make_tables(
    engine: &dyn Engine,
    spec: &Spec,
    wanted: &[&Table],
    rules: &TableRules,
) -> Result<CountedTables> {
    refuse_forbidden(spec, wanted)?;
    let joined = Joined::new(spec, wanted, EarlierRelease::of_spec(spec)?)?;
    joined.tell(count(engine, &joined.spec, &joined.wanted()?, rules).await?)
}

/// Reads the files and counts the tables.
async fn count(engine: &dyn Engine, spec: &Spec, wanted: &[&Table], rules: &TableRules) -> Result<CountedTables> {
    let linked = spec.linked.iter().map(|linked| Data::of_linked(spec, linked));
    let mut sources: Vec<Source> = Vec::new();
    for data in std::iter::once(Data::of_spec(spec)).chain(linked) {
        let described = engine.describe(&data).await?;
        let columns = described.schema.fields().iter().map(|field| field.name().clone()).collect();
        sources.push(Source { data, columns });
    }
    let wanted = with_counts_of_ones(engine, spec, &sources, wanted).await?;
    let wanted: &[&Table] = &wanted.iter().collect::<Vec<_>>();
    let headers: Vec<Vec<String>> = sources.iter().map(|source| source.columns.clone()).collect();
    let mut conditions = Vec::new();
    for (table, text) in wanted.iter().filter_map(|table| Some((table, table.condition.as_ref()?))) {
        let in_table = |error: Error| error.with_fault(|fault| fault.table(&table.name).field("where"));
        conditions.push(parse_condition_text(text).map_err(in_table)?);
    }
    let mut read = Vec::new();
    let requests = requests(spec, wanted, &headers, &conditions)?;
    for (file, (request, source)) in requests.into_iter().zip(&sources).enumerate() {
        let texts: Vec<String> = request.conditions.iter().map(|condition| condition.text.clone()).collect();
        let columns = engine.read_columns(&source.data, &request.columns, &texts).await;
        let columns = columns.map_err(|error| misread(spec, wanted, file, error))?;
        refuse_identifying(spec, wanted, file, &request.columns.coded, &columns)?;
        read.push((request, columns));
    }
    make(spec, wanted, &Files::link(spec, read)?, rules)
}

/// The variables that span a table.
fn spanning<'a>(spec: &'a Spec, table: &'a Table) -> impl Iterator<Item = &'a Variable> {
    table.variables.iter().chain(&table.pairs).filter_map(|name| spec.variable(name))
}

const SPAN_HELP: &str = "take it out of the `variables` of the table, or span the table by a coarser variable";

/// Refuses tables of variables with a forbidden role. A variable that spans a table is published with all its values,
/// so no variable read from the same columns may have such a role.
fn refuse_forbidden(spec: &Spec, wanted: &[&Table]) -> Result<()> {
    let forbidden = spec.rules()?.forbid;
    for table in wanted {
        for variable in spanning(spec, table) {
            let same = |other: &&Variable| {
                other.from == variable.from
                    && other.read_from().iter().any(|column| variable.read_from().contains(column))
            };
            let behind = spec.variables.iter().filter(same).find(|other| forbidden.contains(&other.role));
            if let Some(other) = behind {
                let what = format!(
                    "table `{}` is spanned by a variable with the role `{}`, which the policy forbids",
                    table.name, other.role
                );
                return Err(Error::input(what).variable(&variable.name).help(SPAN_HELP).into());
            }
        }
    }
    Ok(())
}

/// Refuses a table that is spanned by values that name people, if the policy forbids identifiers. The role that the
/// spec gives the variable does not matter.
fn refuse_identifying(spec: &Spec, wanted: &[&Table], file: usize, coded: &[String], read: &Columns) -> Result<()> {
    if !spec.rules()?.forbid.contains(&Role::Identifier) {
        return Ok(());
    }
    let unit = file.checked_sub(1).and_then(|at| spec.linked.get(at)).map(|linked| linked.name.as_str());
    let is_of_file = |variable: &Variable| match unit {
        None => variable.from.is_empty(),
        Some(unit) => variable.from.iter().any(|name| name == unit),
    };
    for table in wanted {
        for variable in spanning(spec, table).filter(|variable| is_of_file(variable)) {
            for (name, column) in coded.iter().zip(&read.coded).filter(|(name, _)| variable.read_from().contains(name))
            {
                let Some(because) = identifying(name, column.dictionary.values())? else { continue };
                let what = format!(
                    "table `{}` is spanned by values that identify people, which the policy forbids: {because}",
                    table.name
                );
                return Err(Error::input(what).variable(&variable.name).help(SPAN_HELP).into());
            }
        }
    }
    Ok(())
}
