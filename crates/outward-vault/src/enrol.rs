//! Enrolment: participants get a PID, their identities are sealed, and what is known of them is kept apart.
//!
//! Two databases cannot be changed in one transaction. So the identities are committed first and the enrolment last. What an enrolment left
//! in the store of identities without being committed in the other store does not count, and the next enrolment removes it.

use std::collections::{HashMap, HashSet};

use outward_error::{Error, Result};
use outward_ledger::{Actor, Value, number, text, values};
use serde_json::json;

use crate::data::TableData;
use crate::nhs::{self, NhsRule};
use crate::secret::fill_at_random;
use crate::vault::{Vault, note};

/// Who somebody is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Person {
    /// The identifier that the custodian's own files use.
    pub local: String,
    /// The NHS number, as it was typed.
    pub nhs_number: Option<String>,
    /// The name.
    pub name: Option<String>,
    /// The address.
    pub address: Option<String>,
    /// The e-mail address.
    pub email: Option<String>,
    /// The telephone number.
    pub phone: Option<String>,
}

/// What an enrolment did.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize)]
pub struct Enrolled {
    /// People who are new.
    pub new: u64,
    /// People who were enrolled before.
    pub known: u64,
    /// Rows with an NHS number whose check digit is wrong.
    pub doubtful: Vec<u64>,
    /// Records that were not taken, as the participant withdrew from further access.
    pub skipped: u64,
}

/// What is enrolled: people, and what is known of people who are or become known.
#[derive(Debug, Clone, Copy)]
pub struct Enrolment<'a> {
    /// Who they are.
    pub people: &'a [Person],
    /// What is known of them.
    pub tables: &'a [TableData],
    /// What is done with NHS numbers that cannot be any.
    pub nhs: NhsRule,
}

/// How many rows one statement writes: eight values each, within what SQLite and PostgreSQL take.
const ROWS_AT_ONCE: usize = 500;
/// PIDs have twelve digits: enough that nobody meets one by guessing, and not those of an NHS number.
const PIDS: std::ops::Range<i64> = 100_000_000_000..1_000_000_000_000;

impl Vault {
    /// Enrols people, all or none. Those who are known keep their PID.
    ///
    /// # Errors
    /// Where a person is given twice, contradicts what is known of them, or has an NHS number that is refused; or a store cannot be written. Nobody is enrolled
    /// then.
    pub async fn enrol(&mut self, enrolment: &Enrolment<'_>, by: Actor<'_>) -> Result<Enrolled> {
        self.research.begin().await?;
        let done = self.enrol_within(enrolment, by).await;
        if done.is_err() {
            self.identity.roll_back().await;
        }
        self.research.end(done).await
    }

    async fn enrol_within(&mut self, given: &Enrolment<'_>, by: Actor<'_>) -> Result<Enrolled> {
        let enrolment = self.research.next("enrolments").await?;
        self.identity.begin().await?;
        // What an enrolment left that was never committed: no other has this number or a later one.
        self.identity.run("delete from people where enrolment >= $1", values![enrolment]).await?;
        let mut sorted = Sorted::read(self).await?;
        for (row, person) in (1..).zip(given.people) {
            sorted.take(self, row, person, given.nhs)?;
        }
        let Sorted { new, mut enrolled, by_local, .. } = sorted;
        self.write_identities(&new, enrolment).await?;
        self.write_participants(&new, enrolment).await?;
        for table in given.tables {
            enrolled.skipped += self.write_table(table, enrolment, &by_local).await?;
        }
        let row = values![enrolment, by.at, new.len() as i64];
        self.research.run("insert into enrolments (id, at, participants) values ($1, $2, $3)", row).await?;
        let details = json!({ "new": enrolled.new, "known": enrolled.known, "doubtful": enrolled.doubtful.len(), "skipped": enrolled.skipped });
        self.research.note(by, note("enrol", &format!("enrolment {enrolment}"), "", details)).await?;
        self.identity.end(Ok(())).await?;
        Ok(enrolled)
    }

