//! The result of linking as a document: match weights, thresholds, blocking rules, training, and how single pairs came to their weight.

use outward_report::format::{count, number};
use outward_report::{
    Axis, Bar, Bars, Bin, Block, Chart, Column, Columns, Figure, Lines, Plot, PlotPoint, Report, Section, Series,
    Table, Threshold, Tone, Value, Verdict,
};

use super::accuracy::Accuracy;
use super::estimate::Trained;
use super::model::Model;
use super::score::{Waterfall, weight_of, weight_of_level};
use super::scored::Scored;

/// What a report of linking is about.
#[derive(Debug)]
pub struct Linked<'a> {
    /// What was linked, in a few words.
    pub title: String,
    /// The model that scored the pairs.
    pub model: &'a Model,
    /// How it was trained, where it was.
    pub trained: Option<&'a Trained>,
    /// The pairs.
    pub scored: &'a Scored,
    /// The threshold that was asked for.
    pub threshold: f64,
    /// Pairs that were kept.
    pub pairs: u64,
    /// Clusters of two records or more.
    pub clusters: u64,
    /// How right the pairs that were kept are.
    pub accuracy: Option<Accuracy>,
    /// Pairs to explain.
    pub waterfalls: &'a [Waterfall],
}

/// Linking as a document. It names rows and never shows a value.
pub fn report(linked: &Linked<'_>) -> Report {
    let sections = [weights(linked), Some(thresholds(linked)), rules(linked), training(linked), waterfalls(linked)];
    Report {
        title: linked.title.clone(),
        subtitle: format!("threshold {} · {} comparisons", number(linked.threshold, 3), linked.model.comparisons.len()),
        verdict: verdict(linked),
        sections: sections.into_iter().flatten().collect(),
        footer: vec![
            format!("Made with Outward {}.", env!("CARGO_PKG_VERSION")),
            "Row numbers only: no value of a record is shown.".to_owned(),
        ],
    }
}

fn verdict(linked: &Linked<'_>) -> Verdict {
    let mut figures = vec![Figure::new(linked.pairs, "pairs"), Figure::new(linked.clusters, "clusters")];
    if let Some(accuracy) = linked.accuracy {
        let shares = [("precision", accuracy.precision), ("recall", accuracy.recall), ("F1", accuracy.f1)];
        figures.extend(shares.map(|(label, share)| Figure::new(share.map(Value::Share), label)));
    }
    let not_at_rest = linked.trained.is_some_and(|trained| trained.runs.iter().any(|run| !run.converged));
    Verdict {
        tone: if not_at_rest { Tone::Caution } else { Tone::Neutral },
        headline: format!(
            "{} pairs of records are one person with a probability of {} or more",
            count(linked.pairs),
            number(linked.threshold, 3)
        ),
        detail: if not_at_rest { "A run of EM did not converge: see Training.".to_owned() } else { String::new() },
        figures,
    }
}

/// Every level's weight, and how many pairs have which weight.
fn weights(linked: &Linked<'_>) -> Option<Section> {
    let mut section = Section::new("weights", "Match weights");
    section.intro =
        "A level adds log2(m/u) to the weight of a pair: 1 doubles the odds that the two are one person.".to_owned();
    let bars = linked.model.comparisons.iter().flat_map(|comparison| {
        comparison.levels.iter().filter(|level| !level.is_null).map(|level| Bar {
            label: format!("{}: {}", comparison.name, level.label),
            value: weight_of_level(level),
            highlight: false,
        })
    });
    let mut table = Table::new(
        "The parameters",
        [
            Column::left("Comparison"),
            Column::left("Level"),
            Column::right("m"),
            Column::right("u"),
            Column::right("Weight"),
        ],
    );
    for comparison in &linked.model.comparisons {
        for level in comparison.levels.iter().filter(|level| !level.is_null) {
            let figure =
                |value: Option<f64>, decimals| value.map_or(Value::Missing, |value| Value::Number(value, decimals));
            table.rows.push(vec![
                comparison.name.as_str().into(),
                level.label.as_str().into(),
                figure(level.m, 5),
                figure(level.u, 7),
                Value::Number(weight_of_level(level), 2),
            ]);
        }
    }
    let for_it: Vec<Bar> = bars.clone().filter(|bar| bar.value > 0.0).collect();
    let against: Vec<Bar> = bars.filter(|bar| bar.value < 0.0).map(|bar| Bar { value: -bar.value, ..bar }).collect();
    for (title, bars) in [("Levels that speak for one person", for_it), ("Levels that speak against it", against)] {
        if !bars.is_empty() {
            let plot = Bars {
                category: "Level".to_owned(),
                measure: Axis::numbers("bits of evidence", 1),
                bars,
                threshold: None,
            };
            section.blocks.push(chart(title, Plot::Bars(plot)));
        }
    }
    section.blocks.push(Block::Table(table));
    let bin = |(from, pairs, _): &(i32, u64, u64)| Bin {
        from: f64::from(*from),
        to: f64::from(*from + 1),
        value: *pairs as f64,
        highlight: f64::from(*from) >= weight_of(linked.threshold).floor(),
    };
    let columns = Columns {
        x: Axis::numbers("match weight", 0),
        y: Axis::counts("pairs"),
        bins: linked.scored.weights.iter().map(bin).collect(),
        threshold: Some(Threshold { value: weight_of(linked.threshold), label: "threshold".to_owned() }),
    };
    section.blocks.push(chart("Compared pairs by match weight", Plot::Columns(columns)));
    Some(section)
}

