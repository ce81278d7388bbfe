//! The application of a research project: what it may have, of whom, and until when.

use std::collections::BTreeSet;

use outward_error::{Error, Result, suggest};
use outward_ledger::{Actor, text, values};
use outward_spec::{Role, Rules, Spec};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::days::is_day;
use crate::eid::EidForm;
use crate::file::read_toml;
use crate::vault::{Vault, note};

/// An application file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Application {
    /// What it is called: small letters, digits and hyphens. Its identifiers are made from this name, so it never changes.
    pub name: String,
    /// What it is about.
    pub title: String,
    /// The last day on which it gets anything, as `2027-12-31`.
    #[serde(deserialize_with = "day")]
    pub expires: String,
    /// How its identifiers look.
    #[serde(default = "EidForm::usual")]
    pub identifiers: EidForm,
    /// Codes that fewer people hold than this are grouped upward in their hierarchy.
    #[serde(default = "five")]
    pub least_holders: u64,
    /// Whether people who opted out nationally are left out. Where participants gave their consent to the study, the opt-out does not apply.
    #[serde(default = "yes")]
    pub honour_opt_outs: bool,
    /// Whose records it gets; everybody's if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cohort: Option<Cohort>,
    /// What the first phase gives, of a release in two phases: places alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phase_one: Option<GrantedTable>,
    /// The fields that were granted; of a release in two phases, those of the second.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tables: Vec<GrantedTable>,
}

/// The participants of whom a record of a table meets a condition.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cohort {
    /// The table.
    pub table: String,
    /// The condition, in SQL, on its columns.
    #[serde(rename = "where")]
    pub condition: String,
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

/// A day as a text, or as TOML writes it without quotes.
fn day<'de, D: serde::Deserializer<'de>>(given: D) -> std::result::Result<String, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Day {
        Text(String),
        Date(toml::value::Datetime),
    }
    Ok(match Day::deserialize(given)? {
        Day::Text(text) => text,
        Day::Date(date) => date.to_string(),
    })
}

fn five() -> u64 {
    5
}

fn yes() -> bool {
    true
}

impl Application {
    /// Reads an application file.
    ///
    /// # Errors
    /// If it is not an application, or asks for what cannot be.
    pub fn parse(toml: &str, file: &std::path::Path) -> Result<Self> {
        let application: Self = read_toml(toml, file, "an application file")?;
        application.check().map_err(|error| error.with_fault(|fault| fault.file(file)))?;
        Ok(application)
    }

    fn check(&self) -> Result<()> {
        let refuse = |what: &str, help: &str| Err(Error::input(what).help(help).into());
        let is_name = !self.name.is_empty()
            && self.name.len() <= 40
            && self.name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-');
        if !is_name {
            return refuse(
                "the name of an application has small letters, digits and hyphens, up to 40",
                "write it like `air-quality`",
            );
        }
        if self.title.chars().any(char::is_control) {
            return refuse("the title of the application has control characters", "write it as plain text");
        }
        if !is_day(&self.expires) {
            return refuse("`expires` is not a day", "write it as 2027-12-31");
        }
        if self.least_holders == 0 {
            return refuse("`least_holders` is 0", "ask for 1 or more; 5 is usual");
        }
        let granted: Vec<&GrantedTable> = self.tables.iter().chain(&self.phase_one).collect();
        if granted.is_empty() {
            return refuse("the application asks for no table", "add a `[[tables]]` section with `name` and `fields`");
        }
        if granted.iter().any(|table| table.fields.is_empty()) {
            return refuse("a table of the application has no fields", "list what was granted: `fields = [\"sex\"]`");
        }
        let names: BTreeSet<&str> = self.tables.iter().map(|table| table.name.as_str()).collect();
        if names.len() < self.tables.len() {
            return refuse("a table is in the application twice", "list all its fields in one section");
        }
        self.identifiers.check()
    }

    /// The fields of a table that were granted.
    pub(crate) fn granted(&self, table: &str) -> Result<&GrantedTable> {
        self.tables.iter().find(|granted| granted.name == table).ok_or_else(|| {
            let known = self.tables.iter().map(|granted| granted.name.as_str());
            Error::input(format!("application `{}` was not granted table `{table}`", self.name))
                .help(suggest(table, known, "granted tables"))
                .into()
        })
    }
}

impl Vault {
    /// Adds an application, or changes what it may have. Its identifiers never change.
    ///
    /// # Errors
    /// If it asks for a field that does not exist or that the policy never releases, or for identifiers of another form
    /// than before.
    pub async fn add_application(
        &mut self,
        application: &Application,
        rules: &Rules,
        by: Actor<'_>,
        reason: &str,
    ) -> Result<()> {
        application.check()?;
        for granted in &application.tables {
            let spec = self.table(&granted.name).await?.spec()?;
            refuse_fields(application, granted, &spec, rules)?;
        }
        if let Some(granted) = &application.phase_one {
            let spec = self.table(&granted.name).await?.spec()?;
            refuse_fields(application, granted, &spec, rules)?;
            refuse_more_than_places(granted, &spec)?;
        }
        if let Some(cohort) = &application.cohort {
            self.table(&cohort.table).await?;
        }
        self.research.begin().await?;
        let done = self.keep_application(application, by, reason).await;
        self.research.end(done).await
    }

