//! Named points: the many hollow, the frontier filled and joined, the chosen one a diamond.

use super::canvas::Canvas;
use super::frame::Frame;
use super::labels::Labels;
use crate::chart::{Scatter, ScatterPoint};
use crate::format;
use crate::scale::Scale;

/// Among more points than this only those of the frontier are named.
const MAX_NAMES: usize = 16;

pub(super) fn draw(plot: &Scatter) -> Option<(Canvas, f64)> {
    let has_place = |p: &&ScatterPoint| plot.x.place(p.x).is_some() && plot.y.place(p.y).is_some();
    let mut points: Vec<_> = plot.points.iter().filter(has_place).collect();
    if points.is_empty() {
        return None;
    }
    // The chosen point is drawn last, over the others.
    points.sort_by_key(|p| (p.chosen, p.frontier));
    let limit = plot.threshold.iter().map(|t| t.value);
    let x = Scale::rounded(&plot.x, points.iter().map(|p| p.x));
    let y = Scale::rounded(&plot.y, points.iter().map(|p| p.y).chain(limit));
    let frame = Frame::new(x, y, 0);
    let mut canvas = Canvas::default();
    frame.draw(&mut canvas, &plot.x, &plot.y, &frame.x_ticks());
    let mut labels = Labels::new(frame.bounds());
    let level = plot.threshold.as_ref().and_then(|t| plot.y.place(t.value));
    frame.draw_level(&mut canvas, &mut labels, level);
    draw_frontier(&mut canvas, &mut labels, &points, &frame);
    for point in &points {
        let (class, shape, radius) = match (point.chosen, point.frontier) {
            (true, _) => ("mark", 3, 6.0),
            (false, true) => ("point front", 0, 4.5),
            (false, false) => ("point", 0, 4.0),
        };
        let (x, y) = (format::in_unit(point.x, plot.x.unit), format::in_unit(point.y, plot.y.unit));
        let says = format!("{}: {x}, {y}", point.label);
        canvas.sign(class, shape, (frame.x(point.x), frame.y(point.y)), radius, &says);
    }
    write_names(&mut canvas, &mut labels, &points, &frame);
    if let (Some(threshold), Some(value)) = (&plot.threshold, level) {
        labels.write_level(&mut canvas, frame.y(value), &threshold.label);
    }
    Some((canvas, frame.height()))
}

fn draw_frontier(canvas: &mut Canvas, labels: &mut Labels, points: &[&ScatterPoint], frame: &Frame) {
    let mut front: Vec<_> = points.iter().filter(|p| p.frontier).map(|p| (p.x, p.y)).collect();
    front.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    if front.len() > 1 {
        let places: Vec<_> = front.iter().map(|(x, y)| (frame.x(*x), frame.y(*y))).collect();
        canvas.polyline("frontier", &places);
        labels.avoid_line(&places);
    }
}

/// The chosen point is named first, then the frontier, then the others where they are few.
fn write_names(canvas: &mut Canvas, labels: &mut Labels, points: &[&ScatterPoint], frame: &Frame) {
    labels.avoid(points.iter().map(|p| (frame.x(p.x), frame.y(p.y))));
    for point in points.iter().rev() {
        if !point.chosen && !point.frontier && points.len() > MAX_NAMES {
            continue;
        }
        let class = if point.chosen { "name strong" } else { "name" };
        labels.write(canvas, class, (frame.x(point.x), frame.y(point.y)), &point.label);
    }
}
