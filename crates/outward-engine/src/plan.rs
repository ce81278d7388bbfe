//! What happens to records on their way from a source to a sink: the steps of a spec, compiled.

use std::sync::Arc;

use outward_microdata::steps::{ColumnStep, Setting, WholeStep};
use outward_places::grid::{CellSize, GridReference};
use outward_places::{Lookup, Mapping};
use outward_spec::{Error, GridForm, Hierarchy, Result, Step, Unknown};

use crate::condition::predicate;
use crate::counts::StepCounter;
use crate::places::{Coarsen, Direction, UnplacedCounter, UnplacedValues};
use crate::recode::Recode;
use crate::records::{Change, ROW_NUMBER, Records};
use crate::reshape::Reshape;

/// Steps in the order they are done. The same plan gives the same records on every engine.
#[derive(Debug, Clone, Default)]
pub struct Plan {
    actions: Vec<Action>,
    /// The keys of the records, for counts of uniques between steps.
    pub(crate) setting: Option<Arc<Setting>>,
}

#[derive(Debug, Clone)]
pub(crate) enum Action {
    Drop(Vec<String>),
    Keep(String),
    Recode { variable: String, level: usize, hierarchy: Arc<Hierarchy> },
    Place { variable: String, mapping: Arc<Lookup>, unknown: Unknown },
    Grid { variables: Vec<String>, given: GridForm, cell: CellSize, unknown: Unknown },
    Columns { variables: Vec<String>, step: Arc<ColumnStep> },
    Whole(Arc<WholeStep>),
}

impl Action {
    /// Whether it needs all records at once.
    pub(crate) fn is_whole(&self) -> bool {
        matches!(self, Self::Whole(_))
    }
}

/// The records after some steps, and what is counted while the records are read.
pub(crate) struct Planned {
    pub(crate) records: Records,
    /// What steps could not place.
    pub(crate) tallies: Vec<Arc<UnplacedCounter>>,
    /// For each step what it met.
    pub(crate) seen: Vec<StepCounter>,
}

impl Plan {
    /// The plan that changes nothing.
    pub fn unchanged() -> Self {
        Self::default()
    }

    /// The plan that publishes the codes of one variable as a mapping says.
    pub fn of_mapping(variable: &str, mapping: &Mapping, unknown: Unknown) -> Self {
        let mapping = Arc::new(Lookup::new(mapping));
        Self { actions: vec![Action::Place { variable: variable.to_owned(), mapping, unknown }], setting: None }
    }

    /// The plan that moves points to the corners of their cells of so many metres.
    pub fn of_grid(variables: &[String], given: GridForm, cell: u32, unknown: Unknown) -> Result<Self> {
        Ok(Self { actions: vec![grid(variables, given, cell, unknown)?], setting: None })
    }

    /// The steps of a spec, their hierarchies compiled and their mappings read.
    pub fn of_spec(setting: Setting) -> Result<Self> {
        let setting = Arc::new(setting);
        let spec = &setting.spec;
        let action = |(at, step): (usize, &Step)| -> Result<Action> {
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
                step => match ColumnStep::from_step(step, at, &setting)? {
                    Some((variables, step)) => Action::Columns { variables, step: Arc::new(step) },
                    None => Action::Whole(Arc::new(WholeStep::new(step.clone(), at, setting.clone())?)),
                },
            })
        };
        let actions = spec.steps.iter().enumerate().map(action).collect::<Result<_>>()?;
        Ok(Self { actions, setting: Some(setting.clone()) })
    }

    /// The same plan, and then the records alone that meet a condition.
    #[must_use]
    pub fn then_keep(mut self, condition: &str) -> Self {
        self.actions.push(Action::Keep(condition.to_owned()));
        self
    }

    /// The steps in their order.
    pub(crate) fn actions(&self) -> &[Action] {
        &self.actions
    }

    /// The records after all steps, none of which needs them all at once.
    pub(crate) fn apply(&self, records: Records) -> Result<Planned> {
        let mut planned = Planned::new(records);
        for action in &self.actions {
            planned = planned.then(action)?;
        }
        Ok(planned)
    }
}

