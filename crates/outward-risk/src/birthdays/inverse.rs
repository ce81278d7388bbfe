//! The inverse: how large a place, or how coarse a birth date, gives a wanted level of uniqueness.
//!
//! In a place of a given shape the expected share of unique people falls as the place grows. So a bisection finds the
//! last size that still has a share, and the first that no longer exceeds it. It also falls from day to year.

use outward_error::Result;
use schemars::JsonSchema;
use serde::Serialize;

use super::age_curve::Profile;
use super::age_sex::AgeSexTable;
use super::calendar::Resolution;
use super::check_share;
use super::locality::{KnownDetails, locality};

/// The largest place that is tried: more than all people on earth.
const MAX_PEOPLE: u64 = 10_000_000_000;

/// A size of a place and its share of unique people.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct PlaceSize {
    /// People in the place.
    pub people: u64,
    /// Expected share of them that is unique.
    pub unique: f64,
}

/// A resolution of the birth date and its share of unique people.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct ResolutionShare {
    /// How much of the date of birth is known.
    pub resolution: Resolution,
    /// Expected share of people that is unique.
    pub unique: f64,
}

/// The largest place in which at least this share of people is expected to be unique; `None` if all sizes have it.
pub fn largest_place(profile: &Profile, unique: f64, known: &KnownDetails) -> Result<Option<PlaceSize>> {
    check_share(unique, "the share of unique people")?;
    let Some(first) = first_size(profile, known, |share| share < unique)? else { return Ok(None) };
    // A place of one person is wholly unique, so the first size that fails is at least 2.
    let people = first.people.saturating_sub(1).max(1);
    Ok(Some(PlaceSize { people, unique: share_in(profile, people, known)? }))
}

/// The smallest place in which at most this share of people is expected to be unique; `None` if no size is enough.
pub fn smallest_place(profile: &Profile, unique: f64, known: &KnownDetails) -> Result<Option<PlaceSize>> {
    check_share(unique, "the share of unique people")?;
    first_size(profile, known, |share| share <= unique)
}

/// The first size of a place whose share of unique people is low enough.
fn first_size(profile: &Profile, known: &KnownDetails, low_enough: impl Fn(f64) -> bool) -> Result<Option<PlaceSize>> {
    let (mut too_small, mut enough) = (0, 1);
    while !low_enough(share_in(profile, enough, known)?) {
        if enough >= MAX_PEOPLE {
            return Ok(None);
        }
        (too_small, enough) = (enough, (enough * 2).min(MAX_PEOPLE));
    }
    while enough - too_small > 1 {
        let middle = too_small + (enough - too_small) / 2;
        match low_enough(share_in(profile, middle, known)?) {
            true => enough = middle,
            false => too_small = middle,
        }
    }
    Ok(Some(PlaceSize { people: enough, unique: share_in(profile, enough, known)? }))
}

fn share_in(profile: &Profile, people: u64, known: &KnownDetails) -> Result<f64> {
    Ok(locality(&profile.place(people)?, known, 1)?.overall.unique.min(1.0))
}

/// The expected share of unique people at each resolution of the birth date, finest first.
pub fn resolutions(table: &AgeSexTable, known: &KnownDetails) -> Result<Vec<ResolutionShare>> {
    let at = |resolution| {
        let sharing = locality(table, &known.at(resolution), 1)?;
        Ok(ResolutionShare { resolution, unique: sharing.overall.unique })
    };
    Resolution::ALL.into_iter().map(at).collect()
}

/// The finest birth date that leaves at most this share of people unique: the most that may be released.
pub fn finest_resolution(table: &AgeSexTable, unique: f64, known: &KnownDetails) -> Result<Option<ResolutionShare>> {
    check_share(unique, "the share of unique people")?;
    Ok(resolutions(table, known)?.into_iter().find(|at| at.unique <= unique))
}

/// The coarsest birth date that makes at least this share of people unique: the least that must be held to match them.
pub fn coarsest_resolution(table: &AgeSexTable, unique: f64, known: &KnownDetails) -> Result<Option<ResolutionShare>> {
    check_share(unique, "the share of unique people")?;
    Ok(resolutions(table, known)?.into_iter().rev().find(|at| at.unique >= unique))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::birthdays::AgeCurve;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        #[test]
        fn one_person_more_than_the_largest_place_is_too_many(share in 0.01_f64..0.999, even in any::<bool>()) {
            let profile = Profile::generic(if even { AgeCurve::Even } else { AgeCurve::Ageing });
            let known = KnownDetails::default();
            let largest = largest_place(&profile, share, &known).unwrap().unwrap();
            prop_assert!(largest.unique >= share);
            prop_assert!(share_in(&profile, largest.people + 1, &known).unwrap() < share);
            let smallest = smallest_place(&profile, share, &known).unwrap().unwrap();
            prop_assert!(smallest.unique <= share && smallest.people <= largest.people + 1);
            prop_assert!(share_in(&profile, smallest.people - 1, &known).unwrap() > share);
        }
    }

    #[test]
    fn every_place_of_one_is_wholly_unique() {
        let largest = largest_place(&Profile::generic(AgeCurve::Even), 1.0, &KnownDetails::default()).unwrap().unwrap();
        assert_eq!(largest.unique, 1.0);
        assert!(largest_place(&Profile::generic(AgeCurve::Even), 1.5, &KnownDetails::default()).is_err());
        assert!(smallest_place(&Profile::generic(AgeCurve::Even), 0.0, &KnownDetails::default()).is_err());
    }

    #[test]
    fn a_village_must_give_up_the_day_and_the_week() {
        let village = Profile::generic(AgeCurve::Even).place(4_000).unwrap();
        let finest = |share| finest_resolution(&village, share, &KnownDetails::default()).unwrap().unwrap().resolution;
        let coarsest =
            |share| coarsest_resolution(&village, share, &KnownDetails::default()).unwrap().map(|at| at.resolution);
        assert_eq!(
            (finest(0.96), finest(0.9), finest(0.2), finest(0.001)),
            (Resolution::Day, Resolution::Week, Resolution::Month, Resolution::Year)
        );
        assert_eq!(
            (coarsest(0.9), coarsest(0.5), coarsest(0.99)),
            (Some(Resolution::Day), Some(Resolution::Week), None)
        );
    }
}
