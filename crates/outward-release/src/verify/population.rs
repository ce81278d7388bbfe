//! Checks the models that compare with a population: k-map and δ-presence (Nergiz, Atzori and Clifton 2007). If the
//! spec names a population file, it also checks the share of population uniques. The population is not in a bundle;
//! without it these checks cannot be decided. Its keys have the codes of the data and are recoded here like the steps.
//! A population contains its sample: if it has fewer people of a class than there are records, the number of records is
//! used.

use std::collections::HashMap;

use outward_engine::Data;
use outward_spec::{Error, Result, Step};

use super::groups::KeyGroups;
use super::read::{self, CodedColumn};
use super::release::{PublishedClasses, Release};
use super::risk::at_most;
use super::steps::{StepEffect, effect};
use super::{Check, Options};

pub(super) async fn check(release: &Release<'_>, options: &Options) -> Result<Vec<Check>> {
    let rules = &release.manifest.rules;
    let counts_uniques = rules.population_unique_share.is_some() && counts_uniques(release);
    let asked = [
        rules.k_map.map(|_| "k-map"),
        rules.presence.map(|_| "presence"),
        counts_uniques.then_some("population uniques"),
    ];
    let asked: Vec<&str> = asked.into_iter().flatten().collect();
    let cannot = |why: &str| asked.iter().map(|name| Check::cannot_tell(*name, why)).collect();
    if asked.is_empty() {
        return Ok(Vec::new());
    }
    let Some(source) = &options.population else {
        return Ok(cannot("this needs the population file, which is not in the bundle: name it with --population"));
    };
    let keys = release.keys();
    // Numbers and dates are read like those of the data, however they are written.
    let mut types = release.spec.map(|spec| Data::of_spec(spec).columns).unwrap_or_default();
    types.retain(|column| keys.contains(&column.name));
    let population = Data { source: source.clone(), columns: types };
    let population = match read::columns(&population, &keys, options.threads).await {
        Ok(population) => population,
        Err(error @ (Error::Bug(_) | Error::Stopped)) => return Err(error),
        Err(error) => return Ok(cannot(&format!("the population cannot be read: {error}"))),
    };
    let mut columns = Vec::new();
    for (key, raw) in keys.iter().zip(&population.columns) {
        match recoded(release, key, raw) {
            Ok(column) => columns.push(column),
            Err(why) => return Ok(cannot(&why)),
        }
    }
    let codes: Vec<&[u32]> = columns.iter().map(Vec::as_slice).collect();
    let wild: Vec<bool> = keys.iter().map(|key| release.is_wild(key)).collect();
    let everyone = KeyGroups::from_columns(&codes, &wild, population.rows, None);
    let published = release.classes();
    let mut checks = Vec::new();
    checks.extend(rules.k_map.map(|k| k_map(release, published, &everyone, k)));
    checks.extend(rules.presence.map(|_| presence(release, published, &everyone)));
    let most = rules.population_unique_share.filter(|_| counts_uniques);
    checks.extend(most.map(|most| uniques(release, &everyone, population.rows as u64, most)));
    Ok(checks)
}

/// Whether the share of population uniques is counted in a population file. It is if the spec names one, and every step
/// that changed a key can be repeated on it. Otherwise it is estimated.
pub(super) fn counts_uniques(release: &Release<'_>) -> bool {
    let named = release.spec.is_some_and(|spec| spec.population.is_some());
    named && release.keys().iter().all(|key| changing_step(release, key).is_none())
}

/// The first step that changed a key in a way that cannot be repeated on the population.
fn changing_step<'r>(release: &'r Release<'_>, key: &str) -> Option<&'r Step> {
    let steps = release.manifest.steps.iter().map(|record| &record.step);
    steps.filter(|step| !matches!(step, Step::Recode { .. })).find(|step| effect(step, key, true) != StepEffect::None)
}