impl Planned {
    /// Records before any step.
    pub(crate) fn new(records: Records) -> Self {
        Self { records, tallies: Vec::new(), seen: Vec::new() }
    }

    /// The records after one more step.
    pub(crate) fn then(mut self, action: &Action) -> Result<Self> {
        let records = self.records;
        let mut seen = StepCounter::default();
        self.records = match action {
            Action::Drop(variables) => {
                variables.iter().try_for_each(|variable| records.must_have(variable).map(drop))?;
                records.select(|name| !variables.iter().any(|variable| variable == name))
            }
            Action::Keep(condition) => {
                let keep = predicate(records.schema(), condition)?;
                records.keep(keep, seen.kept())
            }
            Action::Recode { variable, level, hierarchy } => {
                let recode = Recode::new(variable, *level, hierarchy.clone(), seen.categories(variable));
                records.replace(&[(variable, Arc::new(recode), vec![variable])])?
            }
            Action::Place { variable, mapping, unknown } => {
                let tally = UnplacedCounter::new(std::slice::from_ref(variable), *unknown);
                self.tallies.push(tally.clone());
                let coarsen = Coarsen::codes(mapping.clone(), tally);
                records.replace(&[(variable, Arc::new(coarsen), vec![variable, ROW_NUMBER])])?
            }
            Action::Grid { variables, given, cell, unknown } => {
                let tally = UnplacedCounter::new(variables, *unknown);
                self.tallies.push(tally.clone());
                on_the_grid(records, variables, *given, *cell, &tally)?
            }
            Action::Columns { variables, step } => {
                let mut change = |variable: &String| -> Arc<dyn Change> {
                    Arc::new(Reshape::new(variable, step.clone(), seen.reshaped(variable)))
                };
                let changes: Vec<_> = variables
                    .iter()
                    .map(|name| (name.as_str(), change(name), vec![name.as_str(), ROW_NUMBER]))
                    .collect();
                records.replace(&changes)?
            }
            Action::Whole(_) => return Err(Error::bug("a step that needs the whole file was given single records")),
        };
        self.seen.push(seen);
        Ok(self)
    }
}

/// What steps could not place and left out; an error if a step refuses it.
pub(crate) fn settle(tallies: &[Arc<UnplacedCounter>]) -> Result<Vec<UnplacedValues>> {
    tallies.iter().filter_map(|tally| tally.settle().transpose()).collect()
}

fn on_the_grid(
    records: Records,
    variables: &[String],
    given: GridForm,
    cell: CellSize,
    tally: &Arc<UnplacedCounter>,
) -> Result<Records> {
    match variables {
        [reference] => {
            let coarsen = Coarsen::references(cell, tally.clone());
            records.replace(&[(reference, Arc::new(coarsen), vec![reference, ROW_NUMBER])])
        }
        [a, b] => {
            let one =
                |direction| -> Arc<dyn Change> { Arc::new(Coarsen::points(cell, given, direction, tally.clone())) };
            // A latitude comes first and becomes the northing.
            let (first, second) = match given {
                GridForm::Degrees => (Direction::North, Direction::East),
                GridForm::Metres | GridForm::Reference => (Direction::East, Direction::North),
            };
            let columns = vec![a.as_str(), b, ROW_NUMBER];
            records.replace(&[(a, one(first), columns.clone()), (b, one(second), columns)])
        }
        _ => Err(Error::bug("a step to the grid has neither one nor two variables")),
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
        // This is refused before a record is read: a reference cannot name every size of cell.
        GridReference::from_metres(0.0, 0.0, cell)?;
    }
    Ok(Action::Grid { variables: variables.to_vec(), given, cell, unknown })
}
