//! The words and the shape of a small report, as a reader sees them.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use outward_report::{
    Axis, Bar, Bars, Bin, Block, Chart, Column, Columns, Figure, Finding, Lines, Mark, Plot, PlotPoint, Report,
    Scatter, ScatterPoint, Section, Series, Style, Table, Threshold, Tone, Value, Verdict, render_html, render_text,
};

fn small() -> Report {
    let finding = Finding {
        code: "OUT012".into(),
        tone: Tone::Bad,
        headline: "38 records are unique on the key".into(),
        detail: "The key is `age` and `area`.".into(),
        advice: "Recode `age` into bands.".into(),
    };
    let mut table = Table::new("Keys", [Column::left("Key"), Column::right("Unique"), Column::right("Share")]);
    table.rows.push(vec!["age × area".into(), 38u64.into(), Value::Share(0.0376)]);
    table.rows.push(vec!["area".into(), 0u64.into(), Value::Missing]);
    table.more = Some("and 2 more in the JSON output".into());
    let charts = [bars(), columns(), lines(), scatter()];
    let drawn = Section {
        intro: "One of each kind.".into(),
        blocks: charts.map(Block::Chart).into(),
        ..Section::new("charts", "Charts")
    };
    let found = Section {
        blocks: vec![Block::Findings(vec![finding]), Block::Table(table)],
        ..Section::new("findings", "What was found")
    };
    Report {
        title: "Small survey".into(),
        subtitle: "1,010 records".into(),
        verdict: Verdict {
            tone: Tone::Bad,
            headline: "Not ready for release".into(),
            detail: "Some people stand alone.".into(),
            figures: vec![Figure::new(38u64, "records alone"), Figure::new(Value::Share(0.0376), "of all records")],
        },
        sections: vec![found, drawn],
        footer: vec!["Seed 7.".into()],
    }
}

fn chart(title: &str, plot: Plot) -> Chart {
    Chart { title: title.into(), note: String::new(), plot }
}

fn bars() -> Chart {
    let bar = |(label, value, highlight): (&str, f64, bool)| Bar { label: label.into(), value, highlight };
    let bars = [("Age", 30.0, true), ("Area", 8.0, false), ("Sex", 0.0, false)].map(bar).into();
    let threshold = Some(Threshold { value: 10.0, label: "limit".into() });
    chart(
        "By variable",
        Plot::Bars(Bars { category: "Variable".into(), measure: Axis::counts("Unique"), bars, threshold }),
    )
}

fn columns() -> Chart {
    let bin = |(from, to, value): (f64, f64, f64)| Bin { from, to, value, highlight: from < 2.0 };
    let bins = [(1.0, 2.0, 38.0), (2.0, 3.0, 21.0), (3.0, f64::INFINITY, 60.0)].map(bin).into();
    let threshold = Some(Threshold { value: 3.0, label: "policy".into() });
    chart("By size", Plot::Columns(Columns { x: Axis::counts("Size"), y: Axis::counts("Cells"), bins, threshold }))
}

fn lines() -> Chart {
    let series = |name: &str, points: [(f64, f64); 3]| Series {
        name: name.into(),
        points: points.map(|(x, y)| PlotPoint { x, y }).into(),
    };
    let plot = Lines {
        x: Axis::counts("Population").log(),
        y: Axis::shares("Unique"),
        series: vec![
            series("All", [(100.0, 0.2), (1_000.0, 0.1), (10_000.0, 0.04)]),
            series("Old", [(100.0, 0.3), (1_000.0, f64::NAN), (10_000.0, 0.06)]),
        ],
        marks: vec![Mark { label: "chosen".into(), x: 1_000.0, y: 0.1 }],
        threshold: Some(Threshold { value: 0.05, label: "policy".into() }),
    };
    chart("By population", Plot::Lines(plot))
}

fn scatter() -> Chart {
    let point = |(label, x, y, frontier, chosen): (&str, f64, f64, bool, bool)| ScatterPoint {
        label: label.into(),
        x,
        y,
        frontier,
        chosen,
    };
    let points =
        [("as it is", 1.0, 0.04, true, false), ("bands", 0.8, 0.01, true, true), ("no age", 0.5, 0.02, false, false)];
    let plot = Scatter {
        x: Axis::shares("Information kept"),
        y: Axis::shares("Unique"),
        points: points.map(point).into(),
        threshold: None,
    };
    chart("Plans", Plot::Scatter(plot))
}

#[test]
fn a_small_report_as_text() {
    insta::assert_snapshot!(render_text(&small(), Style { colour: false, width: 72 }));
}

#[test]
fn a_small_report_as_html() {
    let html = render_html(&small());
    // The style sheet is a file of its own; the snapshot holds what changes with the model.
    let (head, rest) = html.split_once("<style>").unwrap();
    let (_, body) = rest.split_once("</style>").unwrap();
    insta::assert_snapshot!(format!("{head}<style></style>{body}"));
}
