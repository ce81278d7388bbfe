//! The records that an application gets: by its own identifiers, in their order, of those alone who may be in it, with rare codes grouped.
//!
//! Records come in the order of their EIDs. In the order in which people were enrolled, two extracts side by side would join row by row.

mod coarsen;

use std::collections::HashSet;
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, StringArray, UInt32Array};
use arrow_select::take::take;
use outward_error::{Error, Result};
use outward_ledger::Actor;
use outward_spec::{Role, Rules, Spec, Step, Variable};
use serde::Serialize;
use serde_json::json;

use crate::application::{Application, GrantedTable, subject};
use crate::data::with_column;
use crate::eid::EidSet;
use crate::participants::Identified;
use crate::places::{Visited, refuse_what_tells_places};
use crate::table::{TableDescription, kept_steps};
use crate::vault::Vault;

pub use coarsen::GroupedField;

/// What the column of identifiers is called.
pub const EID: &str = "eid";
/// Why it may be published.
const ALLOWED: &str = "an identifier made for this application alone, which nothing else has";

/// What is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wanted<'a> {
    /// The application.
    pub application: &'a str,
    /// The first or the second phase, of a release in two phases.
    pub phase: Option<Phase>,
    /// The table.
    pub table: &'a str,
    /// Its fields, in order; all that were granted where empty.
    pub fields: &'a [String],
    /// The EIDs of those whose records are wanted, where the application has a cohort.
    pub cohort: Option<&'a HashSet<String>>,
    /// Why.
    pub reason: &'a str,
}

/// A phase of a release in two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// Places alone.
    One,
    /// Everything else.
    Two,
}

impl Phase {
    /// The set of identifiers of a phase, or of an application without any.
    pub fn set(phase: Option<Self>) -> EidSet {
        match phase {
            None => EidSet::Main,
            Some(Self::One) => EidSet::PhaseOne,
            Some(Self::Two) => EidSet::PhaseTwo,
        }
    }
}

/// Records as an application gets them, before the steps of their spec, and the spec.
#[derive(Debug)]
pub struct Extract {
    /// The records.
    pub records: RecordBatch,
    /// What a bundle is made by: variables, steps, policy. Its data are a file called `records.parquet`.
    pub spec: Spec,
    /// The files that the spec names, by name.
    pub files: std::collections::BTreeMap<String, String>,
    /// What was done.
    pub account: Account,
}

/// What an extract did, in numbers.
#[derive(Debug, Clone, Serialize)]
pub struct Account {
    /// The application.
    pub application: String,
    /// The set of identifiers.
    pub set: EidSet,
    /// The table.
    pub table: String,
    /// Its fields.
    pub fields: Vec<String>,
    /// People in it.
    pub people: u64,
    /// Records.
    pub records: u64,
    /// People left out, as they withdrew or opted out.
    pub left_out: u64,
    /// Fields whose rare codes were grouped.
    pub grouped: Vec<GroupedField>,
}

impl Vault {
    /// The records of a table for an application, by the policy. That they were taken out is logged before they are.
    ///
    /// # Errors
    /// If the application was not granted a field, has expired, or may not have this phase yet. Also if the store
    /// cannot be read.
    pub async fn extract(
        &mut self,
        wanted: &Wanted<'_>,
        rules: &Rules,
        policy: &outward_spec::PolicyChoice,
        by: Actor<'_>,
    ) -> Result<Extract> {
        let application = self.application(wanted.application, by).await?;
        self.refuse_phase(&application, wanted.phase).await?;
        let granted = match wanted.phase {
            Some(Phase::One) => application.phase_one.as_ref().filter(|granted| granted.name == wanted.table),
            _ => None,
        };
        let granted = granted.map_or_else(|| application.granted(wanted.table), Ok)?;
        let fields = granted_fields(&application, granted, wanted.fields)?;
        let table = self.table(wanted.table).await?;
        let spec = table.spec()?;
        refuse_forbidden(&application, &spec, &fields, rules)?;
        if wanted.phase == Some(Phase::Two) {
            refuse_places(&spec, &fields)?;
        }
        let set = Phase::set(wanted.phase);
        let identified = self.identified(&application, set).await?;
        let left_out = self.left_out(&application, by.at).await?;
        let up_to = self.phase(&application.name, 1).await?.filter(|_| wanted.phase.is_some());
        let (pids, records) = self.read_table(wanted.table, &fields).await?;
        let numbers: Vec<u32> = pids.iter().map(|pid| identified.number(*pid)).collect::<Result<_>>()?;
        let is_in = |number: u32| {
            let eid = &identified.eids[number as usize];
            !left_out.contains(&identified.pids[number as usize])
                && wanted.cohort.is_none_or(|cohort| cohort.contains(eid))
                && up_to.as_ref().is_none_or(|phase| u64::from(number) < phase.participants)
        };
        let rows = in_order_of_eids(&numbers, &identified, &is_in);
        let people: Vec<u32> = rows.iter().map(|row| numbers[*row as usize]).collect();
        if wanted.phase == Some(Phase::One) && people.windows(2).any(|pair| pair[0] == pair[1]) {
            return Err(Error::input("a participant has several records in the first phase")
                .help("places are returned by person: name a table with one record for each as `phase_one`")
                .into());
        }
        let records = taken(&records, &rows)?;
        let returned = match wanted.phase {
            Some(Phase::Two) => self.returned(&application.name).await?,
            _ => None,
        };
        if let Some(returned) = &returned {
            let places: Vec<Option<&str>> =
                people.iter().map(|number| returned.place(identified.pids[*number as usize])).collect();
            let visited = Visited { people: &people, places: &places, least: application.least_holders };
            refuse_what_tells_places(&records, &visited)?;
        }
        let mut made = coarsen::coarsen(&table, &spec, records, &people, application.least_holders, wanted.phase)?;
        if let Some(returned) = returned {
            made.add_returned(&returned, &people, &identified)?;
        }
        let eids: StringArray = people.iter().map(|number| Some(&identified.eids[*number as usize])).collect();
        let records = with_column(EID, Arc::new(eids), &made.records)?;
        let distinct: HashSet<&u32> = people.iter().collect();
        let account = Account {
            application: application.name.clone(),
            set,
            table: wanted.table.to_owned(),
            fields: fields.clone(),
            people: distinct.len() as u64,
            records: records.num_rows() as u64,
            left_out: left_out.len() as u64,
            grouped: made.grouped.clone(),
        };
        let spec = release_spec(&application, &spec, made.variables, &fields, policy, wanted.phase)?;
        let details = json!({
            "table": wanted.table, "fields": fields, "set": set, "people": account.people, "records": account.records,
            "policy": policy.name.clone().or_else(|| policy.file.as_ref().map(|file| file.display().to_string())),
        });
        self.begin_phase(&application, wanted.phase, identified.pids.len() as u64).await?;
        self.tell(by, "extract", &subject(&application.name), wanted.reason, details).await?;
        let files = files_of(&table, &spec);
        Ok(Extract { records, spec, files, account })
    }

