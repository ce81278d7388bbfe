//! A histogram.
//!
//! A bin of counts is drawn around the whole numbers in it, from half below the first to half above the last. So the
//! tick of a number is in the middle of its column. Columns start at zero.

use super::canvas::Canvas;
use super::frame::Frame;
use crate::chart::{Bin, Columns, Unit};
use crate::format;
use crate::scale::{Scale, Tick};

/// With more bins than this not every one is named.
const MAX_NAMED: usize = 20;

pub(super) fn draw(plot: &Columns) -> Option<(Canvas, f64)> {
    let bins: Vec<_> = plot.bins.iter().filter(|bin| plot.draws(bin)).collect();
    if bins.is_empty() {
        return None;
    }
    let edges: Vec<_> = bins.iter().map(|bin| edges(plot, bin, &bins)).collect();
    let limit = plot.threshold.as_ref().and_then(|t| Some((t, plot.x.place(t.value)?)));
    let line = limit.iter().map(|(_, value)| value - half_below(plot));
    let x = Scale::tight(&plot.x, edges.iter().flat_map(|(from, to)| [*from, *to]).chain(line));
    let y = Scale::from_zero(&plot.y, bins.iter().map(|bin| bin.value));
    let frame = Frame::new(x, y, 0);
    let frame = if limit.is_some() { frame.with_headroom() } else { frame };
    let mut canvas = Canvas::default();
    frame.draw(&mut canvas, &plot.x, &plot.y, &ticks(plot, &bins, &edges, &frame));
    for (bin, edges) in bins.iter().zip(&edges) {
        draw_bin(&mut canvas, plot, bin, *edges, &frame);
    }
    if let Some((threshold, value)) = limit {
        frame.draw_upright(&mut canvas, &threshold.label, value - half_below(plot));
    }
    Some((canvas, frame.height()))
}

/// How far below its first value a bin begins.
fn half_below(plot: &Columns) -> f64 {
    if plot.x.unit == Unit::Count && !plot.x.log { 0.5 } else { 0.0 }
}

/// Where a bin is drawn. A bin without an upper end is as wide as the one before it. A bin that starts at zero on a
/// logarithmic axis is a power of ten wide.
fn edges(plot: &Columns, bin: &Bin, bins: &[&Bin]) -> (f64, f64) {
    let shift = half_below(plot);
    let to = if bin.to.is_finite() {
        bin.to
    } else if plot.x.log {
        bin.from * 10.0
    } else {
        let before = bins.iter().filter(|b| b.to.is_finite()).map(|b| b.to - b.from).next_back();
        bin.from + before.unwrap_or(1.0)
    };
    let from = if plot.x.log && bin.from <= 0.0 { to / 10.0 } else { bin.from };
    (from - shift, to - shift)
}

fn draw_bin(canvas: &mut Canvas, plot: &Columns, bin: &Bin, edges: (f64, f64), frame: &Frame) {
    let (left, right) = (frame.x(edges.0), frame.x(edges.1));
    let (top, bottom) = (frame.y(bin.value.max(0.0)), frame.y(bin.value.min(0.0)));
    let gap = if right - left > 6.0 { 1.0 } else { 0.0 };
    // A column that is not zero is seen, however low.
    let height = if bin.value == 0.0 { 0.0 } else { (bottom - top).max(1.5) };
    let class = if bin.highlight { "bar high" } else { "bar" };
    let says = format!("{}: {}", plot.name(bin), format::in_unit(bin.value, plot.y.unit));
    canvas.bar(class, (left + gap, bottom - height), ((right - left - 2.0 * gap).max(0.5), height), &says);
}

/// A tick for every bin where there are few and each holds one count; else those of the scale. A bin that is open
/// has a tick of its own.
fn ticks(plot: &Columns, bins: &[&Bin], edges: &[(f64, f64)], frame: &Frame) -> Vec<Tick> {
    let (left, _, right, _) = frame.bounds();
    let part = |x: f64| (frame.x(x) - left) / (right - left);
    let tick = |from: f64, to: f64, label: String| Tick { at: f64::midpoint(part(from), part(to)), label };
    let drawn = || bins.iter().zip(edges);
    let single = plot.x.unit == Unit::Count && edges.iter().all(|(from, to)| to - from == 1.0);
    let mut ticks = frame.x_ticks();
    if single && !plot.x.log && bins.len() <= MAX_NAMED {
        let closed = drawn().filter(|(bin, _)| bin.to.is_finite());
        ticks = closed.map(|(bin, (from, to))| tick(*from, *to, plot.name(bin))).collect();
    }
    if let Some((bin, (from, to))) = drawn().find(|(bin, _)| bin.to == f64::INFINITY) {
        ticks.retain(|tick| tick.at < part(*from));
        ticks.push(tick(*from, *to, format!("{}+", format::in_unit(bin.from, plot.x.unit))));
    }
    ticks
}
