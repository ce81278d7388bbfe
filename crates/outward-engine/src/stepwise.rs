//! Steps carried out one after the other on all records in memory, for plans with a step that needs them all at once.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::UInt64Type;
use arrow_array::{ArrayRef, BooleanArray, RecordBatch};
use arrow_schema::{DataType, Field, Schema};
use arrow_select::concat::concat_batches;
use datafusion::physical_plan::ExecutionPlanProperties;
use outward_microdata::steps::Setting;
use outward_spec::{Error, Result};

use crate::condition::parse_condition;
use crate::counts::StepCount;
use crate::embedded::{physical, session_as_written};
use crate::failure::while_reading;
use crate::fold::for_each_batch;
use crate::places::Blanked;
use crate::plan::{Action, Planned, settle};
use crate::table::{OURS, ROW};

/// The records so far and what the steps did to them.
pub(crate) struct Steps {
    records: RecordBatch,
    setting: Option<Arc<Setting>>,
    uniques: Option<u64>,
    counts: Vec<StepCount>,
    blanked: Vec<Blanked>,
}

impl Steps {
    /// Records as they were read. The first steps of the plan, `dropped` of them, left out columns only, while reading.
    pub(crate) fn new(records: RecordBatch, setting: Option<Arc<Setting>>, dropped: usize) -> Result<Self> {
        let uniques = uniques(setting.as_deref(), &records)?;
        let all = records.num_rows() as u64;
        let unchanged = StepCount { records_before: all, records_after: all, ..StepCount::default() };
        Ok(Self { records, setting, uniques, counts: vec![unchanged; dropped], blanked: Vec::new() })
    }

    /// Carries out one more step.
    pub(crate) async fn then(&mut self, action: &Action) -> Result<()> {
        let before = self.records.num_rows() as u64;
        let mut count = match action {
            Action::Whole(step) => {
                let (step, records) = (step.clone(), self.with_conditions().await?);
                let run = move || step.apply(&records, row_numbers(&records)?);
                let changed = tokio::task::spawn_blocking(run).await.map_err(|_| Error::bug("a step panicked"))??;
                self.records = without_conditions(&changed.records)?;
                StepCount {
                    changed: changed.changed,
                    figures: changed.figures,
                    notes: changed.notes,
                    ..StepCount::default()
                }
            }
            record_wise => self.record_wise(record_wise).await?,
        };
        count.records_before = before;
        count.records_after = self.records.num_rows() as u64;
        let uniques = uniques(self.setting.as_deref(), &self.records)?;
        count.uniques = self.uniques.zip(uniques).map(|(before, after)| [before, after]);
        self.uniques = uniques;
        if let Some(setting) = &self.setting {
            let alone =
                setting.population_uniques(&self.records, row_numbers(&self.records)?, self.counts.len() + 1)?;
            count.figures.extend(alone.map(|alone| ("population_uniques".to_owned(), alone as f64)));
        }
        self.counts.push(count);
        Ok(())
    }

    /// The records with a column for each condition of the policy that says of which records it holds. A condition on
    /// variables that are not there any more, or not any more of this type, is left out: it is judged when the file is written.
    async fn with_conditions(&self) -> Result<RecordBatch> {
        let Some(setting) = &self.setting else { return Ok(self.records.clone()) };
        let mut records = self.records.clone();
        for (at, condition) in setting.conditions().iter().enumerate() {
            let session = session_as_written();
            let frame = session.read_batch(self.records.clone()).map_err(while_reading)?;
            let Ok(parsed) = parse_condition(&frame, condition) else { continue };
            let name = Setting::condition_column(at);
            let Ok(plan) = physical(frame.select(vec![parsed.alias(&name)]).map_err(while_reading)?).await else {
                continue;
            };
            let context = session.task_ctx();
            let mut holds: Vec<bool> = Vec::new();
            for part in 0..plan.output_partitioning().partition_count() {
                for_each_batch(&plan, &context, part, &mut |batch| {
                    let mask =
                        batch.column(0).as_boolean_opt().ok_or_else(|| Error::bug("a condition is no condition"))?;
                    holds.extend(mask.iter().map(|holds| holds == Some(true)));
                    Ok(())
                })?;
            }
            let field = Arc::new(Field::new(&name, DataType::Boolean, false));
            let fields: Vec<_> = records.schema_ref().fields().iter().cloned().chain([field]).collect();
            let column: ArrayRef = Arc::new(BooleanArray::from(holds));
            let columns = records.columns().iter().cloned().chain([column]).collect();
            let schema = Schema::new_with_metadata(fields, records.schema_ref().metadata().clone());
            records = RecordBatch::try_new(Arc::new(schema), columns).map_err(Error::bug)?;
        }
        Ok(records)
    }

    async fn record_wise(&mut self, action: &Action) -> Result<StepCount> {
        let session = session_as_written();
        let records = session.read_batch(self.records.clone()).map_err(while_reading)?;
        let Planned { records, tallies, seen } = Planned::new(records).then(action)?;
        let (plan, context) = (physical(records).await?, session.task_ctx());
        let run = move || -> Result<RecordBatch> {
            let mut batches = Vec::new();
            for part in 0..plan.output_partitioning().partition_count() {
                for_each_batch(&plan, &context, part, &mut |batch| {
                    batches.push(batch);
                    Ok(())
                })?;
            }
            concat_batches(&plan.schema(), &batches).map_err(Error::bug)
        };
        let before = self.records.num_rows() as u64;
        self.records = tokio::task::spawn_blocking(run).await.map_err(|_| Error::bug("a step panicked"))??;
        self.blanked.extend(settle(&tallies)?);
        Ok(seen.first().map(|seen| seen.settle(before)).unwrap_or_default())
    }

    /// The records to be written, without columns of our own.
    pub(crate) fn finish(self) -> Result<(RecordBatch, Vec<StepCount>, Vec<Blanked>)> {
        let fields = self.records.schema_ref().fields();
        let kept: Vec<usize> = (0..fields.len()).filter(|at| !fields[*at].name().starts_with(OURS)).collect();
        Ok((self.records.project(&kept).map_err(Error::bug)?, self.counts, self.blanked))
    }
}

fn without_conditions(records: &RecordBatch) -> Result<RecordBatch> {
    let fields = records.schema_ref().fields();
    let kept: Vec<usize> = (0..fields.len()).filter(|at| !Setting::is_condition_column(fields[*at].name())).collect();
    records.project(&kept).map_err(Error::bug)
}

fn uniques(setting: Option<&Setting>, records: &RecordBatch) -> Result<Option<u64>> {
    match setting {
        Some(setting) => setting.uniques(records, row_numbers(records)?),
        None => Ok(None),
    }
}

fn row_numbers(records: &RecordBatch) -> Result<&[u64]> {
    let rows = records.column_by_name(ROW).and_then(|column| column.as_primitive_opt::<UInt64Type>());
    rows.map(|rows| &rows.values()[..]).ok_or_else(|| Error::bug("the row numbers are gone"))
}
