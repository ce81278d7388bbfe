//! Applications of researchers, and the records that they get: by their own identifiers, of those alone who did not withdraw.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use arrow_array::{ArrayRef, BooleanArray, RecordBatch, StringArray};
use arrow_select::filter::filter_record_batch;
use outward_error::{Error, Result, suggest};
use outward_ledger::{Actor, number, text, values};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::data::with_column;
use crate::identifiers::EidForm;
use crate::vault::{Vault, note};
use crate::withdrawal::{Level, is_day};

/// The application of a research project: what it may have, and until when.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Application {
    /// What it is called: small letters, digits and hyphens. Its identifiers are made from this name, so it never changes.
    pub name: String,
    /// What it is about.
    pub title: String,
    /// How its identifiers look.
    #[serde(default = "EidForm::default_form")]
    pub identifiers: EidForm,
    /// The last day on which it gets anything, as `2027-12-31`.
    pub expires: String,
    /// The fields that were granted.
    pub tables: Vec<GrantedTable>,
}

/// The fields of a table that an application was granted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GrantedTable {
    /// The table.
    pub name: String,
    /// Its fields.
    pub fields: Vec<String>,
}

/// What is asked for: fields of one table, by one set of identifiers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Extract<'a> {
    /// The application.
    pub application: &'a str,
    /// The set of identifiers: `main`, or `A` and `B` of a phased release.
    pub set: &'a str,
    /// The table.
    pub table: &'a str,
    /// Its fields, in order.
    pub fields: &'a [String],
}

/// What the column of identifiers is called.
pub(crate) const EID: &str = "eid";

impl EidForm {
    fn default_form() -> Self {
        Self::DEFAULT
    }
}

impl Application {
    fn check(&self) -> Result<()> {
        let is_name = !self.name.is_empty()
            && self.name.len() <= 40
            && self.name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-');
        if !is_name {
            return Err(Error::input("the name of an application has small letters, digits and hyphens, up to 40")
                .help("write it like `air-quality`")
                .into());
        }
        if !is_day(&self.expires) {
            return Err(Error::input("`expires` is no day").help("write it as 2027-12-31").into());
        }
        self.identifiers.check()
    }
}

impl Vault {
    /// Adds an application, or changes what it may have. Its identifiers never change.
    ///
    /// # Errors
    /// Where the application is not well formed, or asks for identifiers of another form than before.
    pub async fn add_application(&mut self, application: &Application, by: Actor<'_>, reason: &str) -> Result<()> {
        application.check()?;
        self.research.begin().await?;
        let done = self.add_application_within(application, by, reason).await;
        self.research.end(done).await
    }

    async fn add_application_within(&mut self, application: &Application, by: Actor<'_>, reason: &str) -> Result<()> {
        let file = serde_json::to_string(application).map_err(Error::bug)?;
        let form = serde_json::to_string(&application.identifiers).map_err(Error::bug)?;
        let known = "select identifiers from applications where name = $1";
        let action = match self.research.row(known, values![&application.name]).await? {
            Some(row) if text(&row, "identifiers")? != form => {
                return Err(Error::input(format!("application `{}` has identifiers of another form", application.name))
                    .help("they cannot change once they may be out: give the application another name")
                    .into());
            }
            Some(_) => {
                let update = "update applications set file = $2, at = $3, expires = $4 where name = $1";
                self.research.run(update, values![&application.name, &file, by.at, &application.expires]).await?;
                "change-application"
            }
            None => {
                let insert = "insert into applications (name, file, at, identifiers, expires) values ($1, $2, $3, $4, $5)";
                let row = values![&application.name, &file, by.at, &form, &application.expires];
                self.research.run(insert, row).await?;
                "add-application"
            }
        };
        let subject = format!("application {}", application.name);
        self.research.note(by, note(action, &subject, reason, json!({ "tables": application.tables }))).await
    }

