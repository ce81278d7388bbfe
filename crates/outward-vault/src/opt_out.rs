//! The national data opt-out of England: the list that is sent to be checked, and the one that comes back.
//!
//! The service takes a file of NHS numbers, one on each line, with a comma and a line feed after it and no header. It
//! sends the same file back without the numbers of those who opted out. So the people who opted out are those who were
//! sent and did not come back.

use std::collections::{BTreeSet, HashMap, HashSet};

use outward_error::{Error, Result};
use outward_ledger::{Actor, bytes, number, values};
use serde_json::json;

use crate::nhs::is_nhs_number;
use crate::vault::{Vault, note};

/// The file that is sent.
pub fn write_list(numbers: &BTreeSet<String>) -> String {
    numbers.iter().map(|number| format!("{number},\n")).collect()
}

/// Reads a file as the service takes and sends it. Numbers with a wrong check digit are read too: the service's own examples have them.
///
/// # Errors
/// Where a line is something else.
pub fn read_list(text: &str) -> Result<BTreeSet<String>> {
    let mut numbers = BTreeSet::new();
    for (line, content) in (1..).zip(text.lines()) {
        let number = content.trim_end_matches('\r').strip_suffix(',').unwrap_or(content.trim_end_matches('\r'));
        if number.is_empty() {
            continue;
        }
        if number.len() != 10 || !number.bytes().all(|digit| digit.is_ascii_digit()) {
            return Err(Error::input("this line is not an NHS number and a comma")
                .line(line)
                .help("name the file as the service takes or sends it: ten digits and a comma on each line, no header")
                .into());
        }
        numbers.insert(number.to_owned());
    }
    Ok(numbers)
}

/// What a list that came back said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct OptOuts {
    /// Numbers that were sent.
    pub sent: u64,
    /// Participants who opted out.
    pub opted_out: u64,
    /// Participants who had opted out and no longer do.
    pub no_longer: u64,
}

impl Vault {
    /// The NHS numbers of all participants, to be sent. That they left the vault is logged.
    ///
    /// # Errors
    /// Where a store cannot be read.
    pub async fn numbers_to_check(&mut self, by: Actor<'_>, reason: &str) -> Result<BTreeSet<String>> {
        let numbers: BTreeSet<String> =
            self.nhs_numbers().await?.into_keys().filter(|number| is_nhs_number(number)).collect();
        let details = json!({ "numbers": numbers.len() });
        self.research.note_alone(by, note("export-opt-outs", "participants", reason, details)).await?;
        Ok(numbers)
    }

    /// Takes the list that came back. For people who were not sent nothing changes.
    ///
    /// # Errors
    /// If a number came back that was not sent, or a store cannot be written.
    pub async fn take_opt_outs(
        &mut self,
        sent: &BTreeSet<String>,
        back: &BTreeSet<String>,
        by: Actor<'_>,
        reason: &str,
    ) -> Result<OptOuts> {
        if !back.is_subset(sent) {
            return Err(Error::input("a number came back that was not sent")
                .help("name the file that was sent for this answer with --sent; nothing was entered")
                .into());
        }
        let participants = self.nhs_numbers().await?;
        let before = self.opted_out().await?;
        let pids = |numbers: &mut dyn Iterator<Item = &String>| -> HashSet<i64> {
            numbers.filter_map(|number| participants.get(number).copied()).collect()
        };
        let (asked, stay) = (pids(&mut sent.iter()), pids(&mut back.iter()));
        let out: HashSet<i64> = asked.difference(&stay).copied().collect();
        let no_longer: HashSet<i64> = before.intersection(&stay).copied().collect();
        let done = OptOuts { sent: sent.len() as u64, opted_out: out.len() as u64, no_longer: no_longer.len() as u64 };
        self.research.begin().await?;
        let entered = async {
            for pid in &no_longer {
                self.research.run("delete from opt_outs where pid = $1", values![*pid]).await?;
            }
            let mut new: Vec<i64> = out.difference(&before).copied().collect();
            new.sort_unstable();
            for pid in new {
                self.research.run("insert into opt_outs (pid) values ($1)", values![pid]).await?;
            }
            let details = json!({ "sent": done.sent, "opted_out": done.opted_out, "no_longer": done.no_longer });
            self.research.note(by, note("import-opt-outs", "participants", reason, details)).await
        };
        let entered = entered.await;
        self.research.end(entered).await?;
        Ok(done)
    }

    /// Those who opted out.
    pub(crate) async fn opted_out(&mut self) -> Result<HashSet<i64>> {
        let rows = self.research.rows("select pid from opt_outs", &[]).await?;
        rows.iter().map(|row| number(row, "pid")).collect()
    }

    /// The PID of every NHS number.
    async fn nhs_numbers(&mut self) -> Result<HashMap<String, i64>> {
        let statement = "select pid, nhs_number from people where pid > $1 order by pid limit 50000";
        let (mut numbers, mut after) = (HashMap::new(), 0);
        loop {
            let rows = self.identity.rows(statement, values![after]).await?;
            for row in &rows {
                after = number(row, "pid")?;
                let sealed = bytes(row, "nhs_number")?.unwrap_or_default();
                if !sealed.is_empty() {
                    numbers.insert(self.keys.open(after, "nhs-number", &sealed)?, after);
                }
            }
            if rows.is_empty() {
                return Ok(numbers);
            }
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// As the service's own guidance shows it: these numbers have no right check digit.
    const EXAMPLE: &str = "9000543664,\n9000956406,\n9000617017,\n";

    #[test]
    fn the_list_is_read_and_written_to_the_byte() {
        let sorted = "9000543664,\n9000617017,\n9000956406,\n";
        assert_eq!(write_list(&read_list(EXAMPLE).unwrap()), sorted);
        assert_eq!(read_list(&EXAMPLE.replace('\n', "\r\n")).unwrap(), read_list(EXAMPLE).unwrap());
        assert_eq!(read_list("").unwrap().len(), 0);
    }

    #[test]
    fn other_files_are_refused_without_their_content() {
        for other in ["nhs_number,\n", "900054366,\n", "9000543664,9000956406\n", "planted name,\n"] {
            let error = read_list(other).unwrap_err().to_string();
            assert!(error.starts_with("line 1") && !error.contains("planted") && !error.contains("9000"), "{error}");
        }
    }
}