/// Checks the people who are alone in the population on the published keys.
fn uniques(release: &Release<'_>, everyone: &KeyGroups, people: u64, most: f64) -> Check {
    if people < release.records.rows as u64 {
        let why = "the population file has fewer people than the release has records, so it is another population";
        return Check::cannot_tell("population uniques", why);
    }
    let uniques = everyone.records.iter().filter(|people| **people == 1).count();
    at_most("population uniques", uniques as f64 / (people as f64).max(1.0), most)
}

fn k_map(release: &Release<'_>, published: &PublishedClasses, everyone: &KeyGroups, k: u64) -> Check {
    let people = people(published, everyone);
    let (records, rows) = published.groups.rows_where(|group| people[group] < k);
    match records {
        0 => Check::holds("k-map", format!("every record shares its keys with {k} of the population or more")),
        _ => Check::fails(
            "k-map",
            format!("records that share their keys with fewer than {k} of the population: {records}"),
        )
        .at(rows.map(|row| release.row(row))),
    }
}

/// How many of the population have the keys of each group.
fn people(published: &PublishedClasses, everyone: &KeyGroups) -> Vec<u64> {
    let people = published.groups.gather(everyone, &everyone.records, |sum, more| *sum += more);
    people.into_iter().zip(&published.sizes).map(|(people, records)| people.max(*records)).collect()
}

/// Checks the published share of each class of the population. Classes without published records have the share 0,
/// which a least share above 0 does not allow.
fn presence(release: &Release<'_>, published: &PublishedClasses, everyone: &KeyGroups) -> Check {
    let rules = &release.manifest.rules;
    let Some(asked) = rules.presence else { return Check::holds("presence", "it is not asked for") };
    let (people, sizes) = (people(published, everyone), &published.sizes);
    let allowed = |records: u64, people: u64| {
        let share = records as f64 / people as f64;
        share >= asked.least - 1e-9 && share <= asked.most + 1e-9
    };
    let (records, rows) = published.groups.rows_where(|group| !allowed(sizes[group], people[group]));
    if records > 0 {
        let says =
            format!("records in classes whose share is not between {} and {}: {records}", asked.least, asked.most);
        return Check::fails("presence", says).at(rows.map(|row| release.row(row)));
    }
    let reached = everyone.gather(&published.groups, &published.groups.records, |sum, more| *sum += more);
    let absent = reached.iter().filter(|records| **records == 0).count();
    if absent > 0 && asked.least > 0.0 {
        return Check::fails("presence", format!("{absent} classes of the population have no published record"));
    }
    Check::holds("presence", format!("the share of every class is between {} and {}", asked.least, asked.most))
}

/// A key of the population as it would be published, with the numbers of the published values.
fn recoded(release: &Release<'_>, key: &str, raw: &CodedColumn) -> Result<Vec<u32>, String> {
    let published = release.records.column(key).ok_or("a key is not in the file")?;
    if changing_step(release, key).is_some() {
        return Err(format!("`{key}` was changed in ways that cannot be repeated on the population"));
    }
    let mut values = raw.values.clone();
    for record in &release.manifest.steps {
        match &record.step {
            Step::Recode { variable, level } if variable == key => {
                let hierarchy = release.hierarchy(key)?;
                for value in &mut values {
                    // A value that the hierarchy lacks has no label. It is kept and matches no published value.
                    if let Some(label) =
                        hierarchy.recode(value, (*level).min(hierarchy.levels())).map(|label| label.into_owned())
                    {
                        *value = label;
                    }
                }
            }
            _ => {}
        }
    }
    let mut numbers: HashMap<&str, u32> =
        published.values.iter().zip(1..).map(|(value, number)| (value.as_str(), number)).collect();
    let number_of: Vec<u32> = values
        .iter()
        .map(|value| {
            let next = numbers.len() as u32 + 1;
            *numbers.entry(value).or_insert(next)
        })
        .collect();
    let number = |code: &u32| (*code as usize).checked_sub(1).map_or(read::MISSING, |at| number_of[at]);
    Ok(raw.codes.iter().map(number).collect())
}
