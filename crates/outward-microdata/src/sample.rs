//! Samples: simple, stratified and systematic, of records or of whole households.
//!
//! Every design has a fixed size. In a simple and in a systematic sample each unit has the same chance, size/units; in a
//! stratified one with proportional allocation nearly so. Cochran 1977, *Sampling Techniques*, chapters 2, 5 and 8.

mod allocation;

use outward_spec::{Error, Result};

use crate::random::Random;
use crate::swap::groups::RecordGroups;

/// How many units are drawn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum SampleSize {
    /// A share above 0 and up to 1. The number is rounded to the nearest, and at least 1.
    Fraction(f64),
    /// So many.
    Units(u64),
}

/// How units are drawn. Columns hold a code for each record; 0 is missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SampleDesign<'a> {
    /// Every set of the size is equally likely.
    Simple,
    /// A simple sample in each stratum, of a size in proportion to it. Records whose stratum is missing are one of their own.
    Stratified {
        /// The strata. Members of a household must agree.
        strata: &'a [u32],
        /// Whether strata too small for one unit get one all the same.
        at_least_one: bool,
    },
    /// Every so-manieth unit from a random start.
    Systematic {
        /// Units are first sorted by this code; in file order if absent, and within equal codes.
        sort_by: Option<&'a [u32]>,
    },
}

/// What is drawn from.
#[derive(Debug, Clone, Copy)]
pub struct SampleRequest<'a> {
    /// How many records there are.
    pub records: usize,
    /// Households, drawn as a whole; sizes and fractions then count households.
    pub household: Option<&'a [u32]>,
    /// How many.
    pub size: SampleSize,
    /// How.
    pub design: SampleDesign<'a>,
    /// The seed.
    pub seed: u64,
}

/// What was drawn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sample {
    /// The records, in ascending order.
    pub rows: Vec<u32>,
    /// How many units (households, or records where there are none) were drawn.
    pub drawn: u64,
    /// From how many.
    pub units: u64,
}

/// Draws a sample.
pub fn draw_sample(request: &SampleRequest<'_>) -> Result<Sample> {
    check_columns(request)?;
    let units = units(request)?;
    let size = size(request.size, units.count as u64, request.household.is_some())?;
    let mut random = Random::new(request.seed, "sample");
    let mut drawn = vec![false; units.count];
    match request.design {
        SampleDesign::Simple => draw_simple(0..units.count as u32, units.count as u64, size, &mut random, &mut drawn),
        SampleDesign::Stratified { strata, at_least_one } => {
            let strata = strata_of_units(strata, &units)?;
            let sizes = strata.sizes();
            let parts = allocation::allocate(&sizes, size, at_least_one, &mut random)?;
            for (stratum, members) in by_group(&strata).into_iter().enumerate() {
                draw_simple(members, sizes[stratum], parts[stratum], &mut random, &mut drawn);
            }
        }
        SampleDesign::Systematic { sort_by } => {
            draw_systematic(&in_order(sort_by, &units), size, &mut random, &mut drawn);
        }
    }
    let is_drawn = |row: &u32| drawn[units.of[*row as usize] as usize];
    let rows = (0..request.records as u32).filter(is_drawn).collect();
    Ok(Sample { rows, drawn: size, units: units.count as u64 })
}

fn check_columns(request: &SampleRequest<'_>) -> Result<()> {
    let column = match request.design {
        SampleDesign::Simple => None,
        SampleDesign::Stratified { strata, .. } => Some(strata),
        SampleDesign::Systematic { sort_by } => sort_by,
    };
    if [request.household, column].into_iter().flatten().any(|codes| codes.len() != request.records) {
        return Err(Error::bug("columns of a sample differ in length"));
    }
    if request.records >= u32::MAX as usize {
        return Err(Error::input(format!("a sample is drawn from fewer than {} records", u32::MAX))
            .help("draw from parts of the file")
            .into());
    }
    if let SampleDesign::Stratified { strata, .. } = request.design
        && strata.iter().all(|code| *code == 0)
    {
        return Err(Error::input("the variable that holds the strata is empty")
            .help("stratify by a variable that has values, or draw a simple sample")
            .into());
    }
    Ok(())
}

