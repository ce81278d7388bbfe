//! Withdrawals: what a participant no longer agrees to, from a day on.

use std::collections::{BTreeMap, HashSet};

use outward_error::{Error, Result};
use outward_ledger::{Actor, number, text, values};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::application::{Application, subject};
use crate::days::is_day;
use crate::eid::EidSet;
use crate::vault::{Vault, note};

/// What a participant withdraws from. Each level includes those before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Level {
    /// They are not contacted any more. What is known of them may be used.
    NoFurtherContact,
    /// Nothing more is learned of them either. What is known may be used.
    NoFurtherAccess,
    /// They are in no later extract.
    NoFurtherUse,
}

impl Level {
    /// All levels.
    pub const ALL: [Self; 3] = [Self::NoFurtherContact, Self::NoFurtherAccess, Self::NoFurtherUse];

    /// How it is written.
    pub fn name(self) -> &'static str {
        match self {
            Self::NoFurtherContact => "no-further-contact",
            Self::NoFurtherAccess => "no-further-access",
            Self::NoFurtherUse => "no-further-use",
        }
    }

    /// The level of a name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|level| level.name() == name)
    }
}

/// A withdrawal as it is entered.
#[derive(Clone, PartialEq, Eq)]
pub struct Withdrawal {
    /// The identifier that the custodian's own files use.
    pub local: String,
    /// From what.
    pub level: Level,
    /// From which day on, as `2026-11-19`.
    pub day: String,
}

/// The EIDs of an application that may no longer be anywhere, and the list that says so.
#[derive(Debug)]
pub struct WithdrawnEids {
    /// The application.
    pub application: String,
    /// The EIDs, of all sets.
    pub eids: HashSet<String>,
    /// All EIDs of the application, of all sets, by which a column of them is known.
    pub all: HashSet<String>,
    /// Participants who withdrew from use.
    pub people: u64,
    /// The day on which the list was made.
    pub day: String,
    width: usize,
}

impl WithdrawnEids {
    /// An EID as the vault writes it, of one that another program wrote.
    pub fn written(&self, eid: &str) -> String {
        let is_number = !eid.is_empty() && eid.len() < self.width && eid.bytes().all(|digit| digit.is_ascii_digit());
        let width = self.width;
        if is_number { format!("{eid:0>width$}") } else { eid.to_owned() }
    }
}

impl Vault {
    /// Enters withdrawals, all or none. The answer is how many are new.
    ///
    /// # Errors
    /// If somebody is not enrolled, or a day is not a date.
    pub async fn withdraw(&mut self, withdrawals: &[Withdrawal], by: Actor<'_>, reason: &str) -> Result<u64> {
        self.research.begin().await?;
        let done = self.withdraw_within(withdrawals, by, reason).await;
        self.research.end(done).await
    }

    async fn withdraw_within(&mut self, withdrawals: &[Withdrawal], by: Actor<'_>, reason: &str) -> Result<u64> {
        let mut entered: BTreeMap<&str, u64> = BTreeMap::new();
        for (row, Withdrawal { local, level, day }) in (1..).zip(withdrawals) {
            if !is_day(day) {
                return Err(Error::input("this is not a day")
                    .row(row)
                    .help("write it as 2026-11-19; no withdrawal was entered")
                    .into());
            }
            let pid = self.pid_of_local(local).await?.ok_or_else(|| {
                Error::input("somebody who withdraws is not enrolled")
                    .row(row)
                    .help("check the identifier; no withdrawal was entered")
            })?;
            let known = "select pid from withdrawals where pid = $1 and level = $2";
            if self.research.row(known, values![pid, level.name()]).await?.is_none() {
                let insert = "insert into withdrawals (pid, level, day) values ($1, $2, $3)";
                self.research.run(insert, values![pid, level.name(), day]).await?;
                *entered.entry(level.name()).or_default() += 1;
            }
        }
        let details = json!({ "given": withdrawals.len(), "entered": entered });
        self.research.note(by, note("withdraw", "participants", reason, details)).await?;
        Ok(entered.values().sum())
    }

    /// The PID of somebody, by the identifier that the custodian's own files use.
    async fn pid_of_local(&mut self, local: &str) -> Result<Option<i64>> {
        let index = self.keys.local_index(local.trim());
        let row = self.identity.row("select pid from people where local_index = $1", values![index.to_vec()]).await?;
        row.map(|row| number(&row, "pid")).transpose()
    }

    /// Those who withdrew to a level or beyond, at a time.
    pub(crate) async fn withdrawn(&mut self, from: Level, at: &str) -> Result<HashSet<i64>> {
        let today = at.get(..10).unwrap_or(at);
        let mut pids = HashSet::new();
        for row in self.research.rows("select pid, level, day from withdrawals", &[]).await? {
            let level = Level::named(&text(&row, "level")?).ok_or_else(|| {
                Error::input("a withdrawal is damaged in the store").help("restore the store from a copy")
            })?;
            if level >= from && text(&row, "day")?.as_str() <= today {
                pids.insert(number(&row, "pid")?);
            }
        }
        Ok(pids)
    }

    /// Those whose records an application may not get at a time.
    pub(crate) async fn left_out(&mut self, application: &Application, at: &str) -> Result<HashSet<i64>> {
        let mut pids = self.withdrawn(Level::NoFurtherUse, at).await?;
        if application.honour_opt_outs {
            pids.extend(self.opted_out().await?);
        }
        Ok(pids)
    }

    /// The EIDs of an application that may be in none of its files any more. That the list was made is logged.
    ///
    /// # Errors
    /// If there is no such application, or a store cannot be read.
    pub async fn withdrawn_eids(&mut self, application: &str, by: Actor<'_>, reason: &str) -> Result<WithdrawnEids> {
        let known = self.known_application(application).await?;
        let left_out = self.left_out(&known, by.at).await?;
        let sets: &[EidSet] = if known.phase_one.is_some() { &EidSet::ALL } else { &[EidSet::Main] };
        let (mut eids, mut all, mut width) = (HashSet::new(), HashSet::new(), 0);
        for set in sets {
            let identified = self.identified(&known, *set).await?;
            for (eid, pid) in identified.eids.into_iter().zip(&identified.pids) {
                width = eid.len();
                if left_out.contains(pid) {
                    eids.insert(eid.clone());
                }
                all.insert(eid);
            }
        }
        let people = left_out.len() as u64;
        let details = json!({ "people": people });
        self.research.note_alone(by, note("list-withdrawn", &subject(application), reason, details)).await?;
        let day = by.at.get(..10).unwrap_or(by.at).to_owned();
        Ok(WithdrawnEids { application: application.to_owned(), eids, all, people, day, width })
    }
}
