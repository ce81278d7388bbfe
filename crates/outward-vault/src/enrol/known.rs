//! People told apart as they are enrolled: new, known, or in contradiction to what is known.

use std::collections::{HashMap, HashSet};

use outward_error::{Error, Result};
use outward_ledger::{bytes, number, values};

use super::{Enrolled, Person};
use crate::data::IdIs;
use crate::nhs::{self, NhsRule};
use crate::secret::fill_at_random;
use crate::vault::{Index, Keys, Vault};

/// PIDs have twelve digits: enough that nobody meets one by guessing, and not those of an NHS number.
const PIDS: std::ops::Range<i64> = 100_000_000_000..1_000_000_000_000;
/// How many people are read at once.
const READ_AT_ONCE: i64 = 50_000;

/// Somebody who is given in an enrolment.
pub(crate) struct New<'a> {
    pub(crate) pid: i64,
    pub(crate) person: &'a Person,
    pub(crate) is_new: bool,
    pub(crate) local_index: Index,
    /// The index of the NHS number, where its check digit is right.
    pub(crate) nhs_index: Option<Index>,
    /// The NHS number in its one spelling.
    pub(crate) nhs_number: Option<String>,
}

impl New<'_> {
    /// What is sealed: the name by which it is sealed, the column, and the text.
    pub(crate) fn fields(&self) -> [(&'static str, &'static str, Option<&str>); 6] {
        let person = self.person;
        [
            ("local", "local", Some(person.local.trim())),
            ("nhs-number", "nhs_number", self.nhs_number.as_deref()),
            ("name", "name", person.name.as_deref()),
            ("address", "address", person.address.as_deref()),
            ("email", "email", person.email.as_deref()),
            ("phone", "phone", person.phone.as_deref()),
        ]
    }
}

/// Finds the PID behind the identifier of a record.
pub(crate) type Finder<'a> = Box<dyn Fn(&str) -> Option<i64> + 'a>;

/// Who is enrolled or was met in this enrolment.
#[derive(Debug)]
pub(crate) struct KnownPeople {
    /// PID by index of the local identifier.
    by_local: HashMap<Index, i64>,
    /// PID by index of the NHS number.
    by_nhs: HashMap<Index, i64>,
    /// The index of the NHS number by PID.
    nhs_of: HashMap<i64, Index>,
    /// All PIDs that there are.
    pids: HashSet<i64>,
    /// Those of this enrolment.
    met: HashSet<i64>,
    /// NHS numbers by PID, where records come under a hash of them.
    numbers: Vec<(i64, Vec<u8>)>,
    new_numbers: Vec<(i64, String)>,
}

impl KnownPeople {
    /// Those who are enrolled.
    pub(crate) async fn read(vault: &mut Vault) -> Result<Self> {
        let mut known = Self {
            by_local: HashMap::new(),
            by_nhs: HashMap::new(),
            nhs_of: HashMap::new(),
            pids: HashSet::new(),
            met: HashSet::new(),
            numbers: Vec::new(),
            new_numbers: Vec::new(),
        };
        let statement =
            "select pid, local_index, nhs_index, nhs_number from people where pid > $1 order by pid limit $2";
        let mut after = 0;
        loop {
            let rows = vault.identity.rows(statement, values![after, READ_AT_ONCE]).await?;
            for row in &rows {
                let pid = number(row, "pid")?;
                let index = |column: &str| -> Result<Index> {
                    let bytes = bytes(row, column)?.unwrap_or_default();
                    bytes.try_into().map_err(|_| {
                        Error::input("the store of identities is damaged").help("restore it from a copy").into()
                    })
                };
                let (local, nhs) = (index("local_index")?, index("nhs_index")?);
                known.by_local.insert(local, pid);
                known.pids.insert(pid);
                if nhs != vault.keys.no_nhs_index(pid) {
                    known.by_nhs.insert(nhs, pid);
                    known.nhs_of.insert(pid, nhs);
                    known.numbers.push((pid, bytes(row, "nhs_number")?.unwrap_or_default()));
                }
                after = pid;
            }
            if rows.is_empty() {
                return Ok(known);
            }
        }
    }

