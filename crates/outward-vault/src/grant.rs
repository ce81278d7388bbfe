//! Grants: permission to go from an EID back to a person, within limits. Every use is logged, and so is every refusal.

use outward_error::{Error, Result};
use outward_ledger::{Actor, number, text, values};
use serde::Serialize;
use serde_json::json;

use crate::application::subject;
use crate::days::is_day;
use crate::vault::{Vault, note};

/// What a grant allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
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
    /// All operations.
    pub const ALL: [Self; 3] = [Self::Pid, Self::Person, Self::Bridge];

    /// How it is written.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pid => "pid",
            Self::Person => "person",
            Self::Bridge => "bridge",
        }
    }
}

/// Leave to reverse or to join identifiers, within limits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grant {
    /// Who may.
    pub actor: String,
    /// Identifiers of which application.
    pub application: String,
    /// The other application, of a bridge; else empty.
    pub other: String,
    /// What they may do.
    pub operation: Operation,
    /// What for.
    pub purpose: String,
    /// The last day on which it holds.
    pub expires: String,
    /// How many identifiers in all.
    pub cap: u64,
    /// How many of them in one day, where that is limited too.
    pub per_day: Option<u64>,
}

impl Vault {
    /// Gives a grant. Nobody gives one to themselves. The answer is its number; where the vault asks for two people, it holds once another has approved it.
    ///
    /// # Errors
    /// If the grant is for its giver, or has no purpose or no end, or the store cannot be written.
    pub async fn grant(&mut self, grant: &Grant, by: Actor<'_>) -> Result<i64> {
        let refuse = |what: &str, help: &str| Err(Error::input(what).help(help).into());
        if is_same_person(&grant.actor, by.name) {
            return refuse("nobody can grant themselves a reversal", "have somebody else give the grant");
        }
        let is_whole = !grant.actor.trim().is_empty()
            && !grant.purpose.trim().is_empty()
            && grant.cap > 0
            && grant.per_day != Some(0);
        if !is_whole || !is_day(&grant.expires) {
            return refuse(
                "a grant needs a person, a purpose, a last day and a number of identifiers",
                "write the day as 2026-12-31, and numbers above 0",
            );
        }
        if (grant.operation == Operation::Bridge) == grant.other.is_empty() {
            return refuse("a bridge, and nothing else, needs a second application", "name it with --with APPLICATION");
        }
        self.known_application(&grant.application).await?;
        if !grant.other.is_empty() {
            self.known_application(&grant.other).await?;
        }
        self.research.begin().await?;
        let done = self.grant_within(grant, by).await;
        self.research.end(done).await
    }

    async fn grant_within(&mut self, grant: &Grant, by: Actor<'_>) -> Result<i64> {
        let id = self.research.next("grants").await?;
        let operation = grant.operation.name();
        let stored = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
        let (cap, per_day) = (stored(grant.cap), stored(grant.per_day.unwrap_or_default()));
        let insert = "insert into grants (id, actor, application, other, operation, purpose, expires, cap, per_day, used) \
                      values ($1, $2, $3, $4, $5, $6, $7, $8, $9, 0)";
        let Grant { actor, application, other, purpose, expires, .. } = grant;
        let row = values![id, actor, application, other, operation, purpose, expires, cap, per_day];
        self.research.run(insert, row).await?;
        self.add_approval(id, by).await?;
        let details = json!({
            "grant": id, "to": actor, "operation": operation, "with": other, "expires": expires, "cap": cap,
            "per_day": grant.per_day,
        });
        self.research.note(by, note("grant", &subject(application), purpose, details)).await?;
        Ok(id)
    }

    async fn add_approval(&mut self, id: i64, by: Actor<'_>) -> Result<()> {
        let insert = "insert into approvals (grant_id, approver, at) values ($1, $2, $3)";
        self.research.run(insert, values![id, by.name, by.at]).await
    }

