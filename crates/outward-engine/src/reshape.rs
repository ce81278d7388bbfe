//! Steps on single numbers, rounding and limits, as functions DataFusion can call.

use std::hash::{Hash, Hasher};
use std::sync::{Arc, Mutex, PoisonError};

use arrow_array::cast::AsArray;
use arrow_array::types::UInt64Type;
use arrow_schema::DataType;
use datafusion::error::Result;
use datafusion::logical_expr::{ColumnarValue, ScalarFunctionArgs, ScalarUDFImpl, Signature, Volatility};
use outward_microdata::steps::ColumnStep;
use outward_spec::Error;

use crate::counts::Totals;
use crate::failure::carried;

/// A step on one variable as a function of the variable and the row number.
#[derive(Debug)]
pub(crate) struct Reshape {
    variable: String,
    step: Arc<ColumnStep>,
    totals: Arc<Mutex<Totals>>,
    name: String,
    signature: Signature,
}

impl Reshape {
    pub(crate) fn new(variable: &str, step: Arc<ColumnStep>, totals: Arc<Mutex<Totals>>) -> Self {
        Self {
            name: format!("reshape_{variable}"),
            variable: variable.to_owned(),
            step,
            totals,
            signature: Signature::any(2, Volatility::Immutable),
        }
    }
}

impl PartialEq for Reshape {
    fn eq(&self, other: &Self) -> bool {
        self.variable == other.variable && Arc::ptr_eq(&self.step, &other.step)
    }
}

impl Eq for Reshape {}

impl Hash for Reshape {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name.hash(state);
    }
}

impl ScalarUDFImpl for Reshape {
    fn name(&self) -> &str {
        &self.name
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, from: &[DataType]) -> Result<DataType> {
        let from = from.first().ok_or_else(|| carried(Error::bug("a step was planned without its column")))?;
        self.step.data_type(&self.variable, from).map_err(carried)
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let arrays = args.args.iter().map(|arg| arg.to_array(args.number_rows)).collect::<Result<Vec<_>>>()?;
        let [column, rows] = arrays.as_slice() else {
            return Err(carried(Error::bug("a step was called without its column")));
        };
        let rows =
            rows.as_primitive_opt::<UInt64Type>().ok_or_else(|| carried(Error::bug("the row numbers are gone")))?;
        let reshaped = self.step.apply(&self.variable, column, rows.values()).map_err(carried)?;
        let mut totals = self.totals.lock().unwrap_or_else(PoisonError::into_inner);
        totals.changed += reshaped.changed;
        totals.known += reshaped.known;
        totals.sums.iter_mut().zip(reshaped.sums).for_each(|(total, sum)| *total += sum);
        Ok(ColumnarValue::Array(reshaped.column))
    }
}
