//! What must be true of steps, and of the search for a plan, beyond their shape.

use crate::document::PathStep;
use crate::spec::{GridForm, NoiseKind, Sampling, Step};
use crate::variable::{Role, Variable};
use outward_error::{Error, Result};

use super::SpecCheck;

impl SpecCheck<'_> {
    /// Every step names variables that are there, and says what it needs.
    pub(super) fn steps(&self) -> Result<()> {
        let mut dropped: Vec<&str> = Vec::new();
        for (i, step) in self.spec.steps.iter().enumerate() {
            self.names(i, step, &dropped)?;
            self.step(i, step)?;
            if let Step::Drop { variables } = step {
                dropped.extend(variables.iter().map(String::as_str));
            }
        }
        Ok(())
    }

    fn names(&self, i: usize, step: &Step, dropped: &[&str]) -> Result<()> {
        let mut seen: Vec<(&str, &String)> = Vec::new();
        for (field, name) in step.variables() {
            let single = self.spec.variable(name).is_some() && !dropped.contains(&name.as_str());
            let way = self.way_to(i, field, &seen);
            if !single {
                self.there(&way, name, dropped)?;
            }
            // Lists of lists may name a variable again.
            if seen.contains(&(field, name)) && !matches!(field, "similar" | "hold") {
                return Err(self.fault(&way, format!("`{name}` is there twice")).help("name it once").into());
            }
            seen.push((field, name));
        }
        Ok(())
    }

    /// The way to the next name of a field: into the list where the field is one.
    fn way_to(&self, i: usize, field: &'static str, seen: &[(&str, &String)]) -> Vec<PathStep<'static>> {
        let mut way = vec!["steps".into(), i.into(), field.into()];
        if !matches!(field, "variable" | "importance" | "similar" | "hold") {
            way.push(seen.iter().filter(|(other, _)| *other == field).count().into());
        }
        way
    }

    fn step(&self, i: usize, step: &Step) -> Result<()> {
        let at = |field: &'static str| ["steps".into(), i.into(), field.into()];
        let fault = |field: &'static str, what: &str, help: &str| -> Result<()> {
            Err(self.fault(&at(field), what).help(help).into())
        };
        match step {
            Step::Recode { variable, .. }
                if self.spec.variable(variable).is_none_or(|known| known.hierarchy.is_none()) =>
            {
                let what = format!("`{variable}` has no hierarchy to recode by");
                return fault("variable", &what, "give the variable a `hierarchy`");
            }
            Step::Grid { variables, given, .. } => {
                let wanted = given.unwrap_or(GridForm::usual(variables.len())).variables();
                if variables.len() != wanted {
                    let help = "two variables for metres or degrees (east before north, latitude before longitude), one for a grid reference";
                    let what = format!("a step to the grid needs {wanted} variables and has {}", variables.len());
                    return fault("variables", &what, help);
                }
            }
            Step::Limit { bottom, top, bottom_share, top_share, .. } => {
                if bottom.is_none() && top.is_none() && bottom_share.is_none() && top_share.is_none() {
                    return fault("variable", "this step has no limit", "add `top = ...` or `bottom = ...`");
                }
                for (field, twice) in [
                    ("bottom_share", bottom.is_some() && bottom_share.is_some()),
                    ("top_share", top.is_some() && top_share.is_some()),
                ] {
                    if twice {
                        return fault(field, "a limit is said twice", "keep the value or the share");
                    }
                }
                if bottom.zip(*top).is_some_and(|(bottom, top)| bottom >= top) {
                    return fault("bottom", "the lower limit is not below the upper one", "exchange them");
                }
            }
            Step::Round { base, .. } if base.0 <= 0.0 => {
                return fault("base", "a base must be above 0", "write a number such as 5");
            }
            Step::SuppressCells { importance, .. }
                if importance.values().any(|cost| !cost.is_finite() || *cost <= 0.0) =>
            {
                return fault("importance", "what a value costs must be above 0", "write a number such as 2");
            }
            Step::Sample { method, fraction, size, by, households } => {
                if fraction.is_some() && size.is_some() {
                    return fault("size", "a sample has a share and a size", "keep one of them");
                }
                if fraction.is_none() && size.is_none() {
                    return fault(
                        "do",
                        "a sample needs its share or its size",
                        "add `fraction = 0.01` or `size = 1000`",
                    );
                }
                if *fraction == Some(0.0) {
                    return fault("fraction", "a sample of nothing", "write a share above 0");
                }
                if *method == Sampling::Stratified && by.is_empty() {
                    return fault("method", "the strata are not said", "add `by = [...]`");
                }
                if *method == Sampling::Simple && !by.is_empty() {
                    let help = "write `method = \"stratified\"` or `method = \"systematic\"`, or remove `by`";
                    return fault("by", "a simple sample is not drawn by variables", help);
                }
                if *households && self.spec.household().is_none() {
                    let help = "give the variable that holds households together the role `household`";
                    return fault("households", "no variable has the role `household`", help);
                }
            }
            Step::Swap { geography, keys, k, population_below, share, hold, .. } => {
                if *k < 2 && *population_below < 2 && *share == 0.0 {
                    let help = "add `k = 3` for risky records, `population_below = 2`, or `share = 0.02`";
                    return fault("do", "this step would swap nothing", help);
                }
                if let Some(name) = keys.iter().find(|name| geography.contains(name)) {
                    let what = format!("`{name}` is what is swapped, so it cannot make a record risky in its place");
                    return fault("keys", &what, "leave it out of `keys`");
                }
                if let Some(name) = hold.iter().flatten().find(|name| geography.contains(name)) {
                    let what = format!("`{name}` is what is swapped; each table of `hold` is counted by it already");
                    return fault("hold", &what, "leave it out of `hold`");
                }
                return self.other_places(i, geography);
            }
            Step::Pram { variables, within, .. } => {
                if let Some(name) = variables.iter().find(|name| within.contains(name)) {
                    let what = format!("`{name}` cannot change within its own categories");
                    return fault("within", &what, "leave it out of `within`");
                }
            }
            Step::RemoveRare { variable, within, .. } if within.contains(variable) => {
                return fault("within", "a category cannot be rare within itself", "leave it out of `within`");
            }
            Step::Noise { amount, kind, .. } => {
                let most = if *kind == NoiseKind::Preserving { 1.0 } else { 10.0 };
                if *amount <= 0.0 || *amount > most {
                    let help = format!("write a number above 0 and at most {most}, such as 0.1");
                    return fault("amount", "this amount of noise is out of range", &help);
                }
            }
            Step::RankSwap { distance, .. } if *distance <= 0.0 => {
                return fault("distance", "ranks must be some way apart", "write a number above 0, such as 0.05");
            }
            _ => {}
        }
        Ok(())
    }

    /// If a swap left a published place unchanged, that place would show who was swapped, and from where.
    fn other_places(&self, i: usize, geography: &[String]) -> Result<()> {
        let published = |variable: &&Variable| self.spec.is_published(&variable.name);
        let other =
            self.spec.with_role(Role::Geography).filter(published).find(|variable| !geography.contains(&variable.name));
        let Some(other) = other else { return Ok(()) };
        let what = format!("`{}` is a place too, and would show who was swapped and from where", other.name);
        let fault = self.fault(&["steps".into(), i.into(), "geography".into()], what);
        Err(fault.help("name it in `geography`, from coarse to fine, or drop it").into())
    }

    /// Names in the section `[plan]` are keys of the spec.
    pub(super) fn plan(&self) -> Result<()> {
        let plan = &self.spec.plan;
        let is_key = |name: &String| self.spec.variable(name).is_some_and(|variable| variable.is_key());
        let no_key = |way: &[PathStep<'_>], name: &String| -> Error {
            match self.spec.variable(name) {
                None => self.unknown(way, name),
                Some(_) => {
                    let fault = self.fault(way, format!("`{name}` is no key, so that no plan recodes it"));
                    fault.help("give it the role `key`, or remove it here").into()
                }
            }
        };
        for (name, weight) in &plan.weights {
            let way = ["plan".into(), "weights".into(), name.as_str().into()];
            if !is_key(name) {
                return Err(no_key(&way, name));
            }
            if !weight.is_finite() || *weight < 0.0 {
                return Err(self.fault(&way, "a weight cannot be below 0").help("write a number such as 2").into());
            }
        }
        for (name, [finest, coarsest]) in &plan.levels {
            let way = ["plan".into(), "levels".into(), name.as_str().into()];
            if !is_key(name) {
                return Err(no_key(&way, name));
            }
            if finest > coarsest {
                let fault = self.fault(&way, "the finest level is above the coarsest");
                return Err(fault.help("write the finest first: `[0, 2]`").into());
            }
        }
        for (i, table) in plan.tables.iter().enumerate() {
            let way = ["plan".into(), "tables".into(), i.into(), "variables".into()];
            self.declared(&way, &table.variables)?;
            if let Some(name) = table.variables.iter().find(|name| !is_key(name)) {
                return Err(no_key(&way, name));
            }
        }
        Ok(())
    }
}
