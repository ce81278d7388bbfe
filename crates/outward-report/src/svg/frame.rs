//! The frame of a chart with two axes: grid, ticks, names of the axes, a line to compare with.

use super::canvas::{Anchor, Canvas, LETTER_WIDTH, LINE_HEIGHT, WIDTH};
use super::labels::Labels;
use crate::chart::Axis;
use crate::scale::{Scale, Tick};

const PLOT_HEIGHT: f64 = 260.0;

/// Where the two axes lie.
pub(super) struct Frame {
    left: f64,
    top: f64,
    headroom: f64,
    x: Scale,
    y: Scale,
}

impl Frame {
    /// A frame below `lines` lines of legend, wide enough on the left for the ticks.
    pub(super) fn new(x: Scale, y: Scale, lines: usize) -> Self {
        let widest = y.ticks().iter().map(|tick| tick.label.chars().count()).max().unwrap_or(1);
        let legend = if lines == 0 { 0.0 } else { lines as f64 * LINE_HEIGHT + 8.0 };
        let top = legend + LINE_HEIGHT + 10.0;
        Self { left: widest as f64 * LETTER_WIDTH + 10.0, top, headroom: 0.0, x, y }
    }

    /// The same frame with a free line above it, for the name of an upright line.
    pub(super) fn with_headroom(self) -> Self {
        Self { top: self.top + LINE_HEIGHT, headroom: LINE_HEIGHT, ..self }
    }

    /// How far across a value is.
    pub(super) fn x(&self, value: f64) -> f64 {
        self.left + self.x.at(value) * self.width()
    }

    /// How far down a value is.
    pub(super) fn y(&self, value: f64) -> f64 {
        self.bottom() - self.y.at(value) * PLOT_HEIGHT
    }

    fn width(&self) -> f64 {
        WIDTH - self.left - 16.0
    }

    /// The height of the horizontal axis.
    pub(super) fn bottom(&self) -> f64 {
        self.top + PLOT_HEIGHT
    }

    /// The height of the whole drawing.
    pub(super) fn height(&self) -> f64 {
        self.bottom() + 2.0 * LINE_HEIGHT + 12.0
    }

    /// The left, top, right and bottom of the room between the axes.
    pub(super) fn bounds(&self) -> (f64, f64, f64, f64) {
        (self.left, self.top, self.left + self.width(), self.bottom())
    }

    /// The ticks of the horizontal axis.
    pub(super) fn x_ticks(&self) -> Vec<Tick> {
        self.x.ticks()
    }

    /// Draws grid, ticks and names. The name of the vertical axis stands level above it, where it is easily read.
    pub(super) fn draw(&self, canvas: &mut Canvas, x: &Axis, y: &Axis, x_ticks: &[Tick]) {
        let (left, top, right, bottom) = self.bounds();
        for tick in self.y.ticks() {
            let height = bottom - tick.at * PLOT_HEIGHT;
            canvas.line("grid", (left, height), (right, height));
            canvas.text("tick", (left - 8.0, height + 4.5), Anchor::End, &tick.label);
        }
        for tick in sparse(x_ticks, self.width()) {
            let across = left + tick.at * self.width();
            canvas.line("axis", (across, bottom), (across, bottom + 5.0));
            canvas.text("tick", (across, bottom + LINE_HEIGHT + 2.0), Anchor::Middle, &tick.label);
        }
        canvas.line("axis", (left, bottom), (right, bottom));
        canvas.text("label", (0.0, top - self.headroom - 14.0), Anchor::Start, &named(y));
        canvas.text("label", (right, bottom + 2.0 * LINE_HEIGHT + 6.0), Anchor::End, &named(x));
    }

    /// Draws a level line to compare with; its name is written once the rest is drawn.
    pub(super) fn draw_level(&self, canvas: &mut Canvas, labels: &mut Labels, level: Option<f64>) {
        let Some(height) = level.map(|value| self.y(value)) else { return };
        let (left, _, right, _) = self.bounds();
        canvas.line("threshold", (left, height), (right, height));
        labels.avoid_line(&[(left, height), (right, height)]);
    }

    /// Draws an upright line to compare with, its label above it.
    pub(super) fn draw_upright(&self, canvas: &mut Canvas, label: &str, value: f64) {
        let (left, top, right, bottom) = self.bounds();
        let across = self.x(value);
        canvas.line("threshold", (across, top - 8.0), (across, bottom));
        let (anchor, away) = if across < (left + right) / 2.0 { (Anchor::Start, 5.0) } else { (Anchor::End, -5.0) };
        canvas.text("note", (across + away, top - 6.0), anchor, label);
    }
}

/// The name of an axis, with a word where equal steps are not equal amounts.
fn named(axis: &Axis) -> String {
    if axis.log { format!("{} (logarithmic)", axis.label) } else { axis.label.clone() }
}

/// The ticks whose words do not run into each other. The last is always kept: it may stand for a bin that is open.
fn sparse(ticks: &[Tick], width: f64) -> Vec<&Tick> {
    let mut shown: Vec<&Tick> = Vec::new();
    let half = |tick: &Tick| (tick.label.chars().count() as f64 + 1.0) * LETTER_WIDTH / 2.0;
    for tick in ticks.iter().rev() {
        if shown.last().is_none_or(|next| (next.at - tick.at) * width >= half(tick) + half(next)) {
            shown.push(tick);
        }
    }
    shown
}
