//! `outward vault enrol`: an enrolment file, its people, and the tables of what is known of them.

use std::path::{Path, PathBuf};
use std::sync::mpsc::sync_channel;

use outward_engine::Data;
use outward_report::format::count;
use outward_spec::{Error, Result, Role, Source, Spec};
use outward_vault::{Enrolled, Enrolment, IdIs, Linkage, NhsRule, Person, TableData, TableDescription, read_toml};
use serde::Deserialize;

use super::{Open, answer, read};
use crate::cli::EnrolArgs;
use crate::output::Outcome;
use crate::session::Session;

/// Batches of each table that are read ahead.
const BATCHES_AHEAD: usize = 2;

/// An enrolment file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct EnrolmentFile {
    /// What is done with NHS numbers whose check digit is wrong.
    #[serde(default)]
    nhs: NhsRule,
    /// Whether what is given of people who are known replaces what is kept of them.
    #[serde(default)]
    update: bool,
    people: Option<People>,
    #[serde(default)]
    tables: Vec<Table>,
}

/// Who the participants are.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct People {
    data: Source,
    id: String,
    nhs_number: Option<String>,
    #[serde(default)]
    name: Vec<String>,
    #[serde(default)]
    address: Vec<String>,
    email: Option<String>,
    phone: Option<String>,
}

/// A table of what is known of them.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    name: String,
    spec: PathBuf,
    id: String,
    /// Whether its records replace all that there are.
    #[serde(default)]
    replace: bool,
    linked: Option<Linked>,
}

/// How a site made the hash of the NHS number that stands in the place of an identifier.
#[derive(Debug, Deserialize)]
#[serde(untagged, deny_unknown_fields)]
enum Linked {
    /// HMAC with SHA-256; an environment variable holds the key.
    Key { key: String },
    /// Legacy: SHA-256 of the number and a salt; an environment variable holds the salt.
    Salt { legacy_salt: String },
}

pub(super) fn run(session: &Session, args: &EnrolArgs) -> Result<Outcome> {
    let file = load(&args.file)?;
    let base = args.file.parent().unwrap_or(Path::new(""));
    let Open { mut vault, runtime, speaker } = Open::new(session, &args.within)?;
    let people = match &file.people {
        Some(people) => read_people(session, &runtime, people, base)?,
        None => Vec::new(),
    };
    let mut sources = Vec::new();
    for table in &file.tables {
        let spec = Spec::load(base.join(&table.spec))?;
        let data = Data::of_spec(&spec);
        let source = read::open(session, &runtime, &data)?;
        let description = TableDescription::of_spec(&table.name, &table.id, &spec)?;
        let columns = columns(&spec, &table.id, &*source)?;
        let places = read::places(&*source, &columns, data.source.path.as_deref())?;
        sources.push((table, description, source, places, id_is(session, table)?));
    }
    let enrolled = std::thread::scope(|scope| {
        let mut tables = Vec::new();
        for (table, description, source, places, id_is) in sources {
            let (to, from) = sync_channel(BATCHES_AHEAD);
            scope.spawn(move || read::send_all(&*source, &places, &to));
            tables.push(TableData {
                description,
                id: table.id.clone(),
                id_is,
                replace: table.replace,
                batches: Box::new(from.into_iter()),
            });
        }
        let enrolment = Enrolment { people: &people, update: file.update, tables, nhs: file.nhs };
        runtime.block_on(vault.enrol(enrolment, speaker.actor()))
    })?;
    answer(session, &enrolled, &words(&enrolled))?;
    if !enrolled.doubtful.is_empty() {
        let which = match file.nhs {
            NhsRule::Report => format!(", rows {}", listed(&enrolled.doubtful)),
            _ => String::new(),
        };
        session.remark(&format!(
            "The check digit of {} NHS numbers is wrong{which}. They are kept and identify nobody.",
            count(enrolled.doubtful.len() as u64)
        ));
    }
    Ok(if enrolled.doubtful.is_empty() { Outcome::Clean } else { Outcome::Findings })
}

fn listed(rows: &[u64]) -> String {
    rows.iter().map(u64::to_string).collect::<Vec<_>>().join(", ")
}

