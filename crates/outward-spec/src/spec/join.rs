//! Joins two specs: the tables of another release are added to this one's, so that both are counted from the same data.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::{Spec, Table};
use crate::hierarchy::HierarchySpec;
use crate::variable::Variable;
use outward_error::{Error, Result};

impl Spec {
    /// Adds tables of another spec, with the variables they are made of. `release` says which release they are of. It
    /// becomes part of their names, and of the names of variables that this spec describes otherwise. Returns the names
    /// of the tables, in the order given.
    ///
    /// # Errors
    /// If the other spec lacks a table, or a table is of a linked file that this spec does not have.
    pub fn add_tables_of(&mut self, other: &Self, tables: &[&str], release: &str) -> Result<Vec<String>> {
        let mut known: BTreeMap<String, String> = BTreeMap::new();
        let mut added = Vec::new();
        for name in tables {
            let table = other.tables.iter().find(|table| table.name == *name).ok_or_else(|| {
                Error::input(format!("the spec of release `{release}` has no table `{name}`"))
                    .help("name the bundle as `outward table` wrote it")
            })?;
            let linked = |unit: &String| self.linked.iter().any(|linked| linked.name == *unit);
            if let Some(unit) = table.unit.iter().find(|unit| !linked(unit)) {
                let what =
                    format!("table `{name}` of release `{release}` counts `{unit}`, which this spec does not have");
                return Err(Error::input(what).help("link the same file under the same name in `[[linked]]`").into());
            }
            for variable in table.names() {
                if !known.contains_key(variable) {
                    known.insert(variable.clone(), self.add_variable_of(other, variable, release));
                }
            }
            let table = Table { name: format!("{release}: {name}"), ..table.renamed(|name| &known[name]) };
            added.push(table.name.clone());
            self.tables.push(table);
        }
        Ok(added)
    }

    /// Adds a variable of another spec, unless this one already has it. Returns its name here.
    fn add_variable_of(&mut self, other: &Self, name: &str, release: &str) -> String {
        let Some(variable) = other.variable(name) else { return name.to_owned() };
        let own = self.variable(name).map(|own| own.with_paths_of(self));
        let mut variable = variable.with_paths_of(other);
        if own.is_some_and(|own| own == variable) {
            return name.to_owned();
        }
        if self.variable(name).is_some() {
            variable.columns = variable.read_from().to_vec();
            variable.name = format!("{name} ({release})");
        }
        let name = variable.name.clone();
        self.variables.push(variable);
        name
    }
}

impl Variable {
    /// The variable with its files by their whole paths.
    fn with_paths_of(&self, spec: &Spec) -> Self {
        let mut variable = self.clone();
        for hierarchy in variable.hierarchy.iter_mut().chain(&mut variable.more_hierarchies) {
            let file = hierarchy.own_file().map(|file| absolute(spec, file));
            if let (HierarchySpec::File { file: own, .. }, Some(file)) = (hierarchy, file) {
                *own = file;
            }
        }
        if let Some(ratings) = self.own_ratings() {
            variable.ratings = Some(absolute(spec, ratings));
        }
        variable
    }
}

/// The absolute path of a file that a spec names, so that another spec can name it too.
fn absolute(spec: &Spec, file: &Path) -> PathBuf {
    let file = spec.resolve(file);
    std::path::absolute(&file).unwrap_or(file)
}

impl Table {
    /// Every variable that the table names, as often as it does.
    fn names(&self) -> impl Iterator<Item = &String> {
        let by_name = self.levels.keys().chain(self.only.keys());
        let lists = self.variables.iter().chain(&self.without_total).chain(&self.percent_of);
        lists.chain(by_name).chain(&self.of).chain(&self.contributor).chain(&self.pairs)
    }

    /// The table with other names for its variables. It says no longer which cells to show or hide, as it is published.
    fn renamed<'a>(&self, name: impl Fn(&str) -> &'a String) -> Self {
        let list = |names: &Vec<String>| names.iter().map(|own| name(own).clone()).collect();
        Self {
            variables: list(&self.variables),
            without_total: list(&self.without_total),
            percent_of: list(&self.percent_of),
            levels: self.levels.iter().map(|(own, levels)| (name(own).clone(), levels.clone())).collect(),
            only: self.only.iter().map(|(own, values)| (name(own).clone(), values.clone())).collect(),
            of: self.of.as_ref().map(|own| name(own).clone()),
            contributor: self.contributor.as_ref().map(|own| name(own).clone()),
            pairs: self.pairs.as_ref().map(|own| name(own).clone()),
            must_show: Vec::new(),
            already_hidden: Vec::new(),
            ..self.clone()
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn spec(base: &str, bands: &str) -> Spec {
        let text = format!(
            "[data]\npath = \"people.csv\"\n[[variables]]\nname = \"age\"\ntype = \"integer\"\nhierarchy = {{ bands = {bands} }}\n\
             [[variables]]\nname = \"area\"\n[[tables]]\nname = \"ages\"\nvariables = [\"area\", \"age\"]\nlevels = {{ age = [1] }}\n"
        );
        Spec::parse(&text, format!("{base}/outward.toml")).unwrap()
    }

    #[test]
    fn a_variable_that_two_releases_cut_otherwise_is_two_of_one_column() {
        let mut new = spec("new", "[16, 25]");
        let names = new.add_tables_of(&spec("old", "[16, 26]"), &["ages"], "2023").unwrap();
        assert_eq!(names, ["2023: ages"]);
        let table = new.tables.last().unwrap();
        assert_eq!(table.variables, ["area", "age (2023)"]);
        assert_eq!(table.levels["age (2023)"], [1]);
        let age = new.variable("age (2023)").unwrap();
        assert_eq!(age.read_from(), ["age"]);
        assert_eq!(new.variables.len(), 3);
    }

    #[test]
    fn a_variable_that_both_describe_alike_is_one() {
        let mut new = spec("new", "[16, 25]");
        new.add_tables_of(&spec("old", "[16, 25]"), &["ages"], "2023").unwrap();
        assert_eq!(new.tables.last().unwrap().variables, ["area", "age"]);
    }

    #[test]
    fn a_table_that_is_not_there_is_an_error() {
        let error = spec("new", "[16]").add_tables_of(&spec("old", "[16]"), &["age"], "2023").unwrap_err();
        assert!(error.to_string().contains("has no table `age`"), "{error}");
    }
}
