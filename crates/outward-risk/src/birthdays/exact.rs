//! The exact law of the number of unique birthdays, one person at a time.
//!
//! The state is (empty days, days with one person). With chance e/D the next person finds an empty day and makes it
//! single. With chance s/D they find a single day, which is then shared. Otherwise nothing changes. All terms are
//! positive, so nothing cancels. The alternating sum C(D,m) C(N,m) m! Σ_j (−1)^j … / D^N of METHODS III loses all
//! digits in floating point. The law is narrow. Of the D²/2 states only those with a chance of at least 1e-30 are kept;
//! the chances of the others are added up. Once every day has two people or more, nothing changes any more and the
//! recursion may stop, which happens near 29,000 people for 365 days.

use super::distribution::NEGLIGIBLE;

/// The law for a growing number of people.
#[derive(Debug, Clone)]
pub(super) struct ExactLaw {
    days: usize,
    people: u64,
    /// Chance of e empty and s single days at e · (days + 2) + s.
    chances: Vec<f64>,
    /// For each e the range of s that is kept; empty if nothing is.
    kept: Vec<(usize, usize)>,
    /// Range of e that is kept.
    empty: (usize, usize),
    dropped: f64,
}

impl ExactLaw {
    /// Nobody yet.
    pub(super) fn new(days: usize) -> Self {
        let stride = days + 2;
        let mut chances = vec![0.0; stride * stride];
        chances[days * stride] = 1.0;
        let mut kept = vec![(0, 0); stride];
        kept[days] = (0, 1);
        Self { days, people: 0, chances, kept, empty: (days, days + 1), dropped: 0.0 }
    }

    /// Adds people until there are so many; says how many steps that took.
    pub(super) fn run_to(&mut self, people: u64) -> u64 {
        let before = self.people;
        while self.people < people && !self.settled() {
            self.advance();
        }
        let steps = self.people - before;
        self.people = self.people.max(people);
        steps
    }

    /// Adds one person.
    pub(super) fn advance(&mut self) {
        self.people += 1;
        let (low, high) = (self.empty.0.saturating_sub(1), self.empty.1);
        for e in low..high {
            self.advance_row(e);
        }
        let mut rows = (low..high).filter(|e| self.kept[*e].0 < self.kept[*e].1);
        let first = rows.next().unwrap_or(low);
        self.empty = (first, rows.next_back().unwrap_or(first) + 1);
    }

    /// Whether every day surely has two people or more.
    pub(super) fn settled(&self) -> bool {
        self.empty == (0, 1) && self.kept[0] == (0, 1)
    }

    /// The chance of exactly m unique birthdays, m = 0, 1, 2 …
    pub(super) fn probabilities(&self) -> Vec<f64> {
        let most = (self.empty.0..self.empty.1).map(|e| self.kept[e].1).max().unwrap_or(1);
        let mut probabilities = vec![0.0; most];
        for e in self.empty.0..self.empty.1 {
            let (low, high) = self.kept[e];
            for (sum, chance) in probabilities[low..high].iter_mut().zip(&self.row(e)[low..high]) {
                *sum += chance;
            }
        }
        probabilities
    }

    pub(super) fn dropped(&self) -> f64 {
        self.dropped
    }

    fn row(&self, e: usize) -> &[f64] {
        &self.chances[e * (self.days + 2)..(e + 1) * (self.days + 2)]
    }

    /// Brings the states with `e` empty days forward. Rows go in rising order, so the row above is still the old one.
    fn advance_row(&mut self, e: usize) {
        let stride = self.days + 2;
        let (own, above) = (self.kept[e], self.kept[e + 1]);
        let range = match (own.0 < own.1, above.0 < above.1) {
            (false, false) => return,
            (true, false) => (own.0.saturating_sub(1), own.1),
            (false, true) => (above.0 + 1, above.1 + 1),
            (true, true) => (own.0.saturating_sub(1).min(above.0 + 1), own.1.max(above.1 + 1)),
        };
        let (head, tail) = self.chances.split_at_mut((e + 1) * stride);
        let row = &mut head[e * stride..];
        let day = 1.0 / self.days as f64;
        let (taken, found) = ((self.days - e) as f64, (e + 1) as f64 * day);
        let mut start = range.0;
        if start == 0 {
            // Divided, not multiplied by 1/D: where all days are crowded the factor must be 1 to the last bit.
            row[0] = row[0] * (taken / self.days as f64) + row[1] * day;
            start = 1;
        }
        let width = range.1.saturating_sub(start);
        let (row, above) = (&mut row[start..=start + width], &tail[start - 1..][..width]);
        for (i, from) in above.iter().enumerate() {
            let singles = (start + i) as f64;
            row[i] = row[i] * ((taken - singles) * day) + row[i + 1] * ((singles + 1.0) * day) + from * found;
        }
        self.kept[e] = self.trim(e, range);
    }

