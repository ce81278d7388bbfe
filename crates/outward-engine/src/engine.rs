//! The `Engine` trait: the questions that can be asked of records, wherever these are stored.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use arrow_schema::SchemaRef;
use async_trait::async_trait;
use outward_cells::{Cells, ColumnRequest, Columns};
use outward_profile::Profile;
use outward_spec::{Format, Linked, Result, Source, Spec, Variable};

use crate::counts::StepCount;
use crate::places::UnplacedValues;
use crate::plan::Plan;
use crate::released::{ReleasedColumns, ReleasedRequest};
use crate::scan::{ScanRequest, Scanned};
use crate::small::SmallTable;
use crate::source::TypedColumn;

/// Something that counts and rewrites records. Answers do not depend on which engine gives them, nor on its threads.
#[async_trait]
pub trait Engine: Send + Sync {
    /// What the data are, without reading them.
    async fn describe(&self, data: &Data) -> Result<Description>;

    /// Counts the cells of every request in one pass over the records.
    async fn count_cells(&self, data: &Data, requests: &[CountRequest]) -> Result<Vec<Cells>>;

    /// Collects some columns of all records in one pass, and which records meet each condition. The order of the records is
    /// not kept.
    async fn read_columns(&self, data: &Data, request: &ColumnRequest, conditions: &[String]) -> Result<Columns>;

    /// Carries out several releases on the records again and collects what each shows of every record. Releases that
    /// read the records in the same way share one pass. A release whose steps cannot be carried out is an error of its
    /// own.
    async fn read_released(&self, requests: &[ReleasedRequest]) -> Result<Vec<Result<ReleasedColumns>>>;

    /// Profiles every column in one pass over the records.
    async fn profile(&self, data: &Data) -> Result<Profile>;

    /// Scans columns of text for identifiers, in one pass over the records.
    async fn scan(&self, data: &Data, request: &ScanRequest) -> Result<Scanned>;

    /// Streams the records through a plan into a file, in the order of the source.
    async fn rewrite(&self, data: &Data, plan: &Plan, target: &Target) -> Result<Rewritten>;

    /// Reads some columns of a small table whole: one about places or groups, not about people. A list of names to be found is one too.
    async fn read_table(&self, data: &Data, columns: &[String], condition: Option<&str>) -> Result<SmallTable>;
}

/// Where records are and what types their columns have.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Data {
    /// Where they are; paths as seen from here.
    pub source: Source,
    /// Columns whose type is said.
    pub columns: Vec<TypedColumn>,
}

impl Data {
    /// The records a spec is about.
    pub fn of_spec(spec: &Spec) -> Self {
        Self { source: spec.resolve_source(&spec.data), columns: columns_of(spec) }
    }

    /// The records of a linked file of a spec. Columns that its variables are read from have the types the variables say.
    pub fn of_linked(spec: &Spec, linked: &Linked) -> Self {
        let of = |variable: &&Variable| variable.from.contains(&linked.name);
        let columns = spec.variables.iter().filter(of).flat_map(|variable| {
            let column = |name: &String| {
                let data_type = variable.wanted_type()?;
                Some(TypedColumn { name: name.clone(), data_type, date_format: variable.format.clone() })
            };
            variable.read_from().iter().filter_map(column).collect::<Vec<_>>()
        });
        let mut all: Vec<TypedColumn> = Vec::new();
        columns.for_each(|column| {
            if all.iter().all(|known| known.name != column.name) {
                all.push(column)
            }
        });
        Self { source: spec.resolve_source(&linked.data), columns: all }
    }

    /// The population of a spec, where it has one. Its keys have the types of the data's; it needs no other column.
    pub fn of_population(spec: &Spec) -> Option<Self> {
        let source = spec.resolve_source(spec.population.as_ref()?);
        let keys: Vec<&str> = spec.keys().iter().map(|variable| variable.name.as_str()).collect();
        let columns = columns_of(spec).into_iter().filter(|column| keys.contains(&column.name.as_str())).collect();
        Some(Self { source, columns })
    }
}

fn columns_of(spec: &Spec) -> Vec<TypedColumn> {
    let column = |variable: &Variable| {
        Some(TypedColumn {
            name: variable.name.clone(),
            data_type: variable.wanted_type()?,
            date_format: variable.format.clone(),
        })
    };
    spec.variables.iter().filter(|variable| variable.is_column()).filter_map(column).collect()
}

/// What is known of data without reading them.
#[derive(Debug, Clone)]
pub struct Description {
    /// The source, with what its reader found out: the delimiter, the sheet.
    pub source: Source,
    /// Names and types of the columns.
    pub schema: SchemaRef,
    /// How many records, where known.
    pub records: Option<u64>,
    /// Size on disk, where known.
    pub bytes: Option<u64>,
}

/// Cells to be counted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CountRequest {
    /// The key variables.
    pub keys: Vec<String>,
    /// The weight.
    pub weight: Option<String>,
    /// The records to count, as an SQL condition; all if absent.
    pub condition: Option<String>,
}

/// A file to write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// The file.
    pub path: PathBuf,
    /// Its format; from the name if absent.
    pub format: Option<Format>,
}

/// A file that was written, and what its records lost.
#[derive(Debug, Clone, PartialEq)]
pub struct Rewritten {
    /// Records.
    pub rows: u64,
    /// The size of the file.
    pub bytes: u64,
    /// Values that the steps could not place and left out, for each step that met any.
    pub blanked: Vec<UnplacedValues>,
    /// The columns of the file and their types, whether or not the file says them.
    pub schema: SchemaRef,
    /// What each step did.
    pub steps: Vec<StepCount>,
    /// Missing values of each column of the file.
    pub missing: BTreeMap<String, u64>,
}

/// Is told how far a pass over the records is.
pub trait Progress: Send + Sync {
    /// A pass begins. `total` and what [`advanced`](Self::advanced) is told are bytes, or records where there are no
    /// files.
    fn started(&self, what: &str, total: Option<u64>);
    /// So much has been read.
    fn advanced(&self, read: u64);
    /// The pass is over.
    fn finished(&self);
}

/// Hears nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoProgress;

impl Progress for NoProgress {
    fn started(&self, _: &str, _: Option<u64>) {}
    fn advanced(&self, _: u64) {}
    fn finished(&self) {}
}

/// Progress that many threads may report to.
pub(crate) type SharedProgress = Arc<dyn Progress>;
