//! The file as a sample: the uniques in the population it was drawn from, and its special uniques.

use outward_cells::Cells;
use outward_error::{Error, Result};
use outward_report::format::share;
use schemars::JsonSchema;
use serde::Serialize;

use crate::population::{
    Dis, Histogram, HouseholdRisk, IndividualRisk, LogLinear, ModelChoice, PopulationMeasure, RiskFormula,
    SampleClasses, SamplingFraction, Uniqueness, count_uniqueness, measure_dis, measure_households, measure_log_linear,
    measure_population, measure_uniqueness,
};
use crate::suda::{self, Suda, find_special_uniques};

/// How many special records are named.
const NAMED: usize = 20;

/// What is known of the sample, and what is asked of it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Sample {
    /// The share of the population that is in the file; from the weights if absent.
    pub fraction: Option<f64>,
    /// Whether a log-linear model is fitted.
    pub log_linear: bool,
    /// Whether special uniques are searched, and up to how many keys.
    pub special_uniques: Option<SudaLimit>,
}

/// How far special uniques are searched.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SudaLimit {
    /// The most keys of a minimal unique; all if absent.
    pub max_size: Option<usize>,
}

/// The population, as a file has it or as models see it through the sample.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct PopulationRisk {
    /// The sample beside the population file, where there is one.
    #[serde(flatten)]
    pub file: Option<PopulationMeasure>,
    /// The share of the population that is unique in it, by each estimator: a number, or the reason why there is none.
    #[serde(flatten)]
    pub models: Option<Uniqueness>,
    /// Why there are no estimates although there are weights, or a note if weights and fraction differ.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remark: Option<String>,
    /// The chance that a match on a record alone in the sample is right, without a model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dis: Option<Dis>,
    /// Sample uniques expected to be unique in the population by a log-linear model, where asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log_linear: Option<LogLinear>,
}

impl PopulationRisk {
    /// Whether figures of the population come from its file, and not from models.
    pub fn is_counted(&self) -> bool {
        self.file.is_some() && self.models.as_ref().is_some_and(Uniqueness::is_counted)
    }
}

/// Special uniques, summed up and named.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct SpecialUniques {
    /// What was found.
    #[serde(flatten)]
    pub found: Suda,
    /// The share of the population that chances go by.
    pub sampling_fraction: f64,
    /// Whether that share is only assumed, because nothing says it.
    pub fraction_assumed: bool,
    /// The records with the highest scores, by row.
    pub riskiest: Vec<SpecialRecord>,
    /// What each value of each key contributes, where values may be shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub levels: Option<Vec<ValueContribution>>,
}

/// A record with a high score.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct SpecialRecord {
    /// Its row; the first record is row 1.
    pub row: u64,
    /// Its score.
    pub score: f64,
    /// The chance that a match with it is right.
    pub dis: f64,
    /// How many minimal uniques it has.
    pub minimal_uniques: u64,
    /// How many keys its smallest one has.
    pub smallest: usize,
}

/// What a value contributes to the score of its key.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct ValueContribution {
    /// The key.
    pub variable: String,
    /// The value.
    pub level: String,
    /// Percentage of the score of the minimal uniques with this key.
    pub percent: f64,
}

/// What the sample says, all told.
pub(crate) struct SampleRisk {
    pub(crate) file: Option<PopulationMeasure>,
    pub(crate) models: Option<Uniqueness>,
    pub(crate) remark: Option<String>,
    pub(crate) dis: Option<Dis>,
    pub(crate) log_linear: Option<LogLinear>,
    pub(crate) expected: Option<IndividualRisk>,
    pub(crate) household: Option<HouseholdRisk>,
    pub(crate) special: Option<SpecialUniques>,
}

/// Measures the file as a sample. If a population file is given, figures are counted in it and not estimated. `wild`
/// says for each key whether its missing values match everything; `households` has the household after the keys.
pub(crate) fn measure_sample(
    sample: &Sample,
    cells: &Cells,
    population: Option<&Cells>,
    households: Option<&Cells>,
    wild: &[bool],
    threads: usize,
) -> Result<SampleRisk> {
    let histogram = Histogram::from_class_sizes(cells.counts().iter().copied());
    let file = population.map(|population| measure_population(cells, population)).transpose()?;
    let counted = file.as_ref().filter(|_| !cells.is_empty()).and_then(|file| count_uniqueness(&histogram, file));
    let of_file = counted.as_ref().map(|counted| counted.details.sampling_fraction);
    let fraction = fraction(sample, of_file, cells)?;
    let classes = match population.filter(|_| counted.is_some()) {
        Some(population) => Some(SampleClasses::of_population(cells, population)?),
        None => ((cells.is_weighted() || fraction.is_some()) && !cells.is_empty())
            .then(|| SampleClasses::from_cells(cells, fraction, wild, threads)),
    };
    let estimated = fraction.filter(|_| counted.is_none());
    Ok(SampleRisk {
        file,
        dis: estimated.and_then(|fraction| measure_dis(&histogram, fraction)),
        models: counted.or_else(|| {
            estimated.filter(|_| !cells.is_empty()).map(|fraction| measure_uniqueness(&histogram, fraction))
        }),
        remark: remark(sample, cells),
        log_linear: match (sample.log_linear, fraction) {
            (false, _) => None,
            (true, Some(fraction)) => Some(measure_log_linear(cells, fraction, ModelChoice::default())?),
            (true, None) => return Err(needs_fraction("a log-linear model")),
        },
        expected: classes.as_ref().map(SampleClasses::measure),
        household: match (households, &classes) {
            (Some(households), Some(classes)) => of_households(cells, households, classes)?,
            _ => None,
        },
        special: sample.special_uniques.map(|limit| special(cells, limit, fraction, threads)).transpose()?,
    })
}

