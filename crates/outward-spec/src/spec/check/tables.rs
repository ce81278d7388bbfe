//! Tables and the files they are made from.

use crate::document::PathStep;
use crate::policy::Thresholds;
use crate::source::Type;
use crate::variable::Variable;
use outward_error::{Result, suggest};

use super::super::{HidingCost, Measure, ProtectionMethod, Table};
use super::SpecCheck;

/// What tables call the unit of `[data]`. No linked file may have this name.
const RECORDS: &str = "records";

impl SpecCheck<'_> {
    /// Linked files have names of their own and a place; variables are read from files that are there.
    pub(super) fn linked(&self) -> Result<()> {
        self.once("linked", self.spec.linked.iter().map(|file| file.name.as_str()), "linked file")?;
        for (i, file) in self.spec.linked.iter().enumerate() {
            if file.name == RECORDS {
                let what = format!("a linked file is called `{RECORDS}`, as those of `[data]` are");
                let fault = self.fault(&["linked".into(), i.into(), "name".into()], what);
                return Err(fault.help("call it what its records are: vehicles, casualties").into());
            }
            if file.data.path.is_none() && file.data.database.is_none() {
                let what = format!("`{}` does not say where the records are", file.name);
                let fault = self.fault(&["linked".into(), i.into(), "data".into()], what);
                return Err(fault.help("write `data = { path = \"...\" }`").into());
            }
        }
        for (i, variable) in self.spec.variables.iter().enumerate() {
            for (f, from) in variable.from.iter().enumerate() {
                self.is_linked(&["variables".into(), i.into(), "from".into(), f.into()], from)?;
            }
        }
        Ok(())
    }

    fn is_linked(&self, way: &[PathStep<'_>], name: &str) -> Result<()> {
        let known = || self.spec.linked.iter().map(|file| file.name.as_str());
        if known().any(|linked| linked == name) {
            return Ok(());
        }
        let fault = self.fault(way, format!("there is no linked file `{name}` in this spec"));
        Err(fault.help(suggest(name, known(), "linked files")).into())
    }

    pub(super) fn tables(&self) -> Result<()> {
        self.once("tables", self.spec.tables.iter().map(|table| table.name.as_str()), "table")?;
        (self.spec.tables.iter().enumerate()).try_for_each(|(i, table)| self.table(i, table))
    }

    fn table(&self, i: usize, table: &Table) -> Result<()> {
        let at = |field: &'static str| -> [PathStep<'static>; 3] { ["tables".into(), i.into(), field.into()] };
        self.declared(&at("variables"), &table.variables)?;
        if let Some(unit) = &table.unit {
            self.is_linked(&at("unit"), unit)?;
        }
        let spanning = |field: &'static str, name: &str| -> Result<()> {
            if table.variables.iter().any(|known| known == name) {
                return Ok(());
            }
            let help = suggest(name, table.variables.iter().map(String::as_str), "variables of this table");
            Err(self.fault(&at(field), format!("`{name}` is no variable of this table")).help(help).into())
        };
        table.levels.keys().try_for_each(|name| spanning("levels", name))?;
        table.only.keys().try_for_each(|name| spanning("only", name))?;
        for (field, cells) in [("must_show", &table.must_show), ("already_hidden", &table.already_hidden)] {
            cells.iter().flat_map(|cell| cell.keys()).try_for_each(|name| spanning(field, name))?;
            self.hides(&at(field), field, cells.is_empty())?;
        }
        table.without_total.iter().try_for_each(|name| spanning("without_total", name))?;
        table.percent_of.iter().try_for_each(|name| spanning("percent_of", name))?;
        if let Some(name) = table.percent_of.iter().find(|name| table.without_total.contains(name)) {
            let fault = self.fault(&at("percent_of"), format!("percentages over `{name}` need its total"));
            return Err(fault.help("take it out of `without_total`, or out of `percent_of`").into());
        }
        if table.measure == Measure::Mean && !table.percent_of.is_empty() {
            let fault = self.fault(&at("percent_of"), "means have no percentages: they do not add up");
            return Err(fault.help("remove `percent_of`, or write `measure = \"sum\"`").into());
        }
        table.pairs.iter().try_for_each(|name| spanning("pairs", name))?;
        if table.levels.values().any(Vec::is_empty) {
            return Err(self
                .fault(&at("levels"), "no level is named")
                .help("name at least one, or leave the variable out")
                .into());
        }
        for (field, name) in [("of", &table.of), ("contributor", &table.contributor)] {
            if let Some(name) = name.as_deref().filter(|name| self.spec.variable(name).is_none()) {
                return Err(self.unknown(&at(field), name));
            }
        }
        for (name, levels) in &table.levels {
            let bare = self.spec.variable(name).is_some_and(|variable| variable.hierarchy.is_none());
            if bare && levels.iter().any(|level| *level > 0) {
                let fault = self.fault(&at("levels"), format!("`{name}` has no hierarchy, so it has level 0 only"));
                return Err(fault.help("give the variable a `hierarchy`, or leave it out here").into());
            }
        }
        if (table.measure == Measure::Count) != table.of.is_none() {
            let (what, help) = match table.of {
                None => ("this table does not say what is added up", "add `of = \"...\"`, a variable that is a number"),
                Some(_) => ("a table of counts adds nothing up", "remove `of`, or write `measure = \"sum\"`"),
            };
            return Err(self.fault(&at("measure"), what).help(help).into());
        }
        if table.weighted && self.spec.weight().is_none() {
            let help = "give the variable with the weights the role `weight`";
            return Err(self.fault(&at("weighted"), "there is no weight in this spec").help(help).into());
        }
        if let Some(pairs) = &table.pairs
            && !self.spec.variable(pairs).is_some_and(Variable::has_several_answers)
        {
            let what = format!("a record has one value of `{pairs}` and no pairs");
            let help = "name a variable with several `columns`";
            return Err(self.fault(&at("pairs"), what).help(help).into());
        }
        Ok(())
    }

    /// Only suppression takes the names of cells. Rounding and cell keys publish all cells, all of them changed.
    fn hides(&self, way: &[PathStep<'_>], field: &str, none: bool) -> Result<()> {
        let method = match self.spec.protection.method {
            ProtectionMethod::Round => "round",
            ProtectionMethod::CellKey => "cell-key",
            ProtectionMethod::Suppress | ProtectionMethod::None => return Ok(()),
        };
        match none {
            true => Ok(()),
            false => Err(self
                .fault(way, format!("`{field}` is for suppression, and the method is `{method}`"))
                .help(format!("remove `{field}`, or write `method = \"suppress\"` in `[protection]`"))
                .into()),
        }
    }

    /// A cost that is a variable has one, and one that can be added up.
    pub(super) fn protection(&self) -> Result<()> {
        let protection = &self.spec.protection;
        let fault = |field: &str, what: String, help: &str| -> Result<()> {
            Err(self.fault(&["protection".into(), field.into()], what).help(help).into())
        };
        if protection.accept_partial.as_ref().is_some_and(|reason| reason.split_whitespace().count() < 2) {
            let help = "say in a few words why the tables may go out: the certificate has them";
            return fault(
                "accept_partial",
                "partial protection is accepted without a reason in words".to_owned(),
                help,
            );
        }
        match (protection.cost == HidingCost::Variable, &protection.cost_of) {
            (true, None) => {
                let help = "add `cost_of = \"...\"`, a variable that is a number";
                return fault("cost", "the cost is that of a variable, and it is not said which".to_owned(), help);
            }
            (false, Some(name)) => {
                let what = format!("`cost` does not ask what hiding costs in `{name}`");
                return fault("cost_of", what, "write `cost = \"variable\"`, or remove `cost_of`");
            }
            _ => {}
        }
        let named = protection.cost_of.as_ref().and_then(|name| self.spec.variable(name));
        if let Some(variable) = named.filter(|variable| matches!(variable.data_type, Some(Type::Text | Type::Date))) {
            let what = format!("the cost `{}` is not a number", variable.name);
            return fault("cost_of", what, "name a variable of `type = \"number\"`");
        }
        if let Some(variable) = named.filter(|variable| variable.has_several_answers()) {
            let what = format!("`{}` is several columns, and a cost is one", variable.name);
            return fault("cost_of", what, "name one column");
        }
        Ok(())
    }

    /// Tables show levels that the hierarchy of a variable has; the last one, `*`, is the total and no level to name.
    pub(super) fn table_levels(&self, variable: &Variable, levels: usize) -> Result<()> {
        for (i, table) in self.spec.tables.iter().enumerate() {
            let Some(level) =
                table.levels.get(&variable.name).and_then(|of| of.iter().find(|level| **level + 1 >= levels))
            else {
                continue;
            };
            let way = ["tables".into(), i.into(), "levels".into(), variable.name.as_str().into()];
            let fault = self.fault(&way, format!("`{}` has no level {level} to show", variable.name));
            return Err(fault.help(format!("its levels are 0 (the value itself) to {}", levels - 2)).into());
        }
        Ok(())
    }

    /// The rules a spec gives for tables name categories and levels that are there.
    pub(super) fn table_rules(&self, thresholds: &Thresholds) -> Result<()> {
        let Some(rules) = &thresholds.tables else { return Ok(()) };
        match rules.fault() {
            Some((what, help)) => Err(self.fault(&["policy".into(), "tables".into()], what).help(help).into()),
            None => Ok(()),
        }
    }
}
