//! What must be true of a spec beyond its shape: names exist, names are unique, levels are within range.

mod scenarios;
mod steps;
mod tables;

use std::collections::HashSet;
use std::path::{Component, Path, PathBuf};

use crate::document::{Document, PathStep};
use crate::hierarchy::{Hierarchy, HierarchySpec};
use crate::source::{Format, Source, Type};
use crate::variable::{Role, Variable};
use outward_error::{Error, Fault, Result, suggest};

use super::{Spec, Step};

/// A column is declared once: in `plain`, or by a section of its own.
pub(super) fn plain(spec: &Spec, document: &Document<'_>) -> Result<()> {
    let sections: HashSet<&str> = spec.variables.iter().map(|variable| variable.name.as_str()).collect();
    let mut seen = HashSet::new();
    for (i, name) in spec.plain.iter().enumerate() {
        let fault = |what: String, help: &str| -> Result<()> {
            Err(document.fault_at(&["plain".into(), i.into()], what).help(help).into())
        };
        if name.is_empty() {
            return fault("a name in `plain` is empty".to_owned(), "write the name of a column, as in the data");
        }
        if !seen.insert(name) {
            return fault(format!("`{name}` is there twice"), "name it once");
        }
        if sections.contains(name.as_str()) {
            let help = "remove it from `plain`, or remove its `[[variables]]` section";
            return fault(format!("`{name}` is in `plain` and has a `[[variables]]` section"), help);
        }
    }
    Ok(())
}

/// All checks of the spec that need no other file.
pub(super) fn by_itself(spec: &Spec, document: &Document<'_>) -> Result<()> {
    let check = SpecCheck { spec, document };
    check.source(&spec.data, "data")?;
    if let Some(population) = &spec.population {
        check.source(population, "population")?;
    }
    check.linked()?;
    check.variables()?;
    check.policy()?;
    check.scenarios()?;
    check.steps()?;
    check.plan()?;
    check.tables()?;
    check.protection()?;
    check.outputs()?;
    if spec.policy.file.is_none() {
        check.rules()?;
    }
    check.hierarchies(|hierarchy| !matches!(hierarchy, HierarchySpec::File { .. }))
}

/// The other checks: the hierarchy files and the policy file.
pub(super) fn with_files(spec: &Spec, document: &Document<'_>) -> Result<()> {
    let check = SpecCheck { spec, document };
    if spec.policy.file.is_some() {
        check.rules()?;
    }
    check.hierarchies(|hierarchy| matches!(hierarchy, HierarchySpec::File { .. }))
}

struct SpecCheck<'a> {
    spec: &'a Spec,
    document: &'a Document<'a>,
}

