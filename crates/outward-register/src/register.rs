//! The register: what is done to releases, each step with its entry in the log.

use std::collections::BTreeMap;

use outward_spec::{Error, Result};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::log::{Break, Chain, Entry, hash_of_text};
use crate::replay::{Content, Replay};
use crate::state::{Move, State, find_move, is_same_person, moves_from};
use crate::store::{Store, number, text, values};
use crate::submission::{TOTAL, asked_for};

/// Who does something, and when. Both come from outside.
#[derive(Debug, Clone, Copy)]
pub struct Actor<'a> {
    /// Who.
    pub name: &'a str,
    /// When: UTC, as ISO 8601 writes it.
    pub at: &'a str,
}

/// A bundle, as it is entered.
#[derive(Debug, Clone, PartialEq)]
pub struct Submission {
    /// What the data are called.
    pub dataset: String,
    /// The hash of the data.
    pub data_sha256: String,
    /// What the release is called.
    pub title: String,
    /// `tables` or `records`.
    pub kind: String,
    /// Who asked for it.
    pub requester: String,
    /// What for.
    pub purpose: String,
    /// The policy, its version and its tier.
    pub policy: [String; 3],
    /// How many people besides the author have to approve.
    pub approvals: i64,
    /// The hash of the bundle.
    pub bundle_hash: String,
    /// The manifest, without seeds.
    pub manifest: String,
    /// The files that say what is public: the spec without its seed, hierarchies, the tables.
    pub files: Vec<(String, String)>,
    /// The tables.
    pub tables: Vec<TableEntry>,
}

/// A published table, as the register finds it again.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableEntry {
    /// Its name.
    pub name: String,
    /// What one record is.
    pub unit: String,
    /// What it counts or adds up.
    pub measure: String,
    /// The records counted, as the spec says it; all where empty.
    pub condition: String,
    /// The level of geography, where one is said.
    pub geography: String,
    /// How it was protected.
    pub method: String,
    /// Cells.
    pub cells: i64,
    /// Hidden cells.
    pub hidden: i64,
    /// What it can be compared with others by: the columns that its variables and its condition read.
    pub sources: Vec<String>,
}

/// A release, as it is listed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Release {
    /// Its number.
    pub id: i64,
    /// What the data are called.
    pub dataset: String,
    /// The version of the data, from 1.
    pub version: i64,
    /// What it is called.
    pub title: String,
    /// `tables` or `records`.
    pub kind: String,
    /// Where it stands.
    pub state: State,
    /// Who entered it.
    pub author: String,
    /// Who asked for it.
    pub requester: String,
    /// What for.
    pub purpose: String,
    /// The policy.
    pub policy: String,
    /// Its version.
    pub policy_version: String,
    /// Its tier, where it has tiers.
    pub tier: String,
    /// How many people besides the author have to approve.
    pub approvals: i64,
    /// The hash of the bundle.
    pub bundle_hash: String,
    /// When it was submitted.
    pub submitted: String,
    /// When it became public; empty where it is not.
    pub released: String,
}

/// What somebody decided on a bundle.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Decision {
    /// `approve`, `return` or `refuse`.
    pub kind: String,
    /// Who.
    pub actor: String,
    /// When.
    pub at: String,
    /// Why.
    pub reason: String,
    /// The bundle that was decided on.
    pub bundle_hash: String,
}

/// A rule that a release need not meet (V6).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Exception {
    /// The rule: a check of `verify` or a condition of the gate.
    pub rule: String,
    /// What it holds for.
    pub scope: String,
    /// Why.
    pub reason: String,
    /// Who approved it.
    pub approver: String,
    /// The last day on which it holds, as `2027-03-31`.
    pub expires: String,
    /// When it was entered.
    pub at: String,
    /// The bundle that it was given for; the register fills it in.
    pub bundle_hash: String,
}

impl Exception {
    /// Whether it still holds at a time.
    pub fn holds_at(&self, at: &str) -> bool {
        at.get(..10).is_some_and(|day| day <= self.expires.as_str())
    }
}

/// All that the register holds of a release.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct File {
    /// The release.
    pub release: Release,
    /// Its tables.
    pub tables: Vec<TableEntry>,
    /// What was decided, in order.
    pub decisions: Vec<Decision>,
    /// What it need not meet.
    pub exceptions: Vec<Exception>,
}

impl File {
    /// Those who approved the bundle as it is, each once.
    pub fn approved_by(&self) -> Vec<&str> {
        let own = |decision: &&Decision| decision.bundle_hash == self.release.bundle_hash;
        let mut people: Vec<&str> = Vec::new();
        for decision in self.decisions.iter().filter(own) {
            match decision.kind.as_str() {
                "approve" if !people.iter().any(|other| is_same_person(other, &decision.actor)) => {
                    people.push(&decision.actor);
                }
                "return" | "refuse" | "recall" => people.clear(),
                _ => {}
            }
        }
        people
    }
}

