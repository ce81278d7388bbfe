//! A small publication of three tables, whose labels are as awkward as labels get. What is hidden are numbers that nothing else is.

use outward_tables::write::{Publication, percentages};
use outward_tables::{Dimension, Figure, Kind, Magnitudes, Node, Published, Table};

/// Stands for every true figure that is not published.
pub(crate) const SECRET: u64 = 987_654;

pub(crate) fn node(label: &str, values: &[u32]) -> Node {
    Node { label: label.to_owned(), finest: true, values: values.to_vec(), ..Node::default() }
}

pub(crate) fn total(values: &[u32]) -> Node {
    Node { label: "Total".to_owned(), level: 2, total: true, values: values.to_vec(), ..Node::default() }
}

/// Severity: three values and their total.
pub(crate) fn severity() -> Dimension {
    Dimension {
        variable: "severity".to_owned(),
        label: "Severity, as reported".to_owned(),
        nodes: vec![
            node("Fatal", &[1]),
            node("=SUM(A1:A9)", &[2]),
            node("\"Slight\", <b>or</b> & none", &[3]),
            total(&[1, 2, 3]),
        ],
        sums: vec![(3, vec![0, 1, 2])],
        size: 3,
        ..Dimension::default()
    }
}

/// Place: two values, and no total.
pub(crate) fn place() -> Dimension {
    Dimension {
        variable: "place".to_owned(),
        label: "Place".to_owned(),
        kind: Kind::Geography,
        nodes: vec![node("@Leeds", &[1]), node("-York\nouter", &[2])],
        several: true,
        size: 5,
        ..Dimension::default()
    }
}

fn published(table: Table, figures: Vec<Figure>, scale: i64) -> Published {
    let percentages = percentages(&table, &figures);
    let (category, protection) = ("medium".to_owned(), "Some figures are hidden".to_owned());
    Published { table, figures, scale, percentages, category, protection }
}

/// Counts with percentages of the row; the first row has a hidden cell, the second a hidden total.
pub(crate) fn counts() -> Published {
    use Figure::{Hidden, Low, Shown};
    let table = Table {
        name: "RAS1".to_owned(),
        title: "Collisions by place & severity".to_owned(),
        unit: "collisions".to_owned(),
        condition: Some("year = 2011".to_owned()),
        dimensions: vec![place(), severity()],
        geography: Some("region".to_owned()),
        counts: vec![SECRET; 8],
        keys: vec![SECRET; 8],
        percent_of: vec![1],
        ..Table::default()
    };
    published(table, vec![Hidden, Low, Shown(1200), Shown(3600), Shown(0), Shown(7), Shown(8), Hidden], 1)
}

/// Estimates over one variable, in thousandths.
pub(crate) fn estimates() -> Published {
    use Figure::{Hidden, Shown};
    let table = Table {
        name: "ras1".to_owned(),
        title: "Estimates".to_owned(),
        unit: "people".to_owned(),
        dimensions: vec![severity()],
        weighted: Some(vec![SECRET as i64; 4]),
        counts: vec![SECRET; 4],
        keys: vec![SECRET; 4],
        ..Table::default()
    };
    published(table, vec![Hidden, Hidden, Shown(1_234_560), Shown(2_000_000)], 1000)
}

/// Sums, one of them below zero and one larger than Excel can hold.
pub(crate) fn sums() -> Published {
    use Figure::{Hidden, Shown};
    let magnitudes = Magnitudes {
        of: "turnover".to_owned(),
        scale: 100,
        sums: vec![SECRET as i64; 8],
        contributors: vec![SECRET; 8],
        largest: vec![vec![SECRET as i64]; 8],
        ..Magnitudes::default()
    };
    let table = Table {
        name: "Money [in/out]".to_owned(),
        title: "Turnover".to_owned(),
        unit: "firms".to_owned(),
        dimensions: vec![place(), severity()],
        counts: vec![SECRET; 8],
        keys: vec![SECRET; 8],
        magnitudes: Some(magnitudes),
        ..Table::default()
    };
    let large = 1_234_567_890_123_456_789;
    let figures = [-5, 105, 400, 500, large].map(Shown);
    published(table, figures.into_iter().chain([Hidden, Hidden, Shown(3)]).collect(), 100)
}

pub(crate) fn tables() -> Vec<Published> {
    vec![counts(), estimates(), sums()]
}

pub(crate) fn publication<'a>(tables: &'a [Published], notes: &'a [String]) -> Publication<'a> {
    Publication {
        title: "Road <casualties>",
        about: "What was reported.",
        policy: "gss-tables",
        source: Some("the police"),
        date: Some("1 September 2012"),
        notes,
        tables,
    }
}

/// A table as it comes back: without what is not published.
pub(crate) fn without_counts(mut published: Published) -> Published {
    let table = &mut published.table;
    (table.counts, table.keys) = (Vec::new(), Vec::new());
    table.weighted = table.weighted.take().map(|_| Vec::new());
    table.magnitudes = table.magnitudes.take().map(|magnitudes| Magnitudes {
        sums: Vec::new(),
        contributors: Vec::new(),
        largest: Vec::new(),
        ..magnitudes
    });
    published
}
