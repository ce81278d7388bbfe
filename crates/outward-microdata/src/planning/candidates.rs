//! Candidates for a release: the best recoding under the policy and others at other values of k. If it helps, there is
//! also one that recodes some records further than others.

mod cells;
mod made;
mod nearby;

use std::collections::BTreeMap;

use outward_report::format::{count, share};
use outward_spec::{Error, Result, Rules, Spec, TrueTable};
use schemars::JsonSchema;
use serde::Serialize;

use super::meanings::{KeyMeanings, blanked, meanings};
use super::watch::PlanWatch;
use super::{TableToSearch, boxes, measure};
use crate::evidence::Evidence;
use crate::loss::{LabelNumber, Measure, Numbers, measure_numbers, measure_table};
use crate::models::Model;
use crate::search::{
    Candidate, Improved, Recoded, RiskAndLoss, Search, SearchTable, Shortfall, Watch, improve, pareto, search,
};

/// Values of k on the curve, besides that of the policy.
const OTHER_K: [u64; 6] = [2, 3, 5, 10, 20, 50];

/// Rounds of local recoding.
const MAX_ROUNDS: usize = 20;

/// What a search for a plan found.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Frontier {
    /// The best candidate that meets the policy and leaves the tables true; none if there is none.
    pub best: Option<PlanCandidate>,
    /// Why it is the best, or why there is none.
    pub why: String,
    /// All candidates, by falling risk.
    pub frontier: Vec<PlanCandidate>,
    /// No recoding under the policy loses less than this.
    pub bound: f64,
    /// Whether the best was proven to be the best of all.
    pub finished: bool,
    /// Whether the search was ended before its limit, by the user or by `--time`.
    pub stopped: bool,
    /// Recodings there are.
    pub recodings: f64,
    /// Recodings looked at for the best one.
    pub looked_at: u64,
    /// Records.
    pub records: u64,
    /// How loss is measured.
    pub measure: String,
    /// For each key what the levels mean that candidates have.
    pub meanings: BTreeMap<String, KeyMeanings>,
}

/// A release that could be made.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
pub struct PlanCandidate {
    /// Its number, from 1.
    pub number: usize,
    /// The k it was searched with.
    pub k: u64,
    /// Whether some records are recoded further than others.
    pub local: bool,
    /// The level of each key; of the first round where records are recoded differently.
    pub levels: BTreeMap<String, usize>,
    /// Keys of which nothing is published: all their values have one label.
    pub blanked: Vec<String>,
    /// Keys that it was searched for: the best candidate publishes nothing of them, and it does.
    pub keeps: Vec<String>,
    /// The loss.
    pub loss: f64,
    /// The loss of each key, where the measure tells keys apart.
    pub key_losses: BTreeMap<String, f64>,
    /// Records left out.
    pub suppressed_records: u64,
    /// Single values left out after the recoding.
    pub suppressed_cells: u64,
    /// What it costs to leave out a value of each key, for the choice of these values.
    pub importance: BTreeMap<String, f64>,
    /// Classes.
    pub classes: u64,
    /// The mean risk of a record: classes over records.
    pub average_risk: f64,
    /// The risk of a record in the smallest class.
    pub highest_risk: f64,
    /// Whether it meets the policy.
    pub meets_policy: bool,
    /// Whether no other candidate has less risk without losing more.
    pub on_curve: bool,
    /// The tables that must stay true.
    pub tables: Vec<TableTruth>,
    /// For each numeric key the share of its variance that is lost.
    pub lost_variance: BTreeMap<String, f64>,
    /// For each numeric key its mean before and after, a label standing for the mean of its records.
    pub means: BTreeMap<String, [f64; 2]>,
    /// The largest change of a correlation between two numeric keys.
    pub correlation_change: Option<f64>,
}

impl PlanCandidate {
    /// Whether it is what the search found for a k, all records recoded alike and nothing else asked of it.
    fn is_best_recoding(&self, k: u64) -> bool {
        self.k == k && !self.local && self.keeps.is_empty() && self.suppressed_cells == 0
    }
}

/// How true a table stays.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct TableTruth {
    /// The keys that span it.
    pub variables: Vec<String>,
    /// The share of its records in the wrong cell.
    pub error: f64,
    /// The largest share asked for.
    pub most_error: f64,
}

impl TableTruth {
    /// Whether the table is true enough.
    pub fn holds(&self) -> bool {
        self.error <= self.most_error
    }
}

