//! The page: title, verdict, contents, sections, footer.

use std::collections::BTreeSet;

use super::escape::{escape, prose};
use super::table::table;
use crate::chart::Chart;
use crate::model::{Block, Finding, Report, Section, Tone, Verdict, paragraphs, ranked};
use crate::svg;

const STYLE: &str = include_str!("style.css");

/// Nothing may be fetched, run or sent; only the style in the page itself applies.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

/// The report as one HTML file that needs nothing else.
pub fn render_html(report: &Report) -> String {
    let title = escape(&report.title);
    let ids = section_ids(&report.sections);
    let mut html = format!(
        "<!doctype html>\n<html lang=\"en-GB\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <meta name=\"referrer\" content=\"no-referrer\">\n\
         <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<header>\n<h1>{title}</h1>\n"
    );
    if !report.subtitle.is_empty() {
        html += &format!("<p class=\"subtitle\">{}</p>\n", prose(&report.subtitle));
    }
    html += "</header>\n<main>\n";
    html += &verdict(&report.verdict);
    html += &contents(&report.sections, &ids);
    for (part, id) in report.sections.iter().zip(&ids) {
        html += &section(part, id);
    }
    html += "</main>\n";
    html += &footer(&report.footer);
    html += "</body>\n</html>\n";
    html
}

fn verdict(verdict: &Verdict) -> String {
    let tone = verdict.tone;
    let mut html = format!(
        "<section class=\"verdict {}\" aria-labelledby=\"verdict\">\n{}<h2 id=\"verdict\">{}</h2>\n",
        class(tone),
        badge(tone),
        prose(&verdict.headline)
    );
    html += &text(&verdict.detail);
    if !verdict.figures.is_empty() {
        html += "<dl class=\"figures\">\n";
        for figure in &verdict.figures {
            let (label, value) = (escape(&figure.label), escape(&figure.value.to_string()));
            html += &format!("<div><dt>{label}</dt><dd>{value}</dd></div>\n");
        }
        html += "</dl>\n";
    }
    html + "</section>\n"
}

/// Links to the sections, where there are enough to need them.
fn contents(sections: &[Section], ids: &[String]) -> String {
    if sections.len() < 2 {
        return String::new();
    }
    let mut html = "<nav aria-label=\"Contents\">\n<ol>\n".to_owned();
    for (section, id) in sections.iter().zip(ids) {
        html += &format!("<li><a href=\"#{id}\">{}</a></li>\n", escape(&section.heading));
    }
    html + "</ol>\n</nav>\n"
}

fn section(section: &Section, id: &str) -> String {
    let mut html = format!("<section id=\"{id}\">\n<h2>{}</h2>\n", escape(&section.heading));
    for paragraph in paragraphs(&section.intro) {
        html += &format!("<p class=\"intro\">{}</p>\n", prose(&paragraph));
    }
    for block in &section.blocks {
        html += &match block {
            Block::Text(prose) => text(prose),
            Block::Table(data) => format!("<div class=\"block\">\n{}</div>\n", table(data)),
            Block::Lines(caption, lines) => to_copy(caption, lines),
            Block::Chart(data) => chart(data),
            Block::Findings(findings) => finding_list(findings),
        };
    }
    html + "</section>\n"
}

/// Lines to be copied. Each is escaped by itself: an escaped text has no line ends.
fn to_copy(caption: &str, lines: &[String]) -> String {
    let (caption, lines) = (escape(caption), lines.iter().map(|line| escape(line)).collect::<Vec<_>>().join("\n"));
    format!(
        "<div class=\"block\">\n<p class=\"caption\">{caption}</p>\n<pre role=\"region\" aria-label=\"{caption}\" tabindex=\"0\">{lines}</pre>\n</div>\n"
    )
}

fn text(content: &str) -> String {
    paragraphs(content).iter().map(|p| format!("<p>{}</p>\n", prose(p))).collect()
}

