//! `outward birthdays`: how many people are unique on date of birth, sex and place.

mod ages;
mod laws;
mod locality;
pub(crate) mod matching;

use outward_risk::birthdays::{Calendar, KnownDetails, Resolution};
use outward_spec::Result;

use crate::cli::{BirthdaysCommand, BornTo, CalendarArgs, KnownArgs};
use crate::output::Outcome;
use crate::session::Session;

/// The day of the year when most children are born where the calendar has a season: mid-September.
const PEAK: u32 = 258;

pub(crate) fn run(session: &Session, command: &BirthdaysCommand) -> Result<Outcome> {
    match command {
        BirthdaysCommand::Unique(args) => laws::unique(session, args),
        BirthdaysCommand::Distribution(args) => laws::distribution(session, args),
        BirthdaysCommand::Table(args) => laws::table(session, args),
        BirthdaysCommand::Locality(args) => locality::places(session, args),
        BirthdaysCommand::Place(args) => locality::place(session, args),
        BirthdaysCommand::Match(args) => matching::run(session, args),
    }?;
    Ok(Outcome::Clean)
}

fn calendar(args: &CalendarArgs) -> Result<Calendar> {
    let mut calendar = match args.days {
        Some(days) => Calendar::even(days)?,
        None => Calendar::default(),
    };
    if args.leap {
        calendar = calendar.leap_days()?;
    }
    if let Some(swing) = args.season {
        calendar = calendar.seasonal(swing, PEAK)?;
    }
    Ok(calendar)
}

fn known(args: &KnownArgs, has_sex: bool) -> Result<KnownDetails> {
    Ok(KnownDetails {
        calendar: calendar(&args.calendar)?,
        resolution: resolution(args.born),
        sex_known: has_sex && !args.without_sex,
    })
}

fn resolution(born: BornTo) -> Resolution {
    match born {
        BornTo::Day => Resolution::Day,
        BornTo::Week => Resolution::Week,
        BornTo::Month => Resolution::Month,
        BornTo::Quarter => Resolution::Quarter,
        BornTo::Year => Resolution::Year,
    }
}
