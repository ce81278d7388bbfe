//! The vault: two stores, and the keys that open them.
//!
//! The store of identities knows who somebody is, the other what is known of them. Only a PID joins them: a random number that is made for every
//! participant when they are enrolled. Whoever has one store and no key learns nothing of the other.

use outward_error::{Error, Result};
use outward_ledger::{Actor, Ledger, Note, text, values};
use serde_json::json;

use crate::form::{IDENTITY, RESEARCH};
use crate::identifiers::{EidForm, EidMaker};
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

    /// What stands for an NHS number in the store of identities.
    pub(crate) fn nhs_index(&self, number: &str) -> String {
        to_hexadecimal(&keyed_hash(&self.nhs_index, number.as_bytes())[..16])
    }

    /// What stands for the identifier that the custodian's own files use.
    pub(crate) fn local_index(&self, local: &str) -> String {
        to_hexadecimal(&keyed_hash(&self.local_index, local.as_bytes())[..16])
    }

    /// Seals a field of a participant.
    pub(crate) fn seal(&self, pid: i64, field: &str, text: &str) -> Result<String> {
        self.sealer.seal(&[&pid.to_string(), field], text.as_bytes()).map(|sealed| to_hexadecimal(&sealed))
    }

    /// Opens a field of a participant.
    pub(crate) fn open(&self, pid: i64, field: &str, sealed: &str) -> Result<String> {
        let mut bytes = vec![0; sealed.len() / 2];
        let is_read = from_hexadecimal(sealed, &mut bytes);
        let opened = self.sealer.open(&[&pid.to_string(), field], if is_read { &bytes } else { &[] })?;
        String::from_utf8(opened.to_vec()).map_err(|_| Error::bug("a sealed field holds no text"))
    }

    /// What makes the identifiers of an application in a set.
    pub(crate) fn eids(&self, application: &str, set: &str, form: EidForm) -> Result<EidMaker> {
        EidMaker::new(&self.master, application, set, form)
    }
}

impl Vault {
    /// Makes a new vault in stores that hold none.
    ///
    /// # Errors
    /// Where a store holds a vault already, or cannot be written.
    pub async fn create(stores: &Stores, root: &RootKey, by: Actor<'_>) -> Result<Self> {
        let mut identity = Ledger::open(&stores.identity, &IDENTITY, true).await?;
        let mut research = Ledger::open(&stores.research, &RESEARCH, true).await?;
        let mut number = [0; 16];
        fill_at_random(&mut number)?;
        let master = MasterSecret::draw(number)?;
        let wrapped = to_hexadecimal(&root.wrap(&number, &master)?);
        research.begin().await?;
        let done = async {
            let is_taken = research.row("select id from vault", &[]).await?.is_some()
                || identity.row("select pid from people limit 1", &[]).await?.is_some();
            if is_taken {
                return Err(Error::input("there is a vault in these stores already")
                    .help("name other files or databases; nothing was changed")
                    .into());
            }
            let row = values![1, &to_hexadecimal(&number), &wrapped, by.at];
            research.run("insert into vault (id, number, wrapped, made) values ($1, $2, $3, $4)", row).await?;
            research.note(by, note("init", "vault", "", json!({}))).await
        };
        let done = done.await;
        research.end(done).await?;
        Ok(Self { identity, research, keys: Keys::new(master), number })
    }

    /// Opens a vault by its root key.
    ///
    /// # Errors
    /// Where there is no vault, or the key is that of another.
    pub async fn open(stores: &Stores, root: &RootKey) -> Result<Self> {
        let identity = Ledger::open(&stores.identity, &IDENTITY, false).await?;
        let mut research = Ledger::open(&stores.research, &RESEARCH, false).await?;
        let (number, wrapped) = wrapped_secret(&mut research).await?;
        let master = root.unwrap(&number, &wrapped)?;
        Ok(Self { identity, research, keys: Keys::new(master), number })
    }

    /// Seals the vault's secret by another root key. No identifier changes, and the old root key opens nothing from then on.
    ///
    /// # Errors
    /// Where `from` does not open the vault, or the store cannot be written.
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

    /// Checks the log of the vault. The answer is how many entries there are and the hash of the last, or the first entry that does not fit.
    ///
    /// # Errors
    /// Where the store cannot be read.
    pub async fn check_log(&mut self) -> Result<Result<(i64, String), outward_ledger::chain::Break>> {
        self.research.check_chain(|_| {}).await
    }

    /// Entries of the log after the one of a number.
    ///
    /// # Errors
    /// Where the store cannot be read.
    pub async fn entries(&mut self, after: i64, most: i64) -> Result<Vec<outward_ledger::chain::Entry>> {
        self.research.entries(after, most).await
    }
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
