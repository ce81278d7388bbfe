//! An assessment: everything measured about a file, as one object. `outward assess --format json` prints it as it is.

use outward_cells::{Cells, Tabulated, combinations, tables};
use outward_error::Result;
use outward_spec::{Finding, Missing, Rules, Scenario, Severity};
use schemars::JsonSchema;
use serde::Serialize;

use crate::classes::{Chances, ClassMeasure, Classes, OtherClasses, SizeBand, measure_table};
use crate::diversity::{SensitiveRisk, measure_sensitive};
use crate::drivers::{Driver, measure_drivers};
use crate::findings;
use crate::population::{HouseholdRisk, IndividualRisk, PopulationMeasure, measure_journalist, measure_population};
use crate::riskiest::{RiskyRecord, find_riskiest};
use crate::sample::{PopulationRisk, Sample, SampleRisk, SpecialUniques, measure_sample};

/// How many keys the tables have that are always made. Those of one key are for naming the records most at risk.
const TABLE_SIZES: std::ops::RangeInclusive<usize> = 1..=4;
/// Shorter tables are not listed.
const LISTED_FROM: usize = 2;
/// How many records most at risk are named.
const RISKIEST: usize = 20;

/// What is asked of the cells.
#[derive(Debug, Clone)]
pub struct Question {
    /// The source, as the user calls it.
    pub source: String,
    /// The records it is narrowed to, as an SQL condition; all if absent.
    pub condition: Option<String>,
    /// What must hold.
    pub rules: Rules,
    /// How missing values of each key are compared.
    pub missing: Vec<Missing>,
    /// What is known of the file as a sample, and asked of it.
    pub sample: Sample,
    /// Threads to measure on; the answer does not depend on it.
    pub threads: usize,
}

/// The cells that were counted for an assessment, all in one pass over the records.
#[derive(Debug, Clone)]
pub struct AssessedCells<'a> {
    /// Over all keys.
    pub cells: &'a Cells,
    /// Over all keys and one sensitive variable, last; one for each sensitive variable.
    pub sensitive: Vec<&'a Cells>,
    /// Of the population, over all keys.
    pub population: Option<&'a Cells>,
    /// Over all keys and the household, last, where households are known.
    pub households: Option<&'a Cells>,
    /// Of each scenario, over its keys and records, with how its missing values are compared.
    pub scenarios: Vec<(Scenario, &'a Cells, Vec<Missing>)>,
}

/// Everything measured about a file.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Assessment {
    /// The source, as the user calls it.
    pub source: String,
    /// What must hold.
    pub rules: Rules,
    /// The records it is narrowed to, as an SQL condition; all if absent.
    #[serde(rename = "where")]
    pub condition: Option<String>,
    /// The key variables.
    pub keys: Vec<String>,
    /// The keys whose missing values match everything. For the others missing is a value like any other.
    pub wildcard_keys: Vec<String>,
    /// Records counted.
    pub records: u64,
    /// People they represent: the sum of the weights, if there are weights.
    pub weighted_records: Option<f64>,
    /// Combinations of the keys that occur.
    pub cells: u64,
    /// Records alone on the keys.
    pub uniques: u64,
    /// Records that share their keys with exactly one other.
    pub pairs: u64,
    /// Records in classes smaller than the k asked for.
    pub below_k: u64,
    /// Size of the smallest class: the file is k-anonymous for this k.
    pub k: u64,
    /// If missing values match everything: the same by other ways to count.
    pub other_classes: Option<OtherClasses>,
    /// Classes by size.
    pub class_sizes: Vec<SizeBand>,
    /// Chances of an intruder who knows that their target is in the file.
    pub prosecutor: Option<Chances>,
    /// Chances of an intruder who does not; needs a population.
    pub journalist: Option<Chances>,
    /// Expected share of correct matches over all records; that of the prosecutor where there is no population.
    pub marketer: Option<f64>,
    /// The population on all keys: as a file has it, or as models see it through the sample.
    pub population: Option<PopulationRisk>,
    /// Expected re-identifications, by the weights or the sampling fraction: the sum of individual risks. Classes of
    /// three and more use the usual approximation.
    pub expected_reidentifications: Option<f64>,
    /// The same, by the expectation itself.
    pub expected_reidentifications_exact: Option<f64>,
    /// What stands behind the expected re-identifications.
    pub individual_risk: Option<IndividualRisk>,
    /// Records expected to be found themselves or through their household.
    pub household_risk: Option<HouseholdRisk>,
    /// Special uniques, where asked for.
    pub suda: Option<SpecialUniques>,
    /// Every table of two, three and four keys, and the one of all keys last.
    pub tables: Vec<TableRisk>,
    /// Which variables drive the risk, most first.
    pub drivers: Vec<Driver>,
    /// What classes disclose about sensitive variables.
    pub sensitive: Vec<SensitiveRisk>,
    /// Subsets of keys or records with a k of their own.
    pub scenarios: Vec<ScenarioRisk>,
    /// Records most at risk, by row.
    pub riskiest: Vec<RiskyRecord>,
    /// The findings, most severe first.
    pub findings: Vec<Finding>,
}

