//! Reversal: from an EID back to a PID, and from a PID to a person. Only with a grant, and every use is logged.

use outward_error::{Error, Result};
use outward_ledger::{Actor, number, text, values};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::enrol::Person;
use crate::vault::{Vault, note};
use crate::withdrawal::is_day;

/// What a grant allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Operation {
    /// From an EID to the PID.
    Pid,
    /// From an EID to the person.
    Person,
    /// The EIDs of two applications side by side.
    Bridge,
}

impl Operation {
    fn name(self) -> &'static str {
        match self {
            Self::Pid => "pid",
            Self::Person => "person",
            Self::Bridge => "bridge",
        }
    }
}

/// Leave to reverse identifiers, within limits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grant {
    /// Who may.
    pub actor: String,
    /// Identifiers of which application.
    pub application: String,
    /// What they may do.
    pub operation: Operation,
    /// What for.
    pub purpose: String,
    /// The last day on which it holds.
    pub expires: String,
    /// How many identifiers in all.
    pub cap: u64,
    /// The second person who has to be there at each use; empty where one is enough.
    pub second: String,
}

impl Vault {
    /// Gives a grant. Nobody gives one to themselves. The answer is its number.
    ///
    /// # Errors
    /// Where the grant is for its giver, has no purpose or no end; or the store cannot be written.
    pub async fn grant(&mut self, grant: &Grant, by: Actor<'_>) -> Result<i64> {
        let refuse = |what: &str, help: &str| Err(Error::input(what).help(help).into());
        if is_same_person(&grant.actor, by.name) || is_same_person(&grant.actor, &grant.second) {
            return refuse("nobody can grant themselves a reversal", "have somebody else give the grant");
        }
        if grant.actor.trim().is_empty() || grant.purpose.trim().is_empty() || !is_day(&grant.expires) || grant.cap == 0 {
            return refuse(
                "a grant needs a person, a purpose, a last day and a number of identifiers",
                "write the day as 2026-12-31",
            );
        }
        self.application(&grant.application, by).await?;
        self.research.begin().await?;
        let done = async {
            let id = self.research.next("grants").await?;
            let insert = "insert into grants (id, actor, application, operation, purpose, expires, cap, used, approver, second) \
                          values ($1, $2, $3, $4, $5, $6, $7, 0, $8, $9)";
            let operation = grant.operation.name();
            let row = values![
                id,
                &grant.actor,
                &grant.application,
                operation,
                &grant.purpose,
                &grant.expires,
                i64::try_from(grant.cap).unwrap_or(i64::MAX),
                by.name,
                &grant.second
            ];
            self.research.run(insert, row).await?;
            let details = json!({ "to": grant.actor, "operation": operation, "expires": grant.expires, "cap": grant.cap });
            let subject = format!("application {}", grant.application);
            self.research.note(by, note("grant", &subject, &grant.purpose, details)).await?;
            Ok(id)
        };
        let done = done.await;
        self.research.end(done).await
    }

    /// The people behind EIDs of an application, in the order of the EIDs. The use is logged whether it succeeds or not.
    ///
    /// # Errors
    /// Where no grant of this actor allows it, or an EID is none of the application. The error does not repeat it.
    pub async fn reverse(
        &mut self,
        id: i64,
        eids: &[String],
        operation: Operation,
        second: &str,
        by: Actor<'_>,
    ) -> Result<Vec<(i64, Option<Person>)>> {
        self.research.begin().await?;
        let done = self.reverse_within(id, eids, operation, second, by).await;
        // A refusal is kept as well: it changes nothing but the log.
        let (answer, outcome) = match done {
            Ok(found) => (Ok(found), "done"),
            Err(error) => {
                self.research.roll_back().await;
                self.research.begin().await?;
                (Err(error), "refused")
            }
        };
        let details = json!({ "operation": operation.name(), "identifiers": eids.len(), "second": second, "outcome": outcome });
        let noted = self.research.note(by, note("reverse", &format!("grant {id}"), "", details)).await;
        self.research.end(noted).await?;
        answer
    }

    async fn reverse_within(
        &mut self,
        id: i64,
        eids: &[String],
        operation: Operation,
        second: &str,
        by: Actor<'_>,
    ) -> Result<Vec<(i64, Option<Person>)>> {
        let application = self.use_grant(id, eids.len() as i64, operation, second, by).await?;
        let application = self.application(&application, by).await?;
        let by_pid = self.eids_of_all(&application, "main").await?;
        let pids: std::collections::HashMap<&str, i64> = by_pid.iter().map(|(pid, eid)| (eid.as_str(), *pid)).collect();
        let mut found = Vec::with_capacity(eids.len());
        for (row, eid) in (1..).zip(eids) {
            let pid = *pids.get(eid.as_str()).ok_or_else(|| {
                Error::input("an identifier is none of this application").row(row).help("check the file; nothing was reversed")
            })?;
            found.push((pid, None));
        }
        if operation == Operation::Person {
            for (pid, person) in &mut found {
                *person = Some(self.person(*pid).await?);
            }
        }
        Ok(found)
    }

    /// Uses a grant for a number of identifiers. The answer is the application.
    pub(crate) async fn use_grant(
        &mut self,
        id: i64,
        count: i64,
        operation: Operation,
        second: &str,
        by: Actor<'_>,
    ) -> Result<String> {
        let refuse = |what: &str, help: &str| Err(Error::input(what).help(help).into());
        let row = self.research.row("select * from grants where id = $1", values![id]).await?;
        let ask = "ask whoever may give grants for one";
        let Some(row) = row else { return refuse("there is no grant of this number", ask) };
        if !is_same_person(&text(&row, "actor")?, by.name) {
            return refuse("this grant is for somebody else", ask);
        }
        if text(&row, "operation")? != operation.name() {
            return refuse("this grant is for another operation", ask);
        }
        let expires = text(&row, "expires")?;
        if by.at.get(..10).is_none_or(|today| today > expires.as_str()) {
            return refuse("this grant has expired", ask);
        }
        if !is_same_person(&text(&row, "second")?, second) {
            return refuse("this grant asks for a second person", "have them name themselves with --second");
        }
        let (cap, used) = (number(&row, "cap")?, number(&row, "used")?);
        if used.saturating_add(count) > cap {
            return refuse("this grant is for fewer identifiers", "ask for fewer, or for another grant");
        }
        self.research.run("update grants set used = $2 where id = $1", values![id, used + count]).await?;
        text(&row, "application")
    }

    /// Who somebody is.
    async fn person(&mut self, pid: i64) -> Result<Person> {
        let statement = "select coalesce(nhs_number, '') as nhs_number, coalesce(name, '') as name, coalesce(address, '') as address, \
                         coalesce(email, '') as email, coalesce(phone, '') as phone from people where pid = $1";
        let row = self.identity.row(statement, values![pid]).await?.ok_or_else(|| {
            Error::input("the store of identities lacks a participant").help("restore it from a copy of the same day")
        })?;
        let open = |field: &str, column: &str| {
            let sealed = text(&row, column)?;
            (!sealed.is_empty()).then(|| self.keys.open(pid, field, &sealed)).transpose()
        };
        Ok(Person {
            local: String::new(),
            nhs_number: open("nhs-number", "nhs_number")?,
            name: open("name", "name")?,
            address: open("address", "address")?,
            email: open("email", "email")?,
            phone: open("phone", "phone")?,
        })
    }
}

/// Whether two names are of one person, whatever their capitals and blanks.
fn is_same_person(one: &str, other: &str) -> bool {
    let plain = |name: &str| name.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
    plain(one) == plain(other)
}