/// An open register.
#[derive(Debug)]
pub struct Register {
    store: Store,
}

/// What parts of an entry are read with between them: a control character, which no part may have.
const BETWEEN: &str = "\u{1f}";

/// What goes into the log.
struct Note<'a> {
    action: &'a str,
    subject: String,
    reason: &'a str,
    details: serde_json::Value,
}

impl Register {
    /// Opens a register; with `create` makes one where there is none.
    ///
    /// # Errors
    /// Where the URL is none of a register, the database cannot be reached, or a newer version of Outward wrote it.
    pub async fn open(url: &str, create: bool) -> Result<Self> {
        Ok(Self { store: Store::open(url, create).await? })
    }

    /// Whether there was no register at this address before.
    pub fn is_new(&self) -> bool {
        self.store.is_new
    }

    /// Enters a bundle and freezes it by its hash. A bundle that is there already keeps its number; a release that was returned to its author
    /// takes a new bundle where `replaces` names it.
    ///
    /// # Errors
    /// Where the release to replace is not there, is not its author's or was not returned.
    pub async fn submit(&mut self, by: Actor<'_>, new: &Submission, replaces: Option<i64>) -> Result<i64> {
        self.store.begin().await?;
        let done = self.enter(by, new, replaces, State::Submitted).await;
        self.end(done).await
    }

    /// Enters a bundle as a draft, which nobody reviews and which its author can replace until they submit it.
    ///
    /// # Errors
    /// Where the release to replace is not there, is not its author's or is no draft.
    pub async fn draft(&mut self, by: Actor<'_>, new: &Submission, replaces: Option<i64>) -> Result<i64> {
        self.store.begin().await?;
        let done = self.enter(by, new, replaces, State::Draft).await;
        self.end(done).await
    }

    async fn enter(&mut self, by: Actor<'_>, new: &Submission, replaces: Option<i64>, state: State) -> Result<i64> {
        refuse_blank(by.name)?;
        if let Some(known) = self.find_bundle(&new.bundle_hash).await? {
            return match known.state {
                State::Draft if !is_same_person(&known.author, by.name) => {
                    Err(Error::input(format!("this bundle is {}'s draft, release {}", known.author, known.id))
                        .help(format!("{} has to submit it", known.author))
                        .into())
                }
                _ if replaces.is_some_and(|replaces| replaces != known.id) => {
                    Err(Error::input(format!("this bundle is release {} already", known.id))
                        .help("leave --replaces out, or name another bundle")
                        .into())
                }
                State::Draft if state == State::Submitted && is_same_person(&known.author, by.name) => {
                    self.set_state(by, &known, State::Submitted, "submit", "").await?;
                    Ok(known.id)
                }
                State::Returned if known.author == by.name => {
                    Err(Error::input(format!("this bundle is the one of release {} that was returned", known.id))
                        .help(format!("change it as the reviewer asked, and submit it with --replaces {}", known.id))
                        .into())
                }
                _ => Ok(known.id),
            };
        }
        let dataset = self.dataset(&new.dataset).await?;
        let version = self.version((dataset, &new.dataset), &new.data_sha256, by.at).await?;
        let id = match replaces {
            Some(id) => {
                let old = self.release(id).await?;
                if old.dataset != new.dataset {
                    return Err(Error::input(format!("release {id} is of other data, `{}`", old.dataset))
                        .help("submit the bundle as a new release, without --replaces")
                        .into());
                }
                allowed(&old, by.name, "submit")?;
                if state == State::Draft && old.state != State::Draft {
                    return Err(wrong_state(&old, "draft"));
                }
                for table in ["files", "tables", "table_variables"] {
                    self.store.run(&format!("delete from {table} where release_id = $1"), values![id]).await?;
                }
                id
            }
            None => self.store.next("releases").await?,
        };
        let [policy, policy_version, tier] = &new.policy;
        let common = [&new.title, &new.kind, &new.requester, &new.purpose, policy, policy_version, tier];
        let mut row: Vec<crate::store::Value> = vec![id.into(), dataset.into(), version.into()];
        row.extend(common.into_iter().map(Into::into));
        row.extend([new.approvals.into(), (&new.bundle_hash).into(), (&new.manifest).into()]);
        row.extend([by.at.into(), by.name.into(), state.name().into()]);
        let statement = match replaces {
            Some(_) => {
                "update releases set dataset = $2, version = $3, title = $4, kind = $5, requester = $6, purpose = $7, policy = $8, \
                 policy_version = $9, tier = $10, approvals = $11, bundle_hash = $12, manifest = $13, submitted = $14, author = $15, \
                 state = $16 where id = $1"
            }
            None => {
                "insert into releases (id, dataset, version, title, kind, requester, purpose, policy, policy_version, tier, approvals, \
                 bundle_hash, manifest, submitted, author, state, released) \
                 values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, '')"
            }
        };
        self.store.run(statement, &row).await?;
        for (path, content) in &new.files {
            let sha256 = hash_of_text(content);
            let statement = "insert into files (release_id, path, content, sha256) values ($1, $2, $3, $4)";
            self.store.run(statement, values![id, path, content, &sha256]).await?;
        }
        for (position, table) in (0..).zip(&new.tables) {
            self.add_table(id, dataset, position, table).await?;
        }
        let entered = self.file(id).await?;
        let content = self.content_of(&entered).await?;
        let details =
            json!({ "bundle": new.bundle_hash, "dataset": new.dataset, "version": version, "content": content });
        let action = if state == State::Draft { "draft" } else { "submit" };
        self.note(by, Note { action, subject: subject(id), reason: "", details }).await?;
        Ok(id)
    }