/// Searches for a plan. Without `all` only the best candidate is found.
pub fn plan(
    evidence: &Evidence,
    spec: &Spec,
    rules: &Rules,
    all: bool,
    threads: usize,
    watch: Option<&dyn PlanWatch>,
) -> Result<Frontier> {
    Planner { watch, ..Planner::new(evidence, spec, rules, threads)? }.plan(all)
}

/// Recodes most records as little as possible and the rest further, as a plan shows it.
pub(crate) fn recode_locally(evidence: &Evidence, spec: &Spec, rules: &Rules, threads: usize) -> Result<LocalRecoding> {
    let planner = Planner::new(evidence, spec, rules, threads)?;
    let found = planner.search(rules.k)?;
    let Some(best) = found.best else {
        return Err(Error::input(format!("no recoding by the hierarchies meets the policy: {}", found.reason()))
            .help("`outward plan` says what would: coarser hierarchies, fewer keys or another policy")
            .into());
    };
    let improved = planner.improve(&best, rules.k)?;
    Ok(LocalRecoding { searched: planner.searched, improved, first_loss: best.loss })
}

/// A release with some records recoded further than others.
pub(crate) struct LocalRecoding {
    pub(crate) searched: TableToSearch,
    pub(crate) improved: Improved,
    /// The loss if all records are recoded to the same levels.
    pub(crate) first_loss: f64,
}

fn positions(names: &[String], variables: &[String]) -> Vec<usize> {
    variables.iter().filter_map(|name| names.iter().position(|key| key == name)).collect()
}

struct Planner<'a> {
    evidence: &'a Evidence,
    spec: &'a Spec,
    rules: &'a Rules,
    /// The levels that the plan allows.
    searched: TableToSearch,
    /// All levels: what a table is compared with are the values themselves.
    whole: SearchTable,
    measure: Measure,
    names: Vec<String>,
    threads: usize,
    watch: Option<&'a dyn PlanWatch>,
}

/// The best of one question, and what is known of it.
struct BestAnswer {
    best: Option<Candidate>,
    bound: f64,
    finished: bool,
    stopped: bool,
    nodes: u64,
    shortfall: Option<Shortfall>,
    /// A table that the recodings found do not leave true.
    untrue: Option<String>,
}

impl BestAnswer {
    /// Why there is none.
    fn reason(&self) -> String {
        match (&self.shortfall, &self.untrue) {
            (_, Some(table)) => format!("the table of {table} would not stay true"),
            (Some(shortfall), None) => words(shortfall),
            (None, None) if self.stopped => "the search was stopped before it found one".to_owned(),
            (None, None) => "the search ended before it found one".to_owned(),
        }
    }
}

impl<'a> Planner<'a> {
    fn new(evidence: &'a Evidence, spec: &'a Spec, rules: &'a Rules, threads: usize) -> Result<Self> {
        let names: Vec<String> = evidence.keys.iter().map(|key| key.name.clone()).collect();
        let searched = TableToSearch::new(evidence, spec)?;
        let whole = TableToSearch::with_all_levels(evidence, spec, &BTreeMap::new())?.table;
        let measure = measure(&spec.plan, &names)?;
        Ok(Self { evidence, spec, rules, searched, whole, measure, names, threads, watch: None })
    }

