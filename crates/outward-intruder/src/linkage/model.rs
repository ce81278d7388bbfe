//! A model of record linkage, in the JSON that Splink 4 and 5 write (Linacre et al. 2022, *International Journal of Population Data
//! Science* 7(3)).
//!
//! A comparison has levels in order: a pair of records is at the first level whose condition is true. For every level, m is how probable
//! it is among pairs of one person, u among other pairs (Fellegi and Sunter 1969). Fields that are not known here are kept.

use outward_error::{Error, Result};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::sql::{Expression, Names, parse};

/// Which pairs are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LinkType {
    /// Pairs within one file.
    DedupeOnly,
    /// Pairs of a record of the first file and one of the second.
    LinkOnly,
    /// All pairs of both files.
    LinkAndDedupe,
}

/// What is compared, how, and what agreement is worth.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Model {
    /// Which pairs are compared.
    pub link_type: LinkType,
    /// λ: how probable it is that two records drawn at random are one person.
    #[serde(rename = "probability_two_random_records_match", default = "default_prior")]
    pub prior: f64,
    /// The rules that make the pairs to be compared.
    #[serde(rename = "blocking_rules_to_generate_predictions", default)]
    pub blocking_rules: Vec<BlockingRule>,
    /// The comparisons.
    pub comparisons: Vec<Comparison>,
    /// Estimation ends when no parameter changes by more.
    #[serde(rename = "em_convergence", default = "default_convergence")]
    pub convergence: f64,
    /// Estimation ends after so many steps.
    #[serde(default = "default_iterations")]
    pub max_iterations: usize,
    /// Everything else that the file says.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

fn default_prior() -> f64 {
    1e-4
}

fn default_convergence() -> f64 {
    1e-4
}

fn default_iterations() -> usize {
    25
}

/// A rule that makes pairs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(from = "RuleForm")]
pub struct BlockingRule {
    /// The condition on the two records `l` and `r`.
    #[serde(rename = "blocking_rule")]
    pub condition: String,
    /// Everything else that the file says.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// A rule may be written as its condition alone.
#[derive(Deserialize)]
#[serde(untagged)]
enum RuleForm {
    Condition(String),
    Full {
        blocking_rule: String,
        #[serde(flatten)]
        other: Map<String, Value>,
    },
}

impl From<RuleForm> for BlockingRule {
    fn from(form: RuleForm) -> Self {
        match form {
            RuleForm::Condition(condition) => Self::new(condition),
            RuleForm::Full { blocking_rule, other } => Self { condition: blocking_rule, other },
        }
    }
}

impl BlockingRule {
    /// A rule by its condition, such as `l.dob = r.dob`.
    pub fn new(condition: impl Into<String>) -> Self {
        let dialect = ("sql_dialect".to_owned(), json!("duckdb"));
        Self { condition: condition.into(), other: Map::from_iter([dialect]) }
    }

    /// The rule that some columns agree.
    pub fn on_columns(columns: &[&str]) -> Self {
        let part = |name: &&str| format!("l.{0} = r.{0}", quoted(name));
        Self::new(columns.iter().map(part).collect::<Vec<_>>().join(" AND "))
    }
}

/// One thing that is compared, such as a name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// Its name.
    #[serde(rename = "output_column_name", default)]
    pub name: String,
    /// Its levels, from the first that is tried to the last, which is `ELSE`.
    #[serde(rename = "comparison_levels")]
    pub levels: Vec<Level>,
    /// Everything else that the file says.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// One level of agreement.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Level {
    /// The condition on the two records, in SQL.
    #[serde(rename = "sql_condition")]
    pub condition: String,
    /// Its name.
    #[serde(rename = "label_for_charts", default)]
    pub label: String,
    /// Whether it says that a value is missing: no evidence either way.
    #[serde(rename = "is_null_level", default, skip_serializing_if = "std::ops::Not::not")]
    pub is_null: bool,
    /// How probable it is among pairs of one person.
    #[serde(rename = "m_probability", default, skip_serializing_if = "Option::is_none")]
    pub m: Option<f64>,
    /// How probable it is among other pairs.
    #[serde(rename = "u_probability", default, skip_serializing_if = "Option::is_none")]
    pub u: Option<f64>,
    /// Whether m is said and not estimated.
    #[serde(rename = "fix_m_probability", default)]
    pub fix_m: bool,
    /// Whether u is said and not estimated.
    #[serde(rename = "fix_u_probability", default)]
    pub fix_u: bool,
    /// The column whose rare values are worth more.
    #[serde(rename = "tf_adjustment_column", default, skip_serializing_if = "Option::is_none")]
    pub frequency_column: Option<String>,
    /// How much of the adjustment is made, from 0 to 1.
    #[serde(rename = "tf_adjustment_weight", default, skip_serializing_if = "Option::is_none")]
    pub frequency_weight: Option<f64>,
    /// No value counts as rarer than this.
    #[serde(rename = "tf_minimum_u_value", default, skip_serializing_if = "Option::is_none")]
    pub frequency_minimum: Option<f64>,
    /// Everything else that the file says.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl Model {
    /// Reads the JSON of a model.
    pub fn from_json(text: &str) -> Result<Self> {
        let mut model: Self = serde_json::from_str(text).map_err(|fault| {
            let what = format!("this is not a Splink model: {}", without_place(&fault.to_string()));
            Error::input(what).line(fault.line() as u64).help(
                "give the JSON that Splink's `linker.misc.save_model_to_json` writes, or `outward link --save-model`",
            )
        })?;
        for (at, comparison) in model.comparisons.iter_mut().enumerate() {
            if comparison.name.is_empty() {
                comparison.name = format!("comparison_{}", at + 1);
            }
        }
        model.check()?;
        Ok(model)
    }