    async fn write_identities(&mut self, people: &[New<'_>], enrolment: i64) -> Result<()> {
        const COLUMNS: usize = 9;
        let insert = "insert into people (pid, enrolment, local_index, nhs_index, nhs_number, name, address, email, phone) values ";
        for part in people.chunks(ROWS_AT_ONCE) {
            let mut row: Vec<Value> = Vec::with_capacity(part.len() * COLUMNS);
            for new in part {
                let seal = |field, text: Option<&String>| match text {
                    Some(text) => self.keys.seal(new.pid, field, text).map(Value::Text),
                    None => Ok(Value::NoText),
                };
                let person = new.person;
                row.extend([new.pid.into(), enrolment.into(), Value::Text(new.local_index.clone())]);
                let index = new.nhs.as_ref().and_then(|nhs| nhs.index.clone());
                row.push(index.map_or(Value::NoText, Value::Text));
                row.push(seal("nhs-number", new.nhs.as_ref().map(|nhs| &nhs.number))?);
                for (field, text) in [
                    ("name", &person.name),
                    ("address", &person.address),
                    ("email", &person.email),
                    ("phone", &person.phone),
                ] {
                    row.push(seal(field, text.as_ref())?);
                }
            }
            self.identity.run(&format!("{insert}{}", places(part.len(), COLUMNS)), &row).await?;
        }
        Ok(())
    }

    async fn write_participants(&mut self, people: &[New<'_>], enrolment: i64) -> Result<()> {
        let row = self.research.row("select max(number) as last from participants", &[]).await?;
        let last = row.and_then(|row| number(&row, "last").ok()).unwrap_or(-1);
        let mut next = last + 1;
        for part in people.chunks(ROWS_AT_ONCE) {
            let mut row: Vec<Value> = Vec::with_capacity(part.len() * 3);
            for new in part {
                row.extend([next.into(), new.pid.into(), enrolment.into()]);
                next += 1;
            }
            let insert = "insert into participants (number, pid, enrolment) values ";
            self.research.run(&format!("{insert}{}", places(part.len(), 3)), &row).await?;
        }
        Ok(())
    }
}

/// `($1, $2), ($3, $4)`: the places of the values of several rows.
pub(crate) fn places(rows: usize, columns: usize) -> String {
    let row = |row: usize| {
        let places: Vec<String> = (1..=columns).map(|column| format!("${}", row * columns + column)).collect();
        format!("({})", places.join(", "))
    };
    (0..rows).map(row).collect::<Vec<_>>().join(", ")
}

struct NhsNumber {
    index: Option<String>,
    number: String,
}

/// Somebody who is not enrolled yet.
struct New<'a> {
    pid: i64,
    person: &'a Person,
    local_index: String,
    /// The NHS number in its one spelling, and its index where the check digit is right.
    nhs: Option<NhsNumber>,
}

/// People told apart: new, known, or in contradiction to what is known.
struct Sorted<'a> {
    /// PID by index of the local identifier, of all who are known or were met.
    by_local: HashMap<String, i64>,
    /// PID by index of the NHS number.
    by_nhs: HashMap<String, i64>,
    /// The index of the NHS number by PID.
    nhs_of: HashMap<i64, String>,
    met: HashSet<i64>,
    pids: HashSet<i64>,
    new: Vec<New<'a>>,
    enrolled: Enrolled,
}

impl<'a> Sorted<'a> {
    /// What is known of those who are enrolled.
    async fn read(vault: &mut Vault) -> Result<Self> {
        let mut sorted = Self {
            by_local: HashMap::new(),
            by_nhs: HashMap::new(),
            nhs_of: HashMap::new(),
            met: HashSet::new(),
            pids: HashSet::new(),
            new: Vec::new(),
            enrolled: Enrolled::default(),
        };
        let statement = "select pid, local_index, coalesce(nhs_index, '') as nhs_index from people";
        for row in vault.identity.rows(statement, &[]).await? {
            let (pid, nhs) = (number(&row, "pid")?, text(&row, "nhs_index")?);
            sorted.pids.insert(pid);
            sorted.by_local.insert(text(&row, "local_index")?, pid);
            if !nhs.is_empty() {
                sorted.by_nhs.insert(nhs.clone(), pid);
                sorted.nhs_of.insert(pid, nhs);
            }
        }
        Ok(sorted)
    }

    fn take(&mut self, vault: &Vault, row: u64, person: &'a Person, rule: NhsRule) -> Result<()> {
        if person.local.trim().is_empty() {
            return Err(Error::input("this participant has no identifier of your own").row(row).help("fill it in").into());
        }
        let local_index = vault.keys.local_index(person.local.trim());
        let nhs = match person.nhs_number.as_deref().filter(|number| !number.trim().is_empty()) {
            Some(number) => {
                let (number, is_valid) = nhs::check(number, row, rule)?;
                if !is_valid {
                    self.enrolled.doubtful.push(row);
                }
                // A number that cannot be one identifies nobody: it is kept and not searched by.
                Some(NhsNumber { index: is_valid.then(|| vault.keys.nhs_index(&number)), number })
            }
            None => None,
        };
        let index = nhs.as_ref().and_then(|nhs| nhs.index.clone());
        let by_nhs = index.as_ref().and_then(|index| self.by_nhs.get(index).copied());
        match self.by_local.get(&local_index).copied() {
            Some(pid) if self.met.contains(&pid) => {
                Err(Error::input("this participant is in the file twice").row(row).help("keep one of the rows").into())
            }
            Some(pid) => {
                let known = self.nhs_of.get(&pid);
                let differs = index.as_ref().is_some_and(|index| known.is_some_and(|known| known != index));
                if differs || by_nhs.is_some_and(|other| other != pid) {
                    return Err(Error::input("this participant is enrolled with another NHS number")
                        .row(row)
                        .help("find out which number is right; nobody was enrolled")
                        .into());
                }
                self.met.insert(pid);
                self.enrolled.known += 1;
                Ok(())
            }
            None if by_nhs.is_some() => Err(Error::input("another participant has this NHS number")
                .row(row)
                .help("find out whether they are one person under two identifiers; nobody was enrolled")
                .into()),
            None => {
                let pid = self.draw_pid()?;
                self.by_local.insert(local_index.clone(), pid);
                if let Some(index) = index {
                    self.by_nhs.insert(index.clone(), pid);
                    self.nhs_of.insert(pid, index);
                }
                self.met.insert(pid);
                self.enrolled.new += 1;
                self.new.push(New { pid, person, local_index, nhs });
                Ok(())
            }
        }
    }

    /// A random PID that nobody has.
    fn draw_pid(&mut self) -> Result<i64> {
        loop {
            let mut bytes = [0; 8];
            fill_at_random(&mut bytes)?;
            // Forty bits from their top are more than there are PIDs; those beyond are drawn again, so that all are as likely.
            let drawn = PIDS.start + (u64::from_be_bytes(bytes) >> 24) as i64;
            if PIDS.contains(&drawn) && self.pids.insert(drawn) {
                return Ok(drawn);
            }
        }
    }
}
