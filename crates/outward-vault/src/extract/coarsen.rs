//! What the vault makes coarser itself: postcodes, and fields with codes that too few people hold.
//!
//! A label is written in the place of the value, so that no list of codes in the bundle tells which rare ones there were. Everything else is left to the
//! steps of the spec.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use arrow_array::{Array, ArrayRef, Float64Array, RecordBatch, StringArray};
use arrow_cast::display::{ArrayFormatter, FormatOptions};
use arrow_schema::{DataType, Field, Schema};
use outward_error::{Error, Result};
use outward_places::Postcode;
use outward_spec::{Hierarchy, HierarchySpec, Role, Spec, Step, Type, Variable};
use serde::Serialize;

use super::Phase;
use crate::participants::Identified;
use crate::phased::Returned;
use crate::rare::{Grouped, Ladder, group_upward};
use crate::table::TableDescription;

/// A field whose rare codes were grouped.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct GroupedField {
    /// The field.
    pub field: String,
    /// How many codes stand in a coarser label than they would without the rule.
    pub codes: u64,
}

/// Records, and what their columns are now.
#[derive(Debug)]
pub(super) struct Coarsened {
    pub(super) records: RecordBatch,
    pub(super) variables: Vec<Variable>,
    pub(super) grouped: Vec<GroupedField>,
}

/// Makes coarser what the vault makes coarser itself. `people` has the running number behind every record.
pub(super) fn coarsen(
    table: &TableDescription,
    spec: &Spec,
    records: RecordBatch,
    people: &[u32],
    least: u64,
    phase: Option<Phase>,
) -> Result<Coarsened> {
    let (mut fields, mut columns, mut variables, mut grouped) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let schema = records.schema();
    for (field, column) in schema.fields().iter().zip(records.columns()) {
        let name = field.name();
        let mut variable = spec.variable(name).cloned().unwrap_or_else(|| Variable::named(name));
        variable.format = None;
        let way = way_of(table, spec, &mut variable, column)?;
        let is_judged = variable.role.is_key() && phase != Some(Phase::One) && !is_position(spec, name);
        let labels = match &way {
            Way::Postcode => Some(group(column, people, &Outward, 1, if is_judged { least } else { 0 }, name)?),
            Way::Steps { hierarchy, level } if is_judged => {
                let made = group(column, people, hierarchy, *level, least, name)?;
                (made.raised > 0).then_some(made)
            }
            Way::Steps { .. } => None,
        };
        match labels {
            None => {
                if is_position(spec, name) {
                    // A square of the grid is no key: the protocol releases it as it is.
                    variable.role = Role::Plain;
                    variable.allow = Some("a square of the national grid, as the policy releases it".to_owned());
                }
                fields.push(Arc::clone(field));
                columns.push(Arc::clone(column));
            }
            Some(labels) => {
                refuse_numbers(&variable, spec, name)?;
                if labels.raised > 0 {
                    grouped.push(GroupedField { field: name.clone(), codes: labels.raised });
                    let label =
                        format!("{}; codes with fewer than {least} people stand in their group", variable.label());
                    variable.label = Some(label);
                }
                variable.hierarchy = None;
                variable.data_type = Some(Type::Text);
                fields.push(Arc::new(Field::new(name, DataType::Utf8, true)));
                columns.push(labelled(column, &labels)?);
            }
        }
        variables.push(variable);
    }
    let options = arrow_array::RecordBatchOptions::new().with_row_count(Some(records.num_rows()));
    let records =
        RecordBatch::try_new_with_options(Arc::new(Schema::new(fields)), columns, &options).map_err(Error::bug)?;
    Ok(Coarsened { records, variables, grouped })
}

/// How a field becomes coarser.
enum Way {
    /// A postcode loses its last three characters.
    Postcode,
    /// The steps of the spec recode it to a level of its hierarchy; 0 where they do not.
    Steps { hierarchy: FieldLadder, level: usize },
}

/// The hierarchy of a field, or none: then a code is itself or one of the others.
struct FieldLadder(Option<Hierarchy>);

impl Ladder for FieldLadder {
    fn label<'a>(&'a self, code: &'a str, level: usize) -> Option<Cow<'a, str>> {
        match &self.0 {
            None => Some(code.into()),
            Some(hierarchy) => hierarchy.recode(code, level),
        }
    }

    fn levels(&self) -> usize {
        self.0.as_ref().map_or(2, Hierarchy::levels)
    }
}

/// A postcode, its outward code, its area, and all.
struct Outward;

impl Ladder for Outward {
    fn label<'a>(&'a self, code: &'a str, level: usize) -> Option<Cow<'a, str>> {
        let postcode = Postcode::parse(code).ok()?;
        Some(match level {
            1 => postcode.outward().to_owned().into(),
            _ => postcode.area().to_owned().into(),
        })
    }

    fn levels(&self) -> usize {
        4
    }
}

