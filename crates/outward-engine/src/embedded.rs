//! The engine in this process.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use arrow_array::cast::AsArray;
use arrow_array::types::UInt64Type;
use arrow_array::{BooleanArray, RecordBatch};
use arrow_schema::{Field, FieldRef, Schema, SchemaRef};
use arrow_select::concat::concat_batches;
use arrow_select::filter::filter_record_batch;
use async_trait::async_trait;
use outward_cells::{CellCounter, CellRequest, Cells, ColumnCollector, ColumnRequest, Columns};
use outward_profile::{Profile, Profiler};
use outward_spec::{Error, Result};

use crate::condition::{parse_condition, simplified_predicate};
use crate::counts::{MissingCounter, StepCount, StepCounter};
use crate::engine::{CountRequest, Data, Description, Engine, NoProgress, Progress, Rewritten, SharedProgress, Target};
use crate::fold::fold;
use crate::plan::{Action, Plan, Planned, settle};
use crate::records::{BATCH_ROWS, RESERVED_PREFIX, ROW_NUMBER, Records};
use crate::released::{ReleasedColumns, ReleasedRequest};
use crate::scan::{ScanRequest, Scanned, columns_to_scan, scan_records};
use crate::sink::{self, Written};
use crate::small::{MAX_ROWS, SmallTable};
use crate::source::{self, ReadOptions, RecordSource, StopFlag};
use crate::stepwise::RecordsInMemory;
use crate::truth::truth;
use crate::unseen::unseen_values;

/// The engine in this process.
#[derive(Clone)]
pub struct Embedded {
    threads: usize,
    memory: Option<usize>,
    stop: StopFlag,
    progress: SharedProgress,
}

impl std::fmt::Debug for Embedded {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Embedded").field("threads", &self.threads).field("memory", &self.memory).finish_non_exhaustive()
    }
}

impl Embedded {
    /// An engine on this many threads.
    pub fn new(threads: usize) -> Self {
        Self { threads: threads.max(1), memory: None, stop: StopFlag::default(), progress: Arc::new(NoProgress) }
    }

    /// Bytes the cells of one pass may take.
    #[must_use]
    pub fn memory(mut self, bytes: usize) -> Self {
        self.memory = Some(bytes);
        self
    }

    /// Raised, this flag ends every pass.
    #[must_use]
    pub fn stop(mut self, stop: StopFlag) -> Self {
        self.stop = stop;
        self
    }

    /// Tells how far a pass is.
    #[must_use]
    pub fn progress(mut self, progress: Arc<dyn Progress>) -> Self {
        self.progress = progress;
        self
    }

    pub(crate) async fn open(&self, data: &Data) -> Result<Arc<dyn RecordSource>> {
        let options = ReadOptions { batch_rows: BATCH_ROWS, stop: self.stop.clone() };
        let source = source::open(&data.source, Some(&data.columns), &options).await?;
        if let Some(field) = source.schema().fields().iter().find(|field| field.name().starts_with(RESERVED_PREFIX)) {
            return Err(Error::input(format!("the name `{}` is kept for columns of our own", field.name()))
                .help("give the column a name that does not begin with `__outward_`")
                .into());
        }
        Ok(source)
    }

    /// Runs a pass on threads of its own while the source's progress is passed on.
    pub(crate) async fn pass<T: Send + 'static>(
        &self,
        what: &str,
        source: Arc<dyn RecordSource>,
        run: impl FnOnce() -> Result<T> + Send + 'static,
    ) -> Result<T> {
        self.progress.started(what, source.bytes().or(source.rows()));
        let running = tokio::task::spawn_blocking(run);
        let done = Arc::new(AtomicBool::new(false));
        let watching = {
            let (done, progress) = (done.clone(), self.progress.clone());
            std::thread::spawn(move || {
                while !done.load(Ordering::Relaxed) {
                    progress.advanced(source.progress());
                    std::thread::park_timeout(Duration::from_millis(100));
                }
            })
        };
        let result = running.await;
        done.store(true, Ordering::Relaxed);
        watching.thread().unpark();
        let watched = watching.join();
        self.progress.finished();
        watched.map_err(|_| Error::bug("the progress thread panicked"))?;
        result.map_err(|_| Error::bug("a pass over the records panicked"))?
    }
}

#[async_trait]
impl Engine for Embedded {
    async fn describe(&self, data: &Data) -> Result<Description> {
        let source = self.open(data).await?;
        let settled = source.settled(&data.source);
        Ok(Description { source: settled, schema: source.schema(), records: source.rows(), bytes: source.bytes() })
    }

