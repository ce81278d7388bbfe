//! A release with a variable left out or made coarser, so that the test can be repeated without making the release
//! again.

use std::borrow::Cow;
use std::collections::BTreeMap;

use hashbrown::HashMap;
use outward_cells::{Coded, Dictionary, MISSING};
use outward_error::{Error, Result, suggest};
use outward_spec::{ANYTHING, Hierarchy};

use super::known::KnownVariable;
use super::people::Released;

/// Releases without some columns, and with others at a level of their hierarchy.
///
/// # Errors If a name is not that of a known variable, or a variable has no such level.
pub(super) fn changed<'a>(
    releases: &'a [Released],
    known: &[KnownVariable],
    without: &[String],
    coarser: &BTreeMap<String, usize>,
) -> Result<Cow<'a, [Released]>> {
    if without.is_empty() && coarser.is_empty() {
        return Ok(Cow::Borrowed(releases));
    }
    let changed = releases.iter().map(|release| change(release.clone(), known, without, coarser));
    Ok(Cow::Owned(changed.collect::<Result<_>>()?))
}

fn change(
    mut release: Released,
    known: &[KnownVariable],
    without: &[String],
    coarser: &BTreeMap<String, usize>,
) -> Result<Released> {
    release.columns.retain(|column| !without.contains(&column.name));
    for (name, level) in coarser {
        let variable = find(known, name)?;
        KnownVariable { level: *level, ..variable.clone() }.check_level()?;
        let hierarchy = variable.form.hierarchies.first();
        for column in release.columns.iter_mut().filter(|column| column.name == *name) {
            if let Some(hierarchy) = hierarchy {
                column.values = at_level(&column.values, hierarchy, *level);
            }
        }
    }
    Ok(release)
}

/// The variable with a name among those the intruder knows.
pub(super) fn find<'a>(known: &'a [KnownVariable], name: &str) -> Result<&'a KnownVariable> {
    known.iter().find(|variable| variable.form.name == name).ok_or_else(|| {
        let names = known.iter().map(|variable| variable.form.name.as_str());
        let what = format!("the intruder knows no variable `{name}`");
        Error::input(what).help(suggest(name, names, "variables the intruder knows")).into()
    })
}

/// A column at a level of a hierarchy. Labels of finer levels are looked up among those of all values. Labels that are
/// coarser already stay.
fn at_level(values: &Coded, hierarchy: &Hierarchy, level: usize) -> Coded {
    let mut of_label: HashMap<String, String> = HashMap::new();
    let listed = hierarchy.values().unwrap_or_default();
    for value in listed.into_iter().chain(values.dictionary.values()) {
        let Some(coarse) = hierarchy.recode(value, level) else { continue };
        for finer in (0..level).filter_map(|finer| hierarchy.recode(value, finer)) {
            of_label.entry(finer.into_owned()).or_insert_with(|| coarse.clone().into_owned());
        }
    }
    let everything = level + 1 == hierarchy.levels();
    let label = |value: &str| match of_label.get(value) {
        Some(label) => label.clone(),
        None if everything => ANYTHING.to_owned(),
        None => first_number(value)
            .and_then(|number| Some(hierarchy.recode(&number, level)?.into_owned()))
            .unwrap_or_else(|| value.to_owned()),
    };
    let labels: Vec<String> = values.dictionary.values().map(label).collect();
    let dictionary = Dictionary::new(labels.iter().map(|label| label.as_str().into()).collect(), false);
    let codes: Vec<u32> = labels.iter().map(|label| dictionary.code(label).unwrap_or(MISSING)).collect();
    let of_row = |code: &u32| (*code as usize).checked_sub(1).map_or(MISSING, |at| codes[at]);
    Coded { codes: values.codes.iter().map(of_row).collect(), dictionary }
}

/// The first number of a band. As levels nest, it is in the same coarser band as the rest.
fn first_number(label: &str) -> Option<String> {
    let sign = usize::from(label.starts_with('-'));
    let digits = label[sign..].bytes().take_while(u8::is_ascii_digit).count();
    (digits > 0).then(|| label[..sign + digits].to_owned())
}
