//! The candidates of a plan as a report.

use outward_report::format::{number, share};
use outward_report::{
    Axis, Block, Chart, Column, Figure, Plot, Report, Scatter, ScatterPoint, Section, Table, Tone, Value, Verdict,
};
use outward_spec::Rules;

use super::candidates::{Frontier, PlanCandidate};

/// The report of a search for a plan; `source` is what the user calls the data.
pub fn report(source: &str, rules: &Rules, found: &Frontier) -> Report {
    let tier = rules.tier.as_ref().map(|tier| format!(", {tier}")).unwrap_or_default();
    let sections = [
        (!found.frontier.is_empty()).then(|| candidates(found)),
        found.best.as_ref().map(|best| levels(found, best)),
        found.best.as_ref().map(|_| meanings(found)),
        (found.frontier.iter().any(|candidate| !candidate.tables.is_empty())).then(|| tables(found)),
    ];
    Report {
        title: format!("Plan for {source}"),
        subtitle: format!("Policy {} {}{tier}", rules.policy, rules.version),
        verdict: verdict(found),
        sections: sections.into_iter().flatten().collect(),
        footer: vec![
            "Level 0 is the unchanged value. The last level of a hierarchy has one label for all values.".to_owned(),
        ],
    }
}

fn verdict(found: &Frontier) -> Verdict {
    let mut sentence = found.why.clone();
    if let Some(first) = sentence.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    let detail = format!("{sentence}.");
    match &found.best {
        None => Verdict {
            tone: Tone::Bad,
            headline: "No recoding meets the policy".to_owned(),
            detail,
            figures: vec![Figure::new(found.looked_at, "recodings tried")],
        },
        Some(best) => Verdict {
            tone: if found.finished { Tone::Good } else { Tone::Caution },
            headline: format!("The best recoding has a loss of {}", number(best.loss, 4)),
            detail,
            figures: vec![
                Figure::new(Value::Number(best.loss, 4), "loss"),
                Figure::new(best.suppressed_records, "records left out"),
                Figure::new(Value::Share(best.average_risk), "mean risk of a record"),
            ],
        },
    }
}

fn candidates(found: &Frontier) -> Section {
    let columns = [
        Column::right("No."),
        Column::right("k"),
        Column::left("Kind"),
        Column::right("Loss"),
        Column::right("Records left out"),
        Column::right("Values left out"),
        Column::right("Classes"),
        Column::right("Mean risk"),
        Column::right("Highest risk"),
        Column::left("Policy"),
    ];
    let mut table = Table::new("Candidates, the riskiest first", columns);
    for candidate in &found.frontier {
        table.rows.push(vec![
            (candidate.number as u64).into(),
            candidate.k.into(),
            kind(candidate).into(),
            Value::Number(candidate.loss, 4),
            candidate.suppressed_records.into(),
            candidate.suppressed_cells.into(),
            candidate.classes.into(),
            Value::Share(candidate.average_risk),
            Value::Share(candidate.highest_risk),
            if candidate.meets_policy { "met" } else { "not met" }.into(),
        ]);
    }
    let chosen = found.best.as_ref().map(|best| best.number);
    let points = found.frontier.iter().map(|candidate| ScatterPoint {
        label: format!("{}: k = {}{}", candidate.number, candidate.k, if candidate.local { ", local" } else { "" }),
        x: candidate.average_risk,
        y: candidate.loss,
        frontier: candidate.on_curve,
        chosen: chosen == Some(candidate.number),
    });
    let scatter = Scatter {
        x: Axis::shares("mean risk of a record"),
        y: Axis::numbers("loss", 3),
        points: points.collect(),
        threshold: None,
    };
    let chart = Chart {
        title: "Risk and loss".to_owned(),
        note: "Each point is a possible release. No other release beats a point on the line in both risk and loss."
            .to_owned(),
        plot: Plot::Scatter(scatter),
    };
    let intro = "These are the best recodings for the policy and for other values of k. Choose one with `--choose` and write its \
                 spec with `--out`.";
    Section {
        intro: intro.to_owned(),
        blocks: vec![Block::Table(table), Block::Chart(chart)],
        ..Section::new("candidates", "Candidates")
    }
}

fn kind(candidate: &PlanCandidate) -> String {
    match (candidate.local, candidate.keeps.as_slice()) {
        (true, _) => "some records further than others".to_owned(),
        (false, _) if candidate.suppressed_cells > 0 => "all alike, values left out".to_owned(),
        (false, []) => "all records alike".to_owned(),
        (false, keys) => format!("all alike, keeps {}", keys.join(", ")),
    }
}

/// What the levels mean that candidates have.
fn meanings(found: &Frontier) -> Section {
    let columns =
        [Column::left("Key"), Column::right("Level"), Column::right("Labels"), Column::left("What is published")];
    let mut table = Table::new("What the levels mean", columns);
    for (key, levels) in &found.meanings {
        for (number, level) in levels {
            table.rows.push(vec![
                key.as_str().into(),
                (*number as u64).into(),
                (level.labels as u64).into(),
                level.words().into(),
            ]);
        }
    }
    Section { blocks: vec![Block::Table(table)], ..Section::new("meanings", "What the levels mean") }
}

fn levels(found: &Frontier, best: &PlanCandidate) -> Section {
    let mut columns = vec![Column::left("Key")];
    columns.extend(found.frontier.iter().map(|candidate| Column::right(format!("No. {}", candidate.number))));
    columns.push(Column::right("Loss of the best"));
    let mut table = Table::new("Level of each key", columns);
    for key in best.levels.keys() {
        let mut row: Vec<Value> = vec![key.as_str().into()];
        row.extend(
            found.frontier.iter().map(|candidate| Value::from(candidate.levels.get(key).map(|level| *level as u64))),
        );
        row.push(best.key_losses.get(key).map_or(Value::Missing, |loss| Value::Number(*loss, 4)));
        table.rows.push(row);
    }
    let mut blocks = vec![Block::Table(table)];
    if !best.lost_variance.is_empty() {
        let lost = best.lost_variance.iter().map(|(key, lost)| format!("`{key}` {}", share(*lost)));
        let change =
            best.correlation_change.map(|change| format!(" Correlations change by {} at most.", number(change, 3)));
        blocks.push(Block::Text(format!(
            "Share of the variance lost in the best candidate: {}.{}",
            lost.collect::<Vec<_>>().join(", "),
            change.unwrap_or_default()
        )));
    }
    Section { blocks, ..Section::new("levels", "Levels") }
}

fn tables(found: &Frontier) -> Section {
    let columns = [
        Column::left("Table"),
        Column::right("No."),
        Column::right("Records in the wrong cell"),
        Column::right("Allowed"),
    ];
    let mut table = Table::new("Tables that must stay true", columns);
    for candidate in &found.frontier {
        for truth in &candidate.tables {
            table.rows.push(vec![
                truth.variables.join(" by ").into(),
                (candidate.number as u64).into(),
                Value::Share(truth.error),
                Value::Share(truth.most_error),
            ]);
        }
    }
    let intro = "The error is that of a reader who spreads each published label evenly over its values. Records \
                 that are left out are missing from every table.";
    Section { intro: intro.to_owned(), blocks: vec![Block::Table(table)], ..Section::new("tables", "Tables") }
}
