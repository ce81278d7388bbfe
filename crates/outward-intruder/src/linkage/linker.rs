//! Linking: a model and the records of one file or two.

use outward_error::{Error, Result};

use super::blocking::{self, Blocking, MAX_COMPARISONS};
use super::comparer::Comparer;
use super::estimate::{Trained, Training, train};
use super::frequency::Frequencies;
use super::model::{BlockingRule, Model};
use super::records::{Joint, Records};
use super::score::{Scorer, Waterfall, Weights, probability_of};
use super::scored::{Scored, score};
use super::sql::Expression;

/// How linking is done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// Threads; results do not depend on them.
    pub threads: usize,
    /// How many pairs blocking rules may make together.
    pub max_comparisons: u64,
    /// Other columns to join besides those the model compares: that of the truth, those of rules for training.
    pub also: Vec<String>,
}

impl Default for Settings {
    fn default() -> Self {
        Self { threads: 1, max_comparisons: MAX_COMPARISONS, also: Vec::new() }
    }
}

/// A model and the records it links.
///
/// ```
/// use outward_cells::{Coded, Dictionary};
/// use outward_intruder::linkage::{BlockingRule, Linker, Model, Records, Settings};
///
/// # fn main() -> Result<(), outward_error::Error> {
/// let model = Model::from_json(r#"{"link_type": "link_only", "probability_two_random_records_match": 0.5,
///   "blocking_rules_to_generate_predictions": [], "comparisons": [{"output_column_name": "name", "comparison_levels": [
///     {"sql_condition": "\"name_l\" = \"name_r\"", "m_probability": 0.9, "u_probability": 0.1},
///     {"sql_condition": "ELSE", "m_probability": 0.1, "u_probability": 0.9}]}]}"#)?;
/// let names = Dictionary::new(vec!["Ann".into(), "Bob".into()], false);
/// let file = |codes: &[u32]| Records::new([("name".to_owned(), Coded { codes: codes.to_vec(), dictionary: names.clone() })]);
/// let linker = Linker::new(model, &file(&[1, 2]), Some(&file(&[2, 1])), Settings::default())?;
/// let scored = linker.score(0.8, None)?;
/// let pairs: Vec<_> = scored.pairs.iter().map(|pair| (pair.left, pair.right)).collect();
/// assert_eq!(pairs, [(0, 1), (1, 0)]);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Linker {
    model: Model,
    pub(crate) joint: Joint,
    pub(crate) threads: usize,
    limit: u64,
}

impl Linker {
    /// Joins the records by the columns that the model names.
    pub fn new(model: Model, left: &Records, right: Option<&Records>, settings: Settings) -> Result<Self> {
        let names = model.columns()?;
        let all = names.iter().chain(&settings.also).map(String::as_str);
        let joint = Joint::new(model.link_type, left, right, all)?;
        Ok(Self { model, joint, threads: settings.threads, limit: settings.max_comparisons })
    }

    /// The model as it is now.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// Estimates the parameters of the model that are not fixed.
    pub fn train(&mut self, training: &Training) -> Result<Trained> {
        let (model, trained) = train(self, &self.model, training)?;
        self.model = model;
        Ok(trained)
    }

    /// Compares the pairs of the blocking rules and keeps those that are one person with `threshold` probability or more. With a column
    /// of the truth it counts which pairs are right.
    pub fn score(&self, threshold: f64, truth: Option<&str>) -> Result<Scored> {
        if !(threshold > 0.0 && threshold < 1.0) {
            return Err(Error::input("the threshold is not a probability")
                .help("give a number above 0 and below 1")
                .into());
        }
        if !self.model.is_trained() {
            return Err(Error::input("a comparison of the model has no m or no u")
                .help("train the model first, with --train")
                .into());
        }
        let truth = truth.map(|name| self.joint.position(name)).transpose()?;
        score(self, &self.scorer()?, threshold, truth)
    }

    /// How the weight of a pair comes about. Records are numbered from 0, those of a second file from 0 again.
    pub fn waterfall(&self, left: usize, right: usize) -> Result<Waterfall> {
        let two = self.joint.rows > self.joint.first;
        let lefts = self.joint.first;
        let rights = if two { self.joint.rows - self.joint.first } else { lefts };
        if left >= lefts || right >= rights || (!two && left == right) {
            return Err(Error::input("there is no such pair of records")
                .help("give the numbers of two records, from 1")
                .into());
        }
        let (first, second) = if two { (left, self.joint.first + right) } else { (left.min(right), left.max(right)) };
        let terms = self.scorer()?.terms(&self.model, first, second);
        let weight = terms.iter().map(|term| term.weight).sum();
        Ok(Waterfall {
            left: left as u64 + 1,
            right: right as u64 + 1,
            terms,
            weight,
            probability: probability_of(weight),
        })
    }

    pub(crate) fn comparer(&self, model: &Model) -> Result<Comparer<'_>> {
        Comparer::new(model, &self.joint)
    }

    pub(crate) fn block(&self, rules: &[BlockingRule]) -> Result<Blocking<'_>> {
        Blocking::new(rules, &self.joint, self.limit)
    }

    pub(crate) fn blocking(&self) -> Result<Blocking<'_>> {
        self.block(&self.model.blocking_rules)
    }

    fn scorer(&self) -> Result<Scorer<'_>> {
        Ok(Scorer {
            comparer: self.comparer(&self.model)?,
            weights: Weights::new(&self.model),
            frequencies: Frequencies::new(&self.model, &self.joint)?,
        })
    }
}

impl Model {
    /// The columns that the model reads, in the order in which it names them.
    pub fn columns(&self) -> Result<Vec<String>> {
        let mut names = Vec::new();
        for comparison in &self.comparisons {
            let conditions = comparison.conditions()?;
            names.extend(conditions.iter().flat_map(Expression::columns).map(|(_, name)| name));
            names.extend(comparison.levels.iter().filter_map(|level| level.frequency_column.clone()));
        }
        names.extend(blocking::columns_of(&self.blocking_rules)?);
        let mut seen = std::collections::BTreeSet::new();
        names.retain(|name| seen.insert(name.clone()));
        Ok(names)
    }
}

/// The columns that rules for training read.
pub fn columns_of_rules(rules: &[BlockingRule]) -> Result<Vec<String>> {
    blocking::columns_of(rules)
}
