//! Finds headings of a table that name people, from the different values, as the profile of a column does.

use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, StringArray};
use outward_profile::Profiler;
use outward_spec::{Error, Result, Role};

/// Why the values of a variable identify people by their content; `None` if they do not. Their shape alone does not
/// count, as every heading occurs once.
pub(crate) fn identifying<'a>(variable: &str, values: impl Iterator<Item = &'a str>) -> Result<Option<String>> {
    let column: ArrayRef = Arc::new(StringArray::from_iter_values(values));
    let batch = RecordBatch::try_from_iter([(variable, column)]).map_err(Error::bug)?;
    let mut profiler = Profiler::new(batch.schema_ref());
    profiler.observe(1, &batch);
    let profile = profiler.finish();
    let found = profile.columns.first().and_then(|column| column.forbidden_role(&[Role::Identifier], true));
    Ok(found.map(|(_, because)| because.trim_end_matches('.').to_owned()))
}
