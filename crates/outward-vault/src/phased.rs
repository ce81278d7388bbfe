//! Release in two phases: places first, under one set of identifiers; then everything else, under another.
//!
//! Between the two, researchers return what they worked out from the places, keyed by the first set. A value that only
//! one place has would join the two phases as surely as a name. So the returned values are made equal within groups of
//! people, and nobody's place can be derived from their group ([`crate::unlink`]).

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{Array, ArrayRef, Float64Array, Int64Array, RecordBatch, StringArray};
use outward_error::{Error, Result};
use outward_ledger::{Actor, bytes, number, text, values};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use serde::Serialize;
use serde_json::json;

use crate::application::{Application, subject};
use crate::data::to_parquet;
use crate::eid::EidSet;
use crate::extract::Phase;
use crate::unlink::{Person, group};
use crate::vault::{Vault, note};

/// A phase that is out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PhaseOut {
    /// How many participants there were: later ones are in neither phase.
    pub(crate) participants: u64,
    /// The hash of its bundle.
    pub(crate) bundle: String,
}

/// What researchers return: values by EIDs of the first phase.
#[derive(Debug, Clone, Default)]
pub struct Results {
    /// The names of the values.
    pub columns: Vec<String>,
    /// An EID with its values, one for each column.
    pub rows: Vec<(String, Vec<Option<f64>>)>,
}

/// What stands between the fields of a place.
pub const BETWEEN: char = '\u{1f}';

/// What the first phase gave: a place by EID, as it was published, with [`BETWEEN`] between its fields.
pub type Places = Vec<(String, String)>;

/// What became of returned results.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ReturnAccount {
    /// People with a result.
    pub people: u64,
    /// People without, or whose results could not be kept: they are missing in the second phase.
    pub without: u64,
    /// Groups of people with the same values.
    pub groups: u64,
    /// How many different values came back of each column, and how many are kept.
    pub columns: Vec<ReturnedColumn>,
}

/// A column of results.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ReturnedColumn {
    /// Its name.
    pub name: String,
    /// Different values that came back.
    pub values: u64,
    /// Different values that are kept.
    pub kept: u64,
    /// The share of the variance that is lost within groups, from 0 to 1.
    pub lost: f64,
}

/// Returned results as the second phase gives them.
#[derive(Debug)]
pub(crate) struct Returned {
    pub(crate) columns: Vec<String>,
    rows: HashMap<i64, usize>,
    places: StringArray,
    values: Vec<Float64Array>,
}

impl Returned {
    /// The value of a person in a column.
    pub(crate) fn value(&self, pid: i64, column: usize) -> Option<f64> {
        let row = *self.rows.get(&pid)?;
        let column = &self.values[column];
        column.is_valid(row).then(|| column.value(row))
    }

    /// The place of a person, as the first phase gave it: its fields with [`BETWEEN`] between them.
    pub(crate) fn place(&self, pid: i64) -> Option<&str> {
        self.rows.get(&pid).map(|row| self.places.value(*row))
    }
}

impl Vault {
    /// The phase of an application, where it is out.
    pub(crate) async fn phase(&mut self, application: &str, phase: i64) -> Result<Option<PhaseOut>> {
        let statement = "select participants, bundle from phases where application = $1 and phase = $2";
        let row = self.research.row(statement, values![application, phase]).await?;
        row.map(|row| {
            Ok(PhaseOut { participants: number(&row, "participants")? as u64, bundle: text(&row, "bundle")? })
        })
        .transpose()
    }

