//! Prices for demands by Lagrangian relaxation: they prove that no choice is cheaper than a bound. They also lead the
//! greedy choice to offers that are tight at these prices (Held and Karp 1971; for covering Beasley 1990).
//!
//! Let the claims have prices u ≥ 0. Then any choice costs at least Σ wanted·u plus, for every donor, its records times
//! the most negative of its offers' reduced costs. An offer's reduced cost is its cost less the prices of the demands
//! it brings a record. The donor's own claims, spread over its records, are subtracted too.

use super::choose::{Chosen, Prices, choose};
use super::cover::Cover;

/// Steps along the subgradient.
const SUBGRADIENT_STEPS: usize = 200;
/// After so many steps without a better bound, steps become shorter.
const STEPS_WITHOUT_GAIN: usize = 12;
/// A greedy choice is made at the prices of every so many steps.
const STEPS_BETWEEN_CHOICES: usize = 10;

/// The cheapest choice found, and the bound.
pub(super) struct PricedChoice {
    pub(super) offers: Vec<u32>,
    pub(super) lower_bound: f64,
}

/// Raises the bound step by step and keeps the cheapest choice met on the way.
pub(super) fn solve(cover: &Cover) -> PricedChoice {
    let mut best = choose(cover, &Prices::even(cover, 1.0));
    let mut at = Prices::even(cover, best.cost / cover.wanted.iter().sum::<u64>() as f64);
    let (mut bound, mut stride, mut waited) = (0.0, 1.0, 0);
    let mut top = at.clone();
    for step in 1..=SUBGRADIENT_STEPS {
        let relaxed = RelaxedCover::at(cover, &at);
        if relaxed.bound > bound {
            (bound, waited) = (relaxed.bound, 0);
            top.prices.copy_from_slice(&at.prices);
        } else {
            waited += 1;
        }
        if waited == STEPS_WITHOUT_GAIN {
            (stride, waited) = (stride / 2.0, 0);
            at.prices.copy_from_slice(&top.prices);
            continue;
        }
        if step % STEPS_BETWEEN_CHOICES == 0 {
            keep_cheaper(&mut best, choose(cover, &whole(&at)));
        }
        let square: f64 = relaxed.slope.iter().map(|slope| slope * slope).sum();
        if square == 0.0 || best.cost - bound < 1e-9 * best.cost {
            break;
        }
        let length = stride * (1.02 * best.cost - relaxed.bound) / square;
        for (price, slope) in at.prices.iter_mut().zip(&relaxed.slope) {
            *price = (*price + length * slope).max(0.0);
        }
    }
    keep_cheaper(&mut best, choose(cover, &whole(&top)));
    PricedChoice { offers: best.offers, lower_bound: bound }
}

fn keep_cheaper(best: &mut Chosen, other: Chosen) {
    if other.cost < best.cost {
        *best = other;
    }
}

/// The prices as whole numbers, so that sums of them are exact. None is 0, so that every demand is worth meeting.
fn whole(prices: &Prices) -> Prices {
    let mean = prices.prices.iter().sum::<f64>() / prices.prices.len() as f64;
    let scale = if mean > 0.0 { 1024.0 / mean } else { 1.0 };
    let whole = prices.prices.iter().map(|price| (price * scale).round().max(1.0)).collect();
    Prices { starts: prices.starts.clone(), prices: whole }
}

/// The relaxed problem at some prices.
struct RelaxedCover {
    bound: f64,
    /// For each claim how far the relaxed choice falls short.
    slope: Vec<f64>,
}

impl RelaxedCover {
    fn at(cover: &Cover, prices: &Prices) -> Self {
        let mut demands = vec![0.0; cover.wanted.len()];
        let mut bound = 0.0;
        for donor in 0..cover.size.len() {
            for (demand, price) in prices.of_claims(cover, donor) {
                demands[demand] += price;
                bound += price * cover.wanted[demand] as f64;
            }
        }
        let sum = |group: usize| cover.members.get(group).iter().map(|demand| demands[*demand as usize]).sum();
        let groups: Vec<f64> = (0..cover.members.len()).map(sum).collect();
        let mut brought = vec![0.0; cover.wanted.len()];
        let mut taken = Vec::with_capacity(cover.size.len());
        for (donor, size) in cover.size.iter().map(|size| *size as f64).enumerate() {
            let own =
                prices.of_claims(cover, donor).map(|(demand, price)| price * cover.wanted[demand] as f64).sum::<f64>();
            let reduced = |offer: usize| cover.cost[offer] - cover.sum(offer, &groups, &demands) - own / size;
            let offers = cover.offers.get(donor).iter().map(|offer| (reduced(*offer as usize), *offer as usize));
            let least = offers.min_by(|a, b| a.0.total_cmp(&b.0)).filter(|(reduced, _)| *reduced < 0.0);
            taken.push(least.is_some());
            if let Some((reduced, offer)) = least {
                bound += reduced * size;
                cover.brings(offer).for_each(|demand| brought[demand] += size);
            }
        }
        Self { bound, slope: slope(cover, &brought, &taken) }
    }
}

fn slope(cover: &Cover, brought: &[f64], taken: &[bool]) -> Vec<f64> {
    let mut slope = Vec::new();
    for (donor, taken) in taken.iter().enumerate() {
        for demand in cover.claims.get(donor).iter().map(|demand| *demand as usize) {
            slope.push(if *taken { 0.0 } else { cover.wanted[demand] as f64 } - brought[demand]);
        }
    }
    slope
}
