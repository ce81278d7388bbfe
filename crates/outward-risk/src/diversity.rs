//! ℓ-diversity and t-closeness: what a class discloses about a sensitive variable, although its records cannot be told
//! apart.
//!
//! Distinct, entropy and recursive (c, ℓ)-diversity: Machanavajjhala et al. 2007, "ℓ-Diversity: Privacy beyond
//! k-anonymity". t-closeness with equal and ordered distance: Li, Li and Venkatasubramanian 2007. Formulas in METHODS
//! I.6. A missing sensitive value discloses nothing: it is not a value, and a class without any value is skipped. If
//! missing keys match everything, the class of a record is all records that support it, as for counts. Every
//! combination of the keys that occurs then has a class of its own.

use outward_cells::{Cells, MISSING};
use schemars::JsonSchema;
use serde::Serialize;

/// The c of recursive (c, ℓ)-diversity: the commonest value must be rarer than c times the rest from rank ℓ on.
pub const RECURSIVE_C: f64 = 2.0;

/// What the classes disclose about one sensitive variable. A figure of the worst class is the minimum (ℓ) or maximum
/// (t) over classes.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct SensitiveRisk {
    /// The sensitive variable.
    pub variable: String,
    /// Its values in the file.
    pub values: u64,
    /// Fewest different values in a class.
    pub distinct_l: u64,
    /// Smallest exponential of the entropy of a class: the number of equally common values it is worth.
    pub entropy_l: f64,
    /// Largest ℓ for which every class is recursively (2, ℓ)-diverse; 1 if a class is not diverse at all.
    pub recursive_l: u64,
    /// Farthest a class is from the whole, equal distance.
    pub t_equal: f64,
    /// Farthest a class is from the whole, ordered distance; only for whole numbers.
    pub t_ordered: Option<f64>,
    /// Classes of two or more records in which everyone has the same value. Under wildcards classes overlap: one for each
    /// combination of the keys that occurs.
    pub homogeneous_classes: u64,
    /// Records of such classes.
    pub homogeneous_records: u64,
    /// Records in classes with fewer different values than the policy asks for.
    pub below_l: u64,
    /// Records in classes farther from the whole than the policy allows.
    pub above_t: u64,
}

/// Measures the last key of `cells` as a sensitive variable within the classes of all keys before it. `None` if the
/// variable has no value at all. `wild` says for each key before the last whether its missing values match everything;
/// `l` and `t` are what the policy asks for.
pub fn measure_sensitive(cells: &Cells, wild: &[bool], l: Option<u64>, t: Option<f64>) -> Option<SensitiveRisk> {
    let sensitive = cells.keys().len().checked_sub(1)?;
    let dictionary = &cells.keys()[sensitive].dictionary;
    let margin = cells.margin(&[sensitive]);
    let values: Vec<(u32, u64)> =
        (0..margin.len()).map(|value| (margin.code(value, 0), margin.counts()[value])).collect();
    let whole = ClassDistribution::from_codes(&values)?;
    let cumulated = CumulatedShares::from_distribution(&whole, dictionary.len());
    let mut risk = SensitiveRisk {
        variable: cells.keys()[sensitive].name.clone(),
        values: dictionary.len() as u64,
        distinct_l: u64::MAX,
        entropy_l: f64::INFINITY,
        recursive_l: u64::MAX,
        t_equal: 0.0,
        t_ordered: dictionary.is_numeric().then_some(0.0),
        homogeneous_classes: 0,
        homogeneous_records: 0,
        below_l: 0,
        above_t: 0,
    };
    cells.visit_classes(wild, |records, values| {
        let Some(class) = ClassDistribution::from_codes(values) else { return };
        let distinct = class.counts.len() as u64;
        let t_equal = class.equal_distance(&whole);
        risk.distinct_l = risk.distinct_l.min(distinct);
        risk.entropy_l = risk.entropy_l.min(class.entropy().exp());
        risk.recursive_l = risk.recursive_l.min(class.recursive_l(RECURSIVE_C));
        risk.t_equal = risk.t_equal.max(t_equal);
        risk.t_ordered = risk.t_ordered.map(|t| t.max(cumulated.ordered_distance(&class)));
        if distinct == 1 && class.total >= 2 {
            risk.homogeneous_classes += 1;
            risk.homogeneous_records += records;
        }
        risk.below_l += if l.is_some_and(|l| distinct < l) { records } else { 0 };
        risk.above_t += if t.is_some_and(|t| t_equal > t) { records } else { 0 };
    });
    Some(risk)
}

