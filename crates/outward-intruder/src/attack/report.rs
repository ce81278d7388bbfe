//! The score card as a report: the verdict, then claims, confidence, groups, what was learned, and what helped.

use outward_report::format::{count, counted, share as percent};
use outward_report::{
    Axis, Bar, Bars, Block, Chart, Column, Figure, Plot, Report, Section, Table, Tone, Value, Verdict,
};
use outward_spec::{AttackKind, Scenario};

use super::card::{AtConfidence, Contribution, ScoreCard, Summary};
use super::wilson::Interval;

/// The report of an attack. `by` is the person who authorised it.
#[must_use]
pub fn report(card: &ScoreCard, scenario: &Scenario, by: &str) -> Report {
    Report {
        title: format!("Intruder test: {}", card.scenario),
        subtitle: format!("{} · authorised by {by}", card.releases.join(" and ")),
        verdict: verdict(card),
        sections: [
            Some(scenario_of(card, scenario)),
            Some(claims(card)),
            Some(confidence(card)),
            (!card.contributions.is_empty()).then(|| helped(card)),
            (!card.attributes.is_empty()).then(|| attributes(card)),
            (!card.groups.is_empty()).then(|| groups(card)),
            card.verdict.as_ref().map(limits),
            (!card.remarks.is_empty()).then(|| remarks(card)),
        ]
        .into_iter()
        .flatten()
        .collect(),
        footer: vec![
            format!(
                "The attack began with seed {}. The same release, scenario and seed give the same claims.",
                card.seed
            ),
            "For the custodian. This report has counts and categories, and no value of a person.".to_owned(),
        ],
    }
}

fn verdict(card: &ScoreCard) -> Verdict {
    let (tone, headline) = match &card.verdict {
        Some(verdict) if verdict.met => (Tone::Good, verdict.summary.clone()),
        Some(verdict) => (Tone::Bad, verdict.summary.clone()),
        None => (Tone::Neutral, "The policy sets no limits for intruders".to_owned()),
    };
    let looked_for = format!("The intruder looked for {} and made", counted(card.looked_for, "person", "people"));
    let detail = match (card.claims, card.verifiable) {
        (0, _) => format!("{looked_for} no claim."),
        (claims, 0) => format!("{looked_for} {}. None of them can be checked.", counted(claims, "claim", "claims")),
        (claims, verifiable) => format!(
            "{looked_for} {}. {} of the {} that can be checked {} right. Claims that name a record at random would be right in {} of cases.",
            counted(claims, "claim", "claims"),
            count(card.correct),
            count(verifiable),
            if card.correct == 1 { "is" } else { "are" },
            percent(card.baseline)
        ),
    };
    let mut figures = vec![Figure::new(card.claims, "claims"), Figure::new(card.correct, "of them right")];
    if card.verifiable > 0 {
        figures.push(Figure::new(
            share(card.precision, card.verifiable),
            format!("precision ({})", range(card.precision)),
        ));
    }
    Verdict { tone, headline, detail, figures }
}

fn range(interval: Interval) -> String {
    format!("{} to {}", percent(interval.low), percent(interval.high))
}

fn share(interval: Interval, of: u64) -> Value {
    if of == 0 { Value::Missing } else { Value::Share(interval.value) }
}

fn scenario_of(card: &ScoreCard, scenario: &Scenario) -> Section {
    let knows = if card.response_knowledge { "knows that" } else { "does not know whether" };
    let mut text = scenario.description.as_ref().map(|told| format!("{told}\n\n")).unwrap_or_default();
    text += &format!(
        "The intruder's file has {} people, and the release has {} records. The intruder {knows} the people they look for are in the \
         release. They use {}.",
        count(card.people),
        count(card.records),
        names(&card.used)
    );
    if !card.unused.is_empty() {
        text += &format!(
            " They know {} too by the scenario, which was not used or is not in the release or in their file.",
            names(&card.unused)
        );
    }
    Section { blocks: vec![Block::Text(text)], ..Section::new("scenario", "The intruder") }
}

fn names(variables: &[String]) -> String {
    let named: Vec<String> = variables.iter().map(|name| format!("`{name}`")).collect();
    if named.is_empty() { "no variable".to_owned() } else { named.join(", ") }
}

