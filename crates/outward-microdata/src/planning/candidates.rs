//! Candidates for a release: the best recoding under the policy, others at other values of k, and the best with records
//! recoded further than others where that helps.

use std::collections::BTreeMap;

use outward_report::format::{count, share};
use outward_spec::{Error, Result, Rules, Spec, TrueTable};
use schemars::JsonSchema;
use serde::Serialize;

use super::{Searched, boxes, measure};
use crate::evidence::Evidence;
use crate::loss::{Measure, Numbers, StandIn, measure_numbers, measure_table};
use crate::models::Model;
use crate::search::{Candidate, Improved, Point, Recoded, Search, Shortfall, Table, improve, pareto, search};

/// Values of k on the curve, besides that of the policy.
const OTHER_K: [u64; 6] = [2, 3, 5, 10, 20, 50];

/// Rounds of local recoding.
const MOST_ROUNDS: usize = 20;

/// What a search for a plan found.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Frontier {
    /// The best candidate that meets the policy and leaves the tables true; none where there is none.
    pub best: Option<PlanCandidate>,
    /// Why it is the best, or why there is none.
    pub why: String,
    /// All candidates, by falling risk.
    pub frontier: Vec<PlanCandidate>,
    /// No recoding under the policy loses less than this.
    pub bound: f64,
    /// Whether the best was proven to be the best of all.
    pub finished: bool,
    /// Recodings there are.
    pub recodings: f64,
    /// Recodings looked at for the best one.
    pub looked_at: u64,
    /// Records.
    pub records: u64,
    /// How loss is measured.
    pub measure: String,
}

/// A release that could be made.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct PlanCandidate {
    /// Its number, from 1.
    pub number: usize,
    /// The k it was searched with.
    pub k: u64,
    /// Whether some records are recoded further than others.
    pub local: bool,
    /// The level of each key; of the first round where records are recoded differently.
    pub levels: BTreeMap<String, usize>,
    /// The loss.
    pub loss: f64,
    /// The loss of each key, where the measure tells keys apart.
    pub key_losses: BTreeMap<String, f64>,
    /// Records left out.
    pub suppressed_records: u64,
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
pub fn plan(evidence: &Evidence, spec: &Spec, rules: &Rules, all: bool, threads: usize) -> Result<Frontier> {
    let asked = &spec.plan;
    let searched = Searched::new(evidence, spec)?;
    let names: Vec<String> = evidence.keys.iter().map(|key| key.name.clone()).collect();
    let planner = Planner {
        evidence,
        spec,
        rules,
        measure: measure(asked, &names)?,
        bounds: bounds(&searched.table, &asked.tables, &names)?,
        searched,
        names,
        threads,
    };
    planner.plan(all)
}

/// Corners of the levels under which all tables stay true; none where no table is named.
fn bounds(table: &Table, tables: &[TrueTable], names: &[String]) -> Result<Vec<Vec<usize>>> {
    if tables.is_empty() {
        return Ok(Vec::new());
    }
    let mut lists = Vec::new();
    for wanted in tables {
        let keys = positions(names, &wanted.variables);
        let corners = boxes::corners(table, &keys, wanted.most_error)?;
        if corners.is_empty() {
            return Err(Error::input(format!("the table of {} cannot stay true", wanted.variables.join(", ")))
                .help("raise its `most_error`, or allow finer levels in `levels`")
                .into());
        }
        lists.push(corners);
    }
    boxes::meet(&lists)
}

fn positions(names: &[String], variables: &[String]) -> Vec<usize> {
    variables.iter().filter_map(|name| names.iter().position(|key| key == name)).collect()
}

struct Planner<'a> {
    evidence: &'a Evidence,
    spec: &'a Spec,
    rules: &'a Rules,
    searched: Searched,
    measure: Measure,
    bounds: Vec<Vec<usize>>,
    names: Vec<String>,
    threads: usize,
}

/// The best of one question, and what is known of it.
struct Found {
    best: Option<Candidate>,
    bound: f64,
    finished: bool,
    nodes: u64,
    shortfall: Option<Shortfall>,
}

