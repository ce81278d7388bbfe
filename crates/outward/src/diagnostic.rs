//! Errors as the user sees them: what, where, what to do.

use std::fmt;

use miette::{Diagnostic, GraphicalReportHandler, GraphicalTheme, LabeledSpan, NamedSource, SourceCode, SourceSpan};
use outward_spec::Error;

use crate::output::{colour_wanted, tell};

/// Prints an error to stderr.
pub(crate) fn print(error: &Error) {
    let shown = ShownError::new(error);
    let colour = colour_wanted(&std::io::stderr());
    let theme = if colour { GraphicalTheme::unicode() } else { GraphicalTheme::unicode_nocolor() };
    let handler = GraphicalReportHandler::new_themed(theme).with_links(false).with_width(100);
    let mut text = String::new();
    match handler.render_report(&mut text, &shown) {
        Ok(()) => tell(text.trim_matches('\n')),
        Err(_) => tell(&format!("error: {error}")),
    }
}

/// Says where a panic happened, and not what it said: that may quote the data.
pub(crate) fn report_panic(panic: &std::panic::PanicHookInfo<'_>) {
    if !outward_engine::source::panic_means_damage() {
        let place = panic.location().map_or_else(String::new, |at| format!(" at {}:{}", at.file(), at.line()));
        tell(&format!("Outward panicked{place}"));
    }
}

/// An error with the text it is about.
#[derive(Debug)]
struct ShownError {
    message: String,
    help: Option<String>,
    source: Option<NamedSource<String>>,
    span: Option<SourceSpan>,
}

impl ShownError {
    fn new(error: &Error) -> Self {
        let excerpt = error.fault().and_then(|fault| fault.place.excerpt.clone());
        let file = error.fault().and_then(|fault| fault.place.file.clone());
        let name = file.map_or_else(|| "spec".to_owned(), |file| file.display().to_string());
        Self {
            message: harmless(&error.to_string()),
            help: error.help().map(|help| harmless(&help)),
            span: excerpt.as_ref().map(|excerpt| (excerpt.span.start, excerpt.span.len()).into()),
            source: excerpt.map(|excerpt| NamedSource::new(harmless(&name), harmless(&excerpt.text))),
        }
    }
}

/// Text without what steers a terminal: control characters and marks that turn the direction of writing. Each is replaced
/// by one of as many bytes, so that places in the text stay where they are.
fn harmless(text: &str) -> String {
    let replace = |c: char| match c {
        '\n' | '\t' => c,
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => char::REPLACEMENT_CHARACTER,
        '\u{80}'..='\u{9f}' => '¿',
        c if c.is_control() => '?',
        c => c,
    };
    text.chars().map(replace).collect()
}

impl fmt::Display for ShownError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for ShownError {}

impl Diagnostic for ShownError {
    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.help.as_ref().map(|help| Box::new(help) as Box<dyn fmt::Display>)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.source.as_ref().map(|source| source as &dyn SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let span = self.span?;
        Some(Box::new(std::iter::once(LabeledSpan::new_with_span(Some("here".to_owned()), span))))
    }
}