    async fn count_cells(&self, data: &Data, requests: &[CountRequest]) -> Result<Vec<Cells>> {
        let source = self.open(data).await?;
        let (records, conditions) = with_requested(Records::of_source(&source), requests)?;
        let memory = self.memory.map(|all| all / self.threads / requests.len().max(1));
        let counting: Vec<(CellRequest, Option<usize>)> = requests
            .iter()
            .zip(conditions)
            .map(|(request, condition)| {
                (CellRequest::new(&request.keys).weight(request.weight.clone()).memory(memory), condition)
            })
            .collect();
        let threads = self.threads;
        self.pass("counting", source, move || count(&records, threads, &counting)).await
    }

    async fn read_columns(&self, data: &Data, request: &ColumnRequest, conditions: &[String]) -> Result<Columns> {
        let source = self.open(data).await?;
        let all = Records::of_source(&source);
        let mut keys: Vec<String> = request.coded.iter().chain(&request.numbers).cloned().collect();
        keys.extend(request.links.iter().flatten().chain(&request.key).cloned());
        let asked = |condition: &String| CountRequest { condition: Some(condition.clone()), ..CountRequest::default() };
        let mut requests = vec![CountRequest { keys, ..CountRequest::default() }];
        requests.extend(conditions.iter().map(asked));
        let schema = all.schema().clone();
        let (records, positions) = with_requested(all, &requests)?;
        let masks: Vec<usize> = positions.into_iter().flatten().collect();
        let (threads, asked, request) = (self.threads, request, request.clone());
        let columns = self.pass("reading", source, move || {
            let schema = records.schema();
            let row = schema.index_of(ROW_NUMBER).map_err(Error::bug)?;
            let new = || Ok(ColumnCollector::new(schema, &request, &masks)?.numbered_by(row));
            Columns::merge(fold(&records, threads, new, ColumnCollector::observe)?)
        });
        let mut columns = columns.await?;
        columns.unseen = unseen_values(&schema, conditions, asked, &columns)?;
        for condition in conditions {
            columns.truths.push(truth(&schema, condition, &asked.coded, &columns)?);
        }
        Ok(columns)
    }

    async fn read_released(&self, requests: &[ReleasedRequest]) -> Result<Vec<Result<ReleasedColumns>>> {
        self.carry_out(requests).await
    }

    async fn profile(&self, data: &Data) -> Result<Profile> {
        let source = self.open(data).await?;
        let records = Records::of_source(&source);
        let threads = self.threads;
        let schema = source.schema();
        self.pass("profiling", source, move || {
            let row = schema.fields().len();
            let profilers = fold(
                &records,
                threads,
                || Ok(Profiler::new(&schema)),
                |profiler, batch| {
                    let first = row_numbers(batch, row)?.first().copied().unwrap_or(1);
                    let columns: Vec<usize> = (0..row).collect();
                    profiler.observe(first, &batch.project(&columns).map_err(Error::bug)?);
                    Ok(())
                },
            )?;
            let joined = profilers.into_iter().reduce(|mut joined, profiler| {
                joined.merge(profiler);
                joined
            });
            joined.map(Profiler::finish).ok_or_else(|| Error::bug("no profile was made"))
        })
        .await
    }

    async fn scan(&self, data: &Data, request: &ScanRequest) -> Result<Scanned> {
        let source = self.open(data).await?;
        let records = Records::of_source(&source);
        let [names, not_scanned] = columns_to_scan(&records, &source.schema(), request)?;
        if names.is_empty() {
            let records = source.rows().unwrap_or_default();
            return Ok(Scanned { records, bytes: 0, columns: Vec::new(), not_scanned });
        }
        let records = records.read_only(|name| names.iter().any(|wanted| wanted == name));
        let (threads, request) = (self.threads, request.clone());
        self.pass("scanning", source, move || scan_records(&records, threads, &names, not_scanned, &request)).await
    }

