//! The database behind the register: one SQLite file, or PostgreSQL for teams, by the same statements.
//!
//! Every change is one transaction whose first statement locks the head of the log. So writers wait for each other, in one process or in many,
//! and what a writer reads is what the last one left.

use std::path::Path;

use outward_spec::{Error, Result};
use sqlx::any::{AnyConnectOptions, AnyRow};
use sqlx::{AnyConnection, AssertSqlSafe, Connection, Executor, Row};

/// The form of the tables that this version writes and reads.
const VERSION: i64 = MIGRATIONS.len() as i64;

/// The statements that bring a register from one version to the next.
const MIGRATIONS: [&[&str]; 1] = [&[
    "create table head (id bigint primary key, entries bigint not null, hash text not null)",
    "create table log (number bigint primary key, at text not null, actor text not null, action text not null, subject text not null, \
     reason text not null, details text not null, before text not null, hash text not null)",
    "create table datasets (id bigint primary key, name text not null unique)",
    "create table versions (dataset bigint not null references datasets (id), number bigint not null, sha256 text not null, \
     first_seen text not null, primary key (dataset, number), unique (dataset, sha256))",
    "create table releases (id bigint primary key, dataset bigint not null references datasets (id), version bigint not null, \
     title text not null, kind text not null, state text not null, author text not null, requester text not null, purpose text not null, \
     policy text not null, policy_version text not null, tier text not null, approvals bigint not null, bundle_hash text not null unique, \
     manifest text not null, submitted text not null, released text not null)",
    "create index releases_dataset on releases (dataset, state)",
    "create table files (release_id bigint not null references releases (id), path text not null, content text not null, \
     sha256 text not null, primary key (release_id, path))",
    "create table tables (release_id bigint not null references releases (id), position bigint not null, name text not null, \
     unit text not null, measure text not null, condition text not null, geography text not null, method text not null, \
     cells bigint not null, hidden bigint not null, primary key (release_id, position))",
    "create table table_variables (dataset bigint not null, source text not null, release_id bigint not null, position bigint not null, \
     primary key (dataset, source, release_id, position))",
    "create table decisions (id bigint primary key, release_id bigint not null references releases (id), kind text not null, \
     actor text not null, at text not null, reason text not null, bundle_hash text not null)",
    "create table exceptions (id bigint primary key, release_id bigint not null references releases (id), rule text not null, \
     scope text not null, reason text not null, approver text not null, expires text not null, at text not null, bundle_hash text not null)",
    "create table requests (id bigint primary key, dataset bigint not null references datasets (id), requester text not null, \
     spec_sha256 text not null, tables text not null, findings bigint not null, at text not null)",
    "insert into head (id, entries, hash) values (1, 0, '0000000000000000000000000000000000000000000000000000000000000000')",
]];

/// A connection to the database of a register.
#[derive(Debug)]
pub(crate) struct Store {
    pub(crate) connection: AnyConnection,
    /// Whether there was no register before.
    pub(crate) is_new: bool,
    is_sqlite: bool,
}

/// A value that a statement is given.
#[derive(Debug, Clone)]
pub(crate) enum Value {
    Text(String),
    Number(i64),
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<&String> for Value {
    fn from(text: &String) -> Self {
        Self::Text(text.clone())
    }
}

impl From<i64> for Value {
    fn from(number: i64) -> Self {
        Self::Number(number)
    }
}

/// The values of a statement, in order.
macro_rules! values {
    ($($value:expr),* $(,)?) => { &[$($crate::store::Value::from($value)),*] };
}
pub(crate) use values;

impl Store {
    /// Opens the register at a URL: `sqlite:FILE` or `postgres://…`. A register that is not there is made where `create` says so.
    pub(crate) async fn open(url: &str, create: bool) -> Result<Self> {
        sqlx::any::install_default_drivers();
        let kind = Kind::parse(url)?;
        if let (Kind::Sqlite(file), false) = (&kind, create)
            && !Path::new(file).is_file()
        {
            return Err(Error::input("there is no register here")
                .file(file)
                .help("check the path; `outward release` and `outward register submit` make a new register")
                .into());
        }
        let address = match &kind {
            Kind::Sqlite(file) => format!("sqlite:{}?mode=rwc", encoded(file)),
            Kind::Postgres => url.to_owned(),
        };
        if let Kind::Sqlite(file) = &kind {
            make_private(file);
        }
        let options: AnyConnectOptions = address.parse().map_err(|_| wrong_url())?;
        let mut connection = AnyConnection::connect_with(&options).await.map_err(|error| unreachable(&kind, &error))?;
        if let Kind::Sqlite(_) = kind {
            for pragma in ["pragma journal_mode = wal", "pragma synchronous = full", "pragma busy_timeout = 20000"] {
                connection.execute(pragma).await.map_err(failed)?;
            }
        }
        let mut store = Self { connection, is_new: false, is_sqlite: matches!(kind, Kind::Sqlite(_)) };
        store.migrate(create).await?;
        Ok(store)
    }

