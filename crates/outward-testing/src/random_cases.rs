//! Random cases whose seed can be chosen from outside.
//!
//! `PROPTEST_RNG_SEED` is the seed of all of them. `scripts/test` sets it to [`USUAL_SEED`], so that a change is judged by the same cases
//! every time; `scripts/fuzz` sets it anew for every round. Without it cases are the usual ones.
//!
//! A property may find that a case asks nothing of it, because what it needs cannot be made. It says so by `prop_assume!`, and the
//! case does not count: the runner draws another, and fails where it rejects too many.

use proptest::strategy::Strategy;
use proptest::test_runner::{Config, RngAlgorithm, TestCaseResult, TestRng, TestRunner};

/// The seed of `scripts/test`.
pub const USUAL_SEED: u64 = 20_261_115;

/// How far the seed of this run is from the usual one; 0 if it is that one.
fn shift() -> u64 {
    let Ok(text) = std::env::var("PROPTEST_RNG_SEED") else { return 0 };
    let seed: u64 = text.parse().unwrap_or_else(|_| panic!("PROPTEST_RNG_SEED is a whole number of 64 bits at most"));
    seed.wrapping_sub(USUAL_SEED)
}

/// The seed of one case: `usual` with the usual seed, another with another.
pub fn seed(usual: u64) -> u64 {
    usual.wrapping_add(shift())
}

/// The seeds of so many cases: 0, 1, 2 and so on with the usual seed, others with another.
pub fn seeds(many: u64) -> impl Iterator<Item = u64> {
    (0..many).map(seed)
}

/// A stream of random numbers, another one for each `stream`.
pub fn numbers(stream: u8) -> TestRng {
    let mut seed = [stream; 32];
    for (byte, by) in seed.iter_mut().zip(shift().to_le_bytes()) {
        *byte ^= by;
    }
    TestRng::from_seed(RngAlgorithm::ChaCha, &seed)
}

/// Tries a property on random values until it has held for `cases` of them. For properties whose test has to look at what came of
/// all cases together; others are in a `proptest!` block.
///
/// # Panics
/// Where the property fails, or rejects more than four values for each case.
#[track_caller]
pub fn check<S: Strategy>(cases: u32, values: &S, property: impl Fn(S::Value) -> TestCaseResult) {
    let config = Config { cases, max_global_rejects: 4 * cases, failure_persistence: None, ..Config::default() };
    if let Err(error) = TestRunner::new_with_rng(config, numbers(0)).run(values, property) {
        panic!("{error}");
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn rejected_values_do_not_count_as_cases() {
        let (tried, held) = (Cell::new(0), Cell::new(0));
        check(50, &(0..3u8), |value| {
            tried.set(tried.get() + 1);
            prop_assume!(value == 0);
            held.set(held.get() + 1);
            Ok(())
        });
        assert!(held.get() == 50 && tried.get() > 60, "{tried:?}");
    }

    #[test]
    #[should_panic(expected = "rejects")]
    fn a_property_that_rejects_nearly_everything_fails() {
        check(50, &(0..100u8), |value| {
            prop_assume!(value == 0);
            Ok(())
        });
    }
}
