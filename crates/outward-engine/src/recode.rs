//! Recoding by a hierarchy. A value is looked up once per batch or dictionary, not once per record.

use std::borrow::Cow;
use std::sync::{Arc, Mutex, PoisonError};

use arrow_array::cast::AsArray;
use arrow_array::types::Int32Type;
use arrow_array::{Array, ArrayRef, DictionaryArray, PrimitiveArray, StringArray};
use arrow_cast::cast;
use arrow_schema::DataType;
use outward_spec::{Error, Hierarchy, Result};

use crate::counts::Categories;
use crate::records::Change;

/// Replaces each value by its label at a level of a hierarchy.
#[derive(Debug)]
pub(crate) struct Recode {
    variable: String,
    level: usize,
    hierarchy: Arc<Hierarchy>,
    categories: Arc<Mutex<Categories>>,
}

impl Recode {
    pub(crate) fn new(
        variable: &str,
        level: usize,
        hierarchy: Arc<Hierarchy>,
        categories: Arc<Mutex<Categories>>,
    ) -> Self {
        Self { variable: variable.to_owned(), level, hierarchy, categories }
    }

    fn recode(&self, column: &ArrayRef) -> Result<ArrayRef> {
        let as_dictionary = DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8));
        let text = match column.data_type() {
            DataType::Dictionary(..) => column.clone(),
            // Through text first: numbers and dates do not become dictionaries of text in one cast.
            _ => cast(column, &DataType::Utf8).map_err(Error::bug)?,
        };
        let column = cast(&text, &as_dictionary).map_err(Error::bug)?;
        let column = column.as_dictionary::<Int32Type>();
        let values = column.values().as_string::<i32>();
        let labels: Vec<Option<_>> =
            values.iter().map(|value| value.map(|value| self.hierarchy.recode(value, self.level))).collect();
        let missed = |key: usize| matches!(labels[key], Some(None));
        let rows = column.keys().iter().flatten().filter(|key| missed(*key as usize)).count();
        if rows > 0 {
            let values = (0..labels.len()).filter(|key| missed(*key)).count();
            let what = format!("the hierarchy misses {values} of the values ({rows} records in one batch)");
            let help = "add the values to the hierarchy; `outward assess` counts them all (OUT016)";
            return Err(Error::input(what).variable(&self.variable).help(help).into());
        }
        self.note(column.keys(), values, &labels);
        let labels: StringArray = labels.into_iter().map(Option::flatten).collect();
        let recoded = DictionaryArray::<Int32Type>::try_new(column.keys().clone(), Arc::new(labels));
        cast(&recoded.map_err(Error::bug)?, &DataType::Utf8).map_err(Error::bug)
    }

    /// Remembers the values and labels that records have; a dictionary may hold others.
    fn note(&self, keys: &PrimitiveArray<Int32Type>, values: &StringArray, labels: &[Option<Option<Cow<'_, str>>>]) {
        let mut used = vec![false; labels.len()];
        keys.iter().flatten().for_each(|key| used[key as usize] = true);
        let mut seen = self.categories.lock().unwrap_or_else(PoisonError::into_inner);
        for (key, label) in labels.iter().enumerate().filter(|(key, _)| used[*key]) {
            if let Some(Some(label)) = label
                && !seen.before.contains(values.value(key))
            {
                seen.before.insert(values.value(key).into());
                if !seen.after.contains(&**label) {
                    seen.after.insert((&**label).into());
                }
            }
        }
    }
}

impl Change for Recode {
    fn data_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(DataType::Utf8)
    }

    fn change(&self, columns: &[ArrayRef]) -> Result<ArrayRef> {
        let column = columns.first().ok_or_else(|| Error::bug("recode was called without a column"))?;
        self.recode(column)
    }
}
