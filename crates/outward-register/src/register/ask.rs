//! Requests that were checked before anything was made.

use outward_spec::{Error, Result};
use serde_json::json;

use super::{Actor, Note, Register, Request};
use outward_ledger::{text, values};

impl Register {
    /// Enters a request that was checked before anything was made.
    ///
    /// # Errors
    /// Where the register cannot be written.
    pub async fn add_request(&mut self, by: Actor<'_>, request: &Request, findings: usize) -> Result<()> {
        self.store.begin().await?;
        let done = self.request_within(by, request, findings).await;
        self.end(done).await
    }

    pub(super) async fn request_within(&mut self, by: Actor<'_>, request: &Request, findings: usize) -> Result<()> {
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

    /// The earlier requests for a dataset, the oldest first.
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
}
