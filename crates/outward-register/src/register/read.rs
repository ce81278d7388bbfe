//! Reads releases from the register.

use std::collections::BTreeMap;

use outward_spec::{Error, Result};

use super::{Decision, Exception, File, Register, Release, TableEntry};
use crate::state::State;
use outward_ledger::{number, text, values};

impl Register {
    /// All releases, the oldest first.
    ///
    /// # Errors
    /// Where the register cannot be read.
    pub async fn releases(&mut self) -> Result<Vec<Release>> {
        self.releases_where("", &[]).await
    }

    pub(super) async fn releases_where(
        &mut self,
        condition: &str,
        values: &[outward_ledger::Value],
    ) -> Result<Vec<Release>> {
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

    /// The release with this number.
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

    /// Everything that the register has on a release.
    ///
    /// # Errors
    /// Where there is none of this number.
    pub async fn file(&mut self, id: i64) -> Result<File> {
        let release = self.release(id).await?;
        self.file_of(release).await
    }

    pub(super) async fn file_of(&mut self, release: Release) -> Result<File> {
        let decisions = "select kind, actor, at, reason, bundle_hash from decisions where release_id = $1 order by id";
        let decisions = self.store.rows(decisions, values![release.id]).await?;
        let decision = |row: &outward_ledger::AnyRow| {
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
        let exception = |row: &outward_ledger::AnyRow| {
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

    pub(super) async fn tables_of(&mut self, id: i64) -> Result<Vec<TableEntry>> {
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

    /// The files that the register has of a release.
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
}
