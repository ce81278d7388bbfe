//! The report: a verdict, then sections of text, tables, charts and findings.
//!
//! All text is plain. In prose (details, introductions, advice, [`Block::Text`]) a blank line starts a new paragraph,
//! and a name between backticks is set as a name. Titles, labels and cells are shown unchanged.

use crate::chart::Chart;
use crate::format;

/// A finished result, ready to be shown.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Report {
    /// What was examined, in a few words.
    pub title: String,
    /// A line below the title: the file, the policy, the version. May be empty.
    pub subtitle: String,
    /// The answer, before anything else.
    pub verdict: Verdict,
    /// The figures and sections behind the answer, the most important first.
    pub sections: Vec<Section>,
    /// Lines at the very end: how the result was made and how to repeat it.
    pub footer: Vec<String>,
}

/// The answer of a report in one glance.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Verdict {
    /// How good the news is.
    pub tone: Tone,
    /// The answer in one sentence.
    pub headline: String,
    /// Why, in a few more. May be empty.
    pub detail: String,
    /// The few numbers that carry the answer.
    pub figures: Vec<Figure>,
}

/// How good the news is. Shown by a word and a sign as well as by a colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Tone {
    /// Nothing to worry about.
    Good,
    /// Worth a second look.
    Caution,
    /// Must be mended before release.
    Bad,
    /// Neither good nor bad.
    #[default]
    Neutral,
}

impl Tone {
    /// The word that stands for the tone.
    pub fn word(self) -> &'static str {
        match self {
            Self::Good => "Good",
            Self::Caution => "Caution",
            Self::Bad => "Problem",
            Self::Neutral => "Note",
        }
    }

    /// Where findings of this tone stand in a ranked list: the worst first.
    fn rank(self) -> u8 {
        match self {
            Self::Bad => 0,
            Self::Caution => 1,
            Self::Neutral => 2,
            Self::Good => 3,
        }
    }
}

/// A big number with its label: `14,021`, `records alone in their cell`.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    /// The number.
    pub value: Value,
    /// What it counts.
    pub label: String,
}

impl Figure {
    /// A number and what it counts.
    pub fn new(value: impl Into<Value>, label: impl Into<String>) -> Self {
        Self { value: value.into(), label: label.into() }
    }
}

/// A part of a report under its own heading.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Section {
    /// A short name for links to this section. Made unique where two sections share one.
    pub id: String,
    /// The heading.
    pub heading: String,
    /// What the section shows. May be empty.
    pub intro: String,
    /// The content, in order.
    pub blocks: Vec<Block>,
}

impl Section {
    /// An empty section under a heading.
    pub fn new(id: impl Into<String>, heading: impl Into<String>) -> Self {
        Self { id: id.into(), heading: heading.into(), ..Self::default() }
    }
}

/// One piece of a section.
#[derive(Debug, Clone, PartialEq)]
pub enum Block {
    /// Prose.
    Text(String),
    /// A table.
    Table(Table),
    /// Lines to be copied as they are, with a caption.
    Lines(String, Vec<String>),
    /// A chart, always shown together with its numbers.
    Chart(Chart),
    /// Findings, shown the worst first.
    Findings(Vec<Finding>),
}

/// A table of values.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Table {
    /// What the table shows.
    pub caption: String,
    /// The columns, left to right.
    pub columns: Vec<Column>,
    /// The rows. A row that is too short is filled with missing values.
    pub rows: Vec<Vec<Value>>,
    /// What was left out: `and 134 more tables in the JSON output`.
    pub more: Option<String>,
}

impl Table {
    /// An empty table with its caption and columns.
    pub fn new(caption: impl Into<String>, columns: impl IntoIterator<Item = Column>) -> Self {
        Self { caption: caption.into(), columns: columns.into_iter().collect(), rows: Vec::new(), more: None }
    }

    /// How many columns to show: no value is dropped because its column has no heading.
    pub(crate) fn width(&self) -> usize {
        self.rows.iter().map(Vec::len).fold(self.columns.len(), usize::max)
    }

