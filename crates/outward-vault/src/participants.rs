//! Who takes part, by running number: the PIDs in the order of their enrolment.
//!
//! A running number is what identifiers are made from, and it never leaves the vault. The PIDs stand packed in a few rows, so that a million of them are
//! read at once.

use std::collections::HashMap;

use outward_error::{Error, Result};
use outward_ledger::{bytes, values};

use crate::application::Application;
use crate::eid::EidSet;
use crate::vault::Vault;

/// PIDs in one row of the store.
const PIDS_IN_ROW: usize = 1 << 17;

impl Vault {
    /// The PID of every participant, by running number.
    pub(crate) async fn participants(&mut self) -> Result<Vec<i64>> {
        let mut pids = Vec::new();
        for row in self.research.rows("select pids from participants order by first", &[]).await? {
            let packed = bytes(&row, "pids")?.unwrap_or_default();
            let (whole, rest) = packed.as_chunks::<8>();
            if !rest.is_empty() {
                return Err(Error::input("the list of participants is damaged")
                    .help("restore the store from a copy")
                    .into());
            }
            pids.extend(whole.iter().map(|pid| i64::from_be_bytes(*pid)));
        }
        Ok(pids)
    }

    /// Adds participants, in the order in which they get their running numbers.
    pub(crate) async fn add_participants(&mut self, pids: &[i64], first: usize, enrolment: i64) -> Result<()> {
        for (at, part) in pids.chunks(PIDS_IN_ROW).enumerate() {
            let packed: Vec<u8> = part.iter().flat_map(|pid| pid.to_be_bytes()).collect();
            let first = (first + at * PIDS_IN_ROW) as i64;
            let insert = "insert into participants (first, enrolment, pids) values ($1, $2, $3)";
            self.research.run(insert, values![first, enrolment, packed]).await?;
        }
        Ok(())
    }

    /// The participants with their EIDs in a set of an application.
    pub(crate) async fn identified(&mut self, application: &Application, set: EidSet) -> Result<Identified> {
        let pids = self.participants().await?;
        let maker = self.keys.eids(&application.name, set, application.identifiers)?;
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let eids = maker.eids(pids.len() as u64, threads)?;
        let numbers = (0..).zip(&pids).map(|(number, pid)| (*pid, number)).collect();
        Ok(Identified { pids, eids, numbers })
    }
}

/// Participants with their EIDs in one set, by running number.
#[derive(Debug)]
pub(crate) struct Identified {
    pub(crate) pids: Vec<i64>,
    pub(crate) eids: Vec<String>,
    numbers: HashMap<i64, u32>,
}

impl Identified {
    /// The running number of a PID.
    pub(crate) fn number(&self, pid: i64) -> Result<u32> {
        self.numbers.get(&pid).copied().ok_or_else(|| {
            Error::input("records in the vault are of somebody who is no participant")
                .help("the store was changed, or restored in part: restore it whole from a copy")
                .into()
        })
    }

    /// The PID of every EID.
    pub(crate) fn by_eid(&self) -> HashMap<&str, i64> {
        self.eids.iter().map(String::as_str).zip(self.pids.iter().copied()).collect()
    }
}
