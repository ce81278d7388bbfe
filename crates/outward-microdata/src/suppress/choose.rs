//! A greedy choice of offers at given prices. It takes the one that brings most for its cost, again and again. Then it
//! takes back those that later ones made unnecessary.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::cover::Cover;

/// Offers that meet every demand, one for each record that loses cells.
#[derive(Debug)]
pub(super) struct Chosen {
    pub(super) offers: Vec<u32>,
    pub(super) cost: f64,
}

/// A greedy choice at some prices, which are whole numbers.
pub(super) fn choose(cover: &Cover, prices: &Prices) -> Chosen {
    let mut choice = GreedyChoice::new(cover, prices);
    choice.add_best();
    choice.settle();
    choice.give_back_needless();
    let cost = choice.offers.iter().map(|offer| cover.cost[*offer as usize]).sum();
    Chosen { offers: choice.offers, cost }
}

/// A price for each claim of each donor.
#[derive(Debug, Clone)]
pub(super) struct Prices {
    pub(super) starts: Vec<usize>,
    pub(super) prices: Vec<f64>,
}

impl Prices {
    /// The same price for all.
    pub(super) fn even(cover: &Cover, price: f64) -> Self {
        let mut starts = vec![0];
        for donor in 0..cover.size.len() {
            starts.push(starts[donor] + cover.claims.get(donor).len());
        }
        let prices = vec![price; starts[cover.size.len()]];
        Self { starts, prices }
    }

    /// The claims of a donor with their prices.
    pub(super) fn of_claims<'a>(&'a self, cover: &'a Cover, donor: usize) -> impl Iterator<Item = (usize, f64)> + 'a {
        let prices = &self.prices[self.starts[donor]..self.starts[donor + 1]];
        cover.claims.get(donor).iter().map(|demand| *demand as usize).zip(prices.iter().copied())
    }
}

/// The offers taken so far, and how far they meet the demands.
struct GreedyChoice<'a> {
    cover: &'a Cover,
    prices: &'a Prices,
    offers: Vec<u32>,
    /// Records brought to each demand.
    brought: Vec<u64>,
    /// Records of each donor that have lost nothing, and their sum over the donors that claim a demand.
    whole: Vec<u64>,
    claimed: Vec<u64>,
    /// The price of each demand to the donors with whole records, and its sum over the unmet demands of a group. All
    /// are whole numbers, so that adding and subtracting leaves no rounding errors.
    price: Vec<f64>,
    value: Vec<f64>,
}

impl<'a> GreedyChoice<'a> {
    fn new(cover: &'a Cover, prices: &'a Prices) -> Self {
        let demands = cover.wanted.len();
        let (mut price, mut claimed) = (vec![0.0; demands], vec![0; demands]);
        for donor in 0..cover.size.len() {
            for (demand, at) in prices.of_claims(cover, donor) {
                price[demand] += at;
                claimed[demand] += cover.size[donor];
            }
        }
        let sum = |group: usize| cover.members.get(group).iter().map(|demand| price[*demand as usize]).sum();
        let value = (0..cover.members.len()).map(sum).collect();
        let (brought, whole) = (vec![0; demands], cover.size.clone());
        Self { cover, prices, offers: Vec::new(), brought, whole, claimed, price, value }
    }

    /// How many records a demand still wants.
    fn wants(&self, demand: usize) -> u64 {
        self.cover.wanted[demand].saturating_sub(self.brought[demand])
    }

    /// What an offer brings for its cost: a record to each unmet demand, and safety to the record itself.
    fn worth(&self, offer: usize) -> f64 {
        let donor = self.cover.donor[offer] as usize;
        let near = self.cover.near.get(donor).iter().map(|demand| *demand as usize);
        let near =
            near.filter(|demand| self.cover.keys[*demand] & self.cover.mask[offer] != 0 && self.wants(*demand) > 0);
        let groups = self.cover.groups.get(offer).iter().map(|group| self.value[*group as usize]).sum::<f64>();
        let own = self
            .prices
            .of_claims(self.cover, donor)
            .map(|(demand, price)| self.wants(demand) as f64 * price)
            .sum::<f64>();
        let others = groups - near.map(|demand| self.price[demand]).sum::<f64>();
        (others + own / self.whole[donor] as f64) / self.cover.cost[offer]
    }