    fn plan(&self, all: bool) -> Result<Frontier> {
        let own = self.rules.k;
        let others: Vec<u64> = OTHER_K.into_iter().filter(|k| *k != own && all).collect();
        let before_cells = if all { self.recodings_before_cells()? } else { 0 };
        self.begins(&format!("the best recoding for k = {own}"), 1 + before_cells + others.len());
        let found = self.search(own)?;
        let mut candidates = Vec::new();
        if let Some(best) = &found.best {
            candidates.push(self.describe(best, own, None));
            // Records that are recoded differently cannot be compared with a population, so that no release can be made of them.
            if best.suppressed_records > 0 && all && !self.evidence.has_population {
                let improved = self.improve(best, own)?;
                let local = self.describe(&improved.release, own, Some(&improved.recoded));
                if improved.recoded.rounds.len() > 1 && local.tables.iter().all(TableTruth::holds) {
                    candidates.push(local);
                }
            }
        }
        if let Some(best) = found.best.as_ref().filter(|_| all) {
            candidates.extend(self.keeping_blanked(best, own, before_cells + others.len())?);
        }
        if all {
            candidates.extend(self.suppressing_cells(own, others.len())?);
        }
        for (left, k) in (1..=others.len()).rev().zip(others) {
            if self.begins(&format!("the best recoding for k = {k}"), left)
                && let Some(best) = self.search(k)?.best
            {
                candidates.push(self.describe(&best, k, None));
            }
        }
        self.number(&mut candidates);
        let best = candidates.iter().find(|candidate| candidate.is_best_recoding(own)).cloned();
        let mut why = self.why(best.as_ref(), &found);
        if let Some(best) = &best {
            for other in candidates.iter().filter(|other| other.k == own && other.loss < best.loss) {
                let how = match (other.local, other.suppressed_cells > 0) {
                    (true, _) => "by recoding some records further than others",
                    (_, true) => "by leaving out single values in place of records",
                    _ => continue,
                };
                why += &format!("; candidate {} loses less, {:.4}, {how}", other.number, other.loss);
            }
        }
        if let Some(best) = &best {
            why += &nearby::words(best, &candidates);
        }
        Ok(Frontier {
            meanings: meanings(&self.whole, &candidates),
            best,
            why,
            frontier: candidates,
            bound: found.bound,
            finished: found.finished,
            stopped: found.stopped,
            recodings: self.searched.table.recodings(),
            looked_at: found.nodes,
            records: self.searched.table.records(),
            measure: self.measure.loss().name().to_owned(),
        })
    }

    /// Whether a search is to be done: its follower decides.
    fn begins(&self, what: &str, left: usize) -> bool {
        self.watch.is_none_or(|watch| watch.begins(what, left))
    }

    fn models(&self, k: u64) -> Result<Vec<Box<dyn Model>>> {
        self.evidence.models(self.spec, self.rules, Some(k))
    }

    fn question<'q>(&'q self, models: &'q [Box<dyn Model>]) -> Search<'q> {
        Search {
            limit: self.spec.plan.suppression_limit,
            sampling_fraction: self.evidence.sampling_fraction,
            most_nodes: self.spec.plan.most_recodings,
            threads: self.threads,
            watch: self.watch.map(|watch| watch as &dyn Watch),
            ..Search::new(models, &self.measure)
        }
    }

    /// The best recoding under some models that leaves the tables true.
    ///
    /// How true a table is depends on its levels and on the records left out. The levels alone set bounds that no
    /// recoding can pass. So the best one within them that keeps the tables true is the best of all. If the records it
    /// leaves out make a table untrue, tighter bounds and then no suppression at all are tried, without a proof.
    fn leaving_tables_true(&self, models: &[Box<dyn Model>], limit: f64) -> Result<BestAnswer> {
        if self.spec.plan.tables.is_empty() {
            return self.within(models, limit, None, 1);
        }
        let mut first = self.within(models, limit, Some(self.bounds(0.0)?), 1)?;
        let untrue = first.best.as_ref().and_then(|best| self.untrue(best));
        if first.best.is_none() || untrue.is_none() {
            return Ok(first);
        }
        for (limit, spare) in [(limit, limit), (0.0, 0.0)] {
            let other = self.within(models, limit, Some(self.bounds(spare)?), 1)?;
            first.nodes += other.nodes;
            if let Some(best) = other.best.filter(|best| self.untrue(best).is_none()) {
                return Ok(BestAnswer { best: Some(best), finished: false, ..first });
            }
        }
        Ok(BestAnswer { best: None, finished: false, untrue, ..first })
    }

    /// The best recoding below some corners of levels; of all levels where none are given.
    /// `share_of_nodes` is 1, or more for a search that may examine only that part of the recodings.
    fn within(
        &self,
        models: &[Box<dyn Model>],
        limit: f64,
        corners: Option<Vec<Vec<usize>>>,
        share_of_nodes: u64,
    ) -> Result<BestAnswer> {
        let whole = self.question(models);
        let question = Search { limit, most_nodes: whole.most_nodes.div_ceil(share_of_nodes), ..whole };
        let mut tables = Vec::new();
        for corner in corners.iter().flatten() {
            let mut keys = self.searched.table.keys().to_vec();
            keys.iter_mut().zip(corner).for_each(|(key, most)| key.levels.truncate(most + 1));
            tables.push(SearchTable::new(keys, self.searched.table.counted().clone())?);
        }
        let tables: Vec<&SearchTable> = match &corners {
            Some(_) => tables.iter().collect(),
            None => vec![&self.searched.table],
        };
        let mut found = BestAnswer {
            best: None,
            bound: f64::INFINITY,
            finished: true,
            stopped: false,
            nodes: 0,
            shortfall: None,
            untrue: None,
        };
        for table in tables {
            let answer = search(table, &question)?;
            found.nodes += answer.nodes;
            found.finished &= answer.finished;
            found.stopped |= answer.stopped;
            found.bound = found.bound.min(answer.bound);
            found.shortfall = found.shortfall.or(answer.shortfall);
            let better = |best: &Candidate| found.best.as_ref().is_none_or(|known| best.loss < known.loss);
            if let Some(best) = answer.best.filter(better) {
                found.best = Some(best);
            }
        }
        Ok(found)
    }

