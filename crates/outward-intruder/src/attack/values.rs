//! What the intruder uses: the variables that both their file and a release have, and the values they know.

use outward_cells::{Coded, MISSING};
use outward_error::{Error, Result};

use super::known::KnownVariable;
use super::mistakes::as_known;
use super::people::Released;
use super::play::AttackInput;
use super::relation::{ANY, Relation};

/// The known variables that the people's file and some release have.
pub(super) fn used_variables<'a>(input: &'a AttackInput<'_>, releases: &[Released]) -> Result<Vec<&'a KnownVariable>> {
    let is_released = |known: &&KnownVariable| releases.iter().any(|of| of.column(&known.form.name).is_some());
    let is_known = |known: &&KnownVariable| input.people.column(&known.form.name).is_some();
    let released: Vec<&KnownVariable> = input.known.iter().filter(is_released).collect();
    let used: Vec<&KnownVariable> = released.iter().copied().filter(is_known).collect();
    match (released.is_empty(), used.is_empty()) {
        (_, false) => Ok(used),
        (true, _) => Err(Error::input("the intruder knows no variable that a release has")
            .help("name in `keys` or `known` variables that are published")
            .into()),
        (false, true) => {
            let names = released.iter().map(|known| format!("`{}`", known.form.name));
            let what = "the intruder's file has no variable that the intruder knows and a release has";
            let help = format!("give the file a column {}", names.collect::<Vec<_>>().join(" or "));
            Err(Error::input(what).help(help).into())
        }
    }
}

/// The known variables of a release that the people's file does not have, by name.
pub(super) fn missing_in_file(input: &AttackInput<'_>, releases: &[Released]) -> Vec<String> {
    let names = input.known.iter().map(|known| &known.form.name);
    let is_missing = |name: &&String| {
        input.people.column(name).is_none() && releases.iter().any(|release| release.column(name).is_some())
    };
    names.filter(is_missing).cloned().collect()
}

/// The values of a used variable that the intruder knows.
pub(super) fn known_values(input: &AttackInput<'_>, known: &KnownVariable) -> Result<Coded> {
    let name = &known.form.name;
    let truth = input.people.column(name).ok_or_else(|| Error::bug("a variable without a column is used"))?;
    known.check_level()?;
    if truth.codes.iter().all(|code| *code == MISSING) {
        let what = match input.own_file {
            true => "the intruder's file has no value in this column",
            false => "no person has a value in this column, so the intruder knows nothing by it",
        };
        return Err(Error::input(what)
            .variable(name)
            .help("take the variable out of the scenario, or check the column")
            .into());
    }
    Ok(if input.own_file { truth.clone() } else { as_known(truth, known, input.seed) })
}

/// Whether any value the intruder knows can be found in the release.
pub(super) fn agrees_at_all(relation: &Relation, file: &Coded, released: &Coded) -> bool {
    let says_nothing = |classes: &[u32], codes: &[u32]| codes.iter().any(|code| classes[*code as usize] == ANY);
    !relation.is_empty() || says_nothing(&relation.left, &file.codes) || says_nothing(&relation.right, &released.codes)
}

pub(super) fn no_agreement(name: &str) -> Error {
    let what = "no value that the intruder knows agrees with any value of the release in this column";
    let help =
        "check that both spell the values alike; where they differ by a hierarchy, give the variable that `hierarchy`";
    Error::input(what).variable(name).help(help).into()
}
