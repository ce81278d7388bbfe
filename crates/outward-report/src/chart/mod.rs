//! Charts as data. Every chart can also be read as a table, and is always shown with it.

mod table;

use crate::format;

/// A chart: what it shows, how it should be read, and its data.
#[derive(Debug, Clone, PartialEq)]
pub struct Chart {
    /// What the chart shows.
    pub title: String,
    /// What to see in it, for readers and for screen readers. May be empty.
    pub note: String,
    /// The data and the way they are drawn.
    pub plot: Plot,
}

/// The data of a chart and the way they are drawn.
#[derive(Debug, Clone, PartialEq)]
pub enum Plot {
    /// Named things compared by a measure: one horizontal bar each.
    Bars(Bars),
    /// A histogram: upright columns over numeric bins.
    Columns(Columns),
    /// One or more series over a common axis.
    Lines(Lines),
    /// Named points, some of them on a frontier, one of them perhaps chosen.
    Scatter(Scatter),
}

/// What an axis measures.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Axis {
    /// The name of the measure.
    pub label: String,
    /// How its numbers are written.
    pub unit: Unit,
    /// Whether it is logarithmic. Bars and the heights of columns start at zero and are always linear.
    pub log: bool,
}

impl Axis {
    /// An axis of counts.
    pub fn counts(label: impl Into<String>) -> Self {
        Self { label: label.into(), unit: Unit::Count, log: false }
    }

    /// An axis of shares, shown as percentages.
    pub fn shares(label: impl Into<String>) -> Self {
        Self { label: label.into(), unit: Unit::Share, log: false }
    }

    /// An axis of numbers with so many decimals.
    pub fn numbers(label: impl Into<String>, decimals: u8) -> Self {
        Self { label: label.into(), unit: Unit::Number(decimals), log: false }
    }

    /// The same axis, logarithmic.
    pub fn log(self) -> Self {
        Self { log: true, ..self }
    }
}

/// How the numbers of an axis are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Whole numbers.
    Count,
    /// Shares between 0 and 1, as percentages.
    Share,
    /// Numbers with so many decimals.
    Number(u8),
}

/// A line to compare with.
#[derive(Debug, Clone, PartialEq)]
pub struct Threshold {
    /// Where it is.
    pub value: f64,
    /// What it means.
    pub label: String,
}

/// Horizontal bars.
#[derive(Debug, Clone, PartialEq)]
pub struct Bars {
    /// What the bars stand for, as the heading of their names: `Variable`.
    pub category: String,
    /// What their length measures.
    pub measure: Axis,
    /// The bars, top to bottom.
    pub bars: Vec<Bar>,
    /// A value of the measure to compare with.
    pub threshold: Option<Threshold>,
}

/// One bar.
#[derive(Debug, Clone, PartialEq)]
pub struct Bar {
    /// What it stands for.
    pub label: String,
    /// How long it is.
    pub value: f64,
    /// Whether it stands out.
    pub highlight: bool,
}

/// A histogram.
#[derive(Debug, Clone, PartialEq)]
pub struct Columns {
    /// What is binned.
    pub x: Axis,
    /// What the height measures.
    pub y: Axis,
    /// The bins, left to right.
    pub bins: Vec<Bin>,
    /// A value of `x` to compare with: the first that is allowed.
    pub threshold: Option<Threshold>,
}

/// One bin: from a value up to, but without, another.
#[derive(Debug, Clone, PartialEq)]
pub struct Bin {
    /// Where it starts.
    pub from: f64,
    /// Where the next one starts; infinity for a last bin that is open.
    pub to: f64,
    /// How high its column is.
    pub value: f64,
    /// Whether it stands out.
    pub highlight: bool,
}

/// Series over a common axis.
#[derive(Debug, Clone, PartialEq)]
pub struct Lines {
    /// The axis across.
    pub x: Axis,
    /// The axis up.
    pub y: Axis,
    /// The series.
    pub series: Vec<Series>,
    /// Points to name: the threshold that was chosen, a figure of a paper.
    pub marks: Vec<Mark>,
    /// A value of `y` to compare with.
    pub threshold: Option<Threshold>,
}

/// A named series of points, in the order in which they are joined.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// Its name.
    pub name: String,
    /// Its points.
    pub points: Vec<PlotPoint>,
}

/// A point of a series.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PlotPoint {
    /// How far across.
    pub x: f64,
    /// How far up.
    pub y: f64,
}

/// A named point on a chart of lines.
#[derive(Debug, Clone, PartialEq)]
pub struct Mark {
    /// Its name.
    pub label: String,
    /// How far across.
    pub x: f64,
    /// How far up.
    pub y: f64,
}

