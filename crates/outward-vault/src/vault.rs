//! The vault: two stores, and the keys that open them.
//!
//! The store of identities knows who somebody is, the other what is known of them. Only a PID joins them: a random
//! number that is made for every participant when they are enrolled. Somebody who has one store and no key learns
//! nothing of the other.

use outward_error::{Error, Result};
use outward_ledger::chain::{Break, Entry};
use outward_ledger::{Actor, Ledger, Note, number, text, values};
use serde_json::json;

use crate::eid::{EidForm, EidMaker, EidSet};
use crate::form::{IDENTITY, RESEARCH};
use crate::keys::{MasterSecret, Purpose, RootKey, from_hexadecimal, keyed_hash, to_hexadecimal};
use crate::seal::Sealer;
use crate::secret::{Secret, fill_at_random};

/// Where the two stores are: `sqlite:FILE` or `postgres://…` each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stores {
    /// Who the participants are.
    pub identity: String,
    /// What is known of them.
    pub research: String,
}

/// An open vault.
#[derive(Debug)]
pub struct Vault {
    pub(crate) identity: Ledger,
    pub(crate) research: Ledger,
    pub(crate) keys: Keys,
    number: [u8; 16],
}

/// The keys of a vault.
pub(crate) struct Keys {
    master: MasterSecret,
    sealer: Sealer,
    nhs_index: Secret<32>,
    local_index: Secret<32>,
}

impl std::fmt::Debug for Keys {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Keys")
    }
}

/// What stands for a number in the store of identities: a keyed hash of it.
pub(crate) type Index = [u8; 16];

impl Keys {
    fn new(master: MasterSecret) -> Self {
        let index = |identifier| Purpose { identifier, ..Purpose::of_vault("index") };
        Self {
            sealer: Sealer::new(&master.key(&Purpose::of_vault("seal"))),
            nhs_index: master.key(&index("nhs-number")),
            local_index: master.key(&index("local")),
            master,
        }
    }

    /// What stands for an NHS number.
    pub(crate) fn nhs_index(&self, number: &str) -> Index {
        first_half(keyed_hash(&self.nhs_index, number.as_bytes()))
    }

    /// What stands for the NHS number of a participant without a known one, so that nobody sees that there is none.
    pub(crate) fn no_nhs_index(&self, pid: i64) -> Index {
        first_half(keyed_hash(&self.nhs_index, format!("none of {pid}").as_bytes()))
    }

    /// What stands for the identifier that the custodian's own files use.
    pub(crate) fn local_index(&self, local: &str) -> Index {
        first_half(keyed_hash(&self.local_index, local.as_bytes()))
    }

    /// Seals a field of a participant.
    pub(crate) fn seal(&self, pid: i64, field: &str, text: &str) -> Result<Vec<u8>> {
        self.sealer.seal(&[&pid.to_string(), field], text.as_bytes())
    }

    /// Opens a field of a participant.
    pub(crate) fn open(&self, pid: i64, field: &str, sealed: &[u8]) -> Result<String> {
        let opened = self.sealer.open(&[&pid.to_string(), field], sealed)?;
        String::from_utf8(opened.to_vec()).map_err(|_| Error::bug("a sealed field holds no text"))
    }

    /// What makes the identifiers of an application in a set.
    pub(crate) fn eids(&self, application: &str, set: EidSet, form: EidForm) -> Result<EidMaker> {
        EidMaker::new(&self.master, application, set, form)
    }
}

fn first_half(hash: [u8; 32]) -> Index {
    let mut half = [0; 16];
    half.copy_from_slice(&hash[..16]);
    half
}

impl Vault {
    /// Makes a new vault in stores that hold none. With `two_people`, a grant holds only after a second person approved it.
    ///
    /// # Errors
    /// If a store holds a vault already, or cannot be written.
    pub async fn create(stores: &Stores, root: &RootKey, two_people: bool, by: Actor<'_>) -> Result<Self> {
        if stores.identity == stores.research {
            return Err(Error::input("both stores are at one address")
                .help("keep who the participants are apart from what is known of them: name two files, databases or schemas")
                .into());
        }
        let mut identity = Ledger::open(&stores.identity, &IDENTITY, true).await?;
        let mut research = Ledger::open(&stores.research, &RESEARCH, true).await?;
        let mut number = [0; 16];
        fill_at_random(&mut number)?;
        let master = MasterSecret::draw(number)?;
        let wrapped = to_hexadecimal(&root.wrap(&number, &master)?);
        research.begin().await?;
        let done = async {
            if research.row("select id from vault", &[]).await?.is_some() {
                return Err(taken());
            }
            let text = to_hexadecimal(&number);
            identity.begin().await?;
            // A vault whose making was stopped between the two stores left its number here and nothing else.
            let done = match identity.row("select pid from people limit 1", &[]).await? {
                Some(_) => Err(taken()),
                None => {
                    identity.run("delete from vault", &[]).await?;
                    identity.run("insert into vault (id, number) values (1, $1)", values![&text]).await
                }
            };
            identity.end(done).await?;
            let row = values![1, &text, &wrapped, i64::from(two_people), by.at];
            let insert = "insert into vault (id, number, wrapped, two_people, made) values ($1, $2, $3, $4, $5)";
            research.run(insert, row).await?;
            research.note(by, note("init", "vault", "", json!({ "two_people": two_people }))).await
        };
        let done = done.await;
        research.end(done).await?;
        Ok(Self { identity, research, keys: Keys::new(master), number })
    }

