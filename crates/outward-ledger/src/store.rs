//! The database behind a ledger: one SQLite file, or PostgreSQL for teams, by the same statements.
//!
//! Every change is one transaction whose first statement locks the head of the log. So writers wait for each other, in one process or in many,
//! and what a writer reads is what the last one left.

use std::cell::Cell;
use std::path::Path;

use outward_error::{Error, Result};
use sqlx::any::{AnyConnectOptions, AnyRow};
use sqlx::{AnyConnection, AssertSqlSafe, Connection, Executor, Row};

use crate::messages::{Address, Messages};

/// The kind of a ledger, and the tables that it has.
#[derive(Debug)]
pub struct Form {
    /// What messages call it: `register`.
    pub name: &'static str,
    /// The table that holds its version.
    pub version_table: &'static str,
    /// How a new one is made, as a clause.
    pub made_by: &'static str,
    /// The statements that bring it from one version to the next. The first begin with [`LOG_TABLES`]. `{bytes}` is
    /// replaced by the type of bytes, which has another name in each database.
    pub migrations: &'static [&'static [&'static str]],
}

/// The statements that make the log of a ledger.
pub const LOG_TABLES: [&str; 3] = [
    "create table head (id bigint primary key, entries bigint not null, hash text not null)",
    "create table log (number bigint primary key, at text not null, actor text not null, action text not null, subject text not null, \
     reason text not null, details text not null, before text not null, hash text not null)",
    "insert into head (id, entries, hash) values (1, 0, '0000000000000000000000000000000000000000000000000000000000000000')",
];

/// How a SQLite file is used: committed means on the disk, and another writer is waited for. 64 MB of it are held in memory, as an index in random order
/// would otherwise be written again and again.
const PRAGMAS: [&str; 4] = [
    "pragma journal_mode = wal",
    "pragma synchronous = full",
    "pragma busy_timeout = 20000",
    "pragma cache_size = -65536",
];

/// How a PostgreSQL database is used: another writer is waited for as long as with SQLite.
const SETTINGS: [&str; 1] = ["set lock_timeout = 20000"];

/// An open ledger.
#[derive(Debug)]
pub struct Ledger {
    connection: AnyConnection,
    form: &'static Form,
    is_new: bool,
    is_sqlite: bool,
}

/// A value that a statement is given.
#[derive(Debug, Clone)]
pub enum Value {
    /// A text.
    Text(String),
    /// A whole number.
    Number(i64),
    /// Bytes.
    Bytes(Vec<u8>),
    /// A text that is not there.
    NoText,
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

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<Vec<u8>> for Value {
    fn from(bytes: Vec<u8>) -> Self {
        Self::Bytes(bytes)
    }
}

impl From<i64> for Value {
    fn from(number: i64) -> Self {
        Self::Number(number)
    }
}

/// The values of a statement, in order.
#[macro_export]
macro_rules! values {
    ($($value:expr),* $(,)?) => { &[$($crate::Value::from($value)),*] };
}

impl Ledger {
    /// Opens the ledger at a URL: `sqlite:FILE` or `postgres://…`. If there is none and `create` is set, it is made.
    ///
    /// # Errors
    /// If the URL is not that of a ledger, the database cannot be reached, or a newer version of Outward wrote it.
    pub async fn open(url: &str, form: &'static Form, create: bool) -> Result<Self> {
        sqlx::any::install_default_drivers();
        let messages = Messages(form);
        let address = Address::parse(url).ok_or_else(|| messages.wrong_url())?;
        if let (Address::Sqlite(file), false) = (&address, create)
            && !Path::new(file).is_file()
        {
            return Err(Error::input(format!("there is no {} here", form.name))
                .file(file)
                .help(format!("check the path; {}", form.made_by))
                .into());
        }
        let whole = match &address {
            Address::Sqlite(file) => format!("sqlite:{}?mode=rwc", encoded(file)),
            Address::Postgres => url.to_owned(),
        };
        if let Address::Sqlite(file) = &address {
            make_private(file);
        }
        let options: AnyConnectOptions = whole.parse().map_err(|_| messages.wrong_url())?;
        let connected = AnyConnection::connect_with(&options).await;
        let mut connection = connected.map_err(|error| messages.unreachable(&address, &error))?;
        let settings = if let Address::Sqlite(_) = address { &PRAGMAS[..] } else { &SETTINGS };
        for setting in settings {
            connection.execute(*setting).await.map_err(|error| messages.failed(&error))?;
        }
        let mut ledger = Self { connection, form, is_new: false, is_sqlite: matches!(address, Address::Sqlite(_)) };
        ledger.migrate(create).await?;
        Ok(ledger)
    }

