//! Series as lines. Colour, dashes and the shape of the signs each distinguish them, so that none is needed alone.

use super::canvas::{Anchor, Canvas, LETTER_WIDTH, LINE_HEIGHT, WIDTH};
use super::frame::Frame;
use super::labels::Labels;
use crate::chart::{Lines, PlotPoint};
use crate::format;
use crate::scale::Scale;

/// With more points than this not every one carries a sign: the signs would hide the line.
const MAX_SIGNS: usize = 24;
/// How many signs a line carries then.
const FEW_SIGNS: usize = 8;
/// How many classes of lines the style sheet has.
const SERIES_STYLES: usize = 6;

pub(super) fn draw(plot: &Lines) -> Option<(Canvas, f64)> {
    let has_place = |p: &PlotPoint| plot.x.place(p.x).is_some() && plot.y.place(p.y).is_some();
    let marks: Vec<_> = plot.marks.iter().filter(|m| has_place(&PlotPoint { x: m.x, y: m.y })).collect();
    let points = || plot.series.iter().flat_map(|s| &s.points).copied().filter(has_place);
    if points().next().is_none() && marks.is_empty() {
        return None;
    }
    let limit = plot.threshold.iter().map(|t| t.value);
    let x = Scale::tight(&plot.x, points().map(|p| p.x).chain(marks.iter().map(|m| m.x)));
    let y = Scale::rounded(&plot.y, points().map(|p| p.y).chain(marks.iter().map(|m| m.y)).chain(limit));
    let mut canvas = Canvas::default();
    let lines = draw_legend(&mut canvas, plot);
    let frame = Frame::new(x, y, lines);
    frame.draw(&mut canvas, &plot.x, &plot.y, &frame.x_ticks());
    let mut labels = Labels::new(frame.bounds());
    let level = plot.threshold.as_ref().and_then(|t| plot.y.place(t.value));
    frame.draw_level(&mut canvas, &mut labels, level);
    for (index, series) in plot.series.iter().enumerate() {
        // A point without a place breaks the line: joining its neighbours would invent what lies between.
        for run in series.points.split(|p| !has_place(p)).filter(|run| !run.is_empty()) {
            let places: Vec<_> = run.iter().map(|p| (frame.x(p.x), frame.y(p.y))).collect();
            labels.avoid_line(&places);
            draw_run(&mut canvas, plot, index, run, &places);
        }
    }
    labels.avoid(marks.iter().map(|m| (frame.x(m.x), frame.y(m.y))));
    for mark in marks {
        let at = (frame.x(mark.x), frame.y(mark.y));
        canvas.sign("mark", 3, at, 5.0, &says(plot, &mark.label, mark.x, mark.y));
        labels.write(&mut canvas, "name strong", at, &mark.label);
    }
    if let (Some(threshold), Some(value)) = (&plot.threshold, level) {
        labels.write_level(&mut canvas, frame.y(value), &threshold.label);
    }
    Some((canvas, frame.height()))
}

fn draw_run(canvas: &mut Canvas, plot: &Lines, index: usize, run: &[PlotPoint], places: &[(f64, f64)]) {
    let series = &plot.series[index];
    if places.len() > 1 {
        canvas.polyline(&format!("series s{}", index % SERIES_STYLES), places);
    }
    let every = if series.points.len() <= MAX_SIGNS { 1 } else { series.points.len() / FEW_SIGNS };
    for (point, at) in run.iter().zip(places).step_by(every) {
        let says = says(plot, &series.name, point.x, point.y);
        canvas.sign(&format!("dot s{}", index % SERIES_STYLES), index, *at, 3.2, &says);
    }
}

fn says(plot: &Lines, name: &str, x: f64, y: f64) -> String {
    format!("{name}: {}, {}", format::in_unit(x, plot.x.unit), format::in_unit(y, plot.y.unit))
}

/// Names the series where there is more than one, and says how many lines that took.
fn draw_legend(canvas: &mut Canvas, plot: &Lines) -> usize {
    if plot.series.len() < 2 {
        return 0;
    }
    let (mut x, mut y) = (0.0, LINE_HEIGHT - 4.0);
    let mut lines = 1;
    for (index, series) in plot.series.iter().enumerate() {
        let width = 36.0 + series.name.chars().count() as f64 * LETTER_WIDTH + 14.0;
        if x > 0.0 && x + width > WIDTH {
            (x, y, lines) = (0.0, y + LINE_HEIGHT, lines + 1);
        }
        let class = index % SERIES_STYLES;
        canvas.polyline(&format!("series s{class}"), &[(x, y - 4.5), (x + 28.0, y - 4.5)]);
        canvas.sign(&format!("dot s{class}"), index, (x + 14.0, y - 4.5), 3.2, &series.name);
        canvas.text("name", (x + 34.0, y), Anchor::Start, &series.name);
        x += width;
    }
    lines
}
