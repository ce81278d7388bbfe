//! `outward link`: which records of two files, or of one, are the same person.

mod pairs;
mod propose;

use std::path::{Path, PathBuf};

use outward_engine::{Data, Plan, ReleasedRequest};
use outward_intruder::linkage::{
    Accuracy, BlockingRule, Clusters, LinkType, Linked, Linker, Model, Records, RuleCount, Scored, ScoredPair,
    Settings, ThresholdCount, Trained, Training, Waterfall, assign_one_to_one, columns_of_rules, report,
};
use outward_spec::{Error, Result, Source};
use serde::Serialize;

use crate::cli::LinkArgs;
use crate::commands::assess::{data_name, source};
use crate::commands::show;
use crate::output::{Outcome, refuse_inputs, refuse_no_folder, write_file};
use crate::session::Session;
use pairs::{Ids, write_pairs};

/// What was linked, for programs.
#[derive(Serialize)]
struct Answer<'a> {
    /// The file of pairs.
    #[serde(skip_serializing_if = "Option::is_none")]
    out: Option<&'a Path>,
    records: Vec<u64>,
    threshold: f64,
    /// Pairs at the threshold.
    pairs: u64,
    /// Clusters of two records or more.
    clusters: u64,
    /// Records in these.
    clustered_records: u64,
    /// Pairs that were compared.
    comparisons: u64,
    #[serde(flatten)]
    accuracy: Option<Accuracy>,
    #[serde(skip_serializing_if = "Option::is_none")]
    true_pairs: Option<u64>,
    /// With one-to-one assignment: components that were too large for the best one.
    #[serde(skip_serializing_if = "Option::is_none")]
    assigned_by_falling_weight: Option<u64>,
    rules: &'a [RuleCount],
    thresholds: &'a [ThresholdCount],
    #[serde(skip_serializing_if = "Option::is_none")]
    training: Option<&'a Trained>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    waterfalls: &'a [Waterfall],
    /// The model with its parameters, as Splink has it.
    model: &'a Model,
}

/// The records of the files that are linked.
struct Files {
    left: Records,
    right: Option<Records>,
}

pub(crate) fn run(session: &Session, args: &LinkArgs) -> Result<Outcome> {
    let inputs: Vec<&Path> = [Some(&args.left), args.right.as_ref(), args.model.as_ref()]
        .into_iter()
        .flatten()
        .map(PathBuf::as_path)
        .collect();
    for path in [&args.out, &args.report, &args.training.save_model].into_iter().flatten() {
        refuse_inputs(path, &inputs)?;
        refuse_no_folder(path)?;
    }
    if !(args.threshold > 0.0 && args.threshold < 1.0) {
        return Err(Error::input("the threshold is not a probability")
            .help("give --threshold a number above 0 and below 1, such as 0.95")
            .into());
    }
    let training = training(args);
    let said = args.model.as_deref().map(read_model).transpose()?;
    let (model, files) = match said {
        Some(model) => {
            let files = read(session, args, &columns(&model, args, &training)?)?;
            (model, files)
        }
        None => propose::model_and_records(session, args, &training)?,
    };
    let settings =
        Settings { threads: session.threads, max_comparisons: args.max_comparisons, also: also(args, &training)? };
    let mut linker = Linker::new(model, &files.left, files.right.as_ref(), settings)?;
    let wanted = args.training.train || !linker.model().is_trained();
    let has_rules = !args.training.train_on.is_empty() || !args.training.deterministic.is_empty();
    if has_rules && !wanted {
        return Err(Error::input("the model has its parameters, so the rules for training are not used")
            .help("add --train to estimate the parameters anew, or leave --train-on and --deterministic out")
            .into());
    }
    let trained =
        if wanted { Some(session.tell_if_long("Training the model", || linker.train(&training))?) } else { None };
    tell_of_training(session, trained.as_ref());
    let scored = session.tell_if_long("Comparing pairs", || linker.score(args.threshold, args.truth.as_deref()))?;
    let result = Linking { args, linker: &linker, files: &files, trained: trained.as_ref(), scored: &scored };
    result.finish(session, &inputs)?;
    Ok(Outcome::Clean)
}