    /// Corners of the levels under which all tables stay true, with so much error to spare.
    fn bounds(&self, spare: f64) -> Result<Vec<Vec<usize>>> {
        let mut lists = Vec::new();
        for wanted in &self.spec.plan.tables {
            let keys = positions(&self.names, &wanted.variables);
            let corners = boxes::corners(&self.searched, &self.whole, &keys, wanted.most_error - spare)?;
            if corners.is_empty() && spare == 0.0 {
                return Err(Error::input(format!("the table of {} cannot stay true", wanted.variables.join(", ")))
                    .help("raise its `most_error`, or allow finer levels in `levels`")
                    .into());
            }
            lists.push(corners);
        }
        boxes::meet(&lists)
    }

    /// The first table that a recoding does not leave true.
    fn untrue(&self, best: &Candidate) -> Option<String> {
        let truths = self.truths(&best.recoded());
        truths.into_iter().find(|truth| !truth.holds()).map(|truth| truth.variables.join(", "))
    }

    fn truths(&self, recoded: &Recoded) -> Vec<TableTruth> {
        let recoded = self.in_all_levels(recoded);
        let truth = |wanted: &TrueTable| TableTruth {
            variables: wanted.variables.clone(),
            error: measure_table(&self.whole, &recoded, &positions(&self.names, &wanted.variables)).misplaced,
            most_error: wanted.most_error,
        };
        self.spec.plan.tables.iter().map(truth).collect()
    }

    /// A recoding with its levels counted as the hierarchies do.
    fn in_all_levels(&self, recoded: &Recoded) -> Recoded {
        let rounds = recoded.rounds.iter().map(|levels| self.searched.levels(levels)).collect();
        Recoded { rounds, round: recoded.round.clone() }
    }

    fn improve(&self, best: &Candidate, k: u64) -> Result<Improved> {
        let models = self.models(k)?;
        improve(&self.searched.table, &self.question(&models), best, 0.5, MAX_ROUNDS)
    }

    fn describe(&self, candidate: &Candidate, k: u64, recoded: Option<&Recoded>) -> PlanCandidate {
        let single = candidate.recoded();
        let recoded_as = recoded.unwrap_or(&single);
        let levels = self.searched.levels(&candidate.levels);
        let blanked = match recoded {
            Some(_) => Vec::new(),
            None => blanked(&self.whole, &levels),
        };
        PlanCandidate {
            number: 0,
            k,
            local: recoded.is_some(),
            blanked,
            keeps: Vec::new(),
            levels: self.names.iter().cloned().zip(levels).collect(),
            loss: candidate.loss,
            key_losses: self.names.iter().cloned().zip(candidate.key_losses.iter().copied()).collect(),
            suppressed_records: candidate.suppressed_records,
            suppressed_cells: 0,
            importance: BTreeMap::new(),
            classes: candidate.classes,
            average_risk: candidate.average_risk,
            highest_risk: candidate.highest_risk,
            meets_policy: k >= self.rules.k,
            on_curve: false,
            tables: self.truths(recoded_as),
            ..self.numbers(recoded_as)
        }
    }