    async fn add_table(&mut self, id: i64, dataset: i64, position: i64, table: &TableEntry) -> Result<()> {
        let statement = "insert into tables (release_id, position, name, unit, measure, condition, geography, method, cells, hidden) \
                         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)";
        let row = values![
            id,
            position,
            &table.name,
            &table.unit,
            &table.measure,
            &table.condition,
            &table.geography,
            &table.method,
            table.cells,
            table.hidden,
        ];
        self.store.run(statement, row).await?;
        for source in &table.sources {
            let statement =
                "insert into table_variables (dataset, source, release_id, position) values ($1, $2, $3, $4)";
            self.store.run(statement, values![dataset, source, id, position]).await?;
        }
        Ok(())
    }

    /// Moves a release to another state, as the table of moves allows. An approval counts once for each person, and the release is approved
    /// when as many people approved the same bundle as its policy asks.
    ///
    /// # Errors
    /// Where the release is not there, the move leads nowhere from its state, this person may not make it, or a reason is missing.
    pub async fn make_move(&mut self, by: Actor<'_>, id: i64, name: &str, reason: &str) -> Result<State> {
        self.store.begin().await?;
        let done = match name {
            "release" | "submit" => {
                Err(Error::bug("a release goes out through the gate, and comes in with its bundle"))
            }
            _ => self.move_within(by, id, name, reason).await,
        };
        self.end(done).await
    }

    /// Makes a release public, if the releases it was checked against are still all that it is related to.
    ///
    /// # Errors
    /// Where the release may not go out, or another one went out since it was checked.
    pub async fn make_public(
        &mut self,
        by: Actor<'_>,
        id: i64,
        bundle_hash: &str,
        checked_against: &[i64],
    ) -> Result<State> {
        self.store.begin().await?;
        let done = self.public_within(by, id, bundle_hash, checked_against).await;
        self.end(done).await
    }

    async fn public_within(
        &mut self,
        by: Actor<'_>,
        id: i64,
        bundle_hash: &str,
        checked_against: &[i64],
    ) -> Result<State> {
        let release = self.release(id).await?;
        if release.bundle_hash != bundle_hash {
            return Err(Error::input(format!("release {id} has another bundle now than the one that was checked"))
                .help("run the command again with the bundle that is in the register")
                .into());
        }
        if release.state == State::Released {
            return Ok(State::Released);
        }
        let related = self.related_to(&release).await?;
        if let Some(new) = related.iter().find(|other| !checked_against.contains(&other.id)) {
            return Err(Error::input(format!("release {} went out while this one was checked", new.id))
                .help("run the command again, so that this one is checked against it too")
                .into());
        }
        self.move_within(by, id, "release", "").await
    }

    async fn move_within(&mut self, by: Actor<'_>, id: i64, name: &str, reason: &str) -> Result<State> {
        refuse_blank(by.name)?;
        let mut release = self.release(id).await?;
        // Whoever approves a release that nobody has taken up yet reviews it.
        if matches!(name, "approve" | "return" | "refuse") && release.state == State::Submitted {
            allowed_as(&release, by.name, "review", name)?;
            self.set_state(by, &release, State::UnderReview, "review", "").await?;
            release.state = State::UnderReview;
        }
        let one = allowed(&release, by.name, name)?;
        if name == "release" && release.state == State::Submitted && release.approvals > 0 {
            return Err(Error::input(format!("nobody has reviewed release {id}"))
                .help(format!(
                    "someone other than {} has to approve it: `outward register approve {id}`",
                    release.author
                ))
                .into());
        }
        if one.reason && reason.trim().is_empty() {
            return Err(Error::input(format!("to {name} a release a reason is needed"))
                .help("say it with --reason \"…\": it goes into the log")
                .into());
        }
        let mut to = one.to;
        if matches!(name, "approve" | "return" | "refuse" | "recall" | "withdraw") {
            let decision = self.store.next("decisions").await?;
            let statement = "insert into decisions (id, release_id, kind, actor, at, reason, bundle_hash) \
                             values ($1, $2, $3, $4, $5, $6, $7)";
            let row = values![decision, id, name, by.name, by.at, reason, &release.bundle_hash];
            self.store.run(statement, row).await?;
        }
        if name == "approve" {
            let approved = self.file_of(release.clone()).await?.approved_by().len() as i64;
            if approved < release.approvals {
                to = State::UnderReview;
            }
        }
        if name == "release" {
            let statement = "update releases set released = $2 where id = $1";
            self.store.run(statement, values![id, by.at]).await?;
        }
        self.set_state(by, &release, to, name, reason).await?;
        Ok(to)
    }

