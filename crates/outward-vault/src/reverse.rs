//! Reversal: from an EID back to a PID, and from a PID to a person; and bridges between two applications. Only with a grant.

use outward_error::{Error, Result};
use outward_ledger::{Actor, bytes, values};
use serde_json::json;

use crate::eid::EidSet;
use crate::enrol::Person;
use crate::grant::Operation;
use crate::vault::Vault;
use crate::withdrawal::Level;

/// The person behind an EID.
#[derive(Clone, PartialEq, Eq)]
pub struct Reversed {
    /// The EID that was given.
    pub eid: String,
    /// The PID.
    pub pid: i64,
    /// The person, where that was granted.
    pub person: Option<Person>,
    /// Whether they may be contacted.
    pub may_be_contacted: bool,
}

impl Vault {
    /// The people behind EIDs of an application, in the order of the EIDs: all of them or none. The use is logged
    /// whether it succeeds or not.
    ///
    /// # Errors
    /// If no grant of this actor allows it, or an EID is not of the application. The error does not repeat it.
    pub async fn reverse(
        &mut self,
        grant: i64,
        set: EidSet,
        eids: &[String],
        operation: Operation,
        by: Actor<'_>,
        reason: &str,
    ) -> Result<Vec<Reversed>> {
        self.research.begin().await?;
        let done = self.reverse_within(grant, set, eids, operation, by).await;
        let details = json!({ "operation": operation.name(), "set": set.name(), "identifiers": eids.len() });
        self.end_use(done, ("reverse", grant), details, by, reason).await
    }

    async fn reverse_within(
        &mut self,
        grant: i64,
        set: EidSet,
        eids: &[String],
        operation: Operation,
        by: Actor<'_>,
    ) -> Result<Vec<Reversed>> {
        let (application, _) = self.use_grant(grant, eids.len() as u64, operation, by).await?;
        let application = self.known_application(&application).await?;
        let no_contact = self.withdrawn(Level::NoFurtherContact, by.at).await?;
        let identified = self.identified(&application, set).await?;
        let pids = identified.by_eid();
        let mut found = Vec::with_capacity(eids.len());
        for (row, eid) in (1..).zip(eids) {
            let pid = *pids.get(eid.as_str()).ok_or_else(|| {
                Error::input("an identifier is not of this application")
                    .row(row)
                    .help("check the file and the set of identifiers; nothing was reversed")
            })?;
            let may_be_contacted = !no_contact.contains(&pid);
            found.push(Reversed { eid: eid.clone(), pid, person: None, may_be_contacted });
        }
        if operation == Operation::Person {
            for reversed in &mut found {
                reversed.person = Some(self.person(reversed.pid).await?);
            }
        }
        Ok(found)
    }

    /// Who somebody is.
    async fn person(&mut self, pid: i64) -> Result<Person> {
        let statement = "select local, nhs_number, name, address, email, phone from people where pid = $1";
        let row = self.identity.row(statement, values![pid]).await?.ok_or_else(|| {
            Error::input("the store of identities lacks a participant").help("restore it from a copy of the same day")
        })?;
        let open = |field: &str, column: &str| {
            let sealed = bytes(&row, column)?.unwrap_or_default();
            (!sealed.is_empty()).then(|| self.keys.open(pid, field, &sealed)).transpose()
        };
        Ok(Person {
            local: open("local", "local")?.unwrap_or_default(),
            nhs_number: open("nhs-number", "nhs_number")?,
            name: open("name", "name")?,
            address: open("address", "address")?,
            email: open("email", "email")?,
            phone: open("phone", "phone")?,
        })
    }

    /// The EIDs of two applications side by side, sorted, of those whose records both may get. The use is logged whether it succeeds or not.
    ///
    /// # Errors
    /// If no grant of this actor allows it.
    pub async fn bridge(&mut self, grant: i64, by: Actor<'_>, reason: &str) -> Result<Bridge> {
        self.research.begin().await?;
        let done = self.bridge_within(grant, by).await;
        let rows = done.as_ref().map_or(0, |bridge| bridge.pairs.len());
        self.end_use(done, ("bridge", grant), json!({ "identifiers": rows }), by, reason).await
    }

    async fn bridge_within(&mut self, grant: i64, by: Actor<'_>) -> Result<Bridge> {
        // The grant is looked at before anything is made, and used once it is known for how many.
        let (one, other) = self.use_grant(grant, 0, Operation::Bridge, by).await?;
        let applications = [self.application(&one, by).await?, self.application(&other, by).await?];
        if applications.iter().any(|application| application.phase_one.is_some()) {
            return Err(Error::input("an application in two phases cannot be bridged")
                .help("a bridge would join what its phases keep apart: bridge other applications")
                .into());
        }
        let mut left_out = self.left_out(&applications[0], by.at).await?;
        left_out.extend(self.left_out(&applications[1], by.at).await?);
        let first = self.identified(&applications[0], EidSet::Main).await?;
        let second = self.identified(&applications[1], EidSet::Main).await?;
        let pairs = first.pids.iter().zip(first.eids.into_iter().zip(second.eids));
        let mut pairs: Vec<(String, String)> =
            pairs.filter(|(pid, _)| !left_out.contains(pid)).map(|(_, pair)| pair).collect();
        pairs.sort_unstable();
        self.use_grant(grant, pairs.len() as u64, Operation::Bridge, by).await?;
        Ok(Bridge { applications: [one, other], pairs })
    }
}

/// The identifiers of two applications side by side.
#[derive(Debug)]
pub struct Bridge {
    /// The applications.
    pub applications: [String; 2],
    /// Their EIDs, sorted by the first.
    pub pairs: Vec<(String, String)>,
}
