//! The input of an intruder test: the people of the intruder's file, and a release that is carried out again in memory.
//! So it is known which record belongs to which person.
//!
//! A release is a function of data, spec and seed. So its steps, random ones too, give exactly the records of its
//! bundle, and each keeps the number of the row it was made from. If a bundle is named, its file is compared with these
//! records before anything is attacked.

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;

use outward_engine::{Data, Engine, Plan, ReleasedColumns, ReleasedRequest, TypedColumn, columns_read_by};
use outward_intruder::attack::{NamedColumn, People, Released, Truth, truth_by_column};
use outward_spec::{Error, Result, Scenario, Source, Spec, Step};

use crate::bundle::{self, SPEC, read_ordinary};
use crate::inputs::InputKind;
use crate::manifest::Manifest;
use crate::protect::{Prepared, Protect, prepare};

/// The input of an intruder test.
#[derive(Debug)]
pub struct UnderAttack {
    /// The release, its records at the rows of the data they were made from.
    pub released: Released,
    /// The people of the intruder's file. If the file is made from the population or the data, these are all people of
    /// it.
    pub people: People,
    /// The share of the population that is in the data, if known.
    pub sampling_fraction: Option<f64>,
    /// The column that identifies these people, if the scenario names one.
    pub ids: Option<NamedColumn>,
    /// Whether the people are those of a file that is not the data.
    pub other_file: bool,
    /// By row of the data: true values of what the intruder wants to learn, and published categories of the groups.
    pub source: Vec<NamedColumn>,
}

/// Which columns an attack needs.
#[derive(Debug, Clone, Default)]
pub struct NeededColumns {
    /// Variables that the intruder knows.
    pub known: Vec<String>,
    /// Variables that the intruder wants to learn.
    pub learn: Vec<String>,
    /// Published variables by whose categories the score card is broken down.
    pub groups: Vec<String>,
    /// Other published variables, by which records of several releases can be joined.
    pub shared: Vec<String>,
}

impl NeededColumns {
    /// All of them, each once.
    pub fn all(&self) -> Vec<String> {
        let all: BTreeSet<&String> =
            self.known.iter().chain(&self.learn).chain(&self.groups).chain(&self.shared).collect();
        all.into_iter().cloned().collect()
    }
}

/// Carries a release out in memory and reads the intruder's file, or the people it is made from.
///
/// # Errors
/// If files cannot be read, columns are missing, or the steps cannot be carried out.
pub async fn read_release(
    engine: &dyn Engine,
    wanted: &Protect<'_>,
    name: &str,
    scenario: &Scenario,
    needed: &NeededColumns,
) -> Result<UnderAttack> {
    let spec = wanted.spec;
    let Prepared { setting, .. } = prepare(engine, wanted).await?;
    let data = Data::of_spec(spec);
    let published: Vec<String> = needed.all().into_iter().filter(|name| spec.is_published(name)).collect();
    if published.is_empty() {
        return Err(Error::input("the release shows no variable that the intruder knows or wants to learn")
            .help("name variables in the scenario that the release has")
            .into());
    }
    let sampling_fraction = setting.sampling_fraction;
    let plan = Plan::of_spec(setting)?;
    let mut own: Vec<String> = needed.known.iter().chain(&needed.learn).chain(&scenario.truth).cloned().collect();
    own.sort_unstable();
    own.dedup();
    // Steps on all records at once may depend on any column.
    let reads = match spec.steps.iter().all(Step::is_record_wise) {
        true => Some(columns_read_by(&spec.steps)?.into_iter().chain(scenario_reads(scenario)?).collect()),
        false => None,
    };
    let released = ReleasedRequest { data: data.clone(), plan, reads, columns: published.clone() };
    let unchanged = ReleasedRequest { data, plan: Plan::unchanged(), reads: Some(own.clone()), columns: own.clone() };
    let mut requests = vec![released, unchanged];
    requests.extend(among(scenario, &requests[0]));
    let mut answers = engine.read_released(&requests).await?.into_iter();
    let (Some(released), Some(read)) = (answers.next(), answers.next()) else {
        return Err(Error::bug("a release was asked for and none was carried out"));
    };
    let (released, read) = (released?, columns(&own, read?.columns));
    let among = answers.next().transpose()?;
    let rows = released.present.len();
    let file = people_file(spec, scenario);
    let (people, ids) = match file {
        None => {
            let ids = read.iter().find(|column| Some(&column.name) == scenario.truth.as_ref()).cloned();
            (People::of_source(read.clone(), rows), ids)
        }
        Some(file) => {
            let (people, ids) = read_people(engine, spec, scenario, file, needed, &read).await?;
            (people, Some(ids))
        }
    };
    let ReleasedColumns { present, order, columns: values } = released;
    let present = among.map_or(present, |among| among.present);
    let released = Released { name: name.to_owned(), order, present, columns: columns(&published, values) };
    let mut source: Vec<NamedColumn> = read.into_iter().filter(|column| needed.learn.contains(&column.name)).collect();
    source.extend(released.columns.iter().filter(|column| needed.groups.contains(&column.name)).cloned());
    Ok(UnderAttack { released, people, ids, other_file: file.is_some(), sampling_fraction, source })
}