    async fn set_state(
        &mut self,
        by: Actor<'_>,
        release: &Release,
        to: State,
        action: &str,
        reason: &str,
    ) -> Result<()> {
        self.store.run("update releases set state = $2 where id = $1", values![release.id, to.name()]).await?;
        let details = json!({ "from": release.state.name(), "to": to.name(), "bundle": release.bundle_hash });
        self.note(by, Note { action, subject: subject(release.id), reason, details }).await
    }

    /// Enters an exception.
    ///
    /// # Errors
    /// Where the release is not there or is public already, its author approves it themself, or something is not said.
    pub async fn add_exception(&mut self, by: Actor<'_>, id: i64, exception: &Exception) -> Result<()> {
        self.store.begin().await?;
        let done = self.except_within(by, id, exception).await;
        self.end(done).await
    }

    async fn except_within(&mut self, by: Actor<'_>, id: i64, exception: &Exception) -> Result<()> {
        let release = self.release(id).await?;
        if is_same_person(&exception.approver, &release.author) {
            return Err(Error::input(format!("{} is the author of release {id}", exception.approver))
                .help("someone else has to approve an exception")
                .into());
        }
        if release.state.is_public() || release.state == State::Refused {
            return Err(wrong_state(&release, "except"));
        }
        for (what, said) in [("reason", &exception.reason), ("scope", &exception.scope)] {
            if said.split_whitespace().count() < 2 {
                return Err(Error::input(format!("the {what} of an exception is not said in words"))
                    .help("write a short sentence: it is shown in the public statement")
                    .into());
            }
        }
        let number = self.store.next("exceptions").await?;
        let statement = "insert into exceptions (id, release_id, rule, scope, reason, approver, expires, at, bundle_hash) \
                         values ($1, $2, $3, $4, $5, $6, $7, $8, $9)";
        let Exception { rule, scope, reason, approver, expires, .. } = exception;
        let row = values![number, id, rule, scope, reason, approver, expires, by.at, &release.bundle_hash];
        self.store.run(statement, row).await?;
        let details = json!({ "rule": rule, "scope": scope, "approver": approver, "expires": expires });
        self.note(by, Note { action: "except", subject: subject(id), reason, details }).await
    }

    /// Notes in the log that somebody looked at something, checked or exported it.
    ///
    /// # Errors
    /// Where the register cannot be written.
    pub async fn tell(&mut self, by: Actor<'_>, action: &str, subject: &str, details: serde_json::Value) -> Result<()> {
        self.store.begin().await?;
        let note = Note { action, subject: subject.to_owned(), reason: "", details };
        let done = self.note(by, note).await;
        self.end(done).await
    }

    /// Enters a request that was checked before anything was made.
    ///
    /// # Errors
    /// Where the register cannot be written.
    pub async fn add_request(&mut self, by: Actor<'_>, request: &Request, findings: usize) -> Result<()> {
        self.store.begin().await?;
        let done = self.request_within(by, request, findings).await;
        self.end(done).await
    }

    async fn request_within(&mut self, by: Actor<'_>, request: &Request, findings: usize) -> Result<()> {
        let dataset = self.dataset(&request.dataset).await?;
        let number = self.store.next("requests").await?;
        let statement = "insert into requests (id, dataset, requester, spec_sha256, tables, findings, at) \
                         values ($1, $2, $3, $4, $5, $6, $7)";
        let tables = serde_json::to_string(&request.tables).map_err(Error::bug)?;
        let row = values![number, dataset, &request.requester, &request.spec_sha256, &tables, findings as i64, by.at];
        self.store.run(statement, row).await?;
        let details = json!({ "dataset": request.dataset, "requester": request.requester, "spec": request.spec_sha256, "findings": findings });
        self.note(by, Note { action: "check", subject: format!("request {number}"), reason: "", details }).await
    }

