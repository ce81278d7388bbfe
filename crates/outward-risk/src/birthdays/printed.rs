//! Equation (2): the law of the number of unique birthdays as the paper prints it.
//!
//! ρ(N, m) = Σ_j p(N, D, D − j) · p(N − j, j, m), with p(N, k, j) the chance that N things thrown into k baskets leave
//! exactly j of them empty. The paper gives p as an alternating sum. Here it is a recursion over the things thrown: an
//! empty basket is hit with chance j/k. Both factors sum to 1, so ρ does too. But it is not the law of unique
//! birthdays. Given the j days that occur, the other N − j people are not spread evenly over them.

use super::distribution::NEGLIGIBLE;

/// The number of empty baskets, for a growing number of things thrown.
#[derive(Debug, Clone)]
struct Occupancy {
    baskets: usize,
    /// Chance of each number of empty baskets.
    chances: Vec<f64>,
    kept: (usize, usize),
    dropped: f64,
}

impl Occupancy {
    fn new(baskets: usize) -> Self {
        let mut chances = vec![0.0; baskets + 2];
        chances[baskets] = 1.0;
        Self { baskets, chances, kept: (baskets, baskets + 1), dropped: 0.0 }
    }

    fn settled(&self) -> bool {
        self.kept == (0, 1)
    }

    fn run(&mut self, things: u64) -> u64 {
        let mut steps = 0;
        while steps < things && !self.settled() {
            self.advance();
            steps += 1;
        }
        steps
    }

    fn advance(&mut self) {
        let baskets = self.baskets as f64;
        let (mut low, mut high) = (self.kept.0.saturating_sub(1), self.kept.1);
        for empty in low..high {
            self.chances[empty] = self.chances[empty] * ((self.baskets - empty) as f64 / baskets)
                + self.chances[empty + 1] * ((empty + 1) as f64 / baskets);
        }
        while low < high && self.chances[low] < NEGLIGIBLE {
            self.dropped += std::mem::take(&mut self.chances[low]);
            low += 1;
        }
        while low < high && self.chances[high - 1] < NEGLIGIBLE {
            high -= 1;
            self.dropped += std::mem::take(&mut self.chances[high]);
        }
        self.kept = (low, high);
    }

    /// Adds this law, weighted, to a mixture.
    fn add_to(&self, weight: f64, mixture: &mut [f64]) {
        let range = self.kept.0..self.kept.1;
        for (sum, chance) in mixture[range.clone()].iter_mut().zip(&self.chances[range]) {
            *sum += weight * chance;
        }
    }
}

/// The printed law for one group: chances, what was dropped, and the steps that one figure took.
pub(super) fn printed(people: u64, days: usize) -> (Vec<f64>, f64, u64) {
    let mut taken = Occupancy::new(days);
    let steps = taken.run(people);
    let mut mixture = vec![0.0; days + 1];
    let (mut dropped, mut longest) = (taken.dropped, 0);
    for empty in taken.kept.0..taken.kept.1 {
        let (weight, baskets) = (taken.chances[empty], days - empty);
        let Some(left) = people.checked_sub(baskets as u64).filter(|_| weight > 0.0) else { continue };
        let mut alone = Occupancy::new(baskets);
        longest = longest.max(alone.run(left));
        alone.add_to(weight, &mut mixture);
        dropped += weight * alone.dropped;
    }
    let most = mixture.iter().rposition(|chance| *chance > 0.0).unwrap_or(0);
    mixture.truncate(most + 1);
    (mixture, dropped, steps + longest)
}

/// The printed law for a group that grows by one person at a time: all its chains go forward together.
#[derive(Debug, Clone)]
pub(super) struct PrintedScan {
    people: usize,
    taken: Occupancy,
    /// The law of the empty among 1, 2, 3 … baskets.
    alone: Vec<Occupancy>,
}

impl PrintedScan {
    pub(super) fn new(days: usize) -> Self {
        Self { people: 0, taken: Occupancy::new(days), alone: Vec::new() }
    }

    pub(super) fn advance(&mut self) {
        self.people += 1;
        self.taken.advance();
        self.alone.iter_mut().filter(|law| !law.settled()).for_each(Occupancy::advance);
        if self.people <= self.taken.baskets {
            self.alone.push(Occupancy::new(self.people));
        }
    }

    pub(super) fn probabilities(&self) -> Vec<f64> {
        let mut mixture = vec![0.0; self.taken.baskets + 1];
        for empty in self.taken.kept.0..self.taken.kept.1 {
            let baskets = self.taken.baskets - empty;
            if let Some(law) = baskets.checked_sub(1).and_then(|at| self.alone.get(at)) {
                law.add_to(self.taken.chances[empty], &mut mixture);
            }
        }
        mixture
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Equation (2) with its alternating sums, in fractions (Python).
    #[test]
    fn the_recursion_gives_the_printed_formula() {
        for (people, days, unique, expected) in [
            (6, 4, 2, 0.344_238_281_25),
            (10, 7, 3, 0.262_788_421_359_396_7),
            (40, 30, 12, 0.109_535_864_984_336_65),
            (60, 20, 4, 0.100_364_257_904_198_44),
        ] {
            let (law, _, _) = printed(people, days);
            assert!((law[unique] / expected - 1.0).abs() < 1e-12, "{people} {days}");
        }
    }

    #[test]
    fn a_growing_group_has_the_law_of_each_group() {
        let mut scan = PrintedScan::new(40);
        for people in 1..=120 {
            scan.advance();
            let (law, _, _) = printed(people, 40);
            for (grown, alone) in scan.probabilities().iter().zip(&law) {
                assert!((grown - alone).abs() < 1e-14, "{people}");
            }
        }
    }
}
