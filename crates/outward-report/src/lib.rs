//! A finished result as a document: one model, shown as a self-contained HTML file or as terminal text.
//!
//! Nothing is computed here. A command fills a [`Report`] with sections of text, tables, charts and findings, and
//! [`render_html`] or [`render_text`] shows it. The same model always gives the same bytes.
//!
//! ```
//! use outward_report::{Report, Style, Tone, Verdict, render_html, render_text};
//!
//! let report = Report {
//!     title: "Household survey".into(),
//!     verdict: Verdict { tone: Tone::Good, headline: "Nobody stands alone".into(), ..Verdict::default() },
//!     ..Report::default()
//! };
//! assert!(render_html(&report).starts_with("<!doctype html>"));
//! assert!(render_text(&report, Style::default()).contains("Nobody stands alone"));
//! ```

mod chart;
pub mod format;
mod html;
mod model;
mod scale;
mod svg;
mod text;

pub use chart::{
    Axis, Bar, Bars, Bin, Chart, Columns, Lines, Mark, Plot, PlotPoint, Scatter, ScatterPoint, Series, Threshold, Unit,
};
pub use html::render_html;
pub use model::{Align, Block, Column, Figure, Finding, Report, Section, Table, Tone, Value, Verdict};
pub use text::{Style, render_text};