/// The unit of each record.
fn units(request: &SampleRequest<'_>) -> Result<RecordGroups> {
    let Some(codes) = request.household else {
        return Ok(RecordGroups { of: (0..request.records as u32).collect(), count: request.records });
    };
    match codes.iter().position(|code| *code == 0) {
        None => Ok(RecordGroups::of_columns(&[codes], request.records)),
        Some(row) => Err(Error::input("this record has no household, so that no household can be drawn with it")
            .row(row as u64 + 1)
            .help("give every record a household, or draw records instead")
            .into()),
    }
}

/// How many units are to be drawn of those there are.
fn size(size: SampleSize, units: u64, households: bool) -> Result<u64> {
    let kind = if households { "households" } else { "records" };
    if units == 0 {
        return Err(Error::input("there are no records to draw a sample from")
            .help("check that the file was read and that no earlier step left all records out")
            .into());
    }
    match size {
        SampleSize::Fraction(share) if share > 0.0 && share <= 1.0 => {
            Ok(((share * units as f64).round() as u64).clamp(1, units))
        }
        SampleSize::Fraction(share) => Err(Error::input(format!("the sampling fraction is {share}"))
            .help("give a number above 0 and up to 1, such as 0.01 for one in a hundred")
            .into()),
        SampleSize::Units(0) => Err(Error::input("a sample of size 0 was asked for").help("ask for 1 or more").into()),
        SampleSize::Units(size) if size > units => {
            let what = format!("a sample of {size} {kind} was asked for, but there are only {units}");
            Err(Error::input(what).help(format!("ask for {units} at most, or for a fraction")).into())
        }
        SampleSize::Units(size) => Ok(size),
    }
}

/// Marks `size` of `count` units, every set equally likely: each in turn with chance needed/left (Fan, Muller and Rezucha
/// 1962).
fn draw_simple(units: impl IntoIterator<Item = u32>, count: u64, size: u64, random: &mut Random, drawn: &mut [bool]) {
    let (mut needed, mut left) = (size, count);
    for unit in units {
        if needed == 0 {
            return;
        }
        if random.below(left) < needed {
            drawn[unit as usize] = true;
            needed -= 1;
        }
        left -= 1;
    }
}

/// Marks every N/n-th unit. With a start r below N, units ⌊(r + iN)/n⌋ are taken: the numbers r + iN meet every whole
/// number below nN once as r and i vary. So each unit has exactly n chances in N, whether or not n divides N.
fn draw_systematic(units: &[u32], size: u64, random: &mut Random, drawn: &mut [bool]) {
    let count = units.len() as u64;
    let start = random.below(count);
    for turn in 0..size {
        let place = (u128::from(start) + u128::from(turn) * u128::from(count)) / u128::from(size);
        drawn[units[place as usize] as usize] = true;
    }
}

/// The stratum of each unit.
fn strata_of_units(strata: &[u32], units: &RecordGroups) -> Result<RecordGroups> {
    let codes = first_of_units(strata, units);
    for (row, unit) in units.of.iter().enumerate() {
        if codes[*unit as usize] != strata[row] {
            return Err(Error::input("this record is in another stratum than the first of its household")
                .row(row as u64 + 1)
                .help("stratify by a variable on which members of a household agree, or draw records instead")
                .into());
        }
    }
    Ok(RecordGroups::of_columns(&[&codes], units.count))
}

/// The code of the first record of each unit.
fn first_of_units(codes: &[u32], units: &RecordGroups) -> Vec<u32> {
    let mut first = vec![None; units.count];
    for (unit, code) in units.of.iter().zip(codes) {
        first[*unit as usize].get_or_insert(*code);
    }
    first.into_iter().flatten().collect()
}

/// Units sorted by the code of their first record.
fn in_order(sort_by: Option<&[u32]>, units: &RecordGroups) -> Vec<u32> {
    let mut order: Vec<u32> = (0..units.count as u32).collect();
    if let Some(codes) = sort_by {
        let codes = first_of_units(codes, units);
        order.sort_by_key(|unit| codes[*unit as usize]);
    }
    order
}

/// The members of each group, in ascending order.
fn by_group(groups: &RecordGroups) -> Vec<Vec<u32>> {
    let mut members = vec![Vec::new(); groups.count];
    groups.of.iter().zip(0..).for_each(|(group, unit)| members[*group as usize].push(unit));
    members
}
