//! Pairing: each unit with at most one other, from another region.

use hashbrown::{HashMap, HashSet};

use super::pools::Pools;
use super::risk::UnitRisk;
use super::units::Regions;
use crate::random::Random;

/// Pools this small are searched from the start. In larger ones the search continues where the last one ended.
const SMALL_POOL: usize = 32;

/// How many partners may be tried in all while pairs are remade.
const MAX_PARTNERS_TRIED: u64 = 20_000_000;

/// The pairs that are swapped so far.
pub(super) struct Pairing<'a> {
    regions: &'a Regions,
    risk: &'a UnitRisk,
    pools: &'a [Pools],
    partner: Vec<u32>,
    profile: Vec<u32>,
}

/// For units of one region and level in one pool, the first place that may still have a partner. No partner becomes
/// free meanwhile, so the place only moves on.
type FirstFreePlaces = HashMap<(u32, u32, u32), usize>;

impl<'a> Pairing<'a> {
    pub(super) fn new(regions: &'a Regions, risk: &'a UnitRisk, pools: &'a [Pools]) -> Self {
        let units = risk.leave.len();
        Self { regions, risk, pools, partner: (0..units as u32).collect(), profile: vec![0; units] }
    }

    /// The unit with which a unit is swapped; itself if it stays.
    pub(super) fn partner(&self, unit: u32) -> u32 {
        self.partner[unit as usize]
    }

    /// The profile on which a swapped unit and its partner agree.
    pub(super) fn profile(&self, unit: u32) -> usize {
        self.profile[unit as usize] as usize
    }

    pub(super) fn is_free(&self, unit: u32) -> bool {
        self.partner(unit) == unit
    }

    /// Pairs risky units in the order given. A profile is tried for all before the next, so that as many as can be agree
    /// on the first.
    pub(super) fn pair_risky(&mut self, risky: &[u32]) {
        for (profile, pools) in self.pools.iter().enumerate() {
            let mut places = FirstFreePlaces::new();
            for unit in risky {
                if self.is_free(*unit)
                    && let Some(partner) = self.first(pools, *unit, &mut places, |_| true)
                {
                    self.pair(*unit, partner, profile);
                }
            }
        }
        self.remake_pairs(risky);
    }

    /// Pairs units at random until each region of the lowest level has swapped its share of the other units. These are
    /// neither risky nor partners of risky ones. Returns how many were asked for and how many were swapped.
    pub(super) fn pair_at_random(&mut self, share: f64, seed: u64) -> (u64, u64) {
        let may = |unit: &u32| self.is_free(*unit) && self.regions.knows(*unit) && !self.risk.is_risky(*unit);
        let mut drawn: Vec<u32> = (0..self.partner.len() as u32).filter(may).collect();
        let mut random = Random::new(seed, "swap at random");
        let mut quota = self.quotas(&drawn, share, &mut random);
        let (asked, mut swapped) = (quota.iter().sum(), 0);
        if asked == 0 {
            return (0, 0);
        }
        random.shuffle(&mut drawn);
        let mut places = vec![FirstFreePlaces::new(); self.pools.len()];
        for unit in drawn {
            let home = self.regions.lowest(unit) as usize;
            if quota[home] == 0 || !self.is_free(unit) {
                continue;
            }
            let wanted = |other: u32| quota[self.regions.lowest(other) as usize] > 0 && !self.risk.is_risky(other);
            let found = self.pools.iter().zip(&mut places).enumerate().find_map(|(profile, (pools, places))| {
                self.first(pools, unit, places, wanted).map(|partner| (partner, profile))
            });
            if let Some((partner, profile)) = found {
                quota[home] -= 1;
                quota[self.regions.lowest(partner) as usize] -= 1;
                self.pair(unit, partner, profile);
                swapped += 2;
            }
        }
        (asked, swapped)
    }

