//! Steps that protect combinations of keys: values left out, records left out, records recoded further than others.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, StringArray};
use outward_report::format::{count, share};
use outward_spec::{Error, Missing, Result, Scenario};

use super::columns::{all_coded, kept, position, replaced, slices, taken};
use super::rows::{joined, listed};
use super::{Changed, WholeStep};
use crate::evidence::Evidence;
use crate::planning::{self, LocalRecoding};
use crate::pram::{Pram, post_randomise};
use crate::suppress::{Blanks, Constraint, Request, suppress as choose_cells};
use crate::suppress_records::suppress_records as leave_out;

/// Leaves single values out.
pub(super) fn suppress(
    step: &WholeStep,
    records: &RecordBatch,
    named: &[String],
    k: Option<u64>,
    importance: &BTreeMap<String, f64>,
    blanks: Blanks,
) -> Result<Changed> {
    let setting = &step.setting;
    let there = |name: &String| position(records, name).is_ok();
    let all: Vec<String> = setting.keys(records).iter().map(|key| key.name.clone()).collect();
    let wanted = if named.is_empty() { all } else { named.to_vec() };
    let mut keys = wanted.clone();
    // The policy's higher k on some keys or records. A condition that cannot be evaluated here is judged when the file
    // is written.
    let weak: Vec<Scenario> = match (k, named.is_empty()) {
        (None, true) => setting.spec.scenarios_with_k(&setting.rules),
        _ => Vec::new(),
    };
    for scenario in &weak {
        for name in scenario.keys.iter().filter(|name| there(name)) {
            if !keys.contains(name) {
                keys.push(name.clone());
            }
        }
    }
    if keys.is_empty() {
        return Err(Error::input("no key is left to protect").help("say which: `keys = [...]`").into());
    }
    let at = |names: &[String]| -> Vec<usize> {
        names.iter().filter_map(|name| keys.iter().position(|key| key == name)).collect()
    };
    let mut constraints = vec![Constraint { keys: at(&wanted), k: k.unwrap_or(setting.rules.k), rows: None }];
    for scenario in &weak {
        let k = scenario.k.unwrap_or(setting.rules.k);
        let rows = scenario.condition.as_ref().map(|condition| setting.rows_where(records, condition));
        if rows != Some(None) {
            constraints.push(Constraint { keys: at(&scenario.keys), k, rows: rows.flatten() });
        }
    }
    if let (Some(combinations), None) = (setting.rules.all_combinations, k) {
        let sizes = 1..=combinations.keys.min(wanted.len());
        let subsets = sizes.flat_map(|size| outward_cells::combinations(wanted.len(), size));
        constraints.extend(subsets.map(|keys| Constraint { keys, k: combinations.k, rows: None }));
    }
    let columns = all_coded(records, &keys)?;
    let spec = &setting.spec;
    let missing = |name: &String| spec.variable(name).map_or(spec.missing, |variable| spec.missing_of(variable));
    let missing: Vec<Missing> = keys.iter().map(missing).collect();
    let costs: Vec<f64> = keys.iter().map(|key| importance.get(key).copied().unwrap_or(1.0)).collect();
    let chosen = choose_cells(&Request {
        keys: &slices(&columns),
        missing: &missing,
        constraints: &constraints,
        importance: &costs,
        blanks,
        threads: setting.threads,
    })?;
    let mut changed = BTreeMap::new();
    let mut replacements = Vec::new();
    for (key, name) in keys.iter().enumerate().filter(|(key, _)| chosen.per_key[*key] > 0) {
        let at = position(records, name)?;
        let kept = (0..).zip(&chosen.masks).map(|(row, mask)| (mask >> key & 1 == 0).then_some(row));
        replacements.push((at, taken(records.column(at), kept)?));
        changed.insert(name.clone(), chosen.per_key[key]);
    }
    let figures = [
        ("cost", chosen.cost),
        ("lower_bound", chosen.lower_bound),
        ("rare_records", chosen.below_k as f64),
        ("rare_records_left_whole", chosen.whole as f64),
    ];
    let note = format!(
        "{} values were left out of {} records; {} records were rare on {}",
        count(chosen.cells),
        count(chosen.masks.iter().filter(|mask| **mask != 0).count() as u64),
        count(chosen.below_k),
        listed(&wanted),
    );
    let whole = (chosen.whole > 0).then(|| {
        format!(
            "{} of the rare records stayed whole: values left out of others make those match them",
            count(chosen.whole)
        )
    });
    Ok(Changed {
        records: replaced(records, replacements)?,
        changed,
        figures: figures.into_iter().map(|(name, figure)| (name.to_owned(), figure)).collect(),
        notes: [Some(note), whole].into_iter().flatten().collect(),
    })
}