    /// The heading of a column, empty if it has none.
    pub(crate) fn heading(&self, column: usize) -> &str {
        self.columns.get(column).map_or("", |c| &c.heading)
    }

    /// How a column is aligned.
    pub(crate) fn align(&self, column: usize) -> Align {
        self.columns.get(column).map_or(Align::Left, |c| c.align)
    }
}

/// A column of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// The heading.
    pub heading: String,
    /// To which side the values are set.
    pub align: Align,
}

impl Column {
    /// A column of words.
    pub fn left(heading: impl Into<String>) -> Self {
        Self { heading: heading.into(), align: Align::Left }
    }

    /// A column of numbers.
    pub fn right(heading: impl Into<String>) -> Self {
        Self { heading: heading.into(), align: Align::Right }
    }
}

/// To which side the values of a column are set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Align {
    /// Words.
    Left,
    /// Numbers.
    Right,
}

/// A value in a table or a figure. Every value is written by [`format`](crate::format).
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// Words.
    Text(String),
    /// A count of something.
    Count(u64),
    /// A share between 0 and 1, shown as a percentage.
    Share(f64),
    /// A number with so many decimals.
    Number(f64, u8),
    /// Not known, or not applicable.
    Missing,
}

impl std::fmt::Display for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Text(text) => f.write_str(text),
            Self::Count(n) => f.write_str(&format::count(*n)),
            Self::Share(share) => f.write_str(&format::share(*share)),
            Self::Number(x, decimals) => f.write_str(&format::number(*x, *decimals)),
            Self::Missing => f.write_str(format::MISSING),
        }
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<u64> for Value {
    fn from(n: u64) -> Self {
        Self::Count(n)
    }
}

impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Missing, Into::into)
    }
}

/// One thing that was found, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Finding {
    /// The stable code, such as `OUT012`.
    pub code: String,
    /// How bad it is.
    pub tone: Tone,
    /// What was found, in one sentence.
    pub headline: String,
    /// Where and how much. May be empty.
    pub detail: String,
    /// What to do. May be empty.
    pub advice: String,
}

/// The findings, the worst first; equals stay in the order they were given.
pub(crate) fn ranked(findings: &[Finding]) -> Vec<&Finding> {
    let mut ranked: Vec<_> = findings.iter().collect();
    ranked.sort_by_key(|finding| finding.tone.rank());
    ranked
}

/// The paragraphs of a piece of prose.
pub(crate) fn paragraphs(prose: &str) -> Vec<String> {
    let mut paragraphs = vec![String::new()];
    for line in prose.lines().map(str::trim) {
        let last = paragraphs.len() - 1;
        match (line.is_empty(), paragraphs[last].is_empty()) {
            (true, false) => paragraphs.push(String::new()),
            (true, true) => {}
            (false, true) => paragraphs[last].push_str(line),
            (false, false) => {
                paragraphs[last].push(' ');
                paragraphs[last].push_str(line);
            }
        }
    }
    paragraphs.retain(|p| !p.is_empty());
    paragraphs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_finding_comes_first_and_equals_keep_their_order() {
        let finding = |code: &str, tone| Finding { code: code.into(), tone, ..Finding::default() };
        let findings = [
            finding("A", Tone::Good),
            finding("B", Tone::Caution),
            finding("C", Tone::Bad),
            finding("D", Tone::Caution),
            finding("E", Tone::Neutral),
        ];
        let codes: Vec<_> = ranked(&findings).iter().map(|f| f.code.as_str()).collect();
        assert_eq!(codes, ["C", "B", "D", "E", "A"]);
    }

    #[test]
    fn a_blank_line_starts_a_paragraph_and_a_line_break_does_not() {
        assert_eq!(paragraphs("one\ntwo\n\n\n three \n"), ["one two", "three"]);
        assert!(paragraphs(" \n\n").is_empty());
    }

    #[test]
    fn a_value_without_a_heading_is_still_shown() {
        let table = Table { rows: vec![vec![Value::Count(1), Value::Count(2)]], ..Table::default() };
        assert_eq!((table.width(), table.heading(1)), (2, ""));
    }
}