    /// The JSON of the model, as Splink reads it.
    pub fn to_json(&self) -> Result<String> {
        serde_json::to_string_pretty(self).map(|text| text + "\n").map_err(Error::bug)
    }

    /// The column that names a record, where the model says one.
    pub fn unique_id_column(&self) -> Option<&str> {
        self.other.get("unique_id_column_name").and_then(Value::as_str)
    }

    /// Whether every comparison has m and u. A level that training never saw may lack them.
    pub fn is_trained(&self) -> bool {
        self.comparisons.iter().all(|comparison| {
            let any = |known: fn(&Level) -> bool| comparison.levels.iter().any(|level| !level.is_null && known(level));
            any(|level| level.m.is_some()) && any(|level| level.u.is_some())
        })
    }

    fn check(&self) -> Result<()> {
        if self.comparisons.is_empty() {
            return Err(Error::input("the model compares nothing").help("give it a comparison").into());
        }
        let open = |x: f64| x > 0.0 && x < 1.0;
        if !open(self.prior) {
            let what = format!("probability_two_random_records_match is {}", self.prior);
            return Err(Error::input(what).help("it is a number above 0 and below 1").into());
        }
        self.comparisons.iter().try_for_each(Comparison::check)
    }
}

/// A message of the JSON reader without its line, which is said elsewhere.
fn without_place(message: &str) -> &str {
    message.rsplit_once(" at line ").map_or(message, |(what, _)| what)
}

impl Comparison {
    /// A comparison by its name and levels.
    pub fn new(name: impl Into<String>, levels: Vec<Level>) -> Self {
        Self { name: name.into(), levels, other: Map::new() }
    }

    fn check(&self) -> Result<()> {
        let fault = |what: String, help: &str| -> Result<()> {
            Err(Error::input(format!("comparison `{}`: {what}", self.name)).help(help).into())
        };
        for level in &self.levels {
            for (name, value) in [("m_probability", level.m), ("u_probability", level.u)] {
                if value.is_some_and(|value| !(0.0..=1.0).contains(&value)) {
                    return fault(
                        format!("level `{}`: {name} is not a probability", level.label),
                        "write a number from 0 to 1",
                    );
                }
            }
            if level.frequency_weight.is_some_and(|weight| !(0.0..=1.0).contains(&weight)) {
                return fault(
                    format!("level `{}`: tf_adjustment_weight is not from 0 to 1", level.label),
                    "write a number from 0 to 1",
                );
            }
        }
        let otherwise = |level: &Level| level.condition.trim().eq_ignore_ascii_case("else");
        match self.levels.split_last() {
            Some((last, before)) if otherwise(last) && !before.iter().any(otherwise) => {}
            _ => {
                return fault(
                    "the last level is not ELSE".to_owned(),
                    "end the levels with one whose sql_condition is ELSE, and have no other of these",
                );
            }
        }
        if self.levels.iter().filter(|level| !level.is_null).count() < 2 {
            return fault(
                "it cannot tell pairs apart".to_owned(),
                "give it two levels or more besides that for missing values",
            );
        }
        Ok(())
    }

    /// The conditions of the levels.
    pub(crate) fn conditions(&self) -> Result<Vec<Expression>> {
        let read =
            |level: &Level| parse(&level.condition, Names::Suffixed).map_err(|fault| self.fault(level, &fault.0));
        self.levels.iter().map(read).collect()
    }

    /// That something is wrong with a level.
    pub(crate) fn fault(&self, level: &Level, what: &str) -> Error {
        let supported = super::condition::SUPPORTED;
        Error::input(format!("comparison `{}`, level `{}`: {what}", self.name, level.label)).help(supported).into()
    }
}