/// How often each value occurs in a class, values in order.
struct ClassDistribution<'a> {
    counts: &'a [(u32, u64)],
    total: u64,
}

impl<'a> ClassDistribution<'a> {
    /// Of codes in order, skipping a missing one; `None` if there is no other.
    fn from_codes(codes: &'a [(u32, u64)]) -> Option<Self> {
        let counts = match codes {
            [(MISSING, _), counts @ ..] => counts,
            counts => counts,
        };
        let total = counts.iter().map(|(_, count)| count).sum();
        (total > 0).then_some(Self { counts, total })
    }

    fn share(&self, count: u64) -> f64 {
        count as f64 / self.total as f64
    }

    fn share_of(&self, code: u32) -> f64 {
        self.counts.binary_search_by_key(&code, |(code, _)| *code).map_or(0.0, |at| self.share(self.counts[at].1))
    }

    fn entropy(&self) -> f64 {
        -self.counts.iter().map(|(_, count)| self.share(*count)).map(|share| share * share.ln()).sum::<f64>()
    }

    /// The largest ℓ with r₁ < c·(r_ℓ + … + r_m), counts from the commonest down.
    fn recursive_l(&self, c: f64) -> u64 {
        let mut counts: Vec<u64> = self.counts.iter().map(|(_, count)| *count).collect();
        counts.sort_unstable_by(|a, b| b.cmp(a));
        let mut rest = self.total;
        let mut largest = 0;
        for (rank, count) in counts.iter().enumerate() {
            if (counts[0] as f64) < c * rest as f64 {
                largest = rank as u64 + 1;
            }
            rest -= count;
        }
        largest
    }

    /// ½ Σ |p − q|. Values that the class lacks contribute the rest of the whole's share.
    fn equal_distance(&self, whole: &ClassDistribution<'_>) -> f64 {
        let within: f64 =
            self.counts.iter().map(|(code, count)| (self.share(*count) - whole.share_of(*code)).abs()).sum();
        let covered: f64 = self.counts.iter().map(|(code, _)| whole.share_of(*code)).sum();
        (0.5 * (within + (1.0 - covered).max(0.0))).min(1.0)
    }
}

/// The whole's cumulated shares over all values in order, and their running sum. With these a stretch of values that a
/// class lacks is summed in one step.
struct CumulatedShares {
    /// At position `i`: the share of the whole with one of the first `i + 1` values.
    shares: Vec<f64>,
    /// At position `i`: the sum of the first `i` of `shares`.
    sums: Vec<f64>,
}

impl CumulatedShares {
    fn from_distribution(whole: &ClassDistribution<'_>, values: usize) -> Self {
        let mut shares = Vec::with_capacity(values);
        let mut sums = vec![0.0];
        let (mut share, mut sum) = (0.0, 0.0);
        for code in 1..=values as u32 {
            share += whole.share_of(code);
            sum += share;
            shares.push(share);
            sums.push(sum);
        }
        Self { shares, sums }
    }

    /// Σ |p − q| over the values at `from..to`, where the class's cumulated share is `share` throughout. The whole's only
    /// grows, so it crosses `share` at most once.
    fn distance(&self, from: usize, to: usize, share: f64) -> f64 {
        let crossing = from + self.shares[from..to].partition_point(|whole| *whole <= share);
        let below = share * (crossing - from) as f64 - (self.sums[crossing] - self.sums[from]);
        let above = (self.sums[to] - self.sums[crossing]) - share * (to - crossing) as f64;
        below + above
    }

    /// Σ |cumulated p − q| / (m − 1) over the m values in order.
    fn ordered_distance(&self, class: &ClassDistribution<'_>) -> f64 {
        let values = self.shares.len();
        let (mut at, mut share, mut sum) = (0, 0.0, 0.0);
        for (code, count) in class.counts {
            let position = *code as usize - 1;
            sum += self.distance(at, position, share);
            share += class.share(*count);
            at = position;
        }
        sum += self.distance(at, values, share);
        if values > 1 { sum / (values - 1) as f64 } else { 0.0 }
    }
}
