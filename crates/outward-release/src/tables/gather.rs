//! The records that tables are made from, read once from each file.

use outward_engine::{Data, Engine, parse_condition_text};
use outward_spec::{Error, Result, Spec, Table, TableRules};
use outward_tables::{Files, Made, make, misread, requests};

use super::earlier::{EarlierRelease, Joined};

/// Makes tables of a spec, those of the earlier releases that it names first.
///
/// # Errors
/// Where a table is spanned by a variable of a role that the policy forbids, a file cannot be read, a table cannot be made
/// from it, or an earlier release cannot be read or is of other data.
pub async fn make_tables(engine: &dyn Engine, spec: &Spec, wanted: &[&Table], rules: &TableRules) -> Result<Vec<Made>> {
    refuse_forbidden(spec, wanted)?;
    let joined = Joined::new(spec, wanted, EarlierRelease::of_spec(spec)?)?;
    let mut made = count(engine, &joined.spec, &joined.wanted()?, rules).await?;
    joined.tell(&mut made)?;
    Ok(made)
}

/// Reads the files and counts the tables.
async fn count(engine: &dyn Engine, spec: &Spec, wanted: &[&Table], rules: &TableRules) -> Result<Vec<Made>> {
    let linked = spec.linked.iter().map(|linked| Data::of_linked(spec, linked));
    let sources: Vec<Data> = std::iter::once(Data::of_spec(spec)).chain(linked).collect();
    let mut headers = Vec::new();
    for source in &sources {
        let described = engine.describe(source).await?;
        headers.push(described.schema.fields().iter().map(|field| field.name().clone()).collect::<Vec<_>>());
    }
    let mut conditions = Vec::new();
    for (table, text) in wanted.iter().filter_map(|table| Some((table, table.condition.as_ref()?))) {
        let in_table = |error: Error| error.with_fault(|fault| fault.table(&table.name).field("where"));
        conditions.push(parse_condition_text(text).map_err(in_table)?);
    }
    let mut read = Vec::new();
    let requests = requests(spec, wanted, &headers, &conditions)?;
    for (file, (request, source)) in requests.into_iter().zip(&sources).enumerate() {
        let texts: Vec<String> = request.conditions.iter().map(|condition| condition.text.clone()).collect();
        let columns = engine.read_columns(source, &request.columns, &texts).await;
        let columns = columns.map_err(|error| misread(spec, wanted, file, error))?;
        read.push((request, columns));
    }
    make(spec, wanted, &Files::link(spec, read)?, rules)
}

/// A variable that spans a table is published with all its values: its role must not be one that the policy forbids.
fn refuse_forbidden(spec: &Spec, wanted: &[&Table]) -> Result<()> {
    let forbidden = spec.rules()?.forbid;
    for table in wanted {
        let spans = table.variables.iter().chain(&table.pairs).filter_map(|name| spec.variable(name));
        if let Some(variable) = spans.into_iter().find(|variable| forbidden.contains(&variable.role)) {
            let what = format!(
                "table `{}` is spanned by a variable with the role `{}`, which the policy forbids",
                table.name, variable.role
            );
            let help = "take it out of the `variables` of the table, or span the table by a coarser variable";
            return Err(Error::input(what).variable(&variable.name).help(help).into());
        }
    }
    Ok(())
}
