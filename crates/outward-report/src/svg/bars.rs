//! Horizontal bars: the name on the left, the value at the end.

use super::canvas::{Anchor, Canvas, LETTER_WIDTH, LINE_HEIGHT, WIDTH};
use crate::chart::{Bar, Bars};
use crate::format;
use crate::scale::Scale;
use crate::text::wrap::wrap_at_most;

const ROW_GAP: f64 = 10.0;
const BAR_HEIGHT: f64 = 18.0;
/// The widest that the names may be, in letters.
const NAME_LETTERS: usize = 26;

/// Where the bars lie between the names on the left and the values on the right.
struct PlotArea {
    left: f64,
    width: f64,
    scale: Scale,
}

impl PlotArea {
    fn x(&self, value: f64) -> f64 {
        self.left + self.scale.at(value) * self.width
    }
}

pub(super) fn draw(plot: &Bars) -> Option<(Canvas, f64)> {
    if plot.bars.is_empty() {
        return None;
    }
    let names: Vec<_> = plot.bars.iter().map(|bar| wrap_at_most(&bar.label, NAME_LETTERS, 3)).collect();
    let area = plot_area(plot, &names);
    let mut canvas = Canvas::default();
    let top = if plot.threshold.is_some() { LINE_HEIGHT + 8.0 } else { 4.0 };
    let mut y = top;
    for (bar, name) in plot.bars.iter().zip(&names) {
        y += draw_bar(&mut canvas, plot, bar, name, &area, y);
    }
    let base = area.x(0.0);
    canvas.line("axis", (base, top - 4.0), (base, y - ROW_GAP + 4.0));
    draw_threshold(&mut canvas, plot, &area, y - ROW_GAP + 4.0);
    canvas.text("label", (area.left, y + 12.0), Anchor::Start, &plot.measure.label);
    Some((canvas, y + 20.0))
}

/// The names and the values take what they need; the bars have the rest.
fn plot_area(plot: &Bars, names: &[Vec<String>]) -> PlotArea {
    let axis = plot.measure.linear();
    let longest = |lengths: &mut dyn Iterator<Item = usize>| lengths.max().unwrap_or(0) as f64;
    let name = longest(&mut names.iter().flatten().map(|line| line.chars().count()));
    let value = longest(&mut plot.bars.iter().map(|bar| format::in_unit(bar.value, axis.unit).chars().count()));
    let left = name * LETTER_WIDTH + 12.0;
    // At least a third is kept for the bars, even if names and values are long.
    let width = (WIDTH - left - value * LETTER_WIDTH - 12.0).max(WIDTH / 3.0);
    let threshold = plot.threshold.iter().map(|t| t.value);
    let values: Vec<_> = plot.bars.iter().map(|bar| bar.value).chain(threshold).collect();
    let scale = Scale::tight(&axis, values.into_iter().chain([0.0]));
    PlotArea { left, width, scale }
}

/// Draws one bar and says how much height it took.
fn draw_bar(canvas: &mut Canvas, plot: &Bars, bar: &Bar, name: &[String], area: &PlotArea, y: f64) -> f64 {
    let height = (name.len() as f64 * LINE_HEIGHT).max(BAR_HEIGHT);
    let class = if bar.highlight { "name strong" } else { "name" };
    for (line, text) in name.iter().enumerate() {
        canvas.text(class, (0.0, y + 14.0 + line as f64 * LINE_HEIGHT), Anchor::Start, text);
    }
    let middle = y + height / 2.0;
    let value = format::in_unit(bar.value, plot.measure.unit);
    let Some(length) = plot.measure.linear().place(bar.value) else {
        canvas.text("value", (area.x(0.0) + 6.0, middle + 5.0), Anchor::Start, "not drawn");
        return height + ROW_GAP;
    };
    let (low, high) = (area.x(length.min(0.0)), area.x(length.max(0.0)));
    // A bar that is not zero is seen, however short.
    let width = if length == 0.0 { 0.0 } else { (high - low).max(1.5) };
    let class = if bar.highlight { "bar high" } else { "bar" };
    let says = format!("{}: {value}", bar.label);
    canvas.bar(class, (low, middle - BAR_HEIGHT / 2.0), (width, BAR_HEIGHT), &says);
    let class = if bar.highlight { "value strong" } else { "value" };
    canvas.text(class, (low + width + 6.0, middle + 5.0), Anchor::Start, &value);
    height + ROW_GAP
}

fn draw_threshold(canvas: &mut Canvas, plot: &Bars, area: &PlotArea, bottom: f64) {
    let Some(threshold) = &plot.threshold else { return };
    let Some(value) = plot.measure.linear().place(threshold.value) else { return };
    let x = area.x(value);
    canvas.line("threshold", (x, LINE_HEIGHT), (x, bottom));
    let left_half = x < area.left + area.width / 2.0;
    let anchor = if left_half { Anchor::Start } else { Anchor::End };
    canvas.text("note", (x, LINE_HEIGHT - 5.0), anchor, &threshold.label);
}
