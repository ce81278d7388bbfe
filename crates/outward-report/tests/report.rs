//! What a reader can rely on in every rendered report.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::BTreeSet;

use outward_report::{
    Axis, Bar, Bars, Bin, Block, Chart, Column, Columns, Figure, Finding, Lines, Mark, Plot, PlotPoint, Report,
    Scatter, ScatterPoint, Section, Series, Style, Table, Threshold, Tone, Value, Verdict, render_html, render_text,
};

/// A report with every kind of block in which every text is `word` and the charts hold `values`.
fn filled(word: &str, values: &[f64]) -> Report {
    let text = || word.to_owned();
    let threshold = || values.first().map(|v| Threshold { value: *v, label: text() });
    let bars = Bars {
        category: text(),
        measure: Axis::shares(word),
        bars: values.iter().map(|v| Bar { label: text(), value: *v, highlight: *v > 0.5 }).collect(),
        threshold: threshold(),
    };
    let bin = |(i, v): (usize, &f64)| Bin { from: i as f64, to: i as f64 + 1.0, value: *v, highlight: false };
    let columns = Columns {
        x: Axis::counts(word),
        y: Axis::counts(word),
        bins: values.iter().enumerate().map(bin).collect(),
        threshold: threshold(),
    };
    let points = || values.iter().enumerate().map(|(i, v)| PlotPoint { x: i as f64, y: *v }).collect();
    let lines = Lines {
        x: Axis::counts(word).log(),
        y: Axis::numbers(word, 2),
        series: vec![Series { name: text(), points: points() }, Series { name: text(), points: points() }],
        marks: values.iter().map(|v| Mark { label: text(), x: *v, y: *v }).collect(),
        threshold: threshold(),
    };
    let point = |v: &f64| ScatterPoint { label: text(), x: *v, y: -*v, frontier: *v > 0.2, chosen: *v > 0.5 };
    let scatter = Scatter {
        x: Axis::numbers(word, 1),
        y: Axis::shares(word),
        points: values.iter().map(point).collect(),
        threshold: threshold(),
    };
    let chart = |plot| Block::Chart(Chart { title: text(), note: text(), plot });
    let rows = values.iter().map(|v| vec![Value::Text(text()), Value::Number(*v, 2), Value::Share(*v)]).collect();
    let columns_of_table = vec![Column::left(word), Column::right(word)];
    let table = Table { caption: text(), columns: columns_of_table, rows, more: Some(text()) };
    let finding = Finding { code: text(), tone: Tone::Bad, headline: text(), detail: text(), advice: text() };
    let blocks = vec![
        Block::Text(text()),
        Block::Table(table),
        chart(Plot::Bars(bars)),
        chart(Plot::Columns(columns)),
        chart(Plot::Lines(lines)),
        chart(Plot::Scatter(scatter)),
        Block::Findings(vec![finding]),
    ];
    let section = Section { id: text(), heading: text(), intro: text(), blocks };
    Report {
        title: text(),
        subtitle: text(),
        verdict: Verdict {
            tone: Tone::Bad,
            headline: text(),
            detail: text(),
            figures: vec![Figure::new(word, word), Figure::new(7u64, word)],
        },
        sections: vec![section.clone(), section],
        footer: vec![text()],
    }
}

const AWKWARD: [&[f64]; 9] = [
    &[],
    &[0.0],
    &[0.0, 0.0, 0.0],
    &[1.0],
    &[-0.000_01, 0.3, 0.9],
    &[f64::NAN, f64::INFINITY, f64::NEG_INFINITY],
    &[f64::NAN, 0.4],
    &[f64::MAX, f64::MIN, 1e300, -1e300, 5e-324],
    &[1e15, 1e15 + 0.125],
];

/// The tags of a page, as they are: what is between `<` and `>`.
fn tags(html: &str) -> Vec<&str> {
    html.split('<').skip(1).map(|rest| rest.split('>').next().unwrap()).collect()
}

#[test]
fn nothing_in_the_data_becomes_markup() {
    let attack = "</title></style><script>alert(1)</script>\"><img src=x onerror='alert(1)'>&`<b onclick=\"x\">`";
    let hostile = render_html(&filled(attack, &[0.1, 0.7]));
    let peaceful = render_html(&filled("word `name`", &[0.1, 0.7]));
    // A tag without what stands between quotes: the element and the names of its attributes.
    let skeletons =
        |html: &str| -> BTreeSet<String> { tags(html).iter().map(|tag| tag.split('"').step_by(2).collect()).collect() };
    assert_eq!(skeletons(&hostile), skeletons(&peaceful));
    for bad in ["<script", "<img", "<b ", "onclick=\"", "onerror='"] {
        assert!(!hostile.contains(bad), "{bad}");
    }
}

#[test]
fn nothing_in_the_data_commands_the_terminal() {
    let attack = "\u{1b}[2J\u{7}\u{9b}31m\r\u{202e}name";
    let text = render_text(&filled(attack, &[0.1, 0.7]), Style::default());
    assert!(text.chars().all(|c| c == '\n' || !c.is_control()));
    assert!(!text.contains('\u{202e}'));
}

#[test]
fn a_page_fetches_nothing_and_runs_nothing() {
    let html = render_html(&filled("word", &[0.1, 0.7]));
    for remote in ["http:", "https:", "//", "url(", "@import", "<script", "<link", "<img", "src=", "javascript"] {
        assert!(!html.contains(remote), "{remote}");
    }
    assert!(html.contains("Content-Security-Policy\" content=\"default-src 'none'"));
}