    async fn keep_application(&mut self, application: &Application, by: Actor<'_>, reason: &str) -> Result<()> {
        let name = &application.name;
        let file = serde_json::to_string(application).map_err(Error::bug)?;
        let form = serde_json::to_string(&application.identifiers).map_err(Error::bug)?;
        let known = "select identifiers, file from applications where name = $1";
        let action = match self.research.row(known, values![name]).await? {
            Some(row) if text(&row, "identifiers")? != form => {
                return Err(Error::input(format!("application `{name}` has identifiers of another form"))
                    .help("they cannot change once they may be out: give the application another name")
                    .into());
            }
            Some(row) => {
                self.refuse_to_change_phases(application, &text(&row, "file")?).await?;
                let update = "update applications set file = $2, at = $3, expires = $4 where name = $1";
                self.research.run(update, values![name, &file, by.at, &application.expires]).await?;
                "change-application"
            }
            None => {
                let insert =
                    "insert into applications (name, file, at, identifiers, expires) values ($1, $2, $3, $4, $5)";
                self.research.run(insert, values![name, &file, by.at, &form, &application.expires]).await?;
                "add-application"
            }
        };
        let details = json!({
            "expires": application.expires, "cohort": application.cohort, "phase_one": application.phase_one,
            "tables": application.tables,
        });
        self.research.note(by, note(action, &subject(name), reason, details)).await
    }

    /// Once the first phase is out, a release in two phases stays one, with the same places.
    async fn refuse_to_change_phases(&mut self, application: &Application, file: &str) -> Result<()> {
        let before: Application = serde_json::from_str(file).map_err(|_| damaged())?;
        let is_out = self.phase(&application.name, 1).await?.is_some();
        if is_out && (before.phase_one != application.phase_one || before.cohort != application.cohort) {
            return Err(Error::input(format!("the first phase of `{}` is out already", application.name))
                .help("its places and its cohort cannot change any more: give the application another name")
                .into());
        }
        Ok(())
    }

    /// An application, whether or not it still gets anything.
    ///
    /// # Errors
    /// Where there is none of this name.
    pub async fn known_application(&mut self, name: &str) -> Result<Application> {
        let rows = self.research.rows("select name, file from applications order by name", &[]).await?;
        let names: Vec<String> = rows.iter().map(|row| text(row, "name")).collect::<Result<_>>()?;
        let Some(at) = names.iter().position(|known| known == name) else {
            return Err(Error::input(format!("there is no application `{name}`"))
                .help(suggest(name, names.iter().map(String::as_str), "applications"))
                .into());
        };
        serde_json::from_str(&text(&rows[at], "file")?).map_err(|_| damaged())
    }

    /// An application that still gets something today.
    ///
    /// # Errors
    /// If there is none of this name, or it has expired.
    pub async fn application(&mut self, name: &str, by: Actor<'_>) -> Result<Application> {
        let application = self.known_application(name).await?;
        match by.at.get(..10).is_some_and(|today| today <= application.expires.as_str()) {
            true => Ok(application),
            false => Err(Error::input(format!("application `{name}` expired on {}", application.expires))
                .help("have it renewed, and add it again with a later day")
                .into()),
        }
    }

    /// All applications, by name.
    ///
    /// # Errors
    /// Where the store cannot be read.
    pub async fn applications(&mut self) -> Result<Vec<Application>> {
        let rows = self.research.rows("select file from applications order by name", &[]).await?;
        rows.iter().map(|row| serde_json::from_str(&text(row, "file")?).map_err(|_| damaged())).collect()
    }
}

/// What the log calls an application.
pub(crate) fn subject(application: &str) -> String {
    format!("application {application}")
}

fn damaged() -> Error {
    Error::input("an application is damaged in the store").help("restore the store from a copy").into()
}

/// Fields that are not there, and fields of a role that the policy never releases. A date of birth is released by its month.
fn refuse_fields(application: &Application, granted: &GrantedTable, spec: &Spec, rules: &Rules) -> Result<()> {
    for field in &granted.fields {
        let Some(variable) = spec.variable(field) else {
            let known =
                spec.variables.iter().filter(|known| known.role != Role::Identifier).map(|known| known.name.as_str());
            return Err(Error::input(format!("table `{}` has no field `{field}`", granted.name))
                .help(suggest(field, known, "fields"))
                .into());
        };
        if variable.role == Role::Identifier
            || (rules.forbid.contains(&variable.role) && variable.role != Role::DateOfBirth)
        {
            return Err(Error::input(format!("the policy releases no field with the role `{}`", variable.role))
                .variable(field)
                .help(format!("take it out of the fields of application `{}`", application.name))
                .into());
        }
    }
    Ok(())
}

/// The first phase gives places and nothing else.
fn refuse_more_than_places(granted: &GrantedTable, spec: &Spec) -> Result<()> {
    let is_place = |field: &&String| spec.variable(field).is_some_and(|variable| variable.role == Role::Geography);
    match granted.fields.iter().find(|field| !is_place(field)) {
        None => Ok(()),
        Some(field) => Err(Error::input("the first phase gives places alone")
            .variable(field)
            .help("put fields with another role than `geography` under `[[tables]]`, which the second phase gives")
            .into()),
    }
}
