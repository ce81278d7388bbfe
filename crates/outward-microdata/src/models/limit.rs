//! The limit a model sets to what it measures, and how far a figure is from it.

/// What a model measures, and between what it must lie.
#[derive(Debug, Clone, PartialEq)]
pub struct Limit {
    /// What is measured, such as `records that share all keys`.
    pub figure: String,
    /// What the limit is called, such as `k`.
    pub parameter: &'static str,
    /// The least it may be.
    pub least: Option<f64>,
    /// The most it may be.
    pub most: Option<f64>,
}

/// Limits are suggested with so many decimals, rounded to the side on which they are met.
const SUGGESTION_STEP: f64 = 1e-4;

impl Limit {
    /// A figure that must not be smaller.
    pub fn at_least(figure: impl Into<String>, parameter: &'static str, least: f64) -> Self {
        Self { figure: figure.into(), parameter, least: Some(least), most: None }
    }

    /// A figure that must not be larger.
    pub fn at_most(figure: impl Into<String>, parameter: &'static str, most: f64) -> Self {
        Self { figure: figure.into(), parameter, least: None, most: Some(most) }
    }

    /// How far a figure is outside; below 0 if it is inside.
    pub fn excess(&self, figure: f64) -> f64 {
        let below = self.least.map_or(f64::NEG_INFINITY, |least| least - figure);
        let above = self.most.map_or(f64::NEG_INFINITY, |most| figure - most);
        below.max(above)
    }

    /// Whether a figure lies inside.
    pub fn holds(&self, figure: f64) -> bool {
        self.excess(figure) <= 0.0
    }

    /// The limit that the worst figure would meet, in words; none if no limit would.
    pub fn met_by(&self, worst: f64) -> Option<String> {
        if !worst.is_finite() {
            return None;
        }
        Some(match (self.least, self.most) {
            (Some(least), Some(most)) => {
                let (least, most) = (decimal(round_down(worst.min(least))), decimal(round_up(worst.max(most))));
                format!("{} from {least} to {most}", self.parameter)
            }
            (Some(_), None) => format!("{} = {}", self.parameter, decimal(round_down(worst))),
            (None, Some(_)) => format!("{} = {}", self.parameter, decimal(round_up(worst))),
            (None, None) => return None,
        })
    }

    /// What is asked, in words.
    pub fn asks(&self) -> String {
        match (self.least, self.most) {
            (Some(least), Some(most)) => format!("from {} to {} asked", decimal(least), decimal(most)),
            (Some(least), None) => format!("at least {} asked", decimal(least)),
            (None, Some(most)) => format!("at most {} asked", decimal(most)),
            (None, None) => "nothing asked".to_owned(),
        }
    }
}

/// The nearest decimal if the number differs from it by rounding only, otherwise the next below.
fn round_down(number: f64) -> f64 {
    let steps = number / SUGGESTION_STEP;
    let near = steps.round();
    (if (steps - near).abs() < 1e-6 { near } else { steps.floor() }) * SUGGESTION_STEP
}

/// The nearest decimal if the number differs from it by rounding only, otherwise the next above.
pub(super) fn round_up(number: f64) -> f64 {
    -round_down(-number)
}

/// A number as short as four decimals allow.
pub(crate) fn decimal(number: f64) -> String {
    let digits = format!("{number:.4}");
    match digits.contains('.') {
        true => digits.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => digits,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_suggested_limit_is_one_the_worst_figure_meets() {
        let t = Limit::at_most("distance", "t", 0.2);
        assert_eq!(t.met_by(3.0 / 7.0).unwrap(), "t = 0.4286");
        let l = Limit::at_least("values", "l", 3.0);
        assert_eq!(l.met_by(1.88988).unwrap(), "l = 1.8898");
        assert_eq!(l.met_by(2.0).unwrap(), "l = 2");
        let between = Limit { least: Some(0.1), most: Some(0.5), ..Limit::at_least("share", "presence", 0.0) };
        assert_eq!(between.met_by(0.75).unwrap(), "presence from 0.1 to 0.75");
        assert_eq!(t.met_by(f64::INFINITY), None);
    }

    #[test]
    fn excess_is_positive_outside_and_negative_inside() {
        let between = Limit { least: Some(0.25), most: Some(0.5), ..Limit::at_least("share", "presence", 0.0) };
        assert_eq!([0.0, 0.25, 0.375, 0.75].map(|share| between.excess(share)), [0.25, 0.0, -0.125, 0.25]);
    }
}
