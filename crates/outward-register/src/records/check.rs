//! Compares a new release of records with the public ones of the same data.

use std::path::{Path, PathBuf};

use outward_engine::{Engine, ReleasedColumns, ReleasedRequest};
use outward_spec::{Error, Result, Spec, Step};

use super::joint::{Exposure, Joint, ShownKeys};
use super::matches::{Matches, Order, PublishedFile, match_files};
use super::repeat::{
    KeyColumns, is_random, is_shown_alike, keeps_classes, keeps_order, perturbs, published_keys, request, stays_near,
};
use super::words;
use crate::gate::Obstacle;
use crate::register::Release;

/// A public release of records.
#[derive(Debug, Clone)]
pub struct EarlierRecords {
    /// The release.
    pub release: Release,
    /// Its spec, with the files that it names.
    pub spec: Spec,
    /// Whether it was made of the same data.
    pub is_same_data: bool,
    /// Its published file, if it is available.
    pub file: Option<PublishedFile>,
}

/// A release of records that is to become public, or a request for one.
#[derive(Debug, Clone)]
pub struct NewRecords<'a> {
    /// Its name: `this release`, `this request`.
    pub name: &'a str,
    /// Its spec, with the files that it names.
    pub spec: &'a Spec,
    /// k: every combination of the keys must be shared by at least so many records.
    pub k: u64,
    /// Where the data are.
    pub data: DataAtHand<'a>,
    /// Its published file, if it has been made.
    pub file: Option<&'a PublishedFile>,
}

/// Where the data are.
#[derive(Debug, Clone, Copy)]
pub enum DataAtHand<'a> {
    /// In a file.
    File(&'a Path),
    /// Where the spec says.
    OfSpec,
    /// It is not known.
    Nowhere,
}

/// The result of the comparison.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RecordsCompared {
    /// The obstacles.
    pub obstacles: Vec<Obstacle>,
    /// What could not be checked but is no obstacle.
    pub not_seen: Vec<String>,
}

/// Compares a release of records with earlier ones.
///
/// # Errors If the data cannot be read, or the steps of the new release cannot be carried out.
pub async fn hold_records(
    engine: &dyn Engine,
    new: &NewRecords<'_>,
    earlier: &[EarlierRecords],
    threads: usize,
) -> Result<RecordsCompared> {
    let mut held = RecordsCompared::default();
    let (same, other): (Vec<_>, Vec<_>) = earlier.iter().partition(|earlier| earlier.is_same_data);
    held.obstacles.extend(other.iter().map(|earlier| words::of_other_version(earlier, new)));
    if same.is_empty() {
        return Ok(held);
    }
    if matches!(new.data, DataAtHand::OfSpec) && new.spec.data.path.is_none() {
        held.obstacles.push(words::of_database(new));
    }
    let both = match new.data {
        DataAtHand::Nowhere => {
            held.obstacles.extend(same.iter().map(|earlier| words::of_no_data(earlier, new)));
            vec![None; same.len()]
        }
        _ => join_keys(engine, new, &same, threads, &mut held).await?,
    };
    for (earlier, both) in same.iter().zip(both) {
        // Two releases without a common record disclose nothing about each other's values.
        match both {
            Some(0) => held.not_seen.push(words::of_nothing_in_common(earlier, new)),
            _ => hold_values(engine, new, earlier, both, &mut held).await,
        }
    }
    Ok(held)
}