fn chart(title: &str, plot: Plot) -> Block {
    Block::Chart(Chart { title: title.to_owned(), note: String::new(), plot })
}

fn thresholds(linked: &Linked<'_>) -> Section {
    let mut section = Section::new("thresholds", "Other thresholds");
    section.intro = "How many pairs each threshold would keep.".to_owned();
    let mut table = Table::new(
        "Pairs by threshold",
        [Column::right("Probability"), Column::right("Weight"), Column::right("Pairs")],
    );
    let known = linked.scored.thresholds.iter().any(|line| line.accuracy.is_some());
    if known {
        table.columns.extend(["Precision", "Recall", "F1"].map(Column::right));
    }
    for line in &linked.scored.thresholds {
        let mut row = vec![Value::Number(line.probability, 4), Value::Number(line.weight, 2), Value::Count(line.pairs)];
        if let Some(accuracy) = line.accuracy {
            row.extend(
                [accuracy.precision, accuracy.recall, accuracy.f1].map(|share| Value::from(share.map(Value::Share))),
            );
        }
        table.rows.push(row);
    }
    section.blocks.push(Block::Table(table));
    if known {
        let series = |name: &str, figure: fn(&Accuracy) -> Option<f64>| Series {
            name: name.to_owned(),
            points: linked
                .scored
                .thresholds
                .iter()
                .filter_map(|line| Some(PlotPoint { x: line.weight, y: figure(&line.accuracy?)? }))
                .collect(),
        };
        let plot = Lines {
            x: Axis::numbers("match weight of the threshold", 0),
            y: Axis::shares("share"),
            series: vec![
                series("precision", |accuracy| accuracy.precision),
                series("recall", |accuracy| accuracy.recall),
                series("F1", |accuracy| accuracy.f1),
            ],
            marks: Vec::new(),
            threshold: None,
        };
        section.blocks.push(chart("How right the pairs are", Plot::Lines(plot)));
    }
    section
}

fn rules(linked: &Linked<'_>) -> Option<Section> {
    let mut section = Section::new("blocking", "Blocking rules");
    section.intro =
        "Only pairs that a rule makes are compared. A pair counts as added by the first rule that makes it.".to_owned();
    let mut table =
        Table::new("Pairs by rule", [Column::left("Rule"), Column::right("In its blocks"), Column::right("Added")]);
    for rule in &linked.scored.rules {
        table.rows.push(vec![rule.rule.as_str().into(), rule.comparisons.into(), rule.added.into()]);
    }
    section.blocks.push(Block::Table(table));
    Some(section)
}

fn training(linked: &Linked<'_>) -> Option<Section> {
    let trained = linked.trained?;
    let mut section = Section::new("training", "Training");
    let less = if trained.deterministic_pairs.is_some() { ", less the matches expected among them" } else { "" };
    section.intro = format!(
        "u comes from {} random pairs{less}. m is the median of the runs of EM. The probability that two random records are one person is {:.3e}.",
        count(trained.random_pairs),
        linked.model.prior
    );
    let headings = [
        Column::left("Run on"),
        Column::right("Pairs"),
        Column::right("Steps"),
        Column::right("Matches"),
        Column::right("Last change"),
        Column::left("Converged"),
    ];
    let mut table = Table::new("Runs of EM", headings);
    for run in &trained.runs {
        let last = run.history.last().map_or(0.0, |step| step.largest_change);
        table.rows.push(vec![
            run.rule.as_str().into(),
            run.pairs.into(),
            (run.history.len() as u64).into(),
            Value::Share(run.matches),
            Value::Number(last, 6),
            if run.converged { "yes" } else { "no" }.into(),
        ]);
    }
    section.blocks.push(Block::Table(table));
    if !trained.unobserved.is_empty() {
        let lines = trained.unobserved.clone();
        section
            .blocks
            .push(Block::Lines("Levels that no pair was seen at; they count as no evidence".to_owned(), lines));
    }
    Some(section)
}

fn waterfalls(linked: &Linked<'_>) -> Option<Section> {
    let mut section = Section::new("waterfall", "How pairs come to their weight");
    section.intro = "Each line adds to the weight. Records are named by their row.".to_owned();
    for waterfall in linked.waterfalls {
        let caption = format!(
            "Rows {} and {}: weight {}, probability {}",
            count(waterfall.left),
            count(waterfall.right),
            number(waterfall.weight, 2),
            number(waterfall.probability, 4)
        );
        let headings =
            [Column::left("Comparison"), Column::left("Level"), Column::right("Adds"), Column::right("Weight so far")];
        let mut table = Table::new(caption, headings);
        let mut sum = 0.0;
        for term in &waterfall.terms {
            sum += term.weight;
            table.rows.push(vec![
                term.name.as_str().into(),
                term.level.as_str().into(),
                Value::Number(term.weight, 2),
                Value::Number(sum, 2),
            ]);
        }
        section.blocks.push(Block::Table(table));
    }
    (!linked.waterfalls.is_empty()).then_some(section)
}