    /// How many of some units are to be swapped at random in each region. Parts of a unit are rounded by chance, so that small
    /// regions have their share on average.
    fn quotas(&self, others: &[u32], share: f64, random: &mut Random) -> Vec<u64> {
        let mut sizes = vec![0u64; self.regions.lowest_count()];
        for unit in others {
            sizes[self.regions.lowest(*unit) as usize] += 1;
        }
        let round = |size: u64| {
            let exact = size as f64 * share;
            exact.floor() as u64 + u64::from(random.unit() < exact.fract())
        };
        sizes.into_iter().map(round).collect()
    }

    /// The first free partner for a unit that is wanted.
    fn first(
        &self,
        pools: &Pools,
        unit: u32,
        places: &mut FirstFreePlaces,
        wanted: impl Fn(u32) -> bool,
    ) -> Option<u32> {
        let partners = pools.partners(unit);
        let fits = |other: &u32| self.is_free(*other) && self.may_swap(unit, *other) && wanted(*other);
        if partners.len() <= SMALL_POOL {
            return partners.iter().copied().find(fits);
        }
        let key = (pools.pool(unit), self.regions.lowest(unit), self.risk.leave[unit as usize]);
        let place = places.entry(key).or_insert(0);
        *place += partners[*place..].iter().position(fits).unwrap_or(partners.len() - *place);
        partners.get(*place).copied()
    }

    /// Whether a swap takes both units out of the regions they must leave, and out of their lowest ones in any case.
    fn may_swap(&self, a: u32, b: u32) -> bool {
        let leave = self.risk.leave[a as usize].min(self.risk.leave[b as usize]) as usize;
        self.regions.differ(leave.min(self.regions.levels() - 1), a, b)
    }

    fn pair(&mut self, a: u32, b: u32, profile: usize) {
        for (unit, other) in [(a, b), (b, a)] {
            self.partner[unit as usize] = other;
            self.profile[unit as usize] = profile as u32;
        }
    }

    fn free(&mut self, unit: u32) {
        self.partner[unit as usize] = unit;
    }

    /// Pairs risky units that found no partner by remaking other pairs, where all that are risky in them still move.
    fn remake_pairs(&mut self, risky: &[u32]) {
        let mut looks = 0;
        for (profile, pools) in self.pools.iter().enumerate() {
            // Units of one region and level in one pool have the same chances until a pair is remade.
            let mut hopeless = HashSet::new();
            for unit in risky.iter().copied() {
                let key = (pools.pool(unit), self.regions.lowest(unit), self.risk.leave[unit as usize]);
                if !self.is_free(unit) || hopeless.contains(&key) {
                    continue;
                }
                match self.find_remaking(pools, unit, &mut looks) {
                    Some(remaking) => {
                        self.remake(unit, remaking, profile);
                        hopeless.clear();
                    }
                    None => {
                        hopeless.insert(key);
                    }
                }
                if looks > MAX_PARTNERS_TRIED {
                    return;
                }
            }
        }
    }

    /// The unit that gives up its partner, and the new partner that it gets instead: none if it need not move.
    fn find_remaking(&self, pools: &Pools, unit: u32, looks: &mut u64) -> Option<(u32, Option<u32>)> {
        let need_not_move = |other: u32| self.is_free(other) || !self.risk.is_risky(self.partner(other));
        for giver in pools.partners(unit).iter().copied() {
            *looks += 1;
            if *looks > MAX_PARTNERS_TRIED {
                return None;
            }
            if !self.may_swap(unit, giver) {
                continue;
            }
            if need_not_move(giver) {
                return Some((giver, None));
            }
            let left = self.partner(giver);
            let instead = pools.partners(left).iter().copied().find(|other| {
                *looks += 1;
                *other != unit && *other != giver && self.may_swap(left, *other) && need_not_move(*other)
            });
            if instead.is_some() {
                return Some((giver, instead));
            }
        }
        None
    }

    fn remake(&mut self, unit: u32, (giver, instead): (u32, Option<u32>), profile: usize) {
        let left = self.partner(giver);
        self.free(left);
        self.pair(unit, giver, profile);
        if let Some(instead) = instead {
            self.free(self.partner(instead));
            self.pair(left, instead, profile);
        }
    }
}