    /// What was asked of a dataset before, the oldest first.
    ///
    /// # Errors
    /// Where the register cannot be read.
    pub async fn requests(&mut self, dataset: &str) -> Result<Vec<Request>> {
        let statement = "select d.name, r.requester, r.spec_sha256, r.tables, r.at from requests r join datasets d on d.id = r.dataset \
                         where d.name = $1 order by r.id";
        let rows = self.store.rows(statement, values![dataset]).await?;
        rows.iter()
            .map(|row| {
                Ok(Request {
                    dataset: text(row, "name")?,
                    requester: text(row, "requester")?,
                    spec_sha256: text(row, "spec_sha256")?,
                    tables: serde_json::from_str(&text(row, "tables")?).map_err(Error::bug)?,
                    at: text(row, "at")?,
                })
            })
            .collect()
    }

    /// All releases, the oldest first.
    ///
    /// # Errors
    /// Where the register cannot be read.
    pub async fn releases(&mut self) -> Result<Vec<Release>> {
        self.releases_where("", &[]).await
    }

    async fn releases_where(&mut self, condition: &str, values: &[crate::store::Value]) -> Result<Vec<Release>> {
        let statement = format!(
            "select r.id, d.name, r.version, r.title, r.kind, r.state, r.author, r.requester, r.purpose, r.policy, r.policy_version, \
             r.tier, r.approvals, r.bundle_hash, r.submitted, r.released from releases r join datasets d on d.id = r.dataset \
             {condition} order by r.id"
        );
        let rows = self.store.rows(&statement, values).await?;
        rows.iter()
            .map(|row| {
                let state = State::named(&text(row, "state")?)
                    .ok_or_else(|| Error::input("a release of the register is in a state that does not exist"))?;
                Ok(Release {
                    id: number(row, "id")?,
                    dataset: text(row, "name")?,
                    version: number(row, "version")?,
                    title: text(row, "title")?,
                    kind: text(row, "kind")?,
                    state,
                    author: text(row, "author")?,
                    requester: text(row, "requester")?,
                    purpose: text(row, "purpose")?,
                    policy: text(row, "policy")?,
                    policy_version: text(row, "policy_version")?,
                    tier: text(row, "tier")?,
                    approvals: number(row, "approvals")?,
                    bundle_hash: text(row, "bundle_hash")?,
                    submitted: text(row, "submitted")?,
                    released: text(row, "released")?,
                })
            })
            .collect()
    }

    /// The release of this number.
    ///
    /// # Errors
    /// Where there is none.
    pub async fn release(&mut self, id: i64) -> Result<Release> {
        let found = self.releases_where("where r.id = $1", values![id]).await?;
        found.into_iter().next().ok_or_else(|| {
            Error::input(format!("there is no release {id} in this register"))
                .help("`outward register list` shows all releases")
                .into()
        })
    }

    /// The release with this bundle.
    ///
    /// # Errors
    /// Where the register cannot be read.
    pub async fn find_bundle(&mut self, bundle_hash: &str) -> Result<Option<Release>> {
        Ok(self.releases_where("where r.bundle_hash = $1", values![bundle_hash]).await?.into_iter().next())
    }

    /// All that the register holds of a release.
    ///
    /// # Errors
    /// Where there is none of this number.
    pub async fn file(&mut self, id: i64) -> Result<File> {
        let release = self.release(id).await?;
        self.file_of(release).await
    }

    async fn file_of(&mut self, release: Release) -> Result<File> {
        let decisions = "select kind, actor, at, reason, bundle_hash from decisions where release_id = $1 order by id";
        let decisions = self.store.rows(decisions, values![release.id]).await?;
        let decision = |row: &sqlx::any::AnyRow| {
            Ok(Decision {
                kind: text(row, "kind")?,
                actor: text(row, "actor")?,
                at: text(row, "at")?,
                reason: text(row, "reason")?,
                bundle_hash: text(row, "bundle_hash")?,
            })
        };
        let exceptions = "select rule, scope, reason, approver, expires, at, bundle_hash from exceptions where release_id = $1 order by id";
        let exceptions = self.store.rows(exceptions, values![release.id]).await?;
        let exception = |row: &sqlx::any::AnyRow| {
            Ok(Exception {
                rule: text(row, "rule")?,
                scope: text(row, "scope")?,
                reason: text(row, "reason")?,
                approver: text(row, "approver")?,
                expires: text(row, "expires")?,
                at: text(row, "at")?,
                bundle_hash: text(row, "bundle_hash")?,
            })
        };
        Ok(File {
            tables: self.tables_of(release.id).await?,
            decisions: decisions.iter().map(decision).collect::<Result<_>>()?,
            exceptions: exceptions.iter().map(exception).collect::<Result<_>>()?,
            release,
        })
    }

