//! Swapping records between places.

use std::collections::BTreeMap;

use arrow_array::RecordBatch;
use outward_cells::Coded;
use outward_report::format::count;
use outward_spec::{Error, Result, Step, Variable};

use super::columns::{all_coded, coded, position, replaced, slices, taken};
use super::rows::{listed, shuffled};
use super::setting::{Setting, count as count_cells};
use super::{Changed, WholeStep};
use crate::swap::revealing::find_revealing;
use crate::swap::{SwapRequest, Swapped, swap_records};

pub(super) fn swap(step: &WholeStep, records: &RecordBatch, rows: &[u64]) -> Result<Changed> {
    let Step::Swap { geography, keys, k, population_below, share, similar, hold } = &step.step else {
        return Err(Error::bug("a swap was asked of another step"));
    };
    let keys = match keys.is_empty() {
        true => {
            let others = step.setting.keys(records).into_iter().map(|key| key.name.clone());
            others.filter(|name| !geography.contains(name)).collect()
        }
        false => keys.clone(),
    };
    let (places, risk) = (all_coded(records, geography)?, all_coded(records, &keys)?);
    let household = step.setting.spec.household().filter(|variable| position(records, &variable.name).is_ok());
    let household = household.map(|variable| coded(records, &variable.name)).transpose()?;
    let similar_coded: Vec<Vec<Coded>> = similar.iter().map(|list| all_coded(records, list)).collect::<Result<_>>()?;
    let hold_coded: Vec<Vec<Coded>> = hold.iter().map(|list| all_coded(records, list)).collect::<Result<_>>()?;
    let marked = match population_below {
        0 => None,
        below => Some(rare_in_population(step, records, rows, *below)?),
    };
    // Every level of the geography asks for the same k: a unit that is rare in a region is rare in its parts.
    let levels = vec![*k; geography.len()];
    let swapped = swap_records(&SwapRequest {
        geography: &slices(&places),
        household: household.as_ref().map(|household| household.codes.as_slice()),
        risk: &slices(&risk),
        k: &levels,
        similar: &similar_coded.iter().map(|list| slices(list)).collect::<Vec<_>>(),
        hold: &hold_coded.iter().map(|list| slices(list)).collect::<Vec<_>>(),
        share: *share,
        marked: marked.as_deref(),
        seed: step.seed(),
        threads: step.setting.threads,
    })?;
    refuse_revealing(records, geography, &places, &swapped, step.setting.threads)?;
    let mut columns = Vec::new();
    let mut changed = BTreeMap::new();
    for (name, places) in geography.iter().zip(&places) {
        let at = position(records, name)?;
        let moved = swapped.takes_from.iter().enumerate();
        let moved = moved.filter(|(row, from)| places.codes[*row] != places.codes[**from as usize]).count();
        changed.insert(name.clone(), moved as u64);
        columns.push((at, taken(records.column(at), swapped.takes_from.iter().copied().map(Some))?));
    }
    let figures = [
        ("units", swapped.units),
        ("risky", swapped.risky),
        ("risky_swapped", swapped.risky_swapped),
        ("not_matched", swapped.not_matched),
        ("random_swapped", swapped.random_swapped),
        ("records_moved", swapped.records_moved),
    ];
    Ok(Changed {
        records: shuffled(step, &replaced(records, columns)?)?,
        changed,
        figures: figures.into_iter().map(|(name, figure)| (name.to_owned(), figure as f64)).collect(),
        notes: notes(&swapped, geography, hold, household.is_some()),
    })
}

/// If the place can be derived from one or two columns that are not swapped, they show who was swapped, and from where.
fn refuse_revealing(
    records: &RecordBatch,
    geography: &[String],
    places: &[Coded],
    swapped: &Swapped,
    threads: usize,
) -> Result<()> {
    let fields = records.schema_ref().fields().iter().map(|field| field.name());
    let names: Vec<String> =
        fields.filter(|name| !Setting::is_our_column(name) && !geography.contains(name)).cloned().collect();
    let columns = all_coded(records, &names)?;
    let Some(revealing) = find_revealing(&slices(&columns), &slices(places), &swapped.takes_from, threads) else {
        return Ok(());
    };
    let place = &geography[revealing.level];
    let fault = match revealing.columns.as_slice() {
        [first, second] => {
            let (first, second) = (&names[*first], &names[*second]);
            Error::input(format!(
                "`{first}` and `{second}` together reveal the `{place}` that swapped records came from"
            ))
            .variable(first)
            .help("drop or coarsen one of them before the swap, or name both in `geography`: they then move along")
        }
        only => {
            Error::input(format!("the values of this variable reveal the `{place}` that swapped records came from"))
                .variable(only.first().map(|only| names[*only].as_str()).unwrap_or_default())
                .help("drop or coarsen it before the swap, or name it in `geography`: it then moves along")
        }
    };
    Err(fault.into())
}

/// Records whose keys, places included, few of the population share.
fn rare_in_population(step: &WholeStep, records: &RecordBatch, rows: &[u64], below: u64) -> Result<Vec<bool>> {
    let keys: Vec<&Variable> = step.setting.keys(records);
    let Some(population) = step.setting.population(&keys, step.at)? else {
        return Err(Error::input("there is no population to be rare in")
            .help("add a section `[population]` to the spec, or leave `population_below` out")
            .into());
    };
    let names: Vec<String> = keys.iter().map(|key| key.name.clone()).collect();
    let cells = count_cells(records, rows, names.clone())?;
    let shared = cells.counts_in(&population)?;
    let columns = all_coded(records, &names)?;
    let mut cell_of = std::collections::HashMap::new();
    for cell in 0..cells.len() {
        let codes: Vec<u32> = (0..names.len()).map(|key| cells.code(cell, key)).collect();
        cell_of.insert(codes, cell);
    }
    let mut codes = vec![0; names.len()];
    let rare = |row: usize| {
        codes.iter_mut().zip(&columns).for_each(|(code, column)| *code = column.codes[row]);
        cell_of.get(&codes).is_some_and(|cell| shared[*cell] < below)
    };
    Ok((0..records.num_rows()).map(rare).collect())
}

fn notes(swapped: &Swapped, geography: &[String], hold: &[Vec<String>], households: bool) -> Vec<String> {
    let units = if households { "households" } else { "records" };
    let finest = geography.last().map(String::as_str).unwrap_or_default();
    let mut notes = vec![format!(
        "{} of {} {units} were risky: {} were swapped with one elsewhere, {} found no partner; {} others were swapped at random",
        count(swapped.risky),
        count(swapped.units),
        count(swapped.risky_swapped),
        count(swapped.not_matched),
        count(swapped.random_swapped),
    )];
    let counted = if households { "the number of households, and of records," } else { "the number of records" };
    notes.push(format!("{counted} in each `{finest}` is as before; the records are in a random order"));
    notes.extend(hold.iter().map(|list| format!("the table of {} by `{finest}` is as before", listed(list))));
    if swapped.without_region > 0 {
        notes.push(format!("{} {units} without a place stayed as they were", count(swapped.without_region)));
    }
    notes
}