    async fn read_table(&self, data: &Data, columns: &[String], condition: Option<&str>) -> Result<SmallTable> {
        let source = self.open(data).await?;
        let (request, wanted) = (CountRequest { keys: columns.to_vec(), ..CountRequest::default() }, columns.len());
        let request = CountRequest { condition: condition.map(str::to_owned), ..request };
        let (records, conditions) = with_requested(Records::of_source(&source), &[request])?;
        let columns: Vec<usize> = columns.iter().map(|name| records.must_have(name)).collect::<Result<_>>()?;
        self.pass("reading", source, move || {
            let row = records.must_have(ROW_NUMBER)?;
            let (mut batches, mut rows) = (Vec::new(), Vec::new());
            for part in 0..records.parts() {
                records.for_each_batch(part, &mut |batch| {
                    let batch = match conditions.first().copied().flatten() {
                        Some(condition) => filter_record_batch(&batch, &mask(&batch, condition)).map_err(Error::bug)?,
                        None => batch,
                    };
                    rows.extend_from_slice(row_numbers(&batch, row)?);
                    batches.push(batch.project(&columns).map_err(Error::bug)?);
                    if rows.len() > MAX_ROWS {
                        let what = format!("a table of places may have at most {MAX_ROWS} rows");
                        return Err(Error::input(what).help("give a table of codes, not of records").into());
                    }
                    Ok(())
                })?;
            }
            SmallTable::from_batches(&batches, wanted, rows)
        })
        .await
    }

    async fn rewrite(&self, data: &Data, plan: &Plan, target: &Target) -> Result<Rewritten> {
        let source = self.open(data).await?;
        match plan.actions().iter().any(Action::is_whole) {
            false => self.stream(source, plan, target).await,
            true => self.in_memory(source, plan, target).await,
        }
    }
}

impl Embedded {
    /// Writes the records while they are read, one after the other.
    async fn stream(&self, source: Arc<dyn RecordSource>, plan: &Plan, target: &Target) -> Result<Rewritten> {
        let Planned { records, tallies, seen } = plan.apply(Records::of_source(&source))?;
        let records = records.select(|name| !name.starts_with(RESERVED_PREFIX));
        let target = target.clone();
        self.pass("writing", source, move || {
            let schema = without_remarks(records.schema());
            let mut missing = MissingCounter::new(&schema);
            let mut sink = sink::create(&target.path, target.format, schema.clone())?;
            for part in 0..records.parts() {
                records.for_each_batch(part, &mut |batch| {
                    missing.observe(&batch);
                    sink.write(&batch)
                })?;
            }
            // Only now is it known whether a step refuses a value. If one does, the file never appears.
            let blanked = settle(&tallies)?;
            let Written { rows, bytes } = sink.finish()?;
            let steps = counts(&seen, rows);
            Ok(Rewritten { rows, bytes, blanked, schema, steps, missing: missing.finish() })
        })
        .await
    }

    /// Carries out the steps one after the other on all records.
    async fn in_memory(&self, source: Arc<dyn RecordSource>, plan: &Plan, target: &Target) -> Result<Rewritten> {
        // Columns that are dropped at the start are never read.
        let first = plan.actions().iter().position(|action| !matches!(action, Action::Drop(_))).unwrap_or_default();
        let (dropped, rest) = plan.actions().split_at(first);
        let mut planned = Planned::new(Records::of_source(&source));
        for action in dropped {
            planned = planned.then(action)?;
        }
        let left = planned.records.schema().clone();
        let reading = Records::of_source(&source).read_only(|name| left.index_of(name).is_ok());
        let records = self
            .pass("reading", source, move || {
                concat_batches(reading.schema(), &reading.batches()?).map_err(|_| too_much())
            })
            .await?;
        let mut steps = RecordsInMemory::new(records, plan.setting.clone(), dropped.len())?;
        for action in rest {
            self.stop.check()?;
            steps.then(action).await?;
        }
        self.stop.check()?;
        let (records, steps, blanked) = steps.finish()?;
        let stop = self.stop.clone();
        let target = target.clone();
        let run = move || {
            let schema = without_remarks(&records.schema());
            let mut missing = MissingCounter::new(&schema);
            let mut sink = sink::create(&target.path, target.format, schema.clone())?;
            for start in (0..records.num_rows()).step_by(BATCH_ROWS) {
                let batch = records.slice(start, BATCH_ROWS.min(records.num_rows() - start));
                stop.check()?;
                missing.observe(&batch);
                sink.write(&batch)?;
            }
            let Written { rows, bytes } = sink.finish()?;
            Ok(Rewritten { rows, bytes, blanked, schema, steps, missing: missing.finish() })
        };
        tokio::task::spawn_blocking(run).await.map_err(|_| Error::bug("writing the records panicked"))?
    }
}

/// A schema without the notes of the source. Other programs note there which columns a file had, dropped ones included.
/// Labels of columns stay.
fn without_remarks(schema: &SchemaRef) -> SchemaRef {
    let plain = |field: &FieldRef| {
        let label = field.metadata().get(LABEL_METADATA).map(|label| (LABEL_METADATA.to_owned(), label.clone()));
        field.as_ref().clone().with_metadata(label.into_iter().collect())
    };
    Arc::new(Schema::new(schema.fields().iter().map(plain).collect::<Vec<Field>>()))
}

