//! The spec must declare every column of the data, and no others, so that no column is published that nobody has
//! considered.

use std::collections::HashSet;

use arrow_schema::Schema;
use outward_report::format::count;
use outward_spec::{Error, Result, Spec, suggest};

/// How many columns a message names.
const MAX_COLUMNS_NAMED: usize = 12;

/// Refuses columns of the data that the spec does not declare, and declared columns that the data do not have.
pub(super) fn refuse_undeclared(spec: &Spec, schema: &Schema) -> Result<()> {
    let there: HashSet<&str> = schema.fields().iter().map(|field| field.name().as_str()).collect();
    let mut names =
        spec.variables.iter().filter(|variable| variable.is_column()).map(|variable| variable.name.as_str());
    let declared: HashSet<&str> = names.clone().collect();
    if let Some(absent) = names.find(|name| !there.contains(name)) {
        let help = suggest(absent, schema.fields().iter().map(|field| field.name().as_str()), "columns");
        let fault = Error::input("the data have no column of this name").variable(absent).missing_column(absent);
        return Err(fault.help(help).into());
    }
    let undeclared: Vec<&str> =
        schema.fields().iter().map(|field| field.name().as_str()).filter(|name| !declared.contains(name)).collect();
    if undeclared.is_empty() {
        return Ok(());
    }
    let names = listed(&undeclared);
    let what = match undeclared.len() {
        1 => format!("the spec does not declare the column {names} of the data"),
        several => format!("the spec does not declare {} columns of the data: {names}", count(several as u64)),
    };
    let list: Vec<String> = undeclared.iter().map(|name| format!("{name:?}")).collect();
    let list = list.join(", ");
    let help = format!(
        "to publish unchanged: `plain = [{list}]` at the top of the spec, or a `[[variables]]` section with its role; to leave \
         out: declare it in one of these ways and add a step `do = \"drop\"`, `variables = [{list}]`"
    );
    Err(Error::input(what).help(help).into())
}

/// The first names, and how many more there are.
fn listed(names: &[&str]) -> String {
    let shown: Vec<String> = names.iter().take(MAX_COLUMNS_NAMED).map(|name| format!("`{name}`")).collect();
    match names.len().saturating_sub(MAX_COLUMNS_NAMED) {
        0 => shown.join(", "),
        more => format!("{} and {} more", shown.join(", "), count(more as u64)),
    }
}