#[test]
fn no_value_is_too_awkward_to_draw_or_to_tell() {
    for values in AWKWARD {
        let report = filled("word", values);
        let html = render_html(&report);
        for tag in tags(&html) {
            assert!(!tag.contains("NaN") && !tag.contains("inf") && !tag.contains("\"-0\""), "{values:?}: {tag}");
        }
        assert!(!render_text(&report, Style::default()).contains("NaN"));
    }
}

#[test]
fn what_is_drawn_stays_within_the_drawing() {
    for values in AWKWARD {
        let html = render_html(&filled("word", values));
        for tag in tags(&html).iter().filter(|tag| tag.starts_with("rect") || tag.starts_with("circle")) {
            for name in ["x", "y", "cx", "cy", "width", "height"] {
                let Some(rest) = tag.split(&format!(" {name}=\"")).nth(1) else { continue };
                let number: f64 = rest.split('"').next().unwrap().parse().unwrap();
                assert!((0.0..=1000.0).contains(&number), "{values:?}: {tag}");
            }
        }
    }
}

#[test]
fn values_that_cannot_be_drawn_are_named_with_the_numbers() {
    let report = filled("word", &[f64::NAN, 0.4]);
    assert!(render_html(&report).contains("1 value is not drawn"));
    assert!(render_text(&report, Style::default()).contains("1 value is not drawn"));
}

#[test]
fn an_empty_report_says_so_instead_of_showing_empty_frames() {
    let report = filled("word", &[]);
    let (html, text) = (render_html(&report), render_text(&report, Style::default()));
    for output in [&html, &text] {
        assert!(output.contains("There is nothing to list."));
        assert!(output.contains("There is nothing to draw."));
    }
    assert!(render_html(&Report::default()).ends_with("</html>\n"));
}

#[test]
fn no_line_is_wider_than_asked() {
    let long =
        "a rather long label of the kind that statisticians write, with anunbreakablewordthatgoesonandonandonandon";
    for width in [40, 60, 80, 132] {
        for values in AWKWARD {
            let text = render_text(&filled(long, values), Style { colour: false, width });
            for line in text.lines() {
                assert!(line.chars().count() <= width, "{width} {values:?}: {line}");
            }
        }
    }
}

#[test]
fn lines_to_be_copied_are_never_wrapped_and_stand_as_they_are() {
    let long = format!("where = \"region = 'North' AND age < 30\" # {}", "and so on ".repeat(30).trim_end());
    let lines = vec!["[[tables]]".to_owned(), "  name = \"a  b\"".to_owned(), long.clone()];
    let section =
        Section { blocks: vec![Block::Lines("To copy".to_owned(), lines.clone())], ..Section::new("s", "Section") };
    let report = Report { sections: vec![section], ..Report::default() };
    let text = render_text(&report, Style { colour: false, width: 40 });
    let at = text.lines().position(|line| line == "To copy").unwrap();
    assert_eq!(text.lines().skip(at + 1).take(3).collect::<Vec<_>>(), lines);
    let html = render_html(&report);
    let shown = html.split("<pre").nth(1).and_then(|rest| rest.split('>').nth(1)).unwrap().trim_end_matches("</pre");
    let unescaped = shown.replace("&lt;", "<").replace("&quot;", "\"").replace("&#39;", "'").replace("&amp;", "&");
    assert_eq!(unescaped, lines.join("\n"));
    let style = html.split("\npre {").nth(1).and_then(|rest| rest.split('}').next()).unwrap();
    assert!(style.contains("overflow-x: auto") && style.contains("white-space: pre;"), "{style}");
}

#[test]
fn lines_to_be_copied_command_neither_page_nor_terminal() {
    let attack = "<script>alert(1)</script>\u{1b}[2J\u{202e}";
    let blocks = vec![Block::Lines(attack.to_owned(), vec![attack.to_owned()])];
    let report = Report { sections: vec![Section { blocks, ..Section::new("s", "Section") }], ..Report::default() };
    assert!(!render_html(&report).contains("<script"));
    let text = render_text(&report, Style::default());
    assert!(text.chars().all(|c| c == '\n' || !c.is_control()) && !text.contains('\u{202e}'));
}

#[test]
fn colour_adds_nothing_but_colour() {
    let report = filled("word", &[0.1, 0.7]);
    let plain = render_text(&report, Style { colour: false, width: 80 });
    let painted = render_text(&report, Style { colour: true, width: 80 });
    assert!(!plain.contains('\u{1b}') && painted.contains('\u{1b}'));
    let stripped: String = painted
        .split('\u{1b}')
        .enumerate()
        .map(|(i, part)| if i == 0 { part } else { part.split_once('m').unwrap().1 })
        .collect();
    let trimmed: Vec<_> = stripped.lines().map(str::trim_end).collect();
    assert_eq!(trimmed, plain.lines().collect::<Vec<_>>());
}

#[test]
fn every_chart_is_followed_by_its_numbers() {
    let html = render_html(&filled("word", &[0.1, 0.7]));
    let figures = html.matches("</figure>").count();
    assert_eq!(figures, 8);
    assert_eq!(html.matches("</figure>\n<details class=\"numbers\">").count(), figures);
    assert_eq!(html.matches("<svg role=\"img\"").count(), figures);
}

#[test]
fn the_same_model_gives_the_same_bytes() {
    let values = [0.1, 0.7, 0.3];
    assert_eq!(render_html(&filled("word", &values)), render_html(&filled("word", &values)));
}