/// A chart with its numbers. They are beside the disclosure element, not in it. Few browsers open one for print without
/// a script, but style alone can show a neighbour on paper.
fn chart(chart: &Chart) -> String {
    let mut html = format!("<figure>\n<figcaption>{}</figcaption>\n", escape(&chart.title));
    if !chart.note.is_empty() {
        html += &format!("<p class=\"reading\">{}</p>\n", prose(&chart.note));
    }
    html += &svg::draw(chart).unwrap_or_else(|| "<p class=\"more\">There is nothing to draw.</p>\n".to_owned());
    html += "</figure>\n<details class=\"numbers\"><summary>The numbers of this chart</summary></details>\n";
    html += &format!("<div class=\"numbers block\">\n{}</div>\n", table(&chart.table()));
    html
}

fn finding_list(findings: &[Finding]) -> String {
    if findings.is_empty() {
        return "<p class=\"more\">There are no findings.</p>\n".to_owned();
    }
    let mut html = "<ol class=\"findings\">\n".to_owned();
    for finding in ranked(findings) {
        html += &format!("<li class=\"{}\">\n<div class=\"mark-line\">{}", class(finding.tone), badge(finding.tone));
        if !finding.code.is_empty() {
            html += &format!("<span class=\"code\">{}</span>", escape(&finding.code));
        }
        html += &format!("</div>\n<h3>{}</h3>\n{}", prose(&finding.headline), text(&finding.detail));
        for paragraph in paragraphs(&finding.advice) {
            html += &format!("<p class=\"advice\"><b>What to do.</b> {}</p>\n", prose(&paragraph));
        }
        html += "</li>\n";
    }
    html + "</ol>\n"
}

fn footer(lines: &[String]) -> String {
    if lines.is_empty() {
        return String::new();
    }
    let lines: String = lines.iter().map(|line| format!("<p>{}</p>\n", prose(line))).collect();
    format!("<footer>\n{lines}</footer>\n")
}

fn class(tone: Tone) -> &'static str {
    match tone {
        Tone::Good => "good",
        Tone::Caution => "caution",
        Tone::Bad => "bad",
        Tone::Neutral => "neutral",
    }
}

/// The tone as a sign and a word, so that it does not depend on a colour. Each sign has a shape of its own.
fn badge(tone: Tone) -> String {
    let sign = match tone {
        Tone::Good => r#"<circle cx="8" cy="8" r="7"/><path d="M4.8 8.3l2.3 2.3 4.2-4.8"/>"#,
        Tone::Caution => r#"<path d="M8 1.5l7 12.5H1z"/><path d="M8 6v4M8 11.6v.6"/>"#,
        Tone::Bad => r#"<path d="M5 1h6l4 4v6l-4 4H5l-4-4V5z"/><path d="M5.5 5.5l5 5M10.5 5.5l-5 5"/>"#,
        Tone::Neutral => r#"<circle cx="8" cy="8" r="7"/><path d="M8 7v4.4M8 4.4v.4"/>"#,
    };
    format!(
        "<span class=\"badge\"><svg viewBox=\"0 0 16 16\" aria-hidden=\"true\">{sign}</svg>{}</span>\n",
        tone.word()
    )
}

/// A name for each section that is safe in a link and that no other section has.
fn section_ids(sections: &[Section]) -> Vec<String> {
    let mut taken = BTreeSet::from(["verdict".to_owned()]);
    let mut ids = Vec::with_capacity(sections.len());
    for section in sections {
        let plain: String = section.id.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
        let stem = if plain.is_empty() { "section".to_owned() } else { plain.to_ascii_lowercase() };
        let mut id = stem.clone();
        let mut copies = 1;
        while !taken.insert(id.clone()) {
            copies += 1;
            id = format!("{stem}-{copies}");
        }
        ids.push(id);
    }
    ids
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_sections_share_a_link() {
        let sections = ["Who is at risk?", "who-is-at-risk-", "", "verdict"].map(|id| Section::new(id, ""));
        assert_eq!(section_ids(&sections), ["who-is-at-risk-", "who-is-at-risk--2", "section", "verdict-2"]);
    }
}
