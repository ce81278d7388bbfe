//! The numbers of a chart as a table.

use super::{Axis, Bar, Bars, Bin, Chart, Columns, Lines, Plot, Scatter, ScatterPoint, Series, Unit};
use crate::format;
use crate::model::{Column, Table, Value};

/// With more series than this, a column for each would be too wide for a page.
const MAX_SERIES_COLUMNS: usize = 5;

impl Chart {
    /// The numbers of the chart as a table, with a word on those that could not be drawn.
    pub fn table(&self) -> Table {
        let (columns, rows) = match &self.plot {
            Plot::Bars(plot) => bars_table(plot),
            Plot::Columns(plot) => columns_table(plot),
            Plot::Lines(plot) => lines_table(plot),
            Plot::Scatter(plot) => scatter_table(plot),
        };
        Table { caption: self.title.clone(), columns, rows, more: self.undrawn_note() }
    }

    /// What the table says about values that have no place in the drawing.
    pub(crate) fn undrawn_note(&self) -> Option<String> {
        let undrawn = self.plot.undrawn();
        let subject = match undrawn {
            0 => return None,
            1 => "1 value is not drawn: it is".to_owned(),
            n => format!("{} values are not drawn: they are", format::count(n as u64)),
        };
        Some(format!("{subject} not finite, too large to draw, or not above zero on a logarithmic axis."))
    }
}

impl Axis {
    fn value(&self, x: f64) -> Value {
        match self.unit {
            Unit::Count => Value::Number(x, 0),
            Unit::Share => Value::Share(x),
            Unit::Number(decimals) => Value::Number(x, decimals),
        }
    }
}

type Body = (Vec<Column>, Vec<Vec<Value>>);

fn bars_table(plot: &Bars) -> Body {
    let columns = vec![Column::left(&plot.category), Column::right(&plot.measure.label)];
    let row = |bar: &Bar| vec![Value::from(bar.label.as_str()), plot.measure.value(bar.value)];
    (columns, plot.bars.iter().map(row).collect())
}

fn columns_table(plot: &Columns) -> Body {
    let columns = vec![Column::left(&plot.x.label), Column::right(&plot.y.label)];
    let row = |bin: &Bin| vec![Value::from(plot.name(bin)), plot.y.value(bin.value)];
    (columns, plot.bins.iter().map(row).collect())
}

/// One row for each place across and one column for each series, if series are few and have one value in each place.
/// Otherwise one row for each point.
fn lines_table(plot: &Lines) -> Body {
    let one_value_in_each_place = |series: &Series| {
        let mut places: Vec<_> = series.points.iter().map(|p| p.x).collect();
        places.sort_by(f64::total_cmp);
        places.iter().all(|x| x.is_finite()) && places.windows(2).all(|pair| pair[0] < pair[1])
    };
    let few = (1..=MAX_SERIES_COLUMNS).contains(&plot.series.len()) && plot.marks.iter().all(|m| m.x.is_finite());
    if few && plot.series.iter().all(one_value_in_each_place) { wide_lines(plot) } else { long_lines(plot) }
}

fn wide_lines(plot: &Lines) -> Body {
    let points = plot.series.iter().flat_map(|s| s.points.iter().map(|p| p.x));
    let mut places: Vec<_> = points.chain(plot.marks.iter().map(|mark| mark.x)).collect();
    places.sort_by(f64::total_cmp);
    places.dedup();
    let mut columns = vec![Column::right(&plot.x.label)];
    columns.extend(plot.series.iter().map(|series| Column::right(&series.name)));
    columns.extend((!plot.marks.is_empty()).then(|| Column::left("Marked")));
    let row = |x: f64| {
        let value = |s: &Series| s.points.iter().find(|p| p.x == x).map(|p| plot.y.value(p.y));
        let mut row = vec![plot.x.value(x)];
        row.extend(plot.series.iter().map(|series| Value::from(value(series))));
        if !plot.marks.is_empty() {
            let here = plot.marks.iter().filter(|mark| mark.x == x);
            let written = here.map(|mark| format!("{}: {}", mark.label, plot.y.value(mark.y)));
            row.push(Value::from(written.collect::<Vec<_>>().join("; ")));
        }
        row
    };
    (columns, places.into_iter().map(row).collect())
}

fn long_lines(plot: &Lines) -> Body {
    let columns = vec![Column::left("Series"), Column::right(&plot.x.label), Column::right(&plot.y.label)];
    let row = |name: &str, x, y| vec![Value::from(name), plot.x.value(x), plot.y.value(y)];
    let points = plot.series.iter().flat_map(|s| s.points.iter().map(|p| row(&s.name, p.x, p.y)));
    let marks = plot.marks.iter().map(|m| row(&m.label, m.x, m.y));
    (columns, marks.chain(points).collect())
}

/// The chosen point comes first, then the frontier, then the others.
fn scatter_table(plot: &Scatter) -> Body {
    let columns = vec![
        Column::left("Point"),
        Column::right(&plot.x.label),
        Column::right(&plot.y.label),
        Column::left("Standing"),
    ];
    let row = |p: &ScatterPoint| {
        vec![Value::from(p.label.as_str()), plot.x.value(p.x), plot.y.value(p.y), Value::from(p.standing())]
    };
    let mut points: Vec<_> = plot.points.iter().collect();
    points.sort_by_key(|p| (!p.chosen, !p.frontier));
    (columns, points.into_iter().map(row).collect())
}

#[cfg(test)]
mod tests {
    use super::super::{Mark, PlotPoint};
    use super::*;

    #[test]
    fn values_without_a_place_are_counted_in_the_table() {
        let point = |x, y| ScatterPoint { label: "p".into(), x, y, frontier: false, chosen: false };
        let points = vec![point(1.0, 1.0), point(0.0, 1.0), point(1.0, f64::NAN), point(f64::MAX, 1.0)];
        let plot =
            Plot::Scatter(Scatter { x: Axis::numbers("x", 0).log(), y: Axis::shares("y"), points, threshold: None });
        let table = Chart { title: "t".into(), note: String::new(), plot }.table();
        assert_eq!(table.rows.len(), 4);
        assert!(table.more.is_some_and(|more| more.starts_with("3 values are not drawn")));
    }

    #[test]
    fn series_with_the_same_places_share_their_rows() {
        let series = |name: &str, points: &[(f64, f64)]| Series {
            name: name.into(),
            points: points.iter().map(|(x, y)| PlotPoint { x: *x, y: *y }).collect(),
        };
        let mut plot = Lines {
            x: Axis::counts("Population"),
            y: Axis::counts("Areas"),
            series: vec![series("a", &[(2.0, 20.0), (1.0, 10.0)]), series("b", &[(2.0, 21.0)])],
            marks: vec![Mark { label: "chosen".into(), x: 3.0, y: 30.0 }],
            threshold: None,
        };
        let written = |(_, rows): Body| -> Vec<String> {
            rows.iter()
                .map(|row| row.iter().map(Value::to_string).collect::<Vec<_>>().join(" ").trim().to_owned())
                .collect()
        };
        assert_eq!(written(lines_table(&plot)), ["1 10 –", "2 20 21", "3 – – chosen: 30"]);
        plot.series[1].points.push(PlotPoint { x: 2.0, y: 22.0 });
        assert_eq!(lines_table(&plot).1.len(), 5);
    }
}
