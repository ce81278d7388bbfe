//! Connects to the server. Errors show neither the address, which has a password, nor a value of the data.

use outward_spec::{Error, Result, Source};
use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{AssertSqlSafe, ConnectOptions, Executor};

use super::column::quote;

/// The address in the environment variable that the source names.
pub(super) fn address(source: &Source) -> Result<PgConnectOptions> {
    let Some(variable) = &source.database else {
        return Err(Error::input("the source names no database")
            .help("say database = \"NAME\", where NAME is the environment variable that holds its address")
            .into());
    };
    let Ok(address) = std::env::var(variable) else {
        return Err(Error::input(format!("the environment variable `{variable}` is not set"))
            .help(format!("set {variable} to postgres://user:password@host/database"))
            .into());
    };
    let options: PgConnectOptions = address.parse().map_err(|_| {
        Error::from(
            Error::input(format!("the environment variable `{variable}` does not hold a PostgreSQL address"))
                .help("the form is postgres://user:password@host/database"),
        )
    })?;
    Ok(options.application_name("outward").disable_statement_logging())
}

pub(super) async fn connect(address: &PgConnectOptions) -> Result<PgConnection> {
    address.connect().await.map_err(|e| {
        let what = match &e {
            sqlx::Error::Io(e) => format!("the database cannot be reached: {}", e.kind()),
            sqlx::Error::Tls(_) => "the database refused a secure connection".to_owned(),
            sqlx::Error::Database(e) => match e.code().as_deref() {
                Some("28P01" | "28000") => "the database refused the user or the password".to_owned(),
                Some("3D000") => "the server has no database of this name".to_owned(),
                code => format!("the database refused the connection (code {})", code.unwrap_or("unknown")),
            },
            _ => "the database cannot be reached".to_owned(),
        };
        Error::input(what).help("check the address in the environment variable, and that the server is running").into()
    })
}

/// Opens the transaction whose snapshot every reading shares.
pub(super) async fn take_snapshot(connection: &mut PgConnection) -> Result<String> {
    begin(connection).await?;
    // The holder is idle while records are read. This must not end it.
    run(connection, "set idle_in_transaction_session_timeout = 0").await?;
    sqlx::query_scalar("select pg_export_snapshot()").fetch_one(connection).await.map_err(refused_query)
}

/// Opens a transaction on a snapshot, given as a quoted string.
pub(super) async fn join_snapshot(connection: &mut PgConnection, snapshot: &str) -> Result<()> {
    begin(connection).await?;
    run(connection, &format!("set transaction snapshot {snapshot}")).await?;
    // The order of records without ORDER BY is that of the table only when no scan starts in its middle.
    run(connection, "set synchronize_seqscans = off").await?;
    run(connection, "set max_parallel_workers_per_gather = 0").await
}

async fn begin(connection: &mut PgConnection) -> Result<()> {
    run(connection, "begin transaction isolation level repeatable read read only").await
}

async fn run(connection: &mut PgConnection, sql: &str) -> Result<()> {
    connection.execute(AssertSqlSafe(sql.to_owned())).await.map(|_| ()).map_err(refused_query)
}

/// What to put after FROM.
pub(super) async fn relation(source: &Source, connection: &mut PgConnection) -> Result<String> {
    match (&source.table, &source.query) {
        (Some(table), None) => table_name(table, connection).await,
        (None, Some(query)) => {
            let query = query.trim().trim_end_matches(';');
            // Without the line breaks a comment at the end of the query would include the bracket.
            Ok(format!("(\n{query}\n) as {}", quote("records", '"')))
        }
        _ => Err(Error::input("a PostgreSQL source needs a table or a query, one of the two")
            .help("say table = \"schema.table\" or query = \"select ...\"")
            .into()),
    }
}

/// The server resolves the name as it would in a query, and gives it back quoted where needed.
async fn table_name(table: &str, connection: &mut PgConnection) -> Result<String> {
    let name: Option<String> = sqlx::query_scalar("select to_regclass($1)::text")
        .bind(table)
        .fetch_one(connection)
        .await
        .map_err(refused_query)?;
    name.ok_or_else(|| {
        Error::input(format!("the database has no table `{table}` that this user can see"))
            .help("write it as schema.table, with double quotes around a name in capitals")
            .into()
    })
}

/// The server speaks about the query here, which the user wrote.
pub(super) fn refused_query(e: sqlx::Error) -> Error {
    match e {
        sqlx::Error::Database(e) => Error::input(format!("the database refused the query: {}", e.message()))
            .help("try the query in psql")
            .into(),
        _ => lost(),
    }
}

/// The server may quote a value here, so only its code is told.
pub(super) fn refused_row(e: sqlx::Error) -> Error {
    match e {
        sqlx::Error::Database(e) => {
            let code = e.code().unwrap_or_default();
            Error::input(format!("the database could not give a record (code {code})"))
                .help("run the query in psql to see why; the message may show data")
                .into()
        }
        sqlx::Error::ColumnDecode { .. } | sqlx::Error::Decode(_) => {
            Error::bug("a PostgreSQL value has an unexpected form")
        }
        _ => lost(),
    }
}

fn lost() -> Error {
    Error::input("the connection to the database was lost").help("run again").into()
}
