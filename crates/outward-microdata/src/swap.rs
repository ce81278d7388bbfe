//! Targeted record swapping: households, or persons, change places with similar ones in other regions.
//!
//! A unit is risky at a level of geography if one of its members is rare there. A member is rare if fewer than k
//! records of the region have the same risk keys. It must then leave that region. A random share is swapped besides, so
//! that nobody knows who was swapped because of risk. Two units that change places are of the same size. They agree on
//! a profile and on the margins to be held, so that these tables stay true to the last record.
//!
//! Shlomo, Tudor and Groom 2010, *Data swapping for protecting census tables*, Privacy in Statistical Databases, and
//! the practice of the censuses of 2011 and 2021 in England and Wales. See docs/methods/swapping.md.

pub(crate) mod groups;
mod pairing;
mod pools;
pub(crate) mod revealing;
mod risk;
mod units;

use outward_spec::{Error, Result};

use pairing::Pairing;
use risk::UnitRisk;
use units::{Regions, Units};

/// What is to be swapped. Columns hold a code for each record; 0 is missing.
#[derive(Debug, Clone, Copy)]
pub struct SwapRequest<'a> {
    /// Where records are, the coarsest level first. Units without a region at some level stay, and no unit is swapped
    /// with them.
    pub geography: &'a [&'a [u32]],
    /// Households, whose members move together; persons move alone if absent.
    pub household: Option<&'a [u32]>,
    /// Keys whose combination says who is risky. A missing key is a value like any other.
    pub risk: &'a [&'a [u32]],
    /// For each level the least count of a combination in its region; 0 asks for nothing.
    pub k: &'a [u64],
    /// Profiles on which partners must agree, tried in this order: of households, on the values of all members in any
    /// order. Only size counts where there is none.
    pub similar: &'a [Vec<&'a [u32]>],
    /// Margins to be held: the table of each set of columns by region of the lowest level.
    pub hold: &'a [Vec<&'a [u32]>],
    /// The share of the others that are swapped at random besides, in each region: of units that are neither risky nor partners of
    /// risky ones.
    pub share: f64,
    /// Records that must be swapped even if they are not rare: they leave their region of the coarsest level that has
    /// several.
    pub marked: Option<&'a [bool]>,
    /// The seed.
    pub seed: u64,
    /// How many threads may work. The result does not depend on it.
    pub threads: usize,
}

/// Who was swapped. A unit is a household, or a person if there are no households.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Swapped {
    /// For each record the record whose geography it has now; itself if it stays.
    pub takes_from: Vec<u32>,
    /// All units.
    pub units: u64,
    /// Units that had to be swapped.
    pub risky: u64,
    /// Of these, for each level how many had to leave their region of that level, and no coarser one.
    pub risky_at: Vec<u64>,
    /// Units that had to be swapped and were.
    pub risky_swapped: u64,
    /// Units that had to be swapped and were not, since no partner was left for them.
    pub not_matched: u64,
    /// The records of these units, in ascending order.
    pub not_matched_rows: Vec<u32>,
    /// Units swapped only because a risky one needed a partner.
    pub partners: u64,
    /// Units that were to be swapped at random.
    pub random_asked: u64,
    /// Units swapped at random.
    pub random_swapped: u64,
    /// For each profile how many units were swapped with a partner found by it.
    pub per_profile: Vec<u64>,
    /// Records whose geography is now that of another.
    pub records_moved: u64,
    /// Units that stay since their region is missing.
    pub without_region: u64,
}