fn training(args: &LinkArgs) -> Training {
    let rules = |all: &[String]| all.iter().map(BlockingRule::new).collect();
    Training {
        deterministic: rules(&args.training.deterministic),
        recall: args.training.recall,
        runs: rules(&args.training.train_on),
        random_pairs: args.training.random_pairs,
        seed: args.training.seed,
    }
}

fn read_model(path: &Path) -> Result<Model> {
    let text = std::fs::read_to_string(path).map_err(|error| Error::io("read", path, error))?;
    Model::from_json(&text).map_err(|error| error.with_fault(|fault| fault.file(path)))
}

/// Columns that are read besides those of the model.
fn also(args: &LinkArgs, training: &Training) -> Result<Vec<String>> {
    let mut names = columns_of_rules(&training.deterministic)?;
    names.extend(columns_of_rules(&training.runs)?);
    names.extend(args.truth.clone());
    Ok(names)
}

/// All columns that are read, each once.
fn columns(model: &Model, args: &LinkArgs, training: &Training) -> Result<Vec<String>> {
    let mut names = model.columns()?;
    names.extend(also(args, training)?);
    names.extend(args.unique_id.clone());
    let mut seen = std::collections::BTreeSet::new();
    names.retain(|name| seen.insert(name.clone()));
    Ok(names)
}

/// Reads these columns of each file.
fn read(session: &Session, args: &LinkArgs, names: &[String]) -> Result<Files> {
    let left = read_file(session, args, &args.left, names)?;
    let right = args.right.as_ref().map(|path| read_file(session, args, path, names)).transpose()?;
    Ok(Files { left, right })
}

fn read_file(session: &Session, args: &LinkArgs, path: &Path, names: &[String]) -> Result<Records> {
    let data = Data { source: source(path, &args.reading)?, columns: Vec::new() };
    let request =
        ReleasedRequest { data, plan: Plan::unchanged(), reads: Some(names.to_vec()), columns: names.to_vec() };
    let released = session.runtime()?.block_on(session.engine().read_released(&[request]))?;
    let released = released.into_iter().next().ok_or_else(|| Error::bug("a file was not read"))??;
    Ok(Records::new(names.iter().cloned().zip(released.columns)))
}

/// Says what a user should know before they trust the parameters.
fn tell_of_training(session: &Session, trained: Option<&Trained>) {
    let Some(trained) = trained else { return };
    for run in trained.runs.iter().filter(|run| !run.converged) {
        session.remark(&format!(
            "EM on `{}` did not converge in {} steps. {} Raise max_iterations in the model, or name another rule with --train-on.",
            run.rule,
            run.history.len(),
            run.changes()
        ));
    }
    for level in &trained.unobserved {
        session.remark(&format!("No run of EM saw a pair at `{level}`: this level counts as no evidence."));
    }
}

/// A finished linking.
struct Linking<'a> {
    args: &'a LinkArgs,
    linker: &'a Linker,
    files: &'a Files,
    trained: Option<&'a Trained>,
    scored: &'a Scored,
}