    async fn tables_of(&mut self, id: i64) -> Result<Vec<TableEntry>> {
        let sources = "select position, source from table_variables where release_id = $1 order by position, source";
        let mut by_table: BTreeMap<i64, Vec<String>> = BTreeMap::new();
        for row in self.store.rows(sources, values![id]).await? {
            by_table.entry(number(&row, "position")?).or_default().push(text(&row, "source")?);
        }
        let tables = "select position, name, unit, measure, condition, geography, method, cells, hidden from tables \
                      where release_id = $1 order by position";
        let rows = self.store.rows(tables, values![id]).await?;
        rows.iter()
            .map(|row| {
                Ok(TableEntry {
                    name: text(row, "name")?,
                    unit: text(row, "unit")?,
                    measure: text(row, "measure")?,
                    condition: text(row, "condition")?,
                    geography: text(row, "geography")?,
                    method: text(row, "method")?,
                    cells: number(row, "cells")?,
                    hidden: number(row, "hidden")?,
                    sources: by_table.remove(&number(row, "position")?).unwrap_or_default(),
                })
            })
            .collect()
    }

    /// A file of a release that the register holds.
    ///
    /// # Errors
    /// Where the register cannot be read.
    pub async fn files(&mut self, id: i64) -> Result<Vec<(String, String)>> {
        let statement = "select path, content from files where release_id = $1 order by path";
        let rows = self.store.rows(statement, values![id]).await?;
        rows.iter().map(|row| Ok((text(row, "path")?, text(row, "content")?))).collect()
    }

    /// The manifest of a release, without seeds.
    ///
    /// # Errors
    /// Where the register cannot be read.
    pub async fn manifest(&mut self, id: i64) -> Result<String> {
        let row = self.store.row("select manifest from releases where id = $1", values![id]).await?;
        row.map_or_else(|| Err(Error::bug("a release has no manifest")), |row| text(&row, "manifest"))
    }

    /// The hash of the data that a release was made from.
    ///
    /// # Errors
    /// Where the register cannot be read.
    pub async fn data_of(&mut self, release: &Release) -> Result<String> {
        let statement =
            "select v.sha256 from versions v join datasets d on d.id = v.dataset where d.name = $1 and v.number = $2";
        let row = self.store.row(statement, values![&release.dataset, release.version]).await?;
        row.map_or_else(|| Err(Error::bug("a release has no data")), |row| text(&row, "sha256"))
    }

    /// The public releases of a dataset that can tell something of tables with these sources: those with a table that shares one, and those that
    /// share one with a table of these in which something is hidden, and so on. A table that hides nothing passes nothing on: what two tables say
    /// of each other through it is in its own cells.
    ///
    /// # Errors
    /// Where the register cannot be read.
    pub async fn related(&mut self, dataset: &str, sources: &[String]) -> Result<Vec<Release>> {
        let statement = "select v.release_id, v.position, t.hidden, t.method from table_variables v \
                         join datasets d on d.id = v.dataset join releases r on r.id = v.release_id \
                         join tables t on t.release_id = v.release_id and t.position = v.position \
                         where d.name = $1 and v.source = $2 and (r.state = 'released' or r.state = 'withdrawn')";
        let mut seen: BTreeMap<(i64, i64), bool> = BTreeMap::new();
        let mut asked: Vec<String> = Vec::new();
        let mut open: Vec<String> = sources.to_vec();
        while let Some(source) = open.pop() {
            if asked.contains(&source) {
                continue;
            }
            let mut pass_on = Vec::new();
            for row in self.store.rows(statement, values![dataset, &source]).await? {
                let table = (number(&row, "release_id")?, number(&row, "position")?);
                let shows_all =
                    number(&row, "hidden")? == 0 && ["none", "suppress"].contains(&text(&row, "method")?.as_str());
                if seen.insert(table, shows_all).is_none() && !shows_all {
                    pass_on.push(table);
                }
            }
            asked.push(source);
            for (release, position) in pass_on {
                let own = "select source from table_variables where release_id = $1 and position = $2";
                for row in self.store.rows(own, values![release, position]).await? {
                    let source = text(&row, "source")?;
                    // Only columns tie a table to a third one.
                    open.extend(Some(source).filter(|source| !source.starts_with('(')));
                }
            }
        }
        let ids: std::collections::BTreeSet<i64> = seen.into_keys().map(|(release, _)| release).collect();
        let mut found = Vec::new();
        for id in ids {
            found.push(self.release(id).await?);
        }
        Ok(found)
    }

    /// The public releases of records of a dataset.
    ///
    /// # Errors
    /// Where the register cannot be read.
    pub async fn public_records(&mut self, dataset: &str) -> Result<Vec<Release>> {
        let all = "where d.name = $1 and (r.state = 'released' or r.state = 'withdrawn') and r.kind = 'records'";
        self.releases_where(all, values![dataset]).await
    }