/// Finds records that the keys of several releases expose together. Returns how many records each earlier release has
/// in common with the new one before samples are drawn, if that is known.
async fn join_keys(
    engine: &dyn Engine,
    new: &NewRecords<'_>,
    earlier: &[&EarlierRecords],
    threads: usize,
    held: &mut RecordsCompared,
) -> Result<Vec<Option<u64>>> {
    let path = match new.data {
        DataAtHand::File(path) => Some(path.to_owned()),
        _ => new.spec.data.path.as_ref().map(|path| new.spec.resolve(path)),
    };
    // Specs are in different folders.
    let absolute = |path: PathBuf| std::path::absolute(&path).map_err(|error| Error::io("find", &path, error));
    let data = path.map(absolute).transpose()?;
    let earlier_keys: Vec<String> = earlier.iter().flat_map(|one| published_keys(&one.spec).0).collect();
    let asked_of_new = KeyColumns::new(new.spec, &earlier_keys);
    let mut requests: Vec<ReleasedRequest> = vec![request(new.spec, &asked_of_new, data.as_deref(), threads)?];
    let mut asked: Vec<(usize, KeyColumns)> = Vec::new();
    for (at, one) in earlier.iter().enumerate() {
        let columns = KeyColumns::new(&one.spec, &asked_of_new.names[..asked_of_new.own]);
        match request(&one.spec, &columns, data.as_deref(), threads) {
            Ok(request) => {
                requests.push(request);
                asked.push((at, columns));
            }
            Err(error) => held.obstacles.push(words::of_not_repeated(one, new, &error)),
        }
    }
    let mut answers = engine.read_released(&requests).await?.into_iter();
    let own = answers.next().ok_or_else(|| Error::bug("the new release was not carried out"))?;
    let own = match own {
        Err(error @ Error::Input(_)) => {
            held.obstacles.push(words::of_own_not_repeated(new, &error));
            return Ok(vec![None; earlier.len()]);
        }
        own => own?,
    };
    let mut repeated: Vec<(usize, KeyColumns, ReleasedColumns)> = Vec::new();
    for ((at, mut columns), answer) in asked.into_iter().zip(answers) {
        match answer {
            Ok(mut answer) => {
                columns.borrow(&mut answer, &asked_of_new, &own);
                repeated.push((at, columns, answer));
            }
            Err(error @ Error::Input(_)) => held.obstacles.push(words::of_not_repeated(earlier[at], new, &error)),
            Err(error) => return Err(error),
        }
    }
    let shown: Vec<ShownKeys<'_>> = repeated.iter().map(|(_, columns, released)| columns.shown(released)).collect();
    let (own, all_of_new) = asked_of_new.split(own);
    let own = own.shown(&all_of_new);
    let joint = Joint::new(own, &shown, threads)?;
    let releases: Vec<&EarlierRecords> = repeated.iter().map(|(at, ..)| earlier[*at]).collect();
    let exposures = joint.exposures(new.k);
    if exposures.is_cautious {
        held.not_seen.push(
            "which values a missing one can be: there are too many groups, so missing was treated as a value"
                .to_owned(),
        );
    }
    for exposure in exposures.found {
        let with = exposure.with.iter().map(|at| (releases[*at], shown[*at]));
        held.obstacles.push(of_exposure(new, &joint, &exposure, own, &with.collect::<Vec<_>>()));
    }
    if joint.is_partly_searched() {
        held.not_seen.push("more than two earlier releases at a time, but for all of them together".to_owned());
    }
    tell_random_steps(new, &releases, held);
    let mut both = vec![None; earlier.len()];
    repeated.iter().enumerate().for_each(|(place, (at, ..))| both[*at] = Some(joint.in_both(place)));
    Ok(both)
}