    /// Refuses a phase that an application does not have, or not yet, or no longer.
    pub(crate) async fn refuse_phase(&mut self, application: &Application, phase: Option<Phase>) -> Result<()> {
        let name = &application.name;
        let refuse = |what: String, help: &str| Err(Error::input(what).help(help).into());
        match (phase, application.phase_one.is_some()) {
            (None, true) => refuse(
                format!("application `{name}` is released in two phases"),
                "say which with --phase 1 or --phase 2",
            ),
            (Some(_), false) => refuse(
                format!("application `{name}` has no phases"),
                "leave --phase out, or add `[phase_one]` to its file",
            ),
            (None, false) => Ok(()),
            (Some(Phase::One), true) => match self.phase(name, 2).await? {
                None => Ok(()),
                Some(_) => refuse(
                    format!("the second phase of `{name}` is out: its first is closed"),
                    "two extracts of the first phase, one before and one after somebody withdrew, would show whose place is whose",
                ),
            },
            (Some(Phase::Two), true) => match (self.phase(name, 1).await?, self.returned(name).await?) {
                (Some(_), Some(_)) => Ok(()),
                (None, _) => refuse(format!("the first phase of `{name}` is not out"), "begin with --phase 1"),
                (Some(_), None) => refuse(
                    format!("nothing was returned for application `{name}` yet"),
                    "take in the results with `outward vault return` first",
                ),
            },
        }
    }

    /// Notes that a phase goes out. Its participants are those of the first time.
    pub(crate) async fn begin_phase(
        &mut self,
        application: &Application,
        phase: Option<Phase>,
        participants: u64,
    ) -> Result<()> {
        let Some(phase) = phase.map(number_of) else { return Ok(()) };
        if self.phase(&application.name, phase).await?.is_some() {
            return Ok(());
        }
        let insert = "insert into phases (application, phase, participants, bundle) values ($1, $2, $3, '')";
        self.research.run(insert, values![&application.name, phase, participants as i64]).await
    }

    /// Keeps the hash of the bundle of a phase.
    pub(crate) async fn keep_bundle(&mut self, application: &str, phase: Option<Phase>, bundle: &str) -> Result<()> {
        let Some(phase) = phase.map(number_of) else { return Ok(()) };
        let update = "update phases set bundle = $3 where application = $1 and phase = $2";
        self.research.run(update, values![application, phase, bundle]).await
    }

    /// Takes in what researchers return after the first phase. `places` is what the bundle of that phase gave, and `bundle` its hash. The values are made the
    /// same for groups of people, of whom at most one in `least` are at one place.
    ///
    /// # Errors
    /// If the bundle is not the one that went out, an EID is not in it or occurs twice, or too few people are at too
    /// many places.
    pub async fn take_return(
        &mut self,
        application: &str,
        (places, bundle): (&Places, &str),
        results: &Results,
        least: u64,
        by: Actor<'_>,
        reason: &str,
    ) -> Result<ReturnAccount> {
        let application = self.application(application, by).await?;
        let out = self.phase(&application.name, 1).await?.filter(|_| application.phase_one.is_some());
        let Some(out) = out else {
            return Err(Error::input(format!("the first phase of `{}` is not out", application.name))
                .help("nothing can be returned before it")
                .into());
        };
        if out.bundle != bundle {
            return Err(Error::input("this is not the bundle that went out as the first phase")
                .help("name the bundle that the last `outward vault extract --phase 1` wrote, as it was written")
                .into());
        }
        if self.phase(&application.name, 2).await?.is_some() {
            return Err(Error::input(format!("the second phase of `{}` is out already", application.name))
                .help("other values now would tell groups apart: give the research another application")
                .into());
        }
        let identified = self.identified(&application, EidSet::PhaseOne).await?;
        let pids = identified.by_eid();
        let people = people_of(places, results)?;
        let grouped = group(&people, results.columns.len(), least)?;
        let mut kept = Vec::with_capacity(people.len());
        for ((eid, place), values) in places.iter().zip(&grouped.values) {
            let pid = *pids.get(eid.as_str()).ok_or_else(unknown)?;
            kept.push((pid, place, values.as_ref()));
        }
        // In the order of PIDs, which is random.
        kept.sort_unstable_by_key(|(pid, ..)| *pid);
        let pids = Int64Array::from(kept.iter().map(|(pid, ..)| *pid).collect::<Vec<_>>());
        let places: StringArray = kept.iter().map(|(_, place, _)| Some(place)).collect();
        let mut columns: Vec<(&str, ArrayRef)> = vec![("pid", Arc::new(pids) as ArrayRef), ("place", Arc::new(places))];
        for (at, name) in results.columns.iter().enumerate() {
            let column: Float64Array =
                kept.iter().map(|(.., values)| values.and_then(|values| values.get(at).copied())).collect();
            columns.push((name, Arc::new(column)));
        }
        let content = to_parquet(&RecordBatch::try_from_iter(columns).map_err(Error::bug)?)?;
        let account = grouped.account(&people, &results.columns);
        self.research.begin().await?;
        let done = async {
            let name = &application.name;
            self.research.run("delete from returned where application = $1", values![name]).await?;
            let insert = "insert into returned (application, content) values ($1, $2)";
            self.research.run(insert, values![name, content]).await?;
            let details = json!({ "people": account.people, "groups": account.groups, "least": least });
            self.research.note(by, note("return", &subject(name), reason, details)).await
        };
        let done = done.await;
        self.research.end(done).await?;
        Ok(account)
    }

