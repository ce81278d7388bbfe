//! Random numbers that are the same in every run: ChaCha20, one stream for each purpose. All steps and attacks draw
//! from here.

use rand_chacha::ChaCha20Rng;
use rand_core::{Rng, SeedableRng};

/// The random numbers of one purpose under one seed. Other purposes have other numbers.
#[derive(Debug, Clone)]
pub struct Random(ChaCha20Rng);

impl Random {
    /// The numbers of `purpose`, such as `swap age`, under `seed`.
    pub fn new(seed: u64, purpose: &str) -> Self {
        let mut key = [0; 32];
        key[..8].copy_from_slice(&seed.to_le_bytes());
        key[8..24].copy_from_slice(&xxhash_rust::xxh3::xxh3_128(purpose.as_bytes()).to_le_bytes());
        Self(ChaCha20Rng::from_seed(key))
    }

    /// Any of 2⁶⁴ numbers.
    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// Goes to the number at this position. What was drawn before does not matter: for numbers that belong to rows.
    pub fn seek(&mut self, position: u64) {
        self.0.set_word_pos(2 * u128::from(position));
    }

    /// A number from 0 up to but not including 1, a multiple of 2⁻⁵³.
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// A whole number below `end`, all equally likely; 0 if `end` is 0.
    pub fn below(&mut self, end: u64) -> u64 {
        // Lemire's method: the high half of a product, drawn again in the few cases that would favour some numbers.
        let mut product = u128::from(self.bits()) * u128::from(end);
        if (product as u64) < end {
            let least = end.wrapping_neg() % end;
            while (product as u64) < least {
                product = u128::from(self.bits()) * u128::from(end);
            }
        }
        (product >> 64) as u64
    }

    /// Two independent standard normal numbers (Marsaglia and Bray 1964, the polar method).
    pub fn normal_pair(&mut self) -> (f64, f64) {
        loop {
            let (x, y) = (2.0 * self.unit() - 1.0, 2.0 * self.unit() - 1.0);
            let square = x * x + y * y;
            if square > 0.0 && square < 1.0 {
                let factor = (-2.0 * natural_logarithm(square) / square).sqrt();
                return (x * factor, y * factor);
            }
        }
    }

    /// Puts items into a random order (Fisher and Yates).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last as u64 + 1) as usize);
        }
    }
}

/// The natural logarithm from additions, multiplications and divisions alone. So draws do not depend on a machine's
/// mathematical library. x = m · 2ᵉ with m near 1, and ln m = 2 artanh((m − 1)/(m + 1)) as a series.
fn natural_logarithm(x: f64) -> f64 {
    let (mut mantissa, mut exponent) = (x, 0.0);
    while mantissa < std::f64::consts::FRAC_1_SQRT_2 {
        mantissa *= 2.0;
        exponent -= 1.0;
    }
    let ratio = (mantissa - 1.0) / (mantissa + 1.0);
    let square = ratio * ratio;
    // |ratio| is at most 0.172, so that twelve terms reach the last digit.
    let series = (0..12).rev().fold(0.0, |sum, term| sum * square + 1.0 / f64::from(2 * term + 1));
    2.0 * ratio * series + exponent * std::f64::consts::LN_2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_and_purpose_give_the_same_numbers_for_ever() {
        // ChaCha20 of the key made of the seed and the purpose, worked out apart from this library.
        let mut random = Random::new(7, "swap");
        let first: Vec<u64> = (0..3).map(|_| random.bits()).collect();
        assert_eq!(first, [0x7af5_17d7_ce34_8075, 0x3bcd_9ea1_febe_c3e4, 0x62bd_7865_baf0_8d47]);
        random.seek(1);
        assert_eq!(random.bits(), first[1]);
        assert_ne!(first[0], Random::new(7, "noise").bits());
        assert_ne!(first[0], Random::new(8, "swap").bits());
    }

    #[test]
    fn numbers_below_an_end_are_equally_likely() {
        let mut random = Random::new(1, "dice");
        let mut seen = [0u32; 6];
        (0..60_000).for_each(|_| seen[random.below(6) as usize] += 1);
        assert!(seen.iter().all(|count| (9_600..10_400).contains(count)), "{seen:?}");
        assert_eq!(random.below(0), 0);
    }

    #[test]
    fn our_logarithm_is_the_logarithm() {
        for x in [1e-30, 1e-9, 0.01, 0.3, 0.5, std::f64::consts::FRAC_1_SQRT_2, 0.9, 0.999_999] {
            assert!((natural_logarithm(x) - f64::ln(x)).abs() <= 1e-14 * f64::ln(x).abs().max(1.0), "{x}");
        }
    }

    #[test]
    fn normal_numbers_have_mean_nought_and_variance_one() {
        let mut random = Random::new(1, "normal");
        let numbers: Vec<f64> = (0..50_000).flat_map(|_| <[f64; 2]>::from(random.normal_pair())).collect();
        let mean = numbers.iter().sum::<f64>() / numbers.len() as f64;
        let variance = numbers.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / numbers.len() as f64;
        assert!(mean.abs() < 0.015 && (variance - 1.0).abs() < 0.02, "{mean} {variance}");
    }
}