fn of_exposure(
    new: &NewRecords<'_>,
    joint: &Joint<'_>,
    exposure: &Exposure,
    own: ShownKeys<'_>,
    with: &[(&EarlierRecords, ShownKeys<'_>)],
) -> Obstacle {
    let exposed = if exposure.below_k.is_empty() { &exposure.alone } else { &exposure.below_k };
    let mut lines = Vec::new();
    for (earlier, shown) in with {
        for (column, key) in shown.keys.iter().enumerate().take(shown.borrowed) {
            let then = &shown.released.columns[column];
            let borrowed = || (shown.borrowed..shown.keys.len()).find(|at| shown.keys[*at] == *key);
            let now = match own.keys.iter().position(|known| known == key) {
                Some(here) => &own.released.columns[here],
                None => match borrowed() {
                    Some(here) => &shown.released.columns[here],
                    None => continue,
                },
            };
            let present = |record: usize| shown.released.present[record] && own.released.present[record];
            lines.extend(words::of_crossings(
                earlier,
                new,
                key,
                &super::crossing::crossings(then, now, present, exposed),
            ));
        }
    }
    let parts = joint.parts(exposure, new.k);
    let releases: Vec<&EarlierRecords> = with.iter().map(|(earlier, _)| *earlier).collect();
    let places = |at: usize| exposure.with.iter().position(|known| *known == at).map(|place| releases[place]);
    lines.extend(words::of_parts(new, &parts, exposed.len() as u64, places));
    let apart = |record: &&usize| {
        with.iter().any(|(_, shown)| shown.released.present[**record] != own.released.present[**record])
    };
    lines.extend(words::of_presence(exposed.iter().filter(apart).count() as u64));
    if keeps_order(new.spec) && releases.iter().all(|earlier| keeps_order(&earlier.spec)) {
        lines.push("none of these releases was shuffled: the order of records shows which belong together".to_owned());
    }
    words::of_exposure(new, exposure, &releases, &parts, lines)
}

/// Notes which random steps were left out. If the classes of a release are then not those of its true values, this is
/// an obstacle.
fn tell_random_steps(new: &NewRecords<'_>, earlier: &[&EarlierRecords], held: &mut RecordsCompared) {
    let own = std::iter::once((new.name.to_owned(), new.spec, None));
    let releases = own.chain(earlier.iter().map(|one| (words::name_of(one), &one.spec, Some(*one))));
    for (name, spec, one) in releases {
        let random: Vec<&Step> =
            spec.steps.iter().filter(|step| is_random(step) && !matches!(step, Step::Shuffle {})).collect();
        if random.is_empty() {
            continue;
        }
        held.not_seen.push(words::of_random_steps(&name, &random));
        for key in published_keys(spec).0 {
            if random.iter().any(|step| perturbs(step, &key) && !keeps_classes(step)) {
                held.obstacles.push(words::of_perturbed_key(&name, &key, one.map(|one| one.release.id)));
            }
        }
    }
}

/// Compares the values of two releases: values that are perturbed in one and differently or not in the other, and
/// samples of the same records.
async fn hold_values(
    engine: &dyn Engine,
    new: &NewRecords<'_>,
    earlier: &EarlierRecords,
    both: Option<u64>,
    held: &mut RecordsCompared,
) {
    let is_changed = |spec: &Spec, name: &str| spec.steps.iter().any(|step| perturbs(step, name));
    let mut shared: Vec<&String> = new.spec.variables.iter().map(|variable| &variable.name).collect();
    shared.retain(|name| new.spec.is_published(name) && earlier.spec.is_published(name));
    let (perturbed, plain): (Vec<&String>, Vec<&String>) =
        shared.iter().partition(|name| is_changed(new.spec, name) || is_changed(&earlier.spec, name));
    let alike = |names: &[&String]| -> Vec<String> {
        names.iter().filter(|name| is_shown_alike(new.spec, &earlier.spec, name)).map(|name| (*name).clone()).collect()
    };
    let (plain_alike, perturbed_alike) = (alike(&plain), alike(&perturbed));
    let samples = words::Samples::new(new.spec, &earlier.spec, both);
    if perturbed.is_empty() && samples.is_none() {
        return;
    }
    let is_kept = keeps_order(new.spec) && keeps_order(&earlier.spec);
    let counted = match new.file.zip(earlier.file.as_ref()) {
        None => None,
        Some(files) => match match_files(engine, files, &plain_alike, &perturbed_alike, is_kept).await {
            Ok(matches) => Some(matches),
            Err(error) => {
                held.obstacles.push(words::of_not_matched(earlier, new, &error));
                return;
            }
        },
    };
    if !perturbed.is_empty() {
        let steps = || new.spec.steps.iter().chain(&earlier.spec.steps).filter(|step| stays_near(step));
        let is_near = perturbed.iter().any(|name| steps().any(|step| perturbs(step, name)));
        let is_settled = |matches: &Matches| {
            perturbed_alike.len() == perturbed.len()
                && match matches.order {
                    Order::SameRows(differing) => differing == 0,
                    Order::LeftOut => true,
                    Order::Kept => false,
                    // A value near the true one can be matched with it, though not exactly.
                    Order::Unrelated => matches.differing == 0 && (matches.is_contained || !is_near),
                }
        };
        if !counted.as_ref().is_some_and(is_settled) {
            held.obstacles.push(words::of_perturbed(new, earlier, &perturbed, plain_alike.len(), counted));
        }
    }
    if let Some(samples) = samples {
        let published =
            |spec: &Spec| spec.variables.iter().filter(|variable| spec.is_published(&variable.name)).count();
        let same = plain_alike.len() + perturbed_alike.len();
        let joins_more = published(new.spec) > same || published(&earlier.spec) > same;
        words::of_samples(new, earlier, &samples, counted, joins_more, held);
    }
}