/// The columns that the condition of a scenario reads.
fn scenario_reads(scenario: &Scenario) -> Result<Vec<String>> {
    match &scenario.condition {
        Some(condition) => columns_read_by(&[Step::Keep { condition: condition.clone() }]),
        None => Ok(Vec::new()),
    }
}

/// The release without the records that the scenario leaves out. One more step at the end changes no random number of
/// the steps before.
fn among(scenario: &Scenario, release: &ReleasedRequest) -> Option<ReleasedRequest> {
    let plan = release.plan.clone().then_keep(scenario.condition.as_ref()?);
    Some(ReleasedRequest { plan, columns: Vec::new(), ..release.clone() })
}

/// The file whose people are looked for; `None` if it is the data.
pub fn people_file<'a>(spec: &'a Spec, scenario: &'a Scenario) -> Option<&'a Source> {
    let file = scenario.file.as_ref().or(spec.population.as_ref())?;
    (spec.resolve_source(file) != spec.resolve_source(&spec.data)).then_some(file)
}

/// The people of a file that is not the data, and which row of the data each of them is.
async fn read_people(
    engine: &dyn Engine,
    spec: &Spec,
    scenario: &Scenario,
    file: &Source,
    needed: &NeededColumns,
    source: &[NamedColumn],
) -> Result<(People, NamedColumn)> {
    let typed = |column: &TypedColumn| needed.known.contains(&column.name);
    let types = Data::of_spec(spec).columns.into_iter().filter(typed).collect();
    let data = Data { source: spec.resolve_source(file), columns: types };
    let schema = engine.describe(&data).await?.schema;
    let has = |name: &String| schema.index_of(name).is_ok();
    let Some(truth) = &scenario.truth else {
        return Err(Error::input("it is not known which record each person of this file is, so no claim could be scored")
            .file(data.source.path.clone().unwrap_or_default())
            .help("name the column that the data and this file share, in the scenario: `truth = \"person_id\"`, or with --truth")
            .into());
    };
    let mut names: Vec<String> = needed.known.iter().filter(|name| has(name)).cloned().collect();
    if names.is_empty() {
        return Err(Error::input("the intruder's file has no variable that the intruder is said to know")
            .file(data.source.path.clone().unwrap_or_default())
            .help("its columns must have the names of the variables of the spec")
            .into());
    }
    if !names.contains(truth) {
        names.push(truth.clone());
    }
    let request = ReleasedRequest { data, plan: Plan::unchanged(), reads: Some(names.clone()), columns: names.clone() };
    let mut answer = engine.read_released(&[request]).await?;
    let read = answer.pop().ok_or_else(|| Error::bug("a file was asked for and none was read"))??;
    let mut read = columns(&names, read.columns);
    let find = |columns: &[NamedColumn]| columns.iter().position(|column| column.name == *truth);
    let (Some(theirs), Some(ours)) = (find(&read), find(source)) else {
        return Err(Error::bug("the column that says who is who was not read"));
    };
    let truth = truth_by_column(&source[ours].name, &read[theirs].values, &source[ours].values)?;
    if !truth.iter().any(|truth| matches!(truth, Truth::Row(_))) {
        return Err(Error::input("nobody of the intruder's file is in the data")
            .variable(&source[ours].name)
            .help("the column must hold the same values in both files")
            .into());
    }
    let ids = read[theirs].clone();
    if !needed.known.contains(&ids.name) {
        read.remove(theirs);
    }
    Ok((People { columns: read, truth }, ids))
}

