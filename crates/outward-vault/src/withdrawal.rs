//! Withdrawals: what a participant no longer agrees to, from a day on.

use std::collections::HashSet;

use outward_error::{Error, Result};
use outward_ledger::{Actor, number, text, values};
use serde::{Deserialize, Serialize};
use serde_json::json;

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
}

/// A withdrawal as it is entered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Withdrawal {
    /// The identifier that the custodian's own files use.
    pub local: String,
    /// From what.
    pub level: Level,
    /// From which day on, as `2026-11-19`.
    pub day: String,
}

impl Vault {
    /// Enters withdrawals, all or none.
    ///
    /// # Errors
    /// Where somebody is not enrolled, or a day is none.
    pub async fn withdraw(&mut self, withdrawals: &[Withdrawal], by: Actor<'_>, reason: &str) -> Result<u64> {
        self.research.begin().await?;
        let done = self.withdraw_within(withdrawals, by, reason).await;
        self.research.end(done).await
    }

    async fn withdraw_within(&mut self, withdrawals: &[Withdrawal], by: Actor<'_>, reason: &str) -> Result<u64> {
        let mut entered = 0;
        for (row, Withdrawal { local, level, day }) in (1..).zip(withdrawals) {
            if !is_day(day) {
                return Err(Error::input("this is no day").row(row).help("write it as 2026-11-19").into());
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
                entered += 1;
            }
        }
        let details = json!({ "given": withdrawals.len(), "entered": entered });
        self.research.note(by, note("withdraw", "participants", reason, details)).await?;
        Ok(entered)
    }

    /// The PID of somebody, by the identifier that the custodian's own files use.
    pub(crate) async fn pid_of_local(&mut self, local: &str) -> Result<Option<i64>> {
        let index = self.keys.local_index(local.trim());
        let row = self.identity.row("select pid from people where local_index = $1", values![&index]).await?;
        row.map(|row| number(&row, "pid")).transpose()
    }

    /// Those of whom nothing more may be learned.
    pub(crate) async fn without_further_access(&mut self) -> Result<HashSet<i64>> {
        self.withdrawn(Level::NoFurtherAccess).await
    }

    /// Those who withdrew to a level or beyond.
    pub(crate) async fn withdrawn(&mut self, from: Level) -> Result<HashSet<i64>> {
        let mut pids = HashSet::new();
        for row in self.research.rows("select pid, level from withdrawals", &[]).await? {
            let level = text(&row, "level")?;
            if Level::ALL.into_iter().any(|known| known >= from && known.name() == level) {
                pids.insert(number(&row, "pid")?);
            }
        }
        Ok(pids)
    }
}

/// Whether a text is a day as ISO 8601 writes it.
pub(crate) fn is_day(text: &str) -> bool {
    let part = |range: std::ops::Range<usize>| text.get(range).and_then(|part| part.parse::<u32>().ok());
    let is_shaped = text.len() == 10 && text.bytes().enumerate().all(|(at, byte)| match at {
        4 | 7 => byte == b'-',
        _ => byte.is_ascii_digit(),
    });
    is_shaped && part(5..7).is_some_and(|month| (1..=12).contains(&month)) && part(8..10).is_some_and(|day| (1..=31).contains(&day))
}