impl Planner<'_> {
    fn plan(&self, all: bool) -> Result<Frontier> {
        let own = self.rules.k;
        let found = self.search(&self.models(own)?)?;
        let mut candidates = Vec::new();
        if let Some(best) = &found.best {
            candidates.push(self.describe(best, own, None));
            if best.suppressed_records > 0 && all {
                let improved = self.improve(best, own)?;
                if improved.recoded.rounds.len() > 1 {
                    candidates.push(self.describe(&improved.release, own, Some(&improved.recoded)));
                }
            }
        }
        for k in OTHER_K.into_iter().filter(|k| *k != own && all) {
            if let Some(best) = self.search(&self.models(k)?)?.best {
                candidates.push(self.describe(&best, k, None));
            }
        }
        self.number(&mut candidates);
        let meets = |candidate: &&PlanCandidate| {
            candidate.k == own && !candidate.local && candidate.tables.iter().all(TableTruth::holds)
        };
        let best = candidates.iter().find(meets).cloned();
        let why = self.why(best.as_ref(), &found);
        Ok(Frontier {
            best,
            why,
            frontier: candidates,
            bound: found.bound,
            finished: found.finished,
            recodings: self.searched.table.recodings(),
            looked_at: found.nodes,
            records: self.searched.table.records(),
            measure: self.measure.loss().name().to_owned(),
        })
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
            ..Search::new(models, &self.measure)
        }
    }

    /// The best recoding within the bounds that tables set.
    fn search(&self, models: &[Box<dyn Model>]) -> Result<Found> {
        let question = self.question(models);
        let mut tables = Vec::new();
        for corner in &self.bounds {
            let mut keys = self.searched.table.keys().to_vec();
            keys.iter_mut().zip(corner).for_each(|(key, most)| key.levels.truncate(most + 1));
            tables.push(Table::new(keys, self.searched.table.counted().clone())?);
        }
        let bounded = !tables.is_empty();
        let tables: Vec<&Table> = if bounded { tables.iter().collect() } else { vec![&self.searched.table] };
        let mut found = Found { best: None, bound: f64::INFINITY, finished: true, nodes: 0, shortfall: None };
        for table in tables {
            let answer = search(table, &question)?;
            found.nodes += answer.nodes;
            found.finished &= answer.finished;
            found.bound = found.bound.min(answer.bound);
            found.shortfall = found.shortfall.or(answer.shortfall);
            let better = |best: &Candidate| found.best.as_ref().is_none_or(|known| best.loss < known.loss);
            if let Some(best) = answer.best.filter(better) {
                found.best = Some(best);
            }
        }
        Ok(found)
    }

    fn improve(&self, best: &Candidate, k: u64) -> Result<Improved> {
        let models = self.models(k)?;
        improve(&self.searched.table, &self.question(&models), best, 0.5, MOST_ROUNDS)
    }

    fn describe(&self, candidate: &Candidate, k: u64, recoded: Option<&Recoded>) -> PlanCandidate {
        let table = &self.searched.table;
        let single = candidate.recoded();
        let recoded_as = recoded.unwrap_or(&single);
        let truth = |wanted: &TrueTable| TableTruth {
            variables: wanted.variables.clone(),
            error: measure_table(table, recoded_as, &positions(&self.names, &wanted.variables)).misplaced,
            most_error: wanted.most_error,
        };
        let levels = self.searched.levels(&candidate.levels);
        PlanCandidate {
            number: 0,
            k,
            local: recoded.is_some(),
            levels: self.names.iter().cloned().zip(levels).collect(),
            loss: candidate.loss,
            key_losses: self.names.iter().cloned().zip(candidate.key_losses.iter().copied()).collect(),
            suppressed_records: candidate.suppressed_records,
            classes: candidate.classes,
            average_risk: candidate.average_risk,
            highest_risk: candidate.highest_risk,
            meets_policy: k >= self.rules.k,
            on_curve: false,
            tables: self.spec.plan.tables.iter().map(truth).collect(),
            lost_variance: self.lost_variance(recoded_as),
        }
    }

    /// Of keys that are numbers, the variance that labels leave out.
    fn lost_variance(&self, recoded: &Recoded) -> BTreeMap<String, f64> {
        let numeric = self.evidence.keys.iter().enumerate().filter(|(_, key)| key.dictionary.is_numeric());
        let values: Vec<(usize, Vec<Option<f64>>)> = numeric
            .map(|(at, key)| {
                let numbers = key.dictionary.values().map(|value| value.parse().ok());
                (at, std::iter::once(None).chain(numbers).collect())
            })
            .collect();
        if values.is_empty() {
            return BTreeMap::new();
        }
        let keys: Vec<Numbers<'_>> = values.iter().map(|(key, values)| Numbers { key: *key, values }).collect();
        let error = measure_numbers(&self.searched.table, recoded, &keys, StandIn::default());
        values.iter().zip(error.lost_variance).map(|((at, _), lost)| (self.names[*at].clone(), lost)).collect()
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
                    && other.suppressed_records == candidate.suppressed_records
            };
            candidate.k == self.rules.k || !all.iter().any(|other| same(other) && (other.k > candidate.k || other.k == self.rules.k))
        });
        let points: Vec<Point> = candidates
            .iter()
            .map(|candidate| Point { risk: candidate.average_risk, loss: candidate.loss })
            .collect();
        let curve = pareto(&points);
        for (at, candidate) in candidates.iter_mut().enumerate() {
            candidate.number = at + 1;
            candidate.on_curve = curve.contains(&at);
        }
    }

    fn why(&self, best: Option<&PlanCandidate>, found: &Found) -> String {
        let limit = share(self.spec.plan.suppression_limit);
        let Some(best) = best else {
            let reason = match (&found.shortfall, &found.best) {
                (Some(shortfall), _) => words(shortfall),
                (None, Some(_)) => "a table that must stay true would not".to_owned(),
                (None, None) => "the search ended before it found one".to_owned(),
            };
            return format!("no recoding meets the policy with at most {limit} of the records left out: {reason}");
        };
        let proof = match found.finished {
            true => "no other recoding that meets the policy loses less".to_owned(),
            false => format!(
                "the search was ended after {} recodings; none can have a loss below {:.4}",
                count(found.nodes),
                found.bound
            ),
        };
        let left_out = match best.suppressed_records {
            0 => "no record is left out".to_owned(),
            records => format!("{} records are left out, {limit} may be", count(records)),
        };
        format!("candidate {} has a loss of {:.4}: {proof}; {left_out}", best.number, best.loss)
    }
}

/// What is wrong even at the coarsest levels, and what would do.
fn words(shortfall: &Shortfall) -> String {
    let failing = shortfall.models.iter().filter(|model| model.suppressed_records > 0 || !model.release_holds);
    let said: Vec<String> = failing
        .map(|model| {
            let mut words = model.says.clone();
            if model.suppressed_records > 0 {
                words += &format!(" would have {} records left out at the coarsest levels", count(model.suppressed_records));
            } else if !model.release_holds {
                words += " does not hold of the release as a whole at the coarsest levels";
            }
            if let Some(smallest) = model.smallest_count {
                words += &format!(" (k = {} would hold)", count(smallest));
            }
            words
        })
        .collect();
    format!("{}; a limit of {:.3} could do", said.join("; "), shortfall.least_limit)
}