impl Assessment {
    /// Adds findings that come from elsewhere, such as from the roles of the variables.
    pub fn add_findings(&mut self, more: Vec<Finding>) {
        self.findings.extend(more);
        findings::sort(&mut self.findings);
    }

    /// The most severe finding; none if there is none.
    pub fn severity(&self) -> Option<Severity> {
        self.findings.iter().map(|finding| finding.severity).max()
    }
}

/// One table of some of the keys.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct TableRisk {
    /// Its variables.
    pub keys: Vec<String>,
    /// Combinations that occur.
    pub cells: u64,
    /// Records alone in their cell.
    pub uniques: u64,
    /// Records that share their cell with exactly one other.
    pub pairs: u64,
    /// Records in cells smaller than the k asked for.
    pub below_k: u64,
    /// Records in the smallest cell.
    pub k: u64,
    /// The same table in the population.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub population: Option<PopulationMeasure>,
}

/// A subset of keys or records with a k of its own.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct ScenarioRisk {
    /// Its name.
    pub name: String,
    /// What the intruder knows.
    pub keys: Vec<String>,
    /// The records it is about, as an SQL condition; all if absent.
    #[serde(rename = "where", skip_serializing_if = "Option::is_none")]
    pub condition: Option<String>,
    /// The k asked for.
    pub wanted_k: u64,
    /// What was found.
    #[serde(flatten)]
    pub measure: ClassMeasure,
}

/// Measures everything.
pub fn assess(question: &Question, counted: &AssessedCells<'_>) -> Result<Assessment> {
    let Question { rules, threads, .. } = question;
    let cells = counted.cells;
    let wild = wildcards(&question.missing);
    let classes = Classes::on_threads(cells, &wild, *threads);
    let measure = classes.measure(rules.k);
    let tabulated = tabulate(cells, &wild, rules.k, *threads);
    let prosecutor = classes.prosecutor(rules.k);
    let journalist = match counted.population {
        Some(population) => measure_journalist(cells, population, rules.k)?,
        None => None,
    };
    let (population, households) = (counted.population, counted.households);
    let sample = measure_sample(&question.sample, cells, population, households, &wild, *threads)?;
    let SampleRisk { file, models, remark, dis, log_linear, expected, household, special } = sample;
    let sensitive = counted.sensitive.iter().filter_map(|cells| measure_sensitive(cells, &wild, rules.l, rules.t));
    let sensitive = sensitive.collect();
    let mut assessment = Assessment {
        source: question.source.clone(),
        rules: rules.clone(),
        condition: question.condition.clone(),
        wildcard_keys: cells
            .keys()
            .iter()
            .zip(&wild)
            .filter(|(_, wild)| **wild)
            .map(|(key, _)| key.name.clone())
            .collect(),
        keys: cells.keys().iter().map(|key| key.name.clone()).collect(),
        records: measure.records,
        weighted_records: cells.is_weighted().then(|| cells.total_weight()),
        cells: measure.cells,
        uniques: measure.uniques,
        pairs: measure.pairs,
        below_k: measure.below_k,
        k: measure.k,
        other_classes: OtherClasses::measure(cells, &wild, rules.k, *threads),
        class_sizes: classes.bands(),
        marketer: journalist.map(|(_, marketer)| marketer).or(prosecutor.map(|chances| chances.average)),
        prosecutor,
        journalist: journalist.map(|(chances, _)| chances),
        population: population_risk(PopulationRisk { file, models, remark, dis, log_linear }),
        expected_reidentifications: expected.map(|risk| risk.approximate),
        expected_reidentifications_exact: expected.map(|risk| risk.exact),
        individual_risk: expected,
        household_risk: household,
        suda: special,
        tables: describe_tables(counted, &tabulated)?,
        drivers: measure_drivers(cells, &wild),
        sensitive,
        scenarios: counted
            .scenarios
            .iter()
            .map(|(scenario, cells, missing)| measure_scenario(scenario, cells, missing))
            .collect(),
        riskiest: find_riskiest(cells, &wild, &tabulated, RISKIEST),
        findings: Vec::new(),
    };
    let values: Vec<(String, u64)> =
        cells.keys().iter().map(|key| (key.name.clone(), key.dictionary.len() as u64)).collect();
    assessment.findings = findings::near_unique_keys(&values, measure.records);
    assessment.add_findings(findings::of_measures(&assessment));
    Ok(assessment)
}

