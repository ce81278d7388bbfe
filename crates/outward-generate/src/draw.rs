//! Randomness: one ChaCha20 stream per block, and draws made of integer arithmetic only.
//!
//! Every draw scales one 32-bit word by a multiplication. Its bias is below n / 2^32, far less than a made-up file
//! could show. A draw costs one word and no loop, so it is easy to say which words a block uses.

use rand_chacha::ChaCha20Rng;
use rand_core::{Rng, SeedableRng};

/// The source of randomness of one block.
pub(crate) struct Draw {
    rng: ChaCha20Rng,
}

impl Draw {
    /// The stream of one block: the seed and the dataset make the key, the block is the stream number.
    pub(crate) fn new(dataset: u8, seed: u64, block: u64) -> Self {
        let mut key = *b"........ outward generate v1 ...";
        key[..8].copy_from_slice(&seed.to_le_bytes());
        key[31] = dataset;
        let mut rng = ChaCha20Rng::from_seed(key);
        rng.set_stream(block);
        Draw { rng }
    }

    /// A whole number from 0 to `n` - 1; 0 if `n` is 0.
    pub(crate) fn below(&mut self, n: u32) -> u32 {
        ((u64::from(self.rng.next_u32()) * u64::from(n)) >> 32) as u32
    }

    /// A whole number from `low` to `high`, both included.
    pub(crate) fn between(&mut self, low: i64, high: i64) -> i64 {
        low + i64::from(self.below((high - low + 1) as u32))
    }

    /// True `per_mille` times in a thousand.
    pub(crate) fn chance(&mut self, per_mille: u32) -> bool {
        self.below(1000) < per_mille
    }

    /// One of the items, each as likely as the next.
    pub(crate) fn pick<'a, T: ?Sized>(&mut self, items: &[&'a T]) -> &'a T {
        items[self.below(items.len() as u32) as usize]
    }

    /// One of the outcomes of a weighted choice.
    pub(crate) fn choose(&mut self, choice: &Choice) -> usize {
        let scaled = u64::from(self.rng.next_u32()) * choice.keep.len() as u64;
        let (slot, fraction) = ((scaled >> 32) as usize, scaled as u32);
        if u64::from(fraction) < choice.keep[slot] { slot } else { choice.other[slot] as usize }
    }

    /// A draw near the standard normal, in thousandths: the sum of twelve uniforms less its mean has variance one.
    pub(crate) fn bell(&mut self) -> i64 {
        let mut sum = 0i64;
        for _ in 0..3 {
            let (a, b) = (self.rng.next_u32(), self.rng.next_u32());
            sum += i64::from(a >> 16) + i64::from(a & 0xffff) + i64::from(b >> 16) + i64::from(b & 0xffff);
        }
        ((sum - 6 * 65_535) * 1000) / 65_536
    }

    /// A bell-shaped whole number around `mean`, kept within `low` and `high`.
    pub(crate) fn bell_shaped(&mut self, mean: i64, deviation: i64, low: i64, high: i64) -> i64 {
        (mean + deviation * self.bell() / 1000).clamp(low, high)
    }

    /// A log-normal factor whose logarithm has the given deviation, in thousandths.
    pub(crate) fn skewed(&mut self, deviation: i64) -> f64 {
        exponential((deviation * self.bell()) as f64 / 1e6)
    }
}

/// e^x from multiplications alone, (1 + x/1024)^1024, so that no machine's mathematical library has a say.
fn exponential(x: f64) -> f64 {
    let mut power = 1.0 + x / 1024.0;
    for _ in 0..10 {
        power *= power;
    }
    power
}

/// A weighted choice in constant time: Walker's alias table, built exactly in integers.
///
/// Source: A. J. Walker, "An efficient method for generating discrete random variables with general distributions",
/// ACM Transactions on Mathematical Software 3 (1977).
#[derive(Clone, Debug)]
pub(crate) struct Choice {
    /// Share of a slot, of 2^32, that stays with the slot's own outcome.
    keep: Vec<u64>,
    other: Vec<u32>,
}

impl Choice {
    /// Outcome i is drawn with probability weights\[i\] over the sum of the weights. No weights at all, or only
    /// zeros, give every outcome the same chance.
    pub(crate) fn new(weights: &[u32]) -> Self {
        let total: u64 = weights.iter().map(|&w| u64::from(w)).sum();
        let count = weights.len().max(1) as u64;
        if total == 0 {
            return Choice { keep: vec![1 << 32; count as usize], other: vec![0; count as usize] };
        }
        // A slot holds `total` units; outcome i owns weights[i] * count of them.
        let mut units: Vec<u64> = weights.iter().map(|&w| u64::from(w) * count).collect();
        let mut keep = vec![1u64 << 32; units.len()];
        let mut other: Vec<u32> = (0..units.len() as u32).collect();
        let (mut small, mut large): (Vec<usize>, Vec<usize>) = (0..units.len()).partition(|&i| units[i] < total);
        while let (Some(&poor), Some(&rich)) = (small.last(), large.last()) {
            small.pop();
            keep[poor] = (u128::from(units[poor]) * (1 << 32) / u128::from(total)) as u64;
            other[poor] = rich as u32;
            units[rich] -= total - units[poor];
            if units[rich] < total {
                large.pop();
                small.push(rich);
            }
        }
        Choice { keep, other }
    }

    /// A choice among `count` outcomes with a long tail: weight falls as one over rank plus `shift`.
    pub(crate) fn long_tail(count: u32, shift: u32) -> Self {
        let weights: Vec<u32> = (0..count).map(|rank| 10_000_000 / (rank + 1 + shift)).collect();
        Choice::new(&weights)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weighted_choice_meets_its_shares_and_never_draws_weight_zero() {
        let choice = Choice::new(&[50, 0, 30, 20]);
        let mut draw = Draw::new(0, 1, 0);
        let mut counts = [0u32; 4];
        for _ in 0..100_000 {
            counts[draw.choose(&choice)] += 1;
        }
        assert_eq!(counts[1], 0);
        for (count, expected) in counts.iter().zip([50_000u32, 0, 30_000, 20_000]) {
            assert!(count.abs_diff(expected) < 700, "{counts:?}");
        }
    }

    #[test]
    fn bell_has_mean_zero_and_unit_deviation() {
        let mut draw = Draw::new(0, 2, 0);
        let values: Vec<i64> = (0..50_000).map(|_| draw.bell()).collect();
        let mean = values.iter().sum::<i64>() / 50_000;
        let variance = values.iter().map(|v| v * v).sum::<i64>() / 50_000;
        assert!(mean.abs() < 20, "{mean}");
        assert!((970_000..1_030_000).contains(&variance), "{variance}");
    }

    #[test]
    fn exponential_is_near_the_true_one() {
        for (x, e) in [(0.0, 1.0), (1.0, std::f64::consts::E), (-2.0, 0.135_335)] {
            assert!((exponential(x) / e - 1.0).abs() < 0.003);
        }
    }

    #[test]
    fn blocks_and_seeds_have_streams_of_their_own() {
        let mut first: Vec<u32> =
            [(1, 0), (1, 1), (2, 0)].iter().map(|&(seed, block)| Draw::new(0, seed, block).below(u32::MAX)).collect();
        first.dedup();
        assert_eq!(first.len(), 3);
    }
}