    /// The public releases that can tell something of a release that was submitted. Where it hides how many records there are in all, every
    /// release of the data can.
    ///
    /// # Errors
    /// Where the register cannot be read.
    pub async fn related_to(&mut self, release: &Release) -> Result<Vec<Release>> {
        if release.kind == "records" {
            let mut related = self.public_records(&release.dataset).await?;
            related.retain(|other| other.id != release.id);
            return Ok(related);
        }
        let sources: Vec<String> =
            self.tables_of(release.id).await?.into_iter().flat_map(|table| table.sources).collect();
        let mut related = if sources.iter().any(|source| source == TOTAL) {
            let all = "where d.name = $1 and (r.state = 'released' or r.state = 'withdrawn') and r.kind = 'tables'";
            self.releases_where(all, values![&release.dataset]).await?
        } else {
            self.related(&release.dataset, &asked_for(sources)).await?
        };
        related.retain(|other| other.id != release.id);
        Ok(related)
    }

    /// Checks the log from its first entry, and holds it against the releases. The answer is how many entries there are and the hash of the last, or the
    /// first entry that does not fit.
    ///
    /// # Errors
    /// Where the register cannot be read.
    pub async fn audit(&mut self) -> Result<std::result::Result<(i64, String), Break>> {
        const AT_ONCE: i64 = 10_000;
        let (mut chain, mut replay) = (Chain::default(), Replay::default());
        let mut after = 0;
        loop {
            let entries = self.entries(after, AT_ONCE).await?;
            for entry in &entries {
                if let Err(broken) = chain.take(entry) {
                    return Ok(Err(broken));
                }
                replay.take(entry);
            }
            match entries.last() {
                Some(last) => after = last.number,
                None => break,
            }
        }
        let head = self.head().await?;
        let held = match chain.finish(head.0, &head.1) {
            Ok(held) => held,
            Err(broken) => return Ok(Err(broken)),
        };
        for release in self.releases().await? {
            let file = self.file_of(release).await?;
            let content = self.content_of(&file).await?;
            if let Err(broken) = replay.compare(&file, &content) {
                return Ok(Err(Break {
                    number: if broken.number == 0 { held.0 + 1 } else { broken.number },
                    ..broken
                }));
            }
        }
        Ok(replay.finish().map(|()| held))
    }

    /// The hash of all that a release was entered with.
    async fn content_of(&mut self, file: &File) -> Result<String> {
        let id = file.release.id;
        let (data, manifest) = (self.data_of(&file.release).await?, self.manifest(id).await?);
        let files = self.files(id).await?;
        let (release, tables) = (&file.release, &file.tables[..]);
        Ok(Content { release, tables, data_sha256: &data, manifest: &manifest, files: &files }.hash())
    }

    /// Entries of the log after the one of a number.
    ///
    /// # Errors
    /// Where the register cannot be read.
    pub async fn entries(&mut self, after: i64, most: i64) -> Result<Vec<Entry>> {
        // One text for each entry: a row of nine columns takes longer to hand over than to check.
        let statement = "select number, at || $3 || actor || $3 || action || $3 || subject || $3 || reason || $3 || details || $3 || \
                         before || $3 || hash as entry from log where number > $1 order by number limit $2";
        let rows = self.store.rows(statement, values![after, most, BETWEEN]).await?;
        let entry = |row: &sqlx::any::AnyRow| {
            let whole = text(row, "entry")?;
            // Where somebody changed a part so that it falls apart otherwise, the hash does not fit either.
            let mut parts = whole.split(BETWEEN).map(str::to_owned);
            let mut next = || parts.next().unwrap_or_default();
            Ok(Entry {
                number: number(row, "number")?,
                at: next(),
                actor: next(),
                action: next(),
                subject: next(),
                reason: next(),
                details: next(),
                before: next(),
                hash: next(),
            })
        };
        rows.iter().map(entry).collect()
    }

    async fn head(&mut self) -> Result<(i64, String)> {
        let row = self.store.row("select entries, hash from head where id = 1", &[]).await?;
        let row = row.ok_or_else(|| {
            Error::input("the register has lost the head of its log").help("restore it from a copy that was kept")
        })?;
        Ok((number(&row, "entries")?, text(&row, "hash")?))
    }

    async fn note(&mut self, by: Actor<'_>, note: Note<'_>) -> Result<()> {
        if [by.name, by.at, note.action, &note.subject, note.reason].iter().any(|part| part.contains(char::is_control))
        {
            return Err(Error::input("a name or a reason has a control character, such as a line break")
                .help("write it on one line")
                .into());
        }
        let (entries, before) = self.head().await?;
        let entry = Entry {
            number: entries + 1,
            at: by.at.to_owned(),
            actor: by.name.to_owned(),
            action: note.action.to_owned(),
            subject: note.subject,
            reason: note.reason.to_owned(),
            details: note.details.to_string(),
            before,
            hash: String::new(),
        };
        let Entry { number, at, actor, action, subject, reason, details, before, hash } = entry.sealed();
        let statement = "insert into log (number, at, actor, action, subject, reason, details, before, hash) \
                         values ($1, $2, $3, $4, $5, $6, $7, $8, $9)";
        let row = values![number, &at, &actor, &action, &subject, &reason, &details, &before, &hash];
        self.store.run(statement, row).await?;
        self.store.run("update head set entries = $1, hash = $2 where id = 1", values![number, &hash]).await
    }

