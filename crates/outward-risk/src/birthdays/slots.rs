//! The slots of a year that a resolution distinguishes, and how people share them.
//!
//! A person is in slot k with chance q_k. Each of the n − 1 others is there too with the same chance. So the share of
//! people who share their slot with exactly s − 1 others is Σ_k q_k · Binomial(s − 1; n − 1, q_k). For s = 1 it is U =
//! Σ_k q_k (1 − q_k)^(n − 1) (METHODS III). Slots of one chance are kept together: a plain year is one term, not 365.

/// Slots of one chance.
#[derive(Debug, Clone, Copy, PartialEq)]
struct EqualSlots {
    chance: f64,
    slots: f64,
}

/// The slots of a year, or of a band of years.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Slots {
    groups: Vec<EqualSlots>,
}

impl Slots {
    /// Equally likely slots.
    pub(super) fn even(slots: f64) -> Self {
        Self { groups: vec![EqualSlots { chance: 1.0 / slots, slots }] }
    }

    /// Slots with chances that sum to 1; those without a chance are left out.
    pub(super) fn uneven(mut chances: Vec<f64>) -> Self {
        chances.retain(|chance| *chance > 0.0);
        chances.sort_by(f64::total_cmp);
        let mut groups: Vec<EqualSlots> = Vec::new();
        for chance in chances {
            match groups.last_mut() {
                // Sums of the same days in another order differ in the last digits only.
                Some(last) if chance - last.chance <= 1e-12 * chance => last.slots += 1.0,
                _ => groups.push(EqualSlots { chance, slots: 1.0 }),
            }
        }
        Self { groups }
    }

    /// The same slots in each of several years, where people fall in a year with the given chances.
    pub(super) fn over(&self, years: &[f64]) -> Self {
        let even = years.windows(2).all(|pair| pair[0] == pair[1]);
        let spread = |chance: f64, times: f64| {
            self.groups
                .iter()
                .map(move |group| EqualSlots { chance: group.chance * chance, slots: group.slots * times })
        };
        match even {
            true => Self { groups: spread(years[0], years.len() as f64).collect() },
            false => Self { groups: years.iter().flat_map(|year| spread(*year, 1.0)).collect() },
        }
    }

    /// Sums a function of a slot's chance over people: each slot counts with its chance.
    pub(super) fn mean(&self, of: impl Fn(f64) -> f64) -> f64 {
        self.groups.iter().map(|group| group.chance * group.slots * of(group.chance)).sum()
    }

    /// The share of `people` who are alone in their slot.
    pub(super) fn unique(&self, people: u64) -> f64 {
        self.apart(people, 1.0)
    }

    /// The share of `people` who would be alone if each of the others were there with chance `present` only.
    pub(super) fn apart(&self, people: u64, present: f64) -> f64 {
        let others = people.saturating_sub(1) as f64;
        self.mean(|chance| nobody(others, chance * present))
    }

    /// The shares of `people` who are alone, in twos, in threes and so on up to groups of `largest`.
    pub(super) fn shares(&self, people: u64, largest: usize) -> Vec<f64> {
        let others = people.saturating_sub(1) as f64;
        let mut shares = vec![0.0; largest];
        for group in &self.groups {
            let weight = group.chance * group.slots;
            if group.chance >= 1.0 {
                if let Some(share) = shares.get_mut(others as usize) {
                    *share += weight;
                }
                continue;
            }
            let odds = group.chance / (1.0 - group.chance);
            let mut probability = nobody(others, group.chance);
            for (with, share) in shares.iter_mut().enumerate() {
                *share += weight * probability;
                // Binomial(i + 1) = Binomial(i) · (n − 1 − i)/(i + 1) · q/(1 − q); it ends at 0 by itself.
                probability *= (others - with as f64).max(0.0) / (with as f64 + 1.0) * odds;
            }
        }
        shares
    }

    /// Equally likely slots that would bring two people together as often: 1/Σ q².
    pub(super) fn effective(&self) -> f64 {
        1.0 / self.mean(|chance| chance)
    }
}

/// (1 − q)^others, also where q is tiny or 1.
fn nobody(others: f64, chance: f64) -> f64 {
    if others == 0.0 { 1.0 } else { (others * (-chance).ln_1p()).exp() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_people_in_a_year_of_three_days_meet_with_chance_one_third() {
        let shares = Slots::even(3.0).shares(2, 3);
        assert!((shares[0] - 2.0 / 3.0).abs() < 1e-15 && (shares[1] - 1.0 / 3.0).abs() < 1e-15);
        assert_eq!(shares[2], 0.0);
    }

    #[test]
    fn known_only_by_the_year_one_person_is_alone_and_two_never_are() {
        let year = Slots::even(1.0);
        assert_eq!(year.shares(1, 3), [1.0, 0.0, 0.0]);
        assert_eq!(year.shares(2, 3), [0.0, 1.0, 0.0]);
        assert_eq!(year.shares(9, 3), [0.0, 0.0, 0.0]);
        assert_eq!((year.unique(1), year.unique(2)), (1.0, 0.0));
    }

    #[test]
    fn uneven_days_bring_people_together_more_often() {
        let uneven = Slots::uneven(vec![0.5, 0.25, 0.25]);
        assert!((uneven.effective() - 1.0 / 0.375).abs() < 1e-12);
        assert!((uneven.unique(2) - 0.625).abs() < 1e-12);
        assert!(uneven.unique(2) < Slots::even(3.0).unique(2));
    }

    #[test]
    fn a_band_of_five_years_is_five_times_the_days() {
        let band = Slots::even(365.0).over(&[0.2; 5]);
        assert!((band.unique(100) - Slots::even(1825.0).unique(100)).abs() < 1e-14);
    }
}
