//! Who is alone with a birthday: date of birth, sex and place as a key.
//!
//! After Gibbon and Aisbett, "Matching records on birthdate, sex and locality". There are three questions. *Among N
//! people, how many have a birthday that no other has?* [`sharing_probability`] answers for one person,
//! [`Distribution`] for the group and [`confidence_table`] turns it round. *In a place, given its ages and sexes?*
//! [`locality`], [`overlap`] and the inverse, [`largest_place`] and [`smallest_place`]. *Was the prediction right?*
//! [`compare`] and [`match_files`] compare it with dates of birth. `docs/methods/birthdays.md` has worked numbers.

mod age_curve;
mod age_sex;
mod band;
mod calendar;
mod confidence;
mod distribution;
mod exact;
mod inverse;
mod locality;
mod matching;
mod overlap;
mod prediction;
mod printed;
mod report;
mod sharing;
mod slots;

pub use age_curve::{AgeCurve, Profile};
pub use age_sex::{AgeSexRow, AgeSexTable};
pub use band::{Band, OpenBand};
pub use calendar::{BirthDate, Calendar, Resolution};
pub use confidence::{ConfidenceCell, ConfidencePoint, ConfidenceTable, confidence_curve, confidence_table};
pub use distribution::{CountRule, Distribution, Law, expected_unique, variance_of_unique};
pub use inverse::{
    PlaceSize, ResolutionShare, coarsest_resolution, finest_resolution, largest_place, resolutions, smallest_place,
};
pub use locality::{KnownDetails, LocalitySharing, PlaceSharing, locality, size_curve};
pub use matching::{MatchReport, PlaceMatch, match_files};
pub use overlap::{Overlap, OverlapReport, overlap};
pub use prediction::{DatedCell, PlacePrediction, Prediction, compare};
pub use report::{Inverse, confidence_report, locality_report, match_report, place_report};
pub use sharing::sharing_probability;

use outward_error::{Error, Result};

/// A share a caller may ask for.
fn check_share(share: f64, of_what: &str) -> Result<()> {
    match share > 0.0 && share <= 1.0 {
        true => Ok(()),
        false => Err(Error::input(format!("{of_what} must be more than 0 and at most 1"))
            .help("give a share such as 0.05 for 5 %")
            .into()),
    }
}