fn words(enrolled: &Enrolled) -> String {
    let skipped = match enrolled.skipped {
        0 => String::new(),
        records => {
            format!(" {} records were not taken, as their participants withdrew from further access.", count(records))
        }
    };
    format!("{} participants are new, {} were known.{skipped}\n", count(enrolled.new), count(enrolled.known))
}

fn load(path: &Path) -> Result<EnrolmentFile> {
    let text = std::fs::read_to_string(path).map_err(|error| Error::io("read", path, error))?;
    read_toml(&text, path, "an enrolment file")
}

/// The columns that are read: the fields that are kept, and the one by which records find their participant. Every column has to be declared: one
/// that nobody has looked at is not kept.
fn columns(spec: &Spec, id: &str, source: &dyn outward_engine::source::RecordSource) -> Result<Vec<String>> {
    let schema = source.schema();
    let declared = |name: &str| name == id || spec.variable(name).is_some();
    if let Some(field) = schema.fields().iter().find(|field| !declared(field.name())) {
        return Err(Error::input("the spec of the table does not declare this column")
            .variable(field.name())
            .help("give it a `[[variables]]` section with its role, or list it under `plain`; role `identifier` keeps it out of the vault's records")
            .into());
    }
    let kept = spec.variables.iter().filter(|variable| variable.role != Role::Identifier && variable.name != id);
    Ok(std::iter::once(id.to_owned()).chain(kept.map(|variable| variable.name.clone())).collect())
}

fn id_is(session: &Session, table: &Table) -> Result<IdIs> {
    let secret = |name: &str| -> Result<String> {
        std::env::var(name).ok().filter(|value| !value.is_empty()).ok_or_else(|| {
            let what = format!("the environment variable {name} is not set");
            Error::from(Error::input(what).help(format!("it holds what table `{}` is linked by", table.name)))
        })
    };
    Ok(match &table.linked {
        None => IdIs::Local,
        Some(Linked::Key { key }) => IdIs::Digest(Linkage::keyed(secret(key)?.as_bytes())?),
        Some(Linked::Salt { legacy_salt }) => {
            session.remark(&format!(
                "Table `{}` is linked by a salted hash. That is a legacy form: somebody who has the salt finds every NHS number in seconds. Agree a key for new links.",
                table.name
            ));
            IdIs::Digest(Linkage::Salted(secret(legacy_salt)?.into()))
        }
    })
}

fn read_people(
    session: &Session,
    runtime: &tokio::runtime::Runtime,
    file: &People,
    base: &Path,
) -> Result<Vec<Person>> {
    let source = Source { path: file.data.path.as_ref().map(|path| base.join(path)), ..file.data.clone() };
    let single = [Some(&file.id), file.nhs_number.as_ref(), file.email.as_ref(), file.phone.as_ref()];
    let mut columns: Vec<String> = single.into_iter().flatten().cloned().collect();
    columns.extend(file.name.iter().chain(&file.address).cloned());
    columns.sort_unstable();
    columns.dedup();
    let at = |name: &String| columns.iter().position(|column| column == name);
    let of = |name: Option<&String>| name.and_then(at);
    let (id, nhs, email, phone) =
        (of(Some(&file.id)), of(file.nhs_number.as_ref()), of(file.email.as_ref()), of(file.phone.as_ref()));
    let name: Vec<usize> = file.name.iter().filter_map(at).collect();
    let address: Vec<usize> = file.address.iter().filter_map(at).collect();
    let mut people = Vec::new();
    read::texts(session, runtime, &source, &columns, &mut |row| {
        let one = |at: Option<usize>| at.and_then(|at| row[at]).map(str::to_owned);
        let joined = |places: &[usize], between: &str| {
            let parts: Vec<&str> = places.iter().filter_map(|at| row[*at]).collect();
            (!parts.is_empty()).then(|| parts.join(between))
        };
        people.push(Person {
            local: one(id).unwrap_or_default(),
            nhs_number: one(nhs),
            name: joined(&name, " "),
            address: joined(&address, ", "),
            email: one(email),
            phone: one(phone),
        });
        Ok(())
    })?;
    Ok(people)
}