    /// All of a table by the EIDs of an application, for the engine to tell whose records meet a condition. Nothing of it leaves the custodian.
    ///
    /// # Errors
    /// If there is no such table or column, or the policy never releases a column.
    pub async fn cohort_table(
        &mut self,
        wanted: &Wanted<'_>,
        columns: &[String],
        rules: &Rules,
        by: Actor<'_>,
    ) -> Result<RecordBatch> {
        let application = self.application(wanted.application, by).await?;
        let identified = self.identified(&application, Phase::set(wanted.phase)).await?;
        let table = application.cohort.as_ref().map_or(wanted.table, |cohort| cohort.table.as_str());
        let spec = self.table(table).await?.spec()?;
        for column in columns {
            if spec.variable(column).is_none() {
                let known = spec.variables.iter().map(|variable| variable.name.as_str());
                return Err(Error::input(format!("table `{table}` has no field `{column}`"))
                    .help(outward_error::suggest(column, known, "fields"))
                    .into());
            }
        }
        // Who is in an extract would tell what the field says of them.
        refuse_forbidden(&application, &spec, columns, rules)?;
        let (pids, records) = self.read_table(table, columns).await?;
        let numbers: Vec<u32> = pids.iter().map(|pid| identified.number(*pid)).collect::<Result<_>>()?;
        let eids: StringArray = numbers.iter().map(|number| Some(&identified.eids[*number as usize])).collect();
        with_column(EID, Arc::new(eids), &records)
    }

    /// Notes in the log that the bundle of an extract was written, with its hash.
    ///
    /// # Errors
    /// Where the store cannot be written.
    pub async fn tell_written(
        &mut self,
        account: &Account,
        phase: Option<Phase>,
        bundle: &str,
        by: Actor<'_>,
    ) -> Result<()> {
        self.keep_bundle(&account.application, phase, bundle).await?;
        let details = json!({ "table": account.table, "set": account.set, "bundle": bundle });
        self.tell(by, "extracted", &subject(&account.application), "", details).await
    }
}

/// The fields that are wanted, all of which were granted.
fn granted_fields(application: &Application, granted: &GrantedTable, wanted: &[String]) -> Result<Vec<String>> {
    if wanted.is_empty() {
        return Ok(granted.fields.clone());
    }
    for field in wanted {
        if !granted.fields.contains(field) {
            let known = granted.fields.iter().map(String::as_str);
            return Err(Error::input(format!("application `{}` was not granted field `{field}`", application.name))
                .help(outward_error::suggest(field, known, "granted fields"))
                .into());
        }
    }
    Ok(wanted.to_vec())
}

/// The policy may have changed since the application was added.
fn refuse_forbidden(application: &Application, spec: &Spec, fields: &[String], rules: &Rules) -> Result<()> {
    for field in fields {
        let role = spec.variable(field).map(|variable| variable.role).unwrap_or_default();
        let is_released = role == Role::DateOfBirth || !rules.forbid.contains(&role);
        if role == Role::Identifier || !is_released {
            return Err(Error::input(format!("the policy releases no field with the role `{role}`"))
                .variable(field)
                .help(format!("take it out of application `{}`", application.name))
                .into());
        }
    }
    Ok(())
}

