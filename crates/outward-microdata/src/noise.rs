//! Noise: normal numbers are added to numbers, alone or with the correlations of the data.
//!
//! With a share δ of the standard deviation, σⱼ that of column j, C the correlations and z standard normal:
//!
//! - [`Noise::Additive`]: y = x + δσⱼ z, each column by itself. Variances grow by 1 + δ², correlations shrink.
//! - [`Noise::Correlated`]: y = x + δσⱼ (Lz)ⱼ with LLᵀ = C (Kim 1986). Variances grow by 1 + δ², correlations stay.
//! - [`Noise::Preserving`]: y = d x + (1 − d) x̄ + δσⱼ (Lz)ⱼ with d = √(1 − δ²). Means, variances and correlations stay, in
//!   expectation (Tendick and Matloff 1994).
//!
//! A missing number is NaN and stays missing. Means and standard deviations are over the numbers of a column that are there,
//! correlations over the records that have all of them.

use outward_spec::{Error, Result};

use crate::random::Random;
use crate::utility::{Change, Moments, check_columns, measure_correlations, measure_moments};

/// The kind of noise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Noise {
    /// Each column by itself.
    Additive,
    /// With the correlations of the columns.
    Correlated,
    /// With the correlations of the columns, and so that variances stay as well.
    #[default]
    Preserving,
}

/// Columns with noise added.
#[derive(Debug, Clone, PartialEq)]
pub struct Noisy {
    /// The columns, in the order given; a missing number is NaN.
    pub columns: Vec<Vec<f64>>,
    /// What was changed.
    pub change: Change,
}

/// Adds noise of the share `amount` of each column's standard deviation. Draws follow the order of the records, as many for
/// each whether numbers are missing or not.
///
/// # Errors
/// If the amount is not above 0, or above 1 for noise that preserves. If a number is infinite. If no two records have
/// all numbers, so that there are no correlations.
pub fn add_noise(columns: &[&[f64]], noise: Noise, amount: f64, random: &mut Random) -> Result<Noisy> {
    let rows = check(columns, noise, amount)?;
    let mut normals = vec![Vec::with_capacity(rows); columns.len()];
    for _ in 0..rows {
        for pair in normals.chunks_mut(2) {
            let (one, two) = random.normal_pair();
            pair[0].push(one);
            if let Some(second) = pair.get_mut(1) {
                second.push(two);
            }
        }
    }
    let columns_after = mix(columns, noise, amount, &normals);
    let change = Change::between(columns, &columns_after);
    Ok(Noisy { columns: columns_after, change })
}

fn check(columns: &[&[f64]], noise: Noise, amount: f64) -> Result<usize> {
    let rows = check_columns(columns)?;
    let most = if noise == Noise::Preserving { 1.0 } else { 10.0 };
    if !(amount > 0.0 && amount <= most) {
        return Err(Error::input(format!("the amount of noise must be above 0 and at most {most}"))
            .help("it is a share of the standard deviation of each column: 0.1 is little, 0.5 is much")
            .into());
    }
    let complete = (0..rows).filter(|row| columns.iter().all(|column| !column[*row].is_nan())).take(2).count();
    if noise != Noise::Additive && complete < 2 {
        return Err(Error::input(
            "fewer than two records have a number in each of the columns, so that there are no correlations",
        )
        .help("use additive noise, or name columns that are there together")
        .into());
    }
    Ok(rows)
}

/// The transformation itself, of standard normal numbers that are given.
fn mix(columns: &[&[f64]], noise: Noise, amount: f64, normals: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let factor = match noise {
        Noise::Additive => identity(columns.len()),
        Noise::Correlated | Noise::Preserving => cholesky(measure_correlations(columns)),
    };
    let shrink = if noise == Noise::Preserving { (1.0 - amount * amount).sqrt() } else { 1.0 };
    columns
        .iter()
        .zip(&factor)
        .map(|(column, factor)| {
            let Moments { mean, sd, .. } = measure_moments(column);
            let blurred = |(row, value): (usize, &f64)| {
                let noise: f64 = factor.iter().zip(normals).map(|(factor, normals)| factor * normals[row]).sum();
                let kept = if shrink < 1.0 { mean + shrink * (value - mean) } else { *value };
                kept + amount * sd * noise
            };
            column.iter().enumerate().map(blurred).collect()
        })
        .collect()
}

fn identity(size: usize) -> Vec<Vec<f64>> {
    (0..size).map(|i| (0..size).map(|j| if i == j { 1.0 } else { 0.0 }).collect()).collect()
}

/// The lower triangle L with LLᵀ = C, for correlations C. Columns that follow from those before them have no noise of
/// their own. Below the diagonal they share the noise of the others, on it they have 0.
fn cholesky(correlations: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    let mut lower = vec![vec![0.0; correlations.len()]; correlations.len()];
    for j in 0..correlations.len() {
        let explained: f64 = lower[j][..j].iter().map(|x| x * x).sum();
        let own = correlations[j][j] - explained;
        // Rounding leaves a little where there should be 0. Division by it would make noise without bound.
        let own = if own > 1e-10 { own.sqrt() } else { 0.0 };
        lower[j][j] = own;
        for i in j + 1..correlations.len() {
            let shared: f64 = (0..j).map(|k| lower[i][k] * lower[j][k]).sum();
            lower[i][j] = if own > 0.0 { (correlations[i][j] - shared) / own } else { 0.0 };
        }
    }
    lower
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_of_known_normal_numbers_worked_by_hand() {
        // x has mean 2 and standard deviation 1, y 20 and 10.
        let (x, y) = ([1.0, 2.0, 3.0], [20.0, 10.0, 30.0]);
        let z = [vec![1.0, 0.0, -1.0], vec![2.0, 0.0, 1.0]];
        assert_eq!(mix(&[&x, &y], Noise::Additive, 0.5, &z), [vec![1.5, 2.0, 2.5], vec![30.0, 10.0, 35.0]]);
        // r = ((−1)(0) + (0)(−1) + (1)(1)) / 2 = 1/2, so that L = (1, 0; 1/2, √3/2).
        let root = 0.75f64.sqrt();
        let near = |a: &[f64], b: [f64; 3]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-12);
        let correlated = mix(&[&x, &y], Noise::Correlated, 0.5, &z);
        assert!(near(&correlated[0], [1.5, 2.0, 2.5]));
        assert!(near(&correlated[1], [20.0 + 5.0 * (0.5 + 2.0 * root), 10.0, 30.0 + 5.0 * (-0.5 + root)]));
        // d = √(1 − 0.36) = 0.8: numbers move a fifth of the way to their mean before noise is added.
        let kept = mix(&[&x, &y], Noise::Preserving, 0.6, &z);
        assert!(near(&kept[0], [1.2 + 0.6, 2.0, 2.8 - 0.6]));
        assert!(near(&kept[1], [20.0 + 6.0 * (0.5 + 2.0 * root), 12.0, 28.0 + 6.0 * (-0.5 + root)]));
    }

    #[test]
    fn a_column_that_follows_from_another_gets_the_same_noise() {
        let lower = cholesky(vec![vec![1.0, 1.0, 0.6], vec![1.0, 1.0, 0.6], vec![0.6, 0.6, 1.0]]);
        assert_eq!(lower[1], [1.0, 0.0, 0.0]);
        assert!((lower[2][0] - 0.6).abs() < 1e-15 && lower[2][1] == 0.0 && (lower[2][2] - 0.8).abs() < 1e-15);
    }
}
