//! Enrolment: participants get a PID, their identities are sealed, and what is known of them is kept apart.
//!
//! Two databases cannot be changed in one transaction. So the identities are committed first and the enrolment last. What an enrolment left
//! in the store of identities without being committed in the other store does not count, and the next enrolment removes it.

mod known;

use std::collections::HashSet;

use outward_error::{Error, Result};
use outward_ledger::{Actor, Value, number, values};
use serde_json::json;

use crate::data::TableData;
use crate::nhs::NhsRule;
use crate::vault::{Vault, note};
use crate::withdrawal::Level;

pub(crate) use known::KnownPeople;
use known::New;

/// Who somebody is.
#[derive(Clone, Default, PartialEq, Eq)]
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

/// Nothing of a person is shown by accident.
impl std::fmt::Debug for Person {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Person")
    }
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
pub struct Enrolment<'a> {
    /// Who they are.
    pub people: &'a [Person],
    /// Whether what is given of people who are known replaces what is kept of them.
    pub update: bool,
    /// What is known of them.
    pub tables: Vec<TableData<'a>>,
    /// What is done with NHS numbers that cannot be any.
    pub nhs: NhsRule,
}

/// How many rows one statement writes. SQLite looks each of its values up by name among all of them, so that many rows at once take longer than few.
const ROWS_AT_ONCE: usize = 25;
/// How many people are sealed at once, shared among the threads.
const SEALED_AT_ONCE: usize = 20_000;
const COLUMNS: usize = 10;

impl Vault {
    /// Enrols people, all or none. Those who are known keep their PID.
    ///
    /// # Errors
    /// If a person is given twice, contradicts what is known of them, or has an NHS number that is refused. Also if a
    /// store cannot be written. Nobody is enrolled then.
    pub async fn enrol(&mut self, mut enrolment: Enrolment<'_>, by: Actor<'_>) -> Result<Enrolled> {
        self.research.begin().await?;
        let done = self.enrol_within(&mut enrolment, by).await;
        if done.is_err() {
            self.identity.roll_back().await;
        }
        self.research.end(done).await
    }

    async fn enrol_within(&mut self, given: &mut Enrolment<'_>, by: Actor<'_>) -> Result<Enrolled> {
        let enrolment = self.research.next("enrolments").await?;
        self.identity.begin().await?;
        self.refuse_stores_of_two_days(enrolment).await?;
        // What an enrolment left that was never committed: no other has this number.
        self.identity.run("delete from people where enrolment >= $1", values![enrolment]).await?;
        let mut people = KnownPeople::read(self).await?;
        let (mut new, mut again) = (Vec::new(), Vec::new());
        let mut enrolled = Enrolled::default();
        for (row, person) in (1..).zip(given.people) {
            let met = people.meet(&self.keys, row, person, given.nhs, &mut enrolled)?;
            if met.is_new { new.push(met) } else { again.push(met) }
        }
        // Rows are written in the order of PIDs, which is random. So the store does not show who was enrolled next to
        // whom.
        let mut by_pid: Vec<&New<'_>> = new.iter().collect();
        by_pid.sort_unstable_by_key(|new| new.pid);
        self.write_identities(&by_pid, enrolment).await?;
        if given.update {
            self.update_identities(&again).await?;
        }
        let first = self.participants().await?.len();
        let pids: Vec<i64> = new.iter().map(|new| new.pid).collect();
        self.add_participants(&pids, first, enrolment).await?;
        let withdrawn: HashSet<i64> = self.withdrawn(Level::NoFurtherAccess, by.at).await?;
        for table in &mut given.tables {
            self.describe_table(&table.description).await?;
            enrolled.skipped += self.write_table(table, enrolment, &people, &withdrawn).await?;
        }
        let insert = "insert into enrolments (id, at, participants) values ($1, $2, $3)";
        self.research.run(insert, values![enrolment, by.at, new.len() as i64]).await?;
        let tables: Vec<&str> = given.tables.iter().map(|table| table.description.name.as_str()).collect();
        let details = json!({
            "new": enrolled.new, "known": enrolled.known, "updated": given.update, "doubtful": enrolled.doubtful.len(),
            "skipped": enrolled.skipped, "tables": tables,
        });
        self.research.note(by, note("enrol", &format!("enrolment {enrolment}"), "", details)).await?;
        self.identity.end(Ok(())).await?;
        Ok(enrolled)
    }

