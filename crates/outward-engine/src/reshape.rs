//! Steps on single numbers: rounding and limits.

use std::sync::{Arc, Mutex, PoisonError};

use arrow_array::ArrayRef;
use arrow_array::cast::AsArray;
use arrow_array::types::UInt64Type;
use arrow_schema::DataType;
use outward_microdata::steps::ColumnStep;
use outward_spec::{Error, Result};

use crate::counts::Totals;
use crate::records::Change;

/// A step on one variable, made of the variable and the row number.
#[derive(Debug)]
pub(crate) struct Reshape {
    variable: String,
    step: Arc<ColumnStep>,
    totals: Arc<Mutex<Totals>>,
}

impl Reshape {
    pub(crate) fn new(variable: &str, step: Arc<ColumnStep>, totals: Arc<Mutex<Totals>>) -> Self {
        Self { variable: variable.to_owned(), step, totals }
    }
}

impl Change for Reshape {
    fn data_type(&self, from: &[DataType]) -> Result<DataType> {
        let from = from.first().ok_or_else(|| Error::bug("a step was planned without its column"))?;
        self.step.data_type(&self.variable, from)
    }

    fn change(&self, columns: &[ArrayRef]) -> Result<ArrayRef> {
        let [column, rows] = columns else { return Err(Error::bug("a step was called without its column")) };
        let rows = rows.as_primitive_opt::<UInt64Type>().ok_or_else(|| Error::bug("the row numbers are gone"))?;
        let reshaped = self.step.apply(&self.variable, column, rows.values())?;
        let mut totals = self.totals.lock().unwrap_or_else(PoisonError::into_inner);
        totals.changed += reshaped.changed;
        totals.known += reshaped.known;
        totals.sums.iter_mut().zip(reshaped.sums).for_each(|(total, sum)| *total += sum);
        Ok(reshaped.column)
    }
}