    /// Approves a grant as the second person.
    ///
    /// # Errors
    /// If there is none of this number, or it is for this person, or they gave it.
    pub async fn approve_grant(&mut self, id: i64, by: Actor<'_>) -> Result<()> {
        let row = self.research.row("select actor, application from grants where id = $1", values![id]).await?;
        let row = row.ok_or_else(no_grant)?;
        if is_same_person(&text(&row, "actor")?, by.name) {
            return Err(Error::input("nobody can approve a grant to themselves")
                .help("have somebody else approve it")
                .into());
        }
        let approvers = self.approvers(id).await?;
        if approvers.iter().any(|approver| is_same_person(approver, by.name)) {
            return Err(Error::input("this person gave or approved the grant already")
                .help("have somebody else approve it")
                .into());
        }
        let application = text(&row, "application")?;
        self.research.begin().await?;
        let done = async {
            self.add_approval(id, by).await?;
            self.research.note(by, note("approve-grant", &subject(&application), "", json!({ "grant": id }))).await
        };
        let done = done.await;
        self.research.end(done).await
    }

    async fn approvers(&mut self, id: i64) -> Result<Vec<String>> {
        let rows = self.research.rows("select approver from approvals where grant_id = $1", values![id]).await?;
        rows.iter().map(|row| text(row, "approver")).collect()
    }

    /// Uses a grant for a number of identifiers, within a change. The answer is the application and, of a bridge, the other.
    pub(crate) async fn use_grant(
        &mut self,
        id: i64,
        count: u64,
        operation: Operation,
        by: Actor<'_>,
    ) -> Result<(String, String)> {
        let refuse = |what: &str, help: &str| Err(Error::input(what).help(help).into());
        let ask = "ask for one with `outward vault grant`";
        let row = self.research.row("select * from grants where id = $1", values![id]).await?.ok_or_else(no_grant)?;
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
        let needed = if self.needs_two_people().await? { 2 } else { 1 };
        if self.approvers(id).await?.len() < needed {
            return refuse(
                "this grant needs a second person",
                "have somebody else approve it with `outward vault approve`",
            );
        }
        let count = i64::try_from(count).unwrap_or(i64::MAX);
        let (cap, used) = (number(&row, "cap")?, number(&row, "used")?);
        let after = used.saturating_add(count);
        if after > cap {
            return refuse("this grant is for fewer identifiers", "ask for fewer, or for another grant");
        }
        let today = by.at.get(..10).unwrap_or_default();
        let after_today = self.used_on(id, today).await?.saturating_add(count);
        let per_day = number(&row, "per_day")?;
        if per_day > 0 && after_today > per_day {
            return refuse("this grant is for fewer identifiers in one day", "ask for fewer, or for the rest tomorrow");
        }
        self.research.run("update grants set used = $2 where id = $1", values![id, after]).await?;
        let upsert = "insert into grant_days (grant_id, day, used) values ($1, $2, $3) \
                      on conflict (grant_id, day) do update set used = excluded.used";
        self.research.run(upsert, values![id, today, after_today]).await?;
        Ok((text(&row, "application")?, text(&row, "other")?))
    }

    /// How many identifiers a grant was used for on a day.
    async fn used_on(&mut self, id: i64, day: &str) -> Result<i64> {
        let statement = "select used from grant_days where grant_id = $1 and day = $2";
        let row = self.research.row(statement, values![id, day]).await?;
        Ok(row.map(|row| number(&row, "used")).transpose()?.unwrap_or_default())
    }

    /// Ends a use of a grant that was begun as a change. A use is committed, a refusal is rolled back, and both are
    /// logged.
    pub(crate) async fn end_use<T>(
        &mut self,
        done: Result<T>,
        (action, id): (&str, i64),
        details: serde_json::Value,
        by: Actor<'_>,
        reason: &str,
    ) -> Result<T> {
        let mut details = details;
        details["outcome"] = if done.is_ok() { "done" } else { "refused" }.into();
        if done.is_err() {
            self.research.roll_back().await;
            self.research.begin().await?;
        }
        let noted = self.research.note(by, note(action, &format!("grant {id}"), reason, details)).await;
        self.research.end(noted).await?;
        done
    }
}

fn no_grant() -> Error {
    Error::input("there is no grant of this number").help("ask for one with `outward vault grant`").into()
}

/// Whether two names are of one person, whatever their capitals and blanks.
pub(crate) fn is_same_person(one: &str, other: &str) -> bool {
    let plain = |name: &str| name.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
    plain(one) == plain(other)
}