impl Linking<'_> {
    fn finish(&self, session: &Session, inputs: &[&Path]) -> Result<()> {
        let assignment = self.args.one_to_one.then(|| assign_one_to_one(&self.scored.pairs));
        if assignment.is_some() && self.linker.model().link_type != LinkType::LinkOnly {
            return Err(Error::input("--one-to-one is for two files that are linked")
                .help("set link_type of the model to link_only, or leave --one-to-one out")
                .into());
        }
        let pairs = assignment.as_ref().map_or(self.scored.pairs.as_slice(), |assignment| &assignment.pairs);
        let clusters = Clusters::new(self.scored, pairs);
        let accuracy = match (&assignment, self.scored.true_pairs) {
            (Some(_), Some(all)) => Some(Accuracy::new(pairs.len() as u64, self.correct(pairs), all)),
            _ => self.scored.accuracy,
        };
        let waterfalls = self.waterfalls(pairs)?;
        if let Some(path) = &self.args.out {
            let ids =
                self.args.unique_id.as_deref().map(|name| Ids::new(name, &self.files.left, self.files.right.as_ref()));
            write_pairs(path, pairs, self.scored, &clusters, ids.transpose()?)?;
        }
        if let Some(path) = &self.args.training.save_model {
            write_file(path, &self.linker.model().to_json()?, inputs)?;
        }
        let answer = Answer {
            out: self.args.out.as_deref(),
            records: [Some(&self.files.left), self.files.right.as_ref()]
                .into_iter()
                .flatten()
                .map(|file| file.rows as u64)
                .collect(),
            threshold: self.args.threshold,
            pairs: pairs.len() as u64,
            clusters: clusters.count,
            clustered_records: clusters.records,
            comparisons: self.scored.rules.iter().map(|rule| rule.added).sum(),
            accuracy,
            true_pairs: self.scored.true_pairs,
            assigned_by_falling_weight: assignment.as_ref().map(|assignment| assignment.by_falling_weight),
            rules: &self.scored.rules,
            thresholds: &self.scored.thresholds,
            training: self.trained,
            waterfalls: &waterfalls,
            model: self.linker.model(),
        };
        let document = report(&Linked {
            title: self.title(),
            model: self.linker.model(),
            trained: self.trained,
            scored: self.scored,
            threshold: self.args.threshold,
            pairs: pairs.len() as u64,
            clusters: clusters.count,
            accuracy,
            waterfalls: &waterfalls,
        });
        show(session, &answer, &document, self.args.report.as_deref(), inputs)
    }

    fn title(&self) -> String {
        let name = |path: &Path| data_name(&Source::file(path));
        match &self.args.right {
            Some(right) => format!("Records of {} and {} that are one person", name(&self.args.left), name(right)),
            None => format!("Records of {} that are one person", name(&self.args.left)),
        }
    }

    /// Pairs that the truth confirms, counted by the values of its column.
    fn correct(&self, pairs: &[ScoredPair]) -> u64 {
        let truth = |records: &Records, row: u32| -> Option<String> {
            let at = records.names.iter().position(|name| Some(name) == self.args.truth.as_ref())?;
            let column = &records.columns[at];
            column.dictionary.value(column.codes[row as usize]).map(str::to_owned)
        };
        let right = self.files.right.as_ref().unwrap_or(&self.files.left);
        let same = |pair: &&ScoredPair| {
            let left = truth(&self.files.left, pair.left);
            left.is_some() && left == truth(right, pair.right)
        };
        pairs.iter().filter(same).count() as u64
    }

    /// The pairs that were requested. Without a request, the strongest pair, the middle one, and the weakest that was
    /// kept.
    fn waterfalls(&self, pairs: &[ScoredPair]) -> Result<Vec<Waterfall>> {
        if !self.args.waterfalls.is_empty() {
            return self
                .args
                .waterfalls
                .iter()
                .map(|(left, right)| self.linker.waterfall(left - 1, right - 1))
                .collect();
        }
        // Pairs within the second of two files have no numbers here.
        if self.linker.model().link_type == LinkType::LinkAndDedupe {
            return Ok(Vec::new());
        }
        let mut ranked: Vec<&ScoredPair> = pairs.iter().collect();
        ranked.sort_by(|a, b| b.weight.total_cmp(&a.weight).then((a.left, a.right).cmp(&(b.left, b.right))));
        let mut places = vec![0, ranked.len() / 2, ranked.len().saturating_sub(1)];
        places.dedup();
        let shown = places.into_iter().filter_map(|place| ranked.get(place));
        shown.map(|pair| self.linker.waterfall(pair.left as usize, pair.right as usize)).collect()
    }
}
