//! What happens to records on their way from a source to a sink: the steps of a spec, compiled.

use std::sync::Arc;

use datafusion::common::tree_node::TreeNode;
use datafusion::dataframe::DataFrame;
use datafusion::logical_expr::{Expr, ScalarUDF, Volatility};
use datafusion::prelude::ident;
use outward_places::grid::{CellSize, GridReference};
use outward_places::{Lookup, Mapping};
use outward_spec::{Error, GridForm, Hierarchy, Result, Spec, Step, Unknown, suggest};

use crate::failure::{in_condition, while_reading};
use crate::places::{Coarsen, Direction, Tally};
use crate::recode::Recode;
use crate::table::ROW;

/// Steps in the order they are done. The same plan gives the same records on every engine.
#[derive(Debug, Clone, Default)]
pub struct Plan {
    actions: Vec<Action>,
}

#[derive(Debug, Clone)]
enum Action {
    Drop(Vec<String>),
    Keep(String),
    Recode { variable: String, level: usize, hierarchy: Arc<Hierarchy> },
    Place { variable: String, mapping: Arc<Lookup>, unknown: Unknown },
    Grid { variables: Vec<String>, given: GridForm, cell: CellSize, unknown: Unknown },
}

/// The records after all steps, and what the steps could not place, counted while the records are read.
pub(crate) struct Planned {
    pub(crate) records: DataFrame,
    pub(crate) tallies: Vec<Arc<Tally>>,
}

impl Plan {
    /// The plan that changes nothing.
    pub fn unchanged() -> Self {
        Self::default()
    }

    /// The plan that publishes the codes of one variable as a mapping says.
    pub fn of_mapping(variable: &str, mapping: &Mapping, unknown: Unknown) -> Self {
        let mapping = Arc::new(Lookup::new(mapping));
        Self { actions: vec![Action::Place { variable: variable.to_owned(), mapping, unknown }] }
    }

    /// The plan that moves points to the corners of their cells of so many metres.
    pub fn of_grid(variables: &[String], given: GridForm, cell: u32, unknown: Unknown) -> Result<Self> {
        Ok(Self { actions: vec![grid(variables, given, cell, unknown)?] })
    }

    /// The steps of a spec, their hierarchies compiled and their mappings read.
    pub fn of_spec(spec: &Spec) -> Result<Self> {
        let action = |step: &Step| -> Result<Action> {
            Ok(match step {
                Step::Drop { variables } => Action::Drop(variables.clone()),
                Step::Keep { condition } => Action::Keep(condition.clone()),
                Step::Recode { variable, level } => {
                    let hierarchy = match spec.variable(variable) {
                        Some(declared) => spec.hierarchy(declared)?,
                        None => None,
                    };
                    let hierarchy = hierarchy
                        .ok_or_else(|| Error::input("there is no hierarchy to recode by").variable(variable))?;
                    Action::Recode { variable: variable.clone(), level: *level, hierarchy: Arc::new(hierarchy) }
                }
                Step::Place { variable, mapping, unknown } => Action::Place {
                    variable: variable.clone(),
                    mapping: Arc::new(Lookup::new(&Mapping::load(spec.resolve(mapping))?)),
                    unknown: *unknown,
                },
                Step::Grid { variables, given, cell, unknown } => {
                    grid(variables, given.unwrap_or(GridForm::usual(variables.len())), *cell, *unknown)?
                }
            })
        };
        Ok(Self { actions: spec.steps.iter().map(action).collect::<Result<_>>()? })
    }

    /// The records after all steps.
    pub(crate) fn apply(&self, mut records: DataFrame) -> Result<Planned> {
        let mut tallies = Vec::new();
        for action in &self.actions {
            records = match action {
                Action::Drop(variables) => {
                    variables.iter().try_for_each(|variable| must_have(&records, variable))?;
                    let kept: Vec<_> = names(&records).filter(|name| !variables.contains(name)).map(ident).collect();
                    records.select(kept).map_err(while_reading)?
                }
                Action::Keep(condition) => {
                    let keep = parse_condition(&records, condition)?;
                    records.filter(keep).map_err(|error| in_condition(condition, &error))?
                }
                Action::Recode { variable, level, hierarchy } => {
                    let recode = ScalarUDF::new_from_impl(Recode::new(variable, *level, hierarchy.clone()));
                    replace(records, vec![(variable, recode, vec![variable])])?
                }
                Action::Place { variable, mapping, unknown } => {
                    let tally = Tally::new(std::slice::from_ref(variable), *unknown);
                    tallies.push(tally.clone());
                    let coarsen = Coarsen::codes(mapping.clone(), tally);
                    replace(records, vec![(variable, ScalarUDF::new_from_impl(coarsen), vec![variable, ROW])])?
                }
                Action::Grid { variables, given, cell, unknown } => {
                    let tally = Tally::new(variables, *unknown);
                    tallies.push(tally.clone());
                    match &variables[..] {
                        [reference] => {
                            let coarsen = Coarsen::references(*cell, tally);
                            replace(
                                records,
                                vec![(reference, ScalarUDF::new_from_impl(coarsen), vec![reference, ROW])],
                            )?
                        }
                        [a, b] => {
                            let one = |direction| {
                                ScalarUDF::new_from_impl(Coarsen::points(*cell, *given, direction, tally.clone()))
                            };
                            // A latitude comes first and becomes the northing.
                            let (first, second) = match given {
                                GridForm::Degrees => (Direction::North, Direction::East),
                                GridForm::Metres | GridForm::Reference => (Direction::East, Direction::North),
                            };
                            let columns = vec![a.as_str(), b, ROW];
                            replace(records, vec![(a, one(first), columns.clone()), (b, one(second), columns)])?
                        }
                        _ => return Err(Error::bug("a step to the grid has neither one nor two variables")),
                    }
                }
            };
        }
        Ok(Planned { records, tallies })
    }
}

