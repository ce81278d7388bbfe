//! Steps carried out one after the other on all records in memory, for plans with a step that needs them all at once.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::UInt64Type;
use arrow_array::{BooleanArray, RecordBatch};
use arrow_schema::{DataType, Field, Schema};
use arrow_select::concat::concat_batches;
use outward_microdata::steps::Setting;
use outward_spec::{Error, Result};

use crate::condition::predicate;
use crate::counts::StepCount;
use crate::failure::while_reading;
use crate::places::UnplacedValues;
use crate::plan::{Action, Planned, settle};
use crate::records::{RESERVED_PREFIX, ROW_NUMBER, Records};

/// The records so far and what the steps did to them.
pub(crate) struct RecordsInMemory {
    records: RecordBatch,
    setting: Option<Arc<Setting>>,
    /// Whether records alone on the keys are counted between steps.
    is_counted: bool,
    uniques: Option<u64>,
    counts: Vec<StepCount>,
    blanked: Vec<UnplacedValues>,
}

impl RecordsInMemory {
    /// Records as they were read. The first steps of the plan, `dropped` of them, left out columns only, while reading.
    pub(crate) fn new(records: RecordBatch, setting: Option<Arc<Setting>>, dropped: usize) -> Result<Self> {
        let uniques = uniques(setting.as_deref(), &records)?;
        let all = records.num_rows() as u64;
        let unchanged = StepCount { records_before: all, records_after: all, ..StepCount::default() };
        let counts = vec![unchanged; dropped];
        Ok(Self { records, setting, is_counted: true, uniques, counts, blanked: Vec::new() })
    }

    /// Records as they were read, of which nothing is counted between steps.
    pub(crate) fn uncounted(records: RecordBatch, setting: Option<Arc<Setting>>) -> Self {
        Self { records, setting, is_counted: false, uniques: None, counts: Vec::new(), blanked: Vec::new() }
    }

    /// Carries out one more step.
    pub(crate) async fn then(&mut self, action: &Action) -> Result<()> {
        let before = self.records.num_rows() as u64;
        let mut count = match action {
            Action::Whole(step) => {
                let (step, records) = (step.clone(), self.with_conditions()?);
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
            Action::Drop(variables) if !self.is_counted => {
                self.records = without(&self.records, |name| variables.iter().any(|variable| variable == name))?;
                StepCount::default()
            }
            record_wise => self.record_wise(record_wise).await?,
        };
        count.records_before = before;
        count.records_after = self.records.num_rows() as u64;
        if !self.is_counted {
            return Ok(());
        }
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

    /// The records, with a column for each condition of the policy that says which records meet it. A condition is left
    /// out if a variable it reads was dropped or has another type now. It is judged when the file is written.
    fn with_conditions(&self) -> Result<RecordBatch> {
        let Some(setting) = &self.setting else { return Ok(self.records.clone()) };
        let schema = self.records.schema_ref();
        let (mut fields, mut columns) = (schema.fields().to_vec(), self.records.columns().to_vec());
        for (at, condition) in setting.conditions().iter().enumerate() {
            let Ok(predicate) = predicate(schema, condition) else { continue };
            let answers = predicate.evaluate(&self.records).map_err(while_reading)?;
            let holds: BooleanArray = answers.iter().map(|answer| Some(answer == Some(true))).collect();
            fields.push(Arc::new(Field::new(Setting::condition_column(at), DataType::Boolean, false)));
            columns.push(Arc::new(holds));
        }
        let schema = Schema::new_with_metadata(fields, schema.metadata().clone());
        RecordBatch::try_new(Arc::new(schema), columns).map_err(Error::bug)
    }

    async fn record_wise(&mut self, action: &Action) -> Result<StepCount> {
        let records = Records::of_batch(self.records.clone());
        let Planned { records, tallies, seen } = Planned::new(records).then(action)?;
        let run = move || concat_batches(records.schema(), &records.batches()?).map_err(Error::bug);
        let before = self.records.num_rows() as u64;
        self.records = tokio::task::spawn_blocking(run).await.map_err(|_| Error::bug("a step panicked"))??;
        self.blanked.extend(settle(&tallies)?);
        Ok(seen.first().map(|seen| seen.settle(before)).unwrap_or_default())
    }

    /// The records after all steps, with the numbers of their rows.
    pub(crate) fn records(self) -> RecordBatch {
        self.records
    }

    /// The records to be written, without columns of our own.
    pub(crate) fn finish(self) -> Result<(RecordBatch, Vec<StepCount>, Vec<UnplacedValues>)> {
        let fields = self.records.schema_ref().fields();
        let kept: Vec<usize> =
            (0..fields.len()).filter(|at| !fields[*at].name().starts_with(RESERVED_PREFIX)).collect();
        Ok((self.records.project(&kept).map_err(Error::bug)?, self.counts, self.blanked))
    }
}

fn without_conditions(records: &RecordBatch) -> Result<RecordBatch> {
    without(records, Setting::is_condition_column)
}

/// The records without some columns.
fn without(records: &RecordBatch, is_left_out: impl Fn(&str) -> bool) -> Result<RecordBatch> {
    let fields = records.schema_ref().fields();
    let kept: Vec<usize> = (0..fields.len()).filter(|at| !is_left_out(fields[*at].name())).collect();
    records.project(&kept).map_err(Error::bug)
}

fn uniques(setting: Option<&Setting>, records: &RecordBatch) -> Result<Option<u64>> {
    match setting {
        Some(setting) => setting.uniques(records, row_numbers(records)?),
        None => Ok(None),
    }
}

fn row_numbers(records: &RecordBatch) -> Result<&[u64]> {
    let rows = records.column_by_name(ROW_NUMBER).and_then(|column| column.as_primitive_opt::<UInt64Type>());
    rows.map(|rows| &rows.values()[..]).ok_or_else(|| Error::bug("the row numbers are gone"))
}