impl SpecCheck<'_> {
    fn fault(&self, way: &[PathStep<'_>], what: impl Into<String>) -> Fault {
        self.document.fault_at(way, what)
    }

    /// A database has a table or a query, and anything else has a path; nothing has both.
    fn source(&self, source: &Source, section: &str) -> Result<()> {
        self.source_at(&[section.into()], source, section)
    }

    /// The same for a source at this place of the spec; `section` is what messages call it.
    fn source_at(&self, way: &[PathStep<'_>], source: &Source, section: &str) -> Result<()> {
        let fault = |field: &str, what: String, help: &str| -> Result<()> {
            Err(self.fault(&[way, &[field.into()]].concat(), what).help(help).into())
        };
        let both = |one: &str, other: &str| format!("`{section}` has both `{one}` and `{other}`");
        let database = source.database.is_some() || source.table.is_some() || source.query.is_some();
        if source.table.is_some() && source.query.is_some() {
            return fault("query", both("table", "query"), "keep one: a query can read the table");
        }
        if source.path.is_some() && database {
            let field = if source.database.is_some() { "database" } else { "table" };
            return fault(field, both("path", field), "records come from a file or from a database: keep one");
        }
        if database || source.format == Some(Format::Postgres) {
            if source.database.is_none() {
                let help = "name the environment variable that holds the address: `database = \"DATABASE_URL\"`";
                return fault("database", format!("`{section}` does not say which database"), help);
            }
            if source.table.is_none() && source.query.is_none() {
                let help = "add `table = \"schema.table\"` or `query = \"select ...\"`";
                return fault("table", format!("`{section}` does not say what to read from the database"), help);
            }
            if source.format.is_some_and(|format| format != Format::Postgres) {
                let help = "remove `format`: a database needs none";
                return fault("format", format!("`{section}` has a database and the format of a file"), help);
            }
            return Ok(());
        }
        match &source.path {
            None => fault("path", format!("`{section}` does not say where the records are"), "add `path = \"...\"`"),
            Some(path) if path.as_os_str().is_empty() => {
                fault("path", format!("the path of `{section}` is empty"), "write the name of the file")
            }
            Some(_) => Ok(()),
        }
    }

    fn variables(&self) -> Result<()> {
        let names = self.spec.variables.iter().map(|variable| variable.name.as_str());
        self.once("variables", names, "variable")?;
        for role in [Role::Weight, Role::Household] {
            if let Some(second) = self.spec.with_role(role).nth(1) {
                let place = self.spec.variables.iter().position(|v| v.name == second.name).unwrap_or_default();
                let what = format!("`{}` is a second variable with role `{role}`", second.name);
                let fault = self.fault(&["variables".into(), place.into(), "role".into()], what);
                return Err(fault.help(format!("keep one variable with role `{role}`")).into());
            }
        }
        (self.spec.variables.iter().enumerate()).try_for_each(|(place, variable)| self.variable(place, variable))
    }

    fn variable(&self, place: usize, variable: &Variable) -> Result<()> {
        let fault = |field: &str, what: String, help: &str| -> Result<()> {
            Err(self.fault(&["variables".into(), place.into(), field.into()], what).help(help).into())
        };
        let name = &variable.name;
        if variable.format.is_some() && variable.data_type != Some(Type::Date) {
            return fault("format", format!("`{name}` has a date format but is not a date"), "add `type = \"date\"`");
        }
        if variable.allow.as_ref().is_some_and(|reason| reason.split_whitespace().count() < 2) {
            let help = "say in a few words why it identifies nobody: the statement shows them";
            return fault("allow", format!("`{name}` is allowed without a reason in words"), help);
        }
        if variable.role == Role::Weight && matches!(variable.data_type, Some(Type::Text | Type::Date)) {
            return fault("type", format!("the weight `{name}` is not a number"), "write `type = \"number\"`");
        }
        match (&variable.hierarchy, variable.data_type) {
            (Some(HierarchySpec::Date { .. }), Some(Type::Integer | Type::Number)) => {
                fault("hierarchy", format!("`{name}` is a number and its hierarchy is for dates"), "use `bands`")
            }
            (
                Some(HierarchySpec::Bands { .. } | HierarchySpec::Width { .. } | HierarchySpec::Widths { .. }),
                Some(Type::Date),
            ) => {
                let help = "use `date = [\"month\", \"year\"]`";
                fault("hierarchy", format!("`{name}` is a date and its hierarchy is for numbers"), help)
            }
            _ => Ok(()),
        }
    }

    fn policy(&self) -> Result<()> {
        let choice = &self.spec.policy;
        if choice.name.is_some() && choice.file.is_some() {
            let fault = self.fault(&["policy".into(), "file".into()], "`policy` has both `name` and `file`");
            return Err(fault.help("keep one: a shipped policy by its name, or your own by its file").into());
        }
        self.table_rules(&choice.thresholds)?;
        if choice.thresholds.presence.is_some_and(|presence| presence.least > presence.most) {
            let fault = self.fault(&["policy".into(), "presence".into()], "the least presence is above the largest");
            return Err(fault.help("exchange `least` and `most`").into());
        }
        for (i, weak) in choice.thresholds.weak_k.iter().flatten().enumerate() {
            self.declared(&["policy".into(), "weak_k".into(), i.into(), "keys".into()], &weak.keys)?;
        }
        Ok(())
    }

    /// The policy and the tier exist. A mistake inside a policy file is shown there, not here.
    fn rules(&self) -> Result<()> {
        let choice = &self.spec.policy;
        let at = |field: &'static str| move |error: Error| self.at(&["policy".into(), field.into()], error);
        let policy = choice.policy(&self.spec.base).map_err(at(if choice.file.is_some() { "file" } else { "name" }))?;
        policy.tier(choice.tier.as_deref()).map_err(at("tier"))?;
        let rules = choice.rules(&self.spec.base)?;
        match rules.weak_k.iter().flat_map(|weak| &weak.keys).find(|name| self.spec.variable(name).is_none()) {
            Some(name) => Err(self.unknown(&["policy".into()], name)),
            None => Ok(()),
        }
    }

    fn scenarios(&self) -> Result<()> {
        self.once("scenarios", self.spec.scenarios.iter().map(|scenario| scenario.name.as_str()), "scenario")?;
        for (i, scenario) in self.spec.scenarios.iter().enumerate() {
            self.declared(&["scenarios".into(), i.into(), "keys".into()], &scenario.keys)?;
            self.declared(&["scenarios".into(), i.into(), "learn".into()], &scenario.learn)?;
            self.known(i, scenario)?;
            if self.spec.scenario_keys(scenario).is_empty() {
                let fault = self.fault(&["scenarios".into(), i.into()], "this scenario has no keys");
                return Err(fault.help("add `keys = [...]`, or give some variables the role `key`").into());
            }
        }
        Ok(())
    }

    /// A variable is in the spec and no step has dropped it yet.
    fn there(&self, way: &[PathStep<'_>], name: &str, dropped: &[&str]) -> Result<()> {
        match self.spec.variable(name) {
            None => Err(self.unknown(way, name)),
            Some(_) if dropped.contains(&name) => Err(self.gone(way, name)),
            Some(_) => Ok(()),
        }
    }

    fn outputs(&self) -> Result<()> {
        let inputs = [Some(&self.spec.data), self.spec.population.as_ref()];
        let inputs = inputs.into_iter().flatten().filter_map(|source| source.path.as_deref());
        let inputs: Vec<PathBuf> = inputs.map(plain_path).collect();
        for (i, output) in self.spec.outputs.iter().enumerate() {
            let fault = |what: &str, help: &str| -> Result<()> {
                Err(self.fault(&["outputs".into(), i.into(), "path".into()], what).help(help).into())
            };
            if output.path.as_os_str().is_empty() {
                return fault("the path of an output is empty", "write the name of the file");
            }
            let path = plain_path(&output.path);
            if inputs.iter().any(|input| path.starts_with(input)) {
                return fault("this output would go into the data it is made from", "write to another file");
            }
            if self.spec.outputs[..i].iter().any(|other| plain_path(&other.path) == path) {
                return fault("two outputs go to this file", "write each output to a file of its own");
            }
        }
        Ok(())
    }

    /// Hierarchies are valid, and steps name levels that they have.
    fn hierarchies(&self, kind: impl Fn(&HierarchySpec) -> bool) -> Result<()> {
        for (i, variable) in self.spec.variables.iter().enumerate() {
            for (m, more) in variable.more_hierarchies.iter().enumerate().filter(|(_, more)| kind(more)) {
                let way = ["variables".into(), i.into(), "more_hierarchies".into(), m.into()];
                let hierarchy =
                    Hierarchy::compile(more, &self.spec.base, &variable.name).map_err(|error| self.at(&way, error))?;
                self.headings(variable, more, &hierarchy)?;
            }
            if !variable.hierarchy.as_ref().is_some_and(&kind) {
                continue;
            }
            let way = ["variables".into(), i.into(), "hierarchy".into()];
            let Some(hierarchy) = self.spec.hierarchy(variable).map_err(|error| self.at(&way, error))? else {
                continue;
            };
            if let Some(spec) = &variable.hierarchy {
                self.headings(variable, spec, &hierarchy)?;
            }
            self.table_levels(variable, hierarchy.levels())?;
            for (s, step) in self.spec.steps.iter().enumerate() {
                let Step::Recode { variable: name, level } = step else { continue };
                if *name == variable.name && *level >= hierarchy.levels() {
                    let what = format!("`{name}` has no level {level}");
                    let help = format!("its levels are 0 (the value itself) to {} (`*`)", hierarchy.levels() - 1);
                    let fault = self.fault(&["steps".into(), s.into(), "level".into()], what);
                    return Err(fault.help(help).into());
                }
            }
        }
        Ok(())
    }

    /// If the first value of a file is the name of the variable, the row has headings. It must not become a value.
    fn headings(&self, variable: &Variable, spec: &HierarchySpec, hierarchy: &Hierarchy) -> Result<()> {
        let first =
            hierarchy.first_value().filter(|_| spec.may_hold_headings()).map(|value| value.trim().to_lowercase());
        let mut names = std::iter::once(&variable.name).chain(variable.read_from());
        match (first, spec.own_file()) {
            (Some(first), Some(file)) if names.any(|name| name.to_lowercase() == first) => {
                let what = "the first row is one of headings: its value is called like the variable";
                let help = "write `header = true` next to `file`; a value with this name can be in a later row";
                let fault = Error::input(what).file(self.spec.base.join(file)).variable(&variable.name);
                Err(fault.help(help).into())
            }
            _ => Ok(()),
        }
    }

    /// Every name is a declared variable and is there once.
    fn declared(&self, way: &[PathStep<'_>], names: &[String]) -> Result<()> {
        for (i, name) in names.iter().enumerate() {
            let place = [way, &[i.into()]].concat();
            if self.spec.variable(name).is_none() {
                return Err(self.unknown(&place, name));
            }
            if names[..i].contains(name) {
                return Err(self.fault(&place, format!("`{name}` is there twice")).help("name it once").into());
            }
        }
        Ok(())
    }

    /// No two sections of a kind have the same name.
    fn once<'n>(&self, section: &str, names: impl Iterator<Item = &'n str>, what: &str) -> Result<()> {
        let mut seen = HashSet::new();
        for (i, name) in names.enumerate() {
            if !seen.insert(name) {
                let fault = self.fault(
                    &[section.into(), i.into(), "name".into()],
                    format!("there is a {what} `{name}` already, further up"),
                );
                return Err(fault.help("give each a name of its own, or remove one").into());
            }
        }
        Ok(())
    }

    fn unknown(&self, way: &[PathStep<'_>], name: &str) -> Error {
        let known = self.spec.variables.iter().map(|variable| variable.name.as_str());
        let help = match self.spec.variables.is_empty() {
            true => format!("declare it: `[[variables]]` with `name = \"{name}\"`"),
            false => suggest(name, known, "variables of this spec"),
        };
        self.fault(way, format!("there is no variable `{name}` in this spec")).help(help).into()
    }

    fn gone(&self, way: &[PathStep<'_>], name: &str) -> Error {
        self.fault(way, format!("`{name}` was dropped by an earlier step")).help("remove one of the two steps").into()
    }

    /// A fault without a place, or about a file that does not exist, is shown at this value. One in another file keeps its
    /// place.
    fn at(&self, way: &[PathStep<'_>], error: Error) -> Error {
        match error {
            Error::Input(fault) if fault.place.file.is_none() => self.document.place_at(way, *fault).into(),
            Error::Io { path, source, .. } if source.kind() == std::io::ErrorKind::NotFound => {
                let fault = self.fault(way, format!("there is no file {}", path.display()));
                fault.help("check the path: it is relative to the spec file").into()
            }
            other => other,
        }
    }
}

/// A path without detours: `./a/../b` is `b`.
fn plain_path(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if matches!(plain.components().next_back(), Some(Component::Normal(_))) => {
                plain.pop();
            }
            other => plain.push(other),
        }
    }
    plain
}