fn needs_fraction(what: &str) -> Error {
    Error::input(format!("{what} needs to know what share of the population is in the file"))
        .help("say it with --sampling-fraction, or name a weight whose sum is the population")
        .into()
}

/// The fraction that was said, the one of the population file, or the one the weights imply.
fn fraction(sample: &Sample, of_file: Option<SamplingFraction>, cells: &Cells) -> Result<Option<SamplingFraction>> {
    if let Some(fraction) = sample.fraction {
        return SamplingFraction::new(fraction).map(Some);
    }
    if of_file.is_some() {
        return Ok(of_file);
    }
    let implied = cells.records() as f64 / cells.total_weight();
    // Weights that sum to fewer people than there are records were scaled for another purpose and imply nothing.
    match cells.is_weighted() && implied > 0.0 && implied <= 1.0 {
        true => SamplingFraction::new(implied).map(Some),
        false => Ok(None),
    }
}

/// If weights and fraction differ by more than this factor, the report says so.
const FAR_APART: f64 = 1.5;

/// What the weights imply about the population, as the report says it.
fn remark(sample: &Sample, cells: &Cells) -> Option<String> {
    let implied = cells.records() as f64 / cells.total_weight();
    match sample.fraction {
        _ if !cells.is_weighted() || cells.is_empty() => None,
        None if implied > 1.0 => Some(
            "the weights sum to fewer people than there are records. So they do not say what share of the population is in the \
             file, and nothing is estimated"
                .to_owned(),
        ),
        Some(said) if implied / said > FAR_APART || said / implied > FAR_APART => Some(format!(
            "the weights imply that {} of the population is in the file, and the fraction given is {}. Expected \
             re-identifications use the weights, the estimators the fraction",
            share(implied),
            share(said)
        )),
        _ => None,
    }
}

/// Household risk: the cells with the household last run through those without in the same order.
fn of_households(cells: &Cells, households: &Cells, classes: &SampleClasses<'_>) -> Result<Option<HouseholdRisk>> {
    let keys = cells.keys().len();
    let runs = households.runs(keys);
    if runs.len() != cells.len() {
        return Err(Error::bug("the households are not those of the cells"));
    }
    let (mut of, mut risks) = (Vec::new(), Vec::new());
    for (run, risk) in runs.into_iter().zip(classes.risks(RiskFormula::Approximate)) {
        for cell in run {
            if households.value(cell, keys).is_none() {
                return Err(Error::input("the household is missing")
                    .row(households.first_rows()[cell])
                    .help("give every record a household, or no variable the role of a household")
                    .into());
            }
            let code = u64::from(households.code(cell, keys));
            let members = households.counts()[cell] as usize;
            of.extend(std::iter::repeat_n(code, members));
            risks.extend(std::iter::repeat_n(risk, members));
        }
    }
    measure_households(&of, &risks)
}

fn special(
    cells: &Cells,
    limit: SudaLimit,
    fraction: Option<SamplingFraction>,
    threads: usize,
) -> Result<SpecialUniques> {
    let defaults = suda::Options::default();
    let options = suda::Options {
        max_size: limit.max_size,
        sampling_fraction: fraction.map_or(defaults.sampling_fraction, SamplingFraction::get),
        threads,
        ..defaults
    };
    let found = find_special_uniques(cells, &options)?;
    let row = |cell: usize| cells.first_rows()[cell];
    let mut highest: Vec<_> = found.uniques.iter().collect();
    highest.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| row(a.cell).cmp(&row(b.cell))));
    let named = |unique: &&suda::SpecialUnique| SpecialRecord {
        row: row(unique.cell),
        score: unique.score,
        dis: unique.dis,
        minimal_uniques: unique.minimal_uniques,
        smallest: unique.smallest,
    };
    let riskiest = highest.iter().take(NAMED).map(named).collect();
    Ok(SpecialUniques {
        found,
        sampling_fraction: options.sampling_fraction,
        fraction_assumed: fraction.is_none(),
        riskiest,
        levels: None,
    })
}

impl SpecialUniques {
    /// Names the values that contribute, the most first. The output is then as confidential as the data.
    pub fn reveal_levels(&mut self, cells: &Cells) {
        let mut levels = Vec::new();
        for (key, contribution) in cells.keys().iter().zip(&self.found.variables) {
            let mut of_key: Vec<ValueContribution> = (contribution.levels.iter())
                .map(|level| ValueContribution {
                    variable: key.name.clone(),
                    level: key.dictionary.value(level.code).unwrap_or_default().to_owned(),
                    percent: level.percent,
                })
                .collect();
            of_key.sort_by(|a, b| b.percent.total_cmp(&a.percent).then_with(|| a.level.cmp(&b.level)));
            levels.extend(of_key);
        }
        self.levels = Some(levels);
    }
}
