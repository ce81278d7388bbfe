//! A sample assessment with every kind of block, invented from end to end, for looking at the design.
//!
//! `cargo run -p outward-report --example sample -- sample.html` writes the page and prints the text.

use std::io::Write;

use outward_report::{
    Axis, Bar, Bars, Bin, Block, Chart, Column, Columns, Figure, Finding, Lines, Mark, Plot, PlotPoint, Report,
    Scatter, ScatterPoint, Section, Series, Style, Table, Threshold, Tone, Value, Verdict, render_html, render_text,
};

fn main() -> std::io::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let report = sample();
    if let Some(path) = arguments.next() {
        std::fs::write(path, render_html(&report))?;
    }
    let width = arguments.next().and_then(|width| width.parse().ok()).unwrap_or(100);
    let colour = std::env::var_os("NO_COLOR").is_none();
    std::io::stdout().write_all(render_text(&report, Style { colour, width }).as_bytes())
}

fn sample() -> Report {
    Report {
        title: "Household survey, teaching file".into(),
        subtitle: "372,804 records, 18 variables, policy ons-open-microdata".into(),
        verdict: verdict(),
        sections: vec![findings(), cells(), variables(), sweep(), frontier()],
        footer: vec![
            "Made by `outward assess survey.toml` with seed 7. The same data and spec give the same report.".into(),
            "A record is unique when no other record has the same values of the key variables.".into(),
        ],
    }
}

fn verdict() -> Verdict {
    Verdict {
        tone: Tone::Bad,
        headline: "This file cannot be released as it stands".into(),
        detail: "One record in twenty-seven stands alone in its cell, and most of these come from single years of age \
                 crossed with occupation. Recoding `age` into bands and `occupation` into major groups would bring \
                 the file within the policy."
            .into(),
        figures: vec![
            Figure::new(14_021u64, "records alone in their cell"),
            Figure::new(Value::Share(0.0376), "of all records"),
            Figure::new(2_118u64, "expected to be alone in the population too"),
            Figure::new(Value::Number(4.7, 1), "records in the average cell"),
        ],
    }
}

fn findings() -> Section {
    let finding = |code: &str, tone, headline: &str, detail: &str, advice: &str| Finding {
        code: code.into(),
        tone,
        headline: headline.into(),
        detail: detail.into(),
        advice: advice.into(),
    };
    let findings = vec![
        finding(
            "OUT031",
            Tone::Good,
            "No direct identifier is left in the file",
            "Names, addresses and reference numbers were looked for in all 18 variables.",
            "",
        ),
        finding(
            "OUT012",
            Tone::Bad,
            "14,021 records are unique on the key",
            "The policy allows none. The key is `region`, `age`, `sex`, `occupation` and `ethnic_group`.",
            "Recode `age` into five-year bands and `occupation` into nine major groups, then assess again.",
        ),
        finding(
            "OUT020",
            Tone::Caution,
            "A few households can be rebuilt from their members",
            "In 312 households the ages of all members together occur only once.",
            "Release persons without their household number, or swap these households between neighbouring areas.",
        ),
    ];
    let intro = "The most serious first. `outward explain CODE` says more about each.";
    Section {
        intro: intro.into(),
        blocks: vec![Block::Findings(findings)],
        ..Section::new("findings", "What was found")
    }
}

fn cells() -> Section {
    let sizes = [14_021.0, 9_310.0, 6_904.0, 5_377.0, 4_420.0, 3_702.0, 3_145.0, 2_760.0, 2_401.0, 11_930.0];
    let bins = sizes.iter().enumerate().map(|(i, cells)| {
        let from = i as f64 + 1.0;
        Bin { from, to: if i == 9 { f64::INFINITY } else { from + 1.0 }, value: *cells, highlight: i < 2 }
    });
    let histogram = Chart {
        title: "Cells by the number of records in them".into(),
        note: "Cells left of the line hold fewer records than the policy asks for.".into(),
        plot: Plot::Columns(Columns {
            x: Axis::counts("Records in the cell"),
            y: Axis::counts("Cells"),
            bins: bins.collect(),
            threshold: Some(Threshold { value: 3.0, label: "policy: 3 or more".into() }),
        }),
    };
    let mut table = Table::new(
        "Combinations of variables with the most unique records",
        [Column::left("Variables"), Column::right("Cells"), Column::right("Unique records"), Column::right("Share")],
    );
    for (name, cells, unique, share) in [
        ("region × age × sex × occupation × ethnic group", 64_040, 14_021, 0.0376),
        ("age × occupation × ethnic group", 21_870, 6_230, 0.0167),
        ("region × age × occupation", 30_112, 4_411, 0.0118),
        ("region × occupation × ethnic group", 9_804, 903, 0.0024),
        ("region × sex", 22, 0, 0.0),
    ] {
        table.rows.push(vec![name.into(), Value::Count(cells), Value::Count(unique), Value::Share(share)]);
    }
    table.more = Some("and 26 more combinations in the JSON output".into());
    Section {
        intro: "A cell is one combination of values of the key variables that occurs in the file.".into(),
        blocks: vec![Block::Chart(histogram), Block::Table(table)],
        ..Section::new("cells", "How small the cells are")
    }
}