    /// What was returned for an application.
    pub(crate) async fn returned(&mut self, application: &str) -> Result<Option<Returned>> {
        let statement = "select content from returned where application = $1";
        let Some(row) = self.research.row(statement, values![application]).await? else { return Ok(None) };
        let damaged =
            || Error::input("the returned results are damaged in the store").help("restore the store from a copy");
        let content = bytes::Bytes::from(bytes(&row, "content")?.unwrap_or_default());
        let reader = ParquetRecordBatchReaderBuilder::try_new(content).map_err(|_| damaged())?;
        let schema = reader.schema().clone();
        let reader = reader.build().map_err(|_| damaged())?;
        let batches: Vec<RecordBatch> = reader.collect::<std::result::Result<_, _>>().map_err(|_| damaged())?;
        let whole = arrow_select::concat::concat_batches(&schema, &batches).map_err(Error::bug)?;
        let pids = whole.column(0).as_primitive_opt::<Int64Type>().ok_or_else(damaged)?;
        let places = whole.columns().get(1).and_then(|column| column.as_string_opt::<i32>()).ok_or_else(damaged)?;
        let values = whole.columns()[2..].iter().map(|column| column.as_primitive_opt::<Float64Type>().cloned());
        Ok(Some(Returned {
            columns: schema.fields().iter().skip(2).map(|field| field.name().clone()).collect(),
            rows: pids.values().iter().copied().zip(0..).collect(),
            places: places.clone(),
            values: values.collect::<Option<_>>().ok_or_else(damaged)?,
        }))
    }
}

fn number_of(phase: Phase) -> i64 {
    match phase {
        Phase::One => 1,
        Phase::Two => 2,
    }
}

/// Places and results side by side, in the order of the places.
fn people_of(places: &Places, results: &Results) -> Result<Vec<Person>> {
    let mut numbers: HashMap<&str, u32> = HashMap::new();
    let mut rows: HashMap<&str, usize> = HashMap::with_capacity(places.len());
    let mut people = Vec::with_capacity(places.len());
    for (eid, place) in places {
        let next = numbers.len() as u32;
        let place = *numbers.entry(place).or_insert(next);
        if rows.insert(eid, people.len()).is_some() {
            return Err(Error::input("a participant is in the first phase twice")
                .help("places are returned by person: give a table with one record for each as `[phase_one]`")
                .into());
        }
        people.push(Person { place, values: None });
    }
    for (row, (eid, values)) in (1..).zip(&results.rows) {
        let at = *rows.get(eid.as_str()).ok_or_else(|| unknown().row(row))?;
        if people[at].values.is_some() {
            return Err(Error::input("an identifier stands twice in the results")
                .row(row)
                .help("have one row for each returned")
                .into());
        }
        // If a person lacks one value, all of theirs are missing: the pattern of missing values could identify them.
        people[at].values = Some(values.iter().copied().collect::<Option<Vec<f64>>>().unwrap_or_default());
        if people[at].values.as_ref().is_some_and(|values| values.iter().any(|value| !value.is_finite())) {
            return Err(Error::input("a result is not a number")
                .row(row)
                .help("have it left empty where there is none")
                .into());
        }
    }
    for person in &mut people {
        person.values = person.values.take().filter(|values| values.len() == results.columns.len());
    }
    Ok(people)
}

fn unknown() -> outward_error::Fault {
    Error::input("an identifier is not of the first phase")
        .help("have the results returned by the identifiers that were given; nothing was taken in")
}
