//! Checks what the intruder of a scenario knows against the variables of the spec.

use super::SpecCheck;
use crate::hierarchy::{Hierarchy, HierarchySpec};
use crate::spec::{Known, Scenario};
use outward_error::{Error, Result};

impl SpecCheck<'_> {
    /// What is wrong with what a scenario knows. Levels of hierarchies in files are checked later.
    pub(super) fn known(&self, place: usize, scenario: &Scenario) -> Result<()> {
        if let Some(source) = &scenario.file {
            self.source_at(&["scenarios".into(), place.into(), "file".into()], source, "file")?;
        }
        if scenario.share == Some(0.0) {
            let fault = self.fault(&["scenarios".into(), place.into(), "share".into()], "nobody is in this file");
            return Err(fault.help("write a share above 0, such as 0.5").into());
        }
        (scenario.known.iter().enumerate()).try_for_each(|(k, known)| self.known_entry(place, k, known))
    }

    fn known_entry(&self, place: usize, k: usize, known: &Known) -> Result<()> {
        let at = |field: &'static str, what: String, help: &str| -> Error {
            let way = ["scenarios".into(), place.into(), "known".into(), k.into(), field.into()];
            self.fault(&way, what).help(help).into()
        };
        let Some(name) = &known.variable else {
            if known.visibility.is_none() && known.role.is_none() {
                let what = "this entry of `known` names no variable".to_owned();
                return Err(at("level", what, "add `variable`, `visibility` or `role`"));
            }
            return Ok(());
        };
        if known.visibility.is_some() || known.role.is_some() {
            let what = "`visibility` and `role` have no effect together with `variable`".to_owned();
            return Err(at("variable", what, "keep `variable`, or make two entries of it"));
        }
        let way = ["scenarios".into(), place.into(), "known".into(), k.into(), "variable".into()];
        let variable = self.spec.variable(name).ok_or_else(|| self.unknown(&way, name))?;
        match &variable.hierarchy {
            None if known.level > 0 => Err(at(
                "level",
                format!("`{name}` has no hierarchy"),
                "give the variable a `hierarchy`, or remove `level`",
            )),
            Some(spec) if !matches!(spec, HierarchySpec::File { .. }) => {
                let levels = Hierarchy::compile(spec, &self.spec.base, name)?.levels();
                match known.level < levels {
                    true => Ok(()),
                    false => {
                        let help = format!("its levels are 0 (the value itself) to {} (`*`)", levels - 1);
                        Err(at("level", format!("`{name}` has no level {}", known.level), &help))
                    }
                }
            }
            _ => Ok(()),
        }
    }
}