/// How a field becomes coarser, and its role then: a date of birth by its month is a key like others.
fn way_of(table: &TableDescription, spec: &Spec, variable: &mut Variable, column: &ArrayRef) -> Result<Way> {
    let name = variable.name.clone();
    let recoded = spec.steps.iter().rev().find_map(|step| match step {
        Step::Recode { variable, level } if *variable == name => Some(*level),
        _ => None,
    });
    let has_place_step =
        spec.steps.iter().any(|step| matches!(step, Step::Place { variable, .. } if *variable == name));
    if variable.role == Role::Geography && variable.hierarchy.is_none() && !has_place_step && holds_postcodes(column)? {
        return Ok(Way::Postcode);
    }
    let mut level = recoded.unwrap_or_default();
    if variable.role == Role::DateOfBirth {
        use outward_spec::DatePart;
        let is_by_parts = matches!(&variable.hierarchy, Some(HierarchySpec::Date { .. }));
        if !is_by_parts || level == 0 {
            variable.hierarchy = Some(HierarchySpec::Date { date: vec![DatePart::Month, DatePart::Year] });
            level = 1;
        }
        variable.role = Role::Key;
    }
    Ok(Way::Steps { hierarchy: FieldLadder(table.hierarchy(variable)?), level })
}

/// Whether a field is one of a position on the grid.
fn is_position(spec: &Spec, field: &str) -> bool {
    spec.steps
        .iter()
        .any(|step| matches!(step, Step::Grid { variables, .. } if variables.iter().any(|name| name == field)))
}

/// Whether a column of text holds whole postcodes: most of its values are some.
fn holds_postcodes(column: &ArrayRef) -> Result<bool> {
    if !matches!(
        column.data_type(),
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View | DataType::Dictionary(..)
    ) {
        return Ok(false);
    }
    let (mut whole, mut values) = (0, 0);
    for_each_value(column, |_, value| {
        values += 1;
        whole += usize::from(Postcode::parse(value).is_ok_and(|postcode| postcode.unit().is_some()));
    })?;
    Ok(values > 0 && 2 * whole > values)
}

/// A number with rare values cannot become a label: it would be text, and nobody knows which group it is in.
fn refuse_numbers(variable: &Variable, spec: &Spec, name: &str) -> Result<()> {
    let known = spec.variable(name);
    let is_number = known.is_some_and(|known| matches!(known.data_type, Some(Type::Integer | Type::Number)));
    match is_number && variable.hierarchy.is_none() {
        true => Err(Error::input("this key has values that too few people hold, and no hierarchy")
            .variable(name)
            .help("give it bands in the spec of its table (`hierarchy = { width = 5 }`), or another role than `key`")
            .into()),
        false => Ok(()),
    }
}

fn for_each_value(column: &ArrayRef, mut visit: impl FnMut(usize, &str)) -> Result<()> {
    let options = FormatOptions::default();
    let shown = ArrayFormatter::try_new(column, &options).map_err(Error::bug)?;
    let mut text = String::new();
    for row in 0..column.len() {
        if column.is_null(row) {
            continue;
        }
        text.clear();
        shown.value(row).write(&mut text).map_err(Error::bug)?;
        let value = text.trim();
        if !value.is_empty() {
            visit(row, value);
        }
    }
    Ok(())
}

/// Groups the codes of a column upward.
fn group(
    column: &ArrayRef,
    people: &[u32],
    ladder: &dyn Ladder,
    from: usize,
    least: u64,
    field: &str,
) -> Result<Grouped> {
    let mut holders: HashMap<String, Vec<u32>> = HashMap::new();
    for_each_value(column, |row, value| {
        if ladder.label(value, from).is_none() {
            return;
        }
        match holders.get_mut(value) {
            // Records of one person are next to each other.
            Some(of) if of.last() == Some(&people[row]) => {}
            Some(of) => of.push(people[row]),
            None => {
                holders.insert(value.to_owned(), vec![people[row]]);
            }
        }
    })?;
    let holders: BTreeMap<String, Vec<u32>> = holders.into_iter().collect();
    group_upward(&holders, ladder, from, least).ok_or_else(|| {
        Error::input(format!("fewer than {least} people have a value of this field"))
            .variable(field)
            .help("leave it out with --fields, or wait until there are more")
            .into()
    })
}

/// A column of the labels of its values; what has none is missing.
fn labelled(column: &ArrayRef, labels: &Grouped) -> Result<ArrayRef> {
    let mut made: Vec<Option<&str>> = vec![None; column.len()];
    for_each_value(column, |row, value| made[row] = labels.labels.get(value).map(String::as_str))?;
    Ok(Arc::new(StringArray::from(made)))
}

impl Coarsened {
    /// Adds what researchers returned after the first phase, by person.
    pub(super) fn add_returned(&mut self, returned: &Returned, people: &[u32], identified: &Identified) -> Result<()> {
        let schema = self.records.schema();
        let mut fields: Vec<_> = schema.fields().iter().map(Arc::clone).collect();
        let mut columns = self.records.columns().to_vec();
        for (at, name) in returned.columns.iter().enumerate() {
            if schema.index_of(name).is_ok() {
                return Err(Error::input("the returned results have a column that the table has too")
                    .variable(name)
                    .help("have it returned under another name")
                    .into());
            }
            let value = |number: &u32| returned.value(identified.pids[*number as usize], at);
            let column: Float64Array = people.iter().map(value).collect();
            fields.push(Arc::new(Field::new(name, DataType::Float64, true)));
            columns.push(Arc::new(column) as ArrayRef);
            self.variables
                .push(Variable { label: Some(format!("{name}, of the group of places")), ..Variable::named(name) });
        }
        self.records = RecordBatch::try_new(Arc::new(Schema::new(fields)), columns).map_err(Error::bug)?;
        Ok(())
    }
}
