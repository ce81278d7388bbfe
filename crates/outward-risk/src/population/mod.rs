//! How many people are unique in the population, estimated from a sample of it.
//!
//! If there is a population file, they are counted ([`measure_population`]). If not, they are estimated. The estimate
//! is made from the sizes of the classes alone ([`measure_uniqueness`], [`measure_dis`]), from weights
//! ([`SampleClasses`]), or from a model of the cells ([`measure_log_linear`]). `docs/methods/population.md` has the
//! formulas and their limits.

mod decide;
mod dis;
mod estimate;
mod file;
mod gamma;
mod histogram;
mod household;
mod individual;
mod loglinear;
mod pitman;
mod root;
mod snb;
mod zayatz;

pub use decide::{Estimator, Uniqueness, UniquenessDetails, count_uniqueness, measure_uniqueness};
pub use dis::{Dis, measure_dis};
pub use estimate::{Estimate, SamplingFraction};
pub use file::{PopulationMeasure, measure_journalist, measure_population};
pub use histogram::Histogram;
pub use household::{HouseholdRisk, household_risks, measure_households};
pub use individual::{IndividualRisk, RiskFormula, SampleClasses, individual_risk, threshold_for_rate};
pub use loglinear::{LogLinear, LogLinearRisk, ModelChoice, ModelFit, RiskSum, measure_log_linear};
pub use pitman::{Pitman, estimate_pitman, fit_pitman};
pub use snb::{Snb, estimate_snb, fit_snb};
pub use zayatz::estimate_zayatz;
