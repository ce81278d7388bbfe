//! The report as text for a terminal: nothing wider than asked, colour only where asked.

mod bars;
mod page;
mod plot;
mod table;
pub(crate) mod wrap;

pub use page::render_text;

/// How text is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Style {
    /// Whether to use the colours of a terminal.
    pub colour: bool,
    /// How many columns there are; at least 40 are used.
    pub width: usize,
}

impl Default for Style {
    fn default() -> Self {
        Self { colour: false, width: 100 }
    }
}

impl Style {
    /// The columns that are used: at least 40, since narrower tables cannot be read.
    fn columns(self) -> usize {
        self.width.max(40)
    }

    /// Text in some ink, where colours are asked for.
    fn paint(self, ink: Ink, text: &str) -> String {
        if !self.colour || text.is_empty() {
            return text.to_owned();
        }
        let code = match ink {
            Ink::Strong => "1",
            Ink::Faint => "2",
            Ink::Good => "1;32",
            Ink::Caution => "1;33",
            Ink::Bad => "1;31",
        };
        format!("\u{1b}[{code}m{text}\u{1b}[0m")
    }
}

/// What a piece of text is shown in.
#[derive(Debug, Clone, Copy)]
enum Ink {
    Strong,
    Faint,
    Good,
    Caution,
    Bad,
}

/// A character that is safe to show. Characters are replaced that move the cursor, start a command of the terminal,
/// turn the direction of the text or cannot be seen.
pub(crate) fn clean(character: char) -> char {
    match character {
        '\n' | '\t' | '\r' => ' ',
        c if c.is_control() => '\u{fffd}',
        '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}' => '\u{fffd}',
        c => c,
    }
}

/// A short text on one line, safe to show.
fn one_line(text: &str) -> String {
    text.chars().map(clean).collect::<String>().split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A line that is to be copied: its spaces are part of it.
fn as_it_is(line: &str) -> String {
    line.chars().map(clean).collect()
}

/// A text filled with spaces on the right.
fn pad_end(text: &str, width: usize) -> String {
    let missing = width.saturating_sub(text.chars().count());
    format!("{text}{}", " ".repeat(missing))
}

/// A text filled with spaces on the left.
fn pad_start(text: &str, width: usize) -> String {
    let missing = width.saturating_sub(text.chars().count());
    format!("{}{text}", " ".repeat(missing))
}
