//! No identifier in a title or heading of what is published.

use outward_spec::{Result, Role};
use outward_tables::Published;

use super::{Check, JSON, Place, TableManifest};
use crate::tables::identifying;
use crate::verify::identifiers::scan;

pub(super) fn check(manifest: &TableManifest, tables: &[Published]) -> Result<Check> {
    let (mut says, mut places) = (Vec::new(), Vec::new());
    let mut look = |what: String, name: &str, texts: &[String]| {
        for (kind, _) in scan(name, texts) {
            says.push(format!("{what} holds {kind}"));
            places.push(Place::file(JSON));
        }
    };
    look("the title".to_owned(), "", std::slice::from_ref(&manifest.title));
    for table in tables.iter().map(|published| &published.table) {
        look("the title of a table".to_owned(), "", &[table.name.clone(), table.title.clone()]);
        for dimension in &table.dimensions {
            look("the label of a variable".to_owned(), "", std::slice::from_ref(&dimension.label));
            let labels: Vec<String> = dimension.nodes.iter().map(|node| node.label.clone()).collect();
            look(format!("a heading of `{}`", dimension.variable), &dimension.variable, &labels);
        }
    }
    let dimensions = tables.iter().flat_map(|published| &published.table.dimensions);
    for dimension in dimensions.filter(|_| manifest.rules.forbid.contains(&Role::Identifier)) {
        let labels = dimension.nodes.iter().filter(|node| !node.total).map(|node| node.label.as_str());
        if let Some(because) = identifying(&dimension.variable, labels)? {
            says.push(format!("the headings of `{}` identify people ({because})", dimension.variable));
            places.push(Place::file(JSON));
        }
    }
    Ok(match says.is_empty() {
        true => Check::holds("identifiers", "no title or heading holds what identifies a person by itself"),
        false => Check::fails("identifiers", says.join("; ")).at(places),
    })
}