/// Named points.
#[derive(Debug, Clone, PartialEq)]
pub struct Scatter {
    /// The axis across.
    pub x: Axis,
    /// The axis up.
    pub y: Axis,
    /// The points.
    pub points: Vec<ScatterPoint>,
    /// A value of `y` to compare with.
    pub threshold: Option<Threshold>,
}

/// A named point among others.
#[derive(Debug, Clone, PartialEq)]
pub struct ScatterPoint {
    /// Its name.
    pub label: String,
    /// How far across.
    pub x: f64,
    /// How far up.
    pub y: f64,
    /// Whether it is on the frontier: no other point is better in both directions. These are joined by a line.
    pub frontier: bool,
    /// Whether it is the one that was chosen.
    pub chosen: bool,
}

impl ScatterPoint {
    /// What the point is among the others, in words.
    pub(crate) fn standing(&self) -> &'static str {
        match (self.chosen, self.frontier) {
            (true, true) => "chosen, on the frontier",
            (true, false) => "chosen",
            (false, true) => "on the frontier",
            (false, false) => "",
        }
    }
}

impl Axis {
    /// A value as a place on this axis, if it has one. The extremes of a float are left out so that sums and
    /// differences of places stay finite.
    pub(crate) fn place(&self, value: f64) -> Option<f64> {
        let value = if value.abs() < 1e-300 { 0.0 } else { value };
        (value.abs() <= 1e300 && (!self.log || value > 0.0)).then_some(value)
    }

    /// The same axis starting at zero, as lengths do.
    pub(crate) fn linear(&self) -> Self {
        Self { log: false, ..self.clone() }
    }
}

impl Columns {
    /// A bin in words. Counts have whole numbers in them, so a bin of counts is named by its first and last.
    pub(crate) fn name(&self, bin: &Bin) -> String {
        let write = |x| format::in_unit(x, self.x.unit);
        let counts = self.x.unit == Unit::Count;
        match bin.to {
            to if to == f64::INFINITY => format!("{} or more", write(bin.from)),
            to if counts && to - bin.from == 1.0 => write(bin.from),
            to if counts => format!("{} to {}", write(bin.from), write(to - 1.0)),
            to => format!("{} to {}", write(bin.from), write(to)),
        }
    }

    /// Whether a bin has a place in the chart. A bin may start at zero on a logarithmic axis.
    pub(crate) fn draws(&self, bin: &Bin) -> bool {
        let ends_well = bin.to == f64::INFINITY || self.x.place(bin.to).is_some();
        let starts_well =
            self.x.linear().place(bin.from).is_some() && (bin.to.is_finite() || !self.x.log || bin.from > 0.0);
        starts_well && ends_well && bin.from < bin.to && self.y.linear().place(bin.value).is_some()
    }
}

impl Plot {
    /// How many values have no place in the drawing.
    fn undrawn(&self) -> usize {
        let lacks = |x: &Axis, y: &Axis, at: (f64, f64)| x.place(at.0).is_none() || y.place(at.1).is_none();
        match self {
            Self::Bars(p) => p.bars.iter().filter(|b| p.measure.linear().place(b.value).is_none()).count(),
            Self::Columns(p) => p.bins.iter().filter(|b| !p.draws(b)).count(),
            Self::Lines(p) => {
                let points = p.series.iter().flat_map(|s| &s.points).filter(|q| lacks(&p.x, &p.y, (q.x, q.y))).count();
                points + p.marks.iter().filter(|q| lacks(&p.x, &p.y, (q.x, q.y))).count()
            }
            Self::Scatter(p) => p.points.iter().filter(|q| lacks(&p.x, &p.y, (q.x, q.y))).count(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn histogram(x: Axis) -> Columns {
        Columns { x, y: Axis::counts("Records"), bins: Vec::new(), threshold: None }
    }

    fn bin(from: f64, to: f64) -> Bin {
        Bin { from, to, value: 1.0, highlight: false }
    }

    #[test]
    fn a_bin_of_counts_is_named_by_the_counts_in_it() {
        let plot = histogram(Axis::counts("Cell size"));
        assert_eq!(plot.name(&bin(1.0, 2.0)), "1");
        assert_eq!(plot.name(&bin(5.0, 10.0)), "5 to 9");
        assert_eq!(plot.name(&bin(10.0, f64::INFINITY)), "10 or more");
        assert_eq!(histogram(Axis::numbers("Income", 1)).name(&bin(0.0, 2.5)), "0.0 to 2.5");
    }

    #[test]
    fn a_first_bin_may_start_at_zero_on_a_logarithmic_axis() {
        let plot = histogram(Axis::counts("Population").log());
        assert!(plot.draws(&bin(0.0, 10.0)));
        assert!(!plot.draws(&bin(0.0, f64::INFINITY)));
        assert!(!plot.draws(&bin(3.0, 3.0)));
    }
}
