//! Writes all tables as one JSON file, with everything that is needed to check them: how nodes add up, and which values
//! they have.
//!
//! Two nodes of different tables are the same if `source` and `values` are. Figures are whole numbers in units of one
//! over `scale`.

use outward_spec::{Error, Result};
use serde::{Deserialize, Serialize};

use crate::earlier::Earlier;
use crate::source::ValueSource;
use crate::table::{Dimension, Figure, Kind, Node, Published};
use crate::words::statement;

use super::wide::{Entry, percentage, wholes};
use super::{HIDDEN, LOW, Publication, measure};

/// The name of the format, written in the file.
pub(crate) const FORMAT: &str = "outward-tables";
/// The version of the format.
pub(crate) const VERSION: u32 = 1;

/// The file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TableFile {
    pub(crate) format: String,
    pub(crate) version: u32,
    title: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    about: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    policy: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    source: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    date: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
    statement: String,
    pub(crate) tables: Vec<TableForm>,
}

/// A table.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TableForm {
    pub(crate) name: String,
    pub(crate) title: String,
    pub(crate) unit: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) condition: Option<String>,
    /// Which kinds of records are counted. Kinds are distinguished by the conditions of all tables of the unit.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) records: Vec<u32>,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(crate) kinds: usize,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) geography: Option<String>,
    pub(crate) category: String,
    pub(crate) protection: String,
    /// `count`, `estimate`, `sum` or `mean`.
    pub(crate) measure: String,
    /// The variable of sums and means.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) of: Option<String>,
    #[serde(default, skip_serializing_if = "is_false")]
    pub(crate) weighted: bool,
    pub(crate) scale: i64,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) percent_of: Vec<usize>,
    pub(crate) dimensions: Vec<DimensionForm>,
    /// The figures, in the order of the nodes; the last dimension varies fastest.
    pub(crate) figures: Vec<FigureForm>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) percentages: Option<Vec<PercentageForm>>,
}

/// A variable of a table.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct DimensionForm {
    pub(crate) variable: String,
    pub(crate) label: String,
    pub(crate) kind: KindForm,
    #[serde(default, skip_serializing_if = "is_false")]
    pub(crate) several: bool,
    /// How many values the variable has, shown or not.
    pub(crate) size: usize,
    /// The source of the values. Nodes of two tables are the same if this and `values` are.
    pub(crate) source: ValueSource,
    pub(crate) nodes: Vec<NodeForm>,
    /// A total, and the nodes it is the sum of.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) sums: Vec<(usize, Vec<usize>)>,
}

/// The kind of a variable in the policy.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum KindForm {
    Fact,
    Geography,
    Rated,
}

/// A heading.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct NodeForm {
    pub(crate) label: String,
    pub(crate) level: usize,
    #[serde(default, skip_serializing_if = "is_false")]
    pub(crate) finest: bool,
    #[serde(default, skip_serializing_if = "is_false")]
    pub(crate) total: bool,
    #[serde(default, skip_serializing_if = "is_false")]
    pub(crate) high: bool,
    pub(crate) values: Vec<u32>,
}

/// A figure, or its symbol.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum FigureForm {
    Number(i64),
    Mark(FigureMark),
}

#[derive(Serialize, Deserialize)]
pub(crate) enum FigureMark {
    #[serde(rename = "[c]")]
    Hidden,
    #[serde(rename = "[low]")]
    Low,
    #[serde(rename = "[z]")]
    NotApplicable,
}

/// A percentage, or its symbol.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum PercentageForm {
    Number(f64),
    Mark(PercentageMark),
}

#[derive(Serialize, Deserialize)]
pub(crate) enum PercentageMark {
    #[serde(rename = "[c]")]
    Hidden,
    #[serde(rename = "[low]")]
    Low,
    #[serde(rename = "[z]")]
    NotApplicable,
}

fn is_false(value: &bool) -> bool {
    !value
}

fn is_zero(value: &usize) -> bool {
    *value == 0
}

