//! Small readings of files: chosen columns as texts, and all batches of a source through a channel.

use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::SyncSender;

use arrow_array::cast::AsArray;
use arrow_array::{Array, RecordBatch};
use arrow_schema::DataType;
use outward_engine::source::{self, ReadOptions, RecordSource};
use outward_engine::{Data, TypedColumn};
use outward_spec::{Error, Result, Source, Type, suggest};
use tokio::runtime::Runtime;

use crate::session::Session;

/// Records in a batch.
const BATCH_ROWS: usize = 65_536;

/// Opens a source; the run can be stopped while it is read.
pub(super) fn open(session: &Session, runtime: &Runtime, data: &Data) -> Result<Arc<dyn RecordSource>> {
    let options = ReadOptions { batch_rows: BATCH_ROWS, stop: session.stop.clone() };
    runtime.block_on(source::open(&data.source, Some(&data.columns), &options))
}

/// The places of columns in a source.
pub(super) fn places(source: &dyn RecordSource, columns: &[String], file: Option<&Path>) -> Result<Vec<usize>> {
    let schema = source.schema();
    let place = |name: &String| {
        schema.index_of(name).map_err(|_| {
            let known = schema.fields().iter().map(|field| field.name().as_str());
            let fault = Error::input(format!("there is no column `{name}`")).help(suggest(name, known, "columns"));
            match file {
                Some(file) => fault.file(file),
                None => fault,
            }
            .into()
        })
    };
    columns.iter().map(place).collect()
}

/// Sends all batches of a source with these columns, until nobody takes them any more.
pub(super) fn send_all(source: &dyn RecordSource, columns: &[usize], to: &SyncSender<Result<RecordBatch>>) {
    for part in 0..source.parts() {
        let batches = match source.read(part, columns) {
            Ok(batches) => batches,
            Err(error) => {
                let _ = to.send(Err(error));
                return;
            }
        };
        for batch in batches {
            let failed = batch.is_err();
            if to.send(batch).is_err() || failed {
                return;
            }
        }
    }
}

/// Rows of chosen columns of a source as texts; blank ones are missing.
pub(crate) fn texts(
    session: &Session,
    runtime: &Runtime,
    source: &Source,
    columns: &[String],
    visit: &mut dyn FnMut(&[Option<&str>]) -> Result<()>,
) -> Result<()> {
    let column = |name: &String| TypedColumn { name: name.clone(), data_type: Type::Text, date_format: None };
    let data = Data { source: source.clone(), columns: columns.iter().map(column).collect() };
    let source = open(session, runtime, &data)?;
    let places = places(&*source, columns, data.source.path.as_deref())?;
    let (to, from) = std::sync::mpsc::sync_channel(2);
    std::thread::scope(|scope| {
        let source = &*source;
        let places = &places;
        scope.spawn(move || send_all(source, places, &to));
        for batch in from {
            let batch = batch?;
            let columns: Vec<_> = batch.columns().iter().map(|column| as_text(column)).collect::<Result<_>>()?;
            let arrays: Vec<_> = columns.iter().map(|column| column.as_string::<i32>()).collect();
            let mut row: Vec<Option<&str>> = Vec::with_capacity(arrays.len());
            for at in 0..batch.num_rows() {
                row.clear();
                let value = |array: &&'_ arrow_array::StringArray| array.is_valid(at);
                row.extend(
                    arrays
                        .iter()
                        .map(|array| Some(array.value(at).trim()).filter(|text| value(array) && !text.is_empty())),
                );
                visit(&row)?;
            }
        }
        Ok(())
    })
}

/// A column as text.
pub(super) fn as_text(column: &arrow_array::ArrayRef) -> Result<arrow_array::ArrayRef> {
    match column.data_type() {
        DataType::Utf8 => Ok(Arc::clone(column)),
        _ => {
            let options = arrow_cast::display::FormatOptions::default();
            let shown = arrow_cast::display::ArrayFormatter::try_new(column, &options).map_err(Error::bug)?;
            let value = |at: usize| column.is_valid(at).then(|| shown.value(at).to_string());
            Ok(Arc::new((0..column.len()).map(value).collect::<arrow_array::StringArray>()))
        }
    }
}
