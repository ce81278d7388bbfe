//! Lines and points on a grid of characters, followed by their numbers.

use super::wrap::wrap;
use super::{Ink, Style, one_line, pad_end, pad_start, table};
use crate::chart::{Axis, Chart, Lines, Scatter, Threshold};
use crate::format;
use crate::model::Table;
use crate::scale::{Scale, Tick};

const ROWS: usize = 13;
const MAX_COLUMNS: usize = 64;
/// How many rows of numbers follow a drawing; the rest are in the other outputs.
const MAX_NUMBERS: usize = 16;
const SERIES_SIGNS: [char; 6] = ['●', '■', '▲', '×', '○', '□'];

/// A drawing of characters between two axes.
struct Grid {
    x: Scale,
    y: Scale,
    cells: Vec<Vec<char>>,
}

impl Grid {
    fn new(x: Scale, y: Scale, style: Style) -> Self {
        let labels = y.ticks().iter().map(|tick| tick.label.chars().count()).max().unwrap_or(0);
        let columns = style.columns().saturating_sub(labels + 4).clamp(10, MAX_COLUMNS);
        Self { x, y, cells: vec![vec![' '; columns]; ROWS] }
    }

    /// The column and the row of a point.
    fn cell(&self, x: f64, y: f64) -> (usize, usize) {
        let columns = (self.cells[0].len() - 1) as f64;
        let column = (self.x.at(x) * columns).round() as usize;
        (column, row_of(self.y.at(y)))
    }

    fn put(&mut self, x: f64, y: f64, sign: char) {
        let (column, row) = self.cell(x, y);
        self.cells[row][column] = sign;
    }

    /// A dotted line that covers nothing that is drawn already.
    fn join(&mut self, from: (f64, f64), to: (f64, f64)) {
        let (a, b) = (self.cell(from.0, from.1), self.cell(to.0, to.1));
        let steps = a.0.abs_diff(b.0).max(a.1.abs_diff(b.1));
        let between = |a: usize, b: usize, step: usize| {
            (a as f64 + (b as f64 - a as f64) * step as f64 / steps.max(1) as f64).round() as usize
        };
        for step in 0..=steps {
            let place = &mut self.cells[between(a.1, b.1, step)][between(a.0, b.0, step)];
            if *place == ' ' {
                *place = '·';
            }
        }
    }

    /// The lines of the drawing, with ticks and the names of the axes.
    fn finish(mut self, axes: (&Axis, &Axis), level: Option<&Threshold>, style: Style) -> Vec<String> {
        let level = level.and_then(|t| Some((t, axes.1.place(t.value)?)));
        if let Some((_, value)) = level {
            let row = row_of(self.y.at(value));
            self.cells[row].iter_mut().filter(|c| **c == ' ').for_each(|c| *c = '╌');
        }
        let ticks = self.y.ticks();
        let width = ticks.iter().map(|tick| tick.label.chars().count()).max().unwrap_or(0);
        let faint = |text: &str, indent: usize| {
            let lines = wrap(text, style.columns() - indent);
            lines.into_iter().map(move |line| style.paint(Ink::Faint, &format!("{}{line}", " ".repeat(indent))))
        };
        let mut lines: Vec<_> = faint(&axes.1.label, 0).collect();
        for (row, cells) in self.cells.iter().enumerate() {
            let tick = ticks.iter().find(|tick| row_of(tick.at) == row);
            let edge = if tick.is_some() { '┤' } else { '│' };
            let label = pad_start(tick.map_or("", |tick| &tick.label), width);
            lines.push(format!("{label} {edge}{}", cells.iter().collect::<String>()).trim_end().to_owned());
        }
        let columns = self.cells[0].len();
        let margin = " ".repeat(width + 1);
        lines.push(format!("{margin}└{}", "─".repeat(columns)));
        lines.push(format!("{margin} {}", tick_line(&self.x.ticks(), columns)));
        lines.extend(faint(&axes.0.label, width + 2));
        if let Some((threshold, value)) = level {
            let written = format::in_unit(value, axes.1.unit);
            lines.extend(faint(&format!("╌ line at {written}: {}", threshold.label), 0));
        }
        lines
    }
}

/// The row of a place between 0 at the bottom and 1 at the top.
fn row_of(at: f64) -> usize {
    ((1.0 - at) * (ROWS - 1) as f64).round() as usize
}

