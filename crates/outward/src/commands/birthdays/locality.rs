//! Places: from their age–sex table, or from their size alone.

use std::path::Path;

use outward_risk::birthdays::{
    AgeCurve, AgeSexTable, Inverse, KnownDetails, LocalitySharing, OverlapReport, Profile, ResolutionShare,
    coarsest_resolution, finest_resolution, largest_place, locality, locality_report, overlap, place_report,
    resolutions, smallest_place,
};
use outward_spec::Result;
use serde::Serialize;

use crate::cli::{CurveName, LocalityArgs, PlaceArgs};
use crate::commands::assess::data_name;
use crate::commands::show;
use crate::session::Session;

/// Groups up to this size are listed separately.
const LARGEST_GROUP: usize = 4;

#[derive(Serialize)]
struct PlacesAnswer {
    source: String,
    #[serde(flatten)]
    sharing: LocalitySharing,
    /// The share unique at each exactness of the date of birth.
    resolutions: Vec<ResolutionShare>,
    #[serde(skip_serializing_if = "Option::is_none")]
    overlap: Option<OverlapReport>,
    #[serde(skip_serializing_if = "Option::is_none")]
    inverse: Option<Inverse>,
}

pub(super) fn places(session: &Session, args: &LocalityArgs) -> Result<()> {
    let table = super::ages::read(session, args)?;
    let known = super::known(&args.known, args.sex.is_some())?;
    let answer = PlacesAnswer {
        source: data_name(&outward_spec::Source::file(&args.table)),
        sharing: locality(&table, &known, LARGEST_GROUP)?,
        resolutions: resolutions(&table, &known)?,
        overlap: args.overlap.map(|share| overlap(&table, share, &known)).transpose()?,
        inverse: args
            .unique
            .map(|wanted| inverse(wanted, &Profile::from_table(&table), Some(&table), &known))
            .transpose()?,
    };
    let report = locality_report(
        &answer.source,
        &answer.sharing,
        &answer.resolutions,
        answer.overlap.as_ref(),
        answer.inverse.as_ref(),
    );
    let inputs: [&Path; 1] = [&args.table];
    show(session, &answer, &report, args.report.as_deref(), &inputs)
}

#[derive(Serialize)]
struct PlaceAnswer {
    /// The place asked about.
    #[serde(flatten)]
    sharing: Option<LocalitySharing>,
    /// The share unique at each exactness of the date of birth.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    resolutions: Vec<ResolutionShare>,
    #[serde(skip_serializing_if = "Option::is_none")]
    overlap: Option<OverlapReport>,
    #[serde(flatten)]
    inverse: Option<Inverse>,
}

fn inverse(wanted: f64, profile: &Profile, table: Option<&AgeSexTable>, known: &KnownDetails) -> Result<Inverse> {
    Ok(Inverse {
        wanted,
        largest_place: largest_place(profile, wanted, known)?,
        smallest_place: smallest_place(profile, wanted, known)?,
        finest: table.map(|table| finest_resolution(table, wanted, known)).transpose()?.flatten(),
        coarsest: table.map(|table| coarsest_resolution(table, wanted, known)).transpose()?.flatten(),
    })
}

pub(super) fn place(session: &Session, args: &PlaceArgs) -> Result<()> {
    let known = super::known(&args.known, true)?;
    let profile = Profile::generic(match args.curve {
        CurveName::Even => AgeCurve::Even,
        CurveName::Ageing => AgeCurve::Ageing,
    });
    let table: Option<AgeSexTable> = args.asked.people.map(|people| profile.place(people)).transpose()?;
    let answer = PlaceAnswer {
        sharing: table.as_ref().map(|table| locality(table, &known, LARGEST_GROUP)).transpose()?,
        resolutions: table.as_ref().map(|table| resolutions(table, &known)).transpose()?.unwrap_or_default(),
        overlap: table.as_ref().zip(args.overlap).map(|(table, share)| overlap(table, share, &known)).transpose()?,
        inverse: args.asked.unique.map(|wanted| inverse(wanted, &profile, table.as_ref(), &known)).transpose()?,
    };
    let report =
        place_report(answer.sharing.as_ref(), &answer.resolutions, answer.overlap.as_ref(), answer.inverse.as_ref());
    show(session, &answer, &report, None, &[])
}