    /// Drops the negligible ends of a row.
    fn trim(&mut self, e: usize, (mut low, mut high): (usize, usize)) -> (usize, usize) {
        let stride = self.days + 2;
        let row = &mut self.chances[e * stride..(e + 1) * stride];
        while low < high && row[low] < NEGLIGIBLE {
            self.dropped += std::mem::take(&mut row[low]);
            low += 1;
        }
        while low < high && row[high - 1] < NEGLIGIBLE {
            high -= 1;
            self.dropped += std::mem::take(&mut row[high]);
        }
        (low, high)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn law(people: u64, days: usize) -> Vec<f64> {
        let mut law = ExactLaw::new(days);
        law.run_to(people);
        law.probabilities()
    }

    fn choose(n: u64, k: u64) -> i128 {
        (0..k).fold(1, |product, i| product * i128::from(n - i) / i128::from(i + 1))
    }

    fn factorial(n: u64) -> i128 {
        (1..=n).map(i128::from).product()
    }

    /// The alternating sum of METHODS III in whole numbers.
    fn by_inclusion_and_exclusion(people: u64, days: u64, unique: u64) -> f64 {
        let sum: i128 = (0..=(people - unique).min(days - unique))
            .map(|j| {
                let sign = if j % 2 == 0 { 1 } else { -1 };
                let ways = i128::from(days - unique - j).pow((people - unique - j) as u32);
                sign * choose(days - unique, j) * choose(people - unique, j) * factorial(j) * ways
            })
            .sum();
        let numerator = choose(days, unique) * choose(people, unique) * factorial(unique) * sum;
        numerator as f64 / (days as f64).powi(people as i32)
    }

    #[test]
    fn small_groups_follow_the_alternating_sum() {
        for days in 1..=9_u64 {
            for people in 1..=14_u64 {
                let law = law(people, days as usize);
                for unique in 0..=people.min(days) {
                    let expected = by_inclusion_and_exclusion(people, days, unique);
                    let found = law.get(unique as usize).copied().unwrap_or(0.0);
                    assert!((found - expected).abs() < 1e-14, "{people} {days} {unique}: {found} {expected}");
                }
            }
        }
    }

    /// The alternating sum in unbounded whole numbers (Python), divided at the end.
    #[test]
    fn large_groups_follow_the_alternating_sum_in_whole_numbers() {
        for (people, days, unique, expected) in [
            (23, 365, 21, 0.363_422_156_606_506_4),
            (23, 365, 23, 0.492_702_765_676_014_6),
            (500, 365, 127, 0.045_004_237_423_919_05),
            (500, 365, 90, 4.804_208_930_459_271e-6),
            (972, 365, 60, 0.030_733_524_333_812_615),
            (3_000, 365, 3, 0.037_762_036_863_261_066),
            (100, 52, 20, 0.026_038_273_685_824_734),
            (30, 12, 2, 0.312_363_229_937_398_73),
            (10_000, 365, 1, 1.220_066_216_414_677_4e-8),
        ] {
            let found = law(people, days)[unique];
            assert!((found / expected - 1.0).abs() < 1e-11, "{people} {unique}: {found}");
        }
    }

    #[test]
    fn a_million_people_leave_nobody_alone() {
        let mut law = ExactLaw::new(365);
        let steps = law.run_to(1_000_000);
        assert!(steps < 40_000, "{steps}");
        assert_eq!(law.probabilities(), [1.0]);
        assert!(law.dropped() < 1e-20);
    }
}