    /// Whether there was no ledger at this address before.
    pub fn is_new(&self) -> bool {
        self.is_new
    }

    /// What messages call it.
    pub(crate) fn form(&self) -> &'static Form {
        self.form
    }

    /// Brings the tables to this version.
    async fn migrate(&mut self, create: bool) -> Result<()> {
        let Form { name, version_table, made_by, migrations, .. } = self.form;
        let latest = migrations.len() as i64;
        let make = format!("create table {version_table} (version bigint primary key)");
        let version = match self.version().await {
            Ok(version) => version,
            // There is no ledger yet, or the database refuses everything. The next statement shows which.
            Err(_) if create => {
                if let (Err(error), Err(_)) = (self.run(&make, &[]).await, self.version().await) {
                    return Err(error);
                }
                self.version().await?
            }
            Err(error) if Messages(self.form).is_no_database(&error) => return Err(error),
            Err(_) => 0,
        };
        if version > latest {
            return Err(Error::input(format!("this {name} was written by a newer version of Outward"))
                .help("install that version or a later one; nothing was changed")
                .into());
        }
        if version == latest {
            return Ok(());
        }
        if version == 0 && !create {
            return Err(Error::input(format!("this database holds no {name}"))
                .help(format!("check the address; {made_by}"))
                .into());
        }
        self.begin_exclusive().await?;
        // Another process may have done it meanwhile.
        let version = self.version().await?;
        self.is_new = version == 0;
        for (number, statements) in (1..).zip(*migrations).filter(|(number, _)| *number > version) {
            for statement in *statements {
                let bytes = if self.is_sqlite { "blob" } else { "bytea" };
                self.run(&statement.replace("{bytes}", bytes), &[]).await?;
            }
            self.run(&format!("delete from {version_table}"), &[]).await?;
            self.run(&format!("insert into {version_table} (version) values ($1)"), crate::values![number]).await?;
        }
        self.commit().await
    }

    /// The version of the tables; 0 where there are none.
    async fn version(&mut self) -> Result<i64> {
        let row = self.row(&format!("select max(version) from {}", self.form.version_table), &[]).await?;
        Ok(row.and_then(|row| row.try_get::<Option<i64>, _>(0).ok().flatten()).unwrap_or_default())
    }

    /// Begins a transaction that only one connection has at a time, before there is a head to lock.
    async fn begin_exclusive(&mut self) -> Result<()> {
        let table = self.form.version_table;
        self.run("begin", &[]).await?;
        // A write locks a SQLite file; PostgreSQL locks the rows that it touches, so a row has to be there.
        self.run(&format!("insert into {table} (version) values (0) on conflict do nothing"), &[]).await?;
        self.run(&format!("update {table} set version = version where version = 0"), &[]).await
    }

    /// Begins a change: writers wait for each other here.
    ///
    /// # Errors
    /// Where the database refuses.
    pub async fn begin(&mut self) -> Result<()> {
        self.run("begin", &[]).await?;
        let locked = self.run("update head set entries = entries where id = 1", &[]).await;
        if locked.is_err() {
            self.roll_back().await;
        }
        locked
    }

    /// Commits a change that was made, or rolls it back.
    ///
    /// # Errors
    /// The error of the change, or one if the database refuses to commit it.
    pub async fn end<T>(&mut self, done: Result<T>) -> Result<T> {
        match done {
            Ok(done) => self.commit().await.map(|()| done),
            Err(error) => {
                self.roll_back().await;
                Err(error)
            }
        }
    }

