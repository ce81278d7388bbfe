//! What happens to records on their way from a source to a sink: the steps of a spec, compiled.

use std::sync::Arc;

use datafusion::dataframe::DataFrame;
use datafusion::logical_expr::ScalarUDF;
use datafusion::prelude::ident;
use outward_spec::{Error, Hierarchy, Result, Spec, Step, suggest};

use crate::failure::{in_condition, while_reading};
use crate::recode::Recode;

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
}

impl Plan {
    /// The plan that changes nothing.
    pub fn unchanged() -> Self {
        Self::default()
    }

    /// The steps of a spec, their hierarchies compiled.
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
            })
        };
        Ok(Self { actions: spec.steps.iter().map(action).collect::<Result<_>>()? })
    }

    /// The records after all steps.
    pub(crate) fn apply(&self, mut records: DataFrame) -> Result<DataFrame> {
        for action in &self.actions {
            records = match action {
                Action::Drop(variables) => {
                    variables.iter().try_for_each(|variable| must_have(&records, variable))?;
                    let names: Vec<&str> = variables.iter().map(String::as_str).collect();
                    records.drop_columns(&names).map_err(while_reading)?
                }
                Action::Keep(condition) => {
                    let keep = records.parse_sql_expr(condition).map_err(|error| in_condition(condition, &error))?;
                    records.filter(keep).map_err(|error| in_condition(condition, &error))?
                }
                Action::Recode { variable, level, hierarchy } => {
                    must_have(&records, variable)?;
                    let recode = ScalarUDF::new_from_impl(Recode::new(variable, *level, hierarchy.clone()));
                    records.with_column(variable, recode.call(vec![ident(variable)])).map_err(while_reading)?
                }
            };
        }
        Ok(records)
    }
}

/// That a variable is there, or an error with the nearest name.
pub(crate) fn must_have(records: &DataFrame, variable: &str) -> Result<()> {
    let names: Vec<&str> = records.schema().fields().iter().map(|field| field.name().as_str()).collect();
    if names.contains(&variable) {
        return Ok(());
    }
    let known = names.into_iter().filter(|name| *name != crate::table::ROW);
    let fault = Error::input(format!("there is no column `{variable}`"));
    Err(fault.help(suggest(variable, known, "columns")).into())
}