/// The population, from every source that is given; none if no source is.
fn population_risk(risk: PopulationRisk) -> Option<PopulationRisk> {
    let known = risk.file.is_some() || risk.models.is_some() || risk.remark.is_some() || risk.log_linear.is_some();
    known.then_some(risk)
}

fn wildcards(missing: &[Missing]) -> Vec<bool> {
    missing.iter().map(|missing| *missing == Missing::Wildcard).collect()
}

/// All tables of one to four keys, then the one of all keys if that has more.
fn tabulate(cells: &Cells, wild: &[bool], k: u64, threads: usize) -> Vec<Tabulated> {
    let keys = cells.keys().len();
    let mut tabulated = if wild.contains(&true) {
        let all: Vec<Vec<usize>> = TABLE_SIZES.flat_map(|size| combinations(keys, size)).collect();
        measure_on_threads(&all, threads, |table| measure_table(cells, wild, table.clone(), k))
    } else {
        tables(cells, TABLE_SIZES, k, threads)
    };
    if !TABLE_SIZES.contains(&keys) {
        tabulated.push(measure_table(cells, wild, (0..keys).collect(), k));
    }
    tabulated
}

/// Measures tables on some threads; what comes out is in the order of the tables. Neighbours in the list cost about the
/// same, so with n threads each takes every n-th table.
fn measure_on_threads(
    tables: &[Vec<usize>],
    threads: usize,
    measure: impl Fn(&Vec<usize>) -> Tabulated + Sync,
) -> Vec<Tabulated> {
    let threads = threads.clamp(1, tables.len().max(1));
    let mut measured: Vec<(usize, Tabulated)> = std::thread::scope(|scope| {
        let measure = &measure;
        let of_thread = |thread: usize| {
            let own = tables.iter().enumerate().skip(thread).step_by(threads);
            scope.spawn(move || own.map(|(at, table)| (at, measure(table))).collect::<Vec<_>>())
        };
        let running: Vec<_> = (0..threads).map(of_thread).collect();
        // A panic on a thread is raised again here, as it would be without threads.
        running
            .into_iter()
            .flat_map(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect()
    });
    measured.sort_by_key(|(at, _)| *at);
    measured.into_iter().map(|(_, table)| table).collect()
}

fn describe_tables(counted: &AssessedCells<'_>, tabulated: &[Tabulated]) -> Result<Vec<TableRisk>> {
    let cells = counted.cells;
    let describe = |table: &Tabulated| -> Result<TableRisk> {
        let population = counted.population.map(|big| measure_population(&cells.margin(&table.keys), big));
        Ok(TableRisk {
            keys: table.keys.iter().map(|key| cells.keys()[*key].name.clone()).collect(),
            cells: table.cells,
            uniques: table.uniques,
            pairs: table.pairs,
            below_k: table.below_k,
            k: table.smallest,
            population: population.transpose()?,
        })
    };
    let listed = |table: &&Tabulated| table.keys.len() >= LISTED_FROM.min(cells.keys().len());
    tabulated.iter().filter(listed).map(describe).collect()
}

fn measure_scenario(scenario: &Scenario, cells: &Cells, missing: &[Missing]) -> ScenarioRisk {
    let wanted_k = scenario.k.unwrap_or(1);
    ScenarioRisk {
        name: scenario.name.clone(),
        keys: cells.keys().iter().map(|key| key.name.clone()).collect(),
        condition: scenario.condition.clone(),
        wanted_k,
        measure: Classes::from_cells(cells, &wildcards(missing)).measure(wanted_k),
    }
}
