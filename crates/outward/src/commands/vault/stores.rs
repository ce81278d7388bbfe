//! Where a vault is and what opens it: the file `vault.toml` in its folder, key files, environment variables and commands.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use outward_spec::{Error, Result};
use outward_vault::{KeyPart, RootKey, Stores, Vault, read_key_file, split, write_key_file};
use serde::{Deserialize, Serialize};
use serde_json::json;
use zeroize::Zeroizing;

use super::{NamedActor, answer};
use crate::cli::{InVaultArgs, InitVaultArgs, NewKeyArgs, RotateArgs};
use crate::commands::vault::private::write_private;
use crate::output::Outcome;
use crate::session::Session;

const FILE: &str = "vault.toml";

/// The environment variables with the passphrases of key files, in their order.
const PASSPHRASES: [&str; 2] = ["OUTWARD_VAULT_PASSPHRASE", "OUTWARD_VAULT_PASSPHRASE_2"];

/// What `vault.toml` says.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct VaultFile {
    identity: StoreAt,
    research: StoreAt,
    key: KeyAt,
    /// The root key that a rotation is going over to. It is here while the rotation lasts: where one was stopped, either key may be the vault's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    next_key: Option<KeyAt>,
}

/// Where a store is.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(untagged, deny_unknown_fields)]
enum StoreAt {
    /// A SQLite file, beside `vault.toml` or elsewhere.
    File { file: PathBuf },
    /// An environment variable with the address of a PostgreSQL database, so that no password stands here.
    Database { database: String },
}

/// Where the root key is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged, deny_unknown_fields)]
enum KeyAt {
    /// A key file, or two with a share each.
    Files { files: Vec<PathBuf> },
    /// An environment variable.
    Env { env: String },
    /// A command that prints it.
    Command { command: String },
}

fn folder(args: &InVaultArgs) -> PathBuf {
    let set = std::env::var_os("OUTWARD_VAULT").filter(|folder| !folder.is_empty()).map(PathBuf::from);
    args.vault.clone().or(set).unwrap_or_else(|| PathBuf::from("vault"))
}

/// An open vault, its file, and the key that opened it.
pub(super) struct OpenedVault {
    pub(super) vault: Vault,
    file: VaultFile,
    key: RootKey,
}

/// Opens a vault. Where a rotation was stopped after the vault went over to the new key, that key is tried too, and `vault.toml` names it from then on.
pub(super) async fn open(args: &InVaultArgs) -> Result<OpenedVault> {
    let (folder, mut file) = read(args)?;
    let stores = stores(&folder, &file)?;
    let opened = match key(&folder, &file.key, &PASSPHRASES.map(str::to_owned)) {
        Ok(key) => Vault::open(&stores, &key).await.map(|vault| (vault, key)),
        Err(error) => Err(error),
    };
    let (error, next) = match (opened, file.next_key.clone()) {
        (Ok((vault, key)), _) => return Ok(OpenedVault { vault, file, key }),
        (Err(error), None) => return Err(error),
        (Err(error), Some(next)) => (error, next),
    };
    let stopped = |error: Error| {
        error.with_fault(|fault| {
            fault.help("a rotation of the key was stopped, so that the key may be the one that `key` in vault.toml names, or `next_key`: set the passphrase of either")
        })
    };
    let passphrases = new_passphrases(true).collect::<Vec<_>>();
    let Ok(key) = key(&folder, &next, &passphrases) else { return Err(stopped(error)) };
    let vault = Vault::open(&stores, &key).await.map_err(stopped)?;
    file.key = next;
    file.next_key = None;
    write(&folder, &file)?;
    Ok(OpenedVault { vault, file, key })
}

fn write(folder: &Path, file: &VaultFile) -> Result<()> {
    write_private(&folder.join(FILE), toml::to_string(file).map_err(Error::bug)?.as_bytes())
}

fn read(args: &InVaultArgs) -> Result<(PathBuf, VaultFile)> {
    let folder = folder(args);
    let path = folder.join(FILE);
    let text = match std::fs::read_to_string(&path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return Err(Error::input("there is no vault here")
                .file(&folder)
                .help("name its folder with --vault or in OUTWARD_VAULT; `outward vault init` makes a new vault")
                .into());
        }
        read => read.map_err(|error| Error::io("read", &path, error))?,
    };
    let file = toml::from_str(&text).map_err(|error| {
        let fault = Error::input("this is not the file of a vault").file(&path);
        let fault = match error.span() {
            Some(span) => fault.span(&text, span),
            None => fault,
        };
        fault.help("it has `identity`, `research` and `key`, as `outward vault init` writes them")
    })?;
    Ok((folder, file))
}

