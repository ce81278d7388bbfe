//! The laws of birthdays in one group.

use outward_report::format::{count, number, share};
use outward_risk::birthdays::{
    CountRule, Distribution, Law, confidence_curve, confidence_report, confidence_table, sharing_probability,
};
use outward_spec::Result;
use serde::Serialize;

use crate::cli::{DistributionArgs, LawName, OutputFormat, TableArgs, UniqueArgs};
use crate::commands::show;
use crate::output::{print, print_json};
use crate::session::Session;

/// Levels of the quantiles that are shown.
const QUANTILES: [f64; 5] = [0.05, 0.25, 0.5, 0.75, 0.95];

#[derive(Serialize)]
struct UniqueAnswer {
    people: u64,
    sharing: u64,
    probability: f64,
}

pub(super) fn unique(session: &Session, args: &UniqueArgs) -> Result<()> {
    let probability = sharing_probability(args.people, args.sharing, &super::calendar(&args.calendar)?)?;
    let answer = UniqueAnswer { people: args.people, sharing: args.sharing, probability };
    match session.format {
        OutputFormat::Json => print_json(&answer),
        OutputFormat::Text => {
            let others = match args.sharing {
                1 => "has a birthday that nobody else has".to_owned(),
                2 => "shares a birthday with exactly one other".to_owned(),
                q => format!("shares a birthday with exactly {} others", count(q - 1)),
            };
            print(&format!(
                "Among {} people, a person {others} with a chance of {}.\n",
                count(args.people),
                share(probability)
            ))
        }
    }
}

#[derive(Serialize)]
struct DistributionAnswer {
    people: u64,
    days: u32,
    law: Law,
    /// The share asked for, and the number of people it is.
    at_least: f64,
    at_least_people: u64,
    probability: f64,
    /// Expected number of people with a unique birthday.
    mean: f64,
    standard_deviation: f64,
    quantiles: Vec<(f64, u64)>,
    /// The largest error of the probability.
    error: f64,
    probabilities: Vec<f64>,
}

pub(super) fn distribution(session: &Session, args: &DistributionArgs) -> Result<()> {
    let law = match args.law {
        LawName::Exact => Law::Exact,
        LawName::Printed => Law::Printed,
    };
    let found = Distribution::from_law(law, args.people, args.days)?;
    let answer = DistributionAnswer {
        people: args.people,
        days: args.days,
        law,
        at_least: args.at_least,
        at_least_people: CountRule::Up.count(args.at_least, args.people),
        probability: found.at_least(args.at_least, CountRule::Up)?,
        mean: found.mean(),
        standard_deviation: found.variance().sqrt(),
        quantiles: QUANTILES.iter().map(|level| Ok((*level, found.quantile(*level)?))).collect::<Result<_>>()?,
        error: found.dropped + found.rounding,
        probabilities: found.probabilities,
    };
    match session.format {
        OutputFormat::Json => print_json(&answer),
        OutputFormat::Text => {
            let law = match law {
                Law::Exact => "the true law",
                Law::Printed => "the law as the paper prints it",
            };
            let quantiles: Vec<String> =
                answer.quantiles.iter().map(|(level, n)| format!("{} in {}", count(*n), share(*level))).collect();
            print(&format!(
                "Of {} people, by {law}:\n  at least {} ({}) have a birthday of their own with a chance of {}\n  {} on average, \
                 give or take {}\n  at most so many in so many groups: {}\n",
                count(answer.people),
                count(answer.at_least_people),
                share(answer.at_least),
                share(answer.probability),
                number(answer.mean, 2),
                number(answer.standard_deviation, 2),
                quantiles.join(", ")
            ))
        }
    }
}

pub(super) fn table(session: &Session, args: &TableArgs) -> Result<()> {
    let table = |law| confidence_table(&args.shares, &args.confidences, 365, law, CountRule::Up);
    let (printed, exact) = (table(Law::Printed)?, table(Law::Exact)?);
    let most = printed.cells.iter().chain(&exact.cells).map(|cell| cell.largest).max().unwrap_or(1).clamp(50, 3000);
    let curve = |law| -> Result<Vec<_>> {
        args.shares
            .iter()
            .map(|share| Ok((*share, confidence_curve(*share, most + most / 10, 365, law, CountRule::Up)?)))
            .collect()
    };
    let report = confidence_report(&printed, &exact, &curve(Law::Printed)?, &curve(Law::Exact)?);
    show(session, &[&printed, &exact], &report, args.report.as_deref(), &[])
}