    async fn commit(&mut self) -> Result<()> {
        self.run("commit", &[]).await?;
        if self.is_sqlite {
            // A copy of the one file then has everything that was committed. If another process is reading, its last
            // commit does this.
            let _ = self.connection.execute("pragma wal_checkpoint(truncate)").await;
        }
        Ok(())
    }

    /// Takes back a change that was begun.
    pub async fn roll_back(&mut self) {
        // If this fails, the connection is lost and the change with it.
        let _ = self.run("rollback", &[]).await;
    }

    /// Carries out a statement.
    ///
    /// # Errors
    /// Where the database refuses.
    pub async fn run(&mut self, statement: &str, values: &[Value]) -> Result<()> {
        count_down(self.form)?;
        let done = bound(statement, values).execute(&mut self.connection).await;
        done.map(|_| ()).map_err(|error| Messages(self.form).failed(&error))
    }

    /// All rows of an answer.
    ///
    /// # Errors
    /// Where the database refuses.
    pub async fn rows(&mut self, statement: &str, values: &[Value]) -> Result<Vec<AnyRow>> {
        count_down(self.form)?;
        let rows = bound(statement, values).fetch_all(&mut self.connection).await;
        rows.map_err(|error| Messages(self.form).failed(&error))
    }

    /// The first row of an answer.
    ///
    /// # Errors
    /// Where the database refuses.
    pub async fn row(&mut self, statement: &str, values: &[Value]) -> Result<Option<AnyRow>> {
        Ok(self.rows(statement, values).await?.into_iter().next())
    }

    /// The next free number of a table.
    ///
    /// # Errors
    /// Where the database refuses.
    pub async fn next(&mut self, table: &str) -> Result<i64> {
        let row = self.row(&format!("select max(id) from {table}"), &[]).await?;
        Ok(row.and_then(|row| row.try_get::<Option<i64>, _>(0).ok().flatten()).unwrap_or_default() + 1)
    }
}

thread_local! {
    /// How many statements of this thread go through before the connection is lost; none if it is not lost.
    static LEFT: Cell<Option<usize>> = const { Cell::new(None) };
}

/// For tests of a lost connection. After so many statements of this thread nothing goes through, not even a rollback.
pub fn lose_connection_after(statements: Option<usize>) {
    LEFT.set(statements);
}

/// Lets a statement through, or returns the error of a lost connection.
fn count_down(form: &'static Form) -> Result<()> {
    match LEFT.get() {
        None => Ok(()),
        Some(0) => Err(Messages(form).lost().into()),
        Some(left) => {
            LEFT.set(Some(left - 1));
            Ok(())
        }
    }
}

fn bound<'q>(statement: &str, values: &[Value]) -> sqlx::query::Query<'q, sqlx::Any, sqlx::any::AnyArguments> {
    values.iter().fold(sqlx::query(AssertSqlSafe(statement.to_owned())), |query, value| match value {
        Value::Text(text) => query.bind(text.clone()),
        Value::Number(number) => query.bind(*number),
        Value::Bytes(bytes) => query.bind(bytes.clone()),
        Value::NoText => query.bind(None::<String>),
    })
}

/// A text of a row.
///
/// # Errors
/// Where it is something else.
pub fn text(row: &AnyRow, column: &str) -> Result<String> {
    row.try_get(column).map_err(damaged)
}

/// A number of a row.
///
/// # Errors
/// Where it is something else.
pub fn number(row: &AnyRow, column: &str) -> Result<i64> {
    row.try_get(column).map_err(damaged)
}

/// The bytes of a row; none if they are missing.
///
/// # Errors
/// Where it is something else.
pub fn bytes(row: &AnyRow, column: &str) -> Result<Option<Vec<u8>>> {
    row.try_get(column).map_err(damaged)
}

fn damaged(_: sqlx::Error) -> Error {
    Error::input("the database holds something of another form")
        .help("run `outward register audit` or `outward vault audit` to see whether it was changed")
        .into()
}

/// Makes the file of a new ledger, readable by its owner alone. Opening it reports any error.
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