    /// Takes the best offer until none brings anything more.
    fn add_best(&mut self) {
        // Worths are not negative, so their bits are in the order of the numbers.
        let rank = |worth: f64| worth.max(0.0).to_bits();
        let ranked = |offer: usize| (rank(self.worth(offer)), Reverse(offer as u32));
        let mut queue: BinaryHeap<(u64, Reverse<u32>)> = (0..self.cover.donor.len()).map(ranked).collect();
        while let Some((promised, Reverse(offer))) = queue.pop() {
            let donor = self.cover.donor[offer as usize] as usize;
            if self.whole[donor] == 0 {
                continue;
            }
            let worth = self.worth(offer as usize);
            if rank(worth) < promised {
                queue.push((rank(worth), Reverse(offer)));
                continue;
            }
            if worth <= 0.0 {
                break;
            }
            self.take(offer);
            if self.whole[donor] > 0 {
                // With fewer records left in need, each counts for more.
                for offer in self.cover.offers.get(donor) {
                    queue.push((rank(self.worth(*offer as usize)), Reverse(*offer)));
                }
            }
        }
    }

    fn take(&mut self, offer: u32) {
        let cover = self.cover;
        self.offers.push(offer);
        for demand in cover.brings(offer as usize) {
            self.brought[demand] += 1;
            if self.brought[demand] == cover.wanted[demand] {
                self.devalue(demand, self.price[demand]);
            }
        }
        let donor = cover.donor[offer as usize] as usize;
        self.whole[donor] -= 1;
        for (demand, price) in self.prices.of_claims(cover, donor) {
            self.claimed[demand] -= 1;
            if self.whole[donor] == 0 {
                self.price[demand] -= price;
                if self.wants(demand) > 0 {
                    self.devalue(demand, price);
                }
            }
        }
    }

    fn devalue(&mut self, demand: usize, by: f64) {
        for group in self.cover.groups_of.get(demand) {
            self.value[*group as usize] -= by;
        }
    }

    /// Records still below k take the cheapest cure.
    fn settle(&mut self) {
        let cover = self.cover;
        for donor in 0..cover.size.len() {
            while self.whole[donor] > 0 && cover.claims.get(donor).iter().any(|demand| self.wants(*demand as usize) > 0)
            {
                self.take(cover.offers.get(donor)[0]);
            }
        }
    }

    /// Gives back offers that are not needed, the dearest first.
    fn give_back_needless(&mut self) {
        let cover = self.cover;
        let mut offers = std::mem::take(&mut self.offers);
        offers.sort_by(|a, b| cover.cost[*b as usize].total_cmp(&cover.cost[*a as usize]).then(a.cmp(b)));
        for offer in offers {
            if !self.needless(offer as usize) {
                self.offers.push(offer);
                continue;
            }
            let donor = cover.donor[offer as usize] as usize;
            cover.brings(offer as usize).for_each(|demand| self.brought[demand] -= 1);
            cover.claims.get(donor).iter().for_each(|demand| self.claimed[*demand as usize] += 1);
            self.whole[donor] += 1;
        }
    }

    /// Whether a record that takes the offer could be left whole.
    fn needless(&self, offer: usize) -> bool {
        let claims = self.cover.claims.get(self.cover.donor[offer] as usize);
        let spare = |demand: usize| self.brought[demand] > self.cover.wanted[demand] || self.claimed[demand] == 0;
        claims.iter().all(|demand| self.wants(*demand as usize) == 0) && self.cover.brings(offer).all(spare)
    }
}