/// The tables as one JSON file, from which [`read_json`](crate::read::read_json) restores them.
///
/// # Errors
/// Where there are no tables, or figures are not those of a table's cells.
pub fn write_json(publication: &Publication<'_>) -> Result<String> {
    publication.check()?;
    let file = TableFile {
        format: FORMAT.to_owned(),
        version: VERSION,
        title: publication.title.to_owned(),
        about: publication.about.to_owned(),
        policy: publication.policy.to_owned(),
        source: publication.source.map(str::to_owned),
        date: publication.date.map(str::to_owned),
        notes: publication.notes.to_vec(),
        statement: statement(publication),
        tables: publication.tables.iter().map(table_form).collect(),
    };
    Ok(serde_json::to_string(&file).map_err(Error::bug)? + "\n")
}

/// A table of an earlier release.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct EarlierForm {
    pub(crate) table: TableForm,
    pub(crate) earlier: Earlier,
}

/// The tables of earlier releases as JSON, with what is public of each cell, from which
/// [`read_earlier`](crate::read::read_earlier) restores them.
///
/// # Errors
/// If they cannot be written, which would be a bug.
pub fn write_earlier(tables: &[(Published, Earlier)]) -> Result<String> {
    let form = |(published, earlier): &(Published, Earlier)| EarlierForm {
        table: table_form(published),
        earlier: earlier.clone(),
    };
    Ok(serde_json::to_string(&tables.iter().map(form).collect::<Vec<_>>()).map_err(Error::bug)? + "\n")
}

fn table_form(published: &Published) -> TableForm {
    let table = &published.table;
    let percentages = wholes(published).map(|wholes| {
        let form = |cell: usize| match percentage(published, &wholes, cell) {
            Entry::Percentage(percentage) => PercentageForm::Number(percentage),
            Entry::Mark(HIDDEN) => PercentageForm::Mark(PercentageMark::Hidden),
            Entry::Mark(LOW) => PercentageForm::Mark(PercentageMark::Low),
            Entry::Mark(_) | Entry::Figure(_) => PercentageForm::Mark(PercentageMark::NotApplicable),
        };
        (0..published.figures.len()).map(form).collect()
    });
    let figure = |figure: &Figure| match figure {
        Figure::Shown(value) => FigureForm::Number(*value),
        Figure::Hidden => FigureForm::Mark(FigureMark::Hidden),
        Figure::Low => FigureForm::Mark(FigureMark::Low),
        Figure::NotApplicable => FigureForm::Mark(FigureMark::NotApplicable),
    };
    TableForm {
        name: table.name.clone(),
        title: table.title.clone(),
        unit: table.unit.clone(),
        condition: table.condition.clone(),
        records: table.records.clone(),
        kinds: table.kinds,
        geography: table.geography.clone(),
        category: published.category.clone(),
        protection: published.protection.clone(),
        measure: measure(table).to_owned(),
        of: table.magnitudes.as_ref().map(|magnitudes| magnitudes.of.clone()),
        weighted: table.weighted.is_some(),
        scale: published.scale,
        percent_of: table.percent_of.clone(),
        dimensions: table.dimensions.iter().map(dimension_form).collect(),
        figures: published.figures.iter().map(figure).collect(),
        percentages,
    }
}

fn dimension_form(dimension: &Dimension) -> DimensionForm {
    let node = |node: &Node| NodeForm {
        label: node.label.clone(),
        level: node.level,
        finest: node.finest,
        total: node.total,
        high: node.high,
        values: node.values.clone(),
    };
    DimensionForm {
        variable: dimension.variable.clone(),
        label: dimension.label.clone(),
        kind: match dimension.kind {
            Kind::Fact => KindForm::Fact,
            Kind::Geography => KindForm::Geography,
            Kind::Rated => KindForm::Rated,
        },
        several: dimension.several,
        size: dimension.size,
        source: dimension.source.clone(),
        nodes: dimension.nodes.iter().map(node).collect(),
        sums: dimension.sums.clone(),
    }
}