/// The second phase gives no place.
fn refuse_places(spec: &Spec, fields: &[String]) -> Result<()> {
    let is_place = |field: &&String| spec.variable(field).is_some_and(|variable| variable.role == Role::Geography);
    match fields.iter().find(is_place) {
        None => Ok(()),
        Some(field) => Err(Error::input("the second phase gives no place")
            .variable(field)
            .help("it would join what the first phase gave: leave the field out with --fields, or take it out of the application")
            .into()),
    }
}

/// The rows that are wanted, in the order of their EIDs; those of one person stay in their order.
fn in_order_of_eids(numbers: &[u32], identified: &Identified, is_in: &dyn Fn(u32) -> bool) -> Vec<u32> {
    let mut order: Vec<u32> = (0..identified.eids.len() as u32).collect();
    order.sort_unstable_by(|one, other| identified.eids[*one as usize].cmp(&identified.eids[*other as usize]));
    let mut ranks = vec![u32::MAX; order.len()];
    for (rank, number) in (0..).zip(order) {
        if is_in(number) {
            ranks[number as usize] = rank;
        }
    }
    let rank = |row: u32| ranks[numbers[row as usize] as usize];
    let mut rows: Vec<u32> = (0..numbers.len() as u32).filter(|row| rank(*row) != u32::MAX).collect();
    rows.sort_by_key(|row| rank(*row));
    rows
}

/// Rows of a batch, each column on a thread of its own.
fn taken(records: &RecordBatch, rows: &[u32]) -> Result<RecordBatch> {
    let rows = UInt32Array::from(rows.to_vec());
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let share = records.num_columns().div_ceil(threads).max(1);
    let columns = std::thread::scope(|scope| {
        let take_all = |columns: &[ArrayRef]| {
            let taken = columns.iter().map(|column| take(column, &rows, None).map_err(Error::bug));
            taken.collect::<Result<Vec<_>>>()
        };
        let running: Vec<_> =
            records.columns().chunks(share).map(|columns| scope.spawn(move || take_all(columns))).collect();
        let joined =
            running.into_iter().map(|thread| thread.join().map_err(|_| Error::bug("ordering records panicked"))?);
        joined.collect::<Result<Vec<_>>>()
    })?;
    let options = arrow_array::RecordBatchOptions::new().with_row_count(Some(rows.len()));
    RecordBatch::try_new_with_options(records.schema(), columns.concat(), &options).map_err(Error::bug)
}

/// The spec of a bundle: the fields that were granted with the steps of their table, under the policy.
fn release_spec(
    application: &Application,
    table: &Spec,
    variables: Vec<Variable>,
    fields: &[String],
    policy: &outward_spec::PolicyChoice,
    phase: Option<Phase>,
) -> Result<Spec> {
    let steps = kept_steps(table, |name| fields.contains(name))?;
    // What the vault published as labels already is not recoded again.
    let has_hierarchy =
        |name: &str| variables.iter().any(|variable| variable.name == name && variable.hierarchy.is_some());
    let mut kept: Vec<Step> = steps
        .into_iter()
        .filter(|step| match step {
            Step::Recode { variable, .. } => has_hierarchy(variable),
            _ => true,
        })
        .collect();
    for variable in &variables {
        let is_recoded =
            kept.iter().any(|step| matches!(step, Step::Recode { variable: name, .. } if *name == variable.name));
        let is_birth = table.variable(&variable.name).is_some_and(|known| known.role == Role::DateOfBirth);
        if is_birth && variable.hierarchy.is_some() && !is_recoded {
            kept.push(Step::Recode { variable: variable.name.clone(), level: 1 });
        }
    }
    let eid = Variable {
        label: Some("identifier of the participant in this application".to_owned()),
        allow: Some(ALLOWED.to_owned()),
        ..Variable::named(EID)
    };
    let mut policy = policy.clone();
    if phase == Some(Phase::One) {
        policy.tier = Some(PHASE_ONE_TIER.to_owned());
    }
    Ok(Spec {
        title: Some(application.title.clone()),
        data: outward_spec::Source::file("records.parquet"),
        missing: outward_spec::Missing::Wildcard,
        policy,
        variables: std::iter::once(eid).chain(variables).collect(),
        steps: kept,
        seed: Spec::DEFAULT_SEED,
        ..Spec::default()
    })
}

/// The tier of the policy under which places go out alone.
const PHASE_ONE_TIER: &str = "places-alone";

/// The files that a spec still names.
fn files_of(table: &TableDescription, spec: &Spec) -> std::collections::BTreeMap<String, String> {
    let named: HashSet<String> = spec.files().iter().map(|path| path.to_string_lossy().into_owned()).collect();
    table
        .files
        .iter()
        .filter(|(name, _)| named.contains(*name))
        .map(|(name, text)| (name.clone(), text.clone()))
        .collect()
}