/// Changes categories at random.
pub(super) fn pram(
    step: &WholeStep,
    records: &RecordBatch,
    variables: &[String],
    (keep, share): (f64, f64),
    within: &[String],
) -> Result<Changed> {
    let strata = joined(records, within)?;
    let settings = Pram { least_kept: keep, weight: share };
    let mut changed = BTreeMap::new();
    let mut replacements = Vec::new();
    for (name, coded) in variables.iter().zip(all_coded(records, variables)?) {
        let drawn = post_randomise(&coded.codes, strata.as_deref(), &settings, &mut step.random(name))?;
        // A record that has the category already lends its value, so that the column keeps its type.
        let mut lender = vec![None; coded.dictionary.len() + 1];
        for (row, code) in (0u32..).zip(&coded.codes) {
            lender[*code as usize].get_or_insert(row);
        }
        let at = position(records, name)?;
        let lent = (0u32..).zip(&drawn.codes).map(|(row, code)| match code {
            0 => Some(row),
            code => lender[*code as usize],
        });
        replacements.push((at, taken(records.column(at), lent)?));
        changed.insert(name.clone(), drawn.changed);
    }
    let notes = vec!["categories stay as frequent as they were, on average over many such releases".to_owned()];
    Ok(Changed { records: replaced(records, replacements)?, changed, figures: BTreeMap::new(), notes })
}

/// Leaves records out until the policy holds for the rest, as far as this is possible.
pub(super) fn suppress_records(step: &WholeStep, records: &RecordBatch, limit: f64) -> Result<Changed> {
    let setting = &step.setting;
    let (evidence, cell_of) = Evidence::of_records(setting, records, step.at)?;
    let models = evidence.models(&setting.spec, &setting.rules, None)?;
    let chosen = leave_out(&models, &evidence.table()?)?;
    let all = records.num_rows() as u64;
    if exceeds(chosen.records, limit, all) {
        let needed = chosen.records as f64 / all.max(1) as f64;
        let what = format!(
            "{} of {} records would have to be left out ({}), and the limit is {}",
            count(chosen.records),
            count(all),
            share(needed),
            share(limit)
        );
        let rounded = (needed * 1000.0).ceil() / 1000.0;
        let help = format!(
            "raise the limit to {rounded}, or recode the keys further before this step: `outward plan` says which"
        );
        return Err(Error::input(what).help(help).into());
    }
    let mut notes = Vec::new();
    for (model, removed) in models.iter().zip(&chosen.per_model).filter(|(_, removed)| **removed > 0) {
        notes.push(format!("{} records were left out for {}", count(*removed), model.says()));
    }
    let keep = cell_of.iter().map(|cell| !chosen.removed[*cell as usize]).collect();
    Ok(Changed::rows(kept(records, keep)?, notes))
}

/// Whether so many of all records exceed a share of them, with an allowance for rounding of the share.
fn exceeds(records: u64, limit: f64, all: u64) -> bool {
    records as f64 > limit * all as f64 + 1e-6
}

/// Recodes the keys by their hierarchies until the policy holds: most records as little as possible, the rest further.
pub(super) fn recode_locally(step: &WholeStep, records: &RecordBatch, limit: f64) -> Result<Changed> {
    let setting = &step.setting;
    let (spec, rules) = (&setting.spec, &setting.rules);
    let (evidence, cell_of) = Evidence::of_records(setting, records, step.at)?;
    let LocalRecoding { searched, improved, first_loss } =
        planning::recode_locally(&evidence, spec, rules, setting.threads)?;
    let names: Vec<String> = evidence.keys.iter().map(|key| key.name.clone()).collect();
    let (all, left_out) = (records.num_rows() as f64, improved.release.suppressed_records);
    if exceeds(left_out, limit, records.num_rows() as u64) {
        let what =
            format!("{} records would still have to be left out ({})", count(left_out), share(left_out as f64 / all));
        let needed = (left_out as f64 / all * 1000.0).ceil() / 1000.0;
        let help = format!("raise the limit to {needed}, or give the keys coarser hierarchies");
        return Err(Error::input(what).help(help).into());
    }
    let mut changed = BTreeMap::new();
    let mut replacements = Vec::new();
    for (key, name) in names.iter().enumerate() {
        let at = position(records, name)?;
        let levels = &searched.table.keys()[key].levels;
        let codes = &searched.table.counted().codes[key];
        let label = |cell: usize| {
            let level = &levels[improved.recoded.rounds[improved.recoded.round[cell].unwrap_or(0) as usize][key]];
            level.texts[level.labels[codes[cell] as usize] as usize].as_deref()
        };
        let value = |cell: usize| evidence.keys[key].dictionary.value(codes[cell]);
        let column: StringArray = cell_of.iter().map(|cell| label(*cell as usize)).collect();
        let moved = cell_of.iter().filter(|cell| label(**cell as usize) != value(**cell as usize)).count();
        changed.insert(name.clone(), moved as u64);
        let column: ArrayRef = Arc::new(column);
        replacements.push((at, column));
    }
    let recoded = replaced(records, replacements)?;
    let keep = cell_of.iter().map(|cell| improved.recoded.round[*cell as usize].is_some()).collect();
    let rounds = improved.records.iter().map(|records| count(*records)).collect::<Vec<_>>().join(", ");
    let notes = vec![format!("records recoded in each round, each further than the one before: {rounds}")];
    let figures =
        BTreeMap::from([("loss".to_owned(), improved.release.loss), ("loss_if_all_alike".to_owned(), first_loss)]);
    Ok(Changed { records: kept(&recoded, keep)?, changed, figures, notes })
}