fn claims(card: &ScoreCard) -> Section {
    let columns = [Column::left(""), Column::right("People or claims"), Column::left("95 % interval")];
    let mut table = Table::new("Claims and how often they are right", columns);
    let mut row = |what: &str, value: Value, interval: Option<Interval>| {
        table.rows.push(vec![what.into(), value, interval.map_or(Value::Missing, |of| range(of).as_str().into())]);
    };
    row("people looked for", Value::Count(card.looked_for), None);
    if card.targets < card.looked_for {
        row("people looked for who are in the data", Value::Count(card.targets), None);
    }
    if card.in_release < card.targets {
        row("people looked for who are in the release", Value::Count(card.in_release), None);
    }
    row("claims", Value::Count(card.claims), None);
    row("claims that can be checked", Value::Count(card.verifiable), None);
    row("right", Value::Count(card.correct), None);
    row("right, of the claims that can be checked", share(card.precision, card.verifiable), Some(card.precision));
    row("right, of the people who are in the release", Value::Share(card.recall.value), Some(card.recall));
    row("right by chance, if each claim names any record", Value::Share(card.baseline), None);
    row("right to be expected among the records that fit", Value::Number(card.expected, 1), None);
    let none = match card.attack {
        Some(AttackKind::Linkage) => "nothing claimed: no record is alike enough",
        _ => "nothing claimed: no record fits",
    };
    row(none, Value::Count(card.no_claim.no_record), None);
    row("nothing claimed: not sure enough", Value::Count(card.no_claim.too_unsure), None);
    if card.no_claim.too_many > 0 {
        row("nothing claimed: too many combinations fit", Value::Count(card.no_claim.too_many), None);
    }
    if let Some(control) = &card.control {
        let who = match control.held_out {
            true => "people looked for again, with their own record held out",
            false => "people who are not in the release, looked for as well",
        };
        row(who, Value::Count(control.people), None);
        row("claims about them, all false", Value::Count(control.claims), Some(control.false_positives));
    }
    let mut blocks = vec![Block::Table(table)];
    if let Some(otherwise) = &card.otherwise {
        blocks.push(Block::Table(summaries("The same intruder with the other response knowledge", &[otherwise])));
    }
    if !card.alone.is_empty() {
        let alone: Vec<&Summary> = card.alone.iter().collect();
        blocks.push(Block::Table(summaries("Each release attacked alone", &alone)));
    }
    Section { blocks, ..Section::new("claims", "Claims") }
}

fn summaries(caption: &str, all: &[&Summary]) -> Table {
    let columns = [
        Column::left(""),
        Column::right("People"),
        Column::right("Claims"),
        Column::right("Right"),
        Column::right("Precision"),
        Column::right("Mean confidence"),
    ];
    let mut table = Table::new(caption, columns);
    for of in all {
        table.rows.push(vec![
            of.name.as_str().into(),
            Value::Count(of.targets),
            Value::Count(of.claims),
            Value::Count(of.correct),
            share(of.precision, of.claims),
            Value::Share(of.mean_confidence),
        ]);
    }
    table
}

fn confidence(card: &ScoreCard) -> Section {
    let columns = [
        Column::left("Confidence"),
        Column::right("Claims"),
        Column::right("Right"),
        Column::right("Precision"),
        Column::left("95 % interval"),
    ];
    let mut at = Table::new("Claims made with at least some confidence", columns);
    for AtConfidence { confidence, claims, correct, precision, .. } in &card.at_confidence {
        let from = format!("{} or more", percent(*confidence));
        let interval = range(*precision);
        at.rows.push(vec![
            from.as_str().into(),
            Value::Count(*claims),
            Value::Count(*correct),
            share(*precision, *claims),
            interval.as_str().into(),
        ]);
    }
    let columns = [
        Column::left("Stated confidence"),
        Column::right("Claims"),
        Column::right("Stated on average"),
        Column::right("Right"),
    ];
    let mut bands = Table::new("Stated confidence and how often claims are right", columns);
    for band in card.calibration.iter().filter(|band| band.claims > 0) {
        let from = format!("{} to {}", percent(band.from), percent(band.to));
        bands.rows.push(vec![
            from.as_str().into(),
            Value::Count(band.claims),
            Value::Share(band.stated),
            Value::Share(band.right.value),
        ]);
    }
    let intro =
        "An intruder who is often right when sure is more dangerous than one who is often right by luck.".to_owned();
    Section { intro, blocks: vec![Block::Table(at), Block::Table(bands)], ..Section::new("confidence", "Confidence") }
}

