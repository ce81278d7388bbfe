//! Enters bundles into the register, with their data.

use outward_spec::{Error, Result};
use serde_json::json;

use super::{
    Actor, Note, Register, Submission, TableEntry,
    moves::{allowed, wrong_state},
    refuse_blank, subject,
};
use crate::state::{State, is_same_person};
use outward_ledger::chain::hash_of_text;
use outward_ledger::{number, text, values};

impl Register {
    /// Enters a bundle and freezes it by its hash. A bundle that is there already keeps its number. If `replaces` names
    /// a release that was returned to its author, that release takes the new bundle.
    ///
    /// # Errors If the release to replace does not exist, has another author or was not returned.
    pub async fn submit(&mut self, by: Actor<'_>, new: &Submission, replaces: Option<i64>) -> Result<i64> {
        self.store.begin().await?;
        let done = self.enter(by, new, replaces, State::Submitted).await;
        self.end(done).await
    }

    /// Enters a bundle as a draft. Nobody reviews a draft, and its author can replace it until they submit it.
    ///
    /// # Errors If the release to replace does not exist, has another author or is no draft.
    pub async fn draft(&mut self, by: Actor<'_>, new: &Submission, replaces: Option<i64>) -> Result<i64> {
        self.store.begin().await?;
        let done = self.enter(by, new, replaces, State::Draft).await;
        self.end(done).await
    }

    pub(super) async fn enter(
        &mut self,
        by: Actor<'_>,
        new: &Submission,
        replaces: Option<i64>,
        state: State,
    ) -> Result<i64> {
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
        let mut row: Vec<outward_ledger::Value> = vec![id.into(), dataset.into(), version.into()];
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

    pub(super) async fn add_table(&mut self, id: i64, dataset: i64, position: i64, table: &TableEntry) -> Result<()> {
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

    pub(super) async fn dataset(&mut self, name: &str) -> Result<i64> {
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

    /// Refuses data that the register knows by another name, as they would not be compared with their public releases.
    ///
    /// # Errors If they are known by another name and not by this one.
    pub async fn refuse_other_name(&mut self, dataset: &str, sha256: &str) -> Result<()> {
        let names =
            "select d.name from versions v join datasets d on d.id = v.dataset where v.sha256 = $1 order by d.id";
        let rows = self.store.rows(names, values![sha256]).await?;
        let names: Vec<String> = rows.iter().map(|row| text(row, "name")).collect::<Result<_>>()?;
        match names.first().filter(|_| !sha256.is_empty() && !names.iter().any(|name| name == dataset)) {
            None => Ok(()),
            Some(name) => Err(Error::input(format!("the register knows these data by another name, `{name}`"))
                .help(format!("say --dataset {name}, so that they are compared with what is public of them"))
                .into()),
        }
    }

    pub(super) async fn version(&mut self, (dataset, name): (i64, &str), sha256: &str, at: &str) -> Result<i64> {
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
}