fn variables() -> Section {
    let shares = [
        ("Occupation, four digits", 0.71, true),
        ("Age in single years", 0.58, true),
        ("Ethnic group", 0.33, false),
        ("Region", 0.12, false),
        ("Number of rooms in the dwelling, with the kitchen counted", 0.04, false),
        ("Sex", 0.000_4, false),
    ];
    let bar = |(label, value, highlight): (&str, f64, bool)| Bar { label: label.into(), value, highlight };
    let chart = Chart {
        title: "Share of unique records that need the variable to be unique".into(),
        note: "Recoding the two marked variables helps most.".into(),
        plot: Plot::Bars(Bars {
            category: "Variable".into(),
            measure: Axis::shares("Share of unique records"),
            bars: shares.map(bar).into(),
            threshold: Some(Threshold { value: 0.5, label: "half of them".into() }),
        }),
    };
    Section { blocks: vec![Block::Chart(chart)], ..Section::new("variables", "Which variables make the risk") }
}

fn sweep() -> Section {
    let series = |name: &str, start: f64, power: f64| Series {
        name: name.into(),
        points: (0..13)
            .map(|i| {
                let x = 100.0 * 2f64.powi(i);
                PlotPoint { x, y: start * (x / 100.0).powf(-power) }
            })
            .collect(),
    };
    let chart = Chart {
        title: "Unique records as areas are pooled".into(),
        note: "Areas are joined with their neighbours until each has the population on the horizontal axis.".into(),
        plot: Plot::Lines(Lines {
            x: Axis::counts("Least population of an area").log(),
            y: Axis::shares("Unique records"),
            series: vec![
                series("All records", 0.28, 0.35),
                series("Born abroad", 0.41, 0.25),
                series("Aged 75 and over", 0.36, 0.42),
            ],
            marks: vec![Mark { label: "chosen".into(), x: 12_800.0, y: 0.0513 }],
            threshold: Some(Threshold { value: 0.05, label: "5 %".into() }),
        }),
    };
    Section { blocks: vec![Block::Chart(chart)], ..Section::new("pooling", "What larger areas would do") }
}

fn frontier() -> Section {
    let plans = [
        ("as it is", 1.0, 0.0376, true, false),
        ("age in bands", 0.91, 0.0121, true, false),
        ("major groups", 0.84, 0.0096, true, false),
        ("both", 0.78, 0.0021, true, true),
        ("both, regions joined", 0.61, 0.0004, true, false),
        ("no occupation", 0.66, 0.0118, false, false),
        ("no age", 0.52, 0.0151, false, false),
        ("regions joined", 0.80, 0.0204, false, false),
    ];
    let point = |(label, x, y, frontier, chosen): (&str, f64, f64, bool, bool)| ScatterPoint {
        label: label.into(),
        x,
        y,
        frontier,
        chosen,
    };
    let chart = Chart {
        title: "Risk and utility of eight plans".into(),
        note: "Further right keeps more of the information, further down leaves fewer records unique.".into(),
        plot: Plot::Scatter(Scatter {
            x: Axis::shares("Information kept"),
            y: Axis::shares("Unique records"),
            points: plans.map(point).into(),
            threshold: Some(Threshold { value: 0.005, label: "most the policy allows".into() }),
        }),
    };
    Section { blocks: vec![Block::Chart(chart)], ..Section::new("plans", "What could be done") }
}
