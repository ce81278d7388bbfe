//! Bars made of block characters, to an eighth of a character.

use super::wrap::{wrap, wrap_at_most};
use super::{Ink, Style, one_line, pad_end, pad_start};
use crate::chart::{Axis, Bars, Columns, Threshold};
use crate::format;
use crate::scale::Scale;

const MAX_BLOCKS: usize = 48;

/// One bar: its name, its length where it has one, and whether it stands out.
struct BarRow {
    name: String,
    value: f64,
    drawn: bool,
    highlight: bool,
}

pub(super) fn bars(plot: &Bars, style: Style) -> Vec<String> {
    let axis = plot.measure.linear();
    let row = |bar: &crate::chart::Bar| BarRow {
        name: one_line(&bar.label),
        value: bar.value,
        drawn: axis.place(bar.value).is_some(),
        highlight: bar.highlight,
    };
    let rows: Vec<_> = plot.bars.iter().map(row).collect();
    let heading = format!("{} by {}", plot.measure.label, format::within_sentence(&plot.category));
    let limit = plot.threshold.as_ref().map(|threshold| (threshold, &axis));
    draw(&heading, &rows, &axis, limit, limit.map(|(threshold, _)| threshold.value), style)
}

pub(super) fn columns(plot: &Columns, style: Style) -> Vec<String> {
    let axis = plot.y.linear();
    let row = |bin: &crate::chart::Bin| BarRow {
        name: plot.name(bin),
        value: bin.value,
        drawn: plot.draws(bin),
        highlight: bin.highlight,
    };
    let rows: Vec<_> = plot.bins.iter().map(row).collect();
    let heading = format!("{} by {}", plot.y.label, format::within_sentence(&plot.x.label));
    draw(&heading, &rows, &axis, plot.threshold.as_ref().map(|threshold| (threshold, &plot.x)), None, style)
}

/// Draws bars; `reach` is a value that the longest bar is to be compared with, where it is on the same axis.
fn draw(
    heading: &str,
    rows: &[BarRow],
    axis: &Axis,
    limit: Option<(&Threshold, &Axis)>,
    reach: Option<f64>,
    style: Style,
) -> Vec<String> {
    if rows.is_empty() {
        return vec!["There is nothing to draw.".to_owned()];
    }
    let page = style.columns();
    let length = |text: &str| text.chars().count();
    let name_width = rows.iter().map(|row| length(&row.name)).max().unwrap_or(0).min(page / 3);
    let value = |row: &BarRow| format::in_unit(row.value, axis.unit);
    let value_width = rows.iter().map(|row| length(&value(row))).max().unwrap_or(0);
    let blocks = page.saturating_sub(name_width + value_width + 6).clamp(4, MAX_BLOCKS);
    let lengths = rows.iter().filter(|row| row.drawn).map(|row| row.value.abs());
    let scale = Scale::tight(axis, lengths.chain([0.0]).chain(reach.filter(|reach| axis.place(*reach).is_some())));
    let mut lines: Vec<_> = wrap(heading, page).iter().map(|line| style.paint(Ink::Faint, line)).collect();
    for row in rows {
        let names = wrap_at_most(&row.name, name_width.max(1), 2);
        let (last, before) = names.split_last().map_or(("", &[][..]), |(last, before)| (last.as_str(), before));
        lines.extend(before.iter().cloned());
        let bar = if row.drawn { bar(row.value, scale.at(row.value.abs()), blocks) } else { String::new() };
        let ink = if row.highlight { Ink::Caution } else { Ink::Faint };
        let sign = if row.highlight { " ◆" } else { "" };
        let name = pad_end(last, name_width);
        lines.push(format!("{name}  {}  {}{sign}", pad_start(&value(row), value_width), style.paint(ink, &bar)));
    }
    if let Some((threshold, axis)) = limit {
        let line = format!("Line at {}: {}", format::in_unit(threshold.value, axis.unit), one_line(&threshold.label));
        lines.extend(wrap(&line, page).iter().map(|line| style.paint(Ink::Faint, line)));
    }
    lines
}

/// A bar that takes `part` of so many characters. What is below zero is drawn lighter; what is not zero is seen.
fn bar(value: f64, part: f64, blocks: usize) -> String {
    let eighths = (part * blocks as f64 * 8.0).round() as usize;
    let eighths = if value == 0.0 { 0 } else { eighths.max(1) };
    if value < 0.0 {
        return "░".repeat(eighths.div_ceil(8));
    }
    let part = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"][eighths % 8];
    format!("{}{part}", "█".repeat(eighths / 8))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_is_as_long_as_its_part_and_never_vanishes() {
        assert_eq!(bar(1.0, 0.5, 8), "████");
        assert_eq!(bar(1.0, 0.5625, 8), "████▌");
        assert_eq!(bar(1e-9, 0.0, 8), "▏");
        assert_eq!(bar(0.0, 0.0, 8), "");
        assert_eq!(bar(-1.0, 1.0, 3), "░░░");
    }
}
