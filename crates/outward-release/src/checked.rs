//! A verification as a report.

use outward_report::{Block, Column, Figure, Report, Section, Table, Tone, Verdict};

use crate::verify::{Check, INTRUDER_TEST, Outcome, Verification};

/// The report of a verification; `bundle` is the path that the user gave.
pub fn verification_report(bundle: &str, verification: &Verification) -> Report {
    let failing = verification.with(Outcome::Fails).count();
    let open = verification.with(Outcome::CannotTell).count();
    let all = verification.checks.len();
    let outcome = verification.outcome();
    let alone = verification.alone.filter(|_| outcome == Outcome::Holds);
    let (tone, headline) = match outcome {
        Outcome::Holds if alone.is_some() => (Tone::Caution, alone.map(|alone| alone.headline()).unwrap_or_default()),
        Outcome::Holds => (Tone::Good, "The bundle passes every check".to_owned()),
        Outcome::CannotTell => (Tone::Caution, "Some checks cannot be decided from the bundle".to_owned()),
        Outcome::Fails if failing == 1 => (Tone::Bad, "One check does not hold".to_owned()),
        Outcome::Fails => (Tone::Bad, format!("{failing} checks do not hold")),
    };
    let mut detail =
        "Everything was recomputed from the files of the bundle, by code that had no part in making it.".to_owned();
    detail += match outcome {
        Outcome::Fails if verification.with(Outcome::Fails).all(|check| check.name == INTRUDER_TEST) => {
            " It is the intruder test: the text of the check says what to do. Do not publish this bundle before it holds."
        }
        Outcome::Fails => {
            " Do not publish this bundle. Copy it again from where it was made, or make it again from its spec."
        }
        Outcome::CannotTell => " The text of an undecided check says what is missing.",
        Outcome::Holds => "",
    };
    if let Some(alone) = alone {
        detail = format!("The bundle passes every check. {} {detail}", alone.in_population());
    }
    let figures = vec![
        Figure::new((all - failing - open) as u64, "checks hold"),
        Figure::new(failing as u64, "do not hold"),
        Figure::new(open as u64, "undecided"),
    ];
    let sections = [
        ("failing", "What does not hold", Outcome::Fails),
        ("open", "What is undecided", Outcome::CannotTell),
        ("holding", "What holds", Outcome::Holds),
    ];
    let section = |(id, heading, outcome): (&str, &str, Outcome)| {
        let checks: Vec<&Check> = verification.with(outcome).collect();
        (!checks.is_empty())
            .then(|| Section { blocks: vec![Block::Table(table(heading, &checks))], ..Section::new(id, heading) })
    };
    Report {
        title: "Verification".to_owned(),
        subtitle: bundle.to_owned(),
        verdict: Verdict { tone, headline, detail, figures },
        sections: sections.into_iter().filter_map(section).collect(),
        footer: Vec::new(),
    }
}

fn table(caption: &str, checks: &[&Check]) -> Table {
    let mut table = Table::new(caption, [Column::left("Check"), Column::left("What was found"), Column::left("Where")]);
    for check in checks {
        let places: Vec<String> = check.places.iter().map(ToString::to_string).collect();
        table.rows.push(vec![check.name.as_str().into(), check.says.as_str().into(), places.join("; ").into()]);
    }
    table
}
