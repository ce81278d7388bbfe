//! Charts as inline SVG: no script, no colours of its own, readable in greyscale.

mod bars;
mod canvas;
mod columns;
mod frame;
mod labels;
mod lines;
mod scatter;

use crate::chart::{Chart, Plot};
use crate::format::within_sentence as named;

/// The drawing of a chart, or nothing if no value can be drawn.
pub(crate) fn draw(chart: &Chart) -> Option<String> {
    let (canvas, height) = match &chart.plot {
        Plot::Bars(plot) => bars::draw(plot)?,
        Plot::Columns(plot) => columns::draw(plot)?,
        Plot::Lines(plot) => lines::draw(plot)?,
        Plot::Scatter(plot) => scatter::draw(plot)?,
    };
    Some(canvas.finish(height, &chart.title, &description(chart)))
}

/// The description for screen readers: the note, and where the numbers are.
fn description(chart: &Chart) -> String {
    let kind = match &chart.plot {
        Plot::Bars(plot) => format!("Bar chart of {} by {}.", named(&plot.measure.label), named(&plot.category)),
        Plot::Columns(plot) => format!("Histogram of {} by {}.", named(&plot.y.label), named(&plot.x.label)),
        Plot::Lines(plot) => format!("Line chart of {} by {}.", named(&plot.y.label), named(&plot.x.label)),
        Plot::Scatter(plot) => format!("Scatter chart of {} by {}.", named(&plot.y.label), named(&plot.x.label)),
    };
    [kind.as_str(), chart.note.as_str(), "The numbers are in the table below."]
        .into_iter()
        .filter(|part| !part.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}
