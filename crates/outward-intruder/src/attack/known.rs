//! What the intruder of a scenario knows, from the spec: the variables, how their labels are read, and the mistakes.

use outward_error::{Error, Result};
use outward_spec::{Hierarchy, HierarchySpec, KnownError, Missing, Number, Scenario, Spec, Step, Type, Variable};

/// How the labels of a variable are read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Scale {
    /// Words or codes. Labels are compared as text, and by hierarchies.
    #[default]
    Text,
    /// Numbers and bands of them.
    Number,
    /// Dates and parts of them.
    Date,
}

/// How values of a variable in one file can agree with those in another.
#[derive(Debug, Clone, Default)]
pub struct Form {
    /// The variable.
    pub name: String,
    /// How its labels are read.
    pub scale: Scale,
    /// Its hierarchies. The levels of a scenario are those of the first.
    pub hierarchies: Vec<Hierarchy>,
    /// Numbers that differ by no more than this agree, as they were rounded or blurred.
    pub tolerance: f64,
    /// Whether a missing value of the release may be any value.
    pub missing_matches: bool,
    /// Whether the smallest number of the release represents all smaller ones.
    pub bottom_coded: bool,
    /// Whether the largest number of the release represents all larger ones.
    pub top_coded: bool,
}

impl Form {
    /// A variable of words without a hierarchy, whose missing values match everything.
    #[must_use]
    pub fn text(name: impl Into<String>) -> Self {
        Self { name: name.into(), missing_matches: true, ..Self::default() }
    }

    /// Joins the form of the same variable in another release, so that labels of either can be read.
    pub fn join(&mut self, other: Self) {
        self.hierarchies.extend(other.hierarchies);
        self.tolerance = self.tolerance.max(other.tolerance);
        self.missing_matches |= other.missing_matches;
        self.bottom_coded |= other.bottom_coded;
        self.top_coded |= other.top_coded;
    }

    /// The form of a variable of a spec after the steps.
    ///
    /// # Errors
    /// Where a hierarchy cannot be read.
    pub fn from_spec(spec: &Spec, variable: &Variable) -> Result<Self> {
        let compile = |hierarchy| Hierarchy::compile(hierarchy, &spec.base, &variable.name);
        let name = &variable.name;
        let named = |names: &[String]| names.contains(name);
        let mut form = Self {
            name: name.clone(),
            scale: scale(variable),
            hierarchies: variable.hierarchies().map(compile).collect::<Result<_>>()?,
            missing_matches: spec.missing_of(variable) == Missing::Wildcard,
            ..Self::default()
        };
        for step in &spec.steps {
            match step {
                Step::Round { variables, base: Number(base), unbiased } if named(variables) => {
                    form.tolerance += if *unbiased { *base } else { base / 2.0 };
                }
                Step::SuppressCells { keys, .. } => form.missing_matches |= keys.is_empty() || named(keys),
                Step::RecodeLocally { .. } => form.missing_matches = true,
                Step::Limit { variable, bottom, top, bottom_share, top_share, .. } if variable == name => {
                    form.bottom_coded |= bottom.is_some() || bottom_share.is_some();
                    form.top_coded |= top.is_some() || top_share.is_some();
                }
                _ => {}
            }
        }
        Ok(form)
    }
}

fn scale(variable: &Variable) -> Scale {
    match (variable.data_type, &variable.hierarchy) {
        (Some(Type::Integer | Type::Number), _)
        | (_, Some(HierarchySpec::Bands { .. } | HierarchySpec::Width { .. } | HierarchySpec::Widths { .. })) => {
            Scale::Number
        }
        (Some(Type::Date), _) | (_, Some(HierarchySpec::Date { .. })) => Scale::Date,
        _ => Scale::Text,
    }
}

/// A variable the intruder knows.
#[derive(Debug, Clone, Default)]
pub struct KnownVariable {
    /// How its values are read.
    pub form: Form,
    /// The level of the first hierarchy at which the intruder knows it.
    pub level: usize,
    /// The mistakes in what they know.
    pub errors: Vec<KnownError>,
}

impl KnownVariable {
    /// The variables the intruder of a scenario knows, in the order of the spec.
    ///
    /// # Errors
    /// Where a hierarchy cannot be read, or has no level at which the scenario says a variable is known.
    pub fn from_scenario(spec: &Spec, scenario: &Scenario) -> Result<Vec<Self>> {
        let names = spec.scenario_keys(scenario);
        let variables = names.iter().filter_map(|name| spec.variable(name));
        variables.map(|variable| Self::of_variable(spec, scenario, variable)).collect()
    }

    fn of_variable(spec: &Spec, scenario: &Scenario, variable: &Variable) -> Result<Self> {
        let form = Form::from_spec(spec, variable)?;
        let Some(known) = scenario.known.iter().find(|known| known.picks(variable)) else {
            return Ok(Self { form, ..Self::default() });
        };
        let known = Self { form, level: known.level, errors: known.errors.clone() };
        known.check_level()?;
        Ok(known)
    }

    /// Checks that the level is one of the hierarchy.
    pub(super) fn check_level(&self) -> Result<()> {
        let name = &self.form.name;
        let (what, help) = match self.form.hierarchies.first() {
            _ if self.level == 0 => return Ok(()),
            Some(hierarchy) if self.level < hierarchy.levels() => return Ok(()),
            Some(hierarchy) => (
                format!("`{name}` has no level {}", self.level),
                format!("its levels are 0 (the value itself) to {} (`*`)", hierarchy.levels() - 1),
            ),
            None => (
                format!("`{name}` has no hierarchy"),
                "give the variable a `hierarchy` in the spec, or ask for no level of it".to_owned(),
            ),
        };
        Err(Error::input(what).variable(name).help(help).into())
    }
}