    /// Takes the next person of an enrolment.
    pub(crate) fn meet<'a>(
        &mut self,
        keys: &Keys,
        row: u64,
        person: &'a Person,
        rule: NhsRule,
        enrolled: &mut Enrolled,
    ) -> Result<New<'a>> {
        let local = person.local.trim();
        if local.is_empty() {
            return Err(Error::input("this participant has no identifier of your own")
                .row(row)
                .help("fill it in")
                .into());
        }
        let local_index = keys.local_index(local);
        let (mut nhs_index, mut nhs_number) = (None, None);
        if let Some(typed) = person.nhs_number.as_deref().filter(|typed| !typed.trim().is_empty()) {
            let (number, is_valid) = nhs::check(typed, row, rule)?;
            if is_valid {
                nhs_index = Some(keys.nhs_index(&number));
            } else {
                // A number that cannot be one identifies nobody: it is kept and not searched by.
                enrolled.doubtful.push(row);
            }
            nhs_number = Some(number);
        }
        let by_nhs = nhs_index.as_ref().and_then(|index| self.by_nhs.get(index).copied());
        let refuse = |what: &str, help: &str| Err(Error::input(what).row(row).help(help).into());
        let (pid, is_new) = match self.by_local.get(&local_index).copied() {
            Some(pid) if self.met.contains(&pid) => {
                return refuse("this participant is in the file twice", "keep one of the rows; nobody was enrolled");
            }
            Some(pid) => {
                let before = self.nhs_of.get(&pid);
                let differs = nhs_index.is_some_and(|index| before.is_some_and(|before| *before != index));
                if differs || by_nhs.is_some_and(|other| other != pid) {
                    return refuse(
                        "this participant is enrolled with another NHS number",
                        "find out which number is right; nobody was enrolled",
                    );
                }
                enrolled.known += 1;
                (pid, false)
            }
            None if by_nhs.is_some() => {
                return refuse(
                    "another participant has this NHS number",
                    "find out whether they are one person under two identifiers; nobody was enrolled",
                );
            }
            None => {
                enrolled.new += 1;
                (self.draw_pid()?, true)
            }
        };
        self.by_local.insert(local_index, pid);
        if let Some(index) = nhs_index {
            self.by_nhs.insert(index, pid);
            self.nhs_of.insert(pid, index);
            self.new_numbers.extend(nhs_number.clone().map(|number| (pid, number)));
        }
        self.met.insert(pid);
        Ok(New { pid, person, is_new, local_index, nhs_index, nhs_number })
    }

    /// What finds the participant of a record.
    pub(crate) fn finder<'a>(&'a self, keys: &'a Keys, id_is: &'a IdIs) -> Result<Finder<'a>> {
        match id_is {
            IdIs::Local => Ok(Box::new(|local| self.by_local.get(&keys.local_index(local)).copied())),
            IdIs::Digest(linkage) => {
                let mut digests = HashMap::with_capacity(self.numbers.len());
                for (pid, sealed) in &self.numbers {
                    digests.insert(linkage.digest(&keys.open(*pid, "nhs-number", sealed)?), *pid);
                }
                digests.extend(self.new_numbers.iter().map(|(pid, number)| (linkage.digest(number), *pid)));
                Ok(Box::new(move |digest| digests.get(&digest.to_lowercase()).copied()))
            }
        }
    }

    /// A random PID that nobody has.
    fn draw_pid(&mut self) -> Result<i64> {
        loop {
            let mut bytes = [0; 8];
            fill_at_random(&mut bytes)?;
            // Forty bits are more than there are PIDs; those beyond are drawn again, so that all are as likely.
            let drawn = PIDS.start + (u64::from_be_bytes(bytes) >> 24) as i64;
            if PIDS.contains(&drawn) && self.pids.insert(drawn) {
                return Ok(drawn);
            }
        }
    }
}