/// The label of a column, where a file has one.
const LABEL_METADATA: &str = "label";

pub(crate) fn too_much() -> Error {
    Error::input("the records do not fit into memory at once, as a step of the spec needs them")
        .help("drop variables or keep fewer records in the first steps")
        .into()
}

/// What each step did, from what its functions saw; all records that were written came through the last step.
fn counts(seen: &[StepCounter], written: u64) -> Vec<StepCount> {
    // Only steps that keep some records count them, so that the numbers in between follow from the end.
    let mut after = written;
    let mut counts: Vec<StepCount> = Vec::new();
    for step in seen.iter().rev() {
        let before = step.looked_at().unwrap_or(after);
        counts.push(step.settle(before));
        after = before;
    }
    counts.reverse();
    counts
}

/// The columns that the requests need, and for each request the one that says whether a record is counted.
fn with_requested(records: Records, requests: &[CountRequest]) -> Result<(Records, Vec<Option<usize>>)> {
    let mut wanted: HashSet<String> = HashSet::new();
    for name in requests.iter().flat_map(|request| request.keys.iter().chain(&request.weight)) {
        records.must_have(name)?;
        wanted.insert(name.clone());
    }
    let mut conditions: Vec<&str> = Vec::new();
    for condition in requests.iter().filter_map(|request| request.condition.as_deref()) {
        if !conditions.contains(&condition) {
            let parsed = parse_condition(records.schema(), condition)?;
            wanted.extend(parsed.column_refs().iter().map(|column| column.name.clone()));
            conditions.push(condition);
        }
    }
    let records = records.read_only(|name| wanted.contains(name));
    let plain = records.schema().fields().len();
    let column = |request: &CountRequest| {
        let place = conditions.iter().position(|condition| request.condition.as_deref() == Some(condition))?;
        Some(plain + place)
    };
    let positions = requests.iter().map(column).collect();
    let predicates = conditions.iter().enumerate().map(|(at, condition)| {
        Ok((format!("{RESERVED_PREFIX}where_{at}"), simplified_predicate(records.schema(), condition)?))
    });
    let predicates = predicates.collect::<Result<Vec<_>>>()?;
    Ok((if predicates.is_empty() { records } else { records.with_conditions(predicates) }, positions))
}

fn count(records: &Records, threads: usize, requests: &[(CellRequest, Option<usize>)]) -> Result<Vec<Cells>> {
    let schema = records.schema();
    let row = schema.index_of(ROW_NUMBER).map_err(Error::bug)?;
    let counters = || requests.iter().map(|(request, _)| CellCounter::new(schema, request)).collect();
    let counted = fold(records, threads, counters, |counters: &mut Vec<CellCounter>, batch| {
        for (counter, (_, condition)) in counters.iter_mut().zip(requests) {
            match condition {
                None => counter.observe(batch, row_numbers(batch, row)?)?,
                Some(condition) => {
                    let kept = filter_record_batch(batch, &mask(batch, *condition)).map_err(Error::bug)?;
                    counter.observe(&kept, row_numbers(&kept, row)?)?;
                }
            }
        }
        Ok(())
    })?;
    // Each request's counters are finished on threads of their own: sorting the cells is a good part of the work.
    let mut by_request: Vec<Vec<CellCounter>> = requests.iter().map(|_| Vec::new()).collect();
    for counters in counted {
        for (at, counter) in counters.into_iter().enumerate() {
            by_request[at].push(counter);
        }
    }
    by_request
        .into_iter()
        .map(|counters| {
            let parts = std::thread::scope(|scope| {
                let running: Vec<_> =
                    counters.into_iter().map(|counter| scope.spawn(move || counter.finish())).collect();
                running
                    .into_iter()
                    .map(|thread| thread.join().map_err(|_| Error::bug("sorting the cells panicked"))?)
                    .collect::<Result<Vec<_>>>()
            })?;
            Cells::merge(parts)
        })
        .collect()
}

pub(crate) fn row_numbers(batch: &RecordBatch, row: usize) -> Result<&[u64]> {
    let column = batch.column(row).as_primitive_opt::<UInt64Type>();
    column.map(|rows| &rows.values()[..]).ok_or_else(|| Error::bug("the row numbers are gone"))
}

/// Which records a condition accepts; where it is neither true nor false the record is left out, as in SQL.
fn mask(batch: &RecordBatch, condition: usize) -> BooleanArray {
    match batch.column(condition).as_boolean_opt() {
        Some(mask) => mask.clone(),
        None => BooleanArray::from(vec![false; batch.num_rows()]),
    }
}
