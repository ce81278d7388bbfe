//! Places: from their age–sex table, or from their size alone.

use std::path::Path;

use outward_risk::birthdays::{
    AgeCurve, AgeSexTable, Known, LocalitySharing, OverlapReport, PlaceSize, Profile, ResolutionShare,
    coarsest_resolution, finest_resolution, largest_place, locality, locality_report, overlap, place_report,
    resolutions, smallest_place,
};
use outward_spec::Result;
use serde::Serialize;

use crate::cli::{CurveName, LocalityArgs, PlaceArgs};
use crate::commands::assess::data_name;
use crate::commands::show;
use crate::session::Session;

/// Groups up to this size are told apart.
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
}

pub(super) fn places(session: &Session, args: &LocalityArgs) -> Result<()> {
    let table = super::ages::read(session, args)?;
    let known = super::known(&args.known, args.sex.is_some())?;
    let answer = PlacesAnswer {
        source: data_name(&outward_spec::Source::file(&args.table)),
        sharing: locality(&table, &known, LARGEST_GROUP)?,
        resolutions: resolutions(&table, &known)?,
        overlap: args.overlap.map(|share| overlap(&table, share, &known)).transpose()?,
    };
    let report = locality_report(&answer.source, &answer.sharing, &answer.resolutions, answer.overlap.as_ref());
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
    /// The largest place in which at least the wanted share is unique.
    #[serde(skip_serializing_if = "Option::is_none")]
    largest_place: Option<PlaceSize>,
    /// The smallest place in which at most the wanted share is unique.
    #[serde(skip_serializing_if = "Option::is_none")]
    smallest_place: Option<PlaceSize>,
    /// In the place asked about, the most of a date of birth that leaves at most the wanted share unique.
    #[serde(skip_serializing_if = "Option::is_none")]
    finest: Option<ResolutionShare>,
    /// In the place asked about, the least of a date of birth that makes at least the wanted share unique.
    #[serde(skip_serializing_if = "Option::is_none")]
    coarsest: Option<ResolutionShare>,
}

pub(super) fn place(session: &Session, args: &PlaceArgs) -> Result<()> {
    let known = super::known(&args.known, true)?;
    let profile = Profile::generic(match args.curve {
        CurveName::Even => AgeCurve::Even,
        CurveName::Ageing => AgeCurve::Ageing,
    });
    let table: Option<AgeSexTable> = args.asked.people.map(|people| profile.place(people)).transpose()?;
    let of_table = |table: &AgeSexTable, known: &Known| locality(table, known, LARGEST_GROUP);
    let unique = args.asked.unique;
    let both = || table.as_ref().zip(unique);
    let answer = PlaceAnswer {
        sharing: table.as_ref().map(|table| of_table(table, &known)).transpose()?,
        resolutions: table.as_ref().map(|table| resolutions(table, &known)).transpose()?.unwrap_or_default(),
        overlap: table.as_ref().zip(args.overlap).map(|(table, share)| overlap(table, share, &known)).transpose()?,
        largest_place: unique.map(|unique| largest_place(&profile, unique, &known)).transpose()?.flatten(),
        smallest_place: unique.map(|unique| smallest_place(&profile, unique, &known)).transpose()?.flatten(),
        finest: both().map(|(table, unique)| finest_resolution(table, unique, &known)).transpose()?.flatten(),
        coarsest: both().map(|(table, unique)| coarsest_resolution(table, unique, &known)).transpose()?.flatten(),
    };
    let report = place_report(
        answer.sharing.as_ref(),
        &answer.resolutions,
        answer.overlap.as_ref(),
        unique.map(|unique| (unique, answer.largest_place, answer.smallest_place)),
        (answer.finest, answer.coarsest),
    );
    show(session, &answer, &report, None, &[])
}