fn grid(variables: &[String], given: GridForm, cell: u32, unknown: Unknown) -> Result<Action> {
    let fits = match variables {
        [_] => given == GridForm::Reference,
        [a, b] => given != GridForm::Reference && a != b,
        _ => false,
    };
    if !fits {
        return Err(Error::input("the columns do not fit the way they say where")
            .help("name two columns for metres or degrees, one for a grid reference")
            .into());
    }
    let cell = CellSize::new(cell)?;
    if given == GridForm::Reference {
        // Said before a record is read: a reference cannot name every size of cell.
        GridReference::of(0.0, 0.0, cell)?;
    }
    Ok(Action::Grid { variables: variables.to_vec(), given, cell, unknown })
}

/// Replaces variables by functions of columns, all of them as they were before.
fn replace(records: DataFrame, changes: Vec<(&String, ScalarUDF, Vec<&str>)>) -> Result<DataFrame> {
    changes.iter().try_for_each(|(variable, ..)| must_have(&records, variable))?;
    let changed = names(&records).map(|name| match changes.iter().find(|(variable, ..)| **variable == name) {
        Some((_, function, columns)) => function.call(columns.iter().copied().map(ident).collect()).alias(name),
        None => ident(name),
    });
    let changed: Vec<_> = changed.collect();
    records.select(changed).map_err(while_reading)
}

/// Conditions beyond this nest too deeply to be parsed on an ordinary stack.
const LONGEST_CONDITION: usize = 10_000;

/// An SQL condition on one record: deterministic, and about nothing but the record.
pub(crate) fn parse_condition(records: &DataFrame, condition: &str) -> Result<Expr> {
    let refuse = |why: &str| -> Error {
        let start: String = condition.chars().take(60).collect();
        let help = "a condition compares the variables of one record, such as region = 'Wales' AND age >= 16";
        Error::input(format!("the condition `{start}` {why}")).help(help).into()
    };
    if condition.len() > LONGEST_CONDITION {
        return Err(refuse(&format!("… is longer than {LONGEST_CONDITION} bytes")));
    }
    let parsed = records.parse_sql_expr(condition).map_err(|error| in_condition(condition, &error))?;
    // A function that only stays the same within one run, such as now(), is as bad as one that never does.
    let looks_elsewhere = |part: &Expr| {
        Ok(match part {
            Expr::WindowFunction(_) | Expr::AggregateFunction(_) => true,
            Expr::ScalarSubquery(_) | Expr::Exists(_) | Expr::InSubquery(_) => true,
            Expr::ScalarVariable(..) | Expr::Placeholder(_) => true,
            Expr::ScalarFunction(called) => called.func.signature().volatility != Volatility::Immutable,
            _ => false,
        })
    };
    if parsed.exists(looks_elsewhere).unwrap_or(true) {
        return Err(refuse("looks beyond the record, or gives another answer each time"));
    }
    if parsed.column_refs().iter().any(|column| column.name == ROW) {
        return Err(refuse("names the number of the row"));
    }
    // Filtering says whether it is true or false of a record, which a projection would not.
    records.clone().filter(parsed.clone()).map_err(|error| in_condition(condition, &error))?;
    Ok(parsed)
}

/// The names of all columns. DataFusion's own dropping takes a name for SQL: it lower-cases it and splits it at dots, and
/// then passes over what it does not find.
pub(crate) fn names(records: &DataFrame) -> impl Iterator<Item = String> {
    let names: Vec<String> = records.schema().fields().iter().map(|field| field.name().clone()).collect();
    names.into_iter()
}

/// That a variable is there, or an error with the nearest name.
pub(crate) fn must_have(records: &DataFrame, variable: &str) -> Result<()> {
    let names: Vec<&str> = records.schema().fields().iter().map(|field| field.name().as_str()).collect();
    if names.contains(&variable) {
        return Ok(());
    }
    let known = names.into_iter().filter(|name| *name != ROW);
    let fault = Error::input(format!("there is no column `{variable}`"));
    Err(fault.help(suggest(variable, known, "columns")).into())
}
