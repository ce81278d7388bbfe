//! Amounts, weights and costs of records, as whole numbers that are added up exactly.
//!
//! A weight or a cost is rounded to thousandths for each record, before it is added up. So the same records weigh the
//! same in every table of a family, and totals hold to the last thousandth.

use outward_spec::{Error, Fault, Result, Table as Wanted};

use super::Maker;

/// Weights and costs are in units of one over this.
const THOUSAND: i64 = 1000;

/// The amount of each record of a unit.
pub(super) struct Amounts {
    /// The contribution of each record, in units of one over the scale; `None` if it has no amount.
    pub(super) given: Vec<Option<i64>>,
    /// Units are one over this.
    pub(super) scale: i64,
}

impl Maker<'_> {
    /// The weight of each record of a unit, in thousandths.
    pub(super) fn weights(&self, unit: usize, name: &str) -> Result<Vec<i64>> {
        let weight = |number: f64| (0.0..=1e6).contains(&number).then_some(number);
        self.thousandths(unit, name, weight, || {
            Error::input("a weight is missing, negative or too large").help("give each record a weight from 0 up")
        })
    }

    /// The weight of every record of a unit, if a table is weighted and all weights are equal.
    pub(super) fn each_weighs(&self, wanted: &Wanted, unit: usize) -> Result<Option<i64>> {
        let Some(weight) = self.spec.weight().filter(|_| wanted.weighted) else { return Ok(None) };
        let weights = self.weights(unit, &weight.name)?;
        let first = weights.first().copied().filter(|first| *first > 0);
        Ok(first.filter(|first| weights.iter().all(|weight| weight == first)))
    }

    /// The cost of hiding each record of a unit, in thousandths.
    pub(super) fn costs(&self, unit: usize, name: &str) -> Result<Vec<i64>> {
        let cost = |number: f64| match number.is_nan() {
            true => Some(0.0),
            false => (0.0..=1e12).contains(&number).then_some(number),
        };
        self.thousandths(unit, name, cost, || {
            Error::input("a cost is negative or too large").help("give each record a cost from 0 up, or none")
        })
    }

    fn thousandths(
        &self,
        unit: usize,
        name: &str,
        allowed: impl Fn(f64) -> Option<f64>,
        fault: impl Fn() -> Fault,
    ) -> Result<Vec<i64>> {
        let (numbers, from) = self.files.numbers(self.spec, unit, name)?;
        let one = |number: f64| allowed(number).map(|number| (number * THOUSAND as f64).round() as i64);
        let all: Option<Vec<i64>> = numbers.into_iter().map(one).collect();
        all.ok_or_else(|| self.files.in_file(from, fault()).variable(name).into())
    }

    /// The amounts, times the weights if there are any. The amounts of records that are not counted are not checked.
    pub(super) fn amounts(
        &self,
        unit: usize,
        name: &str,
        weights: Option<&[i64]>,
        counted: impl Fn(usize) -> bool,
    ) -> Result<Amounts> {
        let (numbers, from) = self.files.numbers(self.spec, unit, name)?;
        let scale = scale_of(&numbers);
        let mut given = Vec::with_capacity(numbers.len());
        for (row, number) in numbers.into_iter().enumerate() {
            let amount = (number * scale as f64).round();
            let fits = (0.0..=9e15).contains(&amount);
            if !fits && !number.is_nan() && counted(row) {
                let fault = Error::input("sums are published of amounts from 0 up; one is below or too large");
                let fault = self.files.in_file(from, fault).variable(name);
                return Err(fault.help("leave such records out with `where`").into());
            }
            given.push(fits.then_some(amount as i64));
        }
        match weights {
            Some(weights) => weighted(given, weights, scale),
            None => Ok(Amounts { given, scale }),
        }
    }
}

/// Amounts times weights. A weight with decimals gives the product more decimals than the amount has. It keeps as many
/// as make it exact, if the sum of all still fits, because truncation would lower means.
fn weighted(amounts: Vec<Option<i64>>, weights: &[i64], scale: i64) -> Result<Amounts> {
    let product = |(amount, weight): (&Option<i64>, &i64)| amount.map(|of| i128::from(of) * i128::from(*weight));
    let products: Vec<Option<i128>> = amounts.iter().zip(weights).map(product).collect();
    let exact = |cut: i128| products.iter().flatten().all(|product| product % cut == 0);
    let total: i128 = products.iter().flatten().sum();
    let fits =
        |cut: i128| total / cut <= i128::from(i64::MAX / 4) && scale * (i128::from(THOUSAND) / cut) as i64 <= FINEST;
    let cuts = [1000, 100, 10, 1];
    let needed = cuts.into_iter().find(|cut| exact(*cut)).unwrap_or(1);
    let cut = cuts.into_iter().rev().find(|cut| *cut >= needed && fits(*cut)).unwrap_or(1000);
    let one = |product: i128| i64::try_from((2 * product + cut) / (2 * cut)).map_err(|_| too_large());
    let given = products.into_iter().map(|product| product.map(one).transpose()).collect::<Result<_>>()?;
    Ok(Amounts { given, scale: scale * (i128::from(THOUSAND) / cut) as i64 })
}

/// Largest scale: sums have at most six decimals.
const FINEST: i64 = 1_000_000;

/// The power of ten that makes all amounts whole, at most a million.
fn scale_of(amounts: &[f64]) -> i64 {
    let whole = |scale: f64| {
        amounts.iter().filter(|x| !x.is_nan()).all(|x| {
            let scaled = x * scale;
            (scaled - scaled.round()).abs() <= 1e-6 * scaled.abs().max(1.0)
        })
    };
    [1, 10, 100, 1_000, 10_000, 100_000].into_iter().find(|scale| whole(*scale as f64)).unwrap_or(FINEST)
}

/// The sum of two numbers, or an error if it does not fit.
pub(super) fn add(one: i64, other: i64) -> Result<i64> {
    one.checked_add(other).ok_or_else(too_large)
}

/// The error for sums that are too large.
pub(crate) fn too_large() -> Error {
    Error::input("the amounts, weights or costs are too large to be added up exactly")
        .help("give them in larger units, or round them to fewer decimals")
        .into()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn weighted_amounts(amounts: &[i64], weights: &[i64], scale: i64) -> (Vec<i64>, i64) {
        let amounts = amounts.iter().copied().map(Some).collect();
        let made = weighted(amounts, weights, scale).unwrap();
        (made.given.into_iter().flatten().collect(), made.scale)
    }

    #[test]
    fn a_product_keeps_as_many_decimals_as_make_it_exact() {
        assert_eq!(weighted_amounts(&[3, 4], &[2000, 5000], 1), (vec![6, 20], 1));
        assert_eq!(weighted_amounts(&[1, 1, 2], &[1500, 1500, 1250], 1), (vec![15, 15, 25], 10));
        assert_eq!(weighted_amounts(&[7], &[1234], 100), (vec![8638], 100_000));
    }

    #[test]
    fn where_the_sum_would_not_fit_products_are_rounded_to_the_nearest() {
        assert_eq!(
            weighted_amounts(&[1, 9_000_000_000_000_000], &[1500, 1001], 1),
            (vec![15, 90_090_000_000_000_000], 10)
        );
        assert_eq!(
            weighted_amounts(&[9_000_000_000_000_000, 1], &[999_999, 1500], 1),
            (vec![8_999_991_000_000_000_000, 2], 1)
        );
    }
}
