//! Adds the sources of published labels: the spec, the policy and the hierarchy files for the custodian, and in
//! `public/mappings` the published label of each value. Labels come from hierarchies and never from the data, so they
//! say nothing about who is in the data.

use std::fs;
use std::path::{Path, PathBuf};

use outward_profile::scan::scan_text;
use outward_spec::{Error, HierarchySpec, Result, Spec, Step, Variable};

use crate::bundle::{
    MAPPINGS, POLICY, SPEC, Staging, file_of_variable, further_hierarchy_copy, hierarchy_copy, ratings_copy,
};
use crate::{csv, words};

impl Staging {
    /// Adds the text of the spec, the policy and hierarchy files it names, and the public mappings. `steps` are those that
    /// were done: those of the spec, or of the plan that was chosen.
    pub fn add_spec(&self, spec: &Spec, text: &str, steps: &[Step]) -> Result<()> {
        let steps: Vec<&Step> = steps.iter().collect();
        self.put(SPEC, text.as_bytes())?;
        if let Some(policy) = &spec.policy.file {
            self.put(POLICY, &read(spec, policy)?)?;
        }
        for (place, variable) in spec.variables.iter().enumerate() {
            if let Some(hierarchy) = variable.hierarchy.as_ref().and_then(HierarchySpec::own_file) {
                self.put(&hierarchy_copy(&variable.name, place, hierarchy), &read(spec, hierarchy)?)?;
            }
            for (further, hierarchy) in variable.more_hierarchies.iter().enumerate() {
                if let Some(file) = hierarchy.own_file() {
                    self.put(&further_hierarchy_copy(&variable.name, place, further, file), &read(spec, file)?)?;
                }
            }
            if let Some(ratings) = variable.own_ratings() {
                self.put(&ratings_copy(&variable.name, place), &read(spec, ratings)?)?;
            }
            if steps.iter().any(|step| step.drops(&variable.name)) {
                continue;
            }
            if let Some(mapping) = mapping(spec, variable, &steps)? {
                self.put(&mapping_copy(&variable.name, place), &mapping)?;
            }
        }
        Ok(())
    }
}

/// Gives the files of a spec the names they have in its bundle.
pub(crate) fn take_copies(spec: &mut Spec) {
    for (place, variable) in spec.variables.iter_mut().enumerate() {
        let name = variable.name.clone();
        let copy = |hierarchy: &mut HierarchySpec, path: &dyn Fn(&Path) -> String| {
            let own = hierarchy.own_file().map(|file| PathBuf::from(path(file)));
            if let (HierarchySpec::File { file, .. }, Some(own)) = (hierarchy, own) {
                *file = own;
            }
        };
        variable.hierarchy.iter_mut().for_each(|hierarchy| copy(hierarchy, &|file| hierarchy_copy(&name, place, file)));
        for (further, hierarchy) in variable.more_hierarchies.iter_mut().enumerate() {
            copy(hierarchy, &|file| further_hierarchy_copy(&name, place, further, file));
        }
        if variable.own_ratings().is_some() {
            variable.ratings = Some(PathBuf::from(ratings_copy(&name, place)));
        }
    }
    spec.policy.file = spec.policy.file.as_ref().map(|_| PathBuf::from(POLICY));
    let variables: Vec<String> = spec.variables.iter().map(|variable| variable.name.clone()).collect();
    for step in &mut spec.steps {
        if let Step::Place { variable, mapping, .. } = step
            && let Some(place) = variables.iter().position(|known| known == variable)
        {
            *mapping = PathBuf::from(mapping_copy(variable, place));
        }
    }
}

/// Where a bundle keeps the mapping of a variable.
pub(crate) fn mapping_copy(variable: &str, place: usize) -> String {
    format!("{MAPPINGS}/{}", file_of_variable(variable, place))
}

/// The public mapping of a variable, if its values are published as labels.
fn mapping(spec: &Spec, variable: &Variable, steps: &[&Step]) -> Result<Option<Vec<u8>>> {
    let place = steps.iter().rev().find_map(|step| match step {
        Step::Place { variable: name, mapping, .. } if *name == variable.name => Some(mapping),
        _ => None,
    });
    if let Some(place) = place {
        return read(spec, place).map(Some);
    }
    let (level, locally) = words::published_level(steps, &variable.name, variable.is_key());
    let (Some(described), Some(hierarchy)) = (&variable.hierarchy, spec.hierarchy(variable)?) else { return Ok(None) };
    if level == 0 && !locally {
        return Ok(None);
    }
    let last = if locally { hierarchy.levels() - 1 } else { level };
    let Some(values) = hierarchy.values() else {
        let rules = (level.max(1)..=last).filter_map(|level| words::rule(described, level));
        let lines: String = rules.map(|rule| csv::line([rule])).collect();
        return Ok(Some(format!("rule\n{lines}").into_bytes()));
    };
    // Values that identify a person are not published in a mapping.
    if values.iter().any(|value| scan_text(value).next().is_some()) {
        return Ok(None);
    }
    let header = match locally {
        false => vec!["value".to_owned(), "published".to_owned()],
        true => {
            let levels = (level.max(1)..=last).map(|level| format!("level {level}"));
            ["value".to_owned()].into_iter().chain(levels).collect()
        }
    };
    let mut text = csv::line(header);
    for value in values {
        let labels: Vec<_> =
            (level.max(1)..=last).map(|level| hierarchy.recode(value, level).unwrap_or_default()).collect();
        if let Some(kind) = labels.iter().find_map(|label| scan_text(label).next()) {
            let what = format!("the hierarchy of this variable has a label that holds {kind}, and it is published");
            return Err(Error::input(what).variable(&variable.name).help("change the label in the hierarchy").into());
        }
        text += &csv::line([value.into()].into_iter().chain(labels));
    }
    Ok(Some(text.into_bytes()))
}

fn read(spec: &Spec, path: &Path) -> Result<Vec<u8>> {
    let path = spec.resolve(path);
    fs::read(&path).map_err(|error| Error::io("read", path, error))
}