    /// An application that still gets something today.
    ///
    /// # Errors
    /// Where there is none of this name, or it has expired.
    pub async fn application(&mut self, name: &str, by: Actor<'_>) -> Result<Application> {
        let rows = self.research.rows("select name, file from applications order by name", &[]).await?;
        let names: Vec<String> = rows.iter().map(|row| text(row, "name")).collect::<Result<_>>()?;
        let Some(at) = names.iter().position(|known| known == name) else {
            return Err(Error::input(format!("there is no application `{name}`"))
                .help(suggest(name, names.iter().map(String::as_str), "applications"))
                .into());
        };
        let application: Application = serde_json::from_str(&text(&rows[at], "file")?)
            .map_err(|_| Error::input("an application is damaged in the store").help("restore it from a copy"))?;
        match by.at.get(..10).is_some_and(|today| today <= application.expires.as_str()) {
            true => Ok(application),
            false => Err(Error::input(format!("application `{name}` expired on {}", application.expires))
                .help("renew it by adding it again with a later day")
                .into()),
        }
    }

    /// The records of an extract, batch by batch, with a column `eid` in front. Those who withdrew from use are left out.
    ///
    /// # Errors
    /// Where the application was not granted a field, or has expired; or the store cannot be read.
    pub async fn extract(
        &mut self,
        wanted: &Extract<'_>,
        by: Actor<'_>,
        reason: &str,
        mut write: impl FnMut(RecordBatch) -> Result<()>,
    ) -> Result<u64> {
        let application = self.application(wanted.application, by).await?;
        self.refuse_ungranted(&application, wanted).await?;
        let eids = self.eids_of_all(&application, wanted.set).await?;
        let gone = self.withdrawn(Level::NoFurtherUse).await?;
        let mut records = 0;
        for part in self.parts_of(wanted.table).await? {
            for (pids, batch) in self.read_part(wanted.table, part, wanted.fields).await? {
                let stays: BooleanArray = pids.iter().map(|pid| Some(!gone.contains(pid))).collect();
                let column: StringArray = pids.iter().map(|pid| eids.get(pid)).collect();
                let batch = with_column(EID, Arc::new(column) as ArrayRef, &batch, "")?;
                let batch = filter_record_batch(&batch, &stays).map_err(Error::bug)?;
                records += batch.num_rows() as u64;
                write(batch)?;
            }
        }
        let details = json!({ "table": wanted.table, "fields": wanted.fields, "set": wanted.set, "records": records });
        let subject = format!("application {}", wanted.application);
        self.research.note_alone(by, note("extract", &subject, reason, details)).await?;
        Ok(records)
    }

    async fn refuse_ungranted(&mut self, application: &Application, wanted: &Extract<'_>) -> Result<()> {
        let name = wanted.table;
        let granted = application.tables.iter().find(|table| table.name == name).ok_or_else(|| {
            Error::input(format!("application `{}` was not granted table `{name}`", application.name))
                .help("ask for what it was granted, or add the table to its file and have that approved")
        })?;
        let schema = self.schema_of(name).await?.ok_or_else(|| {
            Error::input(format!("there is no table `{name}` in the vault")).help("`outward vault tables` lists them")
        })?;
        for field in wanted.fields {
            if !granted.fields.contains(field) {
                let known = granted.fields.iter().map(String::as_str);
                return Err(Error::input(format!("application `{}` was not granted field `{field}`", application.name))
                    .help(suggest(field, known, "granted fields"))
                    .into());
            }
            if schema.index_of(field).is_err() {
                let known = schema.fields().iter().map(|field| field.name().as_str()).filter(|field| *field != "pid");
                return Err(Error::input(format!("table `{name}` has no field `{field}`"))
                    .help(suggest(field, known, "fields"))
                    .into());
            }
        }
        Ok(())
    }

    /// The EID of every participant, by PID.
    pub(crate) async fn eids_of_all(&mut self, application: &Application, set: &str) -> Result<HashMap<i64, String>> {
        let maker = self.keys.eids(&application.name, set, application.identifiers)?;
        let rows = self.research.rows("select number, pid from participants", &[]).await?;
        let mut eids = HashMap::with_capacity(rows.len());
        let mut met = HashSet::with_capacity(rows.len());
        for row in rows {
            let eid = maker.eid(number(&row, "number")? as u64)?;
            if !met.insert(eid.clone()) {
                return Err(Error::bug("two participants have the same identifier"));
            }
            eids.insert(number(&row, "pid")?, eid);
        }
        Ok(eids)
    }
}