    /// Opens a vault by its root key.
    ///
    /// # Errors
    /// If there is no vault, the stores are of two vaults, or the key is that of another.
    pub async fn open(stores: &Stores, root: &RootKey) -> Result<Self> {
        let mut identity = Ledger::open(&stores.identity, &IDENTITY, false).await?;
        let mut research = Ledger::open(&stores.research, &RESEARCH, false).await?;
        let (number, wrapped) = wrapped_secret(&mut research).await?;
        let other = identity.row("select number from vault where id = 1", &[]).await?;
        if other.map(|row| text(&row, "number")).transpose()? != Some(to_hexadecimal(&number)) {
            return Err(Error::input("the two stores are not of the same vault")
                .help("name the stores that `outward vault init` made together")
                .into());
        }
        let master = root.unwrap(&number, &wrapped)?;
        Ok(Self { identity, research, keys: Keys::new(master), number })
    }

    /// Seals the vault's secret by another root key. No identifier changes, and the old root key opens nothing from then on.
    ///
    /// # Errors
    /// If `from` does not open the vault, or the store cannot be written.
    pub async fn rotate(&mut self, from: &RootKey, to: &RootKey, by: Actor<'_>, reason: &str) -> Result<()> {
        self.research.begin().await?;
        let done = async {
            let (number, wrapped) = wrapped_secret(&mut self.research).await?;
            let master = from.unwrap(&number, &wrapped)?;
            let wrapped = to_hexadecimal(&to.wrap(&self.number, &master)?);
            self.research.run("update vault set wrapped = $1 where id = 1", values![&wrapped]).await?;
            self.research.note(by, note("rotate", "vault", reason, json!({}))).await
        };
        let done = done.await;
        self.research.end(done).await
    }

    /// Whether a grant needs a second person.
    pub(crate) async fn needs_two_people(&mut self) -> Result<bool> {
        let row = self.research.row("select two_people from vault where id = 1", &[]).await?;
        Ok(row.map(|row| number(&row, "two_people")).transpose()?.unwrap_or(1) != 0)
    }

    /// Checks the log of the vault. The answer is how many entries there are and the hash of the last, or the first entry that does not fit.
    ///
    /// # Errors
    /// Where the store cannot be read.
    pub async fn audit(&mut self) -> Result<Result<(i64, String), Break>> {
        self.research.check_chain(|_| {}).await
    }

    /// Entries of the log after the one of a number.
    ///
    /// # Errors
    /// Where the store cannot be read.
    pub async fn entries(&mut self, after: i64, most: i64) -> Result<Vec<Entry>> {
        self.research.entries(after, most).await
    }

    /// Adds an entry to the log.
    ///
    /// # Errors
    /// Where the store cannot be written.
    pub async fn tell(
        &mut self,
        by: Actor<'_>,
        action: &str,
        subject: &str,
        reason: &str,
        details: serde_json::Value,
    ) -> Result<()> {
        self.research.note_alone(by, note(action, subject, reason, details)).await
    }
}

fn taken() -> Error {
    Error::input("there is a vault in these stores already")
        .help("name other files or databases; nothing was changed")
        .into()
}

/// The vault's number and its sealed secret.
async fn wrapped_secret(research: &mut Ledger) -> Result<([u8; 16], Vec<u8>)> {
    let damaged = || Error::input("the vault has lost its sealed key").help("restore the store from a copy");
    let row = research.row("select number, wrapped from vault where id = 1", &[]).await?.ok_or_else(damaged)?;
    let (number_text, wrapped_text) = (text(&row, "number")?, text(&row, "wrapped")?);
    let (mut number, mut wrapped) = ([0; 16], vec![0; wrapped_text.len() / 2]);
    match from_hexadecimal(&number_text, &mut number) && from_hexadecimal(&wrapped_text, &mut wrapped) {
        true => Ok((number, wrapped)),
        false => Err(damaged().into()),
    }
}

/// An entry of the log.
pub(crate) fn note<'a>(action: &'a str, subject: &str, reason: &'a str, details: serde_json::Value) -> Note<'a> {
    Note { action, subject: subject.to_owned(), reason, details }
}
