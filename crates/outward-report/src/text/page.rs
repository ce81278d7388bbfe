//! The whole report, from verdict to footer.

use super::wrap::wrap;
use super::{Ink, Style, as_it_is, bars, one_line, pad_start, plot, table};
use crate::chart::{Chart, Plot};
use crate::model::{Block, Figure, Finding, Report, Section, Tone, Verdict, paragraphs, ranked};

/// The report as text, no line wider than the style allows but those that are to be copied.
pub fn render_text(report: &Report, style: Style) -> String {
    let mut lines: Vec<String> = Vec::new();
    let width = style.columns();
    lines.extend(wrap(&report.title, width).iter().map(|line| style.paint(Ink::Strong, line)));
    if !report.subtitle.is_empty() {
        lines.extend(wrap(&report.subtitle, width).iter().map(|line| style.paint(Ink::Faint, line)));
    }
    lines.push(String::new());
    lines.extend(verdict(&report.verdict, style));
    for part in &report.sections {
        lines.extend(section(part, style));
    }
    if !report.footer.is_empty() {
        lines.push(String::new());
        let footer = report.footer.iter().flat_map(|line| wrap(line, width));
        lines.extend(footer.map(|line| style.paint(Ink::Faint, &line)));
    }
    let mut text = String::new();
    for line in lines {
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

fn verdict(verdict: &Verdict, style: Style) -> Vec<String> {
    let (sign, ink) = tone(verdict.tone);
    let word = format!("{sign} {}", verdict.tone.word());
    let mut lines = vec![style.paint(ink, &word)];
    lines.extend(indented(&verdict.headline, 2, style).iter().map(|line| style.paint(Ink::Strong, line)));
    for paragraph in paragraphs(&verdict.detail) {
        lines.push(String::new());
        lines.extend(indented(&paragraph, 2, style));
    }
    if !verdict.figures.is_empty() {
        lines.push(String::new());
        lines.extend(figures(&verdict.figures, style));
    }
    lines
}

/// The figures, numbers under numbers. The column of numbers is no wider than half the page.
fn figures(figures: &[Figure], style: Style) -> Vec<String> {
    let most = style.columns() / 2;
    let values: Vec<_> = figures.iter().map(|f| wrap(&f.value.to_string(), most)).collect();
    let column = values.iter().flatten().map(|line| line.chars().count()).max().unwrap_or(0);
    let mut lines = Vec::new();
    for (figure, value) in figures.iter().zip(values) {
        let label = wrap(&figure.label, style.columns() - column - 4);
        for line in 0..value.len().max(label.len()) {
            let number = pad_start(value.get(line).map_or("", String::as_str), column);
            let words = label.get(line).map_or("", String::as_str);
            lines.push(format!("  {}  {words}", style.paint(Ink::Strong, &number)));
        }
    }
    lines
}

fn section(section: &Section, style: Style) -> Vec<String> {
    let heading = wrap(&section.heading, style.columns());
    let rule = "─".repeat(heading.iter().map(|line| line.chars().count()).max().unwrap_or(0));
    let mut lines = vec![String::new()];
    lines.extend(heading.iter().map(|line| style.paint(Ink::Strong, line)));
    lines.push(style.paint(Ink::Faint, &rule));
    lines.extend(prose(&section.intro, style));
    for block in &section.blocks {
        if lines.last().is_some_and(|last| !last.is_empty()) {
            lines.push(String::new());
        }
        lines.extend(match block {
            Block::Text(text) => prose(text, style),
            Block::Table(data) => table::table(data, style),
            Block::Lines(caption, lines) => {
                let caption = wrap(caption, style.columns());
                caption
                    .iter()
                    .map(|line| style.paint(Ink::Strong, line))
                    .chain(lines.iter().map(|line| as_it_is(line)))
                    .collect()
            }
            Block::Chart(data) => chart(data, style),
            Block::Findings(findings) => finding_list(findings, style),
        });
    }
    lines
}

fn prose(text: &str, style: Style) -> Vec<String> {
    let paragraphs: Vec<_> = paragraphs(text).iter().map(|p| wrap(p, style.columns())).collect();
    paragraphs.join(&String::new())
}

fn chart(chart: &Chart, style: Style) -> Vec<String> {
    let mut lines: Vec<_> =
        wrap(&chart.title, style.columns()).iter().map(|line| style.paint(Ink::Strong, line)).collect();
    lines.extend(prose(&chart.note, style));
    lines.push(String::new());
    lines.extend(match &chart.plot {
        Plot::Bars(data) => bars::bars(data, style),
        Plot::Columns(data) => bars::columns(data, style),
        Plot::Lines(data) => plot::lines(chart, data, style),
        Plot::Scatter(data) => plot::scatter(chart, data, style),
    });
    if let Some(note) = chart.undrawn_note() {
        lines.extend(wrap(&note, style.columns()).iter().map(|line| style.paint(Ink::Faint, line)));
    }
    lines
}

fn finding_list(findings: &[Finding], style: Style) -> Vec<String> {
    if findings.is_empty() {
        return vec!["There are no findings.".to_owned()];
    }
    let mut lines = Vec::new();
    for finding in ranked(findings) {
        if !lines.is_empty() {
            lines.push(String::new());
        }
        let (sign, ink) = tone(finding.tone);
        let mark = format!("{sign} {} {}", finding.tone.word(), one_line(&finding.code));
        lines.extend(wrap(&mark, style.columns()).iter().map(|line| style.paint(ink, line)));
        lines.extend(indented(&finding.headline, 2, style).iter().map(|line| style.paint(Ink::Strong, line)));
        for paragraph in paragraphs(&finding.detail) {
            lines.extend(indented(&paragraph, 2, style));
        }
        for paragraph in paragraphs(&finding.advice) {
            let advice = indented(&paragraph, 4, style);
            lines.extend(advice.iter().enumerate().map(|(i, line)| match i {
                0 => format!("  → {}", line.trim_start()),
                _ => line.clone(),
            }));
        }
    }
    lines
}

fn indented(text: &str, by: usize, style: Style) -> Vec<String> {
    wrap(text, style.columns() - by).iter().map(|line| format!("{}{line}", " ".repeat(by))).collect()
}

/// The sign and the ink of a tone.
fn tone(tone: Tone) -> (&'static str, Ink) {
    match tone {
        Tone::Good => ("✓", Ink::Good),
        Tone::Caution => ("!", Ink::Caution),
        Tone::Bad => ("✗", Ink::Bad),
        Tone::Neutral => ("i", Ink::Strong),
    }
}
