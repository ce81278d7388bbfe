//! Finds the public releases that matter for another release.

use std::collections::BTreeMap;

use outward_spec::Result;

use super::{Register, Release};
use crate::submission::{TOTAL, asked_for};
use outward_ledger::{number, text, values};

impl Register {
    /// The columns that public tables of a dataset read.
    ///
    /// # Errors
    /// Where the register cannot be read.
    pub async fn published_columns(&mut self, dataset: &str) -> Result<Vec<String>> {
        let statement = "select distinct v.source from table_variables v join datasets d on d.id = v.dataset \
                         join releases r on r.id = v.release_id \
                         where d.name = $1 and (r.state = 'released' or r.state = 'withdrawn') order by v.source";
        let rows = self.store.rows(statement, values![dataset]).await?;
        let columns: Vec<String> = rows.iter().map(|row| text(row, "source")).collect::<Result<_>>()?;
        Ok(columns.into_iter().filter(|source| !source.starts_with('(')).collect())
    }

    /// The public releases of a dataset that can disclose something together with tables of these sources. These are
    /// the releases with a table that shares a source. If such a table has hidden cells, the tables that share a source
    /// with it are included too, and so on. A table without hidden cells does not extend the search: what two tables
    /// imply through it is in its own cells.
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
                    // Only columns relate a table to a third one.
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

    /// The public releases that can disclose something together with a submitted release. If it hides the number of all
    /// records, these are all releases of the data.
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
}