fn stores(folder: &Path, file: &VaultFile) -> Result<Stores> {
    let address = |store: &StoreAt| match store {
        StoreAt::File { file } => Ok(format!("sqlite:{}", folder.join(file).display())),
        StoreAt::Database { database } => variable(database, "the address of a database of the vault"),
    };
    Ok(Stores { identity: address(&file.identity)?, research: address(&file.research)? })
}

fn variable(name: &str, what: &str) -> Result<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty()).ok_or_else(|| {
        Error::input(format!("the environment variable {name} is not set")).help(format!("it holds {what}")).into()
    })
}

fn key(folder: &Path, at: &KeyAt, passphrases: &[String]) -> Result<RootKey> {
    match at {
        KeyAt::Env { env } => RootKey::from_hexadecimal(&Zeroizing::new(variable(env, "the root key of the vault")?)),
        KeyAt::Command { command } => RootKey::from_hexadecimal(&printed_by(command)?),
        KeyAt::Files { files } => {
            let part = |(file, passphrase): (&PathBuf, &String)| {
                let path = folder.join(file);
                let text = std::fs::read_to_string(&path).map_err(|error| Error::io("read", &path, error))?;
                let passphrase = Zeroizing::new(variable(passphrase, "the passphrase of a key file")?);
                read_key_file(&text, &passphrase).map_err(|error| error.with_fault(|fault| fault.file(&path)))
            };
            KeyPart::join(files.iter().zip(passphrases).map(part).collect::<Result<_>>()?)
        }
    }
}

/// What a command prints on stdout. Its stderr is shown unchanged.
fn printed_by(command: &str) -> Result<Zeroizing<String>> {
    let failed =
        |what: &str| Error::input(what.to_owned()).help("run the command of `key` in vault.toml by itself to see why");
    let output = Command::new("sh").args(["-c", command]).stdin(Stdio::null()).stderr(Stdio::inherit()).output();
    let output = output.map_err(|_| failed("the command that prints the root key cannot be run"))?;
    let printed = Zeroizing::new(output.stdout);
    if !output.status.success() {
        return Err(failed("the command that prints the root key failed").into());
    }
    let text = std::str::from_utf8(&printed).map_err(|_| failed("the command did not print a root key"))?;
    Ok(Zeroizing::new(text.to_owned()))
}

/// A new key, where `vault.toml` says it is, and the key files to write.
struct NewKey {
    key: RootKey,
    at: KeyAt,
    files: Vec<(PathBuf, String)>,
}

/// `usual` is what a key file is called that nobody named, and `stopped` the key that a stopped rotation was going over to.
fn new_key(folder: &Path, args: &NewKeyArgs, usual: &str, stopped: Option<&KeyAt>) -> Result<NewKey> {
    if let Some(env) = &args.key_env {
        let at = KeyAt::Env { env: env.clone() };
        return Ok(NewKey { key: key(folder, &at, &[])?, at, files: Vec::new() });
    }
    if let Some(command) = &args.key_command {
        let at = KeyAt::Command { command: command.clone() };
        return Ok(NewKey { key: key(folder, &at, &[])?, at, files: Vec::new() });
    }
    let paths = match (&args.key_shares, &args.key_file, stopped) {
        (Some(paths), ..) => paths.clone(),
        (None, Some(path), _) => vec![path.clone()],
        (None, None, Some(KeyAt::Files { files })) => files.iter().map(|file| folder.join(file)).collect(),
        (None, None, _) => vec![folder.join(usual)],
    };
    // `vault.toml` names key files in its own folder by their names, and others as a whole.
    let named = |path: &PathBuf| {
        let inside = path.parent().is_some_and(|parent| parent == folder);
        let name = path.file_name().map(PathBuf::from).filter(|_| inside);
        Ok(name.unwrap_or(std::path::absolute(path).map_err(|error| Error::io("find", path, error))?))
    };
    let at = KeyAt::Files { files: paths.iter().map(named).collect::<Result<_>>()? };
    if stopped == Some(&at) && paths.iter().all(|path| path.exists()) {
        // A rotation that was stopped wrote these files: it goes on with their key.
        let passphrases = new_passphrases(true).collect::<Vec<_>>();
        return Ok(NewKey { key: key(folder, &at, &passphrases)?, at, files: Vec::new() });
    }
    let key = RootKey::draw()?;
    let parts = if paths.len() == 2 { Vec::from(split(&key)?) } else { vec![KeyPart::Whole(key.clone())] };
    let mut files = Vec::new();
    for ((path, part), name) in paths.into_iter().zip(parts).zip(new_passphrases(usual != KEY_FILE)) {
        if path.exists() {
            return Err(Error::input("there is a file already where the key would be written")
                .file(&path)
                .help("name another file: a key that is overwritten opens nothing any more")
                .into());
        }
        let passphrase = Zeroizing::new(variable(&name, "the passphrase of a key file")?);
        files.push((path, write_key_file(&part, &passphrase)?));
    }
    Ok(NewKey { key, at, files })
}

