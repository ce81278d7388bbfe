//! Recode to here, then suppress cells: a candidate that keeps all records and leaves single values out of the rare ones.
//!
//! Recodings are tried that are finer than the best one: the best of those under which more records would be rare. Then local
//! suppression (`suppress.rs`) chooses which of their values to leave out. Both cost in one measure: a value that is left out loses as
//! much as the coarsest label. Of the recodings tried the one that loses least is shown. No proof says that there is no better one.

use outward_spec::{Error, Missing, Result};

use super::{PlanCandidate, Planner};
use crate::judge::PackedKeys;
use crate::loss::{Facts, KeyFacts};
use crate::models::AskedModels;
use crate::search::{Key, KeyLevel, Search, search};
use crate::suppress::{Blanks, Constraint, Request, Suppressed, suppress};

/// Shares of the records that may be rare before cells are suppressed.
const RARE_SHARES: [f64; 4] = [0.05, 0.1, 0.2, 0.4];

/// The search for each of them may examine the recodings of the plan, divided by this.
const SHARE_OF_NODES: u64 = 20;

/// With more records, choosing cells takes too long to be tried.
const MAX_RECORDS: u64 = 300_000;

impl Planner<'_> {
    /// Searches that this takes: none if the policy asks for more than counts, or loss is not measured value by value.
    pub(super) fn recodings_before_cells(&self) -> Result<usize> {
        let asked = self.evidence.asked(self.spec, self.rules, None)?;
        let counts_alone = AskedModels {
            keys: asked.keys.clone(),
            subsets: asked.subsets.clone(),
            has_population: asked.has_population,
            sampling_fraction: asked.sampling_fraction,
            k: asked.k,
            weak: asked.weak.clone(),
            all_combinations: asked.all_combinations,
            ..AskedModels::default()
        };
        let fits = asked == counts_alone
            && self.spec.plan.tables.is_empty()
            && matches!(self.measure.loss().name(), "loss" | "precision")
            && self.searched.table.records() <= MAX_RECORDS;
        Ok(if fits { RARE_SHARES.len() } else { 0 })
    }

    /// The best that recoding and then suppressing cells comes to. `others` is how many searches come after.
    pub(super) fn suppressing_cells(&self, k: u64, others: usize) -> Result<Option<PlanCandidate>> {
        let models = self.models(k)?;
        let mut tried: Vec<Vec<usize>> = Vec::new();
        let mut best: Option<PlanCandidate> = None;
        for (left, limit) in (1..=self.recodings_before_cells()?).rev().zip(RARE_SHARES) {
            if !self.begins("a recoding before cells are suppressed", left + others) {
                break;
            }
            let whole = self.question(&models);
            let question = Search { limit, most_nodes: whole.most_nodes.div_ceil(SHARE_OF_NODES), ..whole };
            let Some(found) = search(&self.searched.table, &question)?.best else { continue };
            if tried.contains(&found.levels) {
                continue;
            }
            let candidate = self.with_cells_suppressed(&found.levels, k)?;
            tried.push(found.levels);
            if candidate.as_ref().is_some_and(|new| best.as_ref().is_none_or(|best| new.loss < best.loss)) {
                best = candidate;
            }
        }
        Ok(best)
    }

    /// What recoding to some levels and then suppressing cells comes to; nothing if a class stays too small.
    fn with_cells_suppressed(&self, levels: &[usize], k: u64) -> Result<Option<PlanCandidate>> {
        let table = &self.searched.table;
        let at: Vec<&KeyLevel> = table.keys().iter().zip(levels).map(|(key, level)| &key.levels[*level]).collect();
        let counted = table.counted();
        let cell_of: Vec<usize> = (0..table.len())
            .flat_map(|cell| std::iter::repeat_n(cell, usize::try_from(counted.counts[cell]).unwrap_or(0)))
            .collect();
        let columns: Vec<Vec<u32>> = at
            .iter()
            .zip(&counted.codes)
            .map(|(level, codes)| cell_of.iter().map(|cell| level.labels[codes[*cell] as usize]).collect())
            .collect();
        let importance = self.importance(&at, &columns);
        let chosen = match suppress(&Request {
            keys: &columns.iter().map(Vec::as_slice).collect::<Vec<_>>(),
            missing: &self.evidence.keys.iter().map(|key| missing(key.wild)).collect::<Vec<_>>(),
            constraints: &self.constraints(k, &cell_of)?,
            importance: &importance,
            blanks: Blanks::Shared,
            threads: self.threads,
        }) {
            Ok(chosen) if chosen.cells > 0 => chosen,
            // Nothing to suppress, or records that suppression cannot protect: no candidate of this kind.
            Ok(_) | Err(Error::Input(_)) => return Ok(None),
            Err(error) => return Err(error),
        };
        let facts = self.facts(levels, &at, &columns, &chosen);
        let (loss, key_losses) = self.measure.measure(&facts);
        let (own, sizes) = self.classes(&columns, &chosen.masks)?;
        let least = sizes.iter().copied().min().unwrap_or(0);
        if least < k {
            return Ok(None);
        }
        let matches: f64 = own.iter().zip(&sizes).map(|(own, size)| *own as f64 / *size as f64).sum();
        let names = || self.names.iter().cloned();
        Ok(Some(PlanCandidate {
            k,
            levels: names().zip(self.searched.levels(levels)).collect(),
            blanked: super::blanked(&self.whole, &self.searched.levels(levels)),
            loss,
            key_losses: names().zip(key_losses).collect(),
            suppressed_cells: chosen.cells,
            importance: names().zip(importance).filter(|(_, cost)| *cost != 1.0).collect(),
            classes: sizes.len() as u64,
            average_risk: matches / cell_of.len().max(1) as f64,
            highest_risk: 1.0 / least as f64,
            meets_policy: k >= self.rules.k,
            ..PlanCandidate::default()
        }))
    }

    /// What a suppressed value of each key costs on average: the share of the domain that its label does not leave open.
    fn importance(&self, at: &[&KeyLevel], columns: &[Vec<u32>]) -> Vec<f64> {
        let cost = |(key, (level, column)): (usize, (&&KeyLevel, &Vec<u32>))| {
            let domain = self.searched.table.keys()[key].domain;
            let open: f64 = column.iter().map(|label| level.share(*label, domain)).sum();
            let kept = 1.0 - open / column.len().max(1) as f64;
            // A key that costs nothing would be left out without need.
            ((kept * 1000.0).round() / 1000.0).max(0.01)
        };
        at.iter().zip(columns).enumerate().map(cost).collect()
    }

    fn constraints(&self, k: u64, cell_of: &[usize]) -> Result<Vec<Constraint>> {
        let asked = self.evidence.asked(self.spec, self.rules, Some(k))?;
        let all: Vec<usize> = (0..self.names.len()).collect();
        let mut constraints = vec![Constraint { keys: all.clone(), k, rows: None }];
        for weak in asked.weak {
            let subsets = &self.searched.table.counted().subsets;
            let is_in = |subset: usize| cell_of.iter().map(|cell| subsets[*cell] >> subset & 1 == 1).collect();
            let keys = if weak.keys.is_empty() { all.clone() } else { weak.keys };
            constraints.push(Constraint { keys, k: weak.k, rows: weak.subset.map(is_in) });
        }
        if let Some((size, k)) = asked.all_combinations {
            let sets = (1..=size).flat_map(|size| outward_cells::combinations(all.len(), size));
            constraints.extend(sets.map(|keys| Constraint { keys, k, rows: None }));
        }
        Ok(constraints)
    }

    /// For each combination that is published, the records that have it and those that support it: the latter make its class.
    fn classes(&self, columns: &[Vec<u32>], masks: &[u64]) -> Result<(Vec<u64>, Vec<u64>)> {
        let published = |(key, column): (usize, &Vec<u32>)| {
            column.iter().zip(masks).map(|(label, mask)| if mask >> key & 1 == 1 { 0 } else { *label }).collect()
        };
        let published: Vec<Vec<u32>> = columns.iter().enumerate().map(published).collect();
        let wild: Vec<bool> = self.evidence.keys.iter().map(|key| key.wild).collect();
        let all: Vec<usize> = (0..published.len()).collect();
        let groups = PackedKeys::pack(&published, masks.len(), &wild)?.group(&all)?;
        let own = groups.sums(&vec![1; masks.len()]);
        let sizes = groups.sizes(&own);
        Ok((own, sizes))
    }

    /// The facts of a release: a value that is left out counts as the coarsest label.
    fn facts(&self, levels: &[usize], at: &[&KeyLevel], columns: &[Vec<u32>], chosen: &Suppressed) -> Facts {
        let records = chosen.masks.len() as u64;
        let key = |(number, key): (usize, &Key)| {
            let mut facts = KeyFacts { domain: key.domain, height: key.height() as u64, ..KeyFacts::default() };
            for (label, mask) in columns[number].iter().zip(&chosen.masks) {
                let is_left_out = mask >> number & 1 == 1;
                facts.leaves += if is_left_out { key.domain.max(1) } else { at[number].leaves[*label as usize] };
                facts.steps += if is_left_out { facts.height } else { levels[number] as u64 };
            }
            facts.all_leaves = facts.leaves;
            facts
        };
        let keys = self.searched.table.keys().iter().enumerate().map(key).collect();
        Facts { records, kept: records, least_kept: records, keys, ..Facts::default() }
    }
}

fn missing(is_wild: bool) -> Missing {
    if is_wild { Missing::Wildcard } else { Missing::Category }
}