    async fn dataset(&mut self, name: &str) -> Result<i64> {
        if let Some(row) = self.store.row("select id from datasets where name = $1", values![name]).await? {
            return number(&row, "id");
        }
        let id = self.store.next("datasets").await?;
        self.store.run("insert into datasets (id, name) values ($1, $2)", values![id, name]).await?;
        Ok(id)
    }

    /// The names of all data that the register knows.
    ///
    /// # Errors
    /// Where the register cannot be read.
    pub async fn datasets(&mut self) -> Result<Vec<String>> {
        let rows = self.store.rows("select name from datasets order by name", &[]).await?;
        rows.iter().map(|row| text(row, "name")).collect()
    }

    /// Refuses data that the register knows by another name: they would not be held against what is public of them.
    ///
    /// # Errors
    /// Where they are known by another name and not by this one.
    pub async fn refuse_other_name(&mut self, dataset: &str, sha256: &str) -> Result<()> {
        let names =
            "select d.name from versions v join datasets d on d.id = v.dataset where v.sha256 = $1 order by d.id";
        let rows = self.store.rows(names, values![sha256]).await?;
        let names: Vec<String> = rows.iter().map(|row| text(row, "name")).collect::<Result<_>>()?;
        match names.first().filter(|_| !sha256.is_empty() && !names.iter().any(|name| name == dataset)) {
            None => Ok(()),
            Some(name) => Err(Error::input(format!("the register knows these data by another name, `{name}`"))
                .help(format!("say --dataset {name}, so that they are held against what is public of them"))
                .into()),
        }
    }

    async fn version(&mut self, (dataset, name): (i64, &str), sha256: &str, at: &str) -> Result<i64> {
        let known = "select number from versions where dataset = $1 and sha256 = $2";
        if let Some(row) = self.store.row(known, values![dataset, sha256]).await? {
            return number(&row, "number");
        }
        self.refuse_other_name(name, sha256).await?;
        let rows = self.store.rows("select number from versions where dataset = $1", values![dataset]).await?;
        let next = rows.len() as i64 + 1;
        let statement = "insert into versions (dataset, number, sha256, first_seen) values ($1, $2, $3, $4)";
        self.store.run(statement, values![dataset, next, sha256, at]).await?;
        Ok(next)
    }

    /// Keeps a change that was made, or takes it back.
    async fn end<T>(&mut self, done: Result<T>) -> Result<T> {
        match done {
            Ok(done) => self.store.commit().await.map(|()| done),
            Err(error) => {
                self.store.roll_back().await;
                Err(error)
            }
        }
    }
}

/// What somebody asked for, before anything was made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Request {
    /// What the data are called.
    pub dataset: String,
    /// Who asked.
    pub requester: String,
    /// The hash of the spec.
    pub spec_sha256: String,
    /// The tables, by name.
    pub tables: Vec<String>,
    /// When.
    pub at: String,
}

fn subject(id: i64) -> String {
    format!("release {id}")
}

fn refuse_blank(name: &str) -> Result<()> {
    match name.trim().is_empty() {
        false => Ok(()),
        true => Err(Error::input("nobody is named who does this").help("say who with --actor NAME").into()),
    }
}

/// The move of a name that a person may make with a release.
fn allowed(release: &Release, actor: &str, name: &str) -> Result<&'static Move> {
    allowed_as(release, actor, name, name)
}

/// The same where the person asked for another move, of which this one is the first part.
fn allowed_as(release: &Release, actor: &str, name: &str, asked: &str) -> Result<&'static Move> {
    let one = find_move(name, release.state).ok_or_else(|| wrong_state(release, asked))?;
    match one.who.includes(actor, &release.author) {
        true => Ok(one),
        false => Err(Error::input(format!("{actor} may not {asked} release {}", release.id))
            .help(format!("{} has to: its author is {}", one.who.name(), release.author))
            .into()),
    }
}

fn wrong_state(release: &Release, name: &str) -> Error {
    let mut moves: Vec<&str> = moves_from(release.state).map(|one| one.name).collect();
    // Whoever decides on a release that nobody has taken up yet reviews it.
    if release.state == State::Submitted {
        moves.extend(moves_from(State::UnderReview).map(|one| one.name));
    }
    moves.sort_unstable();
    moves.dedup();
    let help = match release.state {
        _ if moves.is_empty() => "nothing more can be done with it: submit a new bundle".to_owned(),
        State::Draft => format!("{} has to submit it first: `outward register submit BUNDLE`", release.author),
        _ => format!("what can be done with it now: {}", moves.join(", ")),
    };
    Error::input(format!("release {} is {}: {name} is not possible", release.id, release.state)).help(help).into()
}
