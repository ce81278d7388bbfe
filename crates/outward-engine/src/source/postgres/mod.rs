//! A PostgreSQL table or query, streamed from one snapshot of the database.
//!
//! A run reads its records twice, so both readings must see the same rows in the same order. One connection holds a
//! snapshot open for as long as the source lives, and every reading joins it. Scans always begin at the start of a
//! table. All of it is read only.

mod column;
mod connection;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::SchemaRef;
use futures::TryStreamExt;
use outward_spec::{Error, Result, Source};
use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{AssertSqlSafe, Column as _, Executor, SqlSafeStr, Statement, TypeInfo};
use tokio::runtime::Handle;
use tokio::sync::mpsc::{Receiver, Sender, channel};

use self::column::{ColumnBuilder, QueriedColumn, quote};
use super::missing::MissingTokens;
use super::names::check_names;
use super::typing::Typing;
use super::{Batches, ReadOptions, ReadRequest, RecordSource, TypedColumn, until_failure};

/// Batches waiting between the connection and the reader.
const MAX_WAITING_BATCHES: usize = 2;

/// A table or query.
pub(super) struct PostgresSource {
    address: PgConnectOptions,
    snapshot: String,
    /// Keeps the snapshot alive; it is used for nothing else.
    _holder: Mutex<PgConnection>,
    relation: String,
    wires: Vec<QueriedColumn>,
    typing: Arc<Typing>,
    options: ReadOptions,
    runtime: Handle,
    rows_read: Arc<AtomicU64>,
}

impl PostgresSource {
    /// Connects, takes the snapshot and learns the columns.
    pub(super) async fn open(source: &Source, request: &ReadRequest<'_>) -> Result<Self> {
        let runtime = Handle::try_current().map_err(Error::bug)?;
        let address = connection::address(source)?;
        let mut holder = connection::connect(&address).await?;
        let snapshot = connection::take_snapshot(&mut holder).await?;
        let relation = connection::relation(source, &mut holder).await?;
        let columns = describe(&mut holder, &relation).await?;
        let label = std::path::Path::new(source.table.as_deref().unwrap_or("query"));
        check_names(columns.iter().map(|(name, _)| name.as_str()), label)?;
        let wish = |name: &str| request.columns.iter().find(|column: &&TypedColumn| column.name == name);
        let wires: Vec<QueriedColumn> = columns
            .into_iter()
            .map(|(name, kind)| QueriedColumn::new(&name, &kind, wish(&name).map(|w| w.data_type)))
            .collect();
        let fields = wires.iter().map(QueriedColumn::field).collect();
        let typing = Arc::new(Typing::new(fields, request, MissingTokens::new(request.missing), Some(label))?);
        Ok(Self {
            address,
            snapshot,
            _holder: Mutex::new(holder),
            relation,
            wires,
            typing,
            options: request.options.clone(),
            runtime,
            rows_read: Arc::default(),
        })
    }
}

/// The names and types of a relation's columns.
async fn describe(connection: &mut PgConnection, relation: &str) -> Result<Vec<(String, String)>> {
    let sql = AssertSqlSafe(format!("select * from {relation}")).into_sql_str();
    let statement = connection.prepare(sql).await.map_err(connection::refused_query)?;
    let about = |column: &sqlx::postgres::PgColumn| (column.name().to_owned(), column.type_info().name().to_owned());
    Ok(statement.columns().iter().map(about).collect())
}

impl RecordSource for PostgresSource {
    fn schema(&self) -> SchemaRef {
        self.typing.schema().clone()
    }

    fn rows(&self) -> Option<u64> {
        None
    }

    fn bytes(&self) -> Option<u64> {
        None
    }

    fn parts(&self) -> usize {
        1
    }

    fn first_row(&self, _part: usize) -> u64 {
        0
    }

    fn read(&self, _part: usize, columns: &[usize]) -> Result<Batches> {
        self.typing.check(columns)?;
        let wires: Vec<QueriedColumn> = columns.iter().map(|column| self.wires[*column].clone()).collect();
        let (sender, receiver) = channel(MAX_WAITING_BATCHES);
        let reading = Reading {
            address: self.address.clone(),
            snapshot: self.snapshot.clone(),
            sql: select(&wires, &self.relation),
            wires,
            options: self.options.clone(),
        };
        self.runtime.spawn(async move {
            if let Err(e) = reading.run(&sender).await {
                // If the reader has gone away, nothing needs the error.
                let _ = sender.send(Err(e)).await;
            }
        });
        let mut batches = PostgresBatches {
            receiver,
            columns: columns.to_vec(),
            typing: self.typing.clone(),
            options: self.options.clone(),
            before: 0,
            rows_read: self.rows_read.clone(),
        };
        Ok(until_failure(move || batches.batch()))
    }

    fn progress(&self) -> u64 {
        self.rows_read.load(Ordering::Relaxed)
    }
}

fn select(wires: &[QueriedColumn], relation: &str) -> String {
    let columns: Vec<String> = wires.iter().enumerate().map(|(i, wire)| format!("{} as c{i}", wire.sql())).collect();
    // A record without columns still counts.
    let columns = if columns.is_empty() { "1".to_owned() } else { columns.join(", ") };
    format!("select {columns} from {relation}")
}

/// The arrays of a batch and how many records they hold.
type Rows = (Vec<ArrayRef>, usize);

/// A reading on its own connection.
struct Reading {
    address: PgConnectOptions,
    snapshot: String,
    sql: String,
    wires: Vec<QueriedColumn>,
    options: ReadOptions,
}

impl Reading {
    async fn run(self, sender: &Sender<Result<Rows>>) -> Result<()> {
        let mut connection = connection::connect(&self.address).await?;
        connection::join_snapshot(&mut connection, &quote(&self.snapshot, '\'')).await?;
        let mut stream = connection.fetch(sqlx::query(AssertSqlSafe(self.sql)));
        let mut filling: Vec<ColumnBuilder> = self.wires.iter().map(QueriedColumn::filling).collect();
        let mut rows = 0;
        while let Some(row) = stream.try_next().await.map_err(connection::refused_row)? {
            for (index, out) in filling.iter_mut().enumerate() {
                out.push(&row, index).map_err(connection::refused_row)?;
            }
            rows += 1;
            if rows == self.options.batch_rows.max(1) {
                let arrays = filling.iter_mut().map(ColumnBuilder::finish).collect();
                if self.options.stop.is_stopped() || sender.send(Ok((arrays, rows))).await.is_err() {
                    return Ok(());
                }
                rows = 0;
            }
        }
        if rows > 0 {
            let arrays = filling.iter_mut().map(ColumnBuilder::finish).collect();
            let _ = sender.send(Ok((arrays, rows))).await;
        }
        Ok(())
    }
}

/// The receiving end of a reading.
struct PostgresBatches {
    receiver: Receiver<Result<Rows>>,
    columns: Vec<usize>,
    typing: Arc<Typing>,
    options: ReadOptions,
    before: u64,
    rows_read: Arc<AtomicU64>,
}

impl PostgresBatches {
    fn batch(&mut self) -> Result<Option<RecordBatch>> {
        self.options.stop.check()?;
        let received = self.receiver.blocking_recv();
        self.options.stop.check()?;
        let Some((arrays, rows)) = received.transpose()? else { return Ok(None) };
        let batch = self.typing.batch(&self.columns, &arrays, rows, self.before)?;
        self.before += rows as u64;
        self.rows_read.fetch_add(rows as u64, Ordering::Relaxed);
        Ok(Some(batch))
    }
}
