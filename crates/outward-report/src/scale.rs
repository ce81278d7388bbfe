//! From values to positions: the span of an axis, its ticks, and where a value falls between its ends.

use crate::chart::{Axis, Unit};
use crate::format;

/// An axis with its two ends.
#[derive(Debug, Clone)]
pub(crate) struct Scale {
    low: f64,
    high: f64,
    log: bool,
    unit: Unit,
}

/// A tick: its place between 0 and 1, and its words.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Tick {
    pub(crate) at: f64,
    pub(crate) label: String,
}

impl Scale {
    /// A scale for lengths: it holds zero and every value, and ends on a tick.
    pub(crate) fn from_zero(axis: &Axis, values: impl Iterator<Item = f64>) -> Self {
        Self::rounded(&axis.linear(), values.chain([0.0]))
    }

    /// A scale that holds every value and ends on ticks. It takes in zero where the values come near it.
    pub(crate) fn rounded(axis: &Axis, values: impl Iterator<Item = f64>) -> Self {
        let (low, high) = ends(axis, values);
        if axis.log {
            return Self {
                low: round_125(low, f64::floor),
                high: round_125(high, f64::ceil),
                log: true,
                unit: axis.unit,
            };
        }
        let low = if low > 0.0 && low < high / 2.0 { 0.0 } else { low };
        let step = step(low, high, axis.unit);
        Self { low: (low / step).floor() * step, high: (high / step).ceil() * step, log: false, unit: axis.unit }
    }

    /// A scale that holds every value and no more.
    pub(crate) fn tight(axis: &Axis, values: impl Iterator<Item = f64>) -> Self {
        let (low, high) = ends(axis, values);
        Self { low, high, log: axis.log, unit: axis.unit }
    }

    /// Where a value falls: 0 at the low end, 1 at the high end, held between the two.
    pub(crate) fn at(&self, value: f64) -> f64 {
        let part = if self.log {
            let value = value.max(self.low);
            (value.log10() - self.low.log10()) / (self.high.log10() - self.low.log10())
        } else {
            (value - self.low) / (self.high - self.low)
        };
        part.clamp(0.0, 1.0)
    }

    /// The ticks between the two ends.
    pub(crate) fn ticks(&self) -> Vec<Tick> {
        let (values, step) = if self.log { self.log_ticks() } else { self.linear_ticks() };
        values
            .into_iter()
            .map(|value| {
                let (step, size) = if self.log { (value, value) } else { (step, self.low.abs().max(self.high.abs())) };
                Tick { at: self.at(value), label: format::tick(value, step, size, self.unit) }
            })
            .collect()
    }

    fn linear_ticks(&self) -> (Vec<f64>, f64) {
        let step = step(self.low, self.high, self.unit);
        let first = (self.low / step - 1e-9).ceil();
        let last = (self.high / step + 1e-9).floor();
        let count = ((last - first).clamp(0.0, 12.0)) as u32;
        ((0..=count).map(|i| (first + f64::from(i)) * step).collect(), step)
    }

    /// Powers of ten; with twos and fives between where there are few, and some left out where there are many.
    fn log_ticks(&self) -> (Vec<f64>, f64) {
        let first = self.low.log10().floor() as i32;
        let last = self.high.log10().ceil() as i32;
        let decades = last - first;
        let between: &[f64] = if decades <= 2 { &[1.0, 2.0, 5.0] } else { &[1.0] };
        let every = (decades / 6 + 1) as usize;
        let values = (first..=last)
            .step_by(every)
            .flat_map(|power| between.iter().map(move |m| m * 10f64.powi(power)))
            .filter(|v| *v >= self.low * (1.0 - 1e-9) && *v <= self.high * (1.0 + 1e-9))
            .collect();
        (values, 1.0)
    }
}