fn helped(card: &ScoreCard) -> Section {
    let bar = |of: &Contribution| Bar { label: of.variable.clone(), value: of.shapley.max(0.0), highlight: false };
    let bars = Bars {
        category: "Variable".to_owned(),
        measure: Axis::numbers("people", 1),
        bars: card.contributions.iter().map(bar).collect(),
        threshold: None,
    };
    let chart = Chart {
        title: "People found through each variable".to_owned(),
        note: "The longest bar is the variable to coarsen or drop first.".to_owned(),
        plot: Plot::Bars(bars),
    };
    let columns = [Column::left("Variable"), Column::right("Lost without it"), Column::right("Found by it alone")];
    let mut table = Table::new("People found without a variable, and by it alone", columns);
    for of in &card.contributions {
        table.rows.push(vec![of.variable.as_str().into(), Value::Number(of.last, 1), Value::Number(of.alone, 1)]);
    }
    let intro = "The length of a bar is a Shapley value: what the variable adds to the expected number of correct claims, on average over all orders \
                 in which the intruder could learn the variables. To see what a change would do, attack again with `--without` or `--coarser`."
        .to_owned();
    let blocks = vec![Block::Chart(chart), Block::Table(table)];
    Section { intro, blocks, ..Section::new("helped", "What helped the intruder") }
}

fn attributes(card: &ScoreCard) -> Section {
    let columns = [
        Column::left("Variable"),
        Column::right("People"),
        Column::right("Right"),
        Column::right("By guessing"),
        Column::right("Gain"),
        Column::right("Without own record"),
    ];
    let mut table = Table::new("What the intruder would infer for variables they want to learn", columns);
    for of in &card.attributes {
        table.rows.push(vec![
            of.variable.as_str().into(),
            Value::Count(of.answered),
            share(of.share, of.answered),
            Value::Share(of.guess),
            Value::Number(of.gain * 100.0, 1),
            Value::Share(of.without_own_record),
        ]);
    }
    let intro = "The intruder infers the most frequent value among the records that agree exactly with what they know, whether or not they claim one of these. The gain, in percentage points, is over guessing the \
                 most frequent value of the file for everyone. The last column is what could be inferred about people who had not taken part."
        .to_owned();
    Section { intro, blocks: vec![Block::Table(table)], ..Section::new("learned", "What is learned") }
}

fn groups(card: &ScoreCard) -> Section {
    let columns = [
        Column::left("Variable"),
        Column::left("Category"),
        Column::right("People"),
        Column::right("Claims"),
        Column::right("Right"),
        Column::right("Found"),
        Column::left("95 % interval"),
    ];
    let mut table = Table::new("Results for people of each category", columns);
    for of in &card.groups {
        let interval = range(of.found);
        table.rows.push(vec![
            of.variable.as_str().into(),
            of.category.as_deref().unwrap_or("missing or not in the release").into(),
            Value::Count(of.targets),
            Value::Count(of.claims),
            Value::Count(of.correct),
            share(of.found, of.targets),
            interval.as_str().into(),
        ]);
    }
    Section { blocks: vec![Block::Table(table)], ..Section::new("groups", "Who is found") }
}

fn limits(verdict: &super::Verdict) -> Section {
    let columns = [Column::left("Limit"), Column::left("Outcome"), Column::left("Why")];
    let mut table = Table::new("The limits of the policy", columns);
    for limit in &verdict.limits {
        let outcome = if limit.met { "holds" } else { "does not hold" };
        table.rows.push(vec![limit.limit.as_str().into(), outcome.into(), limit.reason.as_str().into()]);
    }
    Section { blocks: vec![Block::Table(table)], ..Section::new("limits", "Limits") }
}

fn remarks(card: &ScoreCard) -> Section {
    Section { blocks: vec![Block::Text(card.remarks.join("\n\n"))], ..Section::new("remarks", "How it was measured") }
}