    /// Brings the tables of the register to this version.
    async fn migrate(&mut self, create: bool) -> Result<()> {
        const NONE: &str = "create table outward_register (version bigint primary key)";
        let version = match self.version().await {
            Ok(version) => version,
            // There is no register yet, or the database says no to everything, which the next statement tells.
            Err(_) if create => {
                if let (Err(error), Err(_)) = (self.run(NONE, &[]).await, self.version().await) {
                    return Err(error);
                }
                self.version().await?
            }
            Err(error) if is_not_a_register(&error) => return Err(error),
            Err(_) => 0,
        };
        if version > VERSION {
            return Err(Error::input("this register was written by a newer version of Outward")
                .help("install that version or a later one; nothing was changed")
                .into());
        }
        if version == VERSION {
            return Ok(());
        }
        if version == 0 && !create {
            return Err(Error::input("this database holds no register")
                .help("check the address; `outward release` and `outward register submit` make a new register")
                .into());
        }
        self.begin_exclusive().await?;
        // Another process may have done it meanwhile.
        let version = self.version().await?;
        self.is_new = version == 0;
        for (number, statements) in (1..).zip(MIGRATIONS).filter(|(number, _)| *number > version) {
            for statement in statements {
                self.run(statement, &[]).await?;
            }
            self.run("delete from outward_register", &[]).await?;
            self.run("insert into outward_register (version) values ($1)", values![number]).await?;
        }
        self.commit().await
    }

    /// The version of the register; 0 where there is none.
    async fn version(&mut self) -> Result<i64> {
        let row = self.row("select max(version) from outward_register", &[]).await?;
        Ok(row.and_then(|row| row.try_get::<Option<i64>, _>(0).ok().flatten()).unwrap_or_default())
    }

    /// Begins a transaction that only one connection has at a time, before there is a head to lock.
    async fn begin_exclusive(&mut self) -> Result<()> {
        self.run("begin", &[]).await?;
        // A write locks a SQLite file; PostgreSQL locks the rows that it touches, so a row has to be there.
        self.run("insert into outward_register (version) values (0) on conflict do nothing", &[]).await?;
        self.run("update outward_register set version = version where version = 0", &[]).await
    }

    /// Begins a change: writers wait for each other here.
    pub(crate) async fn begin(&mut self) -> Result<()> {
        self.run("begin", &[]).await?;
        self.run("update head set entries = entries where id = 1", &[]).await
    }

    pub(crate) async fn commit(&mut self) -> Result<()> {
        self.run("commit", &[]).await?;
        if self.is_sqlite {
            // Whoever copies the one file has all that was committed. Where another process reads, its last commit does it.
            let _ = self.connection.execute("pragma wal_checkpoint(truncate)").await;
        }
        Ok(())
    }

    /// Takes back a change that was begun.
    pub(crate) async fn roll_back(&mut self) {
        // Where this fails the connection is lost, and the change with it.
        let _ = self.run("rollback", &[]).await;
    }

    pub(crate) async fn run(&mut self, statement: &str, values: &[Value]) -> Result<()> {
        #[cfg(test)]
        tests::count_down()?;
        let query = values.iter().fold(sqlx::query(AssertSqlSafe(statement.to_owned())), |query, value| match value {
            Value::Text(text) => query.bind(text.clone()),
            Value::Number(number) => query.bind(*number),
        });
        query.execute(&mut self.connection).await.map(|_| ()).map_err(failed)
    }

    pub(crate) async fn rows(&mut self, statement: &str, values: &[Value]) -> Result<Vec<AnyRow>> {
        #[cfg(test)]
        tests::count_down()?;
        let query = values.iter().fold(sqlx::query(AssertSqlSafe(statement.to_owned())), |query, value| match value {
            Value::Text(text) => query.bind(text.clone()),
            Value::Number(number) => query.bind(*number),
        });
        query.fetch_all(&mut self.connection).await.map_err(failed)
    }