/// The least and the greatest value with a place on the axis, kept apart.
fn ends(axis: &Axis, values: impl Iterator<Item = f64>) -> (f64, f64) {
    let (low, high) = values
        .filter_map(|value| axis.place(value))
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)));
    if low > high {
        return if axis.log { (1.0, 10.0) } else { (0.0, 1.0) };
    }
    // If a float can hardly distinguish the values, it cannot distinguish the ticks.
    let apart = high - low > 1e-9 * high.abs().max(low.abs());
    match (apart, axis.log) {
        (true, _) => (low, high),
        (false, true) => (low / 2.0, high * 2.0),
        (false, false) if low == 0.0 => (0.0, 1.0),
        (false, false) => (low.min(0.0), high.max(0.0)),
    }
}

/// The distance between ticks: 1, 2 or 5 times a power of ten, for about five ticks.
fn step(low: f64, high: f64, unit: Unit) -> f64 {
    let wanted = (high - low) / 5.0;
    let power = 10f64.powf(wanted.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].map(|m| m * power).into_iter().find(|s| *s >= wanted * 0.999).unwrap_or(wanted);
    if unit == Unit::Count { step.max(1.0) } else { step }
}

/// The nearest of 1, 2 and 5 times a power of ten on one side of a value.
fn round_125(value: f64, side: fn(f64) -> f64) -> f64 {
    let power = 10f64.powf(value.log10().floor());
    let mantissa = value / power;
    let up = side(0.5) > 0.0;
    let steps = [1.0, 2.0, 5.0, 10.0];
    let near = |s: f64| (s - mantissa).abs() < 1e-9;
    let found = if up {
        steps.into_iter().find(|s| *s >= mantissa || near(*s))
    } else {
        steps.into_iter().rev().find(|s| *s <= mantissa || near(*s))
    };
    found.unwrap_or(mantissa) * power
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(scale: &Scale) -> Vec<String> {
        scale.ticks().into_iter().map(|tick| tick.label).collect()
    }

    #[test]
    fn lengths_start_at_zero_and_end_on_a_tick() {
        let scale = Scale::from_zero(&Axis::counts("n"), [8_312.0, 900.0].into_iter());
        assert_eq!(labels(&scale), ["0", "2,000", "4,000", "6,000", "8,000", "10,000"]);
        assert_eq!((scale.at(0.0), scale.at(5_000.0), scale.at(10_000.0)), (0.0, 0.5, 1.0));
    }

    #[test]
    fn counts_have_no_ticks_between_whole_numbers() {
        let scale = Scale::from_zero(&Axis::counts("n"), [1.0].into_iter());
        assert_eq!(labels(&scale), ["0", "1"]);
    }

    #[test]
    fn a_logarithmic_axis_ticks_at_powers_of_ten() {
        let scale = Scale::rounded(&Axis::counts("n").log(), [3.0, 40_000.0].into_iter());
        assert_eq!(labels(&scale), ["10", "100", "1,000", "10,000"]);
        let narrow = Scale::rounded(&Axis::counts("n").log(), [2.0, 30.0].into_iter());
        assert_eq!(labels(&narrow), ["2", "5", "10", "20", "50"]);
    }

    #[test]
    fn every_scale_places_its_values_between_its_ends() {
        let sets: [&[f64]; 8] = [
            &[],
            &[0.0],
            &[7.0],
            &[-3.0, 5.0],
            &[1e300, -1e300],
            &[1e-299],
            &[1e15, 1e15 + 0.125],
            &[f64::NAN, f64::INFINITY, 2.0],
        ];
        for values in sets {
            for axis in [Axis::counts("n"), Axis::shares("s"), Axis::numbers("x", 2).log()] {
                for scale in [
                    Scale::from_zero(&axis, values.iter().copied()),
                    Scale::rounded(&axis, values.iter().copied()),
                    Scale::tight(&axis, values.iter().copied()),
                ] {
                    assert!(scale.high > scale.low, "{values:?} {axis:?}");
                    assert!(scale.ticks().len() <= 13, "{values:?} {axis:?}");
                    assert!(scale.ticks().iter().all(|t| (0.0..=1.0).contains(&t.at)), "{values:?} {axis:?}");
                    assert!(values.iter().filter_map(|v| axis.place(*v)).all(|v| scale.at(v).is_finite()));
                }
            }
        }
    }
}