/// What the key file of a new vault is called.
const KEY_FILE: &str = "root.key";

/// The environment variables with the passphrases of new key files: of a rotation others, as the old ones are needed too.
fn new_passphrases(rotates: bool) -> impl Iterator<Item = String> {
    PASSPHRASES.into_iter().map(move |name| {
        let new = format!("{name}_NEW");
        if rotates && std::env::var_os(&new).is_some() { new } else { name.to_owned() }
    })
}

/// Makes a new vault.
pub(super) fn init(session: &Session, args: &InitVaultArgs) -> Result<Outcome> {
    let speaker = NamedActor::from_args(&args.within)?;
    let folder = folder(&args.within);
    let path = folder.join(FILE);
    if path.exists() {
        return Err(Error::input("there is a vault here already")
            .file(&folder)
            .help("name another folder with --vault")
            .into());
    }
    std::fs::create_dir_all(&folder).map_err(|error| Error::io("create", &folder, error))?;
    let store = |database: &Option<String>, file: &str| match database {
        Some(database) => StoreAt::Database { database: database.clone() },
        None => StoreAt::File { file: PathBuf::from(file) },
    };
    let new = new_key(&folder, &args.key, KEY_FILE, None)?;
    let file = VaultFile {
        identity: store(&args.identity_database, "identity.db"),
        research: store(&args.research_database, "research.db"),
        key: new.at,
        next_key: None,
    };
    let stores = stores(&folder, &file)?;
    // The key is written first: a vault without its key is lost.
    for (path, text) in &new.files {
        write_private(path, text.as_bytes())?;
    }
    let made = session.runtime()?.block_on(Vault::create(&stores, &new.key, args.two_people, speaker.actor()));
    if let Err(error) = made {
        for (path, _) in &new.files {
            // The key of a vault that was not made opens nothing.
            let _ = std::fs::remove_file(path);
        }
        return Err(error);
    }
    write(&folder, &file)?;
    let keys: Vec<String> = new.files.iter().map(|(path, _)| path.display().to_string()).collect();
    let line = format!("There is a new vault in {}.\n", folder.display());
    answer(session, &json!({ "vault": folder, "key_files": keys }), &line)?;
    if !keys.is_empty() {
        session.remark(&format!(
            "Its key is in {}. Keep a copy of it elsewhere, and the passphrase apart from it: without them nothing in the vault can be read again.",
            keys.join(" and ")
        ));
    }
    Ok(Outcome::Clean)
}

/// Changes the root key. `vault.toml` names the new key beside the old one before anything changes, so that a rotation that is stopped anywhere leaves a vault
/// that opens, and can be done again by the same command.
pub(super) fn rotate(session: &Session, args: &RotateArgs) -> Result<Outcome> {
    let speaker = NamedActor::from_args(&args.within)?;
    let folder = folder(&args.within);
    let _alone = folder.join(FILE).exists().then(|| alone(&folder)).transpose()?;
    let runtime = session.runtime()?;
    let OpenedVault { mut vault, mut file, key: old } = runtime.block_on(open(&args.within))?;
    let day = speaker.at.get(..10).unwrap_or_default();
    let new = new_key(&folder, &args.key, &format!("root-{day}.key"), file.next_key.as_ref())?;
    file.next_key = Some(new.at.clone());
    write(&folder, &file)?;
    for (path, text) in &new.files {
        write_private(path, text.as_bytes())?;
    }
    runtime.block_on(vault.rotate(&old, &new.key, speaker.actor(), &args.reason))?;
    file.key = new.at;
    file.next_key = None;
    write(&folder, &file)?;
    answer(session, &json!({ "rotated": true }), "The vault has another root key. No identifier changed.\n")?;
    session.remark(
        "The old key still opens copies of the vault that were made before: destroy it when these are gone. If vault.toml names key files, it names the new ones.",
    );
    Ok(Outcome::Clean)
}

/// Makes sure that no other process rotates the key of this vault, as long as the answer is kept.
fn alone(folder: &Path) -> Result<File> {
    let opened = File::open(folder).map_err(|error| Error::io("read", folder, error))?;
    match opened.try_lock() {
        Ok(()) => Ok(opened),
        Err(_) => Err(Error::input("another process changes the key of this vault")
            .file(folder)
            .help("wait for it to finish; nothing was changed")
            .into()),
    }
}