impl Level {
    /// A level by its condition and name.
    pub fn new(condition: impl Into<String>, label: impl Into<String>) -> Self {
        Self { condition: condition.into(), label: label.into(), ..Self::default() }
    }

    /// The level of pairs of which one has no value.
    pub fn null(column: &str) -> Self {
        let (left, right) = sides(column);
        let mut level = Self::new(format!("{left} IS NULL OR {right} IS NULL"), format!("{column} is NULL"));
        level.is_null = true;
        level
    }

    /// The level of pairs with the same value.
    pub fn exact(column: &str) -> Self {
        let (left, right) = sides(column);
        Self::new(format!("{left} = {right}"), format!("Exact match on {column}"))
    }

    /// The level of all other pairs.
    pub fn otherwise() -> Self {
        Self::new("ELSE", "All other comparisons")
    }

    /// The same level, with rare values of a column worth more.
    #[must_use]
    pub fn by_frequency(mut self, column: &str) -> Self {
        self.frequency_column = Some(column.to_owned());
        self.frequency_weight = Some(1.0);
        self
    }

    /// The same level with its parameters.
    #[must_use]
    pub fn with(mut self, m: f64, u: f64) -> Self {
        (self.m, self.u) = (Some(m), Some(u));
        self
    }
}

/// A column of the two records, as levels name it.
pub(crate) fn sides(column: &str) -> (String, String) {
    (quoted(&format!("{column}_l")), quoted(&format!("{column}_r")))
}

/// A name in double quotes.
fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn model() -> Value {
        json!({
            "link_type": "dedupe_only", "probability_two_random_records_match": 0.01, "sql_dialect": "duckdb",
            "blocking_rules_to_generate_predictions": ["l.dob = r.dob", {"blocking_rule": "l.a = r.a", "salting_partitions": 4}],
            "comparisons": [{
                "output_column_name": "name", "comparison_description": "ours", "comparison_levels": [
                    {"sql_condition": "\"name_l\" IS NULL OR \"name_r\" IS NULL", "label_for_charts": "null", "is_null_level": true},
                    {"sql_condition": "\"name_l\" = \"name_r\"", "label_for_charts": "exact", "m_probability": 0.9, "u_probability": 0.01,
                     "tf_adjustment_column": "name", "tf_adjustment_weight": 1.0, "colour": "red", "is_null_level": false},
                    {"sql_condition": "ELSE", "label_for_charts": "else", "m_probability": 0.1, "u_probability": 0.99}]}],
        })
    }

    #[test]
    fn what_is_not_known_survives_reading_and_writing() {
        let read = Model::from_json(&model().to_string()).unwrap();
        let written: Value = serde_json::from_str(&read.to_json().unwrap()).unwrap();
        assert_eq!(written["sql_dialect"], "duckdb");
        assert_eq!(written["blocking_rules_to_generate_predictions"][1]["salting_partitions"], 4);
        assert_eq!(written["comparisons"][0]["comparison_description"], "ours");
        assert_eq!(written["comparisons"][0]["comparison_levels"][1]["colour"], "red");
        assert_eq!(Model::from_json(&written.to_string()).unwrap(), read);
    }

    #[test]
    fn a_model_that_cannot_be_is_an_error_that_names_the_comparison() {
        for (path, value, says) in [
            ("/probability_two_random_records_match", json!(1.0), "probability_two_random_records_match"),
            ("/comparisons", json!([]), "compares nothing"),
            (
                "/comparisons/0/comparison_levels/2/sql_condition",
                json!("a_l = a_r"),
                "comparison `name`: the last level is not ELSE",
            ),
            ("/comparisons/0/comparison_levels/1/m_probability", json!(1.5), "level `exact`: m_probability"),
            ("/comparisons/0/comparison_levels/1/is_null_level", json!(true), "cannot tell pairs apart"),
            ("/link_type", json!("guess"), "not a Splink model"),
        ] {
            let mut model = model();
            *model.pointer_mut(path).unwrap() = value;
            let fault = Model::from_json(&model.to_string()).unwrap_err().to_string();
            assert!(fault.contains(says), "{fault}");
        }
        assert!(Model::from_json("{").unwrap_err().to_string().contains("line 1"));
    }

    #[test]
    fn names_are_quoted() {
        assert_eq!(BlockingRule::on_columns(&["a b", "c"]).condition, r#"l."a b" = r."a b" AND l."c" = r."c""#);
        assert_eq!(Level::exact("say \"x\"").condition, r#""say ""x""_l" = "say ""x""_r""#);
    }
}