    /// A candidate with what becomes of keys that are numbers, and nothing else yet.
    fn numbers(&self, recoded: &Recoded) -> PlanCandidate {
        let numeric = self.evidence.keys.iter().enumerate().filter(|(_, key)| key.dictionary.is_numeric());
        let values: Vec<(usize, Vec<Option<f64>>)> = numeric
            .map(|(at, key)| {
                let numbers = key.dictionary.values().map(|value| value.parse().ok());
                (at, std::iter::once(None).chain(numbers).collect())
            })
            .collect();
        if values.is_empty() {
            return PlanCandidate::default();
        }
        let keys: Vec<Numbers<'_>> = values.iter().map(|(key, values)| Numbers { key: *key, values }).collect();
        let error = measure_numbers(&self.whole, &self.in_all_levels(recoded), &keys, LabelNumber::default());
        let names = || values.iter().map(|(at, _)| self.names[*at].clone());
        PlanCandidate {
            lost_variance: names().zip(error.lost_variance).collect(),
            means: names().zip(error.means.into_iter().map(<[f64; 2]>::from)).collect(),
            correlation_change: error
                .correlations
                .iter()
                .map(|(before, after)| (before - after).abs())
                .reduce(f64::max),
            ..PlanCandidate::default()
        }
    }

    /// Puts candidates in the order of their risk, without repetitions, and marks the curve.
    fn number(&self, candidates: &mut Vec<PlanCandidate>) {
        candidates.sort_by(|a, b| {
            b.average_risk.total_cmp(&a.average_risk).then(a.loss.total_cmp(&b.loss)).then(a.local.cmp(&b.local))
        });
        // The same recoding may be best for several k: it is shown once, for the largest.
        let all = candidates.clone();
        candidates.retain(|candidate| {
            let same = |other: &PlanCandidate| {
                other.levels == candidate.levels
                    && other.local == candidate.local
                    && other.keeps == candidate.keeps
                    && other.suppressed_cells == candidate.suppressed_cells
                    && other.suppressed_records == candidate.suppressed_records
            };
            candidate.k == self.rules.k
                || !all.iter().any(|other| same(other) && (other.k > candidate.k || other.k == self.rules.k))
        });
        let points: Vec<RiskAndLoss> = candidates
            .iter()
            .map(|candidate| RiskAndLoss { risk: candidate.average_risk, loss: candidate.loss })
            .collect();
        let curve = pareto(&points);
        for (at, candidate) in candidates.iter_mut().enumerate() {
            candidate.number = at + 1;
            candidate.on_curve = curve.contains(&at);
        }
    }

    fn why(&self, best: Option<&PlanCandidate>, found: &BestAnswer) -> String {
        let limit = share(self.spec.plan.suppression_limit);
        let Some(best) = best else {
            let reason = found.reason();
            let fixed =
                self.searched.table.keys().iter().filter(|key| key.levels.len() == 1).map(|key| key.name.as_str());
            let fixed: Vec<&str> = fixed.collect();
            let fixed = match fixed.as_slice() {
                [] => String::new(),
                names => format!("; these keys have no hierarchy and stay as they are: {}", names.join(", ")),
            };
            return format!(
                "no recoding meets the policy with at most {limit} of the records left out: {reason}{fixed}"
            );
        };
        let proof = match found.finished {
            true => "no other recoding of the whole file that meets the policy loses less".to_owned(),
            false => {
                let stopped = if found.stopped { "the search was stopped: " } else { "" };
                format!(
                    "{stopped}{} recodings were examined; none can have a loss below {:.4}",
                    count(found.nodes),
                    found.bound
                )
            }
        };
        let left_out = match best.suppressed_records {
            0 => "no record is left out".to_owned(),
            records => format!("{} records are left out, {limit} may be", count(records)),
        };
        format!("candidate {} has a loss of {:.4}: {proof}; {left_out}", best.number, best.loss)
    }
}

/// What fails even at the coarsest levels, and what would hold.
fn words(shortfall: &Shortfall) -> String {
    let failing = shortfall.models.iter().filter(|model| model.suppressed_records > 0 || !model.release_holds);
    let said: Vec<String> = failing
        .map(|model| {
            let mut words = model.says.clone();
            if model.suppressed_records > 0 {
                words +=
                    &format!(" would have {} records left out at the coarsest levels", count(model.suppressed_records));
            } else if !model.release_holds {
                words += " does not hold of the release as a whole at the coarsest levels";
            }
            if let Some(smallest) = model.smallest_count {
                words += &format!(" (k = {} would hold)", count(smallest));
            }
            words
        })
        .collect();
    match shortfall.suppression_helps && shortfall.least_limit < 0.5 {
        true => {
            let limit = (shortfall.least_limit * 1000.0).ceil() / 1000.0;
            format!("{}; a limit of {limit} could do", said.join("; "))
        }
        false => said.join("; "),
    }
}
