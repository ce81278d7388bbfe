//! Records as several releases of them show them, side by side: each release's steps are carried out again on the same records.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::UInt64Type;
use arrow_array::{ArrayRef, RecordBatch};
use arrow_select::concat::concat_batches;
use outward_cells::{Coded, MISSING};
use outward_spec::{Error, Result, Step};

use crate::condition::parse_condition_text;
use crate::embedded::Embedded;
use crate::engine::Data;
use crate::plan::Plan;
use crate::records::{ROW_NUMBER, Records};
use crate::source::RecordSource;
use crate::stepwise::RecordsInMemory;

/// A release to be carried out again.
#[derive(Debug, Clone)]
pub struct ReleasedRequest {
    /// The records, and how they are read.
    pub data: Data,
    /// Its steps.
    pub plan: Plan,
    /// The columns that its steps read; all if absent. Steps may leave out columns that are not read.
    pub reads: Option<Vec<String>>,
    /// The published columns that are asked for.
    pub columns: Vec<String>,
}

/// What a release shows of every record, in the order of the source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReleasedColumns {
    /// Whether the record is in the release.
    pub present: Vec<bool>,
    /// The records of the release in its order, each by the row of the source it was made from, from 0.
    pub order: Vec<u32>,
    /// Each column that was asked for. Missing in records that are not in the release.
    pub columns: Vec<Coded>,
}

impl Embedded {
    /// Reads the records once for each way of reading them, and carries out every release on them.
    pub(crate) async fn carry_out(&self, requests: &[ReleasedRequest]) -> Result<Vec<Result<ReleasedColumns>>> {
        let mut answers: Vec<Option<Result<ReleasedColumns>>> = requests.iter().map(|_| None).collect();
        for first in 0..requests.len() {
            let alike: Vec<usize> =
                (first..requests.len()).filter(|at| requests[*at].data == requests[first].data).collect();
            if answers[first].is_some() {
                continue;
            }
            let source = self.open(&requests[first].data).await?;
            let wanted: Vec<&ReleasedRequest> = alike.iter().map(|at| &requests[*at]).collect();
            let records = self.read_for(source, &wanted).await?;
            let mut known = KnownColumns::default();
            for (at, request) in alike.into_iter().zip(wanted) {
                answers[at] = Some(carry_out(request, records.clone(), &mut known).await);
            }
        }
        Ok(answers.into_iter().flatten().collect())
    }

    /// The columns that some releases need, of all records.
    async fn read_for(&self, source: Arc<dyn RecordSource>, wanted: &[&ReleasedRequest]) -> Result<RecordBatch> {
        let all = Records::of_source(&source);
        for name in wanted.iter().flat_map(|request| request.reads.iter().flatten().chain(&request.columns)) {
            all.must_have(name)?;
        }
        let reads = |request: &&&ReleasedRequest, name: &str| {
            let named = |names: &Vec<String>| names.iter().any(|known| known == name);
            request.reads.as_ref().is_none_or(named) || named(&request.columns)
        };
        let records = all.read_only(|name| wanted.iter().any(|request| reads(&request, name)));
        self.pass("reading", source, move || {
            concat_batches(records.schema(), &records.batches()?).map_err(|_| crate::embedded::too_much())
        })
        .await
    }
}

/// The columns that steps on single records read, apart from those they only leave out.
///
/// # Errors
/// Where a condition cannot be read.
pub fn columns_read_by(steps: &[Step]) -> Result<Vec<String>> {
    let mut names: Vec<String> = Vec::new();
    for step in steps.iter().filter(|step| !matches!(step, Step::Drop { .. })) {
        names.extend(step.variables().into_iter().map(|(_, name)| name.clone()));
        if let Step::Keep { condition } = step {
            names.extend(parse_condition_text(condition)?.columns);
        }
    }
    names.sort_unstable();
    names.dedup();
    Ok(names)
}

/// Columns as they were read that are coded already: several releases show most of them unchanged.
#[derive(Default)]
struct KnownColumns(Vec<(ArrayRef, Coded)>);

impl KnownColumns {
    fn coded(&mut self, column: &ArrayRef) -> Result<Coded> {
        if let Some((_, coded)) = self.0.iter().find(|(known, _)| Arc::ptr_eq(known, column)) {
            return Ok(coded.clone());
        }
        let coded = Coded::from_column(column)?;
        self.0.push((column.clone(), coded.clone()));
        Ok(coded)
    }
}

/// The columns of one release after its steps. They are in the order of the records as they were read.
async fn carry_out(
    request: &ReleasedRequest,
    records: RecordBatch,
    known: &mut KnownColumns,
) -> Result<ReleasedColumns> {
    let all = records.num_rows();
    let mut steps = RecordsInMemory::uncounted(records, request.plan.setting.clone());
    for action in request.plan.actions() {
        steps.then(action).await?;
    }
    let released = steps.records();
    let rows = released.column_by_name(ROW_NUMBER).and_then(|column| column.as_primitive_opt::<UInt64Type>());
    let rows = rows.ok_or_else(|| Error::bug("the row numbers are gone"))?.values();
    let mut present = vec![false; all];
    let at: Vec<usize> = rows.iter().map(|row| *row as usize - 1).collect();
    at.iter().for_each(|at| present[*at] = true);
    let order = at.iter().map(|at| u32::try_from(*at)).collect::<std::result::Result<Vec<_>, _>>();
    let order = order.map_err(|_| Error::input("there are too many records to hold them in memory"))?;
    let is_whole = order.len() == all && order.iter().zip(0..).all(|(row, at)| *row == at);
    let column = |name: &String| -> Result<Coded> {
        let column = released.column_by_name(name);
        let coded = known.coded(column.ok_or_else(|| Error::bug("a published column is gone"))?)?;
        if is_whole {
            return Ok(coded);
        }
        let mut codes = vec![MISSING; all];
        at.iter().zip(&coded.codes).for_each(|(at, code)| codes[*at] = *code);
        Ok(Coded { codes, dictionary: coded.dictionary })
    };
    Ok(ReleasedColumns { columns: request.columns.iter().map(column).collect::<Result<_>>()?, present, order })
}
