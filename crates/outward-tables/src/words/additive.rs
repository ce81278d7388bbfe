//! Whether the published figures of a table add up.

use crate::table::{Dimension, Figure, Published};

/// Whether published sums hold, in order of strength.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Sums {
    /// No total is published with all its parts.
    None,
    /// Every total published with all its parts is their sum.
    Hold,
    /// Some total is not.
    Differ,
}

/// Whether the totals of a table are the sums of their parts, among totals whose parts are all published.
pub(super) fn sums(published: &Published) -> Sums {
    let table = &published.table;
    if table.magnitudes.as_ref().is_some_and(|magnitudes| magnitudes.mean) {
        return Sums::None;
    }
    let mut found = Sums::None;
    let mut stride = published.figures.len();
    for dimension in &table.dimensions {
        stride = stride.checked_div(dimension.nodes.len()).unwrap_or(0);
        found = found.max(along(&published.figures, dimension, stride));
    }
    found
}

/// The sums along one dimension, whose nodes are `stride` cells apart.
fn along(figures: &[Figure], dimension: &Dimension, stride: usize) -> Sums {
    let mut found = Sums::None;
    for block in figures.chunks_exact((stride * dimension.nodes.len()).max(1)) {
        for (total, parts) in &dimension.sums {
            for offset in 0..stride {
                let value = |node: usize| block.get(node * stride + offset).and_then(|figure| value(*figure));
                let sum = parts.iter().map(|part| value(*part)).sum::<Option<i128>>();
                match value(*total).zip(sum) {
                    Some((total, sum)) if total != sum => return Sums::Differ,
                    Some(_) => found = Sums::Hold,
                    None => {}
                }
            }
        }
    }
    found
}

fn value(figure: Figure) -> Option<i128> {
    match figure {
        Figure::Shown(value) => Some(value.into()),
        Figure::Low => Some(0),
        Figure::NotApplicable => None,
        Figure::Hidden => None,
    }
}