    /// The store of identities is at most one enrolment ahead: the one that was not committed in the other store. If it
    /// is further ahead, or behind, one of the two was restored from an older copy. Enrolling more would then lose
    /// people, or give their identifiers to others.
    async fn refuse_stores_of_two_days(&mut self, next: i64) -> Result<()> {
        let row = self.identity.row("select coalesce(max(enrolment), 0) as last from people", &[]).await?;
        let row = row.ok_or_else(|| Error::bug("a count without an answer"))?;
        let last = number(&row, "last")?;
        let row =
            self.identity.row("select count(*) as people from people where enrolment < $1", values![next]).await?;
        let people = row.map(|row| number(&row, "people")).transpose()?.unwrap_or_default();
        match last <= next && people == self.participants().await?.len() as i64 {
            true => Ok(()),
            false => Err(Error::input("the two stores of the vault are not of the same day")
                .help("one was restored from an older copy: restore both from copies of the same moment; nobody was enrolled")
                .into()),
        }
    }

    async fn write_identities(&mut self, people: &[&New<'_>], enrolment: i64) -> Result<()> {
        let insert = "insert into people (pid, enrolment, local_index, nhs_index, local, nhs_number, name, address, email, phone) values ";
        for some in people.chunks(SEALED_AT_ONCE) {
            let sealed = sealed(&self.keys, some, enrolment)?;
            for part in sealed.chunks(ROWS_AT_ONCE) {
                let places = places(part.len(), COLUMNS);
                self.identity.run(&format!("{insert}{places}"), &part.concat()).await?;
            }
        }
        Ok(())
    }

    async fn update_identities(&mut self, people: &[New<'_>]) -> Result<()> {
        for person in people {
            for (field, column, text) in person.fields() {
                if let Some(text) = text {
                    let update = format!("update people set {column} = $2 where pid = $1");
                    let sealed = self.keys.seal(person.pid, field, text)?;
                    self.identity.run(&update, values![person.pid, sealed]).await?;
                }
            }
            let nhs = person.nhs_index.filter(|_| person.nhs_number.is_some());
            if let Some(index) = nhs {
                let update = "update people set nhs_index = $2 where pid = $1";
                self.identity.run(update, values![person.pid, index.to_vec()]).await?;
            }
        }
        Ok(())
    }
}

/// The rows of people, sealed on all threads.
fn sealed(keys: &crate::vault::Keys, people: &[&New<'_>], enrolment: i64) -> Result<Vec<Vec<Value>>> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let share = people.len().div_ceil(threads).max(1);
    let row = |new: &&New<'_>| {
        let nhs_index = new.nhs_index.unwrap_or_else(|| keys.no_nhs_index(new.pid));
        let mut row: Vec<Value> = Vec::with_capacity(COLUMNS);
        row.extend([new.pid.into(), enrolment.into(), new.local_index.to_vec().into(), nhs_index.to_vec().into()]);
        for (field, _, text) in new.fields() {
            row.push(text.map_or(Ok(Vec::new()), |text| keys.seal(new.pid, field, text))?.into());
        }
        Ok(row)
    };
    std::thread::scope(|scope| {
        let seal = |part: &[&New<'_>]| part.iter().map(row).collect::<Result<Vec<_>>>();
        let running: Vec<_> = people.chunks(share).map(|part| scope.spawn(move || seal(part))).collect();
        let joined = running.into_iter().map(|thread| thread.join().map_err(|_| Error::bug("sealing panicked"))?);
        Ok(joined.collect::<Result<Vec<_>>>()?.into_iter().flatten().collect())
    })
}

/// `($1, $2), ($3, $4)`: the places of the values of several rows.
fn places(rows: usize, columns: usize) -> String {
    let row = |row: usize| {
        let places: Vec<String> = (1..=columns).map(|column| format!("${}", row * columns + column)).collect();
        format!("({})", places.join(", "))
    };
    (0..rows).map(row).collect::<Vec<_>>().join(", ")
}