fn columns(names: &[String], values: Vec<outward_cells::Coded>) -> Vec<NamedColumn> {
    names.iter().cloned().zip(values).map(|(name, values)| NamedColumn { name, values }).collect()
}

/// Checks that a bundle was made by a spec from the data, and that its file has the records that are attacked, in the
/// same order: claims name rows of this file.
///
/// # Errors
/// If the bundle was made by another spec, from other data, or has other records.
pub async fn compare_with_bundle(
    engine: &dyn Engine,
    wanted: &Protect<'_>,
    bundle: &Path,
    attacked: &UnderAttack,
) -> Result<()> {
    let manifest = bundle::read(bundle)?;
    let differs = |what: &str| -> Error {
        Error::input(what)
            .file(bundle)
            .help("make the bundle again with `outward protect`, then attack it with the spec it was made by")
            .into()
    };
    let spec = read_ordinary(&bundle.join(SPEC)).map_err(|error| Error::io("read", bundle.join(SPEC), error))?;
    if spec != wanted.text {
        return Err(differs("this bundle was made by another spec"));
    }
    let inputs = crate::inputs::InputRecord::of_spec(wanted.spec, wanted.file, wanted.text)?;
    let data = |inputs: &[crate::inputs::InputRecord]| {
        inputs.iter().find(|input| input.kind == InputKind::Data).and_then(|input| input.sha256.clone())
    };
    if data(&inputs) != data(&manifest.inputs) {
        return Err(differs("this bundle was made from other data"));
    }
    let published = read_published(engine, bundle, &manifest, &attacked.released).await?;
    let ours = row_hashes(&attacked.released.columns, attacked.released.order.iter().map(|row| *row as usize));
    let rows = published.first().map_or(0, |column| column.values.codes.len());
    match row_hashes(&published, 0..rows) == ours {
        true => Ok(()),
        false => Err(differs("the records of this bundle are not those that its spec makes of the data")),
    }
}

/// The attacked columns in the file of a bundle.
async fn read_published(
    engine: &dyn Engine,
    bundle: &Path,
    manifest: &Manifest,
    attacked: &Released,
) -> Result<Vec<NamedColumn>> {
    let names: Vec<String> = attacked.columns.iter().map(|column| column.name.clone()).collect();
    let types = manifest.columns.iter().filter(|column| names.contains(&column.name));
    let typed =
        types.map(|column| TypedColumn { name: column.name.clone(), data_type: column.data_type, date_format: None });
    let data = Data { source: Source::file(bundle.join(&manifest.data)), columns: typed.collect() };
    let request = ReleasedRequest { data, plan: Plan::unchanged(), reads: Some(names.clone()), columns: names.clone() };
    let mut answer = engine.read_released(&[request]).await?;
    let ReleasedColumns { columns: read, .. } =
        answer.pop().ok_or_else(|| Error::bug("a bundle was asked for and none was read"))??;
    Ok(columns(&names, read))
}

/// A hash of the values of each of these records.
fn row_hashes(columns: &[NamedColumn], rows: impl Iterator<Item = usize>) -> Vec<u64> {
    let hash = |row: usize| {
        let mut hash = DefaultHasher::new();
        columns.iter().for_each(|column| column.values.dictionary.value(column.values.codes[row]).hash(&mut hash));
        hash.finish()
    };
    rows.map(hash).collect()
}