    pub(crate) async fn row(&mut self, statement: &str, values: &[Value]) -> Result<Option<AnyRow>> {
        Ok(self.rows(statement, values).await?.into_iter().next())
    }

    /// The next free number of a table.
    pub(crate) async fn next(&mut self, table: &str) -> Result<i64> {
        let row = self.row(&format!("select max(id) from {table}"), &[]).await?;
        Ok(row.and_then(|row| row.try_get::<Option<i64>, _>(0).ok().flatten()).unwrap_or_default() + 1)
    }
}

/// A text of a row.
pub(crate) fn text(row: &AnyRow, column: &str) -> Result<String> {
    row.try_get(column).map_err(damaged)
}

/// A number of a row.
pub(crate) fn number(row: &AnyRow, column: &str) -> Result<i64> {
    row.try_get(column).map_err(damaged)
}

enum Kind {
    Sqlite(String),
    Postgres,
}

impl Kind {
    fn parse(url: &str) -> Result<Self> {
        match url.split_once(':') {
            Some(("sqlite", file)) if !file.trim_start_matches('/').is_empty() => {
                Ok(Self::Sqlite(file.strip_prefix("//").unwrap_or(file).to_owned()))
            }
            Some(("postgres" | "postgresql", rest)) if rest.starts_with("//") => Ok(Self::Postgres),
            _ => Err(wrong_url()),
        }
    }
}

/// Makes the file of a new register, for its owner's eyes alone. What goes wrong is told when it is opened.
fn make_private(file: &str) {
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let _ = options.open(file);
}

/// A path within a URL.
fn encoded(path: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/._-~".contains(&byte);
    path.bytes().map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }).collect()
}

fn wrong_url() -> Error {
    Error::input("this is not the address of a register")
        .help("write sqlite:FILE, or postgres://user:password@host/database")
        .into()
}

fn unreachable(kind: &Kind, error: &sqlx::Error) -> Error {
    let code = match error {
        sqlx::Error::Database(error) => error.code().map(|code| format!(" (code {code})")).unwrap_or_default(),
        sqlx::Error::Io(error) if error.kind() == std::io::ErrorKind::ConnectionRefused => {
            ": nothing listens there".to_owned()
        }
        sqlx::Error::Io(_) => ": there is no such host, or it does not answer".to_owned(),
        _ => String::new(),
    };
    match kind {
        Kind::Sqlite(file) => Error::input(format!("the register cannot be opened{code}"))
            .file(file)
            .help("check that the folder is there, that you may write in it, and that the file is a register")
            .into(),
        Kind::Postgres => Error::input(format!("the database of the register cannot be reached{code}"))
            .help("check the address, the user and the password, and that the server is running; nothing was changed")
            .into(),
    }
}

fn failed(error: sqlx::Error) -> Error {
    match &error {
        sqlx::Error::Database(said) if said.code().is_some_and(|code| code == "5" || code == "517") => {
            Error::input("the register is locked by another process")
                .help("wait for it to finish, and run again; nothing was changed")
                .into()
        }
        sqlx::Error::Database(said) if said.message().contains("not a database") => {
            Error::input(NOT_A_REGISTER).help("check the path; nothing was changed").into()
        }
        sqlx::Error::Database(said) if said.code().is_some_and(|code| code == "8" || code == "1032") => {
            Error::input("the register may not be written to")
                .help("its file or folder is read-only: ask whoever keeps it; nothing was changed")
                .into()
        }
        sqlx::Error::Database(said) if said.code().is_some_and(|code| code == "11" || code == "26") => {
            Error::input("the file of the register is damaged")
                .help("restore it from a copy, and hold the copy's log against the head that you kept")
                .into()
        }
        // The message may quote what is in the register, so only its code is told.
        sqlx::Error::Database(said) => {
            let code = said.code().unwrap_or_default();
            Error::input(format!("the database of the register refused (code {code})"))
                .help("see whether this user may read and write its tables; nothing was changed")
                .into()
        }
        _ => Error::input("the connection to the register was lost").help("run again; nothing was changed").into(),
    }
}

/// Whether an error says more than that a table is not there.
fn is_not_a_register(error: &Error) -> bool {
    error.fault().is_some_and(|fault| fault.what == NOT_A_REGISTER)
}

const NOT_A_REGISTER: &str = "this file is not a register";

fn damaged(_: sqlx::Error) -> Error {
    Error::input("the register holds something of another form")
        .help("run `outward register audit` to see whether it was changed")
        .into()
}

#[cfg(test)]
#[path = "store_tests.rs"]
mod tests;