/// Swaps records between regions.
pub fn swap_records(request: &SwapRequest<'_>) -> Result<Swapped> {
    let rows = check_columns(request)?;
    let units = Units::new(rows, request.household)?;
    let regions = Regions::new(request.geography, &units)?;
    check_regions(request, &regions)?;
    let risk = UnitRisk::measure(request, &units, &regions);
    let ranked = pools::rank_partners(&risk, &regions, request.seed);
    let pools = pools::find_pools(request, &units, &ranked);

    // Ranks put the risky first; of these, those that must go farthest and are rarest go first.
    let mut risky: Vec<u32> = ranked.iter().copied().take_while(|unit| risk.is_risky(*unit)).collect();
    risky.sort_by_key(|unit| (risk.leave[*unit as usize], risk.fewest[*unit as usize]));
    if (request.share > 0.0 || !risky.is_empty()) && !pools.iter().any(|pools| pools.cross_regions(&regions)) {
        return Err(Error::input("nobody can be swapped: none agrees with anyone of another region")
            .help("let partners agree on fewer or coarser variables, or hold fewer margins")
            .into());
    }
    let mut pairing = Pairing::new(&regions, &risk, &pools);
    pairing.pair_risky(&risky);
    let partners = ranked[risky.len()..].iter().filter(|unit| !pairing.is_free(**unit)).count() as u64;
    let (random_asked, random_swapped) = pairing.pair_at_random(request.share, request.seed);

    let mut swapped = Swapped { partners, random_asked, random_swapped, ..describe(&units, &pairing, pools.len()) };
    swapped.without_region = (units.len() - ranked.len()) as u64;
    swapped.risky_at = vec![0; regions.levels()];
    for unit in risky {
        swapped.risky += 1;
        swapped.risky_at[risk.leave[unit as usize] as usize] += 1;
        if pairing.is_free(unit) {
            swapped.not_matched += 1;
            swapped.not_matched_rows.extend(units.members(unit));
        } else {
            swapped.risky_swapped += 1;
        }
    }
    swapped.not_matched_rows.sort_unstable();
    Ok(swapped)
}

/// What can be read off the pairs.
fn describe(units: &Units, pairing: &Pairing<'_>, profiles: usize) -> Swapped {
    let mut takes_from: Vec<u32> = (0..units.records() as u32).collect();
    let (mut per_profile, mut records_moved) = (vec![0; profiles], 0);
    for unit in (0..units.len() as u32).filter(|unit| !pairing.is_free(*unit)) {
        per_profile[pairing.profile(unit)] += 1;
        let others = units.members(pairing.partner(unit));
        records_moved += others.len() as u64;
        units.members(unit).iter().zip(others).for_each(|(row, other)| takes_from[*row as usize] = *other);
    }
    Swapped { takes_from, units: units.len() as u64, per_profile, records_moved, ..Swapped::default() }
}

/// The number of records, which all columns must have.
fn check_columns(request: &SwapRequest<'_>) -> Result<usize> {
    let Some(rows) = request.geography.first().map(|codes| codes.len()) else {
        return Err(Error::input("a swap needs a region")
            .help("say which variable holds the region, or several from coarse to fine")
            .into());
    };
    if rows >= u32::MAX as usize {
        return Err(Error::input(format!("a swap takes fewer than {} records, and these are {rows}", u32::MAX))
            .help("swap within parts of the file")
            .into());
    }
    let sets = request.similar.iter().chain(request.hold).flatten();
    let lengths = request.geography.iter().chain(request.risk).chain(sets).map(|codes| codes.len());
    let lengths = lengths.chain(request.household.map(<[_]>::len)).chain(request.marked.map(<[_]>::len));
    if lengths.into_iter().any(|length| length != rows) || request.k.len() != request.geography.len() {
        return Err(Error::bug("columns of a swap differ in length, or there is not one k for each level"));
    }
    if !(0.0..=1.0).contains(&request.share) {
        return Err(Error::input(format!("the share to be swapped at random is {}", request.share))
            .help("give a number from 0 to 1, such as 0.05")
            .into());
    }
    Ok(rows)
}

/// There must be another region to go to at the lowest level, and at each level that has a k.
fn check_regions(request: &SwapRequest<'_>, regions: &Regions) -> Result<()> {
    let lowest = regions.levels() - 1;
    for level in (0..=lowest).filter(|level| *level == lowest || request.k[*level] > 0) {
        let count = regions.count(level);
        if count < 2 {
            let number = if count == 0 { "no region" } else { "one region only" };
            let what =
                format!("there is {number} at level {} of the geography, so that nobody can leave it", level + 1);
            let help = if level < lowest {
                "leave this level out of the geography, or ask for no k there"
            } else {
                "swap between smaller regions"
            };
            return Err(Error::input(what).help(help).into());
        }
    }
    Ok(())
}
