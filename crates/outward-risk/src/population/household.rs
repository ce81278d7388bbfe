//! Household risk: finding one person discloses those who live with them.
//!
//! A household is found unless every member is missed: h = 1 − Π(1 − rᵢ), the same for every member (METHODS I.3;
//! Hundepool et al. 2012, "Statistical Disclosure Control", section 3.3).

use outward_error::{Error, Result};
use schemars::JsonSchema;
use serde::Serialize;

/// Household risk summed up.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct HouseholdRisk {
    /// Households.
    pub households: u64,
    /// Members of the largest.
    pub largest: u64,
    /// Records expected to be found, themselves or through their household.
    pub expected_reidentifications: f64,
    /// The same as a share of the records.
    pub rate: f64,
    /// Of the household most at risk.
    pub highest: f64,
}

/// Each record's household risk, from its household and its own risk.
pub fn household_risks(households: &[u64], risks: &[f64]) -> Result<Vec<f64>> {
    let order = grouped(households, risks)?;
    let mut found = vec![0.0; risks.len()];
    for members in order.chunk_by(|one, other| households[*one] == households[*other]) {
        // In logarithms, so that small risks are not lost beside 1.
        let missed: f64 = members.iter().map(|at| (-risks[*at]).ln_1p()).sum();
        members.iter().for_each(|at| found[*at] = -missed.exp_m1());
    }
    Ok(found)
}

/// Sums household risk up; none without records.
pub fn measure_households(households: &[u64], risks: &[f64]) -> Result<Option<HouseholdRisk>> {
    let found = household_risks(households, risks)?;
    let order = grouped(households, risks)?;
    let sizes = || order.chunk_by(|one, other| households[*one] == households[*other]).map(|all| all.len() as u64);
    let Some(largest) = sizes().max() else { return Ok(None) };
    let expected: f64 = found.iter().sum();
    Ok(Some(HouseholdRisk {
        households: sizes().count() as u64,
        largest,
        expected_reidentifications: expected,
        rate: expected / found.len() as f64,
        highest: found.iter().copied().fold(0.0, f64::max),
    }))
}

/// Records in the order of their households, and within one in the order of the file.
fn grouped(households: &[u64], risks: &[f64]) -> Result<Vec<usize>> {
    if households.len() != risks.len() {
        return Err(Error::bug("household risk was asked for with households and risks of different records"));
    }
    if risks.iter().any(|risk| !(0.0..=1.0).contains(risk)) {
        return Err(Error::bug("household risk was asked for with a risk that is not between 0 and 1"));
    }
    let mut order: Vec<usize> = (0..risks.len()).collect();
    order.sort_by_key(|at| households[*at]);
    Ok(order)
}