/// The labels of ticks under their places, those that would run into the one before left out.
fn tick_line(ticks: &[Tick], columns: usize) -> String {
    let mut line = String::new();
    for tick in ticks {
        let length = tick.label.chars().count();
        let centre = (tick.at * (columns - 1) as f64).round() as usize;
        let start = centre.saturating_sub(length / 2).min(columns.saturating_sub(length));
        let used = line.chars().count();
        if used == 0 || start > used {
            line = format!("{}{}", pad_end(&line, start), tick.label);
        }
    }
    line
}

pub(super) fn lines(chart: &Chart, plot: &Lines, style: Style) -> Vec<String> {
    let place = |x: f64, y: f64| Some((plot.x.place(x)?, plot.y.place(y)?));
    let marks: Vec<_> = plot.marks.iter().filter_map(|m| place(m.x, m.y)).collect();
    let points: Vec<_> = plot.series.iter().flat_map(|s| &s.points).filter_map(|p| place(p.x, p.y)).collect();
    if points.is_empty() && marks.is_empty() {
        return nothing(chart, style);
    }
    let all = || points.iter().chain(&marks);
    let x = Scale::tight(&plot.x, all().map(|p| p.0));
    let y = Scale::rounded(&plot.y, all().map(|p| p.1).chain(plot.threshold.iter().map(|t| t.value)));
    let mut grid = Grid::new(x, y, style);
    for (index, series) in plot.series.iter().enumerate() {
        let places: Vec<_> = series.points.iter().map(|p| place(p.x, p.y)).collect();
        for pair in places.windows(2) {
            if let [Some(from), Some(to)] = pair {
                grid.join(*from, *to);
            }
        }
        places.iter().flatten().for_each(|(x, y)| grid.put(*x, *y, SERIES_SIGNS[index % SERIES_SIGNS.len()]));
    }
    marks.iter().for_each(|(x, y)| grid.put(*x, *y, '◆'));
    let mut lines = Vec::new();
    if plot.series.len() > 1 || !marks.is_empty() {
        let name = |(i, s): (usize, &crate::chart::Series)| {
            format!("{} {}", SERIES_SIGNS[i % SERIES_SIGNS.len()], one_line(&s.name))
        };
        let mut legend: Vec<_> = plot.series.iter().enumerate().map(name).collect();
        legend.extend(plot.marks.iter().map(|mark| format!("◆ {}", one_line(&mark.label))));
        lines.extend(wrap(&legend.join(", "), style.columns()));
    }
    lines.extend(grid.finish((&plot.x, &plot.y), plot.threshold.as_ref(), style));
    lines.extend(numbers(chart, style));
    lines
}

pub(super) fn scatter(chart: &Chart, plot: &Scatter, style: Style) -> Vec<String> {
    let mut points: Vec<_> =
        plot.points.iter().filter(|p| plot.x.place(p.x).is_some() && plot.y.place(p.y).is_some()).collect();
    if points.is_empty() {
        return nothing(chart, style);
    }
    points.sort_by_key(|p| (p.chosen, p.frontier));
    let x = Scale::rounded(&plot.x, points.iter().map(|p| p.x));
    let y = Scale::rounded(&plot.y, points.iter().map(|p| p.y).chain(plot.threshold.iter().map(|t| t.value)));
    let mut grid = Grid::new(x, y, style);
    for point in &points {
        let sign = match (point.chosen, point.frontier) {
            (true, _) => '◆',
            (false, true) => '●',
            (false, false) => '○',
        };
        grid.put(point.x, point.y, sign);
    }
    let mut lines = vec!["◆ chosen   ● on the frontier   ○ other".to_owned()];
    lines.extend(grid.finish((&plot.x, &plot.y), plot.threshold.as_ref(), style));
    lines.extend(numbers(chart, style));
    lines
}

fn nothing(chart: &Chart, style: Style) -> Vec<String> {
    let mut lines = vec!["There is nothing to draw.".to_owned()];
    if !chart.table().rows.is_empty() {
        lines.extend(numbers(chart, style));
    }
    lines
}

/// The first numbers of the chart, and how many more there are.
fn numbers(chart: &Chart, style: Style) -> Vec<String> {
    let whole = chart.table();
    let left_out = whole.rows.len().saturating_sub(MAX_NUMBERS);
    let rows = whole.rows.into_iter().take(MAX_NUMBERS).collect();
    let more = (left_out > 0).then(|| format!("and {} more", format::count(left_out as u64)));
    let mut lines = vec![String::new()];
    lines.extend(table::table(&Table { caption: String::new(), columns: whole.columns, rows, more }, style));
    lines
}
